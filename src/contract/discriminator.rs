//! Reads the discriminator of a schema that others inherit from by `allOf` (OpenAPI 3.0.3, section
//! 4.7.25): which of them a value names. The entry points are [`children`] and [`of_child`].
//!
//! # Design
//!
//! Only what is clear counts: a value names a definition by the mapping, or else the definition of that name, and the
//! definition must inherit from the schema. Any other value states nothing, and the parent's facts apply alone.

use std::collections::HashSet;

use super::document::{Document, Node};
use super::openapi::referred_pointer;
use super::pointer;

/// Where definitions of schemas are.
const SCHEMAS: &str = "/components/schemas";

/// Returns the discriminator's property, if a schema has a discriminator for the definitions that
/// inherit from it, and no alternatives of its own.
pub(crate) fn property(schema: &Node) -> Option<&str> {
    let has_alternatives = ["oneOf", "anyOf"].iter().any(|name| schema.member(name).is_some());
    let discriminator = schema.member("discriminator").filter(|_| !has_alternatives)?;
    discriminator.member("propertyName").and_then(Node::string)
}

/// The maximum number of definitions that one discriminator may name. A larger hierarchy would
/// state as much as a whole document, so only the parent's facts apply.
const MAX_CHILDREN: usize = 64;

/// Returns the values of the discriminator of a definition, each with the pointer of the definition
/// that it names, in the order of the file.
pub(crate) fn children(document: &Document, parent: &str) -> Vec<(String, String)> {
    let Some(schema) = document.node(parent).filter(|schema| property(schema).is_some()) else {
        return Vec::new();
    };
    let names = document.node(SCHEMAS).map_or(&[][..], Node::members).iter();
    let inheriting = names
        .map(|member| pointer::join(SCHEMAS, &member.name))
        .filter(|child| child != parent && ancestors(document, child).contains(parent));
    let named = inheriting.filter_map(|child| Some((value(schema, &child)?, child)));
    let named: Vec<_> = named.take(MAX_CHILDREN + 1).collect();
    if named.len() > MAX_CHILDREN {
        return Vec::new();
    }
    named
}

/// Returns the property and the value by which an ancestor of a definition names it.
pub(crate) fn of_child<'document>(document: &'document Document, child: &str) -> Option<(&'document str, String)> {
    let mut ancestors: Vec<_> = ancestors(document, child).into_iter().collect();
    ancestors.sort_unstable();
    let mut named = ancestors.iter().filter_map(|ancestor| {
        let schema = document.node(ancestor)?;
        Some((property(schema)?, value(schema, child)?))
    });
    named.next()
}

/// Returns the value that names a definition: that of the mapping, or else the definition's name,
/// unless the mapping has another definition for it. `None` if several values name the definition.
fn value(schema: &Node, child: &str) -> Option<String> {
    let name = pointer::tokens(child).last()?;
    let mapping = schema.member("discriminator")?.member("mapping");
    let mapping = mapping.map_or(&[][..], Node::members);
    let written = format!("#{child}");
    let names_it = |stated: &str| stated == written || stated == name;
    let mut mapped = mapping
        .iter()
        .filter(|member| member.node.string().is_some_and(names_it));
    match (mapped.next(), mapped.next()) {
        (Some(member), None) => Some(member.name.to_string()),
        (None, _) if mapping.iter().all(|member| member.name != name.as_str()) => Some(name),
        _ => None,
    }
}

/// Returns the definitions that a definition inherits from, directly or not.
fn ancestors(document: &Document, child: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    let mut pending: Vec<_> = document.node(child).into_iter().collect();
    while let Some(node) = pending.pop() {
        for part in node.member("allOf").map_or(&[][..], Node::elements) {
            let target = referred_pointer(part);
            let part = target.as_deref().map_or(Some(part), |target| document.node(target));
            if target.is_none_or(|target| found.insert(target)) {
                pending.extend(part);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMAS_OF_PETS: &str = "
components:
  schemas:
    Pet: {type: object, discriminator: {propertyName: kind, mapping: {kitty: '#/components/schemas/Cat', Dog: Fish, \
         rock: '#/components/schemas/Stone'}}}
    Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Pet'}]}
    Fish: {allOf: [{$ref: '#/components/schemas/Pet'}]}
    Lion: {allOf: [{allOf: [{$ref: '#/components/schemas/Cat'}]}]}
    Stone: {type: object}
    Choice: {oneOf: [{$ref: '#/components/schemas/Cat'}], discriminator: {propertyName: kind}}
";

    #[test]
    fn a_value_names_a_definition_that_inherits_by_the_mapping_or_by_its_name() {
        let document = Document::read("a.yaml", SCHEMAS_OF_PETS.to_owned()).unwrap();
        let found = children(&document, "/components/schemas/Pet");
        let found: Vec<_> = found
            .iter()
            .map(|(value, child)| (value.as_str(), child.rsplit('/').next().unwrap()))
            .collect();
        // `Dog` names another definition, so that nothing names the definition `Dog`.
        assert_eq!(found, [("kitty", "Cat"), ("Dog", "Fish"), ("Lion", "Lion")]);
        assert!(children(&document, "/components/schemas/Choice").is_empty());
        assert!(children(&document, "/components/schemas/Cat").is_empty());
        let lion = of_child(&document, "/components/schemas/Lion");
        assert_eq!(lion, Some(("kind", "Lion".to_owned())));
        assert_eq!(of_child(&document, "/components/schemas/Stone"), None);
    }
}
