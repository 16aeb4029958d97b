//! Reads the value of a header as its schema describes it. The main type is [`HeaderReader`].
//!
//! # Design
//!
//! OpenAPI writes a header in the style `simple` (OpenAPI 3.0.3, section 4.7.12.2), and leaves open how a value becomes
//! text: whether a comma or a letter beyond ASCII is percent-encoded, whether a string has the quotes of a structured
//! field (RFC 9651), how `true` is spelled. So a text may have several readings, and counts as the first one that
//! satisfies the schema. Only if none does, the first one is reported.

use chrono::DateTime;
use percent_encoding::percent_decode_str;
use reqwest::Url;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::assertions::Assertions;
use crate::contract::Contract;
use crate::contract::operation::DocumentedHeader;
use crate::contract::shape::{JsonType, Shape};
use crate::exchange::json;

/// What a response has of a documented header.
#[derive(Debug, PartialEq)]
pub(super) enum ReceivedHeader {
    /// It is not there.
    Absent,
    /// It does not show a value that can be compared with the schema.
    Unclear,
    /// It has this value.
    Value(Value),
}

/// Reads the values of headers.
#[derive(Clone, Copy)]
pub(super) struct HeaderReader<'read> {
    contract: &'read Contract,
    assertions: &'read Assertions,
    /// Whether HTTP compares the letters of the header's value in any case.
    in_any_case: bool,
}

impl<'read> HeaderReader<'read> {
    pub(super) fn new(contract: &'read Contract, assertions: &'read Assertions) -> Self {
        Self {
            contract,
            assertions,
            in_any_case: false,
        }
    }

    /// Returns what the headers of a response have of a documented one.
    pub(super) fn value(self, documented: &DocumentedHeader, received: &HeaderMap) -> ReceivedHeader {
        let reader = Self {
            in_any_case: is_in_any_case(&documented.name),
            ..self
        };
        let shape = self.contract.shape(documented.shape);
        let lines = received.get_all(&documented.name).iter();
        let lines = lines.map(|line| Some(str::from_utf8(line.as_bytes()).ok()?.trim_matches([' ', '\t'])));
        let Some(mut lines) = lines.collect::<Option<Vec<_>>>() else {
            return ReceivedHeader::Unclear;
        };
        // The service and a gateway may each add a line.
        lines.dedup();
        // Several lines are one list (RFC 9110, section 5.2). Of a string, it is open which line counts.
        let may_be_several = !documented.is_json && shape.types.contains(&JsonType::Array);
        let value = match lines.as_slice() {
            [] => return ReceivedHeader::Absent,
            [line] if documented.is_json => json(shape, line),
            [line] if has_form_of_http(&documented.name, line) => None,
            [line] => reader.text(shape, line),
            lines if may_be_several => reader.text(shape, &lines.join(", ")),
            _ => None,
        };
        value.map_or(ReceivedHeader::Unclear, ReceivedHeader::Value)
    }

    fn text(self, shape: &Shape, text: &str) -> Option<Value> {
        if shape.nullable && !shape.types.is_empty() && matches!(text, "" | "null") {
            return Some(Value::Null);
        }
        // An empty header says as little as none.
        if text.is_empty() {
            return None;
        }
        match shape.types.as_slice() {
            [JsonType::Boolean] => Some(boolean(text).unwrap_or_else(|| text.into())),
            [JsonType::Integer | JsonType::Number] => Some(number(text).unwrap_or_else(|| text.into())),
            [JsonType::String] => {
                let readings = self.strings(text);
                let satisfying = readings.iter().position(|reading| self.satisfies(shape, reading));
                readings.into_iter().nth(satisfying.unwrap_or(0))
            }
            [JsonType::Array] => self.list(shape, text),
            [] => self.untyped(shape, text),
            _ => None,
        }
    }

    /// Reads a text whose type the schema leaves to its other keywords, such as `enum` and `oneOf`. A text that may be
    /// a list or an object and satisfies none of them is left open.
    fn untyped(self, shape: &Shape, text: &str) -> Option<Value> {
        let mut readings: Vec<_> = number(text).into_iter().chain(boolean(text)).collect();
        readings.extend(self.strings(text));
        readings.extend(self.list(shape, text));
        let satisfying = readings.iter().position(|reading| self.satisfies(shape, reading));
        match satisfying {
            Some(index) => readings.into_iter().nth(index),
            None => (!text.contains([',', '='])).then(|| text.into()),
        }
    }

    /// Reads a list (RFC 9110, section 5.6.1), each element by the schema of the elements.
    fn list(self, shape: &Shape, text: &str) -> Option<Value> {
        let elements = elements(text);
        let read = elements.iter().map(|element| match shape.items {
            Some(items) => self.text(self.contract.shape(items), element),
            None => Some((*element).into()),
        });
        let read: Vec<_> = read.collect::<Option<_>>()?;
        (!read.is_empty()).then_some(Value::Array(read))
    }

    /// Returns what a text may be as a string: itself; percent-decoded; without the quotes of a structured field; in
    /// another case.
    fn strings(self, text: &str) -> Vec<Value> {
        let decoded = percent_decode_str(text).decode_utf8().ok();
        let unquoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let others = decoded.as_deref().into_iter().chain(unquoted);
        let mut strings = vec![Value::from(text)];
        strings.extend(others.filter(|other| *other != text).map(Value::from));
        if self.in_any_case {
            let cases = [text.to_ascii_lowercase(), text.to_ascii_uppercase()];
            strings.extend(
                cases
                    .into_iter()
                    .chain([capitalised(text), language_tag(text)])
                    .map(Value::from),
            );
        }
        strings
    }

    fn satisfies(self, shape: &Shape, value: &Value) -> bool {
        let mut assertions = shape.other_assertions.iter();
        assertions.all(|(_, schema)| self.assertions.of(self.contract, schema).holds(value) != Some(false))
    }
}

/// Reads a text as JSON. A text that is none may be a string without its quotes.
fn json(shape: &Shape, text: &str) -> Option<Value> {
    let decoded = percent_decode_str(text).decode_utf8_lossy();
    let body = json::read(text.as_bytes()).or_else(|_| json::read(decoded.as_bytes()));
    let may_be_string = shape.types.is_empty() || shape.types.contains(&JsonType::String);
    match body {
        Ok(body) => Some(body.value),
        Err(_) => (!may_be_string && !text.is_empty()).then(|| text.into()),
    }
}

/// Whether a value has the form that HTTP gives its header, and schemas often do not: a date is not RFC 3339's (RFC
/// 9110, section 5.6.7; RFC 8594, section 3; RFC 9745, section 2.1), a number in place of a date is one that has passed
/// (RFC 9111, section 5.3), a location may be relative (RFC 9110, sections 8.7 and 10.2.2), and a limit may be followed
/// by its policies.
fn has_form_of_http(name: &str, text: &str) -> bool {
    let is_integer = |text: &str| text.parse::<i64>().is_ok();
    let (name, is_date) = (name.to_ascii_lowercase(), is_date_of_http(text));
    match name.as_str() {
        "content-location" | "location" => Url::parse(text).is_err(),
        "deprecation" => text.strip_prefix('@').is_some_and(is_integer),
        "expires" => is_date || is_integer(text),
        "last-modified" | "retry-after" | "sunset" => is_date,
        name if name.ends_with("ratelimit-reset") => is_date,
        name if name.ends_with("ratelimit-limit") => text
            .split_once(',')
            .is_some_and(|(limit, policies)| is_integer(limit.trim()) && policies.contains(";w=")),
        _ => false,
    }
}

fn is_date_of_http(text: &str) -> bool {
    DateTime::parse_from_rfc2822(text).is_ok()
}

/// Whether the letters of a header's value mean the same in any case (RFC 9110, among them sections 8.4.1, 8.5.1 and
/// 14.3).
fn is_in_any_case(name: &str) -> bool {
    const IN_ANY_CASE: [&str; 7] = [
        "accept-ranges", "cache-control", "connection", "content-encoding", "content-language", "transfer-encoding",
        "vary",
    ];
    IN_ANY_CASE.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns a text with a capital at the beginning of each of its words.
fn capitalised(text: &str) -> String {
    let words = text.split('-').map(|word| match word.split_at_checked(1) {
        Some((first, rest)) => first.to_ascii_uppercase() + &rest.to_ascii_lowercase(),
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join("-")
}

/// Returns a language tag as it is usually written (RFC 5646, section 2.1.1): `zh-Hant-TW`.
fn language_tag(text: &str) -> String {
    let subtags = text
        .split('-')
        .enumerate()
        .map(|(index, subtag)| match (index, subtag.len()) {
            (1.., 2) => subtag.to_ascii_uppercase(),
            (1.., 4) => capitalised(subtag),
            _ => subtag.to_ascii_lowercase(),
        });
    subtags.collect::<Vec<_>>().join("-")
}

fn number(text: &str) -> Option<Value> {
    let integer = text.parse::<i64>().map(Value::from);
    let integer = integer.or_else(|_| text.parse::<u64>().map(Value::from));
    // No number that is not finite is JSON.
    integer.ok().or_else(|| text.parse::<f64>().ok().and_then(json_number))
}

fn json_number(number: f64) -> Option<Value> {
    serde_json::Number::from_f64(number).map(Value::Number)
}

/// Reads a boolean, also that of a structured field (RFC 9651, section 3.3.6).
fn boolean(text: &str) -> Option<Value> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "?1" => Some(true.into()),
        "false" | "?0" => Some(false.into()),
        _ => None,
    }
}

/// Returns the elements of a list: what is between commas outside quotes and the URLs of links (RFC 8288, section 3),
/// but for empty ones.
fn elements(text: &str) -> Vec<&str> {
    // The comma in a date separates nothing.
    if is_date_of_http(text) {
        return vec![text];
    }
    let (mut quoted, mut escaped, mut in_link) = (false, false, false);
    let elements = text.split(|character: char| {
        let is_escaped = std::mem::take(&mut escaped);
        match character {
            '\\' if quoted => escaped = !is_escaped,
            '"' if !is_escaped => quoted = !quoted,
            '<' if !quoted => in_link = true,
            '>' if !quoted => in_link = false,
            _ => {}
        }
        character == ',' && !quoted && !in_link
    });
    let trimmed = elements.map(|element| element.trim_matches([' ', '\t']));
    trimmed.filter(|element| !element.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::elements;
    use crate::exchange::{Exchange, Purpose, RejectionMeaning};
    use crate::rules::testing::{Fixture, JSON, Judged};
    use crate::rules::{Reason, Verdict};

    /// `getThings`, whose 200 has this header, in YAML's flow form.
    fn fixture(header: &str) -> Fixture {
        Fixture::responses(&format!(
            "'200': {{description: a, headers: {{X-It: {header}}}, content: {{application/json: {{schema: {{}}}}}}}}"
        ))
    }

    fn judged(schema: &str, lines: &[&str]) -> Judged {
        let lines: Vec<_> = lines.iter().map(|line| ("x-it", *line)).collect();
        fixture(&format!("{{schema: {schema}}}")).headers(200, &lines)
    }

    /// Asserts what each text decides about the fact of the header: that it holds or is broken.
    fn assert_decided(schema: &str, fact: &str, held: &[&str], broken: &[(&str, &str)]) {
        let fact = format!("getThings header X-It{fact}");
        for text in held {
            let judged = judged(schema, &[text]);
            assert_eq!(judged.fact(&fact), Verdict::Held, "{schema} {text}");
            assert!(judged.verdicts.findings().is_empty(), "{schema} {text}");
        }
        for (text, received) in broken {
            let judged = judged(schema, &[text]);
            assert_eq!(judged.fact(&fact), Verdict::Broken, "{schema} {text}");
            assert_eq!(judged.verdicts.findings()[0].received, *received, "{schema} {text}");
        }
    }

    fn assert_unclear(schema: &str, fact: &str, lines: &[&str]) {
        let judged = judged(schema, lines);
        let verdict = judged.fact(&format!("getThings header X-It{fact}"));
        assert_eq!(verdict, Verdict::Undecided(Reason::HeaderUnclear), "{schema} {lines:?}");
        assert!(judged.verdicts.findings().is_empty(), "{schema} {lines:?}");
    }

    #[test]
    fn what_a_gateway_changes_and_the_url_of_a_link_break_nothing() {
        let stated = |name: &'static str, schema: &str, text: &str| {
            let fixture = Fixture::responses(&format!(
                "'200': {{description: a, headers: {{{name}: {{schema: {schema}}}}}, content: {{application/json: {{schema: \
                 {{}}}}}}}}"
            ));
            let judged = fixture.headers(200, &[(name, text)]);
            judged.verdicts.findings().is_empty()
        };
        let link = "{type: array, items: {type: string, pattern: '^<.*>; rel='}}";
        assert!(stated(
            "Link",
            link,
            "<https://h/x?fields=id,name>; rel=\"next\", <https://h/y>; rel=\"last\""
        ));
        assert!(!stated("Link", link, "https://h/x"));
        assert!(stated("ETag", "{type: string, pattern: '^\"[0-9a-f]+\"$'}", "W/\"3f\""));
        let date = "{oneOf: [{type: integer}, {type: string, format: date-time}]}";
        assert!(stated("Retry-After", date, "Fri, 31 Dec 2027 23:59:59 GMT"));
        assert!(!stated("Retry-After", date, "soon"));
    }

    #[test]
    fn a_number_and_a_boolean_are_read_from_their_text() {
        assert_decided(
            "{type: integer}",
            ": integer",
            &["5", "-5", " 5\t", "05", "5.0", "18446744073709551615"],
            &[
                ("5.5", "number"),
                ("many", "string(4)"),
                ("1,000", "string(5)"),
                ("true", "string(4)"),
            ],
        );
        assert_decided(
            "{type: number}",
            ": number",
            &["5", "0.5", "1e3"],
            &[("inf", "string(3)"), ("NaN", "string(3)")],
        );
        assert_decided(
            "{type: boolean}",
            ": boolean",
            &["true", "false", "True", "?1"],
            &[("1", "string(1)"), ("yes", "string(3)")],
        );
        assert_decided(
            "{type: integer, nullable: true}",
            ": integer or null",
            &["", "null", "5"],
            &[("x", "string(1)")],
        );
    }

    #[test]
    fn a_text_is_held_to_the_other_keywords_of_its_schema() {
        assert_decided(
            "{type: string, enum: [red, 'a b']}",
            ": enum",
            &["red", "a b", "a%20b", "\"red\""],
            &[("blue", "string(4)"), ("Red", "string(3)")],
        );
        assert_decided("{type: integer, minimum: 0}", ": minimum", &["0"], &[("-1", "integer")]);
        let (sound, other) = ("3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52", "7");
        assert_decided(
            "{type: string, format: uuid}",
            ": format",
            &[sound],
            &[(other, "string(1)")],
        );
        assert_decided(
            "{type: string, pattern: '^a+$'}",
            ": pattern",
            &["aa"],
            &[("b", "string(1)")],
        );
    }

    #[test]
    fn a_list_is_read_element_by_element_and_from_several_lines() {
        let schema = "{type: array, maxItems: 3, items: {type: integer}}";
        assert_decided(
            schema,
            "/*: integer",
            &["1", "1,2", "1 , 2,", ", 1"],
            &[("1,x", "string(1)")],
        );
        assert_decided(schema, ": maxItems", &["1,2,3"], &[("1,2,3,4", "array(4)")]);
        let several = judged(schema, &["1, 2", "x"]);
        assert_eq!(several.locations("wrong-type").0, "header X-It/2");
        assert_eq!(
            judged(schema, &["1", "2"]).fact("getThings header X-It/*: integer"),
            Verdict::Held
        );
        let words = "{type: array, items: {type: string, enum: [a, 'b,c']}}";
        assert_decided(words, "/*: enum", &["a", "a, \"b,c\""], &[("a, b", "string(1)")]);
    }

    #[test]
    fn a_text_without_a_type_counts_as_what_satisfies_the_schema() {
        let retry = "{oneOf: [{type: integer}, {type: string, format: date-time}]}";
        assert_decided(
            retry,
            ": oneOf",
            &["120", "2024-05-17T09:30:00Z"],
            &[("soon", "string(4)")],
        );
        assert_decided(
            "{enum: [1, true, a]}",
            ": enum",
            &["1", "true", "a"],
            &[("b", "string(1)")],
        );
        // It may be an object or a list.
        for text in ["a,1", "a=1"] {
            assert_unclear("{enum: [1]}", ": enum", &[text]);
        }
    }

    #[test]
    fn a_value_with_several_readings_decides_nothing() {
        // An empty text, two strings, a text that is not UTF-8, an empty list.
        assert_unclear("{type: integer}", ": integer", &[""]);
        assert_unclear("{type: string, enum: [a]}", ": enum", &["a", "b"]);
        assert_unclear("{type: array, items: {}, minItems: 1}", ": minItems", &[" , "]);
        assert_unclear("{type: string, enum: [a]}", ": enum", &[""]);
        // The same line twice is one value; of two, a gateway may have added one.
        let number = judged("{type: integer}", &["5", "5"]);
        assert_eq!(number.fact("getThings header X-It: integer"), Verdict::Held);
        assert_unclear("{type: integer}", ": integer", &["5", "6"]);
    }

    #[test]
    fn a_text_that_is_not_utf8_decides_nothing() {
        let fixture = fixture("{schema: {type: string, enum: [a]}}");
        let mut exchange = fixture.exchange(200, JSON, "{}");
        if let Ok(response) = &mut exchange.outcome {
            let value = reqwest::header::HeaderValue::from_bytes(b"\xff").unwrap();
            response.headers.insert("x-it", value);
        }
        let judged = fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())));
        let verdict = judged.fact("getThings header X-It: enum");
        assert_eq!(verdict, Verdict::Undecided(Reason::HeaderUnclear));
    }

    #[test]
    fn the_forms_that_http_gives_its_own_headers_are_left() {
        for (name, schema, of_http, other) in [
            (
                "Last-Modified",
                "date-time",
                "Tue, 15 Nov 1994 12:45:26 GMT",
                "yesterday",
            ),
            ("Expires", "date-time", "Tue, 15 Nov 1994 12:45:26 GMT", "soon"),
            ("Expires", "date-time", "-1", "1.5"),
            ("Expires", "date-time", "0", "never"),
            ("Deprecation", "date-time", "@1688169599", "1688169599"),
            (
                "X-RateLimit-Reset",
                "date-time",
                "Tue, 15 Nov 1994 12:45:26 GMT",
                "tomorrow",
            ),
            ("Location", "uri", "/things/7", "https://exa mple.com/"),
        ] {
            let fixture = Fixture::responses(&format!(
                "'200': {{description: a, headers: {{{name}: {{schema: {{type: string, format: {schema}}}}}}}}}"
            ));
            let fact = format!("getThings header {name}: format");
            let judged = |text| fixture.headers(200, &[(name, text)]).fact(&fact);
            assert_eq!(judged(of_http), Verdict::Undecided(Reason::HeaderUnclear), "{name}");
            assert_ne!(judged(other), Verdict::Held, "{name}");
        }
        let location = "'200': {description: a, headers: {location: {schema: {type: string, format: uri}}}}";
        let judged = Fixture::responses(location).headers(200, &[("Location", "https://example.com/things/7")]);
        assert_eq!(judged.fact("getThings header location: format"), Verdict::Held);
        // A date of HTTP is none of RFC 3339 in any other header.
        let judged = judged_date();
        assert_eq!(judged.fact("getThings header X-It: format"), Verdict::Broken);
    }

    /// The number of findings about a header with this name, schema and text.
    fn named(name: &'static str, schema: &str, text: &'static str) -> usize {
        let fixture = Fixture::responses(&format!(
            "'200': {{description: a, headers: {{{name}: {{schema: {schema}}}}}}}"
        ));
        fixture.headers(200, &[(name, text)]).verdicts.findings().len()
    }

    #[test]
    fn the_letters_of_some_headers_may_have_any_case() {
        let [languages, ranges] = [
            "{type: string, enum: [en, zh-Hant, de-DE]}",
            "{type: string, enum: [bytes]}",
        ];
        for text in ["EN", "en", "ZH-HANT", "de-de", "De-De"] {
            assert_eq!(named("Content-Language", languages, text), 0, "{text}");
        }
        assert_eq!(named("Content-Language", languages, "fr"), 1);
        let list = format!("{{type: array, items: {languages}}}");
        assert_eq!(named("content-language", &list, "EN, DE-de"), 0);
        assert_eq!(named("Accept-Ranges", ranges, "Bytes"), 0);
        assert_eq!(named("Accept-Ranges", ranges, "none"), 1);
        assert_eq!(
            named("Vary", "{type: string, enum: [Accept-Encoding]}", "accept-encoding"),
            0
        );
        assert_eq!(named("X-Ranges", ranges, "Bytes"), 1);
    }

    #[test]
    fn a_limit_may_have_its_policies_and_a_date_is_one_element() {
        let integer = "{type: integer}";
        for name in ["RateLimit-Limit", "X-RateLimit-Limit"] {
            assert_eq!(named(name, integer, "100, 100;w=60"), 0, "{name}");
            for text in ["many, 100;w=60", "100, 50", "many"] {
                assert_eq!(named(name, integer, text), 1, "{name} {text}");
            }
        }
        assert_eq!(named("X-Limit", integer, "100, 100;w=60"), 1);
        let dates = "{type: array, maxItems: 1, items: {type: string}}";
        assert_eq!(named("X-Dates", dates, "Tue, 15 Nov 1994 12:45:26 GMT"), 0);
        assert_eq!(named("X-Dates", dates, "Tue, soon"), 1);
    }

    fn judged_date() -> Judged {
        judged("{type: string, format: date-time}", &["Tue, 15 Nov 1994 12:45:26 GMT"])
    }

    #[test]
    fn a_header_in_json_is_judged_as_json() {
        let fixture = fixture(
            "{content: {application/json: {schema: {type: object, required: [page], properties: {page: {type: \
             integer}}}}}}",
        );
        let judged = |text: &str| fixture.headers(200, &[("X-It", text)]);
        for text in [r#"{"page": 1}"#, "%7B%22page%22%3A1%7D"] {
            assert_eq!(judged(text).fact("getThings header X-It/page: integer"), Verdict::Held);
            assert!(judged(text).verdicts.findings().is_empty());
        }
        assert_eq!(judged(r#"{"page": "1"}"#).locations("wrong-type").0, "header X-It/page");
        assert_eq!(judged("{}").locations("missing-field").0, "header X-It/page");
        assert_eq!(judged("page").received("wrong-type"), "string(4)");
    }

    #[test]
    fn a_text_that_is_any_value_of_its_type_states_nothing() {
        for schema in [
            "{type: string}",
            "{}",
            "{type: array, items: {type: string}}",
            "{type: object, required: [a], properties: {a: {type: integer}}}",
        ] {
            let fixture = fixture(&format!("{{schema: {schema}}}"));
            let facts = fixture.contract.facts.iter();
            assert!(facts.into_iter().all(|fact| !fact.name.contains("header")), "{schema}");
            assert!(fixture.headers(200, &[("X-It", "a, 1")]).verdicts.findings().is_empty());
        }
    }

    #[test]
    fn no_value_is_shown_unless_the_user_asks_for_it() {
        let hidden = judged("{type: integer}", &["tk-secret"]);
        assert!(!format!("{:?}", hidden.verdicts.findings()).contains("tk-secret"));
        let shown = fixture("{schema: {type: integer}}").showing_values();
        let shown = shown.headers(200, &[("X-It", "many")]);
        assert_eq!(
            (shown.received("wrong-type"), shown.locations("wrong-type").0),
            ("\"many\"", "header X-It")
        );
    }

    /// Responses that each require the header; the last of them has an array as its body, and the 429 none.
    fn requiring() -> Fixture {
        let headers = "headers: {X-It: {required: true, schema: {type: integer}}}";
        let content = |schema: &str| format!(", content: {{application/json: {{schema: {{{schema}}}}}}}");
        let bodies = [
            ("200", content("")),
            ("204", String::new()),
            ("404", content("")),
            ("429", String::new()),
            ("400", content("type: array")),
        ];
        let responses = bodies.map(|(status, content)| format!("'{status}': {{description: a, {headers}{content}}}"));
        Fixture::responses(&responses.join("\n"))
    }

    fn response(status: u16, media_type: Option<&str>) -> Exchange {
        requiring().exchange(status, media_type, "{}")
    }

    fn findings(exchange: &Exchange, purpose: Purpose) -> usize {
        let fixture = requiring().purpose(purpose);
        let judged = fixture.judge(|judge| drop(judge.exchange(exchange, fixture.intent())));
        judged.findings("missing-field").len()
    }

    #[test]
    fn only_what_the_service_itself_has_sent_is_judged() {
        let documented = Purpose::Documented(RejectionMeaning::Gap);
        for (status, media_type, expected) in [
            (200, JSON, 1),
            (204, None, 1),
            (404, JSON, 1),
            // A page of something in front of the service, and an error that anything may have sent.
            (200, Some("text/html"), 0),
            (404, Some("text/html"), 0),
            (400, JSON, 0),
            (429, JSON, 0),
            (429, None, 0),
            (500, JSON, 0),
        ] {
            let exchange = response(status, media_type);
            assert_eq!(findings(&exchange, documented), expected, "{status} {media_type:?}");
        }
    }

    #[test]
    fn in_recorded_traffic_a_header_is_missing_only_where_other_headers_were_kept() {
        let other_client = Purpose::Documented(RejectionMeaning::OtherClient);
        let with = |status, name: &'static str| {
            let mut exchange = response(status, JSON);
            if let Ok(response) = &mut exchange.outcome {
                let value = reqwest::header::HeaderValue::from_static("1");
                response.headers.insert(name, value);
            }
            exchange
        };
        assert_eq!(findings(&with(200, "x-request-id"), other_client), 1);
        assert_eq!(findings(&with(200, "x-it"), other_client), 0);
        assert_eq!(findings(&with(200, "age"), other_client), 0);
        assert_eq!(findings(&response(200, JSON), other_client), 0);
        assert_eq!(findings(&with(404, "x-request-id"), other_client), 0);
        let mut unknown = with(200, "x-request-id");
        if let Ok(response) = &mut unknown.outcome {
            response.are_headers_known = false;
            response.headers.clear();
        }
        assert_eq!(findings(&unknown, other_client), 0);
    }

    #[test]
    fn an_element_ends_at_a_comma_outside_quotes() {
        assert_eq!(elements(r#"a, "b, \"c", d,, e"#), ["a", r#""b, \"c""#, "d", "e"]);
        assert!(elements(" , ").is_empty());
    }
}
