//! The page when printed.

use super::shown::Page;

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn what_is_folded_on_the_screen_is_unfolded_on_paper() {
    let page = Page::usual();
    let browser = &page.browser;
    browser.run("for (const fold of document.querySelectorAll('details')) fold.open = false;");
    // The style alone, without what the script does before it prints.
    browser.chromium("Emulation.setEmulatedMedia", &serde_json::json!({"media": "print"}));
    assert!(browser.is("matchMedia('print').matches && document.body.offsetHeight > 0"));
    let seen = |selector: &str| {
        browser.is(&format!(
            "document.querySelector('{selector}').checkVisibility({{contentVisibilityAuto: true}})"
        ))
    };
    for shown in [
        "#finding-1 .said",
        "#finding-5 .said",
        "#fact-1 td",
        ".reason li",
        ".gaps li li",
        ".exchange.at-fault .shape",
    ] {
        assert!(seen(shown), "{shown}");
    }
    for hidden in [".toolbar", ".copy", ".exchange:not(.at-fault) .shape", ".keys"] {
        assert!(!seen(hidden), "{hidden}");
    }
    browser.chromium("Emulation.setEmulatedMedia", &serde_json::json!({"media": ""}));
    assert!(browser.is("matchMedia('screen').matches && document.body.offsetHeight > 0"));
    assert!(!seen("#finding-1 .said") && seen(".toolbar"));
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn printing_leaves_the_page_as_it_was() {
    let page = Page::usual();
    let folded = "document.querySelectorAll('details:not([open])').length";
    let before = page.browser.number(folded);
    let pdf = page.browser.print();
    assert!(pdf.starts_with(b"%PDF-"), "{} bytes", pdf.len());
    assert_eq!(page.browser.number(folded), before);
    if let Ok(file) = std::env::var("COUNTERSIGN_TEST_PRINTED") {
        std::fs::write(file, pdf).unwrap();
    }
}
