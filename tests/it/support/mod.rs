//! What the integration tests share.

pub(crate) mod leaks;
pub(crate) mod stub;
