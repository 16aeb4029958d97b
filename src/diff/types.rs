//! Sets of JSON types. The type is [`Types`].

use std::fmt;
use std::ops::BitAnd;

use serde_json::Value;

/// Which types a value may have, null aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types(u8);

/// Each type with its name and bit; a number is an integer or a fraction.
const NAMES: [(&str, Types); 6] = [
    ("boolean", Types::BOOLEAN),
    ("number", Types::NUMBER),
    ("integer", Types::INTEGER),
    ("string", Types::STRING),
    ("array", Types::ARRAY),
    ("object", Types::OBJECT),
];

impl Types {
    pub(super) const ALL: Self = Self(0b11_1111);
    pub(super) const ARRAY: Self = Self(0b01_0000);
    pub(super) const BOOLEAN: Self = Self(0b00_0001);
    pub(super) const INTEGER: Self = Self(0b00_0010);
    pub(super) const NONE: Self = Self(0);
    pub(super) const NUMBER: Self = Self(0b00_0110);
    pub(super) const OBJECT: Self = Self(0b10_0000);
    pub(super) const STRING: Self = Self(0b00_1000);

    /// Returns the type of this name; nothing for `null`, everything for a name that JSON Schema does not have.
    pub(super) fn named(name: &str) -> Self {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        match found {
            Some((_, types)) => *types,
            None if name == "null" => Self::NONE,
            None => Self::ALL,
        }
    }

    /// Returns the type of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NONE,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_f64() && number.as_f64().is_some_and(|value| value.fract() != 0.0) => {
                Self::NUMBER
            }
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// Returns each type by itself.
    pub(super) fn each(self) -> Vec<Self> {
        let is_part_of_number = |types: Self| types == Self::INTEGER && self.includes(Self::NUMBER);
        let all = NAMES.iter().map(|(_, types)| *types);
        all.filter(|types| self.includes(*types) && !is_part_of_number(*types))
            .collect()
    }

    /// Returns a number that stands for the set.
    pub(super) fn bits(self) -> usize {
        usize::from(self.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two have a type in common.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether every type of the other is one of these.
    pub(super) fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitAnd for Types {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl fmt::Display for Types {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ALL {
            return formatter.write_str("any type");
        }
        let each = self.each();
        let named = NAMES.iter().filter(|(_, types)| each.contains(types));
        let names: Vec<_> = named.map(|(name, _)| *name).collect();
        match names.as_slice() {
            [] => formatter.write_str("no value"),
            names => formatter.write_str(&names.join(" or ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_is_a_number_and_not_the_other_way_round() {
        assert!(Types::named("number").includes(Types::named("integer")));
        assert!(!Types::named("integer").includes(Types::named("number")));
        assert_eq!(Types::named("number").or(Types::STRING).to_string(), "number or string");
        assert_eq!(Types::NONE.to_string(), "no value");
    }
}
