//! Matches the elements of an array: which kept element corresponds to which sent one, so that the parts of an element
//! stay together. The main type is [`CarriedElements`].
//!
//! # Design
//!
//! The order of an array is not documented, and neither is whether it contains more elements. So an element is
//! recognised by the fields that must come back as they were sent, a contact method by its `contact`; the fields in
//! which a gap allows a difference are then compared within the element.

use serde_json::Value;

use super::same::same;
use crate::contract::pointer;
use crate::contract::vocabulary::Carry;

/// One carried field of the elements of an array, as it was sent and as it came back.
pub(crate) struct CarriedElements<'seen> {
    carries: Vec<&'seen Carry>,
    carry: &'seen Carry,
    sent: &'seen [Value],
    kept: &'seen [Value],
}

/// A value that came back in a different element than the one in which it was sent.
pub(crate) struct MixedUpValue<'seen> {
    /// The value that was sent in the element.
    pub(crate) sent: &'seen Value,
    /// The value that the element shows, which is that of another one.
    pub(crate) kept: &'seen Value,
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
    /// The values in the elements that may be the sent one; in all elements, if none is known to be it.
    pub(crate) kept: Vec<&'seen Value>,
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
        let (kept_in, _) = split(&carry.returned_at)?;
        let is_sibling = |other: &&Carry| {
            let above = |pointer| split(pointer).map(|(above, _)| above);
            above(&other.sent) == Some(sent_in) && above(&other.returned_at) == Some(kept_in)
        };
        let elements = |value: &'seen Value, at| pointer::get(value, at).and_then(Value::as_array);
        Some(Self {
            carries: carries.iter().filter(is_sibling).collect(),
            carry,
            sent: elements(body, sent_in)?,
            kept: elements(record, kept_in).filter(|kept| !kept.is_empty())?,
        })
    }

    /// Returns the first sent value that its element does not show. A field that the element lacks is another rule's
    /// finding.
    pub(crate) fn lost_value(&self) -> Option<LostValue<'seen>> {
        let lost = |element: &'seen Value| {
            let known = self.kept_of(element);
            let candidates = || self.kept.iter().enumerate();
            let kept: Vec<_> = if known.is_empty() {
                candidates()
                    .flat_map(|(_, kept)| returned_values(self.carry, kept))
                    .collect()
            } else {
                let known = known.iter().map(|(_, kept)| *kept);
                known.flat_map(|kept| returned_values(self.carry, kept)).collect()
            };
            let is_kept = |sent: &&Value| kept.iter().any(|kept| same(self.carry.same, sent, kept) == Some(true));
            let lost = sent_values(self.carry, element)
                .into_iter()
                .find(|sent| !is_kept(sent))?;
            (!kept.is_empty()).then_some(LostValue { sent: lost, kept })
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
            let (sent, kept): (Vec<_>, Vec<_>) = differing.iter().map(|pair| (pair.sent, pair.kept)).unzip();
            let is_among = |value: &Value, others: &[&Value]| {
                let is_same = |other: &&Value| same(self.carry.same, value, other) == Some(true);
                others.iter().any(is_same)
            };
            differing.retain(|pair| is_among(pair.kept, &sent) && is_among(pair.sent, &kept));
            if differing.len() == before {
                break;
            }
        }
        let first = differing.first()?;
        Some(MixedUpValue {
            sent: first.sent,
            kept: first.kept,
            pointer: self.pointer(first.index),
        })
    }

    /// Finds an element that came back more often than it was sent, equal in every carried field: the array that came
    /// back is not the one that was sent.
    pub(crate) fn duplicated(&self) -> Option<DuplicatedElement<'seen>> {
        let alike = |one: &Value, other: &Value| {
            self.carries
                .iter()
                .all(|carry| returned_values(carry, one) == returned_values(carry, other))
        };
        self.sent.iter().find_map(|element| {
            let value = *sent_values(self.carry, element).first()?;
            let is_it = |kept: &Value| self.strict().all(|carry| shows(carry, element, kept));
            let counted = self
                .sent
                .iter()
                .filter(|other| sent_the_same(self.strict(), element, other))
                .count();
            let found: Vec<_> = self.kept.iter().enumerate().filter(|(_, kept)| is_it(kept)).collect();
            let groups = found
                .iter()
                .map(|(_, one)| found.iter().filter(|(_, other)| alike(one, other)));
            let most = groups.max_by_key(|group| group.clone().count())?;
            let (index, _) = most.clone().next_back()?;
            let count = most.count();
            (count > counted).then(|| DuplicatedElement {
                value,
                counts: (count, counted),
                pointer: self.pointer(*index),
            })
        })
    }

    /// Returns the carries of the array without a gap: their values must come back as they were sent.
    fn strict(&self) -> impl Iterator<Item = &'seen Carry> {
        self.carries.iter().copied().filter(|carry| carry.is_strict())
    }

    /// Returns the fields by which an element is recognised when this field is compared: of the fields that must come
    /// back as they were sent, those before this one. Those after it do not count, so that one break is not reported
    /// for each of them.
    fn distinguishing(&self) -> impl Iterator<Item = &'seen Carry> {
        self.strict().take_while(|carry| *carry != self.carry)
    }

    /// Returns the kept elements that may be a sent one; none where it has nothing to be recognised by.
    fn kept_of(&self, element: &Value) -> Vec<(usize, &'seen Value)> {
        if self
            .distinguishing()
            .all(|carry| sent_values(carry, element).is_empty())
        {
            return Vec::new();
        }
        let is_it = |kept: &Value| self.distinguishing().all(|carry| shows(carry, element, kept));
        self.kept.iter().enumerate().filter(|(_, kept)| is_it(kept)).collect()
    }

    /// Pairs each sent value with what is in its place, where exactly one element is known to be the sent one.
    fn pairs(&self) -> Vec<Pair<'seen>> {
        let pairs = self.sent.iter().filter_map(|element| {
            let [(index, kept)] = self.kept_of(element)[..] else {
                return None;
            };
            let (sent, kept) = (sent_values(self.carry, element), returned_values(self.carry, kept));
            match (&sent[..], &kept[..]) {
                ([sent], [kept]) => Some(Pair { index, sent, kept }),
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
    kept: &'seen Value,
}

impl Pair<'_> {
    fn differs(&self, carry: &Carry) -> bool {
        same(carry.same, self.sent, self.kept) == Some(false)
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

/// Whether a kept element shows everything that the sent one has in this field.
fn shows(carry: &Carry, element: &Value, kept: &Value) -> bool {
    let kept = returned_values(carry, kept);
    let is_kept = |sent: &Value| kept.iter().any(|kept| same(carry.same, sent, kept) == Some(true));
    sent_values(carry, element).into_iter().all(is_kept)
}

fn sent_the_same<'carry>(strict: impl Iterator<Item = &'carry Carry>, one: &Value, other: &Value) -> bool {
    strict
        .into_iter()
        .all(|carry| sent_values(carry, one) == sent_values(carry, other))
}
