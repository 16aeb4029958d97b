//! The formats of reports. A new format is one more entry in [`FORMATS`]; flags, help and messages follow.

use std::io;

use crate::contract::openapi::{did_you_mean, near};
use crate::report::{Record, Terminal, github, har, html, junit, markdown, sarif, write_json};

/// How a report is written.
#[derive(Debug)]
pub(super) struct Format {
    /// Its name, as in `--report`.
    pub(super) name: &'static str,
    /// Whether it shows single exchanges; keeping them costs memory.
    pub(super) shows_exchanges: bool,
    /// How it is treated on standard output.
    pub(super) stream: Stream,
    /// Writes it. Lines for people are styled for the terminal.
    pub(super) write: Write,
}

/// Writes a record.
type Write = fn(&Record, &Terminal, &mut dyn io::Write) -> io::Result<()>;

/// What a report is on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// Commands for a CI system, in addition to its summary of the step.
    Commands,
    /// One document, with nothing else next to it.
    Document,
    /// Lines for people.
    Lines,
}

/// Every format, by name.
pub(super) static FORMATS: &[Format] = &[
    Format {
        name: "github",
        shows_exchanges: false,
        stream: Stream::Commands,
        write: |record, _, to| to.write_all(github(record).as_bytes()),
    },
    Format {
        name: "har",
        shows_exchanges: true,
        stream: Stream::Document,
        write: |record, _, to| to.write_all(har(record).as_bytes()),
    },
    Format {
        name: "html",
        shows_exchanges: true,
        stream: Stream::Document,
        write: |record, _, to| to.write_all(html(record).as_bytes()),
    },
    Format {
        name: "json",
        shows_exchanges: true,
        stream: Stream::Document,
        write: |record, _, to| write_json(record, to),
    },
    Format {
        name: "junit",
        shows_exchanges: true,
        stream: Stream::Document,
        write: |record, _, to| to.write_all(junit(record).as_bytes()),
    },
    Format {
        name: "markdown",
        shows_exchanges: false,
        stream: Stream::Document,
        write: |record, _, to| to.write_all(markdown(record).as_bytes()),
    },
    Format {
        name: "sarif",
        shows_exchanges: false,
        stream: Stream::Document,
        write: |record, _, to| to.write_all(sarif(record).as_bytes()),
    },
    Format {
        name: "terminal",
        shows_exchanges: false,
        stream: Stream::Lines,
        write: |record, terminal, to| to.write_all(terminal.report(record).as_bytes()),
    },
];

/// Returns the help of `--report`.
pub(super) fn help() -> String {
    format!(
        "Write a report to a file or to standard output, in one of the formats {}; repeatable",
        all_names()
    )
}

impl Format {
    /// Returns the format of this name.
    ///
    /// # Errors
    ///
    /// A sentence with a similar name and the known ones.
    pub(super) fn named(name: &str) -> Result<&'static Self, String> {
        FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
            let names = FORMATS.iter().map(|format| format.name);
            let hint = did_you_mean(near(name, names));
            format!("there is no format `{name}`{hint}; the formats are {}", all_names())
        })
    }
}

/// Returns the names of all formats.
fn all_names() -> String {
    let names: Vec<_> = FORMATS.iter().map(|format| format!("`{}`", format.name)).collect();
    names.join(", ")
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_in_the_order_of_names_and_knows_each() {
        assert!(FORMATS.is_sorted_by_key(|format| format.name));
        for format in FORMATS {
            assert_eq!(Format::named(format.name), Ok(format));
        }
    }

    #[test]
    fn an_unknown_format_is_reported_with_a_near_one_and_all() {
        let error = Format::named("jsn").unwrap_err();
        let (hint, known) = error.split_once("; the formats are ").unwrap();
        assert_eq!(hint, "there is no format `jsn`, did you mean `json`?");
        assert!(
            FORMATS
                .iter()
                .all(|format| known.contains(&format!("`{}`", format.name)))
        );
    }
}
