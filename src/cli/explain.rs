//! `countersign explain RULE`: prints what a rule judges, why, and what to do about a finding.

use clap::Args;

use super::edge;
use super::failure::Failure;
use super::wrap::hanging_indent;
use crate::rules::{Level, Rule};

/// The arguments of `explain`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The rule; `countersign rules` lists all
    rule: String,
}

/// Prints everything about a rule.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let rule = Rule::named(&arguments.rule)?;
    edge::print(&page(rule, edge::line_width()))?;
    Ok(0)
}

fn page(rule: &Rule, width: usize) -> String {
    let plain = |text: &str| hanging_indent("", text, width);
    let part = |name: &str, text: &str| hanging_indent(&format!("{name:<14}"), text, width);
    let below = |name: &str, text: &str| hanging_indent(&format!("  {name:<12}"), text, width);
    let example = &rule.example;
    let location = match example.pointer {
        "" => String::new(),
        pointer => format!(" at {pointer}"),
    };
    let lines = [
        format!("{}: {}", rule.name, rule.level),
        String::new(),
        plain(rule.summary),
        String::new(),
        plain(rule.explanation),
        String::new(),
        part("ignores", rule.exceptions),
        part("fix", rule.fix),
        part("source", rule.source),
        part("level", &level(rule)),
        String::new(),
        part("example", example.fact),
        below("documented", example.documented),
        below("received", &format!("{}{location}", example.received)),
    ];
    lines.join("\n") + "\n"
}

/// Describes the rule's level and the flags that change it.
fn level(rule: &Rule) -> String {
    let name = rule.name;
    let flags = [
        (Level::Deny, format!("--deny {name} makes it fail the run")),
        (Level::Warn, format!("--warn {name} reports it without failing")),
        (Level::Allow, format!("--allow {name} reports nothing")),
    ];
    let others = flags.into_iter().filter(|(level, _)| *level != rule.level);
    let meaning = match rule.level {
        Level::Allow => "a finding is not reported",
        Level::Deny => "a finding fails the run",
        Level::Warn => "a finding is reported, and the run may still conform",
    };
    let others: Vec<_> = others.map(|(_, words)| words).collect();
    format!("{}: {meaning}; {}", rule.level, others.join(", "))
}
