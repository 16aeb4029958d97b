//! The steps on operations: they inline references, and remove what progenitor cannot read.

use serde_json::{Map, Value, json};

use super::GenerateError;
use super::answers::{name_schemas, unused};
use super::marks::{self, OpenGaps};
use super::schemas::{each_schema, resolve};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Replaces each reference to a parameter, request body or response with what it refers to, and gives the parameters of
/// a path to each of its operations.
pub(super) fn inline_references(document: &mut Value) -> Result<(), GenerateError> {
    let original = document.clone();
    for path in values_mut(document.get_mut("paths")) {
        let shared = path
            .as_object_mut()
            .and_then(|path| path.remove("parameters"))
            .unwrap_or_default();
        for operation in METHODS
            .into_iter()
            .filter(|method| path.get(method).is_some())
            .collect::<Vec<_>>()
        {
            inline_references_of(&mut path[operation], &shared, &original)?;
        }
    }
    Ok(())
}

fn inline_references_of(operation: &mut Value, shared: &Value, document: &Value) -> Result<(), GenerateError> {
    let own = operation.get("parameters").cloned().unwrap_or_default();
    let mut parameters = Vec::new();
    for parameter in own.as_array().into_iter().chain(shared.as_array()).flatten() {
        let parameter = resolve(parameter, document)?;
        if !parameters.iter().any(|known| same_parameter(known, parameter)) {
            parameters.push(parameter.clone());
        }
    }
    operation["parameters"] = Value::Array(parameters);
    if let Some(body) = operation.get_mut("requestBody") {
        *body = resolve(body, document)?.clone();
    }
    for response in values_mut(operation.get_mut("responses")) {
        *response = resolve(response, document)?.clone();
    }
    Ok(())
}

/// Returns whether two parameters have the same name and location: then an operation's parameter overrides its path's.
fn same_parameter(one: &Value, other: &Value) -> bool {
    one.get("name") == other.get("name") && one.get("in") == other.get("in")
}

/// Names the schema of the items to which `x-page` points, if it has no name.
pub(super) fn name_page_items(document: &mut Value) -> Result<(), GenerateError> {
    let original = document.clone();
    let mut named = Map::new();
    for (_, _, operation) in operations_mut(document) {
        let Some(items) = operation
            .pointer("/x-page/items")
            .and_then(Value::as_str)
            .map(str::to_owned)
        else {
            continue;
        };
        let name = format!("{}Item", operation["operationId"].as_str().unwrap_or_default());
        let name = unused(&name, &original);
        for schema in response_schemas_mut(operation) {
            // A page that is itself a reference is followed, and left alone if its items already have a name.
            let mut page = resolve(schema, &original)?.clone();
            let Some(item) = schema_at(&mut page, &items, &original)?.and_then(|list| list.get_mut("items")) else {
                continue;
            };
            if item.get("$ref").is_none() {
                named.insert(
                    name.clone(),
                    std::mem::replace(item, json!({ "$ref": format!("#/components/schemas/{name}") })),
                );
                *schema = page;
            }
        }
    }
    name_schemas(document, named);
    Ok(())
}

/// Returns the schema of the value at `pointer` in a value that `schema` describes; inlines references on the way.
fn schema_at<'a>(
    schema: &'a mut Value,
    pointer: &str,
    document: &Value,
) -> Result<Option<&'a mut Value>, GenerateError> {
    let mut at = schema;
    for field in pointer.split('/').skip(1) {
        let Some(next) = at
            .get_mut("properties")
            .and_then(|properties| properties.get_mut(field))
        else {
            return Ok(None);
        };
        *next = resolve(next, document)?.clone();
        at = next;
    }
    Ok(Some(at))
}

/// Appends the section of the document to the description of each operation and named schema.
pub(super) fn add_sections(document: &mut Value) -> Result<(), GenerateError> {
    values_mut(document.pointer_mut("/components/schemas")).for_each(add_section);
    for (_, _, operation) in operations_mut(document) {
        add_section(operation);
    }
    Ok(())
}

fn add_section(described: &mut Value) {
    let Some(section) = described["x-document"].as_str() else {
        return;
    };
    let section = format!("In the document: {section}.");
    let description = match described["description"].as_str() {
        Some(description) => format!("{}\n\n{section}", description.trim_end()),
        None => section,
    };
    described["description"] = Value::String(description);
}

/// Keeps only the parts of the document that shape a type or a call, from lists of what progenitor reads.
pub(super) fn drop_what_is_ignored(document: &mut Value) -> Result<(), GenerateError> {
    let open_gaps = OpenGaps::of(document);
    keep(document, &["openapi", "info", "paths", "components"]);
    if let Some(info) = document.get_mut("info") {
        keep(info, &["title", "version", "description"]);
    }
    if let Some(components) = document.get_mut("components") {
        keep(components, &["schemas"]);
    }
    for path in values_mut(document.get_mut("paths")) {
        keep(path, &METHODS);
    }
    for (_, _, operation) in operations_mut(document) {
        keep(
            operation,
            &[
                "operationId", "summary", "description", "parameters", "requestBody", "responses",
            ],
        );
        for parameter in operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            keep(
                parameter,
                &[
                    "name", "in", "required", "description", "style", "explode", "schema", "content",
                ],
            );
        }
        if let Some(body) = operation.get_mut("requestBody") {
            keep(body, &["description", "required", "content"]);
        }
        for response in values_mut(operation.get_mut("responses")) {
            keep(response, &["description", "content"]);
        }
    }
    for media in media_types_mut(document) {
        keep(media, &["schema"]);
    }
    for_each_root_schema(document, &mut |root| {
        each_schema(root, &mut |schema| {
            open_gaps.mark(schema);
            keep_what_shapes(schema);
        });
    });
    Ok(())
}

fn keep_what_shapes(schema: &mut Value) {
    const SILENT: [&str; 5] = ["example", "externalDocs", "xml", "discriminator", "deprecated"];
    if let Value::Object(keywords) = schema {
        keywords.retain(|keyword, _| {
            let is_extension = keyword.starts_with("x-") && !marks::ALL.contains(&keyword.as_str());
            !is_extension && !SILENT.contains(&keyword.as_str())
        });
    }
}

/// Reduces a parameter's schema to the kind of value, without bounds and default.
pub(super) fn drop_bounds_and_defaults(document: &mut Value) -> Result<(), GenerateError> {
    for (_, _, operation) in operations_mut(document) {
        for parameter in operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if let Some(schema) = parameter.get_mut("schema") {
                keep(schema, &["$ref", "type", "format", "items", "enum"]);
            }
        }
    }
    Ok(())
}

/// Keeps one media type of a body, JSON if it is among them and otherwise the first, and adds a schema to JSON without
/// one.
pub(super) fn keep_one_media_type(document: &mut Value) -> Result<(), GenerateError> {
    for content in contents_mut(document) {
        let json = content.keys().find(|media_type| is_json(media_type)).cloned();
        let Some(kept) = json.or_else(|| content.keys().next().cloned()) else {
            continue;
        };
        let mut media = content.remove(&kept).unwrap_or_default();
        if is_json(&kept) && media.get("schema").is_none() {
            media = json!({ "schema": {} });
        }
        *content = Map::from_iter([(kept, media)]);
    }
    Ok(())
}

fn is_json(media_type: &str) -> bool {
    media_type
        .split(';')
        .next()
        .is_some_and(|essence| essence.trim() == "application/json")
}

/// Returns every operation with its path and method.
pub(super) fn operations_mut(document: &mut Value) -> impl Iterator<Item = (&str, &str, &mut Value)> {
    let paths = document
        .get_mut("paths")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten();
    paths.flat_map(|(path, item)| {
        let operations = item.as_object_mut().into_iter().flatten();
        operations
            .filter(|(method, _)| METHODS.contains(&method.as_str()))
            .map(|(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}

/// Returns the schemas of the successful JSON responses of `operation`.
pub(super) fn response_schemas_mut(operation: &mut Value) -> impl Iterator<Item = &mut Value> {
    let responses = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten();
    responses
        .filter(|(status, _)| status.starts_with('2') || *status == "default")
        .flat_map(|(_, response)| {
            response
                .get_mut("content")
                .and_then(Value::as_object_mut)
                .into_iter()
                .flatten()
        })
        .filter_map(|(_, media)| media.get_mut("schema"))
}

/// Calls `visit` on each schema at the top of a component, parameter, request body or response.
pub(super) fn for_each_root_schema(document: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    values_mut(document.pointer_mut("/components/schemas")).for_each(&mut *visit);
    for (_, _, operation) in operations_mut(document) {
        let parameters = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten();
        parameters
            .filter_map(|parameter| parameter.get_mut("schema"))
            .for_each(&mut *visit);
    }
    media_types_mut(document)
        .filter_map(|media| media.get_mut("schema"))
        .for_each(visit);
}

fn media_types_mut(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    contents_mut(document).flat_map(Map::values_mut)
}

/// Returns the `content` of every request body and response.
fn contents_mut(document: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    operations_mut(document).flat_map(|(_, _, operation)| {
        let parts = operation.as_object_mut().into_iter().flatten();
        let bodies = parts.flat_map(|(key, part)| match key.as_str() {
            "requestBody" => vec![part],
            "responses" => values_mut(Some(part)).collect(),
            _ => Vec::new(),
        });
        bodies.filter_map(|body| body.get_mut("content").and_then(Value::as_object_mut))
    })
}

/// Returns the values of an object; none if it is absent or something else.
pub(super) fn values_mut(object: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    object
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(Map::values_mut)
}

/// Keeps the entries of `object` that `keys` lists.
pub(super) fn keep(object: &mut Value, keys: &[&str]) {
    if let Value::Object(entries) = object {
        entries.retain(|key, _| keys.contains(&key.as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(step: fn(&mut Value) -> Result<(), GenerateError>, mut document: Value) -> Value {
        step(&mut document).unwrap();
        document
    }

    #[test]
    fn references_are_inlined_and_an_operation_overrides_its_path() {
        let document = after(
            inline_references,
            json!({
                "paths": { "/a": {
                    "parameters": [{ "name": "page", "in": "query", "of": "path" }, { "name": "x", "in": "query" }],
                    "get": {
                        "parameters": [{ "$ref": "#/components/parameters/page" }],
                        "requestBody": { "$ref": "#/components/requestBodies/b" },
                        "responses": { "200": { "$ref": "#/components/responses/r" } },
                    },
                } },
                "components": {
                    "parameters": { "page": { "name": "page", "in": "query", "of": "operation" } },
                    "requestBodies": { "b": { "description": "body" } },
                    "responses": { "r": { "description": "response" } },
                },
            }),
        );
        let expected = json!({ "get": {
            "parameters": [{ "name": "page", "in": "query", "of": "operation" }, { "name": "x", "in": "query" }],
            "requestBody": { "description": "body" },
            "responses": { "200": { "description": "response" } },
        } });
        assert_eq!(document["paths"]["/a"], expected);
    }

    #[test]
    fn a_reference_to_nothing_or_itself_is_an_error() {
        for target in [
            "#/components/parameters/none",
            "#/components/parameters/itself",
            "other.yaml#/x",
        ] {
            let mut document = json!({
                "paths": { "/a": { "get": { "parameters": [{ "$ref": target }] } } },
                "components": { "parameters": { "itself": { "$ref": "#/components/parameters/itself" } } },
            });
            assert!(inline_references(&mut document).is_err(), "{target}");
        }
    }

    #[test]
    fn items_without_a_name_get_one() {
        let page =
            |items: &Value| json!({ "type": "object", "properties": { "list": { "type": "array", "items": items } } });
        let document = |items: &Value| {
            json!({
                "paths": { "/a": { "get": {
                    "operationId": "getThings",
                    "x-page": { "items": "/list" },
                    "responses": { "200": { "content": { "application/json": { "schema": page(items) } } } },
                } } },
                "components": { "schemas": {} },
            })
        };
        let inline = json!({ "type": "object" });
        let reference = json!({ "$ref": "#/components/schemas/getThingsItem" });
        let named = after(name_page_items, document(&inline));
        let schema = &named["paths"]["/a"]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(*schema, page(&reference));
        assert_eq!(named["components"]["schemas"]["getThingsItem"], inline);

        let other = json!({ "$ref": "#/components/schemas/Thing" });
        assert_eq!(after(name_page_items, document(&other)), document(&other));

        let mut taken = document(&inline);
        taken["components"]["schemas"]["getThingsItem"] = json!({ "type": "string" });
        let named = after(name_page_items, taken);
        assert_eq!(named["components"]["schemas"]["getThingsItem"]["type"], "string");
        assert_eq!(named["components"]["schemas"]["getThingsItem2"], inline);
        let mut without_components = document(&inline);
        without_components.as_object_mut().unwrap().remove("components");
        assert_eq!(
            after(name_page_items, without_components)["components"]["schemas"]["getThingsItem"],
            inline
        );
    }

    #[test]
    fn properties_are_kept_whatever_their_name() {
        let schema = json!({ "type": "object", "x-gap": [], "example": {}, "properties": {
            "x-gap": { "type": "string", "x-gap": [] }, "example": { "type": "string" }, "links": { "type": "string" },
        } });
        let document = after(
            drop_what_is_ignored,
            json!({ "x-gaps": [], "servers": [], "components": { "schemas": { "A": schema }, "parameters": {} } }),
        );
        let expected = json!({ "type": "object", "properties": {
            "x-gap": { "type": "string" }, "example": { "type": "string" }, "links": { "type": "string" },
        } });
        assert_eq!(document, json!({ "components": { "schemas": { "A": expected } } }));
    }

    #[test]
    fn a_parameter_keeps_its_kind_and_loses_its_bounds() {
        let document =
            |schema: Value| json!({ "paths": { "/a": { "get": { "parameters": [{ "schema": schema }] } } } });
        let bounded = json!({ "type": "integer", "minimum": 1, "default": 1 });
        assert_eq!(
            after(drop_bounds_and_defaults, document(bounded)),
            document(json!({ "type": "integer" }))
        );
    }

    #[test]
    fn json_is_kept_among_media_types_and_gets_a_schema() {
        let document =
            |content: Value| json!({ "paths": { "/a": { "post": { "requestBody": { "content": content } } } } });
        for (content, kept) in [
            (
                json!({ "text/csv": {}, "application/json": { "schema": { "type": "object" } } }),
                json!({ "application/json": { "schema": { "type": "object" } } }),
            ),
            (
                json!({ "application/json; charset=utf-8": {} }),
                json!({ "application/json; charset=utf-8": { "schema": {} } }),
            ),
            (json!({ "text/csv": {}, "text/plain": {} }), json!({ "text/csv": {} })),
        ] {
            assert_eq!(after(keep_one_media_type, document(content)), document(kept));
        }
    }
}
