//! The result of a check. The main type is [`Report`].

use std::fmt;

use crate::report::{Outcome, Record, Terminal};
use crate::rules::Recording;
use crate::run::Run;

/// The result of a check. Displayed, it is the report that the command prints.
#[derive(Debug)]
pub struct Report {
    pub(crate) record: Record,
    pub(crate) run: Run,
}

impl Report {
    /// Returns whether the service conforms: the run was not cut short, at least one fact was decided and as many as
    /// [`Check::require_facts`](crate::Check::require_facts) asks for, and there is no finding at the level deny.
    #[must_use]
    pub fn conforms(&self) -> bool {
        self.record.outcome == Outcome::Conforms
    }

    /// Makes a test fail unless the service conforms.
    ///
    /// # Panics
    ///
    /// Panics with the report if the service does not conform or could not be judged.
    #[track_caller]
    pub fn assert_conforms(&self) {
        assert!(self.conforms(), "the check ended as follows:\n\n{self}");
    }

    /// Returns the record that every report is written from, for example by [`json`](fn@crate::report::json).
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the run itself, with the verdict of each fact.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Returns everything that the check was judged from, if [`Check::keep_recording`](crate::Check::keep_recording)
    /// was set.
    #[must_use]
    pub fn recording(&self) -> Option<&Recording> {
        self.run.recording.as_ref()
    }

    /// Returns the record alone.
    #[must_use]
    pub fn into_record(self) -> Record {
        self.record
    }

    /// Returns the run alone.
    #[must_use]
    pub fn into_run(self) -> Run {
        self.run
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&Terminal::default().report(&self.record))
    }
}
