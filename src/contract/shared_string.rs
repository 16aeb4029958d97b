//! Shares the strings that a contract and its reports repeat: names of members, types, locations in responses. The main
//! types are [`SharedString`] and `StringPool`.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

/// A shared string: a clone does not copy it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(from = "String")]
pub struct SharedString(Arc<str>);

impl SharedString {
    /// Returns the string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for SharedString {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Debug for SharedString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl Deref for SharedString {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SharedString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}

impl From<&str> for SharedString {
    fn from(string: &str) -> Self {
        Self(string.into())
    }
}

impl From<String> for SharedString {
    fn from(string: String) -> Self {
        Self(string.into())
    }
}

impl<S: AsRef<str>> PartialEq<S> for SharedString {
    fn eq(&self, other: &S) -> bool {
        **self == *other.as_ref()
    }
}

impl PartialEq<SharedString> for String {
    fn eq(&self, other: &SharedString) -> bool {
        *self == **other
    }
}

impl Serialize for SharedString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

/// The strings shared so far.
#[derive(Default)]
pub(crate) struct StringPool(HashSet<SharedString>);

impl StringPool {
    /// Returns the shared string that equals this one.
    pub(crate) fn share(&mut self, string: &str) -> SharedString {
        if let Some(known) = self.0.get(string) {
            return known.clone();
        }
        let new = SharedString::from(string);
        self.0.insert(new.clone());
        new
    }
}
