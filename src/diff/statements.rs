//! Compares what only our own keys state, and what concerns the whole document: invariants, gaps, servers. Also finds
//! the facts that only one of the two documents states.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use serde_json::Value;

use super::difference::{ClientEffect, FactChange, FactChanges, Location, Side};
use super::kind::Kind;
use super::operations::{Comparison, Operation, OperationPair, location_of_member, template};
use super::range::Relation;
use super::schemas::FoundDifference;
use super::source::{LocatedNode, Source, only_in_first, state_the_same};
use crate::contract::Contract;
use crate::contract::document::{Document, Node};
use crate::contract::fact::{Fact, FactKind};
use crate::contract::pointer;

impl<'both> Comparison<'both> {
    /// Compares what concerns the whole document.
    pub(super) fn document(&mut self) {
        let root = |source: &Source<'both>| source.at("");
        if let (Some(old), Some(new)) = (root(self.old), root(self.new)) {
            self.servers((&old, &new));
        }
        self.gaps();
        self.security_schemes();
        self.uncompared_operations();
    }

    /// Reports operations that are not compared further, where what they state differs.
    fn uncompared_operations(&mut self) {
        let (was, is) = (uncompared_operations(self.old), uncompared_operations(self.new));
        for (key, (name, new)) in &is {
            match was.get(key) {
                None => {
                    let locations = (Location::missing_from(""), Location::at(&new.pointer));
                    self.uncompared_differs(format!("{name} is new"), locations);
                }
                Some((_, old)) if !state_the_same(None, (self.old, old), (self.new, new)) => {
                    let locations = (Location::at(&old.pointer), Location::at(&new.pointer));
                    self.uncompared_differs(format!("{name} differs"), locations);
                }
                Some(_) => {}
            }
        }
        for (_, (name, old)) in was.iter().filter(|(key, _)| !is.contains_key(*key)) {
            let locations = (Location::at(&old.pointer), Location::missing_from(""));
            self.uncompared_differs(format!("{name} is gone"), locations);
        }
    }

    fn uncompared_differs(&mut self, text: String, locations: (Location, Location)) {
        let relation =
            Relation::Unclear("webhooks, and operations that OpenAPI 3.1 does not have, are not compared further");
        self.emit(
            Side::Operation,
            without_client_effect(Kind::Keyword, relation, text),
            locations,
        );
    }

    /// Compares the servers of an operation, unless both documents leave it to those of the whole document.
    pub(super) fn servers_of(&mut self, both: OperationPair<'_, 'both>) {
        let own = |operation: &Operation<'both>| {
            let mut holders = [&operation.at, &operation.item].into_iter();
            holders.find(|holder| holder.member("servers").is_some()).cloned()
        };
        let (was, is) = (own(both.old), own(both.new));
        if was.is_none() && is.is_none() {
            return;
        }
        let (was, is) = (was.or_else(|| self.old.at("")), is.or_else(|| self.new.at("")));
        if let (Some(was), Some(is)) = (was, is) {
            self.servers((&was, &is));
        }
    }

    /// Compares the servers that two holders list.
    fn servers(&mut self, (old, new): (&LocatedNode<'both>, &LocatedNode<'both>)) {
        let (was, is) = (servers(old), servers(new));
        let above = (
            location_of_member(old, "servers").pointer,
            location_of_member(new, "servers").pointer,
        );
        let base_paths: HashSet<_> = is.iter().map(|server| &server.base_path).collect();
        for gone in only_in_first(&was, &is, Server::key) {
            let moved = !is.is_empty() && !base_paths.contains(&gone.base_path);
            let (relation, tail) = if moved {
                (Relation::Different, ", and no other has its path")
            } else {
                (
                    Relation::Unclear("whether the service still answers there is not said"),
                    "",
                )
            };
            let locations = (Location::at(&gone.at.pointer), Location::missing_from(&above.1));
            let text = format!("the server `{}` is gone{tail}", gone.url);
            self.emit(
                Side::Operation,
                without_client_effect(Kind::Servers, relation, text),
                locations,
            );
        }
        // Where none is listed, there is one at `/` (3.0.3, section 4.7.1).
        let moved = was.is_empty() && is.iter().all(|server| !server.base_path.is_empty());
        for added in only_in_first(&is, &was, Server::key) {
            let locations = (Location::missing_from(&above.0), Location::at(&added.at.pointer));
            let text = format!("the server `{}` is new", added.url);
            let relation = if moved {
                Relation::Unclear("none was listed, which stands for `/`; whether it answers there is not said")
            } else {
                Relation::Harmless
            };
            self.emit(
                Side::Operation,
                without_client_effect(Kind::Servers, relation, text),
                locations,
            );
        }
        let new_servers: HashMap<_, _> = is.iter().rev().map(|server| (server.key(), server)).collect();
        let pairs = was.iter().filter_map(|one| Some((one, *new_servers.get(one.key())?)));
        for (one, other) in pairs {
            if one.variables != other.variables {
                let reason = Relation::Unclear("whether the service still answers there is not said");
                let text = format!("what may stand for the variables of the server `{}` differs", one.url);
                let locations = (
                    location_of_member(&one.at, "variables"),
                    location_of_member(&other.at, "variables"),
                );
                self.emit(
                    Side::Operation,
                    without_client_effect(Kind::Servers, reason, text),
                    locations,
                );
            }
        }
    }

    fn gaps(&mut self) {
        let gaps = |source: &Source<'both>| -> Vec<(&'both str, LocatedNode<'both>)> {
            let all = source.at("/x-gaps");
            let all = all.iter().flat_map(LocatedNode::elements).collect::<Vec<_>>();
            all.into_iter().filter_map(|at| Some((at.string("id")?, at))).collect()
        };
        let (was, is) = (gaps(self.old), gaps(self.new));
        let question = |at: &LocatedNode<'_>| at.string("question").unwrap_or_default().to_owned();
        for (id, at) in only_in_first(&was, &is, |gap| gap.0) {
            let text = format!("the gap `{id}` is closed: {}", question(at));
            let locations = (Location::at(&at.pointer), Location::missing_from("/x-gaps"));
            self.emit(
                Side::Operation,
                without_client_effect(Kind::Gap, Relation::Harmless, text),
                locations,
            );
        }
        for (id, at) in only_in_first(&is, &was, |gap| gap.0) {
            let relation = Relation::Unclear(
                "callers may rely on what the new document leaves open; whether the old one stated it is not known",
            );
            let text = format!("the gap `{id}` is new: {}", question(at));
            let locations = (Location::missing_from("/x-gaps"), Location::at(&at.pointer));
            self.emit(
                Side::Operation,
                without_client_effect(Kind::Gap, relation, text),
                locations,
            );
        }
    }

    /// Compares the invariants of an operation, statement by statement.
    pub(super) fn invariants(&mut self, both: OperationPair<'_, 'both>) {
        let (was, is) = (invariants(&both.old.at), invariants(&both.new.at));
        let key = |statement: &(String, String)| statement.0.split(':').next().unwrap_or_default().to_owned();
        let above =
            |at: &LocatedNode<'_>, statement: &(String, String)| location_of_member(at, &key(statement)).pointer;
        for lost in only_in_first(&was, &is, |statement| &statement.0) {
            let locations = (Location::at(&lost.1), Location::missing_from(above(&both.new.at, lost)));
            let found = without_client_effect(
                Kind::InvariantLost,
                Relation::Wider,
                format!("the invariant is gone: {}", lost.0),
            );
            self.emit(Side::Response, found, locations);
        }
        for gained in only_in_first(&is, &was, |statement| &statement.0) {
            let locations = (
                Location::missing_from(above(&both.old.at, gained)),
                Location::at(&gained.1),
            );
            let found = without_client_effect(
                Kind::InvariantGained,
                Relation::Narrower,
                format!("the invariant is new: {}", gained.0),
            );
            self.emit(Side::Response, found, locations);
        }
    }
}

/// Returns the operations that are not compared further: webhooks, and those with a method that only OpenAPI 3.2 has.
/// The key of each is its name in sentences, without the names of the path's parameters.
fn uncompared_operations<'both>(source: &Source<'both>) -> IndexMap<String, (String, LocatedNode<'both>)> {
    let mut found = IndexMap::new();
    let webhooks = source.at("/webhooks");
    let is_no_extension = |(name, _): &(&str, LocatedNode<'_>)| !name.starts_with("x-");
    for (name, at) in webhooks.iter().flat_map(LocatedNode::members).filter(is_no_extension) {
        let name = format!("the webhook `{name}`");
        found.insert(name.clone(), (name, at));
    }
    let paths = source.at("/paths");
    for (path, item) in paths.iter().flat_map(LocatedNode::members).filter(is_no_extension) {
        let item = source.resolve(item);
        let query = item.member("query").map(|at| ("QUERY", at));
        let others = item.member("additionalOperations");
        let others = others.iter().flat_map(LocatedNode::members);
        for (method, at) in query.into_iter().chain(others) {
            let name = |path: &str| format!("the operation `{method} {path}`");
            found.insert(name(&template(path)), (name(path), at));
        }
    }
    found
}

/// A server that a document lists.
struct Server<'both> {
    url: &'both str,
    /// The path that every request begins with, with the defaults of its variables.
    base_path: String,
    variables: Option<Value>,
    at: LocatedNode<'both>,
}

impl Server<'_> {
    /// Returns what identifies it in a list.
    fn key(&self) -> &str {
        without_slash(self.url)
    }
}

fn servers<'both>(holder: &LocatedNode<'both>) -> Vec<Server<'both>> {
    let listed = holder.member("servers");
    let all = listed.iter().flat_map(LocatedNode::elements);
    all.filter_map(|at| {
        Some(Server {
            url: at.string("url")?,
            base_path: base_path(&at),
            variables: at.node.member("variables").map(without_descriptions),
            at,
        })
    })
    .collect()
}

/// Returns the path of a server's URL, with the defaults of its variables, without a slash at its end.
fn base_path(server: &LocatedNode<'_>) -> String {
    let mut url = server.string("url").unwrap_or_default().to_owned();
    for (name, variable) in server.member("variables").iter().flat_map(LocatedNode::members) {
        url = url.replace(&format!("{{{name}}}"), variable.string("default").unwrap_or_default());
    }
    let path = match url.split_once("//") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => url.trim_start_matches('/'),
    };
    without_slash(path).to_owned()
}

/// Returns the URL of a server without the slash at the end of its path, which changes no request in practice: a path
/// begins with one.
fn without_slash(url: &str) -> &str {
    url.strip_suffix('/').filter(|_| !url.contains('?')).unwrap_or(url)
}

/// Returns the variables of a server without their descriptions.
fn without_descriptions(variables: &Node) -> Value {
    let mut value = variables.to_value();
    for variable in value.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        if let Some(members) = variable.as_object_mut() {
            members.retain(|name, _| name == "default" || name == "enum");
        }
    }
    value
}

fn without_client_effect(kind: Kind, relation: Relation, text: String) -> FoundDifference {
    FoundDifference {
        kind,
        relation,
        client: ClientEffect::None,
        text,
    }
}

/// Returns the statements of an operation's invariants, each with its location.
fn invariants(operation: &LocatedNode<'_>) -> Vec<(String, String)> {
    let mut statements = Vec::new();
    for key in ["x-page", "x-invariants"] {
        if let Some(at) = operation.member(key) {
            flatten(&at.node.to_value(), key, &at.pointer, &mut statements);
        }
    }
    statements
}

/// Splits objects into their members, and arrays into elements, which are statements of their own.
fn flatten(value: &Value, text: &str, at: &str, statements: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let text = format!("{text}: {name}");
                flatten(member, &text, &pointer::join(at, name), statements);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                let at = pointer::join(at, &index.to_string());
                statements.push((format!("{text}: {}", in_words(element)), at));
            }
        }
        other => statements.push((format!("{text}: {}", in_words(other)), at.to_owned())),
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
    let read = |document: &Document| Contract::of_document(document.clone());
    let (was, is) = match (read(old), read(new)) {
        (Ok(was), Ok(is)) => (was, is),
        (Err(defects), _) | (_, Err(defects)) => {
            return FactChanges {
                not_compared: Some(defects.in_one_line()),
                ..FactChanges::default()
            };
        }
    };
    FactChanges {
        gained: facts_only_in(&is, &was),
        lost: facts_only_in(&was, &is),
        not_compared: None,
    }
}

/// Returns the facts of one contract that the other does not state, whatever the operations and the parameters of their
/// paths are called.
#[must_use]
pub fn facts_only_in(contract: &Contract, other: &Contract) -> Vec<FactChange> {
    fn key<'contract>(contract: &'contract Contract, fact: &'contract Fact) -> (&'static str, String, &'contract str) {
        let operation = contract.operation(fact.operation);
        let rest = fact.name.strip_prefix(operation.name.as_str()).unwrap_or(&fact.name);
        (operation.method.as_str(), template(&operation.path), rest)
    }
    let known: HashSet<_> = other.facts.iter().map(|fact| key(other, fact)).collect();
    // What the typed client or an overlay states is in no document.
    let of_overlay = |fact: &Fact| contract.document.is_of_overlay(contract.position(fact));
    let facts = contract.facts.iter();
    let stated = facts.filter(|fact| fact.kind != FactKind::Decodes && !of_overlay(fact));
    let lone = stated.filter(|fact| !known.contains(&key(contract, fact)));
    lone.map(|fact| {
        let position = contract.position(fact);
        FactChange {
            name: fact.name.to_string(),
            line: position.line,
            file: contract.document.other_file(position).map(str::to_owned),
        }
    })
    .collect()
}
