//! Takes the place of `embedded` in a build without the feature `service`: a check needs a target.

use super::failure::Failure;
use crate::client::Token;
use crate::exchange::Target;

/// There is no reference service.
pub(super) enum Embedded {}

impl Embedded {
    pub(super) fn with_faults(_names: &[String]) -> Result<Self, Failure> {
        Err(Failure::NotEmbedded)
    }

    #[expect(clippy::unused_async, reason = "as the service that is embedded elsewhere")]
    pub(super) async fn start(&self) -> Result<(Target, Option<Token>), Failure> {
        match *self {}
    }
}

pub(super) fn list_faults() -> Result<u8, Failure> {
    let message = "this build has no reference service (feature `service`), so it has no faults";
    Err(Failure::Usage(message.to_owned()))
}
