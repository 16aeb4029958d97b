//! Breaks of the document, written by hand as responses that a service may well send: what APIs, serialisers and
//! gateways get wrong. They are made without the contract and without the faults of the service, so that a mistake that
//! those two share shows up here.
//!
//! A row of a table is an operation; what is replaced in its response; the replacement; and every finding that must
//! result, with rule and location, after `operation:` if it appears in another operation's response. What is replaced
//! is a text of the body, in which `…` matches anything inside quotes or between commas; or the whole `body`, the
//! `status`, a `header`, or the `connection`. A text of the request may follow the operation; otherwise the successes
//! are changed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::mem::discriminant;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use countersign::Recording;
use countersign::contract::fact::FactKind;
use countersign::exchange::{Credential, Exchange};
use countersign::report::Outcome;

use super::checked::{Check, Judged, Said, contract};
use crate::support::again::{answered, response};
use crate::support::parallel::{each, runtime};
use crate::support::tried;

const ERRORS: &str = include_str!("breaks/errors.txt");
const WARNINGS: &str = include_str!("breaks/warnings.txt");
const OPEN: &str = include_str!("breaks/open.txt");

/// The rules that compare a response with what was sent or with other responses.
const OF_SEVERAL: [&str; 4] = ["stored-values", "listed", "other-records", "stored-spelling"];

struct Row {
    line: &'static str,
    operation: &'static str,
    /// A text of the request.
    asked: &'static str,
    from: &'static str,
    to: &'static str,
    found: BTreeSet<String>,
}

fn rows(table: &'static str) -> Vec<Row> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(Row::of).collect()
}

/// The rows of a table that are tried: of those that change responses to the same requests and break the same rules
/// every third, or all.
fn tried_rows(table: &'static str) -> Vec<Row> {
    let mut alike: BTreeMap<_, usize> = BTreeMap::new();
    let mut rows = rows(table);
    rows.retain(|row| {
        let rules: Vec<_> = row.found.iter().map(|found| rule_of(found).to_owned()).collect();
        let before = alike.entry((row.asked, rules)).or_default();
        *before += 1;
        (*before - 1).is_multiple_of(tried(3, 1))
    });
    rows
}

/// The rule of what a row says is found.
fn rule_of(found: &str) -> &str {
    let (_, found) = found.split_once(": ").unwrap();
    found.split(' ').next().unwrap()
}

impl Row {
    fn of(line: &'static str) -> Self {
        let mut cells = line.split(" | ");
        let mut cell = || cells.next().unwrap_or_default().trim_end_matches(" |");
        let (called, from, to, found) = (cell(), cell(), cell(), cell());
        let (operation, asked) = called.split_once(' ').unwrap_or((called, ""));
        let here = |found: &str| match found.split_once(": ") {
            Some(_) => found.to_owned(),
            None => format!("{operation}: {found}"),
        };
        let found = found.split("; ").filter(|found| !found.is_empty()).map(here).collect();
        Self {
            line,
            operation,
            asked,
            from,
            to: to.trim(),
            found,
        }
    }

    fn edited(&self, exchange: &Exchange) -> Option<Exchange> {
        let is_called = contract().operation(exchange.request.operation).name == self.operation;
        let mut response = response(exchange).filter(|_| is_called && sent(exchange).contains(self.asked))?;
        if self.asked.is_empty() && !response.status().is_success() {
            return None;
        }
        match self.from.split_once(' ').unwrap_or((self.from, "")) {
            ("body", "") => *response.body_mut() = raw(self.to),
            ("connection", "") => return Some(answered(exchange, None)),
            ("status", "") => *response.status_mut() = self.to.parse::<StatusCode>().unwrap(),
            ("header", name) => {
                response.headers_mut().remove(name);
                if !self.to.is_empty() {
                    let value = HeaderValue::from_static(self.to);
                    response.headers_mut().insert(HeaderName::from_static(name), value);
                }
            }
            _ => {
                let body = str::from_utf8(response.body()).unwrap();
                *response.body_mut() = raw(&replaced(body, self.from, self.to)?);
            }
        }
        Some(answered(exchange, Some(response)))
    }
}

/// Who asked, for what, and the body.
fn sent(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let credential = match request.credential {
        Credential::None => "no credential",
        Credential::OtherScheme { .. } => "another scheme",
        Credential::Token { .. } => request.spelling.scheme(),
        _ => "wrong token",
    };
    format!(
        "{credential} {} {}",
        request.path,
        request.body_text().unwrap_or_default()
    )
}

/// A text of a table with what a table cannot show.
fn raw(text: &str) -> Bytes {
    let text = text
        .replace('⏎', "\r\n")
        .replace('⇥', "\t")
        .replace("<BOM>", "\u{feff}");
    let parts: Vec<_> = text.split("<FF>").map(str::as_bytes).collect();
    parts.join(&0xFF).into()
}

/// The text with every location that is like `from` as `to` has it; none where there is no such location.
fn replaced(text: &str, from: &str, to: &str) -> Option<String> {
    let (mut done, mut rest) = (String::new(), text);
    while let Some((before, held, after)) = next(rest, from) {
        let mut held = held.into_iter();
        let pieces: Vec<_> = to.split('…').collect();
        done.push_str(before);
        done.push_str(pieces[0]);
        for piece in &pieces[1..] {
            done.push_str(held.next().unwrap());
            done.push_str(piece);
        }
        rest = after;
    }
    (rest.len() < text.len()).then(|| done + rest)
}

/// The first place that is like `from`: what is before it, what each `…` stands for, and what is behind it.
fn next<'text>(text: &'text str, from: &str) -> Option<(&'text str, Vec<&'text str>, &'text str)> {
    let mut pieces = from.split('…');
    let first = pieces.next()?;
    let held = |mut rest: &'text str| {
        let each = pieces.clone().map(|piece| {
            let end = rest.find(['"', '\\', ',', '{', '}', '[', ']']).unwrap_or(rest.len());
            // At the end of `from` it stands for all that there is.
            let length = if piece.is_empty() {
                end
            } else {
                rest.find(piece).filter(|length| *length <= end)?
            };
            let (held, after) = rest.split_at(length);
            rest = &after[piece.len()..];
            Some(held)
        });
        let held = each.collect::<Option<Vec<_>>>()?;
        Some((held, rest))
    };
    let mut starts = text.match_indices(first);
    starts.find_map(|(start, _)| {
        let (held, after) = held(&text[start + first.len()..])?;
        Some((&text[..start], held, after))
    })
}

impl Row {
    /// The checks whose recordings may have a response that the row changes: first those of its operation and what that
    /// needs, where what is found shows in one response. Every second one is for the rows about edge cases that the one
    /// before lacks.
    fn checks(&self) -> Vec<Check> {
        let own = format!("{}: ", self.operation);
        let shows_alone = |found: &String| found.starts_with(&own) && !OF_SEVERAL.contains(&rule_of(found));
        let few = self
            .found
            .iter()
            .all(shows_alone)
            .then(|| Check::concerning(self.operation));
        let every_edge_case = true;
        let with_all = |check: Check| {
            [
                check,
                Check {
                    every_edge_case,
                    ..check
                },
            ]
        };
        few.into_iter().chain([Check::DEFAULT]).flat_map(with_all).collect()
    }

    /// The first recording with a response that the row changes.
    async fn recording(&self) -> Option<Arc<Recording>> {
        for check in self.checks() {
            let recording = check.recording().await;
            let is_edited = recording
                .exchanges()
                .any(|(exchange, _)| self.edited(exchange).is_some());
            if is_edited {
                return Some(recording);
            }
        }
        None
    }

    /// The kinds of the facts that are found broken in the first recording with a response that the row changes; else
    /// what is found otherwise than the row says.
    async fn judged(&self, outcome: Outcome) -> Result<Vec<FactKind>, String> {
        let Some(recording) = self.recording().await else {
            return Err(format!("{}\n  no response is edited", self.line));
        };
        let judged = Judged::edited(&recording, |exchange| self.edited(exchange));
        let reported = |said: &Said| {
            format!("{}: {} {}", said.operation, said.rule, said.pointer)
                .trim_end()
                .to_owned()
        };
        let found: BTreeSet<_> = judged.findings().map(reported).collect();
        if found != self.found || judged.outcome != outcome {
            return Err(format!("{}\n  {:?}, {found:#?}", self.line, judged.outcome));
        }
        Ok(judged.findings().map(|said| kind_of(&said.fact)).collect())
    }
}

fn kind_of(name: &str) -> FactKind {
    let mut facts = contract().facts.iter();
    facts.find(|fact| fact.name == name).unwrap().kind
}

/// The kinds of the facts that the rows of a table break, where each is judged as it says.
fn assert_judged(table: &'static str, outcome: Outcome) -> Vec<FactKind> {
    let judged = each(tried_rows(table), runtime, |runtime, row| {
        runtime.block_on(row.judged(outcome))
    });
    let (mut kinds, mut misses) = (Vec::new(), Vec::new());
    let count = judged.len();
    for row in judged {
        match row {
            Ok(of_row) => kinds.extend(of_row),
            Err(miss) => misses.push(miss),
        }
    }
    misses.sort();
    assert!(
        misses.is_empty(),
        "{} of {count} rows:\n{}",
        misses.len(),
        misses.join("\n")
    );
    kinds
}

#[test]
fn every_break_is_found_where_it_is_and_every_kind_of_fact_has_one() {
    let errors = assert_judged(ERRORS, Outcome::DoesNotConform);
    let warnings = assert_judged(WARNINGS, Outcome::Conforms);
    let broken: HashSet<_> = [errors, warnings]
        .concat()
        .into_iter()
        .map(|kind| discriminant(&kind))
        .collect();
    for fact in &contract().facts {
        let is_broken = broken.contains(&discriminant(&fact.kind));
        assert_eq!(is_broken, shows_in_one_response(fact.kind), "{:?}", fact.kind);
    }
}

#[test]
fn what_the_document_leaves_open_is_silent() {
    assert_judged(OPEN, Outcome::Conforms);
}

/// What an edit of one response shows; what takes several responses is of the faults of the service.
fn shows_in_one_response(kind: FactKind) -> bool {
    match kind {
        FactKind::ForbiddenFieldAbsent
        | FactKind::AcceptsTimestampFormat(_)
        | FactKind::Carried(_)
        | FactKind::Challenge
        | FactKind::NoOtherFields
        | FactKind::CompleteResponse
        | FactKind::Decodes
        | FactKind::IdentifierFitsPath
        | FactKind::IdentifierUnique
        | FactKind::Json
        | FactKind::Listed
        | FactKind::ListedCarrying(_)
        | FactKind::MediaType
        | FactKind::RejectsNoCredential
        | FactKind::NoServerError
        | FactKind::NotElsewhere
        | FactKind::EdgeCaseCompleteResponse
        | FactKind::EdgeCaseNoServerError
        | FactKind::RejectsOtherScheme
        | FactKind::PageAsked
        | FactKind::PageDefault
        | FactKind::PageFull
        | FactKind::PageLast
        | FactKind::PageSize
        | FactKind::PageTotal
        | FactKind::PageUnique
        | FactKind::Present
        | FactKind::Status
        | FactKind::Type
        | FactKind::ListedAfterUpdateCarrying(_)
        | FactKind::RejectsWrongToken => true,
        // The same request written plainly; the list before and after. Of the others the document states none.
        FactKind::Answer(_)
        | FactKind::Equivalent(_)
        | FactKind::NoExtraRecord
        | FactKind::Assertion
        | FactKind::FailureJson(_)
        | FactKind::FailureMediaType(_)
        | FactKind::ChangeTimeMoves
        | FactKind::CreationTimeKept
        | FactKind::DefaultAfterCreate
        | FactKind::DefaultAfterReplace
        | FactKind::FieldsKeptByUpdate
        | FactKind::Filtered(_)
        | FactKind::OfRecordInPath(_)
        | FactKind::GoneAfterDelete
        | FactKind::InferredPages(_)
        | FactKind::InferredListed
        | FactKind::InferredListedOnce
        | FactKind::ListedAsRead
        | FactKind::OtherKeptByDelete
        | FactKind::OtherKeptByUpdate
        | FactKind::ReadAfterCreate
        | FactKind::ReadAfterCreateCarrying(_)
        | FactKind::ReadAfterUpdateCarrying(_)
        | FactKind::ResponseAfterCreate
        | FactKind::ResponseAfterUpdate
        | FactKind::SameAfterRepeatedUpdate
        | FactKind::Sorted(_)
        | FactKind::UnlistedAfterDelete => false,
    }
}
