//! The fields of a draft, and what each of them is. The main type is [`Leaf`].

use chrono::NaiveDate;
use serde_json::Value;

use crate::contract::lexicon::camel_case_words;
use crate::history::IdentifyingUse;

/// One field of a draft.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The location in the body; arrays have one element, unless awkward values need more.
    pub(super) pointer: String,
    /// The candidate values, in the order in which they are tried.
    pub(super) choices: Vec<Choice>,
    /// The index of the current choice; past the last one, the field is left out.
    pub(super) chosen: usize,
    /// Whether an `x-gap` at its schema leaves its values open.
    pub(super) values_are_open: bool,
    /// Whether `choices` has one date in several formats, and `others` has other dates, each in those formats.
    pub(super) in_formats: bool,
    /// Values that are as good as the choices, for a body that must differ.
    pub(super) others: Vec<Choice>,
    pub(super) kind: FieldKind,
    /// Whether the contract requires the field at the top of the body.
    pub(super) required: bool,
    /// The members of its `enum`, if its schema has one.
    pub(super) members: Vec<Value>,
    /// Those of them that may be sent in place of one that an existing record has.
    pub(super) free_members: Vec<Value>,
    /// Whether no body may omit it, because the service would then set a default that the run avoids.
    pub(super) must_be_sent: bool,
    /// The pointer of the field whose value it repeats: `/password` for `/password_repeat`.
    pub(super) repeats: Option<String>,
}

/// A candidate value of a field.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) value: Value,
    /// Whether the target showed it, in which case it must not be printed.
    pub(super) from_target: bool,
    /// Whether it may be taken for the identifier of a record that nobody has created.
    pub(super) is_made_up: bool,
    /// Whether it identifies a record that the run has created.
    pub(super) identifies_own_record: bool,
}

impl Choice {
    /// Makes a choice of a value that is from the contract or from the run, not shown by the target.
    pub(super) fn own(value: Value) -> Self {
        Self {
            value,
            from_target: false,
            is_made_up: false,
            identifies_own_record: false,
        }
    }

    /// Makes a choice of a value that is not shown by the target and may be taken for the identifier of a record.
    pub(super) fn made_up(value: Value) -> Self {
        Self {
            is_made_up: true,
            ..Self::own(value)
        }
    }
}

impl Leaf {
    /// Returns the pointer of the top-level field that it is, or is a part of.
    pub(super) fn top_field(&self) -> Option<&str> {
        top(&self.pointer)
    }

    /// Returns the value that it is sent with; `None` where it is left out.
    pub(super) fn value(&self) -> Option<&Value> {
        self.choices.get(self.chosen).map(|choice| &choice.value)
    }

    /// Returns the index of the choice at this distance after the current one, among those with the same origin.
    pub(super) fn another_of_its_origin(&self, places: usize) -> usize {
        let Some(now) = self.choices.get(self.chosen) else {
            return self.chosen;
        };
        let alike = self
            .choices
            .iter()
            .enumerate()
            .filter(|(_, choice)| choice.from_target == now.from_target);
        let alike: Vec<_> = alike.map(|(index, _)| index).collect();
        let place = alike.iter().position(|index| *index == self.chosen).unwrap_or(0);
        alike
            .get((place + places) % alike.len().max(1))
            .copied()
            .unwrap_or(self.chosen)
    }

    /// Whether at least three members of its `enum` are those of one record each, and another is free: even a category
    /// may then be a key.
    pub(super) fn lists_free_members_of_a_key(&self, identifying_use: impl Fn(&str, &Value) -> IdentifyingUse) -> bool {
        const LEAST_TAKEN: usize = 3;
        let is_taken = |member: &&Value| {
            let used = identifying_use(&self.pointer, member);
            [IdentifyingUse::TakenPerhapsShared, IdentifyingUse::TakenAndUnique].contains(&used)
        };
        let taken = self.members.iter().filter(is_taken).count();
        (LEAST_TAKEN..self.members.len()).contains(&taken)
    }

    /// Sends this value and no other.
    pub(super) fn set(&mut self, value: Value) {
        self.choices = vec![Choice::own(value)];
        self.chosen = 0;
    }

    /// Changes the date that it is sent with, if there is one, in the format in which it is sent now.
    pub(super) fn set_date(&mut self, date: NaiveDate) {
        let other_format = self.chosen.checked_sub(1).filter(|_| self.in_formats);
        let format = other_format.and_then(|index| OTHER_FORMATS.get(index)).unwrap_or(&ISO);
        self.rewrite(|_| Some(date.format(format).to_string()));
    }

    /// Changes the string that it is sent with, if there is one.
    pub(super) fn rewrite(&mut self, change: impl Fn(&str) -> Option<String>) {
        let changed = self.value().and_then(Value::as_str).and_then(change);
        if let Some(changed) = changed {
            self.set(Value::String(changed));
        }
    }

    /// Chooses another value that `fits`, if there is one.
    pub(super) fn choose_another(&mut self, fits: impl Fn(&Value) -> bool) {
        let later = self.choices.get(self.chosen + 1..).filter(|_| !self.in_formats);
        let others = if self.in_formats {
            let per_format = (self.others.len() / self.choices.len().max(1)).max(1);
            self.others.chunks(per_format).nth(self.chosen).unwrap_or_default()
        } else {
            &self.others
        };
        let mut all = later.into_iter().flatten().chain(others);
        let other = all.find(|choice| fits(&choice.value));
        if let Some(other) = other.cloned() {
            self.choices = vec![other];
            self.chosen = 0;
        }
    }
}

/// Returns the name, in the form in which names are compared, of the field that one with this name repeats, so that a
/// person who fills in a form twice types the same: `password` for `password_repeat` and `confirmPassword`.
pub(super) fn repeated_name(name: &str) -> Option<String> {
    let words = camel_case_words(name);
    let first = |word: &str| matches!(word, "confirm" | "repeat" | "retype");
    let last = |word: &str| matches!(word, "confirm" | "confirmation" | "repeat");
    let repeated = match words.as_slice() {
        [word, rest @ ..] if first(word) => rest,
        [rest @ .., word] if last(word) => rest,
        _ => return None,
    };
    (!repeated.is_empty()).then(|| repeated.concat())
}

/// Returns the pointer of the top-level field of a body that contains this location.
pub(super) fn top(pointer: &str) -> Option<&str> {
    let end = pointer.get(1..)?.find('/').map_or(pointer.len(), |end| end + 1);
    pointer.get(..end)
}

/// What a field is, as far as a variant changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// An email address that the run makes, with the run tag in it.
    Address,
    /// A date as a string.
    Date,
    /// The day of a date.
    Day,
    /// The month of a date, from 1.
    Month,
    /// A string that the run makes, with the run tag in it, where any string is allowed.
    Name,
    /// Anything else.
    Other,
    /// A text in an update without invariants, which the updated record must show as it was sent.
    Text,
    /// An instant.
    Timestamp,
    /// The year of a date.
    Year,
}

/// The format of a full date (RFC 3339, section 5.6), and those in which it is sent if that is rejected, in the
/// notation of `strftime`.
const ISO: &str = "%Y-%m-%d";
const OTHER_FORMATS: [&str; 3] = ["%Y-%m-%dT00:00:00Z", "%d/%m/%Y", "%m/%d/%Y"];
/// A date that no example has.
const OTHER_DATE: &str = "1976-05-19";

/// Recognises the fields that make up a date: sibling integers called day, month and year, and a string in the form of
/// a full date (RFC 3339, section 5.6), which is taken for the same date.
pub(super) fn recognise_dates(leaves: &mut [Leaf]) {
    let parts = [
        ("/day", FieldKind::Day),
        ("/month", FieldKind::Month),
        ("/year", FieldKind::Year),
    ];
    let is_whole = |at: &&str| {
        let has = |part: &str| leaves.iter().any(|leaf| above(leaf, part) == Some(at));
        parts.iter().all(|(part, _)| has(part))
    };
    let mut dates = leaves.iter().filter_map(|leaf| above(leaf, "/day"));
    let Some(date) = dates.find(is_whole).map(str::to_owned) else {
        return;
    };
    for leaf in leaves {
        // What the target showed stays as it is, and must not be printed in any format.
        let own = leaf.choices.get(leaf.chosen).filter(|choice| !choice.from_target);
        let written = own.and_then(|choice| choice.value.as_str()).and_then(iso_date);
        let part = parts.iter().find(|(part, _)| above(leaf, part) == Some(&date));
        if let Some((_, kind)) = part {
            leaf.kind = *kind;
        } else if let Some(written) = written {
            leaf.kind = FieldKind::Date;
            // An update of the parts may change the string too; without this value, no example would be left that was
            // neither sent nor shown.
            leaf.others.push(Choice::own(Value::from(OTHER_DATE)));
            // Which format is accepted may be a gap, and another part of the body may have the same date.
            if leaf.values_are_open && leaf.choices.len() == 1 {
                let others = leaf.others.iter().filter_map(|other| other.value.as_str());
                let others: Vec<_> = others.filter_map(iso_date).collect();
                leaf.in_formats = true;
                for format in OTHER_FORMATS {
                    let choice = |date: &NaiveDate| Choice::own(Value::from(date.format(format).to_string()));
                    leaf.choices.push(choice(&written));
                    leaf.others.extend(others.iter().map(choice));
                }
            }
        }
    }
}

/// Returns the pointer of the object that has this integer as a part of a date.
fn above<'leaf>(leaf: &'leaf Leaf, part: &str) -> Option<&'leaf str> {
    let above = leaf.pointer.strip_suffix(part);
    above.filter(|_| leaf.value().is_some_and(Value::is_i64))
}

/// Reads a full date (RFC 3339, section 5.6).
fn iso_date(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, ISO).ok()
}

/// The places in a body that can hold an awkward value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AwkwardPlaces {
    /// The number of names.
    pub(super) names: usize,
    /// The number of texts: see [`FieldKind::Text`].
    pub(super) texts: usize,
    /// Whether there is an address.
    pub(super) addresses: bool,
    /// Whether the address is in the elements of an array.
    pub(super) elements: bool,
    /// Whether there is a date in three fields: day, month and year.
    pub(super) split_dates: bool,
    /// Whether there is a date in one string.
    pub(super) string_dates: bool,
    /// Whether there is a timestamp.
    pub(super) instants: bool,
}

impl AwkwardPlaces {
    /// Returns what can be awkward about these fields.
    pub(super) fn of(leaves: &[Leaf]) -> Self {
        let count = |kind| leaves.iter().filter(|leaf| leaf.kind == kind).count();
        let any = |kind| count(kind) > 0;
        Self {
            names: count(FieldKind::Name),
            texts: count(FieldKind::Text),
            addresses: any(FieldKind::Address),
            elements: leaves
                .iter()
                .any(|leaf| leaf.kind == FieldKind::Address && leaf.pointer.contains("/0/")),
            split_dates: any(FieldKind::Day) && any(FieldKind::Month) && any(FieldKind::Year),
            string_dates: any(FieldKind::Date),
            instants: any(FieldKind::Timestamp),
        }
    }

    /// Whether the run makes strings of its own for the body.
    pub(super) fn have_strings(self) -> bool {
        self.names > 0 || self.addresses
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_field_for_what_is_typed_twice_is_known_by_its_name() {
        for (name, repeated) in [
            ("password_repeat", Some("password")),
            ("passwordConfirmation", Some("password")),
            ("confirm_new_password", Some("newpassword")),
            ("repeatEmail", Some("email")),
            ("retype-pin", Some("pin")),
            ("confirm", None),
            ("confirmed_email", None),
            ("password", None),
        ] {
            assert_eq!(repeated_name(name).as_deref(), repeated, "{name}");
        }
    }

    use super::*;

    fn leaf(pointer: &str, value: Value, from_target: bool) -> Leaf {
        let choice = Choice {
            from_target,
            ..Choice::own(value)
        };
        Leaf {
            pointer: pointer.to_owned(),
            choices: vec![choice],
            chosen: 0,
            values_are_open: true,
            in_formats: false,
            others: Vec::new(),
            kind: FieldKind::Other,
            required: false,
            members: Vec::new(),
            free_members: Vec::new(),
            must_be_sent: false,
            repeats: None,
        }
    }

    #[test]
    fn a_date_is_sent_in_several_formats_unless_the_target_showed_it() {
        let numbers = [("/born/day", 17), ("/born/month", 5), ("/born/year", 1937)];
        let parts = numbers.map(|(at, number)| leaf(at, Value::from(number), false));
        for (from_target, formats) in [(false, 1 + OTHER_FORMATS.len()), (true, 1)] {
            let text = leaf("/text", Value::from("1937-05-17"), from_target);
            let mut leaves = [parts.to_vec(), vec![text]].concat();
            recognise_dates(&mut leaves);
            let text = leaves.last().unwrap();
            assert_eq!(text.choices.len(), formats);
            assert!(text.choices.iter().all(|choice| choice.from_target == from_target));
        }
    }

    #[test]
    fn a_date_is_changed_in_the_format_in_which_it_is_sent() {
        let numbers = [("/born/day", 17), ("/born/month", 5), ("/born/year", 1937)];
        let parts = numbers.map(|(at, number)| leaf(at, Value::from(number), false));
        let text = leaf("/text", Value::from("1937-05-17"), false);
        let mut leaves = [parts.to_vec(), vec![text]].concat();
        recognise_dates(&mut leaves);
        let leap_day = NaiveDate::from_ymd_opt(2000, 2, 29).unwrap();
        for (chosen, written) in [
            (0, "2000-02-29"),
            (1, "2000-02-29T00:00:00Z"),
            (2, "29/02/2000"),
            (3, "02/29/2000"),
        ] {
            let mut text = leaves.last().unwrap().clone();
            text.chosen = chosen;
            text.set_date(leap_day);
            assert_eq!(text.value(), Some(&Value::from(written)));
        }
    }
}
