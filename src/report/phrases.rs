//! Texts that several reports share: the verdict in one line, a finding's location, what is undecided and why.

use std::collections::BTreeMap;

use super::record::{
    Coverage, FactRow, FindingRecord, OperationRecord, Outcome, Record, RecordedIn, ResidueRecord, ShardsRecord,
    SuspectedCause, TrafficRecord, UnexplainedRecord, VerdictRecord,
};
use crate::contract::operation::is_success;
use crate::exchange::sanitize::{Colours, sanitize};
use crate::gaps::{Answer, AnswerState};
use crate::history::SearchExtent;
use crate::rules::{Level, UNCHECKED_OPERATION};

/// How many unchecked operations are named.
const MAX_UNCHECKED: usize = 3;

/// Describes recorded traffic: how much of it was judged, and why the rest was not.
pub(super) fn traffic(traffic: &TrafficRecord) -> String {
    let entries = traffic.files.iter().map(|file| file.entries);
    let entries = entries.fold(0, u64::saturating_add);
    let entries = match entries {
        1 => "1 entry".to_owned(),
        many => format!("{many} entries"),
    };
    let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let proxied = (traffic.proxied > 0 || traffic.files.is_empty())
        .then(|| format!("{} through the proxy", counted(size(traffic.proxied), "exchange")));
    let recorded = match traffic.files.as_slice() {
        [] => None,
        [file] => Some(format!("{entries} in {}", file.name)),
        files => Some(format!("{entries} in {} files", files.len())),
    };
    let all: Vec<_> = proxied.into_iter().chain(recorded).collect();
    let mut text = format!(
        "{} of {} {} judged",
        traffic.judged,
        all.join(" and "),
        was_or_were(size(traffic.judged))
    );
    for (index, kind) in traffic.not_judged.iter().enumerate() {
        let separator = if index == 0 { "; " } else { ", " };
        text.push_str(&format!("{separator}{} {}", kind.count, kind.reason));
    }
    for file in &traffic.files {
        if let Some(stopped) = &file.stopped {
            text.push_str(&format!("; {} was not read to its end: {stopped}", file.name));
        }
    }
    text
}

/// Describes the file and the entry in which a finding was recorded.
pub(super) fn recorded_in(recorded: &RecordedIn) -> String {
    format!("recorded: entry {} of {}", recorded.entry, recorded.file)
}

/// Returns the text on one line, without anything that a terminal or a CI system interprets.
pub(super) fn on_one_line(text: &str) -> String {
    sanitize(text, Colours::None).replace('\n', " ")
}

/// Returns the text like [`on_one_line`], cut after `max_characters` characters.
pub(super) fn clipped(text: &str, max_characters: usize) -> String {
    let text = on_one_line(text);
    match text.char_indices().nth(max_characters) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The outcome in words.
pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Conforms => "conforms",
        Outcome::CouldNotJudge => "could not be judged",
        Outcome::DoesNotConform => "does not conform",
        Outcome::Interrupted | Outcome::WriteLogFailed => "was not fully checked",
    }
}

/// The word for a finding of a level.
pub(super) fn level_word(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Allow => "allowed",
    }
}

/// Begins a sentence about what is left out, such as `2 more findings are`.
pub(super) fn more_are(count: usize, what: &str) -> String {
    format!("{} {}", counted(count, &format!("more {what}")), is_or_are(count))
}

/// Counts the records that are left, those that may be, and those that were deleted: `1 record left in the target, and
/// perhaps 2 more, 3 deleted`.
pub(super) fn records_left(record: &Record) -> String {
    let unsure = record.residue.iter().filter(|left| !is_known_to_exist(left)).count();
    let sure = all_residue(record).count() - unsure;
    let left = match (sure, unsure) {
        (0, 1..) => format!("{} may be left in the target", counted(unsure, "record")),
        (_, 0) => format!("{} left in the target", counted(sure, "record")),
        (_, 1..) => format!(
            "{} left in the target, and perhaps {unsure} more",
            counted(sure, "record")
        ),
    };
    match record.deleted {
        0 => left,
        deleted => format!("{left}, {deleted} deleted"),
    }
}

/// The base URL of the target.
pub(super) fn target_url(record: &Record) -> String {
    format!("{}{}", record.target, record.base_path)
}

/// Returns what follows the outcome: the number of operations, the shard, then the reason or, if there is none, the
/// number of findings and the unchecked operations. Parts that do not apply are left out.
pub(super) fn outcome_details(record: &Record) -> String {
    let rendered = match &record.reason {
        Some(reason) => format!(": {reason}"),
        None => counts_after_outcome(record) + &not_checked(record) + &not_selected(record),
    };
    in_operations(record) + &in_shard(record) + &rendered
}

/// Returns in how many operations a service conforms, if not all were checked: ` in 8 of 9 operations`.
pub(super) fn in_operations(record: &Record) -> String {
    let (checked, all) = (with_coverage(record, Coverage::Checked), record.operations.len());
    let elsewhere = record
        .shard
        .as_ref()
        .map_or(0, |_| with_coverage(record, Coverage::NotSelected));
    let all = all + record.omitted_operations.len() - elsewhere;
    if checked == all || record.outcome != Outcome::Conforms {
        return String::new();
    }
    format!(" in {checked} of {all} operations")
}

/// Returns how many operations a run that conforms does not report on, such as the writes of one that only reads;
/// nothing in a shard, where others do.
fn not_selected(record: &Record) -> String {
    match with_coverage(record, Coverage::NotSelected) {
        0 => String::new(),
        _ if record.shard.is_some() || record.outcome != Outcome::Conforms => String::new(),
        not_selected => format!("; {not_selected} {} not selected", was_or_were(not_selected)),
    }
}

fn with_coverage(record: &Record, coverage: Coverage) -> usize {
    let operations = record.operations.iter();
    operations.filter(|operation| operation.coverage == coverage).count()
}

/// Returns how many operations of the document are left out; none if all of it could be read.
pub(super) fn omitted_operations(record: &Record) -> Option<String> {
    let are = is_or_are(record.omitted_operations.len());
    omitted_share(record).map(|omitted| format!("{omitted} {are} left out, {BECAUSE_OF_DEFECTS}"))
}

/// Returns the same as [`omitted_operations`], worded to follow the words "left out".
pub(super) fn omitted_after_left_out(record: &Record) -> Option<String> {
    omitted_share(record).map(|omitted| format!("{omitted}, {BECAUSE_OF_DEFECTS}"))
}

const BECAUSE_OF_DEFECTS: &str = "because of defects in the contract";

/// Returns how many of all operations are left out: `2 of 4 operations`; none if all of the document could be read.
fn omitted_share(record: &Record) -> Option<String> {
    let omitted = record.omitted_operations.len();
    let all = counted(record.operations.len() + omitted, "operation");
    (omitted > 0).then(|| format!("{omitted} of {all}"))
}

/// Returns the first operations that were selected but not checked, each with the reason, and how many more there are.
/// Operations whose finding of `unchecked-operation` is at allow are left out.
pub(super) fn unchecked_operations(record: &Record) -> (Vec<(&str, &str)>, usize) {
    let is_reported = |operation: &&OperationRecord| {
        let mut findings = record.findings.iter();
        findings.any(|finding| finding.rule.is(UNCHECKED_OPERATION) && finding.operation == operation.name)
    };
    let operations = record.operations.iter().filter(is_reported);
    let reasons = operations.filter_map(|operation| Some((operation.name.as_str(), operation.unchecked.as_deref()?)));
    let mut all: Vec<_> = reasons.collect();
    let more = all.len().saturating_sub(MAX_UNCHECKED);
    all.truncate(MAX_UNCHECKED);
    (all, more)
}

/// Describes the one guess that explains the findings, in one line.
pub(super) fn suspected_cause(record: &Record) -> Option<&'static str> {
    record.suspected_cause.map(|cause| match cause {
        SuspectedCause::Mock => "the target returns the same id for each create and stores nothing: is it a mock?",
    })
}

fn not_checked(record: &Record) -> String {
    let (named, more) = unchecked_operations(record);
    let mut rendered: Vec<_> = named
        .chunk_by(|(_, one), (_, other)| one == other)
        .map(|group| {
            let names: Vec<_> = group.iter().map(|(name, _)| *name).collect();
            let were = was_or_were(names.len());
            let reason = group.first().map_or("", |(_, reason)| reason);
            format!("; {} {were} not checked: {reason}", names.join(", "))
        })
        .collect();
    if more > 0 {
        rendered.push(format!("; {more} more {} not checked", was_or_were(more)));
    }
    rendered.concat()
}

/// Returns the shard that a verdict is about, if it is about a single one: ` in shard 1 of 3`.
pub(super) fn in_shard(record: &Record) -> String {
    let shard = record.shard.as_ref();
    shard.map_or_else(String::new, |shard| {
        format!(" in shard {} of {}", shard.number, shard.of)
    })
}

/// Describes the shards that a record was merged from: `2 of 3; missing: 3`.
pub(super) fn shards(shards: &ShardsRecord) -> String {
    let missing: Vec<_> = shards.missing.iter().map(u32::to_string).collect();
    let missing = match missing.len() {
        0 => String::new(),
        _ => format!("; missing: {}", missing.join(", ")),
    };
    format!("{} of {}{missing}", shards.present.len(), shards.of)
}

/// Returns the number of findings at each level, as it follows a verdict: `: 5 errors, 1 warning`; empty if there are
/// none.
pub(super) fn counts_after_outcome(record: &Record) -> String {
    match finding_counts(record) {
        none if none.is_empty() => none,
        counts => format!(": {counts}"),
    }
}

/// Returns the number of findings at each level: `5 errors, 1 warning`; empty if there are none.
pub(super) fn finding_counts(record: &Record) -> String {
    let count = |level| record.findings.iter().filter(|finding| finding.level == level).count();
    errors_and_warnings(count(Level::Deny), count(Level::Warn))
}

/// Describes what the contract states: `documented: string`, or `learned: status: 200`.
pub(super) fn documented_or_learned(finding: &FindingRecord) -> String {
    let origin = if finding.is_learned() { "learned" } else { "documented" };
    format!("{origin}: {}", finding.documented)
}

/// Describes what is wrong, a line each: the finding's fact, what is documented, what was received, and where that was
/// recorded.
pub(super) fn what_is_wrong(finding: &FindingRecord) -> Vec<String> {
    let mut lines = vec![
        format!("fact: {}", finding.fact),
        documented_or_learned(finding),
        format!("received: {}", received_with_location(finding)),
    ];
    lines.extend(finding.recorded_in.as_ref().map(recorded_in));
    lines
}

/// Describes what to do about a finding, a line each: how to fix it, if this version knows its rule, and how to
/// reproduce it.
pub(super) fn what_to_do(finding: &FindingRecord) -> Vec<String> {
    let fix = finding.rule.rule().map(|rule| format!("fix: {}", rule.fix));
    let lines = fix.into_iter().chain([format!("reproduce: {}", finding.reproduce)]);
    lines.collect()
}

/// Returns the numbers of errors and warnings: `5 errors, 1 warning`; empty if there are none.
pub(crate) fn errors_and_warnings(errors: usize, warnings: usize) -> String {
    let counts = [(errors, "error"), (warnings, "warning")].into_iter();
    let counts = counts
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| counted(count, word));
    counts.collect::<Vec<_>>().join(", ")
}

/// Returns a number of things: `1 fact`, `2 facts`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {one}{ending}")
}

/// The verb for that many things, in the present tense.
pub(crate) fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// The same in the past tense.
pub(crate) fn was_or_were(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// Says how many facts are undecided: `1 fact is undecided`.
pub(super) fn are_undecided(facts: usize) -> String {
    format!("{} {} undecided", counted(facts, "fact"), is_or_are(facts))
}

/// Describes what was received: `404; its body has title: string(9)`.
pub(super) fn what_was_received(finding: &FindingRecord) -> String {
    let said = finding.error_body.as_ref();
    let said = said.map_or_else(String::new, |said| format!("; its body has {said}"));
    format!("{}{said}", finding.received)
}

/// Describes what was received, where in the response and how often: `integer at /name, 2 times`.
pub(super) fn received_with_location(finding: &FindingRecord) -> String {
    let FindingRecord {
        count,
        response_pointer: pointer,
        ..
    } = finding;
    let received = what_was_received(finding);
    match (*count > 1, pointer.is_empty()) {
        (false, false) => format!("{received} at {pointer}"),
        (false, true) => received,
        (true, false) => format!("{received}, {count} times, first at {pointer}"),
        (true, true) => format!("{received}, {count} times"),
    }
}

/// Groups the undecided facts by reason, the most frequent reason first.
pub(super) fn undecided_facts(record: &Record) -> Vec<(&str, Vec<&FactRow>)> {
    let mut reasons: BTreeMap<&str, Vec<&FactRow>> = BTreeMap::new();
    let rows = record.facts.rows.iter();
    for row in rows.filter(|row| row.verdict == VerdictRecord::Undecided) {
        reasons
            .entry(row.reason.as_deref().unwrap_or_default())
            .or_default()
            .push(row);
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, facts)| std::cmp::Reverse(facts.len()));
    reasons
}

/// Describes a record of the residue: its identifier, and what else is known about it.
pub(super) fn residue(residue: &ResidueRecord) -> String {
    let parts = [residue.id.clone(), residue_note(residue)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Describes a record of the residue apart from its identifier; none if there is nothing unusual about it.
pub(super) fn residue_note(residue: &ResidueRecord) -> Option<String> {
    let no_id = if residue.id_stated {
        "the response showed no id"
    } else {
        "the contract does not say where its response shows an id"
    };
    let response = match residue.status {
        Some(status) if !is_success(status) => Some(format!("the response was {status}")),
        Some(_) => residue.id.is_none().then(|| no_id.to_owned()),
        None if residue.answered => residue.id.is_none().then(|| no_id.to_owned()),
        None => Some("the response never came".to_owned()),
    };
    let created = residue.status.map_or(residue.answered, is_success);
    let made_up = residue.id_made_up.then_some(match created {
        true => "accepted, although the identifier is made up",
        false => "the identifier is made up",
    });
    let place = match residue.found {
        Some(true) => response.is_some().then_some("it is there"),
        Some(false) if created => Some("not in its list, so gone, replaced or not listed yet"),
        Some(false) => Some("not in its list, so probably not stored"),
        None => (response.is_some() && !created).then_some("it may be there"),
    };
    let parts = [made_up.map(str::to_owned), response, place.map(str::to_owned)];
    let note = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    (!note.is_empty()).then_some(note)
}

/// Whether a record is in the target, as far as responses show: the search at the end of the run found it or, if that
/// did not see all of its list, its write succeeded.
fn is_known_to_exist(residue: &ResidueRecord) -> bool {
    let is_created = residue.status.map_or(residue.answered, is_success);
    residue.found.unwrap_or(is_created)
}

/// Returns all residue as pairs: the operation, and what is known about the record. The records that no write explains
/// come last, with the list that shows them as the operation.
pub(super) fn all_residue(record: &Record) -> impl Iterator<Item = (&str, String)> {
    let created = record.residue.iter();
    let created = created.map(|left| (left.operation.as_str(), residue(left)));
    let unexplained_records = record.unexplained_records.iter().map(|record| {
        let id = record.id.as_deref().unwrap_or("without an id");
        (record.list.as_str(), format!("{id}; {}", why_unexplained(record)))
    });
    created.chain(unexplained_records)
}

/// Returns why a record that no create returned may have been made or changed by the run.
pub(super) fn why_unexplained(record: &UnexplainedRecord) -> String {
    match &record.changed_by {
        Some(write) => format!("it was there before this run, and had changed or was gone after {write}"),
        None if record.existed => {
            "it was there before this run, and now contains this run's tag: it is not the run's own".to_owned()
        }
        None => "no create returned it, but it contains this run's tag".to_owned(),
    }
}

/// Counts the gaps by what the exchanges showed about them; none if they showed nothing.
pub(super) fn answered_gaps(record: &Record) -> Option<String> {
    let state = |gap: &[Answer]| {
        let of_gap = |state| gap.iter().any(|answer| answer.state == state);
        let mut states = [
            AnswerState::Unstable,
            AnswerState::Seen,
            AnswerState::Indicated,
            AnswerState::Established,
        ]
        .into_iter();
        states.find(|state| of_gap(*state)).unwrap_or(AnswerState::CannotTell)
    };
    let gaps = record.answers.chunk_by(|one, other| one.gap == other.gap);
    let states: Vec<_> = gaps.map(state).collect();
    let count = |state| states.iter().filter(|known| **known == state).count();
    let known: Vec<_> = [
        AnswerState::Established,
        AnswerState::Indicated,
        AnswerState::Seen,
        AnswerState::Unstable,
    ]
    .into_iter()
    .filter(|state| matches!(state, AnswerState::Seen | AnswerState::Unstable) || count(*state) > 0)
    .map(|state| format!("{} {}", count(state), state.as_str()))
    .collect();
    let unknown = count(AnswerState::CannotTell);
    (unknown < states.len()).then(|| format!("{}, {unknown} cannot tell", known.join(", ")))
}

/// Returns an answer in words, with the location that it is about.
pub(super) fn answer_with_location(answer: &Answer) -> String {
    let location = answer.location.as_ref().map(|location| format!(", at {location}"));
    answer_in_words(answer) + &location.unwrap_or_default()
}

/// Returns an answer in words: `getTags: status: 200, seen in 7 of 7; 1 decided nothing`.
pub(crate) fn answer_in_words(answer: &Answer) -> String {
    let observations = answer.observations;
    let all = observations.supporting.saturating_add(observations.against);
    let known = match (&answer.claim, answer.reason) {
        (Some(claim), _) => {
            let bound = answer.bound_on_unseen();
            let dissent = answer.dissent.iter();
            let dissent = dissent.map(|dissent| format!("; {}, {} of {all}", dissent.claim, dissent.count));
            let (state, dissent) = (answer.state.as_str(), dissent.collect::<String>());
            format!(
                "{claim}, {state} in {} of {all}{bound}{dissent}",
                observations.supporting
            )
        }
        (None, Some(reason)) => format!("cannot tell, {}", reason.as_str()),
        (None, None) => "cannot tell".to_owned(),
    };
    let void = match observations.void {
        0 => String::new(),
        void => format!("; {void} decided nothing"),
    };
    match &answer.operation {
        Some(operation) => format!("{operation}: {known}{void}"),
        None => known + &void,
    }
}

/// Lists the awkward values that were rejected, by operation and status; none if there are none.
pub(super) fn rejected_values(record: &Record) -> Option<String> {
    let groups = record
        .rejected_values
        .chunk_by(|one, other| (&one.operation, one.status) == (&other.operation, other.status));
    let rendered = groups.map(|group| {
        let values: Vec<_> = group.iter().map(|one| one.value.as_str()).collect();
        let (operation, status) = group
            .first()
            .map_or(("", 0), |one| (one.operation.as_str(), one.status));
        format!("{operation} rejects {} with {status}", values.join(", "))
    });
    let rendered: Vec<_> = rendered.collect();
    (!rendered.is_empty()).then(|| {
        format!(
            "{}; the document leaves open which values are allowed",
            rendered.join("; ")
        )
    })
}

/// Describes how far the run looked for residue, to be read after the number of its records.
pub(super) fn residue_search(record: &Record) -> &'static str {
    match record.residue_search {
        SearchExtent::Whole => "all its lists were searched",
        SearchExtent::Part => "not all of its lists were searched completely",
        SearchExtent::Nothing => "the run ended before it searched for more",
    }
}

/// Returns the name of a file as a path that a CI system finds in the repository: with `/`, and without a leading `./`.
pub(super) fn repository_path(file: &str) -> String {
    let file = on_one_line(file).replace('\\', "/");
    file.trim_start_matches("./").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{sample_record, sample_traffic};
    use crate::report::{Terminal, sarif};

    #[test]
    fn a_clipped_text_is_one_line_and_says_that_it_was_cut() {
        assert_eq!(clipped("a\nb", 3), "a b");
        assert_eq!(clipped("äbcd", 3), "äbc…");
    }

    #[test]
    fn reasons_stand_by_how_many_facts_they_leave_undecided() {
        let mut record = sample_record();
        record.facts.rows[1].verdict = VerdictRecord::Undecided;
        record.facts.rows[1].reason = Some("a rare reason".into());
        let reported: Vec<_> = undecided_facts(&record)
            .into_iter()
            .map(|(reason, facts)| (reason, facts.len()))
            .collect();
        assert_eq!(reported, [("no response showed it", 2), ("a rare reason", 1)]);
    }

    #[test]
    fn an_id_that_nobody_could_read_is_not_blamed_on_the_response() {
        let note = |answered, id_stated| {
            residue(&ResidueRecord {
                id: None,
                answered,
                id_stated,
                status: answered.then_some(201),
                found: None,
                ..sample_record().residue[0].clone()
            })
        };
        assert_eq!(note(true, true), "the response showed no id");
        assert_eq!(
            note(true, false),
            "the contract does not say where its response shows an id"
        );
        assert_eq!(note(false, false), "the response never came; it may be there");
    }

    #[test]
    fn what_an_update_of_no_record_left_is_said_to_have_a_made_up_identifier() {
        let note = |status| {
            residue(&ResidueRecord {
                id: Some("no-identifier-17".to_owned()),
                id_made_up: true,
                status,
                found: None,
                ..sample_record().residue[0].clone()
            })
        };
        let accepted = "no-identifier-17; accepted, although the identifier is made up";
        assert_eq!(note(Some(200)), accepted);
        let failed = "no-identifier-17; the identifier is made up; the response was 500; it may be there";
        assert_eq!(note(Some(500)), failed);
    }

    #[test]
    fn one_undecided_fact_is_singular() {
        assert_eq!(are_undecided(1), "1 fact is undecided");
        assert_eq!(are_undecided(2), "2 facts are undecided");
    }

    #[test]
    fn one_entry_and_one_exchange_are_singular() {
        let mut about = sample_traffic();
        assert_eq!(traffic(&about), "1 of 2 entries in a.har was judged");
        (about.files[0].entries, about.judged) = (1, 0);
        assert_eq!(traffic(&about), "0 of 1 entry in a.har were judged");
        (about.proxied, about.judged) = (1, 2);
        assert_eq!(
            traffic(&about),
            "2 of 1 exchange through the proxy and 1 entry in a.har were judged"
        );
    }

    #[test]
    fn a_report_of_counts_that_no_run_can_have_can_be_written_again() {
        let mut record = sample_record();
        let mut about = sample_traffic();
        about.files[0].entries = u64::MAX;
        about.files.push(about.files[0].clone());
        record.traffic = Some(about);
        record.findings[0].count = u64::MAX;
        record.findings[0].excerpt.lines[0].cut_before = usize::MAX;
        record.findings.push(FindingRecord {
            fact: "getThings status: 200".to_owned(),
            ..record.findings[0].clone()
        });
        for entry in &mut record.accepted {
            entry.findings = usize::MAX;
        }
        let text = Terminal::default().report(&record);
        assert!(text.contains("of 18446744073709551615 entries in 2 files"), "{text}");
        assert!(
            text.contains("18446744073709551615 findings by countersign.toml"),
            "{text}"
        );
        assert!(sarif(&record).contains("\"occurrenceCount\": 18446744073709551615"));
    }

    #[test]
    fn a_path_is_written_as_a_repository_has_it() {
        assert_eq!(repository_path("./api/openapi.yaml"), "api/openapi.yaml");
        assert_eq!(repository_path(r"api\openapi.yaml"), "api/openapi.yaml");
    }
}
