//! Names the rule of a finding in a report, which another version may have written. The main type is [`RuleName`].

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize, Serializer};

use super::rule::Rule;
use crate::contract::shared_string::SharedString;

/// A rule by its name.
#[derive(Clone, Deserialize)]
#[serde(from = "SharedString")]
pub enum RuleName {
    /// A rule that this version has.
    Known(&'static Rule),
    /// The name of a rule from another version.
    Other(SharedString),
}

impl RuleName {
    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(rule) => rule.name,
            Self::Other(name) => name,
        }
    }

    /// Returns the rule, or `None` where this version does not have it.
    #[must_use]
    pub fn rule(&self) -> Option<&'static Rule> {
        match self {
            Self::Known(rule) => Some(rule),
            Self::Other(_) => None,
        }
    }

    /// Returns whether it is this rule.
    #[must_use]
    pub fn is(&self, rule: &Rule) -> bool {
        self.rule().is_some_and(|known| std::ptr::eq(known, rule))
    }
}

impl Deref for RuleName {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<S: AsRef<str>> PartialEq<S> for RuleName {
    fn eq(&self, other: &S) -> bool {
        self.as_str() == other.as_ref()
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}

impl fmt::Debug for RuleName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl<T: Into<SharedString>> From<T> for RuleName {
    fn from(name: T) -> Self {
        let name = name.into();
        Rule::named(&name).map_or(Self::Other(name), Self::Known)
    }
}

impl Serialize for RuleName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}
