//! Writes a request as a `curl` line, so that a person can see its answer again. The token is not in it, and neither
//! is anything that the target showed.

use serde_json::Value;

use super::record::{Credential, Request, placeholder};
use super::redact::Values;
use super::target::Target;
use crate::contract::pointer;

/// The line that repeats the request. The token is taken from the environment when it is pasted.
#[must_use]
pub fn line(request: &Request, target: &Target, values: Values) -> String {
    let mut words = vec!["curl -sS -i".to_owned()];
    if request.method.as_str() != "GET" {
        words.push(format!("-X {}", request.method));
    }
    words.extend(credential(&request.credential));
    words.push("-H 'Accept: application/json'".to_owned());
    words.extend(
        request
            .told_headers(values)
            .iter()
            .map(|(name, value)| format!("-H {}", quote(&format!("{name}: {value}")))),
    );
    if let Some(body) = &request.body {
        words.push("-H 'Content-Type: application/json'".to_owned());
        words.push(format!(
            "-d {}",
            quote(&shown(body, &request.learned, values).to_string())
        ));
    }
    // Joined as text: the path is encoded already, and what stands for a value must stay readable.
    let base = target.url("");
    let base = base.as_str().trim_end_matches('/');
    words.push(quote(&format!("{base}{}", request.told_path(values))));
    words.join(" ")
}

fn credential(credential: &Credential) -> Option<String> {
    let header = |header: &Option<String>| {
        header
            .clone()
            .map_or("Authorization: Bearer ".to_owned(), |name| name + ": ")
    };
    Some(match credential {
        Credential::None => return None,
        Credential::OtherScheme => "-H \"Authorization: Basic $COUNTERSIGN_TOKEN\"".to_owned(),
        Credential::Token { header: name } => format!("-H \"{}$COUNTERSIGN_TOKEN\"", header(name)),
        Credential::Wrong { header: name } => format!("-H '{}a-token-nobody-issued'", header(name)),
    })
}

/// The body with each learned value replaced by where a reader finds one.
fn shown(body: &Value, learned: &[String], values: Values) -> Value {
    let mut body = body.clone();
    if values == Values::Hidden {
        for at in learned {
            if let Some(value) = body.pointer_mut(at) {
                let field = pointer::tokens(at)
                    .filter(|token| token.parse::<usize>().is_err())
                    .last();
                *value = Value::String(placeholder(&field.unwrap_or_default()));
            }
        }
    }
    body
}

/// Quotes a word for a POSIX shell.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::operation::{Method, OperationId};
    use crate::exchange::{Leaning, Purpose, Told};

    fn request() -> Request {
        Request {
            operation: OperationId(0),
            purpose: Purpose::Documented(Leaning::Nothing),
            method: Method::Post,
            path: "/v1/visits".to_owned(),
            headers: Vec::new(),
            body: Some(json!({"venue_id": "v-17", "note": "it's"})),
            learned: vec!["/venue_id".to_owned()],
            told: Told {
                path: "/v1/visits".to_owned(),
                headers: Vec::new(),
            },
            credential: Credential::Token { header: None },
        }
    }

    #[test]
    fn a_line_takes_the_token_from_the_environment_and_hides_what_was_learned() {
        let target = Target::parse("https://api.example.com").unwrap();
        let line = line(&request(), &target, Values::Hidden);
        assert_eq!(
            line,
            "curl -sS -i -X POST -H \"Authorization: Bearer $COUNTERSIGN_TOKEN\" -H 'Accept: application/json' \
             -H 'Content-Type: application/json' -d '{\"venue_id\":\"<venue_id as the target lists it>\",\
             \"note\":\"it'\\''s\"}' 'https://api.example.com/v1/visits'"
        );
    }

    #[test]
    fn learned_values_are_there_when_the_user_asks_for_values() {
        let target = Target::parse("https://api.example.com").unwrap();
        assert!(line(&request(), &target, Values::Shown).contains("v-17"));
    }
}
