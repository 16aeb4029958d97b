//! Recognises references: objects in a body that only name another record, such as `{"id": "7", "url": "/pets/7"}`.
//! Start with [`Contract::reference_identifier`].

use super::Contract;
use super::document::{Document, Member, Node};
use super::field::is_flagged;
use super::inferred::comparable_name;
use super::load::referred;

/// The names of properties that only name or locate the record to which an object refers, in the form in which names
/// are compared. A `name` is not one of them: `{"id": 0, "name": "Dogs"}` may be a record that is created on the way.
const NAMING: [&str; 16] = [
    "contenttype", "display", "displayurl", "href", "kind", "link", "links", "model", "naturalkey", "naturalslug",
    "objecttype", "resourcetype", "self", "type", "uri", "url",
];

/// The maximum number of schemas of which `allOf` composes an object.
const MAX_PARTS: usize = 20;

impl Contract {
    /// Returns the property that identifies the record to which an object with this schema refers; `None` if the object
    /// may have content of its own.
    pub(crate) fn reference_identifier<'own>(&'own self, schema: &'own Node) -> Option<&'own Member> {
        identifier(&self.document, schema)
    }
}

/// Returns the property that identifies the record to which an object with this schema refers: its `id`, if it has one,
/// and each of its other properties is read-only or only names or locates that record.
pub(super) fn identifier<'document>(
    document: &'document Document,
    schema: &'document Node,
) -> Option<&'document Member> {
    let mut pending = vec![schema];
    let mut properties = Vec::new();
    for _ in 0..MAX_PARTS {
        let Some(part) = pending.pop().map(|part| referred(document, part)) else {
            break;
        };
        let is_map = part
            .member("additionalProperties")
            .is_some_and(|more| !more.members().is_empty());
        let has_more = [
            "anyOf", "discriminator", "items", "oneOf", "patternProperties", "x-synthetic",
        ];
        if is_map || has_more.iter().any(|keyword| part.member(keyword).is_some()) {
            return None;
        }
        pending.extend(part.elements_of("allOf"));
        properties.extend(part.members_of("properties"));
    }
    properties.retain(|property| !is_flagged(referred(document, &property.node), "readOnly"));
    let is_identifier = |property: &&Member| comparable_name(&property.name) == "id";
    let mut identifiers = properties.iter().copied().filter(is_identifier);
    let identifier = identifiers.next().filter(|_| pending.is_empty())?;
    let names_it = |property: &Member| NAMING.contains(&comparable_name(&property.name).as_str());
    let has_content = properties
        .iter()
        .any(|property| !is_identifier(property) && !names_it(property));
    let is_plain = ["items", "properties"]
        .iter()
        .all(|keyword| referred(document, &identifier.node).member(keyword).is_none());
    (identifiers.next().is_none() && !has_content && is_plain).then_some(identifier)
}

#[cfg(test)]
mod tests {
    use crate::contract::document::Document;

    /// The name of the property by which an object with this schema refers to a record.
    fn identifier(schema: &str) -> Option<String> {
        let text = format!(
            "components:\n  schemas:\n    Stamp: {{type: string, readOnly: true}}\n    Named: {{type: object, properties: {{id: \
             {{type: string}}}}}}\n    Tested: {schema}\n"
        );
        let document = Document::read("a.yaml", text).unwrap();
        let schema = document.node("/components/schemas/Tested").unwrap();
        super::identifier(&document, schema).map(|property| property.name.to_string())
    }

    #[test]
    fn an_object_with_nothing_but_an_identity_is_a_reference() {
        let id = "id: {oneOf: [{type: string, format: uuid}, {type: integer}]}";
        for schema in [
            format!("{{type: object, properties: {{{id}}}}}"),
            format!("{{type: object, properties: {{{id}, object_type: {{type: string}}, url: {{type: string}}}}}}"),
            format!("{{type: object, properties: {{{id}, name: {{$ref: '#/components/schemas/Stamp'}}}}}}"),
            "{allOf: [{$ref: '#/components/schemas/Named'}], nullable: true}".to_owned(),
            "{$ref: '#/components/schemas/Named'}".to_owned(),
        ] {
            assert_eq!(identifier(&schema).as_deref(), Some("id"), "{schema}");
        }
    }

    #[test]
    fn an_object_with_content_of_its_own_is_none() {
        for schema in [
            "{type: object, properties: {id: {type: string}, name: {type: string}}}",
            "{type: object, properties: {url: {type: string}}}",
            "{type: object, properties: {id: {type: string, readOnly: true}, url: {type: string}}}",
            "{type: object, properties: {id: {type: string}}, additionalProperties: {type: string}}",
            "{allOf: [{$ref: '#/components/schemas/Named'}, {properties: {size: {type: integer}}}]}",
            "{type: object, properties: {id: {type: object, properties: {a: {type: string}}}}}",
            "{type: string}",
        ] {
            assert_eq!(identifier(schema), None, "{schema}");
        }
    }
}
