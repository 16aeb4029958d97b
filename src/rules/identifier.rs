//! `identifier`: a created record's identifier does not fit where it is needed, or was already another record's.

use serde_json::Value;

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::{Reason, Sink};
use crate::contract::fact::{FactId, FactKind};
use crate::contract::json_schema;
use crate::contract::link::{Link, LinkTarget};
use crate::exchange::CompiledSchema;
use crate::history::evidence::Creation;

pub(super) static RULE: Rule = Rule {
    name: "identifier",
    level: Level::Deny,
    headline: Headline::Operation(
        "returns an identifier that fits no path or is not unique",
        "return an identifier that fits no path or is not unique",
    ),
    topic: Topic::Invariants,
    summary: "A created record's identifier is valid in every path that a link puts it into, and no two records get \
              the same one.",
    explanation: "The contract's links name the paths that take the identifier of a created record, and a path's \
                  schema gives its form there: a contact's is a UUID. A record whose identifier does not fit cannot be \
                  reached; an identifier that is given twice mixes up two records.",
    exceptions: "The form of an identifier that is not used in any path. A response without an identifier \
                 (`missing-field` reports it). A null, which does not fit a path, is not the identifier of another \
                 record.",
    fix: "Return the identifier in the form that the paths take, and give each record its own.",
    source: "The document, sections \"Contact (response shape)\" (id) and \"Update contact\" (path parameter id); \
             `created` in the contract's `x-invariants`; its links",
    example: Example {
        fact: "createContact created /data/id: valid in the paths that links carry it into",
        documented: "valid in the paths that links carry it into",
        received: "string(4), which is not a value of format uuid for /organization/v1/contact-database/{id}",
        pointer: "/data/id",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("createContact").created(&json!({}), &json!({"id": "c-17"}))
        },
    },
    judge: Judging::Creation(judge),
};

fn judge(creation: &Creation<'_>, sink: &mut Sink<'_>) {
    let Some(id) = creation.record.pointer(&creation.invariant.id) else {
        return;
    };
    let pointer = || format!("{}{}", creation.invariant.resource, creation.invariant.id);
    let fact = |kind| sink.contract.fact_of(creation.operation, kind);
    if let Some(fact) = fact(FactKind::IdentifierUnique) {
        if id.is_null() {
            sink.undecided(fact, Reason::OnlyNull);
        } else if creation.seen_before {
            sink.broken(fact, pointer, || "the identifier of another record".to_owned());
        } else {
            sink.held(fact);
        }
    }
    if let Some(fact) = fact(FactKind::IdentifierFitsPath) {
        judge_in_paths(creation, id, fact, sink);
    }
}

/// Judges whether an identifier is valid in each parameter that a link puts it into.
fn judge_in_paths(creation: &Creation<'_>, id: &Value, fact: FactId, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    for link in contract.links_from(creation.operation).filter(|link| !link.guessed) {
        let Link {
            target: LinkTarget::Parameter(index),
            to,
            ..
        } = link
        else {
            continue;
        };
        let Some(schema) = &contract.operation(*to).parameters[*index].schema else {
            continue;
        };
        let compiled = CompiledSchema::compile(json_schema::convert(&contract.document, schema).as_ref());
        if json_forms(id).iter().all(|id| compiled.holds(id) == Some(false)) {
            let format = contract
                .document
                .node(&format!("{schema}/format"))
                .and_then(|node| node.string());
            let documented = format.map_or_else(String::new, |format| format!(" of format {format}"));
            let received = format!(
                "{}, which is not a value{documented} for {}",
                sink.render(id),
                contract.operation(*to).path
            );
            return sink.broken(
                fact,
                || format!("{}{}", creation.invariant.resource, creation.invariant.id),
                || received,
            );
        }
    }
    sink.held(fact);
}

/// Returns the values that an identifier may represent in a path. A path is a string, so `17` is a number there as well
/// as a string.
fn json_forms(id: &Value) -> Vec<Value> {
    let other = match id {
        Value::Number(number) => Some(Value::from(number.to_string())),
        Value::String(text) => text.parse().ok().map(Value::Number),
        _ => None,
    };
    [Some(id.clone()), other].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    const UUID: &str = "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52";

    fn identified(id: &Value) -> Judged {
        Fixture::of("createContact").created(&json!({}), &json!({"id": id}))
    }

    fn again(id: &Value) -> Judged {
        Fixture::of("createContact").creation(&json!({}), &json!({"id": id}), |creation, judge| {
            let seen_before = true;
            judge.creation(&Creation {
                seen_before,
                ..creation
            });
        })
    }

    /// A create whose identifier goes into a path that takes this schema.
    fn into_path(schema: &str, id: &Value) -> Verdict {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\npaths:\n  /things:\n    post:\n      \
             operationId: createThing\n      x-invariants: {{created: {{resource: '', id: /id}}}}\n      responses:\n        \
             '201':\n          description: Thing\n          links:\n            It: {{operationId: getThing, \
             parameters: {{id: '$response.body#/id'}}}}\n  /things/{{id}}:\n    get:\n      operationId: getThing\n      \
             parameters: [{{name: id, in: path, required: true, schema: {schema}}}]\n      responses: {{'200': \
             {{description: Thing}}}}\n"
        );
        let judged = Fixture::text(&text, "createThing").created(&json!({}), &json!({"id": id}));
        judged.kind(FactKind::IdentifierFitsPath)
    }

    #[test]
    fn a_new_uuid_holds() {
        let judged = identified(&json!(UUID));
        assert_eq!(judged.kind(FactKind::IdentifierFitsPath), Verdict::Held);
        assert_eq!(judged.kind(FactKind::IdentifierUnique), Verdict::Held);
    }

    #[test]
    fn what_is_no_uuid_does_not_serve() {
        for (id, shape) in [
            (json!("c-17"), "string(4)"),
            (json!(17), "integer"),
            (json!(UUID.replace('-', "")), "string(32)"),
        ] {
            let judged = identified(&id);
            assert_eq!(judged.kind(FactKind::IdentifierFitsPath), Verdict::Broken, "{id}");
            let path = "/organization/v1/contact-database/{id}";
            let received = format!("{shape}, which is not a value of format uuid for {path}");
            assert_eq!(judged.received("identifier"), received);
        }
    }

    #[test]
    fn a_path_carries_text_so_numbers_serve_as_their_digits() {
        for (schema, id, verdict) in [
            ("{type: string}", json!(17), Verdict::Held),
            ("{type: integer}", json!("17"), Verdict::Held),
            ("{type: integer}", json!(17), Verdict::Held),
            ("{type: integer}", json!("c-17"), Verdict::Broken),
            ("{type: string, format: uuid}", json!(17), Verdict::Broken),
        ] {
            assert_eq!(into_path(schema, &id), verdict, "{schema} {id}");
        }
    }

    #[test]
    fn the_identifier_of_another_record_is_broken() {
        let judged = again(&json!(UUID));
        assert_eq!(judged.kind(FactKind::IdentifierUnique), Verdict::Broken);
        assert_eq!(judged.received("identifier"), "the identifier of another record");
        assert_eq!(judged.kind(FactKind::IdentifierFitsPath), Verdict::Held);
    }

    #[test]
    fn without_an_identifier_nothing_is_decided() {
        let judged = Fixture::of("createContact").created(&json!({}), &json!({}));
        for kind in [FactKind::IdentifierFitsPath, FactKind::IdentifierUnique] {
            assert_eq!(judged.kind(kind), Verdict::Undecided(Reason::NotShown));
        }
    }

    #[test]
    fn null_identifies_nothing_however_often_it_comes() {
        for expected in [identified(&json!(null)), again(&json!(null))] {
            assert_eq!(
                expected.kind(FactKind::IdentifierUnique),
                Verdict::Undecided(Reason::OnlyNull)
            );
            assert_eq!(expected.kind(FactKind::IdentifierFitsPath), Verdict::Broken);
        }
    }

    #[test]
    fn an_identifier_that_leads_into_no_path_need_not_serve() {
        let judged = Fixture::of("createVisit").created(&json!({}), &json!({"id": 4711}));
        assert_eq!(judged.kind(FactKind::IdentifierUnique), Verdict::Held);
        assert!(
            judged
                .contract
                .fact_of(judged.operation, FactKind::IdentifierFitsPath)
                .is_none()
        );
    }

    #[test]
    fn the_finding_points_at_the_identifier_and_at_the_invariant() {
        let invariant = "/paths/~1organization~1v1~1contact-database/post/x-invariants/created/id";
        assert_eq!(
            identified(&json!("c-17")).locations("identifier"),
            ("/data/id", invariant)
        );
        assert_eq!(again(&json!(UUID)).locations("identifier"), ("/data/id", invariant));
    }
}
