//! The comparison of two contracts: what is told of each kind of edit, and that rewrites which mean the same are silent.

mod operations;
mod rewrites;
mod schemas;
mod support;
