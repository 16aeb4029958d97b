//! `filtered`: a list returns items that its filter, or its path, excludes. The invariant is inferred: see
//! [`Filter`](crate::contract::filters::Filter).

use serde_json::Value;

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::verdict::{Reason, Sink};
use crate::contract::fact::{FactId, FactKind};
use crate::contract::filters::Filter;
use crate::contract::pointer;
use crate::exchange::query_pairs;
use crate::history::identifiers_in_path;

pub(super) static RULE: Rule = Rule {
    name: "filtered",
    level: Level::Warn,
    headline: Headline::Operation(
        "returns items that its filter excludes",
        "return items that their filters exclude",
    ),
    topic: Topic::Invariants,
    summary: "Each item of a list has the value that a query parameter with the name of a property asks for, and names \
              the record under whose path it is listed.",
    explanation: "This invariant is inferred: no document states it, but a parameter with the name and the type of a \
                  property leaves no doubt if values of that type can only be equal or different (a boolean, an enum, a \
                  UUID, a number that names a record such as `customer_id`), and if its description says plainly that it \
                  filters: \"Filter by status\", \"Only orders with this status\". A list that ignores such a filter, or \
                  reverses it, \
                  shows a caller other people's records among those that were asked for. If a response has shown \
                  several values, the list is asked for one of them; of a boolean for both. An unknown record has no \
                  items, and a text, of which the description says \"exactly\", is the whole value. An item that the \
                  list shows without the filter must be among those of a filtered list that says that it is whole. A \
                  parameter in the path is such a filter too: each item of `GET /orders/17/lines` with an `order_id`, \
                  which the create on that path leaves to the service, has the `order_id` 17.",
    exceptions: "An empty list decides nothing by itself. What a list without parameters for pages leaves out. Items \
                 without the property or with null in it. Parameters that are \
                 required, have a default or several values, or whose description has a word that is not about the \
                 filter (\"threshold\", \"payment status\") or leaves a doubt (\"also\", \"or\", \"include\"). `false` \
                 where the description does not say what it does. Without a description, only a category of the records \
                 (`status`, `type`), an identifier (`customer_id`) and a state that lists show anyway (`active=true`) \
                 are filters. Parameters that name a record with others below it, such as a parent category. A request \
                 with other parameters that are neither filters nor for pages. A path that names a user, an account or \
                 a record with others below it; items that name two records of the kind in the path; a list whose text \
                 or parameters leave a doubt whose items it shows (\"shared\", \"including\", `recursive`).",
    fix: "Apply the filter, or describe what the parameter means; or allow the rule for the operation.",
    source: "What public documents mean by a parameter with the name of a property",
    example: Example {
        fact: "getPets filtered /*/sold: the value that sold asks for",
        documented: "the value that sold asks for",
        received: "2 of 3 items have another value",
        pointer: "/1/sold",
        #[cfg(test)]
        judged: || tests::judged("/pets?sold=true", tests::THREE),
    },
    judge: Judging::ListQuery(judge, left_out),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let filters = sink.contract.filters_of(seen.id);
    if filters.is_empty() || !seen.intent.is_documented() {
        return;
    }
    let pairs: Vec<_> = query_pairs(&seen.exchange.request.path).collect();
    if pairs.iter().any(|(name, _)| changes_filters(seen, sink, name)) {
        return;
    }
    for filter in filters {
        judge_filter(seen, (filter, &pairs), sink);
    }
}

/// Whether a parameter may change what filters mean, such as one that combines them with "or", or the order of the items:
/// it is neither a filter nor for pages, and not every request has it.
pub(super) fn changes_filters(seen: &ExchangeSeen<'_>, sink: &Sink<'_>, name: &str) -> bool {
    let parameters = &seen.operation.parameters;
    let filters = sink.contract.filters_of(seen.id).iter();
    let mut known = filters.map(|filter| &parameters[filter.parameter]);
    let is_filter = known.any(|parameter| parameter.name == name);
    let mut required = parameters.iter().filter(|parameter| parameter.required);
    let is_required = required.any(|parameter| parameter.name == name);
    // The credential may be in the query too. What the configuration fixes for all requests is not: the transport adds
    // it.
    let is_documented = parameters.iter().any(|parameter| parameter.name == name);
    is_documented && !is_filter && !is_required && !sink.contract.is_of_paging(seen.id, name)
}

fn judge_filter(seen: &ExchangeSeen<'_>, (filter, pairs): (&Filter, &[(String, String)]), sink: &mut Sink<'_>) {
    let parameter = &seen.operation.parameters[filter.parameter];
    let in_path = filter
        .in_path
        .then(|| identifiers_in_path(seen.operation, &seen.exchange.request.path));
    let place = seen.operation.path_to_parameter(filter.parameter);
    let in_path = in_path
        .iter()
        .flatten()
        .filter(|(before, _)| place.as_ref() == Some(before));
    let in_query = pairs
        .iter()
        .filter(|(name, _)| !filter.in_path && *name == parameter.name);
    let mut given = in_path.chain(in_query);
    // A parameter that is given twice asks for either value.
    let given = given.next().filter(|_| given.next().is_none());
    let asked = given.and_then(|(_, text)| filter.values.asked(text));
    let fact = sink.contract.fact_of(seen.id, filter.kind());
    let (Some(asked), Some(fact)) = (asked, fact) else {
        return;
    };
    let Some(body) = body_of_success(seen, (fact, !filter.in_path), sink) else {
        return;
    };
    let shown = pointer::select_indexed(body, &filter.property).into_iter();
    let shown: Vec<(String, Value)> = shown
        .filter_map(|(at, value)| Some((at, filter.values.shown(value)?)))
        .collect();
    let is_other = |(_, value): &&(String, Value)| !filter.values.are_same(&asked, value);
    let other = shown.iter().filter(is_other).count();
    let first = shown.iter().find(is_other);
    match first {
        Some((at, _)) => {
            let (count, have) = (shown.len(), if other == 1 { "has" } else { "have" });
            let items = if count == 1 { "item" } else { "items" };
            sink.broken(
                fact,
                || at.clone(),
                || format!("{other} of {count} {items} {have} another value"),
            );
        }
        None if shown.is_empty() => {}
        None => sink.held(fact),
    }
}

/// Returns the body of a success. If the request is rejected, which something that it leaves open may explain, the fact
/// is undecided for that reason.
pub(super) fn body_of_success<'seen>(
    seen: &ExchangeSeen<'seen>,
    (fact, is_open): (FactId, bool),
    sink: &mut Sink<'_>,
) -> Option<&'seen Value> {
    let status = seen.outcome().ok()?.status;
    match seen.body {
        Some(Ok(body)) if seen.operation.succeeds_with(status) => return Some(&body.value),
        _ if status < 400 || !is_open || seen.intent.is_of_other_client() => {}
        _ => {
            let reason = Reason::for_request_with_something_open(status, &seen.exchange.request.credential);
            sink.undecided(fact, reason);
        }
    }
    None
}

/// Returns what is wrong with a list that leaves out a record with the value that the filter asks for.
fn left_out(kind: FactKind) -> Option<&'static str> {
    let is_of_filter = matches!(kind, FactKind::Filtered(_));
    is_of_filter.then_some("leaves out an item with this value, which the list shows without the filter")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Exchange;
    use crate::rules::testing::{Fixture, JSON, Judged};
    use crate::rules::{Reason, Verdict};
    use serde_json::json;

    const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    get:
      operationId: getPets
      parameters:
        - {name: sold, in: query, description: Filter by whether it is sold., schema: {type: boolean}}
        - {name: status, in: query, schema: {type: string, enum: [new, old]}}
        - {name: owner_id, in: query, schema: {type: integer}}
        - {name: house_id, in: query, schema: {type: string, format: uuid}}
        - {name: match, in: query, schema: {type: string, enum: [or]}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: per_page, in: query, schema: {type: integer}}
      responses:
        '200':
          description: OK
          content:
            application/json:
              schema:
                type: array
                items:
                  type: object
                  properties:
                    sold: {type: boolean}
                    status: {type: string, enum: [new, old, lost]}
                    owner_id: {type: integer, nullable: true}
                    house_id: {type: string, format: uuid}
";
    pub(super) const THREE: &str = r#"[{"sold": true}, {"sold": false}, {"sold": false}]"#;

    fn answered(path: &str, status: u16, body: &str) -> Judged {
        let fixture = Fixture::text(PETS, "getPets");
        let mut exchange: Exchange = fixture.exchange(status, JSON, body);
        path.clone_into(&mut exchange.request.path);
        fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())))
    }

    pub(super) fn judged(path: &str, body: &str) -> Judged {
        answered(path, 200, body)
    }

    #[test]
    fn items_with_the_value_that_was_asked_for_hold() {
        let uuid = "0192F0C1-7A2B-4C3D-8E4F-5A6B7C8D9E0F";
        for (path, parameter, item) in [
            ("/pets?sold=false", 0, json!({"sold": false})),
            ("/pets?status=old", 1, json!({"status": "old"})),
            ("/pets?per_page=2&owner_id=7&page=1", 2, json!({"owner_id": 7})),
            (
                &format!("/pets?house_id={}", uuid.to_lowercase()),
                3,
                json!({"house_id": uuid}),
            ),
        ] {
            let empty = [
                json!({}),
                json!({"owner_id": null}),
                json!({"sold": "no", "status": "NEW"}),
            ];
            let judged = judged(path, &json!([item, empty[0], empty[1], empty[2]]).to_string());
            assert_eq!(judged.kind(FactKind::Filtered(parameter)), Verdict::Held, "{path}");
            assert!(judged.findings("filtered").is_empty(), "{path}");
        }
    }

    #[test]
    fn one_item_with_another_value_breaks_the_fact_and_its_value_is_not_printed() {
        let judged = judged("/pets?status=old", r#"[{"status": "old"}, {"status": "lost"}]"#);
        assert_eq!(judged.kind(FactKind::Filtered(1)), Verdict::Broken);
        assert_eq!(judged.received("filtered"), "1 of 2 items has another value");
        let location = "/paths/~1pets/get/parameters/1";
        assert_eq!(judged.locations("filtered"), ("/1/status", location));
    }

    /// The response to the list of a house's rooms.
    fn rooms(path: &str, items: &str) -> Judged {
        const ROOMS: &str = "openapi: 3.0.3
info: {title: Rooms, version: '1'}
paths:
  /houses/{house_id}/rooms:
    parameters: [{name: house_id, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: getRooms
      responses:
        '200':
          description: OK
          content:
            application/json:
              schema: {type: array, items: {type: object, properties: {id: {type: integer}, house_id: {type: integer}}}}
    post: {operationId: addRoom, responses: {'201': {description: OK}}}
";
        let fixture = Fixture::text(ROOMS, "getRooms");
        let mut exchange: Exchange = fixture.exchange(200, JSON, items);
        path.clone_into(&mut exchange.request.path);
        fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())))
    }

    #[test]
    fn an_item_of_another_record_than_the_path_names_breaks_the_fact() {
        let kind = FactKind::OfRecordInPath(0);
        let own = r#"[{"id": 1, "house_id": 31}, {"id": 2, "house_id": null}, {"id": 3}]"#;
        assert_eq!(rooms("/houses/31/rooms", own).kind(kind), Verdict::Held);
        let judged = rooms(
            "/houses/31/rooms",
            r#"[{"id": 1, "house_id": 31}, {"id": 2, "house_id": 3}]"#,
        );
        assert_eq!(judged.kind(kind), Verdict::Broken);
        assert_eq!(judged.received("filtered"), "1 of 2 items has another value");
        assert_eq!(judged.locations("filtered").0, "/1/house_id");
        // Another name of the record.
        for (path, items) in [("/houses/mine/rooms", own), ("/houses/31/rooms", "[]")] {
            let verdict = rooms(path, items).kind(kind);
            assert_eq!(verdict, Verdict::Undecided(Reason::NotShown), "{path}");
        }
    }

    #[test]
    fn what_shows_no_item_or_asks_for_something_else_decides_nothing() {
        for (path, body) in [
            ("/pets?sold=true", "[]"),
            ("/pets?sold=true", r#"[{}, {"sold": null}]"#),
            ("/pets", THREE),
            ("/pets?sold=1", THREE),
            ("/pets?sold=", THREE),
            ("/pets?sold=true&sold=false", THREE),
            ("/pets?sold=true&match=or", THREE),
            ("/pets?Sold=true", THREE),
        ] {
            let verdict = judged(path, body).kind(FactKind::Filtered(0));
            assert_eq!(verdict, Verdict::Undecided(Reason::NotShown), "{path} {body}");
        }
    }

    #[test]
    fn a_rejected_filter_decides_nothing() {
        let judged = answered("/pets?sold=true", 422, "{}");
        let verdict = judged.kind(FactKind::Filtered(0));
        assert_eq!(verdict, Verdict::Undecided(Reason::Rejected(422)));
    }
}
