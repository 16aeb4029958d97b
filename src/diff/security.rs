//! How callers authenticate.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::difference::{ClientEffect, Location, Side};
use super::kind::Kind;
use super::operations::{Comparison, OperationPair, location_of_member};
use super::range::Relation;
use super::schemas::FoundDifference;
use super::source::{LocatedNode, Source, normalized_value, only_in_first};
use crate::contract::document::Node;

/// One way to authenticate: schemes that are all needed, each with its scopes. Without any, no credential is needed.
type Alternative = BTreeMap<String, (String, BTreeSet<String>)>;

impl<'both> Comparison<'both> {
    /// Compares how an operation's callers authenticate: each way in the old document must still suffice.
    pub(super) fn security(&mut self, both: OperationPair<'_, 'both>) {
        let (was, location_before) = alternatives(self.old, &both.old.at);
        let (is, location_now) = alternatives(self.new, &both.new.at);
        let suffices = |old: &Alternative| is.iter().any(|new| needs_no_more(new, old));
        let same = |left: &[Alternative], right: &[Alternative]| {
            left.iter()
                .all(|one| right.iter().any(|other| keys(one) == keys(other)))
        };
        if same(&was, &is) && same(&is, &was) {
            return;
        }
        let relation = if was.iter().all(suffices) {
            Relation::Harmless
        } else {
            Relation::Different
        };
        let found = FoundDifference {
            kind: Kind::Security,
            relation,
            client: ClientEffect::None,
            text: format!("callers authenticated with {}, now with {}", text(&was), text(&is)),
        };
        self.emit(Side::Operation, found, (location_before, location_now));
    }

    /// Compares the flows of OAuth, which say where a token comes from.
    pub(super) fn security_schemes(&mut self) {
        let path = "/components/securitySchemes";
        let (Some(was), Some(is)) = (self.old.at(path), self.new.at(path)) else {
            return;
        };
        for (name, old) in was.members() {
            let old = self.old.resolve(old);
            let Some(new) = self.new.member(&is, name) else {
                continue;
            };
            let title = format!("the security scheme `{name}`");
            if !self.is_unresolved(Side::Operation, (&old, &new), &title) && old.string("type") == new.string("type") {
                self.flows(name, &old, &new);
            }
        }
    }

    fn flows(&mut self, name: &str, old: &LocatedNode<'both>, new: &LocatedNode<'both>) {
        let flows = |at: &LocatedNode<'both>| {
            at.member("flows")
                .map_or_else(Vec::new, |flows| flows.members().collect())
        };
        let (was, is): (Vec<_>, Vec<_>) = (flows(old), flows(new));
        let mut emit = |relation, text, locations| {
            let found = FoundDifference {
                kind: Kind::SecurityScheme,
                relation,
                client: ClientEffect::None,
                text,
            };
            self.emit(Side::Operation, found, locations);
        };
        for (flow, at) in only_in_first(&was, &is, |flow| flow.0) {
            let locations = (
                Location::at(&at.pointer),
                Location::missing_from(location_of_member(new, "flows").pointer),
            );
            let text = format!("the flow `{flow}` of the security scheme `{name}` is gone");
            emit(Relation::Different, text, locations);
        }
        for (flow, at) in only_in_first(&is, &was, |flow| flow.0) {
            let locations = (
                Location::missing_from(location_of_member(old, "flows").pointer),
                Location::at(&at.pointer),
            );
            let text = format!("the flow `{flow}` of the security scheme `{name}` is new");
            emit(Relation::Harmless, text, locations);
        }
        for (flow, at) in &was {
            let other = is.iter().find(|(other, _)| other == flow);
            if let Some((_, other)) =
                other.filter(|(_, other)| without_scope_descriptions(at) != without_scope_descriptions(other))
            {
                let reason = Relation::Unclear(
                    "how a token is obtained, or which scopes it can have, differs; which ones an operation needs is \
                     compared there",
                );
                let text = format!("the flow `{flow}` of the security scheme `{name}` differs");
                emit(reason, text, (Location::at(&at.pointer), Location::at(&other.pointer)));
            }
        }
    }
}

/// Returns a flow without the descriptions of its scopes.
fn without_scope_descriptions(flow: &LocatedNode<'_>) -> Value {
    let mut flow = normalized_value(flow.node);
    for scope in flow
        .get_mut("scopes")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(|all| all.values_mut())
    {
        *scope = Value::Null;
    }
    flow
}

/// Whether the new way needs nothing that the old one did not have.
fn needs_no_more(new: &Alternative, old: &Alternative) -> bool {
    new.iter().all(|(scheme, (_, scopes))| {
        let had = old.get(scheme);
        had.is_some_and(|(_, had)| scopes.is_subset(had))
    })
}

fn keys(alternative: &Alternative) -> Vec<(&String, &BTreeSet<String>)> {
    alternative
        .iter()
        .map(|(scheme, (_, scopes))| (scheme, scopes))
        .collect()
}

/// Returns the ways to authenticate at an operation, and where they are stated.
fn alternatives(source: &Source<'_>, operation: &LocatedNode<'_>) -> (Vec<Alternative>, Location) {
    let stated = operation.member("security").or_else(|| source.at("/security"));
    let Some(stated) = stated else {
        return (vec![Alternative::new()], Location::missing_from(&operation.pointer));
    };
    let mut found: Vec<_> = stated.elements().map(|at| alternative(source, at.node)).collect();
    if found.is_empty() {
        found.push(Alternative::new());
    }
    (found, Location::at(stated.pointer))
}

fn alternative(source: &Source<'_>, stated: &Node) -> Alternative {
    let schemes = stated.members().iter().map(|member| {
        let scopes = member
            .node
            .elements()
            .iter()
            .filter_map(Node::string)
            .map(str::to_owned);
        (
            scheme(source, &member.name),
            (member.name.to_string(), scopes.collect()),
        )
    });
    schemes.collect()
}

/// Returns what a scheme is. Two documents may call the same scheme differently, so its name is part of that only where
/// nothing else tells it from other schemes.
fn scheme(source: &Source<'_>, name: &str) -> String {
    let all = source.at("/components/securitySchemes");
    let Some(at) = all.and_then(|all| source.member(&all, name)) else {
        return format!("undefined {name}");
    };
    let string = |member: &str| at.string(member).unwrap_or_default();
    match string("type") {
        // Of the three places, only a header has a name whose case means nothing (RFC 9110, section 5.1).
        "apiKey" if string("in") == "header" => format!("apiKey in header {}", string("name").to_ascii_lowercase()),
        "apiKey" => format!("apiKey in {} {}", string("in"), string("name")),
        "http" => format!("http {}", string("scheme").to_ascii_lowercase()),
        "openIdConnect" => format!("openIdConnect {}", string("openIdConnectUrl")),
        // Two OAuth schemes in one document are told apart only by their names.
        "oauth2" => format!("oauth2 {name}"),
        other => format!("{other} {name}"),
    }
}

fn text(alternatives: &[Alternative]) -> String {
    let one = |alternative: &Alternative| {
        let schemes = alternative.values().map(|(name, scopes)| {
            let scopes: Vec<_> = scopes.iter().map(String::as_str).collect();
            if scopes.is_empty() {
                format!("`{name}`")
            } else {
                format!("`{name}` ({})", scopes.join(", "))
            }
        });
        let schemes: Vec<_> = schemes.collect();
        if schemes.is_empty() {
            "no credential".to_owned()
        } else {
            schemes.join(" and ")
        }
    };
    alternatives.iter().map(one).collect::<Vec<_>>().join(", or ")
}
