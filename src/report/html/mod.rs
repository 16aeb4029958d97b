//! The HTML report: one page without a network, for reading a run. The main function is [`html`].
//!
//! # Design
//!
//! Everything that the page says stands in its markup, so that it is read, searched and printed without its script; the
//! script filters, follows links into what is folded, and copies. The policy of the page forbids every request, and every
//! style or script but its own two, which it names by their digests: a text of a target that became markup in spite of
//! the escaping would still do nothing. Bars are drawn by attributes of SVG, because the policy forbids styles in tags.

mod exchanges;
mod facts;
mod findings;
mod head;
mod indent;
mod kinds;
mod left_open;
mod masthead;
mod matrix;
mod source;
#[cfg(test)]
mod tests;
mod timing;
mod undecided;
mod view;
mod words;

use maud::{DOCTYPE, Markup, html as markup};

use self::view::View;
use super::record::Record;
use crate::exchange::neutral::{Colours, neutral};

/// The page.
#[must_use]
pub fn html(record: &Record) -> String {
    let view = View::of(record);
    // The texts of a record come from a contract and from a target; once here, none of them can be forgotten.
    let harmless = |part: Markup| neutral(&part.into_string(), Colours::None);
    let mut page = markup! { (DOCTYPE) }.into_string();
    page.push_str("<html lang=\"en\"><head>");
    page.push_str(&head::before_texts());
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
            (matrix::section(view))
            (findings::section(view))
            (undecided::section(view))
            (facts::section(view))
            (exchanges::section(view))
            (left_open::gaps(view))
            (left_open::residue(view))
        }
        (masthead::footer(view))
    }
}
