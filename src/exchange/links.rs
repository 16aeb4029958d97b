//! Reads the header `Link` (RFC 8288). The main function is [`next`].

/// Returns the target of each link to the next page: of those whose relation types contain `next`.
pub(crate) fn next(header: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = header;
    while let Some((target, after)) = rest.split_once('<').and_then(|(_, rest)| rest.split_once('>')) {
        let (parameters, others) = parameters(after);
        // Only the first `rel` counts (RFC 8288, section 3.3), and one with an anchor is about another resource.
        let rel = parameters.iter().find(|(name, _)| name == "rel");
        let is_next = rel.is_some_and(|(_, types)| {
            types
                .split_ascii_whitespace()
                .any(|kind| kind.eq_ignore_ascii_case("next"))
        });
        if is_next && !parameters.iter().any(|(name, _)| name == "anchor") {
            found.push(target.trim().to_owned());
        }
        rest = others;
    }
    found
}

/// Returns the parameters of a link, with their names in lower case, and what comes after them.
fn parameters(text: &str) -> (Vec<(String, String)>, &str) {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(parameter) = rest.strip_prefix(';') {
        let end = parameter.find(['=', ';', ',']).unwrap_or(parameter.len());
        let (name, after) = parameter.split_at(end);
        let (value, after) = match after.strip_prefix('=') {
            Some(value) => value_of(value.trim_start()),
            None => (String::new(), after),
        };
        found.push((name.trim().to_ascii_lowercase(), value));
        rest = after.trim_start();
    }
    (found, rest)
}

/// Returns a value (a token or a quoted string: RFC 9110, section 5.6.4) and what comes after it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return (value, &quoted[index + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn the_next_page_is_found_among_other_links() {
        for (header, expected) in [
            (
                "<https://a.example.com/pets?page=2>; rel=\"next\", </pets?page=5>; rel=\"last\"",
                &["https://a.example.com/pets?page=2"][..],
            ),
            (
                "</pets?page=1>; rel=\"prev\", </pets?page=3>; rel=next",
                &["/pets?page=3"],
            ),
            (
                "</a?x=1,2>; title=\"a, \\\"b\\\"; rel=next\"; rel=\"last next\"",
                &["/a?x=1,2"],
            ),
            ("</a>;REL=Next ;title=b", &["/a"]),
            ("</a>; rel=prev; rel=next", &[]),
            ("</a>; rel=next; anchor=\"/b\"", &[]),
            ("</a>", &[]),
            ("<", &[]),
            ("</a>; rel=\"next", &["/a"]),
            ("", &[]),
        ] {
            assert_eq!(next(header), expected, "{header}");
        }
    }
}
