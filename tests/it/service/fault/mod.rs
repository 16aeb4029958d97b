//! Faults of the reference service: each shows on the wire as it is named and nowhere else, and the checker sees it.

mod caught;
mod checker;
