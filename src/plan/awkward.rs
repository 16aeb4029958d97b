//! Values that are valid but awkward: software that handles plain values correctly may still spoil them. The main type
//! is [`AwkwardValue`].
//!
//! A *name* is a string field that the run fills with a string of its own (`FieldKind::Name`); a body may have several,
//! counted from 0. An *element* is an item of an array in the body, such as a contact method; its *channel* is the
//! value that says what its address is for, such as `email` or `phone`. A *text* (`FieldKind::Text`) is the counterpart
//! of a name in an update without invariants, where nothing says what a service may do with it: it gets only those of
//! the pieces below that no service changes on purpose.
//!
//! # Design
//!
//! Each value is here because of a way in which software breaks on it, which the comment next to it names. Public
//! collections of such strings exist (the "Big List of Naughty Strings" is the best known), but they are made to
//! attack: scripts, statements that delete, paths that exist. What this run writes stays in somebody's database and is
//! read by people and other programs, so every value here is inert: markup without script or event, quotes without
//! statements, templates and links that refer to nothing. None has a control character, or a blank at its ends, which a
//! service may well strip. Invisible characters appear only where they belong, within an emoji or between two letters.
//!
//! A string of the run's own carries several of them at once, after its tag, so that a few requests cover all. What
//! comes back shows which of them was spoiled. Where a service rejects them together they are sent again in halves: see
//! [`AwkwardValues::halves`].

use std::fmt;

use chrono::NaiveDate;
use serde_json::Value;

use super::draft::Draft;
use super::leaf::{AwkwardPlaces, FieldKind, Leaf};
use super::timestamps;
use crate::contract::lexicon::camel_case_words;

/// The maximum number of pieces that one string carries.
const PIECES_PER_NAME: usize = 21;
/// The number of sets of values that an update is sent with.
const SETS_PER_UPDATE: usize = 10;
/// The number of elements in an array of an update.
const ELEMENTS_PER_ARRAY: usize = 3;
/// The number of an update's sets whose arrays have several elements. Those of the sets after them
/// have fewer: a service that merges arrays instead of replacing them then shows elements that the
/// update did not send.
const SETS_WITH_ELEMENTS: usize = 3;
/// The index of the set that has a long address.
const LONG_ADDRESS_SET: usize = SETS_WITH_ELEMENTS - 1;
/// The number of characters to which a string or an address is filled up: one more than a column of 255 holds. Mail
/// allows addresses of up to 254 characters (RFC 5321, section 4.5.3.1.3, without its angle brackets), so a longer one
/// may well be rejected; it must not be cut.
const FILLED_LENGTH: usize = 256;
/// If a long string is rejected, shorter ones are tried, but none shorter than this.
const MINIMUM_LENGTH: usize = 64;
/// The maximum length of the local part of an address (RFC 5321, section 4.5.3.1.1).
const LOCAL_PART: usize = 64;

/// A short string that makes a name or an address awkward, and what is awkward about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// What is awkward, for use after "with".
    pub class: &'static str,
    text: &'static str,
}

const fn piece(class: &'static str, text: &'static str) -> Piece {
    Piece { class, text }
}

/// The classes of the pieces that are added to texts.
const CLASSES_OF_A_TEXT: [&str; 9] = [
    "an apostrophe",
    "quotation marks",
    "an ampersand",
    "backslashes",
    "percent signs",
    "a plus sign",
    "accents",
    "Han and kana",
    "characters above U+FFFF (such as emoji)",
];

/// What follows the run's own name; pieces that the same layer would reject are next to each other.
const PIECES_OF_A_NAME: [Piece; 42] = [
    // Escaped for a page when it is stored, and once more when it is shown; stripped by a sanitizer.
    piece("an apostrophe", "O'Sample"),
    piece("quotation marks", "\"Ex\""),
    piece("an ampersand", "A&B"),
    piece("entities", "&amp;&#39;"),
    piece("markup", "<b>x</b>"),
    piece("angle brackets", "1<2>1"),
    // Put into a statement or into a line of a file: cut, doubled, or taken for the end of it.
    piece("doubled quotes", "x''y"),
    piece("a semicolon", "a;b"),
    piece("a comma", "a,b"),
    piece("comment signs", "--c /*d*/ #e"),
    piece("a pipe", "a|b"),
    // Unescaped once too often: a backslash of JSON or SQL, a percent sign of a form or of a format string. Or
    // shortened as a path; it names nothing, and does not go above where it begins.
    piece("backslashes", r"a\nb\\c\u0041"),
    piece("percent signs", "50%41%s"),
    piece("a plus sign", "a+b"),
    piece("a question mark", "a?b=c"),
    piece("slashes", "a/b//c d/../e"),
    // Filled in, rendered, or made into a link or a picture.
    piece("templates", "{{a}}${b}#{c}{0}"),
    piece("server page tags", "<%d%>"),
    piece("dollar signs", "$$ $& $1"),
    piece("brackets", "[a](b)"),
    piece("Markdown signs", "*a* _b_ `c` ~d~"),
    piece("a smiley", ":-)"),
    piece("a link", "https://example.com/a?b=c#d"),
    piece("colons", ":a: 1:2"),
    piece("an at sign", "@a"),
    // Normalised beyond Unicode's canonical equivalence: runs of blanks, the case of letters, compatibility forms.
    piece("double spaces", "a  b"),
    piece("capitals within words", "McEx dE"),
    piece("letters whose case is not one to one", "Stra\u{df}e I\u{130}\u{131}i"),
    piece("a non-breaking space", "a\u{a0}b"),
    piece("compatibility letters", "\u{fb01}\u{ff21}\u{b2}"),
    piece("digits of another script", "\u{664}\u{662}"),
    piece("letters with a comma below", "\u{219}\u{21b}"),
    piece("typographic signs", "\u{2019}\u{201c}\u{201d}\u{2013}\u{20ac}"),
    // Stored with at most three bytes per character, with one, or read in another encoding.
    piece("accents", "Zo\u{e9} \u{d1}\u{e5}"),
    piece("combining accents", "Zoe\u{301}"),
    piece("Han and kana", "\u{540d}\u{524d}\u{30ab}\u{30ca}"),
    piece(
        "characters above U+FFFF (such as emoji)",
        "\u{1f31f}\u{20bb7}\u{1f44d}\u{1f3fd}\u{1f1ec}\u{1f1e7}",
    ),
    piece(
        "an emoji of several characters",
        "\u{1f469}\u{200d}\u{1f4bb}\u{2764}\u{fe0f}",
    ),
    // With a mark that keeps the hyphen between them on the right side.
    piece(
        "Hebrew and Arabic",
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd}\u{200f}-\u{633}\u{644}\u{627}\u{645}",
    ),
    piece(
        "Indic and Thai letters",
        "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947} \u{e2a}\u{e27}\u{e31}",
    ),
    // Removed as not belonging to a name; at the end, as the end of a sentence.
    piece("a name that a filter of offensive words may reject", "Essex"),
    piece("a full stop at the end of the name", "Jr."),
];

/// Prefixes for the run's own name, which a service may strip as a symbol. If the body has only one name, it gets the
/// first prefix, because such a symbol usually precedes a label.
const PREFIXES: [Piece; 4] = [
    piece("a hash sign before the name", "#"),
    piece("an equals sign before the name", "="),
    piece("an at sign before the name", "@"),
    piece("a hyphen before the name", "-"),
];

/// The prefix of the first of several names; a service may strip it because it is not part of the name.
const TITLE: Piece = piece("a title before the name", "Dr. ");

/// What replaces a name: a string that spells another value, such as a number or `null`, which an untyped layer takes
/// for that value. All of these are tried in each name of an update.
const REPLACEMENTS: [Piece; 7] = [
    // Loosely typed: a number loses its zeros or its form, or comes back as a number.
    piece("leading zeros", "00420"),
    piece("a number", "420"),
    piece("an exponent", "1e3"),
    // False where code tests whether a string is present.
    piece("a zero", "0"),
    // Words that other languages use for nothing and for truth: there are people with these names.
    piece("the word null", "null"),
    piece("the word true", "true"),
    // Removed as the quotes of a field in a file.
    piece("quotation marks around the name", "\"Ex\""),
];

/// More of these, of which the seed chooses one for each name.
const MORE_REPLACEMENTS: [Piece; 11] = [
    // Too long for a number, so that the last digits are lost.
    piece("digits alone", "12345678901234567890123"),
    piece("a decimal fraction", "12.50"),
    piece("a hexadecimal number", "0x1F"),
    piece("the word Null", "Null"),
    piece("the word None", "None"),
    piece("the word undefined", "undefined"),
    piece("the word NaN", "NaN"),
    piece("the word False", "False"),
    piece("the word no", "no"),
    // What a spreadsheet takes for a value.
    piece("a text like a date", "1-2"),
    piece("a text like a formula", "=1+1"),
];

/// What the local part of an address contains, of the characters that RFC 5322 (section 3.2.3) allows there.
const PIECES_OF_AN_ADDRESS: [Piece; 10] = [
    // Stripped as a subaddress, or read as a blank.
    piece("a plus sign", "+t"),
    piece("an apostrophe", "o'x"),
    // Changed to lower case, though only the domain ignores case (RFC 5321, section 2.4).
    piece("capitals", "AX"),
    piece("a percent sign", "%41"),
    piece("an ampersand", "&="),
    // Taken for a fragment, or for a placeholder.
    piece("a hash sign", "#"),
    piece("a placeholder", "${c}"),
    piece("leading zeros", "007"),
    // Beyond ASCII (RFC 6531, section 3.3): many services reject them, but none may fail on them.
    piece("letters beyond ASCII", "\u{e9}\u{1f31f}"),
    // In quotation marks (section 3.2.4) anything may appear: split as a list, or unescaped once too often.
    piece("a comma and a backslash in quotation marks", r#"",\\n""#),
];

/// Phone numbers that belong to nobody (Ofcom's ranges for drama), as people write them.
const PHONE_NUMBERS: [Piece; 4] = [
    // The plus sign read as a blank, or lost with the other signs; the extension cut off.
    piece(
        "a plus sign with brackets and an extension",
        "+44 (0)7700 900109 ext. 4",
    ),
    // The zeros removed as those of a number, or as a dialling prefix.
    piece("leading zeros", "07700900108"),
    piece("two leading zeros", "00447700900110"),
    // With an extension dialled after it: more digits than a double holds.
    piece("seventeen digits", "44770090010700123"),
];

/// What distinguishes an element's address from the first one's, where nothing about it needs to be awkward.
const SECOND_ADDRESS: Piece = piece("a second address", "second");

/// The beginnings of words that name a channel that takes phone numbers.
const PHONE_CHANNELS: [&str; 6] = ["phone", "mobile", "sms", "tel", "whatsapp", "cell"];

/// A day and what is awkward about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Day {
    /// What is awkward, for use after "on".
    pub class: &'static str,
    year: i32,
    month: u32,
    day: u32,
}

const fn day(class: &'static str, (year, month, day): (i32, u32, u32)) -> Day {
    Day {
        class,
        year,
        month,
        day,
    }
}

/// Days on which calendars break. A run sends each: one in each set of an update, and one in a create.
const DAYS: [Day; SETS_PER_UPDATE + 1] = [
    // Moved to the next day, or to the end of February, when the year is shifted; and a full century with a leap day.
    day("the leap day of a full century", (2000, 2, 29)),
    // The 366th day of the year, which most years do not have; it belongs to week 1 of the next ISO year.
    day("the last day of a leap year", (1984, 12, 31)),
    // Two orders of writing the same date.
    day("a day that could be a month", (1984, 4, 3)),
    day("a month that begins with zero", (1979, 9, 8)),
    // Unix seconds of zero, or below zero; and the first day of a year, as an instant at midnight in a zone west of it.
    day("the day on which Unix time begins", (1970, 1, 1)),
    day("a day before 1970", (1955, 6, 30)),
    // Before the smallest instant of 32 bits; and dates that some calendars of databases and spreadsheets do not
    // have.
    day("a day before 1901", (1899, 12, 31)),
    day("the day on which spreadsheets begin", (1900, 1, 1)),
    // Two-digit years.
    day("a year of the twenties", (1925, 10, 31)),
    // After the largest instant of 32 bits.
    day("a leap day after 2038", (2040, 2, 29)),
    // No midnight, where summer time begins at that hour.
    day("a day without midnight in some zones", (1995, 10, 15)),
];

/// A time, with an offset, and what is awkward about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Time {
    /// What is awkward, for use after "at".
    pub class: &'static str,
    /// In the form of RFC 3339.
    pub(super) text: &'static str,
}

const fn time(class: &'static str, text: &'static str) -> Time {
    Time { class, text }
}

/// The instant that breaks the most: a negative offset with a half hour, a month that is already the next one in UTC,
/// and a time after the largest instant of 32 bits. It is in the future, which a service may reject.
const FAR_TIME: Time = time(
    "a month that is the next one in UTC, after 2038",
    "2039-03-31T22:20:29-03:30",
);

/// Other instants on which time zones break; all have a second that is not zero.
const TIMES: [Time; 7] = [
    time("noon, a day that could be a month", "2024-07-04T12:30:41-03:30"),
    time("a day before 1970", "1969-12-31T12:30:11-00:30"),
    time("the hour that summer time leaves out", "2024-03-31T02:15:07+01:00"),
    time("the hour that summer time has twice", "2024-10-27T02:25:53+02:00"),
    time("a leap day that is March in UTC", "2024-02-29T21:10:41-05:00"),
    time("a year that is the next one in UTC", "2023-12-31T22:20:29-03:30"),
    time("a month that is the one before in UTC", "2024-08-01T03:05:19+05:45"),
];

/// One awkward value in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AwkwardValue {
    /// This string before the run's own string, in the name field with this index.
    Prefix(usize, &'static Piece),
    /// This string after the run's own string, in that name field.
    Suffix(usize, &'static Piece),
    /// This string instead of the run's own string, in that name field.
    Replacement(usize, &'static Piece),
    /// This string after the text with this index.
    AfterText(usize, &'static Piece),
    /// The name with this index, filled up to this many characters.
    LongName(usize, usize),
    /// This string in the address of the element with this index, or the second string instead of the address where
    /// there is one and the element's channel takes phone numbers. Elements are added up to this index.
    Address(usize, &'static Piece, Option<&'static Piece>),
    /// The address of the element with this index, with this many characters.
    LongAddress(usize, usize),
    /// This date.
    Date(&'static Day),
    /// This instant.
    Instant(&'static Time),
}

impl fmt::Display for AwkwardValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefix(_, piece)
            | Self::Suffix(_, piece)
            | Self::Replacement(_, piece)
            | Self::AfterText(_, piece) => formatter.write_str(piece.class),
            Self::LongName(_, characters) => write!(formatter, "{characters} characters"),
            Self::LongAddress(_, characters) => write!(formatter, "an email address of {characters} characters"),
            Self::Address(_, address, number) => match number.filter(|number| number.class != address.class) {
                Some(number) => write!(formatter, "{} (in a phone number: {})", address.class, number.class),
                None => formatter.write_str(address.class),
            },
            Self::Date(day) => formatter.write_str(day.class),
            Self::Instant(time) => formatter.write_str(time.class),
        }
    }
}

/// The awkward values that one body is sent with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AwkwardValues(Vec<AwkwardValue>);

impl fmt::Display for AwkwardValues {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rendered: Vec<String> = Vec::new();
        for value in &self.0 {
            let class = value.to_string();
            if !rendered.contains(&class) {
                rendered.push(class);
            }
        }
        formatter.write_str(&rendered.join(", "))
    }
}

impl AwkwardValues {
    /// Returns the sets that an update is sent with: all pieces in each name, and as many of the other values as fit,
    /// chosen by the seed.
    pub(super) fn of_an_update(places: AwkwardPlaces, seed: u64) -> Vec<Self> {
        if places.is_empty() {
            return Vec::new();
        }
        let groups: Vec<_> = PIECES_OF_A_NAME.chunks(PIECES_PER_NAME).collect();
        let replacements = SETS_PER_UPDATE - groups.len();
        let set_at = |set: usize| {
            let mut values = Vec::new();
            for name in 0..places.names {
                // Each name has its pieces and its replacements in different sets from the name before it.
                let index = (set + name * replacements) % SETS_PER_UPDATE;
                match groups.get(index) {
                    Some(group) => {
                        values.extend(
                            rotated_by_seed(&PREFIXES, seed, index + name * groups.len())
                                .map(|piece| AwkwardValue::Prefix(name, piece)),
                        );
                        values.extend(group.iter().map(|piece| AwkwardValue::Suffix(name, piece)));
                        // Not in the last group, whose pieces belong at the end.
                        values.extend((index == 0).then_some(AwkwardValue::LongName(name, FILLED_LENGTH)));
                    }
                    None => values.extend(replacement(name, seed, index - groups.len())),
                }
            }
            if places.addresses {
                let elements = if places.elements && set < SETS_WITH_ELEMENTS {
                    ELEMENTS_PER_ARRAY
                } else {
                    1
                };
                // The first element is changed last, because the others are copied from its plain value.
                for element in (0..elements).rev() {
                    // Only the first sets replace addresses by phone numbers: later sets may replace every name, and
                    // then only the address has the run's own string. A single name is replaced after its pieces.
                    let has_own_name = places.names > 1 || (places.names == 1 && set < groups.len());
                    let phone_offset = (set < SETS_WITH_ELEMENTS && has_own_name).then_some(set + element);
                    let is_long = set == LONG_ADDRESS_SET && element + 1 == elements;
                    values.extend(address(element, seed, (set + element, phone_offset)));
                    values.extend(is_long.then_some(AwkwardValue::LongAddress(element, FILLED_LENGTH)));
                }
            }
            if places.split_dates {
                values.extend(rotated_by_seed(&DAYS, seed, set).map(AwkwardValue::Date));
            }
            Self(values)
        };
        (0..SETS_PER_UPDATE)
            .map(set_at)
            .filter(|values| !values.0.is_empty())
            .collect()
    }

    /// Returns the set that an update without invariants is sent with: the pieces, dealt out to its texts in turn so
    /// that none becomes much longer, and a leap day in its dates.
    pub(super) fn of_an_update_without_invariants(places: AwkwardPlaces) -> Self {
        let is_for_texts = |piece: &&Piece| CLASSES_OF_A_TEXT.contains(&piece.class);
        let pieces = PIECES_OF_A_NAME.iter().filter(is_for_texts).enumerate();
        let in_turn = pieces.filter(|_| places.texts > 0);
        let mut values: Vec<_> = in_turn
            .map(|(index, piece)| AwkwardValue::AfterText(index % places.texts, piece))
            .collect();
        values.extend(DAYS.first().filter(|_| places.string_dates).map(AwkwardValue::Date));
        Self(values)
    }

    /// Returns the values that an equivalent request sends: each can be written in more than one way.
    pub(super) fn for_equivalent_request(places: AwkwardPlaces) -> Self {
        let classes = [
            "accents",
            "characters above U+FFFF (such as emoji)",
            "slashes",
            "quotation marks",
        ];
        let pieces = PIECES_OF_A_NAME.iter().filter(|piece| classes.contains(&piece.class));
        let names = pieces.enumerate().filter(|_| places.names > 0);
        Self(
            names
                .map(|(index, piece)| AwkwardValue::Suffix(index % places.names, piece))
                .collect(),
        )
    }

    /// Returns the set of the create that is sent at the same time as the awkward one: a second element where an
    /// address of the run's own is in an array, and another instant. The seed also chooses which operation is sent this
    /// way (`run::variety`), one of three in the built-in contract. It is divided by three before it chooses the
    /// instant, which is thus seldom that of the awkward create.
    pub(super) fn of_a_concurrent_create(seed: u64) -> Self {
        // A different phone number from that in the create with awkward values.
        let phone = rotated_by_seed(&PHONE_NUMBERS, seed, SETS_WITH_ELEMENTS + ELEMENTS_PER_ARRAY);
        let second = [AwkwardValue::Address(1, &SECOND_ADDRESS, phone)].into_iter();
        Self(
            second
                .chain(rotated_by_seed(&TIMES, seed / 3, 0).map(AwkwardValue::Instant))
                .collect(),
        )
    }

    /// Returns the set that a create is sent with: as much as fits into one record. The record may stay for good, so
    /// there is no markup in it, and angle brackets only where no browser takes them for a tag.
    pub(super) fn of_a_create(places: AwkwardPlaces, seed: u64) -> Option<Self> {
        let mut values = Vec::new();
        for name in 0..places.names {
            let prefix = match name {
                0 if places.names == 1 => PREFIXES.first(),
                0 => Some(&TITLE),
                _ => rotated_by_seed(&PREFIXES, seed, name),
            };
            values.extend(prefix.map(|piece| AwkwardValue::Prefix(name, piece)));
            let inert = |piece: &&Piece| !may_be_markup(piece.text);
            let index = (name + usize::try_from(seed % 2).unwrap_or(0)) % places.names;
            let pieces = PIECES_OF_A_NAME.iter().filter(inert).skip(index).step_by(places.names);
            values.extend(pieces.map(|piece| AwkwardValue::Suffix(name, piece)));
        }
        if places.elements {
            // All of them, spread evenly over the elements.
            let most = PIECES_OF_AN_ADDRESS.len().div_ceil(ELEMENTS_PER_ARRAY);
            for (element, addresses) in PIECES_OF_AN_ADDRESS.chunks(most).enumerate().rev() {
                let phone = rotated_by_seed(&PHONE_NUMBERS, seed, SETS_WITH_ELEMENTS + element);
                values.extend(
                    addresses
                        .iter()
                        .map(|address| AwkwardValue::Address(element, address, phone)),
                );
            }
        } else if places.addresses {
            // All in one address, as far as they fit: nothing else shows whose the record is.
            values.extend((0..PIECES_OF_AN_ADDRESS.len()).filter_map(|offset| address(0, 0, (offset, None))));
        }
        if places.split_dates {
            values.extend(rotated_by_seed(&DAYS, seed, SETS_PER_UPDATE).map(AwkwardValue::Date));
        }
        if places.instants {
            // The last one is sent, and if it is rejected, the other one.
            values.extend(rotated_by_seed(&TIMES, seed, 0).map(AwkwardValue::Instant));
            values.push(AwkwardValue::Instant(&FAR_TIME));
        }
        (!values.is_empty()).then_some(Self(values))
    }

    /// Returns what is sent instead of values that were rejected together: each half of them, or a long string of half
    /// the length. Any other single value cannot be reduced.
    #[must_use]
    pub fn halves(&self) -> Vec<Self> {
        match self.0.as_slice() {
            [AwkwardValue::LongName(name, characters)] if *characters > MINIMUM_LENGTH => {
                vec![Self(vec![AwkwardValue::LongName(*name, characters / 2)])]
            }
            [AwkwardValue::LongAddress(element, characters)] if *characters > 2 * MINIMUM_LENGTH => {
                vec![Self(vec![AwkwardValue::LongAddress(*element, characters / 2)])]
            }
            [] | [_] => Vec::new(),
            several => {
                let (first, second) = several.split_at(several.len() / 2);
                vec![Self(first.to_vec()), Self(second.to_vec())]
            }
        }
    }

    /// Returns the set without values of these classes: if one name does not accept a class, another is unlikely to.
    #[must_use]
    pub fn without(&self, classes: &[String]) -> Self {
        let stay = self.0.iter().filter(|value| !classes.contains(&value.to_string()));
        Self(stay.copied().collect())
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns how many values the set has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the set has exactly one value.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.0.len() == 1
    }
}

/// Whether a browser or a template may take a part of a text for a tag: a bracket with a letter or a sign after it.
fn may_be_markup(text: &str) -> bool {
    let mut brackets = text.match_indices('<');
    brackets.any(|(at, _)| !text[at + 1..].starts_with(|next: char| next.is_ascii_digit() || next == ' '))
}

/// Returns the value at this distance from the one that the seed chooses.
fn rotated_by_seed<T>(values: &'static [T], seed: u64, offset: usize) -> Option<&'static T> {
    let length = u64::try_from(values.len()).ok()?;
    let start = usize::try_from(seed.checked_rem(length)?).ok()?;
    values.get((start + offset) % values.len())
}

/// Returns the replacement of a name with this index.
fn replacement(name: usize, seed: u64, index: usize) -> Option<AwkwardValue> {
    let more = || rotated_by_seed(&MORE_REPLACEMENTS, seed, index - REPLACEMENTS.len() + name);
    REPLACEMENTS
        .get(index)
        .or_else(more)
        .map(|piece| AwkwardValue::Replacement(name, piece))
}

/// Returns an element with the address at one offset, or with the phone number at the other.
fn address(element: usize, seed: u64, (address_offset, phone_offset): (usize, Option<usize>)) -> Option<AwkwardValue> {
    let address = rotated_by_seed(&PIECES_OF_AN_ADDRESS, seed, address_offset)?;
    let phone = phone_offset.and_then(|offset| rotated_by_seed(&PHONE_NUMBERS, seed, offset));
    Some(AwkwardValue::Address(element, address, phone))
}

impl Draft {
    /// Puts awkward values into the draft, as far as it has a place for them.
    pub(super) fn put(&mut self, values: &AwkwardValues) {
        for value in &values.0 {
            match value {
                AwkwardValue::Prefix(name, piece) => self.change_name(*name, |own| format!("{}{own}", piece.text)),
                AwkwardValue::Suffix(name, piece) => self.change_name(*name, |own| format!("{own} {}", piece.text)),
                AwkwardValue::Replacement(name, piece) => self.change_name(*name, |_| piece.text.to_owned()),
                AwkwardValue::AfterText(index, piece) => {
                    self.change_string((FieldKind::Text, *index), |own| format!("{own} {}", piece.text));
                }
                AwkwardValue::LongName(name, characters) => self.change_name(*name, |own| filled(own, *characters)),
                AwkwardValue::Address(element, address, phone) => {
                    self.change_address(*element, |own, takes_phone_numbers| {
                        let phone = phone.filter(|_| takes_phone_numbers);
                        phone.map_or_else(
                            || with_local_part_text(own, address.text),
                            |phone| Some(phone.text.to_owned()),
                        )
                    });
                }
                AwkwardValue::LongAddress(element, characters) => {
                    self.change_address(*element, |own, takes_phone_numbers| {
                        if takes_phone_numbers {
                            None
                        } else {
                            lengthened(own, *characters)
                        }
                    });
                }
                AwkwardValue::Date(day) => self.set_date(day),
                AwkwardValue::Instant(time) => {
                    let draft_number = self.number;
                    // By less than an hour: on another day, it would no longer be awkward.
                    let minutes = draft_number % timestamps::DRAFTS_PER_DAY;
                    self.rewrite(FieldKind::Timestamp, |_| timestamps::moved(time.text, minutes));
                }
            }
        }
    }

    /// Changes the string of the name with this index.
    fn change_name(&mut self, name: usize, change: impl Fn(&str) -> String) {
        self.change_string((FieldKind::Name, name), change);
    }

    /// Changes the string of the field with this kind and this index among those of the kind.
    fn change_string(&mut self, (kind, index): (FieldKind, usize), change: impl Fn(&str) -> String) {
        let mut leaves = self.leaves.iter_mut().filter(|leaf| leaf.kind == kind);
        if let Some(leaf) = leaves.nth(index) {
            leaf.rewrite(|own| Some(change(own)));
        }
    }

    /// Changes the address in one element of the array, or its phone number if the element's channel takes those.
    fn change_address(&mut self, element: usize, change: impl Fn(&str, bool) -> Option<String>) {
        let mut addresses = self.leaves.iter().filter(|leaf| leaf.kind == FieldKind::Address);
        let Some(first) = addresses.next().map(|leaf| leaf.pointer.clone()) else {
            return;
        };
        let at = match first.rsplit_once("/0/") {
            Some((array, below)) => {
                // A missing index would be filled with null, which is not an element.
                (1..=element).for_each(|element| self.add_element(array, element));
                format!("{array}/{element}/{below}")
            }
            // There is no array, so there is only one.
            None if element == 0 => first,
            None => return,
        };
        let parent = at.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        let beside = self
            .leaves
            .iter()
            .filter(|leaf| leaf.pointer.rsplit_once('/').is_some_and(|(above, _)| above == parent));
        let takes_phone_numbers = beside
            .filter(|leaf| leaf.pointer != at)
            .filter_map(Leaf::value)
            .any(names_phone_channel);
        if let Some(leaf) = self.leaves.iter_mut().find(|leaf| leaf.pointer == at) {
            leaf.rewrite(|own| change(own, takes_phone_numbers));
        }
    }

    /// Adds an element to an array that has one: the same fields, with different values where others are known.
    fn add_element(&mut self, array: &str, element: usize) {
        let (first, other) = (format!("{array}/0/"), format!("{array}/{element}/"));
        if element == 0 || self.leaves.iter().any(|leaf| leaf.pointer.starts_with(&other)) {
            return;
        }
        let of_the_first: Vec<_> = self
            .leaves
            .iter()
            .filter(|leaf| leaf.pointer.starts_with(&first))
            .cloned()
            .collect();
        self.leaves.extend(of_the_first.into_iter().map(|leaf| {
            let pointer = leaf.pointer.replacen(&first, &other, 1);
            // Values of one origin: the target's spellings are not mixed with the contract's.
            let chosen = leaf.another_of_its_origin(element);
            let repeats = leaf.repeats.as_ref().map(|at| at.replacen(&first, &other, 1));
            Leaf {
                pointer,
                chosen,
                repeats,
                ..leaf
            }
        }));
    }

    /// Sets the fields of a date to this day.
    fn set_date(&mut self, day: &Day) {
        let parts = [
            (FieldKind::Day, Value::from(day.day)),
            (FieldKind::Month, Value::from(day.month)),
            (FieldKind::Year, Value::from(day.year)),
        ];
        let has = |kind| {
            self.leaves
                .iter()
                .any(|leaf| leaf.kind == kind && leaf.value().is_some())
        };
        let has_all = parts.iter().all(|(kind, _)| has(*kind));
        for (kind, value) in parts.into_iter().filter(|_| has_all) {
            let leaves = self.leaves.iter_mut().filter(|leaf| leaf.kind == kind);
            leaves.for_each(|leaf| leaf.set(value.clone()));
        }
        if let Some(date) = NaiveDate::from_ymd_opt(day.year, day.month, day.day) {
            let dates = self.leaves.iter_mut().filter(|leaf| leaf.kind == FieldKind::Date);
            dates.for_each(|leaf| leaf.set_date(date));
        }
    }
}

/// Fills up a string to this many characters.
fn filled(own: &str, characters: usize) -> String {
    let left = characters.saturating_sub(own.chars().count() + 1);
    let filling: String = "Sample-".chars().cycle().take(left).collect();
    format!("{own}-{filling}")
}

/// Adds text to the local part of an address, as far as it fits. A text that begins with a quotation mark puts the
/// whole local part in quotation marks.
fn with_local_part_text(address: &str, text: &str) -> Option<String> {
    let (local, domain) = address.split_once('@')?;
    let local = match text.strip_prefix('"') {
        Some(_) if local.starts_with('"') => return None,
        Some(quoted) => format!("\"{local}{quoted}"),
        None if text.starts_with('+') => format!("{local}{text}"),
        None => format!("{local}.{text}"),
    };
    (local.len() <= LOCAL_PART).then(|| format!("{local}@{domain}"))
}

/// Lengthens the domain of an address until the address has this many characters (RFC 1035, section 2.3.4: 255 at most,
/// in labels of 63).
fn lengthened(address: &str, characters: usize) -> Option<String> {
    let (local, domain) = address.split_once('@')?;
    let left = characters.checked_sub(address.chars().count() + 1)?;
    let mut labels: String = "countersign.sample.".chars().cycle().take(left).collect();
    if labels.ends_with('.') {
        labels.pop();
        labels.push('s');
    }
    Some(format!("{local}@{labels}.{domain}"))
}

/// Whether a value names a channel that takes phone numbers: by one of its words, which may have more letters
/// (`telephone`, `cellular`), but not by letters within one (`hotel`).
fn names_phone_channel(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        let mut words = camel_case_words(text).into_iter();
        words.any(|word| PHONE_CHANNELS.iter().any(|channel| word.starts_with(channel)) || word.ends_with("phone"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_of_numbers_is_named_by_a_word_and_not_within_one() {
        for channel in ["Phone", "workMobile", "telephone", "SMS", "cell_phone", "smartphone"] {
            assert!(names_phone_channel(&Value::from(channel)), "{channel}");
        }
        for channel in ["hotel", "cancelled", "email", "Isms"] {
            assert!(!names_phone_channel(&Value::from(channel)), "{channel}");
        }
    }

    use crate::contract::vocabulary::TimestampFormat;
    use crate::history::{Bindings, RunTag};
    use crate::plan::Template;

    const BODY: AwkwardPlaces = AwkwardPlaces {
        names: 2,
        texts: 0,
        addresses: true,
        elements: true,
        split_dates: true,
        string_dates: false,
        instants: false,
    };

    /// The sets of a run: those of an update, and that of a create.
    fn all(places: AwkwardPlaces, seed: u64) -> Vec<AwkwardValue> {
        let sets = AwkwardValues::of_an_update(places, seed).into_iter();
        sets.chain(AwkwardValues::of_a_create(places, seed))
            .flat_map(|values| values.0)
            .collect()
    }

    #[test]
    fn each_run_shows_every_class_but_the_whole_names_that_are_drawn() {
        for seed in 0..30 {
            let values = all(BODY, seed);
            for name in 0..2 {
                for piece in &PIECES_OF_A_NAME {
                    assert!(values.contains(&AwkwardValue::Suffix(name, piece)), "{seed} {piece:?}");
                }
                for piece in &REPLACEMENTS {
                    assert!(
                        values.contains(&AwkwardValue::Replacement(name, piece)),
                        "{seed} {piece:?}"
                    );
                }
                let is_drawn = |value: &&AwkwardValue| {
                    MORE_REPLACEMENTS
                        .iter()
                        .any(|piece| **value == AwkwardValue::Replacement(name, piece))
                };
                assert_eq!(values.iter().filter(is_drawn).count(), 1);
                assert!(values.contains(&AwkwardValue::LongName(name, FILLED_LENGTH)));
            }
            assert!(values.contains(&AwkwardValue::Prefix(0, &TITLE)));
            let prefixes = PREFIXES.iter();
            let mut missing =
                prefixes.filter(|piece| !(0..2).any(|name| values.contains(&AwkwardValue::Prefix(name, piece))));
            assert_eq!(missing.next(), None, "{seed}");
            let has = |wanted: &dyn Fn(&AwkwardValue) -> bool| values.iter().any(wanted);
            for piece in &PIECES_OF_AN_ADDRESS {
                assert!(
                    has(&|value| matches!(value, AwkwardValue::Address(_, address, _) if *address == piece)),
                    "{piece:?}"
                );
            }
            for piece in &PHONE_NUMBERS {
                // The elements after the first belong to another channel.
                let is_it = |value: &AwkwardValue| matches!(value, AwkwardValue::Address(1, _, number) if *number == Some(piece));
                assert!(has(&is_it), "{seed} {piece:?}");
            }
            assert!(
                DAYS.iter().all(|day| values.contains(&AwkwardValue::Date(day))),
                "{seed}"
            );
        }
    }

    #[test]
    fn the_elements_of_a_set_differ_and_only_the_first_sets_have_several() {
        for seed in 0..30 {
            for (round, values) in AwkwardValues::of_an_update(BODY, seed).into_iter().enumerate() {
                let addresses = |value: &AwkwardValue| match value {
                    AwkwardValue::Address(element, address, number) => {
                        Some((*element, address.class, number.map(|number| number.class)))
                    }
                    _ => None,
                };
                let addresses: Vec<_> = values.0.iter().filter_map(addresses).collect();
                for (offset, (_, address, number)) in addresses.iter().enumerate() {
                    let mut others = addresses.iter().skip(offset + 1);
                    assert!(
                        others.all(|other| other.1 != *address && other.2 != *number),
                        "{seed} {round}"
                    );
                }
                let most = addresses.iter().map(|(element, ..)| element + 1).max();
                assert_eq!(
                    most,
                    Some(if round < SETS_WITH_ELEMENTS {
                        ELEMENTS_PER_ARRAY
                    } else {
                        1
                    })
                );
            }
        }
    }

    #[test]
    fn a_value_in_a_later_element_leaves_no_gap_before_it() {
        let contract = crate::testing::built_in();
        let create = contract.operation_named("createContact").unwrap();
        let draft =
            Template::of(contract, create).draft(&Bindings::default(), (&RunTag::new(1, 1), 0), TimestampFormat::Utc);
        let mut draft = draft.unwrap();
        draft.put(&AwkwardValues(vec![AwkwardValue::LongAddress(2, 100)]));
        let methods = draft.body().0["contact_methods"].clone();
        let methods = methods.as_array().unwrap();
        assert_eq!(methods.len(), 3);
        assert!(
            methods.iter().all(|method| method["contact"].is_string()),
            "{methods:?}"
        );
    }

    #[test]
    fn a_create_has_the_sign_of_a_label_before_its_only_name_and_no_markup() {
        let label = AwkwardPlaces {
            names: 1,
            ..AwkwardPlaces::default()
        };
        for seed in 0..30 {
            let values = AwkwardValues::of_a_create(label, seed).unwrap();
            assert!(values.0.contains(&AwkwardValue::Prefix(0, &PREFIXES[0])));
            let is_markup =
                |value: &&AwkwardValue| matches!(value, AwkwardValue::Suffix(_, piece) if may_be_markup(piece.text));
            assert_eq!(values.0.iter().find(is_markup), None);
            let has = |text: &str| {
                values
                    .0
                    .iter()
                    .any(|value| matches!(value, AwkwardValue::Suffix(_, piece) if piece.text == text))
            };
            assert!(has("1<2>1") && !has("<b>x</b>") && !has("<%d%>"));
        }
    }

    #[test]
    fn the_instant_that_is_to_come_is_taken_back_first() {
        let visit = AwkwardPlaces {
            instants: true,
            ..AwkwardPlaces::default()
        };
        for seed in 0..30 {
            let values = AwkwardValues::of_a_create(visit, seed).unwrap();
            assert_eq!(values.0.last(), Some(&AwkwardValue::Instant(&FAR_TIME)));
            let halves = values.halves();
            assert!(matches!(halves[0].0[..], [AwkwardValue::Instant(time)] if *time != FAR_TIME));
        }
    }

    #[test]
    fn a_wide_address_has_so_many_characters_and_no_empty_label() {
        for extra in 0..40 {
            let address = format!("{}@example.com", "a".repeat(extra + 1));
            let long = lengthened(&address, FILLED_LENGTH).unwrap();
            assert_eq!(long.chars().count(), FILLED_LENGTH);
            assert!(!long.contains(".."), "{long}");
        }
    }

    #[test]
    fn what_is_in_quotation_marks_has_the_local_part_between_them() {
        let quoted = PIECES_OF_AN_ADDRESS.last().unwrap().text;
        assert_eq!(
            with_local_part_text("a.b@example.com", quoted).unwrap(),
            r#""a.b,\\n"@example.com"#
        );
        assert_eq!(with_local_part_text(r#""a"@example.com"#, quoted), None);
        assert_eq!(with_local_part_text("a@example.com", "+t").unwrap(), "a+t@example.com");
        assert_eq!(
            with_local_part_text(&format!("{}@example.com", "a".repeat(60)), quoted),
            None
        );
    }

    #[test]
    fn an_awkward_instant_stays_on_its_day_however_many_were_sent_before() {
        let text = "openapi: 3.0.3\ninfo: {title: Stays, version: '1'}\npaths:\n  /stays:\n    post: {operationId: \
                    addStay, requestBody: {content: {application/json: {schema: {type: object, properties: {at: {type: \
                    string, format: date-time}, name: {type: string}}}}}}, responses: {'201': {description: a}}}\n";
        let contract = crate::contract::Contract::read("stays.yaml", text.to_owned()).unwrap();
        let create = contract.operation_named("addStay").unwrap();
        for number in [0, 29, 30, 45, 29_999] {
            let run_tag = RunTag::new(1, 1);
            let draft =
                Template::of(&contract, create).draft(&Bindings::default(), (&run_tag, number), TimestampFormat::Utc);
            let mut draft = draft.unwrap();
            draft.put(&AwkwardValues(vec![AwkwardValue::Instant(&TIMES[0])]));
            let body = draft.body().0;
            let sent = body["at"].as_str().unwrap();
            assert_eq!(sent[..13], TIMES[0].text[..13], "{number}");
        }
    }
}
