//! Generates helper items for marked fields: a method that parses a timestamp, and a constant for each known value. The
//! main type is [`Marks`].
//!
//! # Design
//!
//! Only progenitor knows which type and which field it makes of a schema. So a marked schema is given to it as a type
//! of its own, which shows where it went, and which becomes a `String` afterwards.

use std::collections::BTreeSet;

use heck::ToShoutySnakeCase;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use serde_json::{Map, Value};
use syn::{Field, File, Ident, Item, ItemStruct, Type, parse_quote};

use super::super::projection::marks::{TIME, VALUES};
use super::lenient::{inner, is};

/// The prefix of a temporary name, followed by the index of the mark. The name is the `format` of a marked schema and
/// the type of its field, until the type is replaced with `String`.
const TEMPORARY_TYPE: &str = "CountersignMarked";

/// Keywords for which progenitor does not generate a `String`: such fields get no helpers.
const OWN_TYPE: [&str; 5] = ["enum", "format", "maxLength", "minLength", "pattern"];

/// The different marks in a contract.
#[derive(Default)]
pub(super) struct Marks(Vec<Mark>);

#[derive(PartialEq)]
struct Mark {
    is_time: bool,
    values: Vec<String>,
}

impl Marks {
    /// Takes the marks out of a projected contract, and gives each marked schema a format that only this mark has.
    pub(super) fn take(projected: &mut Value) -> Self {
        let mut marks = Self::default();
        marks.take_from(projected);
        marks
    }

    fn take_from(&mut self, value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|inner| self.take_from(inner)),
            Value::Object(entries) => {
                self.take_mark(entries);
                entries.values_mut().for_each(|inner| self.take_from(inner));
            }
            _ => {}
        }
    }

    fn take_mark(&mut self, schema: &mut Map<String, Value>) {
        // A property may have the name of a mark, with a schema as its value.
        let is_mark = |value: &Value| value.is_boolean() || value.is_array();
        let mut take = |mark: &str| schema.get(mark).is_some_and(is_mark).then(|| schema.shift_remove(mark));
        let is_time = take(TIME).is_some();
        let values = take(VALUES).flatten().unwrap_or_default();
        let values = values.as_array().into_iter().flatten().filter_map(Value::as_str);
        let mark = Mark {
            is_time,
            values: values.map(str::to_owned).collect(),
        };
        if mark.is_empty() || OWN_TYPE.iter().any(|keyword| schema.contains_key(*keyword)) {
            return;
        }
        let known = self.0.iter().position(|known| *known == mark);
        let index = known.unwrap_or_else(|| {
            self.0.push(mark);
            self.0.len() - 1
        });
        schema.insert("format".to_owned(), format!("{TEMPORARY_TYPE}{index}").into());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the format of each mark, which is the name of its type too.
    pub(super) fn kinds(&self) -> impl Iterator<Item = String> {
        (0..self.0.len()).map(|index| format!("{TEMPORARY_TYPE}{index}"))
    }

    /// Returns the helper items for the marked fields of all types of a file.
    pub(super) fn helpers(&self, file: &File) -> Vec<Item> {
        let modules = file.items.iter().filter_map(|item| match item {
            Item::Mod(module) if module.ident == "types" => module.content.as_ref(),
            _ => None,
        });
        let types = modules.flat_map(|(_, items)| items).filter_map(|item| match item {
            Item::Struct(structure) => Some(structure),
            _ => None,
        });
        types.filter_map(|structure| self.helpers_of(structure)).collect()
    }

    fn helpers_of(&self, structure: &ItemStruct) -> Option<Item> {
        let mut taken = BTreeSet::new();
        let mut helpers = TokenStream::new();
        for field in &structure.fields {
            let (Some(name), Some(mark)) = (&field.ident, self.of(&field.ty)) else {
                continue;
            };
            if mark.is_time {
                helpers.extend(time(name, field));
            }
            helpers.extend(mark.values.iter().flat_map(|value| constant(name, value, &mut taken)));
        }
        let kind = &structure.ident;
        (!helpers.is_empty()).then(|| parse_quote!(impl types::#kind { #helpers }))
    }

    /// Returns the mark in a type.
    fn of(&self, kind: &Type) -> Option<&Mark> {
        let mut tokens: Vec<_> = kind.to_token_stream().into_iter().collect();
        while let Some(token) = tokens.pop() {
            match token {
                TokenTree::Group(group) => tokens.extend(group.stream()),
                token => {
                    if let Some(index) = token.to_string().strip_prefix(TEMPORARY_TYPE) {
                        return self.0.get(index.parse::<usize>().ok()?);
                    }
                }
            }
        }
        None
    }
}

impl Mark {
    fn is_empty(&self) -> bool {
        !self.is_time && self.values.is_empty()
    }
}

/// Returns the tokens with `String` for each type of a mark.
pub(super) fn without_marks(tokens: TokenStream) -> TokenStream {
    let without = |token: TokenTree| match token {
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), without_marks(group.stream()));
            replaced.set_span(group.span());
            TokenTree::Group(replaced).into()
        }
        TokenTree::Ident(name) if name.to_string().starts_with(TEMPORARY_TYPE) => quote!(::std::string::String),
        token => token.into(),
    };
    tokens.into_iter().flat_map::<TokenStream, _>(without).collect()
}

/// Returns the method that parses the timestamp in a field, unless the field is a list.
fn time(name: &Ident, field: &Field) -> Option<TokenStream> {
    let string = match is(&field.ty, "Option") {
        true if inner(&field.ty).is_some_and(|inner| is(inner, "Vec")) => return None,
        true => quote!(self.#name.as_deref()),
        false if is(&field.ty, "Vec") => return None,
        false => quote!(Some(self.#name.as_str())),
    };
    let method = format_ident!("{}_time", bare(name));
    let doc = format!(
        "Returns the time in [`{name}`](Self::{name}): `None` if the field is absent or empty, an error if it is no RFC \
         3339 timestamp with an offset."
    );
    Some(quote! {
        #[doc = #doc]
        pub fn #method(&self) -> Option<Result<::chrono::DateTime<::chrono::FixedOffset>, ::chrono::ParseError>> {
            crate::client::learned::time(#string)
        }
    })
}

/// Returns the constant of a value that a field is known to have, under a name that is not `taken`.
fn constant(field: &Ident, value: &str, taken: &mut BTreeSet<String>) -> Option<TokenStream> {
    let shouted = match value.to_shouty_snake_case() {
        nothing if nothing.is_empty() && value.is_empty() => "EMPTY".to_owned(),
        nothing if nothing.is_empty() => "SYMBOL".to_owned(),
        shouted => shouted,
    };
    let name = format!("{}_{shouted}", bare(field).to_shouty_snake_case());
    let numbered = (2..).map(|number: u32| format!("{name}_{number}"));
    let name = std::iter::once(name.clone())
        .chain(numbered)
        .find(|name| taken.insert(name.clone()))?;
    let name: Ident = syn::parse_str(&name).ok()?;
    let doc = format!("A value that [`{field}`](Self::{field}) is known to have; there may be others.");
    Some(quote! {
        #[doc = #doc]
        pub const #name: &'static str = #value;
    })
}

/// The name of a field without the `r#` or the trailing `_` that keeps it from being a keyword.
fn bare(name: &Ident) -> String {
    let name = name.to_string();
    name.trim_start_matches("r#").trim_end_matches('_').to_owned()
}
