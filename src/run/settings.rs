//! How a run carries out its plan. The main type is [`Settings`].

use std::sync::Arc;
use std::time::Duration;

use super::write_log::WriteLog;
use crate::exchange::redact::ValueDisplay;
use crate::history::RunTag;
use crate::plan::RECORDS_BY_DEFAULT;
use crate::rules::Levels;

/// How a run carries out its plan.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The maximum number of requests under way at once.
    pub jobs: usize,
    /// The maximum number of requests per second; `None` for as fast as the target answers.
    pub rate: Option<f64>,
    /// How long the target may take to show what the run did: to list a record, to show an update, to stop showing a
    /// deleted record, and to make the pages of a list add up.
    pub settle: Duration,
    /// The maximum number of records that a run may leave in the target, with those that it deletes again. A create
    /// counts unless it was clearly rejected or never reached the target (`may_have_stored`). So does each record that
    /// a create stores in addition, what a query has stored, and an edge case of an update that may have created a
    /// record under a changed identifier.
    pub max_writes: u64,
    /// After how many requests a run that learns asks no more, see [`crate::Check::max_requests_to_learn`].
    pub max_requests_to_learn: u64,
    /// The maximum number of pages that are walked in a list.
    pub max_pages: u64,
    /// How many times the plan is carried out; `max_writes` bounds all rounds together.
    pub rounds: u64,
    /// How long to wait for a target that is still starting up; `None` for a target that is already up.
    pub wait: Option<Duration>,
    /// How long the run may take, not counting the wait for the target to come up.
    pub max_time: Duration,
    /// Keeps a log of writes that outlives the run; `None` if no log is wanted.
    pub write_log: Option<Arc<dyn WriteLog>>,
    /// Whether the run returns everything that it was judged from.
    pub keep_recording: bool,
    /// The tag in the name of everything that the run creates.
    pub run_tag: RunTag,
    /// The levels of the rules.
    pub levels: Levels,
    /// How values of the target are shown.
    pub values: ValueDisplay,
}

impl Settings {
    /// The default number of requests under way at once.
    pub const DEFAULT_JOBS: usize = 4;
    /// The most requests that may be under way at once.
    pub const MAX_JOBS: usize = 256;
    /// The default of [`Self::max_pages`].
    pub const DEFAULT_MAX_PAGES: u64 = 200;
    /// The default of [`Self::max_writes`].
    pub const DEFAULT_MAX_WRITES: u64 = RECORDS_BY_DEFAULT;
    /// The default of [`Self::max_requests_to_learn`].
    pub const DEFAULT_MAX_REQUESTS_TO_LEARN: u64 = 400;
    /// The default of [`Self::rounds`].
    pub const DEFAULT_ROUNDS: u64 = 1;
    /// How long a run may take by default.
    pub const DEFAULT_MAX_TIME: Duration = Duration::from_secs(300);
    /// The longest time that a setting may have.
    pub const LONGEST_DURATION: Duration = Duration::from_secs(86_400);
    /// The default of [`Self::settle`].
    pub const DEFAULT_SETTLE: Duration = Duration::from_secs(5);

    /// Creates the default settings of a run: the constants above, as fast as the target answers, each rule at its own
    /// level, and no value shown.
    #[must_use]
    pub fn new(run_tag: RunTag) -> Self {
        Self {
            jobs: Self::DEFAULT_JOBS,
            rate: None,
            settle: Self::DEFAULT_SETTLE,
            max_writes: Self::DEFAULT_MAX_WRITES,
            max_requests_to_learn: Self::DEFAULT_MAX_REQUESTS_TO_LEARN,
            max_pages: Self::DEFAULT_MAX_PAGES,
            rounds: Self::DEFAULT_ROUNDS,
            wait: None,
            max_time: Self::DEFAULT_MAX_TIME,
            write_log: None,
            keep_recording: false,
            run_tag,
            levels: Levels::default(),
            values: ValueDisplay::Hidden,
        }
    }
}
