//! The contract room.

pub mod defect;
pub mod document;
pub mod openapi;
pub mod pointer;
