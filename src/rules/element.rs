//! The parts of an element stay together: which element of a kept array is which of the sent one. The main type is
//! [`Elements`].
//!
//! # Design
//!
//! The order of an array is not documented, and neither is whether more elements stand in it. So an element is known by
//! what must come back as it was sent, a method by its `contact`; what a gap lets differ is compared within it.

use serde_json::Value;

use super::carried::same;
use crate::contract::pointer;
use crate::contract::vocabulary::Carry;

/// One carried field of the elements of an array, as it was sent and as it came back.
pub(super) struct Elements<'seen> {
    carries: Vec<&'seen Carry>,
    carry: &'seen Carry,
    sent: &'seen [Value],
    kept: &'seen [Value],
}

/// A value that came back in another element than the one that it was sent in.
pub(super) struct Mixed<'seen> {
    /// What was sent in the element.
    pub(super) sent: &'seen Value,
    /// What it shows: the value of another one.
    pub(super) kept: &'seen Value,
    /// Where, within the record.
    pub(super) pointer: String,
}

/// An element that came back more often than it was sent.
pub(super) struct Doubled<'seen> {
    /// The value that it is known by.
    pub(super) value: &'seen Value,
    /// How many of its kind there are, and how many were sent.
    pub(super) counts: (usize, usize),
    /// The last of them, within the record.
    pub(super) pointer: String,
}

/// A value that the element which it was sent in does not show.
pub(super) struct Lost<'seen> {
    pub(super) sent: &'seen Value,
    /// What the elements show that may be the one: all of them where none is known to be it.
    pub(super) kept: Vec<&'seen Value>,
}

impl<'seen> Elements<'seen> {
    /// The elements that a field stands in; none where it stands in no array, or where the record shows no element of it.
    pub(super) fn of(
        carries: &'seen [Carry],
        carry: &'seen Carry,
        (body, record): (&'seen Value, &'seen Value),
    ) -> Option<Self> {
        let (sent_in, _) = split(&carry.sent)?;
        let (kept_in, _) = split(&carry.kept)?;
        let is_beside = |other: &&Carry| {
            let above = |pattern| split(pattern).map(|(above, _)| above);
            above(&other.sent) == Some(sent_in) && above(&other.kept) == Some(kept_in)
        };
        let elements = |value: &'seen Value, at| pointer::get(value, at).and_then(Value::as_array);
        Some(Self {
            carries: carries.iter().filter(is_beside).collect(),
            carry,
            sent: elements(body, sent_in)?,
            kept: elements(record, kept_in).filter(|kept| !kept.is_empty())?,
        })
    }

    /// The first sent value that its element does not show. A field that the element lacks is another rule's finding.
    pub(super) fn lost(&self) -> Option<Lost<'seen>> {
        let lost = |element: &'seen Value| {
            let known = self.kept_of(element);
            let candidates = || self.kept.iter().enumerate();
            let kept: Vec<_> = if known.is_empty() {
                candidates().flat_map(|(_, kept)| shown(self.carry, kept)).collect()
            } else {
                let known = known.iter().map(|(_, kept)| *kept);
                known.flat_map(|kept| shown(self.carry, kept)).collect()
            };
            let is_kept = |sent: &&Value| kept.iter().any(|kept| same(self.carry.same, sent, kept) == Some(true));
            let lost = sent(self.carry, element).into_iter().find(|sent| !is_kept(sent))?;
            (!kept.is_empty()).then_some(Lost { sent: lost, kept })
        };
        self.sent.iter().find_map(lost)
    }

    /// A value that stands in another element than the one that it was sent in, while what was sent there stands in
    /// another one in turn. A single value that differs may be spelled otherwise.
    pub(super) fn mixed(&self) -> Option<Mixed<'seen>> {
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
        Some(Mixed {
            sent: first.sent,
            kept: first.kept,
            pointer: self.pointer(first.index),
        })
    }

    /// An element that came back more often than it was sent, alike in everything that is carried: an array was sent, and
    /// another one is there.
    pub(super) fn doubled(&self) -> Option<Doubled<'seen>> {
        let alike = |one: &Value, other: &Value| {
            self.carries
                .iter()
                .all(|carry| shown(carry, one) == shown(carry, other))
        };
        self.sent.iter().find_map(|element| {
            let value = *sent(self.carry, element).first()?;
            let is_it = |kept: &Value| self.strict().all(|carry| shows(carry, element, kept));
            let counted = self
                .sent
                .iter()
                .filter(|other| is_same_sent(self.strict(), element, other))
                .count();
            let found: Vec<_> = self.kept.iter().enumerate().filter(|(_, kept)| is_it(kept)).collect();
            let groups = found
                .iter()
                .map(|(_, one)| found.iter().filter(|(_, other)| alike(one, other)));
            let most = groups.max_by_key(|group| group.clone().count())?;
            let (index, _) = most.clone().next_back()?;
            let count = most.count();
            (count > counted).then(|| Doubled {
                value,
                counts: (count, counted),
                pointer: self.pointer(*index),
            })
        })
    }

    fn strict(&self) -> impl Iterator<Item = &'seen Carry> {
        self.carries.iter().copied().filter(|carry| carry.gap.is_none())
    }

    /// What tells the elements apart where this field is compared: what else must come back as it was sent. Of several
    /// such fields the first ones tell, so that one break is not told of each.
    fn telling(&self) -> impl Iterator<Item = &'seen Carry> {
        self.strict().take_while(|carry| *carry != self.carry)
    }

    /// The kept elements that a sent one may be; none where it has nothing to be known by.
    fn kept_of(&self, element: &Value) -> Vec<(usize, &'seen Value)> {
        if self.telling().all(|carry| sent(carry, element).is_empty()) {
            return Vec::new();
        }
        let is_it = |kept: &Value| self.telling().all(|carry| shows(carry, element, kept));
        self.kept.iter().enumerate().filter(|(_, kept)| is_it(kept)).collect()
    }

    /// Each sent value with what stands in its place, where one element is known to be the sent one and no other.
    fn pairs(&self) -> Vec<Pair<'seen>> {
        let pairs = self.sent.iter().filter_map(|element| {
            let [(index, kept)] = self.kept_of(element)[..] else {
                return None;
            };
            let (sent, kept) = (sent(self.carry, element), shown(self.carry, kept));
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
        let (above, below) = split(&self.carry.kept).unwrap_or_default();
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

/// What stands above the elements of an array, and the field within one.
fn split(pattern: &str) -> Option<(&str, &str)> {
    let (above, below) = pattern.split_once("/*")?;
    (below.is_empty() || below.starts_with('/')).then_some((above, below))
}

fn sent<'value>(carry: &Carry, element: &'value Value) -> Vec<&'value Value> {
    split(&carry.sent).map_or_else(Vec::new, |(_, below)| pointer::select(element, below))
}

fn shown<'value>(carry: &Carry, element: &'value Value) -> Vec<&'value Value> {
    split(&carry.kept).map_or_else(Vec::new, |(_, below)| pointer::select(element, below))
}

/// Whether a kept element shows all that a sent one has of the field.
fn shows(carry: &Carry, element: &Value, kept: &Value) -> bool {
    let kept = shown(carry, kept);
    let is_kept = |sent: &Value| kept.iter().any(|kept| same(carry.same, sent, kept) == Some(true));
    sent(carry, element).into_iter().all(is_kept)
}

fn is_same_sent<'carry>(strict: impl Iterator<Item = &'carry Carry>, one: &Value, other: &Value) -> bool {
    strict.into_iter().all(|carry| sent(carry, one) == sent(carry, other))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::contract::fact::FactKind;
    use crate::rules::evidence::WalkEnd;
    use crate::rules::testing::{Bench, Told};
    use crate::rules::{Level, Verdict};

    /// Which fact of a law's list.
    type Kind = fn(usize) -> FactKind;

    const CONTACT: usize = 5;
    const TYPE: usize = 6;
    const STATUS: usize = 7;

    fn method(contact: &str, kind: &str, status: &str) -> Value {
        json!({"contact": contact, "type": kind, "status": status})
    }

    /// Two methods as they were sent, and a third one.
    fn methods() -> [Value; 3] {
        [
            method("ada@example.com", "email", "active"),
            method("+44 7700 900123", "phone", "inactive"),
            method("01632 960123", "landline", "blocked"),
        ]
    }

    fn contact(methods: &[Value]) -> Value {
        json!({ "contact_methods": methods })
    }

    fn created(sent: &[Value], kept: &[Value]) -> Told {
        Bench::of("createContact").created(&contact(sent), &contact(kept))
    }

    /// What the create's answer, the list after it and the list after an update say of the same.
    fn three(sent: &[Value], kept: &[Value]) -> [(Told, Kind); 3] {
        let listed = contact(kept);
        let create = Bench::of("createContact");
        let sighted = create.sighted(&contact(sent), Some(&listed), WalkEnd::Complete);
        let end = (None, WalkEnd::Complete);
        let updated = Bench::of("updateContact").updated(&contact(sent), Some(&listed), end);
        [
            (created(sent, kept), FactKind::Carried as Kind),
            (sighted, FactKind::ListedCarrying),
            (updated, FactKind::UpdatedCarrying),
        ]
    }

    #[test]
    fn elements_in_any_order_and_among_others_hold() {
        let [one, two, three_] = methods();
        let sent = [one.clone(), two.clone()];
        for kept in [
            vec![one.clone(), two.clone()],
            vec![two.clone(), one.clone()],
            vec![three_, two, one.clone()],
            // Another method of the same address is no double of it.
            vec![sent[1].clone(), one, method("ada@example.com", "newsletter", "active")],
        ] {
            for (told, kind) in three(&sent, &kept) {
                for index in [CONTACT, TYPE, STATUS] {
                    assert_eq!(told.kind(kind(index)), Verdict::Held, "{kept:?}");
                }
                assert!(told.verdicts.findings().is_empty());
            }
        }
    }

    #[test]
    fn elements_that_show_the_values_of_each_other_are_broken_once_and_no_spelling() {
        let [one, two, three_] = methods();
        let swapped = [
            method("ada@example.com", "phone", "active"),
            method("+44 7700 900123", "email", "inactive"),
        ];
        for (told, kind) in three(&[one.clone(), two.clone()], &swapped) {
            assert_eq!(told.kind(kind(TYPE)), Verdict::Broken);
            assert_eq!(told.kind(kind(CONTACT)), Verdict::Held);
            assert_eq!(told.kind(kind(STATUS)), Verdict::Held);
            let finding = told.finding("carried");
            assert_eq!(finding.level, Level::Deny);
            assert_eq!(
                finding.received,
                "string(5) of another element of the array, not the string(5) that was sent"
            );
            assert!(
                finding.pointer.ends_with("/contact_methods/0/type"),
                "{}",
                finding.pointer
            );
            assert!(told.findings("respelled").is_empty());
        }
        let turned = [
            method("ada@example.com", "phone", "active"),
            method("+44 7700 900123", "landline", "inactive"),
            method("01632 960123", "email", "blocked"),
        ];
        let told = created(&[one, two, three_], &turned);
        assert_eq!(told.finding("carried").pointer, "/data/contact_methods/0/type");
    }

    #[test]
    fn a_swap_beside_a_value_that_is_spelled_otherwise_is_found() {
        let kept = [
            method("ada@example.com", "phone", "active"),
            method("+44 7700 900123", "email", "inactive"),
            method("01632 960123", "LANDLINE", "blocked"),
        ];
        let told = created(&methods(), &kept);
        assert_eq!(told.finding("carried").pointer, "/data/contact_methods/0/type");
    }

    #[test]
    fn a_value_of_an_element_that_is_spelled_otherwise_is_a_warning() {
        let [one, two, _] = methods();
        for kept in [
            [method("ada@example.com", "EMAIL", "active"), two.clone()],
            [method("ada@example.com", "phone", "active"), two.clone()],
            [
                method("ada@example.com", "mail", "active"),
                method("+44 7700 900123", "telephone", "inactive"),
            ],
        ] {
            let told = created(&[one.clone(), two.clone()], &kept);
            assert_eq!(told.kind(FactKind::Carried(TYPE)), Verdict::Broken);
            assert!(told.findings("carried").is_empty(), "{kept:?}");
            let finding = told.finding("respelled");
            assert_eq!(finding.level, Level::Warn);
            assert!(finding.received.starts_with("string("), "{}", finding.received);
        }
    }

    #[test]
    fn what_stands_in_another_element_alone_is_not_kept_in_its_own() {
        // Before, any element that shows the value was enough.
        let sent = [
            method("ada@example.com", "email", "active"),
            method("+44 7700 900123", "phone", "active"),
            method("01632 960123", "phone", "active"),
        ];
        let kept = [
            sent[0].clone(),
            method("+44 7700 900123", "other", "active"),
            sent[2].clone(),
        ];
        let told = created(&sent, &kept);
        assert_eq!(told.received("respelled"), "string(5), not the string(5) that was sent");
    }

    #[test]
    fn an_element_that_a_create_shows_twice_is_broken_and_an_update_may_add() {
        let [one, two, _] = methods();
        let kept = [one.clone(), two.clone(), one.clone()];
        let [answered, listed, updated] = three(&[one.clone(), two], &kept);
        for (told, kind) in [answered, listed] {
            assert_eq!(told.kind(kind(CONTACT)), Verdict::Broken);
            assert_eq!(told.received("carried"), "string(15) in 2 elements, sent in 1");
            let pointer = &told.finding("carried").pointer;
            assert!(pointer.ends_with("/contact_methods/2/contact"), "{pointer}");
        }
        assert!(updated.0.verdicts.findings().is_empty());
        let told = created(&[one.clone(), one.clone()], &[one.clone(), one]);
        assert!(told.verdicts.findings().is_empty());
    }

    #[test]
    fn an_element_that_is_not_found_leaves_its_parts_to_be_found_anywhere() {
        let [one, two, _] = methods();
        let told = created(&[one, two.clone()], &[two, method("other", "email", "active")]);
        assert_eq!(told.kind(FactKind::Carried(CONTACT)), Verdict::Broken);
        assert_eq!(told.kind(FactKind::Carried(TYPE)), Verdict::Held);
    }

    #[test]
    fn two_elements_that_nothing_tells_apart_are_not_called_mixed() {
        let sent = [
            method("ada@example.com", "email", "active"),
            method("ada@example.com", "work", "active"),
        ];
        let kept = [sent[1].clone(), sent[0].clone()];
        assert!(created(&sent, &kept).verdicts.findings().is_empty());
    }

    #[test]
    fn of_several_strict_fields_the_first_tells_the_element() {
        let text = "openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    post:
      operationId: createThing
      x-laws:
        created:
          resource: ''
          id: /id
          carries:
            - {sent: /parts/*/name, kept: /parts/*/label}
            - {sent: /parts/*/size, kept: /parts/*/size}
      responses: {'201': {description: Thing}}
";
        let bench = Bench::text(text, "createThing");
        let sent = json!({"parts": [{"name": "a", "size": 1}, {"name": "b", "size": 2}]});
        for (sizes, verdict) in [
            ([1, 2], Verdict::Held),
            ([2, 1], Verdict::Broken),
            ([1, 1], Verdict::Broken),
        ] {
            let kept = json!({"parts": [{"label": "a", "size": sizes[0]}, {"label": "b", "size": sizes[1]}]});
            let told = bench.created(&sent, &kept);
            assert_eq!(told.kind(FactKind::Carried(0)), Verdict::Held);
            assert_eq!(told.kind(FactKind::Carried(1)), verdict, "{sizes:?}");
        }
    }
}
