//! States what the contract says about each operation: its parameters, its request and its responses.

use serde_json::{Map, Value};

use super::contract::{Contract, escape};
use super::schema::Parts;
use super::statement::Statements;

const OPERATION_KEYS: [&str; 5] = ["operationId", "summary", "parameters", "requestBody", "responses"];

impl Contract {
    pub(super) fn say_operation(&self, said: &mut Statements, operation: &str) {
        let id = self.text(&format!("{operation}/operationId"));
        let (path, method) = operation["/paths/".len()..]
            .rsplit_once('/')
            .expect("an operation has a method");
        let path = path.replace("~1", "/").replace("~0", "~");
        said.say(id, format!("{} {path}", method.to_uppercase()), operation);
        said.say(
            format!("{id} name"),
            self.text(&format!("{operation}/summary")),
            format!("{operation}/summary"),
        );
        self.say_strays(said, id, operation, &OPERATION_KEYS);
        self.say_security(said, id, operation);
        for index in 0..self.find(&format!("{operation}/parameters")).map_or(0, count) {
            self.say_parameter(said, id, &self.resolve(&format!("{operation}/parameters/{index}")));
        }
        if self.at(operation).get("requestBody").is_some() {
            let request = self.resolve(&format!("{operation}/requestBody"));
            self.say_strays(said, &format!("{id} request"), &request, &["content"]);
            self.say_body(said, &format!("{id} request"), &request, &["schema", "example"]);
        }
        for status in self.object(&format!("{operation}/responses")).keys() {
            let location = format!("{id} response {status}");
            let response = self.resolve(&format!("{operation}/responses/{status}"));
            said.note(&location, self.text(&format!("{response}/description")), &response);
            self.say_strays(said, &location, &response, &["description", "content", "links"]);
            self.say_body(said, &location, &response, &["schema"]);
        }
    }

    fn say_security(&self, said: &mut Statements, id: &str, operation: &str) {
        let own = format!("{operation}/security");
        let pointer = if self.find(&own).is_some() {
            own.as_str()
        } else {
            "/security"
        };
        let choices = self.find(pointer).and_then(Value::as_array).into_iter().flatten();
        let choices = choices.map(|choice| {
            let schemes = choice.as_object().into_iter().flat_map(Map::keys).map(|name| {
                let scheme = format!("/components/securitySchemes/{name}");
                format!(
                    "{name}: {} {}",
                    self.text(&format!("{scheme}/type")),
                    self.text(&format!("{scheme}/scheme"))
                )
            });
            schemes.collect::<Vec<_>>().join(" and ")
        });
        said.say(
            format!("{id} security"),
            choices.collect::<Vec<_>>().join(" or "),
            pointer,
        );
    }

    fn say_parameter(&self, said: &mut Statements, id: &str, pointer: &str) {
        let location = format!("{id} parameter {}", self.text(&format!("{pointer}/name")));
        self.say_strays(
            said,
            &location,
            pointer,
            &["name", "in", "required", "description", "schema"],
        );
        let required = self
            .at(pointer)
            .get("required")
            .and_then(Value::as_bool)
            .unwrap_or_default();
        let presence = if required { "required" } else { "optional" };
        let kind = Parts::of(self, &format!("{pointer}/schema")).kind();
        said.say(
            &location,
            format!("{} {presence} {kind}", self.text(&format!("{pointer}/in"))),
            pointer,
        );
        let note = self.text(&format!("{pointer}/description"));
        if !note.is_empty() {
            said.note(format!("{location} note"), note, format!("{pointer}/description"));
        }
    }

    fn say_body(&self, said: &mut Statements, location: &str, holder: &str, keys: &[&str]) {
        let Some(content) = self.at(holder).get("content").and_then(Value::as_object) else {
            return;
        };
        let types: Vec<_> = content.keys().map(String::as_str).collect();
        said.say(
            format!("{location} media"),
            types.join(" or "),
            format!("{holder}/content"),
        );
        // A second media type is a difference already; its schema has no place in the document.
        let Some(first) = types.first() else { return };
        let media = format!("{holder}/content/{}", escape(first));
        self.say_strays(said, &format!("{location} body"), &media, keys);
        Parts::of(self, &format!("{media}/schema")).say(said, &format!("{location} body"), "");
    }
}

fn count(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}
