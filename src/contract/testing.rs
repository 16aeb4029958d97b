//! Small contracts for the tests of how a contract is read. Start with [`of_schema`] or [`of_paths`].

use super::Contract;
use super::defect::Defects;

/// A contract with these paths and components, YAML lines from the first column on.
pub(super) fn of_paths(paths: &str, components: &str) -> Result<Contract, Defects> {
    let indented = |text: &str| text.replace('\n', "\n  ");
    let (paths, components) = (indented(paths), indented(components));
    let components = if components.is_empty() {
        String::new()
    } else {
        format!("components:\n  {components}\n")
    };
    let text = format!("openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\npaths:\n  {paths}\n{components}");
    Contract::read("things.yaml", text)
}

/// A contract with these paths, YAML lines from the first column on, and these tags, separated by commas.
pub(super) fn with_tags(paths: &str, tags: &str) -> Contract {
    let paths = paths.replace('\n', "\n  ");
    let text = format!("openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\ntags: [{tags}]\npaths:\n  {paths}\n");
    Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"))
}

/// A contract whose one operation, `get`, has a 200 response with this schema; `schemas` are the components that it
/// refers to, one per line.
pub(super) fn of_schema(schema: &str, schemas: &str) -> Contract {
    try_schema(schema, schemas).unwrap_or_else(|defect| panic!("{defect}"))
}

/// Like [`of_schema`], but returns the defect.
pub(super) fn try_schema(schema: &str, schemas: &str) -> Result<Contract, Defects> {
    let content = format!("content: {{application/json: {{schema: {schema}}}}}");
    let path =
        format!("/things: {{get: {{operationId: get, responses: {{'200': {{description: Things, {content}}}}}}}}}");
    let components = if schemas.is_empty() {
        String::new()
    } else {
        format!("schemas:\n  {}", schemas.replace('\n', "\n  "))
    };
    of_paths(&path, &components)
}
