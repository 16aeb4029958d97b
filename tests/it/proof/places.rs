//! Every documented place of every answer, dropped, renamed, of another type, or null around the resources: each is found, at that place, and
//! nothing is found where nothing was broken. The cases come from the contract's own facts.

use countersign::contract::fact::{Fact, FactKind};
use countersign::contract::pointer;
use countersign::report::Outcome;
use serde_json::{Value, json};

use super::checked::{Check, Judged, Said, contract};
use super::deviating::Deviation;
use crate::support::crew::try_all;

/// What a fresh contact lacks: it has no visits, so nothing stands in these arrays.
const NEVER_SHOWN: [&str; 2] = ["createContact /data/first_visit/*", "createContact /data/last_visit/*"];

/// What follows elsewhere from a break: the fact that is broken, then rule and operation of what it brings about. An
/// identifier of another type is another identifier, so nothing is listed under it and no path knows it; and a method is
/// not listed where its contact shows no methods, or none that can be told apart.
const FOLLOWING: [(&str, &str, &str); 14] = [
    ("createContact /data/id: string", "listed", "getContacts"),
    ("createContact /data/id: string", "status", "createContactMethod"),
    ("createContact /data/id: string", "status", "updateContact"),
    ("createContactMethod /data/id: string", "listed", "getContacts"),
    ("createTag /data/id: string", "listed", "getTags"),
    ("createVisit /data/id: integer", "listed", "getVisits"),
    ("getContacts /data/items/*/id: string", "listed", "getContacts"),
    (
        "getContacts /data/items/*/contact_methods: present",
        "listed",
        "getContacts",
    ),
    (
        "getContacts /data/items/*/contact_methods: array",
        "listed",
        "getContacts",
    ),
    (
        "getContacts /data/items/*/contact_methods/*: object",
        "listed",
        "getContacts",
    ),
    (
        "getContacts /data/items/*/contact_methods/*/id: present",
        "listed",
        "getContacts",
    ),
    (
        "getContacts /data/items/*/contact_methods/*/id: string",
        "listed",
        "getContacts",
    ),
    ("getTags /data/items/*/id: string", "listed", "getTags"),
    ("getVisits /data/items/*/id: integer", "listed", "getVisits"),
];

/// The places around the resources, where the document leaves nothing open: of a page, and of what a create answers.
const ENVELOPES: [&str; 9] = [
    "",
    "/data",
    "/data/per_page",
    "/data/page",
    "/data/total",
    "/data/last_page",
    "/data/items",
    "/data/items/*",
    "/message",
];

/// How a place is broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    Dropped,
    Null,
    OtherType,
    Renamed,
}

#[derive(Clone, Copy)]
struct Broken {
    fact: &'static Fact,
    way: Way,
}

#[test]
fn a_field_that_is_dropped_is_missing_there_and_nowhere_else() {
    prove(Way::Dropped, FactKind::Present);
}

#[test]
fn a_field_that_is_renamed_is_missing_there_and_its_new_name_is_told() {
    prove(Way::Renamed, FactKind::Present);
}

#[test]
fn a_value_of_another_type_is_found_there_and_nowhere_else() {
    prove(Way::OtherType, FactKind::Type);
}

#[test]
fn a_null_around_the_resources_is_found_there_and_nowhere_else() {
    let around = |fact: &&Fact| fact.kind == FactKind::Type && ENVELOPES.contains(&fact.pattern.as_str());
    assert_eq!(stated().filter(around).count(), 4 * 8 + 4 * 3);
    prove_of(Way::Null, stated().filter(around));
}

#[test]
fn every_documented_place_is_proven_but_those_that_a_fresh_contact_lacks() {
    let left_out: Vec<_> = stated().filter(|fact| never_shown(fact)).collect();
    assert_eq!(left_out.len(), 20);
    assert_eq!(stated().count(), 325);
}

fn prove(way: Way, kind: FactKind) {
    prove_of(way, stated().filter(|fact| fact.kind == kind && !never_shown(fact)));
}

fn prove_of(way: Way, facts: impl Iterator<Item = &'static Fact>) {
    let cases = facts.map(|fact| Broken { fact, way }).collect();
    try_all(cases, async |broken: Broken| {
        // What else is found is asked of the operations that this one needs; of all where every one is called.
        let check = Check::concerning(broken.operation());
        broken.misses(&check.judged(broken.deviation()).await)
    });
}

fn stated() -> impl Iterator<Item = &'static Fact> {
    let facts = contract().facts.iter();
    facts.filter(|fact| matches!(fact.kind, FactKind::Present | FactKind::Type))
}

fn never_shown(fact: &Fact) -> bool {
    NEVER_SHOWN.iter().any(|start| fact.name.starts_with(start))
}

impl Broken {
    fn operation(&self) -> &'static str {
        &contract().operation(self.fact.operation).name
    }

    fn deviation(&self) -> Deviation {
        let Self { fact, way } = *self;
        Deviation::none().at(self.operation(), move |_, reply| {
            let Some(body) = reply.value_mut() else { return };
            break_at(body, &pointer::tokens(&fact.pattern).collect::<Vec<_>>(), way);
        })
    }

    /// What the check should have said and did not, or said and should not have.
    fn misses(&self, judged: &Judged) -> Vec<String> {
        let mut misses = Vec::new();
        if judged.outcome != Outcome::DoesNotConform {
            misses.push(format!("the outcome is {:?}", judged.outcome));
        }
        let rule = match self.way {
            Way::Null | Way::OtherType => "wrong-type",
            Way::Dropped | Way::Renamed => "missing-field",
        };
        let wanted = |finding: &&Said| {
            finding.rule == rule
                && finding.operation == self.operation()
                && finding.pointer == self.fact.pattern
                && finding.place == self.fact.place
                && finding.fact == self.fact.name
        };
        if judged.denied().filter(wanted).count() != 1 {
            misses.push(format!("no `{rule}` at {}", self.fact.pattern));
        }
        if self.way == Way::Renamed && !self.tells_the_new_name(judged) {
            misses.push("the new name is not told".to_owned());
        }
        let astray = judged
            .denied()
            .filter(|finding| !wanted(finding) && !self.is_at_the_place(finding) && !self.explains(finding));
        misses.extend(astray.map(|finding| format!("astray: {finding}")));
        let named = |miss| format!("{} {:?}: {miss}", self.fact.name, self.way);
        misses.into_iter().map(named).collect()
    }

    fn tells_the_new_name(&self, judged: &Judged) -> bool {
        let mut findings = judged.findings();
        findings.any(|finding| {
            matches!(finding.rule.as_str(), "undocumented-field" | "envelope") && self.is_the_new_name(finding)
        })
    }

    fn is_the_new_name(&self, finding: &Said) -> bool {
        let parent = self.fact.pattern.rsplit_once('/').map_or("", |(parent, _)| parent);
        self.way == Way::Renamed
            && finding.operation == self.operation()
            && finding.pointer == format!("{parent}/renamed")
    }

    /// Whether another rule tells the same place, or its new name in a closed object.
    fn is_at_the_place(&self, finding: &Said) -> bool {
        let same = finding.operation == self.operation() && finding.pointer == self.fact.pattern;
        same || (finding.rule == "envelope" && self.is_the_new_name(finding))
    }

    /// Whether another finding follows from this break, so that no checker could leave it out.
    fn explains(&self, finding: &Said) -> bool {
        FOLLOWING.iter().any(|(fact, rule, operation)| {
            self.fact.name == *fact && finding.rule == *rule && finding.operation == *operation
        })
    }
}

/// Breaks every value at the place.
pub(super) fn break_at(value: &mut Value, tokens: &[String], way: Way) {
    let [token, rest @ ..] = tokens else {
        *value = match way {
            Way::Null => Value::Null,
            _ => of_another_type(value),
        };
        return;
    };
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| break_at(element, rest, way)),
        Value::Object(members) if rest.is_empty() && !matches!(way, Way::Null | Way::OtherType) => {
            let member = members.shift_remove(token);
            if let (Some(member), Way::Renamed) = (member, way) {
                members.insert("renamed".to_owned(), member);
            }
        }
        Value::Object(members) => {
            if let Some(member) = members.get_mut(token) {
                break_at(member, rest, way);
            }
        }
        _ => {}
    }
}

fn of_another_type(value: &Value) -> Value {
    match value {
        Value::Array(_) => json!({}),
        Value::Object(_) => json!([]),
        Value::String(text) => json!(number_of(text)),
        other => json!(format!("was {other}")),
    }
}

/// A number for a text, another one for another text: what was different stays different.
fn number_of(text: &str) -> u32 {
    text.bytes()
        .fold(0, |number, byte| number.wrapping_mul(31).wrapping_add(u32::from(byte)))
}
