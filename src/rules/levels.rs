//! The levels of a run, settable per rule, operation and field. The main type is [`Levels`].
//!
//! # Design
//!
//! The level set for the smallest part of the contract wins, wherever it was set: a fact before a field, a field before
//! an operation, an operation before the rule everywhere. So a finding that was accepted with its reason stays accepted
//! when a pipeline denies the whole rule. Of two levels for equal parts the last wins, and [`Levels::set`], which flags
//! use, comes after every [`LevelEntry`] for a whole rule.

use std::collections::HashMap;

use super::level::Level;
use super::level_entry::LevelEntry;
use super::{RULES, Rule};
use crate::contract::fact::Fact;
use crate::contract::openapi::{did_you_mean, near};

/// The former names of rules, each with the name that the rule has now.
const RENAMED: [(&str, &str); 7] = [
    ("accepted-form", "accepted-format"),
    ("allow", "allow-header"),
    ("carried", "stored-values"),
    ("misplaced", "other-records"),
    ("once", "record-count"),
    ("respelled", "stored-spelling"),
    ("stored-refusal", "rejected-but-stored"),
];

/// The levels of a run: each rule's own, except where the user set another.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    set: HashMap<&'static str, Level>,
    entries: Vec<LevelEntry>,
}

/// The level of a rule's findings at one fact, and the entry that sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectiveLevel {
    /// The level.
    pub level: Level,
    /// The number of the entry that sets it; `None` for the rule's own level or one from [`Levels::set`].
    pub entry: Option<usize>,
}

/// The error for the name of a rule that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule `{name}`{hint}; the rules are {known}")]
pub struct UnknownRule {
    name: String,
    hint: String,
    known: String,
}

impl Rule {
    /// Returns the rule of this name.
    ///
    /// # Errors
    ///
    /// [`UnknownRule`], with the new name of a renamed rule, or a similar name, and the known ones.
    pub fn named(name: &str) -> Result<&'static Self, UnknownRule> {
        let known = || RULES.iter().copied();
        known().find(|rule| rule.name == name).ok_or_else(|| {
            let renamed = RENAMED.iter().find(|(former, _)| *former == name);
            UnknownRule {
                name: name.to_owned(),
                hint: renamed.map_or_else(
                    || did_you_mean(near(name, known().map(|rule| rule.name))),
                    |(_, new)| format!(" (it is called `{new}` now)"),
                ),
                known: known()
                    .map(|rule| format!("`{}`", rule.name))
                    .collect::<Vec<_>>()
                    .join(", "),
            }
        })
    }
}

impl Levels {
    /// Sets the level of the rule of that name everywhere.
    ///
    /// # Errors
    ///
    /// [`UnknownRule`], as for [`Rule::named`].
    pub fn set(&mut self, name: &str, level: Level) -> Result<(), UnknownRule> {
        let rule = Rule::named(name)?;
        self.set.insert(rule.name, level);
        Ok(())
    }

    /// Adds an entry and returns its number.
    pub fn add(&mut self, entry: LevelEntry) -> usize {
        self.entries.push(entry);
        self.entries.len() - 1
    }

    /// Returns the level of a rule where no entry sets another.
    #[must_use]
    pub fn base(&self, rule: &Rule) -> Level {
        self.set.get(rule.name).copied().unwrap_or(rule.level)
    }

    /// Returns the level of a rule at a fact.
    #[must_use]
    pub fn of(&self, rule: &Rule, fact: &Fact) -> EffectiveLevel {
        let set = self.set.contains_key(rule.name);
        let covering = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.rule.name == rule.name && entry.covers(fact) && (entry.is_scoped() || !set));
        // Of several equally specific entries, `max_by_key` takes the last.
        let most_specific = covering.max_by_key(|(_, entry)| entry.specificity());
        most_specific.map_or(
            EffectiveLevel {
                level: self.base(rule),
                entry: None,
            },
            |(number, entry)| EffectiveLevel {
                level: entry.level,
                entry: Some(number),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rules::{LevelScope, rule_of};

    fn rule() -> &'static Rule {
        Rule::named("null-value").unwrap()
    }

    /// Adds these entries (operation, field, level) and returns the level at the fact about the type of a tag's name.
    fn decided(levels: &mut Levels, entries: &[(Option<&str>, Option<&str>, Level)]) -> Level {
        let contract = crate::testing::built_in();
        for (operation, field, level) in entries {
            let scope = LevelScope::of(rule().name, *operation, *field);
            levels.add(LevelEntry::of(contract, scope, *level));
        }
        let fact = contract
            .facts
            .iter()
            .find(|fact| fact.name == "getTags /data/items/*/name: string");
        levels.of(rule(), fact.unwrap()).level
    }

    #[test]
    fn a_renamed_rule_is_an_error_that_names_the_new_one() {
        for (former, new) in RENAMED {
            assert!(Rule::named(new).is_ok(), "{new}");
            let error = Rule::named(former).unwrap_err().to_string();
            let expected = format!("there is no rule `{former}` (it is called `{new}` now); the rules are ");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn a_level_can_be_set_and_an_unknown_rule_is_reported() {
        let mut levels = Levels::default();
        levels.set("null-value", Level::Deny).unwrap();
        assert_eq!(decided(&mut levels, &[]), Level::Deny);
        let error = levels.set("null-vlaue", Level::Deny).unwrap_err().to_string();
        assert!(
            error.starts_with("there is no rule `null-vlaue` (did you mean `null-value`?); the rules are `"),
            "{error}"
        );
    }

    #[test]
    fn an_entry_holds_where_it_says_and_nowhere_else() {
        const NAME: &str = "/data/items/*/name";
        for (operation, field, level) in [
            (None, None, Level::Deny),
            (Some("getTags"), None, Level::Deny),
            (None, Some(NAME), Level::Deny),
            (Some("getTags"), Some(NAME), Level::Deny),
            (Some("getVenues"), Some(NAME), Level::Warn),
            (Some("getTags"), Some("/data/items/*/id"), Level::Warn),
        ] {
            let entry = [(operation, field, Level::Deny)];
            assert_eq!(decided(&mut Levels::default(), &entry), level, "{entry:?}");
        }
        let mut other = Levels::default();
        let scope = LevelScope::of("wrong-type", None, None);
        other.add(LevelEntry::of(crate::testing::built_in(), scope, Level::Deny));
        assert_eq!(decided(&mut other, &[]), Level::Warn);
    }

    #[test]
    fn the_closest_entry_holds_in_either_order_and_of_equals_the_last() {
        let steps = [
            (None, None),
            (Some("getTags"), None),
            (None, Some("/data/items/**")),
            (Some("getTags"), Some("/data/items/**")),
            (None, Some("/data/items/*/name")),
            (Some("getTags"), Some("/data/items/*/name")),
        ];
        for pair in steps.windows(2) {
            let [wide, close] = [
                (pair[0].0, pair[0].1, Level::Deny),
                (pair[1].0, pair[1].1, Level::Allow),
            ];
            assert_eq!(
                decided(&mut Levels::default(), &[wide, close]),
                Level::Allow,
                "{pair:?}"
            );
            assert_eq!(
                decided(&mut Levels::default(), &[close, wide]),
                Level::Allow,
                "{pair:?}"
            );
        }
        let twice = [
            (Some("getTags"), None, Level::Allow),
            (Some("getTags"), None, Level::Deny),
        ];
        assert_eq!(decided(&mut Levels::default(), &twice), Level::Deny);
    }

    #[test]
    fn an_entry_of_one_fact_goes_before_all_others_and_leaves_the_facts_beside_it_alone() {
        let contract = crate::testing::built_in();
        let mut levels = Levels::default();
        let operation = contract.operation_named("getTags");
        let auth = Rule::named("auth").unwrap();
        let beside: Vec<_> = contract
            .facts
            .iter()
            .filter(|fact| Some(fact.operation) == operation && rule_of(fact.kind).name == "auth")
            .collect();
        assert!(beside.len() > 1);
        for (fact, level) in [(Some(beside[0].name.to_string()), Level::Allow), (None, Level::Warn)] {
            let scope = LevelScope {
                fact,
                ..LevelScope::of(auth.name, Some("getTags"), Some(""))
            };
            levels.add(LevelEntry::of(contract, scope, level));
        }
        assert_eq!(levels.of(auth, beside[0]).level, Level::Allow);
        assert_eq!(levels.of(auth, beside[1]).level, Level::Warn);
    }

    #[test]
    fn a_set_level_goes_before_an_entry_of_the_whole_rule_and_behind_a_scoped_one() {
        let mut levels = Levels::default();
        levels.set("null-value", Level::Deny).unwrap();
        assert_eq!(decided(&mut levels.clone(), &[(None, None, Level::Allow)]), Level::Deny);
        let scoped = [(Some("getTags"), None, Level::Allow)];
        assert_eq!(decided(&mut levels, &scoped), Level::Allow);
    }
}
