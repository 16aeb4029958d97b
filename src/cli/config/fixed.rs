//! Checks what every request to a target carries, against HTTP and against the contract. The main function is [`of`].

use reqwest::header::{HeaderName, HeaderValue};

use super::error::{ConfigError, Problem};
use super::parse::Parsed;
use super::setting::Setting;
use super::settings::TargetSettings;
use crate::contract::Contract;
use crate::contract::load::is_http_token;
use crate::contract::operation::{Operation, ParameterLocation, SecurityScheme, turns_into_another_request};
use crate::exchange::{FixedHeadersAndQuery, is_secret_name};

/// The headers that the check or HTTP itself sets, in lower case.
const OWN_HEADERS: [&str; 13] = [
    "accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host",
    "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
];

/// Checks what a target says about its requests, without a contract.
///
/// # Errors
///
/// A header that no request can carry, that the check sets itself or that is a secret; a scheme that is not a name.
pub(super) fn check(parsed: &Parsed, part: &TargetSettings) -> Result<(), ConfigError> {
    for (name, value) in &part.headers {
        let reason = if HeaderName::from_bytes(name.as_bytes()).is_err() {
            Some("is not the name of a header")
        } else if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            Some("is set by each request itself; remove it here")
        } else if HeaderValue::from_str(&value.value).is_err() || !value.value.is_ascii() {
            Some("has a value that no header can carry; write visible ASCII")
        } else {
            None
        };
        if let Some(reason) = reason {
            let name = name.clone();
            return Err(parsed.error(value, Problem::FixedHeader { name, reason }));
        }
    }
    let headers = part.headers.iter().map(|entry| (ParameterLocation::Header, entry));
    let query = part.query.iter().map(|entry| (ParameterLocation::Query, entry));
    for (location, (name, value)) in headers.chain(query) {
        if turns_into_another_request(location, name) {
            return Err(parsed.error(value, Problem::Override { name: name.clone() }));
        }
        if is_secret_name(name) {
            return Err(parsed.error(value, Problem::Secret { key: name.clone() }));
        }
    }
    match &part.token_scheme {
        Some(scheme) if !is_scheme(&scheme.value) => Err(parsed.error(scheme, Problem::Scheme)),
        _ => Ok(()),
    }
}

/// Returns what every request to the target of this name carries.
///
/// # Errors
///
/// A value that is a parameter or a credential of the contract.
pub(super) fn of(
    parsed: &Parsed,
    (target, part): (&str, &TargetSettings),
    contract: &Contract,
) -> Result<FixedHeadersAndQuery, ConfigError> {
    let pairs = |what, location, values: &std::collections::BTreeMap<String, Setting<String>>| {
        let pairs = values.iter().map(|(name, value)| {
            let stated = contract
                .operations
                .iter()
                .find_map(|operation| stated(operation, location, name));
            match stated {
                None => Ok((name.clone(), value.value.clone())),
                Some((stated, pointer)) => {
                    let name = name.clone();
                    let problem = Problem::FixedTwice {
                        what,
                        name,
                        stated,
                        pointer,
                    };
                    Err(parsed.error(value, problem))
                }
            }
        });
        pairs.collect::<Result<Vec<_>, _>>()
    };
    Ok(FixedHeadersAndQuery {
        target_name: part.changes_requests().then(|| target.to_owned()),
        headers: pairs("the header", ParameterLocation::Header, &part.headers)?,
        query: pairs("the query parameter", ParameterLocation::Query, &part.query)?,
    })
}

/// Returns what an operation says about a header or a query parameter, and where.
fn stated(operation: &Operation, location: ParameterLocation, name: &str) -> Option<(String, String)> {
    let mut parameters = operation.parameters.iter();
    let parameter = parameters.find(|parameter| parameter.is(location, name));
    if let Some(parameter) = parameter {
        return Some((
            format!("a parameter of `{}`", operation.name),
            parameter.pointer.clone(),
        ));
    }
    let is_key = match (operation.security.scheme()?, location) {
        (SecurityScheme::ApiKeyHeader { name: key }, ParameterLocation::Header) => key.eq_ignore_ascii_case(name),
        (SecurityScheme::ApiKeyQuery { name: key }, ParameterLocation::Query) => key == name,
        _ => return None,
    };
    let scheme = operation.security.scheme_name().unwrap_or_default();
    let pointer = crate::contract::pointer::join("/components/securitySchemes", scheme);
    is_key.then(|| (format!("the credential of `{}`", operation.name), pointer))
}

/// Whether a text is the name of an authentication scheme (RFC 9110, section 5.6.2), other than one whose token has a
/// form of its own.
fn is_scheme(text: &str) -> bool {
    // A longer one is more likely the token itself.
    text.len() <= 20 && is_http_token(text) && !text.eq_ignore_ascii_case("basic")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_is_a_short_token_of_http_and_not_basic() {
        for text in ["Token", "X-Auth.v2", "a"] {
            assert!(is_scheme(text), "{text}");
        }
        for text in [
            "", "Basic", "bAsIc", "Token ", "Tok en", "Tök", "a-token-of-nobody-4711", "a:b",
        ] {
            assert!(!is_scheme(text), "{text}");
        }
    }

    #[test]
    fn a_header_of_the_contract_is_found_in_any_case_and_a_parameter_as_it_is() {
        let contract = "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths:\n  /a:\n    get:\n      operationId: getA\n      \
                        parameters:\n        - {name: X-Kind, in: header, schema: {type: string}}\n        - {name: kind, \
                        in: query, schema: {type: string}}\n      responses: {'200': {description: a}}\n";
        let contract = Contract::read("a.yaml", contract.to_owned()).unwrap();
        let operation = &contract.operations[0];
        for (location, name, pointer) in [
            (ParameterLocation::Header, "x-KIND", Some("/paths/~1a/get/parameters/0")),
            (ParameterLocation::Query, "kind", Some("/paths/~1a/get/parameters/1")),
            (ParameterLocation::Query, "Kind", None),
            (ParameterLocation::Header, "kind", None),
        ] {
            let found = stated(operation, location, name).map(|(_, pointer)| pointer);
            assert_eq!(found.as_deref(), pointer, "{name}");
        }
    }
}
