//! The page used with the keyboard alone.

use super::shown::Page;

const ESCAPE: &str = "\u{e00c}";
const ENTER: &str = "\u{e007}";
const TAB: &str = "\u{e004}";

fn focused(page: &Page) -> String {
    page.browser.text(
        "document.activeElement.id || document.activeElement.parentElement.id || document.activeElement.textContent",
    )
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_reader_without_a_mouse_finds_filters_and_unfolds() {
    let page = Page::usual();
    page.browser.press("/");
    assert_eq!(focused(&page), "words");
    page.browser.press("country/");
    assert_eq!(page.browser.text("document.querySelector('#words').value"), "country/");
    page.browser.press(ESCAPE);
    assert_eq!(page.browser.text("document.querySelector('#words').value"), "");
    page.browser.press("jj");
    let second = focused(&page);
    assert!(second.starts_with("finding-"), "{second}");
    page.browser.press("k");
    assert_eq!(focused(&page), "finding-1");
    page.browser.press(ENTER);
    assert!(page.browser.is("!document.querySelector('#finding-1').open"));
    page.browser.press(ENTER);
    assert!(page.browser.is("document.querySelector('#finding-1').open"));
    // What has the focus is in sight and seen to have it.
    assert!(page.browser.is("document.activeElement.matches(':focus-visible')"));
    assert!(
        page.browser
            .is("parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2")
    );
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn steps_pass_over_what_the_filter_hides_and_end_at_the_last() {
    let page = Page::usual();
    page.browser.press("/");
    page.browser.press("country");
    page.browser.press("\u{e007}");
    page.browser.run("document.activeElement.blur(); scrollTo(0, 0);");
    let stops = page
        .browser
        .number("[...document.querySelectorAll('main summary')].filter((one) => one.checkVisibility()).length");
    assert!(stops > 1);
    page.browser.press(&"j".repeat(usize::try_from(stops).unwrap() + 3));
    assert!(
        page.browser
            .is("document.activeElement.matches('summary') && document.activeElement.checkVisibility()")
    );
    page.browser.press(&"k".repeat(usize::try_from(stops).unwrap() + 3));
    assert!(focused(&page).starts_with("finding-"), "{}", focused(&page));
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn the_tab_key_goes_by_the_skip_link_to_the_findings() {
    let page = Page::usual();
    page.browser.press(TAB);
    assert_eq!(focused(&page), "Skip to the findings");
    assert!(
        page.browser
            .is("document.activeElement.getBoundingClientRect().left >= 0")
    );
    // The browser follows a link in its own time, and then the page's script, whose listener was there first, focuses
    // the target: a key that comes before both have done so is pressed somewhere else.
    page.browser
        .run("window.followed = new Promise((done) => addEventListener('hashchange', done, { once: true }));");
    page.browser.press(ENTER);
    page.browser.run("return window.followed.then(() => true);");
    assert_eq!(focused(&page), "findings");
    page.browser.press(TAB);
    assert_eq!(focused(&page), "finding-1");
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn the_curl_line_is_copied_as_it_stands() {
    let page = Page::usual();
    let origin = serde_json::json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]});
    page.browser.chromium("Browser.grantPermissions", &origin);
    page.browser.click("#finding-1 .copy");
    let said = "document.querySelector('#finding-1 .copy').firstChild.data";
    // The clipboard responses in its own time; the page says when.
    let copied = page.browser.run(&format!(
        "return new Promise((done) => {{ const look = () => {said} === 'Copy' ? requestAnimationFrame(look) : done({said}); look(); }});"
    ));
    assert_eq!(copied, "Copied");
    let held = page.browser.run("return navigator.clipboard.readText();");
    assert_eq!(held, page.record.findings[0].reproduce);
}
