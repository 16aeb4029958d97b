//! Rewrites a document of OpenAPI 3.1 or 3.2 into the dialect of 3.0, before anything reads it as a
//! contract, so that no rule has to know about versions. The main function is [`rewrite`].
//!
//! | 3.1, 3.2 | here |
//! |---|---|
//! | `type: [string, "null"]` | `type: string`, `nullable: true` |
//! | `type: [string, integer]` | `anyOf`, one alternative for each type |
//! | `type: "null"` | `enum: [null]`, `nullable: true` |
//! | `anyOf` or `oneOf` of a schema and null | that schema in `allOf`, `nullable: true` |
//! | `const` | `enum` of one value |
//! | a number as `exclusiveMinimum` | `minimum`, `exclusiveMinimum: true` |
//! | `examples` of a schema | `example`, the first |
//! | `$ref` with keywords that state something | the reference at the end of `allOf` |
//! | `true`, `false` as a schema | `{}`, `not: {}` |
//! | `prefixItems`, `if` and others that 3.0 lacks | members of [`LATER_KEYWORDS_KEY`], for the validator alone |
//! | the keywords of [`DROPPED`], such as `contentEncoding`, `$id` and `$comment` | nothing |
//!
//! # Design
//!
//! Every node keeps its position, and what is inserted has that of what it stands for. [`Moves`] remembers where the
//! pointers of the tree and of the text differ, so that defects and facts name what is written. Nothing moves to where
//! something else is written: a reference goes after the parts that `allOf` has.
//!
//! What 3.0 cannot say exactly becomes weaker, never stronger: a null that only an `enum` excludes is admitted.

use std::borrow::Cow;
use std::collections::HashMap;

use super::document::{Member, Members, Node, NodeKind, Position};
use super::object::{MemberContent, Object};
use super::pointer;
use super::shape::JsonType;
use super::shared_string::StringPool;

/// The member of a rewritten schema that holds the keywords that OpenAPI 3.0 does not have.
pub(super) const LATER_KEYWORDS_KEY: &str = "$later";

/// The keywords that go to [`LATER_KEYWORDS_KEY`].
const LATER_KEYWORDS: &[&str] = &[
    "contains", "dependentRequired", "dependentSchemas", "else", "if", "maxContains", "minContains",
    "patternProperties", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
];

/// The keywords that state nothing about a value by themselves.
const DROPPED: &[&str] = &[
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$vocabulary", "contentEncoding",
    "contentMediaType", "contentSchema",
];

/// The keywords next to a `$ref` that leave it a plain reference; those that begin with `x-` do too.
const BESIDE_REFERENCE: &[&str] = &[
    "$comment", "deprecated", "description", "externalDocs", "summary", "title", "xml",
];

/// The keywords next to `anyOf` or `oneOf` that themselves decide whether null is allowed.
const DECIDING_NULL: &[&str] = &["$ref", "allOf", "const", "enum", "not", "type"];

/// The dialects of JSON Schema that schemas of a document may be written in.
const DIALECTS: &[&str] = &[
    "https://spec.openapis.org/oas/3.1/dialect/",
    "https://spec.openapis.org/oas/3.2/dialect/",
    "https://json-schema.org/draft/2020-12/schema",
];

/// The maximum length of all pointers that are remembered, together, in bytes; any further pointer is reported as in
/// the tree.
const MAX_TEXT: usize = 64 << 20;

/// A version that is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V3_1,
    V3_2,
}

/// Returns the version of a document that must be rewritten; `None` for any other version.
pub(super) fn rewritten_version(root: &Node) -> Option<Version> {
    let version = root.text_of("openapi")?;
    if version.starts_with("3.1.") {
        Some(Version::V3_1)
    } else {
        version.starts_with("3.2.").then_some(Version::V3_2)
    }
}

/// Whether schemas of this dialect can be read.
pub(super) fn is_known_dialect(dialect: &str) -> bool {
    let dialect = dialect.trim_end_matches('#');
    DIALECTS.iter().any(|known| {
        let rest = dialect.strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() || known.ends_with('/'))
    })
}

/// Rewrites a document, and returns what moved.
pub(super) fn rewrite(root: Node, version: Version) -> (Node, Moves) {
    let mut rewriter = Rewriter {
        version,
        strings: StringPool::default(),
        tree: String::new(),
        written: String::new(),
        moves: Moves::default(),
    };
    let root = rewriter.node(root, Some(MemberContent::One(Object::OpenApi)));
    (root, rewriter.moves)
}

/// Where the pointers of the tree and of the text differ. Each entry applies to a location and
/// everything below it.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    /// The written pointers by those of the tree.
    written: HashMap<String, String>,
    /// The pointers of the tree by the written ones.
    in_tree: HashMap<String, String>,
    /// The length of all of them.
    text: usize,
}

impl Moves {
    /// Returns the pointer of what is written for a location of the tree.
    pub(super) fn pointer_in_text<'pointer>(&self, pointer: &'pointer str) -> Cow<'pointer, str> {
        translated(&self.written, pointer).map_or(Cow::Borrowed(pointer), Cow::Owned)
    }

    /// Returns the location in the tree of what is written elsewhere.
    pub(super) fn in_tree(&self, pointer: &str) -> Option<String> {
        translated(&self.in_tree, pointer)
    }

    /// Counts two pointers. Returns whether there is still room to remember them.
    fn may_remember(&mut self, tree: &str, written: &str) -> bool {
        self.text += tree.len() + written.len();
        self.text <= MAX_TEXT
    }
}

/// Returns the pointer with its longest known beginning replaced.
fn translated(table: &HashMap<String, String>, pointer: &str) -> Option<String> {
    let mut end = pointer.len();
    while end > 0 {
        if let Some(target) = table.get(&pointer[..end]) {
            return Some(format!("{target}{}", &pointer[end..]));
        }
        end = pointer[..end].rfind('/')?;
    }
    None
}

const SCHEMA: MemberContent = MemberContent::One(Object::Schema);

/// Rewrites nodes from the root down.
struct Rewriter {
    version: Version,
    strings: StringPool,
    /// The pointer of the current location in the tree.
    tree: String,
    /// The pointer of the current location as written.
    written: String,
    moves: Moves,
}

/// A schema while it is rewritten.
struct UnfinishedSchema {
    /// The members that stay, by names that may be new.
    members: Vec<Member>,
    /// What is added to `allOf`, each with the pointer of what is written, relative to the schema.
    all_of: Vec<(String, Member)>,
    /// The members of [`LATER_KEYWORDS_KEY`].
    later: Vec<Member>,
    /// Where null is admitted.
    nullable: Option<Position>,
}

impl Rewriter {
    fn node(&mut self, node: Node, content: Option<MemberContent>) -> Node {
        let position = node.position;
        let Some(content) = content else { return node };
        let kind = match (node.kind, content) {
            (NodeKind::Object(members), SCHEMA) => self.schema(members.into_listed(), position),
            (NodeKind::Boolean(admits), SCHEMA) => self.boolean_schema(admits, position),
            (NodeKind::Array(elements), MemberContent::List(inner)) => {
                let rewritten = elements.into_vec().into_iter().enumerate();
                let rewritten = rewritten.map(|(index, element)| {
                    self.within(&index.to_string(), |it| {
                        it.node(element, Some(MemberContent::One(inner)))
                    })
                });
                NodeKind::Array(rewritten.collect())
            }
            (NodeKind::Object(members), content) => {
                let mut members: Vec<_> = members
                    .into_listed()
                    .into_iter()
                    .map(|member| self.member(member, content))
                    .collect();
                self.complete(content, &mut members, position);
                object(members)
            }
            (kind, _) => kind,
        };
        Node { kind, position }
    }

    fn member(&mut self, member: Member, content: MemberContent) -> Member {
        let below = content.below(&member.name);
        // A boolean there means the same in 3.0.
        if member.name == "additionalProperties" && matches!(member.node.kind, NodeKind::Boolean(_)) {
            return member;
        }
        let name = member.name.clone();
        let node = self.within(&name, |it| it.node(member.node, below));
        Member { node, ..member }
    }

    fn within<T>(&mut self, token: &str, visit: impl FnOnce(&mut Self) -> T) -> T {
        let (tree, written) = (self.tree.len(), self.written.len());
        pointer::push(&mut self.tree, token);
        pointer::push(&mut self.written, token);
        let visited = visit(self);
        self.tree.truncate(tree);
        self.written.truncate(written);
        visited
    }

    /// Notes that what the tree has at `tree` is written at `written`; both are relative to the current location.
    fn moved(&mut self, tree: &str, written: &str) {
        let (tree, written) = (format!("{}{tree}", self.tree), format!("{}{written}", self.written));
        if self.moves.may_remember(&tree, &written) {
            self.moves.in_tree.insert(written.clone(), tree.clone());
            self.moves.written.insert(tree, written);
        }
    }

    /// Notes that `tree` is only in the tree, and stands for what is written at `written`.
    fn inserted(&mut self, tree: &str, written: &str) {
        let (tree, written) = (format!("{}{tree}", self.tree), format!("{}{written}", self.written));
        if self.moves.may_remember(&tree, &written) {
            self.moves.written.insert(tree, written);
        }
    }

    fn named(&mut self, name: &str, position: Position, node: Node) -> Member {
        let name = self.strings.share(name);
        Member { name, position, node }
    }

    fn text(&mut self, text: &str, position: Position) -> Node {
        let kind = NodeKind::String(self.strings.share(text));
        Node { kind, position }
    }

    /// Adds what 3.0 requires and later versions do not.
    fn complete(&mut self, content: MemberContent, members: &mut Vec<Member>, position: Position) {
        let empty = |members: Vec<Member>| Node {
            kind: object(members),
            position,
        };
        let has = |members: &[Member], name: &str| members.iter().any(|member| member.name == name);
        match content {
            MemberContent::One(Object::OpenApi) if !has(members, "paths") => {
                members.push(self.named("paths", position, empty(Vec::new())));
            }
            MemberContent::One(Object::Operation) if !has(members, "responses") => {
                members.push(self.named("responses", position, empty(Vec::new())));
            }
            MemberContent::One(Object::Response)
                if self.version == Version::V3_2 && !has(members, "$ref") && !has(members, "description") =>
            {
                let text = self.text("", position);
                members.push(self.named("description", position, text));
            }
            // A client certificate belongs to the connection and not to a request. 3.0 has no such
            // type of scheme, so it becomes an unknown scheme of HTTP.
            MemberContent::One(Object::SecurityScheme) => {
                let kind = members.iter_mut().find(|member| member.name == "type");
                if let Some(kind) = kind.filter(|kind| kind.node.string() == Some("mutualTLS")) {
                    let position = kind.node.position;
                    kind.node = self.text("http", position);
                    let scheme = self.text("mutualTLS", position);
                    members.retain(|member| member.name != "scheme");
                    members.push(self.named("scheme", position, scheme));
                }
            }
            _ => {}
        }
    }

    fn boolean_schema(&mut self, admits: bool, position: Position) -> NodeKind {
        if admits {
            return object(Vec::new());
        }
        self.inserted("/not", "");
        let nothing = Node {
            kind: object(Vec::new()),
            position,
        };
        object(vec![self.named("not", position, nothing)])
    }

    fn schema(&mut self, members: Vec<Member>, position: Position) -> NodeKind {
        let has = |name: &str| members.iter().any(|member| member.name == name);
        let siblings = Siblings {
            has_prefix: has("prefixItems"),
            has_patterns: has("patternProperties"),
            has_if: has("if"),
            has_items: has("items"),
            has_additional: has("additionalProperties"),
            has_const: has("const"),
            has_values: has("const") || has("enum"),
            has_any_of: has("anyOf"),
            decides_null: members
                .iter()
                .any(|member| DECIDING_NULL.contains(&member.name.as_str())),
            is_plain_reference: has("$ref")
                && members.iter().all(|member| {
                    let name = member.name.as_str();
                    name == "$ref" || name.starts_with("x-") || BESIDE_REFERENCE.contains(&name)
                }),
        };
        if siblings.is_plain_reference {
            return object(members);
        }
        let bounds = Bounds::of(&members);
        let names = siblings.has_patterns.then(|| property_names(&members)).flatten();
        let mut schema = UnfinishedSchema {
            members: Vec::with_capacity(members.len()),
            all_of: Vec::new(),
            later: Vec::new(),
            nullable: None,
        };
        for member in members {
            self.keyword(member, &siblings, &bounds, &mut schema);
        }
        schema.later.extend(names);
        self.finish(schema, position)
    }

    fn keyword(&mut self, member: Member, siblings: &Siblings, bounds: &Bounds, schema: &mut UnfinishedSchema) {
        match member.name.as_str() {
            name if DROPPED.contains(&name) => {}
            "$schema" if member.node.string().is_some_and(is_known_dialect) => {}
            "then" | "else" if !siblings.has_if => {}
            // These have no elements or members left to apply to.
            "unevaluatedItems" if siblings.has_items => {}
            "unevaluatedProperties" if siblings.has_additional => {}
            "items" if siblings.has_prefix => schema.later.push(member),
            "additionalProperties" if siblings.has_patterns => schema.later.push(member),
            name if LATER_KEYWORDS.contains(&name) => schema.later.push(member),
            "$ref" => schema.all_of.push((String::new(), member)),
            "type" => self.types(member, siblings, schema),
            "const" => {
                self.moved("/enum", "/const");
                self.inserted("/enum/0", "/const");
                let position = member.node.position;
                let kind = NodeKind::Array([member.node].into());
                schema
                    .members
                    .push(self.named("enum", member.position, Node { kind, position }));
            }
            "enum" if siblings.has_const => {}
            "exclusiveMinimum" | "exclusiveMaximum" if matches!(member.node.kind, NodeKind::Number(_)) => {
                self.exclusive(member, bounds, schema);
            }
            "minimum" if bounds.lower_is_exclusive => {}
            "maximum" if bounds.upper_is_exclusive => {}
            "examples" => self.examples(member, schema),
            "anyOf" | "oneOf" => self.choice(member, siblings, schema),
            _ => {
                let member = self.member(member, SCHEMA);
                schema.members.push(member);
            }
        }
    }

    fn types(&mut self, member: Member, siblings: &Siblings, schema: &mut UnfinishedSchema) {
        let (at, position) = (member.position, member.node.position);
        let listed: Option<Vec<String>> = match &member.node.kind {
            NodeKind::String(name) if name.as_str() == "null" => Some(vec!["null".to_owned()]),
            NodeKind::Array(names) if !names.is_empty() => names
                .iter()
                .map(|name| {
                    name.string()
                        .filter(|name| *name == "null" || JsonType::parse(name).is_some())
                        .map(str::to_owned)
                })
                .collect(),
            _ => None,
        };
        // A type that is not a list, and a list with a name that is not a type, are left to the
        // validation of 3.0.
        let Some(mut names) = listed else {
            return schema.members.push(member);
        };
        if names.iter().any(|name| name == "null") {
            schema.nullable = Some(at);
        }
        let has_number = names.iter().any(|name| name == "number");
        names.retain(|name| name != "null" && !(has_number && name == "integer"));
        let mut seen = Vec::new();
        names.retain(|name| {
            let is_new = !seen.contains(name);
            seen.push(name.clone());
            is_new
        });
        match names.as_slice() {
            [] if siblings.has_values => {}
            [] => {
                self.moved("/enum", "/type");
                let null = Node {
                    kind: NodeKind::Null,
                    position,
                };
                let kind = NodeKind::Array([null].into());
                schema.members.push(self.named("enum", at, Node { kind, position }));
            }
            [name] => {
                let name = self.text(name, position);
                schema.members.push(Member { node: name, ..member });
            }
            names => {
                let alternatives = names.iter().map(|name| self.of_type(name, position)).collect();
                let kind = NodeKind::Array(alternatives);
                let any_of = self.named("anyOf", at, Node { kind, position });
                if siblings.has_any_of {
                    schema.all_of.push(("/type".to_owned(), any_of));
                } else {
                    self.moved("/anyOf", "/type");
                    schema.members.push(any_of);
                }
            }
        }
    }

    /// Makes a schema that states a type alone.
    fn of_type(&mut self, name: &str, position: Position) -> Node {
        let text = self.text(name, position);
        let members = vec![self.named("type", position, text)];
        Node {
            kind: object(members),
            position,
        }
    }

    fn exclusive(&mut self, member: Member, bounds: &Bounds, schema: &mut UnfinishedSchema) {
        let (name, is_effective) = match member.name.as_str() {
            "exclusiveMinimum" => ("minimum", bounds.lower_is_exclusive),
            _ => ("maximum", bounds.upper_is_exclusive),
        };
        if !is_effective {
            return;
        }
        self.inserted(&format!("/{name}"), &format!("/{}", member.name));
        let position = member.node.position;
        schema.members.push(self.named(name, member.position, member.node));
        let kind = NodeKind::Boolean(true);
        let node = Node { kind, position };
        schema.members.push(Member { node, ..member });
    }

    fn examples(&mut self, member: Member, schema: &mut UnfinishedSchema) {
        let at = member.position;
        let NodeKind::Array(examples) = member.node.kind else {
            return;
        };
        if let Some(first) = examples.into_vec().into_iter().next() {
            self.moved("/example", "/examples/0");
            schema.members.push(self.named("example", at, first));
        }
    }

    /// Rewrites `anyOf` or `oneOf`. A choice between a schema and null becomes that schema with
    /// `nullable`.
    fn choice(&mut self, member: Member, siblings: &Siblings, schema: &mut UnfinishedSchema) {
        let alternatives = member.node.elements();
        let nulls = alternatives.iter().filter(|alternative| is_null(alternative)).count();
        let others = alternatives.len() - nulls;
        if nulls > 0 && !siblings.decides_null {
            schema.nullable = Some(member.position);
        }
        if nulls == 0 || others != 1 || siblings.decides_null {
            let member = self.member(member, SCHEMA);
            return schema.members.push(member);
        }
        let (name, at) = (member.name, member.position);
        let NodeKind::Array(alternatives) = member.node.kind else {
            return;
        };
        let only = alternatives
            .into_vec()
            .into_iter()
            .enumerate()
            .find(|(_, alternative)| !is_null(alternative));
        if let Some((index, node)) = only {
            let position = at;
            schema
                .all_of
                .push((format!("/{name}/{index}"), Member { name, position, node }));
        }
    }

    /// Makes a node of a schema whose members are all rewritten.
    fn finish(&mut self, schema: UnfinishedSchema, position: Position) -> NodeKind {
        let UnfinishedSchema {
            mut members,
            all_of,
            later,
            nullable,
        } = schema;
        // Names that these keywords admit are not listed, so the object has to be open for the readers of 3.0; the
        // keywords themselves decide about the names.
        let admitting = later.iter().find(|member| {
            let opens = !matches!(member.node.kind, NodeKind::Boolean(false));
            member.name == "patternProperties" || (member.name == "unevaluatedProperties" && opens)
        });
        let admitting = admitting.map(|member| member.position);
        if let Some(at) = admitting.filter(|_| !members.iter().any(|member| member.name == "additionalProperties")) {
            let kind = NodeKind::Boolean(true);
            let node = Node { kind, position: at };
            members.push(self.named("additionalProperties", at, node));
        }
        if !later.is_empty() {
            members.push(self.later_keywords(later, position));
        }
        if !all_of.is_empty() {
            self.add_to_all_of(&mut members, all_of);
        }
        if let Some(at) = nullable {
            members.retain(|member| member.name != "nullable");
            let kind = NodeKind::Boolean(true);
            let node = Node { kind, position: at };
            members.push(self.named("nullable", at, node));
        }
        object(members)
    }

    fn later_keywords(&mut self, later: Vec<Member>, position: Position) -> Member {
        let tree = self.tree.len();
        self.inserted(&format!("/{LATER_KEYWORDS_KEY}"), "");
        for member in &later {
            let tree = format!("/{LATER_KEYWORDS_KEY}/{}", member.name);
            self.moved(&tree, &format!("/{}", member.name));
        }
        pointer::push(&mut self.tree, LATER_KEYWORDS_KEY);
        let rewritten = later.into_iter().map(|member| self.member(member, SCHEMA));
        let kind = object(rewritten.collect());
        self.tree.truncate(tree);
        self.named(LATER_KEYWORDS_KEY, position, Node { kind, position })
    }

    /// Adds schemas after the parts of `allOf`.
    fn add_to_all_of(&mut self, members: &mut Vec<Member>, added: Vec<(String, Member)>) {
        let index = members.iter().position(|member| member.name == "allOf");
        let (at, position, mut parts) = match index.map(|index| members.remove(index)) {
            Some(Member { position, node, .. }) => match node.kind {
                NodeKind::Array(parts) => (position, node.position, parts.into_vec()),
                // The validation of 3.0 reports it.
                kind => {
                    let node = Node { kind, ..node };
                    return members.push(self.named("allOf", position, node));
                }
            },
            None => match added.first() {
                Some((_, first)) => (first.position, first.node.position, Vec::new()),
                None => return,
            },
        };
        for (written, member) in added {
            let tree = format!("/allOf/{}", parts.len());
            let part = if written.is_empty() || written == "/type" {
                // The keyword itself is the only member of the part.
                self.inserted(&tree, "");
                let position = member.position;
                if written == "/type" {
                    self.moved(&format!("{tree}/anyOf"), "/type");
                }
                let kind = object(vec![member]);
                Node { kind, position }
            } else {
                self.moved(&tree, &written);
                let (tree_length, written_length) = (self.tree.len(), self.written.len());
                self.tree.push_str(&tree);
                self.written.push_str(&written);
                let node = self.node(member.node, Some(SCHEMA));
                self.tree.truncate(tree_length);
                self.written.truncate(written_length);
                node
            };
            parts.push(part);
        }
        let kind = NodeKind::Array(parts.into_boxed_slice());
        members.push(self.named("allOf", at, Node { kind, position }));
    }
}

/// Which keywords a schema has, as far as the rewriting of its other keywords depends on it.
#[expect(clippy::struct_excessive_bools, reason = "each is about one keyword")]
struct Siblings {
    has_prefix: bool,
    has_patterns: bool,
    has_if: bool,
    has_items: bool,
    has_additional: bool,
    has_const: bool,
    /// Whether values are listed, by `const` or `enum`.
    has_values: bool,
    has_any_of: bool,
    /// Whether a keyword next to `anyOf` and `oneOf` decides whether null is allowed.
    decides_null: bool,
    is_plain_reference: bool,
}

/// Whether the exclusive bound is the one that counts: the only one, or the one that excludes more.
struct Bounds {
    lower_is_exclusive: bool,
    upper_is_exclusive: bool,
}

impl Bounds {
    fn of(members: &[Member]) -> Self {
        let number = |name: &str| {
            let member = members.iter().find(|member| member.name == name)?;
            match &member.node.kind {
                NodeKind::Number(number) => number.as_f64(),
                _ => None,
            }
        };
        let excludes = |exclusive: &str, inclusive: &str, upper: bool| match (number(exclusive), number(inclusive)) {
            (Some(exclusive), Some(inclusive)) if upper => exclusive <= inclusive,
            (Some(exclusive), Some(inclusive)) => exclusive >= inclusive,
            (exclusive, _) => exclusive.is_some(),
        };
        Self {
            lower_is_exclusive: excludes("exclusiveMinimum", "minimum", false),
            upper_is_exclusive: excludes("exclusiveMaximum", "maximum", true),
        }
    }
}

fn object(members: Vec<Member>) -> NodeKind {
    NodeKind::Object(Box::new(Members::new(members)))
}

/// Returns `properties` with an empty schema for each name, for the keywords that are about all other names.
fn property_names(members: &[Member]) -> Option<Member> {
    let properties = members.iter().find(|member| member.name == "properties")?;
    let names = properties.node.members().iter().map(|member| Member {
        name: member.name.clone(),
        position: member.position,
        node: Node {
            kind: object(Vec::new()),
            position: member.position,
        },
    });
    Some(Member {
        name: properties.name.clone(),
        position: properties.position,
        node: Node {
            kind: object(names.collect()),
            position: properties.node.position,
        },
    })
}

/// Whether a schema admits null and nothing else.
fn is_null(schema: &Node) -> bool {
    let is_null = |node: &Node| matches!(node.kind, NodeKind::Null);
    let only = |list: &[Node], is: &dyn Fn(&Node) -> bool| matches!(list, [one] if is(one));
    let named = |node: &Node| node.string() == Some("null");
    let stated = |name: &str| schema.member(name);
    stated("type").is_some_and(|kind| named(kind) || only(kind.elements(), &named))
        || stated("const").is_some_and(is_null)
        || stated("enum").is_some_and(|values| only(values.elements(), &is_null))
}
