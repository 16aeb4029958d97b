//! Matches the elements of an array: which returned element corresponds to which sent one, so that the parts of an
//! element stay together. The main type is [`CarriedElements`].
//!
//! # Design
//!
//! The order of an array is not documented, and neither is whether it contains more elements. So an element is
//! recognised by the fields that must come back as they were sent (a contact method by its `contact`); the fields in
//! which a gap allows a difference are then compared within the element.

use std::collections::HashMap;

use serde_json::Value;

use super::same::same;
use crate::contract::pointer;
use crate::contract::vocabulary::Carry;
use crate::exchange::Digest;

/// One carried field of the elements of an array, as it was sent and as it came back.
pub(crate) struct CarriedElements<'seen> {
    carries: Vec<&'seen Carry>,
    carry: &'seen Carry,
    sent: &'seen [Value],
    returned: &'seen [Value],
}

/// A value that came back in a different element than the one in which it was sent.
pub(crate) struct MixedUpValue<'seen> {
    /// The value that was sent in the element.
    pub(crate) sent: &'seen Value,
    /// The value that the element shows, which is that of another one.
    pub(crate) returned: &'seen Value,
    /// The pointer within the record.
    pub(crate) pointer: String,
}

/// An element that came back more often than it was sent.
pub(crate) struct DuplicatedElement<'seen> {
    /// The value that the element is recognised by.
    pub(crate) value: &'seen Value,
    /// How many such elements there are, and how many were sent.
    pub(crate) counts: (usize, usize),
    /// The pointer of the last of them within the record.
    pub(crate) pointer: String,
}

/// A value that is missing from the element in which it was sent.
pub(crate) struct LostValue<'seen> {
    pub(crate) sent: &'seen Value,
    /// The values of this field in the elements that may match the sent element; in all elements if none matches.
    pub(crate) returned: Vec<&'seen Value>,
}

impl<'seen> CarriedElements<'seen> {
    /// Returns the elements that contain a field; `None` where the field is not inside an array, or where the record
    /// shows no element of it.
    pub(crate) fn of(
        carries: &'seen [Carry],
        carry: &'seen Carry,
        (body, record): (&'seen Value, &'seen Value),
    ) -> Option<Self> {
        let (sent_in, _) = split(&carry.sent)?;
        let (returned_in, _) = split(&carry.returned_at)?;
        let is_sibling = |other: &&Carry| {
            let above = |pointer| split(pointer).map(|(above, _)| above);
            above(&other.sent) == Some(sent_in) && above(&other.returned_at) == Some(returned_in)
        };
        let elements = |value: &'seen Value, at| pointer::get(value, at).and_then(Value::as_array);
        Some(Self {
            carries: carries.iter().filter(is_sibling).collect(),
            carry,
            sent: elements(body, sent_in)?,
            returned: elements(record, returned_in).filter(|returned| !returned.is_empty())?,
        })
    }

    /// Returns the first sent value that its element does not show. A field that the element lacks is another rule's
    /// finding.
    pub(crate) fn lost_value(&self) -> Option<LostValue<'seen>> {
        let lost = |element: &'seen Value| {
            let matches = self.matches_of(element);
            let candidates = || self.returned.iter().enumerate();
            let returned: Vec<_> = if matches.is_empty() {
                candidates()
                    .flat_map(|(_, returned)| returned_values(self.carry, returned))
                    .collect()
            } else {
                let matches = matches.iter().map(|(_, returned)| *returned);
                matches
                    .flat_map(|returned| returned_values(self.carry, returned))
                    .collect()
            };
            let is_returned = |sent: &&Value| {
                returned
                    .iter()
                    .any(|returned| same(self.carry.equality, sent, returned) == Some(true))
            };
            let lost = sent_values(self.carry, element)
                .into_iter()
                .find(|sent| !is_returned(sent))?;
            (!returned.is_empty()).then_some(LostValue { sent: lost, returned })
        };
        self.sent.iter().find_map(lost)
    }

    /// Finds a value that came back in a different element than the one in which it was sent, if the value sent in that
    /// element came back in another one in turn. A single value that differs may only be spelled differently.
    pub(crate) fn mixed_up(&self) -> Option<MixedUpValue<'seen>> {
        let mut differing: Vec<_> = self
            .pairs()
            .into_iter()
            .filter(|pair| pair.differs(self.carry))
            .collect();
        loop {
            let before = differing.len();
            let (sent, returned): (Vec<_>, Vec<_>) = differing.iter().map(|pair| (pair.sent, pair.returned)).unzip();
            let is_among = |value: &Value, others: &[&Value]| {
                let is_same = |other: &&Value| same(self.carry.equality, value, other) == Some(true);
                others.iter().any(is_same)
            };
            differing.retain(|pair| is_among(pair.returned, &sent) && is_among(pair.sent, &returned));
            if differing.len() == before {
                break;
            }
        }
        let first = differing.first()?;
        Some(MixedUpValue {
            sent: first.sent,
            returned: first.returned,
            pointer: self.pointer(first.index),
        })
    }

    /// Finds an element that came back more often than it was sent, equal in every carried field: the array that came
    /// back is not the one that was sent.
    pub(crate) fn duplicated(&self) -> Option<DuplicatedElement<'seen>> {
        let carried = |element: &Value| {
            let carries = self.carries.iter();
            let values = carries.map(|carry| returned_values(carry, element).into_iter().map(Digest::of).collect());
            values.collect::<Vec<Vec<_>>>()
        };
        self.sent.iter().find_map(|element| {
            let value = *sent_values(self.carry, element).first()?;
            let is_it = |returned: &Value| self.strict().all(|carry| shows(carry, element, returned));
            let counted = self
                .sent
                .iter()
                .filter(|other| sent_the_same(self.strict(), element, other))
                .count();
            // How often elements came back that are alike, and the index of the last of them.
            let mut alike: HashMap<_, (usize, usize)> = HashMap::new();
            for (index, returned) in self.returned.iter().enumerate() {
                if is_it(returned) {
                    let (count, last) = alike.entry(carried(returned)).or_default();
                    (*count, *last) = (*count + 1, index);
                }
            }
            let (count, index) = alike.into_values().max()?;
            (count > counted).then(|| DuplicatedElement {
                value,
                counts: (count, counted),
                pointer: self.pointer(index),
            })
        })
    }

    /// Returns the carries of the array without a gap: their values must come back as they were sent.
    fn strict(&self) -> impl Iterator<Item = &'seen Carry> {
        self.carries.iter().copied().filter(|carry| carry.comes_back_as_sent())
    }

    /// Returns the fields by which an element is recognised when this field is compared: of the fields that must come
    /// back as they were sent, those before this one. Those after it do not count, so that one break is not reported
    /// for each of them.
    fn distinguishing(&self) -> impl Iterator<Item = &'seen Carry> {
        self.strict().take_while(|carry| *carry != self.carry)
    }

    /// Returns those elements that came back and may match a sent one; none if it has nothing to be recognised by.
    fn matches_of(&self, element: &Value) -> Vec<(usize, &'seen Value)> {
        if self
            .distinguishing()
            .all(|carry| sent_values(carry, element).is_empty())
        {
            return Vec::new();
        }
        let is_it = |returned: &Value| self.distinguishing().all(|carry| shows(carry, element, returned));
        self.returned
            .iter()
            .enumerate()
            .filter(|(_, returned)| is_it(returned))
            .collect()
    }

    /// Pairs each sent value with what is in its place, if exactly one returned element matches the sent one.
    fn pairs(&self) -> Vec<Pair<'seen>> {
        let pairs = self.sent.iter().filter_map(|element| {
            let [(index, returned)] = self.matches_of(element)[..] else {
                return None;
            };
            let (sent, returned) = (sent_values(self.carry, element), returned_values(self.carry, returned));
            match (&sent[..], &returned[..]) {
                ([sent], [returned]) => Some(Pair { index, sent, returned }),
                _ => None,
            }
        });
        let pairs: Vec<_> = pairs.collect();
        let is_alone = |pair: &&Pair<'_>| pairs.iter().filter(|other| other.index == pair.index).count() == 1;
        pairs.iter().filter(is_alone).copied().collect()
    }

    fn pointer(&self, index: usize) -> String {
        let (above, below) = split(&self.carry.returned_at).unwrap_or_default();
        format!("{}{below}", pointer::element(above, index))
    }
}

/// A sent value and what its element shows in its place.
#[derive(Clone, Copy)]
struct Pair<'seen> {
    index: usize,
    sent: &'seen Value,
    returned: &'seen Value,
}

impl Pair<'_> {
    fn differs(&self, carry: &Carry) -> bool {
        same(carry.equality, self.sent, self.returned) == Some(false)
    }
}

/// Splits a pointer into the path to the array and the field within an element.
fn split(pointer: &str) -> Option<(&str, &str)> {
    let (above, below) = pointer.split_once("/*")?;
    (below.is_empty() || below.starts_with('/')).then_some((above, below))
}

fn sent_values<'value>(carry: &Carry, element: &'value Value) -> Vec<&'value Value> {
    split(&carry.sent).map_or_else(Vec::new, |(_, below)| pointer::select(element, below))
}

fn returned_values<'value>(carry: &Carry, element: &'value Value) -> Vec<&'value Value> {
    split(&carry.returned_at).map_or_else(Vec::new, |(_, below)| pointer::select(element, below))
}

/// Whether a returned element shows everything that the sent one has in this field.
fn shows(carry: &Carry, element: &Value, returned: &Value) -> bool {
    let returned = returned_values(carry, returned);
    let is_returned = |sent: &Value| {
        returned
            .iter()
            .any(|returned| same(carry.equality, sent, returned) == Some(true))
    };
    sent_values(carry, element).into_iter().all(is_returned)
}

fn sent_the_same<'carry>(strict: impl Iterator<Item = &'carry Carry>, one: &Value, other: &Value) -> bool {
    strict
        .into_iter()
        .all(|carry| sent_values(carry, one) == sent_values(carry, other))
}
