//! Large pages: the time that they take is printed, and what keeps them fast is asserted.

use std::time::Instant;

use countersign::report::html;

use super::browser::Looked;
use super::shown::{Page, large, usual};

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_page_of_ten_thousand_facts_lays_out_what_is_unfolded_alone() {
    let record = large(10_000);
    let started = Instant::now();
    let bytes = html(&record).len();
    println!("10,000 facts: written in {:?}, {} KiB", started.elapsed(), bytes >> 10);
    let page = Page::of(record, Looked::default());
    let browser = &page.browser;
    let timing = "performance.getEntriesByType('navigation')[0]";
    let painted = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
    println!("  first paint after {} ms", browser.number(painted));
    println!(
        "  ready for the reader after {} ms",
        browser.number(&format!("{timing}.domContentLoadedEventEnd"))
    );
    println!(
        "  loaded after {} ms",
        browser.number(&format!("{timing}.loadEventEnd"))
    );
    let timed = |what: &str, action: &str| {
        let taken = browser.number(&format!(
            "(() => {{ const before = performance.now(); {action}; document.body.offsetHeight; return performance.now() - before; }})()"
        ));
        println!("  {what}: {taken} ms");
    };
    assert_eq!(page.shown("tbody tr[id^=fact-]"), 10_000);
    assert_eq!(page.shown(".facts-of[open]"), 0);
    assert!(browser.is("!document.querySelector('#fact-9999').checkVisibility()"));
    let write = |words: &str| {
        format!(
            "document.querySelector('#words').value = '{words}'; document.querySelector('#words').dispatchEvent(new Event('input'))"
        )
    };
    timed("the first search", &write("country"));
    assert!(page.shown("tbody tr[id^=fact-]") > 50);
    timed("the next search", &write("present"));
    // Every group is unfolded now; those out of sight are not laid out.
    assert!(page.shown(".facts-of[open]") > 100);
    assert!(browser.is("getComputedStyle(document.querySelector('.facts-of')).contentVisibility === 'auto'"));
    timed("showing all again", "document.querySelector('#clear').click()");
    page.at("fact-9999");
    assert!(browser.is("document.querySelector('#fact-9999').checkVisibility()"));
    assert_eq!(browser.console(), Vec::<String>::new());
}

/// Twenty times the facts are some twenty times the page: nothing of it grows faster.
#[test]
fn the_page_grows_as_its_facts_do() {
    let size = |facts| html(&large(facts)).len();
    let without = html(&countersign::report::Record {
        facts: countersign::report::Facts {
            rows: Vec::new(),
            ..usual().facts
        },
        ..usual()
    });
    let (small, big) = (size(500) - without.len(), size(5_000) - without.len());
    assert!(big < small * 12, "{small} {big}");
    assert!(big / 5_000 < 700, "{} bytes a fact", big / 5_000);
}
