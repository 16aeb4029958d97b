//! Reads what the contract says about an operation's body, once for all the drafts of a run. The main type is
//! [`Template`].

use std::collections::HashSet;

use serde_json::Value;

use super::body;
use super::draft::Draft;
use super::leaf::{AwkwardPlaces, Choice, FieldKind, Leaf, recognise_dates, top};
use super::source::NoValue;
use super::timestamps;
use crate::contract::document::Node;
use crate::contract::link::{Link, Target};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::{RUN_TAG, TimestampFormat};
use crate::contract::{Contract, pointer};
use crate::exchange::is_plain_identifier;
use crate::history::{Bindings, RunTag};

/// Where an identifier may be expected, a number between this and twice this is sent: few lists have that many records,
/// and an integer of 32 bits holds it.
const SMALLEST_UNLIKELY: u32 = 1_000_000_000;

/// The depth to which a schema is followed.
const DEPTH: usize = 6;

/// Whether a value from the target that may be the identifier of a record looks like data: an address, a name.
fn looks_like_data(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !is_plain_identifier(text))
}

/// The fields of an operation's body, without the values that they are sent with.
#[derive(Debug)]
pub struct Template<'contract> {
    contract: &'contract Contract,
    operation: OperationId,
    has_invariants: bool,
    example: Option<&'contract Value>,
    fields: Vec<Field<'contract>>,
}

/// One field of a body.
#[derive(Debug)]
struct Field<'contract> {
    /// The field's schema.
    node: &'contract Node,
    /// The location in the body; arrays have one element.
    pointer: String,
    /// The links that may fill it.
    links: Vec<&'contract Link>,
    /// Whether the links lead an identifier here, one that must not be made up.
    takes_identifier: bool,
    /// Whether the invariants say that it comes back with the record.
    is_carried: bool,
    /// Whether a gap of the contract concerns the field by name.
    in_gap: bool,
    /// Values that are as good as any, for a body that must differ.
    others: Vec<Choice>,
    kind: FieldKind,
    /// Whether the contract requires the field at the top of the body.
    required: bool,
}

impl<'contract> Template<'contract> {
    /// Reads the fields of an operation's body; none where it has no body.
    #[must_use]
    pub fn of(contract: &'contract Contract, operation: OperationId) -> Self {
        let documented = contract.operation(operation);
        let request = documented.request.as_ref();
        let mut template = Self {
            contract,
            operation,
            has_invariants: documented.has_invariants(),
            example: request.and_then(|request| request.example.as_ref()),
            fields: Vec::new(),
        };
        let schema = request.and_then(|request| request.schema.as_deref());
        if let Some(node) = schema.and_then(|schema| contract.document.node(&contract.resolve(schema))) {
            template.read((node, None), "", 0);
        }
        let required = body::required(contract, operation);
        for field in &mut template.fields {
            field.required = top(&field.pointer).is_some_and(|field| required.iter().any(|other| other == field));
        }
        template
    }

    /// Reads the fields of a schema; `array` is the one whose items it describes.
    fn read(&mut self, (schema, array): (&'contract Node, Option<&'contract Node>), at: &str, depth: usize) {
        let node = self.contract.referred(schema);
        if depth > DEPTH {
            return;
        }
        for part in node.member("allOf").map_or(&[][..], Node::elements) {
            self.read((part, None), at, depth + 1);
        }
        if let Some(properties) = node.member("properties") {
            for property in properties.members() {
                if property.node.member("readOnly").and_then(Node::boolean) != Some(true) {
                    let at = pointer::join(at, &property.name);
                    self.read((&property.node, None), &at, depth + 1);
                }
            }
        } else if let Some(items) = node.member("items").filter(|_| node.member("x-synthetic").is_none()) {
            self.read((items, Some(node)), &pointer::join(at, "0"), depth + 1);
        } else if node.member("allOf").is_none() && !at.is_empty() {
            let field = self.field((node, array), at);
            self.fields.push(field);
        }
    }

    /// Reads what the contract says about a field; `array` is the schema of the array whose elements it describes.
    fn field(&self, (node, array): (&'contract Node, Option<&'contract Node>), at: &str) -> Field<'contract> {
        let target = Target::Body(at.to_owned());
        let takes_identifier = self.takes_identifier(&target);
        let (others, kind) = self.other_values_and_kind(node, at, takes_identifier);
        let mut nodes = [Some(node), array].into_iter().flatten();
        Field {
            node,
            pointer: at.to_owned(),
            links: self.contract.links_that_fill(self.operation, &target),
            takes_identifier,
            is_carried: self.is_carried(at),
            in_gap: nodes.any(|node| node.member("x-gap").is_some()),
            others,
            kind,
            required: false,
        }
    }

    /// Returns the other values that may be sent in a field, and what the field is. A string of the run's own differs
    /// by its tag, and an identifier is never made up.
    fn other_values_and_kind(&self, node: &Node, at: &str, takes_identifier: bool) -> (Vec<Choice>, FieldKind) {
        let (contract, operation) = (self.contract, self.operation);
        if body::is_name(contract, operation, node, at) {
            (Vec::new(), FieldKind::Name)
        } else if body::is_address(contract, operation, node, at) {
            (Vec::new(), FieldKind::Address)
        } else if node.member("format").and_then(Node::string) == Some("date-time") {
            (Vec::new(), FieldKind::Timestamp)
        } else if node.member("x-synthetic").is_some() || takes_identifier {
            (Vec::new(), FieldKind::Other)
        } else {
            (body::other_examples(contract, operation, at), FieldKind::Other)
        }
    }

    /// Whether the links lead an identifier here and nothing else, unlike for tags, whose entries are identifiers or
    /// names.
    fn takes_identifier(&self, target: &Target) -> bool {
        let links = || {
            let links = self.contract.links_to(self.operation);
            links.filter(|link| link.target == *target)
        };
        let is_identifying = |link: &Link| {
            let from = self.contract.operation(link.from);
            let listed = from.page.as_ref().map(|page| format!("{}/*{}", page.items, page.id));
            let created = from.invariants.created.as_ref();
            let created = created.map(|created| format!("{}{}", created.resource, created.id));
            [listed, created]
                .into_iter()
                .flatten()
                .any(|identifier| identifier == link.value)
        };
        let endings: HashSet<_> = links().map(|link| link.value.rsplit('/').next()).collect();
        endings.len() == 1 && links().any(is_identifying)
    }

    /// Whether a field must come back with the created record: whether it is a carry.
    fn is_carried(&self, at: &str) -> bool {
        let created = self.contract.operation(self.operation).invariants.created.iter();
        let mut carries = created.flat_map(|created| &created.carries);
        carries.any(|carry| pointer::any_element(at) == carry.sent)
    }

    /// Drafts the body. `number` counts the drafts of a run; `format` is the format of its timestamps.
    ///
    /// # Errors
    ///
    /// [`NoValue`] if a field that is carried by an invariant takes an identifier that no response has shown.
    pub fn draft(
        &self,
        bindings: &Bindings,
        (run_tag, number): (&RunTag, u64),
        format: TimestampFormat,
    ) -> Result<Draft, NoValue> {
        let builder = LeafBuilder {
            template: self,
            bindings,
            run_tag: run_tag.numbered(number),
            number,
            format,
        };
        Ok(Draft {
            operation: self.operation,
            format,
            leaves: builder.leaves()?,
            number,
        })
    }

    /// Returns what can be awkward about the body, before any value of the target is known.
    pub(super) fn awkward_places(&self) -> AwkwardPlaces {
        let builder = LeafBuilder {
            template: self,
            bindings: &Bindings::default(),
            run_tag: RunTag::new(0, 0).numbered(0),
            number: 0,
            format: TimestampFormat::Utc,
        };
        let mut leaves: Vec<_> = self.fields.iter().filter_map(|field| builder.leaf(field)).collect();
        recognise_dates(&mut leaves);
        AwkwardPlaces::of(&leaves)
    }
}

/// Makes the fields of one draft, from the template and what responses have shown.
struct LeafBuilder<'template> {
    template: &'template Template<'template>,
    bindings: &'template Bindings,
    run_tag: String,
    number: u64,
    format: TimestampFormat,
}

impl LeafBuilder<'_> {
    /// Returns the fields of the draft, each with the values that may be sent; one without any is left out.
    fn leaves(&self) -> Result<Vec<Leaf>, NoValue> {
        let mut leaves = Vec::new();
        for field in &self.template.fields {
            match self.leaf(field) {
                Some(leaf) => leaves.push(leaf),
                None if field.takes_identifier && field.is_carried && self.template.has_invariants => {
                    let target = Target::Body(field.pointer.clone());
                    let (contract, operation) = (self.template.contract, self.template.operation);
                    return Err(self.bindings.lacks(contract, operation, &target, &field.pointer));
                }
                None => {}
            }
        }
        recognise_dates(&mut leaves);
        Ok(leaves)
    }

    /// Returns a field with the values that it may be sent with; `None` where there is no value.
    fn leaf(&self, field: &Field<'_>) -> Option<Leaf> {
        let contract = self.template.contract;
        let mut linked = self
            .bindings
            .linked_values(contract, self.template.operation, &field.links);
        // A value from a create of the run is the run's own; any other value may concern somebody.
        linked.retain(|(link, _)| self.template.has_invariants || !contract.operation(link.from).is_read());
        let choices = linked.into_iter().map(|(link, value)| Choice {
            value: value.clone(),
            from_target: contract.operation(link.from).is_read() || looks_like_data(value),
        });
        let mut choices: Vec<_> = choices.collect();
        if !self.template.has_invariants {
            choices.extend(self.unrelated_value(field).map(Choice::own));
        } else if !field.takes_identifier {
            let own = self.own(field).into_iter().map(Choice::own);
            // A string that carries the run tag comes first: it is the run's own name for what it creates.
            let first = if field.node.member("x-synthetic").is_some() {
                0
            } else {
                choices.len()
            };
            choices.splice(first..first, own);
        }
        let leaf = Leaf {
            pointer: field.pointer.clone(),
            choices,
            chosen: 0,
            in_gap: field.in_gap,
            others: field.others.clone(),
            kind: field.kind,
            required: field.required,
        };
        (!leaf.choices.is_empty()).then_some(leaf)
    }

    /// Returns the contract's own values for a field, the best first: its synthetic string (the string that the
    /// contract says to send, with the run tag in it), instants, its value in the example, or else one by its type.
    fn own(&self, field: &Field<'_>) -> Vec<Value> {
        let (node, at) = (field.node, &field.pointer);
        let example = self.template.example.and_then(|example| example.pointer(at));
        if let Some(text) = node.member("x-synthetic").and_then(Node::string) {
            return vec![Value::String(text.replace(RUN_TAG, &self.run_tag))];
        }
        let invariants = &self.template.contract.operation(self.template.operation).invariants;
        let mut accepted_timestamp_formats = invariants.accepted_timestamp_formats.iter();
        let has_timestamp_formats = accepted_timestamp_formats.any(|accepted| accepted.sent == *at);
        if has_timestamp_formats || node.member("format").and_then(Node::string) == Some("date-time") {
            let instants = timestamps::to_send(example, self.format, self.number);
            return instants.into_iter().map(Value::String).collect();
        }
        let stated = ["example", "default"]
            .iter()
            .find_map(|name| node.member(name))
            .map(Node::to_value);
        let allowed = || node.member("enum")?.elements().first().map(Node::to_value);
        let value = example
            .cloned()
            .or(stated)
            .or_else(allowed)
            .or_else(|| self.by_type(node));
        value.into_iter().collect()
    }

    /// Returns a value by the type and format of a field, where nothing else suggests one.
    fn by_type(&self, node: &Node) -> Option<Value> {
        let minimum = node.member("minimum").map(Node::to_value);
        Some(match node.member("type").and_then(Node::string)? {
            "boolean" => Value::Bool(true),
            "integer" | "number" => minimum.unwrap_or_else(|| Value::from(1)),
            "string" => match node.member("format").and_then(Node::string) {
                Some("date") => Value::from("2024-05-17"),
                Some("email") => Value::from(format!("countersign.{}@example.com", self.run_tag)),
                Some("uri") => Value::from("https://example.com/"),
                Some("uuid") => Value::from(uuid::Uuid::from_u128(u128::from(self.number) + 1).to_string()),
                _ => Value::from(format!("countersign-{}", self.run_tag)),
            },
            _ => return None,
        })
    }

    /// Returns a value that concerns nobody, for a body without invariants, whose example may name a record, an account
    /// or a person that really exists. A free text is the run's own. A number without an upper bound (or with one that
    /// leaves room for an identifier) and a string with a pattern may be an identifier, so they are sent only where
    /// they are required.
    fn unrelated_value(&self, field: &Field<'_>) -> Option<Value> {
        let node = field.node;
        let stated = |name: &str| node.member(name);
        let kind = stated("type").and_then(Node::string);
        if body::looks_like_an_identifier(&field.pointer, Some(node)) {
            return None;
        }
        if stated("enum").is_some() || stated("x-synthetic").is_some() || kind == Some("boolean") {
            return self.own(field).into_iter().next();
        }
        if stated("pattern").is_some() {
            return self.own(field).into_iter().next().filter(|_| field.required);
        }
        let is_wide = |most: &Node| {
            most.to_value()
                .as_f64()
                .is_some_and(|most| most >= f64::from(SMALLEST_UNLIKELY) * 2.0)
        };
        if matches!(kind, Some("integer" | "number")) && stated("maximum").is_none_or(is_wide) {
            return field.required.then(|| self.unlikely(node));
        }
        let most = stated("maxLength").and_then(|most| most.to_value().as_u64());
        let most = most.and_then(|most| usize::try_from(most).ok());
        let value = self.by_type(node)?;
        let fits = |text: &str| most.is_none_or(|most| text.chars().count() <= most);
        value.as_str().is_none_or(fits).then_some(value)
    }

    /// Returns a number, made from the run tag, that is unlikely to be the identifier of a record: 1 would be that of
    /// the first user.
    fn unlikely(&self, node: &Node) -> Value {
        let letters = self.run_tag.bytes();
        let hash = letters.fold(0_u32, |hash, letter| hash.wrapping_mul(31).wrapping_add(letter.into()));
        let number = SMALLEST_UNLIKELY + hash % SMALLEST_UNLIKELY;
        let least = node.member("minimum").map(Node::to_value);
        let beyond = least.filter(|least| least.as_f64().is_some_and(|least| least > f64::from(number)));
        beyond.unwrap_or_else(|| Value::from(number))
    }
}
