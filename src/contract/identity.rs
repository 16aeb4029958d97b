//! Finds the record that a create's response describes: where the response shows the record's identifier, and which
//! links carry that identifier, and no other's, into another call.

use super::Contract;
use super::document::Node;
use super::inferred::{collection_name, comparable_name, may_be_secret, without_names};
use super::lexicon::singular;
use super::link::{Link, LinkTarget};
use super::operation::{Operation, OperationId, ParameterLocation};
use super::pointer;
use super::shape::{JsonType, shape_at};
use super::vocabulary::Carry;

impl Contract {
    /// Returns where the response of a create shows the identifier of its record: where the invariant says, or else the
    /// value that a link carries into the path of a read of such records, as from `POST /pets` to `GET /pets/{id}`.
    /// Other links may carry other records: its owner, or the cart that it was put into.
    #[must_use]
    pub fn identifier_pointer(&self, create: OperationId) -> Option<String> {
        if let Some(invariant) = &self.operation(create).invariants.created {
            return Some(format!("{}{}", invariant.resource, invariant.id));
        }
        Some(self.link_to_read(create)?.value_at.clone())
    }

    /// Returns the index of the path parameter that names the record which a write is sent to, as an inferred lifecycle
    /// says, or else the invariant of an update.
    pub(crate) fn parameter_of_record(&self, write: OperationId) -> Option<usize> {
        let operation = self.operation(write);
        if let Some(lifecycle) = self.lifecycle_of(write) {
            let mut parameters = 0..operation.parameters.len();
            let named = Some(&lifecycle.path_to_id);
            return parameters.find(|index| operation.path_to_parameter(*index).as_ref() == named);
        }
        let updated = operation.invariants.updated.as_ref()?;
        let named = updated.listed.item_parameter.as_ref()?;
        let mut parameters = operation.parameters.iter();
        parameters.position(|parameter| parameter.location == ParameterLocation::Path && parameter.name == *named)
    }

    /// Returns the names under which the body of a request may contain the identifier that this parameter of its path
    /// has.
    pub(crate) fn names_in_body(&self, operation: OperationId, parameter: usize) -> Vec<String> {
        let documented = self.operation(operation);
        let Some(name) = documented.parameters.get(parameter).map(|parameter| &parameter.name) else {
            return Vec::new();
        };
        let path = documented.path_to_parameter(parameter);
        let short = path.as_ref().and_then(|path| Self::short_name(path, name));
        let lifecycle = self.lifecycle_of(operation);
        let lifecycle = lifecycle.filter(|lifecycle| Some(&lifecycle.path_to_id) == path.as_ref());
        let returned = lifecycle.and_then(|lifecycle| pointer::last(&lifecycle.created_id_pointer));
        let target = LinkTarget::Parameter(parameter);
        let creates = self.links_to(operation).filter(|link| {
            link.target == target && link.is_in_body() && !link.guessed && self.operation(link.from).creates()
        });
        let created = creates.filter_map(|link| pointer::last(&link.value_at));
        created.chain(returned).chain(short).chain([name.clone()]).collect()
    }

    /// Whether the identifier that a create returns may be a credential by itself: its collection is one of tokens, keys
    /// or the like, and the document says of it neither that it is an integer nor that it is a UUID.
    pub(crate) fn identifier_may_be_secret(&self, create: OperationId) -> bool {
        let operation = self.operation(create);
        if !self.shows_secrets(create) || operation.new_record_name_parameter().is_some() {
            return false;
        }
        let at_path = || Some(self.list_at_path_of(create)?.1.clone());
        let shown = self.identifier_pointer(create).or_else(at_path);
        let shape = shown
            .zip(operation.success_body())
            .and_then(|(at, body)| shape_at(&self.shapes, body, &at));
        let is_integer = shape.is_some_and(|shape| shape.types == [JsonType::Integer]);
        !is_integer && !self.is_read_by_uuid(create)
    }

    /// Whether the records of the collection at the path of an operation may be credentials.
    pub(crate) fn shows_secrets(&self, id: OperationId) -> bool {
        let segments = self.operation(id).path.split('/');
        let mut named = segments.filter(|segment| !segment.is_empty() && !segment.starts_with('{'));
        named
            .next_back()
            .is_some_and(|name| may_be_secret(&singular(&comparable_name(name))))
    }

    /// Whether the read of a create's record takes a UUID.
    fn is_read_by_uuid(&self, create: OperationId) -> bool {
        let link = self.link_to_read(create);
        let taken = link.and_then(|link| match &link.target {
            LinkTarget::Parameter(index) => self.operation(link.to).parameters[*index].schema.as_deref(),
            LinkTarget::Body(_) => None,
        });
        let schema = taken.and_then(|schema| self.document.node(schema));
        let format = schema.and_then(|schema| self.referred(schema).member("format"));
        format.and_then(Node::string) == Some("uuid")
    }

    /// Whether the response to a write has the identifier of what it stores, under which later writes may go: it is a
    /// create, or the document connects it with a read of such records (`PUT /pets` with `GET /pets/{id}`).
    pub(crate) fn identifies_what_it_stores(&self, write: OperationId) -> bool {
        self.operation(write).creates() || self.identifier_pointer(write).is_some()
    }

    /// Returns the fields of a create's request that its record must show, by an invariant or by an inferred lifecycle.
    #[must_use]
    pub fn carries_of_create(&self, create: OperationId) -> &[Carry] {
        if let Some(invariant) = &self.operation(create).invariants.created {
            return &invariant.carries;
        }
        let lifecycle = self.lifecycle_starting_with(create);
        lifecycle.map_or(&[], |lifecycle| &lifecycle.carries)
    }

    /// Returns the links that may fill a location of a call. If the call is a write, and some link from a write fills
    /// the location, only links that carry the identifier of a created record are left: other people's records are
    /// never written to.
    #[must_use]
    pub fn links_allowed_to_fill(&self, to: OperationId, target: &LinkTarget) -> Vec<&Link> {
        let links = self.links_to(to);
        let mut links: Vec<_> = links.filter(|link| link.target == *target).collect();
        let from_write = |link: &&Link| !self.operation(link.from).is_read();
        if !self.operation(to).is_get() && links.iter().any(from_write) {
            links.retain(|link| from_write(link) && self.identifies_created_record(link));
        }
        links
    }

    /// Whether a link identifies a created record: it carries the record's identifier to a call on that record, into
    /// the path parameter by which such records are read, or anywhere outside a path. For a create with an invariant,
    /// any call qualifies.
    #[must_use]
    pub fn identifies_created_record(&self, link: &Link) -> bool {
        if self.identifier_pointer(link.from).as_ref() != Some(&link.value_at) {
            return false;
        }
        let by_invariant = self.operation(link.from).invariants.created.is_some();
        let (path, read) = (self.path_to_parameter(link), self.link_to_read(link.from));
        by_invariant || path.is_none() || path == read.and_then(|read| self.path_to_parameter(read))
    }

    /// Returns the link that carries a value from a create's response to the read of such records. Of several links,
    /// the one whose value is nested least deeply.
    pub(crate) fn link_to_read(&self, create: OperationId) -> Option<&Link> {
        let created_in = collection_name(self.operation(create).collection_path());
        let links = self.links_from(create).filter(|link| {
            let path = self
                .path_to_parameter(link)
                .filter(|_| self.operation(link.to).is_read());
            path.is_some_and(|path| collection_name(&path) == created_in)
        });
        links.min_by_key(|link| link.value_at.matches('/').count())
    }

    /// Whether the document has a path of its own where an identifier of a create's records would stand: with `mine`,
    /// the path `/pets/mine` beside `/pets/{id}`.
    pub(crate) fn documents_path_of(&self, create: OperationId, id: &str) -> bool {
        let lifecycle = self.lifecycle_starting_with(create);
        let path = lifecycle.map(|lifecycle| format!("{}{id}", lifecycle.path_to_id));
        path.is_some_and(|path| {
            let mut operations = self.operations.iter();
            operations.any(|operation| without_names(operation.path.trim_end_matches('/')) == path)
        })
    }

    /// Returns the path up to the path parameter that a link fills, with `{}` for each parameter before it; `None` for
    /// a link that fills anything else.
    pub(super) fn path_to_parameter(&self, link: &Link) -> Option<String> {
        let LinkTarget::Parameter(index) = &link.target else {
            return None;
        };
        self.operation(link.to).path_to_parameter(*index)
    }
}

impl Operation {
    /// Returns the path up to the path parameter of this index, with `{}` for each parameter before it; `None` for any
    /// other parameter. Where two operations have the same path up to a parameter, such as `/owners/`, the parameter
    /// names the same record in both.
    #[must_use]
    pub fn path_to_parameter(&self, index: usize) -> Option<String> {
        let parameter = self.parameters.get(index)?;
        let name = format!("{{{}}}", parameter.name);
        let before = self.path.split_once(&name).map(|(before, _)| before);
        let before = before.filter(|_| parameter.location == ParameterLocation::Path)?;
        Some(without_names(before))
    }

    /// Returns the path up to the identifier that the caller of a create chooses ([`Self::new_record_name_parameter`]).
    pub(crate) fn path_to_chosen_identifier(&self) -> Option<String> {
        self.path_to_parameter(self.new_record_name_parameter()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESPONSE: &str = "responses: {'200': {description: OK}}";

    fn contract(links: &str) -> Contract {
        let parameter =
            |name: &str| format!("parameters: [{{name: {name}, in: path, required: true, schema: {{type: string}}}}]");
        let (id, user) = (parameter("id"), parameter("user"));
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    post:\n      operationId: create\n      \
             responses: {{'201': {{description: OK, links: {{{links}}}}}}}\n  /things/{{id}}:\n    get: {{operationId: read, \
             {id}, {RESPONSE}}}\n  /users/{{user}}:\n    get: {{operationId: owner, {user}, {RESPONSE}}}\n    put: {{operationId: \
             putOwner, {user}, {RESPONSE}}}\n  /things/{{user}}/notes:\n    post: {{operationId: note, {user}, {RESPONSE}}}\n"
        );
        Contract::read("things.yaml", text).unwrap()
    }

    /// Whether the last of the links leads to the run's own record.
    fn leads(links: &[(&str, &str, &str)]) -> bool {
        let written = links.iter().enumerate().map(|(number, (to, name, value))| {
            format!("L{number}: {{operationId: {to}, parameters: {{{name}: '$response.body#{value}'}}}}")
        });
        let contract = contract(&written.collect::<Vec<_>>().join(", "));
        let last = contract.links_from(contract.operation_named("create").unwrap()).last();
        contract.identifies_created_record(last.unwrap())
    }

    #[test]
    fn what_a_create_is_read_by_is_its_own_record_and_nothing_else_of_its_response_is() {
        let read = ("read", "id", "/id");
        assert!(leads(&[read]));
        assert!(leads(&[read, ("note", "user", "/id")]));
        assert!(!leads(&[read, ("note", "user", "/owner/id")]));
        assert!(!leads(&[read, ("putOwner", "user", "/owner/id")]));
        assert!(!leads(&[("note", "user", "/id")]), "nothing reads it");
    }

    #[test]
    fn an_identifier_is_that_of_one_kind_of_record() {
        assert!(!leads(&[("read", "id", "/id"), ("putOwner", "user", "/id")]));
        // Something created among things is not a user, whatever its response says.
        assert!(!leads(&[("owner", "user", "/id"), ("putOwner", "user", "/id")]));
        assert!(!leads(&[
            ("owner", "user", "/user"),
            ("read", "id", "/id"),
            ("putOwner", "user", "/user")
        ]));
    }

    #[test]
    fn of_several_values_the_one_that_is_highest_is_the_records_own() {
        let (parent, own) = (("read", "id", "/parent/id"), ("read", "id", "/id"));
        assert!(!leads(&[own, parent]));
        assert!(leads(&[parent, own]));
    }

    #[test]
    fn an_invariant_says_where_the_identifier_is() {
        let contract = crate::testing::built_in();
        let create = contract.operation_named("createContact").unwrap();
        assert_eq!(contract.identifier_pointer(create).as_deref(), Some("/data/id"));
        assert!(
            contract
                .links_from(create)
                .all(|link| contract.identifies_created_record(link))
        );
    }
}
