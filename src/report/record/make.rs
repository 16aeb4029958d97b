//! Makes the record of a run: [`record`].

use chrono::{DateTime, SecondsFormat, Utc};

use super::outcome::outcome;
use super::{
    ContractRecord, Coverage, FactRow, Facts, FindingRecord, GapRecord, LocationRecord, OmittedOperationRecord,
    OperationRecord, Record, RejectedValueRecord, ResidueRecord, ShardRecord, SuspectedCause, UnexplainedRecord,
    VERSION, VerdictRecord, WhyUndecided,
};
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::contract::operation::Operation;
use crate::contract::shared_string::StringPool;
use crate::contract::vocabulary::{Gap, HowLeftOpen};
use crate::exchange::redact::{Redaction, ValueDisplay};
use crate::exchange::{Target, curl};
use crate::history::RunTag;
use crate::plan::NotCalled;
use crate::report::excerpt::Excerpt;
use crate::report::exchanges::Exchanges;
use crate::rules::{Finding, Level, Reason, RuleName, URGENT, Verdict, rule_of};
use crate::run::Run;

/// What a record needs besides the run itself.
#[derive(Clone, Copy, Debug)]
pub struct RunContext<'run> {
    /// The contract.
    pub contract: &'run Contract,
    /// The target.
    pub target: &'run Target,
    /// The seed.
    pub seed: u64,
    /// The run tag; none if other clients sent the requests.
    pub run_tag: Option<&'run RunTag>,
    /// Whether other clients sent the requests.
    pub is_recorded_traffic: bool,
    /// Whether the run's plan has writes.
    pub writes: bool,
    /// When the run started.
    pub started_at: DateTime<Utc>,
    /// How long the run took.
    pub duration: std::time::Duration,
    /// The percentage of the facts that must be decided.
    pub require_facts: Option<f64>,
    /// Whether values are shown.
    pub values: ValueDisplay,
    /// Removes the token from a text.
    pub redaction: &'run Redaction,
}

/// Whether a record that the operation left can only come from an edge case: an update creates one only under an
/// identifier that no record had.
fn is_edge_case_of_an_update(operation: &Operation) -> bool {
    !operation.creates() && !operation.is_query()
}

/// Returns the records that the run may have made or changed without a response that says so. The identifier of a
/// record that was there before the run is somebody else's.
fn unexplained_records(run: &Run, context: &RunContext<'_>) -> Vec<UnexplainedRecord> {
    let records = run.unexplained_records.iter().map(|record| {
        let render = |id: &str| {
            if record.existed {
                context.values.render_identifier_of_another(id)
            } else {
                context.values.render_identifier(id)
            }
        };
        let name = |operation| context.contract.operation(operation).name.clone();
        UnexplainedRecord {
            list: name(record.list),
            id: record.id.as_deref().map(|id| context.redaction.hide(&render(id))),
            changed_by: record.changed_by.map(name),
            existed: record.existed,
        }
    });
    records.collect()
}

/// Makes the record of a run and its kept exchanges. The caller adds the accepted deviations, made by
/// [`accepted`](crate::report::accepted).
#[must_use]
pub fn record(run: &Run, exchanges: Exchanges<'_>, context: &RunContext<'_>) -> Record {
    let facts = facts(run, context.contract);
    let findings = findings(run, &exchanges, context);
    let (outcome, reason) = outcome(run, context.contract, (&facts, &findings), context.require_facts);
    let name = |operation| context.contract.operation(operation).name.clone();
    let identifier = |id: &str| context.redaction.hide(&context.values.render_identifier(id));
    let residue = run.residue.iter().map(|left| ResidueRecord {
        operation: name(left.operation),
        id: left.id.as_deref().map(identifier),
        id_stated: context.contract.shows_identifier(left.operation),
        id_made_up: is_edge_case_of_an_update(context.contract.operation(left.operation)),
        answered: left.status.is_some(),
        status: left.status,
        found: left.found,
    });
    let rejected_values = run.rejected_values.iter().map(|rejected| RejectedValueRecord {
        operation: name(rejected.operation),
        value: rejected.description.clone(),
        status: rejected.status,
    });
    let own_tag = context.run_tag.filter(|_| context.writes);
    let (exchanges, exchanges_left_out) = exchanges.into_records();
    Record {
        report_version: VERSION,
        countersign: env!("CARGO_PKG_VERSION").to_owned(),
        outcome,
        exit_code: outcome.exit_code(),
        reason,
        contract: ContractRecord {
            title: context.contract.title.clone(),
            file: context.contract.document.name.clone(),
        },
        target: context.target.origin(),
        base_path: context.redaction.hide(&context.target.base_path()),
        values_shown: context.values == ValueDisplay::Shown,
        seed: context.seed,
        started_at: context.started_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        duration_ms: u64::try_from(context.duration.as_millis()).unwrap_or(u64::MAX),
        facts,
        findings,
        suspected_cause: run.target_is_mock.then_some(SuspectedCause::Mock),
        accepted: Vec::new(),
        residue: residue.collect(),
        deleted: run.deleted,
        run_tags: own_tag.map(|tag| tag.as_str().to_owned()).into_iter().collect(),
        residue_search: run.residue_search,
        unexplained_records: unexplained_records(run, context),
        rejected_values: rejected_values.collect(),
        requests: run.tally,
        operations: operations(run, context.contract),
        omitted_operations: omitted_operations(context.contract),
        gaps: gaps(context.contract, run.learns),
        answers: run.answers.clone(),
        trials: run.trials.clone(),
        learns: run.learns,
        exchanges,
        exchanges_left_out,
        shard: run.shard.map(|shard| ShardRecord {
            number: shard.number(),
            of: shard.of(),
        }),
        shards: None,
        traffic: None,
        since: None,
    }
}

fn operations(run: &Run, contract: &Contract) -> Vec<OperationRecord> {
    let records = contract.operation_ids().map(|id| {
        let operation = contract.operation(id);
        let unchecked = run.verdicts.why_unchecked(contract, id);
        let is_selected = run.in_scope.contains(&id);
        OperationRecord {
            name: operation.name.clone(),
            method: operation.method.to_string(),
            path: operation.path.clone(),
            contract_line: contract.document.position(&operation.pointer).line,
            contract_file: other_file(contract, &operation.pointer),
            coverage: match unchecked {
                None => Coverage::Checked,
                Some(_) if is_selected => Coverage::Unchecked,
                Some(_) => Coverage::NotSelected,
            },
            unchecked: unchecked.filter(|_| is_selected),
        }
    });
    records.collect()
}

fn omitted_operations(contract: &Contract) -> Vec<OmittedOperationRecord> {
    let omitted = contract.omitted.iter().map(|operation| OmittedOperationRecord {
        name: operation.name.clone(),
        method: operation.method.to_string(),
        path: operation.path.clone(),
        contract_line: contract.document.position(&operation.pointer).line,
        contract_file: other_file(contract, &operation.pointer),
        defect: operation.defect.to_string(),
    });
    omitted.collect()
}

/// Returns the file of a location, where it is not the contract's own.
fn other_file(contract: &Contract, pointer: &str) -> Option<String> {
    let document = &contract.document;
    document.other_file(document.position(pointer)).map(str::to_owned)
}

fn gaps(contract: &Contract, learns: bool) -> Vec<GapRecord> {
    let location = |pointer: &String| LocationRecord {
        pointer: pointer.clone(),
        line: contract.document.position(pointer).line,
        file: other_file(contract, pointer),
    };
    let shown = |gap: &&Gap| learns || contract.needs_answers_in_check() || !gap.is_inferred;
    let records = contract.gaps.iter().filter(shown).map(|gap| GapRecord {
        id: gap.id.clone(),
        question: gap.question.clone(),
        stated: gap.left_open == HowLeftOpen::NotShown,
        locations: gap.locations.iter().map(location).collect(),
    });
    records.collect()
}

fn facts(run: &Run, contract: &Contract) -> Facts {
    let mut order: Vec<_> = (0..contract.facts.len()).map(FactId).collect();
    order.sort_by_key(|id| contract.fact(*id).operation);
    let mut strings = StringPool::default();
    let rows: Vec<_> = order
        .into_iter()
        .map(|id| row(run, contract, id, &mut strings))
        .collect();
    Facts::of(rows)
}

fn row(run: &Run, contract: &Contract, id: FactId, strings: &mut StringPool) -> FactRow {
    let fact = contract.fact(id);
    let position = contract.position(fact);
    let (verdict, reason) = match run.verdicts.of(contract, id) {
        Verdict::Broken => (VerdictRecord::Broken, None),
        Verdict::Held => (VerdictRecord::Held, None),
        Verdict::Undecided(Reason::NotCalled(NotCalled::AnotherShard)) => {
            (VerdictRecord::Undecided, Some(WhyUndecided::AnotherShard))
        }
        Verdict::Undecided(reason) => {
            let reason = strings.share(&reason.to_string());
            (VerdictRecord::Undecided, Some(WhyUndecided::Because(reason)))
        }
    };
    FactRow {
        fact: fact.name.clone(),
        operation: strings.share(&contract.operation(fact.operation).name),
        rule: RuleName::Known(rule_of(fact.kind)),
        documented: fact.documented.clone(),
        contract_pointer: fact.location.clone(),
        contract_line: position.line,
        contract_file: contract.document.other_file(position).map(|file| strings.share(file)),
        verdict,
        reason,
        new: false,
    }
}

fn findings(run: &Run, exchanges: &Exchanges<'_>, context: &RunContext<'_>) -> Vec<FindingRecord> {
    let reported = run
        .verdicts
        .findings()
        .iter()
        .filter(|finding| finding.level != Level::Allow);
    let mut findings: Vec<_> = reported
        .map(|finding| FindingRecord {
            exchange: exchanges.exchange_that_showed(finding),
            ..finding_record(finding, context)
        })
        .collect();
    put_in_order(&mut findings);
    findings
}

/// Sorts the findings, the most urgent first.
pub(in crate::report) fn put_in_order(findings: &mut [FindingRecord]) {
    // Ties are decided by the names of fact, field and rule, because responses to concurrent calls arrive in any order.
    findings.sort_by_cached_key(|finding| {
        (
            std::cmp::Reverse(finding.level),
            URGENT
                .iter()
                .position(|rule| finding.rule.is(rule))
                .unwrap_or(URGENT.len()),
            (finding.contract_file.clone(), finding.contract_line),
            (finding.fact.clone(), finding.undocumented_field().to_owned()),
            finding.rule.to_string(),
        )
    });
}

fn finding_record(finding: &Finding, context: &RunContext<'_>) -> FindingRecord {
    let contract = context.contract;
    let fact = contract.fact(finding.fact);
    let position = contract.position(fact);
    FindingRecord {
        rule: RuleName::Known(finding.rule),
        level: finding.level,
        operation: contract.operation(finding.request.operation).name.clone(),
        fact: fact.name.to_string(),
        response_pointer: context.redaction.hide(&finding.pointer),
        contract_pointer: fact.location.to_string(),
        contract_line: position.line,
        contract_file: contract.document.other_file(position).map(str::to_owned),
        excerpt: Excerpt::of(&contract.document, &fact.location),
        documented: finding
            .documented
            .clone()
            .unwrap_or_else(|| fact.documented.to_string()),
        received: context.redaction.hide(&finding.received),
        error_body: finding.error_body.as_ref().map(|said| context.redaction.hide(said)),
        count: finding.count,
        reproduce: context.redaction.hide(&reproduce(finding, context)),
        exchange: None,
        recorded_in: None,
        new: false,
    }
}

/// Returns a line that reproduces a finding: the request, or a check of the operation if no request was sent to it.
fn reproduce(finding: &Finding, context: &RunContext<'_>) -> String {
    let contract = context.contract;
    let operation = contract.operation(finding.request.operation);
    // Another client's write is not repeated: what it contained is not printed.
    if finding.has_no_single_request() || (context.is_recorded_traffic && !operation.is_get()) {
        // After a run that only read, the line does not write either. A write of another
        // client can be checked only with `--writes`.
        let writes = (context.writes || context.is_recorded_traffic) && !operation.is_get();
        let overlay = contract.overlay_of(contract.fact(finding.fact));
        let is_built_in = contract.document.name == Contract::BUILT_IN_NAME;
        let is_file = |file: &&str| *file != "-" && !(is_built_in && *file == Contract::BUILT_IN_OVERLAY_NAME);
        let spec = Some(contract.document.name.as_str()).filter(|_| !is_built_in);
        let files = [spec, overlay].map(|file| file.filter(is_file));
        return curl::check_line(context.target, &operation.name, writes, files);
    }
    curl::line(&finding.request, contract, context.target, context.values)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::exchange::Failure;
    use crate::report::Outcome;
    use crate::report::testing::SampleRun;
    use crate::run::RunEnd;

    /// With it, one of the contract's nine facts stays undecided: the type of `size`.
    const SOUND: &[&str] = &[r#"{"name": "a"}"#];
    const BROKEN: &[&str] = &[r#"{"name": 1}"#];
    /// JSON with a number that no double can hold.
    const BEYOND_LIMITS: &str = r#"{"size": 1e999}"#;

    #[test]
    fn the_order_of_findings_does_not_depend_on_the_order_in_which_they_came() {
        let finding = crate::report::testing::sample_record().findings.remove(0);
        let of_rule = |rule: &str| FindingRecord {
            rule: rule.into(),
            ..finding.clone()
        };
        let order = |rules: [&str; 2]| {
            let mut findings = rules.map(of_rule);
            put_in_order(&mut findings);
            findings.map(|finding| finding.rule.to_string())
        };
        assert_eq!(
            order(["null-value", "allow-header"]),
            order(["allow-header", "null-value"])
        );
    }

    fn ends() -> [(RunEnd, Outcome); 5] {
        [
            (RunEnd::Interrupted, Outcome::Interrupted),
            (RunEnd::Throttled, Outcome::CouldNotJudge),
            (
                RunEnd::TimeLimitExceeded(Duration::from_secs(300)),
                Outcome::CouldNotJudge,
            ),
            (RunEnd::TokenRejected(401), Outcome::CouldNotJudge),
            (RunEnd::Unreachable(Failure::Resolve), Outcome::CouldNotJudge),
        ]
    }

    #[test]
    fn a_complete_run_is_judged_by_its_findings_then_by_what_it_decided() {
        let nothing: &[&str] = &[];
        for (bodies, require, outcome) in [
            (SOUND, None, Outcome::Conforms),
            (SOUND, Some(0.0), Outcome::Conforms),
            (SOUND, Some(80.0), Outcome::Conforms),
            (SOUND, Some(100.0), Outcome::CouldNotJudge),
            (BROKEN, None, Outcome::DoesNotConform),
            (BROKEN, Some(100.0), Outcome::DoesNotConform),
            (nothing, None, Outcome::CouldNotJudge),
            (nothing, Some(0.0), Outcome::CouldNotJudge),
        ] {
            let record = SampleRun::bodies(bodies).record(require);
            assert_eq!(record.outcome, outcome, "{bodies:?} {require:?} {:?}", record.facts);
            assert_eq!(record.exit_code, outcome.exit_code());
        }
    }

    #[test]
    fn a_run_with_a_response_that_nobody_could_read_is_not_green() {
        for bodies in [&[r#"{"name": "a", "size": 1e999}"#][..], &["[[[[", "x"]] {
            let record = SampleRun::bodies(bodies).record(None);
            assert_ne!(record.outcome, Outcome::Conforms, "{bodies:?}");
        }
        // Alone, or before or after a response that breaks nothing.
        for bodies in [
            &[BEYOND_LIMITS][..],
            &[SOUND[0], BEYOND_LIMITS],
            &[BEYOND_LIMITS, SOUND[0]],
        ] {
            let record = SampleRun::bodies(bodies).record(None);
            assert_eq!(record.outcome, Outcome::CouldNotJudge, "{bodies:?}");
            assert!(record.reason.unwrap().contains("127 levels"));
        }
    }

    #[test]
    fn a_run_that_did_not_end_by_itself_is_not_judged_whatever_was_found() {
        for (ended, outcome) in ends() {
            for bodies in [SOUND, BROKEN, &[]] {
                for require in [None, Some(0.0), Some(100.0)] {
                    let record = SampleRun::bodies(bodies).ended(ended.clone()).record(require);
                    assert_eq!(record.outcome, outcome, "{ended:?} {bodies:?} {require:?}");
                    assert!(record.reason.is_some());
                }
            }
        }
    }

    #[test]
    fn every_outcome_has_its_documented_exit_code() {
        let codes = [
            Outcome::Conforms,
            Outcome::DoesNotConform,
            Outcome::CouldNotJudge,
            Outcome::Interrupted,
        ]
        .map(Outcome::exit_code);
        assert_eq!(codes, [0, 1, 3, 130]);
    }

    #[test]
    fn the_reason_says_what_to_do_about_it() {
        let reason = |seen: SampleRun, require| seen.record(require).reason;
        assert_eq!(reason(SampleRun::bodies(SOUND), None), None);
        assert_eq!(reason(SampleRun::bodies(BROKEN), None), None);
        let ended = |ended| reason(SampleRun::bodies(SOUND).ended(ended), None).unwrap();
        assert!(ended(RunEnd::TokenRejected(403)).contains("rejected with 403"));
        assert!(ended(RunEnd::Throttled).contains("at a lower rate"));
        assert!(ended(RunEnd::TimeLimitExceeded(Duration::from_millis(1500))).contains("within 1.5 s (max-time);"));
        let unreachable = ended(RunEnd::Unreachable(Failure::Resolve));
        assert!(
            unreachable.starts_with("the host's name does not resolve; check the base URL"),
            "{unreachable}"
        );
        assert_eq!(
            reason(SampleRun::bodies(&[]), None).as_deref(),
            Some("no fact was decided")
        );
        let short = reason(SampleRun::bodies(SOUND), Some(100.0)).unwrap();
        assert_eq!(
            short,
            "88.8 % of the facts were decided, but require-facts asks for 100"
        );
    }

    #[test]
    fn a_finding_at_warn_is_reported_and_conforms() {
        let mut seen = SampleRun::bodies(BROKEN);
        seen.levels.set("wrong-type", Level::Warn).unwrap();
        let record = seen.record(None);
        assert_eq!((record.outcome, record.findings.len()), (Outcome::Conforms, 1));
        assert_eq!(record.facts.broken, 1);
    }

    #[test]
    fn a_finding_at_allow_is_silent_and_its_fact_is_broken_all_the_same() {
        let mut seen = SampleRun::bodies(BROKEN);
        seen.levels.set("wrong-type", Level::Allow).unwrap();
        let record = seen.record(None);
        assert_eq!((record.outcome, record.findings.len()), (Outcome::Conforms, 0));
        assert_eq!(record.facts.broken, 1);
    }

    #[test]
    fn findings_stand_by_level_then_urgency_then_line() {
        let mut seen = SampleRun::bodies(&[r#"{"size": "1", "more": 1}"#, r#"{"name": 1}"#]);
        seen.responses.push((404, "{}"));
        let order = |record: Record| {
            let reported = record.findings.into_iter();
            reported
                .map(|finding| format!("{} {}", finding.rule, finding.contract_line))
                .collect::<Vec<_>>()
        };
        let expected = [
            "status 8", "missing-field 16", "wrong-type 17", "wrong-type 19", "undocumented-field 13",
        ];
        assert_eq!(order(seen.record(None)), expected);
        seen.responses.reverse();
        assert_eq!(order(seen.record(None)), expected);
        seen.levels.set("status", Level::Warn).unwrap();
        assert_eq!(order(seen.record(None))[3], "status 8");
    }

    #[test]
    fn findings_of_one_line_stand_by_the_name_of_their_fact() {
        let findings = |bodies| {
            let findings = SampleRun::one_line(bodies).record(None).findings.into_iter();
            findings.map(|finding| finding.fact).collect::<Vec<_>>()
        };
        let both = findings(&[r#"{"a": 1}"#, r#"{"b": 1}"#]);
        assert_eq!(both.len(), 2);
        assert_eq!(both, findings(&[r#"{"b": 1}"#, r#"{"a": 1}"#]));
    }

    #[test]
    fn each_fact_is_counted_once_and_has_a_row() {
        let facts = SampleRun::bodies(SOUND).record(None).facts;
        assert_eq!(facts.held + facts.broken + facts.undecided, facts.total);
        assert_eq!(facts.rows.len(), facts.total);
        let reasons = facts.rows.iter().filter(|row| row.reason.is_some()).count();
        assert_eq!(reasons, facts.undecided);
    }

    #[test]
    fn the_rows_of_a_hundred_thousand_facts_share_the_texts_of_the_contract() {
        assert!(size_of::<FactRow>() <= 128 && size_of::<crate::contract::fact::Fact>() <= 88);
        let seen = SampleRun::bodies(SOUND);
        let record = seen.record(None);
        let same = |one: &str, other: &str| std::ptr::eq(one, other);
        for row in &record.facts.rows {
            let named = |fact: &&crate::contract::fact::Fact| same(&fact.name, &row.fact);
            let fact = seen.contract.facts.iter().find(named).expect("a name that is copied");
            assert!(same(&fact.documented, &row.documented) && same(&fact.location, &row.contract_pointer));
            let of_rule = record.facts.rows.iter().find(|other| *other.rule == *row.rule).unwrap();
            assert!(same(&of_rule.rule, &row.rule) && same(&of_rule.operation, &row.operation));
        }
    }

    #[test]
    fn a_finding_has_both_locations_and_the_line_to_repeat_it() {
        let finding = SampleRun::bodies(BROKEN).record(None).findings.remove(0);
        assert_eq!(finding.response_pointer, "/name");
        assert!(finding.contract_pointer.ends_with("/schema/properties/name/type"));
        assert_eq!((finding.contract_line, finding.documented.as_str()), (17, "string"));
        assert!(finding.reproduce.ends_with("'https://api.example.com/tenant/things'"));
    }

    #[test]
    fn of_the_target_the_record_says_origin_and_path() {
        let record = SampleRun::bodies(SOUND).record(None);
        assert_eq!(record.target, "https://api.example.com");
        assert_eq!(record.base_path, "/tenant");
        assert_eq!(
            (record.started_at.as_str(), record.duration_ms),
            ("1970-01-01T00:00:00Z", 1234)
        );
    }

    #[test]
    fn an_identifier_cannot_drive_the_terminal() {
        let mut seen = SampleRun::bodies(SOUND);
        seen.residue.push(crate::history::Residue {
            operation: seen.contract.operation_named("getThings").unwrap(),
            id: Some("\u{1b}[2J\n::error::t-17".to_owned()),
            status: Some(201),
            found: None,
            deleted: false,
        });
        let id = seen.record(None).residue.remove(0).id.unwrap();
        assert!(!id.contains(['\u{1b}', '\n']) && !id.contains("::error"), "{id}");
        assert_eq!(id, "<identifier(18): show-values reveals it>");
    }
}
