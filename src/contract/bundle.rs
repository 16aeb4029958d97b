//! Bundles a document that is split into several files: what a reference to another file points to
//! is copied into the document, before anything else reads it. The main function is `bundle`; [`OtherFiles`]
//! supplies the files.
//!
//! # Design
//!
//! A schema, a parameter, a response or anything else with a section under `components` is copied
//! there once, and every reference to it is rewritten to point there. So a cycle between files
//! becomes a cycle within one document. A path item, an operation or a map that is a reference is
//! replaced by its target. Each node keeps its file, line and column, so that a defect is reported
//! where it was written; its pointer is the one in the bundled document.
//!
//! A reference that cannot be resolved stays a reference, spelled as the document's own file would
//! spell it, and [`Document`] remembers the problem at its position. The check of references reports
//! the problem there, and the operations that use the reference are left out, as with any other
//! defect.

use std::collections::{HashMap, HashSet, VecDeque};

use super::defect::Problem;
use super::document::{
    Document, MAX_BYTES, MAX_DEPTH, MAX_NODES, Member, Members, Node, NodeKind, Position, SourceFile,
};
use super::object::{MemberContent, Object};
use super::openapi::{is_url, percent_decode};
use super::pointer;

/// The maximum number of files in one document, its own included.
pub const MAX_FILES: usize = 10_000;
/// The maximum size of these files together, in bytes.
pub const MAX_TOTAL_BYTES: usize = 4 * MAX_BYTES;

/// Reads the file at this path, which is relative to the document's folder and uses `/`.
pub type ReadFile<'files> = dyn FnMut(&str) -> Result<String, Unread> + 'files;

/// The other files of a document, and how to read them.
pub struct OtherFiles<'files> {
    /// The folder of the document as messages show it, with a slash at its end: the prefix of a file's path.
    pub shown_folder: String,
    /// The name of the document's own file in its folder.
    pub file_name: String,
    /// Reads one of the other files.
    pub read: Box<ReadFile<'files>>,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It failed for this reason, as a message shows it.
    Failed(String),
    /// The path leads out of the document's folder, by `..` or by a symbolic link.
    Outside,
}

/// Copies everything that the references to other files point to into the document.
pub(super) fn bundle(document: &mut Document, other_files: OtherFiles<'_>) {
    let mut bundle = Bundle {
        other_files,
        files: Vec::new(),
        by_path: HashMap::new(),
        bytes: document.text().len(),
        nodes: 0,
        names: HashMap::new(),
        taken: HashSet::new(),
        numbers: HashMap::new(),
        pending: VecDeque::new(),
        active: Vec::new(),
        unresolved: HashMap::new(),
    };
    bundle.take_names(&document.root);
    bundle.inline_component_references(&mut document.root);
    bundle.visit(&mut document.root, MemberContent::One(Object::OpenApi), 0);
    let mut added: HashMap<Object, Vec<Member>> = HashMap::new();
    while let Some((kind, target, name)) = bundle.pending.pop_front() {
        let Some(mut node) = bundle.node(&target).cloned() else {
            continue;
        };
        bundle.visit(&mut node, MemberContent::One(kind), COMPONENT_DEPTH);
        let position = node.position;
        added.entry(kind).or_default().push(Member {
            name: name.into(),
            position,
            node,
        });
    }
    for (kind, members) in added {
        add(&mut document.root, kind, members);
    }
    let files = bundle.files.into_iter().map(|file| file.source).collect();
    document.set_other_files(files, bundle.unresolved);
}

/// The depth of a component in a document.
const COMPONENT_DEPTH: usize = 3;

/// The target of a reference: a location in a file, which is given by its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ReferredLocation {
    file: u32,
    pointer: String,
}

/// A file other than the document's own.
struct OtherFile {
    path: String,
    source: SourceFile,
    root: Node,
}

struct Bundle<'files> {
    other_files: OtherFiles<'files>,
    /// The other files; the first has the number 1.
    files: Vec<OtherFile>,
    by_path: HashMap<String, Result<u32, String>>,
    /// The size of all files so far, in bytes.
    bytes: usize,
    /// The number of nodes copied into the document so far.
    nodes: usize,
    /// The names that targets have under `components`.
    names: HashMap<(Object, ReferredLocation), String>,
    taken: HashSet<(Object, String)>,
    /// The last number that was appended to each name to make it unique.
    numbers: HashMap<(Object, String), usize>,
    /// The targets that are still to be copied under `components`.
    pending: VecDeque<(Object, ReferredLocation, String)>,
    /// The targets that are being expanded around the current location, to detect cycles.
    active: Vec<ReferredLocation>,
    unresolved: HashMap<Position, Problem>,
}

impl Bundle<'_> {
    /// Marks the names that the document itself has under `components` as taken.
    fn take_names(&mut self, root: &Node) {
        for kind in Object::NAMED {
            let names = component_section(root, kind).into_iter().flat_map(Node::members);
            self.taken.extend(names.map(|member| (kind, member.name.to_string())));
        }
    }

    /// Replaces each component that is only a reference to another file by its target. Other
    /// references to that target then use the component's name.
    fn inline_component_references(&mut self, root: &mut Node) {
        for kind in Object::NAMED {
            let members = component_section(root, kind).map_or(&[][..], Node::members).iter();
            let references = members.filter_map(|member| match member.node.members() {
                [_] => Some((member.name.to_string(), reference(&member.node)?.to_owned())),
                _ => None,
            });
            for (name, text) in references.collect::<Vec<_>>() {
                let Ok(target) = self.target(&text, 0) else {
                    continue;
                };
                let is_new = target.file != 0 && !self.names.contains_key(&(kind, target.clone()));
                if !is_new || self.admit(&target, COMPONENT_DEPTH).is_err() {
                    continue;
                }
                let section = root
                    .member_mut("components")
                    .and_then(|node| node.member_mut(kind.section()?));
                let place = section.and_then(|section| section.member_mut(&name));
                if let (Some(place), Some(node)) = (place, self.node(&target)) {
                    *place = node.clone();
                    self.names.insert((kind, target), name);
                }
            }
        }
    }

    /// Resolves the references to other files in a node and below it.
    fn visit(&mut self, node: &mut Node, content: MemberContent, depth: usize) {
        if let Some(text) = reference(node).map(str::to_owned) {
            let file = node.position.file;
            // References within the document are left to its readers; references to the network are
            // never followed.
            if (file != 0 || !text.starts_with('#')) && !is_url(&text) {
                return self.resolve(node, (&text, file), content, depth);
            }
        }
        self.visit_below(node, content, depth);
    }

    fn visit_below(&mut self, node: &mut Node, content: MemberContent, depth: usize) {
        let depth = depth + 1;
        match content {
            MemberContent::List(kind) => {
                for element in node.elements_mut() {
                    self.visit(element, MemberContent::One(kind), depth);
                }
            }
            MemberContent::Map(kind) => {
                for member in node.members_mut() {
                    self.visit(&mut member.node, MemberContent::One(kind), depth);
                }
            }
            MemberContent::One(kind) => {
                for member in node.members_mut() {
                    if let Some(below) = kind.member(&member.name) {
                        self.visit(&mut member.node, below, depth);
                    } else if kind == Object::Schema && member.name == "discriminator" {
                        self.visit_mapping(&mut member.node);
                    }
                }
            }
        }
    }

    /// Resolves the references in the mapping of a discriminator, whose values may also be plain
    /// names.
    fn visit_mapping(&mut self, discriminator: &mut Node) {
        let Some(mapping) = discriminator.member_mut("mapping") else {
            return;
        };
        for member in mapping.members_mut() {
            let file = member.node.position.file;
            let Some(text) = member.node.string().map(str::to_owned) else {
                continue;
            };
            let is_path = text.contains(['/', '#']) || text.contains(".y") || text.contains(".json");
            if !is_path || is_url(&text) || (file == 0 && text.starts_with('#')) {
                continue;
            }
            if let Ok(written) = self
                .target(&text, file)
                .and_then(|target| self.bundled_reference(Object::Schema, target))
            {
                member.node.kind = NodeKind::String(written.into());
            }
        }
    }

    /// Resolves a node that is a reference, written in this file.
    fn resolve(&mut self, node: &mut Node, (text, file): (&str, u32), content: MemberContent, depth: usize) {
        let resolved = self.target(text, file).and_then(|target| match content {
            MemberContent::One(kind) if kind.section().is_some() || target.file == 0 => {
                let written = self.bundled_reference(kind, target)?;
                set_reference(node, written);
                Ok(())
            }
            _ => self.replace(node, target, content, depth),
        });
        if let Err(problem) = resolved {
            let at = node
                .member("$ref")
                .map_or(node.position, |reference| reference.position);
            self.unresolved.insert(at, problem);
            // Spelled with its file, so that it is not taken for a reference within the document.
            set_reference(node, self.seen_from_document(text, file));
        }
        // From OpenAPI 3.1 on, the keywords next to `$ref` apply too.
        if matches!(content, MemberContent::One(Object::Schema)) {
            self.visit_below(node, content, depth);
        }
    }

    /// Returns the target of a reference that is written in this file.
    fn target(&mut self, text: &str, file: u32) -> Result<ReferredLocation, Problem> {
        if is_url(text) {
            return Err(Problem::Unsupported {
                what: format!("the reference `{text}` to the network"),
                fix: "download it first, and put it beside the document",
            });
        }
        let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
        if !pointer::is_pointer(fragment) {
            return Err(Problem::Unsupported {
                what: format!("the reference `{text}` to an anchor"),
                fix: "name the location with a JSON pointer, such as `pet.yaml#/Pet`",
            });
        }
        let file = match percent_decode(path) {
            path if path.is_empty() => file,
            path => self.open(text, &path, file)?,
        };
        let pointer = percent_decode(fragment);
        let target = ReferredLocation { file, pointer };
        if target.file != 0 && self.node(&target).is_none() {
            return Err(Problem::DanglingReference {
                target: text.to_owned(),
                near: None,
            });
        }
        Ok(target)
    }

    /// Returns the number of the file at a path that is relative to the file `from`, and reads the
    /// file the first time. `text` is the whole reference, for messages.
    fn open(&mut self, text: &str, path: &str, from: u32) -> Result<u32, Problem> {
        let outside = || Problem::Unsupported {
            what: format!("the reference `{text}` to a file outside of the document's folder"),
            fix: "move the file into that folder, or give a document in a folder above both",
        };
        let path = normalized(self.folder(from), path).ok_or_else(outside)?;
        if path == self.other_files.file_name {
            return Ok(0);
        }
        if !self.by_path.contains_key(&path) {
            let read = self.read(&path).map_err(|unread| match unread {
                Unread::Failed(reason) => reason,
                Unread::Outside => String::new(),
            });
            self.by_path.insert(path.clone(), read);
        }
        match &self.by_path[&path] {
            Ok(number) => Ok(*number),
            Err(reason) if reason.is_empty() => Err(outside()),
            Err(reason) => Err(Problem::UnreadableFile {
                target: text.to_owned(),
                reason: reason.clone(),
            }),
        }
    }

    fn read(&mut self, path: &str) -> Result<u32, Unread> {
        let failed = |reason: String| Err(Unread::Failed(reason));
        if self.files.len() + 1 >= MAX_FILES {
            return failed(format!("the document has more than {MAX_FILES} files"));
        }
        let text = (self.other_files.read)(path)?;
        self.bytes += text.len();
        if self.bytes > MAX_TOTAL_BYTES {
            return failed(format!(
                "the document's files are together larger than {} MiB",
                MAX_TOTAL_BYTES >> 20
            ));
        }
        let number = u32::try_from(self.files.len() + 1).unwrap_or(u32::MAX);
        let name = format!("{}{path}", self.other_files.shown_folder);
        let (source, root) =
            SourceFile::read(&name, text, number).map_err(|defect| Unread::Failed(defect.to_string()))?;
        self.files.push(OtherFile {
            path: path.to_owned(),
            source,
            root,
        });
        Ok(number)
    }

    /// Returns the reference to a target within the bundled document.
    fn bundled_reference(&mut self, kind: Object, target: ReferredLocation) -> Result<String, Problem> {
        // Whoever reads a reference percent-decodes it.
        let escaped = |pointer: &str| format!("#{}", pointer.replace('%', "%25"));
        let Some(section) = kind.section().filter(|_| target.file != 0) else {
            return Ok(escaped(&target.pointer));
        };
        let key = (kind, target);
        if let Some(name) = self.names.get(&key) {
            return Ok(escaped(&pointer::join(&format!("/components/{section}"), name)));
        }
        self.admit(&key.1, COMPONENT_DEPTH)?;
        let (_, target) = key;
        let name = self.new_name(kind, &target);
        self.pending.push_back((kind, target.clone(), name.clone()));
        let written = escaped(&pointer::join(&format!("/components/{section}"), &name));
        self.names.insert((kind, target), name);
        Ok(written)
    }

    /// Returns an unused name for a target: its own name, or that of its file, with a number if it
    /// is taken.
    fn new_name(&mut self, kind: Object, target: &ReferredLocation) -> String {
        let own = pointer::tokens(&target.pointer).last().unwrap_or_else(|| {
            let path = self.path(target.file);
            let file = path.rsplit('/').next().unwrap_or_default();
            file.split('.').next().unwrap_or_default().to_owned()
        });
        let key = (kind, own);
        if self.taken.insert(key.clone()) {
            return key.1;
        }
        // Starts at the last number, because thousands of files may have a target of the same name.
        let mut number = self.numbers.get(&key).copied().unwrap_or(1);
        let name = loop {
            number += 1;
            let name = format!("{}-{number}", key.1);
            if self.taken.insert((kind, name.clone())) {
                break name;
            }
        };
        self.numbers.insert(key, number);
        name
    }

    /// Replaces a reference by its target.
    fn replace(
        &mut self,
        node: &mut Node,
        target: ReferredLocation,
        content: MemberContent,
        depth: usize,
    ) -> Result<(), Problem> {
        if self.active.contains(&target) {
            let target = reference(node).unwrap_or_default().to_owned();
            return Err(Problem::CircularReference { target });
        }
        self.admit(&target, depth)?;
        let Some(named) = self.node(&target) else {
            return Ok(());
        };
        *node = named.clone();
        self.active.push(target);
        self.visit(node, content, depth);
        self.active.pop();
        Ok(())
    }

    /// Counts the nodes that a target adds at this depth. Once there are too many, further targets
    /// are rejected without being measured, to bound the work.
    fn admit(&mut self, target: &ReferredLocation, depth: usize) -> Result<(), Problem> {
        let too_many = Err(Problem::TooManyNodes { maximum: MAX_NODES });
        if self.nodes > MAX_NODES {
            return too_many;
        }
        let (size, levels) = self.node(target).map_or((0, 0), measure);
        self.nodes += size;
        if self.nodes > MAX_NODES {
            return too_many;
        }
        if depth + levels > MAX_DEPTH + COMPONENT_DEPTH {
            return Err(Problem::TooDeep { maximum: MAX_DEPTH });
        }
        Ok(())
    }

    /// Returns the node of a target in another file.
    fn node(&self, target: &ReferredLocation) -> Option<&Node> {
        let root = &self.other(target.file)?.root;
        pointer::tokens(&target.pointer).try_fold(root, |node, token| match &node.kind {
            NodeKind::Object(_) => node.member(&token),
            NodeKind::Array(elements) => elements.get(token.parse::<usize>().ok()?),
            _ => None,
        })
    }

    fn other(&self, file: u32) -> Option<&OtherFile> {
        self.files.get(usize::try_from(file).ok()?.checked_sub(1)?)
    }

    /// Returns the path of a file, relative to the document's folder.
    fn path(&self, file: u32) -> &str {
        self.other(file)
            .map_or(&self.other_files.file_name, |other| &other.path)
    }

    /// Returns the folder of a file, relative to the document's folder.
    fn folder(&self, file: u32) -> &str {
        self.path(file).rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns a reference in this file as it would be written in the document's own file.
    fn seen_from_document(&self, text: &str, file: u32) -> String {
        let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
        let path = match path {
            "" => Some(self.path(file).to_owned()),
            path => normalized(self.folder(file), path),
        };
        path.map_or_else(|| text.to_owned(), |path| format!("{path}#{fragment}"))
    }
}

/// Turns a path that is relative to `folder` into one that is relative to the document's folder;
/// `None` if it leads out of that folder.
fn normalized(folder: &str, path: &str) -> Option<String> {
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with(['/', '\\']) || drive {
        return None;
    }
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// Returns the text of a node's `$ref`; `None` if the node is not a reference.
fn reference(node: &Node) -> Option<&str> {
    node.text_of("$ref")
}

fn set_reference(node: &mut Node, written: String) {
    if let Some(reference) = node.member_mut("$ref") {
        reference.kind = NodeKind::String(written.into());
    }
}

/// Returns how many nodes and how many levels a tree has.
pub(super) fn measure(node: &Node) -> (usize, usize) {
    let members = node.members().iter().map(|member| &member.node);
    let below = members.chain(node.elements()).map(measure);
    let (size, levels) = below.fold((0, 0), |(size, levels), (more, deep)| (size + more, levels.max(deep)));
    (size + 1, levels + 1)
}

fn component_section(root: &Node, kind: Object) -> Option<&Node> {
    root.member("components")?.member(kind.section()?)
}

/// Adds components of one kind. If `components` or the section in it is not an object, nothing is
/// added, and the references to the components are reported as dangling.
fn add(root: &mut Node, kind: Object, members: Vec<Member>) {
    let section = object_in(root, "components").and_then(|components| object_in(components, kind.section()?));
    if let Some(section) = section {
        section.extend_members(members);
    }
}

/// Returns the member with this name, which is added if it is missing; `None` if it is not an
/// object.
fn object_in<'node>(node: &'node mut Node, name: &str) -> Option<&'node mut Node> {
    if node.member(name).is_none() {
        let position = node.position;
        let kind = NodeKind::Object(Box::new(Members::new(Vec::new())));
        node.extend_members(vec![Member {
            name: name.into(),
            position,
            node: Node { kind, position },
        }]);
    }
    node.member_mut(name)
        .filter(|member| matches!(member.kind, NodeKind::Object(_)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::contract::Contract;
    use crate::contract::defect::Defects;

    /// Reads a document in the folder `api`, with these other files, given by path and text.
    fn read(document: &str, files: &[(&str, &str)]) -> Result<Contract, Defects> {
        let files: BTreeMap<_, _> = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        let other_files = OtherFiles {
            shown_folder: "api/".to_owned(),
            file_name: "openapi.yaml".to_owned(),
            read: Box::new(move |path| match path {
                "link.yaml" => Err(Unread::Outside),
                path => files
                    .get(path)
                    .cloned()
                    .ok_or_else(|| Unread::Failed("no such file".to_owned())),
            }),
        };
        let document = Document::read("api/openapi.yaml", document.to_owned())?;
        Contract::partly_of_document(document.with_files(other_files))
    }

    /// A document with one operation that responds with this schema, and one that responds with nothing.
    fn responding(schema: &str) -> String {
        format!(
            "openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\npaths:\n  /a:\n    get:\n      responses:\n        '200':\n          \
             description: a\n          content: {{application/json: {{schema: {schema}}}}}\n  /b: {{get: {{responses: \
             {{'204': {{description: a}}}}}}}}\n"
        )
    }

    /// The facts about the body of the first operation: name, file and line.
    fn facts(contract: &Contract) -> Vec<String> {
        let facts = contract.facts.iter().filter(|fact| fact.name.contains("GET /a /"));
        let located = facts.map(|fact| {
            let position = contract.position(fact);
            let name = fact.name.trim_start_matches("GET /a ");
            format!("{name} {}:{}", contract.document.file(position), position.line)
        });
        located.collect()
    }

    #[test]
    fn a_schema_of_another_file_states_facts_there() {
        let pet = "Pet:\n  type: object\n  required: [id]\n  properties:\n    id: {$ref: 'ids.yaml'}\n    owner: {$ref: \
                   '#/Owner'}\nOwner:\n  type: object\n  properties:\n    name: {type: string}\n";
        let ids = "{\"type\":\n\"integer\"}";
        let files = [("schemas/pet.yaml", pet), ("schemas/ids.yaml", ids)];
        let contract = read(&responding("{$ref: './schemas/pet.yaml#/Pet'}"), &files).unwrap();
        assert_eq!(
            facts(&contract),
            [
                "/id: present api/schemas/pet.yaml:5",
                "/id: integer api/schemas/ids.yaml:1",
                "/owner: object api/schemas/pet.yaml:8",
                "/owner/name: string api/schemas/pet.yaml:10",
            ]
        );
    }

    #[test]
    fn a_name_of_a_map_may_begin_as_an_extension_does() {
        let ids = "{type: integer}";
        let note = "x-note: {$ref: 'missing.yaml'}";
        let document = responding("{type: object, properties: {x-size: {$ref: 'size.yaml'}}}")
            .replace("      responses:\n", &format!("      responses:\n        {note}\n"))
            .replace("paths:\n", &format!("paths:\n  {note}\n"));
        let contract = read(&document, &[("size.yaml", ids)]).unwrap();
        assert_eq!(facts(&contract), ["/x-size: integer api/size.yaml:1"]);
        assert!(contract.defects.is_empty(), "{:?}", contract.defects);
    }

    #[test]
    fn files_may_refer_to_each_other_and_back_to_the_document() {
        let node = "type: object\nproperties:\n  below: {type: array, items: {$ref: 'tree.yaml'}}\n  size: {$ref: \
                    '../openapi.yaml#/components/schemas/Size'}\n";
        let tree = "$ref: './node.yaml'\n";
        let document = format!(
            "{}components: {{schemas: {{Size: {{type: integer}}}}}}\n",
            responding("{$ref: 'schemas/tree.yaml'}")
        );
        let contract = read(&document, &[("schemas/node.yaml", node), ("schemas/tree.yaml", tree)]).unwrap();
        let facts = facts(&contract);
        assert!(
            facts.contains(&"/size: integer api/openapi.yaml:11".to_owned()),
            "{facts:?}"
        );
        assert!(
            facts.contains(&"/below: array api/schemas/node.yaml:3".to_owned()),
            "{facts:?}"
        );
    }

    #[test]
    fn path_items_parameters_responses_and_whole_sections_may_be_elsewhere() {
        let item = "get:\n  parameters: [{$ref: '../common.yaml#/Limit'}]\n  responses: {$ref: './responses.yaml'}\n";
        let files = [
            ("paths/things.yaml", item),
            ("paths/responses.yaml", "'200': {$ref: '../common.yaml#/Things'}\n"),
            (
                "common.yaml",
                "Limit: {name: limit, in: query, schema: {type: integer}}\nThings: {description: a, content: \
                 {application/json: {schema: {type: array, items: {$ref: '#/Thing'}}}}}\nThing: {type: string}\n",
            ),
        ];
        let document = "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths:\n  /a: {$ref: paths/things.yaml}\n";
        let contract = read(document, &files).unwrap();
        assert_eq!(contract.operations[0].parameters[0].name, "limit");
        assert_eq!(facts(&contract), ["/*: string api/common.yaml:3"]);
        let position = contract.document.position(&contract.operations[0].pointer);
        assert_eq!(
            (contract.document.file(position), position.line),
            ("api/paths/things.yaml", 1)
        );
    }

    #[test]
    fn a_component_that_is_a_reference_gives_its_target_its_name() {
        let pets =
            "Pet: {type: object, discriminator: {propertyName: kind, mapping: {c: '#/Cat'}}}\nCat: {type: object}\n";
        let document = format!(
            "{}components: {{schemas: {{Animal: {{$ref: 'pets.yaml#/Pet'}}, Cat: {{type: string}}}}}}\n",
            responding("{type: array, items: {$ref: 'pets.yaml#/Pet'}}")
        );
        let contract = read(&document, &[("pets.yaml", pets)]).unwrap();
        let node = |pointer: &str| contract.document.node(pointer).and_then(Node::string);
        let items = "/paths/~1a/get/responses/200/content/application~1json/schema/items/$ref";
        assert_eq!(node(items), Some("#/components/schemas/Animal"));
        let mapped = node("/components/schemas/Animal/discriminator/mapping/c");
        assert_eq!(mapped, Some("#/components/schemas/Cat-2"));
    }

    #[test]
    fn a_reference_that_leads_nowhere_takes_out_what_uses_it_and_is_reported_where_it_is_written() {
        let pet = "Pet:\n  properties:\n    id: {$ref: '#/Missing'}\nBroken: {$ref: 'broken.yaml'}\nLoop: {$ref: '#/Loop'}\n\
                   Deep: {$ref: 'https://example.com/a.yaml'}\n";
        let files = [("pet.yaml", pet), ("broken.yaml", "a: [\n")];
        for (target, at, message) in [
            ("pet.yaml#/Pet", "api/pet.yaml:3:10 ", "`#/Missing` names nothing"),
            (
                "pet.yaml#/Pet/id",
                "api/openapi.yaml:9:49 ",
                "`pet.yaml#/Pet/id` names nothing",
            ),
            (
                "dog.yaml",
                "api/openapi.yaml:9:49 ",
                "`dog.yaml` names a file that cannot be read: no such file",
            ),
            (
                "pet.yaml#/Broken",
                "api/pet.yaml:4:10 ",
                "cannot be read: api/broken.yaml:2:1 (/a): this is not YAML",
            ),
            ("pet.yaml#/Loop", "api/pet.yaml:5:8 ", "leads back to itself"),
            (
                "pet.yaml#/Deep",
                "api/pet.yaml:6:8 ",
                "`https://example.com/a.yaml` to the network",
            ),
            ("pet.yaml#Pet", "api/openapi.yaml:9:49 ", "`pet.yaml#Pet` to an anchor"),
            (
                "../pet.yaml",
                "api/openapi.yaml:9:49 ",
                "`../pet.yaml` to a file outside of the document's folder",
            ),
            (
                "a/../../pet.yaml",
                "api/openapi.yaml:9:49 ",
                "outside of the document's folder",
            ),
            (
                "/etc/passwd",
                "api/openapi.yaml:9:49 ",
                "`/etc/passwd` to a file outside",
            ),
            (
                "%2Fetc/passwd",
                "api/openapi.yaml:9:49 ",
                "outside of the document's folder",
            ),
            (
                "C:\\pet.yaml",
                "api/openapi.yaml:9:49 ",
                "outside of the document's folder",
            ),
            ("link.yaml", "api/openapi.yaml:9:49 ", "`link.yaml` to a file outside"),
        ] {
            let contract = read(&responding(&format!("{{$ref: '{target}'}}")), &files).unwrap();
            let reported: Vec<_> = contract.defects.iter().map(ToString::to_string).collect();
            let omitted: Vec<_> = contract.omitted.iter().map(|omitted| omitted.path.as_str()).collect();
            assert_eq!(omitted, ["/a"], "{target}: {reported:?}");
            let mut reported = reported.iter();
            let is_expected = |reported: &String| reported.starts_with(at) && reported.contains(message);
            assert!(reported.any(is_expected), "{target}: {:?}", contract.defects);
        }
    }

    #[test]
    fn path_items_that_name_each_other_end() {
        let document = "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths:\n  /a: {$ref: a.yaml}\n  /b: {get: \
                        {responses: {'204': {description: a}}}}\n";
        let files = [("a.yaml", "$ref: b.yaml\n"), ("b.yaml", "$ref: a.yaml\n")];
        let contract = read(document, &files).unwrap();
        assert_eq!((contract.operations.len(), contract.defects.len()), (1, 1));
        let reported = contract.defects[0].to_string();
        assert!(reported.contains("leads back to itself"), "{reported}");
        // Each of ten files refers to the next one ten times.
        let next = |number: usize| (0..10).map(move |key| format!("k{key}: {{$ref: {}.yaml}}\n", number + 1));
        let files: Vec<_> = (0..10)
            .map(|number| (format!("{number}.yaml"), next(number).collect::<String>()))
            .collect();
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let callbacks = "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths:\n  /b: {get: {callbacks: {$ref: 0.yaml}, \
                         responses: {'204': {description: a}}}}\n";
        assert!(read(callbacks, &files).is_ok());
    }

    #[test]
    fn a_file_whose_every_level_is_referred_to_is_refused_at_bounded_cost() {
        const LEVELS: usize = 100;
        let large = format!(
            "{}[{}]{}",
            "{l: ".repeat(LEVELS),
            "0,".repeat(50_000),
            "}".repeat(LEVELS)
        );
        let parts: Vec<_> = (0..LEVELS)
            .map(|level| format!("{{$ref: 'large.yaml#{}'}}", "/l".repeat(level)))
            .collect();
        let schema = format!("{{allOf: [{}]}}", parts.join(", "));
        let contract = read(&responding(&schema), &[("large.yaml", &large)]).unwrap();
        assert_eq!(contract.omitted.len(), 1);
        let defect = contract.omitted[0].defect.to_string();
        assert!(defect.contains("more than 4000000 nodes"), "{defect}");
    }

    #[test]
    fn a_property_or_an_example_that_is_called_ref_is_not_a_reference() {
        let schema = "{type: object, properties: {$ref: {type: string}}, example: {$ref: 'x.yaml'}}";
        let contract = read(&responding(schema), &[]).unwrap();
        assert_eq!((contract.defects.len(), facts(&contract).len()), (0, 1));
    }

    #[test]
    fn keywords_of_later_versions_refer_too() {
        let schema = "{$ref: 'a.yaml', properties: {b: {$ref: 'a.yaml#/$defs/B'}}}";
        let document = responding(schema).replace("3.0.3", "3.1.0");
        let a = "type: object\nproperties: {a: {type: [integer, 'null']}}\n$defs: {B: {const: 3}}\n";
        let contract = read(&document, &[("a.yaml", a)]).unwrap();
        assert_eq!(contract.defects.len(), 0);
        let facts = facts(&contract);
        assert!(
            facts.contains(&"/a: integer or null api/a.yaml:2".to_owned()),
            "{facts:?}"
        );
    }

    #[test]
    fn thousands_of_files_are_each_read_once() {
        const FILES: usize = 3_000;
        let files: Vec<_> = (0..FILES)
            .map(|number| {
                let next = (number + 1) % FILES;
                (
                    format!("schemas/s{number}.yaml"),
                    format!(
                        "type: object\nproperties:\n  next: {{$ref: 's{next}.yaml'}}\n  first: {{$ref: 's0.yaml'}}\n"
                    ),
                )
            })
            .collect();
        let mut reads = 0;
        let by_path: HashMap<_, _> = files.into_iter().collect();
        let other_files = OtherFiles {
            shown_folder: String::new(),
            file_name: "openapi.yaml".to_owned(),
            read: Box::new(|path| {
                reads += 1;
                Ok(by_path[path].clone())
            }),
        };
        let document = Document::read("openapi.yaml", responding("{$ref: 'schemas/s0.yaml'}")).unwrap();
        let mut schemas = 0;
        let work = crate::testing::work::of(|| {
            let document = document.with_files(other_files);
            schemas = document
                .node("/components/schemas")
                .map_or(0, |node| node.members().len());
        });
        assert_eq!((reads, schemas), (FILES, FILES));
        assert!(work < 100 * 3_000, "{work}");
    }
}
