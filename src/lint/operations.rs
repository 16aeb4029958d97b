//! What is wrong with operations: their parameters against the template of the path, and bodies that are documented for
//! a status that never has one.

use std::collections::{HashMap, HashSet};

use super::{Findings, LintRule, LocatedNode};
use crate::contract::document::{Document, Member, Node};
use crate::contract::openapi::near;
use crate::contract::operation::{Method, StatusPattern};
use crate::contract::path_template::PathTemplate;
use crate::contract::{pointer, resolve};

/// Checks that a parameter says what its value is, and that a path parameter is required (OpenAPI 3.0.3, section
/// 4.7.12.1).
pub(super) fn check_parameter(at: &LocatedNode<'_>, findings: &mut Findings) {
    if at.node.member("$ref").is_some() {
        return;
    }
    let is_nearly_known = |name: &str| near(name, ["schema", "content"]).is_some();
    match (at.node.member("schema"), at.node.member("content")) {
        // What is nearly one of the two is reported as a wrong name.
        (None, None) if at.node.members().iter().any(|member| is_nearly_known(&member.name)) => {}
        (None, None) => {
            let message = "this parameter has neither `schema` nor `content`; add one".to_owned();
            findings.add_at(at, "", LintRule::Missing, message);
        }
        (Some(_), Some(_)) => {
            let message = "a parameter has either `schema` or `content`; remove one of the two".to_owned();
            findings.add_at(at, "content", LintRule::WrongType, message);
        }
        _ => {}
    }
    let is_in_path = at.node.text_of("in") == Some("path");
    let required = at.node.member("required");
    if !is_in_path || required.and_then(Node::boolean) == Some(true) {
        return;
    }
    let message = "a path parameter is always required; write `required: true`".to_owned();
    let member = if required.is_some() { "required" } else { "" };
    findings.add_at(at, member, LintRule::OptionalPathParameter, message);
}

/// Checks that the schema of a body is where OpenAPI 3 has it.
pub(super) fn check_response(at: &LocatedNode<'_>, findings: &mut Findings) {
    if at.node.member("$ref").is_none() && at.node.member("schema").is_some() {
        let message = "`schema` is not a field of the response; move it to `content`, below a media type such as \
                       `application/json`";
        findings.add_at(at, "schema", LintRule::UnknownName, message.to_owned());
    }
}

/// Checks that there is a response, that each is of a status, and that none documents a body that it never has.
pub(super) fn check_responses(at: &LocatedNode<'_>, findings: &mut Findings) {
    let responses = at.node.members().iter().filter(|member| !member.name.starts_with("x-"));
    // From OpenAPI 3.1 on, they are optional; the reader adds an empty object at the position of the operation.
    let operation = at
        .pointer
        .rsplit_once('/')
        .and_then(|(above, _)| at.document.node(above));
    let is_written = operation.is_none_or(|operation| operation.position != at.node.position);
    if responses.clone().next().is_none() && is_written {
        let message = "no response is documented; add one".to_owned();
        findings.add_at(at, "", LintRule::Missing, message);
    }
    // A check reads `2xx` too; what is no status at all is a defect already.
    let is_in_small_letters = |name: &str| StatusPattern::parse(name).is_some() && name.contains('x');
    for class in responses.filter(|member| is_in_small_letters(&member.name)) {
        let (name, upper) = (&class.name, class.name.to_ascii_uppercase());
        let message = format!("`{name}` is not a class of statuses; write `{upper}`");
        findings.add_at(at, name, LintRule::UnknownName, message);
    }
    for response in at.node.members() {
        let status = response.name.as_str();
        if !StatusPattern::parse(status).is_some_and(StatusPattern::never_has_body) {
            continue;
        }
        let unresolved = pointer::join(at.pointer, status);
        let content = pointer::join(&resolve(at.document, unresolved), "content");
        let is_documented = at
            .document
            .node(&content)
            .is_some_and(|content| !content.members().is_empty());
        if is_documented {
            let is_reference = response.node.member("$ref").is_some();
            let parent = LocatedNode {
                document: at.document,
                node: &response.node,
                pointer: &pointer::join(at.pointer, status),
            };
            let message = format!("a response with {status} has no body; remove `content`, or correct the status");
            let member = if is_reference { "$ref" } else { "content" };
            findings.add_at(&parent, member, LintRule::ContentWithoutBody, message);
        }
    }
}

/// Checks that no two paths differ only in the names of their parameters (OpenAPI 3.0.3, section 4.7.8.1).
pub(super) fn check_paths(document: &Document, findings: &mut Findings) {
    let mut seen: HashMap<_, &Member> = HashMap::new();
    for path in document.root.members_of("paths") {
        if path.name.starts_with("x-") {
            continue;
        }
        let nameless = PathTemplate::read(&path.name).with(|_| "{}".to_owned());
        let first = *seen.entry(nameless).or_insert(path);
        if first.name == path.name {
            continue;
        }
        let at = LocatedNode {
            document,
            node: &path.node,
            pointer: &pointer::join("/paths", &path.name),
        };
        let message = format!(
            "this is the same path as `{}` on line {}, and only the names of the parameters differ; make them one",
            first.name, first.position.line
        );
        findings.add_at(&at, "", LintRule::DuplicateKey, message);
    }
}

/// Checks the parameters of each operation against each other and against the template of its path.
pub(super) fn check_templates(document: &Document, findings: &mut Findings) {
    for path in document.root.members_of("paths") {
        if path.name.starts_with("x-") {
            continue;
        }
        let template = PathParameters {
            path: &path.name,
            names: names(&path.name).collect(),
        };
        let unresolved = pointer::join("/paths", &path.name);
        let mut seen = HashSet::new();
        if let Some(name) = names(&path.name).find(|name| !seen.insert(*name)) {
            let at = LocatedNode {
                document,
                node: &path.node,
                pointer: &unresolved,
            };
            let message = format!("`{{{name}}}` appears twice in this path; give each parameter its own name");
            findings.add_at(&at, "", LintRule::DuplicateParameter, message);
        }
        let item = resolve(document, unresolved.clone());
        let declared_by_path = template.check_list(document, &item, findings);
        let members = document.members_at(&item);
        let operations = members.iter().filter(|member| Method::from_key(&member.name).is_some());
        let declared_by_operations = operations.map(|member| {
            let operation = pointer::join(&item, &member.name);
            let declared_by_operation = template.check_list(document, &operation, findings);
            (operation, declared_by_operation)
        });
        let declared_by_operations: Vec<_> = declared_by_operations.collect();
        let mut seen = HashSet::new();
        let names = names(&path.name).filter(|name| !declared_by_path.may_have(name) && seen.insert(*name));
        for name in names {
            if findings.is_full {
                return;
            }
            let without = declared_by_operations
                .iter()
                .filter(|(_, declared_by_operation)| !declared_by_operation.may_have(name));
            let without: Vec<_> = without.map(|(operation, _)| operation.as_str()).collect();
            let (places, whose) = match without.as_slice() {
                [_, _, ..] if without.len() == declared_by_operations.len() => {
                    (vec![unresolved.as_str()], "no operation of this path")
                }
                _ => (without, "no parameter of this operation"),
            };
            for pointer in places {
                let at = LocatedNode {
                    document,
                    node: &path.node,
                    pointer,
                };
                let message =
                    format!("the path has `{{{name}}}`, but {whose} declares it; declare it, or correct the path");
                findings.add_at(&at, "", LintRule::MissingPathParameter, message);
            }
        }
    }
}

/// A path and the names of its parameters.
struct PathParameters<'path> {
    path: &'path str,
    names: HashSet<&'path str>,
}

/// The path parameters that an operation or a path item declares.
struct DeclaredInPath<'document> {
    names: HashSet<&'document str>,
    /// Whether the name and the location of each parameter could be read.
    is_readable: bool,
}

impl DeclaredInPath<'_> {
    /// Whether a parameter with this name is declared; one that cannot be read may have any name.
    fn may_have(&self, name: &str) -> bool {
        !self.is_readable || self.names.contains(name)
    }
}

impl PathParameters<'_> {
    /// Checks the parameters that an operation or a path item lists, and returns those in the path.
    fn check_list<'document>(
        &self,
        document: &'document Document,
        parent: &str,
        findings: &mut Findings,
    ) -> DeclaredInPath<'document> {
        let mut declared = DeclaredInPath {
            names: HashSet::new(),
            is_readable: true,
        };
        let list = pointer::join(parent, "parameters");
        let Some(node) = document.node(&list) else {
            return declared;
        };
        let mut seen = HashSet::new();
        for index in 0..node.elements().len() {
            if findings.is_full {
                break;
            }
            let unresolved = pointer::join(&list, &index.to_string());
            let parameter = document.node(&resolve(document, unresolved.clone()));
            let text = |member: &str| parameter.and_then(|node| node.member(member)?.string());
            let (Some(name), Some(location)) = (text("name"), text("in")) else {
                declared.is_readable = false;
                continue;
            };
            let at = LocatedNode {
                document,
                node,
                pointer: &unresolved,
            };
            if !seen.insert((name, location)) {
                let message = format!("the {location} parameter `{name}` is declared twice in this list; remove one");
                findings.add_at(&at, "", LintRule::DuplicateParameter, message);
            } else if location == "path" {
                if !self.names.contains(name) {
                    let message = format!(
                        "the path `{}` has no `{{{name}}}`; remove the parameter, or correct one of the two",
                        self.path
                    );
                    findings.add_at(&at, "", LintRule::UnusedPathParameter, message);
                }
                declared.names.insert(name);
            }
        }
        declared
    }
}

/// Returns the names of the parameters in a path.
fn names(path: &str) -> impl Iterator<Item = &str> {
    let parts = path.split('{').skip(1);
    parts.filter_map(|part| part.split_once('}').map(|(name, _)| name))
}
