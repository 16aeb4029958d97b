//! `unsorted-list`: a list is not in the order that its parameter asks for. The invariant is inferred: see
//! [`Sorting`](crate::contract::sorting::Sorting).

use std::cmp::Ordering;

use serde_json::Value;

use super::filtered::{body_of_success, changes_filters};
use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::verdict::Sink;
use crate::contract::fact::FactKind;
use crate::contract::pointer;
use crate::contract::sorting::{SortKey, SortedValues, Sorting};
use crate::exchange::query_pairs;
use crate::history::same::instant;

pub(super) static RULE: Rule = Rule {
    name: "unsorted-list",
    level: Level::Warn,
    headline: Headline::Operation(
        "returns items in another order than its parameter asks for",
        "return items in another order than their parameters ask for",
    ),
    topic: Topic::Invariants,
    summary: "The items of a list are in the order that its parameter asks for, and none of them is left out.",
    explanation: "This invariant is inferred: no document states it, but a parameter `sort` or `order_by` whose values \
                  are the names of properties, each with both directions (`price` and `-price`, `price_asc` and \
                  `price_desc`, or a parameter with `asc` and `desc`), leaves no doubt. The list is requested in both \
                  directions by the property that shows most: a number, an instant or a date. A list that ignores the \
                  parameter, sorts numbers as texts or reverses the direction shows a caller the wrong records first. \
                  Sorted or not, a list has the same number of records.",
    exceptions: "Texts, because their order depends on their language. Items without the property or with null in it: \
                 where they come is left open. Items with equal values. Parameters that are required, or whose \
                 description leaves a doubt (\"first\", \"relevance\", \"pinned\"). A request with other parameters that \
                 are neither filters nor for pages.",
    fix: "Sort the list by value in the direction that is asked for, or describe what the parameter means; or allow the \
          rule for the operation.",
    source: "What public documents mean by a parameter whose values are the names of properties",
    example: Example {
        fact: "getPets sorted /*: the order that sort asks for",
        documented: "the order that sort asks for",
        received: "1 of 3 items comes after one that it must come before",
        pointer: "/2/age",
        #[cfg(test)]
        judged: || tests::judged("/pets?sort=age", "[{\"age\": 1}, {\"age\": 10}, {\"age\": 2}]"),
    },
    judge: Judging::ListQuery(judge, left_out),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let sorting = sink
        .contract
        .sorting_of(seen.id)
        .filter(|_| seen.intent.is_documented());
    let asked = sorting.and_then(|sorting| Some((sorting, asked(seen, sorting, sink)?)));
    let Some((sorting, (key, is_ascending))) = asked else {
        return;
    };
    let fact = sink.contract.fact_of(seen.id, FactKind::Sorted(sorting.parameter));
    let body = fact.and_then(|fact| Some((fact, body_of_success(seen, (fact, true), sink)?)));
    let Some((fact, body)) = body else { return };
    let items = pointer::get(body, &sorting.items).and_then(Value::as_array);
    let items = items.map_or(&[][..], Vec::as_slice).iter().enumerate();
    let valued = items.filter_map(|(index, item)| Some((index, pointer::get(item, &key.property)?)));
    let valued: Vec<_> = valued.filter(|(_, value)| !value.is_null()).collect();
    let expected = if is_ascending {
        Ordering::Less
    } else {
        Ordering::Greater
    };
    let orders = valued.windows(2).map(|pair| compared(key.values, pair[0].1, pair[1].1));
    // Another rule reports a value of another type.
    let Some(orders) = orders.collect::<Option<Vec<_>>>() else {
        return;
    };
    let is_wrong = |order: &&Ordering| **order == expected.reverse();
    match orders.iter().position(|order| order == &expected.reverse()) {
        Some(first) => {
            let count = orders.iter().filter(is_wrong).count();
            let come = if count == 1 { "comes" } else { "come" };
            let at = pointer::element(&sorting.items, valued[first + 1].0) + &key.property;
            sink.broken(
                fact,
                || at,
                || {
                    format!(
                        "{count} of {} items {come} after one that it must come before",
                        valued.len()
                    )
                },
            );
        }
        None if orders.contains(&expected) => sink.held(fact),
        None => {}
    }
}

/// Returns the property and the direction that a request asks for, unless something else in its query may change the
/// order: it is neither a filter nor for pages, and not every request has it.
fn asked<'own>(seen: &ExchangeSeen<'_>, sorting: &'own Sorting, sink: &Sink<'_>) -> Option<(&'own SortKey, bool)> {
    let parameters = &seen.operation.parameters;
    let pairs: Vec<_> = query_pairs(&seen.exchange.request.path).collect();
    let asks_for = |query: &[(usize, String)]| {
        let named = |(name, _): &(String, String)| query.iter().any(|(index, _)| parameters[*index].name == *name);
        let sent = pairs.iter().filter(|pair| named(pair)).count();
        let has = |(index, value): &(usize, String)| {
            let name = &parameters[*index].name;
            pairs.iter().any(|(known, given)| known == name && given == value)
        };
        sent == query.len()
            && query.iter().all(has)
            && pairs
                .iter()
                .all(|pair| named(pair) || !changes_filters(seen, sink, &pair.0))
    };
    sorting.keys.iter().find_map(|key| {
        let directions = [(&key.ascending, true), (&key.descending, false)];
        let found = directions.into_iter().find(|(query, _)| asks_for(query))?;
        Some((key, found.1))
    })
}

/// Returns the order of two values; `None` if one is not of this kind.
fn compared(values: SortedValues, one: &Value, other: &Value) -> Option<Ordering> {
    match values {
        SortedValues::Number | SortedValues::NumberOrNull => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
        },
        SortedValues::Instant => Some(instant(one)?.cmp(&instant(other)?)),
        SortedValues::Date => {
            let date = |value: &Value| chrono::NaiveDate::parse_from_str(value.as_str()?, "%Y-%m-%d").ok();
            Some(date(one)?.cmp(&date(other)?))
        }
    }
}

/// Returns what is wrong with a list that leaves out a record only if it is sorted.
fn left_out(kind: FactKind) -> Option<&'static str> {
    matches!(kind, FactKind::Sorted(_)).then_some("has fewer items than without the parameter")
}

#[cfg(test)]
mod tests {
    use crate::contract::fact::FactKind;
    use crate::exchange::Exchange;
    use crate::rules::testing::{Fixture, JSON, Judged};
    use crate::rules::{Reason, Verdict};

    const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    get:
      operationId: getPets
      parameters:
        - {name: sort, in: query, schema: {type: string, enum: [age, '-age', born, '-born', seen, '-seen']}}
        - {name: owner_id, in: query, schema: {type: integer}}
        - {name: view, in: query, schema: {type: string}}
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
                    age: {type: number, nullable: true}
                    born: {type: string, format: date}
                    seen: {type: string, format: date-time}
                    owner_id: {type: integer}
";

    fn answered(path: &str, status: u16, body: &str) -> Judged {
        let fixture = Fixture::text(PETS, "getPets");
        let mut exchange: Exchange = fixture.exchange(status, JSON, body);
        path.clone_into(&mut exchange.request.path);
        fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())))
    }

    pub(super) fn judged(path: &str, body: &str) -> Judged {
        answered(path, 200, body)
    }

    fn verdict(path: &str, body: &str) -> Verdict {
        judged(path, body).kind(FactKind::Sorted(0))
    }

    #[test]
    fn items_in_the_order_that_was_asked_for_hold() {
        for (path, body) in [
            (
                "/pets?sort=age",
                r#"[{"age": null}, {"age": 2}, {"age": 10}, {}, {"age": 10.0}, {"age": 10.5}]"#,
            ),
            ("/pets?sort=-age", r#"[{"age": 10}, {"age": null}, {"age": 9}]"#),
            ("/pets?page=1&owner_id=1&sort=age", r#"[{"age": 2}, {"age": 10}]"#),
            ("/pets?sort=born", r#"[{"born": "2019-12-31"}, {"born": "2020-01-01"}]"#),
            (
                "/pets?sort=seen",
                r#"[{"seen": "2020-01-01T01:00:00+02:00"}, {"seen": "2020-01-01T00:30:00Z"}]"#,
            ),
        ] {
            assert_eq!(verdict(path, body), Verdict::Held, "{path}");
        }
    }

    #[test]
    fn one_item_in_the_wrong_place_breaks_the_fact_and_its_value_is_not_printed() {
        for (path, body) in [
            ("/pets?sort=-age", r#"[{"age": 9}, {"age": null}, {"age": 10}]"#),
            (
                "/pets?sort=born",
                r#"[{"born": "2020-01-01"}, {}, {"born": "2019-12-31"}]"#,
            ),
            (
                "/pets?sort=seen&per_page=3",
                r#"[{"seen": "2020-01-01T01:30:00Z"}, {}, {"seen": "2020-01-01T02:00:00+02:00"}]"#,
            ),
        ] {
            let judged = judged(path, body);
            assert_eq!(judged.kind(FactKind::Sorted(0)), Verdict::Broken, "{path}");
            let received = "1 of 2 items comes after one that it must come before";
            assert_eq!(judged.received("unsorted-list"), received);
            let (at, location) = judged.locations("unsorted-list");
            assert!(at.starts_with("/2/"), "{at}");
            assert_eq!(location, "/paths/~1pets/get/parameters/0");
        }
    }

    #[test]
    fn what_shows_no_order_or_asks_for_something_else_decides_nothing() {
        let unsorted = r#"[{"age": 2}, {"age": 1}]"#;
        for (path, body) in [
            ("/pets", unsorted),
            ("/pets?sort=name", unsorted),
            ("/pets?sort=age&sort=-age", unsorted),
            ("/pets?sort=age&view=tree", unsorted),
            ("/pets?sort=age", "[]"),
            ("/pets?sort=age", r#"[{"age": 2}, {"age": 2}, {"age": null}]"#),
            ("/pets?sort=age", r#"[{"age": 2}, {"age": "1"}]"#),
        ] {
            assert_eq!(
                verdict(path, body),
                Verdict::Undecided(Reason::NotShown),
                "{path} {body}"
            );
        }
        let rejected = answered("/pets?sort=age", 422, "{}").kind(FactKind::Sorted(0));
        assert_eq!(rejected, Verdict::Undecided(Reason::Rejected(422)));
    }
}
