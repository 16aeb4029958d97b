//! Checks the claims of the answers that a contract states. The entry is [`check_claims`].

use super::answer::Claim;
use crate::contract::Contract;
use crate::contract::defect::{Defects, Problem};
use crate::contract::learned::in_words;

/// Checks that each answer that the contract states claims something that can be compared with what a run sees.
///
/// # Errors
///
/// Each claim that cannot be read, where it is written.
pub(crate) fn check_claims(contract: &Contract) -> Result<(), Defects> {
    let unreadable = contract
        .answers
        .iter()
        .filter(|answer| serde_json::from_value::<Claim>(answer.claim.clone()).is_err());
    let defects = unreadable.map(|answer| {
        let message = format!(
            "the claim `{}` has none of the forms that an answer has, such as `status: 201` or `set: open`; correct it, \
             or learn again",
            in_words(&answer.claim)
        );
        contract.document.defect(&answer.pointer, Problem::Vocabulary { message })
    });
    Defects::new(defects.collect()).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(claim: &str) -> Result<(), String> {
        let described = "description: Contact created\n";
        let answer = format!("[{{gap: success-status, operation: createContact, claim: {claim}}}]");
        let text = Contract::BUILT_IN.replacen(described, &format!("{described}          x-answers: {answer}\n"), 1);
        let contract = Contract::read("openapi.yaml", text).unwrap();
        check_claims(&contract).map_err(|defects| defects.to_string())
    }

    #[test]
    fn a_claim_that_can_be_compared_is_accepted() {
        assert_eq!(checked("{status: 201}"), Ok(()));
        assert_eq!(check_claims(&Contract::built_in().unwrap()).map_err(drop), Ok(()));
    }

    #[test]
    fn a_claim_that_nothing_shows_is_reported_where_it_is_written() {
        for (claim, words) in [
            ("{state: 201}", "`state: 201`"),
            ("{status: soon}", "`status: soon`"),
            ("{status: 201, set: open}", "`status: 201, set: open`"),
            ("{}", "``"),
        ] {
            let message = checked(claim).unwrap_err();
            assert!(message.contains(&format!("the claim {words} has none")), "{message}");
            assert!(message.contains("/responses/2XX/x-answers/0)"), "{message}");
        }
    }
}
