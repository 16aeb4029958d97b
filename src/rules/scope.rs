//! Where a level holds: everywhere, in one operation, at one field. The main types are [`Entry`] and [`Field`].

use super::{Level, Rule};
use crate::contract::fact::Fact;
use crate::contract::operation::OperationId;
use crate::contract::pointer;

/// A level for the findings of a rule, everywhere or in a part of the contract.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The rule.
    pub rule: &'static Rule,
    /// The operation; any where there is none.
    pub operation: Option<OperationId>,
    /// The place in the answer; any where there is none.
    pub field: Option<Field>,
    /// The fact, by its name; any of the rule's there where there is none.
    pub fact: Option<String>,
    /// The level there.
    pub level: Level,
}

/// A place in an answer as the names of facts write it: a JSON pointer (RFC 6901) in which `*` is any one name or index.
/// With `/**` at its end it is the place before that and everything below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pattern: String,
    below: bool,
}

impl Field {
    /// Reads a place; empty is the answer as a whole.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (pattern, below) = text
            .strip_suffix("/**")
            .map_or((text, false), |pattern| (pattern, true));
        let stray = pointer::tokens(pattern).any(|token| token == "**");
        (pointer::is_pointer(pattern) && !stray).then(|| Self {
            pattern: pattern.to_owned(),
            below,
        })
    }

    /// Whether a fact at this pattern lies there.
    #[must_use]
    pub fn covers(&self, pattern: &str) -> bool {
        let mut tokens = pattern.split('/');
        let matches = self
            .pattern
            .split('/')
            .all(|wanted| tokens.next().is_some_and(|token| wanted == "*" || wanted == token));
        matches && (self.below || tokens.next().is_none())
    }
}

impl Entry {
    /// Whether it is about one operation, one field or one fact only.
    #[must_use]
    pub fn is_scoped(&self) -> bool {
        self.operation.is_some() || self.field.is_some() || self.fact.is_some()
    }

    /// Whether it is about findings of its rule at this fact.
    #[must_use]
    pub fn covers(&self, fact: &Fact) -> bool {
        self.operation.is_none_or(|operation| operation == fact.operation)
            && self.field.as_ref().is_none_or(|field| field.covers(&fact.pattern))
            && self.fact.as_ref().is_none_or(|name| fact.name == *name)
    }

    /// How closely it says where it holds: a fact before a field, one field before a field and what is below it, that
    /// before an operation.
    pub(super) fn closeness(&self) -> u8 {
        let field = match &self.field {
            None => 0,
            Some(field) if field.below => 2,
            Some(_) => 4,
        };
        8 * u8::from(self.fact.is_some()) + field + u8::from(self.operation.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_the_place_and_no_other() {
        let field = Field::parse("/data/items/*/age").unwrap();
        assert!(field.covers("/data/items/*/age"));
        for other in [
            "",
            "/data/items/*",
            "/data/items/*/age/x",
            "/data/items/*/ages",
            "/data/items/age",
        ] {
            assert!(!field.covers(other), "{other}");
        }
    }

    #[test]
    fn a_star_is_any_one_token() {
        let field = Field::parse("/data/*/name").unwrap();
        assert!(field.covers("/data/items/name") && field.covers("/data/*/name"));
        assert!(!field.covers("/data/items/*/name"));
    }

    #[test]
    fn two_stars_at_the_end_are_the_place_and_all_below() {
        let field = Field::parse("/data/items/*/tags/**").unwrap();
        assert!(field.covers("/data/items/*/tags") && field.covers("/data/items/*/tags/id"));
        assert!(!field.covers("/data/items/*") && !field.covers("/data/items/*/tagsx"));
        assert!(Field::parse("/**").unwrap().covers(""));
    }

    #[test]
    fn the_empty_field_is_the_whole_answer() {
        let field = Field::parse("").unwrap();
        assert!(field.covers("") && !field.covers("/data"));
    }

    #[test]
    fn what_is_no_pointer_is_no_field() {
        for text in ["data/items", "age", "/**/age", "**"] {
            assert_eq!(Field::parse(text), None, "{text}");
        }
    }
}
