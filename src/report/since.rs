//! Marks the facts that are new in a contract, compared with an older one: [`mark_new`].

use std::collections::HashSet;

use super::phrases::counted;
use super::record::{Record, VerdictRecord};

/// Marks the facts with these names, which the contract `since` does not state, and the findings about them.
pub fn mark_new<'name>(record: &mut Record, since: &str, names: impl Iterator<Item = &'name str>) {
    let names: HashSet<_> = names.collect();
    for row in &mut record.facts.rows {
        row.new = names.contains(row.fact.as_str());
    }
    for finding in &mut record.findings {
        finding.new = names.contains(finding.fact.as_str());
    }
    record.since = Some(since.to_owned());
}

/// Describes the new facts: `main:openapi.yaml: 2 new facts, 1 of them broken`; none if no older contract was named.
pub(super) fn new_facts(record: &Record) -> Option<String> {
    let since = record.since.as_ref()?;
    let new = record.facts.rows.iter().filter(|row| row.new);
    let broken = new.clone().filter(|row| row.verdict == VerdictRecord::Broken).count();
    Some(format!(
        "{since}: {}, {broken} of them broken",
        counted(new.count(), "new fact")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::groups::groups;
    use crate::report::testing::sample_record;
    use crate::report::{ShardRecord, Terminal, github, json, markdown, merge, read, sarif};

    /// The sample, in which the fact of the first finding is new.
    fn marked() -> Record {
        let mut record = sample_record();
        let fact = record.findings[0].fact.clone();
        mark_new(&mut record, "old.yaml", [fact.as_str()].into_iter());
        record
    }

    #[test]
    fn a_finding_on_a_new_fact_is_marked_in_every_report_and_no_other_is() {
        let record = marked();
        assert_eq!(new_facts(&record).unwrap(), "old.yaml: 1 new fact, 1 of them broken");
        for text in [
            Terminal::default().report(&record),
            markdown(&record),
            github(&record),
            sarif(&record),
        ] {
            assert!(text.contains("old.yaml: 1 new fact, 1 of them broken"), "{text}");
            assert!(text.contains(" (new)"), "{text}");
        }
        #[cfg(feature = "junit")]
        assert!(crate::report::junit(&record).contains("value=\"old.yaml: 1 new fact, 1 of them broken\""));
        let blocks = groups(&record);
        let new = blocks.iter().filter(|group| group.headline().ends_with(" (new)"));
        assert_eq!(new.count(), 1);
        assert!(blocks.len() > 1);
    }

    #[test]
    fn nothing_is_marked_unless_an_older_contract_is_named() {
        let record = sample_record();
        assert_eq!(new_facts(&record), None);
        assert!(!json(&record).contains("\"new\"") && !json(&record).contains("\"since\""));
    }

    #[test]
    fn a_group_is_new_or_it_is_not() {
        let mut record = sample_record();
        let mut findings = vec![record.findings[0].clone(); 2];
        findings[1].fact.push('2');
        record.findings = findings;
        assert_eq!(groups(&record).len(), 1);
        let fact = record.findings[0].fact.clone();
        mark_new(&mut record, "old.yaml", [fact.as_str()].into_iter());
        assert_eq!(groups(&record).len(), 2);
    }

    #[test]
    fn a_report_that_is_read_back_has_the_same_marks() {
        let record = marked();
        let again = read(json(&record).as_bytes()).unwrap();
        assert_eq!(json(&again), json(&record));
    }

    #[test]
    fn shards_are_merged_if_they_were_compared_with_one_contract() {
        let shard = |number, since: &str| {
            let mut record = sample_record();
            record.shard = Some(ShardRecord { number, of: 2 });
            mark_new(&mut record, since, std::iter::empty());
            (format!("{number}.json"), record)
        };
        let merged = merge(vec![shard(1, "old.yaml"), shard(2, "old.yaml")], None).unwrap();
        assert_eq!(merged.since.as_deref(), Some("old.yaml"));
        let error = merge(vec![shard(1, "old.yaml"), shard(2, "older.yaml")], None).unwrap_err();
        assert!(
            error.to_string().contains("give all of them the same --since"),
            "{error}"
        );
    }
}
