//! The JUnit report: a suite for each operation, a case for each fact. Jenkins, GitLab and others show it next to a
//! project's own tests.
//!
//! # Design
//!
//! A finding at deny is a failure; one at warn is reported in the output of a case that passes or is skipped, because
//! JUnit has no level in between. An undecided fact is skipped, with its reason. A run that could not judge the service
//! adds a case of its own that is an error, so that a report without failures is not read as green.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use chrono::DateTime;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::groups::{Group, groups};
use super::record::{FactRow, FindingRecord, Record, VerdictRecord};
use super::{phrases, since};
use crate::exchange::sanitize::{Colours, sanitize};
use crate::rules::Level;

/// Returns the record as JUnit XML.
#[must_use]
pub fn junit(record: &Record) -> String {
    let mut report = Report::new("countersign");
    report.set_time(Duration::from_millis(record.duration_ms));
    report.add_test_suites(run_suite(record));
    let indexed = RecordIndex::of(record);
    report.add_test_suites(
        indexed
            .operations
            .iter()
            .filter_map(|operation| indexed.suite(operation)),
    );
    // Writing into a String does not fail, and `safe` has removed every character that XML does not allow.
    let text = report.to_string().unwrap_or_default();
    // The library adds this attribute; the schema that Jenkins validates against rejects it.
    text.replacen(&format!(" skipped=\"{}\"", report.skipped), "", 1)
}

/// Returns the suite of the run itself, if it could not judge.
fn run_suite(record: &Record) -> Option<TestSuite> {
    if record.outcome.is_judged() {
        return None;
    }
    let outcome = phrases::outcome(record.outcome);
    let reason = safe(record.reason.as_deref().unwrap_or(outcome));
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type(outcome);
    status.set_message(reason.as_str());
    status.set_description(reason.as_str());
    let mut case = TestCase::new("the run could judge the service", status);
    case.set_classname("countersign");
    let mut suite = TestSuite::new("countersign");
    add_run_properties(&mut suite, record);
    suite.add_test_case(case);
    Some(suite)
}

/// A record indexed by operation and fact, because a contract may have a hundred thousand facts.
struct RecordIndex<'record> {
    record: &'record Record,
    /// The names of all operations, in the contract's order.
    operations: Vec<&'record str>,
    rows: HashMap<&'record str, Vec<&'record FactRow>>,
    /// The findings of each fact.
    findings: HashMap<&'record str, Vec<GroupedFinding<'record>>>,
    /// By operation, the findings whose fact has no row; a report made by another program may contain such findings.
    without_row: HashMap<&'record str, Vec<GroupedFinding<'record>>>,
    /// The total time of each operation's responses, in milliseconds.
    response_ms: HashMap<&'record str, f64>,
}

/// A finding, and the group that it belongs to: the findings of one cause.
#[derive(Clone)]
struct GroupedFinding<'record> {
    finding: &'record FindingRecord,
    /// The first finding of the group, if this is not the first: its case has the fix, which all of them share.
    first: Option<&'record FindingRecord>,
    headline: Rc<str>,
}

impl<'record> GroupedFinding<'record> {
    /// Returns the findings of a group, each with the group's first one.
    fn all(group: &Group<'record>) -> Vec<Self> {
        let headline: Rc<str> = group.headline().into();
        let found = group.findings().enumerate().map(|(number, finding)| Self {
            finding,
            first: (number > 0).then_some(group.first),
            headline: Rc::clone(&headline),
        });
        found.collect()
    }
}

impl<'record> RecordIndex<'record> {
    fn of(record: &'record Record) -> Self {
        let mut indexed = Self {
            record,
            operations: Vec::new(),
            rows: HashMap::new(),
            findings: HashMap::new(),
            without_row: HashMap::new(),
            response_ms: HashMap::new(),
        };
        let mut facts = HashSet::new();
        for row in &record.facts.rows {
            facts.insert(row.fact.as_str());
            indexed.rows.entry(&row.operation).or_default().push(row);
        }
        for found in groups(record).iter().flat_map(GroupedFinding::all) {
            let (of_fact, of_operation) = (found.finding.fact.as_str(), found.finding.operation.as_str());
            if !facts.contains(of_fact) {
                indexed.without_row.entry(of_operation).or_default().push(found.clone());
            }
            indexed.findings.entry(of_fact).or_default().push(found);
        }
        for exchange in &record.exchanges {
            if let Some(response) = &exchange.response {
                *indexed.response_ms.entry(&exchange.operation).or_default() += response.elapsed_ms;
            }
        }
        let listed = record.operations.iter().map(|operation| operation.name.as_str());
        let of_facts = record.facts.rows.iter().map(|row| row.operation.as_str());
        let of_findings = record.findings.iter().map(|finding| finding.operation.as_str());
        let mut seen = HashSet::new();
        let names = listed
            .chain(of_facts)
            .chain(of_findings)
            .filter(|name| seen.insert(*name));
        indexed.operations = names.collect();
        indexed
    }

    /// Returns the suite of an operation; none if it has neither facts nor findings.
    fn suite(&self, operation: &str) -> Option<TestSuite> {
        let (rows, without_row) = (self.rows.get(operation), self.without_row.get(operation));
        if rows.is_none() && without_row.is_none() {
            return None;
        }
        let mut suite = TestSuite::new(safe(operation));
        add_run_properties(&mut suite, self.record);
        if let Some(time) = self.response_time(operation) {
            suite.set_time(time);
        }
        for row in rows.into_iter().flatten() {
            let findings = self.findings.get(row.fact.as_str()).map_or(&[][..], Vec::as_slice);
            suite.add_test_case(case(self.record, row, findings));
        }
        for found in without_row.into_iter().flatten() {
            suite.add_test_case(case_without_row(self.record, found));
        }
        Some(suite)
    }

    /// Returns the total time of an operation's responses; none if not every exchange was kept.
    fn response_time(&self, operation: &str) -> Option<Duration> {
        if self.record.exchanges_left_out > 0 {
            return None;
        }
        let milliseconds = self.response_ms.get(operation).copied().unwrap_or_default();
        Duration::try_from_secs_f64(milliseconds / 1000.0).ok()
    }
}

/// Adds what every suite states about the run: when it began, its target, contract and seed.
fn add_run_properties(suite: &mut TestSuite, record: &Record) {
    if let Ok(started) = DateTime::parse_from_rfc3339(&record.started_at) {
        suite.set_timestamp(started);
    }
    suite.add_properties([
        Property::new("target", safe(&phrases::target_url(record))),
        Property::new("contract", safe(&record.contract.file)),
        Property::new("seed", record.seed.to_string()),
        Property::new("countersign", safe(&record.countersign)),
    ]);
    suite.add_properties(phrases::omitted_operations(record).map(|omitted| Property::new("left-out", omitted)));
    suite.add_properties(since::new_facts(record).map(|new| Property::new("since", safe(&new))));
    suite.add_properties(phrases::suspected_cause(record).map(|cause| Property::new("cause", cause)));
}

/// Returns the case of a fact. Findings by other rules than the fact's own are reported here too.
fn case(record: &Record, row: &FactRow, findings: &[GroupedFinding<'_>]) -> TestCase {
    let (denied, warned): (Vec<_>, Vec<_>) = findings.iter().partition(|found| found.finding.level == Level::Deny);
    let status = match (denied.is_empty(), row.verdict) {
        (false, _) => failure(record, &denied),
        (true, VerdictRecord::Undecided) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(safe(row.reason.as_deref().unwrap_or("undecided")));
            status
        }
        (true, VerdictRecord::Broken | VerdictRecord::Held) => TestCaseStatus::success(),
    };
    let mut case = TestCase::new(safe(&row.fact), status);
    case.set_classname(safe(&row.operation));
    let mut output: Vec<_> = warned.iter().map(|found| text(record, found)).collect();
    if row.verdict == VerdictRecord::Broken && findings.is_empty() {
        output.push(format!("broken, but not reported: rule {} is allowed here", row.rule));
    }
    if !output.is_empty() {
        case.set_system_out(safe(&output.join("\n\n")));
    }
    case
}

/// Returns the case of a finding whose fact has no row in the report.
fn case_without_row(record: &Record, found: &GroupedFinding<'_>) -> TestCase {
    let denied = found.finding.level == Level::Deny;
    let status = if denied {
        failure(record, &[found])
    } else {
        TestCaseStatus::success()
    };
    let mut case = TestCase::new(safe(&found.finding.fact), status);
    case.set_classname(safe(&found.finding.operation));
    if !denied {
        case.set_system_out(safe(&text(record, found)));
    }
    case
}

/// Returns the status of a case that fails with these findings; the first one gives its type and message.
fn failure(record: &Record, findings: &[&GroupedFinding<'_>]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    if let Some(GroupedFinding { finding: first, .. }) = findings.first() {
        status.set_type(safe(&first.rule));
        let message = format!(
            "{}; received: {}",
            phrases::documented_or_learned(first),
            phrases::received_with_location(first)
        );
        status.set_message(safe(&message));
    }
    let texts: Vec<_> = findings.iter().map(|found| text(record, found)).collect();
    status.set_description(safe(&texts.join("\n\n")));
    status
}

/// Describes a finding in lines; the fix and the line to reproduce it are only with the first finding of its group.
fn text(
    record: &Record,
    GroupedFinding {
        finding,
        first,
        headline,
    }: &GroupedFinding<'_>,
) -> String {
    let mut lines = vec![format!(
        "{}[{}]: {headline}",
        phrases::level_word(finding.level),
        finding.rule
    )];
    lines.extend(phrases::what_is_wrong(finding));
    lines.push(format!(
        "contract: {}:{} {}",
        finding.file(&record.contract),
        finding.contract_line,
        finding.contract_pointer
    ));
    match first {
        Some(first) => lines.push(format!("fix and reproduce: see the case {}", first.fact)),
        None => lines.extend(phrases::what_to_do(finding)),
    }
    let lines: Vec<_> = lines.iter().map(|line| phrases::on_one_line(line)).collect();
    lines.join("\n")
}

/// Returns the text without what a terminal interprets, and without the two further characters that XML does not allow.
fn safe(text: &str) -> String {
    sanitize(text, Colours::None).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Outcome;
    use crate::report::testing::sample_record;

    fn read(record: &Record) -> Report {
        Report::deserialize(junit(record).as_bytes()).unwrap()
    }

    #[test]
    fn the_junit_report() {
        let text = junit(&sample_record());
        crate::testing::with_snapshots(|| insta::assert_snapshot!("report_junit", text));
    }

    #[test]
    fn the_target_is_named_with_its_base_path() {
        let mut record = sample_record();
        assert!(junit(&record).contains("name=\"target\" value=\"https://api.example.com\""));
        record.base_path = "/tenant".to_owned();
        assert!(junit(&record).contains("name=\"target\" value=\"https://api.example.com/tenant\""));
    }

    #[test]
    fn a_reader_of_the_format_counts_what_the_record_counts() {
        let record = sample_record();
        let report = read(&record);
        // The warning's fact has no row.
        assert_eq!(report.tests, record.facts.total + 1);
        assert_eq!((report.failures, report.errors), (1, 0));
        let suite = &report.test_suites[0];
        assert_eq!(
            (suite.name.as_str(), suite.skipped),
            ("getThings", record.facts.undecided)
        );
        let case = &suite.test_cases[1];
        assert_eq!(case.name.as_str(), "getThings /name: string");
        let TestCaseStatus::NonSuccess {
            message,
            ty,
            description,
            ..
        } = &case.status
        else {
            panic!("{case:?}");
        };
        assert_eq!(ty.as_deref(), Some("wrong-type"));
        assert_eq!(
            message.as_deref(),
            Some("documented: string; received: integer, 2 times, first at /name")
        );
        let text = description.as_deref().unwrap();
        assert!(text.contains("things.yaml:17") && text.contains("curl -sS"), "{text}");
    }

    #[test]
    fn a_warning_passes_and_is_reported() {
        let mut record = sample_record();
        record.findings.remove(0);
        record.findings[0].fact = "getThings status: 200".to_owned();
        let report = read(&record);
        assert_eq!((report.tests, report.failures), (4, 0));
        let case = &report.test_suites[0].test_cases[0];
        assert!(matches!(case.status, TestCaseStatus::Success { .. }));
        assert!(
            case.system_out
                .as_deref()
                .unwrap()
                .starts_with("warning[undocumented-field]")
        );
        let broken = &report.test_suites[0].test_cases[1];
        assert_eq!(
            broken.system_out.as_deref(),
            Some("broken, but not reported: rule wrong-type is allowed here")
        );
    }

    #[test]
    fn a_finding_of_another_rule_fails_the_case_of_its_fact() {
        let mut record = sample_record();
        record.findings[0].fact = "getThings body: JSON".to_owned();
        let report = read(&record);
        let skipped = report.test_suites[0].skipped;
        assert_eq!((report.tests, report.failures, skipped), (5, 1, 1));
    }

    #[test]
    fn a_run_that_could_not_judge_is_not_green() {
        for outcome in [Outcome::CouldNotJudge, Outcome::Interrupted, Outcome::WriteLogFailed] {
            let mut record = sample_record();
            record.findings.clear();
            (record.outcome, record.reason) = (outcome, Some("no fact was decided".to_owned()));
            let report = read(&record);
            assert_eq!((report.errors, report.failures), (1, 0), "{outcome:?}");
            let TestCaseStatus::NonSuccess { message, .. } = &report.test_suites[0].test_cases[0].status else {
                panic!("{report:?}");
            };
            assert_eq!(message.as_deref(), Some("no fact was decided"));
        }
        let mut record = sample_record();
        record.findings.clear();
        record.outcome = Outcome::Conforms;
        assert_eq!(read(&record).errors, 0);
    }

    #[test]
    fn the_time_of_a_suite_is_reported_where_every_exchange_is_known() {
        let mut record = sample_record();
        assert_eq!(read(&record).test_suites[0].time, None);
        record.exchanges_left_out = 0;
        assert_eq!(read(&record).test_suites[0].time, Some(Duration::from_millis(2)));
    }

    #[test]
    fn characters_not_allowed_in_xml_are_removed() {
        let mut record = sample_record();
        record.findings[0].received = "a\u{0}\u{8}\u{b}\u{1b}[2J\u{fffe}\u{ffff}]]>&<\"".to_owned();
        let text = junit(&record);
        let allowed =
            |character: char| character == '\n' || !(character.is_control() || "\u{fffe}\u{ffff}".contains(character));
        assert!(text.chars().all(allowed), "{text}");
        assert_eq!(read(&record).failures, 1);
    }
}
