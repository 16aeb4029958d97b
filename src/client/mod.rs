//! The client.
pub(crate) mod session { #[derive(Debug, Clone)] pub(crate) struct Session; }
pub mod generated;
