//! What a body can contain.

use std::io::Write as _;

use serde_json::json;

use super::case::Expected::{Broken, CouldNotJudge, Findings, Several, Sound, Undecided, Warned};
use super::case::{Behaviour, Expected, page};
use crate::cli::stub::json as response;

const NOT_JSON: Expected = Broken("malformed-json", "");
const BEYOND: Expected = CouldNotJudge("127 levels, a million values, or a number beyond a double");

/// A target that answers with these bytes, as JSON.
fn holds(name: &'static str, expected: Expected, bytes: impl Into<Vec<u8>>) -> Behaviour {
    let bytes = bytes.into();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        bytes.len()
    );
    Behaviour::tags(name, expected, move |_, stream| {
        stream.write_all(head.as_bytes())?;
        stream.write_all(&bytes)
    })
    .whole()
}

fn paged(name: &'static str, expected: Expected, numbers: &str, items: &str) -> Behaviour {
    holds(name, expected, format!(r#"{{"data":{{{numbers},"items":[{items}]}}}}"#))
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    [not_json(), beyond(), numbers(), items(), large(), others()]
        .into_iter()
        .flatten()
        .collect()
}

fn not_json() -> Vec<Behaviour> {
    let sound = page(&[]).to_string();
    let wide: Vec<u8> = sound.encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        holds(
            "invalid UTF-8",
            Broken("malformed-json", "line 1, column 2"),
            &b"\"\xff\xfe\""[..],
        ),
        holds("UTF-16", NOT_JSON, wide),
        holds("a byte order mark", NOT_JSON, format!("\u{feff}{sound}")),
        holds("a lone surrogate", NOT_JSON, r#"{"data":"\ud800"}"#),
        holds("two values", NOT_JSON, format!("{sound}{sound}")),
        holds("NaN", NOT_JSON, r#"{"data":NaN}"#),
        holds("nothing but blanks", NOT_JSON, " ".repeat(1 << 20)),
        holds(
            "a name twice",
            Broken("malformed-json", "twice"),
            sound.replace("}}", r#","page":1}}"#),
        ),
        holds("a hundred thousand names twice", Several("malformed-json"), {
            let names: Vec<_> = (0..100_000)
                .map(|number| format!(r#""{0}":1,"{0}":2"#, number % 1000))
                .collect();
            format!("{{{}}}", names.join(","))
        }),
    ]
}

fn beyond() -> Vec<Behaviour> {
    let digits = "9".repeat(1 << 20);
    vec![
        holds("arrays a million deep", BEYOND, "[".repeat(1 << 20)),
        holds("objects a million deep", BEYOND, "{\"a\":".repeat(1 << 20)),
        holds("a number beyond a double", BEYOND, r#"{"data":{"total":1e999}}"#),
        holds(
            "a number of a million digits",
            BEYOND,
            format!(r#"{{"data":{{"total":{digits}}}}}"#),
        ),
        holds("millions of numbers", BEYOND, format!("[{}0]", "0,".repeat(4_000_000))),
        holds(
            "millions of empty objects",
            BEYOND,
            format!("[{}{{}}]", "{},".repeat(2_700_000)),
        ),
        holds(
            "millions of empty names",
            BEYOND,
            format!("{{{}\"\":0}}", "\"\":0,".repeat(1_100_000)),
        ),
    ]
}

fn numbers() -> Vec<Behaviour> {
    vec![
        paged(
            "pages without end",
            Several("pages"),
            r#""per_page":1,"page":1,"total":1000000000000000000,"last_page":1000000000000000000"#,
            r#"{"id":"a","name":"b"}"#,
        ),
        paged(
            "a last page below zero",
            Several("pages"),
            r#""per_page":10,"page":1,"total":-1,"last_page":-1"#,
            "",
        ),
        paged(
            "numbers at the end of their range",
            Several("pages"),
            r#""per_page":-9223372036854775808,"page":1,"total":9223372036854775807,"last_page":0"#,
            "",
        ),
        paged(
            "numbers beyond 64 bits",
            Warned("typed-client"),
            r#""per_page":18446744073709551616,"page":1,"total":1e300,"last_page":-1e300"#,
            "",
        ),
    ]
}

fn items() -> Vec<Behaviour> {
    let tag = r#"{"id":"a","name":"b"}"#;
    let one = r#""per_page":10,"page":1,"total":1,"last_page":1"#;
    let named = tag.replace("\"name\"", &format!("\"{}\":1,\"name\"", "n".repeat(4 << 20)));
    vec![
        paged(
            "twenty thousand items",
            Several("pages"),
            one,
            &vec![tag; 20_000].join(","),
        ),
        paged(
            "a million items that are no items",
            BEYOND,
            one,
            &vec!["0"; 1_000_000].join(","),
        ),
        paged(
            "a text of four million letters",
            Sound,
            one,
            &tag.replace('b', &"b".repeat(4 << 20)),
        ),
        paged(
            "a name of four million letters",
            Warned("undocumented-field"),
            one,
            &named,
        ),
        holds(
            "items that are an object",
            Several("wrong-type"),
            page(&[]).to_string().replace("[]", "{}"),
        ),
    ]
}

/// Responses that are read whole, and that would cost far more than their own size if they were read as they come.
fn large() -> Vec<Behaviour> {
    let one = r#""per_page":10,"page":1,"total":1,"last_page":1"#;
    let tag = |more: &str| format!(r#"{{"id":"a","name":"b",{more}}}"#);
    let names: Vec<_> = (0..100_000).map(|number| format!(r#""n{number:06}":0"#)).collect();
    let within = (0..6).fold("0".to_owned(), |below, _| format!(r#"{{"":{below}}}"#));
    let levels = (0..112).fold("1".to_owned(), |below, level| {
        format!(r#"[{below},{}{{"k{level}":1}}]"#, "[0],".repeat(500))
    });
    vec![
        paged(
            "a hundred thousand other names",
            Warned("undocumented-field"),
            one,
            &tag(&names.join(",")),
        ),
        paged(
            "objects within objects",
            Findings,
            one,
            &vec![within; 120_000].join(","),
        ),
        paged(
            "lists of many shapes a hundred levels deep",
            Warned("undocumented-field"),
            one,
            &tag(&format!(r#""x":{levels}"#)),
        ),
    ]
}

fn others() -> Vec<Behaviour> {
    let commands = json!({"##vso[a]": "\u{1b}[2J\r\n::error::x", "\u{202e}": "section_start:1:a\r\u{1b}[0K", "::b": 1});
    let login = "<html><form action='/login'><input name='password'></form></html>";
    vec![
        holds(
            "commands in names and values",
            Several("envelope"),
            json!({"data": commands, "::c::": commands}).to_string(),
        ),
        Behaviour::tags("a login page", Several("media-type"), move |_, stream| {
            let page = response("200 OK", login).replace("application/json", "text/html");
            stream.write_all(page.as_bytes())
        }),
        Behaviour::tags(
            "a media type that is a command",
            Broken("media-type", "another media type"),
            |_, stream| {
                let page = response("200 OK", &page(&[]).to_string());
                stream.write_all(page.replace("application/json", "::error::/##vso[a]").as_bytes())
            },
        ),
        Behaviour::tags(
            "a server error that never ends",
            Broken("server-error", "500"),
            |_, stream| stream.write_all(response("500 Internal Server Error", "{}").as_bytes()),
        ),
        Behaviour::tags(
            "429 without end",
            Undecided("every attempt got a 429 or a 503"),
            |_, stream| stream.write_all(response("429 Slow Down\r\nRetry-After: 0", "{}").as_bytes()),
        ),
        Behaviour::tags("503 without end", Several("server-error"), |_, stream| {
            stream.write_all(response("503 Later\r\nRetry-After: 0", "{}").as_bytes())
        }),
    ]
}
