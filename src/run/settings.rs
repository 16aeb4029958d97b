//! How a run goes about its plan. The main type is [`Settings`].

use std::time::Duration;

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
    /// What names everything that the run creates.
    pub mark: Mark,
    /// The levels of the rules.
    pub levels: Levels,
    /// How values of the target are told.
    pub values: Values,
}
