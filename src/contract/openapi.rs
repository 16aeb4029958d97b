//! Checks a document against the structure of OpenAPI 3.0.3 (spec.openapis.org/oas/v3.0.3, section 4.7), before
//! anything else reads it: what is required, which kind each value has, which names exist, and that every reference
//! leads somewhere. A document of 3.1 or 3.2 comes in the same dialect (`dialect`). The main function is `validate`.
//!
//! # Design
//!
//! The published JSON Schema of OpenAPI 3.0 says "matches none of" where a name is misspelled, and `openapiv3` drops
//! unknown names silently. Tables of objects and their fields give one message at one location. A name that no table
//! knows is passed over, unless it nearly matches a known one: real documents contain names of their own.

use std::collections::HashMap;

use super::defect::{Defect, DefectList, Problem};
use super::dialect::{self, LATER_KEYWORDS_KEY};
use super::document::{Document, Member, Node, NodeKind};
use super::load::resolve;
use super::operation::Method;
use super::pointer;
use super::vocabulary::{RENAMED, RENAMED_RUN_TAG, RUN_TAG};

/// Checks the structure and the references of an OpenAPI document, and adds every [`Defect`].
///
/// # Errors
///
/// The defect of a text that is not an OpenAPI document, or that is one of another version.
pub(super) fn validate(document: &Document, defects: &mut DefectList) -> Result<(), Defect> {
    check_version(document)?;
    let mut check = StructureCheck {
        document,
        pointer: String::new(),
        defects,
        visit: &mut |_, _, _| {},
    };
    check.object(&document.root, &OPENAPI);
    check_operation_ids(document, defects);
    Ok(())
}

/// What [`visit_objects`] visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visited {
    /// A string that is written as a bare number or boolean.
    UnquotedString,
    /// An object of this name in the tables: `schema`, `parameter`.
    Object(&'static str),
}

/// Visits the objects that OpenAPI defines, each with its pointer, once and in the order of the file. References
/// are not followed.
pub(crate) fn visit_objects(document: &Document, visit: &mut dyn FnMut(Visited, &Node, &str)) {
    let mut check = StructureCheck {
        document,
        pointer: String::new(),
        defects: &mut DefectList::default(),
        visit,
    };
    check.object(&document.root, &OPENAPI);
}

/// The maximum number of references that are followed from a reference to its definition.
pub(super) const MAX_REFERENCES: usize = 64;

/// The maximum number of letters by which a name may differ from the intended one.
const MAX_DISTANCE: usize = 2;

/// Returns the name among `known` that nearly matches `name`, if there is one.
#[must_use]
pub fn near<'known>(name: &str, known: impl IntoIterator<Item = &'known str>) -> Option<&'known str> {
    // Two texts differ by at least the difference of their lengths, so that alone excludes most: a name may be
    // megabytes long.
    let length = name.chars().count();
    let scored = known
        .into_iter()
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= MAX_DISTANCE)
        .map(|candidate| (distance(name, candidate), candidate));
    let (distance, candidate) = scored.min_by_key(|(distance, _)| *distance)?;
    let longest = length.max(candidate.chars().count());
    (distance <= MAX_DISTANCE && distance * 3 < longest).then_some(candidate)
}

/// Returns a suggestion to append to a message; empty where no name is near.
#[must_use]
pub fn did_you_mean(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

fn distance(left: &str, right: &str) -> usize {
    strsim::damerau_levenshtein(&left.to_lowercase(), &right.to_lowercase())
}

fn check_version(document: &Document) -> Result<(), Defect> {
    if !matches!(document.root.kind, NodeKind::Object(_)) {
        return Err(document.defect("", Problem::NotOpenApi));
    }
    if let Some(swagger) = document.root.member("swagger") {
        let found = swagger.string().map_or_else(|| "2.0".to_owned(), str::to_owned);
        return Err(document.defect("/swagger", Problem::Version { found }));
    }
    let Some(openapi) = document.root.member("openapi") else {
        return Err(document.defect("", Problem::NotOpenApi));
    };
    let found = openapi
        .string()
        .map_or_else(|| openapi.to_value().to_string(), str::to_owned);
    if !document.was_later_than_3_0() && !found.starts_with("3.0.") {
        return Err(document.defect("/openapi", Problem::Version { found }));
    }
    let dialect = document.root.text_of("jsonSchemaDialect");
    match dialect
        .filter(|_| document.was_later_than_3_0())
        .and_then(|dialect| other_dialect(dialect, UNTIL_DIALECT_IS_KNOWN))
    {
        Some(problem) => Err(document.defect("/jsonSchemaDialect", problem)),
        None => Ok(()),
    }
}

/// What to do about a schema in another dialect.
const OF_KNOWN_DIALECT: &str = "write the schemas in the dialect of OpenAPI, or in draft 2020-12";
/// What to do about a document whose schemas are in another dialect.
const UNTIL_DIALECT_IS_KNOWN: &str =
    "write the schemas in the dialect of OpenAPI, or in draft 2020-12; until then, the whole document is rejected";

/// Returns what is wrong with a dialect of JSON Schema that schemas are written in.
fn other_dialect(dialect: &str, fix: &'static str) -> Option<Problem> {
    (!dialect::is_known_dialect(dialect)).then(|| Problem::Unsupported {
        what: format!("the JSON Schema dialect `{dialect}`"),
        fix,
    })
}

fn check_operation_ids(document: &Document, defects: &mut DefectList) {
    let mut lines: HashMap<&str, u32> = HashMap::new();
    let paths = document.root.members_of("paths").iter();
    for path in paths.filter(|path| !path.name.starts_with("x-")) {
        // The same operations again, where two paths refer to one item.
        let item = resolve(document, pointer::join("/paths", &path.name));
        let members = document.members_at(&item).iter();
        for operation in members.filter(|member| Method::from_key(&member.name).is_some()) {
            let members = operation.node.members().iter();
            let Some((id, line)) = members
                .filter(|member| member.name == "operationId")
                .find_map(|member| Some((member.node.string()?, member.position.line)))
            else {
                continue;
            };
            let first_line = lines.get(id).copied();
            lines.entry(id).or_insert(line);
            if let Some(first_line) = first_line {
                let pointer = pointer::join(&item, &operation.name);
                defects.push(document.defect(
                    &pointer::join(&pointer, "operationId"),
                    Problem::DuplicateOperation {
                        id: id.to_owned(),
                        first_line,
                    },
                ));
            }
        }
    }
}

/// An object of OpenAPI: its name in the specification and its fixed fields.
struct ObjectSpec {
    name: &'static str,
    fields: &'static [Field],
    /// What the members with any other name must be, in an object whose names are free to choose.
    others: Option<Expect>,
    /// Whether a Reference Object may take its place.
    referable: bool,
}

struct Field {
    name: &'static str,
    expect: Expect,
    required: bool,
}

/// What a value must be.
#[derive(Clone, Copy)]
enum Expect {
    Any,
    ArrayOf(&'static Expect),
    Boolean,
    Integer,
    MapOf(&'static Expect),
    Number,
    Object(&'static ObjectSpec),
    OneOf(&'static [&'static str]),
    /// A schema, a variant of its own because its table holds schemas.
    Schema,
    /// `additionalProperties`: a boolean or a schema.
    SchemaOrBoolean,
    String,
    /// A string that real documents also write as a bare number or boolean.
    StringOrBare,
}

/// Checks the structure of a document from its root on, and shows each object to `visit`.
struct StructureCheck<'document> {
    document: &'document Document,
    pointer: String,
    defects: &'document mut DefectList,
    visit: &'document mut dyn FnMut(Visited, &Node, &str),
}

impl StructureCheck<'_> {
    fn object(&mut self, node: &Node, spec: &'static ObjectSpec) {
        if !matches!(node.kind, NodeKind::Object(_)) {
            return self.wrong_kind(&Expect::Object(spec).describe(), node);
        }
        (self.visit)(Visited::Object(spec.name), node, &self.pointer);
        let members = node.members();
        let unresolved = node
            .member("$ref")
            .and_then(|reference| self.document.unresolved(reference));
        if let Some(problem) = unresolved {
            return self.fail("$ref", problem.clone());
        }
        if spec.referable
            && let Some(reference) = node.member("$ref")
        {
            return self.reference(reference);
        }
        // The members that are misspelled required fields.
        let mut misspelled = Vec::new();
        let is_missing = |field: &&Field| field.required && node.member(field.name).is_none();
        for field in spec.fields.iter().filter(is_missing) {
            let meant = |member: &&Member| !is_known(spec, member) && near(&member.name, [field.name]).is_some();
            if let Some(member) = members.iter().find(meant) {
                misspelled.push(&member.name);
                self.unknown(spec, member, field.name);
            } else {
                let (object, name) = (spec.name, field.name);
                self.fail("", Problem::Missing { object, name });
            }
        }
        for member in members.iter().filter(|member| !misspelled.contains(&&member.name)) {
            self.member(member, spec);
        }
    }

    fn member(&mut self, member: &Member, spec: &'static ObjectSpec) {
        if member.name.starts_with("x-") {
            return self.extension(member);
        }
        if spec.name == PATHS.name && !member.name.starts_with('/') {
            self.fail(&member.name, Problem::PathWithoutSlash);
        }
        let field = spec.fields.iter().find(|field| member.name == field.name);
        let expect = field
            .map(|field| field.expect)
            .or_else(|| self.field_of_later_version(member, spec));
        if let Some(expect) = expect.or(spec.others) {
            self.within(&member.name, |check| check.value(&member.node, expect));
        } else if let Some(known) = near(&member.name, spec.fields.iter().map(|field| field.name)) {
            self.unknown(spec, member, known);
        }
    }

    /// Returns what a member of a later version, which OpenAPI 3.0 does not have, must be.
    fn field_of_later_version(&mut self, member: &Member, spec: &'static ObjectSpec) -> Option<Expect> {
        if !self.document.was_later_than_3_0() {
            return None;
        }
        match (spec.name, member.name.as_str()) {
            ("components object", "pathItems") => Some(PATH_ITEMS),
            ("schema", "$defs" | "definitions") => Some(Expect::MapOf(&Expect::Schema)),
            ("schema", LATER_KEYWORDS_KEY) => Some(Expect::Object(&LATER_KEYWORDS_OBJECT)),
            ("schema", "$schema") => {
                let dialect = member.node.string()?;
                let problem = other_dialect(dialect, OF_KNOWN_DIALECT)?;
                self.fail(&member.name, problem);
                None
            }
            _ => None,
        }
    }

    /// Reports the old names of our own keys and of the run tag's placeholder. The code that reads our keys would pass
    /// over an old key, and send a text with the old placeholder unchanged.
    fn extension(&mut self, member: &Member) {
        let mut renamed = RENAMED.iter();
        if let Some((old, new)) = renamed.find(|(old, _)| member.name == *old) {
            let message = format!("`{old}` is called `{new}` now; rename the key");
            self.fail(&member.name, Problem::Vocabulary { message });
        }
        let text = member.node.string().filter(|text| text.contains(RENAMED_RUN_TAG));
        if member.name == "x-synthetic" && text.is_some() {
            let message = format!("`{RENAMED_RUN_TAG}` is written `{RUN_TAG}` now; rename it in the text");
            self.fail(&member.name, Problem::Vocabulary { message });
        }
    }

    fn value(&mut self, node: &Node, expect: Expect) {
        match (expect, &node.kind) {
            (Expect::StringOrBare, NodeKind::Boolean(_) | NodeKind::Number(_)) => {
                (self.visit)(Visited::UnquotedString, node, &self.pointer);
            }
            (Expect::Any, _)
            | (Expect::Boolean | Expect::SchemaOrBoolean, NodeKind::Boolean(_))
            | (Expect::Number, NodeKind::Number(_))
            | (Expect::String | Expect::StringOrBare, NodeKind::String(_)) => {}
            (Expect::Integer, NodeKind::Number(number))
                if number.is_u64() || number.is_i64() || number.as_f64().is_some_and(|value| value.fract() == 0.0) => {}
            (Expect::OneOf(known), NodeKind::String(text)) if known.contains(&text.as_str()) => {}
            (Expect::Object(spec), _) => self.object(node, spec),
            (Expect::Schema | Expect::SchemaOrBoolean, _) => self.object(node, &SCHEMA),
            (Expect::ArrayOf(inner), NodeKind::Array(elements)) => {
                for (index, element) in elements.iter().enumerate() {
                    self.within(&index.to_string(), |check| check.value(element, *inner));
                }
            }
            (Expect::MapOf(inner), NodeKind::Object(_)) => {
                // Documents have extensions here too, although what a name stands for is another object.
                let is_extension = |member: &&Member| {
                    member.name.starts_with("x-") && !matches!(member.node.kind, NodeKind::Object(_))
                };
                for member in node.members().iter().filter(|member| !is_extension(member)) {
                    self.within(&member.name, |check| check.value(&member.node, *inner));
                }
            }
            _ => self.wrong_kind(&expect.describe(), node),
        }
    }

    fn within(&mut self, token: &str, check: impl FnOnce(&mut Self)) {
        if self.defects.is_full() {
            return;
        }
        let length = self.pointer.len();
        pointer::push(&mut self.pointer, token);
        check(self);
        self.pointer.truncate(length);
    }

    fn reference(&mut self, reference: &Node) {
        let Some(target) = reference.string() else {
            return self.within("$ref", |check| check.wrong_kind("a reference", reference));
        };
        let Some(pointer) = local_pointer(target) else {
            return self.fail("$ref", elsewhere(target));
        };
        if self.document.node(&pointer).is_none() {
            let near = self.defects.suggests().then(|| self.near_reference(&pointer)).flatten();
            self.fail(
                "$ref",
                Problem::DanglingReference {
                    target: target.to_owned(),
                    near,
                },
            );
        } else if let Some(problem) = self.leads_nowhere(target, pointer) {
            self.fail("$ref", problem);
        }
    }

    /// Returns what is wrong with a reference that leads to other references and never to a definition.
    fn leads_nowhere(&self, target: &str, pointer: String) -> Option<Problem> {
        let mut met = vec![pointer];
        while let Some(next) = met
            .last()
            .and_then(|pointer| referred_pointer(self.document.node(pointer)?))
        {
            if met.contains(&next) {
                return Some(Problem::CircularReference {
                    target: target.to_owned(),
                });
            }
            if met.len() >= MAX_REFERENCES {
                return Some(Problem::Unsupported {
                    what: format!("a reference that leads through more than {MAX_REFERENCES} others"),
                    fix: "point it directly at the definition",
                });
            }
            met.push(next);
        }
        None
    }

    fn near_reference(&self, target: &str) -> Option<String> {
        let (parent, _) = target.rsplit_once('/')?;
        let name = pointer::tokens(target).last()?;
        let siblings = self.document.node(parent)?.members();
        near(&name, siblings.iter().map(|member| member.name.as_str()))
            .map(|near| format!("#{}", pointer::join(parent, near)))
    }

    fn unknown(&mut self, spec: &'static ObjectSpec, member: &Member, near: &str) {
        let (object, name, near) = (spec.name, member.name.to_string(), Box::from(near));
        // JSON Schema of 3.1 allows any keyword: an unknown one states nothing (JSON Schema Core 2020-12, section
        // 4.3.1).
        let problem = if self.document.was_later_than_3_0() && object == "schema" {
            Problem::UnknownKeyword { name, near }
        } else {
            Problem::UnknownName { object, name, near }
        };
        self.fail(&member.name, problem);
    }

    fn wrong_kind(&mut self, expected: &str, node: &Node) {
        let found = match &node.kind {
            NodeKind::String(text) if text.chars().count() <= 40 => format!("`{text}`"),
            _ => node.kind_name().to_owned(),
        };
        let problem = Problem::WrongKind {
            expected: expected.to_owned(),
            found,
        };
        self.fail("", problem);
    }

    /// Adds a defect at the member with that name or, if the name is empty, at the current location.
    fn fail(&mut self, name: &str, problem: Problem) {
        let pointer = if name.is_empty() {
            self.pointer.clone()
        } else {
            pointer::join(&self.pointer, name)
        };
        self.defects.push(self.document.defect(&pointer, problem));
    }
}

/// Returns what is wrong with a reference that leads out of the file, or to an anchor. Nothing is read for it: a
/// document may come from anybody, and `bundle` has read what may be read.
fn elsewhere(target: &str) -> Problem {
    if target.starts_with('#') {
        return Problem::Unsupported {
            what: format!("the reference `{target}` to an anchor"),
            fix: "name the location with a JSON pointer, such as `#/components/schemas/NAME`",
        };
    }
    if is_url(target) {
        return Problem::Unsupported {
            what: format!("the reference `{target}` to the network"),
            fix: "download it first, and put it beside the document",
        };
    }
    Problem::Unsupported {
        what: format!("the reference `{target}` to another file"),
        fix: "give the document as a file that has the others beside it, or bundle them into one",
    }
}

/// Whether the text is a URL with an authority: `https://example.com/openapi.yaml` (RFC 3986, section 3).
#[must_use]
pub fn is_url(text: &str) -> bool {
    let is_of_scheme = |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character);
    let scheme = text.split_once("//").map(|(before, _)| before);
    scheme.is_some_and(|scheme| match scheme.strip_suffix(':') {
        Some(name) => name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_of_scheme),
        None => scheme.is_empty(),
    })
}

fn is_known(spec: &ObjectSpec, member: &Member) -> bool {
    spec.fields.iter().any(|field| member.name == field.name)
}

/// Returns the pointer that a node refers to, if the node is a reference within the file.
pub(crate) fn referred_pointer(node: &Node) -> Option<String> {
    node.text_of("$ref").and_then(local_pointer)
}

/// Returns the pointer of a reference within the file (`#/components/…`, percent-decoded by RFC 6901, section 6).
#[must_use]
pub fn local_pointer(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    pointer::is_pointer(fragment).then(|| percent_decode(fragment))
}

pub(super) fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let decoded = escaped
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Expect {
    fn describe(self) -> String {
        match self {
            Self::Any => "a value".to_owned(),
            Self::ArrayOf(_) => "an array".to_owned(),
            Self::Boolean => "a boolean".to_owned(),
            Self::Integer => "an integer".to_owned(),
            Self::StringOrBare | Self::String => "a string".to_owned(),
            Self::MapOf(_) => "an object".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Object(spec) if spec.name.starts_with(['i', 'o', 'O']) => format!("an {}", spec.name),
            Self::Object(spec) => format!("a {}", spec.name),
            Self::OneOf(known) => format!("one of `{}`", known.join("`, `")),
            Self::Schema => "a schema".to_owned(),
            Self::SchemaOrBoolean => "a boolean or a schema".to_owned(),
        }
    }
}

const fn required(name: &'static str, expect: Expect) -> Field {
    Field {
        name,
        expect,
        required: true,
    }
}

const fn optional(name: &'static str, expect: Expect) -> Field {
    Field {
        name,
        expect,
        required: false,
    }
}

const fn spec(name: &'static str, fields: &'static [Field]) -> ObjectSpec {
    ObjectSpec {
        name,
        fields,
        others: None,
        referable: false,
    }
}

const fn referable(name: &'static str, fields: &'static [Field]) -> ObjectSpec {
    ObjectSpec {
        name,
        fields,
        others: None,
        referable: true,
    }
}

const STRINGS: Expect = Expect::ArrayOf(&Expect::String);

static OPENAPI: ObjectSpec = spec(
    "OpenAPI document",
    &[
        required("openapi", Expect::String),
        required("info", Expect::Object(&INFO)),
        optional("servers", SERVERS),
        required("paths", Expect::Object(&PATHS)),
        optional("components", Expect::Object(&COMPONENTS)),
        optional("security", SECURITY),
        optional("tags", Expect::ArrayOf(&Expect::Any)),
        optional("externalDocs", Expect::Any),
    ],
);

static INFO: ObjectSpec = spec(
    "info object",
    &[
        required("title", Expect::StringOrBare),
        required("version", Expect::StringOrBare),
        optional("description", Expect::StringOrBare),
        optional("termsOfService", Expect::StringOrBare),
        optional("contact", Expect::Any),
        optional("license", Expect::Any),
    ],
);

const SERVERS: Expect = Expect::ArrayOf(&Expect::Object(&SERVER));
static SERVER: ObjectSpec = spec(
    "server object",
    &[
        required("url", Expect::String),
        optional("description", Expect::StringOrBare),
        optional("variables", Expect::MapOf(&Expect::Object(&SERVER_VARIABLE))),
    ],
);
static SERVER_VARIABLE: ObjectSpec = spec(
    "server variable",
    &[
        optional("enum", Expect::ArrayOf(&Expect::StringOrBare)),
        required("default", Expect::StringOrBare),
        optional("description", Expect::StringOrBare),
    ],
);

const SECURITY: Expect = Expect::ArrayOf(&Expect::MapOf(&STRINGS));

const PATH_ITEMS: Expect = Expect::MapOf(&Expect::Object(&PATH_ITEM));
static PATHS: ObjectSpec = ObjectSpec {
    name: "paths object",
    fields: &[],
    others: Some(Expect::Object(&PATH_ITEM)),
    referable: false,
};

const OPERATION_OBJECT: Expect = Expect::Object(&OPERATION);
static PATH_ITEM: ObjectSpec = referable(
    "path item",
    &[
        optional("summary", Expect::StringOrBare),
        optional("description", Expect::StringOrBare),
        optional("get", OPERATION_OBJECT),
        optional("put", OPERATION_OBJECT),
        optional("post", OPERATION_OBJECT),
        optional("delete", OPERATION_OBJECT),
        optional("options", OPERATION_OBJECT),
        optional("head", OPERATION_OBJECT),
        optional("patch", OPERATION_OBJECT),
        optional("trace", OPERATION_OBJECT),
        optional("servers", SERVERS),
        optional("parameters", PARAMETERS),
    ],
);

static OPERATION: ObjectSpec = spec(
    "operation",
    &[
        optional("tags", STRINGS),
        optional("summary", Expect::StringOrBare),
        optional("description", Expect::StringOrBare),
        optional("externalDocs", Expect::Any),
        optional("operationId", Expect::String),
        optional("parameters", PARAMETERS),
        optional("requestBody", Expect::Object(&REQUEST_BODY)),
        required("responses", Expect::Object(&RESPONSES)),
        optional("callbacks", Expect::Any),
        optional("deprecated", Expect::Boolean),
        optional("security", SECURITY),
        optional("servers", SERVERS),
    ],
);

const PARAMETERS: Expect = Expect::ArrayOf(&Expect::Object(&PARAMETER));
static PARAMETER: ObjectSpec = referable(
    "parameter",
    &[
        required("name", Expect::String),
        required("in", Expect::OneOf(&["query", "header", "path", "cookie"])),
        optional("description", Expect::StringOrBare),
        optional("required", Expect::Boolean),
        optional("deprecated", Expect::Boolean),
        optional("allowEmptyValue", Expect::Boolean),
        optional("style", Expect::String),
        optional("explode", Expect::Boolean),
        optional("allowReserved", Expect::Boolean),
        optional("schema", Expect::Schema),
        optional("example", Expect::Any),
        optional("examples", Expect::Any),
        optional("content", CONTENT),
    ],
);

const CONTENT: Expect = Expect::MapOf(&Expect::Object(&MEDIA_TYPE));
static MEDIA_TYPE: ObjectSpec = spec(
    "media type",
    &[
        optional("schema", Expect::Schema),
        optional("example", Expect::Any),
        optional("examples", Expect::Any),
        optional("encoding", Expect::Any),
    ],
);

static REQUEST_BODY: ObjectSpec = referable(
    "request body",
    &[
        optional("description", Expect::StringOrBare),
        required("content", CONTENT),
        optional("required", Expect::Boolean),
    ],
);

static RESPONSES: ObjectSpec = ObjectSpec {
    name: "responses object",
    fields: &[],
    others: Some(Expect::Object(&RESPONSE)),
    referable: false,
};
static RESPONSE: ObjectSpec = referable(
    "response",
    &[
        required("description", Expect::StringOrBare),
        optional("headers", Expect::MapOf(&Expect::Object(&HEADER))),
        optional("content", CONTENT),
        optional("links", Expect::MapOf(&Expect::Object(&LINK))),
    ],
);

static HEADER: ObjectSpec = referable(
    "header",
    &[
        optional("description", Expect::StringOrBare),
        optional("required", Expect::Boolean),
        optional("deprecated", Expect::Boolean),
        optional("schema", Expect::Schema),
        optional("content", CONTENT),
        optional("style", Expect::String),
        optional("explode", Expect::Boolean),
        optional("example", Expect::Any),
        optional("examples", Expect::Any),
    ],
);

static LINK: ObjectSpec = referable(
    "link",
    &[
        optional("operationRef", Expect::String),
        optional("operationId", Expect::String),
        optional("parameters", Expect::MapOf(&Expect::Any)),
        optional("requestBody", Expect::Any),
        optional("description", Expect::StringOrBare),
        optional("server", Expect::Any),
    ],
);

static COMPONENTS: ObjectSpec = spec(
    "components object",
    &[
        optional("schemas", Expect::MapOf(&Expect::Schema)),
        optional("responses", Expect::MapOf(&Expect::Object(&RESPONSE))),
        optional("parameters", Expect::MapOf(&Expect::Object(&PARAMETER))),
        optional("examples", Expect::MapOf(&Expect::Any)),
        optional("requestBodies", Expect::MapOf(&Expect::Object(&REQUEST_BODY))),
        optional("headers", Expect::MapOf(&Expect::Object(&HEADER))),
        optional("securitySchemes", Expect::MapOf(&Expect::Object(&SECURITY_SCHEME))),
        optional("links", Expect::MapOf(&Expect::Object(&LINK))),
        optional("callbacks", Expect::MapOf(&Expect::Any)),
    ],
);

static SECURITY_SCHEME: ObjectSpec = referable(
    "security scheme",
    &[
        required("type", Expect::OneOf(&["apiKey", "http", "oauth2", "openIdConnect"])),
        optional("description", Expect::StringOrBare),
        optional("name", Expect::String),
        optional("in", Expect::OneOf(&["query", "header", "cookie"])),
        optional("scheme", Expect::String),
        optional("bearerFormat", Expect::String),
        optional("flows", Expect::Any),
        optional("openIdConnectUrl", Expect::String),
    ],
);

const SCHEMAS: Expect = Expect::ArrayOf(&Expect::Schema);
static SCHEMA: ObjectSpec = referable(
    "schema",
    &[
        optional("title", Expect::StringOrBare),
        optional("multipleOf", Expect::Number),
        optional("maximum", Expect::Number),
        optional("exclusiveMaximum", Expect::Boolean),
        optional("minimum", Expect::Number),
        optional("exclusiveMinimum", Expect::Boolean),
        optional("maxLength", Expect::Integer),
        optional("minLength", Expect::Integer),
        optional("pattern", Expect::String),
        optional("maxItems", Expect::Integer),
        optional("minItems", Expect::Integer),
        optional("uniqueItems", Expect::Boolean),
        optional("maxProperties", Expect::Integer),
        optional("minProperties", Expect::Integer),
        optional("required", STRINGS),
        optional("enum", Expect::ArrayOf(&Expect::Any)),
        optional(
            "type",
            Expect::OneOf(&["array", "boolean", "integer", "number", "object", "string"]),
        ),
        optional("not", Expect::Schema),
        optional("allOf", SCHEMAS),
        optional("oneOf", SCHEMAS),
        optional("anyOf", SCHEMAS),
        optional("items", Expect::Schema),
        optional("properties", Expect::MapOf(&Expect::Schema)),
        optional("additionalProperties", Expect::SchemaOrBoolean),
        optional("description", Expect::StringOrBare),
        optional("format", Expect::String),
        optional("default", Expect::Any),
        optional("nullable", Expect::Boolean),
        optional("discriminator", Expect::Any),
        optional("readOnly", Expect::Boolean),
        optional("writeOnly", Expect::Boolean),
        optional("xml", Expect::Any),
        optional("externalDocs", Expect::Any),
        optional("example", Expect::Any),
        optional("deprecated", Expect::Boolean),
    ],
);

/// The keywords of a later version that only the validator of JSON Schema reads.
static LATER_KEYWORDS_OBJECT: ObjectSpec = spec(
    "keywords of JSON Schema",
    &[
        optional("additionalProperties", Expect::SchemaOrBoolean),
        optional("contains", Expect::Schema),
        optional("dependentRequired", Expect::MapOf(&STRINGS)),
        optional("dependentSchemas", Expect::MapOf(&Expect::Schema)),
        optional("else", Expect::Schema),
        optional("if", Expect::Schema),
        optional("items", Expect::Schema),
        optional("maxContains", Expect::Integer),
        optional("minContains", Expect::Integer),
        optional("patternProperties", Expect::MapOf(&Expect::Schema)),
        optional("prefixItems", SCHEMAS),
        optional("properties", Expect::MapOf(&Expect::Schema)),
        optional("propertyNames", Expect::Schema),
        optional("then", Expect::Schema),
        optional("unevaluatedItems", Expect::Schema),
        optional("unevaluatedProperties", Expect::Schema),
    ],
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::contract::defect::{Defects, MAX_DEFECTS};

    const SMALL: &str = "\
openapi: 3.0.3
info: {title: Small, version: '1'}
paths:
  /things:
    get:
      operationId: listThings
      responses:
        '200':
          description: All of them
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Thing'}
components:
  schemas:
    Thing:
      type: object
      properties:
        name: {type: string}
";

    fn check(text: &str) -> Result<(), Defects> {
        let document = Document::read("contract.yaml", text.to_owned()).unwrap();
        let mut defects = DefectList::default();
        validate(&document, &mut defects)?;
        Defects::new(defects.in_order()).map_or(Ok(()), Err)
    }

    fn broken(from: &str, to: &str) -> String {
        assert!(SMALL.contains(from), "the sample has no `{from}`");
        check(&SMALL.replacen(from, to, 1)).unwrap_err().to_string()
    }

    #[test]
    fn a_name_of_a_map_that_begins_as_an_extension_does_is_no_extension() {
        let reported = broken("name: {type: string}", "x-name: {type: text}");
        assert!(
            reported.contains("/components/schemas/Thing/properties/x-name/type"),
            "{reported}"
        );
        let reported = broken(
            "  schemas:\n",
            "  schemas:\n    x-a: {$ref: '#/components/schemas/B'}\n",
        );
        assert!(reported.contains("/components/schemas/x-a/$ref"), "{reported}");
        assert!(check(&SMALL.replace("paths:\n", "paths:\n  x-note: 3\n")).is_ok());
    }

    #[test]
    fn two_operations_with_one_id_are_found_behind_references_and_extensions_are_none() {
        let paths = "  /a: {$ref: '#/x-items/a'}\n  /b: {$ref: '#/x-items/b'}\n  /c: {x-get: {operationId: get}}\n";
        let item = "{get: {operationId: get, responses: {'200': {description: a}}}}";
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\npaths:\n{paths}x-items:\n  a: {item}\n  b: {item}\n"
        );
        let reported = check(&text).unwrap_err();
        let reported: Vec<_> = reported.iter().map(|defect| defect.pointer.as_str()).collect();
        assert_eq!(reported, ["/x-items/b/get/operationId"]);
        let contract = Contract::partly_of_document(Document::read("a.yaml", text).unwrap()).unwrap();
        let names: Vec<_> = contract
            .operations
            .iter()
            .map(|operation| operation.name.as_str())
            .collect();
        assert_eq!(names, ["get", "GET /b"]);
        let one_item = format!(
            "openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\npaths:\n  /a: {{$ref: '#/x-item'}}\n  \
             /b: {{$ref: '#/x-item'}}\nx-item: {item}\n"
        );
        let contract = Contract::partly_of_document(Document::read("a.yaml", one_item).unwrap()).unwrap();
        let names: Vec<_> = contract
            .operations
            .iter()
            .map(|operation| operation.name.as_str())
            .collect();
        assert_eq!((names, contract.defects.len()), (vec!["get", "GET /b"], 1));
    }

    #[test]
    fn a_reference_that_leads_to_no_definition_is_rejected() {
        let schemas = |schemas: &str| {
            let head = "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n";
            check(&format!("{head}{schemas}")).map_err(|defects| defects.to_string())
        };
        let chain = |length: usize| {
            let links =
                (0..length).map(|link| format!("    L{link}: {{$ref: '#/components/schemas/L{}'}}\n", link + 1));
            format!("{}    L{length}: {{type: object}}\n", links.collect::<String>())
        };
        let circle = schemas("    A: {$ref: '#/components/schemas/B'}\n    B: {$ref: '#/components/schemas/A'}\n");
        assert!(circle.unwrap_err().contains("leads back to itself"));
        assert!(schemas(&chain(64)).is_ok());
        let reported = schemas(&chain(65)).unwrap_err();
        assert!(
            reported.contains("(/components/schemas/L0/$ref)") && reported.contains("more than 64 others"),
            "{reported}"
        );
    }

    #[test]
    fn a_sound_document_passes() {
        assert_eq!(check(SMALL), Ok(()));
    }

    #[test]
    fn our_own_contract_passes() {
        assert_eq!(check(include_str!("../../openapi.yaml")), Ok(()));
    }

    #[test]
    fn each_defect_names_line_pointer_and_what_to_fix() {
        crate::testing::with_snapshots(|| {
            insta::assert_snapshot!(
                "contract_defects",
                [
                    broken("operationId", "operationID"),
                    broken("schemas/Thing'", "schemas/Thign'"),
                    broken("schemas/Thing'", "responses/Nothing'"),
                    broken("'#/components/schemas/Thing'", "'other.yaml#/Thing'"),
                    broken("3.0.3", "4.0.0"),
                    broken("openapi: 3.0.3", "swagger: '2.0'"),
                    broken("openapi: 3.0.3", "greeting: hello"),
                    broken("description: All of them", "summary: All of them"),
                    broken("description: All of them", "descripton: All of them"),
                    broken("type: object", "type: objekt"),
                    broken("type: object", "required: name"),
                    broken("get:", "get: 3\n    put:"),
                    broken("paths:", "x-odd: []\npaths:"),
                    broken("operationId:", "x-laws: {}\n      operationId:"),
                    broken("operationId:", "x-synthetic: Thing {mark}\n      operationId:"),
                ]
                .join("\n")
            );
        });
    }

    #[test]
    fn an_operation_id_appears_once() {
        let twice = SMALL.replace(
            "components:",
            "  /others:\n    get:\n      operationId: listThings\n      responses: {}\ncomponents:",
        );
        let defects = check(&twice).unwrap_err();
        let defect = defects.first();
        assert_eq!(
            defect.problem,
            Problem::DuplicateOperation {
                id: "listThings".to_owned(),
                first_line: 6
            }
        );
        assert_eq!(defect.position.line, 15);
    }

    #[test]
    fn every_defect_is_reported_in_the_order_of_the_file() {
        let broken = SMALL
            .replace("title: Small, ", "")
            .replace("description: All of them", "descripton: All of them")
            .replace("schemas/Thing'", "schemas/Thign'")
            .replace("type: string", "type: strnig, minLength: one");
        let defects = check(&broken).unwrap_err();
        let lines: Vec<_> = defects.iter().map(|defect| defect.position.line).collect();
        assert_eq!(lines, [2, 9, 12, 18, 18]);
        assert_eq!(defects.to_string().lines().count(), 5);
        let line = defects.in_one_line();
        assert!(
            line.ends_with("the info object has no `title`; add it; and 4 more defects"),
            "{line}"
        );
    }

    #[test]
    fn a_long_list_of_defects_is_cut_with_a_count() {
        let schemas: String = (0..30).map(|index| format!("    S{index}: {{type: 1}}\n")).collect();
        let message = check(&format!("{SMALL}{schemas}")).unwrap_err().to_string();
        assert_eq!(message.lines().count(), 21);
        assert!(message.ends_with("\nand 10 more defects"), "{message}");
    }

    #[test]
    fn a_document_full_of_defects_costs_bounded_work_and_is_refused() {
        let schemas = (0..=MAX_DEFECTS)
            .map(|index| format!("    Thing{index}: {{$ref: '#/components/schemas/Things{index}'}}\n"));
        let text = format!("{SMALL}{}", schemas.collect::<String>());
        let defects = check(&text).unwrap_err();
        assert_eq!(defects.iter().count(), MAX_DEFECTS + 1);
        let last = defects.iter().last().unwrap();
        assert!(matches!(last.problem, Problem::TooManyDefects { .. }), "{last}");
        let suggested = |defect: &&Defect| matches!(defect.problem, Problem::DanglingReference { near: Some(_), .. });
        assert_eq!(defects.iter().filter(suggested).count(), 20);
        assert!(Contract::read_partly("a.yaml", text).is_err());
    }

    #[test]
    fn a_reference_out_of_the_file_is_rejected_with_what_to_do() {
        let reported = |target: &str| broken("#/components/schemas/Thing", target);
        for target in [
            "https://example.com/a.yaml#/Thing",
            "HTTP://example.com/a",
            "//example.com/a.json",
        ] {
            let message = reported(target);
            assert!(
                message.contains(&format!("`{target}` to the network is not supported")),
                "{message}"
            );
            assert!(
                message.ends_with("download it first, and put it beside the document"),
                "{message}"
            );
        }
        for target in [
            "other.yaml#/Thing", "./a/b.json", "../a.yaml", "/a//b.yaml", "c:/a.yaml",
        ] {
            let message = reported(target);
            assert!(
                message.contains(&format!("`{target}` to another file is not supported")),
                "{message}"
            );
        }
        assert!(reported("#Thing").contains("`#Thing` to an anchor is not supported"));
    }

    #[test]
    fn names_of_its_own_are_passed_over() {
        assert_eq!(
            check(&SMALL.replace("type: object", "type: object\n      vendorish: 1\n      x-mine: 2")),
            Ok(())
        );
    }

    #[test]
    fn escaped_references_are_decoded() {
        assert_eq!(
            local_pointer("#/paths/~1a~1%7Bid%7D").as_deref(),
            Some("/paths/~1a~1{id}")
        );
        assert_eq!(local_pointer("other.yaml#/a"), None);
    }
}
