//! Writes what is established as an overlay, which a person reviews before it is applied to the contract. The entry is
//! [`overlay`].
//!
//! # Design
//!
//! Only an action has an effect, and only what is established becomes one, so nothing has to be removed from the text
//! before it is used. Everything else is a comment. The evidence of an action is beside its `update`: it is for whoever
//! reviews it, and not part of the contract. Other programs apply an overlay to the document's own file alone, so an
//! action can name only a location in that file.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::answer::{Answer, AnswerState};
use super::ledger::{KnownAnswer, LedgerLine, known_with_runs};
use crate::contract::Contract;
use crate::contract::document::{Document, Node, Position};
use crate::contract::learned::{ANSWERS_KEY, containing_operation};
use crate::exchange::sanitize::{Colours, sanitize, sanitize_json};

/// An action that does nothing: the schema of the specification requires one.
const NO_ACTION: &str = "actions:\n  - {target: $, update: {}}\n";

/// An overlay that states answers to gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// Its text, in YAML.
    pub text: String,
    /// The number of answers that its actions state.
    pub answers: usize,
    /// The number of answers that are established, but are in comments because no action could name their locations.
    pub only_in_comments: usize,
}

/// Returns an OpenAPI Overlay 1.0.0 that states what is established by the lines of a ledger, all of them about this
/// contract and one target. What is not established, or has no location that an action could name, is in comments.
#[must_use]
pub fn overlay(contract: &Contract, lines: &[LedgerLine], now: DateTime<Utc>) -> Overlay {
    let own = contract.document.of_own_file();
    let mut actions: BTreeMap<(Position, String), Vec<KnownAnswer>> = BTreeMap::new();
    let (mut unplaced, mut others) = (Vec::new(), Vec::new());
    let with_claim = known_with_runs(lines, now).into_iter();
    for known in with_claim.filter(|known| known.answer.claim.is_some()) {
        if known.answer.state != AnswerState::Established {
            others.push(known);
            continue;
        }
        match place(contract, own.as_ref(), &known.answer) {
            Ok(place) => actions.entry(place).or_default().push(known),
            Err(reason) => unplaced.push(format!("{}; {reason}", in_words(&known))),
        }
    }
    others.sort_by_key(|known| known.answer.state);
    let mut text = header(contract, lines.first(), now);
    text.push_str(if actions.is_empty() { NO_ACTION } else { "actions:\n" });
    for ((_, target), answers) in &actions {
        text.push_str(&action(target, answers));
    }
    text += &comments(
        "Established, but not stated by an action, for the reason at the end of each line:",
        &unplaced,
    );
    text += &comments(
        "Not established: that takes two runs, at least an hour apart, whose trials agree, and no unstable answer about \
         the same gap:",
        &others.iter().map(in_words).collect::<Vec<_>>(),
    );
    Overlay {
        text,
        answers: actions.values().map(Vec::len).sum(),
        only_in_comments: unplaced.len(),
    }
}

/// Returns what precedes the actions.
fn header(contract: &Contract, line: Option<&LedgerLine>, now: DateTime<Utc>) -> String {
    let title = format!("What a service answers where {} leaves it open", contract.title);
    let version = now.format("%Y-%m-%d").to_string();
    let about = line.map(|line| [("x-target", line.target.clone()), ("x-contract", line.contract.clone())]);
    let members = [("title", title), ("version", version)];
    let members = members.into_iter().chain(about.into_iter().flatten());
    let members = members.map(|(name, value)| format!("  {name}: {}\n", quoted(&value)));
    format!("overlay: 1.0.0\ninfo:\n{}", members.collect::<String>())
}

/// Returns where in the document an answer is written, and the target of an action on that location, or why it is
/// written nowhere.
fn place(contract: &Contract, own: Option<&Document>, answer: &Answer) -> Result<(Position, String), &'static str> {
    let location = answer.location.as_deref().ok_or("it is about the gap as a whole")?;
    let operation = answer.operation.as_deref().ok_or("it is about several operations")?;
    if contract.operation_named(operation).is_none() {
        return Err("the contract has no such operation");
    }
    if containing_operation(&contract.operations, location).is_some_and(|owner| owner.name != operation) {
        return Err("the location belongs to another operation");
    }
    // No `x-gap` names a gap that the document does not list.
    let mut gaps = contract.gaps.iter();
    let is_inferred =
        gaps.any(|gap| gap.is_inferred && gap.id == answer.gap && gap.locations.iter().any(|at| at == location));
    let location = contract.document.pointer_in_text(location);
    let found = own.and_then(|own| Some((own, own.node(&location)?, own.action_target(&location)?)));
    let (own, node, target) = found.ok_or("the document's own file has no such location")?;
    if !is_inferred && !names(node, &answer.gap) {
        return Err("no `x-gap` at this location names it");
    }
    if node.member(ANSWERS_KEY).is_some() {
        // The answers of an action would come after those, and be about the same.
        return Err("the document already has answers at this location");
    }
    Ok((own.position(&location), target))
}

/// Whether an `x-gap` here names the gap.
fn names(node: &Node, gap: &str) -> bool {
    let ids = node.member("x-gap").map_or(&[][..], Node::elements);
    ids.iter().any(|id| id.string() == Some(gap))
}

/// Returns an action that adds answers, one per line, with the evidence of each.
fn action(target: &str, answers: &[KnownAnswer]) -> String {
    let (mut stated, mut evidence) = (String::new(), String::new());
    for KnownAnswer { answer, runs } in answers {
        let claim = serde_json::to_value(&answer.claim).unwrap_or_default();
        let mut about = json!({"gap": answer.gap, "operation": answer.operation});
        let mut of_answer = about.clone();
        if let Some(condition) = claim.get("condition") {
            of_answer["condition"] = condition.clone();
        }
        of_answer["state"] = json!(answer.state);
        of_answer["trials"] = json!(answer.observations);
        of_answer["runs"] = json!(runs.len());
        for (name, time) in [("first", runs.first()), ("last", runs.last())] {
            of_answer[name] = json!(time.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true)));
        }
        about["claim"] = claim;
        stated.push_str(&format!("        - {}\n", flow(&about)));
        evidence.push_str(&format!("      - {}\n", flow(&of_answer)));
    }
    let target = quoted(target);
    format!("  - target: {target}\n    update:\n      {ANSWERS_KEY}:\n{stated}    x-evidence:\n{evidence}")
}

/// Returns comments, one per line, below a heading; nothing if there are none.
fn comments(heading: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    // A line feed would end the comment, and the rest would be read as YAML.
    let line = |line: &String| format!("# - {}\n", sanitize(line, Colours::None).replace('\n', " "));
    format!("\n# {heading}\n{}", lines.iter().map(line).collect::<String>())
}

/// Returns what is known in one line: `seen: list-order, getTags, at /paths/~1tags/get: order: oldest-first in 14 of
/// 14; of the responses not seen, at most 3 in 14 differ (95 % confidence)`.
fn in_words(KnownAnswer { answer, runs }: &KnownAnswer) -> String {
    let about = [Some(answer.gap.as_str()), answer.operation.as_deref()]
        .into_iter()
        .flatten();
    let about = about.collect::<Vec<_>>().join(", ");
    let location = answer.location.as_ref().map(|location| format!(", at {location}"));
    let location = location.unwrap_or_default();
    let claim = answer.claim.as_ref().map(ToString::to_string).unwrap_or_default();
    let (trials, state) = (answer.observations, answer.state.as_str());
    let all = trials.supporting.saturating_add(trials.against);
    let named = answer
        .dissent
        .iter()
        .map(|dissent| (dissent.claim.to_string(), dissent.count));
    let named_count = answer
        .dissent
        .iter()
        .map(|dissent| dissent.count)
        .fold(0, u64::saturating_add);
    let unnamed = trials.against.saturating_sub(named_count);
    let unnamed = (unnamed > 0).then(|| ("anything else".to_owned(), unnamed));
    let dissent = named
        .chain(unnamed)
        .map(|(claim, count)| format!("; {claim} in {count} of {all}"));
    let runs = match (answer.state, runs.len()) {
        (AnswerState::Seen | AnswerState::Unstable | AnswerState::CannotTell, _) => String::new(),
        (_, 1) => ", by 1 run".to_owned(),
        (_, runs) => format!(", by {runs} runs"),
    };
    let bound = answer.bound_on_unseen();
    let dissent = dissent.collect::<String>();
    format!(
        "{state}: {about}{location}: {claim} in {} of {all}{runs}{bound}{dissent}",
        trials.supporting
    )
}

/// Returns a value in one line, as YAML reads it.
fn flow(value: &Value) -> String {
    match value {
        Value::Array(elements) => format!("[{}]", elements.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{}: {}", quoted(name), flow(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Returns a text in double quotes, as YAML reads it: as JSON has it, but for invisible characters.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    let visible = |character: char| {
        let one = character.to_string();
        // JSON escapes some of them as two surrogates, each of which is an error in YAML.
        match sanitize_json(&one) == one {
            true => one,
            false => format!("\\U{:08x}", u32::from(character)),
        }
    };
    json.chars().map(visible).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::mem::discriminant;

    use chrono::TimeDelta;
    use serde_json_path::JsonPath;

    use super::super::answer::tests::all_claims;
    use super::super::answer::{Claim, Condition, Dissent, ListOrder, ObservationCounts, WrittenForm};
    use super::super::ledger::LearnRun;
    use super::*;

    const THINGS: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
x-gaps:
- {id: success-status, question: Which status?, kind: success-status, stated: not-shown}
- {id: conditions, question: Which errors?, kind: error-conditions, stated: silent}
- {id: order, question: Which order?, kind: list-order, stated: silent}
paths:
  /things:
    post:
      operationId: createThing
      x-gap: [conditions]
      responses: {2XX: {description: Created, x-gap: [success-status]}}
    get:
      operationId: getThings
      x-gap: [conditions, order]
      responses: {2XX: {description: Things, x-gap: [success-status]}}
";
    const CREATED: &str = "/paths/~1things/post/responses/2XX";
    const LIST: &str = "/paths/~1things/get";

    fn now() -> DateTime<Utc> {
        "2026-11-24T12:00:00Z".parse().unwrap()
    }

    fn things() -> Contract {
        Contract::read("things.yaml", THINGS.to_owned()).unwrap()
    }

    /// What one run indicates.
    fn answer((gap, operation, location): (&str, &str, &str), claim: Claim) -> Answer {
        Answer {
            gap: gap.to_owned(),
            operation: Some(operation.to_owned()),
            location: Some(location.to_owned()),
            state: AnswerState::Indicated,
            claim: Some(claim),
            observations: ObservationCounts {
                supporting: 4,
                ..ObservationCounts::default()
            },
            dissent: Vec::new(),
            reason: None,
        }
    }

    fn status(status: u16) -> Answer {
        answer(("success-status", "createThing", CREATED), Claim::Status { status })
    }

    /// The lines of a run.
    fn run(hours_ago: i64, answers: &[Answer]) -> Vec<LedgerLine> {
        let run = LearnRun {
            tag: format!("r{hours_ago}"),
            time: now() - TimeDelta::hours(hours_ago),
            target: "https://things.example.com".to_owned(),
            contract: "0123456789abcdef".to_owned(),
        };
        run.lines(&[], answers)
    }

    /// The lines of two runs that establish the answers.
    fn two_runs(answers: &[Answer]) -> Vec<LedgerLine> {
        [run(26, answers), run(2, answers)].concat()
    }

    fn applied(contract: &Contract, text: &str) -> Contract {
        let document = contract.document.of_own_file().unwrap();
        Contract::of_document(document.with_overlay("known.yaml", text.to_owned()).unwrap()).unwrap()
    }

    /// What the answers of a contract say, in its order.
    fn stated(contract: &Contract) -> Vec<(&str, &str, &str, Value)> {
        let answers = contract.answers.iter().map(|answer| {
            let gap = contract.gaps[answer.gap].id.as_str();
            let operation = contract.operation(answer.operation).name.as_str();
            (gap, operation, answer.location.as_str(), answer.claim.clone())
        });
        answers.collect()
    }

    /// What an action should state, in no order.
    fn expected(answers: &[Answer]) -> HashSet<(&str, &str, &str, Value)> {
        let answers = answers.iter().map(|answer| {
            let (operation, location) = (answer.operation.as_deref(), answer.location.as_deref());
            let claim = serde_json::to_value(&answer.claim).unwrap();
            (answer.gap.as_str(), operation.unwrap(), location.unwrap(), claim)
        });
        answers.collect()
    }

    /// The comments.
    fn comments(text: &str) -> Vec<&str> {
        text.lines().filter_map(|line| line.strip_prefix("# - ")).collect()
    }

    #[test]
    fn what_is_established_comes_back_and_each_target_selects_its_location_alone() {
        let contract = crate::testing::built_in();
        let operations: Vec<_> = contract
            .operations
            .iter()
            .map(|operation| operation.name.as_str())
            .collect();
        let claims: Vec<_> = all_claims().map(|(claim, _)| claim).collect();
        let mut claims = claims.iter().cloned().cycle();
        let mut answers = Vec::new();
        for gap in &contract.gaps {
            for (index, location) in gap.locations.iter().enumerate() {
                if contract.document.node(location).unwrap().member("x-gap").is_some() {
                    let owner = containing_operation(&contract.operations, location).map(|owner| owner.name.as_str());
                    let operation = owner.unwrap_or(operations[index % operations.len()]);
                    answers.push(answer((&gap.id, operation, location), claims.next().unwrap()));
                }
            }
        }
        assert!(answers.len() > 100, "{}", answers.len());
        let text = overlay(contract, &two_runs(&answers), now()).text;
        let again = applied(contract, &text);
        assert_eq!(stated(&again).into_iter().collect::<HashSet<_>>(), expected(&answers));
        assert_eq!((again.answers.len(), comments(&text).len()), (answers.len(), 0));

        // The same by independent implementations of YAML and JSONPath.
        let mut value = contract.document.of_own_file().unwrap().root.to_value();
        let written: Value = serde_yaml::from_str(&text).unwrap();
        let mut selected = HashSet::new();
        for action in written["actions"].as_array().unwrap() {
            let target = JsonPath::parse(action["target"].as_str().unwrap()).unwrap();
            let location = target
                .query_located(&value)
                .exactly_one()
                .unwrap()
                .location()
                .to_json_pointer();
            value.pointer_mut(&location).unwrap()[ANSWERS_KEY] = action["update"][ANSWERS_KEY].clone();
            selected.insert(location);
        }
        let locations: HashSet<_> = answers.iter().flat_map(|answer| answer.location.clone()).collect();
        assert_eq!(selected, locations);
        assert!(again.document.root.to_value() == value);
    }

    #[test]
    fn a_claim_of_each_form_comes_back() {
        let forms: HashSet<_> = all_claims().map(|(claim, _)| discriminant(&claim)).collect();
        let schema = schemars::schema_for!(Claim).to_value();
        assert_eq!(forms.len(), schema["anyOf"].as_array().unwrap().len());
        for (claim, written) in all_claims() {
            let answers = [answer(("success-status", "createThing", CREATED), claim)];
            let text = overlay(&things(), &two_runs(&answers), now()).text;
            assert_eq!(applied(&things(), &text).answers[0].claim, written);
        }
    }

    #[test]
    fn what_is_not_established_is_no_answer() {
        let seen = Answer {
            state: AnswerState::Seen,
            ..status(200)
        };
        let order = |order, supporting| Answer {
            observations: ObservationCounts {
                supporting,
                ..ObservationCounts::default()
            },
            state: AnswerState::Seen,
            ..answer(("order", "getThings", LIST), Claim::Order { order })
        };
        let (few, more) = (order(ListOrder::NewestFirst, 3), order(ListOrder::NewestFirst, 14));
        for (lines, expected) in [
            (
                run(2, &[status(201)]),
                "indicated: success-status, createThing, at /paths/~1things/post/responses/2XX: status: 201 in 4 of 4, by \
                 1 run",
            ),
            (
                run(2, &[few]),
                "seen: order, getThings, at /paths/~1things/get: order: newest-first in 3 of 3",
            ),
            (
                run(2, &[more]),
                "seen: order, getThings, at /paths/~1things/get: order: newest-first in 14 of 14; of the responses not seen, at \
                 most 3 in 14 differ (95 % confidence)",
            ),
            (
                [two_runs(&[status(201)]), run(1, &[seen])].concat(),
                "unstable: success-status, createThing, at /paths/~1things/post/responses/2XX: status: 201 in 8 of 12; \
                 status: 200 in 4 of 12",
            ),
        ] {
            let text = overlay(&things(), &lines, now()).text;
            assert!(text.contains(NO_ACTION), "{text}");
            assert_eq!(comments(&text), [expected]);
            assert_eq!(applied(&things(), &text).answers, []);
        }
        let nothing = overlay(&things(), &[], now()).text;
        assert_eq!(
            (comments(&nothing).len(), applied(&things(), &nothing).answers.len()),
            (0, 0)
        );
    }

    #[test]
    fn what_belongs_to_no_location_of_the_document_is_a_comment_with_the_reason() {
        let unplaced = |change: &dyn Fn(&mut Answer)| {
            let mut changed = status(201);
            change(&mut changed);
            let answers = [
                changed,
                answer(("order", "getThings", LIST), Claim::HeaderSent { sent: true }),
            ];
            let Overlay {
                text,
                answers,
                only_in_comments,
            } = overlay(&things(), &two_runs(&answers), now());
            assert_eq!((answers, only_in_comments), (1, 1), "{text}");
            assert_eq!(applied(&things(), &text).answers.len(), 1, "{text}");
            let comments = comments(&text);
            assert!(
                comments.len() == 1 && comments[0].starts_with("established: success-status"),
                "{text}"
            );
            comments[0].rsplit_once("by 2 runs; ").unwrap().1.to_owned()
        };
        let at = |location: &str| {
            let location = location.to_owned();
            unplaced(&move |answer| answer.location = Some(location.clone()))
        };
        assert_eq!(
            unplaced(&|answer| answer.operation = None),
            "it is about several operations"
        );
        assert_eq!(
            unplaced(&|answer| answer.location = None),
            "it is about the gap as a whole"
        );
        let unknown = unplaced(&|answer| answer.operation = Some("getThing".to_owned()));
        assert_eq!(unknown, "the contract has no such operation");
        assert_eq!(
            at("/components/schemas/thing"),
            "the document's own file has no such location"
        );
        assert_eq!(at("/paths/~1things/post"), "no `x-gap` at this location names it");
    }

    #[test]
    fn a_location_in_another_file_is_no_target() {
        let text = THINGS.replace(
            "{description: Created, x-gap: [success-status]}",
            "{$ref: others.yaml#/created}",
        );
        let others = "created: {description: Created, x-gap: [success-status]}\n";
        let document = Document::read("things.yaml", text).unwrap();
        let document = document.with_files(crate::contract::bundle::OtherFiles {
            shown_folder: String::new(),
            file_name: "things.yaml".to_owned(),
            read: Box::new(move |_| Ok(others.to_owned())),
        });
        let contract = Contract::of_document(document).unwrap();
        let location = contract.gaps[0]
            .locations
            .iter()
            .find(|location| location.starts_with("/components"));
        let answers = [answer(
            ("success-status", "createThing", location.unwrap()),
            Claim::Status { status: 201 },
        )];
        let text = overlay(&contract, &two_runs(&answers), now()).text;
        assert!(text.contains(NO_ACTION), "{text}");
        assert!(
            comments(&text)[0].ends_with("; the document's own file has no such location"),
            "{text}"
        );
    }

    #[test]
    fn answers_that_the_document_has_itself_are_not_added_to() {
        let answers = "x-answers: [{gap: success-status, operation: createThing, claim: {status: 200}}]";
        let text = THINGS.replace("description: Created,", &format!("description: Created, {answers},"));
        let contract = Contract::read("things.yaml", text).unwrap();
        let text = overlay(&contract, &two_runs(&[status(201)]), now()).text;
        assert!(
            comments(&text)[0].ends_with("; the document already has answers at this location"),
            "{text}"
        );
        assert_eq!(stated(&applied(&contract, &text))[0].3, json!({"status": 200}));
    }

    #[test]
    fn a_location_that_is_read_in_another_dialect_is_named_as_it_is_written() {
        let text = THINGS.replace("3.0.3", "3.1.0").replace(
            "responses: {2XX: {description: Things, x-gap: [success-status]}}",
            "responses: {'200': {description: Things, content: {application/json: {schema: {anyOf: [{type: 'null'}, \
             {type: object, x-gap: [success-status]}]}}}}}",
        );
        let contract = Contract::read("things.yaml", text).unwrap();
        let location = contract.gaps[0]
            .locations
            .iter()
            .find(|location| location.contains("schema"))
            .unwrap();
        assert!(location.ends_with("/allOf/0"), "{location}");
        let answers = [answer(
            ("success-status", "getThings", location),
            Claim::Status { status: 200 },
        )];
        let text = overlay(&contract, &two_runs(&answers), now()).text;
        assert!(text.contains("['schema']['anyOf'][1]\"\n"), "{text}");
        let again = applied(&contract, &text);
        assert_eq!(stated(&again).into_iter().collect::<HashSet<_>>(), expected(&answers));
    }

    #[test]
    fn each_condition_is_an_answer_and_an_equal_subject_is_not_written_twice() {
        let condition = |condition, status| {
            let claim = Claim::Condition { condition, status };
            answer(("conditions", "getThings", LIST), claim)
        };
        let answers = [
            condition(Condition::NoCredential, 401),
            condition(Condition::UnknownRecord, 404),
        ];
        let lines = [two_runs(&answers), two_runs(&answers)].concat();
        let text = overlay(&things(), &lines, now()).text;
        let again = applied(&things(), &text);
        assert_eq!(again.answers.len(), 2, "{text}");
        assert_eq!(stated(&again).into_iter().collect::<HashSet<_>>(), expected(&answers));
        assert!(
            text.contains("\"condition\": \"unknown-record\", \"state\": \"established\""),
            "{text}"
        );
    }

    #[test]
    fn no_text_leaves_its_comment_or_its_quotes() {
        const HOSTILE: &str = "a\n- b: # \"'\\ \r\u{85}\u{2028}\u{202e}\u{feff}\u{e0041}\nactions: []";
        let claim = || Claim::Entries {
            entries: vec![HOSTILE.to_owned()],
        };
        let unplaced = Answer {
            gap: HOSTILE.to_owned(),
            location: Some(HOSTILE.to_owned()),
            ..answer(("", HOSTILE, ""), claim())
        };
        let placed = answer(("success-status", "createThing", CREATED), claim());
        let lines = [
            two_runs(&[placed.clone(), unplaced.clone()]),
            run(2, &[answer(("order", "getThings", LIST), claim())]),
        ];
        let mut lines = lines.concat();
        lines[0].target = HOSTILE.to_owned();
        let text = overlay(&things(), &lines, now()).text;
        assert_eq!(comments(&text).len(), 2, "{text}");
        assert!(
            text.lines().all(|line| line.starts_with([' ', '#'])
                || line.starts_with("overlay:")
                || line.starts_with("info:")
                || line == "actions:"
                || line.is_empty()),
            "{text}"
        );
        assert!(
            !text.contains(['\r', '\u{85}', '\u{2028}', '\u{202e}', '\u{feff}', '\u{e0041}']),
            "{text}"
        );
        assert_eq!(
            stated(&applied(&things(), &text)).into_iter().collect::<HashSet<_>>(),
            expected(&[placed])
        );
        let written: Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(written["info"]["x-target"], HOSTILE);
        assert_eq!(
            written["actions"][0]["update"][ANSWERS_KEY][0]["claim"]["entries"][0],
            HOSTILE
        );
    }

    #[test]
    fn the_text_is_in_the_order_of_the_document() {
        let no_credential = Claim::Condition {
            condition: Condition::NoCredential,
            status: 401,
        };
        let established = [
            answer(
                ("order", "getThings", LIST),
                Claim::Order {
                    order: ListOrder::OldestFirst,
                },
            ),
            answer(("conditions", "getThings", LIST), no_credential),
            status(201),
        ];
        let of_several = Answer {
            operation: None,
            ..answer(
                ("forms", "", "/components/schemas/thing"),
                Claim::Form {
                    form: WrittenForm::UuidLower,
                },
            )
        };
        let unstable = Answer {
            state: AnswerState::Unstable,
            observations: ObservationCounts {
                supporting: 5,
                against: 3,
                void: 1,
            },
            dissent: vec![Dissent {
                claim: Claim::Status { status: 202 },
                count: 2,
            }],
            ..answer(
                ("other-status", "getThings", "/paths/~1things/get/responses/2XX"),
                Claim::Status { status: 200 },
            )
        };
        let seen = Answer {
            state: AnswerState::Seen,
            ..answer(("challenge", "getThings", LIST), Claim::HeaderSent { sent: false })
        };
        let indicated = answer(
            ("conditions", "createThing", "/paths/~1things/post"),
            Claim::Condition {
                condition: Condition::InvalidBody,
                status: 422,
            },
        );
        let lines = [
            two_runs(&established),
            two_runs(&[of_several]),
            run(1, &[unstable, seen, indicated]),
        ];
        let text = overlay(&things(), &lines.concat(), now()).text;
        crate::testing::with_snapshots(|| insta::assert_snapshot!("overlay", text));
    }
}
