//! The rule that a report names, which may be of another version. The main type is [`RuleName`].

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize, Serializer};

use super::rule::Rule;
use crate::contract::texts::Text;

/// A rule by its name.
#[derive(Clone, Deserialize)]
#[serde(from = "Text")]
pub enum RuleName {
    /// A rule of this version.
    Known(&'static Rule),
    /// The rule of another one.
    Other(Text),
}

impl RuleName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(rule) => rule.name,
            Self::Other(name) => name,
        }
    }

    /// The rule, where it is of this version.
    #[must_use]
    pub fn rule(&self) -> Option<&'static Rule> {
        match self {
            Self::Known(rule) => Some(rule),
            Self::Other(_) => None,
        }
    }

    /// Whether it is this rule.
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

impl<T: Into<Text>> From<T> for RuleName {
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
