//! Reads a JSON report back, so that it can be written in other formats or merged with others. The main function is
//! [`read`].
//!
//! # Design
//!
//! A report comes from another machine, so its values are as untrusted as a target's: an error message says where the
//! report fails and what was expected there, never what was found there. A record that contradicts itself is rejected,
//! because some formats count rows and others use the record's counts.

mod consistency;

use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;

use super::record::{Record, VERSION};

/// The largest report that is read, in bytes.
pub const MAX_REPORT_BYTES: usize = 256 << 20;

/// Why a text cannot be read as a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text ends before the report is complete.
    #[error("the report is truncated: it ends at line {line}, column {column}; generate it again")]
    CutShort {
        /// The line where it ends, from 1.
        line: usize,
        /// The column where it ends, from 1.
        column: usize,
    },
    /// The text is empty.
    #[error("it is empty; give a JSON report of a check")]
    Empty,
    /// The report contains two values that cannot both be true.
    #[error("the report contradicts itself: {0}; it was changed by hand or by another program")]
    Contradiction(String),
    /// A value is missing or has another type.
    #[error("the report is malformed at line {line}, column {column}: {what}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What was expected there.
        what: String,
    },
    /// The text is JSON of another program.
    #[error("it has no `report_version`, so it is not a report of countersign; give a JSON report of a check")]
    NotAReport,
    /// The text is not JSON.
    #[error("it is not JSON at line {line}, column {column}; give a JSON report of a check")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The report has another version of the format.
    #[error("the report has version {found}, but this countersign reads version {VERSION}; {hint}")]
    OtherVersion {
        /// The version in the report.
        found: String,
        /// What to do.
        hint: &'static str,
    },
    /// The text is larger than [`MAX_REPORT_BYTES`].
    #[error("it is larger than {} MiB, the largest report that is read", MAX_REPORT_BYTES >> 20)]
    TooLarge,
}

/// The only field that is read from a report of any version.
#[derive(Deserialize)]
struct ReportHead {
    report_version: Option<Value>,
}

/// Reads the record in a JSON report.
///
/// # Errors
///
/// The text is too large, not JSON, cut short, of another program, of another version, malformed, or contradicts
/// itself.
pub fn read(text: &[u8]) -> Result<Record, ReadError> {
    if text.len() > MAX_REPORT_BYTES {
        return Err(ReadError::TooLarge);
    }
    if text.trim_ascii().is_empty() {
        return Err(ReadError::Empty);
    }
    let is_object = text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    // The version is checked first: another version may differ in everything else.
    let head = match serde_json::from_slice::<ReportHead>(text) {
        Err(error) if is_object || error.classify() != Category::Data => return Err(malformed(text, &error)),
        Ok(head) if is_object => head,
        _ => return Err(ReadError::NotAReport),
    };
    match head.report_version.ok_or(ReadError::NotAReport)? {
        Value::Number(found) if found.as_u64() == Some(u64::from(VERSION)) => {}
        Value::Number(found) => return Err(other_version(&found)),
        _ => return Err(ReadError::NotAReport),
    }
    let record: Record = serde_json::from_slice(text).map_err(|error| malformed(text, &error))?;
    consistency::contradiction(&record).map_or(Ok(record), |contradiction| Err(ReadError::Contradiction(contradiction)))
}

fn other_version(found: &serde_json::Number) -> ReadError {
    let newer = found.as_u64().is_some_and(|found| found > u64::from(VERSION));
    ReadError::OtherVersion {
        found: found.to_string(),
        hint: if newer {
            "read it with the countersign that wrote it, or a later one"
        } else {
            "generate it again with this countersign"
        },
    }
}

fn malformed(text: &[u8], error: &serde_json::Error) -> ReadError {
    let (line, column) = (error.line(), error.column());
    let mut lines = text.split(|byte| *byte == b'\n');
    // The parser rejects a number that ends after its decimal point as a syntax error; here, the report is truncated.
    let at_end = lines
        .nth(line.saturating_sub(1))
        .is_some_and(|line| line.len() <= column)
        && lines.next().is_none();
    match error.classify() {
        Category::Syntax if at_end => ReadError::CutShort { line, column },
        Category::Eof => ReadError::CutShort { line, column },
        Category::Data => {
            let what = expected(&error.to_string());
            ReadError::Malformed { line, column, what }
        }
        Category::Io | Category::Syntax => ReadError::NotJson { line, column },
    }
}

/// Returns what was expected according to an error message, without what was found.
fn expected(message: &str) -> String {
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    // What was found stands before it, and may itself contain the words.
    match message.rsplit_once(", expected ") {
        Some((_, expected)) => format!("expected {expected}"),
        None if message.starts_with("missing field") || message.starts_with("duplicate field") => message.to_owned(),
        None => "a value of another type was expected".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::json;
    use crate::report::testing::sample_record;

    fn text() -> String {
        json(&sample_record())
    }

    fn rejected(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_was_written_is_read_back() {
        let record = read(text().as_bytes()).unwrap();
        assert_eq!(json(&record), text());
    }

    #[test]
    fn a_report_that_is_cut_short_anywhere_says_where_it_ends() {
        let text = text();
        let whole = text.trim_end();
        for end in (1..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let cut = &whole[..end];
            let message = rejected(cut);
            let line = cut.lines().count();
            // A text that ends in white space ends on the line after its last line feed.
            let lines = [format!("line {line},"), format!("line {},", line + 1)];
            assert!(
                message.contains("truncated") && lines.iter().any(|line| message.contains(line)),
                "{end}: {message}"
            );
        }
        for nothing in ["", " \n"] {
            assert!(rejected(nothing).contains("it is empty"));
        }
    }

    #[test]
    fn a_report_of_another_version_is_rejected_with_both_whatever_else_it_says() {
        let text = text();
        let newer = text.replacen(&format!("\"report_version\": {VERSION}"), "\"report_version\": 7", 1);
        for text in [
            newer.as_str(),
            r#"{"report_version": 7}"#,
            r#"{"facts": [], "report_version": 7}"#,
        ] {
            let message = rejected(text);
            assert!(
                message.contains("version 7")
                    && message.contains(&format!("reads version {VERSION}"))
                    && message.contains("later"),
                "{message}"
            );
        }
        assert!(rejected(r#"{"report_version": 0}"#).contains("generate it again"));
    }

    #[test]
    fn what_was_found_is_not_repeated_whatever_it_says() {
        let found = r#"{"report_version": VERSION, "seed": "we expected SECRET, expected"}"#;
        let message = rejected(&found.replace("VERSION", &VERSION.to_string()));
        assert!(
            message.contains("expected u64") && !message.contains("SECRET"),
            "{message}"
        );
    }

    #[test]
    fn what_is_no_report_is_distinguished() {
        for text in [
            "{}",
            "[]",
            "7",
            "null",
            "\"a\"",
            r#"{"version": "2.1.0", "runs": []}"#,
            r#"{"report_version": "1"}"#,
        ] {
            assert!(
                rejected(text).contains("not a report of countersign"),
                "{text}: {}",
                rejected(text)
            );
        }
        for text in [
            "<?xml version=\"1.0\"?>",
            "not json",
            "{\"a\" 1}",
            "{} {}",
            "\u{feff}{}",
        ] {
            assert!(
                rejected(text).contains("not JSON at line 1"),
                "{text}: {}",
                rejected(text)
            );
        }
        assert!(read(b"{\"a\": \"\xff\"}").is_err());
    }

    #[test]
    fn a_malformed_report_says_where_and_what_was_expected_and_not_what_stands_there() {
        for (was, is, wanted) in [
            ("\"seed\": 7", "\"seed\": \"ada@example.com\"", "expected u64"),
            (
                "\"outcome\": \"does-not-conform\"",
                "\"outcome\": \"ada\"",
                "expected one of `conforms`",
            ),
            ("\"seed\": 7", "\"sed\": 7", "missing field `seed`"),
            ("\"seed\": 7", "\"seed\": 7, \"seed\": 8", "duplicate field `seed`"),
            ("\"seed\": 7", "\"seed\": -1", "expected u64"),
        ] {
            let text = text();
            assert!(text.contains(was), "{was}");
            let message = rejected(&text.replacen(was, is, 1));
            assert!(message.contains(wanted) && message.contains("line "), "{message}");
            assert!(!message.contains("ada"), "{message}");
        }
    }
}
