//! The client against a stub on a real socket: what it sends, what it returns, what it never reveals.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

use std::error::Error;
use std::time::{Duration, Instant};

use chrono::{DateTime, FixedOffset};
use countersign::client::{Client, ClientError, Settings, types};
use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};

use crate::support::stub::{Received, Response, Stub};

const TOKEN: &str = "synthetic-token-0123456789";
const CONTACTS: &str = "/organization/v1/contact-database";
const TAGS: &str = "/organization/v1/tags";
const VISITS: &str = "/organization/v1/visits";

fn client(stub: &Stub) -> Client {
    Client::new(&stub.url(), TOKEN.parse().unwrap()).unwrap()
}

/// A client that waits for next to nothing between two attempts.
fn hasty(stub: &Stub) -> Client {
    let mut settings = Settings::default();
    settings.max_wait = Duration::from_millis(1);
    Client::with_settings(&stub.url(), TOKEN.parse().unwrap(), settings).unwrap()
}

fn tag_page(page: i64, last: i64, names: &[&str]) -> Value {
    let items: Vec<_> = names.iter().map(|name| json!({ "id": name, "name": name })).collect();
    json!({ "data": { "per_page": 2, "page": page, "total": 5, "last_page": last, "items": items } })
}

fn asked_page(request: &Received) -> i64 {
    request.query("page").map_or(1, |page| page.parse().unwrap())
}

/// Everything that a program could print of an error.
fn shown(error: &(dyn Error + 'static)) -> String {
    let mut text = format!("{error:?}");
    let mut next = Some(error);
    while let Some(error) = next {
        text.push_str(&format!(" | {error}"));
        next = error.source();
    }
    text
}

mod requests {
    use super::*;

    #[tokio::test]
    async fn a_datetime_goes_over_the_wire_as_it_was_given() {
        let stub = Stub::table()
            .on("POST", VISITS, Response::json(200, &json!({})))
            .start()
            .await;
        for given in [
            "2024-05-17T09:30:00Z",
            "2024-05-17T09:30:00+02:00",
            "2024-05-17T09:30:00-03:30",
        ] {
            let visit = types::VisitInput::builder().datetime(given.parse::<DateTime<FixedOffset>>().unwrap());
            client(&stub).create_visit().body(visit).send().await.unwrap();
            assert_eq!(
                stub.received().last().unwrap().text(),
                json!({ "datetime": given }).to_string()
            );
        }
    }

    #[tokio::test]
    async fn unset_fields_are_left_out_and_empty_lists_are_sent() {
        let stub = Stub::table()
            .on("POST", CONTACTS, Response::json(200, &json!({})))
            .start()
            .await;
        let client = client(&stub);
        client
            .create_contact()
            .body(types::ContactInput::default())
            .send()
            .await
            .unwrap();
        let contact = types::ContactInput {
            firstname: Some("Ada".into()),
            tags: Some(Vec::new()),
            ..Default::default()
        };
        client.create_contact().body(contact).send().await.unwrap();
        let bodies: Vec<_> = stub
            .received()
            .iter()
            .map(|request| request.text().to_owned())
            .collect();
        assert_eq!(bodies, ["{}", r#"{"firstname":"Ada","tags":[]}"#]);
    }

    #[tokio::test]
    async fn a_request_holds_what_the_document_says_and_no_header_of_the_generator() {
        let stub = Stub::table()
            .on("GET", TAGS, Response::json(200, &tag_page(3, 3, &[])))
            .start()
            .await;
        client(&stub).get_tags().page(3).send().await.unwrap();
        let request = &stub.received()[0];
        assert_eq!(request.target(), "/organization/v1/tags?page=3");
        assert_eq!(request.header("authorization"), [format!("Bearer {TOKEN}")]);
        assert_eq!(request.header("accept"), ["application/json"]);
        assert!(request.header("api-version").is_empty(), "{}", request.head);
    }

    #[tokio::test]
    async fn a_prefix_of_the_base_url_stands_before_each_path() {
        let stub = Stub::table()
            .on("GET", "/prefix/organization/v1/tags", Response::json(200, &json!({})))
            .start()
            .await;
        let client = Client::new(&format!("{}/prefix/", stub.url()), TOKEN.parse().unwrap()).unwrap();
        client.get_tags().send().await.unwrap();
        assert_eq!(stub.received()[0].target(), "/prefix/organization/v1/tags");
    }

    #[test]
    fn a_colour_is_of_the_documented_form() {
        assert_eq!(&**"#1A2b3C".parse::<types::TagInputColor>().unwrap(), "#1A2b3C");
        for text in ["red", "#12345", "1A2B3C", "#1A2B3C#"] {
            assert!(text.parse::<types::TagInputColor>().is_err(), "{text}");
        }
    }

    #[tokio::test]
    async fn a_value_that_does_not_fit_is_reported_without_being_sent_or_shown() {
        let stub = Stub::table().start().await;
        let client = client(&stub);
        let update = client
            .update_contact()
            .id("secret")
            .body(types::ContactInput::default());
        let error = update.send().await.unwrap_err();
        assert!(matches!(error, ClientError::Request { .. }), "{error}");
        assert!(!shown(&error).contains("secret"), "{error}");
        assert!(stub.received().is_empty());
    }

    #[tokio::test]
    async fn an_id_goes_into_the_path_and_a_response_without_a_body_is_fine() {
        let path = format!("{CONTACTS}/3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52");
        let stub = Stub::table().on("PUT", &path, Response::status(204)).start().await;
        let contact = types::ContactInput {
            firstname: Some("Ada".into()),
            ..Default::default()
        };
        let id = "3F6F1F0E-52A5-4C53-8D7A-7A2F6F1F0E52";
        client(&stub)
            .update_contact()
            .id(id)
            .body(contact)
            .send()
            .await
            .unwrap();
        assert_eq!(stub.received()[0].path(), path);
    }
}

mod streams {
    use super::*;

    #[tokio::test]
    async fn a_list_is_streamed_to_its_last_page_and_pages_are_asked_for_when_needed() {
        let table = Stub::table().on_each("GET", TAGS, |request| match asked_page(request) {
            1 => Response::json(200, &tag_page(1, 3, &["a", "b"])),
            2 => Response::json(200, &tag_page(2, 3, &["c", "d"])),
            3 => Response::json(200, &tag_page(3, 3, &["e"])),
            page => Response::json(200, &tag_page(page, 3, &["beyond"])),
        });
        let stub = table.start().await;
        let client = client(&stub);
        let mut tags = client.tags();
        assert!(stub.received().is_empty());
        tags.try_next().await.unwrap().unwrap();
        assert_eq!(stub.received().len(), 1);

        let names: Vec<_> = client
            .tags()
            .map_ok(|tag| tag.name.unwrap())
            .try_collect()
            .await
            .unwrap();
        assert_eq!(names, ["a", "b", "c", "d", "e"]);
        let pages: Vec<_> = stub.received()[1..].iter().map(asked_page).collect();
        assert_eq!(pages, [1, 2, 3]);
    }

    #[tokio::test]
    async fn a_service_whose_last_page_moves_on_does_not_hold_a_walk_for_ever() {
        let table = Stub::table().on_each("GET", TAGS, |request| {
            let page = asked_page(request);
            Response::json(200, &tag_page(page, page + 1, &["again"]))
        });
        let stub = table.start().await;
        let error = client(&stub)
            .tags()
            .try_for_each(|_| std::future::ready(Ok(())))
            .await
            .unwrap_err();
        assert!(matches!(error, ClientError::EndlessPages { .. }), "{error}");
        assert!(stub.received().len() < 200);
    }

    #[tokio::test]
    async fn a_service_that_ignores_the_page_ends_a_walk_with_an_error() {
        let stub = Stub::table()
            .on("GET", TAGS, Response::json(200, &tag_page(1, 3, &["a"])))
            .start()
            .await;
        let outcomes: Vec<_> = client(&stub).tags().collect().await;
        assert!(
            matches!(
                outcomes[..],
                [
                    Ok(_),
                    Err(ClientError::WrongPage {
                        requested: 2,
                        returned: 1
                    })
                ]
            ),
            "{outcomes:?}"
        );
    }

    #[tokio::test]
    async fn a_page_that_fails_ends_the_stream_with_one_error() {
        let table = Stub::table().on_each("GET", TAGS, |request| match asked_page(request) {
            1 => Response::json(200, &tag_page(1, 3, &["a"])),
            _ => Response::status(500),
        });
        let outcomes: Vec<_> = client(&table.start().await).tags().collect().await;
        assert!(
            matches!(&outcomes[..], [Ok(_), Err(ClientError::Status { status, .. })] if *status == 500),
            "{outcomes:?}"
        );
    }

    #[tokio::test]
    async fn a_null_page_is_an_empty_list() {
        let stub = Stub::table()
            .on("GET", CONTACTS, Response::json(200, &json!({ "data": null })))
            .start()
            .await;
        assert_eq!(client(&stub).contacts().collect::<Vec<_>>().await.len(), 0);
    }

    #[tokio::test]
    async fn a_stream_can_be_moved_to_another_task() {
        let stub = Stub::table()
            .on("GET", VISITS, Response::json(200, &json!({ "data": null })))
            .start()
            .await;
        let client = client(&stub);
        let visits = tokio::spawn(async move { client.get_visits().stream().count().await });
        assert_eq!(visits.await.unwrap(), 0);
    }
}

mod repeats {
    use super::*;

    #[tokio::test]
    async fn a_read_is_repeated_while_the_service_is_throttled() {
        for status in [429, 503] {
            let throttled = Response::status(status).header("retry-after", "0");
            let responses = vec![
                throttled.clone(),
                throttled,
                Response::json(200, &tag_page(1, 1, &["a"])),
            ];
            let stub = Stub::table().on_in_turn("GET", TAGS, responses).start().await;
            assert_eq!(client(&stub).tags().collect::<Vec<_>>().await.len(), 1);
            assert_eq!(stub.received().len(), 3);
        }
    }

    #[tokio::test]
    async fn a_long_wait_is_capped_and_the_attempts_are_counted() {
        let throttled = Response::status(429).header("retry-after", "86400");
        let stub = Stub::table().on("GET", TAGS, throttled).start().await;
        let start = Instant::now();
        let error = hasty(&stub).get_tags().send().await.unwrap_err();
        assert!(
            matches!(error, ClientError::Status { status, .. } if status == 429),
            "{error}"
        );
        assert_eq!(stub.received().len(), 4);
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[tokio::test]
    async fn the_time_that_is_asked_for_is_waited() {
        let throttled = Response::status(503).header("retry-after", "1");
        let responses = vec![throttled, Response::json(200, &tag_page(1, 1, &[]))];
        let stub = Stub::table().on_in_turn("GET", TAGS, responses).start().await;
        let start = Instant::now();
        client(&stub).get_tags().send().await.unwrap();
        assert!(start.elapsed() >= Duration::from_secs(1));
    }

    #[tokio::test]
    async fn a_write_is_never_repeated() {
        let id = "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52";
        for status in [429, 503] {
            let throttled = Response::status(status).header("retry-after", "0");
            let table = Stub::table().on("POST", TAGS, throttled.clone());
            let stub = table.on("PUT", &format!("{CONTACTS}/{id}"), throttled).start().await;
            let client = hasty(&stub);
            client
                .create_tag()
                .body(types::TagInput::default())
                .send()
                .await
                .unwrap_err();
            client
                .update_contact()
                .id(id)
                .body(types::ContactInput::default())
                .send()
                .await
                .unwrap_err();
            assert_eq!(stub.received().len(), 2);
        }
    }

    #[tokio::test]
    async fn other_errors_of_a_read_are_not_repeated() {
        for status in [400, 401, 404, 500, 502, 504] {
            let stub = Stub::table().on("GET", TAGS, Response::status(status)).start().await;
            hasty(&stub).get_tags().send().await.unwrap_err();
            assert_eq!(stub.received().len(), 1, "{status}");
        }
    }
}

mod bounds {
    use super::*;

    #[tokio::test]
    async fn a_response_that_never_ends_meets_the_deadline() {
        let unfinished = Response::json(200, &tag_page(1, 1, &[])).unfinished();
        let stub = Stub::table().on("GET", TAGS, unfinished).start().await;
        let mut settings = Settings::default();
        settings.deadline = Duration::from_millis(200);
        let client = Client::with_settings(&stub.url(), TOKEN.parse().unwrap(), settings).unwrap();
        let error = client.get_tags().send().await.unwrap_err();
        assert!(
            matches!(&error, ClientError::Transport(source) if source.is_timeout()),
            "{}",
            shown(&error)
        );
    }

    #[tokio::test]
    async fn a_response_beyond_the_bound_is_not_read() {
        let page = tag_page(1, 1, &["a"]);
        let stub = Stub::table().on("GET", TAGS, Response::json(200, &page)).start().await;
        let length = page.to_string().len();
        for (largest, fits) in [(length, true), (length - 1, false)] {
            let mut settings = Settings::default();
            settings.max_response_bytes = largest;
            let client = Client::with_settings(&stub.url(), TOKEN.parse().unwrap(), settings).unwrap();
            let outcome = client.get_tags().send().await;
            assert_eq!(outcome.is_ok(), fits);
            if let Err(error) = outcome {
                assert!(shown(&error).contains("is larger than"), "{}", shown(&error));
            }
        }
    }
}

mod settled {
    use countersign::client::reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
    use countersign::client::reqwest::redirect::Policy;
    use countersign::client::reqwest::{ClientBuilder, Proxy};

    use super::*;

    fn over(base_url: &str, http: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Client {
        Client::with(base_url, TOKEN.parse().unwrap(), Settings::default(), http).unwrap()
    }

    fn with_headers(stub: &Stub, headers: [(&'static str, &'static str); 2]) -> (Client, Settings) {
        let mut settings = Settings::default();
        for (name, value) in headers {
            settings.headers.append(name, HeaderValue::from_static(value));
        }
        let client = Client::with_settings(&stub.url(), TOKEN.parse().unwrap(), settings.clone());
        (client.unwrap(), settings)
    }

    async fn tags() -> Stub {
        let page = Response::json(200, &tag_page(1, 1, &["a"]));
        Stub::table().on("GET", TAGS, page).start().await
    }

    #[tokio::test]
    async fn an_http_client_of_ones_own_connects_as_it_says() {
        let stub = tags().await;
        let address = stub.url().strip_prefix("http://").unwrap().parse().unwrap();
        let url = "http://contacts.invalid";
        over(url, |http| http.resolve("contacts.invalid", address))
            .get_tags()
            .send()
            .await
            .unwrap();
        assert_eq!(stub.received().len(), 1);
        let unresolved = over(url, |http| http).get_tags().send().await.unwrap_err();
        assert!(unresolved.to_string().contains("does not resolve"), "{unresolved}");
    }

    #[tokio::test]
    async fn a_proxy_is_used_where_the_program_names_one() {
        let url = format!("http://contacts.invalid{TAGS}");
        let page = Response::json(200, &tag_page(1, 1, &[]));
        let proxy = Stub::table().on("GET", &url, page).start().await;
        over("http://contacts.invalid", |http| {
            http.proxy(Proxy::http(proxy.url()).unwrap())
        })
        .get_tags()
        .send()
        .await
        .unwrap();
        assert_eq!(proxy.received()[0].target(), url);
        let rejected = over("https://contacts.invalid", |http| {
            http.proxy(Proxy::https(proxy.url()).unwrap())
        });
        let error = rejected.get_tags().send().await.unwrap_err();
        let expected = "failed to get a complete response: the proxy did not open a tunnel to the service";
        assert_eq!(error.to_string(), expected);
        let tunnel = &proxy.received()[1];
        assert_eq!(tunnel.method(), "CONNECT");
        assert!(tunnel.header("authorization").is_empty(), "{}", tunnel.head);
    }

    #[tokio::test]
    async fn whatever_http_client_is_given_the_token_goes_to_the_origin_alone() {
        let elsewhere = tags().await;
        let redirect = Response::status(307).header("location", &format!("{}{TAGS}", elsewhere.url()));
        let stub = Stub::table().on("GET", TAGS, redirect).start().await;
        let other = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("Bearer another"))]);
        let client = over(&stub.url(), |http| {
            http.redirect(Policy::limited(5)).referer(true).default_headers(other)
        });
        let error = client.get_tags().send().await.unwrap_err();
        assert!(
            matches!(error, ClientError::Status { status, .. } if status == 307),
            "{error}"
        );
        assert!(elsewhere.received().is_empty());
        assert_eq!(stub.received()[0].header("authorization"), [format!("Bearer {TOKEN}")]);
    }

    #[tokio::test]
    async fn whatever_http_client_is_given_the_deadline_holds() {
        let unfinished = Response::json(200, &tag_page(1, 1, &[])).unfinished();
        let stub = Stub::table().on("GET", TAGS, unfinished).start().await;
        let mut settings = Settings::default();
        settings.deadline = Duration::from_millis(200);
        let token = TOKEN.parse().unwrap();
        let patient = |http: ClientBuilder| http.timeout(Duration::from_secs(3_600));
        let client = Client::with(&stub.url(), token, settings, patient).unwrap();
        let error = client.get_tags().send().await.unwrap_err();
        assert!(error.to_string().ends_with("the deadline passed"), "{error}");
    }

    #[tokio::test]
    async fn whatever_http_client_is_given_a_write_is_not_repeated() {
        let throttled = Response::status(503).header("retry-after", "0");
        let stub = Stub::table().on("POST", TAGS, throttled).start().await;
        let again = reqwest::retry::for_host("127.0.0.1").classify_fn(|answered| match answered.status() {
            Some(status) if status.is_success() => answered.success(),
            _ => answered.retryable(),
        });
        let client = over(&stub.url(), |http| http.retry(again));
        let call = client.create_tag().body(types::TagInput::default());
        call.send().await.unwrap_err();
        assert_eq!(stub.received().len(), 1);
    }

    #[tokio::test]
    async fn headers_go_out_with_every_request() {
        let table = Stub::table().on_each("GET", TAGS, |request| match asked_page(request) {
            1 => Response::json(200, &tag_page(1, 2, &["a"])),
            _ => Response::json(200, &tag_page(2, 2, &["b"])),
        });
        let throttled = Response::status(429).header("retry-after", "0");
        let responses = vec![throttled, Response::json(200, &json!({}))];
        let stub = table
            .on_in_turn("GET", VISITS, responses)
            .on("POST", TAGS, Response::json(201, &json!({})))
            .start()
            .await;
        let (client, _) = with_headers(&stub, [("x-source", "import"), ("x-source", "nightly")]);
        assert_eq!(client.tags().collect::<Vec<_>>().await.len(), 2);
        client.get_visits().send().await.unwrap();
        let tag = types::TagInput::default();
        client.create_tag().body(tag).send().await.unwrap();
        let received = stub.received();
        assert_eq!(received.len(), 5);
        for request in &received {
            assert_eq!(request.header("x-source"), ["import", "nightly"], "{}", request.head);
            assert_eq!(request.header("accept"), ["application/json"]);
        }
    }

    #[tokio::test]
    async fn headers_replace_what_the_client_sends_but_never_the_token() {
        let stub = tags().await;
        let (client, _) = with_headers(&stub, [("user-agent", "sample/1"), ("authorization", "Bearer another")]);
        client.get_tags().send().await.unwrap();
        let request = &stub.received()[0];
        assert_eq!(request.header("user-agent"), ["sample/1"]);
        assert_eq!(request.header("authorization"), [format!("Bearer {TOKEN}")]);
    }

    #[tokio::test]
    async fn no_debug_output_shows_the_value_of_a_header() {
        let stub = tags().await;
        let (client, settings) = with_headers(&stub, [("x-key", "5eed-key"), ("x-source", "import")]);
        let shown = format!("{client:?} {settings:?}");
        assert!(shown.contains("x-key") && !shown.contains("5eed-key"), "{shown}");
    }
}

mod errors {
    use super::*;

    #[tokio::test]
    async fn an_error_says_what_went_wrong_and_why() {
        let page = tag_page(1, 1, &["a"]);
        let stub = Stub::table()
            .on("GET", TAGS, Response::json(200, &page))
            .on("GET", VISITS, Response::json(200, &json!({})).unfinished())
            .on("GET", CONTACTS, Response::status(200).body("{"))
            .start()
            .await;
        let with = |set: fn(&mut Settings)| {
            let mut settings = Settings::default();
            set(&mut settings);
            Client::with_settings(&stub.url(), TOKEN.parse().unwrap(), settings).unwrap()
        };
        let small = with(|settings| settings.max_response_bytes = 20);
        let hurried = with(|settings| settings.deadline = Duration::from_millis(200));
        let of = |base_url: &str| Client::new(base_url, TOKEN.parse().unwrap()).unwrap();
        let cut = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let cut_url = format!("http://{}", cut.local_addr().unwrap());
        tokio::spawn(async move {
            loop {
                drop(cut.accept().await.unwrap());
            }
        });
        let why = |text: &str| format!("failed to get a complete response: {text}");
        let reported = |error: ClientError| error.to_string();
        for (error, expected) in [
            (
                small.get_tags().send().await.unwrap_err(),
                why("the response is larger than 20 bytes"),
            ),
            (
                hurried.get_visits().send().await.unwrap_err(),
                why("the deadline passed"),
            ),
            (
                small.get_contacts().send().await.unwrap_err(),
                "failed to read the response: not JSON of the documented types at line 1, column 1".to_owned(),
            ),
            (
                small.get_venues().send().await.unwrap_err(),
                "failed to get a success: the service answered with 404 Not Found".to_owned(),
            ),
            (
                of("http://127.0.0.1:1").get_tags().send().await.unwrap_err(),
                why("the connection could not be opened: connection refused"),
            ),
            (
                of("http://no-such-host.invalid").get_tags().send().await.unwrap_err(),
                why("the host's name does not resolve"),
            ),
            (
                of(&cut_url.replace("http", "https"))
                    .get_tags()
                    .send()
                    .await
                    .unwrap_err(),
                why("TLS failed: the target closed the connection in the handshake; is it a plain `http` address?"),
            ),
            (
                of(&cut_url).get_tags().send().await.unwrap_err(),
                why("the connection ended before the response was complete"),
            ),
            (
                Client::new("api.example.com", TOKEN.parse().unwrap()).unwrap_err(),
                "failed to use the base URL: the base URL has no scheme; it should look like `https://api.example.com`"
                    .to_owned(),
            ),
        ] {
            assert_eq!(reported(error), expected);
        }
    }

    #[tokio::test]
    async fn the_response_that_is_no_success_can_be_read() {
        for status in [401, 422, 409] {
            let rejection = Response::status(status).header("x-reason", "odd").body("why not");
            let stub = Stub::table().on("POST", TAGS, rejection).start().await;
            let call = client(&stub).create_tag().body(types::TagInput::default()).send().await;
            let error = call.unwrap_err();
            assert!(
                !shown(&error).contains("why not") && !shown(&error).contains("odd"),
                "{error:?}"
            );
            let ClientError::Status {
                status: reported,
                response,
            } = error
            else {
                panic!("{error}")
            };
            assert_eq!(reported, status);
            let response = response.into_inner();
            assert_eq!(
                (response.status(), &response.headers()["x-reason"]),
                (reported, &"odd".parse().unwrap())
            );
            assert_eq!(response.text().await.unwrap(), "why not");
        }
    }

    #[test]
    fn an_error_can_be_moved_to_another_thread() {
        fn movable<T: Send + Sync + 'static>() {}
        movable::<ClientError>();
    }
}

mod secrets {
    use super::*;

    #[tokio::test]
    async fn a_redirect_is_not_followed_and_the_token_goes_nowhere_else() {
        let elsewhere = Stub::table()
            .on("GET", TAGS, Response::json(200, &tag_page(1, 1, &[])))
            .start()
            .await;
        for status in [301, 302, 303, 307, 308] {
            let redirect = Response::status(status).header("location", &format!("{}{TAGS}", elsewhere.url()));
            let stub = Stub::table().on("GET", TAGS, redirect).start().await;
            let error = client(&stub).get_tags().send().await.unwrap_err();
            assert!(
                matches!(error, ClientError::Status { status: got, .. } if got == status),
                "{error}"
            );
            assert_eq!(stub.received().len(), 1);
        }
        assert!(elsewhere.received().is_empty());
    }

    #[tokio::test]
    async fn no_debug_output_shows_the_token() {
        let stub = Stub::table().start().await;
        let client = client(&stub);
        let tags = client.tags();
        let shown = format!("{client:?} {:?} {tags:?}", client.get_tags());
        assert!(!shown.contains(TOKEN), "{shown}");
    }

    #[tokio::test]
    async fn no_error_shows_token_url_or_body() {
        let stub = Stub::table()
            .on(
                "GET",
                TAGS,
                Response::status(401).body(TOKEN).header("www-authenticate", TOKEN),
            )
            .on("GET", VISITS, Response::json(200, &json!({ "data": TOKEN })))
            .on("GET", CONTACTS, Response::json(200, &json!({})).unfinished())
            .start()
            .await;
        let mut settings = Settings::default();
        settings.deadline = Duration::from_millis(200);
        let client = Client::with_settings(&stub.url(), TOKEN.parse().unwrap(), settings).unwrap();
        let gone = Client::new("http://127.0.0.1:1/prefix", TOKEN.parse().unwrap()).unwrap();
        let errors = [
            client.tags().try_next().await.unwrap_err(),
            client.visits().try_next().await.unwrap_err(),
            client.contacts().try_next().await.unwrap_err(),
            gone.tags().try_next().await.unwrap_err(),
        ];
        for error in &errors {
            let text = shown(error);
            for hidden in [TOKEN, "organization", "prefix", "url"] {
                assert!(!text.contains(hidden), "{text}");
            }
        }
        let errors_of_calls = [client.get_tags().send().await.err(), gone.get_tags().send().await.err()];
        for error in errors_of_calls {
            let text = shown(&error.unwrap());
            assert!(!text.contains(TOKEN) && !text.contains("prefix"), "{text}");
        }
        assert!(
            matches!(errors[1], ClientError::Decode { line: 1, .. }),
            "{}",
            shown(&errors[1])
        );
    }
}
