//! The JSON report: the record as one object, with every character escaped that a terminal or a CI system would
//! interpret.

use std::io;

use super::record::Record;
use crate::exchange::sanitize::{self, json_text};

/// Returns the record as JSON that ends in a newline.
#[must_use]
pub fn json(record: &Record) -> String {
    json_text(record)
}

/// Writes the same text as [`json`] to a writer, piece by piece.
///
/// # Errors
///
/// The error of the writer.
pub fn write_json(record: &Record, to: &mut dyn io::Write) -> io::Result<()> {
    sanitize::write_json(record, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::sample_record;

    #[test]
    fn the_report_is_the_record_and_ends_its_line() {
        let record = sample_record();
        let text = json(&record);
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, serde_json::to_value(&record).unwrap());
        assert!(text.ends_with("}\n") && !text.ends_with("\n\n"));
    }

    #[test]
    fn the_words_of_the_report_are_the_documented_ones() {
        let record = sample_record();
        let read: serde_json::Value = serde_json::from_str(&json(&record)).unwrap();
        for (pointer, word) in [
            ("/outcome", "does-not-conform"),
            ("/findings/0/level", "deny"),
            ("/findings/1/level", "warn"),
            ("/facts/rows/2/verdict", "undecided"),
        ] {
            assert_eq!(
                read.pointer(pointer).and_then(|word| word.as_str()),
                Some(word),
                "{pointer}"
            );
        }
    }

    #[test]
    fn the_schema_of_the_json_report_is_checked_in() {
        let schema = schemars::schema_for!(Record);
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        crate::testing::with_snapshots(|| insta::assert_binary_snapshot!("report_schema.json", text.into_bytes()));
    }
}
