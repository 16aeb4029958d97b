//! Faults by their names, as a command line gives them: [`Faults`].

use std::fmt::Write as _;

use super::deviation::Fault;
use super::table::faults;
use crate::service::suggestions::Suggestions;

/// The faults that are active; none by default.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<&'static Fault>);

/// A fault that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault `{name}`{near}; `--fault list` prints them all")]
pub struct UnknownFault {
    name: String,
    near: Suggestions,
}

impl Faults {
    /// Finds faults by their names.
    ///
    /// # Errors
    ///
    /// Fails with the first name that no fault has, and the names that are close to it.
    pub fn named<Name: AsRef<str>>(names: impl IntoIterator<Item = Name>) -> Result<Self, UnknownFault> {
        names
            .into_iter()
            .map(|name| named(name.as_ref()))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Lists every fault with the rule that must see it: what `--fault list` prints.
    #[must_use]
    pub fn list() -> String {
        let width = |column: fn(&Fault) -> usize| faults().iter().map(column).max().unwrap_or_default();
        let (name, rule) = (width(|fault| fault.name.len()), width(|fault| fault.rule.len()));
        faults().iter().fold(String::new(), |mut text, fault| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:name$}  {:rule$}  {}", fault.name, fault.rule, fault.about);
            text
        })
    }

    /// Returns whether no fault is active.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'static Fault> + use<'_> {
        self.0.iter().copied()
    }
}

/// Finds a fault. A report writes `*` for any element of an array where a name has `each`, so both are accepted.
fn named(name: &str) -> Result<&'static Fault, UnknownFault> {
    let written = name.replace("/*", "/each");
    faults()
        .iter()
        .find(|fault| fault.name == written)
        .ok_or_else(|| UnknownFault {
            name: name.to_owned(),
            near: Suggestions::of(name, faults().iter().map(|fault| fault.name.as_str())),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_name_is_found() {
        let found = Faults::named(["getTags:row-skipped", "getTags/data/items/*/name:dropped"]).unwrap();
        let names: Vec<_> = found.iter().map(|fault| fault.name.as_str()).collect();
        assert_eq!(names, ["getTags:row-skipped", "getTags/data/items/each/name:dropped"]);
    }

    #[test]
    fn an_unknown_name_is_reported_with_the_near_ones() {
        let error = Faults::named(["getTags:row-skiped"]).unwrap_err().to_string();
        assert!(
            error.starts_with("there is no fault `getTags:row-skiped` (did you mean `getTags:row-skipped`, `"),
            "{error}"
        );
        assert!(error.ends_with("; `--fault list` prints them all"), "{error}");
    }

    #[test]
    fn a_name_like_none_is_reported_without_a_guess() {
        let error = Faults::named(["?"]).unwrap_err().to_string();
        assert_eq!(error, "there is no fault `?`; `--fault list` prints them all");
    }

    #[test]
    fn the_list_has_a_line_for_each_fault() {
        assert_eq!(Faults::list().lines().count(), faults().len());
    }
}
