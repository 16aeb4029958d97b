//! Keeps what runs have answered, with the trials that asked, and says what follows from all of them. The main type is
//! [`LedgerLine`].
//!
//! # Design
//!
//! A ledger is JSON Lines, and only grows: a run appends its trials, then what it answered. So people and other
//! programs can read it, even after a run was killed, and it can be kept beside the contract. It contains no value of
//! the target.
//!
//! What is known follows from the answers alone. An answer may rest on trials of several kinds, and on what ordinary
//! responses show, so no trial decides it by itself. The trials say why an answer is what it is.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Answer, AnswerState};
use super::join::{AnswerSubject, join_all, sort_by_subject, subject};
use super::trial::{self, Trial};
use crate::exchange::sanitize::is_interpreted;
use crate::plan::TRIALS_TO_INDICATE;

/// The version of the lines that are written.
const VERSION: u32 = 1;
/// The minimum time between two runs for what both indicate to count as established.
const MIN_APART: TimeDelta = TimeDelta::hours(1);
/// How long a line counts: a service changes.
const MAX_AGE: TimeDelta = TimeDelta::days(30);
/// How far ahead of now the time of a line may be. The clocks of two machines differ by a few minutes where nobody sets
/// them; five are what Kerberos allows by default (RFC 4120, section 8.2). What is further ahead was written by a clock
/// that is wrong, so it says neither how old the line is nor how far apart two runs are.
const MAX_AHEAD: TimeDelta = TimeDelta::minutes(5);

/// One line of a ledger: a trial of a run, or one of its answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerLine {
    /// The version of the format.
    pub version: u32,
    /// The run tag.
    pub run: String,
    /// When the run started.
    pub time: DateTime<Utc>,
    /// The target's base URL, without a slash at its end; `embedded` is the reference service.
    pub target: String,
    /// A digest of the contract.
    pub contract: String,
    /// What it says.
    #[serde(flatten)]
    pub entry: LedgerEntry,
}

/// What a line of a ledger says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LedgerEntry {
    /// What the run sent to ask, and what that showed.
    Trial(Trial),
    /// What the run answered.
    Answer(Answer),
}

impl LedgerLine {
    /// Returns the answer, if the line is one.
    #[must_use]
    pub fn answer(&self) -> Option<&Answer> {
        match &self.entry {
            LedgerEntry::Answer(answer) => Some(answer),
            LedgerEntry::Trial(_) => None,
        }
    }

    /// Returns the id of the gap that the line is about.
    #[must_use]
    pub fn gap(&self) -> &str {
        match &self.entry {
            LedgerEntry::Answer(answer) => &answer.gap,
            LedgerEntry::Trial(trial) => &trial.gap,
        }
    }

    /// Whether the line counts at this time: it is at most 30 days old, and no more than five minutes ahead.
    #[must_use]
    pub fn is_current(&self, now: DateTime<Utc>) -> bool {
        (-MAX_AHEAD..=MAX_AGE).contains(&(now - self.time))
    }
}

/// What the lines of one run have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnRun {
    /// The run tag.
    pub tag: String,
    /// When it started.
    pub time: DateTime<Utc>,
    /// The target's base URL, without a slash at its end; `embedded` is the reference service.
    pub target: String,
    /// A digest of the contract.
    pub contract: String,
}

impl LearnRun {
    /// Returns the lines that the run appends for these trials and answers. An answer that claims nothing says why.
    #[must_use]
    pub fn lines(&self, trials: &[Trial], answers: &[Answer]) -> Vec<LedgerLine> {
        let trials = trial::joined(trials.iter().cloned())
            .into_iter()
            .map(LedgerEntry::Trial);
        let line = |entry: LedgerEntry| LedgerLine {
            version: VERSION,
            run: self.tag.clone(),
            time: self.time,
            target: self.target.clone(),
            contract: self.contract.clone(),
            entry,
        };
        trials
            .chain(answers.iter().cloned().map(LedgerEntry::Answer))
            .map(line)
            .collect()
    }
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadableLine {
    /// No run writes such a line: a run may have been killed while it wrote it, or somebody changed it.
    NotWrittenByARun,
    /// It has another version.
    Version(u32),
}

/// Reads one line.
///
/// # Errors
///
/// [`UnreadableLine`] if it is not a whole line of this version, or claims more than one run can show, or has a control
/// character or an invisible one in a string: it could look like other lines wherever it is printed.
pub fn read_line(line: &str) -> Result<LedgerLine, UnreadableLine> {
    let value: Value = serde_json::from_str(line).map_err(|_| UnreadableLine::NotWrittenByARun)?;
    let version = value["version"].as_u64().and_then(|version| version.try_into().ok());
    match version {
        Some(VERSION) => {}
        Some(other) => return Err(UnreadableLine::Version(other)),
        None => return Err(UnreadableLine::NotWrittenByARun),
    }
    if !is_printable(&value) {
        return Err(UnreadableLine::NotWrittenByARun);
    }
    let line: LedgerLine = serde_json::from_str(line).map_err(|_| UnreadableLine::NotWrittenByARun)?;
    if line.answer().is_some_and(is_overstated) {
        return Err(UnreadableLine::NotWrittenByARun);
    }
    Ok(line)
}

/// Whether no string in it has a character that a terminal interprets or that a reader does not see.
fn is_printable(value: &Value) -> bool {
    let is_printable_text = |text: &str| {
        !text
            .chars()
            .any(|character| character == '\n' || is_interpreted(character))
    };
    match value {
        Value::String(text) => is_printable_text(text),
        Value::Array(elements) => elements.iter().all(is_printable),
        Value::Object(members) => members
            .iter()
            .all(|(name, member)| is_printable_text(name) && is_printable(member)),
        Value::Bool(_) | Value::Null | Value::Number(_) => true,
    }
}

/// Whether an answer claims more than one run can show: it is established, or indicated by too few trials or in spite
/// of one that disagrees.
fn is_overstated(answer: &Answer) -> bool {
    match answer.state {
        // That takes two runs.
        AnswerState::Established => true,
        AnswerState::Indicated => {
            let is_opposed = answer.observations.against > 0 || !answer.dissent.is_empty();
            answer.observations.supporting < TRIALS_TO_INDICATE || is_opposed || answer.claim.is_none()
        }
        AnswerState::CannotTell | AnswerState::Seen | AnswerState::Unstable => false,
    }
}

/// What is known about a gap, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    /// What is known.
    pub answer: Answer,
    /// When each run that indicates it started, from the first to the last.
    pub runs: Vec<DateTime<Utc>>,
}

/// Returns what follows from the lines of a target and a contract, as [`known_with_runs`] does, without the runs.
#[must_use]
pub fn known_answers(lines: &[LedgerLine], now: DateTime<Utc>) -> Vec<Answer> {
    let known = known_with_runs(lines, now).into_iter();
    known.map(|known| known.answer).collect()
}

/// The runs that gave the same answer: when each began, and its tag.
pub(super) type Runs<'lines> = BTreeSet<(DateTime<Utc>, &'lines str)>;

/// Returns the answers of the lines that count at a time, with their lines.
pub(super) fn current_answers(lines: &[LedgerLine], now: DateTime<Utc>) -> Vec<(&LedgerLine, &Answer)> {
    let current = lines.iter().filter(|line| line.is_current(now));
    current.filter_map(|line| Some((line, line.answer()?))).collect()
}

/// Returns the runs behind the answers that `counts` accepts, by what they are about and their state.
pub(super) fn runs_by_answer<'lines>(
    current: &[(&'lines LedgerLine, &'lines Answer)],
    counts: impl Fn(&Answer) -> bool,
) -> BTreeMap<(AnswerSubject, AnswerState), Runs<'lines>> {
    let mut runs: BTreeMap<_, Runs<'_>> = BTreeMap::new();
    for (line, answer) in current.iter().filter(|(_, answer)| counts(answer)) {
        let of_answer = runs.entry((subject(answer), answer.state)).or_default();
        of_answer.insert((line.time, line.run.as_str()));
    }
    runs
}

/// Returns the ids of the gaps with an unstable answer: it holds back the other answers about them.
pub(super) fn gaps_with_unstable_answer(answers: &[Answer]) -> BTreeSet<String> {
    let unstable = answers.iter().filter(|answer| answer.state == AnswerState::Unstable);
    unstable.map(|answer| answer.gap.clone()).collect()
}

/// Whether the first and the last of these runs began far enough apart for what both show to count as established.
pub(super) fn are_apart(runs: &Runs<'_>) -> bool {
    let apart = runs.first().zip(runs.last()).map(|(first, last)| last.0 - first.0);
    apart.is_some_and(|apart| apart >= MIN_APART)
}

/// Returns what follows from the lines of a target and a contract, with the runs that indicate it: the observations of
/// several runs that agree are added up, and where they disagree, the answer is unstable. What is indicated by two runs
/// that started at least an hour apart is established, unless another answer about the same gap is unstable. Lines that
/// are older than 30 days do not count, nor do those that are more than five minutes ahead of `now`.
#[must_use]
pub fn known_with_runs(lines: &[LedgerLine], now: DateTime<Utc>) -> Vec<KnownAnswer> {
    let current = current_answers(lines, now);
    let mut runs = runs_by_answer(&current, |answer| answer.state == AnswerState::Indicated);
    let answers = join_all(current.iter().map(|(_, answer)| (*answer).clone()));
    let unstable = gaps_with_unstable_answer(&answers);
    let with_runs = answers.into_iter().map(|mut answer| {
        let indicating = (subject(&answer), AnswerState::Indicated);
        let runs = runs.remove(&indicating).unwrap_or_default();
        // Replicas that differ in one operation may differ in the next, where all trials met the same one by chance.
        let is_doubtful = unstable.contains(&answer.gap);
        if answer.state == AnswerState::Indicated && are_apart(&runs) && !is_doubtful {
            answer.state = AnswerState::Established;
        }
        let runs = runs.into_iter().map(|(time, _)| time).collect();
        KnownAnswer { answer, runs }
    });
    with_runs.collect()
}

/// Returns the trials of the lines that count for [`known_with_runs`]; those that sent and showed the same are joined
/// into one.
#[must_use]
pub fn known_trials(lines: &[LedgerLine], now: DateTime<Utc>) -> Vec<Trial> {
    let counted = lines.iter().filter(|line| line.is_current(now));
    trial::joined(counted.filter_map(|line| match &line.entry {
        LedgerEntry::Trial(trial) => Some(trial.clone()),
        LedgerEntry::Answer(_) => None,
    }))
}

/// Returns the trials that lines lack: of those that sent and showed the same, as many as are not in them.
#[must_use]
pub fn trials_without(trials: &[Trial], lines: &[LedgerLine]) -> Vec<Trial> {
    let uncounted = |trial: &Trial| Trial {
        count: 0,
        ..trial.clone()
    };
    let mut written: BTreeMap<Trial, u64> = BTreeMap::new();
    for line in lines {
        if let LedgerEntry::Trial(trial) = &line.entry {
            let count = written.entry(uncounted(trial)).or_default();
            *count = count.saturating_add(trial.count);
        }
    }
    let left = trials.iter().filter_map(|trial| {
        let written = written.get(&uncounted(trial)).copied().unwrap_or_default();
        let count = trial.count.saturating_sub(written);
        (count > 0).then(|| Trial { count, ..trial.clone() })
    });
    left.collect()
}

/// Adds the answers that a run cannot tell to the known ones, where nothing else is known about the same location.
#[must_use]
pub fn with_unanswered(mut known: Vec<Answer>, answers: &[Answer]) -> Vec<Answer> {
    let unanswered = answers.iter().filter(|answer| answer.state == AnswerState::CannotTell);
    let is_known = |answer: &&Answer| {
        let mut of_gap = known.iter().filter(|other| other.gap == answer.gap);
        let is_of_whole_gap = answer.location.is_none();
        of_gap.any(|other| {
            is_of_whole_gap || (&other.operation, &other.location) == (&answer.operation, &answer.location)
        })
    };
    let unanswered: Vec<_> = unanswered.filter(|answer| !is_known(answer)).cloned().collect();
    known.extend(unanswered);
    sort_by_subject(&mut known);
    known
}

#[cfg(test)]
mod tests {
    use super::super::answer::{Claim, Dissent, ObservationCounts};
    use super::super::trial::{TrialClaim, TrialOutcome};
    use super::*;

    fn line(hours: i64, state: AnswerState, status: u16) -> LedgerLine {
        LedgerLine {
            version: VERSION,
            run: format!("r{hours}"),
            time: DateTime::UNIX_EPOCH + TimeDelta::hours(hours),
            target: "https://contacts.example.com".to_owned(),
            contract: "c".to_owned(),
            entry: LedgerEntry::Answer(answer(state, status)),
        }
    }

    fn answer(state: AnswerState, status: u16) -> Answer {
        Answer {
            gap: "success-status".to_owned(),
            operation: Some("getThings".to_owned()),
            location: Some("/a".to_owned()),
            state,
            claim: Some(Claim::Status { status }),
            observations: ObservationCounts {
                supporting: 4,
                ..ObservationCounts::default()
            },
            dissent: Vec::new(),
            reason: None,
        }
    }

    fn trial(claim: TrialClaim, statuses: [u16; 3]) -> Trial {
        Trial {
            gap: "success-status".to_owned(),
            operation: "getThings".to_owned(),
            location: "/a".to_owned(),
            probe: "no credential".to_owned(),
            claim: Some(claim),
            outcome: TrialOutcome::For,
            statuses: statuses.map(Some).to_vec(),
            count: 4,
        }
    }

    fn state(lines: &[LedgerLine], now: i64) -> Option<AnswerState> {
        let now = DateTime::UNIX_EPOCH + TimeDelta::hours(now);
        known_answers(lines, now).first().map(|answer| answer.state)
    }

    #[test]
    fn nothing_is_established_about_a_gap_with_an_unstable_answer() {
        let of_other = |mut line: LedgerLine, gap: &str| {
            if let LedgerEntry::Answer(answer) = &mut line.entry {
                answer.operation = Some("getOthers".to_owned());
                answer.gap = gap.to_owned();
            }
            line
        };
        let mut lines = vec![
            line(0, AnswerState::Indicated, 200),
            line(1, AnswerState::Indicated, 200),
        ];
        for (gap, expected) in [
            ("success-status", AnswerState::Indicated),
            ("page-size", AnswerState::Established),
        ] {
            lines.truncate(2);
            lines.push(of_other(line(0, AnswerState::Seen, 200), gap));
            lines.push(of_other(line(1, AnswerState::Seen, 203), gap));
            let known = known_answers(&lines, DateTime::UNIX_EPOCH + TimeDelta::hours(2));
            let of_things = known
                .iter()
                .find(|answer| answer.operation.as_deref() == Some("getThings"));
            assert_eq!(of_things.map(|answer| answer.state), Some(expected), "{gap}");
        }
    }

    #[test]
    fn what_two_runs_indicate_an_hour_apart_is_established() {
        let lines = [
            line(0, AnswerState::Indicated, 200),
            line(1, AnswerState::Indicated, 200),
        ];
        assert_eq!(state(&lines, 2), Some(AnswerState::Established));
        assert_eq!(state(&lines[..1], 2), Some(AnswerState::Indicated));
        let again = [lines[0].clone(), lines[0].clone()];
        assert_eq!(state(&again, 2), Some(AnswerState::Indicated));
        let seen = [line(0, AnswerState::Indicated, 200), line(1, AnswerState::Seen, 200)];
        assert_eq!(state(&seen, 2), Some(AnswerState::Indicated));
    }

    #[test]
    fn an_answer_has_each_run_that_indicates_it_once() {
        let runs = |lines: &[LedgerLine]| {
            let known = known_with_runs(lines, DateTime::UNIX_EPOCH + TimeDelta::hours(9));
            let hours = known[0]
                .runs
                .iter()
                .map(|time| (*time - DateTime::UNIX_EPOCH).num_hours());
            (known.len(), hours.collect::<Vec<_>>())
        };
        let [first, second, last] = [0, 1, 7].map(|hours| line(hours, AnswerState::Indicated, 200));
        let seen = line(3, AnswerState::Seen, 200);
        let (again, stale) = (first.clone(), line(-720, AnswerState::Indicated, 200));
        assert_eq!(
            runs(&[last, first, seen.clone(), second, again, stale]),
            (1, vec![0, 1, 7])
        );
        assert_eq!(runs(&[seen]), (1, vec![]));
    }

    #[test]
    fn runs_that_disagree_establish_nothing() {
        let lines = [
            line(0, AnswerState::Indicated, 200),
            line(1, AnswerState::Indicated, 200),
            line(2, AnswerState::Seen, 201),
        ];
        assert_eq!(state(&lines, 3), Some(AnswerState::Unstable));
    }

    #[test]
    fn what_is_older_than_thirty_days_does_not_count() {
        let lines = [
            line(0, AnswerState::Indicated, 200),
            line(700, AnswerState::Indicated, 200),
        ];
        assert_eq!(state(&lines, 720), Some(AnswerState::Established));
        assert_eq!(state(&lines, 721), Some(AnswerState::Indicated));
        assert_eq!(state(&lines, 2000), None);
    }

    #[test]
    fn what_is_ahead_of_now_does_not_count_beyond_what_clocks_differ_by() {
        let ahead = |minutes: i64, status: u16| LedgerLine {
            time: DateTime::UNIX_EPOCH + TimeDelta::hours(1) + TimeDelta::minutes(minutes),
            ..line(1, AnswerState::Indicated, status)
        };
        let with = |other: LedgerLine| state(&[line(0, AnswerState::Indicated, 200), other], 1);
        assert_eq!(with(ahead(5, 200)), Some(AnswerState::Established));
        assert_eq!(with(ahead(6, 200)), Some(AnswerState::Indicated));
        assert_eq!(with(ahead(5, 201)), Some(AnswerState::Unstable));
        assert_eq!(with(ahead(6, 201)), Some(AnswerState::Indicated));
        assert_eq!(state(&[ahead(6, 200)], 1), None);
        // A year that no clock shows.
        let last = LedgerLine {
            time: DateTime::<Utc>::MAX_UTC,
            ..ahead(0, 201)
        };
        assert_eq!(with(last), Some(AnswerState::Indicated));
    }

    #[test]
    fn a_line_is_read_as_it_was_written_and_a_cut_one_is_not() {
        let written = serde_json::to_string(&line(0, AnswerState::Indicated, 200)).unwrap();
        assert_eq!(read_line(&written), Ok(line(0, AnswerState::Indicated, 200)));
        assert_eq!(
            read_line(&written[..written.len() - 9]),
            Err(UnreadableLine::NotWrittenByARun)
        );
        assert_eq!(
            read_line(&written.replace("\"version\":1", "\"version\":2")),
            Err(UnreadableLine::Version(2))
        );
    }

    #[test]
    fn a_line_that_could_look_like_others_where_it_is_printed_is_not_read() {
        for forged in ["a\nb", "a\u{1b}[8m", "\u{202e}a", "a\u{200b}b", "a\rb"] {
            let of_trial = Trial {
                probe: forged.to_owned(),
                ..trial(TrialClaim::OfRequest { accepted: true }, [200, 200, 200])
            };
            let of_trial = LedgerLine {
                entry: LedgerEntry::Trial(of_trial),
                ..line(0, AnswerState::Seen, 200)
            };
            let of_target = LedgerLine {
                target: forged.to_owned(),
                ..line(0, AnswerState::Seen, 200)
            };
            for line in [of_trial, of_target] {
                let written = serde_json::to_string(&line).unwrap();
                assert_eq!(read_line(&written), Err(UnreadableLine::NotWrittenByARun), "{forged:?}");
            }
        }
    }

    #[test]
    fn a_trial_is_read_as_it_was_written_and_decides_nothing() {
        let of_request = trial(TrialClaim::OfRequest { accepted: true }, [200, 200, 200]);
        let of_answer = trial(TrialClaim::OfAnswer(Claim::Status { status: 201 }), [200, 401, 200]);
        let lines = [&of_request, &of_answer, &of_request].map(|trial| LedgerLine {
            entry: LedgerEntry::Trial(trial.clone()),
            ..line(0, AnswerState::Seen, 200)
        });
        for line in &lines {
            assert_eq!(read_line(&serde_json::to_string(line).unwrap()).as_ref(), Ok(line));
        }
        let now = DateTime::UNIX_EPOCH;
        let twice = Trial { count: 8, ..of_request };
        assert_eq!(known_trials(&lines, now), [twice, of_answer]);
        assert_eq!(known_answers(&lines, now), []);
        assert_eq!(known_trials(&lines, now + MAX_AGE + TimeDelta::seconds(1)), []);
    }

    #[test]
    fn a_line_that_claims_more_than_its_trials_show_is_not_read() {
        let is_read = |state, supporting, against| {
            let mut answer = answer(state, 200);
            (answer.observations.supporting, answer.observations.against) = (supporting, against);
            let line = LedgerLine {
                entry: LedgerEntry::Answer(answer),
                ..line(0, state, 200)
            };
            read_line(&serde_json::to_string(&line).unwrap()).is_ok()
        };
        assert!(is_read(AnswerState::Indicated, 4, 0) && is_read(AnswerState::Indicated, 400, 0));
        for (supporting, against) in [(0, 0), (3, 0), (4, 1), (400, 1)] {
            assert!(
                !is_read(AnswerState::Indicated, supporting, against),
                "{supporting}, {against}"
            );
        }
        assert!(is_read(AnswerState::Seen, 1, 0) && is_read(AnswerState::Unstable, 2, 1));
        assert!(!is_read(AnswerState::Established, 8, 0));
        let claim = Claim::Status { status: 201 };
        let opposed = Answer {
            dissent: vec![Dissent { claim, count: 1 }],
            ..answer(AnswerState::Indicated, 200)
        };
        let silent = Answer {
            claim: None,
            ..answer(AnswerState::Indicated, 200)
        };
        for answer in [opposed, silent] {
            let line = LedgerLine {
                entry: LedgerEntry::Answer(answer),
                ..line(0, AnswerState::Indicated, 200)
            };
            assert_eq!(
                read_line(&serde_json::to_string(&line).unwrap()),
                Err(UnreadableLine::NotWrittenByARun)
            );
        }
    }
}
