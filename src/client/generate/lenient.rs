//! Sets how a field of a generated type is read where serde alone is stricter than the contract: integers and arrays.
//! The main function is [`make_lenient`]; the decoders are in `client::lenient`.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Field, File, GenericArgument, Ident, Item, PathArguments, Type, parse_quote};

/// Sets a decoder on every field that needs one. In the `learned` types, a field that cannot be read becomes `None`.
pub(super) fn make_lenient(file: &mut File, learned: &BTreeSet<Ident>) {
    each_item(&mut file.items, learned);
}

fn each_item(items: &mut [Item], learned: &BTreeSet<Ident>) {
    for item in items {
        match item {
            Item::Mod(module) if module.ident == "types" => {
                if let Some((_, inner)) = &mut module.content {
                    each_item(inner, learned);
                }
            }
            Item::Struct(structure) => {
                let is_learned = learned.contains(&structure.ident);
                let fields = structure.fields.iter_mut();
                fields.for_each(|field| make_field_lenient(field, is_learned));
            }
            _ => {}
        }
    }
}

fn make_field_lenient(field: &mut Field, is_learned: bool) {
    let or_none = || {
        let plain = || quote!(crate::client::lenient::Plain);
        let inner = decoder(inner(&field.ty)?).unwrap_or_else(plain);
        Some(quote!(crate::client::learned::OrNone<#inner>))
    };
    let decoder = if is_learned { or_none() } else { decoder(&field.ty) };
    let Some(decoder) = decoder else { return };
    let path = format!(
        "<{} as crate::client::lenient::LenientDecode<_>>::deserialize",
        quote!(#decoder)
    );
    // serde reads a missing `Option` as `None` only where it reads the field itself.
    let missing = is(&field.ty, "Option").then(|| quote!(default,));
    field
        .attrs
        .push(parse_quote!(#[serde(#missing deserialize_with = #path)]));
}

/// Returns the decoder for a type; `None` where serde's own is enough.
fn decoder(kind: &Type) -> Option<TokenStream> {
    let inner = inner(kind);
    if is(kind, "Option") {
        let decoder = decoder(inner?)?;
        Some(quote!(crate::client::lenient::Optional<#decoder>))
    } else if is(kind, "Vec") {
        let decoder = decoder(inner?).unwrap_or_else(|| quote!(crate::client::lenient::Plain));
        Some(quote!(crate::client::lenient::List<#decoder>))
    } else {
        let integer = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
        let is_integer = integer.iter().any(|name| is(kind, name));
        is_integer.then(|| quote!(crate::client::lenient::WholeNumber))
    }
}

pub(super) fn is(kind: &Type, name: &str) -> bool {
    matches!(kind, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

/// Returns the first argument of a generic type.
pub(super) fn inner(kind: &Type) -> Option<&Type> {
    let Type::Path(path) = kind else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}
