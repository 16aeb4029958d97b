//! Generates the client from `openapi.yaml` and the overlay beside it: checks them, projects the contract to what
//! progenitor reads, writes Rust.

use std::collections::HashMap;
use std::num::TryFromIntError;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

use contract::Contract;
use contract::defect::Defects;
use contract::document::{Document, Node, NodeKind, Position};
use contract::tree;

// The contract's own reader, so that a build and a check report a broken contract in the same words.
#[expect(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "a build asks only whether the contract can be read"
)]
#[path = "src/contract/mod.rs"]
mod contract;
#[path = "src/client/generate/mod.rs"]
mod generate;
#[path = "src/client/projection/mod.rs"]
mod projection;

const CONTRACT: &str = "openapi.yaml";
/// The answers to gaps that the built-in contract states. While the file is missing, each build runs this script.
const OVERLAY: &str = "openapi.overlay.yaml";

fn main() {
    println!("cargo::rerun-if-changed={CONTRACT}");
    println!("cargo::rerun-if-changed={OVERLAY}");
    if let Err(message) = write_client() {
        // Cargo fails the build for these lines and shows nothing else; a panic or an exit code would add a trace and
        // everything that this script has printed.
        message.lines().for_each(|line| println!("cargo::error={line}"));
    }
}

fn write_client() -> Result<(), String> {
    let text = fs::read_to_string(CONTRACT).map_err(|error| format!("{CONTRACT} can't be read: {error}"))?;
    let document =
        Document::read_allowing_repeated_names(CONTRACT, text).map_err(|defect| Defects::from(defect).to_string())?;
    write("tree.rs", &stored_tree(&document.root)?)?;
    let mut contract = parse(document.text())?;
    let document = overlaid(document, &mut contract)?;
    let document = Contract::of_document(document)
        .map_err(|defects| defects.to_string())?
        .document;
    generated_from(&document)?;
    let report = |error: projection::GenerateError| {
        let position = document.position(&error.pointer);
        let Position { line, column, .. } = position;
        let place = format!("{}:{line}:{column} ({})", document.file(position), error.pointer);
        format!("{place}: no client can be generated: {}", error.message)
    };
    let projected = projection::project(&contract).map_err(report)?;
    let client = generate::client(&contract, &projected).map_err(report)?;
    write("client.rs", &client)?;
    // The tests compare the client with both.
    write("contract.json", &contract.to_string())?;
    write("projected.json", &format!("{projected:#}"))
}

/// Returns the tree as the expression of a `StoredTree`, so that a program need not read the contract's text.
fn stored_tree(root: &Node) -> Result<String, String> {
    let mut stored = Stored::default();
    stored.node(root).map_err(|_| format!("{CONTRACT} is too large"))?;
    let mut strings: Vec<_> = stored.strings.into_iter().collect();
    strings.sort_unstable_by_key(|(_, index)| *index);
    let strings = strings.into_iter().map(|(string, _)| string).collect::<Vec<_>>();
    Ok(format!(
        "StoredTree {{ strings: &{strings:?}, numbers: &{:?} }}",
        stored.numbers
    ))
}

/// The numbers and strings of a tree: see `StoredTree`.
#[derive(Default)]
struct Stored {
    strings: HashMap<String, u32>,
    numbers: Vec<u32>,
}

impl Stored {
    fn node(&mut self, node: &Node) -> Result<(), TryFromIntError> {
        let kind = match &node.kind {
            NodeKind::Null => tree::NULL,
            NodeKind::Boolean(true) => tree::TRUE,
            NodeKind::Boolean(false) => tree::FALSE,
            NodeKind::Number(_) => tree::NUMBER,
            NodeKind::String(_) => tree::STRING,
            NodeKind::Array(_) => tree::ARRAY,
            NodeKind::Object(_) => tree::OBJECT,
        };
        self.numbers.push(kind);
        self.position(node.position);
        match &node.kind {
            NodeKind::Null | NodeKind::Boolean(_) => {}
            NodeKind::Number(number) => self.string(&number.to_string())?,
            NodeKind::String(string) => self.string(string)?,
            NodeKind::Array(elements) => self.numbers.push(u32::try_from(elements.len())?),
            NodeKind::Object(_) => self.numbers.push(u32::try_from(node.members().len())?),
        }
        for element in node.elements() {
            self.node(element)?;
        }
        for member in node.members() {
            self.string(&member.name)?;
            self.position(member.position);
            self.node(&member.node)?;
        }
        Ok(())
    }

    fn position(&mut self, position: Position) {
        self.numbers.extend([position.line, position.column]);
    }

    fn string(&mut self, string: &str) -> Result<(), TryFromIntError> {
        let next = u32::try_from(self.strings.len())?;
        self.numbers
            .push(*self.strings.entry(string.to_owned()).or_insert(next));
        Ok(())
    }
}

/// Applies the overlay, if there is one, and writes down its text for the built-in contract.
fn overlaid(document: Document, contract: &mut Value) -> Result<Document, String> {
    if !Path::new(OVERLAY).exists() {
        write("overlay.yaml", "")?;
        return Ok(document);
    }
    let text = fs::read_to_string(OVERLAY).map_err(|error| format!("{OVERLAY} can't be read: {error}"))?;
    write("overlay.yaml", &text)?;
    let before = document.root.to_value();
    let document = document
        .with_overlay(OVERLAY, text)
        .map_err(|defects| defects.to_string())?;
    let after = document.root.to_value();
    if after != before {
        *contract = after;
    }
    Ok(document)
}

/// Checks that the document is of the version that the generator of the client reads; a check reads later ones too.
fn generated_from(document: &Document) -> Result<(), String> {
    let version = document
        .root
        .member("openapi")
        .and_then(Node::string)
        .unwrap_or_default();
    if version.starts_with("3.0.") {
        return Ok(());
    }
    let Position { line, column, .. } = document.position("/openapi");
    let place = format!("{CONTRACT}:{line}:{column} (/openapi)");
    Err(format!(
        "{place}: no client can be generated: this is OpenAPI `{version}`, and the generator reads 3.0; convert the \
         document to 3.0"
    ))
}

/// Parses in two steps, because duplicate keys go unnoticed when a YAML text is parsed straight into JSON.
fn parse(text: &str) -> Result<Value, String> {
    let fail = |error: serde_yaml::Error| format!("{CONTRACT}: {error}");
    let yaml: serde_yaml::Value = serde_yaml::from_str(text).map_err(fail)?;
    serde_yaml::from_value(yaml).map_err(fail)
}

fn write(name: &str, text: &str) -> Result<(), String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "Cargo tells a build script by the environment where to write"
    )]
    let directory = env::var("OUT_DIR").map_err(|error| format!("OUT_DIR: {error}"))?;
    fs::write(Path::new(&directory).join(name), text).map_err(|error| format!("{name} can't be written: {error}"))
}
