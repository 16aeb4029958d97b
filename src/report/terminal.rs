//! The terminal report: findings below the line of the contract that they break, and a summary to read in five seconds.
//! The main type is [`Terminal`].

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level as SnippetLevel, Renderer, Snippet};

use super::excerpt::{Excerpt, Mark};
use super::groups::{Group, MAX_LISTED, groups};
use super::phrases;
use super::record::Record;
use crate::exchange::Exchange;
use crate::exchange::redact::ValueDisplay;
use crate::exchange::sanitize::{Colours, sanitize};
use crate::rules::Level;

/// Whether the report has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Styling {
    /// Plain lines.
    #[default]
    Plain,
    /// Lines with ANSI escapes for colours.
    Coloured,
}

impl Styling {
    /// Returns the word, in bold and in a colour if there are colours; `colour` is an SGR parameter.
    pub(super) fn emphasized(self, word: &str, colour: &str) -> String {
        match self {
            Self::Plain => word.to_owned(),
            Self::Coloured => format!("\u{1b}[1;{colour}m{word}\u{1b}[0m"),
        }
    }
}

/// How much is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Only the verdict.
    Quiet,
    /// Findings and summary.
    #[default]
    Normal,
    /// Each exchange and each undecided fact too.
    Verbose,
}

/// The maximum number of lines that groups of findings take if some are printed in full; a group is the findings of one cause.
/// Together with the summary, that fits on a tall screen.
const LINES: usize = 45;
/// How many groups are printed.
const MAX_GROUPS: usize = 50;

/// Writes records for people.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Whether there is colour.
    pub styling: Styling,
    /// How much is printed.
    pub verbosity: Verbosity,
    /// The width of the terminal in characters; none if the output is not a terminal.
    pub width: Option<usize>,
}

impl Terminal {
    /// Returns the whole report.
    #[must_use]
    pub fn report(&self, record: &Record) -> String {
        let mut text = String::new();
        if record.learns {
            text.push_str(&self.learn_report(record));
            return self.sanitize(&text);
        }
        let groups = match self.verbosity {
            Verbosity::Quiet => Vec::new(),
            _ => groups(record),
        };
        self.findings(record, &groups, &mut text);
        text.push_str(&self.closing(record, groups.len()));
        self.sanitize(&text)
    }

    /// Appends the groups of findings: as many as fit in full, leaving one line for each of the rest. Groups after
    /// [`MAX_GROUPS`] are only counted.
    fn findings(&self, record: &Record, groups: &[Group<'_>], text: &mut String) {
        let all = self.verbosity == Verbosity::Verbose;
        let printed = if all {
            groups.len()
        } else {
            MAX_GROUPS.min(groups.len())
        };
        let mut blocks = groups
            .iter()
            .take(printed)
            .map(|group| self.group(group, groups, record));
        let (mut full, mut lines) = (0, 0);
        for block in blocks.by_ref() {
            lines += block.lines().count() + 1;
            if !all && lines + (printed - full - 1) > LINES {
                break;
            }
            full += 1;
            text.push_str(&block);
            text.push_str("\n\n");
        }
        for group in groups.iter().take(printed).skip(full) {
            let finding = group.first;
            text.push_str(&self.found((finding.level, &finding.rule, &group.headline())));
            text.push('\n');
        }
        let more: usize = groups.iter().skip(printed).map(Group::len).sum();
        // Writing into a String does not fail.
        let _ = match (more, printed > full) {
            (0, false) => Ok(()),
            (0, true) => writeln!(text, "verbose output shows each in full\n"),
            _ => {
                let more = phrases::counted(more, "more finding");
                writeln!(text, "and {more}; verbose output lists all\n")
            }
        };
    }

    /// Returns one line for an exchange.
    #[must_use]
    pub fn exchange(&self, exchange: &Exchange, values: ValueDisplay) -> String {
        let request = &exchange.request;
        let outcome = match &exchange.outcome {
            Ok(response) => {
                let milliseconds = response.elapsed.as_secs_f64() * 1000.0;
                format!("{} {milliseconds:.1} ms {} bytes", response.status, response.body.len())
            }
            Err(failure) => failure.to_string(),
        };
        self.sanitize(&format!(
            "{:>4} {} {} -> {outcome}",
            exchange.number,
            request.method,
            request.printable_path(values)
        ))
    }

    /// Returns a group in full: what is wrong, where in the contract, what to do about it.
    fn group(&self, group: &Group<'_>, groups: &[Group<'_>], record: &Record) -> String {
        let finding = group.first;
        let title = if finding.level == Level::Deny {
            SnippetLevel::ERROR
        } else {
            SnippetLevel::WARNING
        };
        let label = phrases::documented_or_learned(finding);
        let (source, first) = source(&finding.excerpt);
        let primary = AnnotationKind::Primary.span(span(&source, first, finding.excerpt.primary));
        let mut snippet = Snippet::source(source.as_str())
            .line_start(first)
            .path(finding.file(&record.contract));
        if let Some(schema_name) = finding.excerpt.schema_name {
            snippet = snippet.annotation(AnnotationKind::Context.span(span(&source, first, schema_name)));
        }
        let snippet = snippet.annotation(primary.label(label.as_str()));
        let headline = group.headline();
        let notes = self.notes(group, groups);
        let mut block = title
            .primary_title(headline.as_str())
            .id(finding.rule.as_str())
            .element(snippet);
        for note in &notes {
            block = block.element(SnippetLevel::NOTE.no_name().message(note.as_str()));
        }
        let renderer = match self.styling {
            Styling::Plain => Renderer::plain(),
            Styling::Coloured => Renderer::styled(),
        };
        let renderer = renderer
            .decor_style(DecorStyle::Ascii)
            .term_width(self.width.unwrap_or(140));
        self.sanitize(&renderer.render(&[block]))
    }

    /// Returns the notes below the lines of the contract.
    fn notes(&self, group: &Group<'_>, groups: &[Group<'_>]) -> Vec<String> {
        let finding = group.first;
        let mut notes = vec![
            format!("fact: {}", finding.fact),
            format!("received: {}", phrases::received_with_location(finding)),
        ];
        // The column that is printed with the excerpt is that in what is left of the line.
        notes.extend(finding.excerpt.is_cut().then(|| {
            let column = finding.excerpt.column(finding.excerpt.primary.start);
            format!(
                "location: line {}, column {column} ({})",
                finding.contract_line, finding.contract_pointer
            )
        }));
        notes.extend(finding.recorded_in.as_ref().map(phrases::recorded_in));
        let listed = if self.verbosity == Verbosity::Verbose {
            group.len()
        } else {
            MAX_LISTED
        };
        notes.extend(group.others(listed));
        notes.extend(finding.rule.rule().map(|rule| format!("fix: {}", rule.fix)));
        let above = group.reproduced_by.and_then(|number| groups.get(number));
        notes.push(match above {
            Some(above) => {
                let level = phrases::level_word(above.first.level);
                format!(
                    "reproduce: as for {level}[{}] above: {}",
                    above.first.rule,
                    above.headline()
                )
            }
            None => format!("reproduce: {}", finding.reproduce),
        });
        notes
    }

    /// Removes every terminal command from the text, except colours if the report has them.
    pub(super) fn sanitize(&self, text: &str) -> String {
        let colours = match self.styling {
            Styling::Plain => Colours::None,
            Styling::Coloured => Colours::Kept,
        };
        sanitize(text, colours)
    }
}

/// Returns an excerpt as one text, with empty lines for those left out, and the number of its first line.
fn source(excerpt: &Excerpt) -> (String, usize) {
    let first = excerpt.lines.first().map_or(1, |line| line.number);
    let mut text = String::new();
    let mut next = first;
    for line in &excerpt.lines {
        while next < line.number {
            text.push('\n');
            next += 1;
        }
        text.push_str(&line.text);
        text.push('\n');
        next = line.number.saturating_add(1);
    }
    (text, usize::try_from(first).unwrap_or(1))
}

/// Returns the byte range of a mark in the text of its excerpt.
fn span(text: &str, first: usize, mark: Mark) -> Range<usize> {
    let line = usize::try_from(mark.line).unwrap_or(0).saturating_sub(first);
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let rest = text.get(before..).unwrap_or_default();
    let bytes = |characters: usize| -> usize { rest.chars().take(characters).map(char::len_utf8).sum() };
    (before + bytes(mark.start)).min(text.len())..(before + bytes(mark.end)).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Outcome;
    use crate::report::testing::{SampleRun, sample_record};

    fn terminal(styling: Styling, verbosity: Verbosity) -> Terminal {
        Terminal {
            styling,
            verbosity,
            width: Some(100),
        }
    }

    fn shown(name: &str, terminal: Terminal) {
        let record = sample_record();
        let text = terminal.report(&record).replace('\u{1b}', "␛");
        crate::testing::with_snapshots(|| insta::assert_snapshot!(name, text));
    }

    #[test]
    fn the_plain_report() {
        shown("terminal_plain", terminal(Styling::Plain, Verbosity::Normal));
    }

    #[test]
    fn the_coloured_report() {
        shown("terminal_coloured", terminal(Styling::Coloured, Verbosity::Normal));
    }

    #[test]
    fn the_verbose_report_names_undecided_facts() {
        shown("terminal_verbose", terminal(Styling::Plain, Verbosity::Verbose));
    }

    #[test]
    fn colour_adds_escapes_and_no_words() {
        let record = sample_record();
        let plain = terminal(Styling::Plain, Verbosity::Normal).report(&record);
        let coloured = terminal(Styling::Coloured, Verbosity::Normal).report(&record);
        assert!(!plain.contains('\u{1b}'));
        assert!(coloured.contains('\u{1b}'));
        let words = coloured.split('\u{1b}').enumerate().map(|(index, part)| match index {
            0 => part,
            _ => part.split_once('m').unwrap().1,
        });
        assert_eq!(words.collect::<String>(), plain);
    }

    #[test]
    fn a_quiet_report_is_the_verdict_alone() {
        let record = sample_record();
        let text = terminal(Styling::Plain, Verbosity::Quiet).report(&record);
        assert_eq!(text, "https://api.example.com does not conform: 1 error, 1 warning\n");
    }

    #[test]
    fn each_outcome_has_its_words() {
        let mut record = sample_record();
        record.findings.clear();
        for (outcome, reason, words) in [
            (Outcome::Conforms, None, "conforms"),
            (
                Outcome::CouldNotJudge,
                Some("no fact was decided"),
                "could not be judged: no fact was decided",
            ),
            (
                Outcome::Interrupted,
                Some("the run was interrupted"),
                "was not fully checked: the run was interrupted",
            ),
        ] {
            (record.outcome, record.reason) = (outcome, reason.map(str::to_owned));
            let text = terminal(Styling::Plain, Verbosity::Quiet).report(&record);
            assert_eq!(text, format!("https://api.example.com {words}\n"));
        }
    }

    #[test]
    fn residue_is_reported_only_where_there_is_some() {
        let mut record = sample_record();
        record.residue.clear();
        record.unexplained_records.clear();
        let text = terminal(Styling::Plain, Verbosity::Normal).report(&record);
        assert!(!text.contains("residue"), "{text}");
    }

    #[test]
    fn the_column_in_a_line_that_is_cut_is_that_of_the_whole_line() {
        let mut record = sample_record();
        assert!(!Terminal::default().report(&record).contains("location: line"));
        let excerpt = &mut record.findings[0].excerpt;
        let line = excerpt
            .lines
            .iter_mut()
            .find(|line| line.number == excerpt.primary.line);
        line.unwrap().cut_before = 1_000;
        let column = 1_001 + excerpt.primary.start;
        let text = Terminal::default().report(&record);
        assert!(text.contains(&format!(", column {column} (/")), "{text}");
    }

    #[test]
    fn an_exchange_is_one_line() {
        let exchange = SampleRun::bodies(&["{}"]).first_exchange();
        let line = Terminal::default().exchange(&exchange, ValueDisplay::Hidden);
        assert_eq!(line, "   1 GET /things -> 200 1.5 ms 2 bytes");
    }

    #[test]
    fn no_text_of_a_contract_or_of_a_target_commands_a_terminal_or_a_ci_system() {
        const EVIL: &str = "\n::error::a\r\u{1b}[2J\u{9b}2J\u{202e}\u{2066}\u{200f}##vso[a]##[b]\u{7}\u{1b}[31m";
        let mut record = sample_record();
        record.reason = Some(EVIL.to_owned());
        (record.contract.title, record.contract.file) = (EVIL.to_owned(), EVIL.to_owned());
        for finding in &mut record.findings {
            for line in &mut finding.excerpt.lines {
                line.text = "a: '##vso[a] \u{9b}2J \u{202e} \u{85}' ##[b]".to_owned();
            }
            (finding.rule, finding.error_body) = (EVIL.into(), Some(EVIL.to_owned()));
            for text in [
                &mut finding.operation,
                &mut finding.fact,
                &mut finding.response_pointer,
                &mut finding.documented,
                &mut finding.received,
                &mut finding.reproduce,
            ] {
                *text = EVIL.to_owned();
            }
        }
        for row in &mut record.facts.rows {
            (row.fact, row.reason) = (EVIL.into(), row.reason.as_ref().map(|_| EVIL.into()));
        }
        for entry in &mut record.accepted {
            entry.entry_scope = crate::rules::LevelScope::of(EVIL, Some(EVIL), Some(EVIL));
            (entry.location, entry.reason) = (EVIL.to_owned(), EVIL.to_owned());
        }
        for left in &mut record.residue {
            (left.operation, left.id) = (EVIL.to_owned(), Some(EVIL.to_owned()));
        }
        for exchange in &mut record.exchanges {
            (exchange.path, exchange.body) = (EVIL.to_owned(), Some(EVIL.to_owned()));
            (exchange.operation, exchange.method) = (EVIL.to_owned(), EVIL.to_owned());
            exchange.failure = Some(EVIL.to_owned());
            if let Some(response) = &mut exchange.response {
                (response.media_type, response.body) = (Some(EVIL.to_owned()), Some(EVIL.to_owned()));
            }
        }
        (record.target, record.started_at) = (EVIL.to_owned(), EVIL.to_owned());
        let texts = [Styling::Plain, Styling::Coloured]
            .map(|styling| (styling, terminal(styling, Verbosity::Verbose).report(&record)));
        let others = [
            crate::report::har(&record),
            crate::report::json(&record),
            crate::report::junit(&record),
            crate::report::markdown(&record),
            crate::report::sarif(&record),
            // Its own commands are the only ones.
            crate::report::github(&record)
                .replace("\n::error file=", "\n")
                .replace("\n::warning file=", "\n")
                .replace("\n::notice title=countersign::", "\n")
                .trim_start_matches("::error file=")
                .to_owned(),
        ]
        .map(|text| (Styling::Plain, text));
        for (styling, text) in texts.iter().chain(&others) {
            let colour = |character| *styling == Styling::Coloured && character == '\u{1b}';
            let interpreted = |character: char| character.is_control() && character != '\n' && !colour(character);
            assert!(!text.contains(interpreted), "{text}");
            assert!(
                !text.contains("\u{1b}[2J") && !text.contains(['\u{202e}', '\u{2066}', '\u{200f}']),
                "{text}"
            );
            assert!(!text.contains("##vso[") && !text.contains("##["), "{text}");
            assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
        }
    }
}
