//! The integration tests, in one binary: a module for each part of the program, on real sockets and real files where these
//! are the claim.

mod cli;
mod client;
mod corpus;
mod examples;
mod library;
mod mirror;
mod page;
mod proof;
mod responses;
mod service;
mod support;
mod surface;
