//! Checks what an overlay claims before a run depends on it. The entry is [`validate_overlay_answers`].

use std::mem::discriminant;

use super::answer::Claim;
use crate::contract::defect::{Defects, Problem};
use crate::contract::learned::LearnedAnswer;
use crate::contract::operation::Operation;
use crate::contract::vocabulary::{Gap, GapKind};
use crate::contract::{Contract, pointer};

/// Checks that each answer that a contract states has a claim in a form that fits its gap; no other claim could be
/// judged.
///
/// # Errors
///
/// A defect for each answer that does not, at its claim.
pub(crate) fn validate_overlay_answers(contract: &Contract) -> Result<(), Defects> {
    let wrong = |answer: &LearnedAnswer| {
        let message = wrong(answer, &contract.gaps[answer.gap], contract.operation(answer.operation))?;
        let claim = pointer::join(&answer.pointer, "claim");
        Some(contract.document.defect(&claim, Problem::Vocabulary { message }))
    };
    Defects::new(contract.answers.iter().filter_map(wrong).collect()).map_or(Ok(()), Err)
}

/// Returns what is wrong with the claim of an answer, and what to do.
fn wrong(answer: &LearnedAnswer, gap: &Gap, operation: &Operation) -> Option<String> {
    let claim = serde_json::from_value::<Claim>(answer.claim.clone()).ok();
    let forms = gap.kind.map_or(&[][..], forms);
    let fits = |form: &&str, claim: &Claim| {
        serde_json::from_str(form).is_ok_and(|form: Claim| discriminant(&form) == discriminant(claim))
    };
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
        Some(claim) if forms.is_empty() || forms.iter().any(|form| fits(form, &claim)) => None,
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
        GapKind::SideEffect => &[r#"{"does": "nothing-shown"}"#, r#"{"does": "records-an-order"}"#],
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
        contract.answers.push(LearnedAnswer {
            gap,
            operation,
            location: String::new(),
            claim: claim.clone(),
            pointer: "/info".to_owned(),
        });
        let checked = validate_overlay_answers(&contract);
        contract.answers.pop();
        checked
    }

    #[test]
    fn a_claim_that_fits_its_gap_is_accepted() {
        assert_eq!(validate_overlay_answers(crate::testing::built_in()), Ok(()));
        for gap in &crate::testing::built_in().gaps {
            for form in gap.kind.map_or(&[][..], forms) {
                let claim = serde_json::from_str(form).unwrap();
                assert_eq!(checked(&gap.id, &claim), Ok(()), "{} {form}", gap.id);
            }
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
        let message = checked("purpose", &json!({"purpose": "to help"})).unwrap_err();
        assert!(
            message
                .to_string()
                .ends_with("; remove the answer, or run `countersign learn` again"),
            "{message}"
        );
    }
}
