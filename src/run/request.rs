//! Addresses a call: fills the path, the query and the headers with values that links or the contract give.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::contract::Contract;
use crate::contract::link::Target;
use crate::contract::operation::{Location, OperationId, Parameter, Security};
use crate::exchange::{Credential, Leaning};
use crate::plan::Known;

/// RFC 3986, section 2.3: the characters that need no encoding anywhere.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where a call goes.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    /// What a refusal would mean, as far as the address goes.
    pub(super) leaning: Leaning,
    /// The values of the path parameters, by name.
    pub(super) path_values: Vec<(String, Value)>,
}

/// Addresses a call of the operation. The page parameter is left to the walk.
///
/// # Errors
///
/// The reason why a required parameter has no value.
pub(super) fn address(contract: &Contract, operation: OperationId, known: &Known) -> Result<Address, String> {
    let documented = contract.operation(operation);
    let mut address = Address {
        path: documented.path.clone(),
        headers: Vec::new(),
        leaning: Leaning::Nothing,
        path_values: Vec::new(),
    };
    let mut query = Vec::new();
    for (index, parameter) in documented
        .parameters
        .iter()
        .enumerate()
        .filter(|(_, parameter)| parameter.required)
    {
        let linked = known.values(contract, operation, &Target::Parameter(index));
        let own = linked.last().map(|(_, value)| (*value).clone());
        if own.is_none() && parameter.sample.is_some() {
            address.leaning = Leaning::Sample;
        }
        let value = own.or_else(|| parameter.sample.clone().filter(|_| documented.is_read()));
        let value = value.ok_or_else(|| missing(contract, operation, index, parameter))?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match parameter.location {
            Location::Path => {
                let encoded = utf8_percent_encode(&text, RESERVED).to_string();
                address.path = address.path.replace(&format!("{{{}}}", parameter.name), &encoded);
                address.path_values.push((parameter.name.clone(), value));
            }
            Location::Query => query.push(pair(&parameter.name, &text)),
            Location::Header => address.headers.push((parameter.name.clone(), text)),
            Location::Cookie => address
                .headers
                .push(("Cookie".to_owned(), pair(&parameter.name, &text))),
        }
    }
    if !query.is_empty() {
        address.path = format!("{}?{}", address.path, query.join("&"));
    }
    Ok(address)
}

/// The path with one more pair in its query.
pub(super) fn with_query(path: &str, name: &str, value: &str) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}{}", pair(name, value))
}

/// The credential that the contract asks for.
pub(super) fn credential(security: &Security) -> Credential {
    match security {
        Security::ApiKey { header, .. } => Credential::Token {
            header: Some(header.clone()),
        },
        Security::Bearer { .. } => Credential::Token { header: None },
        Security::None | Security::Unread { .. } => Credential::None,
    }
}

fn pair(name: &str, value: &str) -> String {
    format!(
        "{}={}",
        utf8_percent_encode(name, RESERVED),
        utf8_percent_encode(value, RESERVED)
    )
}

fn missing(contract: &Contract, operation: OperationId, index: usize, parameter: &Parameter) -> String {
    let links = contract
        .links
        .iter()
        .filter(|link| link.to == operation && link.target == Target::Parameter(index));
    let mut sources: Vec<_> = links.map(|link| contract.operation(link.from).name.as_str()).collect();
    sources.dedup();
    if sources.is_empty() {
        return format!("no link and no example of the contract gives its `{}`", parameter.name);
    }
    format!(
        "no answer of {} showed a value for its `{}`",
        sources.join(" or "),
        parameter.name
    )
}
