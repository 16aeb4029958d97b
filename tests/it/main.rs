//! The integration tests, in one binary: a module for each part of the program, with real sockets and real files where
//! the claim is about them.

mod cli;
mod client;
mod corpus;
mod diff;
mod examples;
mod library;
mod mirror;
mod page;
mod proof;
mod responses;
mod service;
mod support;
mod surface;
mod traffic;
