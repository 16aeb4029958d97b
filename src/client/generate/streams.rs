//! Generates the streams over all pages, one for each operation that has `x-page`.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;
use syn::{Ident, Item, parse_quote};

use super::{GenerateError, operations, pascal, pointer, response_schema, snake, type_name};

/// Returns the items that stream the lists of `contract`.
///
/// # Errors
///
/// The operation whose `x-page` does not fit its response.
pub(super) fn streams(contract: &Value, projected: &Value) -> Result<Vec<Item>, GenerateError> {
    let ids = operations(contract).filter_map(|(_, _, operation)| operation["operationId"].as_str());
    let taken: BTreeSet<Ident> = ids.map(snake).collect();
    let mut items = Vec::new();
    for (path, method, operation) in operations(contract).filter(|(_, _, it)| it.get("x-page").is_some()) {
        let list = List::read(operation, projected).ok_or_else(|| GenerateError {
            pointer: format!("{}/x-page", pointer(path, method)),
            message: "`x-page` does not fit the response; `items` must lead to an array whose items have a name, \
                      `last_page` and `page` to integers"
                .to_owned(),
        })?;
        items.push(list.on_builder());
        if !list.needs_arguments {
            let call = format!(
                "Streams the items of `{} {path}` over all pages.",
                method.to_uppercase()
            );
            let section = operation["x-document"].as_str();
            let section = section.map_or_else(String::new, |it| format!("\n\nIn the document: {it}."));
            items.push(list.on_client(&(call + &section), &taken));
        }
    }
    Ok(items)
}

/// An operation that returns a page of a list.
struct List<'a> {
    id: &'a str,
    parameter: &'a str,
    page: Option<&'a str>,
    last_page: &'a str,
    items: &'a str,
    item: Ident,
    needs_arguments: bool,
}

impl<'a> List<'a> {
    fn read(operation: &'a Value, projected: &Value) -> Option<Self> {
        let text = |pointer: &str| operation.pointer(pointer)?.as_str();
        let id = text("/operationId")?;
        let (_, _, readable) = operations(projected).find(|(_, _, it)| it["operationId"] == id)?;
        let response = response_schema(readable)?;
        let list = Self {
            id,
            parameter: text("/x-page/parameter")?,
            page: text("/x-page/page"),
            last_page: text("/x-page/last_page")?,
            items: text("/x-page/items")?,
            item: type_name(schema_at(response, text("/x-page/items")?, projected)?.get("items")?)?,
            needs_arguments: readable["parameters"]
                .as_array()
                .is_some_and(|all| all.iter().any(|it| it["required"] == true)),
        };
        let is_integer =
            |pointer: &str| schema_at(response, pointer, projected).is_some_and(|it| it["type"] == "integer");
        (list.page.is_none_or(is_integer) && is_integer(list.last_page)).then_some(list)
    }

    fn on_builder(&self) -> Item {
        let (builder, parameter, item) = (pascal(self.id), snake(self.parameter), &self.item);
        let page = self.page.map_or_else(|| quote!(None), number_at);
        let last_page = number_at(self.last_page);
        let items = fields(self.items);
        parse_quote! {
            impl<'a> builder::#builder<'a> {
                /// Streams the items of all pages, from the first to the last, and requests each page when it is
                /// needed.
                pub fn stream(self) -> crate::client::Items<'a, types::#item> {
                    crate::client::pages::walk(move |number| {
                        let call = self.clone().#parameter(number);
                        async move {
                            let body = call.send().await?.into_inner();
                            Ok(crate::client::pages::Page {
                                number: #page,
                                last: #last_page,
                                items: Some(body)#(.and_then(|at| at.#items))*.unwrap_or_default(),
                            })
                        }
                    })
                }
            }
        }
    }

    fn on_client(&self, doc: &str, taken: &BTreeSet<Ident>) -> Item {
        let (name, operation, item) = (self.name(taken), snake(self.id), &self.item);
        parse_quote! {
            impl Client {
                #[doc = #doc]
                pub fn #name(&self) -> crate::client::Items<'_, types::#item> {
                    self.#operation().stream()
                }
            }
        }
    }

    /// Returns the name of what is listed (`contacts` for `getContacts`), unless it is empty or an operation has that
    /// name.
    fn name(&self, taken: &BTreeSet<Ident>) -> Ident {
        let operation = snake(self.id).to_string();
        let listed = ["get_", "list_"].iter().find_map(|verb| operation.strip_prefix(verb));
        let listed = listed.and_then(|listed| syn::parse_str::<Ident>(listed).ok());
        listed
            .filter(|name| !taken.contains(name))
            .unwrap_or_else(|| format_ident!("all_{operation}"))
    }
}

fn number_at(pointer: &str) -> TokenStream {
    let fields = fields(pointer);
    quote!(Some(&body)#(.and_then(|at| at.#fields.as_ref()))*.copied())
}

fn fields(pointer: &str) -> Vec<Ident> {
    pointer.split('/').skip(1).map(snake).collect()
}

/// Returns the schema of the value at `pointer` in a value that `schema` describes.
fn schema_at<'a>(schema: &'a Value, pointer: &str, projected: &'a Value) -> Option<&'a Value> {
    pointer
        .split('/')
        .skip(1)
        .try_fold(named(schema, projected)?, |at, field| {
            named(at["properties"].get(field)?, projected)
        })
}

/// Returns what `schema` refers to, or itself if it is not a reference; a nullable reference is an `allOf` of one.
fn named<'a>(schema: &'a Value, projected: &'a Value) -> Option<&'a Value> {
    let inner = schema.pointer("/allOf/0").unwrap_or(schema);
    match inner["$ref"].as_str() {
        Some(reference) => projected.pointer(reference.strip_prefix('#')?),
        None => Some(inner),
    }
}
