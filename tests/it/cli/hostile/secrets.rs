//! What a target can do to obtain the token, or to have the token or its own data shown elsewhere.

use std::io::{self, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::case::Expected::{Broken, Several, Undecided, Warned};
use super::case::{Behaviour, Case, Expected, page};
use crate::cli::stub::json as response;
use crate::support::leaks::encoding::base64;

/// A response of this status that shows a text in its head and in its body.
fn echoes(name: &'static str, expected: Expected, status: &'static str, text: fn(&Case) -> String) -> Behaviour {
    Behaviour::tags(name, expected, move |case, stream| {
        let text = text(case);
        let reason = text.replace(|character: char| !character.is_ascii_alphanumeric(), "-");
        let status = format!("{status} {reason}\r\nX-{reason}: {text}\r\nWWW-Authenticate: Bearer realm=\"{text}\"");
        stream.write_all(response(&status, &full_of(&text).to_string()).as_bytes())
    })
}

/// A page of tags that holds the text wherever a page can hold one, most of them wrong.
fn full_of(text: &str) -> Value {
    json!({
        "data": {
            "per_page": text, "page": 1, "total": [text], "last_page": 1, text: [text],
            "items": [{"id": text, "name": [text], text: text}, text, {"id": {text: text}}],
        },
        text: text,
        "message": format!("Bearer {text}"),
    })
}

/// A lure to another origin in the head of a response.
fn lures(name: &'static str, expected: Expected, status: &'static str, line: fn(&Case) -> String) -> Behaviour {
    Behaviour::tags(name, expected, move |case, stream| {
        let status = format!("{status}\r\n{}", line(case));
        stream.write_all(response(&status, &page(&[]).to_string()).as_bytes())
    })
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    [token(), person(), redirects(), other_lures()]
        .into_iter()
        .flatten()
        .collect()
}

fn token() -> Vec<Behaviour> {
    let wrong = Several("envelope");
    vec![
        echoes("the token in a response", wrong, "200", |case| {
            case.canary.token.clone()
        }),
        echoes("the token in a rejection", Broken("status", "400"), "400", |case| {
            case.canary.token.clone()
        }),
        echoes(
            "the token in a server's error",
            Broken("server-error", "500"),
            "500",
            |case| case.canary.token.clone(),
        ),
        echoes("the token in capitals", wrong, "200", |case| {
            case.canary.token.to_uppercase()
        }),
        echoes("the token in base64", wrong, "200", |case| {
            base64(case.canary.token.as_bytes())
        }),
        echoes("the token backwards", wrong, "200", |case| {
            case.canary.token.chars().rev().collect()
        }),
        echoes("half of the token", wrong, "200", |case| {
            case.canary.token[..18].to_owned()
        }),
        Behaviour::tags("the token as a media type", Several("media-type"), |case, stream| {
            let page = response("200 OK", &page(&[]).to_string());
            let token = format!("{0}/{0}; charset={0}", case.canary.token);
            stream.write_all(page.replace("application/json", &token).as_bytes())
        }),
        Behaviour::tags(
            "the token where HTTP should be",
            Broken("unfinished-answer", "not valid HTTP/1.1"),
            |case, stream| write!(stream, "Authorization: Bearer {}\r\n\r\n", case.canary.token),
        ),
        Behaviour::tags(
            "the token in a chunk's size",
            Broken("unfinished-answer", "not valid HTTP/1.1"),
            |case, stream| {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked";
                write!(stream, "{head}\r\n\r\n{}\r\n", case.canary.token)
            },
        ),
    ]
}

fn person() -> Vec<Behaviour> {
    let wrong = Several("envelope");
    vec![
        echoes("a person's address in a response", wrong, "200", |case| {
            case.canary.email.clone()
        }),
        echoes("a person's telephone number in a response", wrong, "200", |case| {
            case.canary.phone.clone()
        }),
        echoes(
            "a person's name in an error",
            Broken("server-error", "500"),
            "500",
            |case| format!("{} {}", case.canary.firstname, case.canary.lastname),
        ),
        echoes("an identifier in a response", wrong, "200", |case| {
            case.canary.id.clone()
        }),
    ]
}

fn redirects() -> Vec<Behaviour> {
    let away = |case: &Case| format!("Location: {}/organization/v1/tags", case.elsewhere);
    vec![
        lures(
            "a redirect to another origin, 301",
            Broken("status", "301"),
            "301 Moved",
            away,
        ),
        lures(
            "a redirect to another origin, 302",
            Broken("status", "302"),
            "302 Found",
            away,
        ),
        lures(
            "a redirect to another origin, 303",
            Broken("status", "303"),
            "303 See Other",
            away,
        ),
        lures(
            "a redirect to another origin, 307",
            Broken("status", "307"),
            "307 Temporary",
            away,
        ),
        lures(
            "a redirect to another origin, 308",
            Broken("status", "308"),
            "308 Permanent",
            away,
        ),
        lures("a redirect in a circle", Broken("status", "302"), "302 Found", |_| {
            "Location: /organization/v1/tags".to_owned()
        }),
        lures(
            "a redirect with the token in it",
            Broken("status", "302"),
            "302 Found",
            |case| format!("Location: {}/?token={}", case.elsewhere, case.canary.token),
        ),
        lures("a redirect to a file", Broken("status", "302"), "302 Found", |_| {
            "Location: file:///etc/hostname".to_owned()
        }),
    ]
}

fn other_lures() -> Vec<Behaviour> {
    vec![
        lures("a page to go to next", Expected::Sound, "200 OK", |case| {
            format!(
                "Refresh: 0; url={0}\r\nLink: <{0}>; rel=next\r\nContent-Location: {0}",
                case.elsewhere
            )
        }),
        lures("another address for the service", Expected::Sound, "200 OK", |case| {
            let address = case.elsewhere.replace("http://", "");
            format!("Alt-Svc: http/1.1=\"{address}\"; ma=86400, h2=\"{address}\"\r\nHost: {address}")
        }),
        lures("a cookie", Expected::Sound, "200 OK", |case| {
            format!("Set-Cookie: session={}; Path=/; Domain=localhost", case.canary.id)
        }),
        lures(
            "a proxy that asks for a credential",
            Broken("status", "407"),
            "407 Proxy Authentication",
            |case| format!("Proxy-Authenticate: Basic realm=\"{}\"", case.elsewhere),
        ),
        lures(
            "another way to show a credential",
            Undecided("rejected with 401"),
            "401 Unauthorized",
            |case| {
                format!(
                    "WWW-Authenticate: Basic realm=\"{0}\", Digest realm=\"{0}\", nonce=\"a\"",
                    case.elsewhere
                )
            },
        ),
        Behaviour::tags("addresses in the body", Warned("undocumented-field"), |case, stream| {
            addresses(case, stream)
        }),
    ]
}

fn addresses(case: &Case, stream: &mut TcpStream) -> io::Result<()> {
    let id = format!("{}/?id=", case.elsewhere);
    let tag = json!({"id": id, "name": "../../../", "href": case.elsewhere, "$ref": format!("{}#/a", case.elsewhere)});
    stream.write_all(response("200 OK", &page(&[tag]).to_string()).as_bytes())
}
