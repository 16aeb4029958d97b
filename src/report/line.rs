//! A finding in one line, printed as soon as it is found, and in reports with many findings.

use super::phrases;
use super::terminal::Terminal;
use crate::exchange::sanitize::{Colours, sanitize};
use crate::rules::Level;

impl Terminal {
    /// Returns one line for a finding: level, rule, and the fact or headline; cut at the terminal's width.
    #[must_use]
    pub fn found(&self, (level, rule, what): (Level, &str, &str)) -> String {
        let word = phrases::level_word(level);
        let rest = format!("[{rule}]: {what}");
        // A contract's text is not trusted.
        let rest = sanitize(&rest, Colours::None).replace('\n', " ");
        let rest = match self.width {
            Some(width) => cut(&rest, width.saturating_sub(word.len())),
            None => rest,
        };
        self.styling.emphasized(word, colour(level)) + &rest
    }
}

/// The colour of a level, as an SGR parameter.
fn colour(level: Level) -> &'static str {
    match level {
        Level::Deny => "31",
        Level::Warn => "33",
        Level::Allow => "0",
    }
}

/// Returns the text, cut to at most `width` characters.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let shown = text.chars().take(width.saturating_sub(1));
    shown.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::SampleRun;
    use crate::report::{Styling, Verbosity};

    fn line_of(terminal: Terminal) -> String {
        let seen = SampleRun::bodies(&[r#"{"name": 1}"#]);
        let verdicts = seen.verdicts();
        let finding = &verdicts.findings()[0];
        let fact = &seen.contract.fact(finding.fact).name;
        terminal.found((finding.level, finding.rule.name, fact))
    }

    fn terminal(styling: Styling, width: Option<usize>) -> Terminal {
        Terminal {
            styling,
            verbosity: Verbosity::Normal,
            width,
        }
    }

    #[test]
    fn a_finding_is_one_line_of_level_rule_and_fact() {
        let line = line_of(terminal(Styling::Plain, None));
        assert_eq!(line, "error[wrong-type]: getThings /name: string");
        assert_eq!(line_of(terminal(Styling::Plain, Some(42))), line);
    }

    #[test]
    fn a_line_ends_where_the_terminal_does() {
        for width in [6, 20, 41] {
            let line = line_of(terminal(Styling::Plain, Some(width)));
            assert_eq!(line.chars().count(), width, "{line}");
            assert!(line.starts_with("error") && line.ends_with('…'), "{line}");
        }
    }

    #[test]
    fn colour_is_around_the_level_alone() {
        let line = line_of(terminal(Styling::Coloured, None));
        assert_eq!(line, "\u{1b}[1;31merror\u{1b}[0m[wrong-type]: getThings /name: string");
    }
}
