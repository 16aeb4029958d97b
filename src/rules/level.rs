//! How much a finding weighs, settable per rule. The main types are [`Level`] and [`Levels`].

use std::collections::HashMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RULES, Rule};
use crate::contract::openapi::near;

/// How much a finding weighs, as in rustc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Not reported.
    Allow,
    /// Reported; the run may still conform.
    Warn,
    /// Reported; the run does not conform.
    Deny,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Warn => "warn",
        })
    }
}

/// The levels of a run: each rule's own, but for those that the user set.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    set: HashMap<&'static str, Level>,
}

/// A rule that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule `{name}`{hint}; the rules are {known}")]
pub struct UnknownRule {
    name: String,
    hint: String,
    known: String,
}

impl Rule {
    /// The rule of this name.
    ///
    /// # Errors
    ///
    /// [`UnknownRule`], with a near one and the known ones.
    pub fn named(name: &str) -> Result<&'static Self, UnknownRule> {
        let known = RULES.iter().copied();
        known.clone().find(|rule| rule.name == name).ok_or_else(|| UnknownRule {
            name: name.to_owned(),
            hint: near(name, known.clone().map(|rule| rule.name))
                .map_or_else(String::new, |near| format!(", did you mean `{near}`?")),
            known: known
                .map(|rule| format!("`{}`", rule.name))
                .collect::<Vec<_>>()
                .join(", "),
        })
    }
}

impl Levels {
    /// Sets the level of the rule of that name.
    ///
    /// # Errors
    ///
    /// [`UnknownRule`], as [`Rule::named`] has it.
    pub fn set(&mut self, name: &str, level: Level) -> Result<(), UnknownRule> {
        let rule = Rule::named(name)?;
        self.set.insert(rule.name, level);
        Ok(())
    }

    /// The level of a rule in this run.
    #[must_use]
    pub fn of(&self, rule: &Rule) -> Level {
        self.set.get(rule.name).copied().unwrap_or(rule.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_can_be_set_and_an_unknown_rule_is_told() {
        let mut levels = Levels::default();
        levels.set("null-value", Level::Deny).unwrap();
        let rule = RULES.iter().find(|rule| rule.name == "null-value").unwrap();
        assert_eq!(levels.of(rule), Level::Deny);
        let error = levels.set("null-vlaue", Level::Deny).unwrap_err().to_string();
        assert!(
            error.starts_with("there is no rule `null-vlaue`, did you mean `null-value`?; the rules are `"),
            "{error}"
        );
    }
}
