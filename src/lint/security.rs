//! What is wrong with security schemes and the requirements that name them.

use super::{Findings, LintRule, LocatedNode};
use crate::contract::pointer;

/// The types of security schemes with the members that each requires (OpenAPI 3.0.3, section 4.7.27).
const REQUIRED: [(&str, &[&str]); 4] = [
    ("apiKey", &["name", "in"]),
    ("http", &["scheme"]),
    ("oauth2", &["flows"]),
    ("openIdConnect", &["openIdConnectUrl"]),
];

/// Checks that a security scheme has what its type requires.
pub(super) fn check_scheme(at: &LocatedNode<'_>, findings: &mut Findings) {
    let kind = at.node.text_of("type");
    let Some((kind, required)) = REQUIRED.iter().find(|(known, _)| Some(*known) == kind) else {
        return;
    };
    for name in required.iter().filter(|name| at.node.member(name).is_none()) {
        let message = format!("a security scheme of the type `{kind}` has no `{name}`; add it");
        findings.add_at(at, "", LintRule::Missing, message);
    }
}

/// Checks that the schemes that an operation or the whole document requires are defined.
pub(super) fn check_requirements(at: &LocatedNode<'_>, findings: &mut Findings) {
    let Some(security) = at.node.member("security") else {
        return;
    };
    let list = pointer::join(at.pointer, "security");
    for (index, requirement) in security.elements().iter().enumerate() {
        for required in requirement.members() {
            let name = required.name.as_str();
            let defined = at.document.node(&pointer::join("/components/securitySchemes", name));
            // From 3.2 on, a name may be a URI (3.2.0, section 4.30).
            if defined.is_some() || name.contains(['/', '#']) {
                continue;
            }
            let parent = LocatedNode {
                pointer: &pointer::join(&list, &index.to_string()),
                ..*at
            };
            let message =
                format!("no security scheme is called `{name}`; define it in `components`, or correct the name");
            findings.add_at(&parent, name, LintRule::Reference, message);
        }
    }
}
