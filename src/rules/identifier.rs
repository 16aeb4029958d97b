//! `identifier`: a created record's identifier does not serve where it must, or stood for another record. Law 4.

use super::assertion::Assertion;
use super::evidence::Creation;
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::Sink;
use crate::contract::fact::{FactId, FactKind};
use crate::contract::json_schema;
use crate::contract::link::{Link, Target};

pub(super) static RULE: Rule = Rule {
    name: "identifier",
    level: Level::Deny,
    summary: "A created contact's id is the UUID that the paths take, and no identifier is given twice.",
    source: "Contact (response shape), id; Update contact, path parameter id",
    judge: Judging::Creation(judge),
};

fn judge(creation: &Creation<'_>, sink: &mut Sink<'_>) {
    let Some(id) = creation.resource.pointer(&creation.law.id) else {
        return;
    };
    let pointer = || format!("{}{}", creation.law.resource, creation.law.id);
    let fact = |kind| creation.contract.fact_of(creation.operation, kind);
    if let Some(fact) = fact(FactKind::IdentifierUnique) {
        if creation.seen_before {
            sink.broken(fact, pointer, || "the identifier of another record".to_owned());
        } else {
            sink.held(fact);
        }
    }
    if let Some(fact) = fact(FactKind::IdentifierServes) {
        serves(creation, id, fact, sink);
    }
}

fn serves(creation: &Creation<'_>, id: &serde_json::Value, fact: FactId, sink: &mut Sink<'_>) {
    let contract = creation.contract;
    for link in contract.links.iter().filter(|link| link.from == creation.operation) {
        let Link {
            target: Target::Parameter(index),
            to,
            ..
        } = link
        else {
            continue;
        };
        let Some(schema) = &contract.operation(*to).parameters[*index].schema else {
            continue;
        };
        if Assertion::compile(json_schema::whole(&contract.document, schema).as_ref()).holds(id) == Some(false) {
            let format = contract
                .document
                .node(&format!("{schema}/format"))
                .and_then(|node| node.text());
            let wanted = format.map_or_else(String::new, |format| format!(" of format {format}"));
            let received = format!(
                "{}, which is no value{wanted} for {}",
                sink.tell(id),
                contract.operation(*to).path
            );
            return sink.broken(
                fact,
                || format!("{}{}", creation.law.resource, creation.law.id),
                || received,
            );
        }
    }
    sink.held(fact);
}
