//! What was probably meant by a name that does not exist: [`Suggestions`].

use std::fmt;

/// The known names that are nearly the one that was written, nearest first.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Suggestions(Vec<&'static str>);

/// The maximum number of names that an error suggests.
const MAX_SUGGESTIONS: usize = 3;

/// How alike two names must be, from 0 to 1: a missing letter or two swapped ones pass, another word does not.
const MIN_SIMILARITY: f64 = 0.8;

impl Suggestions {
    pub(super) fn of(name: &str, known: impl Iterator<Item = &'static str>) -> Suggestions {
        let name = name.to_lowercase();
        let alike = |known: &'static str| (strsim::jaro_winkler(&name, &known.to_lowercase()), known);
        let mut near: Vec<_> = known.map(alike).filter(|(alike, _)| *alike >= MIN_SIMILARITY).collect();
        near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        near.truncate(MAX_SUGGESTIONS);
        Suggestions(near.into_iter().map(|(_, name)| name).collect())
    }
}

impl fmt::Display for Suggestions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match quoted(&self.0).as_slice() {
            [] => Ok(()),
            [only] => write!(formatter, " (did you mean {only}?)"),
            [others @ .., last] => write!(formatter, " (did you mean {} or {last}?)", others.join(", ")),
        }
    }
}

/// Puts each name in backticks.
pub(super) fn quoted(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}
