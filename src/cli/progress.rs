//! Shows on standard error the progress of a run, each finding as it appears, and each exchange if the user asked for
//! them. The main type is [`Progress`].

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::edge;
use crate::contract::Contract;
use crate::exchange::redact::{Redaction, ValueDisplay};
use crate::report::{self, Terminal, Verbosity};
use crate::rules::Level;
use crate::run::{EmittedExchange, Event};

/// Prints the events of a run as they come.
pub(super) struct Progress<'run> {
    bar: ProgressBar,
    terminal: Terminal,
    contract: &'run Contract,
    values: ValueDisplay,
    redaction: Redaction,
    /// Whether it was printed that the run waits for the target.
    has_said_waiting: bool,
    /// Whether findings are printed as they appear.
    prints_findings: bool,
    errors: usize,
    warnings: usize,
}

impl<'run> Progress<'run> {
    /// Shows a bar and findings on a terminal, and each exchange if that was requested. Without both, it prints only
    /// what the run waits for. `terminal` is how standard error is written.
    pub(super) fn new(
        terminal: Terminal,
        is_terminal: bool,
        contract: &'run Contract,
        (values, redaction): (ValueDisplay, Redaction),
    ) -> Self {
        let shown = is_terminal && terminal.verbosity > Verbosity::Quiet;
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        // A narrow terminal has no room for a bar; the numbers are more useful.
        let template = match terminal.width {
            Some(..60) => "{pos}/{len}, {pace}, {msg}",
            _ => "{bar:20} {pos}/{len} requests, {pace}, {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("pace", pace));
        }
        bar.set_message("no findings");
        if shown {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self {
            bar,
            terminal,
            contract,
            values,
            redaction,
            has_said_waiting: false,
            prints_findings: shown || terminal.verbosity == Verbosity::Verbose,
            errors: 0,
            warnings: 0,
        }
    }

    /// Prints one event.
    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Expected(more) => self.bar.inc_length(more),
            Event::Exchanged(EmittedExchange { exchange, .. }) => {
                self.bar.inc(1);
                if self.terminal.verbosity == Verbosity::Verbose {
                    self.print(&self.terminal.exchange(exchange, self.values));
                }
            }
            Event::Begun => self.bar.set_message(self.counts()),
            Event::Waiting(reason) => self.waiting(reason),
            Event::Tried(_) => {}
            Event::Found(finding, _) => {
                match finding.level {
                    Level::Allow => return,
                    Level::Deny => self.errors += 1,
                    Level::Warn => self.warnings += 1,
                }
                self.bar.set_message(self.counts());
                // Printing a line redraws the bar, with the current count.
                if self.prints_findings {
                    let fact = &self.contract.fact(finding.fact).name;
                    self.print(&self.terminal.found((finding.level, finding.rule.name, fact)));
                }
            }
        }
    }

    /// Prints once what the run waits for, and shows the latest reason on a terminal.
    fn waiting(&mut self, reason: &str) {
        let line = self.redaction.hide(&format!("waiting for the target: {reason}"));
        self.bar.set_message(line.clone());
        if self.terminal.verbosity > Verbosity::Quiet && !std::mem::replace(&mut self.has_said_waiting, true) {
            self.bar.suspend(|| edge::note(&line));
        }
    }

    /// Removes the bar.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }

    fn counts(&self) -> String {
        report::errors_and_warnings(self.errors, self.warnings)
    }

    /// Prints a line above the bar.
    fn print(&self, line: &str) {
        let line = self.redaction.hide(line);
        self.bar.suspend(|| edge::note(&line));
    }
}

fn pace(state: &ProgressState, text: &mut dyn std::fmt::Write) {
    // A pace that cannot be drawn is left out.
    let _ = write!(text, "{:.0}/s", state.per_sec());
}
