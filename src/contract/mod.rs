//! Reads a contract: an OpenAPI document becomes operations, shapes, links, invariants, gaps and facts, each with
//! its location.
//!
//! - **In**: the text of a document, YAML or JSON, and the name that messages give it.
//! - **Out**: a [`Contract`], or [`Defects`](defect::Defects), each with line, pointer and fix.
//! - **Start with** [`Contract::open`] for a file, [`Contract::built_in`] for the document of this crate, and
//!   [`fact::Fact`] for what a response can break.
//!
#![cfg_attr(feature = "service", doc = "```")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! use countersign::Contract;
//!
//! let contract = Contract::built_in()?;
//! let fact = contract.facts.iter().find(|fact| fact.name.to_string() == "getTags /data/total: integer");
//! let fact = fact.expect("the built-in contract lists tags");
//! println!("openapi.yaml:{} says {}", contract.position(fact).line, fact.documented);
//! # assert_eq!(fact.documented.to_string(), "integer");
//! # Ok::<(), countersign::contract::defect::Defects>(())
//! ```
//!
//! Our own keys are described in [`vocabulary`]. `build.rs` includes this module, so that a build reports a defect in
//! the same words as a check.
//!
//! # Words
//!
//! - *query*: a `POST` that the document makes recognisable as a read, such as `POST /pets/search`; a run sends it as
//!   carefully as a write.
//! - *lifecycle*: the operations that read, list, update and delete what one create makes, inferred from paths and
//!   schemas.
//! - *chosen*: of an identifier, one that the caller picks: in the path of a create, such as `PUT /pets/{name}`
//!   (`Operation::chosen`), or in its body (`identifier_field`).
//! - *paging*: how a list without `x-page` is divided into pages, inferred from its parameters and its response.
//! - *filter*: a query parameter that has the name and the type of a property of a list's items, so that each item must
//!   have its value; inferred.
//! - *carry*: a field that a write sends and its record must show: in the response to a create, in a list or in a read.
//!   An invariant states it (`carries`), or it is inferred with a lifecycle.
//! - *defect*: something wrong with a document, not with a service.
//! - *overlay*: an OpenAPI Overlay: a file of changes that is applied to a document before the contract is read;
//!   usually the answers of `learn` that a person has reviewed.
//!
//! # Design
//!
//! The files of this module depend on each other. An operation holds what was read about it (fields, shapes, edge
//! cases, links), and each of these refers to operations. Reading the document may end in a defect, and a defect names
//! a location of the document.

mod alternatives;
pub mod bundle;
mod chosen;
mod condition;
pub(crate) mod consequence;
pub(crate) mod create_effects;
mod create_sentence;
pub(crate) mod create_summary;
pub mod defect;
mod dialect;
pub(crate) mod discriminator;
pub mod document;
pub mod edge_case;
pub mod equivalent;
pub mod fact;
mod facts_beyond_schemas;
mod falsy;
pub mod field;
mod filter_words;
pub mod filters;
mod get_side_effects;
mod guessed;
mod headers;
mod identity;
mod inferred;
mod inferred_gaps;
pub mod json_schema;
pub mod lasting;
pub mod learned;
pub(crate) mod length_limits;
pub(crate) mod lexicon;
pub mod lifecycle;
pub mod link;
mod list_query;
mod list_sentence;
pub(crate) mod load;
mod name;
mod object;
pub mod openapi;
pub mod operation;
pub(crate) mod other_views;
mod overlay;
mod page_words;
pub mod paging;
pub(crate) mod parameter_side_effects;
pub(crate) mod partial_list;
pub mod path_template;
mod plain_operation;
mod plain_text;
pub mod pointer;
pub(crate) mod query;
mod reach;
mod reference;
pub mod shape;
pub mod shared_string;
mod singular_query;
pub mod sorting;
pub(crate) mod spread;
#[cfg(test)]
mod testing;
mod texts;
pub(crate) mod tree;
mod unlinked;
pub mod vocabulary;
pub(crate) mod what_texts_say;
mod write_responses;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::OnceLock;

use defect::{Defect, Defects};
use document::{Document, Node, Position};
use fact::{Fact, FactId, FactKind};
pub(crate) use facts_beyond_schemas::MISSING_CREDENTIAL_IS_REJECTED;
use filters::Filter;
pub(crate) use inferred::comparable_name;
use learned::StatedAnswer;
use lifecycle::Lifecycles;
use link::Link;
pub use load::is_json;
pub(crate) use load::resolve;
use load::{ContractOfClientTypes, ReadingOptions, SchemePreference};
use openapi::{did_you_mean, near};
pub(crate) use operation::JSON;
#[cfg(feature = "cli")]
use operation::Security;
use operation::{Method, Operation, OperationId, ParameterLocation, SecurityScheme};
use paging::Paging;
use path_template::PathTemplate;
use shape::{Shape, ShapeId};
use shared_string::SharedString;
use sorting::Sorting;
use vocabulary::{Equivalence, Gap};

/// Why a parameter is not given a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterNotSet {
    /// The parameter is the identifier that the caller of a create chooses, and a run chooses it itself.
    ChosenIdentifier,
    /// The operation has no such parameter.
    NoParameter,
    /// The operation updates or deletes, and a run does that only to records that it created.
    UpdateOrDelete,
}

impl fmt::Display for ParameterNotSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ChosenIdentifier => "the run chooses this identifier itself, so that it names nobody else's record",
            Self::NoParameter => "the operation has no such parameter",
            Self::UpdateOrDelete => {
                "the operation updates or deletes, and a run does that only to the records that it created"
            }
        })
    }
}

impl std::error::Error for ParameterNotSet {}

/// A gap that the contract does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGap {
    id: String,
    hint: String,
}

impl fmt::Display for UnknownGap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, hint } = self;
        write!(formatter, "the contract has no gap `{id}`{hint}")
    }
}

impl std::error::Error for UnknownGap {}

/// Returns the index of the gap with this identifier.
fn find_gap(gaps: &[Gap], id: &str) -> Result<usize, UnknownGap> {
    let known = || gaps.iter().map(|gap| gap.id.as_str());
    known().position(|known| known == id).ok_or_else(|| UnknownGap {
        id: id.to_owned(),
        hint: did_you_mean(near(id, known())),
    })
}

/// An operation that the contract does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOperation {
    name: String,
    hint: String,
    known: String,
    /// The defect because of which it is left out, if the document has it.
    defect: Option<Box<Defect>>,
}

impl fmt::Display for UnknownOperation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            hint,
            known,
            defect,
        } = self;
        if let Some(defect) = defect {
            return write!(
                formatter,
                "the operation `{name}` is left out because of a defect: {defect}"
            );
        }
        write!(
            formatter,
            "there is no operation `{name}`{hint}; the operations are {known}"
        )
    }
}

impl std::error::Error for UnknownOperation {}

/// A document that a service can conform to or break.
#[derive(Debug)]
pub struct Contract {
    /// The text and its tree.
    pub document: Document,
    /// The title.
    pub title: String,
    /// The operations, in the order of the document.
    pub operations: Vec<Operation>,
    /// The links that carry values from responses into requests.
    pub links: Vec<Link>,
    /// What the document leaves open.
    pub gaps: Vec<Gap>,
    /// The answers to gaps that an overlay states.
    pub answers: Vec<StatedAnswer>,
    /// The shapes of responses.
    pub shapes: Vec<Shape>,
    /// Every statement that a response can break.
    pub facts: Vec<Fact>,
    /// The defects of the document, in its order; none unless it was read by [`Contract::read_partly`].
    pub defects: Vec<Defect>,
    /// The operations that are left out because of a defect, in the order of the document.
    pub omitted: Vec<OmittedOperation>,
    by_kind: HashMap<(OperationId, FactKind), FactId>,
    by_name: HashMap<String, OperationId>,
    /// The indexes in `links` of those that lead to an operation.
    links_by_target: HashMap<OperationId, Vec<usize>>,
    links_by_source: HashMap<OperationId, Vec<usize>>,
    /// The operations that create records within a list's items, by the list.
    creating_within: HashMap<OperationId, Vec<OperationId>>,
    /// The equivalences that are tested on each operation.
    equivalences: HashMap<OperationId, Vec<Equivalence>>,
    /// The inferred lifecycles of the records of creates without `x-invariants`.
    lifecycles: Lifecycles,
    /// How lists without `x-page` are divided into pages, as inferred.
    pagings: HashMap<OperationId, Paging>,
    /// The query parameters that lists filter by, as inferred.
    filters: HashMap<OperationId, Vec<Filter>>,
    /// The parameters that sort lists, as inferred.
    sorting_by_list: HashMap<OperationId, Sorting>,
    /// The names of all documented fields of responses.
    field_names: HashSet<SharedString>,
    /// The kinds of records that paths name: see [`Self::names_a_record`].
    record_kinds: HashSet<String>,
    /// What it says of itself, once that was asked.
    introduction: OnceLock<plain_operation::Introduction>,
    /// Whether names that it does not document are hidden even if they look like words.
    hides_undocumented_names: bool,
}

/// An operation of the document that cannot be read.
#[derive(Clone, Debug)]
pub struct OmittedOperation {
    /// Its name, formed like [`Operation::name`].
    pub name: String,
    /// The method.
    pub method: Method,
    /// The path, with its parameters in braces.
    pub path: String,
    /// Its location in the document.
    pub pointer: String,
    /// The first defect that concerns it: in it, or in something that it refers to.
    pub defect: Defect,
}

/// Returns the operations that create records within a list's items, by the list.
fn creating_within(
    operations: &[Operation],
    by_name: &HashMap<String, OperationId>,
) -> HashMap<OperationId, Vec<OperationId>> {
    let mut creating: HashMap<_, Vec<_>> = HashMap::new();
    for (index, operation) in operations.iter().enumerate() {
        let created = operation.invariants.created.as_ref();
        let listed = created.and_then(|created| created.listed.as_ref());
        // A create whose record appears inside an item of the list has both `item_parameter` and `records_in_item`
        // (`owner` and `at` of its `x-invariants`): `load` checks that.
        let list = listed.filter(|listed| listed.records_in_item.is_some());
        if let Some(list) = list.and_then(|listed| by_name.get(&listed.operation)) {
            creating.entry(*list).or_default().push(OperationId(index));
        }
    }
    creating
}

/// Returns the equivalences that are tested on each operation.
fn equivalences(facts: &[Fact]) -> HashMap<OperationId, Vec<Equivalence>> {
    let mut equivalences: HashMap<_, Vec<_>> = HashMap::new();
    for fact in facts {
        if let FactKind::Equivalent(equivalence) = fact.kind {
            equivalences.entry(fact.operation).or_default().push(equivalence);
        }
    }
    equivalences
}

/// The statements of a contract, as they are read.
struct Statements {
    gaps: Vec<Gap>,
    answers: Vec<StatedAnswer>,
    shapes: Vec<Shape>,
    facts: Vec<Fact>,
}

impl Contract {
    fn new(document: Document, operations: Vec<Operation>, links: Vec<Link>, statements: Statements) -> Self {
        let Statements {
            gaps,
            answers,
            mut shapes,
            mut facts,
        } = statements;
        shapes.shrink_to_fit();
        facts.shrink_to_fit();
        let title = document
            .node("/info/title")
            .and_then(Node::string)
            .unwrap_or(&document.name)
            .to_owned();
        let equivalences = equivalences(&facts);
        let keyed = facts
            .iter()
            .enumerate()
            .filter(|(_, fact)| !fact.kind.is_of_a_location())
            .map(|(index, fact)| ((fact.operation, fact.kind), FactId(index)));
        let by_kind = keyed.collect();
        let by_name = link::by_name(&operations).into_iter();
        let by_name = by_name.map(|(name, id)| (name.to_owned(), id)).collect();
        let by_name: HashMap<String, OperationId> = by_name;
        let creating_within = creating_within(&operations, &by_name);
        let (mut links_by_target, mut links_by_source) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for link in &links {
            links_by_target.entry(link.to).or_default().push(link.index);
            links_by_source.entry(link.from).or_default().push(link.index);
        }
        let field_names = shapes
            .iter()
            .flat_map(|shape| &shape.fields)
            .map(|field| field.name.clone())
            .collect();
        let record_kinds = inferred::record_kinds(&operations);
        Self {
            document,
            title,
            operations,
            links,
            gaps,
            answers,
            shapes,
            facts,
            defects: Vec::new(),
            omitted: Vec::new(),
            by_kind,
            by_name,
            links_by_target,
            links_by_source,
            creating_within,
            equivalences,
            lifecycles: Lifecycles::default(),
            pagings: HashMap::new(),
            filters: HashMap::new(),
            sorting_by_list: HashMap::new(),
            field_names,
            record_kinds,
            introduction: OnceLock::new(),
            hides_undocumented_names: false,
        }
    }

    /// Reads a contract from the text of a document of OpenAPI 3.0, 3.1 or 3.2, YAML or JSON.
    /// `name` is the file's name in messages.
    ///
    /// # Errors
    ///
    /// All [`Defects`] of the document, each with file, line and pointer.
    pub fn read(name: &str, text: String) -> Result<Self, Defects> {
        Self::of_document(Document::read_allowing_repeated_names(name, text)?)
    }

    /// Reads a contract from a document.
    ///
    /// # Errors
    ///
    /// Those of [`Self::read`].
    pub(crate) fn of_document(document: Document) -> Result<Self, Defects> {
        Self::without_defects(document, ContractOfClientTypes::AnotherContract)
    }

    /// Reads what can be read of a document: an operation with a defect is left out, and so is one that refers to
    /// something with a defect. [`Contract::omitted`] has these operations, and [`Contract::defects`] every defect.
    ///
    /// # Errors
    ///
    /// A text that is not YAML or JSON, a document that is not OpenAPI 3.0 to 3.2 or has more defects than are
    /// collected, or all defects if they leave no operation.
    pub fn read_partly(name: &str, text: String) -> Result<Self, Defects> {
        Self::partly_of_document(Document::read_allowing_repeated_names(name, text)?)
    }

    /// Reads what can be read of a document, as [`Self::read_partly`]. But nothing of an overlay is left out: any
    /// defect in one is an error.
    ///
    /// # Errors
    ///
    /// Those of [`Self::read_partly`], and the [`Defects`] of an overlay.
    pub(crate) fn partly_of_document(document: Document) -> Result<Self, Defects> {
        let mut contract = Self::read_partly_or_empty(document)?;
        if !contract.operations.is_empty() {
            let defects = contract.defects.iter();
            let of_overlay = defects.filter(|defect| contract.document.is_of_overlay(defect.position));
            return Defects::new(of_overlay.cloned().collect()).map_or(Ok(contract), Err);
        }
        let defects = Defects::new(std::mem::take(&mut contract.defects)).map(Defects::leaving_no_operation);
        defects.map_or(Ok(contract), Err)
    }

    /// Reads what can be read of a document, even if no operation is left.
    ///
    /// # Errors
    ///
    /// A document that is not OpenAPI 3.0 to 3.2, or has more defects than are collected.
    pub(crate) fn read_partly_or_empty(document: Document) -> Result<Self, Defects> {
        let (client_types, prefer) = (ContractOfClientTypes::AnotherContract, SchemePreference::Token);
        load::contract(document, ReadingOptions { client_types, prefer })
    }

    /// Reads the contract that the client's types are generated from.
    ///
    /// # Errors
    ///
    /// As in [`Contract::read`].
    pub(crate) fn with_client_types(document: Document) -> Result<Self, Defects> {
        Self::without_defects(document, ContractOfClientTypes::ThisContract)
    }

    fn without_defects(document: Document, client_types: ContractOfClientTypes) -> Result<Self, Defects> {
        let prefer = SchemePreference::Token;
        let mut contract = load::contract(document, ReadingOptions { client_types, prefer })?;
        Defects::new(std::mem::take(&mut contract.defects)).map_or(Ok(contract), Err)
    }

    /// Returns the contract as a caller with a user and a password uses it: with HTTP Basic, wherever that is one of
    /// several schemes. A token with a colon, as in `user:password`, is not a bearer token (RFC 6750, section 2.1).
    ///
    /// # Errors
    ///
    /// None: the same document was read before.
    pub(crate) fn for_user_and_password(&self) -> Result<Self, Defects> {
        let (client_types, prefer) = (
            ContractOfClientTypes::AnotherContract,
            SchemePreference::UserAndPassword,
        );
        let mut contract = load::contract(self.document.clone(), ReadingOptions { client_types, prefer })?;
        for (operation, own) in contract.operations.iter_mut().zip(&self.operations) {
            for (parameter, own) in operation.parameters.iter_mut().zip(&own.parameters) {
                parameter.set_by_user.clone_from(&own.set_by_user);
            }
        }
        Ok(Self {
            hides_undocumented_names: self.hides_undocumented_names,
            // The document no longer has the types that it calls otherwise than OpenAPI does.
            defects: self.defects.clone(),
            ..contract
        })
    }

    /// Sets a parameter of an operation, by its index, to a value that takes precedence over all others. Reads and
    /// creates take it; a create then makes its record within the one that it names. For an update or a delete, only
    /// a parameter that names a record which contains the run's own can be set.
    ///
    /// # Errors
    ///
    /// [`ParameterNotSet`], if there is no such parameter, if it is the identifier that the caller of a create chooses,
    /// or if the operation updates or deletes and the parameter does not name a record that contains the run's own.
    pub fn set_parameter(
        &mut self,
        operation: OperationId,
        parameter: usize,
        value: serde_json::Value,
    ) -> Result<(), ParameterNotSet> {
        let id = operation;
        let lifecycle = self.lifecycle_of(id);
        let own_record = lifecycle.map(|lifecycle| lifecycle.path_to_id.clone());
        let operation = self.operations.get_mut(id.0).ok_or(ParameterNotSet::NoParameter)?;
        let path = operation.path_to_parameter(parameter);
        let contains_own = path.is_some() && own_record.is_some() && path != own_record;
        if !operation.is_read() && operation.chosen == Some(parameter) {
            return Err(ParameterNotSet::ChosenIdentifier);
        }
        if !operation.is_read() && operation.method != Method::Post && !contains_own {
            return Err(ParameterNotSet::UpdateOrDelete);
        }
        let given = operation
            .parameters
            .get_mut(parameter)
            .ok_or(ParameterNotSet::NoParameter)?;
        given.set_by_user = Some(value);
        if contains_own {
            self.set_for_others((id, parameter), &path.unwrap_or_default());
        }
        Ok(())
    }

    /// Also gives the value that a create was given for the parent of its record to the other operations on such
    /// records, unless they were given one of their own.
    fn set_for_others(&mut self, (create, given): (OperationId, usize), path: &str) {
        let Some(lifecycle) = self.lifecycle_starting_with(create) else {
            return;
        };
        let value = self.operation(create).parameters[given].set_by_user.clone();
        let updates = lifecycle.updates.iter().map(|(update, _)| *update);
        let others: Vec<_> = updates.chain([lifecycle.read]).chain(lifecycle.delete).collect();
        for other in others {
            let operation = &mut self.operations[other.0];
            let mut indexes = 0..operation.parameters.len();
            let index = indexes.find(|index| operation.path_to_parameter(*index).as_deref() == Some(path));
            if let Some(parameter) = index.and_then(|index| operation.parameters.get_mut(index)) {
                parameter.set_by_user = parameter.set_by_user.take().or_else(|| value.clone());
            }
        }
    }

    /// Sends tokens in the header `Authorization` under the scheme of this name, where the document states a bearer
    /// token or an API key in that header.
    #[cfg(feature = "cli")]
    pub(crate) fn set_token_scheme(&mut self, name: &str) {
        for operation in &mut self.operations {
            let (Security::Scheme { scheme, .. } | Security::Assumed { scheme } | Security::Optional { scheme }) =
                &mut operation.security
            else {
                continue;
            };
            let is_replaced = match scheme {
                SecurityScheme::ApiKeyHeader { name } => name.eq_ignore_ascii_case("authorization"),
                SecurityScheme::Bearer => true,
                _ => false,
            };
            if is_replaced {
                *scheme = SecurityScheme::Named { name: name.to_owned() };
            }
        }
    }

    /// Also sends a credential to operations for which the document states no security, or an optional one: by the
    /// first scheme in the document that can carry a credential of this kind, or else by HTTP Basic for a user and a
    /// password, and as a bearer token otherwise.
    #[cfg(feature = "cli")]
    pub(crate) fn assume_credential(&mut self, is_user_and_password: bool) {
        let mut stated = self
            .operations
            .iter()
            .filter_map(|operation| operation.security.scheme());
        let suits = |scheme: &&SecurityScheme| is_user_and_password || **scheme != SecurityScheme::Basic;
        let scheme = match stated.find(suits) {
            Some(scheme) => scheme.clone(),
            None if is_user_and_password => SecurityScheme::Basic,
            None => SecurityScheme::Bearer,
        };
        for operation in &mut self.operations {
            if !operation.security.needs_credential() {
                operation.security = Security::Assumed { scheme: scheme.clone() };
            }
        }
    }

    /// Whether the document defines a security scheme of HTTP Basic, used or not.
    pub(crate) fn defines_basic(&self) -> bool {
        let schemes = self.document.node("/components/securitySchemes");
        let mut schemes = schemes.into_iter().flat_map(Node::members);
        schemes.any(|scheme| {
            let kind = scheme.node.text_of("scheme");
            kind.is_some_and(|kind| kind.eq_ignore_ascii_case("basic"))
        })
    }

    /// Whether some operation is called with a user and a password.
    pub(crate) fn uses_basic(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|operation| operation.security.scheme() == Some(&SecurityScheme::Basic))
    }

    /// Returns the operation.
    #[must_use]
    pub fn operation(&self, id: OperationId) -> &Operation {
        &self.operations[id.0]
    }

    /// Returns the operation with that name.
    #[must_use]
    pub fn operation_named(&self, name: &str) -> Option<OperationId> {
        self.by_name.get(name).copied()
    }

    /// Whether a gap that no traffic answers concerns the query parameter of that name: then the document leaves open
    /// which values it accepts.
    #[must_use]
    pub(crate) fn leaves_open_query(&self, operation: OperationId, name: &str) -> bool {
        let mut parameters = self.operation(operation).parameters.iter();
        let named = parameters.find(|parameter| parameter.is(ParameterLocation::Query, name));
        let mut unanswerable = self.gaps.iter().filter(|gap| gap.kind.is_none());
        named.is_some_and(|parameter| unanswerable.any(|gap| gap.locations.contains(&parameter.pointer)))
    }

    /// Finds the gap that a user named.
    ///
    /// # Errors
    ///
    /// [`UnknownGap`] if there is none with that identifier.
    pub fn find_gap(&self, id: &str) -> Result<usize, UnknownGap> {
        find_gap(&self.gaps, id)
    }

    /// Finds the operation that a user named.
    ///
    /// # Errors
    ///
    /// [`UnknownOperation`] if there is none with that name; its message lists those that exist.
    pub fn find_operation(&self, name: &str) -> Result<OperationId, UnknownOperation> {
        self.operation_named(name).ok_or_else(|| {
            let known = || self.operations.iter().map(|operation| operation.name.as_str());
            let omitted = self.omitted.iter().find(|operation| operation.name == name);
            UnknownOperation {
                defect: omitted.map(|operation| Box::new(operation.defect.clone())),
                name: name.to_owned(),
                hint: did_you_mean(near(name, known())),
                known: known().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            }
        })
    }

    /// Makes sure that no name outside of the contract is printed, however harmless it looks, apart from those that are
    /// common in errors ([`Self::render_possible_map_key`]): in other people's traffic, the name of a field may be the
    /// name of a person.
    #[must_use]
    pub fn hiding_undocumented_names(self) -> Self {
        Self {
            hides_undocumented_names: true,
            ..self
        }
    }

    /// Whether any operation requires a credential.
    #[must_use]
    pub fn needs_credential(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|operation| operation.security.needs_credential())
    }

    /// Returns the links that carry a value into the operation, in the order of the contract.
    pub fn links_to(&self, to: OperationId) -> impl Iterator<Item = &Link> + Clone {
        self.numbered(self.links_by_target.get(&to))
    }

    /// Returns the links that carry a value out of the operation's responses, in the order of the contract.
    pub fn links_from(&self, from: OperationId) -> impl Iterator<Item = &Link> + Clone {
        self.numbered(self.links_by_source.get(&from))
    }

    /// Returns the `GET` that a path under the base URL calls: where several match, the one with more literal text
    /// (OpenAPI 3.0.3, section 4.7.8.1).
    #[must_use]
    pub fn get_operation_at(&self, path: &str) -> Option<OperationId> {
        let reads = self.operation_ids().filter(|id| self.operation(*id).is_get());
        let templates = reads.map(|id| (PathTemplate::read(&self.operation(id).path), id));
        let matching = templates.filter(|(template, _)| template.values(path).is_some());
        matching
            .min_by_key(|(template, _)| template.precedence())
            .map(|(_, id)| id)
    }

    /// Returns the operations that create records within the items of the list.
    pub fn creating_within(&self, list: OperationId) -> impl Iterator<Item = OperationId> {
        self.creating_within.get(&list).into_iter().flatten().copied()
    }

    fn numbered<'own>(&'own self, numbers: Option<&'own Vec<usize>>) -> impl Iterator<Item = &'own Link> + Clone {
        numbers.into_iter().flatten().map(|number| {
            #[cfg(test)]
            crate::testing::work::count();
            &self.links[*number]
        })
    }

    /// Whether a check collects answers too, and not only `learn`: the contract lists what it leaves open, or an
    /// overlay answers some of it.
    #[must_use]
    pub fn needs_answers_in_check(&self) -> bool {
        !self.answers.is_empty() || self.gaps.iter().any(|gap| !gap.is_inferred)
    }

    /// Returns the list whose items are the records that the operation creates; `None` where it creates something
    /// within an item: see [`Self::list_showing_created_by`].
    #[must_use]
    pub fn list_whose_items_are_created_by(&self, create: OperationId) -> Option<OperationId> {
        let created = self.operation(create).invariants.created.as_ref()?;
        let listed = created
            .listed
            .as_ref()
            .filter(|listed| listed.item_parameter.is_none())?;
        self.operation_named(&listed.operation)
    }

    /// Returns the list that shows what the operation creates: as its items, or within them.
    #[must_use]
    pub fn list_showing_created_by(&self, create: OperationId) -> Option<OperationId> {
        let created = self.operation(create).invariants.created.as_ref()?;
        self.operation_named(&created.listed.as_ref()?.operation)
    }

    /// Returns the list that is searched for what the operation has left: the one that shows what it creates, by an
    /// invariant or by an inferred lifecycle, or else the one at its path.
    #[must_use]
    pub fn list_searched_for(&self, create: OperationId) -> Option<OperationId> {
        let inferred = || Some(self.lifecycle_starting_with(create)?.list.as_ref()?.operation);
        let at_path = || Some(self.list_at_path_of(create)?.0.operation);
        self.list_showing_created_by(create).or_else(inferred).or_else(at_path)
    }

    /// Returns the list that shows what the operation updates.
    #[must_use]
    pub fn list_showing_updated_by(&self, update: OperationId) -> Option<OperationId> {
        let updated = self.operation(update).invariants.updated.as_ref()?;
        self.operation_named(&updated.listed.operation)
    }

    /// Returns the list of the records to which the operation writes, by an invariant or by an inferred lifecycle. By
    /// an invariant, an update has such a list, and a create has none.
    #[must_use]
    pub fn list_written_by(&self, write: OperationId) -> Option<OperationId> {
        let inferred = || Some(self.lifecycle_of(write)?.list.as_ref()?.operation);
        self.list_showing_updated_by(write).or_else(inferred)
    }

    /// Returns the pointers to the items of a list and to the identifier within each, by an invariant or by an inferred
    /// lifecycle.
    #[must_use]
    pub fn items_of_list(&self, list: OperationId) -> Option<(&str, &str)> {
        let page = self.operation(list).page.as_ref();
        let by_invariant = page.map(|page| (page.items.as_str(), page.id.as_str()));
        by_invariant.or_else(|| {
            self.record_list(list)
                .map(|list| (list.items.as_str(), list.id.as_str()))
        })
    }

    /// Returns the equivalences that are tested on the operation, in the order of the contract.
    #[must_use]
    pub fn equivalences(&self, operation: OperationId) -> &[Equivalence] {
        self.equivalences.get(&operation).map_or(&[], Vec::as_slice)
    }

    /// Returns all operations.
    pub fn operation_ids(&self) -> impl Iterator<Item = OperationId> + use<> {
        (0..self.operations.len()).map(OperationId)
    }

    /// Returns the shape.
    #[must_use]
    pub fn shape(&self, id: ShapeId) -> &Shape {
        &self.shapes[id.0]
    }

    /// Returns the fact.
    #[must_use]
    pub fn fact(&self, id: FactId) -> &Fact {
        &self.facts[id.0]
    }

    /// Whether the contract says where the response to a create shows the record's identifier: by an invariant, or by a
    /// link that carries it into a parameter, or because the list at its path shows such records.
    #[must_use]
    pub fn shows_identifier(&self, operation: OperationId) -> bool {
        let mut links = self.links_from(operation);
        let linked = links.any(|link| matches!(link.target, link::LinkTarget::Parameter(_)));
        linked || self.operation(operation).invariants.created.is_some() || self.list_at_path_of(operation).is_some()
    }

    /// Adds a fact of a kind of which an operation has at most one.
    fn add_fact(&mut self, fact: Fact) {
        self.by_kind
            .insert((fact.operation, fact.kind), FactId(self.facts.len()));
        self.facts.push(fact);
    }

    /// Returns the operation's fact of that kind, for kinds of which an operation has at most one.
    #[must_use]
    pub fn fact_of(&self, operation: OperationId, kind: FactKind) -> Option<FactId> {
        self.by_kind.get(&(operation, kind)).copied()
    }

    /// Follows the references at the pointer, and returns the pointer that they lead to.
    #[must_use]
    pub fn resolve(&self, pointer: &str) -> String {
        resolve(&self.document, pointer.to_owned())
    }

    /// Follows the references of a node, and returns the node that they lead to; the node itself where it is not a
    /// reference.
    pub(crate) fn referred<'own>(&'own self, node: &'own Node) -> &'own Node {
        load::referred(&self.document, node)
    }

    /// Returns the name as it may be printed: unchanged where the contract documents a field of a response with that
    /// name, or where it looks like words, as the name of a field in a program does; otherwise a placeholder with its
    /// length, because a name that the target chose may be a value.
    #[must_use]
    pub fn render_name(&self, name: &str) -> String {
        if self.may_print(name) {
            name.to_owned()
        } else {
            undocumented(name)
        }
    }

    /// Returns the name as it may be printed where it may be the key of a map, which is data: unchanged only where the
    /// contract documents a field of a response with that name, or where it is common in errors.
    #[must_use]
    pub fn render_possible_map_key(&self, name: &str) -> String {
        if self.documents_field(name) || name::COMMON_NAMES.contains(&name) {
            name.to_owned()
        } else {
            undocumented(name)
        }
    }

    /// Whether the contract documents a field with this name anywhere.
    #[must_use]
    pub fn documents_field(&self, name: &str) -> bool {
        self.field_names.contains(name)
    }

    /// Whether the name may be printed unchanged.
    #[must_use]
    pub fn may_print(&self, name: &str) -> bool {
        self.field_names.contains(name) || (!self.hides_undocumented_names && name::looks_like_words(name))
    }

    /// Returns the name of the overlay's file that states a fact; `None` for a fact of the document.
    #[must_use]
    pub fn overlay_of(&self, fact: &Fact) -> Option<&str> {
        let position = self.position(fact);
        self.document
            .is_of_overlay(position)
            .then(|| self.document.file(position))
    }

    /// Returns the position of the fact's statement in the contract.
    #[must_use]
    pub fn position(&self, fact: &Fact) -> Position {
        self.document.position(&fact.location)
    }
}

/// Returns the placeholder for a name that is not printed.
fn undocumented(name: &str) -> String {
    format!("<undocumented name({})>", name.chars().count())
}

#[cfg(test)]
mod tests {
    use super::defect::NO_OPERATION_LEFT;
    use super::*;

    fn broken(from: &str, to: &str) -> String {
        assert!(Contract::BUILT_IN.contains(from), "openapi.yaml has no `{from}`");
        Contract::read(Contract::BUILT_IN_NAME, Contract::BUILT_IN.replacen(from, to, 1))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn defects_that_leave_no_operation_are_said_to() {
        let get =
            |status: &str| format!("get: {{operationId: get{status}, responses: {{'{status}': {{description: D}}}}}}");
        let document = |second: &str| {
            let (first, second) = (get("2XZ"), get(second));
            format!(
                "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a:\n    {first}\n  /b:\n    {second}\n"
            )
        };
        let none = Contract::read_partly("a.yaml", document("2YY"))
            .unwrap_err()
            .to_string();
        assert!(none.ends_with(NO_OPERATION_LEFT), "{none}");
        assert_eq!(
            Contract::read_partly("a.yaml", document("200"))
                .unwrap()
                .operations
                .len(),
            1
        );
    }

    #[test]
    fn nothing_of_an_overlay_is_left_out() {
        let document = || Document::read("openapi.yaml", Contract::BUILT_IN.to_owned()).unwrap();
        let overlay = |gap: &str| {
            let answer = format!("{{gap: {gap}, operation: getTags, claim: {{sent: false}}}}");
            let action = format!("{{target: $, update: {{x-answers: [{answer}]}}}}");
            document().with_overlay("known.yaml", format!("overlay: 1.0.0\nactions: [{action}]\n"))
        };
        let unknown = Contract::partly_of_document(overlay("no-gap").unwrap())
            .unwrap_err()
            .to_string();
        assert!(
            unknown.starts_with("known.yaml:2:44 (/x-answers/0): `x-gaps` has no gap `no-gap`"),
            "{unknown}"
        );
        // A defect in the document itself leaves out only its own operation.
        let broken = Contract::BUILT_IN.replacen("2XX", "2XZ", 1);
        let document = Document::read("openapi.yaml", broken).unwrap();
        let overlay = "overlay: 1.0.0\nactions: []\n".to_owned();
        let contract = Contract::partly_of_document(document.with_overlay("known.yaml", overlay).unwrap()).unwrap();
        assert_eq!(contract.omitted.len(), 1);
    }

    #[test]
    fn every_fact_of_the_built_in_contract_has_a_name_of_its_own() {
        let contract = crate::testing::built_in();
        let mut names = HashSet::new();
        for fact in &contract.facts {
            assert!(names.insert(&fact.name), "`{}` appears twice", fact.name);
            assert!(
                contract.document.node(&fact.location).is_some(),
                "`{}` is nowhere: {}",
                fact.name,
                fact.location
            );
        }
    }

    #[cfg(feature = "service")]
    #[test]
    fn the_facts_of_the_built_in_contract() {
        let contract = crate::testing::built_in();
        let listed: Vec<_> = contract.facts.iter().map(|fact| fact.name.as_str()).collect();
        crate::testing::with_snapshots(|| {
            insta::assert_snapshot!("facts", listed.join("\n"));
        });
    }

    #[cfg(feature = "service")]
    #[test]
    fn the_built_in_contract_alone_speaks_of_the_typed_client() {
        let typed = |contract: &Contract| {
            let facts = contract.facts.iter();
            facts.filter(|fact| fact.kind == FactKind::Decodes).count()
        };
        let read = Contract::read(Contract::BUILT_IN_NAME, Contract::BUILT_IN.to_owned()).unwrap();
        let built_in = crate::testing::built_in();
        let bodies = built_in
            .facts
            .iter()
            .filter(|fact| fact.name.ends_with(" body: object"));
        assert_eq!((typed(built_in), typed(&read)), (bodies.count(), 0));
    }

    #[test]
    fn an_x_null_that_binds_no_response_is_reported() {
        let of = |from: &str, to: &str| {
            Contract::read("openapi.yaml", Contract::BUILT_IN.replacen(from, to, 1))
                .unwrap_err()
                .to_string()
        };
        for (location, from, to) in [
            (
                "/components/schemas/TagInput",
                "    TagInput:\n",
                "    TagInput:\n      x-null: null-values\n",
            ),
            (
                "/components/schemas/Tag/properties/name",
                "x-null: null-values\n      type: object\n      required: [id, name]\n      properties:\n        id:\n          \
                 type: string\n          x-gap: [identifier-spelling]\n        name:\n",
                "x-null: null-values\n      type: object\n      required: [id, name]\n      properties:\n        id:\n          \
                 type: string\n          x-gap: [identifier-spelling]\n        name:\n          x-null: null-values\n",
            ),
        ] {
            let message = of(from, to);
            assert!(
                message.contains("`x-null` applies to nothing here"),
                "{location}: {message}"
            );
        }
    }

    #[test]
    fn a_gap_of_an_unknown_kind_is_reported_with_the_known_ones() {
        let message = broken("kind: page-size", "kind: page-sise");
        let expected = "unknown variant `page-sise`, expected one of `allowed-values`, `challenge`";
        assert!(message.contains(expected), "{message}");
        let kind = |id: &str| {
            let contract = crate::testing::built_in();
            contract.gaps.iter().find(|gap| gap.id == id).unwrap().kind
        };
        assert_eq!(kind("page-size"), Some(vocabulary::GapKind::PageSize));
        assert_eq!(kind("token-origin"), None);
    }

    #[test]
    fn a_statement_that_binds_nothing_is_reported() {
        for (from, to, expected) in [
            ("x-gap: [purpose,", "x-gap: [purpoze,", "did you mean `purpose`?"),
            (
                "x-gap: [purpose,",
                "x-gap: [",
                "no `x-gap` and no `x-null` names `purpose`",
            ),
            (
                "  - id: purpose\n",
                "  - id: purpose\n    locations: [/info]\n",
                "`locations` follow from the `x-gap` and `x-null` keys",
            ),
            (
                "            in: getContacts",
                "            in: getContact",
                "is not an operation with `x-page`",
            ),
            (
                "owner: contactId",
                "owner: contact",
                "is not a parameter of `createContactMethod`",
            ),
            (
                "operationId: updateContact\n              parameters",
                "operationId: updateContct\n              parameters",
                "did you mean `updateContact`?",
            ),
            (
                "                id: $response",
                "                ident: $response",
                "has no parameter `ident`",
            ),
            (
                "parameter: page",
                "parameter: pages",
                "`x-page` names the query parameter `pages`",
            ),
            (
                "gap: dob-format}",
                "gap: dob-fromat}",
                "`x-gaps` has no gap `dob-fromat`",
            ),
            ("resource: /data", "resourse: /data", "unknown field `resourse`"),
            (
                "\nx-edge-cases:",
                "\nx-null: null-values\nx-edge-cases:",
                "`x-null` no longer goes at the root: put it on the schema of each record",
            ),
            (
                "      x-null: null-values\n",
                "      x-null: nulls\n",
                "`x-gaps` has no gap `nulls`",
            ),
            (
                "                $ref: '#/components/schemas/ContactListed'",
                "                $ref: '#/components/schemas/ContactListed'\n                x-null: null-values",
                "`x-null` applies to nothing here",
            ),
        ] {
            let message = broken(from, to);
            assert!(message.contains(expected), "{from} -> {to}: {message}");
            assert!(message.starts_with("openapi.yaml:"), "{message}");
        }
    }

    #[cfg(feature = "cli")]
    const SCHEMES: &str = "securitySchemes:
  basic: {type: http, scheme: basic}
  bearer: {type: http, scheme: bearer}
  header: {type: apiKey, in: header, name: authorization}
  key: {type: apiKey, in: header, name: X-Key}";

    /// A contract with an operation for each of these values of `security`.
    #[cfg(feature = "cli")]
    fn secured(securities: &[&str]) -> Contract {
        let responses = "responses: {'200': {description: a}}";
        let paths = securities.iter().enumerate();
        let paths: String = paths
            .map(|(index, security)| format!("/{index}: {{get: {{security: {security}, {responses}}}}}\n"))
            .collect();
        testing::of_paths(&paths, SCHEMES).unwrap()
    }

    #[cfg(feature = "cli")]
    fn key() -> SecurityScheme {
        SecurityScheme::ApiKeyHeader {
            name: "X-Key".to_owned(),
        }
    }

    #[cfg(feature = "cli")]
    #[test]
    fn a_named_scheme_takes_the_place_of_bearer_and_of_a_key_in_authorization() {
        let mut contract = secured(&["[{bearer: []}]", "[{header: []}]", "[{key: []}]", "[{basic: []}]", "[]"]);
        let facts = contract.facts.len();
        contract.set_token_scheme("Token");
        let named = SecurityScheme::Named {
            name: "Token".to_owned(),
        };
        let schemes: Vec<_> = contract.operations.iter().map(|it| it.security.scheme()).collect();
        let expected = [
            Some(&named),
            Some(&named),
            Some(&key()),
            Some(&SecurityScheme::Basic),
            None,
        ];
        assert_eq!((schemes.as_slice(), contract.facts.len()), (&expected[..], facts));
    }

    #[cfg(feature = "cli")]
    #[test]
    fn a_credential_that_no_document_states_goes_where_others_go_and_is_no_fact() {
        for (securities, is_user_and_password, expected) in [
            (&["[]"][..], false, SecurityScheme::Bearer),
            (&["[]"], true, SecurityScheme::Basic),
            (&["[]", "[{key: []}]"], true, key()),
            (&["[]", "[{basic: []}]", "[{key: []}]"], false, key()),
            (&["[]", "[{basic: []}]"], false, SecurityScheme::Bearer),
            (&["[]", "[{basic: []}]", "[{key: []}]"], true, SecurityScheme::Basic),
        ] {
            let mut contract = secured(securities);
            contract.assume_credential(is_user_and_password);
            let security = &contract.operations[0].security;
            assert_eq!((security.scheme(), security.scheme_name()), (Some(&expected), None));
            let facts = contract.facts.iter().filter(|fact| fact.operation == OperationId(0));
            let of_credentials = facts.filter(|fact| fact.name.contains(" auth: ")).count();
            assert_eq!(of_credentials, 0, "{securities:?}");
        }
    }
}
