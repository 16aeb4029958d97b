//! The end of the terminal report: the verdict, and a summary that fits on one screen. What is too long for it is
//! printed above the verdict if it is available nowhere else, and otherwise cut with a count.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::record::{Outcome, Record};
use super::terminal::{Terminal, Verbosity};
use super::wrap::hanging_indent;
use super::{accepted, groups, phrases, since};

/// The lines of a small terminal, without the one for the shell's prompt.
const SCREEN: usize = 23;
/// How many reasons for undecided facts are printed unless the verbosity is verbose.
const REASONS: usize = 5;
/// The number of findings that a reader takes in at a glance.
const AT_ONE_GLANCE: usize = 3;

impl Terminal {
    /// Returns the verdict, followed by the summary unless the verbosity is quiet. `group_count` is the number of
    /// groups in which the findings were printed.
    pub(super) fn closing(&self, record: &Record, group_count: usize) -> String {
        let verdict = self.verdict(record);
        if self.verbosity == Verbosity::Quiet {
            return verdict;
        }
        let (entries, summary) = (self.entries(record), verdict + &self.summary(record, group_count));
        let room = SCREEN.saturating_sub(summary.lines().count());
        let closing = match record.residue.len() + record.unexplained_records.len() {
            0 if record.deleted == 0 => summary,
            0 => summary + &self.residue_heading(record, ""),
            // The heading takes a line too.
            left if left < room => summary + &self.residue_heading(record, ":") + &residue(record),
            // The list must not be cut: another run would not show it, but leave more. So it precedes the verdict.
            _ => {
                let list = format!("left in the target\n{}\n", residue(record));
                list + &summary + &self.residue_heading(record, "; each is named above")
            }
        };
        entries + &closing
    }

    /// Returns the line of the verdict: the target, the outcome and the reason for it.
    fn verdict(&self, record: &Record) -> String {
        let words = phrases::outcome(record.outcome);
        let colour = match record.outcome {
            Outcome::Conforms => "32",
            Outcome::DoesNotConform => "31",
            Outcome::CouldNotJudge | Outcome::Interrupted | Outcome::WriteLogFailed => "33",
        };
        let words = self.styling.emphasized(words, colour);
        format!(
            "{} {words}{}\n",
            phrases::target_url(record),
            phrases::outcome_details(record)
        )
    }

    /// Returns the rows of the summary, one for each thing that a reader may need to know about the run.
    fn summary(&self, record: &Record, group_count: usize) -> String {
        let facts = &record.facts;
        let contract = format!("{}, {}", record.contract.file, record.contract.title);
        let counted = format!(
            "{}: {} held, {} broken, {} undecided",
            facts.total, facts.held, facts.broken, facts.undecided
        );
        let cause = phrases::suspected_cause(record).map_or_else(String::new, |cause| self.row("cause", cause));
        let mut text = cause + &self.row("contract", &contract) + &self.row("facts", &counted);
        self.undecided(record, &mut text);
        self.gaps(record, &mut text);
        if let Some(omitted) = phrases::omitted_after_left_out(record) {
            text.push_str(&self.row("left out", &omitted));
        }
        if let Some(sum) = groups::explain_count(record, group_count) {
            text.push_str(&self.row("findings", &sum));
        }
        if let Some(new) = since::new_facts(record) {
            text.push_str(&self.row("since", &new));
        }
        if let Some(shards) = &record.shards {
            text.push_str(&self.row("shards", &phrases::shards(shards)));
        }
        if let Some(traffic) = &record.traffic {
            text.push_str(&self.row("traffic", &phrases::traffic(traffic)));
        }
        if !record.is_traffic_only() {
            text.push_str(&self.row("requests", &requests(record)));
        }
        let requests = &record.requests;
        if requests.rounds > 1 {
            let per_second = rate(requests.sent, record.duration_ms);
            let rounds = format!("{}, {per_second:.0} requests a second", requests.rounds);
            text.push_str(&self.row("rounds", &rounds));
        }
        let few = record.findings.len() <= AT_ONE_GLANCE;
        if let Some(rejected) = phrases::rejected_values(record).filter(|_| few) {
            text.push_str(&self.row("rejected", &rejected));
        }
        if let Some((head, entries)) = accepted::describe_accepted(&record.accepted) {
            let needing_action = match entries.len() {
                0 => String::new(),
                1 => "; 1 entry needs action, see above".to_owned(),
                entries => format!("; {entries} entries need action, see above"),
            };
            text.push_str(&self.row("accepted", &format!("{head}{needing_action}")));
        }
        text
    }

    /// Returns the accepted deviations that need action. They are above the verdict, however many there are.
    fn entries(&self, record: &Record) -> String {
        let entries = accepted::describe_accepted(&record.accepted).map_or_else(Vec::new, |(_, entries)| entries);
        if entries.is_empty() {
            return String::new();
        }
        let lines = entries
            .iter()
            .map(|(place, words)| self.line(&format!("    {place}: "), words));
        format!("configuration\n{}\n", lines.collect::<String>())
    }

    /// Appends the reasons why facts are undecided, the most frequent first.
    fn undecided(&self, record: &Record, text: &mut String) {
        let reasons = phrases::undecided_facts(record);
        let verbose = self.verbosity == Verbosity::Verbose;
        // A single further reason takes no more room than a line that counts it.
        let shown = if verbose || reasons.len() == REASONS + 1 {
            reasons.len()
        } else {
            REASONS
        };
        for (reason, facts) in reasons.iter().take(shown) {
            text.push_str(&self.line(&format!("    undecided {:>4}: ", facts.len()), reason));
            for fact in facts.iter().filter(|_| verbose) {
                // Writing into a String does not fail.
                let _ = writeln!(text, "                   {}", fact.fact);
            }
        }
        let more = reasons.iter().skip(shown);
        let (count, facts) = more.fold((0, 0), |(count, sum), (_, facts)| (count + 1, sum + facts.len()));
        if count > 0 {
            let more = phrases::counted(count, "more reason");
            let more = format!("for {more}; verbose output lists all");
            text.push_str(&self.line(&format!("    undecided {facts:>4}: "), &more));
        }
    }

    /// Appends how many gaps the exchanges answered, and if verbose, each answer.
    fn gaps(&self, record: &Record, text: &mut String) {
        let Some(answered) = phrases::answered_gaps(record) else {
            return;
        };
        text.push_str(&self.row("gaps", &answered));
        let verbose = self.verbosity == Verbosity::Verbose;
        for answer in record.answers.iter().filter(|_| verbose) {
            let words = phrases::answer_with_location(answer);
            text.push_str(&self.line(&format!("    {}: ", answer.gap), &words));
        }
    }

    /// Returns the row that says how many records may be left in the target, ending in `end`. If any may, the row
    /// includes the run tag, by which they can be found.
    pub(super) fn residue_heading(&self, record: &Record, end: &str) -> String {
        let is_any_left = record.residue.len() + record.unexplained_records.len() > 0;
        let tag = match record.run_tags.as_slice() {
            tags @ [_, ..] if is_any_left => format!("; run tag {}", tags.join(", ")),
            _ => String::new(),
        };
        let (left, search) = (phrases::records_left(record), phrases::residue_search(record));
        self.row("residue", &format!("{left}; {search}{tag}{end}"))
    }

    /// Returns a row of the summary: its name, and its text beside it.
    pub(super) fn row(&self, name: &str, text: &str) -> String {
        self.line(&format!("  {name:<10}"), text)
    }

    /// Returns a line, broken if the terminal is too narrow for it.
    pub(super) fn line(&self, head: &str, text: &str) -> String {
        match self.width {
            Some(width) => hanging_indent(head, text, width) + "\n",
            None => format!("{head}{text}\n"),
        }
    }
}

/// Describes what was sent, in one line.
pub(super) fn requests(record: &Record) -> String {
    let requests = &record.requests;
    let seconds = std::time::Duration::from_millis(record.duration_ms).as_secs_f64();
    format!(
        "{} in {seconds:.2} s, {} of them writes, {} with 429 or 503, {} without a complete response; seed {}",
        requests.sent, requests.writes, requests.throttled, requests.unfinished, record.seed
    )
}

/// Returns the requests per second.
#[expect(clippy::cast_precision_loss, reason = "no run sends 2^52 requests")]
fn rate(requests: u64, milliseconds: u64) -> f64 {
    requests as f64 * 1000.0 / milliseconds.max(1) as f64
}

/// Returns a line for each record of the residue; equal lines become one, with their number.
pub(super) fn residue(record: &Record) -> String {
    let mut lines: Vec<(String, usize)> = Vec::new();
    let mut places = HashMap::new();
    for (operation, left) in phrases::all_residue(record) {
        let line = format!("    {operation:<20} {left}");
        let place = *places.entry(line.clone()).or_insert(lines.len());
        match lines.get_mut(place) {
            Some((_, times)) => *times += 1,
            None => lines.push((line, 1)),
        }
    }
    let lines = lines.into_iter().map(|(line, times)| match times {
        1 => line + "\n",
        _ => format!("{line}, {times} times\n"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{sample_record, sample_traffic, with_distinct_causes};
    use crate::report::{FactRow, ResidueRecord, Styling, markdown};
    use crate::run::RequestCounts;

    fn terminal(width: Option<usize>) -> Terminal {
        Terminal {
            styling: Styling::Plain,
            verbosity: Verbosity::Normal,
            width,
        }
    }

    /// The record of a run that wrote a lot, against a long contract of which little was decided and much is broken.
    fn crowded() -> Record {
        let mut record = sample_record();
        let row = record.facts.rows[2].clone();
        record.facts.rows = (0..900)
            .map(|number: usize| FactRow {
                fact: format!("getThings /number-{number}: string").into(),
                reason: Some(
                    format!(
                        "the reason of class {} is long enough for two lines of a terminal that is narrow",
                        number.isqrt()
                    )
                    .into(),
                ),
                ..row.clone()
            })
            .collect();
        record.findings = with_distinct_causes(&record.findings[0], 500);
        let left = record.residue[0].clone();
        record.residue = (0..40)
            .map(|number| ResidueRecord {
                id: Some(format!("t-{number}-of-forty")),
                ..left.clone()
            })
            .collect();
        record.requests.rounds = 3;
        record
    }

    /// The lines from the verdict on.
    fn closing(text: &str) -> Vec<&str> {
        let lines: Vec<_> = text.lines().collect();
        let verdict = lines.iter().rposition(|line| line.starts_with("https://")).unwrap();
        lines[verdict..].to_vec()
    }

    #[test]
    fn what_a_crowded_run_closes_with_fits_one_screen() {
        let record = crowded();
        for width in [Some(80), Some(120), None] {
            let text = terminal(width).report(&record);
            let closing = closing(&text);
            assert!(closing.len() <= SCREEN, "{closing:#?}");
            if width == Some(80) {
                assert!(closing.iter().all(|line| line.chars().count() <= 80), "{closing:#?}");
            }
        }
        let text = terminal(Some(80)).report(&record);
        crate::testing::with_snapshots(|| insta::assert_snapshot!("terminal_closing", closing(&text).join("\n")));
    }

    #[test]
    fn all_that_a_run_left_is_reported_though_the_closing_has_no_room_for_it() {
        let record = crowded();
        let text = terminal(Some(80)).report(&record);
        for left in &record.residue {
            assert_eq!(text.matches(left.id.as_deref().unwrap()).count(), 1, "{text}");
        }
        let summary = text.trim_end().split("residue ").last().unwrap();
        let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
        let head = "41 records left in the target; ";
        assert!(
            summary.starts_with(head) && summary.ends_with("; run tag kqwzdnpv; each is named above"),
            "{summary}"
        );
    }

    #[test]
    fn little_residue_stands_in_the_summary() {
        let text = terminal(Some(80)).report(&sample_record());
        assert!(closing(&text).contains(&"    createThing          t-17"), "{text}");
    }

    #[test]
    fn traffic_that_was_added_to_a_run_hides_neither_its_requests_nor_its_seed() {
        let mut record = sample_record();
        record.traffic = Some(sample_traffic());
        for text in [terminal(None).report(&record), markdown(&record)] {
            assert!(text.contains("1 of 2 entries in a.har was judged"), "{text}");
            assert!(text.contains("of them writes") && text.contains("seed 7"), "{text}");
        }
        record.requests = RequestCounts::default();
        for text in [terminal(None).report(&record), markdown(&record)] {
            assert!(!text.contains("of them writes") && !text.contains("seed"), "{text}");
        }
    }

    #[test]
    fn the_run_tag_is_shown_only_where_something_is_left() {
        let mut record = sample_record();
        assert!(
            terminal(None)
                .report(&record)
                .contains("completely; run tag kqwzdnpv:\n")
        );
        (record.residue, record.unexplained_records) = (Vec::new(), Vec::new());
        assert!(!terminal(None).report(&record).contains("run tag"));
    }

    #[test]
    fn residue_that_nothing_distinguishes_stands_in_one_line() {
        let mut record = sample_record();
        let unnamed = record.residue[1].clone();
        record.residue.extend([unnamed.clone(), unnamed]);
        let text = terminal(None).report(&record);
        let line = "    createThing          the response showed no id, 3 times\n";
        assert!(text.contains(line), "{text}");
        assert_eq!(text.matches("showed no id").count(), 1, "{text}");
    }

    #[test]
    fn findings_beyond_those_in_full_are_a_line_each_and_then_a_count() {
        let record = crowded();
        let text = terminal(None).report(&record);
        assert_eq!(text.matches("reproduce: ").count(), 0);
        let heads = text
            .lines()
            .filter(|line| line.starts_with("error[wrong-type]: getThings"));
        assert_eq!(heads.count(), 50);
        assert!(
            text.contains("and 450 more findings; verbose output lists all"),
            "{text}"
        );
        let verbose = Terminal {
            verbosity: Verbosity::Verbose,
            ..terminal(None)
        };
        let text = verbose.report(&record);
        assert_eq!(text.matches("reproduce: ").count(), 500);
        assert!(!text.contains("more findings"));
    }

    #[test]
    fn a_verbose_report_cuts_no_reason_and_a_narrow_terminal_no_word() {
        let record = crowded();
        let verbose = Terminal {
            verbosity: Verbosity::Verbose,
            ..terminal(None)
        };
        assert_eq!(verbose.report(&record).matches("    undecided ").count(), 30);
        let narrow = terminal(Some(40)).report(&record);
        let lines = closing(&narrow);
        assert!(lines[1..].iter().all(|line| line.chars().count() <= 40), "{lines:#?}");
        assert!(lines.join(" ").contains("requests"));
    }

    #[test]
    fn the_number_of_findings_is_explained_where_it_is_not_that_of_the_broken_facts() {
        let mut record = sample_record();
        let heading = |record: &Record| terminal(None).report(record).contains("  findings  ");
        assert!(heading(&record));
        record.findings.truncate(record.facts.broken);
        assert!(!heading(&record));
    }

    #[test]
    fn forty_findings_fit_one_screen_whether_of_forty_causes_or_of_four() {
        let mut record = sample_record();
        record.findings = with_distinct_causes(&record.findings[0], 40);
        let of_forty = terminal(None).report(&record);
        let heads = of_forty
            .lines()
            .filter(|line| line.starts_with("error[wrong-type]: getThings"));
        assert_eq!(heads.count(), 40);
        for (number, finding) in record.findings.iter_mut().enumerate() {
            finding.operation = format!("getThings{}", number % 4);
        }
        let of_four = terminal(None).report(&record);
        assert_eq!(of_four.matches("10 fields have the wrong type").count(), 4);
        for text in [of_forty, of_four] {
            assert!(text.lines().count() <= 60, "{text}");
        }
    }
}
