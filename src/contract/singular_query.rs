//! JSONPath queries that select at most one location: the singular queries of RFC 9535, section 2.3.5.1. The entries are
//! `read` and `write`.

use serde_json::Value;

use super::pointer;

/// Returns the tokens of the location that a query selects, as those of a JSON pointer.
///
/// # Errors
///
/// What is wrong with the query, and what to do: it is not JSONPath, or may select several locations.
pub(super) fn read(query: &str) -> Result<Vec<String>, String> {
    let singular = "name one location, such as `$.info` or `$.paths['/things'].get`";
    let wrong = |rest: &str| {
        let at = query.len() - rest.len();
        let (column, several) = (query[..at].chars().count() + 1, [".*", "..", "[*", "[?"]);
        if several.iter().any(|sign| rest.starts_with(sign)) {
            format!("`{query}` may select several locations; {singular}")
        } else {
            format!("`{query}` is not a JSONPath query from its character {column} on; {singular}")
        }
    };
    let mut rest = query.strip_prefix('$').ok_or_else(|| wrong(query))?;
    let mut tokens = Vec::new();
    while !rest.is_empty() {
        let (token, left) = segment(rest).ok_or_else(|| wrong(rest))?;
        tokens.push(token);
        rest = left;
    }
    Ok(tokens)
}

/// Returns the token of the first segment, and what follows it.
fn segment(text: &str) -> Option<(String, &str)> {
    if let Some(name) = text.strip_prefix('.') {
        let is_first = |character: char| character.is_ascii_alphabetic() || character == '_' || !character.is_ascii();
        let is_part = |character: char| is_first(character) || character.is_ascii_digit();
        let end = name.find(|character| !is_part(character)).unwrap_or(name.len());
        let (name, rest) = name.split_at(end);
        return name.starts_with(is_first).then(|| (name.to_owned(), rest));
    }
    let inside = trimmed(text.strip_prefix('[')?);
    let (token, rest) = match inside.chars().next()? {
        quote @ ('\'' | '"') => quoted(&inside[1..], quote)?,
        _ => {
            let end = inside.find(|character: char| !character.is_ascii_digit())?;
            let (index, rest) = inside.split_at(end);
            // Leading zeros are not allowed.
            let is_index = index == "0" || (!index.is_empty() && !index.starts_with('0'));
            (is_index.then(|| index.to_owned())?, rest)
        }
    };
    Some((token, trimmed(rest).strip_prefix(']')?))
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r'])
}

/// Returns the string up to its closing quote, and what follows that.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    // Apart from the quotes, strings and their escapes are those of JSON.
    let mut json = "\"".to_owned();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            _ if character == quote => {
                json.push('"');
                return Some((serde_json::from_str(&json).ok()?, &text[at + 1..]));
            }
            '"' => json.push_str("\\\""),
            '\\' => match (characters.next()?.1, quote) {
                ('\'', '\'') => json.push('\''),
                ('"', '\'') => return None,
                (escaped, _) => json.extend(['\\', escaped]),
            },
            _ => json.push(character),
        }
    }
    None
}

/// Returns the normalized path (RFC 9535, section 2.7) of a location that is given as a JSON pointer. `is_index` says
/// of each token, by its number, whether it is the index of an element.
pub(super) fn write(location: &str, is_index: impl Fn(usize) -> bool) -> String {
    let mut path = "$".to_owned();
    for (number, token) in pointer::tokens(location).enumerate() {
        if is_index(number) {
            path.push_str(&format!("[{token}]"));
        } else {
            let json = Value::from(token).to_string();
            let escaped = json[1..json.len() - 1].replace("\\\"", "\"").replace('\'', "\\'");
            path.push_str(&format!("['{escaped}']"));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_query_that_selects_one_location_is_read() {
        for (query, tokens) in [
            ("$", &[][..]),
            ("$.info", &["info"]),
            ("$.paths['/a/{b}'].get", &["paths", "/a/{b}", "get"]),
            ("$[\"tags\"][ 10 ].x_1", &["tags", "10", "x_1"]),
            (r"$['it\'s']", &["it's"]),
            (r#"$["\"'\\\/\n"]"#, &["\"'\\/\n"]),
            (r"$['\u00e9\ud83d\ude00x']", &["é😀x"]),
            (r"$['\u0041\u0042']", &["AB"]),
            ("$.größe", &["größe"]),
        ] {
            assert_eq!(read(query).unwrap(), tokens, "{query}");
        }
    }

    #[test]
    fn any_other_query_is_rejected_with_its_column() {
        for (query, expected) in [
            ("info", "from its character 1 on"),
            ("$info", "from its character 2 on"),
            ("$.a-b", "from its character 4 on"),
            ("$.1", "from its character 2 on"),
            ("$['a", "from its character 2 on"),
            (r#"$['\"']"#, "is not a JSONPath query"),
            (r"$['\x']", "is not a JSONPath query"),
            (r"$['\ud83d']", "is not a JSONPath query"),
            ("$[01]", "is not a JSONPath query"),
            ("$[-1]", "is not a JSONPath query"),
            ("$[1", "is not a JSONPath query"),
            ("$.a.*", "may select several locations"),
            ("$..get", "may select several locations"),
            ("$.tags[?@.name=='a']", "may select several locations"),
            ("$.tags[*]", "may select several locations"),
        ] {
            let message = read(query).unwrap_err();
            assert!(message.contains(expected), "{query}: {message}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(tokens in prop::collection::vec(any::<String>(), 0..4), index in 0_usize..99) {
            let mut location = tokens.iter().fold(String::new(), |at, token| pointer::join(&at, token));
            pointer::push(&mut location, &index.to_string());
            let mut expected = tokens.clone();
            expected.push(index.to_string());
            prop_assert_eq!(read(&write(&location, |number| number == tokens.len())).unwrap(), expected);
        }
    }
}
