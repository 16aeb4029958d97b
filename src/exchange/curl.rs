//! Writes a request as a `curl` line, so that a person can reproduce its response. The line contains neither the token
//! nor anything that the target showed: such a value becomes a variable of the shell, and a comment after the command
//! says what to fill in.
//!
//! # Design
//!
//! An unset variable stops the shell, so a line that nobody has filled in sends nothing, rather than a text that a
//! service rejects for another reason. The prefix of its name keeps it apart from the variables of other programs.

use serde_json::Value;

use super::near::Near;
use super::record::{Content, Credential, Request, placeholder};
use super::redact::Values;
use super::target::Target;
use super::writing::Piece;
use crate::contract::link::Target as LinkTarget;
use crate::contract::{Contract, pointer};

/// The number of times in a row from which a character is written by the shell.
const LONG_RUN: usize = 64;
/// The prefix of the variables that a reader fills in.
const FILL: &str = "FILL_";

/// Returns the line that repeats the request. It takes the token from the environment when it is pasted.
#[must_use]
pub fn line(request: &Request, contract: &Contract, target: &Target, values: Values) -> String {
    let mut fills = Fills {
        request,
        contract,
        found: Vec::new(),
    };
    let mut words = vec!["curl -sS -i".to_owned()];
    if request.method.as_str() != "GET" {
        words.push(format!("-X {}", request.method));
    }
    words.extend(credential(request));
    words.push("-H 'Accept: application/json'".to_owned());
    for (name, value) in request.shown_headers(values) {
        let header = fills.in_parameters(&format!("{name}: {value}"));
        words.push(format!("-H {}", word(&header)));
    }
    if let Some(content) = &request.body {
        let media_type = request.writing.media_type();
        words.push(format!("-H {}", quote(&format!("Content-Type: {media_type}"))));
        words.push(format!("-d {}", word(&fills.in_body(content, values))));
    }
    // Joined as text: the path is encoded already.
    let base = target.url("");
    let base = base.as_str().trim_end_matches('/');
    words.push(word(
        &fills.in_parameters(&format!("{base}{}", request.shown_path(values))),
    ));
    words.extend(fills.comment());
    words.join(" ")
}

/// Returns the line that checks one operation again, for findings that no single request shows.
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

/// Returns the body of the request as it may be printed.
#[must_use]
pub fn body(request: &Request, values: Values) -> Option<String> {
    let body = request.body.as_ref()?;
    Some(match body {
        Content::Json(body) => request
            .writing
            .json(body, &request.from_target, |at, value| match values {
                Values::Hidden => Value::from(placeholder(fields(at).last().map_or("", String::as_str))).to_string(),
                Values::Shown => value.to_string(),
            }),
        Content::Raw(text) => text.clone(),
    })
}

fn credential(request: &Request) -> Option<String> {
    let scheme = request.writing.scheme();
    let header = |header: &Option<String>| {
        header
            .clone()
            .map_or_else(|| format!("Authorization: {scheme} "), |name| name + ": ")
    };
    Some(match &request.credential {
        // curl takes a header without a value as one to leave out, unless a semicolon ends its name.
        Credential::Empty { header: Some(name) } => format!("-H {}", quote(&format!("{name};"))),
        Credential::Empty { header: None } => "-H 'Authorization: Bearer '".to_owned(),
        Credential::None => return None,
        Credential::OtherScheme => "-H \"Authorization: Basic $COUNTERSIGN_TOKEN\"".to_owned(),
        Credential::Token { header: name } => format!("-H \"{}$COUNTERSIGN_TOKEN\"", header(name)),
        Credential::Wrong { header: name, near } => format!("-H \"{}{}\"", header(name), wrong(*near)),
    })
}

/// Has the shell make a wrong token from the right one, so that no drawn character has to be shown.
fn wrong(near: Near) -> String {
    const TOKEN: &str = "printf %s \"$COUNTERSIGN_TOKEN\"";
    const HALF: &str = "${#COUNTERSIGN_TOKEN} / 2";
    const OTHERS: &str = "tr A-Za-z0-9 N-ZA-Mn-za-m5-90-4";
    match near {
        Near::Half(_) => {
            format!("$({TOKEN} | cut -c \"-$(({HALF}))\")$({TOKEN} | cut -c \"$(({HALF} + 1))-\" | {OTHERS})")
        }
        Near::Last => format!("${{COUNTERSIGN_TOKEN%?}}$({TOKEN} | tail -c 1 | {OTHERS})"),
        Near::Longer => "${COUNTERSIGN_TOKEN}abcd".to_owned(),
        Near::OtherCase => format!("$({TOKEN} | tr A-Za-z a-zA-Z)"),
        Near::Signature(_) => {
            format!("${{COUNTERSIGN_TOKEN%.*}}.$(printf %s \"${{COUNTERSIGN_TOKEN##*.}}\" | {OTHERS})")
        }
    }
}

/// Returns the names of the fields on the way to a value.
fn fields(at: &str) -> Vec<String> {
    let tokens = pointer::tokens(at);
    tokens.filter(|token| token.parse::<usize>().is_err()).collect()
}

/// A part of a word.
enum Part {
    /// A text, unchanged.
    Text(String),
    /// The variable with this name.
    Variable(String),
}

/// Collects what a reader has to fill in.
struct Fills<'line> {
    request: &'line Request,
    contract: &'line Contract,
    found: Vec<Fill>,
}

struct Fill {
    variable: String,
    /// The location of the field or parameter in the request.
    place: LinkTarget,
    /// The operations that show such a value.
    sources: Vec<String>,
}

impl Fills<'_> {
    /// Splits a text of the path, the query or the headers, in which placeholders stand for what the target showed.
    fn in_parameters(&mut self, text: &str) -> Vec<Part> {
        let parameters = &self.contract.operation(self.request.operation).parameters;
        let mut parts = vec![Part::Text(text.to_owned())];
        for (index, parameter) in parameters.iter().enumerate() {
            let placeholder = placeholder(&parameter.name);
            if text.contains(&placeholder) {
                let variable = self.fill(std::slice::from_ref(&parameter.name), LinkTarget::Parameter(index));
                parts = parts
                    .into_iter()
                    .flat_map(|part| with_variable(part, &placeholder, &variable))
                    .collect();
            }
        }
        parts
    }

    fn in_body(&mut self, content: &Content, values: Values) -> Vec<Part> {
        let mut parts = Vec::new();
        let request = self.request;
        match content {
            Content::Json(body) if values == Values::Hidden => {
                for piece in request.writing.pieces(body, &request.from_target) {
                    match piece {
                        Piece::Learned(at, value) => {
                            let variable = Part::Variable(self.fill(&fields(&at), LinkTarget::Body(at)));
                            let quote = || Part::Text(if value.is_string() { "\"" } else { "" }.to_owned());
                            parts.extend([quote(), variable, quote()]);
                        }
                        Piece::Text(text) => parts.push(Part::Text(text)),
                    }
                }
            }
            _ => parts.push(Part::Text(request.text().unwrap_or_default())),
        }
        parts
    }

    /// Returns the variable for a value that links carry to this location.
    fn fill(&mut self, names: &[String], place: LinkTarget) -> String {
        let letter = |letter: char| {
            if letter.is_ascii_alphanumeric() {
                letter.to_ascii_uppercase()
            } else {
                '_'
            }
        };
        let name: String = names.join("_").chars().map(letter).collect();
        let is_taken = |variable: &String| {
            self.found
                .iter()
                .any(|fill| fill.variable == *variable && fill.place != place)
        };
        let numbered = (2..).map(|number| format!("{FILL}{name}_{number}"));
        let mut variables = std::iter::once(format!("{FILL}{name}")).chain(numbered);
        let variable = variables.find(|variable| !is_taken(variable)).unwrap_or_default();
        if !self.found.iter().any(|fill| fill.variable == variable) {
            let sources = self.sources(&place);
            self.found.push(Fill {
                variable: variable.clone(),
                place,
                sources,
            });
        }
        variable
    }

    /// Returns which field of which operations the value was taken from.
    fn sources(&self, place: &LinkTarget) -> Vec<String> {
        let (operation, contract) = (self.request.operation, self.contract);
        let links = contract.links.iter();
        let links = links.filter(|link| link.to == operation && link.target == *place);
        let mut sources: Vec<_> = links
            .filter(|link| contract.operation(link.from).is_read())
            .map(|link| {
                let field = fields(&link.value).into_iter().rfind(|field| field != "*");
                let (field, list) = (field.unwrap_or_default(), &contract.operation(link.from).name);
                format!("{} in {}", harmless(&field), harmless(list))
            })
            .collect();
        sources.dedup();
        sources
    }

    /// Returns what a reader has to fill in, as a comment of the shell.
    fn comment(self) -> Option<String> {
        let rendered = self.found.iter().map(|fill| match fill.sources.as_slice() {
            [] => fill.variable.clone(),
            sources => format!("{}: {}", fill.variable, sources.join(" or ")),
        });
        let rendered: Vec<_> = rendered.collect();
        (!rendered.is_empty()).then(|| format!("# fill in {}", rendered.join("; ")))
    }
}

/// Removes from a name of the contract what a shell or a terminal obeys.
fn harmless(name: &str) -> String {
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    name.chars()
        .map(|letter| if is_kept(letter) { letter } else { '_' })
        .collect()
}

/// Splits the part at each placeholder, and puts the variable there.
fn with_variable(part: Part, placeholder: &str, variable: &str) -> Vec<Part> {
    let Part::Text(text) = part else { return vec![part] };
    let mut parts = Vec::new();
    for (index, text) in text.split(placeholder).enumerate() {
        if index > 0 {
            parts.push(Part::Variable(variable.to_owned()));
        }
        parts.push(Part::Text(text.to_owned()));
    }
    parts
}

/// Writes a word for a POSIX shell.
fn word(parts: &[Part]) -> String {
    let mut word = String::new();
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Text(more) => text.push_str(more),
            Part::Variable(name) => {
                if !text.is_empty() {
                    word.push_str(&quote_long(&std::mem::take(&mut text)));
                }
                word.push_str(&format!("\"${{{name}:?}}\""));
            }
        }
    }
    if word.is_empty() || !text.is_empty() {
        word.push_str(&quote_long(&text));
    }
    word
}

/// Quotes a word for a POSIX shell.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Quotes a word in which a character may be repeated very often: the shell writes such a run.
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

/// Splits the text into runs of one repeated character.
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
    use crate::contract::operation::Method;
    use crate::contract::vocabulary::Equivalence;
    use crate::exchange::{Printable, Writing};

    const OWN: &str = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

    fn contract() -> Contract {
        Contract::built_in().unwrap()
    }

    fn request() -> Request {
        Request {
            operation: contract().operation_named("createVisit").unwrap(),
            method: Method::Post,
            path: "/v1/visits".to_owned(),
            headers: Vec::new(),
            body: Some(Content::Json(
                json!({"contact_id": OWN, "venue_id": "v-17", "note": "it's"}),
            )),
            writing: Writing::default(),
            from_target: vec!["/venue_id".to_owned()],
            printable: Printable {
                path: "/v1/visits".to_owned(),
                headers: Vec::new(),
            },
            credential: Credential::Token { header: None },
        }
    }

    fn line_of(request: &Request, values: Values) -> String {
        let target = Target::parse("https://api.example.com").unwrap();
        line(request, &contract(), &target, values)
    }

    /// The last arguments that a shell passes to `curl` for the line, with these variables; `None` where it does not
    /// get that far.
    fn pasted(line: &str, variables: &[(&str, &str)]) -> Option<Vec<String>> {
        let script = format!("curl() {{ printf '%s\\0' \"$@\"; }}\n{line}");
        let mut shell = std::process::Command::new("sh");
        let ended = shell
            .args(["-c", &script])
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let rendered = String::from_utf8(ended.stdout).unwrap();
        ended
            .status
            .success()
            .then(|| rendered.split_terminator('\0').map(str::to_owned).collect())
    }

    #[test]
    fn a_line_repeats_what_is_the_runs_own_and_says_what_to_fill_in_of_the_target() {
        assert_eq!(
            line_of(&request(), Values::Hidden),
            "curl -sS -i -X POST -H \"Authorization: Bearer $COUNTERSIGN_TOKEN\" -H 'Accept: application/json' \
             -H 'Content-Type: application/json' -d '{\"contact_id\":\"7c9e6679-7425-40de-944b-e07fc1f90ae7\",\
             \"venue_id\":\"'\"${FILL_VENUE_ID:?}\"'\",\"note\":\"it'\\''s\"}' 'https://api.example.com/v1/visits' \
             # fill in FILL_VENUE_ID: id in getVenues"
        );
    }

    #[test]
    fn a_line_that_is_filled_in_is_the_request_and_one_that_is_not_sends_nothing() {
        let line = line_of(&request(), Values::Hidden);
        let reported = pasted(&line, &[("FILL_VENUE_ID", "v-17")]).unwrap();
        let body = request().text().unwrap();
        assert_eq!(
            reported[reported.len() - 2..],
            [body, "https://api.example.com/v1/visits".to_owned()]
        );
        assert_eq!(pasted(&line, &[]), None);
    }

    #[test]
    fn each_location_of_the_target_has_a_variable_of_its_own() {
        let from_target = [
            "/contact_methods/0/type",
            "/contact-methods/0/type",
            "/venue_id",
            "/size",
        ];
        let request = Request {
            operation: contract().operation_named("updateContact").unwrap(),
            body: Some(Content::Json(json!({
                "contact_methods": [{"type": "x"}], "contact-methods": [{"type": "y"}], "venue_id": "v-17", "size": 17,
                "own": [], "more": {},
            }))),
            from_target: from_target.map(str::to_owned).to_vec(),
            path: "/v1/contacts/t-17?page=2".to_owned(),
            printable: Printable {
                path: format!("/v1/contacts/{}?page=2", placeholder("id")),
                headers: vec![("X-Of".to_owned(), placeholder("id"))],
            },
            ..request()
        };
        let line = line_of(&request, Values::Hidden);
        let variables = [
            ("FILL_CONTACT_METHODS_TYPE", "x"),
            ("FILL_CONTACT_METHODS_TYPE_2", "y"),
            ("FILL_VENUE_ID", "v-17"),
            ("FILL_SIZE", "17"),
            ("FILL_ID", "t-17"),
        ];
        let reported = pasted(&line, &variables).unwrap();
        assert!(reported.contains(&"X-Of: t-17".to_owned()), "{reported:?}");
        assert!(reported.contains(&request.text().unwrap()), "{reported:?}");
        assert!(
            reported.ends_with(&["https://api.example.com/v1/contacts/t-17?page=2".to_owned()]),
            "{reported:?}"
        );
        assert!(
            line.contains("FILL_CONTACT_METHODS_TYPE: type in getContacts; "),
            "{line}"
        );
        assert!(line.contains("; FILL_SIZE"), "{line}");
    }

    #[test]
    fn values_of_the_target_are_there_when_the_user_asks_for_values() {
        let line = line_of(&request(), Values::Shown);
        assert!(line.contains("v-17") && !line.contains("FILL_"), "{line}");
    }

    #[test]
    fn the_shell_makes_a_wrong_token_of_the_right_one() {
        for (near, wrong) in [
            (Near::Half(0), "proof-Tbxra-67"),
            (Near::Last, "proof-Token-17"),
            (Near::Longer, "proof-Token-12abcd"),
            (Near::OtherCase, "PROOF-tOKEN-12"),
            (Near::Signature(0), "pro.of.Gbxra-67"),
        ] {
            let token = if near == Near::Signature(0) {
                "pro.of.Token-12"
            } else {
                "proof-Token-12"
            };
            let credential = Credential::Wrong { header: None, near };
            let line = line_of(
                &Request {
                    credential,
                    ..request()
                },
                Values::Shown,
            );
            let reported = pasted(&line, &[("COUNTERSIGN_TOKEN", token)]).unwrap();
            assert!(
                reported.contains(&format!("Authorization: Bearer {wrong}")),
                "{near:?}: {reported:?}"
            );
        }
    }

    #[test]
    fn an_empty_token_is_sent_empty() {
        for (header, expected) in [(None, "Authorization: Bearer "), (Some("X-Key".to_owned()), "X-Key;")] {
            let credential = Credential::Empty { header };
            let line = line_of(
                &Request {
                    credential,
                    ..request()
                },
                Values::Shown,
            );
            assert!(pasted(&line, &[]).unwrap().contains(&expected.to_owned()), "{line}");
        }
    }

    #[test]
    fn a_line_repeats_a_request_as_it_was_written() {
        let ways = [
            Equivalence::SchemeCase,
            Equivalence::MediaTypeCharset,
            Equivalence::JsonEscapes,
            Equivalence::JsonOrder,
        ];
        let writing = Writing::of(&ways);
        let request = Request { writing, ..request() };
        let line = line_of(&request, Values::Hidden);
        let reported = pasted(&line, &[("FILL_VENUE_ID", "v-17"), ("COUNTERSIGN_TOKEN", "a-token")]).unwrap();
        for part in [
            "Authorization: bearer a-token",
            "Content-Type: application/json; charset=utf-8",
        ] {
            assert!(reported.contains(&part.to_owned()), "{reported:?}");
        }
        let body = request.text().unwrap();
        assert!(body.starts_with("\n{ \"\\u006Eote\" : \"\\u0069t's\" , "), "{body}");
        let written = &reported[reported.len() - 2];
        let read: Value = serde_json::from_str(written).unwrap();
        assert_eq!(Some(&read), request.json());
        assert_eq!(*written, body);
        let reported = super::body(&request, Values::Hidden).unwrap();
        assert!(
            reported.contains("<venue_id as the target lists it>") && !reported.contains("v-17"),
            "{reported}"
        );
    }

    #[test]
    fn a_raw_body_is_in_the_line_as_it_was_sent() {
        for (body, word) in [
            ("", "-d '' "),
            ("{", "-d '{' "),
            ("[]", "-d '[]' "),
            ("\"it's\"", r#"-d '"it'\''s"' "#),
        ] {
            let mut request = request();
            request.body = Some(Content::Raw(body.to_owned()));
            let line = line_of(&request, Values::Hidden);
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
