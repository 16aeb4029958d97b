//! Recognises the operations that read by `POST`: `POST /flows/filter` takes what is looked for in its body and changes
//! nothing. The entry is [`is_query`].
//!
//! # Design
//!
//! No method says so (RFC 9110 has none for it), so the name has to, and where anything in the document speaks against
//! it, the operation stays a write that nobody understands. The last segment of the path must be a verb that can only
//! mean a read: no word of the lists here is one that could act. A segment is taken as a whole, because a verb beside
//! other words is often the name of a thing (`saved-search`, `search-index`) or half of an act (`delete-by-query`,
//! `find-and-modify`). A name or a summary with a verb that acts speaks against it, and so does a record below the path:
//! `GET /search/{id}` says that a `POST` to `/search` keeps what it began.

use super::document::{Document, Node};
use super::operation::{Method, Operation, StatusPattern};
use super::{load, pointer};

/// Verbs that, as the last segment of a path, ask for something and can do nothing else.
const ASKS: [&str; 7] = ["count", "filter", "find", "get", "lookup", "paginate", "query"];

/// Words before `search` in a segment that say how it searches.
const WAYS_TO_SEARCH: [&str; 8] = [
    "advanced", "bulk", "full", "fulltext", "global", "multi", "semantic", "text",
];

/// Words in an operation's name or its summary that say that it does something.
const ACTS: [&str; 41] = [
    "acknowledge",
    "add",
    "apply",
    "archive",
    "assign",
    "cancel",
    "clear",
    "create",
    "delete",
    "destroy",
    "disable",
    "drop",
    "edit",
    "enable",
    "execute",
    "import",
    "insert",
    "lock",
    "mark",
    "merge",
    "modify",
    "move",
    "patch",
    "process",
    "publish",
    "purge",
    "remove",
    "rename",
    "replace",
    "reset",
    "restore",
    "save",
    "send",
    "set",
    "start",
    "stop",
    "store",
    "submit",
    "update",
    "upload",
    "upsert",
];

/// Whether the operation reads, although it is a `POST`, as far as its path, its name, its responses and the paths below
/// it say without doubt.
pub(super) fn is_query(document: &Document, operation: &Operation) -> bool {
    let segment = operation.path.trim_end_matches('/').rsplit('/').next();
    operation.method == Method::Post
        && segment.is_some_and(|segment| !segment.contains('{') && asks(segment))
        && !operation.has_invariants()
        && operation.page.is_none()
        && only_shows(document, operation)
        && !is_said_to_act(document, operation)
        && !has_records_below(document, &operation.path)
}

/// Whether the last segment of a path asks for something.
fn asks(segment: &str) -> bool {
    let words: Vec<_> = words(segment);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [verb] => ASKS.contains(verb) || *verb == "search",
        ["find" | "lookup", "by", by @ ..] => {
            !by.is_empty() && by.len() <= 2 && !by.iter().any(|word| joins_or_acts(word))
        }
        [ways @ .., "search"] => ways.iter().all(|way| WAYS_TO_SEARCH.contains(way)),
        _ => false,
    }
}

/// Whether a word makes an act of those before it: "find by name and delete".
fn joins_or_acts(word: &str) -> bool {
    ["and", "or", "then"].contains(&word) || ACTS.contains(&word)
}

/// Whether the one success is a 200 with a body, and nothing is said of a record that it leads to.
fn only_shows(document: &Document, operation: &Operation) -> bool {
    let mut successes = operation.successes();
    let only = successes.next().filter(|_| successes.next().is_none());
    let Some(success) = only.filter(|success| success.status == StatusPattern::Exact(200) && success.body.is_some())
    else {
        return false;
    };
    let response = document.node(&load::resolve(document, success.pointer.clone()));
    let has_header = |header: &str| {
        let headers = response.and_then(|response| response.member("headers"));
        let mut names = headers.map_or(&[][..], Node::members).iter();
        names.any(|member| member.name.eq_ignore_ascii_case(header))
    };
    let calls_back = document.node(&pointer::join(&operation.pointer, "callbacks")).is_some();
    let links = response.and_then(|response| response.member("links"));
    links.is_none() && !calls_back && !has_header("Location")
}

/// Whether a word of the operation's name or summary says that it does something.
fn is_said_to_act(document: &Document, operation: &Operation) -> bool {
    let stated = ["operationId", "summary"].into_iter().filter_map(|key| {
        let node = document.node(&pointer::join(&operation.pointer, key))?;
        node.string()
    });
    let mut words = stated.flat_map(words);
    words.any(|word| ACTS.contains(&word.as_str()))
}

/// Whether the document has a path with a parameter right below this one.
fn has_records_below(document: &Document, path: &str) -> bool {
    let below = format!("{}/{{", path.trim_end_matches('/'));
    let mut paths = document.node("/paths").map_or(&[][..], Node::members).iter();
    paths.any(|other| other.name.starts_with(&below))
}

/// Returns the words of a name in lower case: at each capital letter and at whatever is no letter a word ends.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use crate::contract::testing::of_paths;

    /// Whether the first `POST` of these paths is a read.
    fn reads(paths: &str) -> bool {
        let contract = of_paths(paths, "").unwrap_or_else(|defect| panic!("{defect}"));
        let mut posts = contract
            .operations
            .iter()
            .filter(|operation| operation.method.as_str() == "POST");
        let post = posts.next().unwrap();
        assert_eq!(post.is_query(), post.is_read(), "{}", post.path);
        assert_ne!(post.is_query(), post.creates(), "{}", post.path);
        assert!(!post.is_safe());
        post.is_query()
    }

    const SHOWN: &str =
        "'200': {description: a, content: {application/json: {schema: {type: array, items: {type: string}}}}}";

    fn post(path: &str, rest: &str, responses: &str) -> String {
        format!("{path}:\n  post: {{{rest}responses: {{{responses}}}}}\n")
    }

    #[test]
    fn a_verb_that_only_asks_makes_a_read_of_a_post() {
        for path in [
            "/flows/filter",
            "/flows/count/",
            "/flows/paginate",
            "/pets/search",
            "/pets/_search",
            "/pets/full-text-search",
            "/stubs/find-by-metadata",
            "/stubs/findByMetadata",
            "/vectors/query",
            "/vectors/get",
        ] {
            assert!(reads(&post(path, "", SHOWN)), "{path}");
        }
    }

    #[test]
    fn a_name_that_could_be_an_act_or_a_thing_makes_none() {
        for path in [
            "/flows",
            "/filters",
            "/saved-search",
            "/search-index",
            "/pets/_delete_by_query",
            "/pets/delete-by-query",
            "/pets/find-and-modify",
            "/pets/find-by-name-and-delete",
            "/pets/findOneAndUpdate",
            "/pets/get-or-create",
            "/pets/filter/apply",
            "/notifications/read",
            "/pets/list",
            "/pets/validate",
            "/jobs/{search}",
            "/jobs:search",
        ] {
            let parameter = if path.contains('{') {
                "parameters: [{name: search, in: path, required: true, schema: {type: string}}], "
            } else {
                ""
            };
            assert!(!reads(&post(path, parameter, SHOWN)), "{path}");
        }
    }

    #[test]
    fn whatever_speaks_of_an_act_or_a_record_makes_a_write_of_it() {
        let created = SHOWN.replace("200", "201");
        let begun = format!("{SHOWN}, '202': {{description: b}}");
        let header = SHOWN.replace(
            "description: a",
            "description: a, headers: {location: {schema: {type: string}}}",
        );
        let linked = SHOWN.replace("description: a", "description: a, links: {it: {operationId: x}}");
        let below = "/pets/search/{id}:\n  get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], \
                     responses: {'200': {description: a}}}\n";
        let named = "/x:\n  get: {operationId: x, responses: {'200': {description: a}}}\n";
        for (rest, responses, more) in [
            ("", created.as_str(), ""),
            ("", &begun, ""),
            ("", &header, ""),
            ("", &linked, named),
            ("", "'200': {description: a}", ""),
            ("", "default: {description: a}", ""),
            ("", SHOWN, below),
            ("operationId: updateByFilter, ", SHOWN, ""),
            ("summary: Delete what a filter selects, ", SHOWN, ""),
            ("summary: Search and save the result, ", SHOWN, ""),
        ] {
            let paths = format!("{}{more}", post("/pets/search", rest, responses));
            assert!(!reads(&paths), "{paths}");
        }
        assert!(reads(&post(
            "/pets/search",
            "summary: Search deleted pets and updates, ",
            SHOWN
        )));
        assert!(reads(&post("/updates/search", "operationId: searchUpdates, ", SHOWN)));
    }
}
