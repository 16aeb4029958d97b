//! `countersign rules`: lists every rule on one page.

use std::fmt::Write as _;

use super::edge;
use super::failure::Failure;
use super::wrap::hanging_indent;
use crate::rules::{RULES, Rule};

/// Prints each rule with its level, its summary and its source.
pub(super) fn run() -> Result<u8, Failure> {
    edge::print(&page(RULES, edge::line_width()))?;
    Ok(0)
}

fn page(rules: &[&Rule], width: usize) -> String {
    let names = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in rules {
        let head = format!("{:<names$}  {:<5}  ", rule.name, rule.level.to_string());
        let below = " ".repeat(head.len());
        // Writing into a String does not fail.
        let _ = writeln!(text, "{}", hanging_indent(&head, rule.summary, width));
        let _ = writeln!(
            text,
            "{}",
            hanging_indent(&format!("{below}source: "), rule.source, width)
        );
    }
    let _ = writeln!(
        text,
        "{} rules; `countersign explain RULE` explains one, `check --deny RULE`, --warn and --allow set its level",
        rules.len()
    );
    text
}
