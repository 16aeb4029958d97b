//! Describes where a level applies: everywhere, in one operation, at one field, at one fact. The main types are
//! [`LevelScope`] and [`LevelEntry`].

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::level::Level;
use super::rule::Rule;
use crate::contract::fact::Fact;
use crate::contract::operation::OperationId;
use crate::contract::pointer;

/// Where an entry of `[[levels]]` in the configuration applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Scope")]
pub struct LevelScope {
    /// The rule.
    pub rule: String,
    /// The operation; every operation if it is left out.
    pub operation: Option<String>,
    /// The location in the response, as in the names of facts; every location if it is left out.
    pub field: Option<String>,
    /// The name of the fact; every fact of the rule there if it is left out.
    pub fact: Option<String>,
}

/// A level for the findings of a rule, everywhere or in a part of the contract.
#[derive(Clone, Debug)]
pub struct LevelEntry {
    /// Where it applies.
    pub scope: LevelScope,
    /// The rule that the scope names.
    pub rule: &'static Rule,
    /// The operation that the scope names.
    pub operation: Option<OperationId>,
    /// The level there.
    pub level: Level,
}

/// Returns whether a string is a field that a [`LevelScope`] can have: a JSON pointer (RFC 6901) in which `*` matches
/// any one name or index. The empty pointer is the whole response. With `/**` at its end it matches the location before
/// that and everything under it. The location of a header is `header X-Total`.
#[must_use]
pub fn is_field(text: &str) -> bool {
    let above = pointer::below_header(split(text).0);
    pointer::is_pointer(above) && pointer::tokens(above).all(|token| token != "**")
}

/// Returns whether the field covers a fact at this pointer in the response, which has `*` for the elements of an array.
#[must_use]
pub fn field_covers(field: &str, response_pointer: &str) -> bool {
    let (field, below) = split(field);
    let mut tokens = response_pointer.split('/');
    let matches = field
        .split('/')
        .all(|wanted| tokens.next().is_some_and(|token| wanted == "*" || wanted == token));
    matches && (below || tokens.next().is_none())
}

/// Returns a field without the `/**` at its end, and whether it has one.
fn split(field: &str) -> (&str, bool) {
    field.strip_suffix("/**").map_or((field, false), |above| (above, true))
}

impl LevelEntry {
    /// Returns whether it applies to one operation, one field or one fact only.
    #[must_use]
    pub fn is_scoped(&self) -> bool {
        self.scope.operation.is_some() || self.scope.field.is_some() || self.scope.fact.is_some()
    }

    /// Returns whether it applies to findings of its rule at this fact.
    #[must_use]
    pub fn covers(&self, fact: &Fact) -> bool {
        let field = self.scope.field.as_ref();
        self.operation.is_none_or(|operation| operation == fact.operation)
            && field.is_none_or(|field| field_covers(field, &fact.response_pointer))
            && self.scope.fact.as_ref().is_none_or(|name| fact.name == *name)
    }

    /// Returns how specific it is: a fact before a field, one field before a field and everything under it, and that
    /// before an operation.
    pub(super) fn specificity(&self) -> u8 {
        let field = match self.scope.field.as_deref().map(split) {
            None => 0,
            Some((_, true)) => 2,
            Some((_, false)) => 4,
        };
        8 * u8::from(self.scope.fact.is_some()) + field + u8::from(self.operation.is_some())
    }
}

impl fmt::Display for LevelScope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.rule)?;
        if let Some(fact) = &self.fact {
            return write!(formatter, " of `{fact}`");
        }
        match (&self.operation, &self.field) {
            (None, None) => formatter.write_str(" everywhere"),
            (Some(operation), None) => write!(formatter, " in {operation}"),
            (operation, Some(field)) => {
                let operation = operation.as_deref().map_or_else(String::new, |name| format!(" {name}"));
                let field = if field.is_empty() { "the whole response" } else { field };
                write!(formatter, "{operation} {field}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;

    impl LevelScope {
        /// The scope of an entry for the rule of this name.
        pub(crate) fn of(rule: &str, operation: Option<&str>, field: Option<&str>) -> Self {
            Self {
                rule: rule.to_owned(),
                operation: operation.map(str::to_owned),
                field: field.map(str::to_owned),
                fact: None,
            }
        }
    }

    impl LevelEntry {
        /// An entry with this scope, in this contract.
        pub(crate) fn of(contract: &Contract, scope: LevelScope, level: Level) -> Self {
            Self {
                rule: Rule::named(&scope.rule).unwrap(),
                operation: scope
                    .operation
                    .as_ref()
                    .map(|name| contract.operation_named(name).unwrap()),
                scope,
                level,
            }
        }
    }

    #[test]
    fn a_field_is_the_location_and_no_other() {
        let field = "/data/items/*/age";
        assert!(field_covers(field, "/data/items/*/age"));
        for other in [
            "", "/data/items/*", "/data/items/*/age/x", "/data/items/*/ages", "/data/items/age",
        ] {
            assert!(!field_covers(field, other), "{other}");
        }
    }

    #[test]
    fn a_star_is_any_one_token() {
        let field = "/data/*/name";
        assert!(field_covers(field, "/data/items/name") && field_covers(field, "/data/*/name"));
        assert!(!field_covers(field, "/data/items/*/name"));
    }

    #[test]
    fn two_stars_at_the_end_are_the_location_and_all_below() {
        let field = "/data/items/*/tags/**";
        assert!(field_covers(field, "/data/items/*/tags") && field_covers(field, "/data/items/*/tags/id"));
        assert!(!field_covers(field, "/data/items/*") && !field_covers(field, "/data/items/*/tagsx"));
        assert!(field_covers("/**", ""));
    }

    #[test]
    fn the_empty_field_is_the_whole_response() {
        let field = "";
        assert!(is_field(field));
        assert!(field_covers(field, "") && !field_covers(field, "/data"));
    }

    #[test]
    fn a_header_is_a_field() {
        let field = "header X-Total";
        assert!(is_field(field) && is_field("header X-Total/*") && is_field("header X-Total/**"));
        assert!(field_covers(field, "header X-Total") && field_covers("header X-Total/**", "header X-Total/*"));
        for other in ["", "header X-Other", "header X-Total/*", "/X-Total"] {
            assert!(!field_covers(field, other), "{other}");
        }
    }

    #[test]
    fn what_is_no_pointer_is_no_field() {
        for text in ["data/items", "age", "/**/age", "**", "header", "header ", "header /a"] {
            assert!(!is_field(text), "{text}");
        }
    }
}
