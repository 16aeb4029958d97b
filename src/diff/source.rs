//! One of the two documents, read as it is: references are followed, and what is missing or unknown stops nothing. The
//! main types are [`Source`] and [`At`].

use std::collections::HashSet;

use crate::contract::document::{Document, Node, NodeKind};
use crate::contract::openapi::local_pointer;
use crate::contract::pointer;

/// More references in a row than this lead nowhere.
const MAXIMUM_REFERENCES: usize = 64;

/// One of the two documents.
#[derive(Debug)]
pub(super) struct Source<'document> {
    pub(super) document: &'document Document,
    /// Whether keywords next to a `$ref` count, as in OpenAPI 3.1; in 3.0 they do not (section 4.7.23).
    pub(super) siblings_count: bool,
}

/// A node and its location.
#[derive(Clone, Debug)]
pub(super) struct At<'document> {
    pub(super) node: &'document Node,
    pub(super) pointer: String,
}

impl<'document> Source<'document> {
    pub(super) fn new(document: &'document Document) -> Self {
        let version = document.root.member("openapi").and_then(Node::string);
        Self {
            document,
            siblings_count: version.is_some_and(|version| version.starts_with("3.1")),
        }
    }

    /// Returns the node at a pointer.
    pub(super) fn at(&self, pointer: &str) -> Option<At<'document>> {
        let node = self.document.node(pointer)?;
        Some(At {
            node,
            pointer: pointer.to_owned(),
        })
    }

    /// Follows references to a definition; one that leads nowhere, or to another file, is returned itself.
    pub(super) fn resolve(&self, at: At<'document>) -> At<'document> {
        let mut current = at;
        let mut met = HashSet::new();
        for _ in 0..MAXIMUM_REFERENCES {
            let Some(target) = reference(current.node).and_then(local_pointer) else {
                break;
            };
            if !met.insert(target.clone()) {
                break;
            }
            match self.at(&target) {
                Some(found) => current = found,
                None => break,
            }
        }
        current
    }

    /// Returns a member with its references followed.
    pub(super) fn member(&self, at: &At<'document>, name: &str) -> Option<At<'document>> {
        at.member(name).map(|member| self.resolve(member))
    }
}

/// Returns the reference that a node is.
pub(super) fn reference(node: &Node) -> Option<&str> {
    node.member("$ref").and_then(Node::string)
}

impl<'document> At<'document> {
    /// Returns the member of this name.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        let node = self.node.member(name)?;
        Some(Self {
            node,
            pointer: pointer::join(&self.pointer, name),
        })
    }

    /// Returns the members, extensions aside.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'document str, Self)> + '_ {
        let members = self.node.members().iter();
        members
            .filter(|member| !member.name.starts_with("x-"))
            .map(|member| (member.name.as_str(), self.below(&member.node, &member.name)))
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
