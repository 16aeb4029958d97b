//! Addresses a call: fills the path, the query and the headers with values that links or the contract give.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::contract::Contract;
use crate::contract::link::Target;
use crate::contract::operation::{Location, OperationId, Parameter, Security};
use crate::exchange::{Credential, Leaning, Told, placeholder};
use crate::plan::Known;

/// RFC 3986, section 2.3: the characters that need no encoding anywhere.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where a call goes.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    /// Both as they may be printed.
    pub(super) told: Told,
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
        told: Told {
            path: documented.path.clone(),
            headers: Vec::new(),
        },
        leaning: Leaning::Nothing,
        path_values: Vec::new(),
    };
    for (index, parameter) in documented
        .parameters
        .iter()
        .enumerate()
        .filter(|(_, parameter)| parameter.required)
    {
        let linked = known.values(contract, operation, &Target::Parameter(index));
        let learned = linked
            .last()
            .is_some_and(|(link, _)| contract.operation(link.from).is_read());
        let own = linked.last().map(|(_, value)| (*value).clone());
        if own.is_none() && parameter.sample.is_some() {
            address.leaning = Leaning::Sample;
        }
        let value = own.or_else(|| parameter.sample.clone().filter(|_| documented.is_read()));
        let value = value.ok_or_else(|| missing(contract, operation, index, parameter))?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let told = learned.then(|| placeholder(&parameter.name));
        address.fill(parameter, &text, told.as_deref());
        if parameter.location == Location::Path {
            address.path_values.push((parameter.name.clone(), value));
        }
    }
    Ok(address)
}

impl Address {
    /// Puts a value where its parameter goes; `told` stands for it where it is printed.
    fn fill(&mut self, parameter: &Parameter, text: &str, told: Option<&str>) {
        let name = &parameter.name;
        let encoded = |text: &str| utf8_percent_encode(text, RESERVED).to_string();
        match parameter.location {
            Location::Path => {
                let slot = format!("{{{name}}}");
                self.path = self.path.replace(&slot, &encoded(text));
                self.told.path = self.told.path.replace(&slot, told.unwrap_or(&encoded(text)));
            }
            Location::Query => {
                self.path = with_query(&self.path, name, &encoded(text));
                self.told.path = with_query(&self.told.path, name, told.unwrap_or(&encoded(text)));
            }
            Location::Header => {
                self.headers.push((name.clone(), text.to_owned()));
                self.told.headers.push((name.clone(), told.unwrap_or(text).to_owned()));
            }
            Location::Cookie => {
                let cookie = |value: &str| ("Cookie".to_owned(), format!("{}={value}", encoded(name)));
                self.headers.push(cookie(&encoded(text)));
                self.told.headers.push(cookie(told.unwrap_or(&encoded(text))));
            }
        }
    }

    /// Adds a pair of our own to the query.
    pub(super) fn add_query(&mut self, name: &str, value: &str) {
        let value = utf8_percent_encode(value, RESERVED).to_string();
        self.path = with_query(&self.path, name, &value);
        self.told.path = with_query(&self.told.path, name, &value);
    }
}

/// The path with one more pair in its query; the value is encoded already.
fn with_query(path: &str, name: &str, value: &str) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}{}={value}", utf8_percent_encode(name, RESERVED))
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
