//! The report in SARIF 2.1.0, which GitHub's code scanning and editors read: each finding at its line of the contract,
//! each rule with its help.

mod form;

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use self::form::{
    ArtifactLocation, Configuration, Descriptor, Driver, Invocation, Location, Log, LogicalLocation, Notification,
    PhysicalLocation, Region, ResultProperties, RunProperties, SarifResult, SarifRun, Text, Tool,
};
use super::excerpt::{Excerpt, LONGEST_LINE};
use super::groups::{Group, groups};
use super::record::{FindingRecord, Record};
use super::{phrases, since};
use crate::exchange::sanitize::json_text;
use crate::rules::{Level, RULES, Rule};

pub(super) const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The characters that must be percent-encoded in a URI's path.
const NOT_IN_A_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b':');

/// Returns the record as a SARIF file that ends in a newline.
#[must_use]
pub fn sarif(record: &Record) -> String {
    let rules = rules(record);
    let results = groups(record);
    let results = results.iter().map(|group| result(record, group, &rules));
    json_text(&Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [SarifRun {
            invocations: [invocation(record)],
            column_kind: "utf16CodeUnits",
            results: results.collect(),
            properties: properties(record),
            tool: Tool {
                driver: Driver {
                    name: "countersign",
                    semantic_version: record.countersign.clone(),
                    rules,
                },
            },
        }],
    })
}

/// Returns every rule of this version, and those that only the record names.
fn rules(record: &Record) -> Vec<Descriptor> {
    let mut rules: Vec<_> = RULES.iter().copied().map(descriptor).collect();
    for finding in &record.findings {
        if !rules.iter().any(|rule| rule.id == finding.rule.as_str()) {
            rules.push(Descriptor {
                id: finding.rule.to_string(),
                short_description: None,
                full_description: None,
                help: None,
                default_configuration: None,
            });
        }
    }
    rules
}

fn descriptor(rule: &Rule) -> Descriptor {
    let plain = |text: &str| Text {
        text: text.to_owned(),
        markdown: None,
    };
    Descriptor {
        id: rule.name.to_owned(),
        short_description: Some(plain(rule.summary)),
        full_description: Some(plain(rule.explanation)),
        help: Some(Text {
            text: format!(
                "{}\n\nIt ignores: {}\n\nFix: {}\n\nSource: {}",
                rule.explanation, rule.exceptions, rule.fix, rule.source
            ),
            markdown: Some(format!(
                "{}\n\n**It ignores:** {}\n\n**Fix:** {}\n\n**Source:** {}\n\n`countersign explain {}` has an example.",
                rule.explanation, rule.exceptions, rule.fix, rule.source, rule.name
            )),
        }),
        default_configuration: Some(Configuration {
            level: level(rule.level),
        }),
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Allow => "none",
        Level::Deny => "error",
        Level::Warn => "warning",
    }
}

fn invocation(record: &Record) -> Invocation {
    let started = DateTime::parse_from_rfc3339(&record.started_at).ok();
    let written = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
    Invocation {
        execution_successful: record.outcome.is_judged(),
        exit_code: record.exit_code,
        exit_code_description: phrases::outcome(record.outcome).to_owned(),
        start_time_utc: started.map(|started| written(started.to_utc())),
        end_time_utc: record.ended_at().map(written),
        tool_execution_notifications: notifications(record),
    }
}

/// Reports that the run could not judge, and what it left undecided: a reader must not take silence for conformity.
fn notifications(record: &Record) -> Vec<Notification> {
    let note = |level, text| Notification {
        level,
        message: Text { text, markdown: None },
    };
    let mut notes = Vec::new();
    if !record.outcome.is_judged() {
        let text = format!(
            "{}{}",
            phrases::outcome(record.outcome),
            phrases::outcome_details(record)
        );
        notes.push(note("error", text));
    }
    notes.extend(phrases::suspected_cause(record).map(|cause| note("note", cause.to_owned())));
    notes.extend(
        phrases::undecided_facts(record)
            .into_iter()
            .map(|(reason, facts)| note("note", format!("{}: {reason}", phrases::are_undecided(facts.len())))),
    );
    notes.extend(phrases::omitted_operations(record).map(|omitted| note("warning", omitted)));
    notes.extend(since::new_facts(record).map(|new| note("note", format!("since {new}"))));
    notes
}

fn properties(record: &Record) -> RunProperties {
    let facts = &record.facts;
    RunProperties {
        target: phrases::target_url(record),
        contract: record.contract.title.clone(),
        seed: record.seed,
        outcome: record.outcome,
        facts: BTreeMap::from([
            ("broken", facts.broken),
            ("held", facts.held),
            ("total", facts.total),
            ("undecided", facts.undecided),
        ]),
    }
}

/// Returns the result of a group: located at its first finding, with the others as related locations.
fn result(record: &Record, group: &Group<'_>, rules: &[Descriptor]) -> SarifResult {
    let finding = group.first;
    let plain = |text: &str| Text {
        text: plain(text),
        markdown: None,
    };
    let place = |finding: &FindingRecord, message| Location {
        physical_location: PhysicalLocation {
            artifact_location: artifact(finding.file(&record.contract)),
            region: region(finding),
        },
        logical_locations: [LogicalLocation {
            fully_qualified_name: finding.fact.clone(),
            kind: "member",
        }],
        message,
    };
    let related = group.rest.iter().zip(group.others(group.len()));
    let lines = group.in_lines();
    SarifResult {
        rule_id: finding.rule.to_string(),
        rule_index: rules
            .iter()
            .position(|rule| rule.id == finding.rule.as_str())
            .unwrap_or_default(),
        level: level(finding.level),
        message: plain(&format!("{}\n{}", group.headline(), lines.join("\n"))),
        locations: [place(finding, None)],
        related_locations: related
            .map(|(finding, line)| place(finding, Some(plain(&line))))
            .collect(),
        partial_fingerprints: BTreeMap::from([("countersignFact/v1", fingerprint(finding))]),
        occurrence_count: group
            .findings()
            .map(|finding| finding.count.max(1))
            .fold(0, u64::saturating_add),
        properties: ResultProperties {
            fact: finding.fact.clone(),
            operation: finding.operation.clone(),
            response_pointer: finding.response_pointer.clone(),
            contract_pointer: finding.contract_pointer.clone(),
            reproduce: finding.reproduce.clone(),
            exchange: finding.exchange,
            recorded_in: finding.recorded_in.clone(),
        },
    }
}

/// Returns a text as a message of this format, which may contain links: what looks like one is broken up.
pub(super) fn plain(text: &str) -> String {
    text.replace("](", "] (")
}

/// Returns what identifies a finding in the next run, even if its line has moved.
fn fingerprint(finding: &FindingRecord) -> String {
    let known = [finding.rule.as_str(), &finding.fact, finding.undocumented_field()];
    known.join(" ").trim_end().to_owned()
}

/// Returns the contract's file: relative to the root of the sources, unless its path is absolute.
pub(super) fn artifact(file: &str) -> ArtifactLocation {
    let path = phrases::repository_path(file);
    let encoded = utf8_percent_encode(&path, NOT_IN_A_PATH).to_string();
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || drive {
        let slash = if drive { "/" } else { "" };
        let uri = format!("file://{slash}{}", encoded.replacen("%3A", ":", usize::from(drive)));
        return ArtifactLocation { uri, uri_base_id: None };
    }
    ArtifactLocation {
        uri: encoded,
        uri_base_id: Some("%SRCROOT%"),
    }
}

/// Returns the line, with columns unless the excerpt of the line is cut before their end.
fn region(finding: &FindingRecord) -> Region {
    let Excerpt { primary, .. } = &finding.excerpt;
    let known = primary.line == finding.contract_line && primary.end < LONGEST_LINE && primary.start < primary.end;
    Region {
        start_line: finding.contract_line.max(1),
        start_column: known.then(|| finding.excerpt.column(primary.start)),
        end_column: known.then(|| finding.excerpt.column(primary.end)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::report::Outcome;
    use crate::report::testing::sample_record;

    fn read(record: &Record) -> Value {
        serde_json::from_str(&sarif(record)).unwrap()
    }

    #[test]
    fn the_sarif_report() {
        let mut report = read(&sample_record());
        // The rules' texts have their own snapshots; here their number would drown the rest.
        let rules = report.pointer_mut("/runs/0/tool/driver/rules").unwrap();
        let known = rules.as_array().unwrap().len();
        *rules = rules
            .as_array()
            .unwrap()
            .iter()
            .filter(|rule| rule["id"] == "wrong-type")
            .cloned()
            .collect();
        assert_eq!(known, RULES.len());
        let text = serde_json::to_string_pretty(&report).unwrap();
        crate::testing::with_snapshots(|| insta::assert_snapshot!("report_sarif", text));
    }

    #[test]
    fn the_target_is_named_with_its_base_path() {
        let mut record = sample_record();
        let target = |record: &Record| read(record)["runs"][0]["properties"]["target"].clone();
        assert_eq!(target(&record), "https://api.example.com");
        record.base_path = "/tenant".to_owned();
        assert_eq!(target(&record), "https://api.example.com/tenant");
    }

    #[test]
    fn a_result_names_its_rule_by_index_and_by_name() {
        let mut record = sample_record();
        record.findings[1].rule = "a-rule-of-another-version".into();
        let report = read(&record);
        let run = &report["runs"][0];
        for result in run["results"].as_array().unwrap() {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
        assert_eq!(run["results"][1]["ruleId"], "a-rule-of-another-version");
    }

    #[test]
    fn columns_count_units_of_utf16_and_stand_only_where_they_are_known() {
        let mut finding = sample_record().findings.remove(0);
        let marked = region(&finding);
        assert_eq!(
            (marked.start_line, marked.start_column, marked.end_column),
            (17, Some(21), Some(25))
        );
        for line in &mut finding.excerpt.lines {
            line.text = format!("🎈{}", line.text);
        }
        (finding.excerpt.primary.start, finding.excerpt.primary.end) = (21, 25);
        let marked = region(&finding);
        assert_eq!((marked.start_column, marked.end_column), (Some(23), Some(27)));
        for line in &mut finding.excerpt.lines {
            line.cut_before = 1000;
        }
        let marked = region(&finding);
        assert_eq!((marked.start_column, marked.end_column), (Some(1023), Some(1027)));
        finding.excerpt.primary.end = LONGEST_LINE;
        assert_eq!(region(&finding).start_column, None);
    }

    #[test]
    fn a_file_is_named_as_a_uri() {
        for (file, uri, base) in [
            ("openapi.yaml", "openapi.yaml", true),
            ("./a b/ä.yaml", "a%20b/%C3%A4.yaml", true),
            ("/srv/a.yaml", "file:///srv/a.yaml", false),
            (r"C:\a\b.yaml", "file:///C:/a/b.yaml", false),
        ] {
            let location = artifact(file);
            assert_eq!(
                (location.uri.as_str(), location.uri_base_id.is_some()),
                (uri, base),
                "{file}"
            );
        }
    }

    #[test]
    fn a_run_that_could_not_judge_says_so() {
        let mut record = sample_record();
        assert_eq!(read(&record)["runs"][0]["invocations"][0]["executionSuccessful"], true);
        (record.outcome, record.exit_code) = (Outcome::CouldNotJudge, 3);
        record.reason = Some("no fact was decided".to_owned());
        let invocation = read(&record)["runs"][0]["invocations"][0].clone();
        assert_eq!(invocation["executionSuccessful"], false);
        assert_eq!(
            invocation["toolExecutionNotifications"][0]["message"]["text"],
            "could not be judged: no fact was decided"
        );
    }

    #[test]
    fn a_fingerprint_outlives_a_moved_line() {
        let mut record = sample_record();
        let print = |record: &Record| read(record)["runs"][0]["results"][0]["partialFingerprints"].clone();
        let before = print(&record);
        record.findings[0].contract_line = 99;
        assert_eq!(print(&record), before);
        record.findings[0].fact = "getThings /size: integer".to_owned();
        assert_ne!(print(&record), before);
    }
}
