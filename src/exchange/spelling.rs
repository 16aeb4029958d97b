//! Writes an equivalent request: a documented one in another spelling that RFCs define as the same. The main type is
//! [`Spelling`].

use serde_json::Value;

use crate::contract::pointer;
use crate::contract::vocabulary::Equivalence;

/// How a request is spelled: the combination of equivalences by which that differs from the plain spelling, none by
/// default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spelling(Vec<Equivalence>);

/// A piece of a body.
pub(super) enum Piece<'body> {
    /// A value that the target showed, at this pointer. It always has its plain spelling.
    FromTarget(String, &'body Value),
    /// A part of the JSON text.
    Json(String),
}

impl Spelling {
    /// Makes the spelling that combines all of these equivalences.
    #[must_use]
    pub fn of(equivalences: &[Equivalence]) -> Self {
        Self(equivalences.to_vec())
    }

    /// Returns the equivalences, in the order in which they were given.
    #[must_use]
    pub fn equivalences(&self) -> &[Equivalence] {
        &self.0
    }

    /// Describes what differs from the plain spelling; `None` where nothing does.
    #[must_use]
    pub fn describe(&self) -> Option<String> {
        let rendered: Vec<_> = self.0.iter().map(|equivalence| equivalence.describe()).collect();
        (!rendered.is_empty()).then(|| rendered.join(", "))
    }

    fn has(&self, equivalence: Equivalence) -> bool {
        self.0.contains(&equivalence)
    }

    /// Returns the name of the scheme of a bearer token (RFC 9110, section 11.1: any case).
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        if self.has(Equivalence::SchemeCase) {
            "bearer"
        } else {
            "Bearer"
        }
    }

    /// Spells the media type of a JSON body (RFC 8259, section 11: a charset has no effect).
    pub(super) fn content_type(&self, media_type: &str) -> String {
        if self.has(Equivalence::MediaTypeCharset) {
            format!("{media_type}; charset=utf-8")
        } else {
            media_type.to_owned()
        }
    }

    /// Returns the pieces of a JSON body; `from_target` has the pointers of the values that the target showed.
    pub(super) fn pieces<'body>(&self, body: &'body Value, from_target: &[String]) -> Vec<Piece<'body>> {
        let mut writer = Writer {
            from_target,
            escapes: self.has(Equivalence::JsonEscapes),
            reversed_and_spaced: self.has(Equivalence::JsonOrder),
            at: String::new(),
            pieces: Vec::new(),
        };
        if writer.reversed_and_spaced {
            writer.pieces.push(Piece::Json("\n".to_owned()));
        }
        writer.value(body);
        writer.pieces
    }

    /// Returns a JSON body as it is written; `render` replaces the values that the target showed.
    pub(super) fn json(&self, body: &Value, from_target: &[String], render: impl Fn(&str, &Value) -> String) -> String {
        let pieces = self.pieces(body, from_target).into_iter();
        let pieces = pieces.map(|piece| match piece {
            Piece::FromTarget(at, value) => render(&at, value),
            Piece::Json(text) => text,
        });
        pieces.collect()
    }
}

/// Writes JSON as `serde_json` does, apart from what is to differ.
struct Writer<'body, 'from_target> {
    from_target: &'from_target [String],
    /// Whether some characters of strings are escaped.
    escapes: bool,
    /// Whether members are in reverse order, with white space between tokens.
    reversed_and_spaced: bool,
    /// The pointer of the value that is being written.
    at: String,
    pieces: Vec<Piece<'body>>,
}

impl<'body> Writer<'body, '_> {
    fn value(&mut self, value: &'body Value) {
        if self.from_target.contains(&self.at) {
            self.pieces.push(Piece::FromTarget(self.at.clone(), value));
            return self.space();
        }
        let length = self.at.len();
        match value {
            Value::Object(members) => {
                self.token("{");
                let mut members: Vec<_> = members.iter().collect();
                if self.reversed_and_spaced {
                    members.reverse();
                }
                for (index, (name, member)) in members.into_iter().enumerate() {
                    if index > 0 {
                        self.token(",");
                    }
                    self.string(name);
                    self.token(":");
                    pointer::push(&mut self.at, name);
                    self.value(member);
                    self.at.truncate(length);
                }
                self.token("}");
            }
            Value::Array(elements) => {
                self.token("[");
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        self.token(",");
                    }
                    pointer::push(&mut self.at, &index.to_string());
                    self.value(element);
                    self.at.truncate(length);
                }
                self.token("]");
            }
            Value::String(text) => self.string(text),
            scalar => self.token(&scalar.to_string()),
        }
    }

    fn string(&mut self, text: &str) {
        let plain = Value::from(text).to_string();
        if self.escapes {
            self.token(&escaped(text));
        } else {
            self.token(&plain);
        }
    }

    fn token(&mut self, token: &str) {
        self.pieces.push(Piece::Json(token.to_owned()));
        self.space();
    }

    /// Writes white space after a token (RFC 8259, section 2), if the spelling has any.
    fn space(&mut self) {
        if self.reversed_and_spaced {
            self.pieces.push(Piece::Json(" ".to_owned()));
        }
    }
}

/// Writes a string with some characters as `\u` escapes: its first letter, every second character beyond ASCII, quotes,
/// backslashes and control characters. Each slash gets a backslash before it (RFC 8259, section 7). The other
/// characters stay unchanged, so that a service that reads the body in an encoding other than UTF-8 is noticed too
/// (section 8.1).
fn escaped(text: &str) -> String {
    let mut written = String::from("\"");
    let first = text.chars().position(|character| character.is_ascii_alphabetic());
    let mut is_escaped = false;
    for (index, character) in text.chars().enumerate() {
        is_escaped ^= !character.is_ascii();
        match character {
            '/' => written.push_str("\\/"),
            _ if Some(index) == first
                || matches!(character, '"' | '\\')
                || character.is_ascii_control()
                || (is_escaped && !character.is_ascii()) =>
            {
                // The hexadecimal digits may be in either case.
                for unit in character.encode_utf16(&mut [0; 2]) {
                    written.push_str(&format!("\\u{unit:04X}"));
                }
            }
            plain => written.push(plain),
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(equivalences: &[Equivalence], body: &Value) -> String {
        Spelling::of(equivalences).json(body, &[], |_, value| value.to_string())
    }

    #[test]
    fn plainly_a_body_is_written_as_every_other() {
        for body in [
            json!({"a": [1, {}], "b": {"c": "ü\"\n/"}}),
            json!([]),
            json!("x"),
            json!(null),
        ] {
            assert_eq!(written(&[], &body), body.to_string());
        }
    }

    #[test]
    fn escapes_and_another_order_say_the_same() {
        let body = json!({"firstname": "Zoë/🌟 \"x\"", "list": [{"day": 28, "a": null}, ""], "n": 1.5, "4": "\u{1}"});
        let equivalences = [Equivalence::JsonEscapes, Equivalence::JsonOrder];
        for equivalences in [&equivalences[..1], &equivalences[1..], &equivalences] {
            let text = written(equivalences, &body);
            assert_ne!(text, body.to_string());
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), body, "{text}");
        }
        assert_eq!(
            written(&equivalences[..1], &json!({"name": "Ada/üöä"})),
            r#"{"\u006Eame":"\u0041da\/\u00FCö\u00E4"}"#
        );
        assert_eq!(
            written(&equivalences[1..], &json!({"a": [1], "b": 2})),
            "\n{ \"b\" : 2 , \"a\" : [ 1 ] } "
        );
    }

    #[test]
    fn what_the_target_showed_stays_as_it_is() {
        let writing = Spelling::of(&[Equivalence::JsonEscapes]);
        let body = json!({"id": "v-17", "of": [{"id": "x"}]});
        let from_target = ["/of/0/id".to_owned()];
        let text = writing.json(&body, &from_target, |at, _| format!("<{at}>"));
        assert_eq!(text, r#"{"\u0069d":"\u0076-17","\u006Ff":[{"\u0069d":</of/0/id>}]}"#);
    }
}
