//! Which parts of a target's responses appear in an output: never the token, and values of its data only with
//! `--show-values`.
//!
//! For every test of this module, [`support`](super::support) asserts that no output of any call contains the token.

use std::io::Write as _;

use super::stub::{Received, Stub, json, sound};
use super::support::{TOKEN, check};

const EMAIL: &str = "canary.person@example.com";
const NAME: &str = "Kanarek Przykładowa";

/// A page of tags that holds `text` wherever a page can hold a text, most of them wrong.
fn page_of(text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!(
        r#"{{"data":{{"per_page":10,"page":1,"total":{text},"last_page":1,
            "items":[{{"id":{text},"name":[{text}],{text}:{text}}},{text}],{text}:[{text}]}},{text}:{text},{text}:1}}"#
    )
}

/// A target that puts `text` into everything that a response is made of.
fn echoing(text: &'static str) -> Stub {
    Stub::start(move |request, stream| {
        let response = if !request.authorized() {
            json(
                &format!("401 {}", text.replace(' ', "_")),
                &format!("{{\"error\":\"{text}\"}}"),
            )
        } else if request.is("GET") && request.head.contains("/tags") {
            json("200 OK", &page_of(text))
        } else if request.head.contains("/venues") {
            json("200 OK", text).replace("application/json", &text.replace(' ', "/"))
        } else if request.head.contains("/visits") {
            json("500 Internal Server Error", &format!("{{\"message\":\"{text}\"}}"))
        } else if request.is("GET") {
            sound(request)
        } else {
            json("201 Created", &created(text))
        };
        let header = format!(
            "\r\nX-Echo: {}\r\n",
            text.replace(|character: char| !character.is_ascii(), "?")
        );
        stream.write_all(response.replacen("\r\n", &header, 1).as_bytes())
    })
}

fn created(text: &str) -> String {
    format!(r#"{{"message":"{text}","data":{{"id":"{text}","name":"{text}","firstname":"{text}","{text}":"{text}"}}}}"#)
}

#[test]
fn a_token_that_the_target_echoes_comes_out_nowhere() {
    let target = echoing(TOKEN);
    for arguments in [
        &["-v"][..],
        &["-v", "--show-values"],
        &["-v", "--writes", "--settle", "0", "--residue", "residue.jsonl"],
        &["-v", "--writes", "--settle", "0", "--show-values", "--accept"],
    ] {
        let (ended, _) = check(&target.url(), arguments).report();
        assert_eq!(ended.code, 1, "{ended:?}");
    }
}

#[test]
fn a_token_that_is_echoed_in_another_spelling_comes_out_nowhere() {
    // Behind an escape and between other text it is the same secret.
    let target = Stub::hostile(|stream| {
        let escaped: String = TOKEN
            .chars()
            .map(|character| format!("\\u{:04x}", u32::from(character)))
            .collect();
        let page = format!(r#"{{"data":{{"per_page":"Bearer {escaped}.","page":"{escaped}","items":[]}}}}"#);
        stream.write_all(json("200 OK", &page).as_bytes())
    });
    let (ended, _) = check(&target.url(), &["-v", "--show-values"]).report();
    assert_eq!(ended.code, 1, "{ended:?}");
}

#[test]
fn values_of_the_target_come_out_nowhere() {
    for value in [EMAIL, NAME] {
        let target = echoing(value);
        let (ended, _) = check(&target.url(), &["-v"]).report();
        assert_eq!(ended.code, 1, "{ended:?}");
        ended.shows_nowhere(value);
        for word in value.split([' ', '@']) {
            ended.shows_nowhere(word);
        }
    }
}

#[test]
fn values_of_the_target_are_shown_on_request() {
    for value in [EMAIL, NAME] {
        let target = echoing(value);
        let (ended, report) = check(&target.url(), &["--show-values"]).report();
        assert!(ended.stdout.contains(value), "{ended:?}");
        assert!(report["findings"].to_string().contains(value), "{report}");
    }
}

#[test]
fn a_value_in_the_name_of_a_documented_map_comes_out_nowhere() {
    // Keys of custom_fields are the target's own, and may be anything.
    let target = super::target::Target::changed("/contact-database", |body| {
        let items = body["data"]["items"].as_array_mut().unwrap();
        for item in items {
            item["custom_fields"] = serde_json::json!({EMAIL: {"deep": [NAME]}});
            item["email"] = serde_json::json!({EMAIL: NAME});
        }
    });
    let (ended, _) = check(&target.url(), &["-v"]).report();
    assert_eq!(ended.code, 1, "{ended:?}");
    for value in [EMAIL, "canary", "Kanarek"] {
        ended.shows_nowhere(value);
    }
}

#[test]
fn an_identifier_that_a_link_carries_into_a_path_comes_out_nowhere() {
    const SPEC: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    get:
      operationId: listThings
      responses:
        '200':
          description: All things
          content:
            application/json:
              schema: {type: array, items: {type: object, required: [id], properties: {id: {type: string}}}}
          links:
            One: {operationId: getThing, parameters: {id: '$response.body#/0/id'}}
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200':
          description: One thing
          content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: string}}}}}
";
    let target = Stub::start(|request: &Received, stream| {
        let one = request.head.contains("/things/");
        let body = if one {
            "{}".to_owned()
        } else {
            format!(r#"[{{"id":"{EMAIL}"}}]"#)
        };
        stream.write_all(json("200 OK", &body).as_bytes())
    });
    let hidden = check(&target.url(), &["-v", "--spec", "things.yaml"]).file("things.yaml", SPEC);
    let (ended, report) = hidden.report();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(report["findings"][0]["operation"], "getThing", "{ended:?}");
    ended.shows_nowhere("canary");
    let shown = check(&target.url(), &["--show-values", "--spec", "things.yaml"]).file("things.yaml", SPEC);
    let (ended, _) = shown.report();
    assert!(ended.stdout.contains("canary"), "{ended:?}");
}

#[test]
fn a_shown_value_cannot_drive_the_terminal() {
    let target = Stub::hostile(|stream| {
        let page = r#"{"data":{"per_page":"\u001b[2J\u0007\r::error::","page":1,"items":[]}}"#;
        stream.write_all(json("200 OK", page).as_bytes())
    });
    // That there is no escape in any output is asserted for every call.
    let (ended, _) = check(&target.url(), &["--show-values"]).report();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(!ended.stdout.contains("::error::"), "{ended:?}");
}
