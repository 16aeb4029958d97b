//! Rebuilds the tree of a document from numbers, for the built-in contract: `build.rs` reads it and writes down its
//! tree, because reading the YAML again would take most of the time of a command that does little. The main type is
//! [`StoredTree`].

use std::slice::Iter;

use super::document::{Member, Members, Node, NodeKind, Position};
use super::shared_string::SharedString;

/// The tree of a document as `build.rs` writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredTree {
    /// The strings in it, each once.
    pub(crate) strings: &'static [&'static str],
    /// Its nodes from the root down. Each begins with its kind, line and column. These are followed, in a number or a
    /// string, by its index in the strings, and in an array or an object, by its length and its parts. A member begins
    /// with its name's index, line and column.
    pub(crate) numbers: &'static [u32],
}

/// The number for `null`.
pub(crate) const NULL: u32 = 0;
/// The number for `true`.
pub(crate) const TRUE: u32 = 1;
/// The number for `false`.
pub(crate) const FALSE: u32 = 2;
/// The number for a number.
pub(crate) const NUMBER: u32 = 3;
/// The number for a string.
pub(crate) const STRING: u32 = 4;
/// The number for an array.
pub(crate) const ARRAY: u32 = 5;
/// The number for an object.
pub(crate) const OBJECT: u32 = 6;

impl StoredTree {
    /// Returns the root; `None` if these are not the numbers of a tree.
    pub(crate) fn root(self) -> Option<Node> {
        let mut reader = Reader {
            strings: self.strings.iter().map(|string| SharedString::from(*string)).collect(),
            numbers: self.numbers.iter(),
        };
        reader.node()
    }
}

/// Builds nodes from the numbers.
struct Reader {
    strings: Vec<SharedString>,
    numbers: Iter<'static, u32>,
}

impl Reader {
    fn node(&mut self) -> Option<Node> {
        let kind = self.number()?;
        let position = self.position()?;
        let kind = match kind {
            NULL => NodeKind::Null,
            TRUE => NodeKind::Boolean(true),
            FALSE => NodeKind::Boolean(false),
            NUMBER => NodeKind::Number(self.string()?.parse().ok()?),
            STRING => NodeKind::String(self.string()?),
            ARRAY => {
                let elements: Option<Vec<_>> = (0..self.number()?).map(|_| self.node()).collect();
                NodeKind::Array(elements?.into_boxed_slice())
            }
            OBJECT => {
                let members: Option<Vec<_>> = (0..self.number()?).map(|_| self.member()).collect();
                NodeKind::Object(Box::new(Members::new(members?)))
            }
            _ => return None,
        };
        Some(Node { kind, position })
    }

    fn member(&mut self) -> Option<Member> {
        Some(Member {
            name: self.string()?,
            position: self.position()?,
            node: self.node()?,
        })
    }

    fn position(&mut self) -> Option<Position> {
        Some(Position {
            file: 0,
            line: self.number()?,
            column: self.number()?,
        })
    }

    fn string(&mut self) -> Option<SharedString> {
        let index = usize::try_from(self.number()?).ok()?;
        self.strings.get(index).cloned()
    }

    fn number(&mut self) -> Option<u32> {
        self.numbers.next().copied()
    }
}
