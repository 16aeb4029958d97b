//! Lists with few rows: the run creates enough for a second page, or nothing and reports that.

use super::{Move, prove};
use crate::proof::checked::Check;
use crate::proof::variety::few;

#[test]
fn lists_of_few_rows_are_filled_until_all_is_decided() {
    prove(vec![
        Move::new("three rows, five to a page", few(3, 5)).leaving(467, ""),
        Move::new("a full page of five", few(5, 5)).leaving(467, ""),
        Move::new("none, two to a page", few(0, 2)).leaving(467, ""),
    ]);
}

#[test]
fn a_list_whose_second_page_is_out_of_reach_gets_no_record_and_says_so() {
    let reason = "the list has one page; a second takes 97 more records, and max-writes allows 10";
    prove(vec![
        Move::new("three rows, 100 to a page", few(3, 100)).leaving(455, reason),
    ]);
}

#[test]
fn the_list_that_lacks_least_is_filled_first() {
    let check = Check {
        max_writes: 12,
        ..Check::default()
    };
    let reason = "the list has one page; a second takes 3 more records, and max-writes allows 2";
    prove(vec![
        Move::new("four left to create", few(3, 6))
            .checked(check)
            .leaving(461, reason),
    ]);
}
