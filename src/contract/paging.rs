//! Infers how a list without `x-page` is divided into pages, from its parameters and its response. The main type is
//! [`Paging`].
//!
//! # Design
//!
//! No keyword of OpenAPI says that `page` and `per_page` divide a list into pages, but where names and types leave one
//! choice, every caller reads them so. The names are those that public documents use, compared without case and
//! separators: `per_page` and `perPage` are both `perpage`, and `page[size]` is `pagesize`. Where a list has a page
//! number and an offset, two sizes, or two arrays of records, nothing is inferred; nor where a parameter is required,
//! because then there is no list without it to compare the pages with.

use serde_json::Value;

use super::Contract;
use super::document::Node;
use super::fact::{Fact, FactKind, PageStatement};
use super::inferred::{RecordFinder, collection_name, comparable_name, comparable_path};
use super::link::Link;
use super::operation::{Operation, OperationId, Parameter, ParameterLocation};
use super::pointer;
use super::shape::{JsonType, Shape, ShapeId, says_estimate};

/// Names of parameters that request a page by its number.
const NUMBERS: [&str; 5] = ["page", "pageindex", "pageno", "pagenum", "pagenumber"];
/// Names of parameters that request a page by the number of records before it. `startIndex` is not one: SCIM counts
/// from 1 (RFC 7644, section 3.4.2.4).
const OFFSETS: [&str; 5] = ["offset", "pageoffset", "skip", "start", "startat"];
/// Those of them that may be a time too, unless they are 0 by default.
const OFFSETS_OR_TIMES: [&str; 2] = ["start", "startat"];
/// Names of parameters that request a page by what the page before it shows.
const CURSORS: [&str; 15] = [
    "after", "afterid", "continuation", "continuationtoken", "continue", "cursor", "marker", "nextcursor",
    "nextpagetoken", "nexttoken", "pageafter", "pagecursor", "pagetoken", "skiptoken", "startingafter",
];
/// Names of parameters that say how many records a page has at most.
const SIZES: [&str; 12] = [
    "count", "itemsperpage", "limit", "maxitems", "maxresults", "pagelimit", "pagesize", "perpage", "resultsperpage",
    "size", "take", "top",
];
/// Names of parameters that request a page by the identifier of the record before it, where the response shows no
/// cursor.
const AFTER_RECORD: [&str; 3] = ["after", "afterid", "startingafter"];
/// Names of fields that say how to request the next page.
const NEXT: [&str; 12] = [
    "continuationtoken", "continue", "endcursor", "next", "nextcontinuationtoken", "nextcursor", "nextlink",
    "nextmarker", "nextpage", "nextpagetoken", "nexttoken", "nexturl",
];
/// Names of fields that say whether there is a next page.
const MORE: [&str; 5] = ["hasmore", "hasnext", "hasnextpage", "ismore", "moreavailable"];
/// Names of fields that have the number of all records. `count` has it too if another field says how to request the
/// next page, as many frameworks write it; otherwise it may be the number of records on the page.
const TOTALS: [&str; 7] = [
    "total", "totalcount", "totalelements", "totalentries", "totalitems", "totalrecords", "totalresults",
];
/// Names of fields that have the number of all pages.
const PAGE_COUNTS: [&str; 5] = ["numberofpages", "numpages", "pagecount", "pages", "totalpages"];
/// Names of the objects beside the records that have such fields.
const OBJECTS_BESIDE_RECORDS: [&str; 9] = [
    "cursor", "links", "meta", "metadata", "page", "pageinfo", "pagination", "paging", "responsemetadata",
];

/// How a list is divided into pages, as inferred from its parameters and its response. Each string is a JSON pointer to
/// what its field describes: in the response or, for `id`, within a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paging {
    /// What says which page is requested.
    pub style: PagingStyle,
    /// The index of the parameter that requests a page.
    pub page_parameter: usize,
    /// The parameter that says how many records a page has at most.
    pub size: Option<PageSize>,
    /// The array of records.
    pub items: String,
    /// The identifier within a record, where it has one.
    pub id: Option<String>,
    /// How to request the next page, in the response.
    pub next: Option<String>,
    /// Whether there is a next page, in the response.
    pub more: Option<String>,
    /// The number of all records, in the response, unless the contract calls it an estimate.
    pub total: Option<String>,
    /// Whether the contract says that [`Self::total`] counts the records on all pages.
    pub counts_all_pages: bool,
    /// Whether [`Self::total`] and [`Self::page_count`] are judged: nothing in the contract limits what they count.
    pub counts_plainly: bool,
    /// The size of a page, in the response: a field with the name of the parameter for it, which the
    /// contract describes as that.
    pub stated_size: Option<String>,
    /// The number of all pages, in the response, unless the contract calls it or that of records an estimate.
    pub page_count: Option<String>,
}

/// What says which page is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagingStyle {
    /// The identifier of the last record before it, while [`Paging::more`] says that there is more.
    AfterRecord,
    /// What the page before it shows in its body, at [`Paging::next`].
    Cursor,
    /// The link to the next page in the header `Link` of the page before it (RFC 8288).
    Link,
    /// Its number.
    Number {
        /// The number of the first page, where the contract says it.
        first: Option<u64>,
    },
    /// The number of records before it.
    Offset,
}

/// The parameter that says how many records a page has at most, and the values that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize {
    /// Its index.
    pub parameter: usize,
    /// The least value.
    pub minimum: u64,
    /// The greatest value.
    pub maximum: u64,
}

impl Paging {
    /// Returns the number of records that a response to a request without the parameters states for all pages, if the
    /// contract says that it counts them, this is the only page, and it has another number of records. If it is not
    /// known to be the only page, the response must say so.
    #[must_use]
    pub(crate) fn total_against_only_page(&self, body: &Value, is_known_to_be_only: bool) -> Option<i64> {
        let stated = |at: &Option<String>| pointer::get(body, at.as_ref()?);
        let shown = pointer::get(body, &self.items).and_then(Value::as_array)?;
        let shown = i64::try_from(shown.len()).ok()?;
        let total = stated(&self.total)?.as_i64().filter(|_| self.counts_all_pages)?;
        let statements = [
            stated(&self.page_count).map(|pages| pages.as_i64().is_some_and(|pages| pages <= 1)),
            stated(&self.more).map(|more| *more == Value::Bool(false)),
            stated(&self.next).map(Value::is_null),
        ];
        let mut statements = statements.into_iter().flatten().peekable();
        let is_stated = is_known_to_be_only || statements.peek().is_some();
        (is_stated && statements.all(|says_so| says_so) && total != shown).then_some(total)
    }

    /// Whether the response to a request without the parameters says that it shows all records of the list: whatever it
    /// states about their number or about a next page says so, and it states something.
    #[must_use]
    pub(crate) fn says_that_all_are_shown(&self, body: &Value) -> bool {
        let stated = |at: &Option<String>| pointer::get(body, at.as_ref()?);
        let shown = pointer::get(body, &self.items).and_then(Value::as_array);
        let shown = shown.and_then(|items| i64::try_from(items.len()).ok());
        let statements = [
            stated(&self.total).map(|total| shown.is_some() && total.as_i64() == shown),
            stated(&self.page_count).map(|pages| pages.as_i64().is_some_and(|pages| pages <= 1)),
            stated(&self.more).map(|more| *more == Value::Bool(false)),
            stated(&self.next).map(Value::is_null),
        ];
        let mut statements = statements.into_iter().flatten().peekable();
        statements.peek().is_some() && statements.all(|says_so| says_so)
    }
}

impl Contract {
    /// Returns the contract with the pages of its lists, as inferred from it, and with their facts.
    pub(super) fn with_pagings(mut self) -> Self {
        let inferred = self.operation_ids().filter_map(|id| Some((id, self.infer_paging(id)?)));
        let inferred: Vec<_> = inferred.collect();
        for (id, paging) in inferred {
            for fact in self.paging_facts(id, &paging) {
                self.add_fact(fact);
            }
            self.pagings.insert(id, paging);
        }
        self
    }

    /// Returns how a list is divided into pages, where that is inferred and neither the page nor the size parameter is
    /// given a value.
    #[must_use]
    pub fn paging_of(&self, list: OperationId) -> Option<&Paging> {
        let paging = self.pagings.get(&list)?;
        let size = paging.size.map(|size| size.parameter);
        let parameters = &self.operation(list).parameters;
        let mut paging_parameters = [Some(paging.page_parameter), size].into_iter().flatten();
        paging_parameters
            .all(|index| parameters[index].set_by_user.is_none())
            .then_some(paging)
    }

    /// Returns the parameter that requests a page of a list by its position, and its value for the second page.
    pub(crate) fn second_page(&self, list: OperationId) -> Option<(&str, String)> {
        let operation = self.operation(list);
        if let Some(page) = &operation.page {
            return Some((&page.parameter, "2".to_owned()));
        }
        let paging = self.paging_of(list).filter(|_| self.says_only_what_it_lists(list))?;
        let value = match paging.style {
            PagingStyle::Number { first } => first.unwrap_or(1).saturating_add(1),
            PagingStyle::Offset => 1,
            PagingStyle::AfterRecord | PagingStyle::Cursor | PagingStyle::Link => return None,
        };
        Some((&operation.parameters[paging.page_parameter].name, value.to_string()))
    }

    pub(super) fn infer_paging(&self, list: OperationId) -> Option<Paging> {
        let operation = self.operation(list);
        // A path that ends with a parameter leads to one record.
        let is_list = operation.is_get() && operation.page.is_none() && !operation.path.ends_with('}');
        if !is_list || self.repeats_records(operation) {
            return None;
        }
        let parameters = PagingParameters::of(self, operation)?;
        let body = operation.success_body()?;
        let name = collection_name(&operation.path);
        let records = RecordFinder::new(&self.shapes, name);
        let mut collections = records.arrays_and_maps((String::new(), body), 0).into_iter();
        let (elements, record) = collections.next().filter(|_| collections.next().is_none())?;
        let items = elements
            .strip_suffix("/*")
            .filter(|at| self.is_array(list, at))?
            .to_owned();
        let beside = BesideRecords::new(&self.shapes, body, &items);
        let next = beside.next();
        let more = beside.only(&MORE, |shape| shape.types == [JsonType::Boolean]);
        let id = self.identifier_in(list, &elements, (&records, record));
        let cursor = match (&next, &more, &id) {
            (Some(_), ..) => Some(PagingStyle::Cursor),
            (None, Some(_), Some(_)) if parameters.is_after_record(operation) => Some(PagingStyle::AfterRecord),
            _ => None,
        };
        let style = parameters.style(self, operation, cursor)?;
        let number = |shape: &Shape| shape.types == [JsonType::Integer];
        let count = || beside.only(&["count"], number).filter(|_| next.is_some());
        let total = beside.only(&TOTALS, number).or_else(count);
        let page_count = beside.only(&PAGE_COUNTS, number);
        // The number of pages follows from that of records.
        let is_open = self.says_total_is_estimate(operation) || beside.is_estimate([&total, &page_count]);
        let counts_all_pages = total.as_ref().is_some_and(|at| beside.counts_all_pages(at));
        let counts_plainly = self.counts_plainly(list, total.as_deref());
        let size_name = parameters
            .size
            .map(|size| operation.parameters[size.parameter].name.as_str());
        // `count` may be the number of records on the page.
        let size_name = size_name.map(comparable_name).filter(|name| name != "count");
        Some(Paging {
            style,
            page_parameter: parameters.page_parameter,
            size: parameters.size,
            id,
            items,
            next,
            more,
            total: total.filter(|_| !is_open),
            counts_all_pages: counts_all_pages && counts_plainly && !is_open,
            counts_plainly,
            stated_size: size_name
                .and_then(|name| beside.only(&[&name], number))
                .filter(|at| self.states_size_of_page(list, at)),
            page_count: page_count.filter(|_| !is_open),
        })
    }

    /// Whether a sentence about a list says that pages share records: "Pinned tasks are repeated at the top of every
    /// page".
    fn repeats_records(&self, list: &Operation) -> bool {
        self.sentences_about(list).iter().any(|sentence| {
            let is_of_pages = ["each page", "every page"].iter().any(|pages| sentence.contains(pages));
            is_of_pages
                && ["also", "pinned", "repeat", "top of"]
                    .iter()
                    .any(|word| sentence.contains(word))
        })
    }

    /// Whether a sentence about the operation calls the number of its records an estimate.
    fn says_total_is_estimate(&self, operation: &Operation) -> bool {
        self.sentences_about(operation).iter().any(|sentence| {
            let is_of_count = ["count", "number", "total"].iter().any(|word| sentence.contains(word));
            is_of_count && says_estimate(sentence)
        })
    }

    /// Returns the identifier within the records of a list: what a link carries into the read of one, or the one field
    /// with the name of an identifier.
    fn identifier_in(
        &self,
        list: OperationId,
        elements: &str,
        (records, record): (&RecordFinder<'_>, &Shape),
    ) -> Option<String> {
        let item_path = format!("{}/{{}}", comparable_path(&self.operation(list).path));
        let reads =
            |to: OperationId| self.operation(to).is_read() && comparable_path(&self.operation(to).path) == item_path;
        // What only a guess takes for the identifier may be the same in two records.
        let is_known = |link: &&Link| {
            let named = || pointer::last(&link.value_at).is_some_and(|name| records.is_identifier(&name));
            !link.guessed || named()
        };
        let linked = self.links_from(list).filter(|link| reads(link.to)).filter(is_known);
        let mut linked = linked.filter_map(|link| link.value_at.strip_prefix(elements));
        if let Some(id) = linked.next() {
            return Some(id.to_owned());
        }
        let is_plain = |shape: &Shape| matches!(shape.types.as_slice(), [JsonType::Integer | JsonType::String]);
        let fields = record.fields.iter();
        let mut named = fields.filter(|field| {
            let shape = &self.shapes[field.shape.0];
            (records.is_identifier(&field.name) || comparable_name(&field.name) == "uuid") && is_plain(shape)
        });
        let field = named.next().filter(|_| named.next().is_none())?;
        Some(pointer::join("", &field.name))
    }

    fn paging_facts(&self, list: OperationId, paging: &Paging) -> Vec<Fact> {
        let operation = self.operation(list);
        let parameter = |index: usize| &operation.parameters[index];
        let requested_by = match paging.style {
            PagingStyle::Link => "Link",
            _ => &parameter(paging.page_parameter).name,
        };
        let size = paging.size.map(|size| parameter(size.parameter));
        let by = size.map_or_else(
            || requested_by.to_owned(),
            |size| format!("{requested_by} and {}", size.name),
        );
        let fact = |statement, (subject, documented): (&str, &str), (at, location): (&str, &str)| Fact {
            name: format!("{} pages by {subject}: {documented}", operation.name).into(),
            operation: list,
            kind: FactKind::InferredPages(statement),
            location: self.document.pointer_in_text(location).into_owned().into(),
            response_pointer: at.to_owned().into(),
            documented: documented.into(),
        };
        let at_position = (paging.items.as_str(), parameter(paging.page_parameter).pointer.as_str());
        let mut facts = Vec::new();
        if let Some(size) = size {
            let documented = format!("at most as many records as {} asks for", size.name);
            let at = (paging.items.as_str(), size.pointer.as_str());
            facts.push(fact(PageStatement::Size, (&by, &documented), at));
        }
        for (statement, documented) in [
            (PageStatement::Ends, "a last page"),
            (PageStatement::Unique, "no record on two pages"),
            (PageStatement::Whole, "every record of a request without them"),
        ] {
            facts.push(fact(statement, (&by, documented), at_position));
        }
        for (statement, documented, at) in [
            (
                PageStatement::Total,
                "the number of records on all pages",
                &paging.total,
            ),
            (PageStatement::Count, "the number of pages", &paging.page_count),
        ] {
            // The number of pages follows from the size that is asked for.
            let is_stated = paging.counts_plainly && (statement == PageStatement::Total || size.is_some());
            if let Some(at) = at.as_deref().filter(|_| is_stated) {
                let subject = format!("{by} {at}");
                facts.push(fact(statement, (&subject, documented), (at, &operation.pointer)));
            }
        }
        facts
    }

    /// Returns a keyword of a parameter's schema, with references followed, or else of the only member of its `allOf`:
    /// documents wrap a reference in `allOf` to put `nullable` next to it.
    pub(super) fn schema_keyword<'own>(&'own self, parameter: &Parameter, keyword: &str) -> Option<&'own Node> {
        let schema = self.document.node(parameter.schema.as_deref()?)?;
        let schema = self.referred(schema);
        let alone = schema.elements_of("allOf");
        let inner = match alone {
            [only] => Some(self.referred(only)),
            _ => None,
        };
        schema.member(keyword).or_else(|| inner?.member(keyword))
    }

    /// Returns a keyword of a parameter's schema that is a whole number.
    fn schema_integer(&self, parameter: &Parameter, keyword: &str) -> Option<i64> {
        self.schema_keyword(parameter, keyword)?.to_value().as_i64()
    }
}

/// The parameters of a list that request a page of it.
struct PagingParameters {
    kind: PageParameterKind,
    page_parameter: usize,
    size: Option<PageSize>,
}

/// What the parameter that requests a page takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PageParameterKind {
    Cursor,
    Number,
    Offset,
}

impl PagingParameters {
    /// Returns the parameters, if they leave one choice.
    fn of(contract: &Contract, operation: &Operation) -> Option<Self> {
        let (mut page_parameters, mut sizes) = (Vec::new(), Vec::new());
        let in_query = |(_, parameter): &(usize, &Parameter)| parameter.location == ParameterLocation::Query;
        for (index, parameter) in operation.parameters.iter().enumerate().filter(in_query) {
            let name = comparable_name(&parameter.name);
            let kind = [
                (&NUMBERS[..], PageParameterKind::Number),
                (&OFFSETS, PageParameterKind::Offset),
                (&CURSORS, PageParameterKind::Cursor),
            ];
            let kind = kind.iter().find(|(names, _)| names.contains(&name.as_str()));
            if let Some((_, kind)) = kind {
                page_parameters.push((index, *kind));
            } else if SIZES.contains(&name.as_str()) {
                sizes.push(index);
            }
        }
        let ([(page_parameter, kind)], [] | [_]) = (page_parameters.as_slice(), sizes.as_slice()) else {
            return None;
        };
        let mut paging_parameters = sizes.iter().chain([page_parameter]);
        let is_optional = paging_parameters.all(|index| !operation.parameters[*index].required);
        let (page_parameter, kind) = (*page_parameter, *kind);
        let fits = has_type_of(contract, &operation.parameters[page_parameter], kind);
        let size = match sizes.as_slice() {
            [] if kind == PageParameterKind::Offset => return None,
            [] => None,
            [size, ..] => Some(page_size(contract, &operation.parameters[*size], *size)?),
        };
        (is_optional && fits).then_some(Self {
            kind,
            page_parameter,
            size,
        })
    }

    /// Whether the parameter that requests a page takes the identifier of a record.
    fn is_after_record(&self, operation: &Operation) -> bool {
        AFTER_RECORD.contains(&comparable_name(&operation.parameters[self.page_parameter].name).as_str())
    }

    /// Returns what says which page is requested; for a cursor, this is `cursor`. Returns `None` if the response does
    /// not show what a cursor takes, or if the contract counts in a way of its own.
    fn style(&self, contract: &Contract, operation: &Operation, cursor: Option<PagingStyle>) -> Option<PagingStyle> {
        if documents_link(contract, operation) {
            return Some(PagingStyle::Link);
        }
        let parameter = &operation.parameters[self.page_parameter];
        let default = contract.schema_integer(parameter, "default");
        let minimum = contract.schema_integer(parameter, "minimum");
        match self.kind {
            PageParameterKind::Cursor => cursor,
            PageParameterKind::Offset => {
                let may_be_time = OFFSETS_OR_TIMES.contains(&comparable_name(&parameter.name).as_str());
                let begins_at_0 = default == Some(0) || (default.is_none() && !may_be_time);
                (begins_at_0 && minimum.unwrap_or(0) <= 0).then_some(PagingStyle::Offset)
            }
            PageParameterKind::Number => {
                let first = match (default, minimum) {
                    (Some(first), _) => Some(u64::try_from(first).ok().filter(|first| *first <= 1)?),
                    (None, Some(1)) => Some(1),
                    (None, _) => None,
                };
                Some(PagingStyle::Number { first })
            }
        }
    }
}

/// Whether a parameter has the type of what it requests a page by: a cursor may be a number too.
fn has_type_of(contract: &Contract, parameter: &Parameter, kind: PageParameterKind) -> bool {
    let name = contract.schema_keyword(parameter, "type").and_then(Node::string);
    let format = contract.schema_keyword(parameter, "format").and_then(Node::string);
    match name {
        Some("integer" | "number") => true,
        // `after` may be a time.
        Some("string") => kind == PageParameterKind::Cursor && !format.is_some_and(|format| format.starts_with("date")),
        _ => false,
    }
}

/// Returns the size of a page that a parameter takes, if it takes every whole number between its bounds.
fn page_size(contract: &Contract, parameter: &Parameter, index: usize) -> Option<PageSize> {
    let name = contract.schema_keyword(parameter, "type").and_then(Node::string);
    let is_number = matches!(name, Some("integer" | "number"));
    let is_restricted = ["enum", "multipleOf"]
        .iter()
        .any(|keyword| contract.schema_keyword(parameter, keyword).is_some());
    let exclusive = |keyword: &str| {
        let keyword = contract.schema_keyword(parameter, keyword);
        u64::from(keyword.and_then(Node::boolean) == Some(true))
    };
    let bound = |keyword: &str| {
        let bound = contract.schema_integer(parameter, keyword)?;
        Some(u64::try_from(bound).unwrap_or(0))
    };
    let minimum = bound("minimum").unwrap_or(0) + exclusive("exclusiveMinimum");
    let maximum = bound("maximum")
        .unwrap_or(u64::MAX)
        .saturating_sub(exclusive("exclusiveMaximum"));
    let size = PageSize {
        parameter: index,
        minimum: minimum.max(1),
        maximum,
    };
    (is_number && !is_restricted && size.minimum <= size.maximum).then_some(size)
}

/// Whether a success documents the header `Link`.
fn documents_link(contract: &Contract, operation: &Operation) -> bool {
    let mut successes = operation.successes();
    successes.any(|response| response.documents_header(&contract.document, "Link"))
}

/// What a list's response has beside its records.
struct BesideRecords<'contract> {
    shapes: &'contract [Shape],
    /// Each field and its location.
    fields: Vec<(String, &'contract str, &'contract Shape)>,
}

impl<'contract> BesideRecords<'contract> {
    /// Returns what the body has beside the records, and beside the object that has them.
    fn new(shapes: &'contract [Shape], body: ShapeId, items: &str) -> Self {
        let mut fields = Vec::new();
        let mut pending = vec![(String::new(), body)];
        while let Some((at, shape)) = pending.pop() {
            for field in &shapes[shape.0].fields {
                let location = pointer::join(&at, &field.name);
                let has_records = items
                    .strip_prefix(&location)
                    .is_some_and(|below| below.starts_with('/'));
                let is_searched =
                    has_records || OBJECTS_BESIDE_RECORDS.contains(&comparable_name(&field.name).as_str());
                if is_searched && at.is_empty() {
                    pending.push((location.clone(), field.shape));
                }
                fields.push((location, field.name.as_str(), &shapes[field.shape.0]));
            }
        }
        Self { shapes, fields }
    }

    /// Returns the location of the one field with one of these names that fits.
    fn only(&self, names: &[&str], fits: impl Fn(&Shape) -> bool) -> Option<String> {
        let named = |name: &str| names.contains(&comparable_name(name).as_str());
        let mut found = self.fields.iter().filter(|(_, name, shape)| named(name) && fits(shape));
        let (location, ..) = found.next().filter(|_| found.next().is_none())?;
        Some(location.clone())
    }

    /// Whether a description calls the number at one of these locations an estimate.
    fn is_estimate(&self, locations: [&Option<String>; 2]) -> bool {
        let mut fields = self.fields.iter();
        fields.any(|(at, _, shape)| shape.is_estimate && locations.into_iter().flatten().any(|location| location == at))
    }

    /// Whether a description calls the number at this location that of the records on all pages.
    fn counts_all_pages(&self, at: &str) -> bool {
        let mut fields = self.fields.iter();
        fields.any(|(location, _, shape)| location == at && shape.counts_all_pages)
    }

    /// Returns the location of what says how to request the next page: a text, a number, or an object with a `href`.
    fn next(&self) -> Option<String> {
        let is_plain = |shape: &Shape| {
            let plain = [JsonType::Integer, JsonType::String];
            !shape.types.is_empty() && shape.types.iter().all(|kind| plain.contains(kind))
        };
        let href = |shape: &Shape| {
            let index = shape.field_named("href")?;
            is_plain(&self.shapes[shape.fields[index].shape.0]).then_some("/href")
        };
        let plain = self.only(&NEXT, is_plain);
        plain.or_else(|| Some(self.only(&NEXT, |shape| href(shape).is_some())? + "/href"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::testing::of_paths;

    const ARRAY: &str = "{type: array, items: {type: object, properties: {id: {type: integer}}}}";

    /// The paging of a list with these parameters of the query, each as `name: schema`, and this response.
    fn paging(parameters: &[&str], (schema, headers): (&str, &str)) -> Option<(Contract, Paging)> {
        let parameters = parameters.iter().map(|parameter| {
            let (name, schema) = parameter.split_once(": ").unwrap();
            format!("{{name: '{name}', in: query, {schema}}}")
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let document = format!(
            "/pets:\n  get: {{operationId: get, parameters: [{parameters}], responses: {{'200': {{description: a, \
             content: {{application/json: {{schema: {schema}}}}}{headers}}}}}}}\n"
        );
        let contract = of_paths(&document, "").unwrap_or_else(|defects| panic!("{defects}"));
        let paging = contract.paging_of(OperationId(0)).cloned()?;
        Some((contract, paging))
    }

    #[test]
    fn a_list_may_repeat_records_on_every_page() {
        let pages = |text: &str| {
            let document = format!(
                "/pets:\n  get: {{operationId: get, description: {text}, parameters: [{{name: page, in: query, schema: \
                 {{type: integer}}}}], responses: {{'200': {{description: a, content: {{application/json: {{schema: \
                 {ARRAY}}}}}}}}}}}\n"
            );
            of_paths(&document, "").unwrap().paging_of(OperationId(0)).is_some()
        };
        assert!(!pages("Pinned pets are repeated at the top of every page."));
        assert!(pages("Every page has up to 20 pets."));
    }

    #[test]
    fn a_response_shows_all_records_if_all_that_it_states_says_so() {
        let schema = object(
            "total: {type: integer}, pages: {type: integer}, has_more: {type: boolean}, next: {type: string, nullable: \
             true}",
        );
        let (_, paging) = paging(&["page: schema: {type: integer}"], (&schema, "")).unwrap();
        let says_so = |stated: Value| {
            let mut body = json!({"items": [{"id": 1}, {"id": 2}]});
            body.as_object_mut()
                .unwrap()
                .extend(stated.as_object().unwrap().clone());
            paging.says_that_all_are_shown(&body)
        };
        for (stated, is_whole) in [
            (json!({}), false),
            (json!({"total": 2}), true),
            (json!({"total": 3}), false),
            (json!({"total": 1}), false),
            (json!({"total": null}), false),
            (json!({"pages": 1}), true),
            (json!({"pages": 2}), false),
            (json!({"has_more": false}), true),
            (json!({"has_more": true}), false),
            (json!({"next": null}), true),
            (json!({"next": "/pets?page=2"}), false),
            (json!({"total": 2, "pages": 1, "has_more": false, "next": null}), true),
            (json!({"total": 2, "next": "/pets?page=2"}), false),
            (json!({"total": 9, "next": null}), false),
        ] {
            assert_eq!(says_so(stated.clone()), is_whole, "{stated}");
        }
    }

    fn style(parameters: &[&str], schema: &str) -> Option<PagingStyle> {
        paging(parameters, (schema, "")).map(|(_, paging)| paging.style)
    }

    fn object(fields: &str) -> String {
        format!("{{type: object, properties: {{items: {ARRAY}, {fields}}}}}")
    }

    const INTEGER: &str = "schema: {type: integer}";
    const STRING: &str = "schema: {type: string}";

    #[test]
    fn names_and_types_say_how_a_list_is_divided() {
        let number = Some(PagingStyle::Number { first: None });
        for (position, size, expected) in [
            ("page", "per_page", number),
            ("page", "pageSize", number),
            ("Page", "page_size", number),
            ("page[number]", "page[size]", number),
            ("pageNumber", "limit", number),
            ("offset", "limit", Some(PagingStyle::Offset)),
            ("$skip", "$top", Some(PagingStyle::Offset)),
            // A name that may be a time too, of a position that may be anything, or one that is counted from 1.
            ("startAt", "maxResults", None),
            ("start", "limit", None),
            ("p", "limit", None),
            ("startIndex", "count", None),
            ("limit", "size", None),
        ] {
            let parameters = [position, size].map(|name| format!("{name}: {INTEGER}"));
            let parameters: Vec<_> = parameters.iter().map(String::as_str).collect();
            assert_eq!(style(&parameters, ARRAY), expected, "{position} {size}");
        }
    }

    #[test]
    fn a_position_that_is_0_by_default_is_no_time() {
        let start = |schema: &str| {
            style(
                &[&format!("startAt: schema: {schema}"), "limit: schema: {type: integer}"],
                ARRAY,
            )
        };
        assert_eq!(start("{type: integer, default: 0}"), Some(PagingStyle::Offset));
        assert_eq!(start("{type: integer, minimum: 0}"), None);
    }

    #[test]
    fn a_cursor_needs_a_response_that_shows_the_next_one() {
        for (position, field, next) in [
            ("cursor", "next_cursor: {type: string}", Some("/next_cursor")),
            ("page_token", "nextPageToken: {type: string}", Some("/nextPageToken")),
            (
                "page_token",
                "next_page: {type: string, nullable: true}",
                Some("/next_page"),
            ),
            ("marker", "next_marker: {type: string}", Some("/next_marker")),
            (
                "continue",
                "metadata: {type: object, properties: {continue: {type: string}}}",
                Some("/metadata/continue"),
            ),
            (
                "cursor",
                "cursor: {type: object, properties: {next: {type: string}}}",
                Some("/cursor/next"),
            ),
            (
                "page[after]",
                "links: {type: object, properties: {next: {type: object, properties: {href: {type: string}}}}}",
                Some("/links/next/href"),
            ),
            ("cursor", "took: {type: integer}", None),
            ("cursor", "next: {type: boolean}", None),
            ("cursor", "next: {type: string}, next_cursor: {type: string}", None),
            ("before", "next: {type: string}", None),
        ] {
            let found = paging(&[&format!("{position}: {STRING}")], (&object(field), ""));
            let found = found.map(|(_, paging)| (paging.style, paging.next.unwrap()));
            let expected = next.map(|next| (PagingStyle::Cursor, next.to_owned()));
            assert_eq!(found, expected, "{position} {field}");
        }
        for (position, fields, expected) in [
            (
                "starting_after",
                "has_more: {type: boolean}",
                Some(PagingStyle::AfterRecord),
            ),
            ("starting_after", "took: {type: integer}", None),
            ("cursor", "has_more: {type: boolean}", None),
        ] {
            assert_eq!(
                style(&[&format!("{position}: {STRING}")], &object(fields)),
                expected,
                "{position}"
            );
        }
        // A time is no cursor.
        let time = "after: schema: {type: string, format: date-time}";
        assert_eq!(style(&[time], &object("next: {type: string}")), None);
    }

    #[test]
    fn a_documented_link_is_followed_whatever_the_position_is() {
        let headers = ", headers: {link: {schema: {type: string}}}";
        for position in ["page", "after", "offset"] {
            let parameters = [format!("{position}: {INTEGER}"), format!("per_page: {INTEGER}")];
            let parameters: Vec<_> = parameters.iter().map(String::as_str).collect();
            let (_, paging) = paging(&parameters, (ARRAY, headers)).unwrap();
            assert_eq!((paging.style, paging.page_parameter), (PagingStyle::Link, 0));
        }
        assert!(paging(&[&format!("since: {INTEGER}")], (ARRAY, headers)).is_none());
    }

    #[test]
    fn where_two_fit_or_one_is_unlike_the_others_nothing_is_inferred() {
        let (page, limit) = ("page: schema: {type: integer}", "limit: schema: {type: integer}");
        for parameters in [
            &[page, limit, "offset: schema: {type: integer}"][..],
            &[page, limit, "per_page: schema: {type: integer}"],
            &[page, "PageToken: schema: {type: string}", limit],
            &["page: schema: {type: string}", limit],
            &[page, "limit: schema: {type: string}"],
            &[page, "limit: schema: {type: integer, enum: [10, 20]}"],
            &[page, "limit: schema: {type: integer, minimum: 9, maximum: 8}"],
            &["page: schema: {type: integer, default: 2}", limit],
            &["page: required: true, schema: {type: integer}", limit],
            &[page, "limit: required: true, schema: {type: integer}"],
            &["offset: schema: {type: integer, minimum: 1}", limit],
            &["offset: schema: {type: integer}"],
            &[limit],
        ] {
            assert_eq!(style(parameters, ARRAY), None, "{parameters:?}");
        }
        let both = format!("{{type: object, properties: {{a: {ARRAY}, b: {ARRAY}}}}}");
        for schema in [&both, "{type: object}", "{type: array, items: {type: string}}"] {
            assert_eq!(style(&[page, limit], schema), None, "{schema}");
        }
    }

    #[test]
    fn one_record_has_no_pages() {
        let pages = |path: &str, parameter: &str| {
            let page = format!("{{name: page, in: query, {INTEGER}}}");
            let document = format!(
                "{path}:\n  get: {{operationId: get, parameters: [{page}{parameter}], responses: {{'200': {{description: a, \
                 content: {{application/json: {{schema: {ARRAY}}}}}}}}}}}\n"
            );
            of_paths(&document, "").unwrap().paging_of(OperationId(0)).is_some()
        };
        let id = ", {name: id, in: path, required: true, schema: {type: integer}}";
        assert!(!pages("/pets/{id}", id));
        assert!(pages("/pets/{id}/photos", id) && pages("/pets", ""));
    }

    #[test]
    fn bounds_and_the_first_page_are_those_of_the_schema() {
        let (_, paging) = paging(&[
                "page: schema: {type: integer, default: 0}",
                "size: schema: {allOf: [{type: integer, minimum: 0, exclusiveMinimum: true, maximum: 100}], nullable: true}",
            ],
            (ARRAY, ""),
        )
        .unwrap();
        assert_eq!(paging.style, PagingStyle::Number { first: Some(0) });
        let size = paging.size.unwrap();
        assert_eq!((size.minimum, size.maximum), (1, 100));
    }

    #[test]
    fn facts_are_of_what_the_response_states() {
        let page = "page: schema: {type: integer, minimum: 1}";
        let size = "per_page: schema: {type: integer}";
        let stated = "total: {type: integer}, meta: {type: object, properties: {total_pages: {type: integer}}}, count: {type: integer}";
        let names = |parameters: &[&str], fields: &str| {
            let (contract, _) = paging(parameters, (&object(fields), "")).unwrap();
            let facts = contract
                .facts
                .iter()
                .filter(|fact| matches!(fact.kind, FactKind::InferredPages(_)));
            facts.map(|fact| fact.name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            names(&[page, size], stated),
            [
                "get pages by page and per_page: at most as many records as per_page asks for",
                "get pages by page and per_page: a last page",
                "get pages by page and per_page: no record on two pages",
                "get pages by page and per_page: every record of a request without them",
                "get pages by page and per_page /total: the number of records on all pages",
                "get pages by page and per_page /meta/total_pages: the number of pages",
            ]
        );
        assert_eq!(names(&[page], "count: {type: integer}").len(), 3);
        let listed = "count: {type: integer}, next: {type: string, nullable: true}";
        assert!(names(&[page], listed)[3].ends_with(" /count: the number of records on all pages"));
        for said in [
            "An estimate of all records.",
            "Approximate number of records",
            "The number of records; may not be exact",
            "A lower bound",
            "Total, at most 10.",
            "Rounded up to the next ten.",
            "Includes archived tasks.",
            "Counts are refreshed hourly.",
            "All-time count.",
            "Number of records that need attention.",
            "Total number of matches before access control.",
            "One more than the offset of the last entry. The number of entries may be less than this.",
        ] {
            let estimated = stated.replacen("type: integer", &format!("type: integer, description: '{said}'"), 1);
            assert_eq!(names(&[page, size], &estimated).len(), 4, "{said}");
        }
        let exact = stated.replacen(
            "type: integer",
            "type: integer, description: The exact number of records",
            1,
        );
        assert_eq!(names(&[page, size], &exact).len(), 6);
        for said in [
            "Total number of records",
            "Number of records that match the filter",
            "All records, on all pages",
        ] {
            let plain = stated.replacen("type: integer", &format!("type: integer, description: '{said}'"), 1);
            assert_eq!(names(&[page, size], &plain).len(), 6, "{said}");
        }
        // Two totals are no total.
        let two = "total: {type: integer}, total_count: {type: integer}";
        assert!(!names(&[page], two).iter().any(|name| name.contains("/total")));
    }

    #[test]
    fn a_list_with_pages_of_its_own_is_left_to_them() {
        let contract = crate::testing::built_in();
        assert!(contract.operation_ids().all(|id| contract.paging_of(id).is_none()));
    }

    #[test]
    fn a_parameter_with_a_given_value_requests_no_page() {
        let (page, size) = ("page: schema: {type: integer}", "size: schema: {type: integer}");
        let (mut contract, _) = paging(&[page, size], (ARRAY, "")).unwrap();
        contract.set_parameter(OperationId(0), 1, 5.into()).unwrap();
        assert!(contract.paging_of(OperationId(0)).is_none());
    }
}
