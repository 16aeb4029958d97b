//! Shows on standard error how far a run is, and each exchange where the user asked for them. The main type is
//! [`Progress`].

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::edge;
use crate::exchange::redact::{Redaction, Values};
use crate::report::{Terminal, Verbosity};
use crate::run::Event;

/// Tells events of a run as they come.
pub(super) struct Progress {
    bar: ProgressBar,
    terminal: Terminal,
    values: Values,
    redaction: Redaction,
    findings: u64,
    waited: bool,
}

impl Progress {
    /// Shows a bar where somebody watches, nothing else unless asked for.
    pub(super) fn new(terminal: Terminal, watched: bool, (values, redaction): (Values, Redaction)) -> Self {
        let shown = watched && terminal.verbosity > Verbosity::Quiet;
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} requests, {per_sec}, {msg}") {
            bar.set_style(style);
        }
        bar.set_message("no findings");
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            terminal,
            values,
            redaction,
            findings: 0,
            waited: false,
        }
    }

    /// Tells one event.
    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Expected(more) => self.bar.inc_length(more),
            Event::Exchanged(exchange) => {
                self.bar.inc(1);
                if self.terminal.verbosity == Verbosity::Verbose {
                    let line = self.redaction.hide(&self.terminal.exchange(exchange, self.values));
                    self.bar.suspend(|| edge::tell(&line));
                }
            }
            Event::Begun => self.bar.set_message("no findings"),
            Event::Waiting(reason) => self.waiting(reason),
            Event::Found(_) => {
                self.findings += 1;
                self.bar.set_message(format!("findings: {}", self.findings));
            }
        }
    }

    /// Says once what is waited for, and shows the latest reason where somebody watches.
    fn waiting(&mut self, reason: &str) {
        let line = self.redaction.hide(&format!("waiting for the target: {reason}"));
        self.bar.set_message(line.clone());
        if self.terminal.verbosity > Verbosity::Quiet && !std::mem::replace(&mut self.waited, true) {
            self.bar.suspend(|| edge::tell(&line));
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}
