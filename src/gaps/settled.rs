//! Says what a ledger settles, so that a run need not ask it again. The entry is [`settled`].

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use super::answer::{Answer, AnswerState, Claim, Condition, Duplicate, WhyUnanswered};
use super::join::{AnswerSubject, join_all, subject};
use super::ledger::{LedgerEntry, LedgerLine, are_apart, current_answers, gaps_with_unstable_answer, runs_by_answer};
use super::locations::GapLocations;
use super::required::MAX_PROVED;
use super::trial::TrialOutcome;
use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::GapKind;
use crate::plan::{Asks, Question, SettledAnswers, TRIALS_TO_INDICATE, text_fields_with_open_side_effect};

/// How long before an answer ages out it is asked again. Whoever learns once a week keeps all answers established.
const RENEWED_BEFORE: TimeDelta = TimeDelta::days(7);

/// Returns what these lines of a target and a contract settle: what is established and will be for another week, and
/// what two runs at least an hour apart saw, where further runs would show no more.
#[must_use]
pub fn settled(contract: &Contract, lines: &[LedgerLine], now: DateTime<Utc>) -> SettledAnswers {
    let known = [now, now + RENEWED_BEFORE].map(|time| settled_subjects(contract, lines, time));
    let is_settled = |(gap, operation, location, condition): &(usize, OperationId, String, Option<Condition>)| {
        let subject = (
            contract.gaps[*gap].id.clone(),
            Some(contract.operation(*operation).name.clone()),
            Some(location.clone()),
            *condition,
        );
        known.iter().all(|known| known.contains(&subject))
    };
    let asked = Question::all(contract).into_iter().map(|question| {
        let condition = (question.asks == Asks::NoCredential).then_some(Condition::NoCredential);
        (question.gap, question.operation, question.location, condition)
    });
    let (asked, still_asked): (Vec<_>, Vec<_>) = asked.partition(is_settled);
    let (shown, open): (Vec<_>, Vec<_>) = shown_unasked(contract).into_iter().partition(is_settled);
    let has_open = |gap: usize| still_asked.iter().chain(&open).any(|subject| subject.0 == gap);
    let subjects = asked.into_iter().chain(shown);
    let subjects: BTreeSet<_> = subjects
        .map(|(gap, operation, location, _)| (gap, operation, location))
        .collect();
    let gaps = subjects.iter().map(|(gap, _, _)| *gap);
    SettledAnswers {
        gaps: gaps.filter(|gap| !has_open(*gap)).collect(),
        operations_with_open_responses: open
            .iter()
            .map(|(_, operation, _, _)| *operation)
            .chain(unstable_creates(contract, lines, now))
            .collect(),
        subjects,
    }
}

/// Returns the creates about which the ledger has an unstable answer, such as a status that has changed: they are sent
/// again, so that the answer does not stay unstable until it ages out.
fn unstable_creates(contract: &Contract, lines: &[LedgerLine], now: DateTime<Utc>) -> Vec<OperationId> {
    let current = current_answers(lines, now).into_iter();
    let joined = join_all(current.map(|(_, answer)| answer.clone())).into_iter();
    let unstable = joined.filter(|answer| answer.state == AnswerState::Unstable);
    let operations = unstable.filter_map(|answer| contract.operation_named(&answer.operation?));
    operations.filter(|id| contract.operation(*id).creates()).collect()
}

/// Returns what ordinary requests show without a question: for creates, their side effects and when their record is
/// listed; for other operations, what each control shows.
fn shown_unasked(contract: &Contract) -> Vec<(usize, OperationId, String, Option<Condition>)> {
    let locations = GapLocations::of(contract).all.into_iter();
    let whole = locations.filter_map(|location| {
        let operation = location.operation?;
        let is_shown = match contract.operation(operation).creates() {
            true => location.kind == GapKind::VisibilityDelay,
            false => shows_in_controls(location.kind),
        };
        is_shown.then_some((location.gap, operation, location.pointer, None))
    });
    let creates = contract.operation_ids().filter(|id| contract.operation(*id).creates());
    let effects = creates.flat_map(|create| {
        let fields = text_fields_with_open_side_effect(contract, create).into_iter();
        fields.map(move |(gap, location, _)| (gap, create, location, None))
    });
    whole.chain(effects).collect()
}

/// Whether each control of an operation is a trial of a gap of this kind.
fn shows_in_controls(kind: GapKind) -> bool {
    matches!(
        kind,
        GapKind::Compression | GapKind::PageSize | GapKind::SuccessStatus | GapKind::UpdateResponseBody
    )
}

/// Whether no trial is about gaps of this kind, so that an answer is never more than seen.
fn is_seen_at_most(kind: GapKind) -> bool {
    matches!(kind, GapKind::SideEffect | GapKind::VisibilityDelay)
}

/// Returns what is settled at some time.
fn settled_subjects(contract: &Contract, lines: &[LedgerLine], time: DateTime<Utc>) -> BTreeSet<AnswerSubject> {
    let mut current = current_answers(lines, time);
    // What an outage or too few records hid from one run, another may show.
    let (void, short) = (void_trials(lines), short_of_records(contract, &current));
    current.retain(|(line, answer)| {
        let run = line.run.as_str();
        let is_hidden = void.contains(&(run, asked(answer))) || short.contains(&(run, answer.operation.as_deref()));
        !is_inconclusive(answer) || !is_hidden
    });
    let runs = runs_by_answer(&current, |answer| {
        answer.state == AnswerState::Indicated || another_run_adds_nothing(contract, answer)
    });
    let joined = join_all(current.iter().map(|(_, answer)| (*answer).clone()));
    // What an unstable answer holds back is asked again: more trials may disagree there, too.
    let unstable = gaps_with_unstable_answer(&joined);
    let joined = joined.into_iter().map(|answer| (subject(&answer), answer.state));
    let is_held_back =
        |subject: &AnswerSubject, state| state == AnswerState::Indicated && unstable.contains(&subject.0);
    let joined = joined.filter(|(subject, state)| !is_held_back(subject, *state));
    let settled = joined.filter(|answer| runs.get(answer).is_some_and(are_apart));
    settled.map(|(subject, _)| subject).collect()
}

/// What a question is about: a gap, an operation and a location.
type Asked<'line> = (&'line str, Option<&'line str>, Option<&'line str>);

fn asked(answer: &Answer) -> Asked<'_> {
    (&answer.gap, answer.operation.as_deref(), answer.location.as_deref())
}

/// Whether a run asked and could not tell, because something else may explain what it saw.
fn is_inconclusive(answer: &Answer) -> bool {
    answer.state == AnswerState::CannotTell && answer.reason == Some(WhyUnanswered::Inconclusive)
}

/// Returns what trials that decided nothing asked, each with the tag of its run.
fn void_trials(lines: &[LedgerLine]) -> BTreeSet<(&str, Asked<'_>)> {
    let trials = lines.iter().filter_map(|line| match &line.entry {
        LedgerEntry::Trial(trial) if trial.outcome == TrialOutcome::Void => Some((line.run.as_str(), trial)),
        LedgerEntry::Trial(_) | LedgerEntry::Answer(_) => None,
    });
    let asked = trials.map(|(run, trial)| {
        let asked: Asked<'_> = (&trial.gap, Some(&trial.operation), Some(&trial.location));
        (run, asked)
    });
    asked.collect()
}

/// Returns the writes that had too few records to be asked about everything, each with the tag of its run. A list with
/// few items lacks something else.
fn short_of_records<'lines>(
    contract: &Contract,
    current: &[(&'lines LedgerLine, &'lines Answer)],
) -> BTreeSet<(&'lines str, Option<&'lines str>)> {
    let short = current
        .iter()
        .filter(|(_, answer)| answer.reason == Some(WhyUnanswered::NoValue));
    let is_read = |answer: &Answer| {
        let operation = answer
            .operation
            .as_ref()
            .and_then(|name| contract.operation_named(name));
        operation.is_some_and(|operation| contract.operation(operation).is_read())
    };
    let short = short.filter(|(_, answer)| !is_read(answer));
    let short = short.map(|(line, answer)| (line.run.as_str(), answer.operation.as_deref()));
    short.collect()
}

/// Whether another run would see no more than this one did. A duplicate that is accepted is sent only once, a body
/// without any field only twice, and each of many required fields is left out only twice. Where four trials agree and the answer is still only seen, no response can show what
/// was sent. This excludes other required fields, whose count is of requests and not of trials, and gaps that controls
/// show, because a run with controls may show more. What was inconclusive without a trial that is void will be so
/// again.
fn another_run_adds_nothing(contract: &Contract, answer: &Answer) -> bool {
    if is_inconclusive(answer) {
        return true;
    }
    let accepted = Some(Claim::Duplicate {
        duplicate: Duplicate::Accepted,
    });
    let needs_nothing = Some(Claim::Required { required: Vec::new() });
    let mut gaps = contract.gaps.iter();
    let gap = gaps.find(|gap| gap.id == answer.gap);
    let kind = gap.and_then(|gap| gap.kind);
    let is_never_tried = kind.is_some_and(is_seen_at_most);
    let asks_by_trials = kind.is_some_and(|kind| kind != GapKind::RequiredFields && !shows_in_controls(kind));
    let is_tried = asks_by_trials && answer.observations.supporting >= TRIALS_TO_INDICATE;
    let is_sent_once = answer.claim == accepted || answer.claim == needs_nothing;
    let needs_many = matches!(&answer.claim, Some(Claim::Required { required }) if required.len() > MAX_PROVED);
    answer.state == AnswerState::Seen && (is_tried || is_never_tried || is_sent_once || needs_many)
}

#[cfg(test)]
mod tests {
    use super::super::answer::{ObservationCounts, UnknownHandling};
    use super::super::ledger::{LearnRun, LedgerLine};
    use super::super::trial::Trial;
    use super::*;

    const UPDATE: &str = "/components/schemas/ContactInput";

    fn answer(gap: &str, operation: &str, location: &str, (state, claim): (AnswerState, Claim)) -> Answer {
        Answer {
            gap: gap.to_owned(),
            operation: Some(operation.to_owned()),
            location: Some(location.to_owned()),
            state,
            claim: Some(claim),
            observations: ObservationCounts {
                supporting: 4,
                ..ObservationCounts::default()
            },
            dissent: Vec::new(),
            reason: None,
        }
    }

    fn unknown_field(state: AnswerState, handling: UnknownHandling) -> Answer {
        let claim = Claim::UnknownHandled { handling, status: None };
        answer("unknown-request-fields", "updateContact", UPDATE, (state, claim))
    }

    /// The lines of runs that began so many hours after the epoch, each with its answer.
    fn lines(runs: &[(i64, Answer)]) -> Vec<LedgerLine> {
        let lines = runs.iter().flat_map(|(hours, answer)| {
            let run = LearnRun {
                tag: format!("r{hours}"),
                time: DateTime::UNIX_EPOCH + TimeDelta::hours(*hours),
                target: "https://contacts.example.com".to_owned(),
                contract: "c".to_owned(),
            };
            run.lines(&[], std::slice::from_ref(answer))
        });
        lines.collect()
    }

    /// How many subjects are settled so many hours after the epoch.
    fn count(runs: &[(i64, Answer)], now: i64) -> usize {
        let now = DateTime::UNIX_EPOCH + TimeDelta::hours(now);
        settled(crate::testing::built_in(), &lines(runs), now).subjects.len()
    }

    #[test]
    fn what_is_established_is_settled_until_a_week_before_it_ages_out() {
        let indicated = unknown_field(AnswerState::Indicated, UnknownHandling::Ignored);
        let two = [(0, indicated.clone()), (2, indicated.clone())];
        assert_eq!(count(&two, 3), 1);
        assert_eq!((count(&two, 23 * 24), count(&two, 23 * 24 + 1)), (1, 0));
        assert_eq!(count(&two[..1], 3), 0);
        let at_once = [(0, indicated.clone()), (0, indicated.clone())];
        assert_eq!(count(&at_once, 3), 0);
        let other = unknown_field(AnswerState::Seen, UnknownHandling::Rejected);
        let opposed = [two[0].clone(), two[1].clone(), (3, other)];
        assert_eq!(count(&opposed, 3), 0);
        // One run that asks again is half of what renews it; two at least an hour apart settle it for another month.
        let mut renewed = two.to_vec();
        renewed.push((23 * 24 + 1, indicated.clone()));
        assert_eq!(count(&renewed, 24 * 24), 0);
        renewed.push((24 * 24, indicated));
        assert_eq!((count(&renewed, 24 * 24 + 1), count(&renewed, 47 * 24)), (1, 0));
    }

    #[test]
    fn what_is_seen_is_settled_only_if_another_run_would_see_no_more() {
        let twice = |answer: &Answer| count(&[(0, answer.clone()), (2, answer.clone())], 3);
        let seen = |supporting: u64| {
            let mut answer = unknown_field(AnswerState::Seen, UnknownHandling::Ignored);
            answer.observations.supporting = supporting;
            answer
        };
        assert_eq!((twice(&seen(4)), twice(&seen(3))), (1, 0));
        // What was counted for these gaps is not trials: a run with more writes, or with controls, may show more.
        for gap in ["required-fields", "success-status"] {
            let mut answer = seen(4);
            answer.gap = gap.to_owned();
            assert_eq!(twice(&answer), 0, "{gap}");
        }
        // What one run indicates, another one may establish.
        let indicated = unknown_field(AnswerState::Indicated, UnknownHandling::Ignored);
        assert_eq!(count(&[(0, seen(4)), (2, indicated)], 3), 0);
        let duplicate = |duplicate| {
            let claim = Claim::Duplicate { duplicate };
            let mut answer = answer("duplicates", "createContact", UPDATE, (AnswerState::Seen, claim));
            answer.observations.supporting = 1;
            twice(&answer)
        };
        assert_eq!((duplicate(Duplicate::Accepted), duplicate(Duplicate::Rejected)), (1, 0));
    }

    #[test]
    fn what_two_runs_could_not_tell_is_settled_unless_something_hid_it() {
        let unanswered = |gap: &str, location: &str, reason: WhyUnanswered| Answer {
            state: AnswerState::CannotTell,
            claim: None,
            observations: ObservationCounts::default(),
            reason: Some(reason),
            ..answer(
                gap,
                "createContact",
                location,
                (AnswerState::Seen, Claim::Required { required: Vec::new() }),
            )
        };
        let of = |reason| unanswered("required-fields", UPDATE, reason);
        let open = of(WhyUnanswered::Inconclusive);
        assert_eq!(count(&[(0, open.clone()), (2, open.clone())], 3), 1);
        assert_eq!(count(&[(0, open.clone())], 3), 0);
        for reason in [WhyUnanswered::NoValue, WhyUnanswered::Rejected] {
            assert_eq!(count(&[(0, of(reason)), (2, of(reason))], 3), 0, "{reason:?}");
        }
        // Too few records were left for another question about the operation, so perhaps for this one as well.
        let short = unanswered("duplicates", UPDATE, WhyUnanswered::NoValue);
        assert_eq!(count(&[(0, open.clone()), (2, open.clone()), (2, short)], 3), 0);
        // The second run was throttled.
        let mut runs = lines(&[(0, open.clone()), (2, open)]);
        let trial = |outcome| Trial {
            gap: "required-fields".to_owned(),
            operation: "createContact".to_owned(),
            location: UPDATE.to_owned(),
            probe: "no documented field".to_owned(),
            claim: None,
            outcome,
            statuses: vec![Some(429)],
            count: 1,
        };
        let mut now = runs[1].clone();
        now.entry = LedgerEntry::Trial(trial(TrialOutcome::Void));
        runs.push(now);
        let settled_now = |lines: &[LedgerLine]| {
            let now = DateTime::UNIX_EPOCH + TimeDelta::hours(3);
            settled(crate::testing::built_in(), lines, now).subjects.len()
        };
        assert_eq!(settled_now(&runs), 0);
        runs[2].entry = LedgerEntry::Trial(trial(TrialOutcome::Against));
        assert_eq!(settled_now(&runs), 1);
    }

    #[test]
    fn what_an_unstable_answer_holds_back_is_asked_again() {
        let sizes = |gap: &str, field: &str, state| {
            let location = format!("{UPDATE}/properties/{field}");
            answer(gap, "updateContact", &location, (state, Claim::Status { status: 200 }))
        };
        let indicated = sizes("field-sizes", "firstname", AnswerState::Indicated);
        let beside = |gap: &str| {
            let unstable = sizes(gap, "lastname", AnswerState::Unstable);
            count(&[(0, indicated.clone()), (2, indicated.clone()), (2, unstable)], 3)
        };
        assert_eq!((beside("field-sizes"), beside("null-values")), (0, 1));
    }

    #[test]
    fn a_create_that_needs_nothing_or_very_much_is_settled_once_two_runs_saw_it() {
        let required = |names: &[&str]| {
            let required = names.iter().map(|name| (*name).to_owned()).collect();
            let claim = Claim::Required { required };
            answer("required-fields", "createContact", UPDATE, (AnswerState::Seen, claim))
        };
        let twice = |answer: Answer| count(&[(0, answer.clone()), (2, answer)], 3);
        assert_eq!((twice(required(&[])), twice(required(&["/firstname"]))), (1, 0));
        let many = ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h", "/i"];
        assert_eq!((twice(required(&many)), twice(required(&many[..8]))), (1, 0));
    }

    #[test]
    fn an_operation_stays_open_until_its_ordinary_responses_are_settled() {
        let contract = crate::testing::built_in();
        let tags = contract.operation_named("getTags").unwrap();
        let create = contract.operation_named("createContact").unwrap();
        let open = settled(contract, &[], DateTime::UNIX_EPOCH).operations_with_open_responses;
        assert!(open.contains(&tags) && open.contains(&create));
        let shown = shown_unasked(contract).into_iter();
        let shown = shown.filter(|(_, operation, ..)| [tags, create].contains(operation));
        let all: Vec<_> = shown
            .flat_map(|(gap, operation, location, _)| {
                let name = &contract.operation(operation).name;
                let claim = Claim::HeaderSent { sent: true };
                let state = match operation == create {
                    true => AnswerState::Seen,
                    false => AnswerState::Indicated,
                };
                let answer = answer(&contract.gaps[gap].id, name, &location, (state, claim));
                [(0, answer.clone()), (2, answer)]
            })
            .collect();
        let open = |runs: &[(i64, Answer)]| {
            let now = DateTime::UNIX_EPOCH + TimeDelta::hours(3);
            let open = settled(contract, &lines(runs), now).operations_with_open_responses;
            [tags, create].map(|operation| open.contains(&operation))
        };
        assert_eq!(open(&all), [false, false]);
        let of_tags = all
            .iter()
            .filter(|(_, answer)| answer.operation.as_deref() == Some("getTags"));
        let without_status = of_tags.filter(|(_, answer)| answer.gap != "success-status").cloned();
        assert_eq!(open(&without_status.collect::<Vec<_>>()), [true, true]);
    }

    #[test]
    fn a_create_with_an_unstable_answer_is_sent_again() {
        let contract = crate::testing::built_in();
        let create = contract.operation_named("createTag").unwrap();
        let status = |status: u16| {
            let claim = Claim::Status { status };
            answer("success-status", "createTag", "", (AnswerState::Seen, claim))
        };
        let now = DateTime::UNIX_EPOCH + TimeDelta::hours(3);
        let unstable = |runs: &[(i64, Answer)]| unstable_creates(contract, &lines(runs), now);
        assert_eq!(unstable(&[(0, status(201)), (2, status(201))]), []);
        let changed = [(0, status(201)), (2, status(200))];
        assert_eq!(unstable(&changed), [create]);
        assert!(
            settled(contract, &lines(&changed), now)
                .operations_with_open_responses
                .contains(&create)
        );
    }
}
