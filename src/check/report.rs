//! What came of a check. The main type is [`Report`].

use std::fmt;

use crate::report::{Outcome, Record, Terminal};
use crate::rules::Recording;
use crate::run::Run;

/// What came of a check. Displayed, it is the report that the command prints.
#[derive(Debug)]
pub struct Report {
    pub(crate) record: Record,
    pub(crate) run: Run,
}

impl Report {
    /// Whether the service conforms: facts were decided, and nothing was found at the level deny.
    #[must_use]
    pub fn conforms(&self) -> bool {
        self.record.outcome == Outcome::Conforms
    }

    /// Holds a test to a service that conforms.
    ///
    /// # Panics
    ///
    /// With the report, where the service does not conform or could not be judged.
    #[track_caller]
    pub fn assert_conforms(&self) {
        assert!(self.conforms(), "the check ended so:\n\n{self}");
    }

    /// The record that every report is written from, such as by [`json`](fn@crate::report::json).
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The run itself, with the verdict of each fact.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Everything that the check was judged by, where [`Check::keep_recording`](crate::Check::keep_recording) asked for it.
    #[must_use]
    pub fn recording(&self) -> Option<&Recording> {
        self.run.recording.as_ref()
    }

    /// Hands back the record alone.
    #[must_use]
    pub fn into_record(self) -> Record {
        self.record
    }

    /// Hands back the run alone.
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
