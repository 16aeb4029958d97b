//! Checks what an overlay claims before a run depends on it. The entry is [`validate_stated_answers`].

use std::collections::BTreeSet;
use std::mem::discriminant;

use super::answer::{BeyondLast, BodyForm, Claim, DateFormat, UnknownHandling, WrittenForm};
use super::collector::LARGEST_PAGE;
use super::effects::{NOTHING_SHOWN, side_effect_claim};
use crate::contract::defect::{Defects, Problem};
use crate::contract::learned::StatedAnswer;
use crate::contract::operation::Operation;
use crate::contract::vocabulary::{Gap, GapKind};
use crate::contract::{Contract, pointer};

/// Checks that each answer that a contract states has a claim that an answer to its gap can have; any other could not
/// be judged, or would contradict every response.
///
/// # Errors
///
/// A defect for each answer that does not, at its claim.
pub(crate) fn validate_stated_answers(contract: &Contract) -> Result<(), Defects> {
    let wrong = |answer: &StatedAnswer| {
        let message = wrong(answer, &contract.gaps[answer.gap], contract)?;
        let claim = pointer::join(&answer.pointer, "claim");
        Some(contract.document.defect(&claim, Problem::Vocabulary { message }))
    };
    Defects::new(contract.answers.iter().filter_map(wrong).collect()).map_or(Ok(()), Err)
}

/// Returns what is wrong with the claim of an answer, and what to do.
fn wrong(answer: &StatedAnswer, gap: &Gap, contract: &Contract) -> Option<String> {
    let operation = contract.operation(answer.operation);
    let claim = serde_json::from_value::<Claim>(answer.claim.clone()).ok();
    let forms = gap.kind.map_or(&[][..], forms);
    let has_form = |claim: &Claim| {
        let mut forms = forms.iter().filter_map(|form| serde_json::from_str::<Claim>(form).ok());
        forms.any(|form| discriminant(&form) == discriminant(claim))
    };
    let fits = |claim: &Claim| has_form(claim) && gap.kind.is_some_and(|kind| is_possible(kind, claim, operation));
    match claim {
        Some(Claim::Status { status })
            if gap.kind == Some(GapKind::SuccessStatus) && !operation.succeeds_with(status) =>
        {
            Some(format!(
                "`{}` documents no success with {status}, so no response can show it; correct the status, or run `countersign learn` again",
                operation.name
            ))
        }
        Some(Claim::Duration { after_ms: [from, to] }) if from > to => Some(format!(
            "`after_ms` is {from}, {to}: the shorter time comes first; swap them, or run `countersign learn` again"
        )),
        Some(Claim::SideEffect { does })
            if gap.kind == Some(GapKind::SideEffect) && !side_effects(contract).contains(&does) =>
        {
            let known: Vec<_> = side_effects(contract).iter().map(|does| format!("`{does}`")).collect();
            let known = known.join(", ");
            Some(format!(
                "`does` is none of {known}; write one of them, or run `countersign learn` again"
            ))
        }
        Some(claim) if forms.is_empty() || fits(&claim) => None,
        _ if forms.is_empty() => Some(format!(
            "this is not a claim about `{}`; remove the answer, or run `countersign learn` again",
            gap.id
        )),
        _ => {
            let forms: Vec<_> = forms.iter().map(|form| format!("`{form}`")).collect();
            let (id, forms) = (&gap.id, forms.join(" or "));
            Some(format!(
                "this is not a claim about `{id}`; write it as {forms}, or run `countersign learn` again"
            ))
        }
    }
}

/// Whether an answer to a gap of this kind can claim this. The claim is written in one of the ways of its kind; several
/// kinds share one, and parts of a claim may exclude each other.
fn is_possible(kind: GapKind, claim: &Claim, operation: &Operation) -> bool {
    let rejects = |status: u16| (400..500).contains(&status);
    match (kind, claim) {
        (_, Claim::Dates { accepted, in_responses }) => match in_responses {
            DateFormat::Any => *accepted == [DateFormat::Any],
            _ => !accepted.contains(&DateFormat::Any),
        },
        (GapKind::ErrorBody, Claim::Body { body, properties }) => *body == BodyForm::None && properties.is_none(),
        (_, Claim::Body { body, properties }) => *body == BodyForm::Object || properties.is_none(),
        (_, Claim::Condition { status, .. }) => rejects(*status),
        (kind, Claim::Form { form }) => {
            let of_identifier = [
                WrittenForm::Integer,
                WrittenForm::Text,
                WrittenForm::UuidLower,
                WrittenForm::UuidUpper,
            ];
            of_identifier.contains(form) == (kind == GapKind::IdentifierForm)
        }
        (_, Claim::Types { types }) => !types.is_empty(),
        (_, Claim::BeyondLastPage { beyond, status }) => match beyond {
            BeyondLast::Rejected => rejects(*status),
            _ => operation.succeeds_with(*status),
        },
        (_, Claim::PageSize { per_page }) => (1..=LARGEST_PAGE).contains(per_page),
        (
            _,
            Claim::Limited {
                limited,
                at_least_per_second,
            },
        ) => !limited || at_least_per_second.is_none(),
        (_, Claim::Required { required }) => required.iter().all(|pointer| pointer.starts_with('/')),
        (GapKind::UnknownRequestFields, Claim::UnknownHandled { status, .. }) => status.is_none(),
        (_, Claim::UnknownHandled { handling, status }) => status.is_none_or(|status| match handling {
            UnknownHandling::Rejected => rejects(status),
            UnknownHandling::Ignored => operation.succeeds_with(status),
        }),
        _ => true,
    }
}

/// Returns what a field of a create may cause besides being stored, each as it is claimed.
fn side_effects(contract: &Contract) -> BTreeSet<String> {
    let lists = contract
        .operation_ids()
        .filter(|id| contract.operation(*id).page.is_some());
    let records = lists.map(|list| side_effect_claim(contract, list));
    records.chain([NOTHING_SHOWN.to_owned()]).collect()
}

/// Returns how the claims about gaps of a kind are written.
fn forms(kind: GapKind) -> &'static [&'static str] {
    match kind {
        GapKind::AllowedValues => &[r#"{"set": "open"}"#, r#"{"set": "closed"}"#],
        GapKind::Challenge | GapKind::Compression => &[r#"{"sent": true}"#, r#"{"sent": false}"#],
        GapKind::DateFormat => &[r#"{"accepted": ["iso-date", "day-first"], "answered": "iso-date"}"#],
        GapKind::Deprecation => &[r#"{"announced": ["deprecation"]}"#],
        GapKind::Duplicates => &[r#"{"equal": "accepted"}"#, r#"{"equal": "refused"}"#],
        GapKind::ErrorBody => &[
            r#"{"media_type": "application/json", "properties": ["message"]}"#,
            r#"{"body": "none"}"#,
        ],
        GapKind::ErrorConditions => &[r#"{"condition": "no-credential", "status": 401}"#],
        GapKind::FieldSizes => &[r#"{"longest": 255}"#],
        GapKind::IdentifierForm => &[r#"{"form": "uuid-lower"}"#, r#"{"form": "integer"}"#],
        GapKind::Latency | GapKind::VisibilityDelay => &[r#"{"after_ms": [0, 500]}"#],
        GapKind::ListOrder => &[r#"{"order": "oldest-first"}"#, r#"{"order": "newest-first"}"#],
        GapKind::MemberTypes => &[r#"{"types": ["string", "null"]}"#],
        GapKind::NullValues => &[r#"{"null": true}"#],
        GapKind::PageBeyondLast => &[r#"{"beyond": "empty", "status": 200}"#],
        GapKind::PageSize => &[r#"{"per_page": 10}"#],
        GapKind::RateLimits => &[
            r#"{"limited": false, "at_least_per_second": 20}"#,
            r#"{"limited": true}"#,
        ],
        GapKind::ReferenceEntries => &[r#"{"entries": ["id"]}"#],
        GapKind::RequiredFields => &[r#"{"required": ["/name"]}"#],
        GapKind::SideEffect => &[r#"{"does": "nothing-shown"}"#],
        GapKind::SuccessStatus => &[r#"{"status": 201}"#],
        GapKind::TimestampForm => &[r#"{"form": "utc"}"#, r#"{"form": "offset"}"#],
        GapKind::UnknownReferences => &[
            r#"{"unknown": "refused", "status": 404}"#,
            r#"{"unknown": "ignored", "status": 201}"#,
        ],
        GapKind::UnknownRequestFields => &[r#"{"unknown": "ignored"}"#, r#"{"unknown": "refused"}"#],
        GapKind::UpdateResponseBody => &[r#"{"body": "none"}"#, r#"{"body": "object", "properties": ["id"]}"#],
        GapKind::UpdateSemantics => &[r#"{"unsent": "kept"}"#, r#"{"unsent": "cleared"}"#],
        GapKind::ValueSpelling => &[r#"{"spelling": "as-sent"}"#, r#"{"spelling": "changed"}"#],
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{LazyLock, Mutex};

    use serde_json::{Value, json};

    use super::*;

    /// The defects of the contract with an answer to `gap`, at one of its locations.
    fn checked(gap: &str, claim: &Value) -> Result<(), Defects> {
        // It is read once, and each answer is taken out again.
        static CONTRACT: LazyLock<Mutex<Contract>> = LazyLock::new(|| Mutex::new(Contract::built_in().unwrap()));
        let mut contract = CONTRACT.lock().unwrap();
        let gap = contract.gaps.iter().position(|known| known.id == gap).unwrap();
        let operation = contract.operation_ids().next().unwrap();
        contract.answers.push(StatedAnswer {
            gap,
            operation,
            location: String::new(),
            claim: claim.clone(),
            pointer: "/info".to_owned(),
        });
        let checked = validate_stated_answers(&contract);
        contract.answers.pop();
        checked
    }

    #[test]
    fn a_claim_that_fits_its_gap_is_accepted() {
        assert_eq!(validate_stated_answers(crate::testing::built_in()), Ok(()));
        for gap in &crate::testing::built_in().gaps {
            for form in gap.kind.map_or(&[][..], forms) {
                let claim = serde_json::from_str(form).unwrap();
                assert_eq!(checked(&gap.id, &claim), Ok(()), "{} {form}", gap.id);
            }
        }
        for (gap, claim) in [
            ("identifier-spelling", json!({"form": "text"})),
            ("timestamp-form", json!({"form": "other"})),
            ("dob-format", json!({"answered": "iso-date"})),
            ("dob-format", json!({"accepted": ["any"], "answered": "any"})),
            ("page-beyond-last", json!({"beyond": "refused", "status": 404})),
            ("rate-limits", json!({"limited": false})),
            ("venue-of-contact", json!({"does": "records-a-visit"})),
        ] {
            assert_eq!(checked(gap, &claim), Ok(()), "{gap} {claim}");
        }
        // Nothing is known about the form of a claim that nobody learns.
        assert_eq!(checked("purpose", &json!({"sent": true})), Ok(()));
    }

    #[test]
    fn a_claim_that_does_not_fit_its_gap_is_a_defect_that_says_how_to_write_it() {
        for claim in [
            json!({"status": "many"}),
            json!({"status": 201, "name": "Ada"}),
            json!({"per_page": 10}),
            json!({}),
        ] {
            let message = checked("success-status", &claim).unwrap_err().to_string();
            let expected = "(/info/claim): this is not a claim about `success-status`; write it as `{\"status\": 201}`, or \
                            run `countersign learn` again";
            assert!(message.ends_with(expected), "{message}");
            assert!(!message.contains("Ada"), "{message}");
        }
        let message = checked("success-status", &json!({"status": 404}))
            .unwrap_err()
            .to_string();
        assert!(message.contains("documents no success with 404"), "{message}");
        let message = checked("latency", &json!({"after_ms": [500, 20]}))
            .unwrap_err()
            .to_string();
        assert!(
            message.ends_with("swap them, or run `countersign learn` again"),
            "{message}"
        );
        let message = checked("error-body", &json!({"status": 400})).unwrap_err().to_string();
        assert!(message.contains(r#"["message"]}` or `{"body": "none"}`"#), "{message}");
        for (gap, claim) in [
            ("unknown-request-fields", json!({"unknown": "ignored", "status": 201})),
            ("identifier-spelling", json!({"form": "utc"})),
            ("timestamp-form", json!({"form": "uuid-lower"})),
            ("error-body", json!({"body": "object"})),
            ("error-body", json!({"body": "none", "properties": ["id"]})),
            ("error-conditions", json!({"condition": "no-credential", "status": 200})),
            ("dob-format", json!({"accepted": ["iso-date"], "answered": "any"})),
            ("page-beyond-last", json!({"beyond": "refused", "status": 200})),
            ("page-beyond-last", json!({"beyond": "empty", "status": 404})),
            ("page-size", json!({"per_page": 0})),
            ("custom-fields", json!({"types": []})),
            ("rate-limits", json!({"limited": true, "at_least_per_second": 5})),
        ] {
            let message = checked(gap, &claim).unwrap_err().to_string();
            assert!(
                message.contains("this is not a claim about"),
                "{gap} {claim}: {message}"
            );
        }
        let message = checked("venue-of-contact", &json!({"does": "records-nothing"})).unwrap_err();
        assert!(message.to_string().contains("`records-a-visit`"), "{message}");
        let message = checked("purpose", &json!({"purpose": "to help"})).unwrap_err();
        assert!(
            message
                .to_string()
                .ends_with("; remove the answer, or run `countersign learn` again"),
            "{message}"
        );
    }
}
