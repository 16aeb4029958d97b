//! Reads how the document words a type: `array of objects with id (string) and name (string)`.
//!
//! Main type: [`Shape`]. Unknown wording stops the test, so that no sentence is skipped.

/// A type, as the document's tables and sentences word it.
#[derive(Clone)]
pub(super) enum Shape {
    Array(Box<Shape>),
    /// An object with arbitrary keys.
    Free,
    Object(Object),
    /// Another resource, by its name.
    Resource(String),
    /// A type without parts and what limits it, in the words of OpenAPI: `string, format uuid`.
    Scalar(String),
    /// Where an envelope takes the resource of an operation.
    Slot,
}

#[derive(Clone)]
pub(super) struct Object {
    /// The section that lists the fields; without one, that of the phrase.
    pub(super) heading: Option<String>,
    pub(super) closed: bool,
    pub(super) fields: Vec<Field>,
}

#[derive(Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) note: Option<String>,
    pub(super) forbidden: bool,
}

/// How OpenAPI says what the document says in words.
const LIMITS: [(&str, &str); 3] = [
    ("format uuid", "format uuid"),
    ("ISO 8601 timestamp", "format date-time"),
    ("hex colour with a leading hash sign", "pattern ^#[0-9A-Fa-f]{6}$"),
];

pub(super) fn shape(text: &str) -> Shape {
    if let Some(entries) = text.strip_prefix("array of ") {
        return Shape::Array(Box::new(shape(entries)));
    }
    if let Some(list) = text.strip_prefix("objects with ").or(text.strip_prefix("object with ")) {
        return Shape::Object(Object {
            heading: None,
            closed: false,
            fields: fields(list),
        });
    }
    match text
        .split_once(", ")
        .map_or((text, None), |(name, limit)| (name, Some(limit)))
    {
        ("string" | "strings", None) => Shape::Scalar("string".to_owned()),
        ("string", Some(limit)) => Shape::Scalar(limited("string", limit)),
        ("integer" | "integers", None) => Shape::Scalar("integer".to_owned()),
        ("the listed resource" | "the created resource", None) => Shape::Slot,
        (name, None) if name.starts_with(char::is_uppercase) => Shape::Resource(name.to_owned()),
        _ => panic!("`{text}` is a type that can be read"),
    }
}

/// Adds to a type what the document's words for it mean.
pub(super) fn limited(kind: &str, words: &str) -> String {
    let known = LIMITS.iter().find(|(phrase, _)| words.contains(phrase));
    let (_, limit) = known.unwrap_or_else(|| panic!("`{words}` is a limit that can be read"));
    format!("{kind}, {limit}")
}

/// Reads `id (string) and name (string)`, where a type in the plural stands for all names before it that have none.
pub(super) fn fields(list: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut waiting = Vec::new();
    for entry in entries(list) {
        let typed = entry.strip_suffix(')').and_then(|entry| entry.split_once(" ("));
        waiting.push(typed.map_or(entry, |(name, _)| name));
        if let Some((_, kind)) = typed {
            fields.extend(waiting.drain(..).map(|name| Field::new(name, shape(kind))));
        }
    }
    assert!(waiting.is_empty(), "`{list}` gives each field a type");
    fields
}

/// Cuts an enumeration at its commas and at `and`, but not inside parentheses.
pub(super) fn entries(list: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for (at, character) in list.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        let joint = [", ", " and "].into_iter().find(|joint| list[at..].starts_with(joint));
        if let Some(joint) = joint.filter(|_| depth == 0) {
            entries.push(&list[start..at]);
            start = at + joint.len();
        }
    }
    entries.push(&list[start..]);
    entries
}

impl Field {
    pub(super) fn new(name: &str, shape: Shape) -> Self {
        assert!(!name.contains(' '), "`{name}` is the name of a field");
        Self {
            name: name.to_owned(),
            shape,
            note: None,
            forbidden: false,
        }
    }

    pub(super) fn says(&self, words: &str) -> bool {
        self.note.as_ref().is_some_and(|note| note.contains(words))
    }
}

impl Shape {
    /// Puts the resource of an operation into an envelope.
    pub(super) fn filled(&self, resource: &Self) -> Self {
        match self {
            Self::Array(entry) => Self::Array(Box::new(entry.filled(resource))),
            Self::Object(object) => {
                let mut object = object.clone();
                for field in &mut object.fields {
                    field.shape = field.shape.filled(resource);
                }
                Self::Object(object)
            }
            Self::Slot => resource.clone(),
            Self::Free | Self::Resource(_) | Self::Scalar(_) => self.clone(),
        }
    }
}
