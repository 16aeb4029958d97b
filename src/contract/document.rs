//! Reads YAML (and so JSON) into a tree that remembers the position of each part, so that a finding or an error can
//! name the line. The main type is [`Document`].
//!
//! `build.rs` includes this file too: the message for a broken contract is the same in a build and in a check.
//!
//! # Design
//!
//! `serde_yaml` gives no positions, and some hostile inputs cost it quadratic time. The events of `saphyr-parser` come
//! with positions and one at a time, so size, depth and aliases are bounded while reading.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput, Tag};
use serde_json::{Map, Number, Value};

use super::bundle::{self, OtherFiles};
use super::defect::{Defect, DefectList, Problem};
use super::dialect::{self, Moves};
use super::discriminator::Inheritance;
use super::pointer;
use super::shared_string::{SharedString, StringPool};

/// The largest document that is read, in bytes.
pub const MAX_BYTES: usize = 16 << 20;
/// The maximum depth of a document.
pub const MAX_DEPTH: usize = 128;
/// The maximum number of nodes of a document once its aliases are expanded.
pub const MAX_NODES: usize = 4_000_000;

/// A file, a line and a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// The number of the file among those of the document; 0 is its own.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// One value of a document and its position.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub kind: NodeKind,
    /// Where the value starts.
    pub position: Position,
}

/// What a [`Node`] is.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// `null`.
    Null,
    /// A boolean.
    Boolean(bool),
    /// A number that JSON can hold.
    Number(Number),
    /// A string.
    String(SharedString),
    /// A list.
    Array(Box<[Node]>),
    /// Named members in the order of the file.
    Object(Box<Members>),
}

/// Up to this many members are searched one by one.
const LINEAR_SEARCH_LIMIT: usize = 8;

/// The members of an object in the order of the file, found by their names. A document may have a hundred thousand
/// paths, and each of them is looked up many times.
#[derive(Clone, Debug, Default)]
pub struct Members {
    listed: Box<[Member]>,
    /// The indexes of the members in the order of their names, where there are more than a few.
    by_name: Box<[usize]>,
}

impl Members {
    pub(super) fn new(listed: Vec<Member>) -> Self {
        let mut by_name = Vec::new();
        if listed.len() > LINEAR_SEARCH_LIMIT {
            by_name.extend(0..listed.len());
            by_name.sort_unstable_by_key(|index| listed[*index].name.as_str());
        }
        Self {
            listed: listed.into_boxed_slice(),
            by_name: by_name.into_boxed_slice(),
        }
    }

    pub(super) fn into_listed(self) -> Vec<Member> {
        self.listed.into_vec()
    }

    fn named(&self, name: &str) -> Option<&Member> {
        self.listed.get(self.index(name)?)
    }

    fn index(&self, name: &str) -> Option<usize> {
        if self.by_name.is_empty() {
            return self.listed.iter().position(|member| compare_name(member, name).is_eq());
        }
        let found = self
            .by_name
            .binary_search_by(|index| compare_name(&self.listed[*index], name));
        found.ok().map(|index| self.by_name[index])
    }
}

fn compare_name(member: &Member, name: &str) -> Ordering {
    #[cfg(test)]
    crate::testing::work::count();
    member.name.as_str().cmp(name)
}

/// One named member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name as written.
    pub name: SharedString,
    /// The position of the name.
    pub position: Position,
    /// The value.
    pub node: Node,
}

impl Node {
    /// Returns the member with that name, or `None` if this is not an object or has no such member.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Node> {
        self.member_entry(name).map(|member| &member.node)
    }

    fn member_entry(&self, name: &str) -> Option<&Member> {
        if let NodeKind::Object(members) = &self.kind {
            members.named(name)
        } else {
            None
        }
    }

    /// Returns the members of the member with that name; none unless that is an object.
    #[must_use]
    pub fn members_of(&self, name: &str) -> &[Member] {
        self.member(name).map_or(&[], Node::members)
    }

    /// Returns the elements of the member with that name; none unless that is an array.
    #[must_use]
    pub fn elements_of(&self, name: &str) -> &[Node] {
        self.member(name).map_or(&[], Node::elements)
    }

    /// Returns the text of the member with that name, if that is a string.
    #[must_use]
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.member(name)?.string()
    }

    /// Returns the members; none unless this is an object.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        if let NodeKind::Object(members) = &self.kind {
            &members.listed
        } else {
            &[]
        }
    }

    /// Returns the members for changing their values.
    pub(super) fn members_mut(&mut self) -> &mut [Member] {
        if let NodeKind::Object(members) = &mut self.kind {
            &mut members.listed
        } else {
            &mut []
        }
    }

    /// Returns the elements for changing them.
    pub(super) fn elements_mut(&mut self) -> &mut [Node] {
        if let NodeKind::Array(elements) = &mut self.kind {
            elements
        } else {
            &mut []
        }
    }

    /// Returns the member with that name for changing it.
    pub(super) fn member_mut(&mut self, name: &str) -> Option<&mut Node> {
        let NodeKind::Object(members) = &mut self.kind else {
            return None;
        };
        let index = members.index(name)?;
        members.listed.get_mut(index).map(|member| &mut member.node)
    }

    /// Replaces the member of an object that has this name.
    pub(super) fn replace_member(&mut self, member: Member) {
        if let NodeKind::Object(members) = &mut self.kind
            && let Some(index) = members.index(&member.name)
        {
            members.listed[index] = member;
        }
    }

    /// Takes the member with that name out of an object.
    pub(super) fn remove_member(&mut self, name: &str) {
        if let NodeKind::Object(members) = &mut self.kind {
            let mut listed = std::mem::take(&mut **members).into_listed();
            listed.retain(|member| member.name != name);
            **members = Members::new(listed);
        }
    }

    /// Adds members to an object.
    pub(super) fn extend_members(&mut self, added: Vec<Member>) {
        if let NodeKind::Object(members) = &mut self.kind {
            let mut listed = std::mem::take(&mut **members).into_listed();
            listed.extend(added);
            **members = Members::new(listed);
        }
    }

    /// Returns the elements; none unless this is an array.
    #[must_use]
    pub fn elements(&self) -> &[Node] {
        if let NodeKind::Array(elements) = &self.kind {
            elements
        } else {
            &[]
        }
    }

    /// Returns the locations of the elements of the member with that name, where this node is at `at`.
    pub(crate) fn locations_in(&self, at: &str, name: &str) -> impl DoubleEndedIterator<Item = String> + use<> {
        let list = pointer::join(at, name);
        let count = self.member(name).map_or(0, |list| list.elements().len());
        (0..count).map(move |index| pointer::join(&list, &index.to_string()))
    }

    /// Returns the string, if this is one.
    #[must_use]
    pub fn string(&self) -> Option<&str> {
        if let NodeKind::String(string) = &self.kind {
            Some(string)
        } else {
            None
        }
    }

    /// Returns the boolean, if this is one.
    #[must_use]
    pub fn boolean(&self) -> Option<bool> {
        if let NodeKind::Boolean(boolean) = self.kind {
            Some(boolean)
        } else {
            None
        }
    }

    /// Returns the value without its positions.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Boolean(boolean) => Value::Bool(*boolean),
            NodeKind::Number(number) => Value::Number(number.clone()),
            NodeKind::String(string) => Value::String(string.to_string()),
            NodeKind::Array(elements) => elements.iter().map(Node::to_value).collect(),
            NodeKind::Object(members) => {
                let pairs = members
                    .listed
                    .iter()
                    .map(|member| (member.name.to_string(), member.node.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// Returns the kind of value, in JSON's words.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "null",
            NodeKind::Boolean(_) => "a boolean",
            NodeKind::Number(_) => "a number",
            NodeKind::String(_) => "a string",
            NodeKind::Array(_) => "an array",
            NodeKind::Object(_) => "an object",
        }
    }
}

/// A file, as messages show it.
#[derive(Clone)]
pub(super) struct SourceFile {
    name: String,
    text: String,
    /// The byte offset of each line in the text.
    lines: Vec<u32>,
}

impl SourceFile {
    /// Reads a file that a document refers to; `number` is the file's number in each position.
    ///
    /// # Errors
    ///
    /// Those of [`Document::read`].
    pub(super) fn read(name: &str, text: String, number: u32) -> Result<(Self, Node), Defect> {
        let document = Document::read_numbered(name, text, number)?.reject_name_defects()?;
        Ok((document.source, document.root))
    }

    fn line(&self, number: u32) -> &str {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let rest = index.and_then(|index| self.lines.get(index..)).unwrap_or_default();
        // The end of the line is not searched for: a line may be the whole text, and one is looked up for each finding.
        let index = |start: u32| usize::try_from(start).unwrap_or(usize::MAX);
        let line = match *rest {
            [start, next, ..] => self.text.get(index(start)..index(next) - 1),
            [start, ..] => self.text.get(index(start)..),
            [] => None,
        };
        let line = line.unwrap_or_default();
        line.strip_suffix('\r').unwrap_or(line)
    }
}

/// The text of a file and the tree that was read from it.
#[derive(Clone)]
pub struct Document {
    /// The file's name, as messages show it.
    pub name: String,
    /// The whole value.
    pub root: Node,
    /// The document's own file.
    source: SourceFile,
    /// The files that it refers to; the first has the number 1.
    others: Vec<SourceFile>,
    /// The overlays that were applied to it; their numbers follow those of the other files.
    overlays: Vec<SourceFile>,
    /// What is wrong with references to other files, by the positions of the references.
    unresolved: HashMap<Position, Problem>,
    /// What is wrong with the names of members: names that appear twice in an object, which keeps only the first value,
    /// and merge keys.
    name_defects: DefectList,
    /// The second values of those names that may contain operations, with their pointers.
    dropped: Vec<(String, Node)>,
    /// Where the pointers of the tree and of the text differ; `None` where the tree is as written.
    moves: Option<Moves>,
    /// Which definitions inherit from which, once somebody has asked.
    inheritance: OnceLock<Inheritance>,
}

impl fmt::Debug for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Document")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Document {
    /// Reads one YAML or JSON document.
    ///
    /// # Errors
    ///
    /// A [`Defect`] with the line: text that is not YAML, a name that appears twice in an object, more than one
    /// document, or one that exceeds [`MAX_BYTES`], [`MAX_DEPTH`] or [`MAX_NODES`].
    pub fn read(name: &str, text: String) -> Result<Self, Defect> {
        Self::read_allowing_repeated_names(name, text)?.reject_name_defects()
    }

    pub(super) fn reject_name_defects(self) -> Result<Self, Defect> {
        let first = self.name_defects.as_slice().first().cloned();
        first.map_or(Ok(self), Err)
    }

    /// Reads one document in which an object may have a name twice, or a merge key; the object keeps the first value,
    /// and nothing is merged.
    ///
    /// # Errors
    ///
    /// Those of [`Self::read`], except for a name that appears twice and a merge key.
    pub(crate) fn read_allowing_repeated_names(name: &str, text: String) -> Result<Self, Defect> {
        Self::read_numbered(name, text, 0)
    }

    pub(super) fn read_numbered(name: &str, text: String, number: u32) -> Result<Self, Defect> {
        let is_json = text
            .trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
            .starts_with('{');
        // Only on the same line does the start of a document help.
        let start = if text.starts_with('{') { START } else { "" };
        let with_start = is_json.then(|| with_start(start, &text));
        let fed = with_start.as_deref().unwrap_or(&text);
        let mut reader = Reader::new((name, number), fed, start.len())?;
        let root = reader.document()?;
        let (name_defects, dropped) = (reader.name_defects, reader.dropped);
        Ok(Self {
            name_defects,
            dropped,
            ..Self::of_tree(name, text, root)
        })
    }

    /// Returns the document with this text and the tree that was read from it.
    pub(crate) fn of_tree(name: &str, text: String, root: Node) -> Self {
        let after = |(end, _): (usize, _)| u32::try_from(end + 1).unwrap_or(u32::MAX);
        let lines = [0].into_iter().chain(text.match_indices('\n').map(after)).collect();
        let name = name.to_owned();
        Self {
            name: name.clone(),
            root,
            source: SourceFile { name, text, lines },
            others: Vec::new(),
            overlays: Vec::new(),
            unresolved: HashMap::new(),
            name_defects: DefectList::default(),
            dropped: Vec::new(),
            moves: None,
            inheritance: OnceLock::new(),
        }
    }

    /// Returns the document in the dialect of OpenAPI 3.0, in which contracts are read: one of 3.1 or 3.2 is rewritten,
    /// any other stays as it is. Positions, and the pointers of defects and facts, remain those of the text.
    pub(super) fn in_dialect(mut self) -> Self {
        if self.moves.is_none()
            && let Some(version) = dialect::rewritten_version(&self.root)
        {
            let kind = std::mem::replace(&mut self.root.kind, NodeKind::Null);
            let position = self.root.position;
            let (root, moves) = dialect::rewrite(Node { kind, position }, version);
            (self.root, self.moves) = (root, Some(moves));
        }
        self
    }

    /// Whether the tree was rewritten into the dialect of OpenAPI 3.0.
    pub(crate) fn was_later_than_3_0(&self) -> bool {
        self.moves.is_some()
    }

    /// Returns the pointer of what is written for a location of the tree.
    pub(crate) fn pointer_in_text<'pointer>(&self, pointer: &'pointer str) -> Cow<'pointer, str> {
        self.moves
            .as_ref()
            .map_or(Cow::Borrowed(pointer), |moves| moves.pointer_in_text(pointer))
    }

    /// Returns what is wrong with the names of members.
    pub(super) fn name_defects(&self) -> &[Defect] {
        self.name_defects.as_slice()
    }

    /// Returns the values that were dropped because their names appear twice, and that may contain operations, with
    /// their pointers.
    pub(super) fn dropped(&self) -> &[(String, Node)] {
        &self.dropped
    }

    /// Returns the document with a copy of what its references to other files name.
    #[must_use]
    pub fn with_files(mut self, other_files: OtherFiles<'_>) -> Self {
        bundle::bundle(&mut self, other_files);
        self
    }

    /// Takes the files that it refers to, and what is wrong with references to them.
    pub(super) fn set_other_files(&mut self, others: Vec<SourceFile>, unresolved: HashMap<Position, Problem>) {
        (self.others, self.unresolved) = (others, unresolved);
    }

    /// Returns the number of the next file that is added to the document.
    pub(super) fn next_file(&self) -> u32 {
        u32::try_from(1 + self.others.len() + self.overlays.len()).unwrap_or(u32::MAX)
    }

    /// Takes the file of an overlay that was applied.
    pub(super) fn add_overlay(&mut self, overlay: Self) {
        self.inheritance.take();
        self.overlays.push(overlay.source);
    }

    /// Returns the document as its own file has it, without other files and overlays and in its own dialect; `None` if
    /// that cannot be read.
    pub(crate) fn of_own_file(&self) -> Option<Self> {
        Self::read_allowing_repeated_names(&self.name, self.source.text.clone()).ok()
    }

    /// Returns what is wrong with a reference to another file.
    pub(super) fn unresolved(&self, reference: &Node) -> Option<&Problem> {
        self.unresolved.get(&reference.position)
    }

    /// Returns which definitions inherit from which.
    pub(super) fn inheritance(&self) -> &Inheritance {
        self.inheritance.get_or_init(|| Inheritance::of(self))
    }

    /// Returns the text of the document's own file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// Returns the texts of the document's own file and of those that it refers to, without its overlays.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let files = std::iter::once(&self.source).chain(&self.others);
        files.map(|file| file.text.as_str())
    }

    /// Returns the names of the other files that it refers to, as messages show them: their paths, if the document is a
    /// file.
    pub fn other_files(&self) -> impl Iterator<Item = &Path> {
        self.others.iter().map(|file| Path::new(&file.name))
    }

    /// Whether an overlay was applied to the document.
    pub(super) fn has_overlay(&self) -> bool {
        !self.overlays.is_empty()
    }

    /// Whether a position is in an overlay.
    pub(crate) fn is_of_overlay(&self, position: Position) -> bool {
        usize::try_from(position.file).is_ok_and(|file| file > self.others.len())
    }

    /// Returns the file of a position, as messages show it.
    #[must_use]
    pub fn file(&self, position: Position) -> &str {
        &self.source_of(position).name
    }

    /// Returns the file of a position, unless it is the document's own.
    #[must_use]
    pub fn other_file(&self, position: Position) -> Option<&str> {
        (position.file != 0).then(|| self.file(position))
    }

    fn source_of(&self, position: Position) -> &SourceFile {
        let index = usize::try_from(position.file).ok().and_then(|file| file.checked_sub(1));
        let other = index.and_then(|index| self.others.iter().chain(&self.overlays).nth(index));
        other.unwrap_or(&self.source)
    }

    /// Returns the line of a position, without its end; empty where there is no such line.
    #[must_use]
    pub fn line(&self, position: Position) -> &str {
        self.source_of(position).line(position.line)
    }

    /// Returns the node at a pointer for changing it.
    pub(super) fn node_mut(&mut self, pointer: &str) -> Option<&mut Node> {
        pointer::borrowed_tokens(pointer).try_fold(&mut self.root, |node, token| match token.parse::<usize>() {
            Ok(index) if matches!(node.kind, NodeKind::Array(_)) => node.elements_mut().get_mut(index),
            _ => node.member_mut(&token),
        })
    }

    /// Returns the node that the pointer names.
    #[must_use]
    pub fn node(&self, pointer: &str) -> Option<&Node> {
        self.node_in_tree(pointer).or_else(|| {
            let moved = self.moves.as_ref()?.in_tree(pointer)?;
            self.node_in_tree(&moved)
        })
    }

    /// Returns the members of the node that the pointer names; none unless that is an object.
    #[must_use]
    pub fn members_at(&self, pointer: &str) -> &[Member] {
        self.node(pointer).map_or(&[], Node::members)
    }

    /// Returns the elements of the node that the pointer names; none unless that is an array.
    #[must_use]
    pub fn elements_at(&self, pointer: &str) -> &[Node] {
        self.node(pointer).map_or(&[], Node::elements)
    }

    fn node_in_tree(&self, pointer: &str) -> Option<&Node> {
        pointer::borrowed_tokens(pointer).try_fold(&self.root, |node, token| match &node.kind {
            NodeKind::Object(_) => node.member(&token),
            NodeKind::Array(elements) => elements.get(token.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Returns the position of the pointer's last token: the name of a member, or the start of an element. For a
    /// pointer that names nothing, returns the nearest position above it.
    #[must_use]
    pub fn position(&self, pointer: &str) -> Position {
        let moved = self.moves.as_ref().filter(|_| self.node_in_tree(pointer).is_none());
        let moved = moved.and_then(|moves| moves.in_tree(pointer));
        self.position_in_tree(moved.as_deref().unwrap_or(pointer))
    }

    fn position_in_tree(&self, pointer: &str) -> Position {
        let (mut node, mut at) = (&self.root, self.root.position);
        for token in pointer::borrowed_tokens(pointer) {
            let next = match &node.kind {
                NodeKind::Object(_) => node.member_entry(&token).map(|member| (&member.node, member.position)),
                NodeKind::Array(elements) => token
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| elements.get(index))
                    .map(|node| (node, node.position)),
                _ => None,
            };
            let Some(found) = next else { break };
            (node, at) = found;
        }
        at
    }

    /// Makes a defect of this document at the pointer.
    #[must_use]
    pub fn defect(&self, pointer: &str, problem: Problem) -> Defect {
        let position = self.position(pointer);
        Defect {
            file: self.file(position).to_owned(),
            position,
            pointer: self.pointer_in_text(pointer).into_owned(),
            problem,
        }
    }
}

/// Fed to the parser before an object of JSON. Without it the parser keeps the whole text as tokens
/// until the object's end, because the object could be the name of a member; right after the start
/// of a document, on the same line, it cannot be.
const START: &str = "--- ";

/// Returns an object of JSON as it is fed to the parser: after `start`, and with each pair of surrogates, which only
/// JSON escapes as such (`\ud83d\ude80`), as one escape of YAML (`\U0001f680`). Spaces behind the string make up for
/// the shorter escapes, so that what follows keeps its column.
fn with_start(start: &str, text: &str) -> String {
    let mut written = String::with_capacity(start.len() + text.len());
    written.push_str(start);
    let (mut rest, mut missing, mut is_in_string) = (text, 0, false);
    while let Some(at) = rest.find(['\\', '"']) {
        let (before, found) = rest.split_at(at);
        written.push_str(before);
        if let Some(character) = surrogate_pair(found).filter(|_| is_in_string) {
            written.push_str(&format!("\\U{:08x}", u32::from(character)));
            missing += SURROGATE_PAIR - "\\U00000000".len();
            rest = &found[SURROGATE_PAIR..];
            continue;
        }
        let length = match found.strip_prefix('\\') {
            // The next character belongs to the backslash, and may be another one.
            Some(escaped) => 1 + escaped.chars().next().map_or(0, char::len_utf8),
            // A colon follows the name of a member without a space.
            None => 1 + usize::from(is_in_string && found.starts_with("\":")),
        };
        let (kept, after) = found.split_at(length);
        written.push_str(kept);
        if !kept.starts_with('\\') {
            is_in_string = !is_in_string;
            written.extend(std::iter::repeat_n(' ', missing));
            missing = 0;
        }
        rest = after;
    }
    written.push_str(rest);
    written
}

/// The length of an escaped pair of surrogates.
const SURROGATE_PAIR: usize = "\\ud83d\\ude80".len();

/// Returns the character whose escaped pair of surrogates a text begins with (RFC 8259, section 7).
fn surrogate_pair(text: &str) -> Option<char> {
    let unit = |from: usize| {
        let digits = text.get(from..from + SURROGATE_PAIR / 2)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let units = [unit(0)?, unit(SURROGATE_PAIR / 2)?];
    let mut decoded = char::decode_utf16(units);
    let character = decoded.next()?.ok()?;
    decoded.next().is_none().then_some(character)
}

/// The value of an anchor.
#[derive(Clone)]
struct Anchor {
    node: Node,
    /// The number of its nodes.
    size: usize,
    /// What is wrong with a name in it.
    name_defect: Option<Defect>,
}

/// Builds nodes from the parser's events.
struct Reader<'text> {
    name: &'text str,
    /// The number of the file.
    number: u32,
    /// The number of characters that precede the text in its first line.
    before: usize,
    events: Parser<'text, StrInput<'text>>,
    anchors: HashMap<usize, Anchor>,
    name_defects: DefectList,
    dropped: Vec<(String, Node)>,
    pointer: String,
    depth: usize,
    /// The number of nodes in the tree so far.
    nodes: usize,
    /// The number of nodes that are kept in addition, as the values of anchors.
    anchored: usize,
    strings: StringPool,
    /// The members and elements read so far of the enclosing objects and arrays. Each object or array is built when its
    /// end is reached, with exactly the capacity that it needs.
    members: Vec<Member>,
    elements: Vec<Node>,
}

impl<'text> Reader<'text> {
    fn new((name, number): (&'text str, u32), text: &'text str, before: usize) -> Result<Self, Defect> {
        let reader = Self {
            name,
            number,
            before,
            events: Parser::new_from_str(text),
            anchors: HashMap::new(),
            name_defects: DefectList::default(),
            dropped: Vec::new(),
            pointer: String::new(),
            depth: 0,
            nodes: 0,
            anchored: 0,
            strings: StringPool::default(),
            members: Vec::new(),
            elements: Vec::new(),
        };
        if text.len() - before > MAX_BYTES {
            return Err(reader.defect(
                Position {
                    file: number,
                    line: 1,
                    column: 1,
                },
                Problem::TooLarge { maximum: MAX_BYTES },
            ));
        }
        Ok(reader)
    }

    fn document(&mut self) -> Result<Node, Defect> {
        let root = loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentStart(_) => {}
                Event::StreamEnd => return Err(self.defect(self.position(&span.start), Problem::Empty)),
                other => break self.node(other, span)?,
            }
        };
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(root),
                Event::DocumentEnd => {}
                _ => return Err(self.defect(self.position(&span.start), Problem::SeveralDocuments)),
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'text>, Span), Defect> {
        match self.events.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                // The parser bounds its own nesting, and has no kind of error for that.
                let problem = match error.info() {
                    "recursion limit exceeded" => Problem::TooDeep { maximum: MAX_DEPTH },
                    message => Problem::Syntax {
                        language: if self.before > 0 { "JSON" } else { "YAML" },
                        message: message.to_owned(),
                    },
                };
                Err(self.defect(self.position(error.marker()), problem))
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn position(&self, marker: &Marker) -> Position {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let before = if marker.line() == 1 { self.before } else { 0 };
        Position {
            file: self.number,
            line: number(marker.line()),
            column: number(marker.col().saturating_sub(before)).saturating_add(1),
        }
    }

    fn node(&mut self, event: Event<'text>, span: Span) -> Result<Node, Defect> {
        let at = self.position(&span.start);
        self.count(1, at)?;
        let (before, name_defects) = (self.nodes, self.name_defects.len());
        let (kind, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => (self.scalar(&text, style, tag.as_deref()), anchor),
            Event::SequenceStart(anchor, _) => (NodeKind::Array(self.elements(at)?.into_boxed_slice()), anchor),
            Event::MappingStart(anchor, _) => {
                let members = Members::new(self.members(at)?);
                (NodeKind::Object(Box::new(members)), anchor)
            }
            Event::Alias(anchor) => return self.alias(anchor, at),
            _ => return Err(self.defect(at, Problem::Empty)),
        };
        let node = Node { kind, position: at };
        if anchor != 0 {
            // The value of an anchor is kept in addition to the tree, and anchors may contain anchors.
            let size = self.nodes - before + 1;
            self.anchored += size;
            self.count(0, at)?;
            let kept = Anchor {
                node: node.clone(),
                size,
                name_defect: self.name_defects.as_slice().get(name_defects).cloned(),
            };
            self.anchors.insert(anchor, kept);
        }
        Ok(node)
    }

    fn alias(&mut self, anchor: usize, at: Position) -> Result<Node, Defect> {
        let Some(anchor) = self.anchors.get(&anchor).cloned() else {
            return Err(self.defect(at, Problem::AliasInsideItself));
        };
        // The pointer of the defect is that of the anchor, so nothing else would say that this value is defective too.
        if let Some(defect) = anchor.name_defect {
            let pointer = self.pointer.clone();
            self.name_defects.push(Defect { pointer, ..defect });
        }
        self.count(anchor.size, at)?;
        Ok(anchor.node)
    }

    fn elements(&mut self, at: Position) -> Result<Vec<Node>, Defect> {
        self.descend(at)?;
        let first = self.elements.len();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                break;
            }
            let length = self.pointer.len();
            pointer::push(&mut self.pointer, &(self.elements.len() - first).to_string());
            let node = self.node(event, span)?;
            self.elements.push(node);
            self.pointer.truncate(length);
        }
        self.depth -= 1;
        Ok(self.elements.split_off(first))
    }

    fn members(&mut self, at: Position) -> Result<Vec<Member>, Defect> {
        self.descend(at)?;
        let first = self.members.len();
        // The line of each name so far, once there are more than a few.
        let mut lines: HashMap<SharedString, u32> = HashMap::new();
        loop {
            let (event, span) = self.next()?;
            let at = self.position(&span.start);
            let (name, is_merge_key) = match event {
                Event::MappingEnd => break,
                Event::Scalar(text, style, _, tag) => {
                    let is_merge_key = text == "<<" && style == ScalarStyle::Plain && tag.is_none();
                    (self.strings.share(&text), is_merge_key)
                }
                _ => return Err(self.defect(at, Problem::NameNotText)),
            };
            let length = self.pointer.len();
            pointer::push(&mut self.pointer, &name);
            if is_merge_key {
                self.merge_key(at);
            }
            let first_line = self.first_line(&name, first, &mut lines);
            let (event, span) = self.next()?;
            let node = self.node(event, span)?;
            if let Some(first_line) = first_line {
                self.duplicate(name.to_string(), (at, first_line), node);
                self.pointer.truncate(length);
                continue;
            }
            self.pointer.truncate(length);
            self.members.push(Member {
                name,
                position: at,
                node,
            });
        }
        self.depth -= 1;
        Ok(self.members.split_off(first))
    }

    /// Returns the line of a name that the object whose members begin at `first` already has. `lines` is filled once it
    /// has more members than are searched one by one.
    fn first_line(&self, name: &SharedString, first: usize, lines: &mut HashMap<SharedString, u32>) -> Option<u32> {
        let members = &self.members[first..];
        if members.len() <= LINEAR_SEARCH_LIMIT {
            let known = members.iter().find(|member| member.name == *name);
            return known.map(|known| known.position.line);
        }
        let added = members.iter().skip(lines.len());
        lines.extend(added.map(|member| (member.name.clone(), member.position.line)));
        lines.get(name).copied()
    }

    /// Notes a merge key. YAML 1.2 does not have it, but who writes it relies on the members that it stands for.
    fn merge_key(&mut self, at: Position) {
        let defect = self.defect(
            at,
            Problem::Unsupported {
                what: "a YAML merge key".to_owned(),
                fix: "write the members out",
            },
        );
        self.name_defects.push(defect);
    }

    /// Notes a name that its object already has, on the line `first_line`, and drops the second value.
    fn duplicate(&mut self, name: String, (at, first_line): (Position, u32), node: Node) {
        let is_of_paths = self.pointer.starts_with("/paths") && pointer::tokens(&self.pointer).count() <= 2;
        if is_of_paths && !self.name_defects.is_full() {
            self.dropped.push((self.pointer.clone(), node));
        }
        let defect = self.defect(at, Problem::DuplicateName { name, first_line });
        self.name_defects.push(defect);
    }

    /// Resolves a scalar by YAML 1.2's core schema; a number that JSON cannot hold stays a string.
    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>) -> NodeKind {
        let tagged_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
        if style != ScalarStyle::Plain || tagged_text {
            return NodeKind::String(self.strings.share(text));
        }
        match text {
            "" | "~" | "null" | "Null" | "NULL" => NodeKind::Null,
            "true" | "True" | "TRUE" => NodeKind::Boolean(true),
            "false" | "False" | "FALSE" => NodeKind::Boolean(false),
            other => number(other).map_or_else(|| NodeKind::String(self.strings.share(other)), NodeKind::Number),
        }
    }

    fn descend(&mut self, at: Position) -> Result<(), Defect> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.defect(at, Problem::TooDeep { maximum: MAX_DEPTH }));
        }
        Ok(())
    }

    /// Counts nodes of the tree.
    fn count(&mut self, nodes: usize, at: Position) -> Result<(), Defect> {
        self.nodes += nodes;
        if self.nodes + self.anchored > MAX_NODES {
            return Err(self.defect(at, Problem::TooManyNodes { maximum: MAX_NODES }));
        }
        Ok(())
    }

    fn defect(&self, position: Position, problem: Problem) -> Defect {
        Defect {
            file: self.name.to_owned(),
            position,
            pointer: self.pointer.clone(),
            problem,
        }
    }
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return u64::from_str_radix(hexadecimal, 16).ok().map(Number::from);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    let decimal = digits
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if !decimal || !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let plain = text.strip_prefix('+').unwrap_or(text);
    let integer = plain
        .parse::<i64>()
        .map(Number::from)
        .or_else(|_| plain.parse::<u64>().map(Number::from));
    integer
        .ok()
        .or_else(|| plain.parse::<f64>().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::testing::work;

    fn read(text: &str) -> Result<Document, Defect> {
        Document::read("contract.yaml", text.to_owned())
    }

    #[test]
    fn a_location_is_the_line_of_the_name() {
        let document = read("paths:\n  /a:\n    get:\n      tags: [x, y]\n").unwrap();
        assert_eq!(document.position("/paths/~1a/get").line, 3);
        assert_eq!(
            document.position("/paths/~1a/get/tags/1"),
            Position {
                file: 0,
                line: 4,
                column: 17
            }
        );
        assert_eq!(
            document.position("/paths/~1a/put").line,
            2,
            "the nearest location above"
        );
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        let text = "[1, -2, 1.5, '1', true, yes, null, ~, 2XX, 1e3, 18446744073709551615, 2024-05-17, 0x1F, .nan]";
        let expected = serde_json::json!([
            1,
            -2,
            1.5,
            "1",
            true,
            "yes",
            null,
            null,
            "2XX",
            1000.0,
            18_446_744_073_709_551_615_u64,
            "2024-05-17",
            31,
            ".nan"
        ]);
        assert_eq!(read(text).unwrap().root.to_value(), expected);
    }

    #[test]
    fn a_name_that_appears_twice_is_rejected_with_both_lines() {
        let defect = read("a:\n  b: 1\n  c: 2\n  b: 3\n").unwrap_err();
        assert_eq!((defect.position.line, defect.pointer.as_str()), (4, "/a/b"));
        assert!(
            matches!(defect.problem, Problem::DuplicateName { first_line: 2, .. }),
            "{defect}"
        );
    }

    #[test]
    fn an_alias_repeats_its_anchor_with_the_locations_of_the_anchor() {
        let document = read("a: &x\n  b: 1\nc: *x\n").unwrap();
        assert_eq!(
            document.root.to_value(),
            serde_json::json!({"a": {"b": 1}, "c": {"b": 1}})
        );
        assert_eq!(document.position("/c/b").line, 2);
    }

    #[test]
    fn aliases_of_aliases_cannot_grow_without_bound() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let below = format!("*a{}", level - 1);
            text.push_str(&format!("a{level}: &a{level} [{}]\n", [below.as_str(); 10].join(", ")));
        }
        assert!(matches!(read(&text).unwrap_err().problem, Problem::TooManyNodes { .. }));
    }

    #[test]
    fn anchors_within_anchors_cannot_grow_without_bound() {
        let wide = vec!["x"; 100_000].join(",");
        let nested = (0..100).fold(format!("[{wide}]"), |below, level| format!("&a{level} [{below}]"));
        assert!(matches!(
            read(&nested).unwrap_err().problem,
            Problem::TooManyNodes { .. }
        ));
    }

    #[test]
    fn a_member_of_very_many_is_found_in_few_comparisons() {
        let text: String = (0..10_000).map(|number| format!("n{number}: {number}\n")).collect();
        let document = read(&text).unwrap();
        let found = work::of(|| {
            for number in 0..10_000 {
                let node = document.node(&format!("/n{number}")).unwrap();
                assert_eq!(node.to_value(), number);
                assert_eq!(document.position(&format!("/n{number}")).line, number + 1);
            }
        });
        assert!(found <= 2 * 10_000 * 15, "{found}");
        assert!(document.node("/n10000").is_none() && document.node("/n").is_none());
    }

    #[test]
    fn a_string_that_appears_a_thousand_times_is_kept_once() {
        fn texts(node: &Node, seen: &mut HashSet<*const u8>) -> usize {
            let own = node.string().map(|text| seen.insert(text.as_ptr())).into_iter().count();
            let members = node.members().iter().map(|member| {
                seen.insert(member.name.as_ptr());
                1 + texts(&member.node, seen)
            });
            let members: usize = members.sum();
            let elements: usize = node.elements().iter().map(|element| texts(element, seen)).sum();
            own + members + elements
        }
        let field = "{type: string, enum: [one, two], description: What it says}";
        let text: String = (0..1000).map(|number| format!("n{number}: {field}\n")).collect();
        let document = read(&text).unwrap();
        let mut seen = HashSet::new();
        assert_eq!(texts(&document.root, &mut seen), 1000 * 8);
        assert_eq!(seen.len(), 1000 + 7);
        assert!(size_of::<Node>() <= 40 && size_of::<Member>() <= 72);
    }

    #[test]
    fn a_line_is_found_by_its_number() {
        let document = read("a: 1\r\nb: 2\n\nc: 3").unwrap();
        let lines: Vec<_> = (0..6)
            .map(|line| {
                document.line(Position {
                    line,
                    ..Position::default()
                })
            })
            .collect();
        assert_eq!(lines, ["", "a: 1", "b: 2", "", "c: 3", ""]);
    }

    #[test]
    fn an_object_of_json_is_read_as_it_comes_and_not_kept_as_tokens_to_its_end() {
        // A mistake further on is reported where it is, after everything before it was read.
        let problem = read("{\"a\": 1, \"b\": {\"c\": 2, \"d\": ]}}").unwrap_err();
        assert_eq!(problem.pointer, "/b/d");
    }

    #[test]
    fn a_location_in_an_object_of_json_is_that_of_its_text() {
        let document = read("{\"a\": 1, \"b\": {\n  \"c\": [2]}}").unwrap();
        for (pointer, line, column) in [
            ("", 1, 1),
            ("/a", 1, 2),
            ("/b", 1, 10),
            ("/b/c", 2, 3),
            ("/b/c/0", 2, 9),
        ] {
            assert_eq!(
                document.position(pointer),
                Position { file: 0, line, column },
                "{pointer}"
            );
        }
        for (text, line, column) in [("{\"a\": 1, \"a\": 2}", 1, 10), ("{\"a\": ]}", 1, 7)] {
            assert_eq!(
                read(text).unwrap_err().position,
                Position { file: 0, line, column },
                "{text}"
            );
        }
        let reported = |text| read(text).unwrap_err().to_string();
        assert!(reported("{\"a\": ]}").contains("this is not JSON"));
        assert!(reported("a: ]").contains("this is not YAML"));
    }

    #[test]
    fn depth_is_bounded_in_block_and_flow_form() {
        let flow = format!("{}1{}", "{a: ".repeat(200), "}".repeat(200));
        assert!(matches!(read(&flow).unwrap_err().problem, Problem::TooDeep { .. }));
        let block = (0..200).fold(String::new(), |text, level| text + &" ".repeat(level) + "a:\n");
        assert!(matches!(read(&block).unwrap_err().problem, Problem::TooDeep { .. }));
    }

    #[test]
    fn a_hundred_thousand_open_brackets_are_rejected_by_the_parser_itself() {
        for opening in ["{a: ", "["] {
            let problem = read(&opening.repeat(100_000)).unwrap_err().problem;
            assert!(
                matches!(problem, Problem::Syntax { .. } | Problem::TooDeep { .. }),
                "{problem}"
            );
        }
    }

    #[test]
    fn text_that_is_not_yaml_names_the_line() {
        let defect = read("a: 1\nb: [1, 2\nc: 3\n").unwrap_err();
        assert!(matches!(defect.problem, Problem::Syntax { .. }), "{defect}");
        assert!(defect.position.line >= 2, "{defect}");
    }

    #[test]
    fn an_empty_text_and_several_documents_are_rejected() {
        assert!(matches!(read("").unwrap_err().problem, Problem::Empty));
        assert!(matches!(
            read("a: 1\n---\nb: 2\n").unwrap_err().problem,
            Problem::SeveralDocuments
        ));
    }

    #[test]
    fn an_escaped_pair_of_surrogates_is_one_character_and_moves_nothing_behind_it() {
        let text = r#"{"\uD83D\ude80":"a\\\ud83d\ude80\ud83d\ude81\"","b":"\\ud83d","c":1}"#;
        let document = read(text).unwrap();
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(document.root.to_value(), expected);
        assert_eq!(document.text(), text);
        for pointer in ["/b", "/c"] {
            let name = format!("\"{}\"", &pointer[1..]);
            let column = u32::try_from(text.find(&name).unwrap() + 1).unwrap();
            assert_eq!(document.position(pointer).column, column, "{pointer}");
        }
        let value = document.position("/\u{1f680}");
        assert_eq!((value.line, value.column), (1, 2));
        for before in ["\u{feff}", " \n\n"] {
            let text = format!("{before}{{\"a\": \"\\ud83d\\ude80\"}}");
            assert_eq!(
                read(&text).unwrap().root.to_value(),
                serde_json::json!({ "a": "🚀" }),
                "{before:?}"
            );
        }
        let in_yaml = read(r#"{'a': '\ud83d\ude80', "b": 1}"#).unwrap();
        assert_eq!(
            in_yaml.root.to_value(),
            serde_json::json!({ "a": r"\ud83d\ude80", "b": 1 })
        );
        assert!(read(r#"{"a": "\ud83d"}"#).is_err(), "half a pair is no character");
    }

    #[test]
    fn a_merge_key_is_reported_where_it_is_and_where_its_anchor_is_repeated() {
        let text = "base: &base {a: 1}\nmore: &more\n  <<: *base\n  b: 2\nagain: *more\n'<<': 3\n";
        assert_eq!(read(text).unwrap_err().pointer, "/more/<<");
        let document = Document::read_allowing_repeated_names("a.yaml", text.to_owned()).unwrap();
        let reported = document.name_defects().iter();
        let reported: Vec<_> = reported
            .map(|defect| (defect.pointer.as_str(), defect.position.line))
            .collect();
        assert_eq!(reported, [("/more/<<", 3), ("/again", 3)]);
        let message = document.name_defects()[0].to_string();
        assert!(
            message.contains("a YAML merge key") && message.contains("write the members out"),
            "{message}"
        );
        assert!(read("a: &a {b: 1}\nc: {d: *a, '<<': 1}\n").is_ok());
    }

    #[test]
    fn anchors_within_anchors_count_each_node_once_for_each_of_them() {
        let nested = (0..40).fold("[x]".to_owned(), |below, level| format!("&a{level} [{below}]"));
        let text = format!("a: {nested}\nb: *a39\n");
        let document = read(&text).unwrap();
        assert_eq!(
            document.root.member("a").unwrap().to_value(),
            document.root.member("b").unwrap().to_value()
        );
    }
}
