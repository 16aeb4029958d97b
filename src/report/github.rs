//! The report as GitHub's workflow commands: an annotation at the line of the contract for each of the most urgent
//! findings. The step summary is the [`markdown`](super::markdown) report.
//!
//! # Design
//!
//! This is the only report whose lines are commands. Each command is built here from its parts, and each part is
//! escaped the way the runner unescapes it, so that no text of a contract or target can begin or end a command.

use super::groups::{Group, groups};
use super::record::Record;
use super::{phrases, since};

/// The maximum number of annotations. GitHub shows this many of each level in a step.
pub(super) const MAX_SHOWN: usize = 10;
/// The maximum length of a title, in characters.
const LONGEST_TITLE: usize = 200;
/// The maximum length of one value in a message, in characters.
const LONGEST_VALUE: usize = 2000;

/// Returns the record as workflow commands, one per line.
#[must_use]
pub fn github(record: &Record) -> String {
    let mut lines = Vec::new();
    if !record.outcome.is_judged() {
        let message = format!(
            "{}{}",
            phrases::outcome(record.outcome),
            phrases::outcome_details(record)
        );
        lines.push(command("error", &[("title", "countersign".to_owned())], &message));
    }
    let groups = groups(record);
    let room = MAX_SHOWN - lines.len();
    lines.extend(groups.iter().take(room).map(|group| annotation(record, group)));
    let mut closing = format!(
        "{} {}{}",
        phrases::target_url(record),
        phrases::outcome(record.outcome),
        phrases::outcome_details(record)
    );
    if let Some(cause) = phrases::suspected_cause(record) {
        closing.push_str(&format!("; {cause}"));
    }
    if let Some(omitted) = phrases::omitted_operations(record) {
        closing.push_str(&format!("; {omitted}"));
    }
    if let Some(new) = since::new_facts(record) {
        closing.push_str(&format!("; since {new}"));
    }
    let more: usize = groups.iter().skip(room).map(Group::len).sum();
    if more > 0 {
        closing.push_str(&format!(
            "; {} not annotated, see the step summary",
            phrases::more_are(more, "finding")
        ));
    }
    lines.push(command("notice", &[("title", "countersign".to_owned())], &closing));
    lines.push(String::new());
    lines.join("\n")
}

/// Returns the command that annotates the contract's line with the findings of a group.
fn annotation(record: &Record, group: &Group<'_>) -> String {
    let finding = group.first;
    let line = finding.contract_line.max(1).to_string();
    let mut properties = vec![
        ("file", phrases::repository_path(finding.file(&record.contract))),
        ("line", line),
    ];
    let title = format!("{}: {}", finding.rule, group.headline());
    properties.push(("title", phrases::clipped(&title, LONGEST_TITLE)));
    let lines: Vec<_> = group
        .in_lines()
        .iter()
        .map(|line| phrases::clipped(line, LONGEST_VALUE))
        .collect();
    command(phrases::level_word(finding.level), &properties, &lines.join("\n"))
}

/// Returns one command. Line feeds in the message are kept, escaped.
pub(super) fn command(name: &str, properties: &[(&str, String)], message: &str) -> String {
    let properties: Vec<_> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", property(value)))
        .collect();
    let lines: Vec<_> = message
        .split('\n')
        .map(|line| data(&phrases::on_one_line(line)))
        .collect();
    format!("::{name} {}::{}", properties.join(","), lines.join("%0A"))
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a command's property.
fn property(text: &str) -> String {
    data(&phrases::on_one_line(text))
        .replace(':', "%3A")
        .replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Outcome;
    use crate::report::testing::{sample_record, with_distinct_causes};

    /// A command's name, its properties and its message.
    type Command = (String, Vec<(String, String)>, String);

    /// Reads a line as the runner does.
    fn read(line: &str) -> Command {
        let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
        let plain = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n");
        let properties = properties.split(',').map(|property| {
            let (name, value) = property.split_once('=').unwrap();
            let value = plain(value).replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
            (name.to_owned(), value)
        });
        (
            name.to_owned(),
            properties.collect(),
            plain(message).replace("%25", "%"),
        )
    }

    fn commands(record: &Record) -> Vec<Command> {
        github(record).lines().map(read).collect()
    }

    #[test]
    fn the_github_report() {
        let text = github(&sample_record());
        crate::testing::with_snapshots(|| insta::assert_snapshot!("report_github", text));
    }

    #[test]
    fn a_value_comes_out_as_it_went_in_and_ends_nothing() {
        let mut record = sample_record();
        record.contract.file = "a,b:c%3A=d.yaml".to_owned();
        record.findings[0].received = "100 %, 50 %25\n::error::x".to_owned();
        let commands = commands(&record);
        assert_eq!(commands.len(), 3);
        let (name, properties, message) = &commands[0];
        assert_eq!(name, "error");
        assert_eq!(properties[0], ("file".to_owned(), "a,b:c%3A=d.yaml".to_owned()));
        assert_eq!(properties[1], ("line".to_owned(), "17".to_owned()));
        assert!(message.contains("received: 100 %, 50 %25 "), "{message}");
    }

    #[test]
    fn no_more_is_annotated_than_is_shown_and_the_rest_is_counted() {
        let mut record = sample_record();
        let (denied, warned) = (record.findings[0].clone(), record.findings[1].clone());
        record.findings = with_distinct_causes(&denied, 7);
        record.findings.extend(vec![denied; 5]);
        record.findings.extend(with_distinct_causes(&warned, 13));
        let count = |record: &Record, name| commands(record).iter().filter(|command| command.0 == name).count();
        assert_eq!((count(&record, "error"), count(&record, "warning")), (8, 2));
        let closing = commands(&record).pop().unwrap().2;
        assert!(
            closing.ends_with("12 errors, 13 warnings; 11 more findings are not annotated, see the step summary"),
            "{closing}"
        );
        (record.outcome, record.reason) = (Outcome::Interrupted, Some("the run was interrupted".to_owned()));
        assert_eq!((count(&record, "error"), count(&record, "warning")), (9, 1));
        assert!(commands(&record).pop().unwrap().2.contains("; 12 more"));
    }

    #[test]
    fn a_run_that_could_not_judge_is_an_error_and_one_that_conforms_a_notice() {
        let mut record = sample_record();
        record.findings.clear();
        record.outcome = Outcome::Conforms;
        let names = |record: &Record| {
            commands(record)
                .into_iter()
                .map(|command| command.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&record), ["notice"]);
        (record.outcome, record.reason) = (Outcome::CouldNotJudge, Some("no fact was decided".to_owned()));
        assert_eq!(names(&record), ["error", "notice"]);
    }
}
