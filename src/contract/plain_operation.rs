//! Tells whether all that a document says around an operation says no more than what it lists, shows, creates or
//! changes. What follows from paths and types alone, such as that a default is set, is stated only then: one sentence
//! anywhere can take it back ("Workspaces have defaults of their own").

use super::Contract;
use super::document::Node;
use super::field::{is_flagged, with_all_of};
use super::inferred::comparable_name;
use super::lexicon::{alphanumeric_words, camel_case_words, whole_sentences};
use super::lifecycle::Lifecycle;
use super::load::resolve;
use super::operation::{DocumentedResponse, Operation, OperationId, ParameterLocation};
use super::plain_text::{
    names_a_choice, only_creates, only_introduces, only_lists, only_names_the_record, only_says_not_found, only_shows,
    words_of,
};
use super::pointer;
use super::texts::{About, said, summary_and_description};

/// What a document says of itself, and what its texts may name.
#[derive(Clone, Debug)]
pub(super) struct Introduction {
    /// The words of its paths and its title.
    names: Vec<String>,
    /// Whether it says no more than what the document is.
    is_plain: bool,
}

impl Introduction {
    fn of(contract: &Contract) -> Self {
        let said_at = |at: &str| contract.document.node(at).and_then(Node::string);
        let mut names = said_at("/info/title").map_or_else(Vec::new, camel_case_words);
        let operations = contract.operations.iter();
        names.extend(operations.flat_map(|operation| camel_case_words(&operation.path)));
        names.retain(|word| !word.is_empty());
        names.sort_unstable();
        names.dedup();
        let texts = ["/info/description", "/info/summary"].into_iter().filter_map(said_at);
        let is_plain = sentences(texts)
            .iter()
            .all(|sentence| only_introduces(sentence, &names));
        Self { names, is_plain }
    }
}

impl Contract {
    /// Whether the texts about a list say only that it lists its records, and each of its parameters requests a page,
    /// sorts or filters. A cache that the document speaks of may show an earlier state.
    pub(super) fn only_lists_plainly(&self, list: OperationId) -> bool {
        let operation = self.operation(list);
        let names = names_of(operation);
        let own = sentences(summary_and_description(&self.document, operation));
        let is_named_plainly = only_lists(&camel_case_words(&operation.name).join(" "), &names);
        is_named_plainly
            && own.iter().all(|sentence| only_lists(sentence, &names))
            && !own.iter().any(|sentence| names_a_choice(sentence))
            && self.is_plain_around(operation, &names)
            && operation.successes().all(|success| self.has_plain_headers(success))
            && self.only_selects_and_sorts(list)
    }

    /// Whether the texts about a read, or the parts of another operation, say only what is shown.
    pub(super) fn only_shows_plainly(&self, read: OperationId) -> bool {
        let operation = self.operation(read);
        let names = names_of(operation);
        let own = sentences(summary_and_description(&self.document, operation));
        own.iter().all(|sentence| only_shows(sentence, &names)) && self.is_plain_around(operation, &names)
    }

    /// Whether the texts about a create say only that it creates what is sent.
    pub(super) fn only_creates_plainly(&self, create: OperationId) -> bool {
        let operation = self.operation(create);
        let names = names_of(operation);
        let own = sentences(summary_and_description(&self.document, operation));
        own.iter().all(|sentence| only_creates(sentence, &names)) && self.is_plain_around(operation, &names)
    }

    /// Whether what surrounds the sentences about an update says only that the record is shown.
    pub(super) fn is_plain_around_update(&self, update: OperationId) -> bool {
        let operation = self.operation(update);
        self.is_plain_around(operation, &names_of(operation))
    }

    /// Whether all texts about a create and the read of its record, and about what the read does not find, say only
    /// that the record is created and shown.
    pub(crate) fn only_names_its_record(&self, lifecycle: &Lifecycle) -> bool {
        let read = self.operation(lifecycle.read);
        let names = names_of(read);
        let unknown = read.response_of_exactly(404).into_iter();
        let unknown = unknown.filter_map(|response| self.described(response.pointer.clone()));
        !self.may_show_another_record(lifecycle.read)
            && self.only_shows_plainly(lifecycle.read)
            && self.only_creates_plainly(lifecycle.create)
            && sentences(unknown.collect::<Vec<_>>().iter().map(String::as_str))
                .iter()
                .all(|sentence| only_says_not_found(sentence, &names))
    }

    /// Whether a text after the number in the path of a read may be a name for people, as in `/posts/12-my-title`: the
    /// record has such a name, or its number is described by more than plain words.
    pub(crate) fn may_take_name_after_number(&self, lifecycle: &Lifecycle) -> bool {
        const NAMES: [&str; 10] = [
            "canonicalurl", "href", "htmlurl", "link", "path", "permalink", "slug", "uri", "url", "weburl",
        ];
        let Some(schema) = self.schema_of_success(lifecycle.read) else {
            return true;
        };
        let record = self.schemas_within(&schema, &lifecycle.record_in_read);
        let fields = record.iter().filter_map(|(_, node)| node.member("properties"));
        let mut fields = fields.flat_map(Node::members);
        let is_name = |name: &str| {
            let name = comparable_name(name);
            NAMES.contains(&name.as_str()) || ["permalink", "slug"].iter().any(|ending| name.ends_with(ending))
        };
        let id = pointer::last(&lifecycle.created_id_pointer).unwrap_or_default();
        let id = self.schemas_within(&schema, &pointer::join(&lifecycle.record_in_read, &id));
        let described = id.iter().filter_map(|(_, node)| node.text_of("description"));
        let names = names_of(self.operation(lifecycle.read));
        fields.any(|field| is_name(&field.name))
            || !sentences(described)
                .iter()
                .all(|sentence| only_creates(sentence, &names))
    }

    /// Whether a text about a field that takes a URL, about its record or the whole document may say that URLs come
    /// back changed.
    pub(crate) fn may_change_urls(&self, update: OperationId, field: &Node) -> bool {
        const CHANGED: [&str; 7] = ["case", "no", "normal", "origin", "parameters", "query", "without"];
        const URLS: [&str; 8] = ["address", "addresses", "link", "links", "uri", "uris", "url", "urls"];
        let has = |text: &str, words: &[&str]| {
            let text = text.to_lowercase();
            let mut found = alphanumeric_words(&text);
            found.any(|word| words.contains(&word) || word.starts_with("canonical"))
        };
        let lifecycle = self.lifecycle_of(update);
        let others = lifecycle.map(|lifecycle| [lifecycle.create, lifecycle.read]);
        let operations = others.into_iter().flatten().chain([update]);
        let said = operations.flat_map(|id| {
            let about = [
                About::Operation,
                About::Path,
                About::Tags,
                About::Parts,
                About::Whole,
                About::Document,
            ];
            said(&self.document, self.operation(id), &about).collect::<Vec<_>>()
        });
        let described = field.text_of("description").unwrap_or_default();
        has(described, &CHANGED) || said.into_iter().any(|text| has(text, &URLS) || has(text, &["query"]))
    }

    /// Whether the description of the header `Location` of a create says only that it is the address of the record.
    pub(super) fn locates_plainly(&self, create: OperationId) -> bool {
        let operation = self.operation(create);
        let names = names_of(operation);
        operation.successes().all(|success| {
            let headers = pointer::join(&resolve(&self.document, success.pointer.clone()), "headers");
            let members = self.document.members_at(&headers).iter();
            let located = members.filter(|member| member.name.eq_ignore_ascii_case("location"));
            let mut texts = located.flat_map(|member| {
                let header = pointer::join(&headers, &member.name);
                let schema = pointer::join(&resolve(&self.document, header.clone()), "schema");
                [header, schema].map(|at| self.described(at)).into_iter().flatten()
            });
            texts.all(|text| whole_sentences(&text).all(|sentence| only_names_the_record(sentence, &names)))
        })
    }

    /// Whether the texts about the document, the path, the body and the success of an operation say no more than what
    /// these are.
    fn is_plain_around(&self, operation: &Operation, names: &[String]) -> bool {
        let introduction = self.introduction.get_or_init(|| Introduction::of(self));
        let around = || sentences(said(&self.document, operation, &[About::Path, About::Tags]));
        let parts = || sentences(said(&self.document, operation, &[About::Parts, About::Whole]));
        introduction.is_plain
            && around()
                .iter()
                .all(|sentence| only_introduces(sentence, &introduction.names))
            && parts().iter().all(|sentence| only_creates(sentence, names))
    }

    /// Whether the headers that a response documents are about pages, a limit of requests, or the request itself.
    /// Another may say how old the list is.
    fn has_plain_headers(&self, success: &DocumentedResponse) -> bool {
        const PLAIN: [&str; 20] = [
            "content", "correlation", "count", "encoding", "id", "length", "limit", "link", "next", "page", "pages",
            "pagination", "per", "prev", "rate", "ratelimit", "range", "request", "total", "type",
        ];
        let headers = pointer::join(&resolve(&self.document, success.pointer.clone()), "headers");
        let headers = self.document.members_at(&headers).iter();
        let mut words = headers.flat_map(|header| camel_case_words(&header.name));
        words.all(|word| ["", "x", "remaining", "reset"].contains(&&*word) || PLAIN.contains(&&*word))
    }

    /// Whether each parameter of a list requests a page, sorts it, or filters it by a field of its records.
    fn only_selects_and_sorts(&self, list: OperationId) -> bool {
        let paging = self.infer_paging(list);
        let paging = paging.map(|paging| [Some(paging.page_parameter), paging.size.map(|size| size.parameter)]);
        let sorting = self.infer_sorting(list);
        let ways = sorting.iter().flat_map(|sorting| &sorting.keys);
        let sorted = ways.flat_map(|key| key.ascending.iter().chain(&key.descending));
        let mut known: Vec<_> = sorted.map(|(index, _)| *index).collect();
        known.extend(sorting.iter().map(|sorting| sorting.parameter));
        known.extend(self.infer_filters(list).iter().map(|filter| filter.parameter));
        known.extend(paging.into_iter().flatten().flatten());
        let operation = self.operation(list);
        let page = operation.page.as_ref().map(|page| page.parameter.as_str());
        let mut parameters = operation.parameters.iter().enumerate();
        parameters.all(|(index, parameter)| match parameter.location {
            ParameterLocation::Path => true,
            ParameterLocation::Query => known.contains(&index) || page == Some(parameter.name.as_str()),
            ParameterLocation::Cookie | ParameterLocation::Header => false,
        })
    }

    /// Returns the schemas at a place within another, and their `allOf` members.
    pub(super) fn schemas_within(&self, schema: &str, place: &str) -> Vec<(String, &Node)> {
        let mut schemas = with_all_of(&self.document, schema.to_owned());
        for token in pointer::tokens(place) {
            let below = schemas.iter().map(|(at, _)| match &*token {
                "*" => pointer::join(at, "items"),
                name => pointer::join(&pointer::join(at, "properties"), name),
            });
            let below: Vec<_> = below.collect();
            // What is beside a reference describes what it refers to.
            let within = below.into_iter().flat_map(|at| {
                let beside = self.document.node(&at).map(|node| (at.clone(), node));
                let referred = with_all_of(&self.document, at.clone()).into_iter();
                beside
                    .into_iter()
                    .chain(referred.filter(move |(found, _)| *found != at))
            });
            schemas = within.collect();
        }
        schemas
    }

    /// Whether this property of a list's items, with `*` for any item, may show something of another record: it is only
    /// read, or its description speaks of more than one ("Last tag used in the shop").
    pub(crate) fn may_be_of_another_item(&self, list: OperationId, property: &str) -> bool {
        const OF_OTHERS: [&str; 13] = [
            "all", "common", "each", "entire", "every", "global", "last", "latest", "newest", "next", "other",
            "previous", "whole",
        ];
        let schema = self.schema_of_success(list);
        let schemas = schema.map_or_else(Vec::new, |schema| self.schemas_within(&schema, property));
        let speaks_of_others = |text: &str| {
            let words = camel_case_words(text);
            words.iter().any(|word| OF_OTHERS.contains(&word.as_str()))
        };
        schemas.iter().any(|(_, node)| {
            let description = node.text_of("description");
            is_flagged(node, "readOnly") || description.is_some_and(speaks_of_others)
        })
    }

    /// Returns the schema of what an operation returns.
    pub(super) fn schema_of_success(&self, operation: OperationId) -> Option<String> {
        let mut successes = self.operation(operation).successes();
        let success = successes.find(|response| response.body.is_some())?;
        let content = pointer::join(&resolve(&self.document, success.pointer.clone()), "content");
        let media_type = self.document.node(&content)?.members().first()?;
        Some(pointer::join(&pointer::join(&content, &media_type.name), "schema"))
    }

    fn described(&self, at: String) -> Option<String> {
        let node = self.document.node(&resolve(&self.document, at))?;
        node.text_of("description").map(str::to_ascii_lowercase)
    }
}

/// Returns the names that the records of an operation and its parameters have.
pub(super) fn names_of(operation: &Operation) -> Vec<String> {
    let of_parameters = operation
        .parameters
        .iter()
        .flat_map(|parameter| words_of(&parameter.name));
    let names = camel_case_words(&operation.path).into_iter().chain(of_parameters);
    names.filter(|name| !name.is_empty()).collect()
}

fn sentences<'text>(texts: impl Iterator<Item = &'text str>) -> Vec<String> {
    texts.flat_map(whole_sentences).map(str::to_ascii_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;

    /// Whether all around a list, and around a create and its `Location`, is plain.
    fn plain((info, response): (&str, &str), (create, located): (&str, &str)) -> [bool; 3] {
        let text = format!(
            "openapi: 3.0.3
info: {{title: Pet shop, version: '1'{info}}}
paths:
  /pets:
    get: {{operationId: listPets, summary: Lists pets, responses: {{'200': {{{response}}}}}}}
    post: {{operationId: addPet, description: {create}, responses: {{'201': {{description: Created, headers: {{Location: {{{located}schema: {{type: string}}}}}}}}}}}}
"
        );
        let contract = Contract::read("pets.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let [list, create] = ["listPets", "addPet"].map(|name| contract.operation_named(name).unwrap());
        [
            contract.only_lists_plainly(list),
            contract.only_creates_plainly(create),
            contract.locates_plainly(create),
        ]
    }

    #[test]
    fn texts_that_add_nothing_are_plain() {
        for info in [
            "",
            ", description: API of the pet shop",
            ", description: Manage your pets.",
        ] {
            for located in [
                "",
                "description: Address of the new pet., ",
                "description: Where the record is, ",
            ] {
                let pets = "description: The pets., headers: {X-Total-Count: {schema: {type: integer}}}";
                let found = plain((info, pets), ("Creates a pet.", located));
                assert_eq!(found, [true; 3], "{info} {located}");
            }
        }
    }

    #[test]
    fn one_sentence_anywhere_leaves_a_doubt() {
        let pets = "description: The pets.";
        for info in [
            "Lists are eventually consistent.",
            "Sandbox accounts use a simulated clock.",
            "Administrators can override the defaults.",
        ] {
            let found = plain((&format!(", description: {info}"), pets), ("Creates a pet.", ""));
            assert_eq!(found, [false, false, true], "{info}");
        }
        for response in [
            "description: 'The pets, at most 5 minutes old.'",
            "description: OK, headers: {Cache-Control: {schema: {type: string}}}",
            "description: OK, headers: {Age: {schema: {type: integer}}}",
            "description: OK, headers: {X-Data-As-Of: {schema: {type: string}}}",
        ] {
            let found = plain(("", response), ("Creates a pet.", ""));
            assert_eq!(found, [false, true, true], "{response}");
        }
        for create in [
            "Imports a pet with its dates.",
            "Creates a pet and applies the rules of the shop.",
        ] {
            let found = plain(("", pets), (create, ""));
            assert_eq!(found, [true, false, true], "{create}");
        }
        for located in [
            "Address of the list of pets",
            "The pet that it follows",
            "Permanent URL of the pet",
        ] {
            let found = plain(("", pets), ("Creates a pet.", &format!("description: {located}, ")));
            assert_eq!(found, [true, true, false], "{located}");
        }
    }

    /// Whether a read shows only the record of its number, whether a name may follow the number, and whether a URL may
    /// come back changed.
    fn of_record((info, unknown): (&str, &str), (id, fields): (&str, &str)) -> [bool; 3] {
        let text = format!(
            "openapi: 3.0.3
info: {{title: Pet shop, version: '1', description: '{info}'}}
components:
  schemas:
    Pet: {{type: object, properties: {{id: {{type: integer, description: '{id}'}}, {fields}}}}}
    NewPet: {{type: object, properties: {{name: {{type: string}}, site: {{type: string, format: uri}}}}}}
  responses: {{Pet: {{description: A pet, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Pet'}}}}}}}}}}
  requestBodies: {{Pet: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/NewPet'}}}}}}}}}}
paths:
  /pets:
    post: {{operationId: addPet, requestBody: {{$ref: '#/components/requestBodies/Pet'}}, responses: {{'201': {{$ref: '#/components/responses/Pet'}}}}}}
  /pets/{{pet_id}}:
    parameters: [{{name: pet_id, in: path, required: true, schema: {{type: integer}}}}]
    get: {{operationId: getPet, responses: {{'200': {{$ref: '#/components/responses/Pet'}}, '404': {{description: '{unknown}'}}}}}}
    patch: {{operationId: patchPet, requestBody: {{$ref: '#/components/requestBodies/Pet'}}, responses: {{'200': {{$ref: '#/components/responses/Pet'}}}}}}
"
        );
        let contract = Contract::read("pets.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let [lifecycle] = contract.lifecycles() else {
            panic!("no lifecycle")
        };
        let update = contract.operation_named("patchPet").unwrap();
        let schema = contract
            .document
            .node("/components/schemas/Pet/properties/site")
            .unwrap();
        [
            contract.only_names_its_record(lifecycle),
            contract.may_take_name_after_number(lifecycle),
            contract.may_change_urls(update, schema),
        ]
    }

    #[test]
    fn a_number_a_name_and_a_url_are_what_all_texts_say() {
        let site = "name: {type: string}, site: {type: string, format: uri, description: Site}";
        let none = "There is no such pet";
        for (texts, fields, expected) in [
            (("", none), ("", site.to_owned()), [true, false, false]),
            (
                ("Pets of the shop.", "Not found"),
                ("Identifier of the pet.", site.to_owned()),
                [true, false, false],
            ),
            (
                ("Identifiers are global.", none),
                ("", site.to_owned()),
                [false, false, false],
            ),
            (
                ("", "There is no such pet, whoever owns it"),
                ("", site.to_owned()),
                [false, false, false],
            ),
            (("", none), ("A name may follow.", site.to_owned()), [true, true, false]),
            (
                ("", none),
                ("", format!("{site}, slug: {{type: string}}")),
                [true, true, false],
            ),
            (("URLs are folded.", none), ("", site.to_owned()), [false, false, true]),
            (
                ("", none),
                ("", site.replace("Site}", "Site without its query}")),
                [true, false, true],
            ),
        ] {
            assert_eq!(
                of_record(texts, (fields.0, &fields.1)),
                expected,
                "{texts:?} {fields:?}"
            );
        }
    }
}
