//! Pages that an ordinary document implies, by a page number, an offset, a cursor and the header `Link`: each departure
//! is found, and what a conforming service may do is left alone. Each case asserts on what reached the service.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Query;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::rules::Levels;
use countersign::{Check, Contract};
use serde_json::{Value, json};

use crate::support::sampled;

/// How the document divides its list into pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `page` from 1 and `per_page`, with the number of records and of pages.
    Number,
    /// `page` and `size`, without a word on where pages begin.
    OpenNumber,
    /// `page` alone.
    NumberAlone,
    /// `offset` and `limit`, with the number of records.
    Offset,
    /// `cursor` and `limit`, with the next cursor.
    Cursor,
    /// `starting_after` and `limit`, with whether there is more.
    AfterRecord,
    /// `cursor`, with a URL of the next page.
    CursorUrl,
    /// `page` and `per_page`, with a header for the next page.
    Link,
}

const STYLES: [Style; 8] = [
    Style::AfterRecord,
    Style::Number,
    Style::OpenNumber,
    Style::NumberAlone,
    Style::Offset,
    Style::Cursor,
    Style::CursorUrl,
    Style::Link,
];

impl Style {
    fn parameters(self) -> &'static str {
        match self {
            Self::Number => {
                "{name: page, in: query, schema: {type: integer, minimum: 1}}, {name: per_page, in: query, schema: {type: integer, maximum: 50, default: 20}}"
            }
            Self::OpenNumber => {
                "{name: page, in: query, schema: {type: integer}}, {name: size, in: query, schema: {type: integer}}"
            }
            Self::NumberAlone => "{name: page, in: query, schema: {type: integer, default: 1}}",
            Self::Offset => {
                "{name: offset, in: query, schema: {type: integer, default: 0}}, {name: limit, in: query, schema: {type: integer}}"
            }
            Self::Cursor => {
                "{name: cursor, in: query, schema: {type: string}}, {name: limit, in: query, schema: {type: integer}}"
            }
            Self::AfterRecord => {
                "{name: starting_after, in: query, schema: {type: integer}}, {name: limit, in: query, schema: {type: integer}}"
            }
            Self::CursorUrl => "{name: cursor, in: query, schema: {type: string}}",
            Self::Link => {
                "{name: page, in: query, schema: {type: integer}}, {name: per_page, in: query, schema: {type: integer}}"
            }
        }
    }

    fn fields(self) -> &'static str {
        match self {
            Self::Number => ", total: {type: integer}, total_pages: {type: integer}",
            Self::Offset => ", total: {type: integer}",
            Self::Cursor => ", next_cursor: {type: string, nullable: true}",
            Self::AfterRecord => ", has_more: {type: boolean}",
            Self::CursorUrl => ", next: {type: string, nullable: true}",
            Self::OpenNumber | Self::NumberAlone | Self::Link => "",
        }
    }

    fn size(self) -> &'static str {
        match self {
            Self::Number | Self::Link => "per_page",
            Self::OpenNumber => "size",
            _ => "limit",
        }
    }

    fn document(self) -> String {
        let headers = match self {
            Self::Link => ", headers: {Link: {schema: {type: string}}}",
            _ => "",
        };
        let pet = "{type: object, properties: {id: {type: integer}, name: {type: string}}}";
        let body = format!(
            "{{type: object, properties: {{pets: {{type: array, items: {pet}}}{}}}}}",
            self.fields()
        );
        format!(
            "openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\npaths:\n  /pets:\n    get:\n      operationId: getPets\n      \
             parameters: [{}]\n      responses: {{'200': {{description: OK, content: {{application/json: {{schema: \
             {body}}}}}{headers}}}}}\n",
            self.parameters()
        )
    }
}

/// What the service does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// What everybody expects, with this many records.
    Conforms(usize),
    /// It ignores the size.
    IgnoresSize,
    /// It returns at most two records, whatever size is asked for.
    CapsSize,
    /// It returns the first page for each.
    IgnoresPosition,
    /// A page begins with the last record of the page before it.
    Overlaps,
    /// A page lacks its first record, but for the first page.
    Skips,
    /// The total counts a record too many.
    TotalTooHigh,
    /// The total is that of the page.
    TotalOfPage,
    /// The number of pages is one too many.
    TooManyPages,
    /// The next page is at another origin.
    NextElsewhere,
    /// The next page is at another path.
    NextAtAnotherPath,
    /// Pages count from 0.
    FromZero,
    /// Pages count from 0, and the list is long.
    LongFromZero,
    /// The next page is requested by a very long value.
    LongCursor,
    /// A page after the last one is a 404.
    RejectsBeyond,
    /// A page after the last one is the last one.
    Clamps,
    /// Each request finds one record more, at the beginning.
    Grows,
    /// Records come in another order each time.
    Unordered,
    /// Records have no identifier.
    NoIdentifiers,
    /// The first page is empty whatever it is asked for.
    Empty,
}

/// The records of the service, in the order of this request.
fn records(does: Does, request: usize) -> Vec<Value> {
    let count = match does {
        Does::Conforms(count) => count,
        Does::Empty => 0,
        Does::LongFromZero => 300,
        Does::Unordered => 7,
        _ => 5,
    };
    let mut ids: Vec<_> = (1..=count).collect();
    match does {
        Does::Grows => (0..request).for_each(|number| ids.insert(0, 100 + number)),
        Does::Unordered => {
            ids.rotate_left(request * request % count);
            if request % 3 == 1 {
                ids.reverse();
            }
        }
        _ => {}
    }
    let record = |id: usize| match does {
        Does::NoIdentifiers => json!({"name": "Rex"}),
        _ => json!({"id": id, "name": format!("pet {id}")}),
    };
    ids.into_iter().map(record).collect()
}

/// Returns a number in the query, of a plausible size.
fn number(query: &HashMap<String, String>, name: &str) -> Option<usize> {
    let number = query.get(name)?.parse().ok();
    number.filter(|number| *number < 1000)
}

/// Returns the number of records before the page that a query asks for; pages count from `base`.
fn begin(style: Style, (all, base, size): (&[Value], usize, usize), query: &HashMap<String, String>) -> usize {
    let number = |name: &str| number(query, name);
    match style {
        Style::Number | Style::OpenNumber | Style::NumberAlone | Style::Link => {
            number("page").unwrap_or(base).saturating_sub(base) * size
        }
        Style::Offset => number("offset").unwrap_or(0),
        Style::AfterRecord => {
            let after = number("starting_after");
            let place = all
                .iter()
                .position(|record| after.is_some() && record["id"] == json!(after));
            place.map_or(0, |place| place + 1)
        }
        Style::Cursor | Style::CursorUrl => {
            let cursor = query.get("cursor").and_then(|cursor| cursor.strip_prefix("a t="));
            cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0)
        }
    }
}

/// Responds as the document says, but for what the service does instead.
fn respond(style: Style, does: Does, (request, query): (usize, &HashMap<String, String>)) -> Response {
    const DEFAULT: usize = 20;
    let all = records(does, request);
    let number = |name: &str| number(query, name);
    let mut size = number(style.size()).unwrap_or(if style.size_is_fixed() { 3 } else { DEFAULT });
    match does {
        Does::IgnoresSize => size = DEFAULT,
        Does::CapsSize if number(style.size()).is_some() => size = size.min(2),
        _ => {}
    }
    size = size.max(1);
    let base = usize::from(!matches!(does, Does::FromZero | Does::LongFromZero));
    let mut begin = begin(style, (&all, base, size), query);
    let end = begin + size;
    match does {
        Does::IgnoresPosition => begin = 0,
        Does::Overlaps => begin = begin.saturating_sub(1),
        Does::Skips if begin > 0 => begin += 1,
        Does::RejectsBeyond if begin > 0 && begin >= all.len() => return StatusCode::NOT_FOUND.into_response(),
        Does::Clamps if begin >= all.len() => begin = all.len().saturating_sub(size),
        _ => {}
    }
    let shown: Vec<_> = all.iter().skip(begin).take(size).cloned().collect();
    let next = (does == Does::IgnoresPosition || end < all.len()).then_some(end);
    let mut body = json!({"pets": shown});
    let total = match does {
        Does::TotalTooHigh => all.len() + 1,
        Does::TotalOfPage => shown.len(),
        _ => all.len(),
    };
    let origin = match does {
        Does::NextElsewhere => "https://other.example.com/pets",
        Does::NextAtAnotherPath => "/owners",
        _ => "/pets",
    };
    match style {
        Style::Number => {
            body["total"] = json!(total);
            body["total_pages"] = json!(all.len().div_ceil(size) + usize::from(does == Does::TooManyPages));
        }
        Style::Offset => body["total"] = json!(total),
        Style::AfterRecord => body["has_more"] = json!(next.is_some()),
        Style::Cursor => {
            let padding = "0".repeat(if does == Does::LongCursor { 100_000 } else { 0 });
            body["next_cursor"] = json!(next.map(|next| format!("a t={padding}{next}")));
        }
        Style::CursorUrl => body["next"] = json!(next.map(|next| format!("{origin}?cursor=a+t%3D{next}&secret=1"))),
        Style::OpenNumber | Style::NumberAlone | Style::Link => {}
    }
    let mut response = axum::Json(body).into_response();
    if let Some(next) = next.filter(|_| style == Style::Link) {
        let page = next / size + base;
        let link =
            format!("<{origin}?page=1>; rel=\"first\", <{origin}?page={page}&per_page={size}&secret=1>; rel=\"next\"");
        response
            .headers_mut()
            .insert("link", HeaderValue::try_from(link).unwrap());
    }
    response
}

impl Style {
    /// Whether no parameter says how many records a page has; then it has 3.
    fn size_is_fixed(self) -> bool {
        matches!(self, Self::NumberAlone | Self::CursorUrl)
    }
}

struct Checked {
    record: Record,
    /// The path and the query of each request.
    log: Vec<String>,
}

impl Checked {
    /// The broken facts, without the operation and the parameters.
    fn found(&self) -> Vec<&str> {
        let findings = self.record.findings.iter();
        findings.map(|finding| statement(&finding.fact)).collect()
    }

    /// The verdicts on the facts of pages.
    fn verdicts(&self) -> Vec<(&str, String)> {
        let rows = self.record.facts.rows.iter();
        let rows = rows.filter(|row| row.fact.contains(" pages by "));
        rows.map(|row| {
            let verdict = serde_json::to_value(row.verdict).unwrap();
            (statement(row.fact.as_str()), verdict.as_str().unwrap().to_owned())
        })
        .collect()
    }
}

fn statement(fact: &str) -> &str {
    fact.rsplit_once(": ").map_or(fact, |(_, statement)| statement)
}

async fn checked_with(document: String, does: Does, style: Style) -> Checked {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&log);
    let router = Router::new().fallback(move |uri: Uri, Query(query): Query<HashMap<String, String>>| {
        let mut seen = seen.lock().unwrap();
        let response = respond(style, does, (seen.len(), &query));
        seen.push(uri.to_string());
        async { response }
    });
    let read = || Contract::read("pets.yaml", document.clone()).unwrap_or_else(|defects| panic!("{defects}"));
    let check = Check::new(read()).service(router).seed(1).keep_recording(true);
    let report = check.run().await.unwrap();
    let again = report.recording().unwrap().judge(&read(), Levels::default());
    assert_eq!(
        again.findings().len(),
        report.record().findings.len(),
        "{style:?} {does:?}"
    );
    let log = log.lock().unwrap().clone();
    Checked {
        record: report.record().clone(),
        log,
    }
}

async fn checked(style: Style, does: Does) -> Checked {
    checked_with(style.document(), does, style).await
}

const ENDS: &str = "a last page";
const UNIQUE: &str = "no record on two pages";
const WHOLE: &str = "every record of a request without them";
const TOTAL: &str = "the number of records on all pages";
const COUNT: &str = "the number of pages";

#[tokio::test(start_paused = true)]
async fn pages_of_a_conforming_service_are_the_list() {
    for style in STYLES {
        for count in [4, 5, 6, 13, 300] {
            // Pages of 3 are too many of them.
            if count == 300 && style.size_is_fixed() {
                continue;
            }
            let checked = checked(style, Does::Conforms(count)).await;
            assert!(
                checked.found().is_empty(),
                "{style:?} {count} {:?}",
                checked.record.findings
            );
            let verdicts = checked.verdicts();
            // A list of pages of 3 is longer than its first page, so nothing shows its whole.
            let held = verdicts.iter().filter(|(_, verdict)| verdict == "held").count();
            let is_decided = held == verdicts.len();
            assert!(
                is_decided || style.size_is_fixed(),
                "{style:?} {count} {verdicts:?} {:#?}",
                checked.log
            );
            assert!(held >= 2, "{style:?} {count} {verdicts:?} {:#?}", checked.log);
        }
    }
}

/// What a conforming service may do.
const MAY_DO: [Does; 15] = [
    Does::Conforms(0),
    Does::Conforms(1),
    Does::Conforms(2),
    Does::Conforms(3),
    Does::Conforms(300),
    Does::CapsSize,
    Does::FromZero,
    Does::LongFromZero,
    Does::LongCursor,
    Does::RejectsBeyond,
    Does::Clamps,
    Does::Grows,
    Does::NoIdentifiers,
    Does::TotalOfPage,
    Does::Empty,
];

#[tokio::test(start_paused = true)]
async fn what_a_conforming_service_may_do_is_left_alone() {
    let cases = STYLES.into_iter().flat_map(|style| MAY_DO.map(|does| (style, does)));
    // A style has fifteen, no multiple of four, so every fourth is another one from style to style.
    for (style, does) in sampled(4, cases) {
        // A document that says where pages begin means it.
        if matches!(does, Does::FromZero | Does::LongFromZero) && matches!(style, Style::Number | Style::NumberAlone) {
            continue;
        }
        let checked = checked(style, does).await;
        assert!(
            checked.found().is_empty(),
            "{style:?} {does:?} {:?} {:#?}",
            checked.record.findings,
            checked.log
        );
        // A read, each parameter alone, edge cases, and walks of eleven requests: two for a short list, or three.
        assert!(checked.log.len() < 45, "{style:?} {does:?} {}", checked.log.len());
    }
}

#[tokio::test(start_paused = true)]
async fn each_departure_is_found_and_nothing_else() {
    for (style, does, expected) in [
        (
            Style::Number,
            Does::IgnoresSize,
            "at most as many records as per_page asks for",
        ),
        (
            Style::Offset,
            Does::IgnoresSize,
            "at most as many records as limit asks for",
        ),
        (
            Style::Cursor,
            Does::IgnoresSize,
            "at most as many records as limit asks for",
        ),
        (
            Style::Link,
            Does::IgnoresSize,
            "at most as many records as per_page asks for",
        ),
        (Style::Number, Does::IgnoresPosition, ENDS),
        (Style::OpenNumber, Does::IgnoresPosition, ENDS),
        (Style::Offset, Does::IgnoresPosition, ENDS),
        (Style::Cursor, Does::IgnoresPosition, UNIQUE),
        (Style::Link, Does::IgnoresPosition, UNIQUE),
        (Style::AfterRecord, Does::IgnoresPosition, ENDS),
        (Style::AfterRecord, Does::Overlaps, UNIQUE),
        (Style::AfterRecord, Does::Skips, WHOLE),
        (Style::Number, Does::Overlaps, UNIQUE),
        (Style::OpenNumber, Does::Overlaps, UNIQUE),
        (Style::Offset, Does::Overlaps, UNIQUE),
        (Style::Cursor, Does::Overlaps, UNIQUE),
        (Style::Link, Does::Overlaps, UNIQUE),
        (Style::Number, Does::Skips, WHOLE),
        (Style::OpenNumber, Does::Skips, WHOLE),
        (Style::Offset, Does::Skips, WHOLE),
        (Style::Cursor, Does::Skips, WHOLE),
        (Style::Link, Does::Skips, WHOLE),
        (Style::Number, Does::FromZero, WHOLE),
        (Style::Number, Does::TotalTooHigh, TOTAL),
        (Style::Offset, Does::TotalTooHigh, TOTAL),
        (Style::Number, Does::TooManyPages, COUNT),
    ] {
        let checked = checked(style, does).await;
        assert_eq!(checked.found(), [expected], "{style:?} {does:?} {:#?}", checked.log);
        let findings = &checked.record.findings;
        assert!(findings.iter().all(|finding| finding.rule == "inferred-pages"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_total_that_the_document_calls_an_estimate_is_open() {
    let estimates = [
        (
            "total: {type: integer}",
            "total: {type: integer, description: An estimate}",
        ),
        ("total: {type: integer}", "total: {$ref: '#/components/schemas/Total'}"),
        (
            "total: {type: integer}",
            "total: {$ref: '#/components/schemas/Count', description: An upper bound}",
        ),
        (
            "operationId: getPets",
            "operationId: getPets\n      description: Lists pets. The total is approximate.",
        ),
    ];
    let total =
        "components: {schemas: {Count: {type: integer}, Total: {type: integer, description: Roughly all pets}}}\n";
    for (exact, estimated) in estimates {
        let document = Style::Number.document().replace(exact, estimated) + total;
        for does in [Does::TotalTooHigh, Does::TooManyPages, Does::Conforms(5)] {
            let checked = checked_with(document.clone(), does, Style::Number).await;
            assert!(checked.found().is_empty(), "{estimated} {does:?} {:?}", checked.found());
        }
        // What else the pages promise still holds.
        let checked = checked_with(document, Does::Skips, Style::Number).await;
        assert_eq!(checked.found(), [WHOLE], "{estimated}");
    }
    let described = "total: {type: integer, description: 'The number of pets, exactly'}";
    let document = Style::Number.document().replace("total: {type: integer}", described);
    let exact = checked_with(document, Does::TotalTooHigh, Style::Number).await;
    assert_eq!(exact.found(), [TOTAL]);
}

#[tokio::test(start_paused = true)]
async fn a_list_in_another_order_each_time_is_undecided_or_found_but_never_held() {
    for style in [Style::Number, Style::Offset, Style::Cursor, Style::Link] {
        let checked = checked(style, Does::Unordered).await;
        assert!(checked.found().is_empty(), "{style:?} {:#?}", checked.record.findings);
        let unique = checked
            .verdicts()
            .into_iter()
            .find(|(statement, _)| *statement == UNIQUE);
        assert_eq!(unique.unwrap().1, "undecided", "{style:?} {:#?}", checked.log);
    }
}

#[tokio::test(start_paused = true)]
async fn a_next_page_elsewhere_is_not_followed_and_nothing_but_a_parameter_is_taken_from_it() {
    for style in [Style::CursorUrl, Style::Link] {
        for does in [Does::NextElsewhere, Does::NextAtAnotherPath] {
            let checked = checked(style, does).await;
            assert!(checked.found().is_empty(), "{style:?} {:#?}", checked.record.findings);
            let followed = checked
                .log
                .iter()
                .filter(|request| request.contains("cursor=a") || request.contains("page=2"));
            assert_eq!(followed.count(), 0, "{style:?} {does:?} {:#?}", checked.log);
        }
        let checked = checked(style, Does::Conforms(5)).await;
        let followed = if style == Style::Link {
            "page=2&per_page=3"
        } else {
            "cursor=a%20t%3D3"
        };
        assert!(
            checked
                .log
                .iter()
                .any(|request| *request == format!("/pets?{followed}")),
            "{style:?} {:#?}",
            checked.log
        );
        let own = |request: &&String| request.starts_with("/pets") && !request.contains("secret");
        assert!(checked.log.iter().all(|request| own(&request)), "{:#?}", checked.log);
    }
}

#[tokio::test(start_paused = true)]
async fn pages_that_count_from_0_are_found_out_where_the_document_does_not_say_it() {
    for (does, size) in [(Does::FromZero, 3), (Does::LongFromZero, 99)] {
        let checked = checked(Style::OpenNumber, does).await;
        let verdicts = checked.verdicts();
        assert!(
            verdicts.iter().all(|(_, verdict)| verdict == "held"),
            "{verdicts:?} {:#?}",
            checked.log
        );
        let first = format!("/pets?page=0&size={size}");
        assert!(checked.log.contains(&first), "{first} {:#?}", checked.log);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_no_url_holds_is_not_sent() {
    let checked = checked(Style::Cursor, Does::LongCursor).await;
    assert!(checked.log.iter().all(|request| request.len() < 8_000));
    let unique = checked
        .verdicts()
        .into_iter()
        .find(|(statement, _)| *statement == UNIQUE);
    assert_eq!(unique.unwrap().1, "undecided");
}

#[tokio::test(start_paused = true)]
async fn a_list_is_walked_no_further_than_max_pages() {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&log);
    let router = Router::new().fallback(move |uri: Uri, Query(query): Query<HashMap<String, String>>| {
        seen.lock().unwrap().push(uri.to_string());
        async move { respond(Style::Offset, Does::Conforms(300), (0, &query)) }
    });
    let contract = Contract::read("pets.yaml", Style::Offset.document()).unwrap();
    let check = Check::new(contract).service(router).seed(1).max_pages(3);
    check.run().await.unwrap();
    let log = log.lock().unwrap();
    let walked = |limit: usize| {
        let end = format!("&limit={limit}");
        log.iter().filter(|request| request.ends_with(&end)).count()
    };
    assert_eq!((walked(11), walked(22)), (3, 3), "{log:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_the_service_shows_is_in_no_output() {
    let checked = checked(Style::Cursor, Does::Skips).await;
    assert_eq!(checked.found(), [WHOLE]);
    let printed = format!("{:?}", checked.record);
    for shown in ["a t=", "a%20t", "t%3D"] {
        assert!(!printed.contains(shown), "{shown}");
    }
    assert!(checked.log.iter().any(|request| request.contains("t%3D3")));
}
