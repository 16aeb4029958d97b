//! What one side states about each location, and where the two sides differ.
//!
//! Both the document and the contract become the same flat model, so that comparing them needs no knowledge of either.
//! Main types: [`Statements`], [`Difference`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What is said of each location. A location is named by operation, part and pointer: `getTags response 2XX
/// body/data/page`.
#[derive(Default)]
pub(super) struct Statements(BTreeMap<String, Statement>);

struct Statement {
    value: String,
    /// A heading of the document, or a pointer into the contract.
    stands: String,
}

/// One location where the contract does not mirror the document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) location: String,
    pub(super) documented: String,
    pub(super) contracted: String,
}

impl Statements {
    pub(super) fn say(&mut self, location: impl Into<String>, value: impl Into<String>, stands: impl Into<String>) {
        let (location, statement) = (
            location.into(),
            Statement {
                value: value.into(),
                stands: stands.into(),
            },
        );
        if let Some(former) = self.0.insert(location.clone(), statement) {
            panic!(
                "`{location}` is said twice, first as `{}` at `{}`",
                former.value, former.stands
            );
        }
    }

    /// Says a sentence, whose capital and full stop depend on where it stands.
    pub(super) fn note(&mut self, location: impl Into<String>, sentence: &str, stands: impl Into<String>) {
        let sentence = sentence.trim_end_matches('.');
        let (first, rest) = sentence.split_at(sentence.chars().next().map_or(0, char::len_utf8));
        self.say(location, format!("{}{rest}", first.to_lowercase()), stands);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// How many locations of its source this model speaks of.
    pub(super) fn sources(&self) -> usize {
        self.standing(|_| true).len()
    }

    /// Where the statements stand whose location is one of these.
    pub(super) fn standing(&self, is_one: impl Fn(&str) -> bool) -> BTreeSet<&str> {
        let chosen = self.0.iter().filter(|(location, _)| is_one(location));
        chosen.map(|(_, statement)| statement.stands.as_str()).collect()
    }

    /// The locations that begin with `opening`, without it.
    pub(super) fn under(&self, opening: &str) -> impl Iterator<Item = &str> {
        self.0.keys().filter_map(move |location| location.strip_prefix(opening))
    }

    pub(super) fn differences(&self, contracted: &Self) -> Vec<Difference> {
        let locations: BTreeSet<_> = self.0.keys().chain(contracted.0.keys()).collect();
        let differs = |location: &&String| self.value(location) != contracted.value(location);
        let difference = |location: &String| Difference {
            location: location.clone(),
            documented: self.describe(location, "under"),
            contracted: contracted.describe(location, "at"),
        };
        locations.into_iter().filter(differs).map(difference).collect()
    }

    fn value(&self, location: &str) -> Option<&str> {
        self.0.get(location).map(|statement| statement.value.as_str())
    }

    fn describe(&self, location: &str, word: &str) -> String {
        if let Some(Statement { value, stands }) = self.0.get(location) {
            return format!("`{value}` {word} `{stands}`");
        }
        let around = self
            .around(location)
            .map(|Statement { stands, .. }| format!(" {word} `{stands}`"));
        format!("nothing{}", around.unwrap_or_default())
    }

    /// The statement on the nearest location that encloses this one.
    fn around(&self, location: &str) -> Option<&Statement> {
        let (outer, _) = location.rsplit_once(['/', ' '])?;
        self.0.get(outer).or_else(|| self.around(outer))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            location,
            documented,
            contracted,
        } = self;
        write!(
            formatter,
            "{location}\n  document: {documented}\n  contract: {contracted}"
        )
    }
}
