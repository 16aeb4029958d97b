//! Links to one part of the page: their target is unfolded, visible and focused.

use super::browser::Looked;
use super::shown::{Page, usual};

/// Whether a part is unfolded, within the window, and where the focus is.
#[track_caller]
fn is_met(page: &Page, part: &str) {
    // The browser scrolls in its own time, so it is asked at each of its frames.
    let met = page.browser.run(&format!(
        "const met = () => {{
             const part = document.getElementById('{part}'), box = part.getBoundingClientRect();
             const open = part.matches('details') ? part.open : part.closest('details').open;
             return [open, part.checkVisibility(), box.top >= 0 && box.top < innerHeight, part.contains(document.activeElement)];
         }};
         return new Promise((done) => {{
             const until = performance.now() + 10000;
             const look = () => met().every(Boolean) || performance.now() > until ? done(met()) : requestAnimationFrame(look);
             look();
         }});"
    ));
    assert_eq!(met, serde_json::json!([true, true, true, true]), "{part}");
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_link_from_outside_unfolds_what_it_names() {
    let mut record = usual();
    // So many that the last one is folded.
    let more: Vec<_> = record.findings.iter().cloned().cycle().take(60).collect();
    record.findings = more;
    let page = Page::of(record, Looked::default());
    for part in [
        "finding-1", "finding-60", "fact-1", "fact-519", "exchange-2", "exchange-165",
    ] {
        page.at(part);
        is_met(&page, part);
    }
    assert_eq!(page.browser.console(), Vec::<String>::new());
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_finding_leads_to_its_fact_and_its_exchange_even_past_a_filter() {
    let page = Page::usual();
    page.browser.click("#finding-1 a[href^=\"#exchange-\"]");
    let exchange = page.browser.text("location.hash.slice(1)");
    is_met(&page, &exchange);
    page.browser.click("#words");
    page.browser.press("country");
    page.browser.run("location.hash = 'fact-1';");
    is_met(&page, "fact-1");
    assert_eq!(page.browser.text("document.querySelector('#words').value"), "");
    page.browser.click("#finding-2 a[href^=\"#fact-\"]");
    let fact = page.browser.text("location.hash.slice(1)");
    is_met(&page, &fact);
    assert!(
        page.browser
            .text("document.querySelector(':target').textContent")
            .contains("broken")
    );
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_link_to_nothing_is_no_error() {
    let page = Page::usual();
    for part in ["finding-999", "%E0%A4%A", "'\"><b>", ""] {
        page.at(part);
        assert_eq!(page.browser.console(), Vec::<String>::new(), "{part}");
        assert_eq!(page.shown(".finding"), 5);
    }
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn every_link_within_the_page_leads_somewhere() {
    let page = Page::usual();
    let lost = page.browser.run(
        "return [...document.querySelectorAll('a')].map((link) => link.getAttribute('href'))
            .filter((place) => !place.startsWith('#') || !document.getElementById(place.slice(1)));",
    );
    assert_eq!(lost, serde_json::json!([]));
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_mark_in_a_lane_opens_its_exchange() {
    let page = Page::usual();
    // Marks of exchanges that were under way together may lie on one another, and then the upper one is met. A browser
    // is clicked at whole pixels, and a quick exchange may have a mark of two.
    let number = page.browser.number(
        "[...document.querySelectorAll('.lane [data-exchange]')].find(mark => { \
         mark.scrollIntoView({block: 'center', behavior: 'instant'}); \
         const box = mark.getBoundingClientRect(); \
         const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]; \
         return [Math.floor, Math.ceil].every(whole => document.elementFromPoint(whole(x), whole(y)) === mark); \
         }).dataset.exchange * 1",
    );
    page.browser.click(&format!(".lane [data-exchange=\"{number}\"]"));
    is_met(&page, &format!("exchange-{number}"));
}
