//! Lists what is wrong with a document: the defects because of which a check leaves operations out, and what does not
//! stop a check but is probably not what the document's author meant.
//!
//! - **In**: the text of an OpenAPI document, and the name that messages give it.
//! - **Out**: a [`LintReport`]: each finding with its rule, line, column, JSON pointer, and what to do.
//! - **Start with** [`lint`].
//!
//! ```
//! use countersign::lint::{LintRule, lint};
//!
//! let text = "
//! openapi: 3.0.3
//! info: {title: Things, version: '1'}
//! paths:
//!   /things/{id}:
//!     get:
//!       responses: {'204': {description: Nothing}}
//! ";
//! let found = lint("things.yaml", text.to_owned());
//! let finding = &found.findings[0];
//! assert_eq!(finding.rule, LintRule::MissingPathParameter);
//! assert_eq!((finding.position.line, finding.position.column), (6, 5));
//! ```
//!
//! # Design
//!
//! What the contract's reader reports is taken from it, so that a check and `lint` use the same words. The rules of
//! this module find what does not stop a check, and is probably a mistake.

mod endless;
mod operations;
mod references;
mod rule;
mod schemas;
mod security;
mod syntax;

use std::collections::HashMap;

use crate::contract::Contract;
use crate::contract::bundle::OtherFiles;
use crate::contract::defect::{Defect, Defects, MAX_DEFECTS, MAX_TEXT, Problem};
use crate::contract::document::{Document, Node, NodeKind, Position};
use crate::contract::openapi::{Visited, visit_objects};
pub use rule::LintRule;

/// What is wrong with one document.
#[derive(Clone, Debug)]
pub struct LintReport {
    /// The file's name as it was given.
    pub file: String,
    /// The findings, in the order of the file.
    pub findings: Vec<LintFinding>,
}

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// The rule.
    pub rule: LintRule,
    /// The file: the document's own, or one that it refers to.
    pub file: String,
    /// The line and column.
    pub position: Position,
    /// The JSON pointer in the document; empty for the whole document, or for a place in its text.
    pub pointer: String,
    /// What is wrong, and what to do.
    pub message: String,
    /// Whether it is an error: it makes a check leave out whatever refers to it, or makes the document unreadable.
    pub is_error: bool,
    /// The operations that a check leaves out because of this. If several findings concern an operation, only the first
    /// one names it.
    pub left_out: Vec<String>,
}

/// Lists what is wrong with a document. `name` is the file's name; one that ends in `.json` must be strict JSON.
#[must_use]
pub fn lint(name: &str, text: String) -> LintReport {
    lint_with_files(name, text, None)
}

/// Lists what is wrong with a document and the files beside it that it refers to.
#[must_use]
pub fn lint_with_files(name: &str, text: String, other_files: Option<OtherFiles<'_>>) -> LintReport {
    let mut findings = Findings::default();
    let is_read_as_written = syntax::check(name, &text, &mut findings);
    match Document::read_allowing_repeated_names(name, text)
        .map(|document| match other_files {
            Some(other_files) => document.with_files(other_files),
            None => document,
        })
        .map_err(Defects::from)
        .and_then(Contract::read_partly_or_empty)
    {
        // What our reader makes of a text with a comment, for example, is not what is written.
        Ok(_) if !is_read_as_written => {}
        Ok(contract) => {
            let place = |defect: &Defect| (defect.position, defect.pointer.clone());
            let mut left_out: HashMap<_, Vec<String>> = HashMap::new();
            for operation in &contract.omitted {
                let named = left_out.entry(place(&operation.defect)).or_default();
                named.push(operation.name.clone());
            }
            for defect in &contract.defects {
                findings.push(LintFinding {
                    left_out: left_out.remove(&place(defect)).unwrap_or_default(),
                    ..finding(defect)
                });
            }
            rules(&contract.document, &mut findings);
        }
        Err(defects) => defects.iter().for_each(|defect| findings.push(finding(defect))),
    }
    let mut findings = findings.findings;
    findings.sort_by_key(|finding| (finding.position, finding.rule));
    LintReport {
        file: name.to_owned(),
        findings,
    }
}

fn finding(defect: &Defect) -> LintFinding {
    LintFinding {
        rule: LintRule::of(&defect.problem),
        file: defect.file.clone(),
        position: defect.position,
        pointer: defect.pointer.clone(),
        message: defect.problem.to_string(),
        is_error: !defect.problem.is_warning(),
        left_out: Vec::new(),
    }
}

/// Applies the rules that find what does not stop a check.
fn rules(document: &Document, findings: &mut Findings) {
    let mut patterns = schemas::Patterns::default();
    visit_objects(document, &mut |visited, node, pointer| {
        let at = LocatedNode {
            document,
            node,
            pointer,
        };
        match visited {
            Visited::UnquotedString => {
                let message = format!("this must be a string, not {}; quote it", node.kind_name());
                findings.add_at(&at, "", LintRule::WrongType, message);
            }
            Visited::Object("schema") => schemas::check(&at, &mut patterns, findings),
            Visited::Object("info object") => at.must_be_objects(&["contact", "license"], findings),
            Visited::Object("OpenAPI document" | "operation") => security::check_requirements(&at, findings),
            Visited::Object("parameter") => operations::check_parameter(&at, findings),
            Visited::Object("response") => operations::check_response(&at, findings),
            Visited::Object("responses object") => operations::check_responses(&at, findings),
            Visited::Object("security scheme") => security::check_scheme(&at, findings),
            Visited::Object(_) => {}
        }
    });
    operations::check_templates(document, findings);
    operations::check_paths(document, findings);
    references::check(document, findings);
    endless::check(document, findings);
}

/// A node of a document and its location.
struct LocatedNode<'document> {
    document: &'document Document,
    node: &'document Node,
    pointer: &'document str,
}

impl LocatedNode<'_> {
    /// Reports each of these members that is no object.
    fn must_be_objects(&self, names: &[&str], findings: &mut Findings) {
        for name in names {
            if let Some(node) = self.node.member(name)
                && !matches!(node.kind, NodeKind::Object(_))
            {
                let message = format!("this must be an object, not {}; correct the value", node.kind_name());
                findings.add_at(self, name, LintRule::WrongType, message);
            }
        }
    }
}

/// Collects findings, up to as many as there may be defects.
#[derive(Debug, Default)]
struct Findings {
    findings: Vec<LintFinding>,
    /// The length of their pointers and messages, which [`MAX_TEXT`] limits.
    text_length: usize,
    is_full: bool,
}

impl Findings {
    /// Keeps a finding. Beyond the bound, keeps one that says so, and nothing after it.
    fn push(&mut self, finding: LintFinding) {
        if self.is_full {
            return;
        }
        self.text_length += finding.pointer.len() + finding.message.len();
        if self.findings.len() < MAX_DEFECTS && self.text_length <= MAX_TEXT {
            return self.findings.push(finding);
        }
        self.is_full = true;
        let problem = Problem::TooManyDefects {
            maximum: self.findings.len(),
        };
        self.findings.push(LintFinding {
            rule: LintRule::of(&problem),
            message: problem.to_string(),
            left_out: Vec::new(),
            ..finding
        });
    }

    /// Adds a finding at a member of the node, or at the node itself where the name is empty.
    fn add_at(&mut self, at: &LocatedNode<'_>, member: &str, rule: LintRule, message: String) {
        if self.is_full {
            return;
        }
        let pointer = match member {
            "" => at.pointer.to_owned(),
            member => crate::contract::pointer::join(at.pointer, member),
        };
        let position = at.document.position(&pointer);
        self.push(LintFinding {
            rule,
            file: at.document.file(position).to_owned(),
            position,
            pointer: at.document.pointer_in_text(&pointer).into_owned(),
            message,
            is_error: false,
            left_out: Vec::new(),
        });
    }
}

#[cfg(test)]
mod tests;
