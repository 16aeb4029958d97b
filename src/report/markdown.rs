//! The report in Markdown, for a comment on a merge request or the summary of a step: the verdict, a table of findings,
//! the rest folded. It stays below the size limit of a comment, with the most urgent findings first.
//!
//! # Design
//!
//! Every text of a contract or target is in a code span or a fenced block. There it cannot mention anyone, refer to an
//! issue, or start a link or HTML. A fence is longer than any run of backticks in it.

use super::groups::{Group, groups};
use super::record::{FindingRecord, Outcome, Record};
use super::{accepted, phrases, since};
use crate::rules::Level;

/// A report is smaller than this, in bytes: a comment holds 65,536 characters.
pub const MAX_BYTES: usize = 64 << 10;
/// The maximum length of a value in the table, in characters.
const LONGEST_CELL: usize = 200;
/// The maximum length of a line in a folded part, in characters.
const LONGEST_LINE: usize = 2000;
/// How many accepted deviations are named, and the most characters of each.
const MAX_ENTRIES: usize = 10;
const LONGEST_ENTRY: usize = 400;
/// How many reasons for undecided facts, how many records of the residue, and how many further findings of a group are
/// listed.
const MAX_LISTED: usize = 50;
/// The bytes reserved for the lines that count the omitted findings.
const CLOSING: usize = 300;
/// The bytes reserved for the line that names the parts that are left out.
const LEFT_OUT: usize = 120;

/// Returns the record as Markdown of less than [`MAX_BYTES`].
#[must_use]
pub fn markdown(record: &Record) -> String {
    markdown_within(record, MAX_BYTES - 1)
}

/// Returns the record as Markdown of at most `max_bytes` bytes, which says what it leaves out; empty if not even the
/// verdict fits.
#[must_use]
pub fn markdown_within(record: &Record, max_bytes: usize) -> String {
    let (text, left_out) = parts_within(record, max_bytes);
    if left_out.is_empty() {
        return text;
    }
    let shorter = parts_within(record, max_bytes.saturating_sub(LEFT_OUT));
    // The verdict and the count of the findings matter more than the line that says what is left out.
    let loses = |part| shorter.1.contains(&part) && !left_out.contains(&part);
    let (mut text, left_out) = match loses("the verdict") || loses("findings") {
        true => (text, left_out),
        false => shorter,
    };
    let line = format!("\nOmitted for lack of space: {}.\n", left_out.join(", "));
    if !text.is_empty() {
        push(&mut text, &line, max_bytes);
    }
    text
}

/// Returns the parts that fit within `max_bytes` bytes, and the names of the others; nothing if not even the verdict
/// fits.
fn parts_within(record: &Record, max_bytes: usize) -> (String, Vec<&'static str>) {
    let tail = [
        ("undecided facts", undecided(record)),
        ("residue", residue(record)),
        ("the number of requests", about(record)),
    ];
    let (mut text, mut left_out) = (String::new(), Vec::new());
    if !push(&mut text, &head(record), max_bytes) {
        return (text, vec!["the verdict"]);
    }
    // The table comes before its details, and both before the parts about facts without a finding.
    let half = max_bytes.saturating_sub(text.len() + CLOSING) / 2;
    let limit = text.len() + half;
    if !findings(record, &mut text, limit, max_bytes) {
        left_out.push("findings");
    }
    for (name, part) in tail {
        if !push(&mut text, &part, max_bytes) {
            left_out.push(name);
        }
    }
    (text, left_out)
}

/// Appends a part if it fits within `max_bytes` bytes, and returns whether it did.
fn push(text: &mut String, part: &str, max_bytes: usize) -> bool {
    let fits = text.len() + part.len() <= max_bytes;
    if fits {
        text.push_str(part);
    }
    fits
}

fn head(record: &Record) -> String {
    let sign = match record.outcome {
        Outcome::Conforms => "✅",
        Outcome::DoesNotConform => "❌",
        Outcome::CouldNotJudge | Outcome::Interrupted | Outcome::WriteLogFailed => "⚠️",
    };
    let because = match &record.reason {
        Some(reason) => format!(
            "{}: {}",
            phrases::in_shard(record),
            code(&phrases::clipped(reason, LONGEST_LINE))
        ),
        None => phrases::in_operations(record) + &phrases::in_shard(record) + &phrases::counts_after_outcome(record),
    };
    let facts = &record.facts;
    format!(
        "### {sign} {} {}{because}\n\n{} facts of {}: {} held, {} broken, {} undecided.\n",
        code(&phrases::clipped(&phrases::target_url(record), LONGEST_CELL)),
        phrases::outcome(record.outcome),
        facts.total,
        code(&phrases::clipped(&record.contract.file, LONGEST_CELL)),
        facts.held,
        facts.broken,
        facts.undecided
    ) + &phrases::suspected_cause(record).map_or_else(String::new, |cause| format!("\nMost likely: {cause}\n"))
        + &since::new_facts(record).map_or_else(String::new, |new| {
            format!("\nSince {}.\n", code(&phrases::clipped(&new, LONGEST_ENTRY)))
        })
        + &phrases::omitted_operations(record).map_or_else(String::new, |omitted| format!("\n{omitted}.\n"))
        + &not_checked(record)
        + &accepted_deviations(record)
}

/// Lists operations that were selected but not checked.
fn not_checked(record: &Record) -> String {
    let (named, more) = phrases::unchecked_operations(record);
    if named.is_empty() {
        return String::new();
    }
    let mut text = "\nNot checked:\n".to_owned();
    for (name, reason) in named {
        let clipped = |text| code(&phrases::clipped(text, LONGEST_ENTRY));
        text.push_str(&format!("\n- {}: {}", clipped(name), clipped(reason)));
    }
    match more {
        0 => text + "\n",
        more => text + &format!("\n- and {more} more\n"),
    }
}

/// Returns how many findings were accepted, and what to do about accepted deviations that need action.
fn accepted_deviations(record: &Record) -> String {
    let Some((head, entries)) = accepted::describe_accepted(&record.accepted) else {
        return String::new();
    };
    let mut text = format!("\nAccepted: {}.\n", code(&phrases::clipped(&head, LONGEST_ENTRY)));
    let shown = entries.iter().take(MAX_ENTRIES);
    for (place, what) in shown {
        let entry = format!("{place}: {what}");
        text.push_str(&format!("\n- {}", code(&phrases::clipped(&entry, LONGEST_ENTRY))));
    }
    match entries.len().saturating_sub(MAX_ENTRIES) {
        0 if entries.is_empty() => text,
        0 => text + "\n",
        more => text + &format!("\n- and {more} more\n"),
    }
}

/// Appends the table while the whole text has at most `table_limit` bytes, then the details while it has at most
/// `max_bytes`, less `CLOSING`. Returns whether the findings are listed or counted; `false` if there is no room even
/// for the head.
fn findings(record: &Record, text: &mut String, table_limit: usize, max_bytes: usize) -> bool {
    const HEAD: &str = "\n| level | rule | what is wrong | documented | received | line |\n|---|---|---|---|---|---|\n";
    let groups = groups(record);
    if groups.is_empty() {
        return true;
    }
    if !push(text, HEAD, table_limit) {
        return false;
    }
    let count_findings = |groups: &[Group<'_>]| groups.iter().map(Group::len).sum();
    let listed = groups
        .iter()
        .take_while(|group| push(text, &row(group), table_limit))
        .count();
    more(text, count_findings(&groups[listed..]), "not listed here");
    text.push_str("\n<details><summary>Details</summary>\n");
    let room = max_bytes.saturating_sub(CLOSING);
    let details = groups.iter().map(|group| {
        let above = group.reproduced_by.and_then(|number| groups.get(number));
        detail(record, group, above)
    });
    let detailed = details.take_while(|detail| push(text, detail, room)).count();
    more(text, count_findings(&groups[detailed..]), "not shown in detail here");
    text.push_str("\n</details>\n");
    true
}

/// Adds a line that counts the findings that are not shown.
fn more(text: &mut String, count: usize, what: &str) {
    if count > 0 {
        text.push_str(&format!("\n{} {what}.\n", phrases::more_are(count, "finding")));
    }
}

fn row(group: &Group<'_>) -> String {
    let finding = group.first;
    let level = match finding.level {
        Level::Deny => "**error**",
        level => phrases::level_word(level),
    };
    let received = match group.rest.len() {
        0 => phrases::received_with_location(finding),
        more => format!("{}; and {more} more", phrases::received_with_location(finding)),
    };
    let cells = [&*finding.rule, &group.headline(), &finding.documented, &received].map(cell);
    format!("| {level} | {} | {} |\n", cells.join(" | "), finding.contract_line)
}

/// Describes a group in full. The line to reproduce it is printed only with the first group that it reproduces.
fn detail(record: &Record, group: &Group<'_>, above: Option<&Group<'_>>) -> String {
    let finding = group.first;
    let lines = finding.excerpt.lines.iter();
    let excerpt: Vec<_> = lines
        .map(|line| format!("{:>5} | {}", line.number, phrases::clipped(&line.text, LONGEST_LINE)))
        .collect();
    let others = group.others(MAX_LISTED).into_iter();
    let mut others: String = others
        .map(|other| format!("- {}\n", code(&phrases::clipped(&other, LONGEST_LINE))))
        .collect();
    if !others.is_empty() {
        others.insert(0, '\n');
    }
    let fix = finding
        .rule
        .rule()
        .map_or_else(String::new, |rule| format!("\nFix: {}\n", rule.fix));
    format!(
        "\n**{}** {}\n\nLine {} of {}, {}:\n\n{}\n{} {}, received {}.\n{}{others}{fix}\n{}",
        phrases::level_word(finding.level),
        code(&phrases::clipped(&group.headline(), LONGEST_CELL)),
        finding.contract_line,
        code(&phrases::clipped(finding.file(&record.contract), LONGEST_CELL)),
        code(&phrases::clipped(&finding.fact, LONGEST_LINE)),
        fenced("yaml", &excerpt.join("\n")),
        if finding.is_learned() { "Learned" } else { "Documented" },
        code(&phrases::clipped(&finding.documented, LONGEST_LINE)),
        code(&phrases::clipped(
            &phrases::received_with_location(finding),
            LONGEST_LINE
        )),
        recorded(finding),
        reproduce(finding, above),
    )
}

fn recorded(finding: &FindingRecord) -> String {
    let line = finding.recorded_in.as_ref().map(phrases::recorded_in);
    line.map_or_else(String::new, |line| {
        format!("{}\n", code(&phrases::clipped(&line, LONGEST_LINE)))
    })
}

/// Returns the command that repeats the request or, if a group above has the same one, a reference to it.
fn reproduce(finding: &FindingRecord, above: Option<&Group<'_>>) -> String {
    match above {
        None => fenced("sh", &phrases::clipped(&finding.reproduce, LONGEST_LINE)),
        Some(above) => {
            let above = phrases::clipped(&above.headline(), LONGEST_CELL);
            format!("To reproduce it, use the line above for {}.\n", code(&above))
        }
    }
}

fn undecided(record: &Record) -> String {
    let reasons = phrases::undecided_facts(record);
    if reasons.is_empty() {
        return String::new();
    }
    let rows = reasons.iter().take(MAX_LISTED);
    let rows: String = rows
        .map(|(reason, facts)| format!("| {} | {} |\n", facts.len(), cell(reason)))
        .collect();
    let mut text = format!(
        "\n<details><summary>{}</summary>\n\n| facts | because |\n|---|---|\n{rows}",
        phrases::are_undecided(record.facts.undecided)
    );
    if reasons.len() > MAX_LISTED {
        let more = phrases::counted(reasons.len() - MAX_LISTED, "more reason");
        text.push_str(&format!("\nNot listed here: {more}.\n"));
    }
    text + "\n</details>\n"
}

fn residue(record: &Record) -> String {
    let count = phrases::all_residue(record).count();
    if count == 0 {
        return String::new();
    }
    let rows: String = phrases::all_residue(record)
        .take(MAX_LISTED)
        .map(|(operation, left)| format!("| {} | {} |\n", cell(operation), cell(&left)))
        .collect();
    let mut text = format!(
        "\n<details><summary>{}; {}</summary>\n\n| operation | id |\n|---|---|\n{rows}",
        phrases::records_left(record),
        phrases::residue_search(record)
    );
    if count > MAX_LISTED {
        let more = phrases::counted(count - MAX_LISTED, "more record");
        text.push_str(&format!("\nNot listed here: {more}.\n"));
    }
    text + "\n</details>\n"
}

fn about(record: &Record) -> String {
    let version = code(&phrases::clipped(&record.countersign, LONGEST_CELL));
    let traffic = record.traffic.as_ref().map(|traffic| {
        let traffic = code(&phrases::clipped(&phrases::traffic(traffic), LONGEST_LINE));
        format!("\nTraffic: {traffic}; countersign {version}.\n")
    });
    let requests = &record.requests;
    let sent = (!record.is_traffic_only()).then(|| {
        format!(
            "\n{} requests, {} of them writes, {} with 429 or 503, {} without a complete response; seed {}, \
             countersign {version}.\n",
            requests.sent, requests.writes, requests.throttled, requests.unfinished, record.seed
        )
    });
    traffic.into_iter().chain(sent).collect()
}

/// Returns a text as a cell of a table. There a pipe ends the cell even in a code span, so it is escaped.
pub(super) fn cell(text: &str) -> String {
    code(&phrases::clipped(text, LONGEST_CELL)).replace('|', "\\|")
}

/// Returns a text as a code span on one line.
pub(super) fn code(text: &str) -> String {
    if text.trim().is_empty() {
        return "—".to_owned();
    }
    let fence = "`".repeat(longest_run(text) + 1);
    // A reader strips one space from each side; without it, a backtick would join the fence.
    let space = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Returns lines as a fenced block.
fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    format!("{fence}{language}\n{text}\n{fence}\n")
}

/// The length of the longest run of backticks in a text.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{sample_record, with_distinct_causes};

    #[test]
    fn the_markdown_report() {
        let text = markdown(&sample_record());
        crate::testing::with_snapshots(|| insta::assert_snapshot!("report_markdown", text));
    }

    #[test]
    fn a_report_of_many_findings_is_cut_and_says_by_how_much() {
        const FINDINGS: usize = 3_000;
        let mut record = sample_record();
        let mut finding = record.findings[0].clone();
        finding.reproduce = "`é|".repeat(900);
        record.findings = with_distinct_causes(&finding, FINDINGS);
        let row = record.facts.rows[2].clone();
        record.facts.rows = (0..1_500)
            .map(|index| crate::report::FactRow {
                reason: Some(format!("{index} {}", "reason".repeat(100)).into()),
                ..row.clone()
            })
            .collect();
        let left = record.residue[0].clone();
        record.residue = vec![left; 3_000];
        for max_bytes in [MAX_BYTES - 1, 40_000, 5_000, 1_000, 500, 10, 0] {
            let text = markdown_within(&record, max_bytes);
            assert!(text.len() <= max_bytes, "{} > {max_bytes}", text.len());
            assert_eq!(
                text.matches("<details>").count(),
                text.matches("</details>").count(),
                "{text}"
            );
            if max_bytes >= 1_000 {
                assert!(text.contains("more findings are not listed here."), "{text}");
            }
            if (1_000..=5_000).contains(&max_bytes) {
                let left_out = text.lines().last().unwrap();
                assert!(left_out.starts_with("Omitted for lack of space: "), "{text}");
                let is_told = left_out.contains("undecided facts");
                assert!(is_told != text.contains("facts are undecided</summary>"), "{text}");
            }
        }
        let text = markdown(&record);
        let listed = text.lines().filter(|line| line.starts_with("| **error** ")).count();
        assert!(listed > 100, "{listed}");
        assert!(text.contains(&format!("{} more findings are not listed here.", FINDINGS - listed)));
        assert!(!markdown(&sample_record()).contains("Omitted for"));
    }

    #[test]
    fn a_value_stays_in_its_code_whatever_it_is() {
        for (text, expected) in [
            ("plain", "`plain`"),
            ("a`b", "``a`b``"),
            ("``", "``` `` ```"),
            ("`@team #1 <b>", "`` `@team #1 <b> ``"),
            ("", "—"),
        ] {
            assert_eq!(code(text), expected);
        }
        assert_eq!(cell("a|b\n@team"), "`a\\|b @team`");
        assert_eq!(fenced("sh", "```\na"), "````sh\n```\na\n````\n");
    }

    #[test]
    fn what_is_not_there_is_not_reported() {
        let mut record = sample_record();
        record.findings.clear();
        record.residue.clear();
        record.unexplained_records.clear();
        record.facts.rows.clear();
        record.outcome = Outcome::Conforms;
        let text = markdown(&record);
        assert!(!text.contains("details") && !text.contains("| level"), "{text}");
        assert!(
            text.starts_with("### ✅ `https://api.example.com` conforms\n"),
            "{text}"
        );
    }
}
