//! How much a finding weighs.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a finding weighs, as in rustc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Not reported.
    Allow,
    /// Reported; the run may still conform.
    Warn,
    /// Reported; the run does not conform.
    Deny,
}

impl Level {
    /// Every level, the lightest first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Warn, Self::Deny];

    /// Returns its name, as in flags and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Warn => "warn",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
