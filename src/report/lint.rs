//! Writes what is wrong with documents: [`LintReport`]s, as lines, JSON, SARIF, Markdown and GitHub's workflow
//! commands.
//!
//! Names and values in them come from documents that anybody may have written, so each report makes them safe in its
//! own way.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::github::{MAX_SHOWN, command};
use super::phrases::{clipped, counted, more_are, on_one_line, repository_path};
use super::sarif::{SCHEMA, artifact, plain};
use super::{Terminal, Verbosity};
use crate::exchange::sanitize::json_text;
use crate::lint::{LintFinding, LintReport, LintRule};

/// The version of the JSON format. It changes when programs that read the format must change too.
const VERSION: u32 = 1;
/// The maximum length of a message, in characters.
const LONGEST: usize = 2000;
/// The bytes reserved for the line that counts the findings that do not fit into the summary of a step.
const LEFT_OUT: usize = 60;
/// The number of operations that are named in a line.
const MAX_NAMED: usize = 5;

/// Returns the findings as lines for people, each beginning with its location.
#[must_use]
pub fn lint_terminal(lints: &[LintReport], terminal: &Terminal) -> String {
    let mut text = String::new();
    let named = if terminal.verbosity == Verbosity::Verbose {
        usize::MAX
    } else {
        MAX_NAMED
    };
    for lint in lints {
        for finding in lint.findings.iter().filter(|_| terminal.verbosity > Verbosity::Quiet) {
            // Writing into a String does not fail.
            let _ = writeln!(text, "{}", on_one_line(&entry(finding, named)));
        }
        let verdict = verdict(lint);
        let colour = if lint.findings.is_empty() { "32" } else { "31" };
        let _ = writeln!(
            text,
            "{}: {}",
            on_one_line(&lint.file),
            terminal.styling.emphasized(&verdict, colour)
        );
    }
    terminal.sanitize(&text)
}

/// Returns the findings as JSON.
#[must_use]
pub fn lint_json(lints: &[LintReport]) -> String {
    let files = lints.iter().map(|lint| {
        let findings = lint.findings.iter().map(|finding| {
            let mut written = json!({
                "rule": finding.rule.name(),
                "level": level(finding),
                "line": finding.position.line,
                "column": finding.position.column,
                "pointer": finding.pointer,
                "message": finding.message,
                "left_out": finding.left_out,
            });
            if finding.file != lint.file {
                written["file"] = json!(finding.file);
            }
            written
        });
        json!({ "file": lint.file, "findings": findings.collect::<Value>() })
    });
    json_text(&json!({
        "countersign": env!("CARGO_PKG_VERSION"),
        "version": VERSION,
        "files": files.collect::<Value>(),
    }))
}

/// Returns the findings as a SARIF 2.1.0 file.
#[must_use]
pub fn lint_sarif(lints: &[LintReport]) -> String {
    let rules = LintRule::ALL
        .iter()
        .map(|rule| json!({ "id": rule.name(), "shortDescription": { "text": rule.summary() } }));
    let results = lints.iter().flat_map(|lint| {
        let findings = lint.findings.iter();
        findings.map(move |finding| {
            json!({
                "ruleId": finding.rule.name(),
                "ruleIndex": LintRule::ALL.iter().position(|rule| *rule == finding.rule),
                "level": level(finding),
                "message": { "text": plain(&message(finding, usize::MAX)) },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": artifact(&finding.file),
                    "region": { "startLine": finding.position.line.max(1), "startColumn": finding.position.column.max(1) },
                }}],
                "partialFingerprints": {
                    "countersignLint/v1": format!("{} {} {}", finding.rule.name(), finding.pointer, finding.message),
                },
                "properties": { "pointer": finding.pointer, "leftOut": finding.left_out },
            })
        })
    });
    json_text(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "countersign lint",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Value>(),
            }},
            "invocations": [{ "executionSuccessful": true }],
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Value>(),
        }],
    }))
}

/// Returns the first findings as GitHub's workflow commands, one per line.
#[must_use]
pub fn lint_github(lints: &[LintReport]) -> String {
    let findings = || lints.iter().flat_map(|lint| &lint.findings);
    let annotations = findings().take(MAX_SHOWN).map(|finding| {
        let properties = [
            ("file", repository_path(&finding.file)),
            ("line", finding.position.line.max(1).to_string()),
            ("col", finding.position.column.max(1).to_string()),
            ("title", finding.rule.name().to_owned()),
        ];
        command(
            level(finding),
            &properties,
            &clipped(&message(finding, MAX_NAMED), LONGEST),
        )
    });
    let mut lines: Vec<_> = annotations.collect();
    let mut closing: Vec<_> = lints
        .iter()
        .map(|lint| format!("{}: {}", lint.file, verdict(lint)))
        .collect();
    let more = findings().count().saturating_sub(MAX_SHOWN);
    if more > 0 {
        closing.push(format!("{} not annotated", more_are(more, "defect")));
    }
    let closing = clipped(&closing.join("; "), LONGEST);
    lines.push(command("notice", &[("title", "countersign lint".to_owned())], &closing));
    lines.join("\n") + "\n"
}

/// Returns the findings as Markdown of at most `max_bytes` bytes, for the summary of a step. Its last line counts those
/// that do not fit.
#[must_use]
pub fn lint_markdown_within(lints: &[LintReport], max_bytes: usize) -> String {
    let (text, more) = first_findings(lints, max_bytes);
    if more == 0 {
        return text;
    }
    let (mut text, more) = first_findings(lints, max_bytes.saturating_sub(LEFT_OUT));
    let more = format!("\n{} not listed here.\n", more_are(more, "defect"));
    if text.len() + more.len() <= max_bytes {
        text.push_str(&more);
    }
    text
}

/// Returns the first findings as Markdown of at most `max_bytes` bytes, and the number of the others.
fn first_findings(lints: &[LintReport], max_bytes: usize) -> (String, usize) {
    let mut text = String::new();
    let mut more = lints.iter().map(|lint| lint.findings.len()).sum();
    for lint in lints {
        let lines = lint.findings.iter().map(|finding| entry(finding, MAX_NAMED));
        let head = format!(
            "### {}\n\n",
            super::markdown::code(&format!("{}: {}", lint.file, verdict(lint)))
        );
        let lines =
            lines.map(|entry| format!("- {}\n", super::markdown::code(&clipped(&on_one_line(&entry), LONGEST))));
        let parts = [(head, 0)].into_iter().chain(lines.map(|line| (line, 1)));
        for (part, findings) in parts.chain([("\n".to_owned(), 0)]) {
            if text.len() + part.len() > max_bytes {
                return (text, more);
            }
            text.push_str(&part);
            more -= findings;
        }
    }
    (text, more)
}

/// A finding is an error if it makes a check leave out whatever refers to it, or makes the document unreadable.
fn level(finding: &LintFinding) -> &'static str {
    if finding.is_error { "error" } else { "warning" }
}

fn verdict(lint: &LintReport) -> String {
    match lint.findings.len() {
        0 => "no defect".to_owned(),
        count => counted(count, "defect"),
    }
}

/// Returns the message with the first operations that are left out.
fn message(finding: &LintFinding, max_named: usize) -> String {
    let named: Vec<_> = finding.left_out.iter().take(max_named).cloned().collect();
    match finding.left_out.len().saturating_sub(max_named) {
        _ if named.is_empty() => finding.message.clone(),
        0 => format!("{}; a check leaves out {}", finding.message, named.join(", ")),
        more => format!(
            "{}; a check leaves out {} and {more} more",
            finding.message,
            named.join(", ")
        ),
    }
}

fn entry(finding: &LintFinding, max_named: usize) -> String {
    let (position, pointer) = (finding.position, &finding.pointer);
    let place = if pointer.is_empty() {
        String::new()
    } else {
        format!(" ({pointer})")
    };
    format!(
        "{}:{}:{}{place}: {} [{}]",
        finding.file,
        position.line,
        position.column,
        message(finding, max_named),
        finding.rule.name()
    )
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn a_summary_of_a_step_that_has_no_room_for_all_counts_the_rest() {
        let mut text = "openapi: 3.0.3\ninfo: {title: Things, version: '1'}\npaths:\n".to_owned();
        for number in 0..40 {
            writeln!(text, "  /things{number}:\n    get: {{}}").unwrap();
        }
        let lints = [crate::lint::lint("api.yaml", text)];
        let all = lints[0].findings.len();
        assert!(all >= 40, "{all}");
        let whole = lint_markdown_within(&lints, usize::MAX);
        assert!(!whole.contains("more defect"), "{whole}");
        assert_eq!(lint_markdown_within(&lints, whole.len()), whole);
        for max_bytes in [whole.len() - 2, whole.len() / 2, 500, 100, 10, 0] {
            let part = lint_markdown_within(&lints, max_bytes);
            assert!(part.len() <= max_bytes, "{} > {max_bytes}", part.len());
            let listed = part.lines().filter(|line| line.starts_with("- ")).count();
            let more = format!("\n{} not listed here.\n", more_are(all - listed, "defect"));
            assert!(max_bytes < 100 || part.ends_with(&more), "{part}");
        }
    }
}
