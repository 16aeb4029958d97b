//! How a run goes about its plan. The main type is [`Settings`].

use std::sync::Arc;
use std::time::Duration;

use super::write_log::WriteLog;
use crate::exchange::redact::Values;
use crate::plan::Mark;
use crate::rules::Levels;

/// How a run goes about its plan.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many requests are under way at once.
    pub jobs: usize,
    /// The most requests per second; none for as fast as the target answers.
    pub rate: Option<f64>,
    /// How long a created record may take until it is listed.
    pub settle: Duration,
    /// The most records that a run may leave in the target.
    pub max_writes: u64,
    /// The most pages of a list that are walked.
    pub max_pages: u64,
    /// How often the plan is carried out; `max_writes` holds over all of them together.
    pub rounds: u64,
    /// Keeps an account of writes that outlives the run; none where nobody asks for one.
    pub write_log: Option<Arc<dyn WriteLog>>,
    /// What names everything that the run creates.
    pub mark: Mark,
    /// The levels of the rules.
    pub levels: Levels,
    /// How values of the target are told.
    pub values: Values,
}
