//! The public items of a Rust source, one line each.

use quote::ToTokens;
use syn::{Attribute, Fields, Generics, ImplItem, Item, ReturnType, Signature, Type, Visibility};

/// A line for every public item of `source`.
pub(super) fn lines(source: &str) -> Vec<String> {
    let mut lines = Vec::new();
    each(&parsed(source), "", &mut lines);
    lines
}

/// Every type of the module `types`, with what it derives.
pub(super) fn types(source: &str) -> Vec<(String, Vec<String>)> {
    let file = parsed(source);
    let modules = file.iter().filter_map(|item| match item {
        Item::Mod(module) if module.ident == "types" => module.content.as_ref(),
        _ => None,
    });
    let items = modules.flat_map(|(_, items)| items);
    let types = items.filter_map(|item| match item {
        Item::Enum(it) => Some((it.ident.to_string(), derives(&it.attrs))),
        Item::Struct(it) => Some((it.ident.to_string(), derives(&it.attrs))),
        _ => None,
    });
    types.collect()
}

/// The documentation of each public method of `Client`.
pub(super) fn docs(source: &str) -> Vec<(String, String)> {
    let blocks = parsed(source).into_iter().filter_map(|item| match item {
        Item::Impl(block) if block.trait_.is_none() && bare(&block.self_ty) == "Client" => Some(block),
        _ => None,
    });
    let methods = blocks.flat_map(|block| block.items).filter_map(|item| match item {
        ImplItem::Fn(it) if public(&it.vis) => Some(it),
        _ => None,
    });
    let docs = methods.map(|method| {
        let lines = method.attrs.iter().filter(|it| it.path().is_ident("doc"));
        let lines = lines.filter_map(|it| match &it.meta.require_name_value().ok()?.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        });
        (method.sig.ident.to_string(), lines.collect())
    });
    docs.collect()
}

fn parsed(source: &str) -> Vec<Item> {
    syn::parse_file(source).unwrap().items
}

fn each(items: &[Item], module: &str, lines: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Const(it) if public(&it.vis) => lines.push(format!("const {module}{}: {}", it.ident, text(&it.ty))),
            Item::Enum(it) if public(&it.vis) => {
                let name = format!("{module}{}", it.ident);
                lines.push(format!(
                    "enum {name}{}{}",
                    text(&it.generics),
                    derives_and_growth(&it.attrs)
                ));
                for variant in &it.variants {
                    let wire = renamed(&variant.attrs);
                    lines.push(format!("{name}::{}{}{wire}", variant.ident, inside(&variant.fields)));
                }
            }
            Item::Fn(it) if public(&it.vis) => lines.push(signature(&it.sig, module)),
            Item::Impl(it) => lines.extend(implemented(it, module)),
            Item::Mod(it) if public(&it.vis) => {
                if let Some((_, inner)) = &it.content {
                    each(inner, &format!("{module}{}::", it.ident), lines);
                }
            }
            Item::Struct(it) if public(&it.vis) => {
                let name = format!("{module}{}", it.ident);
                lines.push(format!(
                    "struct {name}{}{}",
                    text(&it.generics),
                    derives_and_growth(&it.attrs)
                ));
                lines.extend(fields(&it.fields, &name));
            }
            Item::Trait(it) if public(&it.vis) => lines.push(format!("trait {module}{}", it.ident)),
            Item::Type(it) if public(&it.vis) => lines.push(format!("type {module}{} = {}", it.ident, text(&it.ty))),
            _ => {}
        }
    }
}

fn fields(fields: &Fields, name: &str) -> Vec<String> {
    let public = fields.iter().enumerate().filter(|(_, field)| public(&field.vis));
    let line = |(at, field): (usize, &syn::Field)| {
        let field_name = field.ident.as_ref().map_or_else(|| at.to_string(), ToString::to_string);
        format!("{name}.{field_name}: {}{}", text(&field.ty), renamed(&field.attrs))
    };
    public.map(line).collect()
}

/// The fields of a variant, all of which are public.
fn inside(fields: &Fields) -> String {
    let one = |field: &syn::Field| match &field.ident {
        Some(name) => format!("{name}: {}", text(&field.ty)),
        None => text(&field.ty),
    };
    let all: Vec<_> = fields.iter().map(one).collect();
    match fields {
        Fields::Named(_) => format!(" {{ {} }}", all.join(", ")),
        Fields::Unnamed(_) => format!("({})", all.join(", ")),
        Fields::Unit => String::new(),
    }
}

fn implemented(block: &syn::ItemImpl, module: &str) -> Vec<String> {
    let of = format!("{module}{}", bare(&block.self_ty));
    if let Some((path, _)) = &block.trait_ {
        let path = text(path);
        // Each type and its builder convert into each other, which adds nothing to their own lines.
        let between = [&path, &of].iter().any(|text| text.contains("super::")) || path.contains("<builder::");
        let line = format!("impl{} {path} for {of}", text(&block.generics));
        return if between { Vec::new() } else { vec![line] };
    }
    let methods = block.items.iter().filter_map(|item| match item {
        ImplItem::Const(it) if public(&it.vis) => Some(format!("const {of}::{}: {}", it.ident, text(&it.ty))),
        ImplItem::Fn(it) if public(&it.vis) => Some(signature(&it.sig, &format!("{of}::"))),
        _ => None,
    });
    methods.collect()
}

/// The name of a type without its arguments.
fn bare(kind: &Type) -> String {
    let text = text(kind);
    text.split('<').next().unwrap_or_default().to_owned()
}

fn signature(signature: &Signature, before: &str) -> String {
    let asynchronous = if signature.asyncness.is_some() { "async " } else { "" };
    let arguments: Vec<_> = signature.inputs.iter().map(text).collect();
    let response = match &signature.output {
        ReturnType::Default => String::new(),
        ReturnType::Type(_, kind) => format!(" -> {}", text(kind)),
    };
    let bounds = bounds(&signature.generics);
    format!(
        "{asynchronous}{before}{}{}({}){response}{bounds}",
        signature.ident,
        text(&signature.generics),
        arguments.join(", ")
    )
}

fn bounds(generics: &Generics) -> String {
    let bounds = generics.where_clause.as_ref().map(text);
    bounds.map_or_else(String::new, |bounds| format!(" {}", bounds.trim_end_matches(',')))
}

/// Returns what a type derives, and whether it may grow (`non_exhaustive`).
fn derives_and_growth(attributes: &[Attribute]) -> String {
    let derives = derives(attributes);
    let grows = attributes.iter().any(|it| it.path().is_ident("non_exhaustive"));
    let derives = if derives.is_empty() {
        String::new()
    } else {
        format!(": {}", derives.join(", "))
    };
    format!("{derives}{}", if grows { " (non-exhaustive)" } else { "" })
}

fn derives(attributes: &[Attribute]) -> Vec<String> {
    let mut names = Vec::new();
    for attribute in attributes.iter().filter(|it| it.path().is_ident("derive")) {
        attribute
            .parse_nested_meta(|meta| {
                names.extend(meta.path.segments.last().map(|last| last.ident.to_string()));
                Ok(())
            })
            .unwrap();
    }
    names.sort();
    names
}

/// Returns the name on the wire, where it differs from the Rust name.
fn renamed(attributes: &[Attribute]) -> String {
    let serde = attributes.iter().filter(|it| it.path().is_ident("serde")).map(text);
    let name = serde.filter_map(|it| Some(it.split("rename = \"").nth(1)?.split('"').next()?.to_owned()));
    name.map(|name| format!(" as `{name}`")).collect()
}

fn public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Rust on one line, without the full paths that the generator writes.
fn text(tokens: &impl ToTokens) -> String {
    tidy(&tokens.to_token_stream().to_string())
}

fn tidy(text: &str) -> String {
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (from, to) in [
        // The printer of tokens puts a space between any two of them.
        (":: std :: option :: Option", "Option"),
        (":: std :: string :: String", "String"),
        (":: std :: vec :: Vec", "Vec"),
        (":: std ::", "std ::"),
        (":: chrono ::", "chrono ::"),
        (":: serde ::", "serde ::"),
        (":: serde_json ::", "serde_json ::"),
        (":: uuid ::", "uuid ::"),
        (" :: ", "::"),
        ("std::convert::", ""),
        ("std::fmt::", ""),
        ("std::ops::", ""),
        ("std::str::", ""),
        ("-> <", "->\u{0}<"),
        (" <", "<"),
        ("->\u{0}<", "-> <"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" : ", ": "),
        (" ;", ";"),
        (",>", ">"),
        (",)", ")"),
        (">,<", ">, <"),
    ] {
        text = text.replace(from, to);
    }
    text
}
