//! Reads what the contract says about an operation's body, once for all the drafts of a run. The main type is
//! [`Template`].

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::body;
use super::draft::{Draft, index};
use super::leaf::{AwkwardPlaces, Choice, FieldKind, Leaf, recognise_dates, repeated_name, top};
use super::rights::{
    cautious_value, chooses_what_is_done, concerns_rights, confirms, ends_period, free_members, holds_plain_data,
    is_called_by_service, is_date_of_trigger, is_measure, is_place_among_others, is_size_of_a_thing, may_be_empty_list,
    may_be_sent_later, may_hold_any_object, must_be_in_every_body, names_somebody,
};
use super::sample::{MAX_ELEMENTS, NOTE, SampleMaker, UNLIKELY_IDENTIFIERS_FROM, end_of_period, is_wide_number};
use super::source::NoValue;
use super::timestamps;
use crate::contract::consequence::says_it_happens_by_itself;
use crate::contract::discriminator;
use crate::contract::document::Node;
use crate::contract::field::{holds_data_of_callers, languages_in};
use crate::contract::lexicon::camel_case_words;
use crate::contract::link::{Link, LinkTarget};
use crate::contract::openapi::referred_pointer;
use crate::contract::operation::{Method, OperationId};
use crate::contract::spread::field_reaches_other_records;
use crate::contract::vocabulary::{GapKind, RUN_TAG, TimestampFormat};
use crate::contract::{Contract, comparable_name, json_schema, pointer};
use crate::exchange::{CompiledSchema, looks_machine_made};
use crate::history::{Bindings, RunTag};

/// The depth to which a schema is followed.
const DEPTH: usize = 6;

/// With this many fields, no more are read: schemas that all refer to each other have any number of them.
const MAX_FIELDS: usize = 500;

/// Whether a value that a response showed cannot be taken for an identifier, but looks like data: an address, a name.
fn looks_like_data(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !looks_machine_made(text))
}

/// The maximum number of alternatives of a schema that are tried.
const MAX_ALTERNATIVES: usize = 8;

/// Whether the schema describes neither an object nor an array.
fn is_plain(node: &Node) -> bool {
    let kind = node.text_of("type");
    matches!(kind, Some("boolean" | "integer" | "number" | "string"))
}

/// Returns the name of a discriminator and its value for an alternative: the name that the mapping
/// gives it, or else the last part of its reference (OpenAPI 3.0.3, section 4.7.25).
fn named_alternative<'node>(schema: &'node Node, alternative: &'node Node) -> Option<(&'node str, &'node str)> {
    let discriminator = schema.member("discriminator")?;
    let name = discriminator.text_of("propertyName")?;
    let target = alternative.text_of("$ref")?;
    let last = |reference: &'node str| reference.rsplit('/').next().unwrap_or(reference);
    let mapping = discriminator.members_of("mapping");
    let names_it = |stated: &'node Node| {
        stated
            .string()
            .is_some_and(|stated| stated == target || stated == last(target))
    };
    let mapped = mapping.iter().find(|member| names_it(&member.node));
    Some((name, mapped.map_or_else(|| last(target), |member| member.name.as_str())))
}

/// The fields of an operation's body, without the values that they are sent with. Each [`Draft`] is made from it.
#[derive(Debug)]
pub struct Template<'contract> {
    contract: &'contract Contract,
    operation: OperationId,
    has_invariants: bool,
    example: Option<&'contract Value>,
    fields: Vec<TemplateField<'contract>>,
    /// The locations of the maps of texts.
    maps: HashSet<String>,
    /// The index of the alternative that is taken of each schema; the last one where it has fewer.
    alternative: usize,
    /// The largest number of alternatives that a schema of the body has.
    alternatives: usize,
    /// The schema that admits the body, compiled for the first draft; `None` where the contract states none.
    schema: OnceCell<Option<Arc<CompiledSchema>>>,
}

/// One field of a body.
#[derive(Debug)]
struct TemplateField<'contract> {
    /// The field's schema.
    node: &'contract Node,
    /// The location in the body; arrays have one element.
    pointer: String,
    /// The links that may fill it.
    links: Vec<&'contract Link>,
    /// Whether links carry an identifier into it, which must not be made up.
    takes_identifier: bool,
    /// Whether the invariants say that it comes back with the record.
    is_carried: bool,
    /// Whether an `x-gap` at its schema leaves its values open.
    values_are_open: bool,
    /// Values that are as good as any, for a body that must differ.
    others: Vec<Choice>,
    kind: FieldKind,
    /// Whether the contract requires the field at the top of the body.
    required: bool,
    /// The pointer of the field whose value it repeats.
    repeats: Option<String>,
    /// The only value, where the field is the discriminator of the alternative that is sent.
    discriminator: Option<Value>,
    /// The string that the contract says to send, with [`RUN_TAG`] in it.
    synthetic: Option<&'contract str>,
    /// Whether it is a map of texts at the top of the body.
    is_map: bool,
    /// Whether its name or its format is that of an identifier.
    looks_like_an_identifier: bool,
}

impl<'contract> Template<'contract> {
    /// Reads the fields of an operation's body; none where it has no body. Of a schema's alternatives it takes the
    /// first with which the run can make a body.
    #[must_use]
    pub fn of(contract: &'contract Contract, operation: OperationId) -> Self {
        let first = Self::with_alternative(contract, operation, 0);
        if first.alternatives == 0 || first.makes_a_body() {
            return first;
        }
        let mut others = (1..first.alternatives.min(MAX_ALTERNATIVES))
            .map(|index| Self::with_alternative(contract, operation, index));
        others.find(Self::makes_a_body).unwrap_or(first)
    }

    /// Whether a body can be made without anything that the target shows.
    fn makes_a_body(&self) -> bool {
        let draft = self.draft(&Bindings::default(), (&RunTag::new(0, 0), 0), TimestampFormat::Utc);
        !matches!(draft, Err(NoValue::NoBody { .. }))
    }

    fn with_alternative(contract: &'contract Contract, operation: OperationId, alternative: usize) -> Self {
        let documented = contract.operation(operation);
        let request = documented.request_body.as_ref();
        let mut template = Self {
            contract,
            operation,
            has_invariants: documented.has_invariants(),
            example: request.and_then(|request| request.example.as_ref()),
            fields: Vec::new(),
            maps: contract
                .maps_in_body(operation)
                .map(|map| pointer::join("", map))
                .collect(),
            alternative,
            alternatives: 0,
            schema: OnceCell::new(),
        };
        let schema = request.and_then(|request| request.schema.as_deref());
        let schema = schema.map(|schema| contract.resolve(schema));
        let located = schema
            .as_deref()
            .and_then(|schema| Some((schema, contract.document.node(schema)?)));
        if let Some((definition, node)) = located
            && !template.read_inherited(node, (definition, ""), 0)
        {
            template.read_node((node, None), "", 0);
        }
        let required = body::required(contract, operation);
        for field in &mut template.fields {
            field.required = top(&field.pointer).is_some_and(|field| required.iter().any(|other| other == field));
        }
        template.recognise_repeated();
        template
    }

    /// Recognises the plain strings that repeat another one beside them.
    fn recognise_repeated(&mut self) {
        let is_free = |field: &TemplateField<'_>| {
            let kind = field.node.text_of("type");
            kind == Some("string") && ["const", "enum"].iter().all(|key| field.node.member(key).is_none())
        };
        let original = |field: &TemplateField<'_>| {
            let (above, _) = field.pointer.rsplit_once('/')?;
            let repeated = repeated_name(&pointer::last(&field.pointer)?)?;
            let mut beside = self.fields.iter().filter(|other| is_free(other) && is_free(field));
            let is_original = |other: &&TemplateField<'_>| {
                other.pointer.rsplit_once('/').is_some_and(|(at, _)| at == above)
                    && pointer::last(&other.pointer).is_some_and(|name| comparable_name(&name) == repeated)
            };
            beside.find(is_original).map(|other| other.pointer.clone())
        };
        let originals: Vec<_> = self.fields.iter().map(original).collect();
        for (field, original) in self.fields.iter_mut().zip(originals) {
            field.repeats = original;
        }
    }

    /// Reads the fields of a schema; `array` is the one whose items it describes.
    fn read(&mut self, (schema, array): (&'contract Node, Option<&'contract Node>), at: &str, depth: usize) {
        let node = self.contract.referred(schema);
        if depth > DEPTH || self.fields.len() >= MAX_FIELDS {
            return;
        }
        if let Some(definition) = referred_pointer(schema)
            && self.read_inherited(node, (&definition, at), depth)
        {
            return;
        }
        self.read_node((node, array), at, depth);
    }

    /// Reads what a discriminator says about a definition: the value that names it, or, for a definition that others
    /// inherit from, one of those that inherit from it. Returns whether the definition itself needs no more reading.
    fn read_inherited(&mut self, node: &'contract Node, (definition, at): (&str, &str), depth: usize) -> bool {
        let document = &self.contract.document;
        if let Some((name, value)) = discriminator::of_child(document, definition) {
            if self.discriminates(name, at) {
                return false;
            }
            let at = pointer::join(at, name);
            let field = self.discriminator_field((node, &at), value);
            self.fields.push(field);
            return false;
        }
        let children = discriminator::children(document, definition);
        self.alternatives = self.alternatives.max(children.len());
        let taken = children.get(self.alternative).or(children.last());
        let Some((name, (value, child))) = discriminator::property(node).zip(taken) else {
            return false;
        };
        let Some(child) = document.node(child) else {
            return false;
        };
        let field = self.discriminator_field((child, &pointer::join(at, name)), value.clone());
        self.fields.push(field);
        self.read_node((child, None), at, depth + 1);
        true
    }

    /// Returns the field whose only value is that of a discriminator.
    fn discriminator_field(&self, (node, at): (&'contract Node, &str), value: String) -> TemplateField<'contract> {
        TemplateField {
            discriminator: Some(Value::from(value)),
            ..self.field((node, None), at)
        }
    }

    fn read_node(&mut self, (node, array): (&'contract Node, Option<&'contract Node>), at: &str, depth: usize) {
        // Of a reference, only the identifier is sent: with anything else in it, it would name a record that the run
        // made up.
        let reference = || self.contract.reference_identifier(node);
        if let Some(id) = (!at.is_empty() && !self.has_invariants).then(reference).flatten() {
            let field = self.field((self.contract.referred(&id.node), None), &pointer::join(at, &id.name));
            self.fields.push(field);
        } else {
            self.read_content((node, array), at, depth);
        }
    }

    /// Reads the fields of a schema that is no reference, or that is a part of another.
    fn read_content(&mut self, (node, array): (&'contract Node, Option<&'contract Node>), at: &str, depth: usize) {
        for part in node.elements_of("allOf") {
            // A part stands for its definition alone, and not for those that inherit from it.
            let part = self.contract.referred(part);
            if depth < DEPTH {
                self.read_content((part, None), at, depth + 1);
            }
        }
        let is_composed = node.member("allOf").is_some() || self.read_alternative(node, at, depth);
        if let Some(properties) = node.member("properties") {
            for property in properties.members() {
                // In a body that is put together by pointers, a name such as `1` would be an index.
                let is_index = index(&property.name).is_some();
                let is_left_out = is_index || self.contract.is_read_only(&property.node);
                if !is_left_out && !self.discriminates(&property.name, at) {
                    let at = pointer::join(at, &property.name);
                    self.read((&property.node, None), &at, depth + 1);
                }
            }
        } else if let Some(items) = node.member("items").filter(|_| node.member("x-synthetic").is_none()) {
            let least = node.member("minItems").and_then(|least| least.to_value().as_u64());
            if least.unwrap_or(0) == 0 && self.has_elements_of_others(items, at) {
                let field = self.field((node, array), at);
                self.fields.push(field);
                return;
            }
            for index in 0..least.unwrap_or(1).clamp(1, MAX_ELEMENTS) {
                self.read((items, Some(node)), &pointer::join(at, &index.to_string()), depth + 1);
            }
        } else if !is_composed && (!at.is_empty() || is_plain(node)) {
            let field = self.field((node, array), at);
            self.fields.push(field);
        }
    }

    /// Whether the elements of an array identify records that this run has not made.
    fn has_elements_of_others(&self, items: &Node, at: &str) -> bool {
        let (element, items) = (pointer::join(at, "0"), self.contract.referred(items));
        let links = || {
            let target = LinkTarget::Body(element.clone());
            self.contract.links_allowed_to_fill(self.operation, &target)
        };
        let identifies = is_plain(items) && body::looks_like_an_identifier(&element, Some(items));
        !self.has_invariants && identifies && links().is_empty()
    }

    /// Reads one alternative of a schema that has some, and what its discriminator says of it. Returns whether it
    /// had one.
    fn read_alternative(&mut self, node: &'contract Node, at: &str, depth: usize) -> bool {
        let suggested = ["x-synthetic", "example", "default", "enum"];
        if suggested.iter().any(|name| node.member(name).is_some()) {
            return false;
        }
        let mut alternatives = ["oneOf", "anyOf"].iter().filter_map(|name| node.member(name));
        let elements = alternatives.next().map_or(&[][..], Node::elements);
        self.alternatives = self.alternatives.max(elements.len());
        let taken = elements.get(self.alternative).or(elements.last());
        let Some(taken) = taken.filter(|taken| {
            // The alternatives of a schema with fields of its own may only say which fields are
            // required.
            let alternative = self.contract.referred(taken);
            let says_more = ["properties", "allOf", "oneOf", "anyOf"];
            node.member("properties").is_none() || says_more.iter().any(|name| alternative.member(name).is_some())
        }) else {
            return false;
        };
        if let Some((name, value)) = named_alternative(node, taken) {
            let field = self.discriminator_field((taken, &pointer::join(at, name)), value.to_owned());
            self.fields.push(field);
        }
        self.read((taken, None), at, depth + 1);
        true
    }

    /// Whether the field with this name, at this location, is the discriminator of an alternative.
    fn discriminates(&self, name: &str, at: &str) -> bool {
        let at = pointer::join(at, name);
        let known = |field: &TemplateField<'_>| field.discriminator.is_some() && field.pointer == at;
        self.fields.iter().any(known)
    }

    /// Reads what the contract says about a field; `array` is the schema of the array whose elements it describes.
    fn field(&self, (node, array): (&'contract Node, Option<&'contract Node>), at: &str) -> TemplateField<'contract> {
        let target = LinkTarget::Body(at.to_owned());
        let takes_identifier = self.takes_identifier(&target);
        let (others, kind) = self.other_values_and_kind(node, at, takes_identifier);
        let mut nodes = [Some(node), array].into_iter().flatten();
        TemplateField {
            node,
            pointer: at.to_owned(),
            links: self.contract.links_allowed_to_fill(self.operation, &target),
            takes_identifier,
            is_carried: self.is_carried(at),
            values_are_open: nodes.any(|node| gap_opens_values(self.contract, node)),
            others,
            kind,
            required: false,
            repeats: None,
            discriminator: None,
            synthetic: node.text_of("x-synthetic"),
            is_map: self.maps.contains(at),
            looks_like_an_identifier: body::looks_like_an_identifier(at, Some(node))
                && self.contract.identifier_field(self.operation).as_deref() != Some(at),
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
        } else if node.text_of("format") == Some("date-time") {
            (Vec::new(), FieldKind::Timestamp)
        } else if node.member("x-synthetic").is_some() || takes_identifier {
            (Vec::new(), FieldKind::Other)
        } else {
            // An example in another contract may name a record or a person.
            let others = match self.has_invariants {
                true => body::other_examples(contract, operation, at),
                false => self.other_values_by_schema(node, at),
            };
            let kind = if body::is_text(contract, operation, node, at) {
                FieldKind::Text
            } else if body::is_shown_date(contract, operation, node, at) {
                FieldKind::Date
            } else {
                FieldKind::Other
            };
            (others, kind)
        }
    }

    /// Returns the values of a field for which its schema leaves a choice: both booleans, the members of an `enum`, two
    /// numbers. Each of them is harmless ([`may_be_sent_later`]), and a field that says who may see or change the
    /// record has none.
    fn other_values_by_schema(&self, node: &Node, at: &str) -> Vec<Choice> {
        let sample = SampleMaker {
            contract: self.contract,
            text: "",
            number: 0,
            examples: false,
        };
        let rights = pointer::tokens(at).any(|name| concerns_rights(&name));
        if rights || body::looks_like_an_identifier(at, Some(node)) {
            return Vec::new();
        }
        let name = pointer::last(at).unwrap_or_default();
        let values = sample
            .alternatives(node)
            .into_iter()
            .filter(|value| may_be_sent_later(value, &name, node));
        values.map(Choice::own).collect()
    }

    /// Whether the links into this location carry only identifiers. In the built-in contract, those into `tags` do not:
    /// an entry is an identifier or a name.
    fn takes_identifier(&self, target: &LinkTarget) -> bool {
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
                .any(|identifier| identifier == link.value_at)
        };
        let endings: HashSet<_> = links().map(|link| link.value_at.rsplit('/').next()).collect();
        endings.len() == 1 && links().any(is_identifying)
    }

    /// Whether a field must come back with the created record: whether it is a carry.
    fn is_carried(&self, at: &str) -> bool {
        let created = self.contract.operation(self.operation).invariants.created.iter();
        let mut carries = created.flat_map(|created| &created.carries);
        carries.any(|carry| pointer::with_any_elements(at) == carry.sent)
    }

    /// Drafts the body. `number` counts the drafts of a run; `format` is the format of its timestamps.
    ///
    /// # Errors
    ///
    /// [`NoValue`] if a field that is a carry, or that the schema requires, takes an identifier that no response has
    /// shown, or if the schema admits nothing that can be made.
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
        let mut draft = Draft {
            operation: self.operation,
            format,
            leaves: builder.leaves()?,
            number,
            schema: self.schema.get_or_init(|| self.compiled()).clone(),
        };
        draft.leave_out_what_is_not_admitted()?;
        Ok(draft)
    }

    /// Compiles the schema of the body.
    fn compiled(&self) -> Option<Arc<CompiledSchema>> {
        let request = self.contract.operation(self.operation).request_body.as_ref()?;
        let schema = json_schema::convert_for_request(&self.contract.document, request.schema.as_ref()?)?;
        Some(Arc::new(CompiledSchema::compile(Some(&schema))))
    }

    /// Returns what can be awkward about the body, before any value of the target is known.
    pub(super) fn awkward_places(&self) -> AwkwardPlaces {
        AwkwardPlaces::of(&self.leaves_of_any_draft())
    }

    /// Returns the first plain text of an update without invariants, as a pointer.
    pub(super) fn first_text(&self) -> Option<String> {
        let leaves = self.leaves_of_any_draft();
        let text = leaves.into_iter().find(|leaf| leaf.kind == FieldKind::Text)?;
        Some(text.pointer)
    }

    /// Returns the first string of an update without invariants that the record shows in an object with others, as a
    /// pointer.
    pub(super) fn first_text_in_object(&self) -> Option<String> {
        let carries = self.contract.lifecycle_carries_of_update(self.operation);
        let is_carried = |at: &str| carries.iter().any(|carry| carry.sent == at);
        let leaves = self.leaves_of_any_draft();
        let in_object = |leaf: &&Leaf| {
            pointer::tokens(&leaf.pointer).count() == 2
                && is_carried(&leaf.pointer)
                && !pointer::tokens(&leaf.pointer).any(|name| concerns_rights(&name))
        };
        let mut texts = leaves.iter().filter(in_object);
        let is_beside = |leaf: &&Leaf| {
            let beside = |other: &Leaf| leaf.pointer != other.pointer && leaf.top_field() == other.top_field();
            leaves.iter().filter(in_object).any(beside)
        };
        let is_own = |leaf: &Leaf| {
            leaf.value()
                .and_then(Value::as_str)
                .is_some_and(|text| text.contains(NOTE))
        };
        texts
            .find(|leaf| is_own(leaf) && is_beside(leaf))
            .map(|leaf| leaf.pointer.clone())
    }

    /// Returns the fields of a draft for which no response has shown anything.
    fn leaves_of_any_draft(&self) -> Vec<Leaf> {
        let builder = LeafBuilder {
            template: self,
            bindings: &Bindings::default(),
            run_tag: RunTag::new(0, 0).numbered(0),
            number: 0,
            format: TimestampFormat::Utc,
        };
        let mut leaves: Vec<_> = self.fields.iter().filter_map(|field| builder.leaf(field)).collect();
        recognise_dates(&mut leaves);
        leaves
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
                None if self.lacks_identifier(field) => {
                    let target = LinkTarget::Body(field.pointer.clone());
                    let (contract, operation) = (self.template.contract, self.template.operation);
                    return Err(self.bindings.why_no_value(contract, operation, &target, &field.pointer));
                }
                None => {}
            }
        }
        recognise_dates(&mut leaves);
        Ok(leaves)
    }

    /// Whether a body without the field is of no use, and only another operation shows the identifier that it takes.
    fn lacks_identifier(&self, field: &TemplateField<'_>) -> bool {
        match self.template.has_invariants {
            true => field.takes_identifier && field.is_carried,
            // Links are inferred only into fields that the body requires.
            false => field.required && field.links.iter().any(|link| link.inferred),
        }
    }

    /// Returns a field with the values that it may be sent with; `None` where there is no value.
    fn leaf(&self, field: &TemplateField<'_>) -> Option<Leaf> {
        let name = last_name(&field.pointer);
        if !self.template.has_invariants && Self::acts_by_any_value(field, &name) {
            return None;
        }
        let mut choices = match &field.discriminator {
            Some(value) => vec![Choice::own(value.clone())],
            None => self.choices(field),
        };
        let withheld = self.is_withheld(field) && choices.iter().all(|choice| choice.is_made_up);
        let must_be_sent = self.must_be_sent(&choices, field, &name);
        if must_be_sent {
            choices.truncate(1);
        }
        let listed = field.node.elements_of("enum");
        let free_members = (!self.template.has_invariants).then(|| free_members(&name, field.node));
        let leaf = Leaf {
            pointer: field.pointer.clone(),
            must_be_sent,
            chosen: if withheld { choices.len() } else { 0 },
            choices,
            values_are_open: field.values_are_open,
            in_formats: false,
            others: field.others.clone(),
            kind: field.kind,
            required: field.required,
            members: listed.iter().map(Node::to_value).collect(),
            free_members: free_members.unwrap_or_default(),
            repeats: field.repeats.clone(),
        };
        (!leaf.choices.is_empty()).then_some(leaf)
    }

    /// Whether a field chooses what is done, or confirms it, so that there is no value that does nothing.
    fn acts_by_any_value(field: &TemplateField<'_>, name: &str) -> bool {
        let kind = field.node.text_of("type");
        chooses_what_is_done(name) || confirms(name) && field.repeats.is_none() && kind != Some("boolean")
    }

    /// Whether a field without invariants belongs to every body of a create and of a PUT, by the value that is sent. A
    /// PATCH without it leaves the record as it is.
    fn must_be_sent(&self, choices: &[Choice], field: &TemplateField<'_>, name: &str) -> bool {
        let operation = self.template.contract.operation(self.template.operation);
        let sent = choices
            .first()
            .filter(|_| !self.template.has_invariants && operation.method != Method::Patch);
        let is_choice = field.node.member("enum").is_some() || sent.is_some_and(|sent| sent.value.is_boolean());
        is_choice && sent.is_some_and(|sent| must_be_in_every_body(&sent.value, name, field.node))
    }

    /// Returns the values that a field may be sent with, the best first.
    fn choices(&self, field: &TemplateField<'_>) -> Vec<Choice> {
        let contract = self.template.contract;
        let mut linked = self.bindings.linked_values(&field.links);
        // A value from a create of the run is the run's own; any other value may concern somebody.
        linked.retain(|(link, _)| self.template.has_invariants || !contract.operation(link.from).is_read());
        let choices = linked.into_iter().map(|(link, value)| Choice {
            value: value.clone(),
            from_target: contract.operation(link.from).is_read() || looks_like_data(value),
            is_made_up: false,
            identifies_own_record: !contract.operation(link.from).is_read() && contract.identifies_created_record(link),
        });
        let mut choices: Vec<_> = choices.collect();
        if !self.template.has_invariants {
            choices.extend(self.other_than_default(field));
            choices.extend(self.unrelated_value(field));
        } else if !field.takes_identifier {
            let is_synthetic = field.synthetic.is_some();
            let names = !is_synthetic && field.looks_like_an_identifier;
            let choice = if names { Choice::made_up } else { Choice::own };
            let own = self.contract_values(field).into_iter().map(choice);
            // A string that carries the run tag comes first: it is the run's own name for what it creates.
            let first = if is_synthetic { 0 } else { choices.len() };
            choices.splice(first..first, own);
        }
        choices
    }

    /// Returns a value other than the default of a field of a create, for a boolean or an `enum` that has another
    /// harmless one: a record with the default does not show that the field was read. What kind of record it is stays,
    /// because other fields may depend on that.
    fn other_than_default(&self, field: &TemplateField<'_>) -> Option<Choice> {
        let default = field.node.member("default").map(Node::to_value)?;
        let name = pointer::last(&field.pointer).unwrap_or_default();
        let last = camel_case_words(&name).pop().unwrap_or_default();
        let is_kind = ["category", "kind", "type"].contains(&last.to_ascii_lowercase().as_str());
        let has_choice = field.node.member("enum").is_some() || default.is_boolean();
        if !self.template.contract.operation(self.template.operation).creates() || is_kind || !has_choice {
            return None;
        }
        let mut others = field.others.iter();
        others
            .find(|other| other.value != default && !other.value.is_null())
            .cloned()
    }

    /// Returns the contract's own values for a field, the best first: its synthetic string (the string that the
    /// contract says to send, with the run tag in it), instants, its value in the example, or else one by its type.
    fn contract_values(&self, field: &TemplateField<'_>) -> Vec<Value> {
        let (node, at) = (field.node, &field.pointer);
        let example = self.template.example.and_then(|example| example.pointer(at));
        if let Some(text) = field.synthetic {
            return vec![Value::String(text.replace(RUN_TAG, &self.run_tag))];
        }
        let invariants = &self.template.contract.operation(self.template.operation).invariants;
        let mut accepted_timestamp_formats = invariants.accepted_timestamp_formats.iter();
        let has_timestamp_formats = accepted_timestamp_formats.any(|accepted| accepted.sent == *at);
        if has_timestamp_formats || node.text_of("format") == Some("date-time") {
            let instants = timestamps::to_send(example, self.format, self.number);
            return instants.into_iter().map(Value::String).collect();
        }
        let value = example.cloned().or_else(|| self.sample(field, true));
        value.into_iter().collect()
    }

    /// Returns a value that the field's schema admits.
    fn sample(&self, field: &TemplateField<'_>, examples: bool) -> Option<Value> {
        let made = self.made(field, examples, |sample| sample.of(field.node))?;
        let ends = pointer::last(&field.pointer).is_some_and(|name| ends_period(&name));
        Some(end_of_period(&made).filter(|_| ends).unwrap_or(made))
    }

    /// Returns what is made for a field with the text that is the run's own in it.
    fn made(
        &self,
        field: &TemplateField<'_>,
        examples: bool,
        make: impl Fn(&SampleMaker<'_>) -> Result<Value, &'static str>,
    ) -> Option<Value> {
        // Fields differ, so that it shows if a service confuses two.
        let mut text = match self.strings_before(field) {
            0 => format!("countersign-{}", self.run_tag),
            before => format!("countersign{}-{}", before + 1, self.run_tag),
        };
        // Elements of one array differ.
        let index = pointer::tokens(&field.pointer).filter_map(|token| token.parse::<u64>().ok());
        let index = index.last().unwrap_or(0);
        if index > 0 {
            text.push_str(&format!("-{index}"));
        }
        let sample = SampleMaker {
            contract: self.template.contract,
            text: &text,
            number: self.number + index,
            examples,
        };
        make(&sample).ok()
    }

    /// Returns the object that is sent in a required field whose schema documents no members, if its name says that it
    /// holds plain data: a map of texts has one, and any other object none.
    fn object(&self, field: &TemplateField<'_>) -> Option<Choice> {
        let contract = self.template.contract;
        let mut names = pointer::tokens(&field.pointer);
        if !field.required || names.any(|name| !may_hold_any_object(&name)) {
            return None;
        }
        let name = last_name(&field.pointer);
        if !holds_plain_data(&name, field.node) {
            return None;
        }
        if !field.is_map {
            return (!contract.names_a_record(&name)).then(|| Choice::own(json!({})));
        }
        let map = |language: Option<&str>| self.made(field, false, |sample| sample.map(field.node, language));
        let of_body = self
            .template
            .example
            .and_then(|example| example.pointer(&field.pointer));
        let of_schema = || field.node.member("example").map(Node::to_value);
        let example = of_body.cloned().or_else(of_schema).unwrap_or_default();
        let documented = languages_in(&example);
        let list = contract.list_written_by(self.template.operation);
        let shown = list.and_then(|list| self.bindings.language_of(list, &name));
        let in_shown_language = || {
            let value = map(Some(shown?))?;
            let from_target = !shown.is_some_and(|shown| documented.contains(&shown));
            Some(Choice {
                from_target,
                ..Choice::own(value)
            })
        };
        let own = || map(documented.first().copied()).or_else(|| map(None)).map(Choice::own);
        in_shown_language().or_else(own)
    }

    /// Returns how many fields before this one have strings, for a body without invariants.
    fn strings_before(&self, field: &TemplateField<'_>) -> usize {
        let is_string =
            |other: &TemplateField<'_>| other.node.text_of("type") == Some("string") || other.is_map && other.required;
        let fields = self.template.fields.iter().filter(|_| !self.template.has_invariants);
        let before = fields.take_while(|other| !name_tokens(&other.pointer).eq(name_tokens(&field.pointer)));
        before.filter(|other| is_string(other)).count()
    }

    /// Returns a value that concerns nobody, for a body without invariants, whose example may name a record, an account
    /// or a person that really exists. A free text is the run's own.
    fn unrelated_value(&self, field: &TemplateField<'_>) -> Option<Choice> {
        let node = field.node;
        let stated = |name: &str| node.member(name);
        let kind = stated("type").and_then(Node::string);
        if self.shows_in_other_records(field) {
            return None;
        }
        if field.looks_like_an_identifier {
            let is_list = kind == Some("array") && field.required;
            let may_be_empty = is_list && may_be_empty_list(&last_name(&field.pointer), node);
            return may_be_empty.then(|| Choice::own(json!([])));
        }
        if stated("enum").is_some() || field.synthetic.is_some() || kind == Some("boolean") {
            let name = last_name(&field.pointer);
            let value = self.contract_values(field).into_iter().next();
            // The contract says on purpose what this field is sent with.
            let is_stated = field.synthetic.is_some() && stated("enum").is_none() && kind != Some("boolean");
            let value = value.and_then(|value| match is_stated {
                true => Some(value),
                false => cautious_value(value, &name, node),
            });
            return value.map(Choice::own);
        }
        let name = top(&field.pointer).and_then(|field| pointer::tokens(field).last());
        let is_number = matches!(kind, Some("integer" | "number"));
        let is_named = |is_one: fn(&str) -> bool| name.as_deref().is_some_and(is_one);
        let may_be_others =
            (is_number && !is_wide_number(node) || stated("pattern").is_some()) && is_named(names_somebody);
        let format = stated("format").and_then(Node::string);
        let is_date = matches!(format, Some("date" | "date-time"));
        let may_act = is_number && is_named(is_place_among_others) || is_date && is_named(is_date_of_trigger);
        let description = stated("description").and_then(Node::string);
        let happens_by_itself = description.is_some_and(says_it_happens_by_itself);
        let is_called = kind == Some("string") && is_named(is_called_by_service);
        if may_be_others || happens_by_itself || is_called || may_act && !field.required {
            return None;
        }
        if stated("pattern").is_some() {
            return self.sample(field, false).map(Choice::made_up);
        }
        if is_wide_number(node) {
            if name.as_deref().is_some_and(|name| is_size_of_a_thing(name, node)) {
                return self.sample(field, false).map(Choice::own);
            }
            let small = is_named(is_measure).then(|| self.sample(field, false)).flatten();
            return Some(Choice::made_up(small.unwrap_or_else(|| self.unlikely(node))));
        }
        // It has no properties of its own: those would be fields.
        if kind == Some("object") && is_named(holds_data_of_callers) {
            let text = format!("countersign-{}", self.run_tag);
            return Some(Choice::own(json!({ NOTE: text })));
        }
        let is_any_value = kind.is_none() && json_schema::keywords(node).is_empty();
        if kind == Some("object") || is_any_value {
            return self.object(field);
        }
        let names_a_record = name.is_some_and(|name| self.template.contract.names_a_record(&name));
        let choice = if names_a_record { Choice::made_up } else { Choice::own };
        self.sample(field, false).map(choice)
    }

    /// Whether the description of a field says that its value shows in other records. A create may still need it.
    fn shows_in_other_records(&self, field: &TemplateField<'_>) -> bool {
        let write = self.template.contract.operation(self.template.operation);
        let description = field.node.text_of("description");
        let is_update = matches!(write.method, Method::Put | Method::Patch);
        let may_leave_out = is_update || !field.required;
        may_leave_out && description.is_some_and(|said| field_reaches_other_records(said, write))
    }

    /// Whether a field is left out until a rejection names it. A number without an upper bound (or with one that leaves
    /// room for an identifier) and a string with a pattern may be an identifier, so where no invariant says what they
    /// are, they are sent only where they are required.
    fn is_withheld(&self, field: &TemplateField<'_>) -> bool {
        let states = |name: &str| field.node.member(name).is_some();
        let is_known = states("enum") || field.synthetic.is_some() || field.discriminator.is_some();
        let name = top(&field.pointer).and_then(pointer::last).unwrap_or_default();
        let is_wide = is_wide_number(field.node) && !is_size_of_a_thing(&name, field.node);
        let may_identify = states("pattern") || is_wide;
        !self.template.has_invariants && !field.required && !is_known && may_identify
    }

    /// Returns a number, made from the run tag, that is unlikely to be the identifier of a record: 1 would be that of
    /// the first user.
    fn unlikely(&self, node: &Node) -> Value {
        let letters = self.run_tag.bytes();
        let hash = letters.fold(0_u32, |hash, letter| hash.wrapping_mul(31).wrapping_add(letter.into()));
        let number = UNLIKELY_IDENTIFIERS_FROM + hash % UNLIKELY_IDENTIFIERS_FROM;
        let least = node.member("minimum").map(Node::to_value);
        let beyond = least.filter(|least| least.as_f64().is_some_and(|least| least > f64::from(number)));
        beyond.unwrap_or_else(|| Value::from(number))
    }
}

/// Whether a gap leaves open which values a field may have. How long a text may be is another matter: the run's own is
/// short.
fn gap_opens_values(contract: &Contract, node: &Node) -> bool {
    let ids = node.elements_of("x-gap");
    let mut ids = ids.iter().filter_map(Node::string);
    ids.any(|id| {
        let mut gaps = contract.gaps.iter().filter(|gap| gap.id == id);
        gaps.any(|gap| gap.kind != Some(GapKind::FieldSizes))
    })
}

/// Returns the last name in a pointer: an element of an array has that of the array.
fn last_name(pointer: &str) -> String {
    let names = pointer::tokens(pointer).filter(|token| token.parse::<usize>().is_err());
    names.last().unwrap_or_default()
}

/// Returns the tokens of a pointer that are not indexes: the elements of one array share a name.
fn name_tokens(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.split('/').filter(|token| token.parse::<usize>().is_err())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::plan::Fallback;

    #[test]
    fn what_is_named_like_an_index_makes_no_array() {
        let day = "{type: object, properties: {open: {type: string}}}";
        let body = |required: &str| {
            made(&format!(
                "{{required: [{required}], properties: {{'1': {day}, name: {{type: string}}, '2': {day}}}}}"
            ))
        };
        assert!(body("name").unwrap()["name"].is_string());
        assert!(body("name, '1'").is_err());
    }

    #[test]
    fn a_value_that_the_contract_states_is_sent_whatever_words_it_has() {
        let body = made("{type: object, required: [name], properties: {name: {type: string, x-synthetic: Full Name}}}");
        assert_eq!(body.unwrap()["name"], "Full Name");
    }

    #[test]
    fn what_chooses_or_confirms_an_action_is_left_out_or_no_body_is_made() {
        for field in [
            "action: {type: string, enum: [start, stop]}",
            "decision: {type: string, enum: [approve, reject]}",
            "vote: {type: string, enum: [up, down]}",
            "command: {type: string}",
            "confirm: {type: string}",
            "delete_repeat: {type: string}",
        ] {
            let name = field.split(':').next().unwrap();
            let body = |required: &str| {
                made(&format!(
                    "{{type: object, required: [{required}], properties: {{name: {{type: string}}, {field}}}}}"
                ))
            };
            assert!(body("name").unwrap().get(name).is_none(), "{field}");
            assert!(body(&format!("name, {name}")).is_err(), "{field}");
        }
        let typed_twice = "{type: object, required: [password, password_repeat], properties: {password: {type: string}, \
                           password_repeat: {type: string}}}";
        let sent = made(typed_twice).unwrap();
        assert_eq!(sent["password"], sent["password_repeat"]);
        assert!(made("{type: object, required: [confirm], properties: {confirm: {type: boolean}}}").is_ok());
    }

    fn made(schema: &str) -> Result<Value, String> {
        drafted(schema).map(|draft| draft.body().0)
    }

    /// Drafts the body of the only operation of a contract whose body has this schema.
    fn drafted(schema: &str) -> Result<Draft, String> {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths: {{/a: {{post: {{requestBody: {{content: \
             {{application/json: {{schema: {schema}}}}}}}, responses: {{'201': {{description: a}}}}}}}}}}\ncomponents:\n  \
             schemas:\n    Cat: {{type: object, required: [kind, name], properties: {{kind: {{type: string}}, name: {{type: \
             string, maxLength: 3}}}}}}\n    Stray: {{type: object, required: [owner_id], properties: {{kind: {{type: \
             string}}, owner_id: {{type: integer}}}}}}\n    Stamp: {{type: string, readOnly: true}}\n"
        );
        let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let template = Template::of(&contract, OperationId(0));
        let draft = template.draft(&Bindings::default(), (&RunTag::new(0, 1), 0), TimestampFormat::Utc);
        draft.map_err(|lack| lack.to_string())
    }

    #[test]
    fn a_create_sends_a_choice_other_than_the_default_where_that_is_harmless() {
        let choices = "colour: {type: string, enum: [red, blue], default: red}, gift: {type: boolean, default: false}, \
                       status: {type: string, enum: [draft, sent], default: draft}, kind: {type: string, enum: [a, b], \
                       default: a}, role: {type: string, enum: [guest, admin], default: guest}, active: {type: \
                       boolean, default: false}, size: {type: string, enum: [s, m]}";
        let schema = format!("{{type: object, properties: {{{choices}}}}}");
        assert_eq!(
            made(&schema).unwrap(),
            json!({
                "colour": "blue", "gift": true, "status": "draft", "kind": "a", "role": "guest", "active": false,
                "size": "s"
            })
        );
    }

    #[test]
    fn a_map_of_texts_may_have_the_name_of_its_own_kind_of_record() {
        let body = |property: &str| {
            let schema =
                format!("{{type: object, required: [question], properties: {{question: {{type: object{property}}}}}}}");
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /questions: {{post: {{requestBody: {{content: \
                 {{application/json: {{schema: {schema}}}}}}}, responses: {{'201': {{description: a}}}}}}}}\n  \
                 /questions/{{id}}: {{get: {{parameters: [{{name: id, in: path, required: true, schema: {{type: \
                 string}}}}], responses: {{'200': {{description: a}}}}}}}}\n"
            );
            let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let template = Template::of(&contract, OperationId(0));
            let draft = template.draft(&Bindings::default(), (&RunTag::new(0, 1), 0), TimestampFormat::Utc);
            draft.map(|draft| draft.body().0).ok()
        };
        let map = body(", additionalProperties: {type: string}").unwrap();
        assert_eq!(map["question"].as_object().unwrap().len(), 1, "{map}");
        // An object of any content may be one of those records.
        assert_eq!(body(""), None);
    }

    #[test]
    fn a_list_of_identifiers_that_may_select_others_is_sent_at_no_depth() {
        for (name, description) in [
            ("recipient_ids", "An empty list sends it to all contacts."),
            ("device_ids", "Leave it empty to run it on all devices."),
            ("keep_ids", "Records that stay; all others are deleted."),
            ("allowed_user_ids", "Empty: anyone."),
            ("approver_ids", ""),
            ("user_ids_visible", "If empty, everybody sees it."),
        ] {
            let ids = format!("{{type: array, description: '{description}', items: {{type: integer}}}}");
            let inner = format!("{{type: object, required: [{name}], properties: {{{name}: {ids}}}}}");
            for schema in [
                format!("{{type: object, required: [{name}], properties: {{{name}: {ids}}}}}"),
                format!("{{type: object, required: [detail], properties: {{detail: {inner}}}}}"),
                format!("{{type: object, required: [a], properties: {{a: {{type: array, items: {inner}}}}}}}"),
            ] {
                let lack = made(&schema).unwrap_err();
                assert!(lack.contains('`'), "{schema}: {lack}");
            }
        }
        // One that is not required is left out.
        let ids = "{type: array, items: {type: integer}}";
        let inner = format!("{{type: object, properties: {{device_ids: {ids}, note: {{type: string}}}}}}");
        let body = made(&format!(
            "{{type: object, required: [detail], properties: {{detail: {inner}}}}}"
        ))
        .unwrap();
        assert_eq!(body["detail"].as_object().unwrap().len(), 1, "{body}");
    }

    #[test]
    fn a_list_of_identifiers_that_a_body_requires_is_empty() {
        let ids = "{type: object, required: [user_ids_visible], properties: {user_ids_visible: {type: array, items: \
                   {type: integer}}}}";
        let schema =
            format!("{{type: object, required: [name, seen], properties: {{name: {{type: string}}, seen: {ids}}}}}");
        assert_eq!(made(&schema).unwrap()["seen"], json!({"user_ids_visible": []}));
        let at_least_one = schema.replace("type: array,", "type: array, minItems: 1,");
        assert!(made(&at_least_one).is_err());
    }

    #[test]
    fn a_reference_is_never_made_up() {
        let reference =
            "{type: object, properties: {id: {type: integer, maximum: 9}, url: {type: string, format: uri}}}";
        let schema = |required: &str| {
            format!(
                "{{type: object, required: [{required}], properties: {{name: {{type: string}}, owner: {reference}, tags: \
                 {{type: array, items: {reference}}}, other: {{anyOf: [{reference}]}}, detail: {{type: object, properties: \
                 {{owner: {reference}, title: {{type: string}}}}}}}}}}"
            )
        };
        let body = made(&schema("name")).unwrap();
        assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), ["name", "detail"]);
        assert!(body["detail"].get("owner").is_none() && body["detail"]["title"].is_string());
        for required in ["owner", "tags", "other"] {
            let reason = made(&schema(required)).unwrap_err();
            assert!(
                reason.starts_with(&format!("its body requires `/{required}`")),
                "{reason}"
            );
        }
        // An object with content of its own is no reference.
        let content = schema("name").replace("url: {type: string, format: uri}", "title: {type: string}");
        assert!(made(&content).unwrap()["owner"]["title"].is_string());
    }

    #[test]
    fn a_time_at_which_something_happens_to_others_is_left_out_or_not_made() {
        let schema = |required: &str| {
            format!(
                "{{type: object, required: [{required}], properties: {{name: {{type: string}}, starts: {{type: string, format: \
                 date, description: The first day}}, effective_date: {{type: string, format: date, description: On this day \
                 the price changes for all customers}}, max_age: {{type: integer, maximum: 99, description: Days after which \
                 all files are purged}}}}}}"
            )
        };
        let body = made(&schema("name")).unwrap();
        let names: Vec<_> = body.as_object().unwrap().keys().collect();
        assert_eq!(names, ["name", "starts"]);
        assert!(made(&schema("effective_date")).is_err());
        assert!(made(&schema("max_age")).is_err());
    }

    #[test]
    fn a_field_that_may_be_an_identifier_is_sent_once_a_rejection_names_it() {
        let schema = "{type: object, properties: {name: {type: string}, years: {type: integer}, rank: {type: integer}, \
                      code: {type: string, pattern: '^[a-z]{4}$'}}}";
        let draft = drafted(schema).unwrap();
        let sent = |draft: &Draft| {
            let body = draft.body().0;
            body.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(sent(&draft), ["name"]);
        let mut fallback = Fallback::starting_with(draft);
        let next = fallback.next("NOT NULL constraint failed: director.years").unwrap();
        assert_eq!(sent(&next), ["name", "years"]);
        assert!(next.body().0["years"].as_u64().unwrap() >= u64::from(UNLIKELY_IDENTIFIERS_FROM));
        let next = fallback.next(r#"{"missing": ["code"]}"#).unwrap();
        assert_eq!(sent(&next), ["name", "years", "code"]);
    }

    #[test]
    fn a_number_that_is_made_up_may_name_a_record_and_a_text_of_the_run_does_not() {
        for (schema, made_up) in [
            ("{required: [boat], properties: {boat: {type: integer}}}", true),
            ("{properties: {boat: {type: integer}}}", false),
            ("{properties: {total_price: {type: number}}}", false),
            (
                "{required: [size], properties: {size: {type: integer, maximum: 9}}}",
                false,
            ),
            (
                "{required: [code], properties: {code: {type: string, pattern: '^[A-Z]{3}$'}}}",
                true,
            ),
            ("{required: [name], properties: {name: {type: string}}}", false),
            (
                "{required: [kind], properties: {kind: {type: integer, enum: [1, 2]}}}",
                false,
            ),
        ] {
            let draft = drafted(schema).unwrap();
            assert_eq!(draft.may_name_an_unknown_record(), made_up, "{schema}");
        }
    }

    #[test]
    fn a_body_is_of_one_definition_that_inherits_with_the_value_that_names_it() {
        let pet = "{type: object, required: [kind], properties: {kind: {type: string}, age: {type: boolean}}, discriminator: \
                   {propertyName: kind, mapping: {dog: '#/components/schemas/Dog'}}}";
        let own = |name: &str| {
            format!(
                "{{allOf: [{{$ref: '#/components/schemas/Pet'}}, {{type: object, properties: {{{name}: {{type: boolean}}}}}}]}}"
            )
        };
        let text = |schema: &str| {
            format!(
                "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths: {{/a: {{post: {{requestBody: {{content: \
                 {{application/json: {{schema: {schema}}}}}}}, responses: {{'201': {{description: a}}}}}}}}}}\ncomponents:\n  \
                 schemas:\n    Pet: {pet}\n    Dog: {}\n    Cat: {}\n",
                own("barks"),
                own("purrs")
            )
        };
        for (schema, body) in [
            (
                "{$ref: '#/components/schemas/Pet'}",
                json!({"kind": "dog", "age": false, "barks": false}),
            ),
            (
                "{$ref: '#/components/schemas/Cat'}",
                json!({"kind": "Cat", "age": false, "purrs": false}),
            ),
            (
                "{type: object, properties: {pet: {$ref: '#/components/schemas/Pet'}}}",
                json!({"pet": {"kind": "dog", "age": false, "barks": false}}),
            ),
        ] {
            let contract = Contract::read("a.yaml", text(schema)).unwrap();
            let template = Template::of(&contract, OperationId(0));
            let draft = template.draft(&Bindings::default(), (&RunTag::new(0, 1), 0), TimestampFormat::Utc);
            assert_eq!(draft.unwrap().body().0, body, "{schema}");
        }
    }

    #[test]
    fn a_body_keeps_its_schema() {
        let tag = RunTag::new(0, 1).numbered(0);
        for (schema, body) in [
            (
                "{type: object, properties: {a: {type: string, maxLength: 1}, b: {type: integer, maximum: 9, multipleOf: 4}}}",
                json!({"a": tag.chars().last().map(String::from), "b": 4}),
            ),
            (
                "{type: object, properties: {a: {type: array, minItems: 2, uniqueItems: true, items: {type: string}}}}",
                json!({"a": [format!("countersign-{tag}"), format!("countersign-{tag}-1")]}),
            ),
            (
                "{type: object, required: [stamp, on], properties: {stamp: {$ref: '#/components/schemas/Stamp'}, on: {type: boolean}}}",
                json!({"on": false}),
            ),
            (
                "{type: object, properties: {a: {type: string}, b: {type: integer, maximum: 9}, c: {type: string}}}",
                json!({"a": format!("countersign-{tag}"), "b": 1, "c": format!("countersign2-{tag}")}),
            ),
            ("{type: string, enum: [left, right]}", json!("left")),
            ("{type: string, enum: [on, off]}", json!("off")),
            ("{type: array, items: {type: boolean}}", json!([false])),
        ] {
            assert_eq!(made(schema), Ok(body), "{schema}");
        }
    }

    #[test]
    fn what_is_not_admitted_is_left_out_unless_it_is_required() {
        let pair = |required: &str| {
            made(&format!(
                "{{type: object, required: [{required}], properties: {{on: {{type: boolean}}, never: {{type: string, not: \
                 {{type: string}}}}, box: {{type: object, required: [in_id], properties: {{in_id: {{type: integer}}, off: \
                 {{type: boolean}}}}}}}}}}"
            ))
        };
        assert_eq!(pair("on"), Ok(json!({"on": false})));
        assert_eq!(
            pair("box").unwrap_err(),
            "its body requires `/box/in_id`, for which the run cannot make up a value"
        );
        assert_eq!(
            pair("never").unwrap_err(),
            "its body requires `/never`, for which the run cannot make up a value"
        );
        assert_eq!(
            made("{type: object, minProperties: 2, properties: {on: {type: boolean}}}").unwrap_err(),
            "the run cannot make a body that `minProperties` in its schema admits"
        );
    }

    #[test]
    fn a_required_map_of_texts_has_a_text_and_another_object_is_empty() {
        let tag = RunTag::new(0, 1).numbered(0);
        let (text, second) = (format!("countersign-{tag}"), format!("countersign2-{tag}"));
        let map = |more: &str| format!("{{type: object, additionalProperties: {{type: string}}{more}}}");
        for (schema, value) in [
            (map(""), json!({"countersign": text})),
            (map(", example: {de: Saal, en: Hall}"), json!({"de": text})),
            (map(", example: {Ada: Hall, en: Hall}"), json!({"countersign": text})),
            (
                map(", minProperties: 2"),
                json!({"countersign": text, "countersign2": text}),
            ),
            (format!("{{allOf: [{}]}}", map("")), json!({"countersign": text})),
            (
                "{type: object, additionalProperties: {type: string, maxLength: 3}}".to_owned(),
                json!({"countersign": &tag[tag.len() - 3..]}),
            ),
            (
                "{type: object, additionalProperties: {type: integer}}".to_owned(),
                json!({}),
            ),
            ("{type: object, additionalProperties: {}}".to_owned(), json!({})),
            ("{type: object}".to_owned(), json!({})),
            ("{description: Any value}".to_owned(), json!({})),
        ] {
            let body = |required: &str| {
                made(&format!(
                    "{{type: object, required: [{required}, on], properties: {{label: {schema}, on: {{type: \
                     boolean}}}}}}"
                ))
            };
            assert_eq!(body("label"), Ok(json!({"label": value, "on": false})), "{schema}");
            assert_eq!(body("on"), Ok(json!({"on": false})), "{schema}");
        }
        let two = made(&format!(
            "{{type: object, required: [tags, b], properties: {{tags: {}, b: {{type: string}}}}}}",
            map("")
        ));
        assert_eq!(two, Ok(json!({"tags": {"countersign": text}, "b": second})));
    }

    #[test]
    fn a_text_is_in_the_language_that_the_list_shows_which_is_printed_only_if_it_is_documented() {
        let document = "openapi: 3.0.3
info: {title: Rooms, version: '1'}
paths:
  /rooms:
    get: {responses: {'200': {description: Rooms, content: {application/json: {schema: {type: array, items: {
      $ref: '#/components/schemas/Room'}}}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Room'}}}}
      responses: {'201': {description: Added, content: {application/json: {schema: {
        $ref: '#/components/schemas/Room'}}}}}
  /rooms/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {responses: {'200': {description: A room, content: {application/json: {schema: {
      $ref: '#/components/schemas/Room'}}}}}}
components:
  schemas:
    Room: {type: object, required: [name], properties: {id: {type: integer, readOnly: true}, name: {type: object,
      additionalProperties: {type: string}, example: {en: Hall, fr: Salle}}}}
";
        let contract = Contract::read("rooms.yaml", document.to_owned()).unwrap_or_else(|defect| panic!("{defect}"));
        let (list, create) = (OperationId(0), OperationId(1));
        for (name, language, from_target) in [
            (json!({"de": "Saal"}), "de", &["/name".to_owned()][..]),
            (json!({"fr": "Salle"}), "fr", &[]),
            (json!({"ada": "Saal"}), "en", &[]),
            (json!("Saal"), "en", &[]),
        ] {
            let mut bindings = Bindings::default();
            bindings.bind(&contract, list, &json!([{"id": 1, "name": name}]));
            let template = Template::of(&contract, create);
            let draft = template.draft(&bindings, (&RunTag::new(0, 1), 0), TimestampFormat::Utc);
            let (body, shown) = draft.unwrap().body();
            let text = format!("countersign-{}", RunTag::new(0, 1).numbered(0));
            assert_eq!(
                (body, &shown[..]),
                (json!({"name": {language: text}}), from_target),
                "{name}"
            );
        }
    }

    #[test]
    fn no_object_is_made_up_that_gives_rights_or_that_its_schema_does_not_admit() {
        for (name, schema) in [
            ("permissions", "{type: object}"),
            ("applies_to", "{type: object}"),
            ("expression", "{}"),
            ("data", "{type: object, description: 'Empty: the whole company.'}"),
            ("targets", "{type: array, items: {type: object}}"),
            ("grants", "{type: object, additionalProperties: {type: string}}"),
            ("invitees", "{type: object, additionalProperties: {type: string}}"),
            ("members", "{type: object, additionalProperties: {type: string}}"),
            ("label", "{type: object, minProperties: 1}"),
            (
                "label",
                "{type: object, additionalProperties: {type: integer}, minProperties: 1}",
            ),
        ] {
            let lack = made(&format!(
                "{{type: object, required: [{name}], properties: {{{name}: {schema}}}}}"
            ));
            let lack = lack.unwrap_err();
            assert!(lack.contains(&format!("`/{name}`")), "{schema}: {lack}");
        }
    }

    #[test]
    fn an_alternative_is_taken_that_a_body_can_be_made_of() {
        let schema = |first: &str, second: &str| {
            format!(
                "{{oneOf: [{{$ref: '#/components/schemas/{first}'}}, {{$ref: '#/components/schemas/{second}'}}], discriminator: \
                 {{propertyName: kind, mapping: {{tom: '#/components/schemas/Cat'}}}}}}"
            )
        };
        let name = RunTag::new(0, 1).numbered(0);
        let name = &name[name.len() - 3..];
        for alternatives in [("Cat", "Stray"), ("Stray", "Cat")] {
            let made = made(&schema(alternatives.0, alternatives.1));
            assert_eq!(made, Ok(json!({"kind": "tom", "name": name})), "{alternatives:?}");
        }
        let lack = made(&schema("Stray", "Stray")).unwrap_err();
        assert!(lack.contains("`oneOf`"), "{lack}");
    }

    #[test]
    fn no_more_fields_are_read_than_a_body_may_have() {
        let schema = |number: usize| {
            let refers = |other: usize| format!("r{other}: {{$ref: '#/components/schemas/S{other}'}}");
            let refers: Vec<_> = (0..8).filter(|other| *other != number).map(refers).collect();
            format!(
                "    S{number}: {{type: object, properties: {{name: {{type: string}}, {}}}}}\n",
                refers.join(", ")
            )
        };
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths: {{/a: {{post: {{requestBody: {{content: \
             {{application/json: {{schema: {{$ref: '#/components/schemas/S0'}}}}}}}}, responses: {{'201': {{description: \
             a}}}}}}}}}}\ncomponents:\n  schemas:\n{}",
            (0..8).map(schema).collect::<String>()
        );
        let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let template = Template::of(&contract, OperationId(0));
        assert_eq!(template.fields.len(), MAX_FIELDS);
        let draft = template.draft(&Bindings::default(), (&RunTag::new(0, 1), 0), TimestampFormat::Utc);
        assert!(draft.unwrap().body().0["name"].is_string());
    }

    #[test]
    fn each_element_of_an_array_is_carried_where_any_is() {
        let tags = "{type: array, minItems: 2, items: {type: string}}";
        let json = |properties: &str| {
            format!("content: {{application/json: {{schema: {{type: object, properties: {{{properties}}}}}}}}}")
        };
        let (sent, shown) = (
            json(&format!("tags: {tags}, names: {tags}")),
            json(&format!("id: {{type: string}}, tags: {tags}")),
        );
        let created = "{resource: '', id: /id, carries: [{sent: '/tags/*', kept: '/tags/*'}]}";
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /a:\n    post:\n      x-invariants: \
             {{created: {created}}}\n      requestBody: {{{sent}}}\n      \
             responses: {{'201': {{description: a, {shown}}}}}\n"
        );
        let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let template = Template::of(&contract, OperationId(0));
        let fields = template.fields.iter();
        let carried: Vec<_> = fields.map(|field| (field.pointer.as_str(), field.is_carried)).collect();
        let (tags, names) = (
            [("/tags/0", true), ("/tags/1", true)],
            [("/names/0", false), ("/names/1", false)],
        );
        assert_eq!(carried, [tags, names].concat());
    }
}
