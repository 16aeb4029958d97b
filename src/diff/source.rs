//! One of the two documents, read as it is: references are followed, and what is missing or unknown stops nothing. The
//! main types are [`Source`] and [`LocatedNode`].

use std::collections::HashSet;
use std::hash::Hash;

use serde_json::Value;

use super::difference::{DanglingReference, DocumentLocation, Location};
use crate::contract::document::{Document, Node, NodeKind};
use crate::contract::openapi::local_pointer;
use crate::contract::pointer;

/// Why what a reference leads to is not compared.
pub(super) const NOT_IN_THE_FILE: &str = "what it refers to is not in the file";

/// The most references in a row that are followed.
const MAX_REFERENCES: usize = 64;

/// Two parts that lead to more pairs of definitions than this are taken to differ.
const MAX_DEFINITIONS: usize = 1_000;

/// A document whose references can be followed.
#[derive(Debug)]
pub(super) struct Source<'document> {
    pub(super) document: &'document Document,
    /// Whether the version is later than OpenAPI 3.0: only there, keywords next to a `$ref` apply (3.0.3, section
    /// 4.7.23), and `enum` excludes null that `type` admits.
    pub(super) is_later_than_3_0: bool,
}

/// A node and its location.
#[derive(Clone, Debug)]
pub(super) struct LocatedNode<'document> {
    pub(super) node: &'document Node,
    pub(super) pointer: String,
}

impl<'document> Source<'document> {
    pub(super) fn new(document: &'document Document) -> Self {
        let version = document.root.member("openapi").and_then(Node::string);
        Self {
            document,
            is_later_than_3_0: version.is_some_and(|version| !version.starts_with("3.0")),
        }
    }

    /// Returns the node at a pointer.
    pub(super) fn at(&self, pointer: &str) -> Option<LocatedNode<'document>> {
        let node = self.document.node(pointer)?;
        Some(LocatedNode {
            node,
            pointer: pointer.to_owned(),
        })
    }

    /// Follows references to a definition; one that leads nowhere, or to another file, is returned itself.
    pub(super) fn resolve(&self, at: LocatedNode<'document>) -> LocatedNode<'document> {
        self.follow(at).1
    }

    /// Follows references to a definition as [`Self::resolve`] does, and returns it with the references on the way.
    pub(super) fn follow(&self, at: LocatedNode<'document>) -> (Vec<LocatedNode<'document>>, LocatedNode<'document>) {
        let mut current = at;
        let mut references = Vec::new();
        let mut met = HashSet::new();
        for _ in 0..MAX_REFERENCES {
            let Some(target) = reference(current.node).and_then(local_pointer) else {
                break;
            };
            if !met.insert(target.clone()) {
                break;
            }
            match self.at(&target) {
                Some(found) => references.push(std::mem::replace(&mut current, found)),
                None => break,
            }
        }
        (references, current)
    }

    /// Returns the schemas that apply at once where a schema may be a reference: the definition and, where keywords
    /// next to a `$ref` apply, the references on the way before it.
    pub(super) fn applied(&self, at: LocatedNode<'document>) -> Vec<LocatedNode<'document>> {
        let (mut applied, definition) = self.follow(at);
        if !self.is_later_than_3_0 {
            applied.clear();
        }
        applied.push(definition);
        applied
    }

    /// Returns a member with its references followed.
    pub(super) fn member(&self, at: &LocatedNode<'document>, name: &str) -> Option<LocatedNode<'document>> {
        at.member(name).map(|member| self.resolve(member))
    }
}

/// Returns the target of a node's `$ref`.
pub(super) fn reference(node: &Node) -> Option<&str> {
    node.member("$ref").and_then(Node::string)
}

/// Returns the references of a document that lead to nothing in it, each target once.
pub(super) fn dangling_references(document: &Document) -> Vec<DanglingReference> {
    let mut dangling = DanglingReferenceSearch {
        document,
        targets: HashSet::new(),
        found: Vec::new(),
    };
    dangling.visit(&document.root, Members::Keywords, &mut Vec::new());
    dangling.found
}

/// Looks for references that lead to nothing.
struct DanglingReferenceSearch<'document> {
    document: &'document Document,
    /// The targets that were met, whether they lead to something or not.
    targets: HashSet<&'document str>,
    found: Vec<DanglingReference>,
}

impl<'document> DanglingReferenceSearch<'document> {
    /// Visits a node and what is below it; `path` leads to it, and `members` says what its members are.
    fn visit(&mut self, node: &'document Node, members: Members, path: &mut Vec<Token<'document>>) {
        if let Some(target) = reference(node).filter(|target| self.targets.insert(*target)) {
            let leads = local_pointer(target).is_some_and(|pointer| self.document.node(&pointer).is_some());
            if !leads {
                self.found.push(DanglingReference {
                    target: target.to_owned(),
                    location: DocumentLocation::of(
                        self.document,
                        &Location::at(pointer::join(&pointer_of(path), "$ref")),
                    ),
                });
            }
        }
        for member in node.members() {
            let Some(below) = members.below(&member.name, path.len()) else {
                continue;
            };
            path.push(Token::Name(&member.name));
            self.visit(&member.node, below, path);
            path.pop();
        }
        for (index, element) in node.elements().iter().enumerate() {
            path.push(Token::Index(index));
            self.visit(element, Members::Keywords, path);
            path.pop();
        }
    }
}

/// What the members of an object are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Members {
    Keywords,
    /// Names that the document chooses, such as those of properties.
    Names,
    /// The statuses of an operation's responses, and keywords that begin with `x-`.
    Statuses,
}

impl Members {
    /// Returns what the members below this member are; `None` if what is below it is data of the API, not part of
    /// the document's structure. `depth` is how deep in the document the object is.
    fn below(self, name: &str, depth: usize) -> Option<Self> {
        match self {
            Self::Keywords if contains_values(name) => None,
            Self::Statuses if name.starts_with("x-") => None,
            // Those of the components, one level below the root, have names.
            Self::Keywords if name == "responses" && depth != 1 => Some(Self::Statuses),
            Self::Keywords if contains_names(name) => Some(Self::Names),
            Self::Keywords | Self::Names | Self::Statuses => Some(Self::Keywords),
        }
    }
}

/// A part of a pointer that is put together only where it is needed.
#[derive(Clone, Copy)]
enum Token<'document> {
    Name(&'document str),
    Index(usize),
}

fn pointer_of(path: &[Token<'_>]) -> String {
    path.iter().fold(String::new(), |pointer, token| match token {
        Token::Name(name) => pointer::join(&pointer, name),
        Token::Index(index) => pointer::join(&pointer, &index.to_string()),
    })
}

/// Whether the members below a keyword have names that the document chooses; none of them is a keyword, whatever its
/// name.
fn contains_names(keyword: &str) -> bool {
    matches!(
        keyword,
        "$defs"
            | "callbacks"
            | "content"
            | "definitions"
            | "dependentRequired"
            | "dependentSchemas"
            | "encoding"
            | "headers"
            | "links"
            | "parameters"
            | "pathItems"
            | "patternProperties"
            | "properties"
            | "requestBodies"
            | "responses"
            | "schemas"
            | "securitySchemes"
            | "variables"
            | "webhooks"
    )
}

/// Whether a keyword has values of the API below it, in which nothing is a reference.
fn contains_values(keyword: &str) -> bool {
    matches!(keyword, "const" | "default" | "enum" | "example" | "examples") || keyword.starts_with("x-")
}

/// Whether a node refers to a definition, itself or anywhere below.
pub(super) fn refers(node: &Node) -> bool {
    let below = node.members().iter().map(|member| &member.node).chain(node.elements());
    reference(node).is_some() || below.into_iter().any(refers)
}

/// Returns the value of a node, in which equal numbers are equal however they are written: `1.0` is `1`. Unlike
/// [`Node::to_value`], it is made for comparing.
pub(super) fn normalized_value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Number(number) => {
            let integer = number.as_f64().map(|fraction| fraction.to_string());
            let integer = integer
                .filter(|_| number.is_f64())
                .and_then(|text| text.parse::<i64>().ok());
            integer.map_or_else(|| Value::Number(number.clone()), Value::from)
        }
        NodeKind::Array(elements) => elements.iter().map(normalized_value).collect(),
        NodeKind::Object(_) => {
            let members = node.members().iter();
            Value::Object(
                members
                    .map(|member| (member.name.to_string(), normalized_value(&member.node)))
                    .collect(),
            )
        }
        _ => node.to_value(),
    }
}

/// Whether a keyword only explains or shows, and demands nothing.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "$comment" | "description" | "example" | "examples" | "externalDocs" | "summary" | "title"
    ) || keyword.starts_with("x-")
}

/// Whether a keyword of a reference demands something besides what the reference leads to.
fn is_sibling(keyword: &str) -> bool {
    keyword != "$ref" && !is_annotation(keyword)
}

/// Whether a reference has keywords that demand something besides what it leads to.
pub(super) fn has_siblings(reference: &Node) -> bool {
    reference.members().iter().any(|member| is_sibling(&member.name))
}

/// Whether two parts of the documents state the same: references are followed, and annotations do not count. Each is
/// the value of this keyword; without one, each is under a name that its document chooses. Parts that lead to very many
/// definitions are not looked at to the end, and are taken to differ.
pub(super) fn state_the_same<'document>(
    keyword: Option<&str>,
    (old, old_part): (&Source<'document>, &LocatedNode<'document>),
    (new, new_part): (&Source<'document>, &LocatedNode<'document>),
) -> bool {
    let mut comparison = StatementComparison {
        old,
        new,
        met: HashSet::new(),
    };
    match keyword {
        Some(keyword) => comparison.same_below(keyword, old_part, new_part),
        None => comparison.same(old_part, new_part),
    }
}

/// Compares what two parts of the documents state.
struct StatementComparison<'sources, 'document> {
    old: &'sources Source<'document>,
    new: &'sources Source<'document>,
    /// The pairs of definitions that were met. A pair is compared once, wherever it is referred to.
    met: HashSet<(String, String)>,
}

impl<'document> StatementComparison<'_, 'document> {
    fn same(&mut self, old: &LocatedNode<'document>, new: &LocatedNode<'document>) -> bool {
        let ((from_old, was), (from_new, is)) = (self.old.follow(old.clone()), self.new.follow(new.clone()));
        if was.pointer == old.pointer && is.pointer == new.pointer {
            return self.same_members(old, new, Members::Keywords, |keyword| !is_annotation(keyword));
        }
        let with_siblings = |source: &Source<'_>, references: Vec<LocatedNode<'document>>| {
            let references = references.into_iter();
            let counts = |at: &LocatedNode<'_>| source.is_later_than_3_0 && has_siblings(at.node);
            references.filter(counts).collect::<Vec<_>>()
        };
        let (from_old, from_new) = (with_siblings(self.old, from_old), with_siblings(self.new, from_new));
        let same_siblings = from_old.len() == from_new.len()
            && from_old
                .iter()
                .zip(&from_new)
                .all(|(old, new)| self.same_members(old, new, Members::Keywords, is_sibling));
        let is_met = !self.met.insert((was.pointer.clone(), is.pointer.clone()));
        same_siblings && self.met.len() <= MAX_DEFINITIONS && (is_met || self.same(&was, &is))
    }

    /// Compares the members whose names count, which are of this kind; the elements; or the values.
    fn same_members(
        &mut self,
        old: &LocatedNode<'document>,
        new: &LocatedNode<'document>,
        kind: Members,
        counts: impl Fn(&str) -> bool,
    ) -> bool {
        match (&old.node.kind, &new.node.kind) {
            (NodeKind::Object(_), NodeKind::Object(_)) => {
                let count = |at: &LocatedNode<'_>| {
                    let names = at.node.members().iter().map(|member| member.name.as_str());
                    names.filter(|name| counts(name)).count()
                };
                count(old) == count(new)
                    && old.members().filter(|(name, _)| counts(name)).all(|(name, below)| {
                        new.member(name).is_some_and(|other| match kind {
                            Members::Keywords => self.same_below(name, &below, &other),
                            _ => self.same(&below, &other),
                        })
                    })
            }
            (NodeKind::Array(_), NodeKind::Array(_)) => {
                let (was, is): (Vec<_>, Vec<_>) = (old.elements().collect(), new.elements().collect());
                was.len() == is.len() && was.iter().zip(&is).all(|(was, is)| self.same(was, is))
            }
            _ => normalized_value(old.node) == normalized_value(new.node),
        }
    }

    fn same_below(&mut self, keyword: &str, old: &LocatedNode<'document>, new: &LocatedNode<'document>) -> bool {
        if contains_names(keyword) {
            self.same_members(old, new, Members::Names, |_| true)
        } else if contains_values(keyword) {
            normalized_value(old.node) == normalized_value(new.node)
        } else {
            self.same(old, new)
        }
    }
}

/// Returns the elements of the first list that the second one lacks; `key` is what identifies an element.
pub(super) fn only_in_first<'list, T, K: Eq + Hash>(
    list: &'list [T],
    other: &'list [T],
    key: impl Fn(&'list T) -> K,
) -> impl Iterator<Item = &'list T> {
    let known: HashSet<_> = other.iter().map(&key).collect();
    list.iter().filter(move |one| !known.contains(&key(one)))
}

impl<'document> LocatedNode<'document> {
    /// Returns the member of this name.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        let node = self.node.member(name)?;
        Some(Self {
            node,
            pointer: pointer::join(&self.pointer, name),
        })
    }

    /// Returns the members of a map, including those whose names begin with `x-`.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'document str, Self)> + '_ {
        let members = self.node.members().iter();
        members.map(|member| (member.name.as_str(), self.below(&member.node, &member.name)))
    }

    /// Returns the elements.
    pub(super) fn elements(&self) -> impl Iterator<Item = Self> + '_ {
        let elements = self.node.elements().iter().enumerate();
        elements.map(|(index, node)| self.below(node, &index.to_string()))
    }

    fn below(&self, node: &'document Node, token: &str) -> Self {
        Self {
            node,
            pointer: pointer::join(&self.pointer, token),
        }
    }

    /// Returns the string of this name.
    pub(super) fn string(&self, name: &str) -> Option<&'document str> {
        self.node.member(name).and_then(Node::string)
    }

    /// Whether the flag of this name is set.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.node.member(name).and_then(Node::boolean) == Some(true)
    }

    /// Whether this is an object.
    pub(super) fn is_object(&self) -> bool {
        matches!(self.node.kind, NodeKind::Object(_))
    }

    /// Returns the address of the node, which distinguishes it from every other of its document.
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self.node).addr()
    }
}
