//! Infers which parameters of a list are filters: `GET /things?color=red` returns only things whose `color` is
//! `red`. The main type is [`Filter`].
//!
//! # Design
//!
//! No keyword of OpenAPI says that a parameter filters, but a parameter with the name and the type of a property of the
//! list's items hardly means anything else, if values of that type can only be equal or different: a boolean, an enum,
//! a UUID, a number that names a record. Text, other numbers and times are often compared in other ways (contains, at
//! least), so they are left out, except for text of which the description says "exactly" or "equal". So is a parameter
//! whose description does not say plainly that it filters, and one without a description whose name leaves a doubt:
//! `contract/filter_words` decides that. Texts about the list and the property may say nothing that
//! `plain_text` does not know. A filter that is missed here costs one fact; a parameter taken for a filter by
//! mistake would cause a false warning.
//!
//! The path of a list filters too: each item of `GET /orders/17/lines` whose `order_id` the service sets, because the
//! create on the same path does not take it, has the `order_id` 17.

use serde_json::Value;

use super::Contract;
use super::document::Node;
use super::fact::{Fact, FactKind};
use super::filter_words::{ParameterWords, plainly_filtered, says_that_filters_are_combined};
use super::inferred::{RecordFinder, collection_name, collection_of, comparable_name, comparable_path};
use super::lexicon::{alphanumeric_words, camel_case_words, singular};
use super::lifecycle::Lifecycle;
use super::operation::{Operation, OperationId, Parameter, ParameterLocation};
use super::plain_text::{only_lists, only_names_a_value, words_of};
use super::pointer;
use super::shape::{JsonType, Shape};

/// Values of an enum that stand for several, or that an item has if it matches several.
const VALUES_OF_SEVERAL: [&str; 19] = [
    "*", "all", "any", "auto", "both", "common", "daily", "default", "either", "everyone", "everything", "general",
    "global", "mixed", "none", "null", "unisex", "universal", "worldwide",
];

/// Records that have others below them, which a filter may include.
const HIERARCHIES: [&str; 14] = [
    "area", "branch", "category", "department", "directory", "folder", "group", "location", "namespace",
    "organization", "parent", "region", "root", "unit",
];

/// Words in the names of texts that do not belong in a URL.
const SECRETS: [&str; 5] = ["key", "pass", "password", "secret", "token"];

/// Last segments of the paths of lists that show what fits best, not what is equal.
const FUZZY_LISTS: [&str; 7] = [
    "autocomplete", "recommendations", "related", "search", "similar", "suggest", "suggestions",
];

/// Kinds of records that act on others, or that others act on: `user_id` in what a user received may be the sender.
const ACTORS: [&str; 7] = ["account", "author", "member", "person", "player", "profile", "user"];

/// Words in the text about a list below a record, or in the name of a parameter of it, that leave a doubt whether all
/// items belong to that record.
const OF_OTHER_RECORDS: [&str; 22] = [
    "also", "ancestor", "ancestors", "another", "child", "children", "descendants", "global", "include", "included",
    "includes", "including", "inherit", "inherited", "other", "others", "recursive", "recursively", "related", "scope",
    "shared", "subtree",
];

/// Words that texts about the record in a path, and about the property that names it, may have besides those of the
/// path.
const OF_OWN_RECORD: [&str; 32] = [
    "a", "an", "belong", "belonging", "belongs", "contain", "contains", "has", "have", "id", "identifier", "in",
    "integer", "is", "it", "items", "key", "number", "numeric", "of", "owning", "owns", "part", "record", "reference",
    "that", "the", "this", "to", "unique", "uuid", "which",
];

/// A parameter that a list filters by: one of the query, or one in its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The index of the parameter.
    pub parameter: usize,
    /// Whether the parameter is in the path: it names the record that the items belong to.
    pub in_path: bool,
    /// The property that each item must have with the value of the parameter, as a JSON pointer in the response, with
    /// `*` for any item.
    pub property: String,
    /// The values that it takes.
    pub values: FilterValues,
}

/// The values that a filter takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterValues {
    /// `true`, and `false` too if that does not just switch the filter off.
    Boolean {
        /// Whether `false` asks for the items with that value.
        also_false: bool,
    },
    /// One of some strings.
    Enum {
        /// Those that the parameter takes.
        asked: Vec<String>,
        /// Those that the property may have. Another rule reports any other.
        documented: Vec<String>,
    },
    /// A number that names a record.
    Integer,
    /// A text, which the whole property must equal. Services compare texts with or without case.
    Text,
    /// A UUID.
    Uuid,
}

impl Filter {
    /// The kind of its fact.
    #[must_use]
    pub fn kind(&self) -> FactKind {
        match self.in_path {
            true => FactKind::OfRecordInPath(self.parameter),
            false => FactKind::Filtered(self.parameter),
        }
    }
}

impl FilterValues {
    /// Returns the value that a text in a query asks for; `None` if it asks for nothing that is judged.
    #[must_use]
    pub fn asked(&self, text: &str) -> Option<Value> {
        match self {
            Self::Boolean { also_false } => match text {
                "true" => Some(Value::Bool(true)),
                "false" => also_false.then_some(Value::Bool(false)),
                _ => None,
            },
            Self::Enum { asked, .. } => asked.iter().any(|value| value == text).then(|| Value::from(text)),
            Self::Integer => text.parse::<i64>().ok().map(Value::from),
            Self::Text => (!text.trim().is_empty()).then(|| Value::from(text)),
            Self::Uuid => uuid(text).map(Value::from),
        }
    }

    /// Whether an item that shows the value `shown` has the value `asked`.
    #[must_use]
    pub fn are_same(&self, asked: &Value, shown: &Value) -> bool {
        let folded = |value: &Value| value.as_str().map(|text| text.trim().to_lowercase());
        asked == shown || (*self == Self::Text && folded(asked) == folded(shown))
    }

    /// Returns the value of an item in the form in which [`Self::asked`] has it; `None` if it is null, or not one that
    /// the property may have: other rules judge that.
    #[must_use]
    pub fn shown(&self, value: &Value) -> Option<Value> {
        match self {
            Self::Boolean { .. } => value.as_bool().map(Value::Bool),
            Self::Enum { documented, .. } => {
                let text = value
                    .as_str()
                    .filter(|text| documented.iter().any(|value| value == text));
                text.map(Value::from)
            }
            Self::Integer => value.as_i64().map(Value::from),
            Self::Text => value.as_str().map(Value::from),
            Self::Uuid => value.as_str().and_then(uuid).map(Value::from),
        }
    }
}

/// Returns a UUID in lower case; `None` if the text is none.
fn uuid(text: &str) -> Option<String> {
    let is_digit = |(index, letter): (usize, char)| match index {
        8 | 13 | 18 | 23 => letter == '-',
        _ => letter.is_ascii_hexdigit(),
    };
    let is_uuid = text.len() == 36 && text.chars().enumerate().all(is_digit);
    is_uuid.then(|| text.to_ascii_lowercase())
}

/// Kinds of records that have other records below them, and share these.
const OF_MANY_RECORDS: [&str; 7] = ["album", "category", "label", "list", "playlist", "tag", "topic"];

impl Contract {
    /// Returns the contract with the filters of its lists, as inferred from it, and with their facts.
    pub(super) fn with_filters(mut self) -> Self {
        let inferred = self.operation_ids().map(|id| (id, self.infer_filters(id)));
        let inferred: Vec<_> = inferred.filter(|(_, filters)| !filters.is_empty()).collect();
        for (id, filters) in inferred {
            for filter in &filters {
                self.add_fact(self.filter_fact(id, filter));
            }
            self.filters.insert(id, filters);
        }
        self
    }

    /// Returns the parameters that a list filters by, as inferred from names and types.
    #[must_use]
    pub fn filters_of(&self, list: OperationId) -> &[Filter] {
        self.filters.get(&list).map_or(&[], Vec::as_slice)
    }

    /// Whether the texts about a list say that it has only what each of several filters asks for.
    #[must_use]
    pub fn combines_filters(&self, list: OperationId) -> bool {
        says_that_filters_are_combined(&self.sentences_about(self.operation(list)))
    }

    /// Whether a query parameter says which page of a list is requested, or how many records it has.
    #[must_use]
    pub fn is_of_paging(&self, list: OperationId, name: &str) -> bool {
        let operation = self.operation(list);
        let inferred = self.pagings.get(&list).is_some_and(|paging| {
            let size = paging.size.map(|size| size.parameter);
            let mut indexes = size.into_iter().chain([paging.page_parameter]);
            indexes.any(|index| operation.parameters[index].name == name)
        });
        inferred || operation.page.as_ref().is_some_and(|page| page.parameter == name)
    }

    fn filter_fact(&self, list: OperationId, filter: &Filter) -> Fact {
        let operation = self.operation(list);
        let Parameter { name, pointer, .. } = &operation.parameters[filter.parameter];
        let documented = match filter.in_path {
            true => format!("the value of {name} in the path"),
            false => format!("the value that {name} asks for"),
        };
        Fact {
            name: format!("{} filtered {}: {documented}", operation.name, filter.property).into(),
            operation: list,
            kind: filter.kind(),
            location: self.document.pointer_in_text(pointer).into_owned().into(),
            response_pointer: filter.property.clone().into(),
            documented: documented.into(),
        }
    }

    pub(super) fn infer_filters(&self, list: OperationId) -> Vec<Filter> {
        let operation = self.operation(list);
        let is_fuzzy = FUZZY_LISTS.contains(&comparable_name(collection_name(&operation.path)).as_str());
        if !operation.is_get() || is_fuzzy || operation.path.ends_with('}') {
            return Vec::new();
        }
        let named = operation.parameters.iter().enumerate();
        let named: Vec<_> = named
            .filter(|(_, parameter)| parameter.location == ParameterLocation::Query)
            .filter_map(|(index, parameter)| Some((index, filtered_name(&parameter.name)?)))
            .collect();
        let is_below_record = operation.path.contains('}');
        let items = self.items_of(list).filter(|_| is_below_record || !named.is_empty());
        let Some((elements, record)) = items else {
            return Vec::new();
        };
        let is_plain = self.only_lists_records(operation, record);
        let filter = |(index, name): &(usize, String)| {
            let is_only = named.iter().filter(|(_, other)| other == name).count() == 1;
            let mut fields = record
                .fields
                .iter()
                .filter(|field| comparable_name(&field.name) == *name);
            let field = fields.next().filter(|_| is_only && fields.next().is_none())?;
            let parameter = &operation.parameters[*index];
            let property = (field.name.as_str(), &self.shapes[field.shape.0]);
            let described = self.descriptions_of_property(property.1);
            let is_plain = is_plain && described.iter().all(|text| only_names_a_value(text));
            let values = self.filter_values(parameter, property).filter(|_| is_plain)?;
            // What names two records of a kind may be asked for by either of them.
            let names_others = matches!(values, FilterValues::Integer | FilterValues::Uuid)
                && record.fields.iter().any(|other| {
                    let other = comparable_name(&other.name);
                    other != *name && other.ends_with(name.as_str())
                });
            let values = Some(values).filter(|_| !names_others)?;
            let values = self.without_doubt((operation, parameter), values)?;
            Some(Filter {
                parameter: *index,
                in_path: false,
                property: pointer::join(&elements, &field.name),
                values,
            })
        };
        let by_path = self.infer_path_filters(list, (&elements, record));
        named.iter().filter_map(filter).chain(by_path).collect()
    }

    /// Returns what the records of a lifecycle repeat of the path of their list: the path up to the identifier of another
    /// record, the property, and its values. A record may be below several labels or the like.
    pub(crate) fn parents_in_records(&self, lifecycle: &Lifecycle) -> Vec<(String, String, FilterValues)> {
        let list = lifecycle.list.as_ref().map(|list| list.operation);
        let filters = list.into_iter().flat_map(|list| self.filters_of(list));
        let parent = |filter: &Filter| {
            let place = self.operation(list?).path_to_parameter(filter.parameter)?;
            let kind = place
                .rsplit('/')
                .find(|part| !part.is_empty() && !part.starts_with('{'))?;
            let kind = camel_case_words(kind).pop()?;
            if OF_MANY_RECORDS.contains(&singular(&kind).as_str()) {
                return None;
            }
            Some((place, pointer::last(&filter.property)?, filter.values.clone()))
        };
        filters.filter(|filter| filter.in_path).filter_map(parent).collect()
    }

    /// Returns the parameters in the path of a list that each item must repeat: in a property that is named after the
    /// parameter, and that the create on the same path leaves to the service.
    fn infer_path_filters(&self, list: OperationId, (elements, record): (&str, &Shape)) -> Vec<Filter> {
        let operation = self.operation(list);
        let path = comparable_path(&operation.path);
        let mut creates = self.operation_ids().filter(|id| {
            let other = self.operation(*id);
            other.creates() && comparable_path(other.collection_path()) == path
        });
        let Some(create) = creates.next().filter(|_| creates.next().is_none()) else {
            return Vec::new();
        };
        let of_path = camel_case_words(&operation.path);
        let sentences = self.sentences_about(operation);
        if !sentences.iter().all(|sentence| only_lists(sentence, &of_path)) {
            return Vec::new();
        }
        let is_known = |word: &str| {
            let is_of_path = |part: &String| singular(part) == singular(word);
            OF_OWN_RECORD.contains(&word) || of_path.iter().any(is_of_path)
        };
        let names_own_record = |text: &String| alphanumeric_words(text).all(is_known);
        let words = sentences.iter().flat_map(|sentence| alphanumeric_words(sentence));
        let in_query = operation.parameters.iter();
        let in_query = in_query.filter(|parameter| parameter.location == ParameterLocation::Query);
        let names: Vec<_> = in_query
            .flat_map(|parameter| camel_case_words(&parameter.name))
            .collect();
        let mut words = words.chain(names.iter().map(String::as_str));
        if words.any(|word| OF_OTHER_RECORDS.contains(&word)) {
            return Vec::new();
        }
        let is_sent = |name: &str| {
            self.body_properties(create)
                .any(|sent| comparable_name(&sent.name) == name)
        };
        let filter = |(index, parameter): (usize, &Parameter)| {
            let kind = singular(&comparable_name(collection_name(collection_of(operation, parameter)?)));
            let name = comparable_name(&parameter.name);
            let name = match name == "id" || name == kind {
                true => format!("{kind}id"),
                false => name,
            };
            // A relation between two records of the kind may be listed below either of them.
            let named = record.fields.iter().map(|field| (field, comparable_name(&field.name)));
            let named = named.filter(|(_, other)| *other == name || other.contains(&kind) && other.ends_with("id"));
            let named: Vec<_> = named.collect();
            let [(field, only)] = named.as_slice() else { return None };
            let is_own = RecordFinder::new(&self.shapes, collection_name(&operation.path)).is_identifier(&field.name);
            if *only != name || is_own || is_sent(&name) || ACTORS.contains(&kind.as_str()) {
                return None;
            }
            let property = &self.shapes[field.shape.0];
            let mut texts = self.descriptions_of_property(property);
            texts.extend(self.descriptions_of(parameter).into_iter().map(str::to_ascii_lowercase));
            let is_own = texts.iter().all(names_own_record);
            let values = self
                .identifier_values(parameter, (&field.name, property))
                .filter(|_| is_own)?;
            Some(Filter {
                parameter: index,
                in_path: true,
                property: pointer::join(elements, &field.name),
                values,
            })
        };
        let parameters = operation.parameters.iter().enumerate();
        parameters.filter_map(filter).collect()
    }

    /// Returns the values of a parameter that names a record, if those of a property have the same type.
    fn identifier_values(&self, parameter: &Parameter, (name, property): (&str, &Shape)) -> Option<FilterValues> {
        let keyword = |key: &str| self.schema_keyword(parameter, key);
        let format = |schema: Option<&Node>| schema.and_then(Node::string) == Some("uuid");
        let names_record = name.len() > 2 && (name.ends_with("_id") || name.ends_with("Id") || name.ends_with("-id"));
        let is_of_hierarchy = HIERARCHIES
            .iter()
            .any(|record| comparable_name(name).ends_with(&format!("{record}id")));
        match (keyword("type").and_then(Node::string)?, property.types.as_slice()) {
            _ if is_of_hierarchy || keyword("enum").is_some() => None,
            ("integer", [JsonType::Integer]) => names_record.then_some(FilterValues::Integer),
            ("string", [JsonType::String]) => {
                let are_uuids = format(keyword("format")) && format(self.property_keyword(property, "format"));
                are_uuids.then_some(FilterValues::Uuid)
            }
            _ => None,
        }
    }

    /// Returns that a parameter takes texts, if those of the property are as plain as its own, and are no secrets.
    fn text_values(&self, parameter: &Parameter, (name, property): (&str, &Shape)) -> Option<FilterValues> {
        let keyword = |key: &str| {
            self.schema_keyword(parameter, key)
                .or_else(|| self.property_keyword(property, key))
        };
        let is_string = self.schema_keyword(parameter, "type").and_then(Node::string) == Some("string");
        let are_strings = is_string && property.types == [JsonType::String];
        let is_secret = camel_case_words(name)
            .iter()
            .any(|word| SECRETS.contains(&word.as_str()));
        let is_plain = keyword("format").is_none() && keyword("enum").is_none();
        (are_strings && is_plain && !is_secret).then_some(FilterValues::Text)
    }

    /// Returns the one array of records that a list shows: the pointer of its elements, and their shape.
    pub(super) fn items_of(&self, list: OperationId) -> Option<(String, &Shape)> {
        let operation = self.operation(list);
        let body = operation.success_body()?;
        let records = RecordFinder::new(&self.shapes, collection_name(&operation.path));
        let mut collections = records.arrays_and_maps((String::new(), body), 0).into_iter();
        let (elements, record) = collections.next().filter(|_| collections.next().is_none())?;
        let is_array = elements.strip_suffix("/*").is_some_and(|at| self.is_array(list, at));
        is_array.then_some((elements, record))
    }

    /// Returns the values that a parameter takes, if those of the property have the same type, and can only be equal or
    /// different.
    fn filter_values(&self, parameter: &Parameter, (name, property): (&str, &Shape)) -> Option<FilterValues> {
        let keyword = |key: &str| self.schema_keyword(parameter, key);
        let stated = |key: &str| self.document.node(&parameter.pointer)?.member(key);
        let is_plain = parameter.media_type.is_none()
            && stated("style").is_none_or(|style| style.string() == Some("form"))
            && stated("deprecated").and_then(Node::boolean) != Some(true);
        if parameter.required || !is_plain || keyword("default").is_some() || keyword("not").is_some() {
            return None;
        }
        let values = keyword("enum").map(Node::elements);
        match (keyword("type").and_then(Node::string)?, property.types.as_slice()) {
            ("boolean", [JsonType::Boolean]) if values.is_none() => Some(FilterValues::Boolean { also_false: true }),
            ("string", [JsonType::String]) if values.is_some() => {
                let asked = strings(values?)?;
                let documented = strings(self.property_keyword(property, "enum")?.elements())?;
                let is_own = |value: &String| {
                    let stands_for_several = VALUES_OF_SEVERAL.contains(&value.to_ascii_lowercase().as_str());
                    !stands_for_several && documented.contains(value)
                };
                let are_own = asked.iter().all(is_own);
                are_own.then_some(FilterValues::Enum { asked, documented })
            }
            _ => self
                .identifier_values(parameter, (name, property))
                .or_else(|| self.text_values(parameter, (name, property))),
        }
    }

    /// Returns a keyword of a property's schema.
    pub(super) fn property_keyword(&self, property: &Shape, keyword: &str) -> Option<&Node> {
        let mut schemas = property.other_assertions.iter();
        schemas.find_map(|(_, schema)| self.document.node(schema)?.member(keyword))
    }

    /// Returns the descriptions of a property's schema, in lower case.
    pub(super) fn descriptions_of_property(&self, property: &Shape) -> Vec<String> {
        let of_type = property.type_fact.and_then(|fact| {
            let location: &str = &self.fact(fact).location;
            Some(location.rsplit_once('/')?.0)
        });
        let asserted = property.other_assertions.iter().map(|(_, schema)| schema.as_str());
        let mut schemas: Vec<_> = of_type.into_iter().chain(asserted).collect();
        schemas.dedup();
        let described = schemas
            .iter()
            .filter_map(|schema| self.document.node(schema)?.text_of("description"));
        described.map(str::to_ascii_lowercase).collect()
    }

    /// Whether no sentence about a list says more than what it lists.
    pub(super) fn says_only_what_it_lists(&self, list: OperationId) -> bool {
        let items = self.items_of(list);
        items.is_some_and(|(_, record)| self.only_lists_records(self.operation(list), record))
    }

    /// Whether the texts about a list say no more than that its records are listed. Words for what the records have
    /// say more only where others are left out.
    fn only_lists_records(&self, operation: &Operation, record: &Shape) -> bool {
        let mut names = camel_case_words(&operation.path);
        names.extend(
            operation
                .parameters
                .iter()
                .flat_map(|parameter| words_of(&parameter.name)),
        );
        let of_record = record.fields.iter().flat_map(|field| words_of(&field.name));
        let of_record: Vec<_> = of_record.chain(names.iter().cloned()).collect();
        self.sentences_about(operation).iter().all(|sentence| {
            let leaves_out = alphanumeric_words(sentence).any(|word| word == "only");
            only_lists(sentence, if leaves_out { &names } else { &of_record })
        })
    }

    /// Returns the values of a parameter that are judged, unless its description, or a sentence about the operation
    /// that names it, leaves a doubt whether it asks for equal values.
    fn without_doubt(
        &self,
        (operation, parameter): (&Operation, &Parameter),
        values: FilterValues,
    ) -> Option<FilterValues> {
        let about = self.sentences_about(operation);
        let words = ParameterWords {
            name: within_filter(&parameter.name),
            collection: collection_name(&operation.path),
            described: self.descriptions_of(parameter).join(". ").to_ascii_lowercase(),
            about,
        };
        plainly_filtered(&words, values)
    }
}

/// Returns the strings of an enum; `None` if it has another value than strings and null.
fn strings(values: &[Node]) -> Option<Vec<String>> {
    let values = values.iter().filter(|value| !value.to_value().is_null());
    values.map(|value| value.string().map(str::to_owned)).collect()
}

/// Returns the name of the property that a parameter may filter by, in the form in which names are compared: `color`
/// for `Color` and `filter[color]`. A name with other brackets or dots says more than the name of a property.
fn filtered_name(name: &str) -> Option<String> {
    let name = within_filter(name);
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    (!name.is_empty() && name.chars().all(is_plain)).then(|| comparable_name(name))
}

/// Returns the name in the brackets of `filter[color]`, or the name as it is.
fn within_filter(name: &str) -> &str {
    let within = name.strip_prefix("filter[").and_then(|rest| rest.strip_suffix(']'));
    within.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::of_paths;

    const FIELDS: &str = "sold: {type: boolean}, archived: {type: boolean}, status: {type: string, enum: [new, old, all]}, \
                          ownerId: {type: integer, nullable: true}, category_id: {type: integer}, size: {type: integer}, \
                          house-id: {type: string, format: uuid}, name: {type: string}, born: {type: string, format: date}, \
                          kinds: {type: array, items: {type: string, enum: [a]}}";

    /// The filters of a list with these parameters of the query: each property, with the values.
    fn filters(path: &str, about: &str, parameters: &str) -> Vec<(String, FilterValues)> {
        let item = format!("{{type: object, properties: {{{FIELDS}}}}}");
        let schema = format!(
            "{{type: object, properties: {{total: {{type: integer}}, items: {{type: array, items: {item}}}}}}}"
        );
        let document = format!(
            "{path}:\n  get: {{operationId: get, {about} parameters: [{parameters}], responses: {{'200': {{description: a, \
             content: {{application/json: {{schema: {schema}}}}}}}}}}}\n"
        );
        let contract = of_paths(&document, "").unwrap_or_else(|defects| panic!("{defects}"));
        let filters = contract.filters_of(OperationId(0)).iter();
        filters
            .map(|filter| (filter.property.clone(), filter.values.clone()))
            .collect()
    }

    /// The values of the only filter of a list with this parameter.
    fn values(parameter: &str) -> Option<FilterValues> {
        let mut found = filters("/pets", "", &format!("{{in: query, {parameter}}}"));
        assert!(found.len() < 2);
        found.pop().map(|(_, values)| values)
    }

    #[test]
    fn a_parameter_with_the_name_and_the_type_of_a_property_filters_by_it() {
        let strings = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let of_status = Some(FilterValues::Enum {
            asked: strings(&["new", "old"]),
            documented: strings(&["new", "old", "all"]),
        });
        let of_true = Some(FilterValues::Boolean { also_false: false });
        for (parameter, expected) in [
            ("name: sold, schema: {type: boolean}", of_true.clone()),
            ("name: Sold, schema: {type: boolean}", of_true.clone()),
            ("name: 'filter[sold]', schema: {type: boolean}", of_true),
            (
                "name: status, schema: {type: string, enum: [new, old]}",
                of_status.clone(),
            ),
            (
                "name: status, description: Only pets with this status., schema: {type: string, enum: [new, old]}",
                of_status,
            ),
            ("name: owner_id, schema: {type: integer}", Some(FilterValues::Integer)),
            (
                "name: house_id, schema: {type: string, format: uuid}",
                Some(FilterValues::Uuid),
            ),
        ] {
            assert_eq!(values(parameter), expected, "{parameter}");
        }
    }

    /// The properties that the path of a list of parts filters by, below a record of this kind.
    fn in_path(kind: &str, about: &str, (name, schema): (&str, &str), (fields, sent): (&str, &str)) -> Vec<String> {
        let body = |schema: &str| format!("content: {{application/json: {{schema: {schema}}}}}");
        let object = |fields: &str| format!("{{type: object, properties: {{{fields}}}}}");
        let list = format!("{{type: array, items: {}}}", object(fields));
        let document = format!(
            "/{kind}/{{{name}}}/parts:\n  parameters: [{{name: {name}, in: path, required: true, schema: {schema}}}]\n  \
             get: {{operationId: get, {about} responses: {{'200': {{description: a, {}}}}}}}\n  \
             post: {{operationId: post, requestBody: {{{}}}, responses: {{'201': {{description: a}}}}}}\n",
            body(&list),
            body(&object(sent))
        );
        let contract = of_paths(&document, "").unwrap_or_else(|defects| panic!("{defects}"));
        let filters = contract.filters_of(OperationId(0)).iter();
        filters
            .inspect(|filter| assert!(filter.in_path))
            .map(|filter| filter.property.clone())
            .collect()
    }

    const PART: &str = "id: {type: integer}, gadget_id: {type: integer}";
    const SENT: &str = "name: {type: string}";

    #[test]
    fn a_path_filters_by_the_property_that_names_its_record() {
        let number = ("gadget_id", "{type: integer}");
        let uuid = "{type: string, format: uuid}";
        for (parameter, fields) in [
            (number, PART),
            (("gadgetId", number.1), PART),
            (("id", number.1), PART),
            (("gadget", number.1), PART),
            (
                number,
                "id: {type: integer}, gadget_id: {type: integer, description: The gadget that the part belongs to.}",
            ),
            (("gadget_id", uuid), &format!("id: {uuid}, gadgetId: {uuid}")),
        ] {
            let found = in_path(
                "gadgets",
                "summary: List all parts of the gadget,",
                parameter,
                (fields, SENT),
            );
            assert_eq!(found.len(), 1, "{parameter:?}");
        }
    }

    #[test]
    fn a_path_that_may_list_the_items_of_other_records_is_no_filter() {
        let number = ("gadget_id", "{type: integer}");
        for (kind, about, parameter, (fields, sent)) in [
            ("gadgets", "summary: Includes shared parts.,", number, (PART, SENT)),
            (
                "gadgets",
                "summary: Lists the parts of a gadget with its subgadgets.,",
                number,
                (PART, SENT),
            ),
            (
                "gadgets",
                "",
                number,
                (
                    "id: {type: integer}, gadget_id: {type: integer, description: First gadget.}",
                    SENT,
                ),
            ),
            (
                "gadgets",
                "parameters: [{name: include_children, in: query, schema: {type: boolean}}],",
                number,
                (PART, SENT),
            ),
            ("gadgets", "", number, (PART, "gadget_id: {type: integer}")),
            (
                "gadgets",
                "",
                number,
                (&format!("{PART}, to_gadget_id: {{type: integer}}"), SENT),
            ),
            ("gadgets", "", ("gadget_id", "{type: string}"), (PART, SENT)),
            ("gadgets", "", ("id", number.1), ("id: {type: integer}", SENT)),
            (
                "users",
                "",
                ("user_id", number.1),
                ("id: {type: integer}, user_id: {type: integer}", SENT),
            ),
            (
                "folders",
                "",
                ("folder_id", number.1),
                ("id: {type: integer}, folder_id: {type: integer}", SENT),
            ),
            (
                "parts",
                "",
                ("part_id", number.1),
                ("id: {type: integer}, part_id: {type: integer}", SENT),
            ),
        ] {
            let found = in_path(kind, about, parameter, (fields, sent));
            assert!(found.is_empty(), "{kind} {about} {fields} {sent}");
        }
    }

    #[test]
    fn what_may_be_compared_in_another_way_is_no_filter() {
        for parameter in [
            "name: size, schema: {type: integer}",
            "name: name, schema: {type: string}",
            "name: born, schema: {type: string, format: date}",
            "name: kinds, schema: {type: string, enum: [a]}",
            "name: category_id, schema: {type: integer}",
            "name: status, schema: {type: string}",
            "name: status, schema: {type: string, enum: [new, all]}",
            "name: status, schema: {type: string, enum: [new, other]}",
            "name: status, schema: {type: array, items: {type: string, enum: [new]}}",
            "name: status, style: pipeDelimited, schema: {type: string, enum: [new]}",
            "name: status, schema: {type: string, enum: [new], default: new}",
            "name: status, required: true, schema: {type: string, enum: [new]}",
            "name: status, deprecated: true, schema: {type: string, enum: [new]}",
            "name: 'status[]', schema: {type: string, enum: [new]}",
            "name: owner_id, schema: {type: string}",
            "name: house_id, schema: {type: string}",
            "name: sold, schema: {type: string, enum: ['true']}",
            "name: unknown, schema: {type: boolean}",
        ] {
            assert_eq!(values(parameter), None, "{parameter}");
        }
    }

    #[test]
    fn a_description_that_leaves_a_doubt_says_that_it_is_none() {
        for description in [
            "Also returns sold pets",
            "Include sold pets",
            "Only pets that are sold, by default all",
            "Excludes sold pets",
            "Sold pets come first (sort)",
            "Prefer sold pets",
            "Set to true for sold pets",
            "A hint for the cache only",
        ] {
            let parameter = format!("name: sold, description: '{description}', schema: {{type: boolean}}");
            assert_eq!(values(&parameter), None, "{description}");
            let parameter = format!("name: sold, schema: {{type: boolean, description: '{description}'}}");
            assert_eq!(values(&parameter), None, "{description}");
        }
        let status = "{name: status, in: query, schema: {type: string, enum: [new]}}";
        let about = "description: 'Lists pets. Those whose status is old are included, too.',";
        assert!(filters("/pets", about, status).is_empty());
        assert!(filters("/pets/search", "", status).is_empty());
        assert_eq!(
            filters("/pets", "description: 'Lists pets, sold or not.',", status).len(),
            1
        );
    }

    #[test]
    fn what_the_texts_add_makes_none() {
        let status = "{name: status, in: query, description: Filter by status., schema: {type: string, enum: [new]}}";
        for about in [
            "Featured pets are listed whatever the filters are.",
            "Returns matching pets, followed by recommendations.",
            "Unknown identifiers in filters are ignored.",
            "New pets can be found by filters after a few seconds.",
            "Filters look only at the last 30 days.",
        ] {
            assert!(
                filters("/pets", &format!("description: '{about}',"), status).is_empty(),
                "{about}"
            );
        }
        assert_eq!(
            filters(
                "/pets",
                "description: 'Lists pets. Several filters are combined with AND.',",
                status
            )
            .len(),
            1
        );
    }

    /// Whether a list filters by this parameter, if its items have these properties.
    fn filters_items(properties: &str, parameter: &str) -> bool {
        let path = format!(
            "/transfers: {{get: {{operationId: get, parameters: [{{in: query, {parameter}}}], responses: {{'200': \
             {{description: a, content: {{application/json: {{schema: {{type: array, items: {{type: object, properties: \
             {{{properties}}}}}}}}}}}}}}}}}}}"
        );
        let contract = of_paths(&path, "").unwrap_or_else(|defects| panic!("{defects}"));
        !contract.filters_of(OperationId(0)).is_empty()
    }

    #[test]
    fn items_that_name_two_records_or_say_more_of_the_property_are_not_judged() {
        let account = "name: account_id, schema: {type: integer}";
        assert!(filters_items("account_id: {type: integer}", account));
        let both = "account_id: {type: integer}, counterparty_account_id: {type: integer}";
        assert!(!filters_items(both, account));
        let status = "name: status, description: Filter by status., schema: {type: string, enum: [a, b]}";
        let described = |text: &str| format!("status: {{type: string, enum: [a, b], description: '{text}'}}");
        assert!(filters_items(&described("Status of the transfer."), status));
        assert!(!filters_items(&described("Status; in filters `a` covers `b`."), status));
    }

    #[test]
    fn a_fact_names_the_parameter_and_the_property() {
        let path = "/pets: {get: {operationId: get, parameters: [{name: sold, in: query, schema: {type: boolean}}], responses: \
                    {'200': {description: a, content: {application/json: {schema: {type: array, items: {type: object, \
                    properties: {sold: {type: boolean}}}}}}}}}}";
        let contract = of_paths(path, "").unwrap();
        let fact = contract.fact(contract.fact_of(OperationId(0), FactKind::Filtered(0)).unwrap());
        assert_eq!(fact.name, "get filtered /*/sold: the value that sold asks for");
        assert_eq!(fact.location, "/paths/~1pets/get/parameters/0");
    }
}
