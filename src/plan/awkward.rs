//! Values that are awkward and valid: what software that stores a plain value may well spoil. The main type is [`Edge`].
//!
//! # Design
//!
//! Each value is here because of a way in which software breaks on it, which stands beside it. Public collections of such
//! strings exist (the "Big List of Naughty Strings" is the best known), but they are made to attack: scripts, statements
//! that delete, paths that are there. What this run writes stays in somebody's database and is read by people and other
//! programs, so every value here is inert: markup without script or event, quotes without statements, templates and links
//! that name nothing. None has a control or an invisible character, or a blank at its ends, which a service may well strip.
//!
//! A text of the run's own carries several of them at once, behind its mark, so that few requests show all. Which of two
//! was spoiled is read off what came back. Where a service refuses them together they are sent again in halves: see
//! [`Edges::halves`].

use std::fmt;

use serde_json::Value;

use super::draft::{Draft, Leaf};
use super::synthetic;
use super::variety::Nature;

/// How many pieces a text carries at once.
const PIECES: usize = 14;
/// How many sets of values an update is sent.
const ROUNDS: usize = 10;
/// How many elements an array of an update has.
const ELEMENTS: usize = 3;
/// How many pieces an element's address carries at once: all of them have their turn in each element.
const PIECES_OF_AN_ELEMENT: usize = PIECES_OF_AN_ADDRESS.len().div_ceil(ELEMENTS);
/// How many of an update's sets have several elements: under a service that merges, elements stay.
const WITH_ELEMENTS: usize = 3;
/// How many characters a text is filled up to: one more than what a column of 255 holds.
const LONG: usize = 256;
/// How many characters an address may have (RFC 5321, section 4.5.3.1.3, less its angle brackets).
const WIDE: usize = 254;
/// Shorter texts than twice this are not tried, where a longer one was refused.
const SHORTEST: usize = 64;
/// How long the local part of an address may be (RFC 5321, section 4.5.3.1.1).
const LOCAL_PART: usize = 64;

/// A text and what is awkward about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// What is awkward, to be read after "with".
    pub class: &'static str,
    text: &'static str,
}

const fn piece(class: &'static str, text: &'static str) -> Piece {
    Piece { class, text }
}

/// What stands behind the run's own name, those that one layer would refuse beside each other.
const PIECES_OF_A_NAME: [Piece; 42] = [
    // Escaped for a page when it is stored, and once more when it is shown; stripped by a sanitizer.
    piece("an apostrophe", "O'Sample"),
    piece("quotation marks", "\"Ex\""),
    piece("an ampersand", "A&B"),
    piece("entities", "&amp;&#39;"),
    piece("markup", "<b>x</b>"),
    piece("angle signs", "1<2>1"),
    // Put into a statement or into a line of a file: cut, doubled, or taken for the end of it.
    piece("doubled quotes", "x''y"),
    piece("a semicolon", "a;b"),
    piece("a comma", "a,b"),
    piece("signs of comments", "--c /*d*/ #e"),
    piece("a pipe", "a|b"),
    // Unescaped once too often: a backslash of JSON or SQL, a percent sign of a form or of a format.
    piece("backslashes", r"a\nb\\c\u0041"),
    piece("percent signs", "50%41%s"),
    piece("a plus sign", "a+b"),
    piece("a question mark", "a?b=c"),
    piece("slashes", "a/b//c"),
    // Filled in, rendered, or made a link or a picture.
    piece("templates", "{{a}}${b}#{c}{0}"),
    piece("tags of server pages", "<%d%>"),
    piece("dollar signs", "$$ $& $1"),
    piece("brackets", "[a](b)"),
    piece("signs of Markdown", "*a* _b_ `c` ~d~"),
    piece("a smiley", ":-)"),
    piece("a link", "https://example.com/a?b=c#d"),
    piece("colons", ":a: 1:2"),
    piece("an at sign", "@a"),
    // Normalised further than Unicode's canonical equivalence: runs of blanks, the case of letters, compatibility forms.
    piece("double blanks", "a  b"),
    piece("capitals within words", "McEx dE"),
    piece("letters whose case is not one to one", "Stra\u{df}e I\u{130}\u{131}i"),
    piece("a hard blank", "a\u{a0}b"),
    piece("compatibility letters", "\u{fb01}\u{ff21}\u{b2}"),
    piece("digits of another script", "\u{664}\u{662}"),
    piece("letters with a comma below", "\u{219}\u{21b}"),
    piece("typographic signs", "\u{2019}\u{201c}\u{201d}\u{2013}\u{20ac}"),
    // Kept in three bytes a character, in one byte, or read as another encoding.
    piece("accents", "Zo\u{e9} \u{d1}\u{e5}"),
    piece("accents of their own", "Zoe\u{301}"),
    piece("Han and kana", "\u{540d}\u{524d}\u{30ab}\u{30ca}"),
    piece(
        "characters beyond the basic plane",
        "\u{1f31f}\u{20bb7}\u{1f44d}\u{1f3fd}\u{1f1ec}\u{1f1e7}",
    ),
    piece(
        "an emoji of several characters",
        "\u{1f469}\u{200d}\u{1f4bb}\u{2764}\u{fe0f}",
    ),
    piece(
        "Hebrew and Arabic",
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd}-\u{633}\u{644}\u{627}\u{645}",
    ),
    piece(
        "Indic and Thai letters",
        "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947} \u{e2a}\u{e27}\u{e31}",
    ),
    // Taken off as what belongs to no name; where it is the last, as the end of a sentence.
    piece("a word that holds another", "Essex"),
    piece("a full stop at its end", "Jr."),
];

/// What stands before the run's own name: taken off as a sign, or as what belongs to no name.
const FRONTS: [Piece; 5] = [
    piece("a hash sign before it", "#"),
    piece("a title before it", "Dr. "),
    piece("an equals sign before it", "="),
    piece("an at sign before it", "@"),
    piece("a hyphen before it", "-"),
];

/// What stands in a name's stead: a text that is a value elsewhere, which a layer without types takes for one.
const WHOLE_NAMES: [Piece; 17] = [
    // Loosely typed: a number loses its zeros, its last digits or its form.
    piece("leading zeros", "00420"),
    piece("digits alone", "12345678901234567890123"),
    piece("an exponent", "1e3"),
    piece("a decimal fraction", "12.50"),
    piece("a hexadecimal number", "0x1F"),
    // False where a text is asked whether it is there.
    piece("a zero", "0"),
    // Words of other languages for nothing, for truth, for no number: there are people of these names.
    piece("the word null", "null"),
    piece("the word Null", "Null"),
    piece("the word None", "None"),
    piece("the word undefined", "undefined"),
    piece("the word NaN", "NaN"),
    piece("the word true", "true"),
    piece("the word False", "False"),
    piece("the word no", "no"),
    // What a spreadsheet makes of a cell.
    piece("a text like a date", "1-2"),
    piece("a text like a formula", "=1+1"),
    piece("quotation marks around it", "\"Ex\""),
];

/// What the local part of an address has in it, of the characters that RFC 5322 (section 3.2.3) lets stand there.
const PIECES_OF_AN_ADDRESS: [Piece; 9] = [
    // Stripped as a subaddress, read as a blank.
    piece("a plus sign", "+t"),
    piece("an apostrophe", "o'x"),
    // Written small, though only the domain knows no case (RFC 5321, section 2.4).
    piece("capitals", "AX"),
    piece("a percent sign", "%41"),
    piece("an ampersand", "&="),
    // A fragment, a placeholder.
    piece("a hash sign", "#"),
    piece("a placeholder", "${c}"),
    piece("leading zeros", "007"),
    // Beyond ASCII (RFC 6531, section 3.3): many refuse them, and nobody may fail on them.
    piece("letters beyond ASCII", "\u{e9}\u{1f31f}"),
];

/// Numbers that are nobody's (Ofcom's ranges for drama), as they are written.
const NUMBERS: [Piece; 5] = [
    // The sign read as a blank, the zeros as of a number.
    piece("a plus sign", "+447700900107"),
    piece("leading zeros", "07700900108"),
    piece("blanks and brackets", "+44 (0)7700 900109"),
    piece("two leading zeros", "00447700900110"),
    // Cut off, or dialled.
    piece("an extension", "+44 7700 900111 ext. 4"),
];

/// What tells an element's address from the first one's, where nothing is to be awkward about it.
static SECOND: Piece = piece("a second address", "second");

/// What the name of a channel has in it that takes numbers.
const OF_NUMBERS: [&str; 6] = ["phone", "mobile", "sms", "tel", "whatsapp", "cell"];

/// A day and what is awkward about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Day {
    /// What is awkward, to be read after "on".
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

/// Days on which calendars break.
const DAYS: [Day; 13] = [
    // The next day, or the last of February, in a year that is moved on; a century that has one.
    day("a leap day", (1996, 2, 29)),
    day("the leap day of a full century", (2000, 2, 29)),
    // A date as an instant at midnight, in a zone east or west of it: the day, the month and the year before or after. And
    // ISO's weeks count both days to another year than their own.
    day("the first day of a year", (1988, 1, 1)),
    day("the last day of a leap year", (1996, 12, 31)),
    // Two orders of writing one date.
    day("a day that could be a month", (1984, 4, 3)),
    day("a month that begins with zero", (1979, 9, 8)),
    // Seconds since 1970 that are none, or below it.
    day("the day at which Unix time begins", (1970, 1, 1)),
    day("a day before 1970", (1955, 6, 30)),
    // The least instant of 32 bits, and dates that some calendars of databases and spreadsheets do not have.
    day("a day before 1901", (1899, 12, 31)),
    day("the day at which spreadsheets begin", (1900, 1, 1)),
    // Years of two digits.
    day("a year of the twenties", (1925, 10, 31)),
    // After the greatest instant of 32 bits.
    day("a day after 2038", (2040, 2, 29)),
    // No midnight, where summer time begins at that hour.
    day("a day without midnight in some zones", (1995, 10, 15)),
];

/// A time, with an offset, and what is awkward about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Time {
    /// What is awkward, to be read after "at".
    pub class: &'static str,
    /// In the form of RFC 3339.
    pub(super) text: &'static str,
}

const fn time(class: &'static str, text: &'static str) -> Time {
    Time { class, text }
}

/// Instants on which zones break; all have a second that is not zero.
const TIMES: [Time; 8] = [
    time("noon, a day that could be a month", "2024-07-04T12:30:41-03:30"),
    time("a leap day that is March in UTC", "2024-02-29T21:10:41-05:00"),
    time("a year that is the next one in UTC", "2023-12-31T22:20:29-03:30"),
    time("the hour that summer time leaves out", "2024-03-31T02:15:07+01:00"),
    time("the hour that summer time has twice", "2024-10-27T02:25:53+02:00"),
    time("a month that is the one before in UTC", "2024-08-01T03:05:19+05:45"),
    time("a day before 1970", "1969-12-31T12:30:11-00:30"),
    time("a day after 2038", "2040-02-29T00:00:01+00:00"),
];

/// One awkward value in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// This before the run's own name, in the so many-th name of the body.
    Front(usize, &'static Piece),
    /// This behind it.
    Piece(usize, &'static Piece),
    /// This in its stead.
    Whole(usize, &'static Piece),
    /// The so many-th name filled up to so many characters.
    Long(usize, usize),
    /// This in the so many-th element's address, or this as its number where its channel takes numbers. There are so many
    /// elements then.
    Contact(usize, &'static Piece, &'static Piece),
    /// The so many-th element's address of so many characters.
    Wide(usize, usize),
    /// This date.
    Date(&'static Day),
    /// This instant.
    Instant(&'static Time),
}

impl fmt::Display for Edge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Front(_, piece) | Self::Piece(_, piece) | Self::Whole(_, piece) => formatter.write_str(piece.class),
            Self::Long(_, characters) => write!(formatter, "{characters} characters"),
            Self::Wide(_, characters) => write!(formatter, "an address of {characters} characters"),
            Self::Contact(_, address, number) if address.class == number.class => formatter.write_str(address.class),
            Self::Contact(_, address, number) => write!(formatter, "{} or {}", address.class, number.class),
            Self::Date(day) => formatter.write_str(day.class),
            Self::Instant(time) => formatter.write_str(time.class),
        }
    }
}

/// Awkward values that one body is sent with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges(Vec<Edge>);

impl fmt::Display for Edges {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told: Vec<String> = Vec::new();
        for edge in &self.0 {
            let class = edge.to_string();
            if !told.contains(&class) {
                told.push(class);
            }
        }
        formatter.write_str(&told.join(", "))
    }
}

/// What of a body can be awkward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots {
    pub(super) names: usize,
    /// Whether there is an address.
    pub(super) contacts: bool,
    /// Whether it stands in the elements of an array.
    pub(super) elements: bool,
    pub(super) dates: bool,
    pub(super) instants: bool,
}

impl Slots {
    /// What can be awkward of these fields.
    pub(super) fn of(leaves: &[Leaf]) -> Self {
        let any = |nature| leaves.iter().any(|leaf| leaf.nature == nature);
        Self {
            names: leaves.iter().filter(|leaf| leaf.nature == Nature::Name).count(),
            contacts: any(Nature::Address),
            elements: leaves
                .iter()
                .any(|leaf| leaf.nature == Nature::Address && leaf.pointer.contains("/0/")),
            dates: any(Nature::Day) && any(Nature::Month) && any(Nature::Year),
            instants: any(Nature::Timestamp),
        }
    }

    /// Whether the run makes texts of its own for the body.
    pub(super) fn have_texts(self) -> bool {
        self.names > 0 || self.contacts
    }

    fn are_none(self) -> bool {
        self == Self::default()
    }
}

impl Edges {
    /// The sets that an update is sent: all pieces in each name, and as many of the other values as fit, those that the
    /// seed draws.
    pub(super) fn of_an_update(slots: Slots, seed: u64) -> Vec<Self> {
        if slots.are_none() {
            return Vec::new();
        }
        let groups: Vec<_> = PIECES_OF_A_NAME.chunks(PIECES).collect();
        let wholes = ROUNDS - groups.len();
        let round = |round: usize| {
            let mut edges = Vec::new();
            for name in 0..slots.names {
                // Each name has its turns at the pieces and at what stands in its stead at other times than the one before.
                let turn = (round + name * wholes) % ROUNDS;
                match groups.get(turn) {
                    Some(group) => {
                        let front = nth(&FRONTS, seed, turn + name * groups.len());
                        edges.extend(front.map(|piece| Edge::Front(name, piece)));
                        edges.extend(group.iter().map(|piece| Edge::Piece(name, piece)));
                    }
                    None if turn + 1 == ROUNDS => edges.push(Edge::Long(name, LONG)),
                    None => edges.extend(
                        nth(&WHOLE_NAMES, seed, turn - groups.len() + name * (wholes - 1))
                            .map(|piece| Edge::Whole(name, piece)),
                    ),
                }
            }
            if slots.contacts && round < WITH_ELEMENTS {
                let elements = if slots.elements { ELEMENTS } else { 1 };
                let wide = round + 1 == WITH_ELEMENTS;
                let places = (0..elements).skip(usize::from(wide));
                edges.extend(wide.then_some(Edge::Wide(0, WIDE)));
                edges.extend(places.flat_map(|element| contacts(element, seed, round + element)));
            }
            if slots.dates {
                edges.extend(nth(&DAYS, seed, round).map(Edge::Date));
            }
            Self(edges)
        };
        (0..ROUNDS).map(round).filter(|edges| !edges.0.is_empty()).collect()
    }

    /// The set of a request that is written otherwise: what each way of writing has more than one form for.
    pub(super) fn of_another_writing(slots: Slots) -> Self {
        let classes = [
            "accents",
            "characters beyond the basic plane",
            "slashes",
            "quotation marks",
        ];
        let pieces = PIECES_OF_A_NAME.iter().filter(|piece| classes.contains(&piece.class));
        let names = pieces.enumerate().filter(|_| slots.names > 0);
        Self(
            names
                .map(|(index, piece)| Edge::Piece(index % slots.names, piece))
                .collect(),
        )
    }

    /// What makes a plain body one of two elements, where an address of the run's own stands in an array.
    pub(super) fn of_two_elements(seed: u64) -> Self {
        // Another number than those of the create with awkward values.
        let second = nth(&NUMBERS, seed, ELEMENTS).map(|number| Edge::Contact(1, &SECOND, number));
        Self(second.into_iter().collect())
    }

    /// The set that a create is sent: as much as goes into one record. It may stay as it is for good, so there is no markup in
    /// it.
    pub(super) fn of_a_create(slots: Slots, seed: u64) -> Option<Self> {
        let mut edges = Vec::new();
        for name in 0..slots.names {
            edges.extend(nth(&FRONTS, seed, name).map(|piece| Edge::Front(name, piece)));
            let inert = |piece: &&Piece| !piece.text.contains(['<', '>']);
            let turn = (name + usize::try_from(seed % 2).unwrap_or(0)) % slots.names;
            let pieces = PIECES_OF_A_NAME.iter().filter(inert).skip(turn).step_by(slots.names);
            edges.extend(pieces.map(|piece| Edge::Piece(name, piece)));
        }
        if slots.elements {
            edges.extend((0..ELEMENTS).flat_map(|element| contacts(element, seed, element)));
        } else if slots.contacts {
            // All in one address, as far as it has room.
            edges.extend((0..PIECES_OF_AN_ADDRESS.len()).filter_map(|place| contact(0, 0, place)));
        }
        if slots.dates {
            edges.extend(nth(&DAYS, seed, 0).map(Edge::Date));
        }
        if slots.instants {
            edges.extend(nth(&TIMES, seed, 0).map(Edge::Instant));
        }
        (!edges.is_empty()).then_some(Self(edges))
    }

    /// What is sent in the stead of values that were refused together: each half of them, or a long text half as long. Of a
    /// single other value there is nothing less.
    #[must_use]
    pub fn halves(&self) -> Vec<Self> {
        match self.0.as_slice() {
            [Edge::Long(name, characters)] if *characters > SHORTEST => {
                vec![Self(vec![Edge::Long(*name, characters / 2)])]
            }
            [Edge::Wide(element, characters)] if *characters > 2 * SHORTEST => {
                vec![Self(vec![Edge::Wide(*element, characters / 2)])]
            }
            [] | [_] => Vec::new(),
            several => {
                let (first, second) = several.split_at(several.len() / 2);
                vec![Self(first.to_vec()), Self(second.to_vec())]
            }
        }
    }

    /// The same without values of these classes: what one name does not take, another one hardly does.
    #[must_use]
    pub fn without(&self, classes: &[String]) -> Self {
        let stay = self.0.iter().filter(|edge| !classes.contains(&edge.to_string()));
        Self(stay.copied().collect())
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is one value alone.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.0.len() == 1
    }
}

/// What is so many places behind the place that the seed draws.
fn nth<T>(values: &'static [T], seed: u64, place: usize) -> Option<&'static T> {
    let length = u64::try_from(values.len()).ok()?;
    let start = usize::try_from(seed.checked_rem(length)?).ok()?;
    values.get((start + place) % values.len())
}

/// What an element's address carries at its so many-th turn.
fn contacts(element: usize, seed: u64, turn: usize) -> impl Iterator<Item = Edge> {
    let places = (0..PIECES_OF_AN_ELEMENT).map(move |place| turn * PIECES_OF_AN_ELEMENT + place);
    places.filter_map(move |place| contact(element, seed, place))
}

fn contact(element: usize, seed: u64, place: usize) -> Option<Edge> {
    let address = nth(&PIECES_OF_AN_ADDRESS, seed, place)?;
    let number = nth(&NUMBERS, seed, place)?;
    Some(Edge::Contact(element, address, number))
}

impl Draft {
    /// Puts awkward values into the draft, as far as it has a place for them.
    pub(super) fn put(&mut self, edges: &Edges) {
        for edge in &edges.0 {
            match edge {
                Edge::Front(name, piece) => self.rename(*name, |own| format!("{}{own}", piece.text)),
                Edge::Piece(name, piece) => self.rename(*name, |own| format!("{own} {}", piece.text)),
                Edge::Whole(name, piece) => self.rename(*name, |_| piece.text.to_owned()),
                Edge::Long(name, characters) => self.rename(*name, |own| filled(own, *characters)),
                Edge::Contact(element, address, number) => {
                    self.readdress(*element, |own, takes_numbers| {
                        if takes_numbers {
                            Some(number.text.to_owned())
                        } else {
                            within(own, address.text)
                        }
                    });
                }
                Edge::Wide(element, characters) => {
                    self.readdress(
                        *element,
                        |own, takes_numbers| {
                            if takes_numbers { None } else { widened(own, *characters) }
                        },
                    );
                }
                Edge::Date(day) => self.redate(day),
                Edge::Instant(time) => {
                    let number = self.number;
                    self.rewrite(Nature::Timestamp, |_| synthetic::moved(time.text, number));
                }
            }
        }
    }

    fn rename(&mut self, name: usize, change: impl Fn(&str) -> String) {
        let mut names = self.leaves.iter_mut().filter(|leaf| leaf.nature == Nature::Name);
        if let Some(leaf) = names.nth(name) {
            leaf.rewrite(|own| Some(change(own)));
        }
    }

    /// Gives an element of the array that holds an address another one, or another number where the element is of a channel
    /// that takes numbers.
    fn readdress(&mut self, element: usize, change: impl Fn(&str, bool) -> Option<String>) {
        let mut addresses = self.leaves.iter().filter(|leaf| leaf.nature == Nature::Address);
        let Some(first) = addresses.next().map(|leaf| leaf.pointer.clone()) else {
            return;
        };
        let at = match first.rsplit_once("/0/") {
            Some((array, _)) => {
                self.add_element(array, element);
                first.replacen("/0/", &format!("/{element}/"), 1)
            }
            // No array: there is one alone.
            None if element == 0 => first,
            None => return,
        };
        let parent = at.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        let beside = self
            .leaves
            .iter()
            .filter(|leaf| leaf.pointer.rsplit_once('/').is_some_and(|(above, _)| above == parent));
        let takes_numbers = beside
            .filter(|leaf| leaf.pointer != at)
            .filter_map(Leaf::value)
            .any(is_of_numbers);
        if let Some(leaf) = self.leaves.iter_mut().find(|leaf| leaf.pointer == at) {
            leaf.rewrite(|own| change(own, takes_numbers));
        }
    }

    /// Adds an element to an array that has one: the same fields, with other values where others are known.
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
            // Values of one origin: what a target lists in its own spelling is not mixed with the contract's.
            let chosen = leaf.another_of_its_origin(element);
            Leaf {
                pointer,
                chosen,
                ..leaf
            }
        }));
    }

    fn redate(&mut self, day: &Day) {
        let parts = [
            (Nature::Day, Value::from(day.day)),
            (Nature::Month, Value::from(day.month)),
            (Nature::Year, Value::from(day.year)),
        ];
        let has = |nature| {
            self.leaves
                .iter()
                .any(|leaf| leaf.nature == nature && leaf.value().is_some())
        };
        let has_all = parts.iter().all(|(nature, _)| has(*nature));
        for (nature, value) in parts.into_iter().filter(|_| has_all) {
            let leaves = self.leaves.iter_mut().filter(|leaf| leaf.nature == nature);
            leaves.for_each(|leaf| leaf.set(value.clone()));
        }
        self.rewrite(Nature::Date, |_| {
            Some(format!("{:04}-{:02}-{:02}", day.year, day.month, day.day))
        });
    }
}

/// A text filled up to so many characters.
fn filled(own: &str, characters: usize) -> String {
    let left = characters.saturating_sub(own.chars().count() + 1);
    let filling: String = "Sample-".chars().cycle().take(left).collect();
    format!("{own}-{filling}")
}

/// An address with more in its local part, as far as that has room for it.
fn within(address: &str, text: &str) -> Option<String> {
    let (local, domain) = address.split_once('@')?;
    let joint = if text.starts_with('+') { "" } else { "." };
    let local = format!("{local}{joint}{text}");
    (local.len() <= LOCAL_PART).then(|| format!("{local}@{domain}"))
}

/// An address with a domain so long that it has so many characters (RFC 5321, section 4.5.3.1: 254 at most, in labels of 63).
fn widened(address: &str, characters: usize) -> Option<String> {
    let (local, domain) = address.split_once('@')?;
    let left = characters.checked_sub(address.chars().count() + 1)?;
    let labels: String = "countersign.sample.".chars().cycle().take(left).collect();
    Some(format!("{local}@{}.{domain}", labels.trim_end_matches('.')))
}

/// Whether a value names a channel that takes numbers.
fn is_of_numbers(value: &Value) -> bool {
    let text = value.as_str().map(str::to_ascii_lowercase);
    text.is_some_and(|text| OF_NUMBERS.iter().any(|word| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// What these sets put into an element's address.
    fn classes(sets: &[Edges], element: usize) -> HashSet<&'static str> {
        let edges = sets.iter().flat_map(|set| &set.0);
        let classes = edges.filter_map(|edge| match edge {
            Edge::Contact(of, address, _) if *of == element => Some(address.class),
            _ => None,
        });
        classes.collect()
    }

    #[test]
    fn every_piece_of_an_address_is_sent_whatever_the_seed() {
        let slots = Slots {
            contacts: true,
            elements: true,
            ..Slots::default()
        };
        let all: HashSet<_> = PIECES_OF_AN_ADDRESS.iter().map(|piece| piece.class).collect();
        for seed in 0..20 {
            let updates = Edges::of_an_update(slots, seed);
            for element in 1..ELEMENTS {
                assert_eq!(classes(&updates, element), all, "{seed}");
            }
            let create: Vec<_> = Edges::of_a_create(slots, seed).into_iter().collect();
            let of_all: HashSet<_> = (0..ELEMENTS).flat_map(|element| classes(&create, element)).collect();
            assert_eq!(of_all, all, "{seed}");
        }
    }
}
