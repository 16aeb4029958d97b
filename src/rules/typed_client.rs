//! `typed-client`: a response that satisfies every statement of the contract cannot be read through the generated
//! types.
//!
//! # Design
//!
//! Only this crate is at fault then: the service did what the document says. It is reported all the same, because it
//! decides whether a program with our client works against this target; and it only warns, because the target conforms.
//! A response that breaks a fact is not decoded, so that one mistake is reported once. Only the built-in contract has
//! these facts, because the types are generated from it.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::verdict::{Reason, Sink};
use crate::client::typed;
use crate::contract::fact::FactKind;

pub(super) static RULE: Rule = Rule {
    name: "typed-client",
    level: Level::Warn,
    headline: Headline::Operation(
        "returns what the typed client cannot decode",
        "return what the typed client cannot decode",
    ),
    topic: Topic::Values,
    summary: "A response that breaks no other fact decodes through the types of this crate's client; if it does not \
              decode, the client is at fault.",
    explanation: "A program that uses this crate's client fails on such a response, though the service did what the \
                  document says. It only warns: the target conforms.",
    exceptions: "A response that breaks another fact, which is reported there. Contracts other than the built-in \
                   one, from which the types are generated.",
    fix: "Report it as a bug of this crate, with the finding's pointer and shape.",
    source: "The client of this crate, which is generated from the contract",
    example: Example {
        fact: "createContact response: decodes through the typed client",
        documented: "decodes through the typed client",
        received: "a response that the generated types reject",
        pointer: "",
        // Without the reference service, the types may be those of another contract.
        #[cfg(all(test, not(feature = "service")))]
        judged: || crate::rules::testing::Fixture::of("createContact").unanswered(),
        #[cfg(all(test, feature = "service"))]
        judged: || {
            let mut response = crate::client::decoding_tests::full_response("createContact");
            // An integer has no bound in the document, and the type of the field has 64 bits.
            response["data"]["age"] = serde_json::json!(1e30);
            crate::rules::testing::Fixture::of("createContact").body(&response)
        },
    },
    judge: Judging::Success(judge),
};

fn judge(seen: &ExchangeSeen<'_>, breaks_no_fact: bool, sink: &mut Sink<'_>) {
    let (Some(fact), Some(Ok(body))) = (sink.contract.fact_of(seen.id, FactKind::Decodes), seen.body) else {
        return;
    };
    if !breaks_no_fact {
        return sink.undecided(fact, Reason::OtherFactBroken);
    }
    match typed::decodes(&seen.operation.name, &body.value) {
        Some(true) => sink.held(fact),
        Some(false) => sink.broken(fact, String::new, || {
            "a response that the generated types reject".to_owned()
        }),
        None => sink.undecided(fact, Reason::NoClientType),
    }
}

#[cfg(all(test, feature = "service"))]
mod tests {
    use serde_json::{Value, json};

    use crate::client::decoding_tests::full_response;
    use crate::contract::fact::FactKind;
    use crate::rules::testing::{Fixture, JSON, Judged};
    use crate::rules::{Level, Reason, Verdict};

    fn contact(age: &Value) -> Value {
        let mut response = full_response("createContact");
        response["data"]["age"] = age.clone();
        response
    }

    fn typed() -> Vec<String> {
        let contract = &Fixture::of("getTags").contract;
        let typed = contract.facts.iter().filter(|fact| fact.kind == FactKind::Decodes);
        typed
            .map(|fact| contract.operation(fact.operation).name.clone())
            .collect()
    }

    fn judged(operation: &str, response: &Value) -> Judged {
        Fixture::of(operation).body(response)
    }

    #[test]
    fn a_sound_response_of_each_operation_decodes() {
        for operation in typed() {
            let result = judged(&operation, &full_response(&operation));
            assert_eq!(result.kind(FactKind::Decodes), Verdict::Held, "{operation}");
            assert!(result.verdicts.findings().is_empty(), "{operation}");
        }
    }

    #[test]
    fn what_the_contract_accepts_and_no_type_holds_is_a_warning() {
        // An integer has no bound in the document, and the type of the field has 64 bits.
        let result = judged("createContact", &contact(&json!(1e30)));
        assert_eq!(result.fact("createContact /data/age: integer"), Verdict::Held);
        assert_eq!(result.kind(FactKind::Decodes), Verdict::Broken);
        assert_eq!(result.finding("typed-client").level, Level::Warn);
        assert_eq!(
            result.received("typed-client"),
            "a response that the generated types reject"
        );
    }

    #[test]
    fn what_only_warns_decodes() {
        let mut response = contact(&json!(36.0));
        response["data"]["other"] = json!([null]);
        response["data"]["gender"] = Value::Null;
        response["data"]["excluded_channels"] = json!([null]);
        let result = judged("createContact", &response);
        assert_eq!(result.kind(FactKind::Decodes), Verdict::Held);
        assert!(
            result
                .verdicts
                .findings()
                .iter()
                .all(|finding| finding.level == Level::Warn)
        );
    }

    #[test]
    fn a_response_that_breaks_a_fact_is_not_reported_again() {
        let result = judged("createContact", &contact(&json!("36")));
        assert_eq!(
            result.kind(FactKind::Decodes),
            Verdict::Undecided(Reason::OtherFactBroken)
        );
        assert!(result.findings("typed-client").is_empty());
    }

    #[test]
    fn errors_broken_responses_and_other_contracts_say_nothing_of_the_client() {
        let result = Fixture::of("getTags").response(404, JSON, "{}");
        assert_eq!(result.kind(FactKind::Decodes), Verdict::Undecided(Reason::NotShown));
        let result = judged("getTags", &Value::Null);
        assert_eq!(
            result.kind(FactKind::Decodes),
            Verdict::Undecided(Reason::OtherFactBroken)
        );
        let other = Fixture::schema("{type: object}");
        assert!(other.contract.facts.iter().all(|fact| fact.kind != FactKind::Decodes));
        assert!(
            Fixture::of("updateContact")
                .contract
                .facts
                .iter()
                .all(|fact| { fact.kind != FactKind::Decodes || !fact.name.starts_with("updateContact ") })
        );
    }

    /// Values to put in place of this one: some that the contract allows, if only by its gaps, and some that it does
    /// not.
    fn replacements_of(value: &Value) -> Vec<Value> {
        let texts = ["", " ", "\u{0}", "ＡＤＡ", "2024-02-30", "9".repeat(400).as_str()].map(Value::from);
        let mut moved = vec![
            json!(null),
            json!(1.0),
            json!(-1),
            json!(1u64 << 53),
            json!(true),
            json!([]),
            json!({}),
        ];
        moved.extend(texts);
        match value {
            Value::Array(elements) => {
                moved.push([elements.as_slice(), &[Value::Null], elements].concat().into());
                moved.push(json!([null, [null], {"a": null}, 1.0, "a"]));
            }
            Value::Object(fields) => {
                let mut more = fields.clone();
                more.insert("not_documented".to_owned(), json!({"a": [null, 1e300]}));
                moved.extend([Value::from(more), json!({"": {"": null}})]);
                for name in fields.keys() {
                    let mut fewer = fields.clone();
                    fewer.shift_remove(name);
                    moved.push(fewer.into());
                }
            }
            Value::Number(_) => moved.extend([json!(7.0), json!(i64::MIN), json!(7.5)]),
            _ => {}
        }
        moved
    }

    fn locations(value: &Value, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        match value {
            Value::Object(fields) => fields
                .iter()
                .for_each(|(name, inner)| locations(inner, &format!("{at}/{name}"), found)),
            Value::Array(elements) => {
                let elements = elements.iter().enumerate();
                elements.for_each(|(index, inner)| locations(inner, &format!("{at}/{index}"), found));
            }
            _ => {}
        }
    }

    /// Whether the client and the rest of the rules agree on the response, and whether it was accepted.
    fn agreed(operation: &str, response: &Value) -> (bool, bool) {
        let result = judged(operation, response);
        let accepted = !result
            .verdicts
            .findings()
            .iter()
            .any(|finding| finding.level == Level::Deny);
        let verdict = result.kind(FactKind::Decodes);
        let expected = match accepted {
            true => Verdict::Held,
            false => Verdict::Undecided(Reason::OtherFactBroken),
        };
        (verdict == expected, accepted)
    }

    #[test]
    fn everything_that_is_at_most_warned_about_decodes() {
        let (mut accepted, mut rejected) = (0, 0);
        for operation in typed() {
            let full = full_response(&operation);
            let mut all = Vec::new();
            locations(&full, "", &mut all);
            for location in all {
                for moved in replacements_of(full.pointer(&location).unwrap()) {
                    let mut response = full.clone();
                    *response.pointer_mut(&location).unwrap() = moved;
                    let (agreed, is_accepted) = agreed(&operation, &response);
                    assert!(agreed, "{operation} {location}: {response}");
                    *(if is_accepted { &mut accepted } else { &mut rejected }) += 1;
                }
            }
        }
        assert!(
            accepted > 500 && rejected > 500,
            "{accepted} accepted, {rejected} rejected"
        );
    }

    #[test]
    fn all_replacements_together_decode_too() {
        for operation in typed() {
            let mut response = full_response(&operation);
            let mut all = Vec::new();
            locations(&response, "", &mut all);
            // The innermost come first, so that no replacement removes the location of another.
            for (index, location) in all
                .iter()
                .rev()
                .enumerate()
                .filter(|(_, location)| !location.is_empty())
            {
                let value = response.pointer_mut(location).unwrap();
                let replacements = replacements_of(value);
                let before = value.clone();
                *value = replacements[index % replacements.len()].clone();
                if !agreed(&operation, &response).1 {
                    *response.pointer_mut(location).unwrap() = before;
                }
            }
            assert_eq!(agreed(&operation, &response), (true, true), "{operation}: {response}");
        }
    }

    #[test]
    fn the_finding_points_at_the_whole_response_and_at_its_content() {
        let result = judged("createContact", &contact(&json!(1e30)));
        let content = "/paths/~1organization~1v1~1contact-database/post/responses/2XX/content";
        assert_eq!(result.locations("typed-client"), ("", content));
    }
}
