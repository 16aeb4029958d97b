//! The head of the page: its Content-Security-Policy, its title, its style and its script.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{Markup, PreEscaped, html};
use ring::digest::{SHA256, digest};

use crate::report::phrases;
use crate::report::record::Record;

/// The style of the page.
pub(super) const STYLE: &str = concat!(
    include_str!("style.css"),
    include_str!("parts.css"),
    include_str!("print.css")
);
/// The script of the page. The page also works without it.
pub(super) const SCRIPT: &str = concat!(include_str!("script.js"), include_str!("keys.js"));

/// Returns the markup of the head that is the same in every page. It contains no text of the record, so it is not
/// sanitized.
pub(super) fn own_markup() -> String {
    let markup = html! {
        meta charset="utf-8";
        meta http-equiv="Content-Security-Policy" content=(policy());
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        meta name="referrer" content="no-referrer";
        style { (PreEscaped(STYLE)) }
        script { (PreEscaped(SCRIPT)) }
    };
    markup.into_string()
}

/// Returns the title of the page.
pub(super) fn title(record: &Record) -> Markup {
    html! { title { (phrases::target_url(record)) " " (phrases::outcome(record.outcome)) " · countersign" } }
}

/// Returns the Content-Security-Policy: nothing is fetched, sent or embedded, and only the page's own style and script
/// are used.
fn policy() -> String {
    let name = |text: &str| BASE64_STANDARD.encode(digest(&SHA256, text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        name(STYLE),
        name(SCRIPT)
    )
}
