//! Path parameters that neither a name nor a type connects with what a list shows: a value is guessed from the paths. A
//! right guess decides facts; a wrong one decides nothing, and nothing is ever written on the strength of it.

use std::io::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::stub::{Received, Stub, json as response};
use super::support::check;

const SPEC: &str = r##"
openapi: 3.0.3
x-edge-cases: []
info: {title: Themes, version: '1'}
paths:
  /themes/:
    get:
      operationId: listThemes
      responses:
        '200':
          description: Themes
          content: {application/json: {schema: {type: object, properties: {result: {type: array, items: {$ref: '#/components/schemas/Theme'}}}}}}
    post:
      operationId: addTheme
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'201': {description: Added, content: {application/json: {schema: {$ref: '#/components/schemas/Theme'}}}}}
  /themes/{pk}:
    parameters: [{name: pk, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: getTheme
      responses: {'200': {description: A theme, content: {application/json: {schema: {$ref: '#/components/schemas/Theme'}}}}}
    put:
      operationId: setTheme
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'200': {description: Changed}}
    delete: {operationId: deleteTheme, responses: {'200': {description: Deleted}}}
  /themes/{pk}/export:
    parameters: [{name: pk, in: path, required: true, schema: {type: integer}}]
    get: {operationId: exportTheme, responses: {'200': {description: Its export}}}
  /themes/name/{name}:
    parameters: [{name: name, in: path, required: true, schema: {type: string}}]
    get: {operationId: getThemeByName, responses: {'200': {description: A theme}}}
components:
  schemas: {Theme: {type: object, properties: {id: {}, name: {type: string}}}}
"##;

/// How a service finds the theme of a `pk`.
#[derive(Clone, Copy, PartialEq)]
enum Finds {
    /// By its `id`.
    ById,
    /// By no value that any response shows.
    Nothing,
    /// By its position in the list, from 1.
    ByPosition,
}

/// The result of a check: its report, the themes that the service then has, and the requests that reached it.
struct Checked {
    code: i32,
    report: Value,
    themes: Vec<(Value, String)>,
    sent: Vec<String>,
}

/// Checks a service whose list shows these identifiers.
fn checked(ids: &[Value], finds: Finds, arguments: &[&str]) -> Checked {
    let themes: Vec<_> = ids.iter().map(|id| (id.clone(), format!("Theme-{id}"))).collect();
    let themes = Arc::new(Mutex::new(themes));
    let shared = themes.clone();
    let service = Stub::start(move |request, stream| {
        let handled = handled(request, finds, &mut shared.lock().unwrap());
        stream.write_all(handled.as_bytes())
    });
    let arguments = [&["--spec", "themes.yaml", "--settle", "0"], arguments].concat();
    let (ended, report) = check(&service.url(), &arguments).file("themes.yaml", SPEC).report();
    let lines = service.received();
    let lines = lines
        .iter()
        .map(|request| request.head.split(' ').take(2).collect::<Vec<_>>().join(" "));
    let (sent, themes) = (lines.collect(), themes.lock().unwrap().clone());
    Checked {
        code: ended.code,
        report,
        themes,
        sent,
    }
}

fn handled(request: &Received, finds: Finds, themes: &mut Vec<(Value, String)>) -> String {
    let mut words = request.head.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let shown = |(id, name): &(Value, String)| json!({"id": id, "name": name});
    let parts: Vec<_> = path.trim_matches('/').split('/').collect();
    let position = |pk: &str| match finds {
        Finds::ById => themes.iter().position(|(id, _)| id.to_string().trim_matches('"') == pk),
        Finds::ByPosition => pk
            .parse()
            .ok()
            .filter(|at| (1..=themes.len()).contains(at))
            .map(|at: usize| at - 1),
        Finds::Nothing => None,
    };
    match (method, parts.as_slice()) {
        ("GET", ["themes"]) => {
            let result: Vec<_> = themes.iter().map(shown).collect();
            response("200 OK", &json!({ "result": result }).to_string())
        }
        ("POST", ["themes"]) => {
            // As a position, it is that of somebody else's theme.
            let id = if finds == Finds::ByPosition {
                1
            } else {
                100 + themes.len()
            };
            let theme = (json!(id), sent["name"].as_str().unwrap_or_default().to_owned());
            let created = shown(&theme);
            themes.push(theme);
            response("201 Created", &created.to_string())
        }
        ("GET", ["themes", "name", name]) if themes.iter().any(|(_, known)| known == name) => response("200 OK", "{}"),
        ("GET", ["themes", pk, "export"]) if position(pk).is_some() => response("200 OK", "{}"),
        (_, ["themes", pk]) => match (method, position(pk)) {
            (_, None) => response("404 Not Found", "{}"),
            ("PUT", Some(at)) => {
                sent["name"].as_str().unwrap_or_default().clone_into(&mut themes[at].1);
                response("200 OK", "{}")
            }
            ("DELETE", Some(at)) => {
                themes.remove(at);
                response("200 OK", "{}")
            }
            (_, Some(at)) => response("200 OK", &shown(&themes[at]).to_string()),
        },
        _ => response("404 Not Found", "{}"),
    }
}

impl Checked {
    /// The rules of all findings but those about operations that no call decides, which are there without a guess too.
    fn deviations(&self) -> Vec<&str> {
        let findings = self.report["findings"].as_array().unwrap().iter();
        let rules = findings.filter_map(|finding| finding["rule"].as_str());
        rules.filter(|rule| *rule != "unchecked-operation").collect()
    }

    /// The paths that were requested with this method, each once.
    fn paths(&self, method: &str) -> Vec<&str> {
        let mut paths: Vec<_> = self
            .sent
            .iter()
            .filter_map(|line| line.strip_prefix(method))
            .map(str::trim)
            .collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

#[test]
fn a_read_takes_the_id_of_a_listed_item_whatever_its_parameter_is_called() {
    for id in [json!(17), json!("17")] {
        let checked = checked(&[id], Finds::ById, &[]);
        assert_eq!(checked.code, 0, "{:#}", checked.report);
        let read = ["/themes/", "/themes/17", "/themes/17/export", "/themes/name/Theme-17"];
        let paths = checked.paths("GET");
        let paths: Vec<_> = paths.into_iter().map(|path| path.replace("%2217%22", "17")).collect();
        assert_eq!(paths, read);
    }
}

#[test]
fn a_value_that_the_parameter_does_not_admit_is_not_sent() {
    let checked = checked(&[json!("seventeen"), json!("1.5")], Finds::ById, &[]);
    assert_eq!(checked.code, 0, "{:#}", checked.report);
    assert!(
        !checked
            .sent
            .iter()
            .any(|line| line.contains("/themes/seventeen") || line.contains("/themes/1.5"))
    );
}

#[test]
fn a_guess_under_which_nothing_is_found_is_no_finding() {
    // Of two records, the run reads its own.
    for (arguments, read) in [
        (&[][..], "GET /themes/17"),
        (&["--writes", "--cleanup"], "GET /themes/101"),
    ] {
        let checked = checked(&[json!(17)], Finds::Nothing, arguments);
        assert_eq!(checked.code, 0, "{:#}", checked.report);
        assert!(checked.sent.contains(&read.to_owned()), "{:?}", checked.sent);
        assert_eq!(checked.deviations(), [""; 0], "{:#}", checked.report);
        assert_eq!((checked.paths("PUT"), checked.paths("DELETE")), (vec![], vec![]));
    }
}

#[test]
fn a_created_record_is_read_changed_and_deleted_by_its_id() {
    let checked = checked(&[json!(17)], Finds::ById, &["--writes", "--cleanup"]);
    assert_eq!(checked.code, 0, "{:#}", checked.report);
    assert!(
        !checked.paths("PUT").is_empty() && !checked.paths("DELETE").is_empty(),
        "{:?}",
        checked.sent
    );
    assert_eq!(
        checked.themes,
        [(json!(17), "Theme-17".to_owned())],
        "{:?}",
        checked.sent
    );
}

#[test]
fn nothing_is_written_where_the_guess_leads_to_another_record() {
    let checked = checked(&[json!(17)], Finds::ByPosition, &["--writes", "--cleanup"]);
    assert_eq!(checked.code, 0, "{:#}", checked.report);
    assert!(!checked.paths("POST").is_empty(), "{:?}", checked.sent);
    assert_eq!((checked.paths("PUT"), checked.paths("DELETE")), (vec![], vec![]));
    assert_eq!(checked.deviations(), [""; 0], "{:#}", checked.report);
    assert_eq!(checked.themes[0], (json!(17), "Theme-17".to_owned()));
}
