//! The HTML report: one page that needs no network. The main function is [`html`].
//!
//! # Design
//!
//! The markup contains all content, so that the page can be read, searched and printed without its script. The script
//! filters, follows links into folded parts, and copies. The page's Content-Security-Policy forbids every request, and
//! every style and script except its own two, which it names by their digests. So even if text from the target got past
//! the escaping, it could not do anything. Bars are drawn with SVG attributes, because the policy forbids inline
//! styles.

mod exchanges;
mod facts;
mod findings;
mod format;
mod gaps_and_residue;
mod head;
mod indent;
mod masthead;
mod overview;
mod source;
#[cfg(test)]
mod tests;
mod timing;
mod topics;
mod undecided;
mod view;

use maud::{DOCTYPE, Markup, html as markup};

use self::view::View;
use super::record::Record;
use crate::exchange::sanitize::{Colours, sanitize};

/// Returns the page.
#[must_use]
pub fn html(record: &Record) -> String {
    let view = View::of(record);
    // The texts of a record come from a contract and a target. Cleaning all markup here ensures that none is missed.
    let harmless = |part: Markup| sanitize(&part.into_string(), Colours::None);
    let mut page = markup! { (DOCTYPE) }.into_string();
    page.push_str("<html lang=\"en\"><head>");
    page.push_str(&head::own_markup());
    page.push_str(&harmless(head::title(record)));
    page.push_str("</head><body>");
    page.push_str(&harmless(body(&view)));
    page.push_str("</body></html>\n");
    page
}

fn body(view: &View<'_>) -> Markup {
    markup! {
        a.skip href="#findings" { "Skip to the findings" }
        (masthead::masthead(view))
        (masthead::toolbar(view))
        main {
            (overview::section(view))
            (findings::section(view))
            (undecided::section(view))
            (facts::section(view))
            (exchanges::section(view))
            (gaps_and_residue::gaps(view))
            (gaps_and_residue::residue(view))
        }
        (masthead::footer(view))
    }
}
