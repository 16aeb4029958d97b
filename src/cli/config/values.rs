//! The values that a configuration gives to parameters of operations.

use serde_json::Value;

use super::error::{ConfigError, Problem};
use super::file::Scalar;
use super::find::Config;
use super::levels::operation;
use super::resolve::ResolvedArguments;
use super::setting::Setting;
use crate::contract::operation::{OperationId, ParameterLocation, turns_into_another_request};
use crate::contract::{Contract, ParameterNotSet, json_schema};
use crate::exchange::CompiledSchema;

/// The value of one parameter, as the file gives it.
struct Given<'file> {
    operation: &'file str,
    location: ParameterLocation,
    parameter: &'file str,
    value: &'file Setting<Scalar>,
}

impl ResolvedArguments {
    /// Gives the parameters of the contract the values of the configuration, if there is one.
    ///
    /// # Errors
    ///
    /// An operation or a parameter that does not exist, or a value that is not sent there.
    pub(in crate::cli) fn set_configured_parameters(&self, contract: &mut Contract) -> Result<(), ConfigError> {
        let Some(config) = &self.config else {
            return Ok(());
        };
        for (name, value) in &config.parsed.file.parameters {
            let give = |_: &Scalar| give_everywhere(contract, (name, value));
            config.parsed.resolve(value, give)?;
        }
        for given in config.given() {
            let give = |_: &Scalar| given.give(contract);
            config.parsed.resolve(given.value, give)?;
        }
        Ok(())
    }
}

/// Gives a value to the parameter of this name in every operation that takes one: in an update only where it names the
/// parent of the record, and only where the schema admits it.
fn give_everywhere(contract: &mut Contract, (name, value): (&str, &Setting<Scalar>)) -> Result<(), Problem> {
    let value = json(&value.value);
    let mut found = Vec::new();
    for id in contract.operation_ids() {
        let parameters = contract.operation(id).parameters.iter().enumerate();
        let named = parameters.filter(|(_, parameter)| parameter.is(parameter.location, name));
        found.extend(named.map(|(index, parameter)| (id, index, parameter.location)));
    }
    found.retain(|(.., location)| *location != ParameterLocation::Cookie);
    if found.is_empty() {
        let operations = contract.operations.iter();
        let mut names: Vec<_> = operations
            .flat_map(|operation| &operation.parameters)
            .filter(|parameter| parameter.location != ParameterLocation::Cookie)
            .map(|parameter| parameter.name.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        return Err(Problem::unknown("parameter", name, names.into_iter()));
    }
    found.retain(|(.., location)| !turns_into_another_request(*location, name));
    if found.is_empty() {
        let name = name.to_owned();
        return Err(Problem::Override { name });
    }
    let mut rejected = None;
    found.retain(|(id, index, _)| {
        let keyword = rejecting_keyword(contract, (*id, *index), &value);
        rejected = rejected.take().or(keyword.clone());
        keyword.is_none()
    });
    if let (true, Some(keyword)) = (found.is_empty(), rejected) {
        return Err(not_admitted(&keyword, name));
    }
    for (.., location) in &found {
        must_be_a_segment(*location, &value)?;
    }
    let (mut is_set, mut refused) = (false, None);
    for (id, index, _) in found {
        match contract.set_parameter(id, index, value.clone()) {
            Ok(()) => is_set = true,
            // The record that an update addresses is always the run's own; the value may be for another operation.
            Err(reason) => refused = Some(reason),
        }
    }
    match refused {
        Some(reason) if !is_set => Err(not_set(&reason)),
        _ => Ok(()),
    }
}

/// Rejects a value that would turn its path into another one (RFC 3986, section 5.2.4).
fn must_be_a_segment(location: ParameterLocation, value: &Value) -> Result<(), Problem> {
    let makes_another = location == ParameterLocation::Path && matches!(value.as_str(), Some("" | "." | ".."));
    if !makes_another {
        return Ok(());
    }
    Err(Problem::Value {
        reason: "a parameter in a path cannot be empty, `.` or `..`".to_owned(),
        todo: "give one that names a record",
    })
}

/// The problem of a value that is sent nowhere.
fn not_set(refused: &ParameterNotSet) -> Problem {
    Problem::Value {
        reason: refused.to_string(),
        todo: match refused {
            ParameterNotSet::UpdateOrDelete => "remove the value, or give it to a create or a read",
            _ => "remove the value",
        },
    }
}

/// The problem of a value that no schema of its parameter admits.
fn not_admitted(keyword: &str, parameter: &str) -> Problem {
    Problem::Value {
        reason: format!("`{keyword}` in the schema of `{parameter}` does not admit this value"),
        todo: "give one that the document allows",
    }
}

impl Config {
    /// Returns the values of all operations.
    fn given(&self) -> impl Iterator<Item = Given<'_>> {
        self.parsed.file.operations.iter().flat_map(|(operation, part)| {
            let places = [
                (ParameterLocation::Path, &part.path),
                (ParameterLocation::Query, &part.query),
                (ParameterLocation::Header, &part.header),
            ];
            places.into_iter().flat_map(move |(location, values)| {
                values.iter().map(move |(parameter, value)| Given {
                    operation,
                    location,
                    parameter,
                    value,
                })
            })
        })
    }
}

impl Given<'_> {
    fn give(&self, contract: &mut Contract) -> Result<(), Problem> {
        let id = operation(contract, self.operation)?;
        let index = self.parameter(contract, id)?;
        let value = json(&self.value.value);
        must_be_a_segment(self.location, &value)?;
        if let Some(keyword) = rejecting_keyword(contract, (id, index), &value) {
            return Err(not_admitted(&keyword, self.parameter));
        }
        contract
            .set_parameter(id, index, value)
            .map_err(|refused| not_set(&refused))
    }

    /// Returns the index of the parameter.
    fn parameter(&self, contract: &Contract, id: OperationId) -> Result<usize, Problem> {
        if turns_into_another_request(self.location, self.parameter) {
            let name = self.parameter.to_owned();
            return Err(Problem::Override { name });
        }
        let parameters = &contract.operation(id).parameters;
        let mut found = parameters.iter();
        let found = found.position(|parameter| parameter.is(self.location, self.parameter));
        let here = parameters
            .iter()
            .filter(|parameter| parameter.location == self.location);
        let names = here.map(|parameter| parameter.name.as_str());
        found.ok_or_else(|| Problem::unknown("parameter", self.parameter, names))
    }
}

/// Returns the value as JSON.
fn json(value: &Scalar) -> Value {
    match value {
        Scalar::Boolean(value) => Value::from(*value),
        Scalar::Integer(value) => Value::from(*value),
        Scalar::Number(value) => Value::from(*value),
        Scalar::String(value) => Value::from(value.as_str()),
    }
}

/// Returns the keyword of a parameter's schema that does not admit the value; `None` if it is admitted. A request
/// carries strings, so `17` and `"17"` are the same.
fn rejecting_keyword(contract: &Contract, (id, index): (OperationId, usize), value: &Value) -> Option<String> {
    let schema = contract.operation(id).parameters[index].schema.as_ref()?;
    let compiled = CompiledSchema::compile(json_schema::convert(&contract.document, schema).as_ref());
    let violation = compiled.first_violation(value)?;
    let other = match value {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(Value::from(other.to_string())),
    };
    let is_admitted = other.is_some_and(|other| compiled.first_violation(&other).is_none());
    (!is_admitted).then_some(violation.keyword)
}
