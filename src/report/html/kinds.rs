//! The columns of the matrix: rules of one sort, so that a reader sees at a glance what is wrong. The main type is
//! [`Column`].

use crate::report::record::FactRow;

/// What sort of statement a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    /// Who is refused.
    Access,
    /// Whether an answer comes, with which status and of which media type.
    Answers,
    /// Which fields an answer has.
    Fields,
    /// What stands in them.
    Values,
    /// What holds across several answers.
    Laws,
    /// What odd requests bring.
    Oddities,
    /// A rule that this version does not know.
    Others,
}

impl Column {
    /// Every kind, in the order of the columns.
    pub(super) const ALL: [Self; 7] = [
        Self::Access,
        Self::Answers,
        Self::Fields,
        Self::Values,
        Self::Laws,
        Self::Oddities,
        Self::Others,
    ];

    /// The kind of a fact. Facts of odd requests are judged by the rules of others, and stand at `x-odd`.
    pub(super) fn of(row: &FactRow) -> Self {
        if row.contract_pointer.ends_with("/x-odd") {
            Self::Oddities
        } else {
            Self::of_rule(&row.rule)
        }
    }

    /// The kind of the facts that a rule judges.
    pub(super) fn of_rule(rule: &str) -> Self {
        match rule {
            "auth" | "challenge" => Self::Access,
            "allow"
            | "malformed-json"
            | "media-type"
            | "server-error"
            | "status"
            | "unchecked-operation"
            | "unfinished-answer" => Self::Answers,
            "envelope" | "forbidden-field" | "missing-field" | "undocumented-field" => Self::Fields,
            "constraint" | "null-value" | "typed-client" | "wrong-type" => Self::Values,
            "accepted-form"
            | "carried"
            | "equivalent-request"
            | "identifier"
            | "listed"
            | "misplaced"
            | "once"
            | "pages"
            | "respelled"
            | "stored-refusal"
            | "unusable-identifier" => Self::Laws,
            _ => Self::Others,
        }
    }

    /// Its place among the columns.
    pub(super) fn index(self) -> usize {
        self as usize
    }

    /// The head of its column.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Access => "Who gets in",
            Self::Answers => "Answers",
            Self::Fields => "Fields",
            Self::Values => "Values",
            Self::Laws => "Laws",
            Self::Oddities => "Oddities",
            Self::Others => "Other rules",
        }
    }

    /// What it is, in a few words.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Access => "a missing, wrong or other credential is refused",
            Self::Answers => "a complete answer of the documented status and media type",
            Self::Fields => "every documented field, and no other",
            Self::Values => "types, bounds and forms of what is in them",
            Self::Laws => "what holds across answers: pages add up, what was created is listed",
            Self::Oddities => "odd requests bring no 5xx",
            Self::Others => "rules that this version of the report does not know",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::rules::RULES;

    #[test]
    fn every_rule_has_a_column_of_its_own_kind() {
        for rule in RULES {
            assert_ne!(Column::of_rule(rule.name), Column::Others, "{}", rule.name);
        }
        assert_eq!(Column::of_rule("a-later-rule"), Column::Others);
    }

    #[test]
    fn the_columns_stand_in_their_order() {
        assert!(
            Column::ALL
                .iter()
                .enumerate()
                .all(|(index, kind)| kind.index() == index)
        );
    }

    #[test]
    fn facts_of_odd_requests_have_a_column_and_no_others_stand_there() {
        let contract = Contract::built_in().unwrap();
        let odd = contract.facts.iter().filter(|fact| fact.place.ends_with("/x-odd"));
        let odd: Vec<_> = odd.map(|fact| fact.name.as_str()).collect();
        assert_eq!(odd.len(), 18);
        assert!(odd.iter().all(|name| name.contains(" odd requests: ")), "{odd:?}");
    }
}
