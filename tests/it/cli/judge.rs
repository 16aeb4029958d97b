//! `countersign judge`: recorded traffic from the command line. What it decides is in [`traffic`](crate::traffic).

use serde_json::{Value, json};

use super::formats::{EVERY_FORMAT, each_is_valid};
use super::support::{Call, check, concerning, countersign};
use super::target::Target;
use crate::support::leaks::Canary;

const TAGS: &str = "https://contacts.example.com/organization/v1/tags";

fn entry(url: &str, status: u16, body: &str) -> Value {
    json!({
        "startedDateTime": "2026-05-04T09:30:00Z",
        "time": 3,
        "request": {"method": "GET", "url": url, "headers": []},
        "response": {
            "status": status,
            "headers": [{"name": "Content-Type", "value": "application/json"}],
            "content": {"text": body},
        },
    })
}

fn tags(id: &Value) -> String {
    json!({"data": {"items": [{"id": id, "name": "a"}], "page": 1, "per_page": 5, "total": 1, "last_page": 1}})
        .to_string()
}

fn archive(entries: &[Value]) -> String {
    json!({"log": {"version": "1.2", "entries": entries}}).to_string()
}

/// `countersign judge a.har` with these arguments, where the file has this content.
fn judge(content: &str, arguments: &[&str]) -> Call {
    countersign(&[&["judge", "a.har"], arguments].concat()).file("a.har", content)
}

fn sound() -> String {
    archive(&[entry(TAGS, 200, &tags(&json!("t-1")))])
}

fn broken() -> String {
    archive(&[
        entry(TAGS, 200, &tags(&json!("t-1"))),
        entry(TAGS, 200, &tags(&json!(7))),
    ])
}

#[test]
fn a_recording_of_a_check_is_judged_and_a_finding_names_its_entry() {
    let target = Target::sound();
    let recorded = check(&target.url(), &["--report", "har=run.har", "--show-values"]).run();
    let har = std::fs::read_to_string(recorded.path().join("run.har")).unwrap();
    let ended = judge(&har, &[]).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.stdout.starts_with(&format!(
            "{} conforms in 4 of 9 operations; 5 were not selected\n",
            target.url()
        )),
        "{ended:?}"
    );
    assert!(!ended.stdout.contains("  requests "), "{ended:?}");

    let ended = judge(&broken(), &[]).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("= recorded: entry 2 of a.har\n"), "{ended:?}");
    assert!(
        ended
            .stdout
            .contains("  traffic   2 of 2 entries in a.har were judged\n"),
        "{ended:?}"
    );
}

#[test]
fn every_report_names_the_entry_of_each_finding_of_a_group() {
    let unnamed = tags(&json!("t-1")).replace("\"a\"", "7");
    let of_name = entry(TAGS, 200, &unnamed);
    let of_id = entry(TAGS, 200, &tags(&json!(7)));
    let traffic = archive(&[entry(TAGS, 200, &tags(&json!("t-1"))), of_name, of_id]);
    let ended = judge(&traffic, &EVERY_FORMAT).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    each_is_valid(&ended);
    let read = |name: &str| std::fs::read_to_string(ended.path().join(name)).unwrap();
    for (name, text) in [
        ("terminal", ended.stdout.clone()),
        ("github", read("run.log")),
        ("html", read("report.html")),
        ("junit", read("junit.xml")),
        ("markdown", read("report.md")),
        ("sarif", read("report.sarif")),
    ] {
        for entry in [2, 3] {
            let recorded = format!("recorded: entry {entry} of a.har");
            assert!(text.contains(&recorded), "{name}: {text}");
        }
        assert!(!text.contains("entry 1 of a.har"), "{name}: {text}");
    }
    let report: Value = serde_json::from_str(&read("report.sarif")).unwrap();
    let result = &report["runs"][0]["results"][0];
    assert_eq!(
        result["properties"]["recordedIn"],
        json!({"file": "a.har", "entry": 3}),
        "{result}"
    );
    let related = result["relatedLocations"][0]["message"]["text"].as_str().unwrap();
    assert!(
        related.contains("/name: string") && related.ends_with("; recorded: entry 2 of a.har"),
        "{result}"
    );
}

#[test]
fn an_archive_of_ours_with_shapes_is_not_taken_for_values() {
    let target = Target::sound();
    let recorded = check(&target.url(), &["--report", "har=run.har"]).run();
    let har = std::fs::read_to_string(recorded.path().join("run.har")).unwrap();
    let ended = judge(&har, &[]).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.stdout.contains("the recording of the response lacks its body"),
        "{ended:?}"
    );
}

#[test]
fn a_body_in_another_file_is_unknown_and_the_file_is_not_read() {
    let mut attached = entry(TAGS, 200, "");
    attached["response"]["content"] = json!({"size": 9, "mimeType": "application/json", "_file": "body.json"});
    let ended = judge(&archive(&[attached]), &[])
        .file("body.json", "{\"data\": 7}")
        .run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.stdout.contains("the recording of the response lacks its body"),
        "{ended:?}"
    );
}

#[test]
fn levels_and_acceptances_apply_as_in_a_check() {
    assert_eq!(judge(&broken(), &["--allow", "wrong-type"]).run().code, 0);
    assert_eq!(judge(&broken(), &["--warn", "wrong-type"]).run().code, 0);
    assert_eq!(judge(&sound(), &["--require-facts", "90"]).run().code, 3);
    let accepted = "[[levels]]\nrule = \"wrong-type\"\nlevel = \"warn\"\nreason = \"known\"\n";
    let ended = judge(&broken(), &[]).file("countersign.toml", accepted).run();
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn what_cannot_be_judged_is_said_with_what_to_do() {
    let elsewhere = archive(&[entry("https://cdn.example.com/app.js", 200, "{}")]);
    let two = archive(&[
        entry(TAGS, 200, "{}"),
        entry(&TAGS.replace("contacts", "staging"), 200, "{}"),
    ]);
    for (content, code, message) in [
        (
            elsewhere.as_str(),
            3,
            "no entry of the traffic calls an operation of the contract (1 call no operation",
        ),
        ("{\"log\": {\"entries\": []}}", 3, "the traffic has no entries"),
        ("", 3, "the traffic has no entries"),
        (
            "hello",
            2,
            "failed to read the traffic from `a.har`: line 1, column 1: this is not an entry",
        ),
        ("[]", 2, "is JSON, but no HTTP archive"),
        ("{}\n{\"a\": 1}", 2, "is JSON, but no HTTP archive"),
        (
            &two,
            2,
            "at several origins (https://contacts.example.com, https://staging.example.com); choose one with --base-url",
        ),
    ] {
        let ended = judge(content, &[]).run();
        assert_eq!(ended.code, code, "{content}: {ended:?}");
        assert!(ended.stderr.contains(message), "{content}: {ended:?}");
    }
    let named = judge(&two, &["--base-url", "https://staging.example.com"]).run();
    assert!(
        named
            .stdout
            .contains("1 of 2 entries in a.har was judged; 1 went to another origin"),
        "{named:?}"
    );
    let other = judge(&two, &["--base-url", "http://other.example.com"]).run();
    let reason = "could not be judged: none of the 2 entries went to http://other.example.com\n";
    let note = "note: operations were called at https://contacts.example.com, https://staging.example.com\n";
    assert!(other.code == 3 && other.stdout.contains(reason), "{other:?}");
    assert_eq!(other.stderr, note);
    let cut = judge(&sound()[..sound().len() - 2], &[]).run();
    assert_eq!((cut.code, cut.stdout.contains("no fact")), (3, false), "{cut:?}");
    let missing = countersign(&["judge", "none.har"]).run();
    assert!(
        missing.code == 2 && missing.stderr.contains("failed to read the traffic from `none.har`"),
        "{missing:?}"
    );
}

#[test]
fn a_flag_that_would_send_or_show_something_is_an_error() {
    for flag in [
        "--writes", "--cleanup", "--show-values", "--seed=1", "--max-writes=2", "--only=getTags",
        "--overlay=known.yaml", "--wait=3",
    ] {
        let ended = judge(&sound(), &[flag]).run();
        let name = flag.split('=').next().unwrap();
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(
            ended.stderr.contains(&format!("{name} does not apply to `judge`")),
            "{ended:?}"
        );
    }
    let overwriting = judge(&sound(), &["--report", "json=a.har"]).run();
    assert_eq!(overwriting.code, 2, "{overwriting:?}");
}

#[test]
fn no_value_of_the_traffic_and_no_name_from_it_is_printed() {
    let canary = Canary::fresh("traffic");
    let person = json!({
        "id": canary.id, "firstname": canary.firstname, "lastname": [canary.lastname], "email": canary.email,
        canary.firstname.clone(): canary.phone, canary.lastname.clone(): {"street": canary.street},
    });
    let page = json!({"data": {"items": [person.clone(), 7], "page": canary.street, canary.lastname.clone(): 1}, canary.email.clone(): 2});
    let contacts = "https://contacts.example.com/organization/v1/contact-database";
    let mut entries = vec![
        entry(contacts, 200, &page.to_string()),
        entry(
            &format!(
                "{contacts}/{}?search={}&page={}",
                canary.id, canary.lastname, canary.phone
            ),
            500,
            &person.to_string(),
        ),
        entry(
            &format!("https://contacts.example.com/{}", canary.lastname),
            200,
            &canary.street,
        ),
        entry(TAGS, 200, &canary.street),
    ];
    let create = json!({"message": canary.lastname, "data": person});
    let mut write = entry(contacts, 201, &create.to_string());
    write["request"]["method"] = "POST".into();
    write["request"]["postData"] = json!({"text": person.to_string()});
    let mut failed = write.clone();
    failed["response"]["status"] = json!(500);
    entries.extend([write, failed]);
    for entry in &mut entries {
        entry["request"]["headers"] = json!([
            {"name": "Authorization", "value": format!("Bearer {}", canary.token)},
            {"name": "Cookie", "value": format!("session={}", canary.token)},
        ]);
        let headers = entry["response"]["headers"].as_array_mut().unwrap();
        headers.push(json!({"name": "Set-Cookie", "value": canary.token}));
        headers.push(json!({"name": "Location", "value": canary.id}));
    }
    let ended = judge(&archive(&entries), &[&EVERY_FORMAT[..], &["--verbose"]].concat()).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    let scanner = canary.scanner();
    scanner.assert_clean("standard output", ended.stdout.as_bytes());
    scanner.assert_clean("standard error", ended.stderr.as_bytes());
    for name in ended.files().into_iter().filter(|name| name != "a.har") {
        scanner.assert_clean(&name, &std::fs::read(ended.path().join(&name)).unwrap());
    }
}

#[test]
fn a_check_that_only_reads_and_the_traffic_of_one_that_wrote_decide_together_what_either_does() {
    let target = Target::sound();
    let writing = ["--writes", "--report", "har=run.har", "--show-values"];
    let wrote = check(
        &target.url(),
        &[&writing[..], &concerning("createContactMethod")].concat(),
    )
    .run();
    let har = std::fs::read_to_string(wrote.path().join("run.har")).unwrap();
    let report = |ended: &super::support::Ended| std::fs::read_to_string(ended.path().join("report.json")).unwrap();
    let of_check = report(&check(&target.url(), &["--report", "json=report.json"]).run());
    let of_traffic = report(&judge(&har, &["--report", "json=report.json"]).run());
    let merged = |files: &[&str], arguments: &[&str]| {
        let call = countersign(&[&["merge"], files, arguments].concat());
        call.file("check.json", &of_check)
            .file("traffic.json", &of_traffic)
            .run()
    };
    let arguments = ["--report", "json=report.json", "--report", "terminal"];
    let both = merged(&["check.json", "traffic.json"], &arguments);
    assert_eq!(both.code, 0, "{both:?}");
    assert!(both.stdout.contains("  traffic   "), "{both:?}");
    let held = |text: &str| {
        let record: Value = serde_json::from_str(text).unwrap();
        let rows = record["facts"]["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["verdict"] == "held").collect::<Vec<_>>()
    };
    let (check, traffic, joined) = (held(&of_check), held(&of_traffic), held(&report(&both)));
    let either: Vec<_> = check.iter().zip(&traffic).map(|(one, other)| *one || *other).collect();
    assert_eq!(joined, either);
    let count = |held: &[bool]| held.iter().filter(|held| **held).count();
    assert!(
        count(&joined) > count(&check) && count(&joined) > count(&traffic),
        "{both:?}"
    );
    let turned = merged(&["traffic.json", "check.json"], &arguments);
    assert_eq!(report(&turned), report(&both));

    let twice = merged(&["traffic.json", "traffic.json"], &[]);
    assert!(twice.is_one_error(2).contains("are the same report"), "{twice:?}");

    let elsewhere = judge(&sound(), &["--report", "json=report.json"]).run();
    let call = countersign(&["merge", "check.json", "other.json"]);
    let refused = call
        .file("check.json", &of_check)
        .file("other.json", report(&elsewhere))
        .run();
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("differ in their target"), "{refused:?}");
}

#[test]
fn a_finding_about_a_write_is_checked_with_writes_and_no_option_of_another_command_is_named() {
    let mut failed = entry(TAGS, 500, "{}");
    failed["request"]["method"] = json!("POST");
    let odd = entry(TAGS, 200, r#"{"data": {"items": []}, "Ada Example": 1}"#);
    let ended = judge(&archive(&[failed, odd]), &[]).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("--writes --only 'createTag'"), "{ended:?}");
    assert!(ended.stdout.contains("<undocumented name(11)>"), "{ended:?}");
    assert!(!ended.stdout.contains("show-values"), "{ended:?}");
}
