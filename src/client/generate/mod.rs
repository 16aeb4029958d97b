//! Writes the client: progenitor's types and calls, and the streams of pages that progenitor has no form for.
//!
//! A *mark* is an `x-countersign-…` key that the projection puts on a schema. Those on strings ask for an item beside
//! the client's type, such as its known values.
//!
//! This module knows no operation by name. `build.rs` compiles it; the library does so for its tests only. The main
//! function is [`client`].

mod failing;
mod learned;
mod lenient;
mod marks;
mod streams;

use std::collections::BTreeSet;
use std::panic::{self, UnwindSafe};

use heck::{ToPascalCase, ToSnakeCase};
use openapiv3::OpenAPI;
use proc_macro2::TokenStream;
use progenitor::{GenerationSettings, Generator, HooksMode, InterfaceStyle, TypeImpl};
use quote::{format_ident, quote};
use schemars_of_progenitor::schema::{InstanceType, SchemaObject};
use serde_json::{Value, json};
use syn::{File, Ident, ImplItem, Item, parse_quote};

use self::marks::Marks;
use super::projection::{GenerateError, drop_unused_schemas};
use crate::contract::pointer::join;

/// Returns the source of the client of `projected`, with a stream for each operation of `contract` that has `x-page`.
///
/// # Errors
///
/// progenitor failed or panicked, or an `x-page` does not fit its response.
pub(crate) fn client(contract: &Value, projected: &Value) -> Result<String, GenerateError> {
    let mut unmarked = projected.clone();
    let marks = Marks::take(&mut unmarked);
    let (mut file, helpers) = calls(&unmarked, &marks).map_err(|message| GenerateError {
        pointer: failing_operation(&unmarked, &marks),
        message,
    })?;
    drop_constructors(&mut file);
    let learned = learned::types(projected);
    learned::read_without_failing(&mut file, &learned);
    failing::fail_with_our_error(&mut file);
    lenient::make_lenient(&mut file, &learned);
    file.items.extend(helpers);
    file.items.extend(streams::streams(contract, projected)?);
    file.items.push(decoder(projected, &learned));
    file.items.push(schemas(projected));
    Ok(prettyplease::unparse(&file))
}

/// Returns progenitor's types and calls, and the helper items of their marked fields.
fn calls(unmarked: &Value, marks: &Marks) -> Result<(File, Vec<Item>), String> {
    let specification: OpenAPI = serde_json::from_value(unmarked.clone()).map_err(|error| error.to_string())?;
    let tokens = catch_panic_silently(|| {
        Generator::new(&settings(marks))
            .generate_tokens(&specification)
            .map_err(|it| it.to_string())
    })?;
    let parsed = |tokens: TokenStream| syn::parse2(tokens).map_err(|error| error.to_string());
    if marks.is_empty() {
        return Ok((parsed(tokens)?, Vec::new()));
    }
    let helpers = marks.helpers(&parsed(tokens.clone())?);
    Ok((parsed(marks::without_marks(tokens))?, helpers))
}

/// Returns the pointer of the first operation for which no client can be generated on its own; `/paths` if each works
/// on its own. progenitor itself names no location.
fn failing_operation(unmarked: &Value, marks: &Marks) -> String {
    let fails_alone = |(path, method, operation): &(&str, &str, &Value)| {
        let mut alone = unmarked.clone();
        alone["paths"] = json!({ *path: { *method: operation } });
        drop_unused_schemas(&mut alone).is_err() || calls(&alone, marks).is_err()
    };
    operations(unmarked)
        .find(fails_alone)
        .map_or_else(|| "/paths".to_owned(), |(path, method, _)| pointer(path, method))
}

fn pointer(path: &str, method: &str) -> String {
    join(&join("/paths", path), method)
}

fn settings(marks: &Marks) -> GenerationSettings {
    let timestamp = SchemaObject {
        instance_type: Some(InstanceType::String.into()),
        format: Some("date-time".to_owned()),
        ..SchemaObject::default()
    };
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Builder)
        .with_hooks(HooksMode::Expected)
        .with_inner_type(quote!(crate::client::session::Session))
        .with_derive("schemars::JsonSchema")
        // progenitor's default is an instant in UTC, which loses the offset.
        .with_conversion(
            timestamp,
            "::chrono::DateTime<::chrono::FixedOffset>",
            [TypeImpl::Display, TypeImpl::FromStr].into_iter(),
        );
    for kind in marks.kinds() {
        let marked = SchemaObject {
            instance_type: Some(InstanceType::String.into()),
            format: Some(kind.clone()),
            ..SchemaObject::default()
        };
        settings.with_conversion(marked, kind, [TypeImpl::Display, TypeImpl::FromStr].into_iter());
    }
    settings
}

/// Runs `work` and returns the message of a panic as an error, without the trace that a panic prints.
fn catch_panic_silently<T>(work: impl FnOnce() -> Result<T, String> + UnwindSafe) -> Result<T, String> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(work);
    panic::set_hook(hook);
    outcome.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        Err(text
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("progenitor gave up")
            .to_owned())
    })
}

/// Removes progenitor's constructors, which know neither token nor bounds: ours are in `connect`.
fn drop_constructors(file: &mut File) {
    for item in &mut file.items {
        if let Item::Impl(block) = item {
            block.items.retain(|item| !is_constructor(item));
        }
    }
}

fn is_constructor(item: &ImplItem) -> bool {
    let ImplItem::Fn(function) = item else {
        return false;
    };
    ["new", "new_with_client"].iter().any(|name| function.sig.ident == name)
}

/// Makes a table from operation to type, for the rule that decodes every accepted response and for our tests, neither
/// of which can name the types.
fn decoder(projected: &Value, learned: &BTreeSet<Ident>) -> Item {
    let typed = operations(projected).filter_map(|(_, _, operation)| {
        let id = operation["operationId"].as_str()?;
        let schema = response_schema(operation)?;
        let inline = (schema["type"] == "object").then(|| pascal(&format!("{id}Response")));
        let response = type_name(schema).or(inline)?;
        // Whether a learned response can be read is not judged.
        if learned.contains(&response) {
            return None;
        }
        Some(quote!(#id => read.read::<types::#response>(body)))
    });
    parse_quote! {
        /// Reads `body` as the response of `operation`; `None` if that has no typed response.
        #[cfg(any(test, feature = "checker"))]
        pub(crate) fn decode<R: super::typed::Reader>(operation: &str, body: &serde_json::Value, read: R) -> Option<R::Output> {
            Some(match operation { #(#typed,)* _ => return None })
        }
    }
}

/// Makes a table of the JSON Schemas of all types that have a name in the contract, for our tests.
fn schemas(projected: &Value) -> Item {
    let names = projected["components"]["schemas"].as_object().into_iter().flatten();
    let named = names.map(|(name, _)| {
        let kind = pascal(name);
        quote!((#name, schemars::schema_for!(types::#kind)))
    });
    parse_quote! {
        /// The JSON Schema of each type, by the name of its schema in the contract.
        #[cfg(all(test, feature = "service"))]
        pub(crate) fn schemas() -> Vec<(&'static str, schemars::Schema)> {
            vec![#(#named,)*]
        }
    }
}

/// The operations of a contract, each with its path and method.
fn operations(contract: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    let paths = contract["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        let parts = item.as_object().into_iter().flatten();
        let operations = parts.filter(|(_, part)| part.get("operationId").is_some());
        operations.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}

/// The schema of the successful response of an operation.
fn response_schema(operation: &Value) -> Option<&Value> {
    let (_, response) = operation["responses"]
        .as_object()?
        .iter()
        .find(|(status, _)| status.starts_with('2'))?;
    response["content"].as_object()?.values().next()?.get("schema")
}

/// The Rust type of a schema that has a name.
fn type_name(schema: &Value) -> Option<Ident> {
    Some(pascal(schema["$ref"].as_str()?.rsplit('/').next()?))
}

/// The Rust name that progenitor gives to a type or a builder.
fn pascal(name: &str) -> Ident {
    identifier(&name.to_pascal_case())
}

/// The Rust name that progenitor gives to a field, parameter or operation.
fn snake(name: &str) -> Ident {
    identifier(&name.to_snake_case())
}

/// Returns `name`, with an underscore after it if it is a keyword, before it if it starts with a digit.
fn identifier(name: &str) -> Ident {
    let spellings = [name.to_owned(), format!("{name}_"), format!("_{name}")];
    let valid = spellings.iter().find_map(|spelling| syn::parse_str(spelling).ok());
    valid.unwrap_or_else(|| format_ident!("unnamed"))
}
