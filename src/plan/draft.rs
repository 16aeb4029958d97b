//! Makes a request body from the contract's schema, what the target showed, and the run's mark. The main type is
//! [`Draft`].

use serde_json::{Map, Value};

use super::awkward::Slots;
use super::known::Known;
use super::source::NoValue;
use super::synthetic::{self, Mark};
use super::understood;
use super::variety::{self, Nature};
use crate::contract::document::Node;
use crate::contract::link::{Link, Target};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampForm;
use crate::contract::{Contract, pointer};
use crate::exchange::is_plain_identifier;

/// Numbers from here to twice as much go where an identifier may be asked for: few lists have as many records, and an integer
/// of 32 bits holds them.
const LEAST_UNLIKELY: u32 = 1_000_000_000;

/// Whether a value that a target gave, which may be the identifier of a record, looks like data: an address, a name.
fn looks_like_data(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !is_plain_identifier(text))
}

/// A body in the making: for each field the values it may be sent with, and the one chosen now.
#[derive(Clone, Debug)]
pub struct Draft {
    operation: OperationId,
    /// The form of its field that has several.
    form: TimestampForm,
    /// The fields, in the order of the schema.
    pub(super) leaves: Vec<Leaf>,
    /// Which draft of the run it is.
    pub(super) number: u64,
}

/// One field of a draft.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// Where it stands in the body; arrays have one element, but where awkward values ask for more.
    pub(super) pointer: String,
    pub(super) choices: Vec<Choice>,
    /// The choice now; past the last one the field is left out.
    pub(super) chosen: usize,
    /// Whether a gap of the contract touches the field by name.
    pub(super) leans: bool,
    /// Values as good as the choices, for a body that must differ.
    pub(super) others: Vec<Choice>,
    pub(super) nature: Nature,
    /// Whether the contract states that the body must have the field at its top.
    pub(super) required: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Choice {
    value: Value,
    /// Whether the target showed it, so that it must not be printed.
    learned: bool,
}

impl Choice {
    /// A value of the contract or of the run.
    pub(super) fn own(value: Value) -> Self {
        Self { value, learned: false }
    }
}

impl Leaf {
    /// The field at the top of the body that it is, or is a part of.
    pub(super) fn field(&self) -> Option<&str> {
        let end = self
            .pointer
            .get(1..)?
            .find('/')
            .map_or(self.pointer.len(), |end| end + 1);
        self.pointer.get(..end)
    }

    /// The value that it is sent with; none where it is left out.
    pub(super) fn value(&self) -> Option<&Value> {
        self.choices.get(self.chosen).map(|choice| &choice.value)
    }

    /// The choice so many places behind the one now, of those that come from where it comes from.
    pub(super) fn another_of_its_origin(&self, places: usize) -> usize {
        let Some(now) = self.choices.get(self.chosen) else {
            return self.chosen;
        };
        let alike = self
            .choices
            .iter()
            .enumerate()
            .filter(|(_, choice)| choice.learned == now.learned);
        let alike: Vec<_> = alike.map(|(index, _)| index).collect();
        let place = alike.iter().position(|index| *index == self.chosen).unwrap_or(0);
        alike
            .get((place + places) % alike.len().max(1))
            .copied()
            .unwrap_or(self.chosen)
    }

    /// Sends this value and no other.
    pub(super) fn set(&mut self, value: Value) {
        self.choices = vec![Choice::own(value)];
        self.chosen = 0;
    }

    /// Changes the text that it is sent with, if it is sent with one.
    pub(super) fn rewrite(&mut self, change: impl Fn(&str) -> Option<String>) {
        let changed = self.value().and_then(Value::as_str).and_then(change);
        if let Some(changed) = changed {
            self.set(Value::String(changed));
        }
    }

    /// Chooses another value that `fits`, if there is one.
    pub(super) fn choose_another(&mut self, fits: impl Fn(&Value) -> bool) {
        let later = self.choices.get(self.chosen + 1..).unwrap_or_default();
        let other = later.iter().chain(&self.others).find(|choice| fits(&choice.value));
        if let Some(other) = other.cloned() {
            self.choices = vec![other];
            self.chosen = 0;
        }
    }
}

/// What a draft is made from.
struct Maker<'make> {
    contract: &'make Contract,
    operation: OperationId,
    known: &'make Known,
    mark: String,
    number: u64,
    form: TimestampForm,
    example: Option<&'make Value>,
    /// The fields at the top of the body that it must have.
    required: Vec<String>,
    leaves: Vec<Leaf>,
    /// The first field that must have a value that is not known.
    lacking: Option<NoValue>,
}

impl Draft {
    /// Drafts the body of an operation. `number` counts the drafts of a run; `form` is the form of its timestamps.
    ///
    /// # Errors
    ///
    /// [`NoValue`] when a field that the laws say is carried takes an identifier that no answer has shown.
    pub fn new(
        contract: &Contract,
        operation: OperationId,
        known: &Known,
        mark: (&Mark, u64),
        form: TimestampForm,
    ) -> Result<Self, NoValue> {
        let maker = Maker::made(contract, operation, known, mark, form);
        let number = mark.1;
        match maker.lacking {
            Some(lacking) => Err(lacking),
            None => Ok(Self {
                operation,
                form,
                leaves: maker.leaves,
                number,
            }),
        }
    }

    /// The operation whose body it is.
    #[must_use]
    pub fn operation(&self) -> OperationId {
        self.operation
    }

    /// The form of its field that has several.
    #[must_use]
    pub fn form(&self) -> TimestampForm {
        self.form
    }

    /// What of an operation's body can be awkward, before anything is known of its values.
    pub(super) fn slots(contract: &Contract, operation: OperationId) -> Slots {
        let mark = Mark::new(0, 0);
        Slots::of(&Maker::made(contract, operation, &Known::default(), (&mark, 0), TimestampForm::Utc).leaves)
    }

    /// Leaves out and chooses as another draft of the same operation does: the same value where it is still a choice, for
    /// the target may have shown more since, else the one in the same place.
    pub fn choose_as(&mut self, other: &Self) {
        for leaf in &mut self.leaves {
            let same = other.leaves.iter().find(|other| other.pointer == leaf.pointer);
            let chosen = same.and_then(|same| {
                let value = same.value()?;
                let still = leaf.choices.iter().position(|choice| choice.value == *value);
                Some(still.unwrap_or(same.chosen))
            });
            leaf.chosen = chosen.unwrap_or(leaf.choices.len());
        }
    }

    /// The same with the next choice of its timestamps; none where they have no other.
    #[must_use]
    pub fn at_another_time(&self) -> Option<Self> {
        let mut other = self.clone();
        let timestamps = other.leaves.iter_mut().filter(|leaf| leaf.nature == Nature::Timestamp);
        let with_others = timestamps.filter(|leaf| leaf.chosen + 1 < leaf.choices.len());
        let moved = with_others.map(|leaf| leaf.chosen += 1).count();
        (moved > 0).then_some(other)
    }

    /// Whether another draft of the same operation leaves out and chooses the same.
    #[must_use]
    pub fn same_choices(&self, other: &Self) -> bool {
        let chosen = |draft: &Self| -> Vec<_> {
            let leaves = draft.leaves.iter();
            leaves.map(|leaf| (leaf.pointer.clone(), leaf.chosen)).collect()
        };
        chosen(self) == chosen(other)
    }

    /// The body as it stands, and the pointers of the values in it that the target showed.
    #[must_use]
    pub fn body(&self) -> (Value, Vec<String>) {
        let mut body = Value::Object(Map::new());
        let mut learned = Vec::new();
        for leaf in &self.leaves {
            if let Some(choice) = leaf.choices.get(leaf.chosen) {
                insert(&mut body, &leaf.pointer, choice.value.clone());
                if choice.learned {
                    learned.push(leaf.pointer.clone());
                }
            }
        }
        (body, learned)
    }
}

impl<'make> Maker<'make> {
    /// Makes the fields of an operation's body.
    fn made(
        contract: &'make Contract,
        operation: OperationId,
        known: &'make Known,
        (mark, number): (&Mark, u64),
        form: TimestampForm,
    ) -> Self {
        let request = contract.operation(operation).request.as_ref();
        let mut maker = Maker {
            contract,
            operation,
            known,
            mark: mark.numbered(number),
            number,
            form,
            example: request.and_then(|request| request.example.as_ref()),
            required: variety::required(contract, operation),
            leaves: Vec::new(),
            lacking: None,
        };
        let schema = request.and_then(|request| request.schema.as_deref());
        if let Some(node) = schema.and_then(|schema| contract.document.node(&contract.resolve(schema))) {
            maker.schema((node, None), "", 0);
        }
        variety::tell_dates(&mut maker.leaves);
        maker
    }

    /// Makes the fields of a schema; `array` is the one whose items it describes.
    fn schema(&mut self, (schema, array): (&'make Node, Option<&'make Node>), at: &str, depth: usize) {
        let node = self.contract.referred(schema);
        if depth > 6 {
            return;
        }
        for part in node.member("allOf").map_or(&[][..], Node::elements) {
            self.schema((part, None), at, depth + 1);
        }
        if let Some(properties) = node.member("properties") {
            for property in properties.members() {
                if property.node.member("readOnly").and_then(Node::boolean) != Some(true) {
                    let at = pointer::join(at, &property.name);
                    self.schema((&property.node, None), &at, depth + 1);
                }
            }
        } else if let Some(items) = node.member("items").filter(|_| node.member("x-synthetic").is_none()) {
            self.schema((items, Some(node)), &pointer::join(at, "0"), depth + 1);
        } else if node.member("allOf").is_none() && !at.is_empty() {
            self.leaf((node, array), at);
        }
    }

    fn leaf(&mut self, (node, array): (&Node, Option<&Node>), at: &str) {
        let target = Target::Body(at.to_owned());
        let mut linked = self.known.values(self.contract, self.operation, &target);
        let has_laws = understood::has_laws(self.contract.operation(self.operation));
        // What a create of the run showed is its own; whatever else is there may be about somebody.
        linked.retain(|(link, _)| has_laws || !self.contract.operation(link.from).is_read());
        let choices = linked.into_iter().map(|(link, value)| self.choice(link, value));
        let mut choices: Vec<_> = choices.collect();
        if !has_laws {
            choices.extend(self.nobodys(node, at).map(Choice::own));
        } else if self.takes_identifier(&target) {
            if choices.is_empty() && self.is_carried(at) {
                let lacks = || self.known.lacks(self.contract, self.operation, &target, at);
                self.lacking.get_or_insert_with(lacks);
            }
        } else {
            let own = self.own(node, at).into_iter().map(Choice::own);
            // A text that carries the mark comes first: it is the run's own name for what it creates.
            let first = if node.member("x-synthetic").is_some() {
                0
            } else {
                choices.len()
            };
            choices.splice(first..first, own);
        }
        let leans = [Some(node), array]
            .into_iter()
            .flatten()
            .any(|node| node.member("x-gap").is_some());
        if !choices.is_empty() {
            let (others, nature) = self.variety(node, at, &target);
            let mut leaf = Leaf {
                pointer: at.to_owned(),
                choices,
                chosen: 0,
                leans,
                others,
                nature,
                required: false,
            };
            leaf.required = leaf
                .field()
                .is_some_and(|field| self.required.iter().any(|other| other == field));
            self.leaves.push(leaf);
        }
    }

    /// What else may be sent in the field, and what it is. A text of our own differs by its mark, and an identifier is
    /// never made up.
    fn variety(&self, node: &Node, at: &str, target: &Target) -> (Vec<Choice>, Nature) {
        let (contract, operation) = (self.contract, self.operation);
        if variety::is_name(contract, operation, node, at) {
            (Vec::new(), Nature::Name)
        } else if variety::is_address(contract, operation, node, at) {
            (Vec::new(), Nature::Address)
        } else if node.member("format").and_then(Node::text) == Some("date-time") {
            (Vec::new(), Nature::Timestamp)
        } else if node.member("x-synthetic").is_some() || self.takes_identifier(target) {
            (Vec::new(), Nature::Other)
        } else {
            (variety::other_examples(contract, operation, at), Nature::Other)
        }
    }

    fn choice(&self, link: &Link, value: &Value) -> Choice {
        Choice {
            value: value.clone(),
            learned: self.contract.operation(link.from).is_read() || looks_like_data(value),
        }
    }

    /// The contract's own values for a field, the best first: its synthetic text, instants, its place in the example, else
    /// one by its type.
    fn own(&self, node: &Node, at: &str) -> Vec<Value> {
        let example = self.example.and_then(|example| example.pointer(at));
        if let Some(text) = node.member("x-synthetic").and_then(Node::text) {
            return vec![Value::String(text.replace("{mark}", &self.mark))];
        }
        let accepts = &self.contract.operation(self.operation).laws.accepts;
        let takes_forms = accepts.iter().any(|accepts| accepts.sent == at);
        if takes_forms || node.member("format").and_then(Node::text) == Some("date-time") {
            let instants = synthetic::timestamps(example, self.form, self.number);
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

    fn by_type(&self, node: &Node) -> Option<Value> {
        let minimum = node.member("minimum").map(Node::to_value);
        Some(match node.member("type").and_then(Node::text)? {
            "boolean" => Value::Bool(true),
            "integer" | "number" => minimum.unwrap_or_else(|| Value::from(1)),
            "string" => match node.member("format").and_then(Node::text) {
                Some("date") => Value::from("2024-05-17"),
                Some("email") => Value::from(format!("countersign.{}@example.com", self.mark)),
                Some("uri") => Value::from("https://example.com/"),
                Some("uuid") => Value::from(uuid::Uuid::from_u128(u128::from(self.number) + 1).to_string()),
                _ => Value::from(format!("countersign-{}", self.mark)),
            },
            _ => return None,
        })
    }

    /// A value that is about nobody, for a body of which the contract does not say in our words what it writes: there an
    /// example may name a record, an account or a person that is really there. A free text is our own. A number without
    /// an upper bound, or with one that every record has room below, and a text of a pattern, may be an identifier, so they are sent only where they must be.
    fn nobodys(&self, node: &Node, at: &str) -> Option<Value> {
        let stated = |name: &str| node.member(name);
        let kind = stated("type").and_then(Node::text);
        let field = at.get(1..)?.split('/').next()?;
        let required = self.required.iter().any(|name| name.get(1..) == Some(field));
        if understood::names_a_record(at, Some(node)) {
            return None;
        }
        if stated("enum").is_some() || stated("x-synthetic").is_some() || kind == Some("boolean") {
            return self.own(node, at).into_iter().next();
        }
        if stated("pattern").is_some() {
            return self.own(node, at).into_iter().next().filter(|_| required);
        }
        let is_wide = |most: &Node| {
            most.to_value()
                .as_f64()
                .is_some_and(|most| most >= f64::from(LEAST_UNLIKELY) * 2.0)
        };
        if matches!(kind, Some("integer" | "number")) && stated("maximum").is_none_or(is_wide) {
            return required.then(|| self.unlikely(node));
        }
        let most = stated("maxLength").and_then(|most| most.to_value().as_u64());
        let most = most.and_then(|most| usize::try_from(most).ok());
        let value = self.by_type(node)?;
        let fits = |text: &str| most.is_none_or(|most| text.chars().count() <= most);
        value.as_str().is_none_or(fits).then_some(value)
    }

    /// A number that hardly is the identifier of a record, from the run's mark: 1 would be the first user's.
    fn unlikely(&self, node: &Node) -> Value {
        let letters = self.mark.bytes();
        let drawn = letters.fold(0_u32, |drawn, letter| {
            drawn.wrapping_mul(31).wrapping_add(letter.into())
        });
        let number = LEAST_UNLIKELY + drawn % LEAST_UNLIKELY;
        let least = node.member("minimum").map(Node::to_value);
        let beyond = least.filter(|least| least.as_f64().is_some_and(|least| least > f64::from(number)));
        beyond.unwrap_or_else(|| Value::from(number))
    }

    /// Whether the links lead an identifier here, one that must not be made up.
    fn takes_identifier(&self, target: &Target) -> bool {
        let links = self
            .contract
            .links_to(self.operation)
            .filter(|link| link.target == *target);
        let mut identifying = links.filter(|link| {
            let from = self.contract.operation(link.from);
            let listed = from.page.as_ref().map(|page| format!("{}/*{}", page.items, page.id));
            let created = from
                .laws
                .created
                .as_ref()
                .map(|created| format!("{}{}", created.resource, created.id));
            [listed, created]
                .into_iter()
                .flatten()
                .any(|identifier| identifier == link.value)
        });
        identifying.next().is_some() && !self.has_other_links(target)
    }

    /// Whether a link leads something else here too, as for tags, whose entries are identifiers or names.
    fn has_other_links(&self, target: &Target) -> bool {
        let links = self
            .contract
            .links_to(self.operation)
            .filter(|link| link.target == *target);
        let endings: std::collections::HashSet<_> = links
            .map(|link| link.value.rsplit('/').next().unwrap_or_default())
            .collect();
        endings.len() > 1
    }

    fn is_carried(&self, at: &str) -> bool {
        let laws = &self.contract.operation(self.operation).laws;
        laws.created
            .iter()
            .flat_map(|created| &created.carries)
            .any(|carry| pointer::any_element(at) == carry.sent)
    }
}

/// Puts a value into a body, making the objects and arrays on the way. A numeric token makes an array.
pub(super) fn insert(body: &mut Value, at: &str, value: Value) {
    let mut place = body;
    for token in pointer::tokens(at) {
        place = match token.parse::<usize>() {
            Ok(index) => {
                let mut elements = match place.take() {
                    Value::Array(elements) => elements,
                    _ => Vec::new(),
                };
                if elements.len() <= index {
                    elements.resize(index + 1, Value::Null);
                }
                *place = Value::Array(elements);
                &mut place[index]
            }
            Err(_) => {
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                &mut place[token]
            }
        };
    }
    *place = value;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn draft(known: &Known, operation: &str, form: TimestampForm) -> Result<Value, NoValue> {
        let contract = Contract::built_in().unwrap();
        let id = contract.operation_named(operation).unwrap();
        Draft::new(&contract, id, known, (&Mark::new(1, 1), 0), form).map(|draft| draft.body().0)
    }

    fn shown(operation: &str, body: &Value, known: &mut Known) {
        let contract = Contract::built_in().unwrap();
        known.learn(&contract, contract.operation_named(operation).unwrap(), body);
    }

    #[test]
    fn a_contact_is_made_of_what_the_target_shows_and_of_the_mark() {
        let mut known = Known::default();
        let contact =
            json!({"gender": "f", "nationality": null, "contact_methods": [{"type": "phone", "status": "ok"}]});
        shown("getContacts", &json!({"data": {"items": [contact]}}), &mut known);
        shown(
            "getVenues",
            &json!({"data": {"items": [{"id": "venue-1"}]}}),
            &mut known,
        );
        let body = draft(&known, "createContact", TimestampForm::Utc).unwrap();
        let mark = Mark::new(1, 1).numbered(0);
        assert_eq!(body["gender"], "f");
        assert_eq!(
            body["nationality"], "GB",
            "the contract's example, where the target shows null"
        );
        assert_eq!(body["venue_id"], "venue-1");
        assert_eq!(body["lastname"], format!("Check-{mark}"));
        let contact = format!("countersign.{mark}@example.com");
        assert_eq!(
            body["contact_methods"],
            json!([{"type": "phone", "contact": contact, "status": "ok"}])
        );
        assert_eq!(body["date_of_birth"], json!({"day": 28, "month": 2, "year": 1990}));
    }

    #[test]
    fn an_identifier_is_never_made_up() {
        let body = draft(&Known::default(), "createContact", TimestampForm::Utc).unwrap();
        assert!(body.get("venue_id").is_none());
        let missing = draft(&Known::default(), "createVisit", TimestampForm::Utc).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "createVisit needs a value for `/contact_id`, and no call of createContact succeeded"
        );
    }

    #[test]
    fn what_was_chosen_is_chosen_again_though_the_target_has_shown_more() {
        let contract = Contract::built_in().unwrap();
        let id = contract.operation_named("createContact").unwrap();
        let mut known = Known::default();
        let drafted =
            |known: &Known| Draft::new(&contract, id, known, (&Mark::new(1, 1), 0), TimestampForm::Utc).unwrap();
        let accepted = drafted(&known);
        shown(
            "getContacts",
            &json!({"data": {"items": [{"gender": "f"}]}}),
            &mut known,
        );
        let mut later = drafted(&known);
        later.choose_as(&accepted);
        assert_eq!(later.body().0["gender"], "female");
        shown("getVenues", &json!({"data": {"items": [{"id": "v-1"}]}}), &mut known);
        let mut later = drafted(&known);
        later.choose_as(&accepted);
        assert!(later.body().0.get("venue_id").is_none(), "a field that was left out");
    }

    #[test]
    fn a_timestamp_has_the_example_after_the_edge_and_nothing_after_that() {
        let mut known = Known::default();
        shown("createContact", &json!({"data": {"id": "c-1"}}), &mut known);
        shown("getVenues", &json!({"data": {"items": [{"id": "v-1"}]}}), &mut known);
        let draft = |operation| {
            let contract = Contract::built_in().unwrap();
            let id = contract.operation_named(operation).unwrap();
            Draft::new(&contract, id, &known, (&Mark::new(1, 1), 0), TimestampForm::Offset).unwrap()
        };
        let other = draft("createVisit").at_another_time().unwrap();
        assert_eq!(other.body().0["datetime"], "2024-05-17T09:30:00+02:00");
        assert!(other.at_another_time().is_none());
        assert!(draft("createTag").at_another_time().is_none());
    }

    #[test]
    fn a_timestamp_is_drafted_in_the_form_asked_for() {
        let mut known = Known::default();
        shown("createContact", &json!({"data": {"id": "c-1"}}), &mut known);
        shown("getVenues", &json!({"data": {"items": [{"id": "v-1"}]}}), &mut known);
        assert_eq!(
            draft(&known, "createVisit", TimestampForm::Utc).unwrap()["datetime"],
            "2024-02-29T22:30:37Z"
        );
        assert_eq!(
            draft(&known, "createVisit", TimestampForm::Offset).unwrap()["datetime"],
            "2025-01-01T00:30:53+13:00"
        );
    }
}
