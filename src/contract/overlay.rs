//! Applies an overlay to a document: the actions of the OpenAPI Overlay Specification 1.0 and 1.1, each on one
//! location. The main function is [`Document::with_overlay`].
//!
//! # Design
//!
//! An action adds to the tree and keeps the positions of its own file, so a fact or a defect that comes from an overlay
//! is reported at the overlay's line. A target has to select exactly one location: it is a singular query of `JSONPath`
//! (RFC 9535, section 2.3.5.1), and one that selects nothing is a defect, although the specification lets it pass. An
//! overlay that no longer fits its document would otherwise be applied in part, and nobody would know.

use super::bundle::measure;
use super::defect::{Defect, DefectList, Defects, Problem};
use super::document::{Document, MAX_DEPTH, Member, Members, Node, NodeKind};
use super::openapi::{did_you_mean, near};
use super::pointer;
use super::singular_query::{self, Step};

/// The members of an action that are understood.
const KNOWN: [&str; 4] = ["description", "remove", "target", "update"];

impl Document {
    /// Returns the document with the actions of an overlay applied to it, in their order. `name` is the overlay's file
    /// in messages.
    ///
    /// # Errors
    ///
    /// A text that is not an overlay of version 1.0 or 1.1, and each action that cannot be applied to this document.
    pub fn with_overlay(mut self, name: &str, text: String) -> Result<Self, Defects> {
        let number = self.next_file();
        let overlay = Self::read_numbered(name, text, number)?.reject_name_defects()?;
        let mut defects = DefectList::default();
        check_header(&overlay, &mut defects);
        let actions = overlay.root.elements_of("actions");
        for (index, action) in actions.iter().enumerate() {
            let at = format!("/actions/{index}");
            if let Err((member, message)) = apply(&mut self, action) {
                let at = member.map_or_else(|| at.clone(), |member| pointer::join(&at, member));
                defects.push(defect(&overlay, &at, message));
            }
        }
        self.add_overlay(overlay);
        Defects::new(defects.in_order()).map_or(Ok(self), Err)
    }

    /// Returns the target of an action on a location, which is given as a JSON pointer; `None` if nothing is there.
    pub(crate) fn action_target(&self, location: &str) -> Option<String> {
        self.node(location)?;
        let mut above = String::new();
        let is_index = pointer::tokens(location).map(|token| {
            let is_index = matches!(self.node(&above)?.kind, NodeKind::Array(_));
            pointer::push(&mut above, &token);
            Some(is_index)
        });
        let is_index: Vec<_> = is_index.collect::<Option<_>>()?;
        Some(singular_query::write(location, |number| is_index[number]))
    }
}

fn defect(overlay: &Document, at: &str, message: String) -> Defect {
    overlay.defect(at, Problem::Vocabulary { message })
}

fn check_header(overlay: &Document, defects: &mut DefectList) {
    let version = overlay.root.member("overlay");
    let actions = overlay.root.member("actions");
    let is_supported = |version: &str| ["1.0.", "1.1."].iter().any(|known| version.starts_with(known));
    if !version.and_then(Node::string).is_some_and(is_supported) {
        let message = "this is not an overlay that is supported; its root must be an object with `overlay: 1.0.0` or \
                       `1.1.0`";
        let at = version.map_or("", |_| "/overlay");
        defects.push(defect(overlay, at, message.to_owned()));
    } else if !matches!(actions.map(|node| &node.kind), Some(NodeKind::Array(_))) {
        let at = actions.map_or("", |_| "/actions");
        defects.push(defect(
            overlay,
            at,
            "the overlay has no list of `actions`; add it".to_owned(),
        ));
    }
}

/// What is wrong with an action: at which of its members, and what to do about it.
type Wrong = (Option<&'static str>, String);

/// Applies one action.
fn apply(document: &mut Document, action: &Node) -> Result<(), Wrong> {
    let unknown = |name: &&str| !KNOWN.contains(name) && !name.starts_with("x-");
    if let Some(name) = action.members().iter().map(|member| member.name.as_str()).find(unknown) {
        let hint = did_you_mean(near(name, KNOWN));
        return Err((
            None,
            format!("an action with `{name}` is not supported{hint}; write it as an `update`"),
        ));
    }
    let Some(target) = action.text_of("target") else {
        return Err((
            None,
            "the action has no `target`; add a JSONPath such as `$.info`".to_owned(),
        ));
    };
    let of_target = |message: String| (Some("target"), message);
    let steps = singular_query::read(target).map_err(of_target)?;
    let Some(selected) = node_mut(&mut document.root, &steps) else {
        return Err(of_target(format!(
            "`{target}` selects nothing in `{}`; correct it, or regenerate the overlay for this version of the document",
            document.name
        )));
    };
    let removes = action.member("remove").and_then(Node::boolean).unwrap_or(false);
    match action.member("update") {
        _ if removes => remove(&mut document.root, &steps)
            .ok_or_else(|| of_target("the whole document cannot be removed; name a part of it".to_owned())),
        Some(update) if steps.len() + measure(update).1 > MAX_DEPTH => {
            let message = Problem::TooDeep { maximum: MAX_DEPTH }.to_string();
            Err((Some("update"), message))
        }
        Some(update) => extend(selected, update.clone()).map_err(|message| (Some("update"), message)),
        None => Err((
            None,
            "the action has neither `update` nor `remove: true`; add one of them".to_owned(),
        )),
    }
}

/// Returns the node that the steps lead to.
fn node_mut<'node>(root: &'node mut Node, steps: &[Step]) -> Option<&'node mut Node> {
    steps.iter().try_fold(root, |node, step| match step {
        Step::Index(index) => node.elements_mut().get_mut(*index),
        Step::Name(name) => node.member_mut(name),
    })
}

/// Removes the node that the steps lead to; `None` for the root.
fn remove(root: &mut Node, steps: &[Step]) -> Option<()> {
    let (last, above) = steps.split_last()?;
    let parent = node_mut(root, above)?;
    match (&mut parent.kind, last) {
        (NodeKind::Array(elements), Step::Index(index)) => {
            let mut left = std::mem::take(elements).into_vec();
            left.remove(*index);
            *elements = left.into_boxed_slice();
        }
        (NodeKind::Object(members), Step::Name(name)) => {
            let mut left = std::mem::take(&mut **members).into_listed();
            left.retain(|member| member.name.as_str() != name);
            **members = Members::new(left);
        }
        _ => {}
    }
    Some(())
}

/// Updates the selected node: an object gets members, an array elements.
fn extend(node: &mut Node, update: Node) -> Result<(), String> {
    let counts = |member: &Member| member.name.as_str() != "$ref" && !member.name.starts_with("x-");
    if node.member("$ref").is_some() && update.members().iter().any(counts) {
        return Err(
            "the target is a `$ref`, and OpenAPI ignores what stands beside one; target what it refers to instead"
                .to_owned(),
        );
    }
    if is_merged(node, &update) {
        merge(node, update);
        return Ok(());
    }
    match &node.kind {
        NodeKind::Array(_) => append(node, vec![update]),
        NodeKind::Object(_) => {
            return Err(format!(
                "the target is an object, so this must be one, not {}",
                update.kind_name()
            ));
        }
        _ => {
            return Err(format!(
                "the target is {}, which cannot be updated; target the object that contains it",
                node.kind_name()
            ));
        }
    }
    Ok(())
}

/// Whether an update is merged into a node: both are objects, or both arrays. Anything else is replaced.
fn is_merged(node: &Node, update: &Node) -> bool {
    matches!(
        (&node.kind, &update.kind),
        (NodeKind::Object(_), NodeKind::Object(_)) | (NodeKind::Array(_), NodeKind::Array(_))
    )
}

/// Merges an update into a node (see [`is_merged`]): members are merged one by one, elements are appended, anything
/// else is replaced.
fn merge(node: &mut Node, update: Node) {
    match update.kind {
        NodeKind::Object(members) => {
            let mut added = Vec::new();
            for member in members.into_listed() {
                match node.member_mut(&member.name) {
                    Some(known) if is_merged(known, &member.node) => merge(known, member.node),
                    Some(_) => node.replace_member(member),
                    None => added.push(member),
                }
            }
            node.extend_members(added);
        }
        NodeKind::Array(elements) => append(node, elements.into_vec()),
        _ => {}
    }
}

fn append(node: &mut Node, added: Vec<Node>) {
    if let NodeKind::Array(elements) = &mut node.kind {
        let mut all = std::mem::take(elements).into_vec();
        all.extend(added);
        *elements = all.into_boxed_slice();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DOCUMENT: &str = "openapi: 3.0.3\ninfo: {title: Things, version: '1'}\ntags: [{name: a}]\npaths:\n  /a/{b}: \
                            {get: {x-page: 1}}\n  r: {$ref: '#/info'}\n";

    fn applied(actions: &str) -> Result<Document, Defects> {
        let document = Document::read("things.yaml", DOCUMENT.to_owned()).unwrap();
        document.with_overlay("known.yaml", format!("overlay: 1.0.0\nactions:\n{actions}"))
    }

    fn message(actions: &str) -> String {
        applied(actions).unwrap_err().to_string()
    }

    #[test]
    fn objects_are_merged_arrays_appended_and_values_replaced() {
        let document = applied(
            "- {target: \"$.paths['/a/{b}'].get\", update: {x-page: 2, x-new: {deep: true}}}\n- {target: $.tags, update: \
             {name: b}}\n- {target: '$', update: {tags: [{name: c}]}}\n",
        );
        let value = document.unwrap().root.to_value();
        assert_eq!(
            value["paths"]["/a/{b}"]["get"],
            json!({"x-page": 2, "x-new": {"deep": true}})
        );
        assert_eq!(value["tags"], json!([{"name": "a"}, {"name": "b"}, {"name": "c"}]));
    }

    #[test]
    fn what_is_removed_is_gone_and_the_rest_stays() {
        let document = applied("- {target: '$.tags[0]', remove: true}\n- {target: $.info.version, remove: true}\n");
        let value = document.unwrap().root.to_value();
        assert_eq!(value["tags"], json!([]));
        assert_eq!(value["info"], json!({"title": "Things"}));
    }

    #[test]
    fn a_location_is_the_target_of_an_action_on_it() {
        let document = Document::read("things.yaml", DOCUMENT.to_owned()).unwrap();
        for (location, expected) in [
            ("", "$"),
            ("/tags/0/name", "$['tags'][0]['name']"),
            ("/paths/~1a~1{b}/get", "$['paths']['/a/{b}']['get']"),
        ] {
            assert_eq!(document.action_target(location).as_deref(), Some(expected));
        }
        assert_eq!(document.action_target("/tags/1"), None);
    }

    #[test]
    fn what_an_overlay_adds_is_found_in_its_own_file() {
        let document = applied("- target: $.info\n  update:\n    x-new: 1\n").unwrap();
        let position = document.position("/info/x-new");
        assert_eq!((document.file(position), position.line), ("known.yaml", 5));
        assert_eq!(document.line(position), "    x-new: 1");
        assert_eq!(document.file(document.position("/info/title")), "things.yaml");
        let replaced = applied("- target: $.info\n  update:\n    title: New\n").unwrap();
        let position = replaced.position("/info/title");
        assert_eq!(
            (replaced.file(position), replaced.line(position)),
            ("known.yaml", "    title: New")
        );
        assert_eq!(document.texts().collect::<Vec<_>>(), [DOCUMENT]);
    }

    #[test]
    fn each_action_that_cannot_be_applied_is_reported_with_its_line() {
        for (action, expected) in [
            (
                "- {target: $.paths.b, update: {}}",
                "known.yaml:3:4 (/actions/0/target): `$.paths.b` selects nothing in `things.yaml`",
            ),
            (
                "- {target: $.info.title, update: {}}",
                "the target is a string, which cannot be updated",
            ),
            (
                "- {target: $.paths.r, update: {type: object}}",
                "(/actions/0/update): the target is a `$ref`",
            ),
            (
                "- {target: $.info, update: 7}",
                "(/actions/0/update): the target is an object, so this must be one",
            ),
            ("- {target: '$', remove: true}", "the whole document cannot be removed"),
            (
                "- {target: $.info}",
                "known.yaml:3:3 (/actions/0): the action has neither",
            ),
            ("- {target: $.info, updates: {}}", "did you mean `update`?"),
            ("- {update: {}}", "the action has no `target`"),
            (
                "- {target: \"$.tags['0']\", update: {}}",
                "selects nothing in `things.yaml`",
            ),
            (
                "- {target: '$.paths[0]', update: {}}",
                "selects nothing in `things.yaml`",
            ),
            ("- {target: '$..get', update: {}}", "(/actions/0/target): "),
        ] {
            let message = message(&format!("{action}\n"));
            assert!(message.contains(expected), "{action}: {message}");
        }
        let two = message("- {target: $.a, update: {}}\n- {target: $.b, update: {}}\n");
        assert_eq!(two.lines().count(), 2, "{two}");
    }

    #[test]
    fn what_is_not_an_overlay_is_not_applied() {
        let document = || Document::read("things.yaml", DOCUMENT.to_owned()).unwrap();
        for (text, expected) in [
            (DOCUMENT, "known.yaml:1:1: this is not an overlay that is supported"),
            (
                "overlay: 2.0.0\nactions: []\n",
                "known.yaml:1:1 (/overlay): this is not an overlay",
            ),
            (
                "overlay: 1.1.0\n",
                "known.yaml:1:1: the overlay has no list of `actions`",
            ),
            ("overlay: [\n", "known.yaml"),
        ] {
            let error = document().with_overlay("known.yaml", text.to_owned()).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
        }
        assert!(
            document()
                .with_overlay("known.yaml", "overlay: 1.0.0\nactions: []\n".to_owned())
                .is_ok()
        );
    }
}
