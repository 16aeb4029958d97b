//! What only our own keys state, and what concerns the whole document: invariants, gaps, servers; and the facts that one
//! of the two states alone.

use std::collections::HashSet;

use serde_json::Value;

use super::difference::{ClientEffect, FactChange, FactChanges, Side, Spot};
use super::kind::Kind;
use super::operations::{Both, Comparison, spot};
use super::range::Relation;
use super::source::{At, Source};
use super::walk::Found;
use crate::contract::Contract;
use crate::contract::document::Document;
use crate::contract::fact::Fact;
use crate::contract::pointer;

impl<'both> Comparison<'both> {
    /// Compares what concerns the whole document.
    pub(super) fn document(&mut self) {
        self.servers();
        self.gaps();
        self.security_schemes();
    }

    fn servers(&mut self) {
        let urls = |source: &Source<'both>| -> Vec<(&'both str, String)> {
            let servers = source.at("/servers");
            let all = servers.iter().flat_map(At::elements).collect::<Vec<_>>();
            all.iter()
                .filter_map(|at| Some((at.string("url")?, at.pointer.clone())))
                .collect()
        };
        let (was, is) = (urls(self.old), urls(self.new));
        let root = |source: &Source<'_>| source.at("/servers").map_or(String::new(), |at| at.pointer);
        let above = (root(self.old), root(self.new));
        for (url, place) in was.iter().filter(|(url, _)| !is.iter().any(|(other, _)| other == url)) {
            let relation = Relation::Unclear("whether the service still answers there is not said");
            let spots = (Spot::at(place), Spot::missing_from(&above.1));
            self.emit(
                Side::Operation,
                news(Kind::Servers, relation, format!("the server `{url}` is gone")),
                spots,
            );
        }
        for (url, place) in is.iter().filter(|(url, _)| !was.iter().any(|(other, _)| other == url)) {
            let spots = (Spot::missing_from(&above.0), Spot::at(place));
            self.emit(
                Side::Operation,
                news(Kind::Servers, Relation::News, format!("the server `{url}` is new")),
                spots,
            );
        }
    }

    fn gaps(&mut self) {
        let gaps = |source: &Source<'both>| -> Vec<(&'both str, At<'both>)> {
            let all = source.at("/x-gaps");
            let all = all.iter().flat_map(At::elements).collect::<Vec<_>>();
            all.into_iter().filter_map(|at| Some((at.string("id")?, at))).collect()
        };
        let (was, is) = (gaps(self.old), gaps(self.new));
        let question = |at: &At<'_>| at.string("question").unwrap_or_default().to_owned();
        for (id, at) in was.iter().filter(|(id, _)| !is.iter().any(|(other, _)| other == id)) {
            let predicate = format!("the gap `{id}` is closed: {}", question(at));
            let spots = (Spot::at(&at.pointer), Spot::missing_from("/x-gaps"));
            self.emit(Side::Operation, news(Kind::Gap, Relation::News, predicate), spots);
        }
        for (id, at) in is.iter().filter(|(id, _)| !was.iter().any(|(other, _)| other == id)) {
            let relation =
                Relation::Unclear("what was left open may have been relied on, or may never have been stated");
            let predicate = format!("the gap `{id}` is new: {}", question(at));
            let spots = (Spot::missing_from("/x-gaps"), Spot::at(&at.pointer));
            self.emit(Side::Operation, news(Kind::Gap, relation, predicate), spots);
        }
    }

    /// Compares the invariants of an operation, statement by statement.
    pub(super) fn invariants(&mut self, both: Both<'_, 'both>) {
        let (was, is) = (invariants(&both.old.at), invariants(&both.new.at));
        let key = |statement: &(String, String)| statement.0.split(':').next().unwrap_or_default().to_owned();
        let above = |at: &At<'_>, statement: &(String, String)| spot(at, &key(statement)).pointer;
        for lost in was
            .iter()
            .filter(|(text, _)| !is.iter().any(|(other, _)| other == text))
        {
            let spots = (Spot::at(&lost.1), Spot::missing_from(above(&both.new.at, lost)));
            let mut found = news(
                Kind::InvariantLost,
                Relation::Wider,
                format!("the invariant is gone: {}", lost.0),
            );
            found.client = ClientEffect::None;
            self.emit(Side::Response, found, spots);
        }
        for gained in is
            .iter()
            .filter(|(text, _)| !was.iter().any(|(other, _)| other == text))
        {
            let spots = (Spot::missing_from(above(&both.old.at, gained)), Spot::at(&gained.1));
            let found = news(
                Kind::InvariantGained,
                Relation::Narrower,
                format!("the invariant is new: {}", gained.0),
            );
            self.emit(Side::Response, found, spots);
        }
    }
}

fn news(kind: Kind, relation: Relation, predicate: String) -> Found {
    Found {
        kind,
        relation,
        client: ClientEffect::None,
        predicate,
    }
}

/// Returns the statements of an operation's invariants, each with its location.
fn invariants(operation: &At<'_>) -> Vec<(String, String)> {
    let mut statements = Vec::new();
    for key in ["x-page", "x-invariants"] {
        if let Some(at) = operation.member(key) {
            flatten(&at.node.to_value(), key, &at.pointer, &mut statements);
        }
    }
    statements
}

/// Splits objects into their members, and arrays into elements, which are statements of their own.
fn flatten(value: &Value, text: &str, place: &str, statements: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let text = format!("{text}: {name}");
                flatten(member, &text, &pointer::join(place, name), statements);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                let place = pointer::join(place, &index.to_string());
                statements.push((format!("{text}: {}", in_words(element)), place));
            }
        }
        other => statements.push((format!("{text}: {}", in_words(other)), place.to_owned())),
    }
}

fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(members) => {
            let mut members: Vec<_> = members
                .iter()
                .map(|(name, member)| format!("{name} {}", in_words(member)))
                .collect();
            members.sort();
            members.join(", ")
        }
        other => other.to_string(),
    }
}

/// Returns the facts that only one of the two documents states.
pub(super) fn facts(old: &Document, new: &Document) -> FactChanges {
    let read = |document: &Document| Contract::read(&document.name, document.text.clone());
    let (was, is) = match (read(old), read(new)) {
        (Ok(was), Ok(is)) => (was, is),
        (Err(defect), _) | (_, Err(defect)) => {
            return FactChanges {
                not_compared: Some(defect.to_string()),
                ..FactChanges::default()
            };
        }
    };
    FactChanges {
        gained: only_in(&is, &was),
        lost: only_in(&was, &is),
        not_compared: None,
    }
}

/// Returns the facts of one contract that the other does not state, whatever the operations are called.
fn only_in(contract: &Contract, other: &Contract) -> Vec<FactChange> {
    fn key<'contract>(
        contract: &'contract Contract,
        fact: &'contract Fact,
    ) -> (&'static str, &'contract str, &'contract str) {
        let operation = contract.operation(fact.operation);
        let rest = fact.name.strip_prefix(operation.name.as_str()).unwrap_or(&fact.name);
        (operation.method.as_str(), &operation.path, rest)
    }
    let known: HashSet<_> = other.facts.iter().map(|fact| key(other, fact)).collect();
    let lone = contract
        .facts
        .iter()
        .filter(|fact| !known.contains(&key(contract, fact)));
    lone.map(|fact| FactChange {
        name: fact.name.to_string(),
        line: contract.position(fact).line,
    })
    .collect()
}
