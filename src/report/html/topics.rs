//! The columns of the overview: facts about one topic, so that a reader sees at a glance what is wrong. The main type
//! is [`FactTopic`].

use crate::report::record::FactRow;
use crate::rules::{RuleName, Topic};

/// What a fact is about: one column of the overview.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FactTopic {
    /// Which credentials are rejected.
    Access,
    /// Whether a response comes, and its status and media type.
    Responses,
    /// Which fields a response has.
    Fields,
    /// The values of the fields.
    Values,
    /// What holds across several responses.
    Invariants,
    /// How edge cases are answered.
    EdgeCases,
    /// A rule that this version does not know.
    Others,
}

impl FactTopic {
    /// Every topic, in the order of the columns.
    pub(super) const ALL: [Self; 7] = [
        Self::Access,
        Self::Responses,
        Self::Fields,
        Self::Values,
        Self::Invariants,
        Self::EdgeCases,
        Self::Others,
    ];

    /// Returns the topic of a fact. Facts about edge cases are recognised by their rule and their location, because the
    /// rules that judge them also judge other facts.
    pub(super) fn of(row: &FactRow) -> Self {
        if row.is_of_edge_cases() {
            Self::EdgeCases
        } else {
            Self::of_rule(&row.rule)
        }
    }

    /// Returns the topic of the facts that a rule judges.
    pub(super) fn of_rule(rule: &RuleName) -> Self {
        match rule.rule().map(|rule| rule.topic) {
            Some(Topic::Access) => Self::Access,
            Some(Topic::Responses) => Self::Responses,
            Some(Topic::Fields) => Self::Fields,
            Some(Topic::Values) => Self::Values,
            Some(Topic::Invariants) => Self::Invariants,
            None => Self::Others,
        }
    }

    /// Returns its index among the columns.
    pub(super) fn index(self) -> usize {
        self as usize
    }

    /// Returns the heading of its column.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Access => "Authentication",
            Self::Responses => "Responses",
            Self::Fields => "Fields",
            Self::Values => "Values",
            Self::Invariants => "Invariants",
            Self::EdgeCases => "Edge cases",
            Self::Others => "Other rules",
        }
    }

    /// Describes it in a few words.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Access => "a missing or wrong credential, or the token under another scheme, is rejected",
            Self::Responses => "a complete response of the documented status and media type",
            Self::Fields => "every documented field, and no other",
            Self::Values => "types, bounds and formats of the fields' values",
            Self::Invariants => "what holds across responses: pages add up, what was created is listed",
            Self::EdgeCases => "edge cases get complete responses and no 5xx",
            Self::Others => "rules that this version of the report does not know",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::contract::edge_case;
    use crate::contract::fact::FactKind;
    use crate::report::testing::sample_record;
    use crate::rules::rule_of;

    /// A contract most of whose facts are inferred, and stated at an operation.
    const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
components:
  schemas:
    Pet: {type: object, properties: {id: {type: integer}, name: {type: string}}}
  responses:
    Pet: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
  requestBodies:
    Pet: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
paths:
  /pets:
    post:
      requestBody: {$ref: '#/components/requestBodies/Pet'}
      responses: {'201': {$ref: '#/components/responses/Pet'}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get: {responses: {'200': {$ref: '#/components/responses/Pet'}}}
";

    #[test]
    fn a_rule_of_another_version_has_a_column_too() {
        assert_eq!(FactTopic::of_rule(&"a-later-rule".into()), FactTopic::Others);
        assert_eq!(FactTopic::of_rule(&"auth".into()), FactTopic::Access);
    }

    #[test]
    fn the_columns_stand_in_their_order() {
        assert!(
            FactTopic::ALL
                .iter()
                .enumerate()
                .all(|(index, topic)| topic.index() == index)
        );
    }

    #[test]
    fn facts_of_edge_cases_have_a_column_and_no_others_stand_there() {
        let inferred = Contract::read("pets.yaml", PETS.to_owned()).unwrap();
        let kinds = || inferred.facts.iter().map(|fact| fact.kind);
        assert!(kinds().any(|kind| kind == FactKind::ReadAfterCreate));
        assert!(kinds().any(|kind| kind == FactKind::EdgeCaseNoServerError));
        for contract in [&**crate::testing::built_in(), &inferred] {
            let sample = sample_record().facts.rows.remove(0);
            for fact in &contract.facts {
                let row = FactRow {
                    rule: rule_of(fact.kind).name.into(),
                    contract_pointer: fact.location.clone(),
                    ..sample.clone()
                };
                let is_of_edge_cases = edge_case::FACT_KINDS.contains(&fact.kind);
                assert_eq!(
                    FactTopic::of(&row) == FactTopic::EdgeCases,
                    is_of_edge_cases,
                    "{}",
                    fact.name
                );
            }
        }
    }
}
