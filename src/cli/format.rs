//! The formats of reports. A new format is one more entry in [`Reported::FORMATS`]; flags, help and messages follow.

use std::{fmt, io};

use crate::contract::openapi::{did_you_mean, near};
use crate::diff::Diff;
use crate::lint::LintReport;
use crate::report::{
    Record, Terminal, diff_changelog, diff_github, diff_json, diff_markdown, diff_markdown_within, diff_sarif,
    diff_terminal, github, har, html, junit, lint_github, lint_json, lint_markdown_within, lint_sarif, lint_terminal,
    markdown, markdown_within, sarif, write_json,
};

/// Something that can be reported, with its formats and its summary.
pub(super) trait Reported: Clone + fmt::Debug + 'static {
    /// Every format, by name.
    const FORMATS: &'static [Format<Self>];
    /// The help of `--verbose`.
    const VERBOSE: &'static str;

    /// Returns the report for the summary of a step: Markdown of at most `max_bytes` bytes.
    fn summary(&self, max_bytes: usize) -> String;
}

/// How a report is written.
#[derive(Debug)]
pub(super) struct Format<Content = Record> {
    /// Its name, as in `--report`.
    pub(super) name: &'static str,
    /// Whether it shows single exchanges; keeping them costs memory.
    pub(super) shows_exchanges: bool,
    /// How it is treated on standard output.
    pub(super) stdout_use: StdoutUse,
    /// Writes it. Lines for people are styled for the terminal.
    pub(super) write: Write<Content>,
}

/// Writes a report.
type Write<Content> = fn(&Content, &Terminal, &mut dyn io::Write) -> io::Result<()>;

/// What a report is on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StdoutUse {
    /// Commands for a CI system, in addition to its summary of the step.
    CiCommands,
    /// One document, with nothing else next to it.
    Document,
    /// Lines for people.
    Lines,
}

impl Reported for Record {
    const FORMATS: &'static [Format<Self>] = &[
        Format {
            name: "github",
            shows_exchanges: false,
            stdout_use: StdoutUse::CiCommands,
            write: |record, _, to| to.write_all(github(record).as_bytes()),
        },
        Format {
            name: "har",
            shows_exchanges: true,
            stdout_use: StdoutUse::Document,
            write: |record, _, to| to.write_all(har(record).as_bytes()),
        },
        Format {
            name: "html",
            shows_exchanges: true,
            stdout_use: StdoutUse::Document,
            write: |record, _, to| to.write_all(html(record).as_bytes()),
        },
        Format {
            name: "json",
            shows_exchanges: true,
            stdout_use: StdoutUse::Document,
            write: |record, _, to| write_json(record, to),
        },
        Format {
            name: "junit",
            shows_exchanges: true,
            stdout_use: StdoutUse::Document,
            write: |record, _, to| to.write_all(junit(record).as_bytes()),
        },
        Format {
            name: "markdown",
            shows_exchanges: false,
            stdout_use: StdoutUse::Document,
            write: |record, _, to| to.write_all(markdown(record).as_bytes()),
        },
        Format {
            name: "sarif",
            shows_exchanges: false,
            stdout_use: StdoutUse::Document,
            write: |record, _, to| to.write_all(sarif(record).as_bytes()),
        },
        Format {
            name: "terminal",
            shows_exchanges: false,
            stdout_use: StdoutUse::Lines,
            write: |record, terminal, to| to.write_all(terminal.report(record).as_bytes()),
        },
    ];
    const VERBOSE: &'static str = "Print all that the summary shortens: each finding, undecided fact and answer";

    fn summary(&self, max_bytes: usize) -> String {
        markdown_within(self, max_bytes)
    }
}

impl Reported for Diff {
    const FORMATS: &'static [Format<Self>] = &[
        Format {
            name: "changelog",
            shows_exchanges: false,
            stdout_use: StdoutUse::Document,
            write: |diff, _, to| to.write_all(diff_changelog(diff).as_bytes()),
        },
        Format {
            name: "github",
            shows_exchanges: false,
            stdout_use: StdoutUse::CiCommands,
            write: |diff, _, to| to.write_all(diff_github(diff).as_bytes()),
        },
        Format {
            name: "json",
            shows_exchanges: false,
            stdout_use: StdoutUse::Document,
            write: |diff, _, to| to.write_all(diff_json(diff).as_bytes()),
        },
        Format {
            name: "markdown",
            shows_exchanges: false,
            stdout_use: StdoutUse::Document,
            write: |diff, _, to| to.write_all(diff_markdown(diff).as_bytes()),
        },
        Format {
            name: "sarif",
            shows_exchanges: false,
            stdout_use: StdoutUse::Document,
            write: |diff, _, to| to.write_all(diff_sarif(diff).as_bytes()),
        },
        Format {
            name: "terminal",
            shows_exchanges: false,
            stdout_use: StdoutUse::Lines,
            write: |diff, terminal, to| to.write_all(diff_terminal(diff, terminal).as_bytes()),
        },
    ];
    const VERBOSE: &'static str = "List every fact that only one document states, and the `[[differences]]` entry that \
                                   accepts each breaking difference";

    fn summary(&self, max_bytes: usize) -> String {
        diff_markdown_within(self, max_bytes)
    }
}

impl Reported for Vec<LintReport> {
    const FORMATS: &'static [Format<Self>] = &[
        Format {
            name: "github",
            shows_exchanges: false,
            stdout_use: StdoutUse::CiCommands,
            write: |lints, _, to| to.write_all(lint_github(lints).as_bytes()),
        },
        Format {
            name: "json",
            shows_exchanges: false,
            stdout_use: StdoutUse::Document,
            write: |lints, _, to| to.write_all(lint_json(lints).as_bytes()),
        },
        Format {
            name: "sarif",
            shows_exchanges: false,
            stdout_use: StdoutUse::Document,
            write: |lints, _, to| to.write_all(lint_sarif(lints).as_bytes()),
        },
        Format {
            name: "terminal",
            shows_exchanges: false,
            stdout_use: StdoutUse::Lines,
            write: |lints, terminal, to| to.write_all(lint_terminal(lints, terminal).as_bytes()),
        },
    ];
    const VERBOSE: &'static str = "Name every operation that a check leaves out";

    fn summary(&self, max_bytes: usize) -> String {
        lint_markdown_within(self, max_bytes)
    }
}

/// Returns the help of `--report`.
pub(super) fn help<Content: Reported>() -> String {
    format!(
        "Write a report to a file or to standard output, in one of the formats {}; repeatable",
        all_names::<Content>()
    )
}

impl<Content: Reported> Format<Content> {
    /// Returns the format of this name.
    ///
    /// # Errors
    ///
    /// A sentence with a similar name and the known ones.
    pub(super) fn named(name: &str) -> Result<&'static Self, String> {
        let mut formats = Content::FORMATS.iter();
        formats.find(|format| format.name == name).ok_or_else(|| {
            let names = Content::FORMATS.iter().map(|format| format.name);
            let hint = did_you_mean(near(name, names));
            let all = all_names::<Content>();
            format!("there is no format `{name}`{hint}; the formats are {all}")
        })
    }
}

/// Returns the names of all formats.
fn all_names<Content: Reported>() -> String {
    let names = Content::FORMATS.iter().map(|format| format!("`{}`", format.name));
    names.collect::<Vec<_>>().join(", ")
}

impl<Content> PartialEq for Format<Content> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<Content> Eq for Format<Content> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in_order_and_knows_each<Content: Reported>() {
        assert!(Content::FORMATS.is_sorted_by_key(|format| format.name));
        for format in Content::FORMATS {
            assert_eq!(Format::named(format.name), Ok(format));
        }
    }

    #[test]
    fn each_registry_is_in_the_order_of_names_and_knows_each() {
        is_in_order_and_knows_each::<Record>();
        is_in_order_and_knows_each::<Diff>();
        is_in_order_and_knows_each::<Vec<LintReport>>();
    }

    #[test]
    fn an_unknown_format_is_reported_with_a_near_one_and_all() {
        let error = Format::<Record>::named("jsn").unwrap_err();
        let (hint, known) = error.split_once("; the formats are ").unwrap();
        assert_eq!(hint, "there is no format `jsn` (did you mean `json`?)");
        assert!(
            Record::FORMATS
                .iter()
                .all(|format| known.contains(&format!("`{}`", format.name)))
        );
    }
}
