//! Decides which writes can be traced, so that they may be sent: creates of records that the run can recognise again,
//! and updates of these. The main type is [`TraceableWrites`].
//!
//! # Design
//!
//! `POST` may create a record, but it may also log a caller out, restart a host or start a job; `PATCH` on a list may
//! rewrite every row. A document says which only in prose. So a write is sent where the contract says how to find what
//! it created: by an invariant that names its list, by a link that carries its identifier to a read, or by a list at
//! its own path with such records, where it is only looked at: nothing is written under its identifier. What the record
//! is nested under, such as the user to whom a message goes, must be the run's own too, unless the user gives its
//! identifier or an invariant says what the write creates. An update is sent to the run's own records. Every other
//! write is sent only where somebody names the operation. A query, a `POST` that the document makes recognisable as a
//! read, is sent too, with nothing in its path but the run's own records and what the user gives.

use std::collections::HashSet;

use serde_json::Value;

use super::action::ShownBy;
use super::body::{self, looks_like_an_identifier};
use super::scope::{Scope, what_shows};
use super::source::NoValue;
use super::steps::may_be_called;
use super::template::Template;
use crate::contract::link::LinkTarget;
use crate::contract::operation::{Method, OperationId, Parameter, ParameterLocation};
use crate::contract::shape::JsonType;
use crate::contract::vocabulary::TimestampFormat;
use crate::contract::{Contract, create_effects, create_summary, pointer, query};
use crate::history::{Bindings, RunTag};

/// The writes of a contract that can be traced: to records of the run's own, which it can recognise.
pub(super) struct TraceableWrites<'plan> {
    contract: &'plan Contract,
    scope: &'plan Scope,
    /// The creates that can be traced: what they create is the run's own.
    creates: HashSet<OperationId>,
}

impl<'plan> TraceableWrites<'plan> {
    /// Finds the creates that can be traced, each after those that create what it is nested under.
    pub(super) fn new(contract: &'plan Contract, scope: &'plan Scope) -> Self {
        let creates = |id: &OperationId| contract.operation(*id).creates();
        let candidates = contract.operation_ids().filter(|id| scope.writes && creates(id));
        let candidates: HashSet<_> = candidates
            .filter(|id| scope.also_send.contains(id) || reason_not_traceable(contract, scope, *id).is_none())
            .collect();
        let mut traceable = Self {
            contract,
            scope,
            creates: HashSet::new(),
        };
        let mut pending: Vec<_> = candidates.iter().copied().collect();
        while let Some(id) = pending.pop() {
            let named = scope.also_send.contains(&id);
            if (named || traceable.reason_against_parent(id).is_none()) && traceable.creates.insert(id) {
                let below = contract.links_from(id).map(|link| link.to);
                pending.extend(below.filter(|to| candidates.contains(to)));
            }
        }
        traceable
    }

    /// Returns why a write is not sent; `None` where it can be traced, or is named in the scope.
    pub(super) fn reason_against(&self, id: OperationId) -> Option<String> {
        let (contract, scope) = (self.contract, self.scope);
        let operation = contract.operation(id);
        if operation.is_get() || scope.also_send.contains(&id) {
            return None;
        }
        let reason = match operation.method {
            Method::Post if operation.is_query() => self.reason_against_query(id),
            _ if operation.creates() => {
                reason_not_traceable(contract, scope, id).or_else(|| self.reason_against_parent(id))
            }
            _ => self
                .reason_not_to_update(id)
                .or_else(|| reason_against_body(contract, id)),
        };
        reason.map(|reason| format!("{reason}; the setting `also_send` sends it anyway"))
    }

    /// Returns why an update may change another's record; `None` if its path names only records of the run's own.
    fn reason_not_to_update(&self, id: OperationId) -> Option<String> {
        let parameters = self.contract.operation(id).parameters.iter();
        let mut in_path = parameters
            .enumerate()
            .filter(|(_, parameter)| parameter.location == ParameterLocation::Path)
            .peekable();
        if in_path.peek().is_none() {
            let words = match body::names_records(self.contract, id) {
                true => body::BODY_NAMES_RECORDS,
                false => "its path names no record, so it may change every one",
            };
            return Some(words.to_owned());
        }
        let foreign =
            in_path.find(|(index, _)| !self.takes_own_identifier(id, *index) && !self.names_parent_of_own(id, *index));
        foreign.map(|(_, parameter)| reason_parameter_not_own(parameter))
    }

    /// Whether an update's parameter names the parent of the run's own record, which the update leaves as it is: the
    /// user gives it the same value as the create's parameter in the same place.
    fn names_parent_of_own(&self, update: OperationId, index: usize) -> bool {
        let operation = self.contract.operation(update);
        let Some(lifecycle) = self.contract.lifecycle_of(update) else {
            return false;
        };
        let create = self.contract.operation(lifecycle.create);
        let place = operation.path_to_parameter(index);
        let mut parameters = create.parameters.iter().enumerate();
        let in_create = parameters.find(|(at, _)| create.path_to_parameter(*at) == place);
        let given = operation.parameters[index].set_by_user.as_ref();
        let given_to_create = in_create.and_then(|(_, parameter)| parameter.set_by_user.as_ref());
        place.is_some() && given.is_some() && given == given_to_create
    }

    /// Returns why a query may concern another's record; `None` if its path names only what the user gives, or records
    /// of the run's own.
    fn reason_against_query(&self, id: OperationId) -> Option<String> {
        let parameters = self.contract.operation(id).parameters.iter().enumerate();
        let mut in_path = parameters.filter(|(_, parameter)| parameter.location == ParameterLocation::Path);
        let foreign = in_path
            .find(|(index, parameter)| parameter.set_by_user.is_none() && !self.takes_own_identifier(id, *index));
        foreign.map_or_else(
            || reason_against_body(self.contract, id),
            |(_, parameter)| Some(reason_parameter_not_own(parameter)),
        )
    }

    /// Returns why a create may concern another's record: the value that it needs is not the identifier of a
    /// record that the run created. Where an invariant says what it creates, that is intended.
    fn reason_against_parent(&self, id: OperationId) -> Option<String> {
        let operation = self.contract.operation(id);
        if operation.has_invariants() {
            return None;
        }
        let is_linked = |index: usize| {
            let mut links = self.contract.links_to(id);
            links.any(|link| link.target == LinkTarget::Parameter(index))
        };
        let parameters = operation.parameters.iter().enumerate();
        let is_shown = |index: usize, parameter: &Parameter| parameter.set_by_user.is_none() && is_linked(index);
        let mut shown = parameters.filter(|(index, parameter)| parameter.required && is_shown(*index, parameter));
        let foreign = shown.find(|(index, _)| !self.takes_own_identifier(id, *index));
        foreign.map(|(_, parameter)| reason_parameter_not_own(parameter))
    }

    /// Whether a parameter takes a value that a create of the run shows.
    fn takes_own_identifier(&self, id: OperationId, index: usize) -> bool {
        let mut links = self.contract.links_to(id);
        links.any(|link| {
            let to_it = link.target == LinkTarget::Parameter(index) && self.creates.contains(&link.from);
            to_it && self.contract.identifies_created_record(link)
        })
    }
}

/// Returns why a write is not sent: a parameter may name somebody else's record.
fn reason_parameter_not_own(parameter: &Parameter) -> String {
    format!(
        "the run writes only to its own records, and the parameter `{}` identifies none that it creates",
        parameter.name
    )
}

/// Returns why a create whose record no read shows is not sent; `None` if the list at its path shows the record, and the
/// document says that it is a create.
fn reason_not_shown(contract: &Contract, create: OperationId, is_listed_at_path: bool) -> Option<&'static str> {
    let operation = contract.operation(create);
    let no_create = query::suggests_no_create(&contract.document, operation);
    if no_create.is_some() {
        no_create
    } else if !is_listed_at_path {
        Some("the contract does not say where a record that it creates is shown, so the run could not find it again")
    } else if !create_summary::is_said_to_make_a_plain_record(&contract.document, operation) {
        Some("only a list shows what it creates, and neither its path nor its summary says that it is a plain record")
    } else {
        None
    }
}

/// Returns why what a create does cannot be traced, whatever it is nested under.
fn reason_not_traceable(contract: &Contract, scope: &Scope, id: OperationId) -> Option<String> {
    let invariants = &contract.operation(id).invariants;
    let listed = invariants
        .created
        .as_ref()
        .is_some_and(|created| created.listed.is_some());
    let shown = what_shows(contract, scope, id);
    let at_its_path = contract.list_at_path_of(id).map(|(list, _)| list.operation);
    let at_its_path = at_its_path.filter(|list| shown.is_none() && may_be_called(contract, scope, *list));
    if !listed
        && shown.is_none()
        && let Some(reason) = reason_not_shown(contract, id, at_its_path.is_some())
    {
        return Some(reason.to_owned());
    }
    if let Some(foreign) = reason_against_body(contract, id) {
        return Some(foreign);
    }
    if invariants.created.is_none() && contract.identifier_may_be_secret(id) {
        let words =
            "its record may be a credential, and its identifier, neither an integer nor a UUID, the secret itself";
        return Some(words.to_owned());
    }
    if invariants.created.is_none() {
        let operation = contract.operation(id);
        if let Some(reason) = create_effects::reason_to_suspect_effect(&contract.document, operation) {
            return Some(reason.to_owned());
        }
        let mut tagged = match tagged_fields(contract, id) {
            Ok(tagged) => tagged,
            Err(lack) => return Some(lack.to_string()),
        };
        tagged.extend(
            operation
                .new_record_name_parameter()
                .map(|index| (operation.parameters[index].name.clone(), JsonType::String)),
        );
        if tagged.is_empty() {
            let words = "no field of its body can carry the run tag, so no record could be recognised again";
            return Some(words.to_owned());
        }
        // What a 204 has created is known only by a name that the run chose.
        let says_created = [200, 201]
            .into_iter()
            .chain(operation.new_record_name_parameter().map(|_| 204));
        if !says_created.into_iter().any(|status| operation.succeeds_with(status)) {
            let statuses = operation.success_statuses();
            return Some(format!(
                "it responds with {statuses}, which does not say that it has created a record"
            ));
        }
        let read = shown.and_then(|shown| match shown {
            ShownBy::Read(read) => Some(read),
            ShownBy::List(_) => None,
        });
        if let Some(read) = read.or(at_its_path)
            && !documents_any(contract, read, &tagged)
        {
            let read = &contract.operation(read).name;
            return Some(format!(
                "{read} documents none of the strings that are sent, so no record could be recognised again"
            ));
        }
    }
    None
}

/// Returns the fields of a create's body that carry the run tag, at any depth: the names of those with a string, and of
/// the maps and the objects for callers' own data, such as `metadata`, in which the run leaves its note.
fn tagged_fields(contract: &Contract, id: OperationId) -> Result<HashSet<(String, JsonType)>, NoValue> {
    let run_tag = RunTag::new(0, 0);
    let bindings = Bindings::with_placeholder_identifiers(contract, id);
    let draft = Template::of(contract, id).draft(&bindings, (&run_tag, 0), TimestampFormat::Utc)?;
    let tagged = draft.leaves.iter().filter_map(|leaf| {
        let shows = match leaf.value().filter(|value| run_tag.is_in(value))? {
            Value::String(_) => JsonType::String,
            Value::Object(_) => JsonType::Object,
            _ => return None,
        };
        // An element of an array has no name by which it could be recognised.
        let name = pointer::last(&leaf.pointer).filter(|name| name.parse::<usize>().is_err())?;
        Some((name, shows))
    });
    Ok(tagged.collect())
}

/// Whether a success of the read documents one of these fields.
fn documents_any(contract: &Contract, read: OperationId, fields: &HashSet<(String, JsonType)>) -> bool {
    let responses = contract.operation(read).successes();
    let mut pending: Vec<_> = responses.filter_map(|response| response.body).collect();
    let mut seen = HashSet::new();
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        let shape = contract.shape(id);
        for field in &shape.fields {
            let types = &contract.shape(field.shape).types;
            let mut named = fields.iter().filter(|(name, _)| *name == *field.name);
            if named.any(|(_, shows)| types.is_empty() || types.contains(shows)) {
                return true;
            }
        }
        let below = shape.fields.iter().map(|field| field.shape);
        pending.extend(below.chain(shape.items).chain(shape.additional));
    }
    false
}

/// Returns why a required field of the body would identify another's record, or refer to one, where no invariant says
/// that this is intended.
fn reason_against_body(contract: &Contract, id: OperationId) -> Option<String> {
    let operation = contract.operation(id);
    if operation.has_invariants() {
        return None;
    }
    // A text that shows the run tag is nobody else's identifier.
    let identifier_field = contract.identifier_field(id).filter(|key| {
        let name = pointer::last(key).unwrap_or_default();
        tagged_fields(contract, id).is_ok_and(|tagged| tagged.contains(&(name, JsonType::String)))
    });
    let reason = |field: String| {
        if let Some(at) = body::reference(contract, id, &field) {
            let is_foreign = !is_linked_to_a_create(contract, id, &at);
            return is_foreign.then(|| {
                format!("its body requires `{field}`, which refers to a record that the run does not create")
            });
        }
        let is_own = Some(&field) == identifier_field.as_ref() || is_linked_to_a_create(contract, id, &field);
        (looks_like_an_identifier(&field, None) && !is_own)
            .then(|| format!("its body requires `{field}`, which would be the identifier of somebody else's record"))
    };
    body::required(contract, id).into_iter().find_map(reason)
}

/// Whether a create provides the value of a field.
pub(super) fn is_linked_to_a_create(contract: &Contract, id: OperationId, field: &str) -> bool {
    let target = LinkTarget::Body(field.to_owned());
    let mut links = contract.links_to(id);
    links.any(|link| {
        let of_a_create = link.target == target && !contract.operation(link.from).is_read();
        of_a_create && contract.identifies_created_record(link)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reason why each operation of a document with these paths is not sent.
    fn reasons(paths: &str, also_send: &[&str]) -> Vec<(String, Option<String>)> {
        let text = format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n{paths}");
        let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let named = also_send.iter().map(|name| contract.operation_named(name).unwrap());
        let scope = Scope {
            writes: true,
            also_send: named.collect(),
            ..Scope::default()
        };
        let traceable = TraceableWrites::new(&contract, &scope);
        let ids = contract.operation_ids();
        ids.map(|id| (contract.operation(id).name.clone(), traceable.reason_against(id)))
            .collect()
    }

    const OK: &str = "responses: {'200': {description: OK}}";
    const NAMED: &str = "responses: {'200': {description: OK, content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}}";
    const TEXT: &str = "{content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}";

    #[test]
    fn what_creates_no_record_is_not_sent_unless_it_is_named() {
        let paths = format!(
            "  /log-out:\n    post: {{operationId: logOut, {OK}}}\n  /jobs:\n    post: {{operationId: run, requestBody: {TEXT}, {OK}}}\n"
        );
        for (name, reason) in reasons(&paths, &[]) {
            let reason = reason.unwrap_or_else(|| panic!("{name} would be sent"));
            let expected = match name.as_str() {
                "logOut" => "its path, its operationId or its summary suggests an action, not a create;",
                _ => "the contract does not say where a record",
            };
            assert!(reason.starts_with(expected), "{name}: {reason}");
        }
        let named = reasons(&paths, &["logOut"]);
        assert!(named[0].1.is_none() && named[1].1.is_some(), "{named:?}");
    }

    #[test]
    fn a_change_without_a_record_in_its_path_is_not_sent() {
        let paths = format!("  /todos:\n    patch: {{operationId: all, requestBody: {TEXT}, {OK}}}\n");
        let reason = reasons(&paths, &[]).remove(0).1.unwrap();
        assert!(reason.starts_with("its path names no record"), "{reason}");
    }

    fn linked(body: &str) -> String {
        format!(
            "  /pets:\n    post:\n      operationId: addPet\n      requestBody: {body}\n      responses:\n        '201':\n          \
             description: Added\n          links:\n            self: {{operationId: getPet, parameters: {{id: '$response.body#/id'}}}}\n            \
             change: {{operationId: setPet, parameters: {{id: '$response.body#/id'}}}}\n  \
             /pets/{{id}}:\n    parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]\n    \
             get: {{operationId: getPet, {NAMED}}}\n    put: {{operationId: setPet, requestBody: {TEXT}, {OK}}}\n  \
             /owners/{{id}}:\n    parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]\n    \
             put: {{operationId: setOwner, requestBody: {TEXT}, {OK}}}\n"
        )
    }

    #[test]
    fn a_create_whose_records_the_list_at_its_path_shows_is_sent_and_one_that_acts_or_shows_others_is_not() {
        let note = "{type: object, properties: {id: {type: string}, text: {type: string}}}";
        let content = |schema: &str| format!("content: {{application/json: {{schema: {schema}}}}}");
        let reason = |segment: &str, item: &str| {
            let array = format!("{{type: array, items: {item}}}");
            let paths = format!(
                "  /{segment}:\n    get: {{operationId: list, responses: {{'200': {{description: a, {}}}}}}}\n    post: \
                 {{operationId: add, requestBody: {{{}}}, responses: {{'201': {{description: a, {}}}}}}}\n",
                content(&array),
                content("{type: object, properties: {text: {type: string}}}"),
                content(note),
            );
            of(&reasons(&paths, &[]), "add")
        };
        assert_eq!(reason("notes", note), None);
        let other = note.replace("text: {type: string}", "text: {type: string}, author: {type: string}");
        let numbered = note.replacen("string", "integer", 1);
        for (segment, item) in [
            ("notes", other.as_str()),
            ("notes", &numbered),
            ("restart", note),
            ("follows", note),
        ] {
            assert!(reason(segment, item).is_some(), "{segment} {item}");
        }
    }

    fn of(reasons: &[(String, Option<String>)], name: &str) -> Option<String> {
        reasons.iter().find(|(known, _)| known == name).unwrap().1.clone()
    }

    #[test]
    fn a_create_whose_identifier_may_be_a_credential_is_not_sent() {
        let reason = |collection: &str, field: &str, kind: &str| {
            let record = format!(
                "content: {{application/json: {{schema: {{type: object, properties: {{{field}: {{{kind}}}, name: {{type: \
                 string}}}}}}}}}}"
            );
            let paths = format!(
                "  /{collection}:\n    post: {{operationId: add, requestBody: {TEXT}, responses: {{'201': {{description: a, \
                 {record}}}}}}}\n  /{collection}/{{{field}}}:\n    get: {{operationId: read, parameters: [{{name: {field}, in: \
                 path, required: true, schema: {{{kind}}}}}], responses: {{'200': {{description: a, {record}}}}}}}\n"
            );
            of(&reasons(&paths, &[]), "add")
        };
        for (collection, field) in [
            ("keys", "key"),
            ("sessions", "id"),
            ("api-keys", "id"),
            ("tokens", "id"),
        ] {
            let found = reason(collection, field, "type: string");
            assert!(
                found.is_some_and(|reason| reason.contains("a credential")),
                "{collection}"
            );
        }
        assert_eq!(reason("tokens", "id", "type: integer"), None);
        assert_eq!(reason("tokens", "id", "type: string, format: uuid"), None);
        assert_eq!(reason("pets", "id", "type: string"), None);
    }

    #[test]
    fn a_create_that_a_read_shows_and_an_update_of_its_record_are_sent() {
        let reasons = reasons(&linked(TEXT), &[]);
        assert_eq!((of(&reasons, "addPet"), of(&reasons, "setPet")), (None, None));
        let foreign = of(&reasons, "setOwner").unwrap();
        assert!(
            foreign.contains("the parameter `id` identifies none that it creates"),
            "{foreign}"
        );
    }

    /// Hosts are listed and created, and have notes; `from` says what links to the host of a note.
    fn below(from: &str) -> String {
        let links = |name: &str| {
            let note = if from.contains(name) {
                "note: {operationId: addNote, parameters: {host: '$response.body#/id'}}, "
            } else {
                ""
            };
            format!("links: {{{note}self: {{operationId: getHost, parameters: {{host: '$response.body#/id'}}}}}}")
        };
        let host = "parameters: [{name: host, in: path, required: true, schema: {type: string}}]";
        format!(
            "  /hosts:\n    get: {{operationId: getHosts, responses: {{'200': {{description: Hosts, {}}}}}}}\n    \
             post: {{operationId: addHost, requestBody: {TEXT}, responses: {{'201': {{description: Added, {}}}}}}}\n  \
             /hosts/{{host}}:\n    {host}\n    get: {{operationId: getHost, {NAMED}}}\n  \
             /hosts/{{host}}/notes:\n    {host}\n    post: {{operationId: addNote, requestBody: {TEXT}, responses: {{'201': {{\
             description: Added, links: {{self: {{operationId: getNote, parameters: {{note: '$response.body#/id'}}}}}}}}}}}}\n  \
             /notes/{{note}}:\n    get: {{operationId: getNote, parameters: [{{name: note, in: path, required: true, schema: {{type: \
             string}}}}], {NAMED}}}\n",
            links("list"),
            links("create"),
        )
    }

    #[test]
    fn a_create_below_a_listed_record_is_not_sent_and_one_below_an_own_record_is() {
        let reason = of(&reasons(&below("list"), &[]), "addNote").unwrap();
        assert!(
            reason.contains("the parameter `host` identifies none that it creates"),
            "{reason}"
        );
        for from in ["create", "list and create"] {
            assert_eq!(of(&reasons(&below(from), &[]), "addNote"), None, "{from}");
        }
        assert_eq!(of(&reasons(&below("list"), &["addNote"]), "addNote"), None);
    }

    #[test]
    fn a_create_that_cannot_carry_the_run_tag_or_asks_for_anothers_identifier_is_not_sent() {
        let untagged = "{content: {application/json: {schema: {type: object, properties: {size: {type: integer}}}}}}";
        let reason = of(&reasons(&linked(untagged), &[]), "addPet").unwrap();
        assert!(reason.starts_with("no field of its body can carry"), "{reason}");
        let foreign = "{content: {application/json: {schema: {type: object, required: [ownerId], properties: {ownerId: {type: \
                       integer}, name: {type: string}}}}}}";
        let found = reasons(&linked(foreign), &[]);
        let reason = of(&found, "addPet").unwrap();
        assert!(reason.starts_with("its body requires `/ownerId`"), "{reason}");
        // An update of its record depends on it.
        assert!(of(&found, "setPet").is_some());
    }

    #[test]
    fn a_reference_that_a_body_requires_is_that_of_a_record_that_the_run_creates() {
        let things = |fields: &str| {
            let body = format!("{{type: object, required: [name, {fields}");
            let body = format!("{{content: {{application/json: {{schema: {body}}}}}}}");
            let shown = "{type: object, properties: {id: {type: integer}, name: {type: string}}}";
            let kind = |path: &str, (add, get): (&str, &str), body: &str| {
                format!(
                    "  /{path}/:\n    post: {{operationId: {add}, requestBody: {body}, responses: {{'201': {{description: a, \
                     content: {{application/json: {{schema: {shown}}}}}}}}}}}\n  /{path}/{{id}}/:\n    get: {{operationId: \
                     {get}, parameters: [{{name: id, in: path, required: true, schema: {{type: integer}}}}], responses: \
                     {{'200': {{description: a, content: {{application/json: {{schema: {shown}}}}}}}}}}}\n"
                )
            };
            let kinds = kind("place-types", ("addType", "getType"), TEXT);
            reasons(
                &format!("{kinds}{}", kind("places", ("addPlace", "getPlace"), &body)),
                &[],
            )
        };
        let reference =
            "{type: object, properties: {id: {oneOf: [{type: string}, {type: integer}]}, url: {type: string}}}";
        let name = "name: {type: string}";
        let required = |field: &str, schema: &str| format!("{field}], properties: {{{name}, {field}: {schema}}}}}");
        let found = things(&required("place_type", reference));
        assert_eq!((of(&found, "addType"), of(&found, "addPlace")), (None, None));
        let list = format!("{{type: array, items: {reference}}}");
        for (field, schema) in [("status", reference), ("place_type", &list)] {
            let reason = of(&things(&required(field, schema)), "addPlace").unwrap();
            let expected =
                format!("its body requires `/{field}`, which refers to a record that the run does not create");
            assert!(reason.starts_with(&expected), "{reason}");
        }
        let optional = required("title", &format!("{{type: string}}, status: {reference}"));
        assert_eq!(of(&things(&optional), "addPlace"), None);
    }

    #[test]
    fn a_change_of_what_its_body_names_is_not_said_to_change_everything() {
        let items = |fields: &str| {
            format!(
                "{{content: {{application/json: {{schema: {{type: array, items: {{type: object, properties: {{{fields}name: \
                 {{type: string}}}}}}}}}}}}}}"
            )
        };
        let reason = |body: &str| {
            let paths = format!("  /todos:\n    patch: {{operationId: some, requestBody: {body}, {OK}}}\n");
            reasons(&paths, &[]).remove(0).1.unwrap()
        };
        let named = reason(&items("id: {type: integer}, "));
        assert!(named.starts_with(body::BODY_NAMES_RECORDS), "{named}");
        for fields in [
            "",
            "id: {type: integer, readOnly: true}, ",
            "owner_id: {type: integer}, ",
        ] {
            let unnamed = reason(&items(fields));
            assert!(unnamed.starts_with("its path names no record"), "{fields}: {unnamed}");
        }
    }

    #[test]
    fn a_map_of_texts_carries_the_run_tag_where_the_read_documents_an_object() {
        let with_name = |sent: &str, shown: &str| {
            let sent = format!(
                "{{content: {{application/json: {{schema: {{type: object, required: [name], properties: {{name: \
                 {sent}}}}}}}}}}}"
            );
            let shown = NAMED.replace("{name: {type: string}}", &format!("{{name: {shown}}}"));
            of(&reasons(&linked(&sent).replace(NAMED, &shown), &[]), "addPet")
        };
        let map = "{type: object, additionalProperties: {type: string}}";
        assert_eq!(with_name(map, map), None);
        assert_eq!(with_name(map, "{type: object}"), None);
        let reason = with_name(map, "{type: string}").unwrap();
        assert!(reason.starts_with("getPet documents none of the strings"), "{reason}");
        let reason = with_name("{type: object}", "{type: object}").unwrap();
        assert!(reason.starts_with("no field of its body can carry"), "{reason}");
    }

    #[test]
    fn what_is_read_without_what_was_sent_is_a_job_and_no_record() {
        for (read, status, reason) in [
            (NAMED, "'201'", None),
            (NAMED, "'202'", Some("it responds with 202")),
            (OK, "'201'", Some("getPet documents none of the strings")),
        ] {
            let paths = linked(TEXT).replace(NAMED, read).replace("'201'", status);
            let found = of(&reasons(&paths, &[]), "addPet");
            assert_eq!(found.is_some(), reason.is_some(), "{found:?}");
            assert!(
                found
                    .zip(reason)
                    .is_none_or(|(found, reason)| found.starts_with(reason))
            );
        }
    }

    #[test]
    fn what_else_a_create_shows_is_not_written_to() {
        // Its response names the user whom a pet belongs to.
        let paths = linked(TEXT).replace(
            "change: {operationId: setPet, parameters: {id: '$response.body#/id'}}",
            "change: {operationId: setOwner, parameters: {id: '$response.body#/owner/id'}}",
        );
        let found = reasons(&paths, &[]);
        assert_eq!(of(&found, "addPet"), None);
        let reason = of(&found, "setOwner").unwrap();
        assert!(
            reason.contains("the parameter `id` identifies none that it creates"),
            "{reason}"
        );
    }

    #[test]
    fn identifiers_are_known_by_their_names() {
        for name in [
            "/id", "/petId", "/owner_ids/0", "/a/user_ids_visible/0", "/a/b/UUID", "/parent-id", "/tagIDs/0",
        ] {
            assert!(looks_like_an_identifier(name, None), "{name}");
        }
        for name in ["/name", "/paid", "/kid", "/grid/0", "/identity", "/valid", "/video"] {
            assert!(!looks_like_an_identifier(name, None), "{name}");
        }
    }

    #[test]
    fn every_write_of_the_built_in_contract_is_traceable() {
        let contract = crate::testing::built_in();
        let scope = Scope {
            writes: true,
            ..Scope::default()
        };
        let traceable = TraceableWrites::new(contract, &scope);
        for id in contract.operation_ids() {
            assert_eq!(traceable.reason_against(id), None);
        }
    }
}
