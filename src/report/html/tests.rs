//! Tests of the page as text; `tests/it/page` opens it in a browser.

use super::head::{SCRIPT, STYLE};
use super::html;
use crate::report::record::{FindingRecord, OperationRecord, Record, VerdictRecord};
use crate::report::testing::{sample_record, sample_traffic};
use crate::report::{ShardRecord, mark_new};
use crate::run::RequestCounts;

#[test]
fn the_page_of_a_record_is_the_same_each_time_and_begins_with_its_policy() {
    let record = sample_record();
    let page = html(&record);
    assert_eq!(page, html(&record));
    let policy = "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta \
                  http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-";
    assert!(page.starts_with(policy), "{}", &page[..300]);
    assert!(!page.contains("unsafe-"));
}

#[test]
fn the_page_names_nothing_outside_itself() {
    let page = html(&sample_record());
    for part in [
        "src=", "href=\"http", "url(", "@import", "<link", "<iframe", "<form action", " style=\"", " onclick",
    ] {
        assert!(!page.contains(part), "{part}");
    }
}

#[test]
fn no_tag_has_an_attribute_twice() {
    let page = html(&sample_record());
    let (_, body) = page.split_once("<body>").unwrap();
    for tag in body
        .split('<')
        .filter_map(|part| part.split_once('>'))
        .map(|(tag, _)| tag)
    {
        let mut names: Vec<_> = tag
            .split("=\"")
            .filter_map(|part| part.rsplit([' ', '"']).next())
            .collect();
        names.pop();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "{tag}");
    }
}

#[test]
fn everything_that_the_record_holds_is_reported() {
    let record = sample_record();
    let page = html(&record);
    for text in [
        "does not conform",
        "https://api.example.com",
        "Things",
        "things.yaml",
        "2024-05-17 07:30:00 UTC",
        ", 1.2 s",
        "1 error, 1 warning.",
        "no response showed it",
        "What is a size counted in?",
        "What the exchanges showed: 0 seen, 1 unstable, 0 cannot tell.",
        "createThing: cannot tell, needs writes; 1 decided nothing",
        "getThings: status: 200, seen in 7 of 7; 1 decided nothing",
        "updateThing: status: 200, unstable in 2 of 3; status: 202, 1 of 3; 1 decided nothing",
        "t-17",
        "the response showed no id",
        "the response never came; it may be there",
        "3 more took place and are not shown here.",
        "{&quot;name&quot;: &quot;integer&quot;, &quot;size&quot;: &quot;integer&quot;}",
        "curl -sS -i 'https://api.example.com/things'",
        "no field of this name",
        "href=\"#exchange-1\"",
        "<mark>type</mark>: string",
    ] {
        assert!(page.contains(text), "{text}");
    }
    for row in &record.facts.rows {
        assert!(page.contains(row.fact.trim_start_matches("getThings ")), "{}", row.fact);
    }
}

#[test]
fn a_part_of_a_plan_is_not_shown_as_the_whole() {
    let mut record = sample_record();
    assert!(!html(&record).contains("Shard"));
    record.shard = Some(ShardRecord { number: 2, of: 3 });
    assert!(html(&record).contains("2 of 3; the verdict covers only this shard"));
}

#[test]
fn a_finding_belongs_to_the_operation_of_its_fact_and_to_the_one_that_showed_it() {
    let mut record = sample_record();
    assert!(!html(&record).contains("data-operation=\"1 2\""));
    record.operations.push(OperationRecord {
        name: "createThing".to_owned(),
        ..record.operations[0].clone()
    });
    record.findings[0].operation = "createThing".to_owned();
    let page = html(&record);
    assert_eq!(page.matches("data-operation=\"1 2\"").count(), 1);
    assert!(page.contains("class=\"cell is-broken\" href=\"#fact-2\" data-operation=\"1\""));
}

#[test]
fn traffic_that_was_added_to_a_run_hides_neither_its_requests_nor_its_seed() {
    let mut record = sample_record();
    let parts = |record: &Record| {
        ["Traffic", "Requests", "Seed"].map(|name| html(record).contains(&format!("<dt>{name}</dt>")))
    };
    assert_eq!(parts(&record), [false, true, true]);
    record.traffic = Some(sample_traffic());
    assert_eq!(parts(&record), [true, true, true]);
    record.requests = RequestCounts::default();
    assert_eq!(parts(&record), [true, false, false]);
}

#[test]
fn facts_that_are_broken_without_a_finding_are_not_hidden() {
    let mut record = sample_record();
    record.findings.clear();
    let page = html(&record);
    assert!(page.contains("1 broken fact is allowed or accepted."), "{page}");
    record.facts.held = 0;
    assert!(html(&record).contains("1 broken fact is allowed or accepted."));
    (record.facts.rows[1].verdict, record.facts.held, record.facts.broken) = (VerdictRecord::Held, 2, 0);
    assert!(html(&record).contains("Nothing that was judged contradicts the contract."));
}

#[test]
fn new_facts_are_counted_where_an_older_contract_is_named() {
    let mut record = sample_record();
    assert!(!html(&record).contains("<dt>Since</dt>"));
    let fact = record.findings[0].fact.clone();
    mark_new(&mut record, "old.yaml", [fact.as_str()].into_iter());
    assert!(html(&record).contains("<dt>Since</dt><dd>old.yaml: 1 new fact, 1 of them broken</dd>"));
}

#[test]
fn counts_that_no_run_can_have_are_shown() {
    let mut record = sample_record();
    record.findings[0].count = u64::MAX;
    record.findings.push(FindingRecord {
        fact: "getThings status: 200".to_owned(),
        ..record.findings[0].clone()
    });
    assert!(html(&record).contains("×18,446,744,073,709,551,615"));
}

#[test]
fn what_was_accepted_is_counted_and_entries_that_need_a_hand_are_named() {
    let mut record = sample_record();
    let page = html(&record);
    assert!(page.contains("Accepted: 2 findings by countersign.toml."));
    assert!(page.contains("no longer occurs; remove the entry"));
    record.accepted.clear();
    assert!(!html(&record).contains("Accepted"));
}

#[test]
fn an_exchange_that_is_not_reported_is_named_without_a_link() {
    let mut record = sample_record();
    record.exchanges.clear();
    let page = html(&record);
    assert!(page.contains("exchange 1") && !page.contains("href=\"#exchange-1\""));
    assert!(page.contains("No exchange was recorded."));
}

#[test]
fn a_record_of_nothing_is_a_page_all_the_same() {
    let mut record = sample_record();
    (record.findings, record.exchanges, record.gaps) = (Vec::new(), Vec::new(), Vec::new());
    (record.residue, record.unexplained_records, record.operations) = (Vec::new(), Vec::new(), Vec::new());
    record.facts.rows.clear();
    (
        record.facts.held, record.facts.broken, record.facts.undecided, record.facts.total,
    ) = (0, 0, 0, 0);
    let page = html(&record);
    for text in [
        "Nothing was judged, so nothing was found.",
        "Every fact was decided.",
        "The contract states no fact.",
        "The run left nothing in the target.",
        "The contract names no gaps.",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf%"));
}

#[test]
fn no_text_of_a_contract_or_of_a_target_commands_a_terminal_or_a_ci_system_or_is_markup() {
    const EVIL: &str = "\n::error::a\r\u{1b}[2J\u{9b}2J\u{202e}\u{2066}\u{200f}##vso[a]##[b]\u{7}</script><img src=x onerror=\"a\">'\u{0}";
    let page = html(&evil(sample_record(), EVIL));
    let (head, body) = page.split_once("</script>").unwrap();
    assert!(!page.contains(|character: char| character.is_control() && character != '\n'));
    assert!(!page.contains(['\u{202e}', '\u{2066}', '\u{200f}']));
    assert!(!page.contains("##vso[") && !page.contains("##["));
    assert!(!page.lines().any(|line| line.trim_start().starts_with("::")), "{head}");
    assert!(!body.contains("<img") && !body.contains("</script") && !body.contains("onerror=\"a\""));
    assert!(body.matches("&lt;img src=x onerror=&quot;a&quot;&gt;").count() > 20);
}

/// The record with this text in place of each of its texts.
fn evil(mut record: Record, text: &str) -> Record {
    let own = || text.to_owned();
    (record.countersign, record.reason, record.target, record.started_at) = (own(), Some(own()), own(), own());
    (record.contract.title, record.contract.file) = (own(), own());
    for finding in &mut record.findings {
        *finding = FindingRecord {
            rule: own().into(),
            operation: own(),
            fact: own(),
            response_pointer: own(),
            contract_pointer: own(),
            documented: own(),
            received: own(),
            error_body: Some(own()),
            reproduce: own(),
            ..finding.clone()
        };
        finding.excerpt.lines.iter_mut().for_each(|line| line.text = own());
    }
    for row in &mut record.facts.rows {
        (row.fact, row.operation, row.rule, row.documented) = (own().into(), own().into(), own().into(), own().into());
        (row.contract_pointer, row.reason) = (own().into(), row.reason.as_ref().map(|_| own().into()));
    }
    for left in &mut record.residue {
        (left.operation, left.id) = (own(), Some(own()));
    }
    for operation in &mut record.operations {
        (operation.name, operation.method, operation.path) = (own(), own(), own());
    }
    for gap in &mut record.gaps {
        (gap.id, gap.question) = (own(), own());
        gap.locations.iter_mut().for_each(|location| location.pointer = own());
    }
    for exchange in &mut record.exchanges {
        (exchange.operation, exchange.edge_case, exchange.method, exchange.path) = (own(), Some(own()), own(), own());
        (exchange.body, exchange.failure) = (Some(own()), Some(own()));
        if let Some(response) = &mut exchange.response {
            (response.media_type, response.body) = (Some(own()), Some(own()));
        }
    }
    record
}

#[test]
fn the_style_and_the_script_are_what_a_ci_system_reads_as_text_and_a_browser_as_one_part() {
    for text in [STYLE, SCRIPT] {
        assert_eq!(crate::exchange::sanitize::sanitize(text, super::Colours::None), text);
        assert!(
            !text.contains("</") && !text.contains("<!--"),
            "it would end its own tag"
        );
    }
    for call in [
        "innerHTML", "eval(", "fetch(", "localStorage", "document.write", "XMLHttpRequest",
    ] {
        assert!(!SCRIPT.contains(call), "{call}");
    }
}

/// The two colours of a name in the style: in the light and in the dark theme.
fn colours(name: &str) -> [[f64; 3]; 2] {
    let (_, rest) = STYLE.split_once(&format!("--{name}: light-dark(#")).unwrap();
    let (both, _) = rest.split_once(')').unwrap();
    let part = |text: &str| f64::from(u8::from_str_radix(text, 16).unwrap()) / 255.0;
    let colour = |text: &str| [part(&text[..2]), part(&text[2..4]), part(&text[4..6])];
    let (light, dark) = both.split_once(", #").unwrap();
    [colour(light), colour(dark)]
}

/// WCAG 2.2: the relative luminance of a colour.
fn luminance(colour: [f64; 3]) -> f64 {
    let linear = colour.map(|part| {
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

#[test]
fn every_text_stands_out_from_its_ground_as_wcag_aa_asks() {
    let grounds_of = [
        (
            "ink",
            &["paper", "sheet", "tint", "broken-tint", "open-tint", "mark"][..],
        ),
        ("soft", &["paper", "sheet", "tint", "broken-tint", "open-tint", "mark"]),
        ("link", &["paper", "sheet", "tint", "broken-tint", "open-tint"]),
        ("held", &["paper", "sheet", "held-tint", "broken-tint", "mark", "tint"]),
        ("broken", &["paper", "sheet", "broken-tint", "tint", "mark"]),
        (
            "open",
            &[
                "paper", "sheet", "open-tint", "held-tint", "broken-tint", "tint", "mark",
            ],
        ),
        ("paper", &["ink"]),
    ];
    for (text, grounds) in grounds_of {
        for ground in grounds {
            for (scheme, (text_colour, ground_colour)) in colours(text).into_iter().zip(colours(ground)).enumerate() {
                let (one, other) = (luminance(text_colour) + 0.05, luminance(ground_colour) + 0.05);
                let contrast = one.max(other) / one.min(other);
                assert!(contrast >= 4.5, "{text} on {ground} in scheme {scheme}: {contrast:.2}");
            }
        }
    }
}
