//! Reads the discriminator of a schema that others inherit from by `allOf` (OpenAPI 3.0.3, section
//! 4.7.25): which of them a value names. The entry points are [`children`] and [`of_child`].
//!
//! # Design
//!
//! Only what is clear counts: a value names a definition by the mapping, or else the definition of that name, and the
//! definition must inherit from the schema. Any other value states nothing, and the parent's facts apply alone.

use std::collections::{HashMap, HashSet};

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
    discriminator.text_of("propertyName")
}

/// The maximum number of definitions that one discriminator may name. A larger hierarchy would
/// state as much as a whole document, so only the parent's facts apply.
const MAX_CHILDREN: usize = 64;
/// The maximum number of schemas that may inherit from one with a discriminator, named by it or not.
const MAX_HEIRS: usize = 1_000;

/// Returns the values of the discriminator of a definition, each with the pointer of the definition
/// that it names, in the order of the file.
pub(crate) fn children(document: &Document, parent: &str) -> Vec<(String, String)> {
    let Some(schema) = document.node(parent).filter(|schema| property(schema).is_some()) else {
        return Vec::new();
    };
    let inheriting = document.inheritance().heirs(parent).into_iter();
    let named = inheriting.filter_map(|child| Some((value(schema, child)?, child.to_owned())));
    let named: Vec<_> = named.take(MAX_CHILDREN + 1).collect();
    if named.len() > MAX_CHILDREN {
        return Vec::new();
    }
    named
}

/// Which definitions inherit from which, as read once: many of them may have a discriminator.
#[derive(Clone)]
pub(super) struct Inheritance {
    /// The number of each definition, in the order of the file.
    definitions: HashMap<String, usize>,
    /// The schemas that inherit directly from each.
    heirs: HashMap<String, Vec<String>>,
}

impl Inheritance {
    pub(super) fn of(document: &Document) -> Self {
        let names = document.members_at(SCHEMAS).iter();
        let mut pending: Vec<_> = names.map(|member| pointer::join(SCHEMAS, &member.name)).collect();
        let definitions = pending.iter().cloned().zip(0..).collect();
        let mut seen: HashSet<_> = pending.iter().cloned().collect();
        let mut heirs: HashMap<String, Vec<String>> = HashMap::new();
        while let Some(heir) = pending.pop() {
            for parent in parents(document, &heir) {
                if seen.insert(parent.clone()) {
                    pending.push(parent.clone());
                }
                heirs.entry(parent).or_default().push(heir.clone());
            }
        }
        Self { definitions, heirs }
    }

    /// Returns the definitions that inherit from a schema, directly or not, in the order of the file; none where they
    /// are too many.
    fn heirs<'own>(&'own self, schema: &'own str) -> Vec<&'own str> {
        let mut found = HashSet::from([schema]);
        let mut pending = vec![schema];
        while let Some(next) = pending.pop() {
            let heirs = self.heirs.get(next).into_iter().flatten().map(String::as_str);
            pending.extend(heirs.filter(|heir| found.insert(heir)));
            if found.len() > MAX_HEIRS {
                return Vec::new();
            }
        }
        found.remove(schema);
        let numbered = found.into_iter();
        let numbered = numbered.filter_map(|heir| Some((*self.definitions.get(heir)?, heir)));
        let mut numbered: Vec<_> = numbered.collect();
        numbered.sort_unstable();
        numbered.into_iter().map(|(_, heir)| heir).collect()
    }
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
    let mut pending = vec![child.to_owned()];
    while let Some(next) = pending.pop() {
        let parents = parents(document, &next).into_iter();
        pending.extend(parents.filter(|parent| found.insert(parent.clone())));
    }
    found
}

/// Returns the schemas that a schema directly inherits from.
fn parents(document: &Document, child: &str) -> HashSet<String> {
    #[cfg(test)]
    crate::testing::work::count();
    let mut found = HashSet::new();
    let mut pending: Vec<_> = document.node(child).into_iter().collect();
    while let Some(node) = pending.pop() {
        for part in node.elements_of("allOf") {
            match referred_pointer(part) {
                Some(target) => drop(found.insert(target)),
                None => pending.push(part),
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

    #[test]
    fn the_definitions_are_searched_once_for_all_discriminators() {
        const PARENTS: usize = 200;
        let parent = |number: usize| {
            format!(
                "    P{number}: {{discriminator: {{propertyName: kind}}}}\n    C{number}: {{allOf: [{{$ref: \
                 '#/components/schemas/P{number}'}}]}}\n"
            )
        };
        let text = (0..PARENTS).map(parent).collect::<String>();
        let document = Document::read("a.yaml", format!("components:\n  schemas:\n{text}")).unwrap();
        let work = crate::testing::work::of(|| {
            for number in 0..PARENTS {
                let found = children(&document, &format!("/components/schemas/P{number}"));
                assert_eq!(
                    found,
                    [(format!("C{number}"), format!("/components/schemas/C{number}"))]
                );
            }
        });
        assert!(work < 300 * 2 * 200, "{work}");
    }
}
