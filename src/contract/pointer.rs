//! JSON pointers (RFC 6901), the form in which every location in a contract or a response is written.
//!
//! A pointer is kept as a string. In the response pointers of facts, `*` is any element of an array or member of a map;
//! [`join`] treats it as an ordinary token.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Appends one token to a pointer, and escapes it.
pub fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    // Most names have neither, and a pointer is made for each value of each body.
    if token.contains('~') || token.contains('/') {
        pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(token);
    }
}

/// Returns the pointer with one more token.
#[must_use]
pub fn join(pointer: &str, token: &str) -> String {
    let mut joined = String::with_capacity(pointer.len() + token.len() + 1);
    joined.push_str(pointer);
    push(&mut joined, token);
    joined
}

/// Returns the last token of a pointer, unescaped; `None` for the empty pointer.
#[must_use]
pub fn last(pointer: &str) -> Option<String> {
    tokens(pointer).last()
}

/// Precedes each array index in an *indexed pointer*: a JSON pointer that distinguishes an element from a member whose
/// name is digits, such as a telephone number. No escaped name contains it, because `~` is written `~0`.
const INDEX_MARK: &str = "~2";

/// Returns the indexed pointer of an element: `/items/~23` is the fourth of `items`.
#[must_use]
pub fn element(pointer: &str, index: usize) -> String {
    format!("{pointer}/{INDEX_MARK}{index}")
}

/// What the location of a header begins with: `header X-Total`. A location in its value has the rest of its pointer
/// after the name, as in `header X-Total/0`.
const HEADER: &str = "header ";

/// Returns the location of a header of a response.
#[must_use]
pub fn header(name: &str) -> String {
    format!("{HEADER}{name}")
}

/// Returns the pointer in a location: all of it for a location in a body, and what follows the name for one in a header.
#[must_use]
pub fn below_header(location: &str) -> &str {
    let is_of_header = location
        .strip_prefix(HEADER)
        .is_some_and(|rest| !rest.starts_with('/') && !rest.is_empty());
    if is_of_header {
        &location[location.find('/').unwrap_or(location.len())..]
    } else {
        location
    }
}

/// Returns an indexed pointer as RFC 6901 writes it, without the marks before its indexes.
#[must_use]
pub fn without_index_marks(pointer: &str) -> String {
    pointer.replace(&format!("/{INDEX_MARK}"), "/")
}

/// Returns an indexed pointer with each name rendered by the closure, which gets the index of the name's token too;
/// indexes, `*` and the name of a header before the first slash stay unchanged.
#[must_use]
pub fn rendered(pointer: &str, render: impl Fn(usize, &str) -> String) -> String {
    let mut parts = pointer.split('/');
    let header = parts.next().unwrap_or_default().to_owned();
    parts.enumerate().fold(header, |mut text, (place, token)| {
        match token.strip_prefix(INDEX_MARK) {
            Some(index) => push(&mut text, index),
            None if token == "*" => push(&mut text, token),
            None => push(&mut text, &render(place, &unescape(token))),
        }
        text
    })
}

/// Whether a token of an indexed pointer is the index of an element (see [`element`]).
#[must_use]
pub fn is_index(token: &str) -> bool {
    token.starts_with(INDEX_MARK)
}

/// Whether `pattern`, in which `*` is any element or member, has a `*` as its token number `place`, counted from 0, and
/// leads the same way as the indexed `pointer` up to there.
#[must_use]
pub fn stands_for_any(pattern: &str, pointer: &str, place: usize) -> bool {
    let (pattern, pointer) = (pattern.split('/').skip(1), pointer.split('/').skip(1));
    let mut pairs = pattern.zip(pointer);
    let leads_there = pairs
        .by_ref()
        .take(place)
        .all(|(pattern, token)| pattern == "*" || pattern == token);
    leads_there && pairs.next().is_some_and(|(pattern, _)| pattern == "*")
}

/// Returns the tokens of a pointer, unescaped. The empty pointer has none.
pub fn tokens(pointer: &str) -> impl Iterator<Item = String> + '_ {
    borrowed_tokens(pointer).map(Cow::into_owned)
}

/// Returns what [`tokens`] returns, copied only where an escape is undone.
pub(super) fn borrowed_tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape)
}

/// Whether the text is a JSON pointer: empty, or starting with a slash.
#[must_use]
pub fn is_pointer(text: &str) -> bool {
    text.is_empty() || text.starts_with('/')
}

/// Returns the location of a value in a body with each index replaced by `*`, "any element".
#[must_use]
pub fn with_any_elements(at: &str) -> String {
    let tokens = at.split('/');
    let is_index = |token: &str| !token.is_empty() && token.bytes().all(|digit| digit.is_ascii_digit());
    let tokens = tokens.map(|token| if is_index(token) { "*" } else { token });
    tokens.collect::<Vec<_>>().join("/")
}

/// Returns the pointer of a link with each token `0` replaced by `*`, "any element": in a link, any other index is one
/// element.
#[must_use]
pub fn any_element(pointer: &str) -> String {
    pointer
        .split('/')
        .map(|token| if token == "0" { "*" } else { token })
        .collect::<Vec<_>>()
        .join("/")
}

/// Returns the value at a pointer, like `Value::pointer`, but without copying each token twice.
#[must_use]
pub fn get<'value>(value: &'value Value, pointer: &str) -> Option<&'value Value> {
    match pointer.strip_prefix('/') {
        Some(rest) => rest.split('/').try_fold(value, step),
        None => pointer.is_empty().then_some(value),
    }
}

/// Returns the values at a pointer in which `*` stands for every element of an array, and for every member of an object
/// that has none of this name.
#[must_use]
pub fn select<'value>(value: &'value Value, pointer: &str) -> Vec<&'value Value> {
    let mut found = Vec::new();
    below((value, &Path::Root), pointer, &mut |_, value| found.push(value));
    found
}

/// Returns what [`select`] returns, each value with its indexed pointer.
#[must_use]
pub fn select_indexed<'value>(value: &'value Value, pointer: &str) -> Vec<(String, &'value Value)> {
    let mut found = Vec::new();
    below((value, &Path::Root), pointer, &mut |at, value| {
        found.push((at.pointer(), value));
    });
    found
}

fn below<'value>(
    (value, at): (&'value Value, &Path<'_>),
    pointer: &str,
    found: &mut dyn FnMut(&Path<'_>, &'value Value),
) {
    // The part before the first slash is not a token.
    let Some((_, rest)) = pointer.split_once('/') else {
        return found(at, value);
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (token, rest) = rest.split_at(end);
    match value {
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate().filter(|_| token == "*") {
                below((element, &Path::Element(at, index)), rest, found);
            }
            if let Some((index, element)) = index_in(elements, token) {
                below((element, &Path::Element(at, index)), rest, found);
            }
        }
        Value::Object(members) if token == "*" && !members.contains_key(token) => {
            for (name, member) in members {
                below((member, &Path::Member(at, name)), rest, found);
            }
        }
        Value::Object(members) => {
            if let Some((name, member)) = member_of(members, token) {
                below((member, &Path::Member(at, name)), rest, found);
            }
        }
        _ => {}
    }
}

/// Returns the value that one token of a pointer leads to.
fn step<'value>(value: &'value Value, token: &str) -> Option<&'value Value> {
    match value {
        Value::Array(elements) => Some(index_in(elements, token)?.1),
        Value::Object(members) => Some(member_of(members, token)?.1),
        _ => None,
    }
}

/// Returns the element that a token names, with its index.
fn index_in<'value>(elements: &'value [Value], token: &str) -> Option<(usize, &'value Value)> {
    let is_index = !token.starts_with('+') && (token == "0" || !token.starts_with('0'));
    let index = token.parse().ok().filter(|_| is_index)?;
    Some((index, elements.get(index)?))
}

/// Returns the member that a token names, with its name.
fn member_of<'value>(members: &'value Map<String, Value>, token: &str) -> Option<(&'value str, &'value Value)> {
    let member = if token.contains('~') {
        members.get_key_value(&*unescape(token))
    } else {
        members.get_key_value(token)
    };
    member.map(|(name, value)| (name.as_str(), value))
}

/// The path to a location in a value that is being walked, linked through the stack. It becomes text only when it is
/// needed.
#[derive(Clone, Copy, Debug)]
pub enum Path<'path> {
    /// The value itself.
    Root,
    /// The value of the header with this name.
    Header(&'path str),
    /// An element of an array.
    Element(&'path Path<'path>, usize),
    /// A member of an object.
    Member(&'path Path<'path>, &'path str),
}

impl Path<'_> {
    /// Returns the path as an indexed pointer: see [`rendered`] and [`without_index_marks`].
    #[must_use]
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write(&mut pointer);
        pointer
    }

    fn write(&self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Header(name) => *pointer = header(name),
            Self::Element(above, index) => {
                above.write(pointer);
                *pointer = element(pointer, *index);
            }
            Self::Member(above, name) => {
                above.write(pointer);
                push(pointer, name);
            }
        }
    }
}

/// Returns a token of a pointer without its escapes (RFC 6901, section 3).
#[must_use]
pub fn unescape(token: &str) -> Cow<'_, str> {
    let mut parts = token.split('~');
    let plain = parts.next().unwrap_or_default();
    if plain.len() == token.len() {
        return Cow::Borrowed(token);
    }
    // A token of a megabyte is read once.
    let mut text = String::with_capacity(token.len());
    text.push_str(plain);
    for part in parts {
        let (character, rest) = match part.as_bytes().first() {
            Some(b'0') => ('~', &part[1..]),
            Some(b'1') => ('/', &part[1..]),
            _ => ('~', part),
        };
        text.push(character);
        text.push_str(rest);
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn an_escape_is_undone_once_and_what_is_none_stays(token in "[~01/aé]{0,8}") {
            // The two steps of RFC 6901, section 4.
            prop_assert_eq!(unescape(&token), token.replace("~1", "/").replace("~0", "~"));
        }
    }

    #[test]
    fn slashes_and_tildes_survive_a_round_trip() {
        let joined = join("/paths", "/a~b/{id}");
        assert_eq!(joined, "/paths/~1a~0b~1{id}");
        assert_eq!(tokens(&joined).collect::<Vec<_>>(), ["paths", "/a~b/{id}"]);
    }

    #[test]
    fn a_location_in_a_header_begins_with_its_name() {
        let total = Path::Header("X-Total");
        let element = Path::Element(&total, 3);
        assert_eq!(total.pointer(), header("X-Total"));
        let indexed = Path::Member(&element, "ada").pointer();
        assert_eq!(rendered(&indexed, |_, _| "a".to_owned()), "header X-Total/3/a");
        for (location, below) in [
            ("header X-Total", ""),
            ("header X-Total/*/name", "/*/name"),
            ("/header X-Total", "/header X-Total"),
            ("", ""),
            ("header ", "header "),
            ("header /a", "header /a"),
            ("headers", "headers"),
        ] {
            assert_eq!(below_header(location), below, "{location}");
        }
    }

    #[test]
    fn an_index_is_reported_and_a_name_of_digits_is_not() {
        let items = Path::Member(&Path::Root, "items");
        let item = Path::Element(&items, 7);
        let phone = Path::Member(&item, "7700900123");
        let indexed = Path::Member(&phone, "~2/5").pointer();
        assert_eq!(
            rendered(&indexed, |_, name| format!("<{}>", name.len())),
            "/<5>/7/<10>/<4>"
        );
        assert_eq!(without_index_marks(&indexed), "/items/7/7700900123/~02~15");
        let indexed = element("/data", 3) + "/tags/maria";
        for (pattern, place, stands) in [
            ("/data/*/tags/*", 3, true),
            ("/data/*/tags/*/name", 3, true),
            ("/data/*/tags", 3, false),
            ("/data/*/notes/*", 3, false),
            ("/tags/*", 3, false),
            ("/data/*/tags/*", 0, false),
        ] {
            assert_eq!(stands_for_any(pattern, &indexed, place), stands, "{pattern} {place}");
        }
        assert_eq!(rendered("/data/*/a", |_, name| name.to_owned()), "/data/*/a");
    }

    #[test]
    fn a_star_selects_every_element() {
        let body = json!({"methods": [{"contact": "a"}, {"contact": "b"}, {}]});
        assert_eq!(select(&body, "/methods/*/contact"), [&json!("a"), &json!("b")]);
        assert!(select(&body, "/methods/*/type").is_empty());
        let indexed = select_indexed(&body, "/methods/*/contact");
        let contacts = ["/methods/~20/contact", "/methods/~21/contact"].map(str::to_owned);
        assert_eq!(indexed.into_iter().map(|(at, _)| at).collect::<Vec<_>>(), contacts);
        let named = json!({"a~b": {"0": [1], "*": 2}});
        let pointers = |pointer| select_indexed(&named, pointer).into_iter().map(|(at, _)| at);
        assert!(pointers("/a~0b/0/0").eq(["/a~0b/0/~20".to_owned()]));
        assert!(pointers("/*/*").eq(["/a~0b/*".to_owned()]));
    }

    #[test]
    fn a_value_is_found_where_serde_json_finds_it() {
        let body = json!({"a": [{"b/c": 1, "~": 2, "": 3}, 4], "0": 5, "": {"": 6}});
        let pointers = [
            "", "/", "//", "/a", "/a/0", "/a/0/b~1c", "/a/0/~0", "/a/0/", "/a/1", "/a/2", "/a/00", "/a/+1",
        ];
        let others = ["/a/-", "/0", "/a/0/b/c", "/a/1/b", "a", "a/0", "/a/", "/a/01", "/~01"];
        for pointer in pointers.into_iter().chain(others) {
            assert_eq!(get(&body, pointer), body.pointer(pointer), "{pointer}");
        }
    }

    #[test]
    fn the_empty_pointer_has_no_tokens() {
        assert_eq!(tokens("").count(), 0);
        assert_eq!(tokens("/").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn a_star_stands_for_each_index_and_for_no_name() {
        for (at, any) in [
            ("/tags/0", "/tags/*"),
            ("/tags/1/name", "/tags/*/name"),
            ("/tags/10/parts/2", "/tags/*/parts/*"),
            ("/a1/b", "/a1/b"),
            ("/", "/"),
            ("", ""),
        ] {
            assert_eq!(with_any_elements(at), any);
        }
    }
}
