//! Judges exchanges: pure functions that turn the contract and what came over the wire into verdicts. Each rule has its
//! own file. Most decide facts of one or a few kinds; the others only report findings, at a fact nearby. [`RULES`] is
//! the registry.
//!
//! - **In**: a [`Contract`](crate::Contract), exchanges, and the [`evidence`](crate::history::evidence) that `history`
//!   makes of several of them.
//! - **Out**: [`Verdicts`]: each fact held, broken, or undecided with the reason, and the findings at their [`Levels`].
//! - **Start with** [`Rule`] for what a rule is, [`Judge`] for how rules get their evidence, and [`Recording`] to judge
//!   again.
//!
#![cfg_attr(feature = "service", doc = "```")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! use countersign::rules::{Level, Levels, Rule};
//! use countersign::{Check, Contract};
//! # use countersign::service::{Service, app};
//!
//! let rule = Rule::named("null-value")?;
//! assert_eq!(rule.level, Level::Warn);
//! println!("{}", rule.summary);
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let my_app = app(Service::in_memory("test".to_owned().into())?);
//! let check = Check::new(Contract::built_in()?).service(my_app).token("test").only("getTags");
//! let report = check.keep_recording(true).run().await?;
//!
//! // Judged again at another level, without a request.
//! let mut levels = Levels::default();
//! levels.set("null-value", Level::Deny)?;
//! let recording = report.recording().expect("it was asked for");
//! let verdicts = recording.judge(&Contract::built_in()?, levels);
//! assert!(verdicts.findings().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a run sees goes to an `Evaluation`. It passes an exchange to the judge and to the history, and the history's
//! evidence to the judge. A rule never sends anything and never reads a clock, so a recording that is judged again
//! gives the same verdicts.
//!
//! # Words
//!
//! - *recording*: the exchanges of a run, kept so that they can be judged again.
//! - *accepted deviation*: an entry of `countersign.toml` that sets the level of some findings, with a reason.

mod accepted_format;
mod allow_header;
mod assertions;
mod auth;
mod body_reader;
mod challenge;
mod changed_answer;
mod constraint;
#[cfg(test)]
mod element_tests;
mod envelope;
mod equivalent_request;
mod error_body;
mod evaluation;
mod filtered;
mod forbidden_field;
mod header_text;
mod identifier;
mod inferred_pages;
#[cfg(test)]
mod json_schema_suite;
mod judge;
mod level;
mod level_entry;
mod levels;
mod lifecycle;
mod listed;
mod location;
mod malformed_json;
mod media_type;
mod missing_field;
mod named_record;
mod null_value;
mod other_records;
mod pages;
mod record_count;
mod recording;
mod rejected_but_stored;
mod rule;
mod rule_name;
mod rule_of_fact;
mod seen;
mod server_error;
mod status;
mod stored_spelling;
mod stored_values;
mod success;
#[cfg(test)]
mod testing;
mod traffic_reason;
mod typed_client;
mod unchecked_operation;
mod undocumented_field;
mod unfinished_answer;
mod unsorted_list;
mod unusable_identifier;
mod value_change;
mod verdict;
#[cfg(test)]
mod versions;
mod wrong_type;

#[cfg(feature = "cli")]
pub(crate) use challenge::schemes;
pub(crate) use evaluation::{Evaluation, EvaluationResult};
pub use judge::Judge;
pub use level::Level;
pub use level_entry::{LevelEntry, LevelScope, field_covers, is_field};
pub use levels::{EffectiveLevel, Levels, UnknownRule};
pub(crate) use media_type::is_documented as is_documented_media_type;
pub(crate) use named_record::UNKNOWN_ENTITY_TAG;
pub(crate) use pages::FACTS_THAT_NEED_TWO_PAGES;
pub use recording::Recording;
pub use rule::{Example, Headline, Rule, Topic};
pub use rule_name::RuleName;
pub use rule_of_fact::{fact_covers_rule, rule_of};
pub use seen::{AnswerSeen, EvidenceSource, ExchangeSeen, OperationSeen};
pub use success::HowAllCallsFailed;

/// The rule for operations without a judged success.
pub static UNCHECKED_OPERATION: &Rule = &unchecked_operation::RULE;

/// The rule for answers to gaps that an overlay states.
pub static CHANGED_ANSWER: &Rule = &changed_answer::RULE;

/// The rule for fields that no schema lists.
pub static UNDOCUMENTED_FIELD: &Rule = &undocumented_field::RULE;

/// The rules whose findings to fix first, the most urgent first: authentication, whether a response comes, its kind,
/// its content. All other rules come after them.
pub static URGENT: &[&Rule] = &[
    &auth::RULE,
    &server_error::RULE,
    &unfinished_answer::RULE,
    &status::RULE,
    &media_type::RULE,
    &malformed_json::RULE,
    &envelope::RULE,
    &missing_field::RULE,
    &wrong_type::RULE,
];

pub use traffic_reason::TrafficReason;
pub use verdict::{Finding, Reason, Verdict, Verdicts};

/// Every rule, by name.
pub static RULES: &[&Rule] = &[
    &accepted_format::RULE,
    &allow_header::RULE,
    &auth::RULE,
    &challenge::RULE,
    &changed_answer::RULE,
    &constraint::RULE,
    &envelope::RULE,
    &equivalent_request::RULE,
    &filtered::RULE,
    &forbidden_field::RULE,
    &identifier::RULE,
    &inferred_pages::RULE,
    &lifecycle::RULE,
    &listed::RULE,
    &malformed_json::RULE,
    &media_type::RULE,
    &missing_field::RULE,
    &null_value::RULE,
    &other_records::RULE,
    &pages::RULE,
    &record_count::RULE,
    &rejected_but_stored::RULE,
    &server_error::RULE,
    &status::RULE,
    &stored_spelling::RULE,
    &stored_values::RULE,
    &typed_client::RULE,
    &unchecked_operation::RULE,
    &undocumented_field::RULE,
    &unfinished_answer::RULE,
    &unsorted_list::RULE,
    &unusable_identifier::RULE,
    &wrong_type::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_in_the_order_of_names() {
        assert!(RULES.is_sorted_by_key(|rule| rule.name));
    }

    #[test]
    fn every_rule_has_all_its_texts_as_sentences() {
        for rule in RULES {
            for text in [rule.summary, rule.explanation, rule.exceptions, rule.fix] {
                assert!(text.ends_with('.') && text.len() > 20, "{}: {text}", rule.name);
                assert!(!text.contains("  "), "{}: {text}", rule.name);
            }
            assert!(!rule.source.is_empty(), "{}", rule.name);
        }
    }

    #[test]
    fn every_example_is_a_finding_that_its_rule_makes() {
        // The example of `typed-client` needs the types that are generated from the reference service's contract.
        let has_types = |rule: &&&Rule| cfg!(feature = "service") || rule.name != typed_client::RULE.name;
        for rule in RULES.iter().filter(has_types) {
            let (reported, example) = ((rule.example.judged)(), &rule.example);
            let of_fact = |finding: &&&Finding| reported.contract.fact(finding.fact).name == example.fact;
            let findings = reported.findings(rule.name);
            let Some(finding) = findings.iter().find(of_fact) else {
                panic!("{} says nothing of {}: {findings:?}", rule.name, example.fact);
            };
            let fact = reported.contract.fact(finding.fact);
            let documented = finding.documented.as_deref().unwrap_or(&fact.documented);
            assert_eq!(
                (documented, finding.received.as_str(), finding.pointer.as_str()),
                (example.documented, example.received, example.pointer),
                "{}",
                rule.name
            );
        }
    }
}
