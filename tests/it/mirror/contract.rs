//! Reads `openapi.yaml` into statements about every location of the interface.
//!
//! References and `allOf` are resolved, so that the model describes what goes over the wire, not how the file is
//! organised. A keyword that this reader does not expect becomes a statement of its own, so that nothing can be added
//! unnoticed. Main type: [`Contract`].

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::statement::Statements;

pub(super) struct Contract {
    root: Value,
    /// The components that a reference has led to.
    used: RefCell<BTreeSet<String>>,
}

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

impl Contract {
    pub(super) fn read(text: &str) -> Self {
        let yaml: serde_yaml::Value = serde_yaml::from_str(text).unwrap_or_else(|error| panic!("no YAML: {error}"));
        let root = serde_yaml::from_value(yaml).unwrap_or_else(|error| panic!("no JSON: {error}"));
        Self {
            root,
            used: RefCell::default(),
        }
    }

    pub(super) fn find(&self, pointer: &str) -> Option<&Value> {
        self.root.pointer(pointer)
    }

    pub(super) fn at(&self, pointer: &str) -> &Value {
        self.find(pointer)
            .unwrap_or_else(|| panic!("the contract has `{pointer}`"))
    }

    pub(super) fn object(&self, pointer: &str) -> &Map<String, Value> {
        self.at(pointer)
            .as_object()
            .unwrap_or_else(|| panic!("`{pointer}` is an object"))
    }

    /// The locations whose `x-gap` names this gap.
    pub(super) fn naming(&self, gap: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut left = vec![(String::new(), &self.root)];
        while let Some((pointer, value)) = left.pop() {
            let named = value.get("x-gap").and_then(Value::as_array).into_iter().flatten();
            if named.clone().any(|id| id == gap) {
                found.push(pointer.clone());
            }
            let below = |name: &str| format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            match value {
                Value::Object(members) => left.extend(members.iter().map(|(name, value)| (below(name), value))),
                Value::Array(elements) => {
                    let elements = elements.iter().enumerate();
                    left.extend(elements.map(|(index, value)| (below(&index.to_string()), value)));
                }
                _ => {}
            }
        }
        found
    }

    pub(super) fn text(&self, pointer: &str) -> &str {
        self.find(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// Follows a reference, if there is one.
    pub(super) fn resolve(&self, pointer: &str) -> String {
        match self.at(pointer).get("$ref").and_then(Value::as_str) {
            Some(reference) => self.follow(reference),
            None => pointer.to_owned(),
        }
    }

    pub(super) fn follow(&self, reference: &str) -> String {
        let pointer = reference
            .strip_prefix('#')
            .unwrap_or_else(|| panic!("`{reference}` stays in the file"));
        self.used.borrow_mut().insert(pointer.to_owned());
        pointer.to_owned()
    }

    /// The pointers to the operations.
    pub(super) fn operations(&self) -> Vec<String> {
        let paths = self.object("/paths");
        let methods = paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().into_iter().flat_map(Map::keys);
            let methods = methods.filter(|key| METHODS.contains(&key.as_str()));
            methods.map(move |method| format!("/paths/{}/{method}", escape(path)))
        });
        methods.collect()
    }

    /// Everything that the contract says about requests and responses.
    pub(super) fn statements(&self) -> Statements {
        let mut said = Statements::default();
        self.say_interface(&mut said);
        for path in self.object("/paths").keys() {
            self.say_strays(&mut said, path, &format!("/paths/{}", escape(path)), &METHODS);
        }
        for operation in self.operations() {
            self.say_operation(&mut said, &operation);
        }
        self.say_unused(&mut said);
        said
    }

    fn say_interface(&self, said: &mut Statements) {
        self.say_strays(
            said,
            "interface",
            "",
            &["openapi", "info", "servers", "security", "paths", "components"],
        );
        self.say_strays(said, "interface info", "/info", &["title", "description", "version"]);
        said.say("interface", self.text("/info/title"), "/info/title");
        said.note("interface note", self.text("/info/description"), "/info/description");
        said.say("interface version", self.text("/info/version"), "/info/version");
        for index in 1..self.at("/servers").as_array().map_or(0, Vec::len) {
            said.say(
                format!("interface server {index}"),
                "another server",
                format!("/servers/{index}"),
            );
        }
        said.say("interface server", self.text("/servers/0/url"), "/servers/0/url");
        said.note(
            "interface server note",
            self.text("/servers/0/description"),
            "/servers/0/description",
        );
        let variables: Vec<_> = self.object("/servers/0/variables").keys().map(String::as_str).collect();
        said.say(
            "interface server variables",
            variables.join(" "),
            "/servers/0/variables",
        );
        let scheme = "/components/securitySchemes/bearerAuth";
        self.say_strays(said, "interface credential", scheme, &["type", "scheme", "description"]);
        said.note(
            "interface credential",
            self.text(&format!("{scheme}/description")),
            scheme,
        );
    }

    /// States keys that are neither expected nor our own.
    pub(super) fn say_strays(&self, said: &mut Statements, location: &str, pointer: &str, expected: &[&str]) {
        for (key, value) in self.object(pointer) {
            if !expected.contains(&key.as_str()) && !key.starts_with("x-") {
                said.say(
                    format!("{location} has {key}"),
                    value.to_string(),
                    format!("{pointer}/{}", escape(key)),
                );
            }
        }
    }

    /// States components that nothing leads to.
    fn say_unused(&self, said: &mut Statements) {
        self.used
            .borrow_mut()
            .insert("/components/securitySchemes/bearerAuth".to_owned());
        for (kind, components) in self.object("/components") {
            for name in components.as_object().into_iter().flat_map(Map::keys) {
                let pointer = format!("/components/{kind}/{name}");
                if !self.used.borrow().contains(&pointer) {
                    said.say(format!("component {name}"), "used nowhere", pointer);
                }
            }
        }
    }

    /// The component schemas, by pointer.
    pub(super) fn schemas(&self) -> Vec<String> {
        let names = self.object("/components/schemas").keys();
        names.map(|name| format!("/components/schemas/{name}")).collect()
    }
}

/// Writes a key as a token of a JSON pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
