//! Filters the page by words, by a cell of the overview, by verdicts and by reasons.

use super::browser::Looked;
use super::shown::{Page, run, usual};

fn status(page: &Page) -> String {
    page.browser.text("document.querySelector('#shown').textContent")
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_cell_shows_its_facts_and_findings_alone_and_again_all() {
    let page = Page::usual();
    page.browser.click(".cell.is-broken");
    assert_eq!(page.shown(".finding"), 1);
    assert_eq!(page.shown("tbody tr[id^=fact-]"), 52);
    assert!(
        status(&page).starts_with("Shown: 1 of 5 findings, 52 of 536 facts, "),
        "{}",
        status(&page)
    );
    assert_eq!(
        page.browser.text("document.querySelector('#place').textContent"),
        "createContact, Values"
    );
    // Its group was folded, and is not any more.
    assert_eq!(
        page.browser
            .number("document.querySelectorAll('.facts-of[open]').length"),
        1
    );
    page.browser.click(".cell.is-broken");
    assert_eq!((page.shown(".finding"), page.shown("tbody tr[id^=fact-]")), (5, 536));
    assert_eq!(
        page.browser
            .number("document.querySelectorAll('.facts-of[open]').length"),
        0
    );
    assert_eq!(status(&page), "");
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn findings_of_one_cause_are_one_group_and_each_counts() {
    let mut record = usual();
    let row = record.facts.rows[7].clone();
    let mut second = record.findings[0].clone();
    (second.fact, second.contract_line) = (row.fact.to_string(), row.contract_line);
    record.findings.push(second);
    let page = Page::of(record, Looked::default());
    assert_eq!(page.shown(".finding"), 5);
    assert_eq!(
        page.browser
            .text("document.querySelector('#findings .number').textContent"),
        "6"
    );
    assert_eq!(
        page.browser
            .number("document.querySelectorAll('.others li[id]').length"),
        1
    );
    page.browser.click("#words");
    page.browser.press(&row.fact);
    assert!(
        status(&page).starts_with("Shown: 2 of 6 findings, "),
        "{}",
        status(&page)
    );
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn every_cell_counts_what_it_shows() {
    let page = Page::usual();
    let wrong = page.browser.run(
        "const wrong = [];
         for (const cell of document.querySelectorAll('.cell')) {
             const counted = cell.getAttribute('aria-label').match(/[0-9,]+(?= (broken|undecided|held))/g);
             cell.click();
             const shown = document.querySelectorAll('tbody tr[id^=fact-]:not([hidden])').length;
             if (counted.map(Number).reduce((sum, one) => sum + one) !== shown) wrong.push(cell.ariaLabel);
             cell.click();
         }
         return wrong;",
    );
    assert_eq!(wrong, serde_json::json!([]));
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn words_are_looked_for_in_findings_facts_and_exchanges() {
    let page = Page::usual();
    page.browser.click("#words");
    page.browser.press("getVenues COUNTRY present");
    assert_eq!((page.shown(".finding"), page.shown("tbody tr[id^=fact-]")), (1, 1));
    assert!(
        page.browser
            .is("document.querySelector('tbody tr[id^=fact-]:not([hidden])').checkVisibility()")
    );
    page.browser.press("nowhere");
    assert_eq!(
        (page.shown(".finding"), page.shown(".exchange"), page.shown(".facts-of")),
        (0, 0, 0)
    );
    assert!(
        page.browser
            .is("document.querySelector('#facts .no-match').checkVisibility()")
    );
    // Escape.
    page.browser.press("\u{e00c}");
    assert_eq!((page.shown(".finding"), page.shown("tbody tr[id^=fact-]")), (5, 536));
    assert_eq!(page.browser.text("document.querySelector('#words').value"), "");
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn verdicts_add_up_and_each_is_reported_as_pressed() {
    let page = Page::usual();
    let facts = &page.record.facts;
    let number = |count: usize| u64::try_from(count).unwrap();
    page.browser.click(".chip[data-verdict=b]");
    assert_eq!(page.shown("tbody tr[id^=fact-]"), number(facts.broken));
    assert_eq!(page.shown(".finding"), 5);
    page.browser.click(".chip[data-verdict=u]");
    assert_eq!(
        page.shown("tbody tr[id^=fact-]"),
        number(facts.broken + facts.undecided)
    );
    page.browser.click(".chip[data-verdict=b]");
    assert_eq!(page.shown("tbody tr[id^=fact-]"), number(facts.undecided));
    assert_eq!(page.shown(".finding"), 0);
    assert_eq!(
        page.browser
            .text("[...document.querySelectorAll('.chip[data-verdict]')].map((chip) => chip.ariaPressed)"),
        "false,true,false"
    );
    page.browser.click("#clear");
    assert_eq!(page.shown("tbody tr[id^=fact-]"), 536);
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_reason_shows_the_facts_that_it_left_undecided() {
    let page = Page::of(run(&[], &["--only", "getTags"]), Looked::default());
    let reasons = page.browser.number("document.querySelectorAll('.reason').length");
    assert!(reasons > 0);
    let counted = page
        .browser
        .text("document.querySelector('.reason .number').textContent");
    page.browser.click(".reason summary");
    page.browser.click(".reason .by-reason");
    assert_eq!(page.shown("tbody tr[id^=fact-]").to_string(), counted);
    page.browser.click("#reason");
    assert_eq!(page.shown("tbody tr[id^=fact-]"), 536);
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn exchanges_stand_as_they_ended_or_the_slowest_first() {
    let page = Page::usual();
    let numbers = "[...document.querySelectorAll('.exchange')].map((one) => one.id.slice(9))";
    let times = "[...document.querySelectorAll('.exchange')].map((one) => Number(one.dataset.ms))";
    let ended = page.browser.text(numbers);
    page.browser.click("[data-order=slow]");
    assert_ne!(page.browser.text(numbers), ended);
    assert!(page.browser.is(&format!(
        "{times}.every((time, at, all) => at === 0 || all[at - 1] >= time)"
    )));
    page.browser.click("[data-order=sent]");
    assert_eq!(page.browser.text(numbers), ended);
}
