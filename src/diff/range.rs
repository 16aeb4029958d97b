//! Ranges of numbers, lengths and counts, and how two of them relate. The main types are [`Range`] and [`Relation`].

use std::cmp::Ordering;
use std::fmt;

use super::view::View;
use crate::contract::document::{Node, NodeKind};

/// How what the new document states relates to what the old one states. Between schemas it is a relation of what they
/// allow; for anything else, such as an operation or a server, it is chosen for what it means to those who call the
/// service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Neither includes the other; or something that callers rely on is gone or changed.
    Different,
    /// The new one allows less.
    Narrower,
    /// Changes nothing for anybody who kept to the old document.
    Harmless,
    /// The documents do not say enough.
    Unclear(&'static str),
    /// The new one allows more.
    Wider,
}

/// Returns the keyword that excludes the bound of a number: with `true` in OpenAPI 3.0, and as the bound itself from
/// 3.1 on.
pub(super) fn exclusive_keyword(bound: &str) -> &'static str {
    if bound == "minimum" {
        "exclusiveMinimum"
    } else {
        "exclusiveMaximum"
    }
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub(super) value: Number,
    pub(super) excluded: bool,
}

/// A number in a schema. Integers are kept as such, because an `f64` cannot represent every integer beyond 2^53.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Integer(i128),
    Fraction(f64),
}

/// A range; an end that is `None` is open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Range {
    pub(super) lower: Option<End>,
    pub(super) upper: Option<End>,
}

impl Range {
    /// Returns the range of a number: its bounds, and those of its integer formats. With `whole_numbers_only`, each end
    /// is the last whole number that is allowed.
    pub(super) fn of_number(view: &View<'_>, whole_numbers_only: bool) -> Self {
        let mut range = Self::default();
        for part in &view.parts {
            for (keyword, upper) in [("minimum", false), ("maximum", true)] {
                let exclusive = exclusive_keyword(keyword);
                if let Some(value) = part.member(keyword).and_then(|at| Number::of(at.node)) {
                    let excluded = part.flag(exclusive);
                    range.limit(upper, End { value, excluded }, whole_numbers_only);
                }
                if let Some(value) = part.member(exclusive).and_then(|at| Number::of(at.node)) {
                    range.limit(upper, End { value, excluded: true }, whole_numbers_only);
                }
            }
        }
        let formats = view.keywords("format");
        for (lower, highest) in formats.filter_map(|at| integer_format(at.node.string()?)) {
            for (value, upper) in [(Some(lower), false), (highest, true)] {
                if let Some(value) = value.map(Number::Integer) {
                    range.limit(upper, End { value, excluded: false }, whole_numbers_only);
                }
            }
        }
        range
    }

    /// Returns the range of a length or a count, from these two keywords.
    pub(super) fn of_count(view: &View<'_>, minimum: &str, maximum: &str) -> Self {
        let mut range = Self::default();
        for (keyword, upper) in [(minimum, false), (maximum, true)] {
            for at in view.keywords(keyword) {
                if let Some(value) = Number::of(at.node) {
                    range.limit(upper, End { value, excluded: false }, true);
                }
            }
        }
        range.lower = range.lower.filter(|end| end.value > Number::Integer(0));
        range
    }

    /// Returns whether this number is in it.
    pub(super) fn includes(self, number: Number) -> bool {
        let within = |end: Option<End>, beyond: Ordering| {
            end.is_none_or(|end| match number.partial_cmp(&end.value) {
                Some(Ordering::Equal) => !end.excluded,
                other => other == Some(beyond),
            })
        };
        within(self.lower, Ordering::Greater) && within(self.upper, Ordering::Less)
    }

    /// Narrows the range to this end, unless it is at least as narrow there already. With `whole_numbers_only`, the end
    /// is the last whole number that it allows.
    fn limit(&mut self, upper: bool, end: End, whole_numbers_only: bool) {
        let end = if whole_numbers_only {
            end.among_integers(upper)
        } else {
            end
        };
        let own = if upper { &mut self.upper } else { &mut self.lower };
        let is_tighter = own.is_none_or(|own| compare_ends(Some(own), Some(end), upper) == Some(Relation::Narrower));
        if is_tighter {
            *own = Some(end);
        }
    }
}

impl End {
    /// Returns the same end, as the last integer that the range includes.
    fn among_integers(self, upper: bool) -> Self {
        let step = if upper { -1 } else { 1 };
        let value = match self.value {
            Number::Integer(value) => Number::Integer(if self.excluded { value + step } else { value }),
            Number::Fraction(value) => Number::Fraction(if upper { value.floor() } else { value.ceil() }),
        };
        Self { value, excluded: false }
    }
}

impl Number {
    /// Returns the number that a node is.
    pub(super) fn of(node: &Node) -> Option<Self> {
        match &node.kind {
            NodeKind::Number(number) => Self::of_number(number),
            _ => None,
        }
    }

    /// Returns a number of JSON; one without a fraction is an integer, however it is written.
    pub(super) fn of_number(number: &serde_json::Number) -> Option<Self> {
        let integer = number
            .as_i64()
            .map(i128::from)
            .or_else(|| number.as_u64().map(i128::from));
        if let Some(integer) = integer {
            return Some(Self::Integer(integer));
        }
        let fraction = number.as_f64()?;
        let written = fraction.to_string();
        Some(written.parse().map_or(Self::Fraction(fraction), Self::Integer))
    }

    pub(super) fn to_f64(self) -> f64 {
        match self {
            // The digits of an integer also parse as a float, so this rounds and never fails.
            Self::Integer(value) => value.to_string().parse().unwrap_or(f64::NAN),
            Self::Fraction(value) => value,
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(other)),
            _ => self.to_f64().partial_cmp(&other.to_f64()),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(formatter),
            Self::Fraction(value) => value.fmt(formatter),
        }
    }
}

/// Returns how the new end of a range relates to the old one; `None` where they are the same.
pub(super) fn compare_ends(old: Option<End>, new: Option<End>, upper: bool) -> Option<Relation> {
    match (old, new) {
        (None, None) => None,
        (None, Some(_)) => Some(Relation::Narrower),
        (Some(_), None) => Some(Relation::Wider),
        (Some(old), Some(new)) if old == new => None,
        (Some(old), Some(new)) => {
            let inside = if upper {
                new.value < old.value
            } else {
                new.value > old.value
            };
            let narrower = inside || (new.value == old.value && new.excluded);
            Some(if narrower { Relation::Narrower } else { Relation::Wider })
        }
    }
}

/// Returns the lower and the upper end of an integer format. No document relies on a limit of 64 bits: `int64` has no
/// range, and that of `uint64` is open above.
fn integer_format(format: &str) -> Option<(i128, Option<i128>)> {
    Some(match format {
        "int8" => (i8::MIN.into(), Some(i8::MAX.into())),
        "int16" => (i16::MIN.into(), Some(i16::MAX.into())),
        "int32" => (i32::MIN.into(), Some(i32::MAX.into())),
        "uint8" => (0, Some(u8::MAX.into())),
        "uint16" => (0, Some(u16::MAX.into())),
        "uint32" => (0, Some(u32::MAX.into())),
        "uint64" => (0, None),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str, excluded: bool) -> Option<End> {
        let number: serde_json::Number = serde_json::from_str(text).unwrap();
        let value = Number::of_number(&number).unwrap();
        Some(End { value, excluded })
    }

    #[test]
    fn an_end_that_moves_inwards_is_narrower() {
        for (old, new, upper, expected) in [
            (None, end("1", false), false, Some(Relation::Narrower)),
            (end("1", false), end("2", false), false, Some(Relation::Narrower)),
            (end("1", false), end("1.0", true), false, Some(Relation::Narrower)),
            (end("1.5", true), end("1.5", false), true, Some(Relation::Wider)),
            (end("9", false), end("10", false), true, Some(Relation::Wider)),
            (end("9", false), None, true, Some(Relation::Wider)),
            (end("9", false), end("9.0", false), true, None),
            (
                end("18446744073709551615", false),
                end("18446744073709551614", false),
                true,
                Some(Relation::Narrower),
            ),
        ] {
            assert_eq!(compare_ends(old, new, upper), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn an_excluded_integer_is_the_next_one_included() {
        for (excluded, upper, included) in [
            ("0", false, "1"),
            ("0", true, "-1"),
            ("0.5", false, "1"),
            ("0.5", true, "0"),
        ] {
            let found = end(excluded, true).unwrap().among_integers(upper);
            assert_eq!(Some(found), end(included, false), "{excluded} {upper}");
        }
    }
}
