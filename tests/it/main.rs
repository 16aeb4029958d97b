//! The integration tests: one binary, a module for each feature.

mod cli;
mod service;
