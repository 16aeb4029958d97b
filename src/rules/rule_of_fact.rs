//! Maps each kind of fact to the rule that judges it.

use super::rule::Rule;
use super::{
    accepted_format, auth, challenge, changed_answer, constraint, envelope, equivalent_request, filtered,
    forbidden_field, identifier, inferred_pages, lifecycle, listed, malformed_json, media_type, missing_field,
    other_records, pages, record_count, server_error, status, stored_values, typed_client, unfinished_answer,
    unsorted_list, wrong_type,
};
use crate::contract::fact::FactKind;

/// Returns the rule that judges the facts of this kind. What is carried in a field with a gap is judged by
/// `stored-spelling`, at the facts of `stored-values`.
#[must_use]
pub fn rule_of(kind: FactKind) -> &'static Rule {
    match kind {
        FactKind::ForbiddenFieldAbsent => &forbidden_field::RULE,
        FactKind::AcceptsTimestampFormat(_) => &accepted_format::RULE,
        FactKind::Answer(_) => &changed_answer::RULE,
        FactKind::Assertion => &constraint::RULE,
        FactKind::Carried(_) | FactKind::ListedCarrying(_) | FactKind::ListedAfterUpdateCarrying(_) => {
            &stored_values::RULE
        }
        FactKind::Challenge => &challenge::RULE,
        FactKind::NoOtherFields => &envelope::RULE,
        FactKind::CompleteResponse | FactKind::EdgeCaseCompleteResponse => &unfinished_answer::RULE,
        FactKind::Decodes => &typed_client::RULE,
        FactKind::Equivalent(_) => &equivalent_request::RULE,
        FactKind::Filtered(_) | FactKind::OfRecordInPath(_) => &filtered::RULE,
        // `unusable-identifier` has no fact: it reports what is neither a string nor a number, is empty, or is too
        // long.
        FactKind::IdentifierFitsPath | FactKind::IdentifierUnique => &identifier::RULE,
        FactKind::InferredPages(_) => &inferred_pages::RULE,
        FactKind::Json | FactKind::FailureJson(_) => &malformed_json::RULE,
        FactKind::Listed => &listed::RULE,
        FactKind::ChangeTimeMoves
        | FactKind::CreationTimeKept
        | FactKind::DefaultAfterCreate
        | FactKind::DefaultAfterReplace
        | FactKind::FieldsKeptByUpdate
        | FactKind::GoneAfterDelete
        | FactKind::InferredListed
        | FactKind::InferredListedOnce
        | FactKind::ListedAsRead
        | FactKind::OtherKeptByDelete
        | FactKind::OtherKeptByUpdate
        | FactKind::ReadAfterCreate
        | FactKind::ReadAfterCreateCarrying(_)
        | FactKind::ReadAfterUpdateCarrying(_)
        | FactKind::ResponseAfterCreate
        | FactKind::ResponseAfterUpdate
        | FactKind::SameAfterRepeatedUpdate
        | FactKind::UnlistedAfterDelete => &lifecycle::RULE,
        FactKind::MediaType | FactKind::FailureMediaType(_) => &media_type::RULE,
        FactKind::RejectsNoCredential | FactKind::RejectsOtherScheme | FactKind::RejectsWrongToken => &auth::RULE,
        FactKind::NoServerError | FactKind::EdgeCaseNoServerError => &server_error::RULE,
        FactKind::NotElsewhere => &other_records::RULE,
        FactKind::NoExtraRecord => &record_count::RULE,
        FactKind::PageAsked
        | FactKind::PageDefault
        | FactKind::PageFull
        | FactKind::PageLast
        | FactKind::PageSize
        | FactKind::PageTotal
        | FactKind::PageUnique => &pages::RULE,
        FactKind::Present => &missing_field::RULE,
        FactKind::Sorted(_) => &unsorted_list::RULE,
        FactKind::Status => &status::RULE,
        FactKind::Type => &wrong_type::RULE,
    }
}

/// Returns whether the rule looks where a fact of this kind is decided. If the fact is held, the rule has looked
/// there; only its findings say whether it found something. Rules without a fact of their own use the
/// facts of other rules; no fact covers what `allow-header` looks at, a 405.
#[must_use]
pub fn fact_covers_rule(kind: FactKind, rule: &Rule) -> bool {
    let reports_at_other_fact = match rule.name {
        "null-value" | "undocumented-field" => kind == FactKind::Type,
        "rejected-but-stored" | "unchecked-operation" => kind == FactKind::Status,
        "unusable-identifier" => kind == FactKind::IdentifierUnique,
        "stored-spelling" => rule_of(kind).name == stored_values::RULE.name,
        _ => false,
    };
    reports_at_other_fact || rule_of(kind).name == rule.name
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rules::RULES;

    #[test]
    fn every_rule_but_those_that_only_report_judges_the_fact_of_its_example() {
        let contract = crate::testing::built_in();
        let mut reporting = Vec::new();
        let mut seen = 0;
        for rule in RULES {
            // A rule whose facts are not in the built-in contract has its example from another one.
            let fact = contract.facts.iter().find(|fact| fact.name == rule.example.fact);
            let judging = fact.map(|fact| rule_of(fact.kind).name);
            seen += usize::from(judging == Some(rule.name));
            if judging.is_some_and(|judging| judging != rule.name) {
                reporting.push(rule.name);
            }
        }
        assert!(seen > 15, "{seen}");
        let known = [
            "allow-header", "null-value", "rejected-but-stored", "stored-spelling", "unchecked-operation",
            "undocumented-field", "unusable-identifier",
        ];
        assert_eq!(reporting, known);
    }
}
