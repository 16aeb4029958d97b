//! The command line from a user's point of view: what it prints, how it ends, what bad input and a hostile target cost.
//!
//! Every test runs the built binary. [`support`] runs it, [`target`] is a service to check, [`stub`] a target that can
//! do anything to a socket.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod accept;
mod bodies;
mod bounded;
mod certificates;
mod closed;
mod completions;
mod config;
mod config_page;
mod diff;
mod error_responses;
mod errors;
mod established;
mod fixed;
mod formats;
mod found;
mod given;
mod guessed;
mod hostile;
mod identified;
mod inferred;
mod inputs;
mod interruption;
mod json_report;
mod judge;
mod later_versions;
mod leaks;
mod learn;
mod learn_again;
mod learn_ordinary;
mod lint;
mod manual;
mod max_time;
mod no_false_alarm;
mod no_target;
mod optional;
mod overlay;
mod pages;
mod pages_and_pipelines;
mod pasted;
mod plan;
mod proxy;
mod repeat;
mod report_files;
mod report_later;
mod resent;
mod residue;
mod rules;
mod samples;
mod sanitize;
mod schemes;
mod secrecy;
mod serving;
mod several_files;
mod shards;
mod side_effects;
mod since;
mod specs;
#[cfg(unix)]
mod started;
mod stub;
mod support;
mod target;
mod token_command;
mod unanswered;
mod usage;
mod wait;
mod watched;
mod what_users_see;
