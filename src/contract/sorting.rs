//! Infers which query parameter of a list sorts it: `GET /things?sort=-price` returns the most expensive things first.
//! The main type is [`Sorting`].
//!
//! # Design
//!
//! No keyword of OpenAPI says that a parameter sorts, but an enum of the names of properties in a parameter named `sort`
//! or `order_by` leaves no doubt by what. The direction must be as clear: a `-` in front of the same name, `asc` and
//! `desc` after it, or in a parameter of their own. Only numbers, dates and instants are compared: how texts are sorted
//! depends on their language, and where null comes is left open. Texts about the list, the parameter and the property
//! may say nothing that `plain_text` does not know, and a number beside a unit or a currency is not
//! compared.

use super::Contract;
use super::document::Node;
use super::fact::{Fact, FactKind};
use super::inferred::comparable_name;
use super::lexicon::{camel_case_words, underscored_words, whole_sentences};
use super::operation::{Operation, OperationId, Parameter, ParameterLocation};
use super::plain_text::{only_lists, only_names_a_value, only_sorts, words_of};
use super::pointer;
use super::shape::{Field, JsonType, Shape};

/// Names of parameters that sort, in the form in which names are compared.
const NAMES: [&str; 9] = [
    "order", "orderby", "ordering", "sort", "sortby", "sortcolumn", "sortfield", "sortkey", "sorting",
];

/// Names of parameters that say in which direction.
const DIRECTIONS: [&str; 9] = [
    "dir", "direction", "order", "orderdir", "orderdirection", "sortdir", "sortdirection", "sortorder", "sorttype",
];

/// Beginnings of words in a description that leave a doubt by what, in which direction, or whether all records are
/// sorted.
const DOUBTFUL_BEGINNINGS: [&str; 20] = [
    "absolute", "alphabetic", "approximat", "exclud", "except", "featured", "first", "group", "ignore", "lexicograph",
    "natural", "omit", "only", "pinned", "promoted", "random", "relevan", "sticky", "string", "without",
];

/// Names of booleans of records that lists may keep in front.
const KEPT_IN_FRONT: [&str; 8] = [
    "favorite", "favourite", "featured", "pinned", "promoted", "sponsored", "starred", "sticky",
];

/// Beginnings of words in the description of a boolean that say where lists show the record.
const PLACES_IN_LIST: [&str; 8] = ["ahead", "first", "front", "list", "position", "preced", "sort", "top"];

/// Ends of the names of fields that say in what another field is counted.
const UNITS: [&str; 3] = ["currency", "currencycode", "unit"];

/// A query parameter that sorts a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sorting {
    /// The index of the parameter.
    pub parameter: usize,
    /// The array of records, as a JSON pointer in the response.
    pub items: String,
    /// What it sorts by, the clearest first.
    pub keys: Vec<SortKey>,
}

/// A property that a list is sorted by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The property, as a JSON pointer within a record.
    pub property: String,
    /// How its values are compared.
    pub values: SortedValues,
    /// The parameters, by index, and their values for the smallest value first.
    pub ascending: Vec<(usize, String)>,
    /// The same for the greatest value first.
    pub descending: Vec<(usize, String)>,
}

/// How the values of a property are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortedValues {
    /// As numbers; some of the records may have null.
    NumberOrNull,
    /// As numbers.
    Number,
    /// As instants.
    Instant,
    /// As dates in the form of RFC 3339, section 5.6.
    Date,
}

impl Sorting {
    /// Whether these are all pairs of a query, and ask for an order.
    #[must_use]
    pub fn is_only(&self, parameters: &[Parameter], pairs: &[(String, String)]) -> bool {
        let has = |(index, value): &(usize, String)| {
            pairs
                .iter()
                .any(|(name, given)| *name == parameters[*index].name && given == value)
        };
        let mut queries = self.keys.iter().flat_map(|key| [&key.ascending, &key.descending]);
        queries.any(|query| query.len() == pairs.len() && query.iter().all(has))
    }
}

/// The direction that a value of a parameter asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Ascending,
    Descending,
}

impl Contract {
    /// Returns the contract with the parameters that sort its lists, as inferred from it, and with their facts.
    pub(super) fn with_sorting(mut self) -> Self {
        let inferred = self
            .operation_ids()
            .filter_map(|id| Some((id, self.infer_sorting(id)?)));
        let inferred: Vec<_> = inferred.collect();
        for (id, sorting) in inferred {
            self.add_fact(self.sorting_fact(id, &sorting));
            self.sorting_by_list.insert(id, sorting);
        }
        self
    }

    /// Returns the query parameter that sorts a list, as inferred from names and schemas.
    #[must_use]
    pub fn sorting_of(&self, list: OperationId) -> Option<&Sorting> {
        self.sorting_by_list.get(&list)
    }

    fn sorting_fact(&self, list: OperationId, sorting: &Sorting) -> Fact {
        let operation = self.operation(list);
        let Parameter { name, pointer, .. } = &operation.parameters[sorting.parameter];
        let documented = format!("the order that {name} asks for");
        Fact {
            name: format!("{} sorted {}/*: {documented}", operation.name, sorting.items).into(),
            operation: list,
            kind: FactKind::Sorted(sorting.parameter),
            location: self.document.pointer_in_text(pointer).into_owned().into(),
            response_pointer: sorting.items.clone().into(),
            documented: documented.into(),
        }
    }

    pub(super) fn infer_sorting(&self, list: OperationId) -> Option<Sorting> {
        let operation = self.operation(list);
        if !operation.is_get() || operation.path.ends_with('}') {
            return None;
        }
        let direction = self.direction_of(operation);
        let named = operation.parameters.iter().enumerate().filter(|(index, parameter)| {
            let is_direction = direction.as_ref().is_some_and(|(of, ..)| of == index);
            !is_direction
                && self.is_plain_choice(parameter)
                && NAMES.contains(&comparable_name(&parameter.name).as_str())
        });
        let mut named = named.filter_map(|(index, parameter)| Some((index, parameter, self.choices(parameter)?)));
        let (index, parameter, choices) = named.next().filter(|_| named.next().is_none())?;
        let direction_parameter = direction.as_ref().map(|(index, ..)| &operation.parameters[*index]);
        let sorts = [Some(parameter), direction_parameter];
        if self.leaves_order_open(operation, sorts.into_iter().flatten()) {
            return None;
        }
        let (elements, record) = self.items_of(list)?;
        if record.fields.iter().any(|field| self.may_be_kept_in_front(field)) {
            return None;
        }
        let has_unit = record.fields.iter().any(|field| {
            let name = comparable_name(&field.name);
            UNITS.iter().any(|unit| name.ends_with(unit))
        });
        let items = elements.strip_suffix("/*")?.to_owned();
        let keys = record.fields.iter().filter_map(|field| {
            let property = &self.shapes[field.shape.0];
            let values = self.sorted_values(property)?;
            let is_counted_in_units = has_unit && matches!(values, SortedValues::Number | SortedValues::NumberOrNull);
            let described = self.descriptions_of_property(property).into_iter();
            let mut described = described.map(|text| text.replace("never changes", ""));
            if is_counted_in_units || !described.all(|text| only_names_a_value(&text)) {
                return None;
            }
            let (ascending, descending) = ways_to_sort(&field.name, (index, &choices), direction.as_ref())?;
            Some(SortKey {
                property: pointer::join("", &field.name),
                values,
                ascending,
                descending,
            })
        });
        let mut keys: Vec<_> = keys.collect();
        keys.sort_by_key(|key| key.values);
        (!keys.is_empty()).then_some(Sorting {
            parameter: index,
            items,
            keys,
        })
    }

    /// Whether a parameter of the query has one value, which need not be given.
    fn is_plain_choice(&self, parameter: &Parameter) -> bool {
        let stated = |key: &str| self.document.node(&parameter.pointer)?.member(key);
        parameter.location == ParameterLocation::Query
            && !parameter.required
            && parameter.media_type.is_none()
            && stated("deprecated").and_then(Node::boolean) != Some(true)
    }

    /// Returns the strings of a parameter's enum.
    fn choices(&self, parameter: &Parameter) -> Option<Vec<String>> {
        let values = self.schema_keyword(parameter, "enum")?.elements().iter();
        values.map(|value| value.string().map(str::to_owned)).collect()
    }

    /// Returns the index of the parameter that says in which direction a list is sorted, with its values for ascending
    /// and descending.
    fn direction_of(&self, operation: &Operation) -> Option<(usize, String, String)> {
        let parameters = operation.parameters.iter().enumerate();
        let mut found = parameters.filter_map(|(index, parameter)| {
            let is_named = DIRECTIONS.contains(&comparable_name(&parameter.name).as_str());
            let choices = self
                .choices(parameter)
                .filter(|_| is_named && self.is_plain_choice(parameter))?;
            match choices.as_slice() {
                [one, other] => match (direction(one)?, direction(other)?) {
                    (Direction::Ascending, Direction::Descending) => Some((index, one.clone(), other.clone())),
                    (Direction::Descending, Direction::Ascending) => Some((index, other.clone(), one.clone())),
                    _ => None,
                },
                _ => None,
            }
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// Whether texts leave a doubt in which order parameters put the records.
    fn leaves_order_open<'own>(
        &self,
        operation: &Operation,
        parameters: impl Iterator<Item = &'own Parameter> + Clone,
    ) -> bool {
        let described = parameters.clone().flat_map(|parameter| self.descriptions_of(parameter));
        let described: Vec<_> = described
            .map(|text| text.to_ascii_lowercase().replace("without regard to case", ""))
            .collect();
        let choices = parameters.filter_map(|parameter| self.choices(parameter)).flatten();
        let mut names: Vec<_> = choices
            .flat_map(|choice| words_of(choice.trim_start_matches(['-', '+'])))
            .collect();
        names.extend(camel_case_words(&operation.path));
        let parameters = operation
            .parameters
            .iter()
            .flat_map(|parameter| words_of(&parameter.name));
        let of_list: Vec<_> = names.iter().cloned().chain(parameters).collect();
        let has = |text: &String, beginnings: &[&str]| {
            underscored_words(text).any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)))
        };
        // A `-` that stands for ascending is nowhere the usual sense.
        let only_ascending = |text: &String| text.contains("ascending") && !text.contains("desc");
        let is_open = |text: &String| {
            has(text, &DOUBTFUL_BEGINNINGS)
                || only_ascending(text)
                || !whole_sentences(text).all(|sentence| only_sorts(sentence, &names))
        };
        let about = self.sentences_about(operation);
        described.iter().any(is_open) || !about.iter().all(|sentence| only_lists(sentence, &of_list))
    }

    /// Whether lists may keep a record in front for which this field is true, by its name or its description.
    fn may_be_kept_in_front(&self, field: &Field) -> bool {
        let shape = &self.shapes[field.shape.0];
        let name = comparable_name(&field.name);
        let is_named = KEPT_IN_FRONT.contains(&name.strip_prefix("is").unwrap_or(&name));
        let says_so = |text: &String| {
            underscored_words(text).any(|word| PLACES_IN_LIST.iter().any(|beginning| word.starts_with(beginning)))
        };
        shape.types == [JsonType::Boolean] && (is_named || self.descriptions_of_property(shape).iter().any(says_so))
    }

    /// Returns how the values of a property are compared, if that leaves no doubt.
    fn sorted_values(&self, property: &Shape) -> Option<SortedValues> {
        match property.types.as_slice() {
            [JsonType::Integer | JsonType::Number] if property.nullable => Some(SortedValues::NumberOrNull),
            [JsonType::Integer | JsonType::Number] => Some(SortedValues::Number),
            [JsonType::String] => match self.property_keyword(property, "format").and_then(Node::string)? {
                "date-time" => Some(SortedValues::Instant),
                "date" => Some(SortedValues::Date),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns the direction that a word stands for.
fn direction(word: &str) -> Option<Direction> {
    match word.to_ascii_lowercase().as_str() {
        "asc" | "ascending" => Some(Direction::Ascending),
        "desc" | "descending" => Some(Direction::Descending),
        _ => None,
    }
}

/// Returns the property that a value names, and the direction if it has one: `-price`, `price_desc`, `price:asc`.
fn named_by(choice: &str) -> (String, Option<Direction>) {
    if let Some(name) = choice.strip_prefix('-') {
        return (comparable_name(name), Some(Direction::Descending));
    }
    if let Some(name) = choice.strip_prefix('+') {
        return (comparable_name(name), Some(Direction::Ascending));
    }
    let parts = choice.rsplit_once(|letter: char| !letter.is_alphanumeric());
    let directed = parts.and_then(|(name, last)| Some((comparable_name(name), Some(direction(last)?))));
    directed.unwrap_or_else(|| (comparable_name(choice), None))
}

type Query = Vec<(usize, String)>;

/// Returns what to send for a list that is sorted by a property, ascending and descending; `None` if the choices of the
/// parameter with this index do not say both.
fn ways_to_sort(
    property: &str,
    (parameter, choices): (usize, &[String]),
    direction: Option<&(usize, String, String)>,
) -> Option<(Query, Query)> {
    let name = comparable_name(property);
    let of = |wanted: Option<Direction>| {
        let mut found = choices
            .iter()
            .filter(|choice| named_by(choice) == (name.clone(), wanted));
        found.next().filter(|_| found.next().is_none()).cloned()
    };
    let (plain, up, down) = (
        of(None),
        of(Some(Direction::Ascending)),
        of(Some(Direction::Descending)),
    );
    match (direction, plain, up, down) {
        (Some((index, asc, desc)), Some(plain), None, None) => {
            let with = |direction: &String| vec![(parameter, plain.clone()), (*index, direction.clone())];
            Some((with(asc), with(desc)))
        }
        // `price` beside `price_desc` may have a direction of its own, unlike `price` beside `-price`.
        (None, Some(plain), None, Some(down)) if down.starts_with('-') => {
            Some((vec![(parameter, plain)], vec![(parameter, down)]))
        }
        (None, None, Some(up), Some(down)) => Some((vec![(parameter, up)], vec![(parameter, down)])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::of_paths;

    /// The queries that sort a list with these parameters, by each property: ascending, then descending.
    fn sorted(parameters: &str, about: &str) -> Vec<(String, String, String)> {
        let item = "{type: object, properties: {id: {type: integer}, name: {type: string}, price: {type: number}, \
                    weight: {type: integer, nullable: true}, createdAt: {type: string, format: date-time}, \
                    born: {type: string, format: date}}}";
        let schema = format!("{{type: object, properties: {{items: {{type: array, items: {item}}}}}}}");
        let document = format!(
            "/pets:\n  get: {{operationId: get, description: '{about}', parameters: [{parameters}], responses: {{'200': \
             {{description: a, content: {{application/json: {{schema: {schema}}}}}}}}}}}\n"
        );
        let contract = of_paths(&document, "").unwrap_or_else(|defects| panic!("{defects}"));
        let Some(sorting) = contract.sorting_of(OperationId(0)) else {
            return Vec::new();
        };
        assert_eq!(sorting.items, "/items");
        let parameters = &contract.operation(OperationId(0)).parameters;
        let query = |pairs: &Query| {
            let pairs = pairs
                .iter()
                .map(|(index, value)| format!("{}={value}", parameters[*index].name));
            pairs.collect::<Vec<_>>().join("&")
        };
        let keys = sorting.keys.iter();
        keys.map(|key| (key.property.clone(), query(&key.ascending), query(&key.descending)))
            .collect()
    }

    /// The queries that sort a list by its price.
    fn by_price(parameters: &str) -> Option<(String, String)> {
        let mut found = sorted(parameters, "").into_iter();
        let (property, ascending, descending) = found.next()?;
        assert_eq!((property.as_str(), found.next()), ("/price", None));
        Some((ascending, descending))
    }

    fn parameter(name: &str, choices: &str) -> String {
        format!("{{name: {name}, in: query, schema: {{type: string, enum: [{choices}]}}}}")
    }

    #[test]
    fn names_of_properties_with_their_directions_sort() {
        for (parameters, ascending, descending) in [
            (
                parameter("sort", "price, '-price', name, '-name'"),
                "sort=price",
                "sort=-price",
            ),
            (
                parameter("orderBy", "price_asc, price_desc, name"),
                "orderBy=price_asc",
                "orderBy=price_desc",
            ),
            (
                parameter("ordering", "'price:asc', 'price:desc'"),
                "ordering=price:asc",
                "ordering=price:desc",
            ),
            (parameter("sort", "'+price', '-price'"), "sort=+price", "sort=-price"),
            (
                format!(
                    "{}, {}",
                    parameter("sort", "price, name"),
                    parameter("order", "desc, asc")
                ),
                "sort=price&order=asc",
                "sort=price&order=desc",
            ),
        ] {
            let expected = Some((ascending.to_owned(), descending.to_owned()));
            assert_eq!(by_price(&parameters), expected, "{parameters}");
        }
    }

    #[test]
    fn numbers_that_may_be_null_come_first_and_texts_are_left_out() {
        let choices = "createdAt, '-createdAt', name, '-name', born, '-born', price, '-price', weight, '-weight'";
        let found = sorted(&parameter("sort", choices), "");
        let properties: Vec<_> = found.iter().map(|(property, ..)| property.as_str()).collect();
        assert_eq!(properties, ["/weight", "/price", "/createdAt", "/born"]);
    }

    #[test]
    fn what_leaves_the_property_or_the_direction_open_does_not_sort() {
        for parameters in [
            parameter("sort", "price, name"),
            parameter("sort", "price, price_desc"),
            parameter("sort", "cost, '-cost'"),
            parameter("sort", "name, '-name'"),
            parameter("view", "price, '-price'"),
            "{name: sort, in: query, schema: {type: string}}".to_owned(),
            "{name: sort, in: query, required: true, schema: {type: string, enum: [price, '-price']}}".to_owned(),
            format!(
                "{}, {}",
                parameter("sort", "price, '-price'"),
                parameter("order", "desc, asc")
            ),
            format!(
                "{}, {}",
                parameter("sort", "price, name"),
                parameter("order", "up, down")
            ),
            format!(
                "{}, {}",
                parameter("sort", "price, '-price'"),
                parameter("sort_by", "price, '-price'")
            ),
        ] {
            assert!(sorted(&parameters, "").is_empty(), "{parameters}");
        }
        for described in [
            "Pinned pets come before others",
            "Sort by this; only pets that have it",
            "Newest first",
            "Use - for ascending",
            "Sorts by relevance",
            "Sort by effective price",
            "Sort order within sections",
            "Sort by price. Free pets are skipped.",
        ] {
            let parameters = format!(
                "{{name: sort, in: query, description: '{described}', schema: {{type: string, enum: [price, '-price']}}}}"
            );
            assert!(sorted(&parameters, "").is_empty(), "{described}");
        }
        let sort = parameter("sort", "price, '-price'");
        for about in [
            "Sticky pets are on top.",
            "Lists pets as a tree: each is followed by its young.",
            "The order is approximate.",
            "Ordering by price is limited to pets that have one.",
        ] {
            assert!(sorted(&sort, about).is_empty(), "{about}");
        }
        assert_eq!(sorted(&sort, "The oldest first, unless sort says otherwise.").len(), 1);
        let described = sort.replace(
            "in: query",
            "in: query, description: 'With - in front, in descending order. Texts without regard to case, null comes last.'",
        );
        assert_eq!(sorted(&described, "").len(), 1);
    }

    /// Whether a list is sorted by a price of which the property and its neighbour are described like this.
    fn sorts_beside(price: &str, other: &str) -> bool {
        let path = format!(
            "/pets: {{get: {{operationId: get, parameters: [{}], responses: {{'200': {{description: a, content: \
             {{application/json: {{schema: {{type: array, items: {{type: object, properties: {{price: {{type: number, \
             description: '{price}'}}, {other}}}}}}}}}}}}}}}}}}}",
            parameter("sort", "price, '-price'")
        );
        let contract = of_paths(&path, "").unwrap_or_else(|defects| panic!("{defects}"));
        contract.sorting_of(OperationId(0)).is_some()
    }

    #[test]
    fn what_the_record_says_of_the_order_leaves_it_open() {
        let name = "name: {type: string}";
        assert!(sorts_beside(
            "Price in euros, an exact decimal number with two places.",
            name
        ));
        assert!(sorts_beside(
            "Price. Never changes.",
            "sold: {type: boolean, description: Whether it is sold.}"
        ));
        assert!(!sorts_beside("Price; 0 means on request.", name));
        for other in [
            "currency: {type: string}",
            "price_unit: {type: string}",
            "pinned: {type: boolean}",
            "own: {type: boolean, description: Stays at the top.}",
            "own: {type: boolean, description: Favourites precede others in every list.}",
        ] {
            assert!(!sorts_beside("Price", other), "{other}");
        }
    }

    #[test]
    fn a_fact_names_the_parameter() {
        let path = "/pets: {get: {operationId: get, parameters: [{name: sort, in: query, schema: {type: string, \
                    enum: [age, '-age']}}], responses: {'200': {description: a, content: {application/json: \
                    {schema: {type: array, items: {type: object, properties: {age: {type: integer}}}}}}}}}}";
        let contract = of_paths(path, "").unwrap();
        let fact = contract.fact(contract.fact_of(OperationId(0), FactKind::Sorted(0)).unwrap());
        assert_eq!(fact.name, "get sorted /*: the order that sort asks for");
        assert_eq!(fact.location, "/paths/~1pets/get/parameters/0");
    }
}
