//! The JSON report: the record as it is, one object.

use super::record::Record;

/// The record as JSON with a newline at its end.
#[must_use]
pub fn json(record: &Record) -> String {
    // Every type of the record is plain data, so there is nothing that could fail to be written.
    let mut text = serde_json::to_string_pretty(record).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_the_json_report_is_checked_in() {
        let schema = schemars::schema_for!(Record);
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        crate::testing::with_snapshots(|| insta::assert_snapshot!("report_schema", text));
    }
}
