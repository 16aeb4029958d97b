//! Writes a request as a `curl` line, so that a person can see its answer again. The token is not in it, and neither
//! is anything that the target showed.

use serde_json::Value;

use super::record::{Content, Credential, Request, placeholder};
use super::redact::Values;
use super::target::Target;
use crate::contract::pointer;

/// From how many times on a character in a row is written by the shell.
const LONG_RUN: usize = 64;

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
    if let Some(text) = body(request, values) {
        words.push("-H 'Content-Type: application/json'".to_owned());
        words.push(format!("-d {}", quote_long(&text)));
    }
    // Joined as text: the path is encoded already, and what stands for a value must stay readable.
    let base = target.url("");
    let base = base.as_str().trim_end_matches('/');
    words.push(quote(&format!("{base}{}", request.told_path(values))));
    words.join(" ")
}

/// The line that checks one operation again, for what no request shows.
#[must_use]
pub fn check_line(target: &Target, operation: &str, writes: bool) -> String {
    let base = target.url("");
    let base = base.as_str().trim_end_matches('/');
    let writes = if writes { " --writes" } else { "" };
    format!(
        "countersign check --base-url {}{writes} --only {}",
        quote(base),
        quote(operation)
    )
}

/// The body of the request as it may be printed.
#[must_use]
pub fn body(request: &Request, values: Values) -> Option<String> {
    let body = request.body.as_ref()?;
    Some(match body {
        Content::Json(body) => shown(body, &request.learned, values).to_string(),
        Content::Raw(text) => text.clone(),
    })
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

/// Quotes a word in which a character may stand very often: a run of it is left to the shell to write.
fn quote_long(word: &str) -> String {
    let mut quoted = String::new();
    let mut plain = String::new();
    for run in runs(word) {
        let first = run.chars().next().unwrap_or_default();
        let count = run.chars().count();
        if count < LONG_RUN || !(first.is_ascii_alphanumeric() || matches!(first, '[' | ']')) {
            plain.push_str(run);
            continue;
        }
        if !plain.is_empty() {
            quoted.push_str(&quote(&std::mem::take(&mut plain)));
        }
        quoted.push_str(&format!("\"$(printf '{first}%.0s' $(seq {count}))\""));
    }
    if quoted.is_empty() || !plain.is_empty() {
        quoted.push_str(&quote(&plain));
    }
    quoted
}

/// The text in pieces of one character each, as often as it stands there in a row.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|other| other != first).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
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
            body: Some(Content::Json(json!({"venue_id": "v-17", "note": "it's"}))),
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

    #[test]
    fn a_raw_body_is_in_the_line_as_it_was_sent() {
        let target = Target::parse("https://api.example.com").unwrap();
        for (body, word) in [
            ("", "-d '' "),
            ("{", "-d '{' "),
            ("[]", "-d '[]' "),
            ("\"it's\"", r#"-d '"it'\''s"' "#),
        ] {
            let mut request = request();
            request.body = Some(Content::Raw(body.to_owned()));
            let line = line(&request, &target, Values::Hidden);
            assert!(line.contains(word), "{line}");
        }
    }

    #[test]
    fn a_long_run_is_written_by_the_shell_and_comes_out_as_it_was() {
        let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
        let text = format!("{{\"name\":\"{}it's-b\"}}", "a".repeat(9_990));
        let percents = "%".repeat(100);
        for word in [&deep, &text, &percents, "", "it's", "ab"] {
            let quoted = quote_long(word);
            assert!(quoted.len() < 200, "{quoted}");
            let shell = std::process::Command::new("sh")
                .args(["-c", &format!("printf '%s' {quoted}")])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(shell.stdout).unwrap(), *word, "{quoted}");
        }
    }
}
