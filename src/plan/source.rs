//! Determines where the values of a call come from. A plan states it before anything is sent, and a run follows it. The
//! main types are [`Source`] and [`NoValue`].

use std::collections::{HashMap, HashSet};
use std::fmt;

use reqwest::header::HeaderName;
use serde_json::Value;

use super::parameter;
use crate::contract::Contract;
use crate::contract::link::LinkTarget;
use crate::contract::operation::{Operation, OperationId, Parameter, ParameterLocation};
use crate::contract::path_template::PathTemplate;
use crate::history::Bindings;

/// Where a parameter that is required, or that the user sets, gets its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The parameter's name.
    pub parameter: String,
    /// The creates whose responses show one. It belongs to a record of the run's own, so it takes precedence.
    pub creates: Vec<OperationId>,
    /// The reads whose responses show one. It may belong to anybody's record.
    pub reads: Vec<OperationId>,
    /// Whether it is only inferred from their paths that they show it, because the document does not say so.
    pub inferred: bool,
    /// The stand-in where no response shows a value, or that takes precedence over what responses show.
    pub stand_in: Option<StandInOrigin>,
}

/// The origin of a value that is used where no response shows one, or instead of one that a response shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandInOrigin {
    /// Given for this check, so it takes precedence over what responses show.
    Given,
    /// The contract's own example.
    Example,
    /// A value that the parameter's schema admits.
    Generated,
    /// A name that the run chooses for a record of its own ([`Operation::new_record_name_parameter`]).
    NewRecordName,
}

/// Why a call has no value for something that it requires.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoValue {
    /// The value for the parameter is not allowed in this part of a request.
    NotAllowed {
        /// The parameter.
        parameter: String,
        /// The part of the request.
        place: &'static str,
    },
    /// The path has a fragment, which a client never sends.
    Fragment,
    /// The path has this parameter, and the document does not declare it.
    Undeclared(String),
    /// The run makes no body that the schema admits.
    NoBody {
        /// The keyword of the schema that admits none.
        keyword: String,
        /// The location in the body, of the missing field where one is required; empty for the whole body.
        at: String,
    },
    /// The body requires the field at this location, and each value that it may have is in a record that was there
    /// before the run, or may be on a page of the list that was not read; no two of these records share one.
    AllTaken(String),
    /// Only an example provides the parameter, and this write does not use it: in a path or query it may name somebody
    /// else's record, and in a header or cookie only a write with invariants takes one.
    OnlyExample(String),
    /// No link and no example provides the parameter.
    NoSource(String),
    /// The operations whose responses would show it are not called earlier.
    SourceNotCalled {
        /// The operation, what it needs, and which operations would show it.
        needed: NeededValue,
    },
    /// None of the operations whose responses would show it had a success.
    SourceFailed {
        /// The operation, what it needs, and which operations would show it.
        needed: NeededValue,
    },
    /// These operations responded, and no response showed it.
    NotInResponses {
        /// The operation, what it needs, and which operations would have shown it.
        needed: NeededValue,
    },
}

/// A value that an operation needs from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeededValue {
    /// The operation that needs it.
    pub operation: String,
    /// The parameter or the field.
    pub field: String,
    /// The operations whose responses show one.
    pub sources: Vec<String>,
}

impl fmt::Display for NoValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needs = |needed: &NeededValue| format!("{} needs a value for `{}`", needed.operation, needed.field);
        let of = |needed: &NeededValue| needed.sources.join(" or ");
        match self {
            Self::NotAllowed { parameter, place } => {
                write!(formatter, "the value for its `{parameter}` is not allowed in a {place}")
            }
            Self::NoBody { keyword, at } if keyword == "required" => {
                write!(
                    formatter,
                    "its body requires `{at}`, for which the run cannot make up a value"
                )
            }
            Self::NoBody { keyword, at } if at.is_empty() => {
                write!(
                    formatter,
                    "the run cannot make a body that `{keyword}` in its schema admits"
                )
            }
            Self::NoBody { keyword, at } => write!(
                formatter,
                "the run cannot make a value for `{at}` in its body that `{keyword}` admits"
            ),
            Self::AllTaken(at) => write!(
                formatter,
                "its body requires `{at}`, and each value that it may have is or may be in a record of the target; no two \
                 records share one, so this write may replace that record"
            ),
            Self::Undeclared(name) => write!(
                formatter,
                "its path has `{{{name}}}`, and the document declares no such parameter"
            ),
            Self::Fragment => formatter.write_str("its path contains `#`, and nothing after a `#` is ever sent"),
            Self::OnlyExample(name) => write!(
                formatter,
                "no link provides its `{name}`, and this write may not use an example"
            ),
            Self::NoSource(name) => write!(
                formatter,
                "neither a link nor an example in the contract gives its `{name}`; set one in the configuration, for \
                 the operation or for every `{name}` (`[parameters]`)"
            ),
            Self::SourceNotCalled { needed } => {
                write!(
                    formatter,
                    "{}, and {} is not called before it",
                    needs(needed),
                    of(needed)
                )
            }
            Self::SourceFailed { needed } => {
                write!(formatter, "{}, and no call of {} succeeded", needs(needed), of(needed))
            }
            Self::NotInResponses { needed } => {
                write!(
                    formatter,
                    "{}, and no response of {} showed one",
                    needs(needed),
                    of(needed)
                )
            }
        }
    }
}

impl NoValue {
    /// Returns the reason without the name of the operation, for use after that name.
    #[must_use]
    pub fn brief(&self) -> String {
        let of = |needed: &NeededValue| needed.sources.join(" or ");
        match self {
            Self::SourceNotCalled { needed } => format!(
                "{} shows its `{}`, and is not called before it",
                of(needed),
                needed.field
            ),
            Self::SourceFailed { needed } => format!(
                "it needs `{1}` from {0}, which was not sent or failed",
                of(needed),
                needed.field
            ),
            Self::NotInResponses { needed } => {
                format!("no response of {} had a value for `{}`", of(needed), needed.field)
            }
            Self::AllTaken(_)
            | Self::NotAllowed { .. }
            | Self::Fragment
            | Self::Undeclared(_)
            | Self::NoBody { .. }
            | Self::NoSource(_)
            | Self::OnlyExample(_) => self.to_string(),
        }
    }
}

/// The beginning of each name that a run chooses for a record of its own.
pub const NAME_PREFIX: &str = "countersign-";

/// Returns a value that no response shows: the one that the user gives, the contract's own, or one that the schema
/// admits. For a name that the run chooses, that is its beginning ([`NAME_PREFIX`]). A write takes an example or a
/// generated value only in a header or a cookie, since in its path or query it may name a record that is not this
/// run's.
#[must_use]
pub fn stand_in_value(
    contract: &Contract,
    operation: &Operation,
    parameter: &Parameter,
) -> Option<(StandInOrigin, Value)> {
    if let Some(given) = &parameter.set_by_user {
        return Some((StandInOrigin::Given, given.clone()));
    }
    let name = operation
        .new_record_name_parameter()
        .and_then(|index| operation.parameters.get(index));
    if name.is_some_and(|name| name.is(parameter.location, &parameter.name)) {
        return Some((StandInOrigin::NewRecordName, Value::from(NAME_PREFIX)));
    }
    let names_no_record = matches!(
        parameter.location,
        ParameterLocation::Cookie | ParameterLocation::Header
    );
    if !operation.is_get() && !names_no_record {
        return None;
    }
    // A write must not be sent on behalf of whoever an example names.
    let examples = operation.is_get() || operation.has_invariants();
    let example = parameter.example.clone().filter(|_| examples);
    let example = example.map(|value| (StandInOrigin::Example, value));
    example.or_else(|| {
        Some((
            StandInOrigin::Generated,
            parameter::generated(contract, parameter, examples)?,
        ))
    })
}

/// Makes sure that the string is allowed where its parameter goes.
///
/// # Errors
///
/// The reason why not.
pub(crate) fn check_allowed(parameter: &Parameter, text: &str) -> Result<(), NoValue> {
    let (is_allowed, place) = match parameter.location {
        // A URL drops these, percent-encoded or not: the call would go to another path than the documented one.
        ParameterLocation::Path => (!matches!(text, "." | ".."), "path"),
        ParameterLocation::Header => {
            let name = HeaderName::from_bytes(parameter.name.as_bytes());
            (
                name.is_ok() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)),
                "header",
            )
        }
        ParameterLocation::Cookie | ParameterLocation::Query => return Ok(()),
    };
    if is_allowed {
        return Ok(());
    }
    Err(NoValue::NotAllowed {
        parameter: parameter.name.clone(),
        place,
    })
}

/// Returns why the path of an operation cannot be filled, whatever values there are.
pub(crate) fn unusable_path(operation: &Operation) -> Option<NoValue> {
    // Some documents distinguish operations by a fragment, which a client never sends (RFC 9110, section 4.2.5).
    if operation.path.contains('#') {
        return Some(NoValue::Fragment);
    }
    let template = PathTemplate::read(&operation.path);
    let undeclared = template.names().find(|name| {
        let mut parameters = operation.parameters.iter();
        !parameters.any(|parameter| parameter.is(ParameterLocation::Path, name))
    });
    Some(NoValue::Undeclared(undeclared?.to_owned()))
}

/// Returns the names of the operations whose responses have a value for a location of a call, by the contract's links,
/// each once; only of those that `counts` accepts.
pub(super) fn source_names(
    contract: &Contract,
    to: OperationId,
    target: &LinkTarget,
    counts: impl Fn(OperationId) -> bool,
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for link in contract
        .links_allowed_to_fill(to, target)
        .into_iter()
        .filter(|link| counts(link.from))
    {
        let name = &contract.operation(link.from).name;
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Returns where the parameters of a call that are required, or that the user sets, get their values, if these
/// operations are called.
pub(super) fn sources(contract: &Contract, id: OperationId, calls: impl Fn(OperationId) -> bool) -> Vec<Source> {
    let operation = contract.operation(id);
    let parameters = operation.parameters.iter().enumerate();
    let required = parameters.filter(|(_, parameter)| parameter.required || parameter.set_by_user.is_some());
    let sources = required.map(|(index, parameter)| {
        let target = LinkTarget::Parameter(index);
        let mut links = contract.links_allowed_to_fill(id, &target);
        links.retain(|_| parameter.set_by_user.is_none());
        links.retain(|link| link.from != id && calls(link.from));
        let inferred = !links.is_empty() && links.iter().all(|link| link.inferred);
        let mut from: Vec<_> = links.into_iter().map(|link| link.from).collect();
        from.sort_unstable();
        from.dedup();
        let (reads, creates) = from.into_iter().partition(|from| contract.operation(*from).is_read());
        Source {
            parameter: parameter.name.clone(),
            creates,
            reads,
            inferred,
            stand_in: stand_in_value(contract, operation, parameter).map(|(stand_in, _)| stand_in),
        }
    });
    sources.collect()
}

/// When the operations of a plan have their values, and which of them lack one.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueAvailability {
    /// Reads that take a value that a create shows, directly or not, and queries. They come after it.
    pub(super) after_creates: HashSet<OperationId>,
    /// Those of them from which a later create takes a value. They come between the creates.
    pub(super) between_creates: HashSet<OperationId>,
    /// Lists that take a value that another operation shows.
    pub(super) nested: HashSet<OperationId>,
    /// Operations that lack a value.
    pub(super) without_value: HashMap<OperationId, NoValue>,
}

impl ValueAvailability {
    /// Determines this for the operations, given in the order of their links.
    pub(super) fn new(contract: &Contract, ordered: &[OperationId]) -> Self {
        let callable = callable(contract, ordered);
        let mut value_availability = Self::default();
        for id in ordered.iter().filter(|id| !callable.contains(id)) {
            if let Some(missing) = missing_value(contract, *id, |from| callable.contains(&from)) {
                value_availability.without_value.insert(*id, missing);
            }
        }
        let called = |id: &&OperationId| callable.contains(id);
        // An operation comes after those whose values it takes, unless links form a cycle: hence more than one pass.
        loop {
            let before = value_availability.after_creates.len();
            for id in ordered.iter().filter(called) {
                value_availability.classify(contract, *id, &callable);
            }
            if value_availability.after_creates.len() == before {
                break;
            }
        }
        let positions: HashMap<_, usize> = ordered.iter().zip(0..).collect();
        for (position, id) in ordered.iter().enumerate().rev() {
            let is_later = |to: &OperationId| positions.get(to).is_some_and(|other| *other > position);
            let taken = |to: OperationId| {
                let creates = !contract.operation(to).is_read() && callable.contains(&to);
                is_later(&to) && (creates || value_availability.between_creates.contains(&to))
            };
            let mut targets = contract.links_from(*id).map(|link| link.to);
            if value_availability.after_creates.contains(id) && targets.any(taken) {
                value_availability.between_creates.insert(*id);
            }
        }
        value_availability
    }

    /// Determines for a read whether it comes after the creates, or is a nested list.
    fn classify(&mut self, contract: &Contract, id: OperationId, callable: &HashSet<OperationId>) {
        let operation = contract.operation(id);
        if !operation.is_read() {
            return;
        }
        if operation.is_query() {
            // It should find what the run has created.
            self.after_creates.insert(id);
            return;
        }
        let sources = sources(contract, id, |from| callable.contains(&from));
        let late = |source: &Source| {
            let from_reads = source.reads.iter().any(|from| self.after_creates.contains(from));
            !source.creates.is_empty() || from_reads
        };
        if sources.iter().any(late) {
            self.after_creates.insert(id);
        } else if operation.page.is_some() && sources.iter().any(|source| !source.reads.is_empty()) {
            self.nested.insert(id);
        }
        if self.after_creates.contains(&id) {
            self.nested.remove(&id);
        }
    }
}

/// Returns the operations that have a value for everything they require: from the contract, or from another of them.
fn callable(contract: &Contract, ordered: &[OperationId]) -> HashSet<OperationId> {
    let mut callable = HashSet::new();
    loop {
        let before = callable.len();
        for id in ordered {
            if missing_value(contract, *id, |from| callable.contains(&from)).is_none() {
                callable.insert(*id);
            }
        }
        if callable.len() == before {
            return callable;
        }
    }
}

/// Returns why an operation lacks a value, if these operations are called before it.
fn missing_value(contract: &Contract, id: OperationId, calls: impl Fn(OperationId) -> bool) -> Option<NoValue> {
    let operation = contract.operation(id);
    if let Some(unusable) = unusable_path(operation) {
        return Some(unusable);
    }
    let parameters = operation.parameters.iter().enumerate();
    let unlinked = parameters.filter(|(index, parameter)| {
        let links = contract.links_allowed_to_fill(id, &LinkTarget::Parameter(*index));
        let linked = links.iter().any(|link| link.from != id && calls(link.from));
        parameter.set_by_user.is_some() || (parameter.required && !linked)
    });
    let mut lacks = unlinked.filter_map(
        |(index, parameter)| match stand_in_value(contract, operation, parameter) {
            Some((_, value)) => {
                let texts = parameter::serialized(contract, parameter, &value);
                texts.iter().find_map(|text| check_allowed(parameter, text).err())
            }
            None => Some(no_value(contract, id, index, |sources| NoValue::SourceNotCalled {
                needed: needed(operation, &parameter.name, sources),
            })),
        },
    );
    lacks.next()
}

/// Returns why no value is known for a parameter: the contract has no source for it, or what `otherwise` makes of the
/// names of its sources.
fn no_value(
    contract: &Contract,
    id: OperationId,
    index: usize,
    otherwise: impl FnOnce(Vec<String>) -> NoValue,
) -> NoValue {
    let parameter = &contract.operation(id).parameters[index];
    let sources = source_names(contract, id, &LinkTarget::Parameter(index), |from| from != id);
    if !sources.is_empty() {
        return otherwise(sources);
    }
    match parameter.example {
        Some(_) => NoValue::OnlyExample(parameter.name.clone()),
        None => NoValue::NoSource(parameter.name.clone()),
    }
}

/// Describes a value that an operation needs, in a parameter or field, from the operations `sources`.
pub(super) fn needed(operation: &Operation, field: &str, sources: Vec<String>) -> NeededValue {
    NeededValue {
        operation: operation.name.clone(),
        field: field.to_owned(),
        sources,
    }
}

impl Bindings {
    /// Returns why a required parameter has no value.
    #[must_use]
    pub fn why_parameter_has_no_value(&self, contract: &Contract, id: OperationId, index: usize) -> NoValue {
        let name = contract.operation(id).parameters[index].name.clone();
        no_value(contract, id, index, |_| {
            self.why_no_value(contract, id, &LinkTarget::Parameter(index), &name)
        })
    }

    /// Returns why a location that links lead to has no value.
    pub(super) fn why_no_value(
        &self,
        contract: &Contract,
        id: OperationId,
        target: &LinkTarget,
        field: &str,
    ) -> NoValue {
        let operation = contract.operation(id);
        let called = source_names(contract, id, target, |from| self.has_read_from(from));
        if called.is_empty() {
            let sources = source_names(contract, id, target, |_| true);
            return NoValue::SourceFailed {
                needed: needed(operation, field, sources),
            };
        }
        NoValue::NotInResponses {
            needed: needed(operation, field, called),
        }
    }
}
