//! Fills the path, the query and the headers of a request with values from links or from the contract. The main type is
//! [`RequestHead`].

use percent_encoding::utf8_percent_encode;
use serde_json::Value;

use super::optional::OptionalValue;
use crate::contract::Contract;
use crate::contract::link::Link;
use crate::contract::operation::{Operation, OperationId, Parameter, ParameterLocation, Security};
use crate::exchange::{
    Credential, NOT_UNRESERVED, Printable, RejectionMeaning, Request, is_printable_identifier, is_secret_name,
    looks_machine_made, parameter_placeholder, with_query,
};
use crate::history::{Bindings, LinkedValues, NeededParameter, PathIdentifiers};
use crate::plan::{NoValue, StandInOrigin, check_allowed, parameter, stand_in_value, unusable_path};

/// All of a request except its body and its credential, and what a rejection of it would mean.
#[derive(Clone, Debug)]
pub(super) struct RequestHead {
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    /// The path and the headers as they may be printed.
    pub(super) printable: Printable,
    /// What a rejection would mean, as far as the values in the head are concerned.
    pub(super) rejection_meaning: RejectionMeaning,
    /// The values of the path parameters, by name.
    pub(super) path_values: Vec<(String, Value)>,
    /// Whether it names a record that a list showed, by a link that is inferred: another record may
    /// be named instead.
    pub(super) may_name_another: bool,
}

/// Returns the head of a request to the operation, without a page number; [`RequestHead::add_query`] adds that.
/// `new_record_name` is the name of the record that the operation creates, if its caller chooses that.
///
/// # Errors
///
/// The reason why a required parameter has no value.
pub(super) fn request_head(
    contract: &Contract,
    operation: OperationId,
    bindings: &Bindings,
    new_record_name: &str,
) -> Result<RequestHead, NoValue> {
    request_head_with(contract, operation, bindings, (Replacement::None, new_record_name))
}

/// What replaces the values from responses in a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Replacement<'value> {
    /// Nothing.
    None,
    /// This string in place of the value of one parameter, by its index in the contract; without one, the request lacks
    /// the parameter.
    Parameter(usize, Option<&'value str>),
    /// The identifiers in the path of a record of the run, each with the path before it.
    Record(&'value PathIdentifiers),
    /// Identifiers that name no record, for the parameters in the path, where no response shows values for them; and
    /// what replaces one parameter, as in [`Self::Parameter`].
    Unknown(&'value [(usize, String)], Option<(usize, Option<&'value str>)>),
}

impl<'value> Replacement<'value> {
    /// Whether it replaces the parameter at this index.
    fn replaces(&self, index: usize, parameter: &Parameter) -> bool {
        match self {
            Self::Record(_) => parameter.location == ParameterLocation::Path,
            Self::None | Self::Parameter(..) | Self::Unknown(..) => self.text_for(index).is_some(),
        }
    }

    /// Returns the string that replaces the parameter at this index, `Some(None)` if the request leaves the parameter
    /// out, and `None` if no string replaces it.
    fn text_for(&self, index: usize) -> Option<Option<&'value str>> {
        let (identifiers, one) = match self {
            Self::None | Self::Record(_) => return None,
            Self::Parameter(replaced, text) => (&[][..], Some((*replaced, *text))),
            Self::Unknown(identifiers, one) => (*identifiers, *one),
        };
        let unknown = || identifiers.iter().find(|(of, _)| *of == index);
        let one = one.filter(|(replaced, _)| *replaced == index);
        one.map(|(_, text)| text)
            .or_else(|| unknown().map(|(_, text)| Some(text.as_str())))
    }

    /// Returns the value for the parameter at this index, in the path of an operation on the record.
    fn path_value(&self, operation: &Operation, index: usize) -> Option<Value> {
        let Self::Record(path_identifiers) = self else {
            return None;
        };
        let path_before = operation.path_to_parameter(index)?;
        let (_, value) = path_identifiers.iter().find(|(before, _)| *before == path_before)?;
        Some(Value::from(value.as_str()))
    }
}

/// Returns the head as [`request_head`] does, but with the replacement.
///
/// # Errors
///
/// The reason why a required parameter that is not replaced has no value.
pub(super) fn request_head_with(
    contract: &Contract,
    operation: OperationId,
    bindings: &Bindings,
    (replacement, new_record_name): (Replacement<'_>, &str),
) -> Result<RequestHead, NoValue> {
    let needed = needed(contract, operation, replacement);
    let sets = bindings.consistent_values(contract, operation, (needed, 1));
    filled(
        contract,
        operation,
        bindings,
        (sets.first(), replacement, new_record_name),
    )
}

/// The number of records that a read may name, one after the other: those that a list showed first may be gone, or
/// may not be shown to everybody.
const RECORDS_PER_READ: usize = 3;

/// Returns the heads of requests to a read, one for each record that it may name, the best first.
///
/// # Errors
///
/// The reason why a required parameter has no value.
pub(super) fn read_heads(
    contract: &Contract,
    operation: OperationId,
    bindings: &Bindings,
) -> Result<Vec<RequestHead>, NoValue> {
    let needed = needed(contract, operation, Replacement::None);
    let sets = bindings.consistent_values(contract, operation, (needed, RECORDS_PER_READ));
    let mut sets = sets.iter();
    let first = filled(contract, operation, bindings, (sets.next(), Replacement::None, ""))?;
    let may_name_another = first.may_name_another;
    let others = sets.filter_map(|set| filled(contract, operation, bindings, (Some(set), Replacement::None, "")).ok());
    let others = others.filter(|head| may_name_another && head.may_name_another);
    Ok(std::iter::once(first).chain(others).collect())
}

/// Returns the parameters of a request to the operation that need a value, except those that are
/// replaced.
fn needed(contract: &Contract, operation: OperationId, replacement: Replacement<'_>) -> Vec<NeededParameter> {
    let documented = contract.operation(operation);
    let parameters = required(documented).filter(|(index, parameter)| !replacement.replaces(*index, parameter));
    let needed = parameters.map(|(index, parameter)| {
        let stand_in = stand_in_value(contract, documented, parameter).map(|(_, value)| value);
        let text = stand_in.map(|value| parameter::serialized(contract, parameter, &value).join(","));
        NeededParameter {
            index,
            may_be_linked: parameter.set_by_user.is_none(),
            stand_in: text,
        }
    });
    needed.collect()
}

/// Returns the parameters that every request to the operation has, each with its index.
fn required(operation: &Operation) -> impl Iterator<Item = (usize, &Parameter)> {
    let parameters = operation.parameters.iter().enumerate();
    parameters.filter(|(_, parameter)| parameter.required || parameter.set_by_user.is_some())
}

/// Returns the head with these values; `values` is `None` if no values were shown under the same parent records.
fn filled(
    contract: &Contract,
    operation: OperationId,
    bindings: &Bindings,
    (values, replacement, new_record_name): (Option<&LinkedValues<'_>>, Replacement<'_>, &str),
) -> Result<RequestHead, NoValue> {
    let documented = contract.operation(operation);
    if let Some(unusable) = unusable_path(documented) {
        return Err(unusable);
    }
    let Some(values) = values else {
        return Err(reason_for_missing_value(contract, operation, bindings, replacement));
    };
    let mut head = RequestHead::empty(documented);
    let from_reads = |(_, link, _): &(usize, &Link, &Value)| contract.operation(link.from).is_read();
    head.may_name_another = values.iter().any(|(_, link, _)| link.inferred) && values.iter().all(from_reads);
    for (index, parameter) in required(documented) {
        if let Some(text) = replacement.text_for(index) {
            if let Some(text) = text {
                head.fill(parameter, text, None);
            }
            continue;
        }
        let linked = values.iter().find(|(of, ..)| *of == index);
        let from_target = linked.is_some_and(from_reads);
        // An inferred link may be wrong, and a record may exist under one path and not under
        // another.
        let is_documented = linked.is_some_and(|(_, link, _)| !link.inferred);
        if !is_documented {
            head.rejection_meaning = RejectionMeaning::UncertainValue;
        }
        let of_record = replacement.path_value(documented, index);
        let is_from_document = of_record.is_none() && linked.is_none() && parameter.set_by_user.is_none();
        let known = of_record.or_else(|| linked.map(|(.., value)| (*value).clone()));
        let stand_in = || match stand_in_value(contract, documented, parameter)? {
            (StandInOrigin::NewRecordName, _) => {
                Some(Value::from(new_record_name)).filter(|_| !new_record_name.is_empty())
            }
            (_, value) => Some(value),
        };
        let value = known.or_else(stand_in);
        let value = value.ok_or_else(|| bindings.why_parameter_has_no_value(contract, operation, index))?;
        for text in parameter::serialized(contract, parameter, &value) {
            check_allowed(parameter, &text)?;
            // The target chooses the identifier of the run's own record: it may be somebody's address. What the user
            // sets for a header may be a secret, and for a query if it is called one.
            let may_be_secret = match parameter.location {
                ParameterLocation::Header => true,
                ParameterLocation::Query => is_secret_name(&parameter.name),
                _ => false,
            };
            let is_secret = parameter.set_by_user.is_some() && may_be_secret;
            let may_be_printed = match parameter.set_by_user {
                Some(_) => looks_machine_made(&text),
                None => is_from_document || is_printable_identifier(&text),
            };
            let is_hidden = from_target || is_secret || !may_be_printed;
            let rendered = is_hidden.then(|| parameter_placeholder(documented, (&parameter.name, parameter.location)));
            head.fill(parameter, &text, rendered.as_deref());
        }
        if parameter.location == ParameterLocation::Path {
            head.path_values.push((parameter.name.clone(), value));
        }
    }
    Ok(head)
}

/// Returns why there are no values for a call that were shown under the same parent records: the first parameter that
/// has none at all, or else the last that responses showed only under another record.
fn reason_for_missing_value(
    contract: &Contract,
    operation: OperationId,
    bindings: &Bindings,
    replacement: Replacement<'_>,
) -> NoValue {
    let needed = needed(contract, operation, replacement);
    let has_value = |needed: &&NeededParameter| {
        let alone = vec![(*needed).clone()];
        !bindings.consistent_values(contract, operation, (alone, 1)).is_empty()
    };
    let without = needed.iter().find(|needed| !has_value(needed)).or(needed.last());
    let index = without.map_or(0, |needed| needed.index);
    bindings.why_parameter_has_no_value(contract, operation, index)
}

impl RequestHead {
    /// Returns the head of a request to the operation before anything is filled in.
    fn empty(operation: &Operation) -> Self {
        Self {
            path: operation.path.clone(),
            headers: Vec::new(),
            printable: Printable {
                path: operation.path.clone(),
                headers: Vec::new(),
            },
            rejection_meaning: RejectionMeaning::Finding,
            path_values: Vec::new(),
            may_name_another: false,
        }
    }

    /// Puts a value where its parameter goes; `rendered` replaces it in print.
    fn fill(&mut self, parameter: &Parameter, text: &str, rendered: Option<&str>) {
        let name = &parameter.name;
        let encoded = |text: &str| utf8_percent_encode(text, NOT_UNRESERVED).to_string();
        match parameter.location {
            ParameterLocation::Path => {
                let slot = format!("{{{name}}}");
                self.path = self.path.replace(&slot, &encoded(text));
                self.printable.path = self.printable.path.replace(&slot, rendered.unwrap_or(&encoded(text)));
            }
            ParameterLocation::Query => {
                self.path = with_query(&self.path, name, &encoded(text));
                self.printable.path = with_query(&self.printable.path, name, rendered.unwrap_or(&encoded(text)));
            }
            ParameterLocation::Header => {
                self.headers.push((name.clone(), text.to_owned()));
                self.printable
                    .headers
                    .push((name.clone(), rendered.unwrap_or(text).to_owned()));
            }
            ParameterLocation::Cookie => {
                let cookie = |value: &str| format!("{}={value}", encoded(name));
                add_cookie(&mut self.headers, &cookie(&encoded(text)));
                add_cookie(&mut self.printable.headers, &cookie(rendered.unwrap_or(&encoded(text))));
            }
        }
    }

    /// Adds an optional parameter of the operation with a value that was made up, or that the target showed elsewhere,
    /// so that a rejection may be due to that value.
    pub(super) fn add_optional(
        &mut self,
        contract: &Contract,
        operation: OperationId,
        optional: &OptionalValue,
    ) -> Result<(), NoValue> {
        let documented = contract.operation(operation);
        let parameter = &documented.parameters[optional.parameter];
        let rendered = optional
            .is_from_target
            .then(|| parameter_placeholder(documented, (&parameter.name, parameter.location)));
        for text in parameter::serialized(contract, parameter, &optional.value) {
            check_allowed(parameter, &text)?;
            self.fill(parameter, &text, rendered.as_deref());
        }
        self.rejection_meaning = RejectionMeaning::UncertainValue;
        Ok(())
    }

    /// Returns a request with this head, without a body.
    pub(super) fn request(self, (id, operation): (OperationId, &Operation), credential: Credential) -> Request {
        Request {
            path: self.path,
            headers: self.headers,
            printable: self.printable,
            credential,
            ..Request::unfilled(id, operation)
        }
    }

    /// Adds a parameter of the operation to the query, with a value that the target showed.
    pub(super) fn add_shown_query(&mut self, operation: &Operation, parameter: &Parameter, value: &str) {
        let placeholder = parameter_placeholder(operation, (&parameter.name, parameter.location));
        self.fill(parameter, value, Some(&placeholder));
    }

    /// Adds a name and its value to the query; neither comes from the target.
    pub(super) fn add_query(&mut self, name: &str, value: &str) {
        let value = utf8_percent_encode(value, NOT_UNRESERVED).to_string();
        self.path = with_query(&self.path, name, &value);
        self.printable.path = with_query(&self.printable.path, name, &value);
    }
}

/// Adds a cookie to the one header that has all cookies (RFC 6265, section 5.4).
fn add_cookie(headers: &mut Vec<(String, String)>, pair: &str) {
    match headers.iter_mut().find(|(name, _)| name == "Cookie") {
        Some((_, cookies)) => cookies.extend(["; ", pair]),
        None => headers.push(("Cookie".to_owned(), pair.to_owned())),
    }
}

/// Returns the credential that the contract asks for.
pub(super) fn credential(security: &Security) -> Credential {
    let scheme = security.scheme();
    scheme.map_or(Credential::None, |scheme| Credential::Token { scheme: scheme.clone() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::operation::SecurityScheme;

    const CONTRACT: &str = "openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    get:
      operationId: getThings
      responses:
        '200':
          description: Things
          links:
            It: {operationId: getThing, parameters: {id: '$response.body#/items/0/id'}}
            ItsParts: {operationId: putPart, parameters: {id: '$response.body#/items/0/id'}}
  /things/{id}:
    get:
      operationId: getThing
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
      responses: {'200': {description: Thing}}
  /things/{id}/parts/{part}:
    put:
      operationId: putPart
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: part, in: path, required: true, schema: {type: string}, example: p-1}
      responses: {'200': {description: Part}}
  /parts/{part}:
    get:
      operationId: getPart
      parameters:
        - {name: part, in: path, required: true, schema: {type: string}, example: a/b ü}
        - {name: kind of, in: query, required: true, schema: {enum: [a&b]}}
        - {name: depth, in: query, required: true, schema: {type: integer, default: 2}}
        - {name: X-Trace, in: header, required: true, schema: {type: string, example: t}}
        - {name: theme, in: cookie, required: true, schema: {type: string}, example: d=k}
        - {name: more, in: query, schema: {type: string}, example: m}
      responses: {'200': {description: Part}}
  /within/{area}:
    get:
      operationId: getWithin
      parameters:
        - {name: area, in: path, required: true, content: {application/json: {example: [1, ü]}}}
        - {name: filter, in: query, required: true, content: {application/json: {schema: {type: object, properties: {a: {enum: [b]}}}}}}
        - {name: X-Sort, in: header, required: true, content: {application/json: {example: {by: [a]}}}}
      responses: {'200': {description: Things}}
  /made-up:
    post:
      operationId: createPart
      parameters:
        - {name: X-Tenant, in: header, required: true, schema: {type: string}}
        - {name: a, in: cookie, required: true, schema: {type: integer, minimum: 1, maximum: 9}}
        - {name: b, in: cookie, required: true, schema: {type: string}, examples: {one: {value: c}}}
        - {name: Accept, in: header, required: true, schema: {type: string}}
      responses: {'201': {description: Part}}
    get:
      operationId: getMadeUp
      parameters:
        - {name: kinds, in: query, required: true, schema: {type: array, items: {enum: [x y]}}, example: [u, v]}
        - {name: X-Wild, in: header, required: true, schema: {type: string, default: 'ü'}}
      responses: {'200': {description: Part}}
    put:
      operationId: putMadeUp
      parameters:
        - {name: of, in: query, required: true, schema: {type: string}}
      responses: {'200': {description: Part}}
  /made-up#again:
    get: {operationId: getAgain, responses: {'200': {description: Part}}}
  /nothing/{id}:
    get:
      operationId: getNothing
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
      responses: {'200': {description: Nothing}}
";

    fn contract() -> Contract {
        Contract::read("things.yaml", CONTRACT.to_owned()).unwrap()
    }

    /// The request head of an operation once `getThings` has shown items with these identifiers.
    fn filled(operation: &str, identifiers: &[Value]) -> Result<RequestHead, String> {
        let contract = contract();
        let mut bindings = Bindings::default();
        let items: Vec<_> = identifiers.iter().map(|id| json!({"id": id})).collect();
        let list = contract.operation_named("getThings").unwrap();
        bindings.bind(&contract, list, &json!({"items": items}));
        request_head(&contract, contract.operation_named(operation).unwrap(), &bindings, "")
            .map_err(|lack| lack.to_string())
    }

    #[test]
    fn a_rejection_of_a_linked_value_in_the_path_is_a_finding() {
        let head = filled("getThing", &[json!("t-17")]).unwrap();
        assert_eq!(
            (head.path.as_str(), head.rejection_meaning),
            ("/things/t-17", RejectionMeaning::Finding)
        );
        assert_eq!(head.path_values, [("id".to_owned(), json!("t-17"))]);
    }

    #[test]
    fn the_latest_value_is_taken_and_a_number_is_its_digits() {
        let head = filled("getThing", &[json!("t-17"), json!(4711)]).unwrap();
        assert_eq!(head.path, "/things/4711");
        assert_eq!(head.path_values, [("id".to_owned(), json!(4711))]);
    }

    #[test]
    fn a_value_cannot_leave_its_segment() {
        for (id, path) in [
            ("a/b", "/things/a%2Fb"),
            ("a?b#c", "/things/a%3Fb%23c"),
            ("../visits", "/things/..%2Fvisits"),
            ("%2e%2e", "/things/%252e%252e"),
            ("{id}", "/things/%7Bid%7D"),
            ("a b\n", "/things/a%20b%0A"),
            ("ü", "/things/%C3%BC"),
            ("a-._~Z9", "/things/a-._~Z9"),
            ("...", "/things/..."),
        ] {
            assert_eq!(filled("getThing", &[json!(id)]).unwrap().path, path, "{id}");
        }
    }

    #[test]
    fn a_value_that_a_url_would_swallow_is_rejected() {
        for id in [".", ".."] {
            let reason = filled("getThing", &[json!(id)]).unwrap_err();
            assert_eq!(reason, "the value for its `id` is not allowed in a path");
        }
    }

    #[test]
    fn a_read_takes_the_examples_of_the_contract_and_their_rejection_is_no_finding() {
        let head = filled("getPart", &[]).unwrap();
        assert_eq!(head.path, "/parts/a%2Fb%20%C3%BC?kind%20of=a%26b&depth=2");
        assert_eq!(head.rejection_meaning, RejectionMeaning::UncertainValue);
        let headers = [("X-Trace", "t"), ("Cookie", "theme=d%3Dk")];
        assert_eq!(
            head.headers,
            headers.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn a_parameter_with_content_is_json_and_then_percent_encoded() {
        let head = filled("getWithin", &[]).unwrap();
        let expected = "/within/%5B1%2C%22%C3%BC%22%5D?filter=%7B%22a%22%3A%22b%22%7D";
        assert_eq!(head.path, expected);
        assert_eq!(head.headers, [("X-Sort".to_owned(), r#"{"by":["a"]}"#.to_owned())]);
    }

    #[test]
    fn headers_and_cookies_are_made_up_by_type_for_a_write_too() {
        let head = filled("createPart", &[]).unwrap();
        let headers = [("X-Tenant", "countersign"), ("Cookie", "a=1; b=countersign")];
        assert_eq!(
            head.headers,
            headers.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert_eq!(head.rejection_meaning, RejectionMeaning::UncertainValue);
    }

    #[test]
    fn nothing_is_made_up_in_the_query_of_a_write_nor_sent_that_no_header_holds() {
        assert_eq!(
            filled("putMadeUp", &[]).unwrap_err(),
            "neither a link nor an example in the contract gives its `of`; set one in the configuration, for the \
             operation or for every `of` (`[parameters]`)"
        );
        assert_eq!(
            filled("getMadeUp", &[]).unwrap_err(),
            "the value for its `X-Wild` is not allowed in a header"
        );
    }

    #[test]
    fn a_path_with_a_fragment_is_not_called() {
        let reason = filled("getAgain", &[]).unwrap_err();
        assert_eq!(reason, "its path contains `#`, and nothing after a `#` is ever sent");
    }

    #[test]
    fn a_missing_value_is_reported_with_the_operations_that_could_show_it() {
        assert_eq!(
            filled("getThing", &[]).unwrap_err(),
            "getThing needs a value for `id`, and no response of getThings showed one"
        );
        assert_eq!(
            filled("getThing", &[json!(null), json!("")]).unwrap_err(),
            "getThing needs a value for `id`, and no response of getThings showed one"
        );
        assert_eq!(
            filled("getNothing", &[]).unwrap_err(),
            "neither a link nor an example in the contract gives its `id`; set one in the configuration, for the \
             operation or for every `id` (`[parameters]`)"
        );
    }

    #[test]
    fn a_write_takes_no_example_and_says_so() {
        assert_eq!(
            filled("putPart", &[json!("t-17")]).unwrap_err(),
            "no link provides its `part`, and this write may not use an example"
        );
    }

    #[test]
    fn one_parameter_may_have_another_value_or_none() {
        let contract = contract();
        let but = |operation: &str, other: (usize, Option<&str>)| {
            let operation = contract.operation_named(operation).unwrap();
            request_head_with(
                &contract,
                operation,
                &Bindings::default(),
                (Replacement::Parameter(other.0, other.1), ""),
            )
            .map(|head| head.printable.path)
        };
        assert_eq!(but("getThing", (0, Some("no id"))).unwrap(), "/things/no%20id");
        assert_eq!(
            but("getPart", (1, None)).unwrap(),
            "/parts/a%2Fb%20%C3%BC?depth=2",
            "the others stay"
        );
        assert_eq!(
            but("putPart", (1, Some("p"))).unwrap_err().to_string(),
            "putPart needs a value for `id`, and no call of getThings succeeded"
        );
    }

    #[test]
    fn a_pair_of_our_own_follows_those_of_the_contract() {
        let mut plain = filled("getThing", &[json!("t-17")]).unwrap();
        plain.add_query("page of", "2&3");
        assert_eq!(plain.path, "/things/t-17?page%20of=2%263");
        let mut queried = filled("getPart", &[]).unwrap();
        queried.add_query("page", "2");
        assert!(queried.path.ends_with("&depth=2&page=2"), "{}", queried.path);
    }

    #[test]
    fn what_a_list_showed_is_reported_by_its_name() {
        let head = filled("getThing", &[json!("t-17")]).unwrap();
        assert_eq!(head.printable.path, "/things/<id as the target lists it>");
        let head = filled("getPart", &[]).unwrap();
        assert_eq!(
            (&head.printable.path, &head.printable.headers),
            (&head.path, &head.headers)
        );
    }

    #[test]
    fn the_credential_is_the_one_that_the_contract_asks_for() {
        let name = || "s".to_owned();
        for scheme in [
            SecurityScheme::ApiKeyCookie { name: name() },
            SecurityScheme::ApiKeyHeader { name: name() },
            SecurityScheme::ApiKeyQuery { name: name() },
            SecurityScheme::Basic,
            SecurityScheme::Bearer,
        ] {
            let security = Security::Scheme {
                name: name(),
                scheme: scheme.clone(),
            };
            assert_eq!(credential(&security), Credential::Token { scheme });
        }
        assert_eq!(credential(&Security::None), Credential::None);
        assert_eq!(credential(&Security::Unsupported { schemes: name() }), Credential::None);
    }
}
