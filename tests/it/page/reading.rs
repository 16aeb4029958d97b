//! What the page contains when it is opened: everything, without an error or a request, and without its script.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::Uri;
use axum::response::Html;
use countersign::report::{Record, html};

use super::browser::{Browser, Looked};
use super::shown::{Page, run, usual};

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn the_page_loads_without_a_word_on_the_console() {
    let mut empty = usual();
    (empty.facts.rows, empty.findings, empty.exchanges) = (Vec::new(), Vec::new(), Vec::new());
    (empty.gaps, empty.residue, empty.operations) = (Vec::new(), Vec::new(), Vec::new());
    for record in [usual(), run(&[], &[]), empty] {
        let page = Page::of(record, Looked::default());
        assert_eq!(page.browser.console(), Vec::<String>::new());
        // The script ran to its end.
        assert!(page.browser.is("!document.querySelector('.keys').hidden"));
    }
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn no_request_leaves_the_page() {
    let asked = Arc::new(AtomicUsize::new(0));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (counted, page) = (Arc::clone(&asked), html(&usual()));
    let any = Router::new().fallback(move |uri: Uri| async move {
        counted.fetch_add(1, Ordering::SeqCst);
        if uri.path() == "/" {
            Html(page)
        } else {
            Html(String::new())
        }
    });
    runtime.spawn(async move { axum::serve(listener, any).await });
    let browser = Browser::start(Looked::default());
    browser.open(&url);
    browser.click(".cell.is-broken");
    browser.click(".finding:not([hidden]) .copy");
    assert_eq!(browser.number("performance.getEntriesByType('resource').length"), 0);
    // What a page asks for against its own policy is rejected: the policy is there, and it is this one.
    for attempt in [
        "fetch('/secret').catch(() => {})",
        "document.body.append(Object.assign(new Image(), {src: '/picture'}))",
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))",
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\"><iframe src=\"/frame\">')",
    ] {
        browser.run(attempt);
    }
    assert!(browser.is("window.ran === undefined"));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert!(
        browser
            .console()
            .iter()
            .any(|line| line.contains("Content Security Policy"))
    );
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn without_its_script_everything_is_read_and_unfolded() {
    let looked = Looked {
        script: false,
        ..Looked::default()
    };
    let page = Page::of(usual(), looked);
    assert!(page.browser.is("document.querySelector('.filter').hidden"));
    assert_eq!(page.shown(".finding[open]"), 5);
    assert_eq!(page.shown("tbody tr[id^=fact-]"), 536);
    page.browser.click("#exchange-2 summary");
    assert!(
        page.browser
            .is("document.querySelector('#exchange-2 .shape').checkVisibility()")
    );
    // There is no button that would do nothing.
    assert!(
        page.browser
            .is("[...document.querySelectorAll('button')].every((button) => !button.checkVisibility())")
    );
    page.browser.click(".cell.is-broken");
    assert!(
        page.browser
            .is("document.querySelector(location.hash).closest('details').open")
    );
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_text_of_a_target_or_of_a_contract_is_never_markup() {
    const EVIL: &str =
        "</script></style></title><img src=x onerror=\"window.ran=1\"><script>window.ran=1</script>'\"&amp;";
    let mut record: Record = usual();
    (record.target, record.contract.title, record.reason) = (EVIL.into(), EVIL.into(), Some(EVIL.into()));
    record.contract.file = EVIL.into();
    for finding in &mut record.findings {
        (finding.received, finding.documented, finding.fact) = (EVIL.into(), EVIL.into(), EVIL.into());
        (finding.response_pointer, finding.reproduce, finding.rule) = (EVIL.into(), EVIL.into(), EVIL.into());
        finding
            .excerpt
            .lines
            .iter_mut()
            .for_each(|line| line.text = EVIL.into());
    }
    for row in &mut record.facts.rows {
        (row.documented, row.contract_pointer, row.rule) = (EVIL.into(), EVIL.into(), EVIL.into());
        (row.fact, row.reason) = (
            format!("{} {EVIL}", row.operation).into(),
            row.reason.as_ref().map(|_| EVIL.into()),
        );
    }
    for exchange in &mut record.exchanges {
        (exchange.path, exchange.body, exchange.edge_case) = (EVIL.into(), Some(EVIL.into()), Some(EVIL.into()));
        if let Some(response) = &mut exchange.response {
            (response.body, response.media_type) = (Some(format!("{{\"a\":\"{EVIL}\"}}")), Some(EVIL.into()));
        }
    }
    record.residue.iter_mut().for_each(|left| left.id = Some(EVIL.into()));
    record.gaps.iter_mut().for_each(|gap| gap.question = EVIL.into());
    let page = Page::of(record, Looked::default());
    let browser = &page.browser;
    assert_eq!(browser.console(), Vec::<String>::new());
    assert!(browser.is("window.ran === undefined"));
    assert_eq!(
        browser.number("document.querySelectorAll('img, script:not(head script), style:not(head style)').length"),
        0
    );
    assert_eq!(browser.text("document.querySelector('h1 .target').textContent"), EVIL);
    assert_eq!(
        browser.text("document.querySelector('.finding .received .said').textContent"),
        EVIL
    );
    assert!(browser.text("document.title").starts_with(EVIL));
    // The buttons that quote such a text quote it as a text.
    browser.click(".cell.is-broken");
    assert_eq!(browser.number("document.querySelectorAll('img').length"), 0);
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn the_page_follows_the_reader_into_the_dark_and_out_of_it() {
    let luminance =
        "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).reduce((sum, part) => sum + Number(part), 0)";
    for dark in [false, true] {
        let page = Page::of(
            usual(),
            Looked {
                dark,
                ..Looked::default()
            },
        );
        assert_eq!(page.browser.number(luminance) < 200, dark);
        page.browser.click("#theme");
        assert_eq!(page.browser.number(luminance) > 200, dark);
    }
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_narrow_window_scrolls_one_way() {
    let page = Page::usual();
    // No window of this browser is narrower than 500 pixels; a device is.
    let device = serde_json::json!({"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": true});
    page.browser.chromium("Emulation.setDeviceMetricsOverride", &device);
    page.browser
        .run("for (const fold of document.querySelectorAll('details')) fold.open = true;");
    assert_eq!(page.browser.number("document.documentElement.clientWidth"), 400);
    assert_eq!(page.browser.number("document.documentElement.scrollWidth"), 400);
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn at_500_pixels_no_name_breaks_inside_a_word() {
    let page = Page::of(
        usual(),
        Looked {
            width: 500,
            ..Looked::default()
        },
    );
    // A word is letters and digits, of which a capital begins the next. Lines to copy and bodies are no prose.
    let broken = page.browser.run(
        "for (const fold of document.querySelectorAll('details')) fold.open = true;
         for (const part of document.querySelectorAll('.finding, .facts-of, .exchange')) part.style.contentVisibility = 'visible';
         const broken = new Set(), range = document.createRange();
         const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
         for (let text; (text = texts.nextNode());) {
             if (text.parentElement.closest('pre, script, style, .screen-reader-only')) continue;
             for (const word of text.data.matchAll(/[A-Z]?[a-z]{2,}|[A-Z]+/g)) {
                 range.setStart(text, word.index);
                 range.setEnd(text, word.index + word[0].length);
                 const lines = new Set(Array.from(range.getClientRects(), (box) => Math.round(box.top)));
                 if (lines.size > 1) broken.add(word[0] + ' in ' + text.data.trim().slice(0, 60));
             }
         }
         return Array.from(broken);",
    );
    assert_eq!(broken, serde_json::json!([]));
}

#[test]
#[ignore = "no browser was started: `bash .ci/with-chromium cargo test --test it page -- --ignored` does that"]
fn a_screen_reader_gets_a_name_for_everything() {
    let page = Page::usual();
    let browser = &page.browser;
    for (selector, role, name) in [
        ("header.masthead", "banner", ""),
        ("main", "main", ""),
        (".toolbar nav", "navigation", "Sections"),
        (".filter", "search", "Filter"),
        ("#words", "searchbox", "Show only what contains these words"),
        ("#findings", "region", "Findings 5"),
        ("#facts", "region", "Facts 536"),
        // How many there are changes with what a run sends.
        ("#exchanges", "region", "Exchanges "),
        (
            ".overview",
            "table",
            "Facts of each operation by kind: broken, undecided and held",
        ),
        (".overview tbody th", "rowheader", ""),
        (
            ".cell.is-broken",
            "link",
            "createContact, Values: 1 broken, 1 undecided, 50 held",
        ),
        (".copy", "button", "Copy the command"),
        ("#shown", "status", ""),
        ("table.times", "table", "How long the responses of each operation took"),
    ] {
        let (role_shown, name_shown) = browser.accessible(selector);
        assert_eq!(role_shown, role, "{selector}");
        let counts = name.ends_with(' ') && name_shown.starts_with(name);
        assert!(
            name.is_empty() || counts || name_shown == name,
            "{selector}: {name_shown}"
        );
    }
    let nameless = browser.run(
        "return [...document.querySelectorAll('a, button, input, summary')].filter((part) => !part.hidden)
            .filter((part) => !(part.textContent.trim() || part.getAttribute('aria-label') || part.labels?.length))
            .map((part) => part.outerHTML);",
    );
    assert_eq!(nameless, serde_json::json!([]));
    // Headings go down one step at a time, so that a list of them is a table of contents.
    let skipped = browser.run(
        "const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map((head) => Number(head.tagName[1]));
         return levels.filter((level, index) => index > 0 && level > levels[index - 1] + 1).length
            + Number(levels.filter((level) => level === 1).length !== 1);",
    );
    assert_eq!(skipped, 0);
    let twice = browser.number(
        "(() => { const ids = [...document.querySelectorAll('[id]')].map((part) => part.id); return ids.length - new Set(ids).size; })()",
    );
    assert_eq!(twice, 0);
}
