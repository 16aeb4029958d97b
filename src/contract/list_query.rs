//! Recognises a `POST` whose path ends in `list` as one that shows records: `POST /users/list`, `/backends/list_types`.
//! The main function is [`lists_several`].
//!
//! # Design
//!
//! To list is also to put something on sale (`POST /items/{id}/list`), and a list is also a thing that is made
//! (`POST /mailing/list`, `/list-items`). So the path, the texts, the body and the response must all say that several
//! records are shown. What acts on a record has to name it: here the path before `list` is no record, and the body and
//! the query need nothing. The response has an array and is no record itself. Where a verb that is known to list has
//! an object, that is a plural ("List the item" is no read), and each sentence is one that only describes a list (see
//! [`list_sentence`](super::list_sentence)). What the body may leave out selects records, unless it is a plain text
//! without a default. No `GET` shows the same already. Paths beside it that end
//! in verbs for records (`/users/get`, `/users/create`) say that the last segment is a verb; if all do, no text is needed.

use std::collections::HashSet;

use super::document::{Document, Node};
use super::inferred::comparable_path;
use super::lexicon::{
    IDENTIFIERS, READS, READS_IN_SUMMARIES, camel_case_words, is_base_or_third_person, sentences, without_prefixes,
};
use super::list_sentence::only_describes;
use super::operation::{Operation, ParameterLocation};
use super::parameter_side_effects::name_has_side_effect;
use super::query::{is_form_of_acting_verb, part_acts, said_of_parts};
use super::texts::{stated, summary_and_description};
use super::{field, load, pointer};

/// Words for trade, in which a list is what is on offer.
const TRADE: [&str; 8] = [
    "adoption", "auction", "hire", "market", "marketplace", "rent", "sale", "storefront",
];

/// Verbs beside `list` that say that it puts something on sale.
const TRADES: [&str; 6] = ["bid", "buy", "delist", "relist", "sell", "unlist"];

/// Verbs of paths that read or write records of the same kind.
const OF_RECORDS: [&str; 16] = [
    "add", "count", "create", "delete", "describe", "edit", "find", "get", "info", "insert", "modify", "remove",
    "save", "search", "show", "update",
];

/// Words after which the object of a verb ends.
const AFTER_OBJECT: [&str; 10] = ["as", "at", "by", "for", "from", "in", "on", "to", "which", "with"];

/// Words in the names of properties that select records, arrange them in pages, or choose what is shown of each.
const SELECTS: [&str; 49] = [
    "active", "after", "all", "any", "asc", "ascending", "before", "by", "count", "cursor", "depth", "desc",
    "descending", "direction", "end", "exclude", "expand", "fields", "filter", "filters", "first", "from", "full",
    "has", "hidden", "id", "include", "is", "last", "limit", "max", "min", "name", "offset", "only", "order", "page",
    "prev", "query", "reverse", "search", "since", "size", "skip", "sort", "start", "state", "status", "with",
];

/// Arrays in a response that say what became of a call.
const OF_OUTCOME: [&str; 5] = ["errors", "failed", "failures", "messages", "warnings"];

/// How deep an array may be in objects around it: `{"data": {"items": []}}`.
const MAX_ENVELOPES: usize = 2;

/// Whether a path's last segment is `list`, alone or before what is listed: `list_plans`.
pub(super) fn is_named_list(segment: &str) -> bool {
    match camel_case_words(segment).as_slice() {
        [list] => list == "list",
        [list, what @ ..] => {
            let is_other = |word: &String| AFTER_OBJECT.contains(&word.as_str()) || is_form_of_acting_verb(word);
            list == "list" && what.last().is_some_and(|last| is_plural(last)) && !what.iter().any(is_other)
        }
        [] => false,
    }
}

/// Whether a path's last segment is `list` with the name of other things than those of the collection before it.
pub(super) fn lists_others(collection: &str, segment: &str) -> bool {
    let name = collection.rsplit('/').next().unwrap_or_default();
    match camel_case_words(segment).as_slice() {
        [list, what @ ..] => list == "list" && !what.is_empty() && camel_case_words(name) != what,
        [] => false,
    }
}

/// Whether an operation whose path is one of [`is_named_list`] lists records, as far as the path and those beside it,
/// the texts, the body and the response say.
pub(super) fn lists_several(document: &Document, operation: &Operation) -> bool {
    let Some((parent, segment)) = operation.path.trim_end_matches('/').rsplit_once('/') else {
        return false;
    };
    let before = parent.rsplit('/').next().unwrap_or_default();
    let is_alone = camel_case_words(segment).len() == 1;
    let names_records = !is_alone || camel_case_words(before).last().is_some_and(|last| is_plural(last));
    let is_of_record = is_alone && before.contains('{');
    let acts = || is_about_trade(document, operation) || said_of_parts(document, operation).any(part_acts);
    let may_read = texts_agree(document, operation)
        && !(is_of_record || acts())
        && needs_nothing(document, operation)
        && leaves_out_only_filters(document, operation)
        && success_shows_several(document, operation);
    // This reads all paths of the document.
    let beside = may_read.then(|| Beside::of(document, (parent, segment)));
    beside.is_some_and(|beside| {
        let is_verb = beside
            .verbs
            .iter()
            .filter(|verb| OF_RECORDS.contains(&verb.as_str()))
            .count()
            > 1;
        let has_text = has_text(document, operation);
        let is_named = is_verb && (has_text || beside.has_only_records) || names_records && has_text;
        is_named && !(beside.trades || beside.has_get || is_alone && beside.parent_has_get)
    })
}

/// What stands beside an operation in the paths of its document.
#[derive(Default)]
struct Beside {
    /// The first words of what follows the same parent in the paths of other `POST`s.
    verbs: HashSet<String>,
    /// Whether each other `POST` below the parent ends with a verb that reads or writes records.
    has_only_records: bool,
    /// Whether a path below the parent has a verb of trade.
    trades: bool,
    /// Whether the path itself has a `GET`.
    has_get: bool,
    /// Whether the parent has a `GET`.
    parent_has_get: bool,
}

impl Beside {
    fn of(document: &Document, (parent, segment): (&str, &str)) -> Self {
        let mut beside = Self {
            has_only_records: true,
            ..Self::default()
        };
        let parent = comparable_path(parent);
        for path in document.members_at("/paths") {
            let has = |method: &str| path.node.member(method).is_some();
            let other = comparable_path(&path.name);
            let Some(below) = other.strip_prefix(&parent) else {
                continue;
            };
            let Some(below) = below.strip_prefix('/') else {
                beside.parent_has_get |= below.is_empty() && has("get");
                continue;
            };
            let mut firsts = below
                .split('/')
                .filter_map(|name| camel_case_words(name).into_iter().next());
            beside.trades |= firsts.any(|first| TRADES.contains(&first.as_str()));
            if below == segment {
                beside.has_get |= has("get");
            } else if has("post") {
                let verb = below
                    .rsplit('/')
                    .next()
                    .map(camel_case_words)
                    .unwrap_or_default()
                    .into_iter()
                    .next();
                let is_of_records =
                    |verb: &String| OF_RECORDS.contains(&verb.as_str()) || READS.contains(&verb.as_str());
                beside.has_only_records &= verb.as_ref().is_some_and(is_of_records);
                beside.verbs.extend(verb.filter(|_| !below.contains(['/', '{'])));
            }
        }
        beside
    }
}

/// Whether a text or a name says something of the operation that its path does not.
fn has_text(document: &Document, operation: &Operation) -> bool {
    let name = stated(document, operation, "operationId").map(camel_case_words);
    summary_and_description(document, operation).next().is_some() || name.is_some_and(|name| name.len() > 1)
}

/// Whether the summary and the description begin with a verb that reads and only describe a list, and the name, if it has a verb that lists, has
/// a plural too.
fn texts_agree(document: &Document, operation: &Operation) -> bool {
    let name = stated(document, operation, "operationId").map(camel_case_words);
    let lists_one = name.filter(|name| name.len() > 1).is_some_and(|mut name| {
        name.retain(|word| word != "post");
        let at = name.iter().position(|word| word == "list");
        at.is_some_and(|at| {
            let (before, after) = (&name[..at], &name[at + 1..]);
            let object = if after.is_empty() { before } else { after };
            !object.iter().any(|word| is_plural(word))
        })
    });
    let is_result = |pair: &[String]| {
        let is_done = pair[1].ends_with("ed") && is_form_of_acting_verb(&pair[1]);
        pair[0] == "the" && (is_done || pair[1] == "listed")
    };
    !lists_one
        && summary_and_description(document, operation).all(|text| {
            let begins = sentences(text).next().is_some_and(says_that_it_lists);
            begins && only_describes(text) && !camel_case_words(text).windows(2).any(is_result)
        })
}

/// Whether a sentence begins with a verb that reads. To list one thing, or several as or on something, is no read.
fn says_that_it_lists(sentence: &str) -> bool {
    let words = without_prefixes(sentence);
    let [verb, object @ ..] = words.as_slice() else {
        return false;
    };
    let is_object = |word: &&String| !AFTER_OBJECT.contains(&word.as_str());
    let is_put = |word: &String| ["as", "on"].contains(&word.as_str());
    match is_base_or_third_person(verb, "list") {
        true => object.iter().take_while(is_object).any(|word| is_plural(word)) && !object.iter().any(is_put),
        false => READS
            .iter()
            .chain(&READS_IN_SUMMARIES)
            .any(|known| is_base_or_third_person(verb, known)),
    }
}

/// Whether the path, the name or a text about the operation or its parts has a word for trade, or its body a price that
/// is no bound of a search.
fn is_about_trade(document: &Document, operation: &Operation) -> bool {
    let own = summary_and_description(document, operation).chain(stated(document, operation, "operationId"));
    let mut texts = own
        .chain(said_of_parts(document, operation))
        .chain([operation.path.as_str()]);
    let is_price = |field: &field::RequestField| {
        let words = pointer::tokens(&field.pointer)
            .last()
            .map(|name| camel_case_words(&name))
            .unwrap_or_default();
        let has = |name: &str| words.iter().any(|word| word == name);
        has("price") && !has("max") && !has("min")
    };
    let schema = operation.request_body.as_ref().and_then(|body| body.schema.as_deref());
    texts.any(|text| camel_case_words(text).iter().any(|word| TRADE.contains(&word.as_str())))
        || schema.is_some_and(|schema| field::fields(document, schema).iter().any(is_price))
}

/// Whether a word is a plural in -s: `users`, but not `status` or `class`.
fn is_plural(word: &str) -> bool {
    let is_other = ["is", "ss", "us"].iter().any(|ending| word.ends_with(ending));
    word.len() > 2 && word.ends_with('s') && !is_other
}

/// Whether the body and the query may be empty, so that they name nothing on which the operation could act.
fn needs_nothing(document: &Document, operation: &Operation) -> bool {
    let has_body = document
        .node(&pointer::join(&operation.pointer, "requestBody"))
        .is_some();
    let schema = operation.request_body.as_ref().and_then(|body| body.schema.clone());
    let body_may_be_empty = match schema {
        Some(schema) => may_be_empty(document, schema, 0),
        None => !has_body,
    };
    let mut parameters = operation.parameters.iter();
    body_may_be_empty && parameters.all(|other| !other.required || other.location == ParameterLocation::Path)
}

/// Whether each property of the body that a call may leave out, and that then has a value or counts as off or zero, is
/// a filter, concerns the pages, or is an action that is off.
fn leaves_out_only_filters(document: &Document, operation: &Operation) -> bool {
    let schema = operation.request_body.as_ref().and_then(|body| body.schema.clone());
    let parts = schema.map_or_else(Vec::new, |schema| field::with_all_of(document, schema));
    let mut properties = parts.iter().flat_map(|(at, node)| {
        let members = node.members_of("properties").iter();
        members.map(move |member| {
            (
                &*member.name,
                pointer::join(&pointer::join(at, "properties"), &member.name),
            )
        })
    });
    properties.all(|(name, at)| {
        let at = load::resolve(document, at);
        let Some(node) = document.node(&at) else { return true };
        let default = node.member("default").filter(|default| default.kind_name() != "null");
        let is_off = default.and_then(Node::boolean) == Some(false);
        let alternatives = field::alternatives(&at, node).into_iter();
        let alternatives = alternatives.filter_map(|other| document.node(&load::resolve(document, other)));
        let mut kinds = alternatives.chain([node]).flat_map(types);
        let is_free = default.is_none() && !kinds.any(|kind| ["boolean", "integer", "number"].contains(&kind));
        let words = camel_case_words(name);
        let selects = words
            .iter()
            .any(|word| SELECTS.contains(&word.as_str()) || is_state(word));
        is_free || selects || is_off && name_has_side_effect(name, true)
    })
}

/// Returns the types that a schema itself names.
fn types(schema: &Node) -> impl Iterator<Item = &str> {
    let named = schema.member("type");
    let several = named.map_or(&[][..], Node::elements).iter();
    several.chain(named).filter_map(Node::string)
}

/// Whether a word is a participle, which says in which state the records are: `unallocated`.
fn is_state(word: &str) -> bool {
    word.ends_with("ed") && !word.ends_with("eed")
}

fn may_be_empty(document: &Document, schema: String, depth: usize) -> bool {
    depth <= MAX_ENVELOPES
        && field::with_all_of(document, schema).into_iter().all(|(at, node)| {
            let requires = node
                .member("required")
                .is_some_and(|names| !names.elements().is_empty());
            let is_array = node.text_of("type") == Some("array");
            let mut alternatives = field::alternatives(&at, node).into_iter();
            !requires && !is_array && alternatives.all(|other| may_be_empty(document, other, depth + 1))
        })
}

/// Whether the success is an array, or an object around an array of records, and is not a record itself.
fn success_shows_several(document: &Document, operation: &Operation) -> bool {
    let mut schemas = operation.successes().flat_map(|success| {
        let content = pointer::join(&load::resolve(document, success.pointer.clone()), "content");
        let media_types = document.members_at(&content).iter();
        let schemas = media_types.map(|kind| pointer::join(&pointer::join(&content, &kind.name), "schema"));
        schemas.collect::<Vec<_>>()
    });
    schemas.all(|schema| shows_several(document, schema, (0, &mut HashSet::new())))
}

/// `seen` has the schemas that were read, so that those that refer to each other are read once.
fn shows_several(document: &Document, schema: String, (depth, seen): (usize, &mut HashSet<String>)) -> bool {
    let schema = load::resolve(document, schema);
    if depth > MAX_ENVELOPES || !seen.insert(schema.clone()) {
        return false;
    }
    let parts = field::with_all_of(document, schema);
    let properties = parts.iter().flat_map(|(at, node)| {
        let members = node.members_of("properties").iter();
        members.map(|member| {
            (
                &*member.name,
                pointer::join(&pointer::join(at, "properties"), &member.name),
            )
        })
    });
    let is_record = properties.clone().any(|(name, _)| IDENTIFIERS.contains(&name));
    let is_array = |(at, node): &(String, &Node)| {
        let is_array = node.text_of("type") == Some("array");
        is_array && (depth == 0 || has_records(document, at))
    };
    let mut has_several_in_each = |(at, node): &(String, &Node)| {
        let alternatives = field::alternatives(at, node);
        !alternatives.is_empty()
            && alternatives
                .into_iter()
                .all(|other| shows_several(document, other, (depth + 1, seen)))
    };
    !is_record
        && (parts.iter().any(is_array)
            || parts.iter().any(&mut has_several_in_each)
            || properties
                .filter(|(name, _)| !OF_OUTCOME.contains(name))
                .any(|(_, property)| shows_several(document, property, (depth + 1, seen))))
}

/// Whether the elements of the array at this location may be records: `errors: [string]` has none.
fn has_records(document: &Document, array: &str) -> bool {
    let items = document.node(&load::resolve(document, pointer::join(array, "items")));
    let kind = items.and_then(|items| items.member("type")).and_then(Node::string);
    matches!(kind, None | Some("object"))
}

#[cfg(test)]
mod tests {
    use super::super::operation::Method;
    use crate::contract::testing::of_paths;

    const RECORDS: &str = "{type: array, items: {type: object, properties: {id: {type: string}}}}";

    /// Whether the first `POST` of these paths reads.
    fn reads(paths: &str) -> bool {
        let contract = of_paths(paths, "").unwrap_or_else(|defect| panic!("{defect}"));
        let mut operations = contract.operations.iter();
        operations
            .find(|operation| operation.method == Method::Post)
            .unwrap()
            .is_query()
    }

    /// A `POST` with these lines before its responses, and with this schema of its success.
    fn post(path: &str, rest: &str, schema: &str) -> String {
        let parameter = match path.contains("{id}") {
            true => "parameters: [{name: id, in: path, required: true, schema: {type: string}}], ",
            false => "",
        };
        let content = format!("content: {{application/json: {{schema: {schema}}}}}");
        format!("{path}:\n  post: {{{parameter}{rest}responses: {{'200': {{description: a, {content}}}}}}}\n")
    }

    fn said(path: &str, rest: &str) -> bool {
        reads(&post(path, rest, RECORDS))
    }

    /// More paths with a `POST` each.
    fn beside(paths: &[&str]) -> String {
        paths.iter().map(|path| post(path, "", "{type: object}")).collect()
    }

    #[test]
    fn a_list_of_records_that_a_text_says_is_shown_is_a_read() {
        for (path, rest) in [
            ("/users/list", "summary: List users, "),
            ("/api/public_keys/list/", "summary: List SSH keys, "),
            ("/users/list", "operationId: list_users_users_list_post, "),
            ("/users/list", "operationId: UsersController_list, "),
            ("/users/list", "operationId: users_list_post, "),
            ("/users/list", "summary: Returns the users, "),
            (
                "/users/list",
                "description: 'Lists all users. To get the next page, pass the last name.', ",
            ),
            ("/backends/list_types", "summary: List types, "),
            ("/listUsers", "operationId: ListUsers, "),
            (
                "/orgs/{id}/users/list",
                "summary: '[Admin] List users of an organization', ",
            ),
            ("/todos/list", "summary: Lists todos in the order of their dates, "),
        ] {
            assert!(said(path, rest), "{path} {rest}");
        }
    }

    #[test]
    fn an_outcome_a_default_that_acts_and_paths_beside_it_speak_against_a_list() {
        let body = |schema: &str| {
            format!("summary: List vehicles, requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}, ")
        };
        let plain = body("{type: object, properties: {channel: {type: string}}}");
        assert!(said("/vehicles/list", &plain));
        let outcome =
            "{type: object, properties: {listed: {type: integer}, errors: {type: array, items: {type: string}}}}";
        assert!(!reads(&post("/vehicles/list", &plain, outcome)));
        let names = "{type: object, properties: {names: {type: array, items: {type: string}}}}";
        assert!(!reads(&post("/vehicles/list", &plain, names)));
        let marks = body("{type: object, properties: {mark_seen: {type: boolean, default: true}}}");
        assert!(!said("/vehicles/list", &marks));
        assert!(said("/vehicles/list", &marks.replace("true", "false")));
        let list = post("/orgs/{id}/vehicles/list", &plain, RECORDS);
        assert!(reads(&list));
        assert!(!reads(&format!(
            "{list}{}",
            beside(&["/orgs/{id}/vehicles/{id}/unlist"])
        )));
        let parameter = "{name: org, in: path, required: true, schema: {type: string}}";
        let get = format!(
            "/orgs/{{org}}/vehicles:\n  get: {{parameters: [{parameter}], responses: {{'200': {{description: a}}}}}}\n"
        );
        assert!(!reads(&format!("{list}{get}")));
    }

    #[test]
    fn to_put_on_sale_or_on_a_list_and_to_make_a_list_are_no_reads() {
        for (path, rest) in [
            ("/items/{id}/list", "summary: List items, "),
            ("/items/list", "summary: List an item, "),
            ("/items/list", "summary: Lists the item in shops, "),
            ("/items/list", "summary: List items for sale, "),
            (
                "/items/list",
                "summary: List items, description: Makes them visible to buyers., ",
            ),
            (
                "/items/list",
                "summary: List items, description: Lists items on the exchange., ",
            ),
            ("/items/list", "operationId: listItem, "),
            ("/items/list", "operationId: ItemsController_listItem, "),
            (
                "/items/list",
                "operationId: items, summary: List items, security: [{a: ['items:write']}], ",
            ),
            ("/marketplace/items/list", "summary: List items, "),
            ("/players/list", "summary: List players as available, "),
            ("/list", "summary: List users, "),
            ("/v1/list", "summary: List users, "),
            ("/mailing/list", "summary: List members, "),
            ("/wish/list", "summary: List wishes, "),
            ("/deny/list", "summary: List addresses, "),
            ("/mailings/list", "summary: Create a mailing list, "),
            ("/mailings/list", "summary: Mailing list, "),
            ("/contacts/list", "summary: Adds contacts to a list, "),
            ("/todos/list", "summary: New list of to-dos, "),
            (
                "/todos/list",
                "summary: List to-dos, description: Returns the updated list., ",
            ),
            ("/addresses/list", "summary: List addresses that are to be blocked, "),
            ("/list-item", "summary: List items, "),
            ("/list-members", "summary: Add members, "),
            ("/list_for_buyers", "summary: List users, "),
            ("/users/deny-list", "summary: List users, "),
            ("/users/list-and-delete-rows", "summary: List users, "),
            ("/users/list", ""),
            ("/users/list", "operationId: list, "),
            ("/users/list_plans", ""),
        ] {
            assert!(!said(path, rest), "{path} {rest}");
        }
    }

    #[test]
    fn verbs_beside_a_list_say_that_it_is_one_too() {
        let list = post("/user/list", "", RECORDS);
        assert!(reads(&(list.clone() + &beside(&["/user/get", "/user/create"]))));
        assert!(reads(&(list.clone() + &beside(&["/user/get_plan", "/user/delete"]))));
        for others in [
            &[][..],
            &["/user/get"],
            &["/user/get", "/user/get_plan"],
            &["/users/get", "/users/create"],
            &["/user/get", "/user/create", "/user/unlist"],
            &["/user/get", "/user/create", "/user/sell"],
            &["/user/get", "/user/create", "/user/transfer"],
            &["/user/get", "/user/create", "/user/burn"],
        ] {
            assert!(!reads(&(list.clone() + &beside(others))), "{others:?}");
        }
        let said = post("/user/list", "summary: List users, ", RECORDS);
        assert!(reads(
            &(said + &beside(&["/user/get", "/user/create", "/user/transfer"]))
        ));
        let item = post("/user/list", "summary: List a user, ", RECORDS);
        assert!(!reads(&(item + &beside(&["/user/get", "/user/create"]))));
    }

    #[test]
    fn what_is_listed_by_get_already_may_be_something_else_by_post() {
        let list = post("/users/list", "summary: List users, ", RECORDS);
        let shown = "{responses: {'200': {description: a}}}";
        for more in [
            format!("  get: {shown}\n"),
            format!("  delete: {shown}\n"),
            format!("/users:\n  get: {shown}\n"),
        ] {
            assert!(!reads(&format!("{list}{more}")), "{more}");
        }
        assert!(reads(&format!("{list}/groups:\n  get: {shown}\n")));
        assert!(reads(&format!("{list}/users:\n  delete: {shown}\n")));
    }

    #[test]
    fn what_acts_has_to_name_something() {
        let with = |schema: &str| {
            let body = format!("requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}");
            said("/users/list", &format!("summary: List users, {body}, "))
        };
        let properties = "properties: {limit: {type: integer}, name: {type: string}}";
        for schema in [
            format!("{{type: object, {properties}}}"),
            "{type: object, properties: {max_price: {type: number}}}".to_owned(),
            format!("{{allOf: [{{type: object, {properties}}}]}}"),
            format!("{{anyOf: [{{type: object, {properties}}}, {{type: object}}]}}"),
        ] {
            assert!(with(&schema), "{schema}");
        }
        for schema in [
            format!("{{type: object, required: [name], {properties}}}"),
            format!("{{allOf: [{{type: object, required: [name], {properties}}}]}}"),
            format!("{{anyOf: [{{type: object}}, {{type: object, required: [name], {properties}}}]}}"),
            "{type: array, items: {type: string}}".to_owned(),
            "{type: object, properties: {asking_price: {type: number}}}".to_owned(),
        ] {
            assert!(!with(&schema), "{schema}");
        }
        let form = "requestBody: {content: {text/plain: {schema: {type: string}}}}, ";
        assert!(!said("/users/list", &format!("summary: List users, {form}")));
        let named = |required: bool| {
            let parameter = format!("{{name: user, in: query, required: {required}, schema: {{type: string}}}}");
            format!("summary: List users, parameters: [{parameter}], ")
        };
        assert!(said("/users/list", &named(false)) && !said("/users/list", &named(true)));
    }

    #[test]
    fn what_a_call_leaves_out_has_to_be_a_filter() {
        let with = |property: &str| {
            let schema = format!("{{type: object, properties: {{{property}}}}}");
            let body = format!("requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}");
            said("/users/list", &format!("summary: List users, {body}, "))
        };
        for property in [
            "only_active: {type: boolean, default: false}",
            "unassigned_roles: {type: boolean, default: false}",
            "limit: {type: integer, default: 100}",
            "size: {type: integer, nullable: true}",
            "order: {type: string, default: name}",
            "team: {type: string, nullable: true, default: null}",
        ] {
            assert!(with(property), "{property}");
        }
        for property in [
            "keep: {type: boolean, default: false}",
            "keep: {type: boolean}",
            "venue: {type: string, default: shop}",
            "visibility_timeout: {type: integer}",
            "visibility_timeout: {type: integer, nullable: true}",
        ] {
            assert!(!with(property), "{property}");
        }
    }

    #[test]
    fn each_sentence_has_to_describe_a_list() {
        for (summary, description) in [
            ("List users", "Returns the users. Admins see all users."),
            ("List users", "Returns the users. The results are paginated."),
            ("List users with no team", "Returns the users. Sorted by name."),
        ] {
            let rest = format!("summary: {summary}, description: '{description}', ");
            assert!(said("/users/list", &rest), "{rest}");
        }
        for (summary, description) in [
            ("List users with the agency", "Returns the users."),
            ("List users", "Returns the users. Wakes sleeping ones."),
            ("List users", "Returns the users. They stay yours for ten minutes."),
        ] {
            let rest = format!("summary: {summary}, description: '{description}', ");
            assert!(!said("/users/list", &rest), "{rest}");
        }
    }

    #[test]
    fn the_response_has_to_show_several() {
        let shows = |schema: &str| reads(&post("/users/list", "summary: List users, ", schema));
        let users = format!("users: {RECORDS}");
        for schema in [
            RECORDS.to_owned(),
            format!("{{type: object, properties: {{{users}, total: {{type: integer}}}}}}"),
            format!("{{allOf: [{{type: object, properties: {{data: {{type: object, properties: {{{users}}}}}}}}}]}}"),
            format!("{{anyOf: [{RECORDS}, {{type: object, properties: {{{users}}}}}]}}"),
        ] {
            assert!(shows(&schema), "{schema}");
        }
        for schema in [
            "{type: object}".to_owned(),
            "{type: string}".to_owned(),
            "{type: object, properties: {ok: {type: boolean}}}".to_owned(),
            format!("{{type: object, properties: {{id: {{type: string}}, {users}}}}}"),
            format!("{{anyOf: [{RECORDS}, {{type: object}}]}}"),
        ] {
            assert!(!shows(&schema), "{schema}");
        }
    }
}
