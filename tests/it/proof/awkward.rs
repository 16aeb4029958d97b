//! Valid but awkward values: what software does to them is found, in creates and in updates, and a service that
//! normalises or rejects them causes no finding.

use std::time::Duration;

use chrono::{DateTime, Datelike as _, FixedOffset, Timelike as _};
use countersign::report::{Outcome, VerdictRecord};
use serde_json::{Value, json};

use super::call::{Call, Reply, TOKEN};
use super::checked::{Check, Checked, described};
use super::deviating::{Deviation, laid};
use crate::support::{sampled, tried};

/// Changes each text that is sent and must come back.
fn each_text(body: &mut Value, change: &dyn Fn(&str) -> String) {
    let apply = |value: Option<&mut Value>| {
        if let Some(Value::String(text)) = value {
            *text = change(text);
        }
    };
    for field in ["firstname", "lastname", "name", "contact"] {
        apply(body.get_mut(field));
    }
    for method in body
        .get_mut("contact_methods")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        apply(method.get_mut("contact"));
    }
}

/// A service that does this to what it is sent at some operations.
fn spoiling(at: &'static [&'static str], change: impl Fn(&mut Value) + Send + Sync + 'static) -> Deviation {
    Deviation::none().asked(move |call| {
        if at.contains(&call.operation) && call.body().is_object() {
            let mut body = call.body();
            change(&mut body);
            call.set_body(&body);
        }
        None
    })
}

const EVERYWHERE: &[&str] = &["createContact", "updateContact", "createContactMethod", "createTag"];

type Spoil = fn(&str) -> String;

/// What software does to texts, each with what is said of it.
const TEXTS: [(&str, Spoil, &str); 29] = [
    (
        "escapes for a page",
        |text| text.replace('\'', "&#39;"),
        "came back as entities",
    ),
    (
        "escapes an ampersand",
        |text| text.replace('&', "&amp;"),
        "came back as entities",
    ),
    (
        "reads entities",
        |text| text.replace("&amp;", "&").replace("&#39;", "'"),
        "came back decoded",
    ),
    (
        "strips markup",
        |text| text.replace("<b>", "").replace("</b>", ""),
        "`<`",
    ),
    ("doubles a quote", |text| text.replace('\'', "''"), ""),
    (
        "takes quotation marks off",
        |text| {
            let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            quoted.unwrap_or(text).to_owned()
        },
        "",
    ),
    ("makes a path short", |text| text.replace("d/../", ""), ""),
    (
        "takes a hash sign off",
        |text| text.trim_start_matches('#').to_owned(),
        "",
    ),
    (
        "keeps the first of a list of addresses",
        |text| {
            let first = text.split(',').next().unwrap();
            if text.contains('@') && !text.contains(' ') {
                first
            } else {
                text
            }
            .to_owned()
        },
        "",
    ),
    (
        "counts with doubles",
        |text| match text.parse::<f64>() {
            Ok(number) if number > 1e16 && !text.contains('e') && text.len() < 20 => format!("{number:.0}"),
            _ => text.to_owned(),
        },
        "",
    ),
    (
        "makes a number of four digits or less none",
        |text| {
            if text == "420" {
                "420.0".to_owned()
            } else {
                text.to_owned()
            }
        },
        "",
    ),
    ("drops a backslash", |text| text.replace('\\', ""), "`\\`"),
    ("unescapes a backslash", |text| text.replace("\\n", "\n"), "`\\`"),
    ("decodes percent signs", |text| text.replace("%41", "A"), "`%`"),
    (
        "reads a plus sign as a blank",
        |text| text.replace('+', " "),
        "`+` came back as a space",
    ),
    (
        "cuts at a semicolon",
        |text| text.split(';').next().unwrap().to_owned(),
        "it was cut after",
    ),
    ("fills in a template", |text| text.replace("{{a}}", ""), "`{`"),
    ("makes a smiley a picture", |text| text.replace(":-)", "\u{1f642}"), ""),
    (
        "collapses blanks",
        |text| text.split_whitespace().collect::<Vec<_>>().join(" "),
        "spaces came back changed",
    ),
    (
        "writes names small",
        str::to_lowercase,
        "letters came back in another case",
    ),
    (
        "keeps three bytes a character",
        |text| text.chars().filter(|letter| letter.len_utf8() < 4).collect(),
        "",
    ),
    (
        "replaces what is not ASCII",
        |text| text.replace(|letter: char| !letter.is_ascii(), "?"),
        "were replaced",
    ),
    (
        "composes by compatibility",
        |text| text.replace('\u{fb01}', "fi"),
        "a character beyond ASCII",
    ),
    (
        "writes plain quotation marks",
        |text| text.replace(['\u{201c}', '\u{201d}'], "\""),
        "a character beyond ASCII",
    ),
    (
        "cuts at 50 characters",
        |text| text.chars().take(50).collect(),
        "it was cut after 50 characters",
    ),
    (
        "cuts at 255 characters",
        |text| text.chars().take(255).collect(),
        "it was cut after 255 characters",
    ),
    (
        "drops leading zeros",
        |text| text.strip_prefix("00").unwrap_or(text).to_owned(),
        "",
    ),
    (
        "takes null for nothing",
        |text| {
            if text == "null" {
                "nobody".to_owned()
            } else {
                text.to_owned()
            }
        },
        "",
    ),
    (
        "takes a zero for nothing",
        |text| {
            if text == "0" {
                "nobody".to_owned()
            } else {
                text.to_owned()
            }
        },
        "",
    ),
];

async fn checking(deviation: Deviation, seed: u64) -> Checked {
    with_seed(seed).run(deviation).await
}

fn with_seed(seed: u64) -> Check {
    Check {
        seed,
        ..Check::default()
    }
}

/// The same of an operation and what that needs; of all where everything is tried.
async fn checking_only(operation: &'static str, deviation: Deviation, seed: u64) -> Checked {
    let check = Check {
        seed,
        ..Check::concerning(operation)
    };
    check.run(deviation).await
}

/// Whichever seed it is: what is looked for is in every run.
fn seeds() -> impl Iterator<Item = u64> {
    (1..4).take(tried(1, 3))
}

fn stored_values(checked: &Checked) -> Vec<String> {
    let found = checked.denied().filter(|finding| finding.rule == "stored-values");
    found
        .map(|finding| format!("{} {}", finding.fact, finding.received))
        .collect()
}

fn all(checked: &Checked) -> Vec<String> {
    checked.record.findings.iter().map(described).collect()
}

#[tokio::test]
async fn what_software_does_to_texts_is_found_and_named() {
    for (turn, (name, spoil, how)) in TEXTS.into_iter().enumerate().step_by(tried(9, 1)) {
        // Whichever seed it is: these are in every run.
        let seed = u64::try_from(turn).unwrap();
        let spoiling = spoiling(EVERYWHERE, move |body| each_text(body, &spoil));
        let checked = checking_only("updateContact", spoiling, seed).await;
        let found = stored_values(&checked);
        assert_eq!(checked.astray("stored-values"), [""; 0], "{name}");
        assert!(found.iter().any(|found| found.contains(how)), "{name}: {found:?}");
    }
}

#[tokio::test]
async fn a_create_that_spoils_what_an_update_keeps_is_found() {
    for (create, field) in [
        ("createContact", "/firstname"),
        ("createContactMethod", "/contact"),
        ("createTag", "/name"),
    ] {
        let at: &'static [&'static str] = match create {
            "createContact" => &["createContact"],
            "createTag" => &["createTag"],
            _ => &["createContactMethod"],
        };
        for seed in seeds() {
            let escaping = spoiling(at, |body| each_text(body, &|text| text.replace('\'', "&#39;")));
            let checked = checking_only(create, escaping, seed).await;
            let found = stored_values(&checked);
            let fact = format!("{create} created /data{field}: as sent in {field}");
            let both = create == "createContact" && found.iter().any(|found| found.contains("/lastname"));
            assert!(
                both || found.iter().any(|found| found.starts_with(&fact)),
                "{create}: {found:?}"
            );
        }
    }
}

/// Changes the date of birth that is sent.
fn redated(change: fn(i64, i64, i64) -> (i64, i64, i64)) -> Deviation {
    spoiling(&["createContact", "updateContact"], move |body| {
        let part = |name: &str| body["date_of_birth"][name].as_i64();
        if let (Some(year), Some(month), Some(day)) = (part("year"), part("month"), part("day")) {
            let (year, month, day) = change(year, month, day);
            body["date_of_birth"] = json!({"year": year, "month": month, "day": day});
            body["dob"] = json!(format!("{year:04}-{month:02}-{day:02}"));
        }
    })
}

#[tokio::test]
async fn what_software_does_to_dates_is_found_and_reported_by_the_date() {
    type Redate = fn(i64, i64, i64) -> (i64, i64, i64);
    let ways: [(&str, Redate); 6] = [
        ("a leap day moves on", |year, month, day| {
            if (month, day) == (2, 29) {
                (year, 3, 1)
            } else {
                (year, month, day)
            }
        }),
        ("nobody is older than Unix time", |year, month, day| {
            if year < 1970 { (1970, 1, 1) } else { (year, month, day) }
        }),
        ("day and month are turned round", |year, month, day| {
            if day <= 12 {
                (year, day, month)
            } else {
                (year, month, day)
            }
        }),
        ("the year before at midnight", |year, month, day| {
            if (month, day) == (1, 1) {
                (year - 1, 12, 31)
            } else {
                (year, month, day)
            }
        }),
        ("the year that ISO's weeks count to", |year, month, day| {
            if (month, day) == (12, 31) && year == 1984 {
                (year + 1, month, day)
            } else {
                (year, month, day)
            }
        }),
        ("years of two digits", |year, month, day| {
            if year < 1930 {
                (year + 100, month, day)
            } else {
                (year, month, day)
            }
        }),
    ];
    for (name, redate) in sampled(2, ways) {
        for seed in seeds() {
            let checked = checking_only("updateContact", redated(redate), seed).await;
            let found = stored_values(&checked);
            assert!(
                found
                    .iter()
                    .any(|found| found.contains("the one that was sent is part of the date ")),
                "{name}: {found:?}"
            );
        }
    }
}

#[tokio::test]
async fn what_software_does_to_instants_is_found_and_reported() {
    type Move = fn(&str) -> String;
    let ways: [(&str, Move, &str); 6] = [
        (
            "the year of the text is kept",
            |text| {
                let instant = DateTime::parse_from_rfc3339(text).unwrap().to_utc();
                format!("{}{}", &text[..4], &instant.to_rfc3339()[4..])
            },
            "string(",
        ),
        (
            "32 bits",
            |text| match DateTime::parse_from_rfc3339(text) {
                Ok(instant) if instant.timestamp() > i64::from(i32::MAX) => "1901-12-13T20:45:52Z".to_owned(),
                _ => text.to_owned(),
            },
            "string(",
        ),
        (
            "offsets end at twelve hours",
            |text| text.replace("+13:00", "+12:00"),
            "string(",
        ),
        (
            "seconds are lost",
            |text| format!("{}:00{}", &text[..16], &text[19..]),
            "its seconds are lost",
        ),
        (
            "the offset is not applied",
            |text| format!("{}Z", &text[..19]),
            "its offset was not applied",
        ),
        (
            "the offset is applied the other way",
            |text| {
                let turned = if text[19..].starts_with('+') { "-" } else { "+" };
                if text.ends_with('Z') {
                    text.to_owned()
                } else {
                    format!("{}{turned}{}", &text[..19], &text[20..])
                }
            },
            "its offset was applied the other way",
        ),
    ];
    for (name, change, how) in sampled(2, ways) {
        for seed in seeds() {
            let moving = spoiling(&["createVisit"], move |body| {
                if let Some(text) = body["datetime"].as_str().filter(|text| text.len() > 19) {
                    body["datetime"] = json!(change(text));
                }
            });
            let found = stored_values(&checking_only("createVisit", moving, seed).await);
            assert!(found.iter().any(|found| found.contains(how)), "{name}: {found:?}");
        }
    }
}

#[tokio::test]
async fn a_form_of_response_that_cannot_name_the_instant_is_found_and_one_that_may_is_not() {
    type Show = fn(&str) -> String;
    let ways: [(&str, Show, Option<&str>); 4] = [
        (
            "the date alone",
            |text| text[..10].to_owned(),
            Some("only a date came back, so its time of day is lost"),
        ),
        (
            "the hour, without an offset",
            |text| format!("{}:00", &text[..13]),
            Some("its minutes are others in every time zone"),
        ),
        ("without an offset", |text| text[..19].to_owned(), None),
        ("a point in place of a colon", |text| text.replace(':', "."), None),
    ];
    for (name, show, how) in ways {
        let showing = Deviation::none().at("createVisit", move |_, reply| {
            let record = reply.value_mut().and_then(|body| body.get_mut("data"));
            let at = record.and_then(|record| record.get_mut("datetime"));
            if let Some(Value::String(text)) = at {
                *text = show(text);
            }
        });
        let found = stored_values(&checking_only("createVisit", showing, 1).await);
        let is_found = how.is_some_and(|how| found.iter().any(|found| found.contains(how)));
        assert_eq!(
            (is_found, found.is_empty()),
            (how.is_some(), how.is_none()),
            "{name}: {found:?}"
        );
    }
}

#[tokio::test]
async fn a_form_is_not_reported_to_be_rejected_for_the_instant_that_it_names() {
    type Reject = fn(&str, DateTime<FixedOffset>) -> bool;
    let ways: [(&str, Reject); 6] = [
        ("too long ago", |text, _| text < "2024-05-01"),
        ("closed at that hour", |_, at| !(9..22).contains(&at.to_utc().hour())),
        ("closed at that local hour", |_, at| !(9..20).contains(&at.hour())),
        ("closed on that day", |_, at| at.weekday().num_days_from_monday() > 2),
        ("open at night", |_, at| !(20..24).contains(&at.to_utc().hour())),
        ("open late", |_, at| !(11..20).contains(&at.to_utc().hour())),
    ];
    for ((name, reject), seed) in ways.into_iter().flat_map(|way| seeds().map(move |seed| (way, seed))) {
        let rejecting = Deviation::none().answering(move |call: &Call| {
            let body = call.body();
            let at = body["datetime"].as_str().filter(|_| call.is("createVisit"))?;
            let rejected = reject(at, DateTime::parse_from_rfc3339(at).ok()?);
            rejected.then(|| Reply::json(422, json!({"message": name})))
        });
        let checked = checking(rejecting, seed).await;
        assert!(checked.record.findings.is_empty(), "{name}: {:?}", all(&checked));
        let forms = checked.rows("accepted-format");
        assert!(forms.clone().all(|row| row.verdict == VerdictRecord::Held), "{name}");
        assert_eq!(forms.count(), 2);
    }
}

#[tokio::test]
async fn a_form_is_not_reported_to_be_rejected_by_a_target_that_is_full() {
    for room in [1, 2] {
        let sent = std::sync::atomic::AtomicUsize::new(0);
        let full = Deviation::none().answering(move |call: &Call| {
            let is_create = call.is("createVisit") && call.body().is_object();
            let number = sent.fetch_add(usize::from(is_create), std::sync::atomic::Ordering::Relaxed);
            (is_create && number >= room).then(|| Reply::json(422, json!({"message": "too many visits"})))
        });
        let checked = checking(full, 1).await;
        assert!(checked.denied().next().is_none(), "{room}: {:?}", all(&checked));
        let mut verdicts = checked.rows("accepted-format").map(|row| row.verdict);
        assert_eq!(verdicts.next(), Some(VerdictRecord::Held), "{room}");
    }
}

#[tokio::test]
async fn an_offset_that_is_rejected_is_reported_and_a_future_instant_or_a_full_target_is_not() {
    type Reject = fn(&str, usize) -> bool;
    let ways: [(&str, Reject, bool); 5] = [
        ("a large offset", |at, _| at.ends_with("+13:00"), true),
        ("a sign", |at, _| at.rfind('-').is_some_and(|sign| sign > 10), true),
        (
            "an unusual offset",
            |at, _| at.contains('+') && !at.ends_with("+02:00"),
            true,
        ),
        ("an instant in the future", |at, _| at > "2030", false),
        ("every visit after the second", |_, number| number > 2, false),
    ];
    for (name, reject, is_reported) in ways {
        let number = std::sync::atomic::AtomicUsize::new(0);
        let rejecting = Deviation::none().answering(move |call: &Call| {
            let body = call.body();
            let at = body["datetime"]
                .as_str()
                .filter(|at| call.is("createVisit") && at.len() > 19)?;
            let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            reject(at, number).then(|| Reply::json(422, json!({"message": "rejected"})))
        });
        // With this seed, a create at such an offset is among the few that are sent.
        let seed = if name == "an unusual offset" { 3 } else { 1 };
        let checked = checking(rejecting, seed).await;
        let found: Vec<_> = checked.record.findings.iter().map(|finding| &finding.fact).collect();
        let forms: Vec<_> = checked.rows("accepted-format").map(|row| row.verdict).collect();
        let expected = if is_reported {
            assert_eq!(found, ["createVisit accepts /datetime: numeric offset"], "{name}");
            [VerdictRecord::Held, VerdictRecord::Broken]
        } else {
            assert!(found.is_empty(), "{name}: {found:?}");
            [VerdictRecord::Held, VerdictRecord::Held]
        };
        assert_eq!(forms, expected, "{name}");
    }
}

#[tokio::test]
async fn a_leap_day_that_alone_is_rejected_is_reported() {
    for seed in seeds() {
        let rejecting = Deviation::none().answering(move |call: &Call| {
            let body = call.body();
            let at = body["datetime"].as_str().filter(|_| call.is("createVisit"))?;
            let is_rejected = at.starts_with("2024-02-29");
            is_rejected.then(|| Reply::json(422, json!({"message": "no such day"})))
        });
        let checked = checking(rejecting, seed).await;
        let found: Vec<_> = checked.record.findings.iter().collect();
        let received: Vec<_> = found.iter().map(|finding| finding.received.as_str()).collect();
        assert_eq!(received, ["422 for a 29 February"], "{:?}", all(&checked));
        assert_eq!(found[0].rule, "accepted-format");
    }
}

fn rejecting(is_rejected: impl Fn(&str) -> bool + Send + Sync + 'static) -> Deviation {
    Deviation::none().answering(move |call: &Call| {
        let mut body = call.body();
        let mut rejected = false;
        if call.is_write() && body.is_object() {
            let seen = std::cell::Cell::new(false);
            each_text(&mut body, &|text| {
                seen.set(seen.get() || is_rejected(text));
                text.to_owned()
            });
            rejected = seen.get();
        }
        rejected.then(|| Reply::json(422, json!({"message": "rejected"})))
    })
}

#[tokio::test]
async fn a_service_that_rejects_some_of_them_is_left_alone_and_shown_the_rest() {
    type Reject = fn(&str) -> bool;
    let ways: [(&str, Reject); 6] = [
        ("markup", |text| text.contains(['<', '>', '&'])),
        ("names over 50 characters", |text| text.chars().count() > 50),
        ("what is not ASCII", |text| !text.is_ascii()),
        ("digits", |text| {
            !text.contains('@') && text.contains(|letter: char| letter.is_ascii_digit())
        }),
        ("all but letters", |text| {
            !text.contains('@') && text.contains(|letter: char| !letter.is_alphabetic() && !matches!(letter, ' ' | '-'))
        }),
        ("any awkward one", |text| text.contains(' ')),
    ];
    for (name, reject) in sampled(2, ways) {
        let checked = checking_only("updateContact", rejecting(reject), 1).await;
        assert_eq!(checked.outcome(), Outcome::Conforms, "{name}: {:?}", all(&checked));
        assert!(checked.record.findings.is_empty(), "{name}: {:?}", all(&checked));
        assert!(checked.record.residue.len() <= 12, "{name}");
    }
    // What is rejected hides nothing else: here a service that rejects markup, and doubles quotes.
    let rejecting = rejecting(|text| text.contains('<')).asked(|call| {
        let mut body = call.body();
        if call.is("updateContact") && body.is_object() {
            each_text(&mut body, &|text| text.replace('"', "\"\""));
            call.set_body(&body);
        }
        None
    });
    let found = stored_values(&checking_only("updateContact", rejecting, 1).await);
    assert!(!found.is_empty(), "{found:?}");
}

/// Whether a text is as the run writes it plainly.
fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "-.@".contains(letter))
}

#[tokio::test]
async fn what_stays_in_the_updated_record_is_plain_and_elsewhere_without_markup() {
    for seed in seeds() {
        let checked = with_seed(seed).undisturbed().await;
        let updates = checked
            .calls
            .iter()
            .filter(|call| call.is("updateContact") && call.is_authorized());
        let last = updates.last().unwrap().body();
        for name in ["firstname", "lastname"] {
            assert!(last[name].as_str().is_some_and(is_plain), "{last}");
        }
        assert!(
            last["contact_methods"][0]["contact"].as_str().is_some_and(is_plain),
            "{last}"
        );
        for create in ["createContact", "createContactMethod", "createTag"] {
            let creates = checked
                .calls
                .iter()
                .filter(|call| call.is(create) && call.body().is_object());
            let text: String = creates.map(|call| call.body().to_string()).collect();
            // No browser takes a bracket before a digit for a tag.
            let text = text.replace("1<2>1", "");
            assert!(text.contains('\'') && !text.contains(['<', '>']), "{create}: {text}");
        }
    }
}

#[tokio::test]
async fn what_is_sent_is_inert() {
    for seed in (1..6).take(tried(1, 5)) {
        let checked = with_seed(seed).undisturbed().await;
        for call in checked.calls.iter().filter(|call| call.is_write()) {
            let text = String::from_utf8_lossy(&call.bytes).to_lowercase();
            for bad in [
                "script", "onerror", "onload", "javascript:", "drop ", "delete ", "select ", "union ", "../..", " ..",
                "$(",
            ] {
                assert!(!text.contains(bad), "{bad}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_too_long_for_the_schema_does_not_keep_the_rest_from_an_update() {
    let document = include_str!("../../../openapi.yaml");
    let named = "x-synthetic: Countersign-{run_tag}\n";
    let limited = document.replace(named, &format!("{named}          maxLength: 100\n"));
    assert_ne!(limited, document);
    let doubling = spoiling(&["updateContact"], |body| {
        each_text(body, &|text| text.replace('\'', "''"));
    });
    let (router, _) = laid(doubling).await;
    let check = countersign::Check::new(countersign::Contract::read("openapi.yaml", limited).unwrap());
    let check = check.service(router).token(TOKEN).writes(true).only("updateContact");
    let report = check.seed(1).settle(Duration::from_millis(200)).run().await.unwrap();
    let findings = report.record().findings.iter();
    let found: Vec<_> = findings
        .filter(|finding| finding.rule == "stored-values")
        .map(described)
        .collect();
    assert!(!found.is_empty(), "{report:?}");
}
