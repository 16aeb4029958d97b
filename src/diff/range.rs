//! Ranges of numbers, lengths and counts, and how two of them relate. The main types are [`Range`] and [`Relation`].

use super::view::View;
use crate::contract::document::NodeKind;

/// How what the new schema allows relates to what the old one allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Neither includes the other.
    Different,
    /// The new one allows less.
    Narrower,
    /// Nobody has to notice.
    News,
    /// The schemas do not say enough.
    Unclear(&'static str),
    /// The new one allows more.
    Wider,
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub(super) value: f64,
    pub(super) excluded: bool,
}

/// A range; an end that is `None` is open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Range {
    pub(super) lower: Option<End>,
    pub(super) upper: Option<End>,
}

impl Range {
    /// Returns the range of a number: its bounds, and those of an integer format of at most 32 bits.
    pub(super) fn of_number(view: &View<'_>, integers: bool) -> Self {
        let mut range = Self::default();
        for part in &view.parts {
            for (keyword, exclusive, upper) in [
                ("minimum", "exclusiveMinimum", false),
                ("maximum", "exclusiveMaximum", true),
            ] {
                if let Some(value) = number(part.node.member(keyword).map(|node| &node.kind)) {
                    range.limit(
                        upper,
                        End {
                            value,
                            excluded: part.flag(exclusive),
                        },
                        integers,
                    );
                }
                if let Some(value) = number(part.node.member(exclusive).map(|node| &node.kind)) {
                    range.limit(upper, End { value, excluded: true }, integers);
                }
            }
        }
        if let Some((lower, upper)) = view.keyword("format").and_then(|at| integer_format(at.node.string()?)) {
            range.limit(
                false,
                End {
                    value: lower,
                    excluded: false,
                },
                integers,
            );
            range.limit(
                true,
                End {
                    value: upper,
                    excluded: false,
                },
                integers,
            );
        }
        range
    }

    /// Returns the range of a length or a count, from these two keywords.
    pub(super) fn of_count(view: &View<'_>, minimum: &str, maximum: &str) -> Self {
        let mut range = Self::default();
        for (keyword, upper) in [(minimum, false), (maximum, true)] {
            for at in view.keywords(keyword) {
                if let Some(value) = number(Some(&at.node.kind)) {
                    range.limit(upper, End { value, excluded: false }, true);
                }
            }
        }
        range.lower = range.lower.filter(|end| end.value > 0.0);
        range
    }

    /// Returns whether this number is in it.
    pub(super) fn includes(self, number: f64) -> bool {
        let within = |end: Option<End>, beyond: fn(&f64, &f64) -> bool| {
            end.is_none_or(|end| {
                let is_the_end = (number - end.value).abs() < f64::EPSILON;
                (is_the_end && !end.excluded) || (!is_the_end && beyond(&number, &end.value))
            })
        };
        within(self.lower, f64::gt) && within(self.upper, f64::lt)
    }

    /// Makes the range smaller, if the end does.
    fn limit(&mut self, upper: bool, end: End, integers: bool) {
        let end = if integers { end.among_integers(upper) } else { end };
        let own = if upper { &mut self.upper } else { &mut self.lower };
        let is_tighter = own.is_none_or(|own| compare_ends(Some(own), Some(end), upper) == Some(Relation::Narrower));
        if is_tighter {
            *own = Some(end);
        }
    }
}

impl End {
    /// Returns the same end, with the last integer that it includes.
    fn among_integers(self, upper: bool) -> Self {
        let inner = if upper { self.value.floor() } else { self.value.ceil() };
        let step = if upper { -1.0 } else { 1.0 };
        let excluded = self.excluded && inner == self.value;
        Self {
            value: if excluded { inner + step } else { inner },
            excluded: false,
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
            let same_value = (new.value - old.value).abs() < f64::EPSILON;
            let narrower = inside || (same_value && new.excluded);
            Some(if narrower { Relation::Narrower } else { Relation::Wider })
        }
    }
}

fn number(kind: Option<&NodeKind>) -> Option<f64> {
    match kind {
        Some(NodeKind::Number(number)) => number.as_f64(),
        _ => None,
    }
}

/// Returns the range of an integer format of at most 32 bits.
fn integer_format(format: &str) -> Option<(f64, f64)> {
    Some(match format {
        "int8" => (f64::from(i8::MIN), f64::from(i8::MAX)),
        "int16" => (f64::from(i16::MIN), f64::from(i16::MAX)),
        "int32" => (f64::from(i32::MIN), f64::from(i32::MAX)),
        "uint8" => (0.0, f64::from(u8::MAX)),
        "uint16" => (0.0, f64::from(u16::MAX)),
        "uint32" => (0.0, f64::from(u32::MAX)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(value: f64, excluded: bool) -> Option<End> {
        Some(End { value, excluded })
    }

    #[test]
    fn an_end_that_moves_inwards_is_narrower() {
        for (old, new, upper, expected) in [
            (None, end(1.0, false), false, Some(Relation::Narrower)),
            (end(1.0, false), end(2.0, false), false, Some(Relation::Narrower)),
            (end(1.0, false), end(1.0, true), false, Some(Relation::Narrower)),
            (end(1.0, true), end(1.0, false), true, Some(Relation::Wider)),
            (end(9.0, false), end(10.0, false), true, Some(Relation::Wider)),
            (end(9.0, false), None, true, Some(Relation::Wider)),
            (end(9.0, false), end(9.0, false), true, None),
        ] {
            assert_eq!(compare_ends(old, new, upper), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn an_excluded_integer_is_the_next_one_included() {
        let end = End {
            value: 0.0,
            excluded: true,
        };
        assert_eq!(
            end.among_integers(false),
            End {
                value: 1.0,
                excluded: false
            }
        );
        assert_eq!(
            end.among_integers(true),
            End {
                value: -1.0,
                excluded: false
            }
        );
    }
}
