//! Every report format, from a real run: it is valid according to the format's own schema, a reader of the format opens
//! it, and all formats agree with the JSON report.

use std::collections::BTreeSet;
use std::process::Command;

use quick_junit::{Report, TestCaseStatus};
use serde_json::Value;

use super::stub::{Stub, sound};
use super::support::{Ended, check, concerning, countersign};
use super::target::Target;
use crate::support::{archive, is_exhaustive};

/// The file of GitHub's annotations.
pub(super) const ANNOTATIONS: &str = "run.log";

/// Has every format written.
pub(super) const EVERY_FORMAT: [&str; 16] = [
    "--report", "terminal", "--report", "github=run.log", "--report", "har=run.har", "--report", "html=report.html",
    "--report", "json=report.json", "--report", "junit=junit.xml", "--report", "markdown=report.md", "--report",
    "sarif=report.sarif",
];

/// Of every format's arguments the machine's, and those of one other: the next in turn. All of them where everything is
/// tried.
pub(super) fn formats_in_turn(turn: usize) -> Vec<&'static str> {
    if is_exhaustive() {
        return EVERY_FORMAT.to_vec();
    }
    let formats = EVERY_FORMAT.chunks_exact(2);
    let (machine, others): (Vec<_>, Vec<_>) = formats.partition(|format| format[1] == "json=report.json");
    [machine[0], others[turn % others.len()]].concat()
}

const DROPPED: &str = "getContacts/data/items/each/firstname:dropped";

fn read(ended: &Ended, name: &str) -> String {
    std::fs::read_to_string(ended.path().join(name)).unwrap()
}

fn parsed(ended: &Ended, name: &str) -> Value {
    serde_json::from_str(&read(ended, name)).unwrap()
}

#[track_caller]
pub(super) fn keeps(schema: &Value, report: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(report)
        .map(|error| format!("{} {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// The schema of SARIF without the pattern for languages, which our reports do not name: as it is published it has a
/// bracket too many and is no pattern.
pub(super) fn sarif_schema() -> Value {
    let mut schema: Value = serde_json::from_str(include_str!("../schemas/sarif-2.1.0.json")).unwrap();
    for definition in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][definition]["properties"]["language"];
        language.as_object_mut().unwrap().remove("pattern").unwrap();
    }
    schema
}

/// Holds a JUnit report to the schema that Jenkins holds it to. That needs `xmllint` of libxml2, as the gate has it; a
/// machine without it says that this was not tested.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the gate says by a variable that the schema has to be tested, and a person is told that it was not"
)]
#[track_caller]
fn keeps_the_schema_of_jenkins(ended: &Ended) {
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/schemas/junit-10.xsd");
    let lint = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema", schema])
        .arg(ended.path().join("junit.xml"))
        .output();
    match lint {
        Ok(lint) => assert!(
            lint.status.success(),
            "{}\n{}",
            String::from_utf8_lossy(&lint.stderr),
            read(ended, "junit.xml")
        ),
        Err(error) => {
            assert!(std::env::var_os("COUNTERSIGN_TEST_XMLLINT").is_none(), "{error}");
            eprintln!("NOT TESTED: the JUnit schema, because xmllint (Debian's libxml2-utils) is missing");
        }
    }
}

/// Has Microsoft's SARIF Multitool open a SARIF report, which code scanning reads by the same library. That needs a
/// program of the npm registry, as the gate has it; a machine without it says that nothing opened the report.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the gate says by a variable where the program is, and a person is told that there was none"
)]
#[track_caller]
fn opens_in_a_reader_of_sarif(ended: &Ended) {
    let Some(program) = std::env::var_os("COUNTERSIGN_TEST_SARIF_MULTITOOL") else {
        eprintln!("NOT TESTED: the SARIF report in a reader; `.ci/with-sarif-multitool` has one");
        return;
    };
    let reported = Command::new(program)
        .arg("validate")
        .arg(ended.path().join("report.sarif"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&reported.stdout);
    assert!(text.contains("Analysis completed successfully."), "{reported:?}");
    // We have no page on the web to name (SARIF2005).
    let judged = |line: &str| line.contains("): error ") || line.contains("): warning ");
    let about = |line: &&str| judged(line) && !line.contains(" SARIF2005: ");
    assert_eq!(text.lines().find(about), None, "{text}");
}

/// Holds each report of a run with [`EVERY_FORMAT`] to its format.
#[track_caller]
pub(super) fn each_is_valid(ended: &Ended) {
    opens_in_a_reader_of_sarif(ended);
    keeps(&sarif_schema(), &parsed(ended, "report.sarif"));
    keeps(&archive::schema(), &parsed(ended, "run.har"));
    keeps_the_schema_of_jenkins(ended);
    let text = read(ended, "report.md");
    assert!(text.len() < 64 << 10 && text.starts_with("### "), "{text}");
    for line in read(ended, "run.log").lines() {
        let name = line.strip_prefix("::").and_then(|line| line.split(' ').next());
        assert!(matches!(name, Some("error" | "warning" | "notice")), "{line}");
    }
}

fn junit(ended: &Ended) -> Report {
    Report::deserialize(read(ended, "junit.xml").as_bytes()).unwrap()
}

#[test]
fn a_finding_is_the_same_in_every_report() {
    let ended = countersign(
        &[
            &["check", "--seed", "1", "--only", "getContacts", "--fault", DROPPED][..],
            &EVERY_FORMAT,
        ]
        .concat(),
    )
    .run();
    assert_eq!(ended.code, 1, "{ended:?}");
    each_is_valid(&ended);
    let record = ended.json("report.json");
    let findings = record["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    let (log, markdown) = (read(&ended, "run.log"), read(&ended, "report.md"));
    let page = read(&ended, "report.html");
    let sarif = parsed(&ended, "report.sarif");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), findings.len());
    assert_eq!(page.matches("id=\"finding-").count(), findings.len());
    for (finding, result) in findings.iter().zip(results) {
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startLine"], finding["contract_line"]);
        assert_eq!(result["ruleId"], finding["rule"]);
        let text = |name: &str| finding[name].as_str().unwrap();
        assert!(
            log.contains(&format!("file=openapi.yaml,line={},", finding["contract_line"])),
            "{log}"
        );
        assert!(
            markdown.contains(text("fact")) && markdown.contains(text("reproduce")),
            "{markdown}"
        );
    }
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(marked(region), "firstname");
    let denied = findings.iter().filter(|finding| finding["level"] == "deny");
    let broken: BTreeSet<_> = denied
        .map(|finding| finding["fact"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(failures(&junit(&ended)), broken);
}

/// The text of the contract in the region.
fn marked(region: &Value) -> &'static str {
    let document = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.yaml"));
    let number = |name: &str| usize::try_from(region[name].as_u64().unwrap()).unwrap() - 1;
    let line = document.lines().nth(number("startLine")).unwrap();
    &line[number("startColumn")..number("endColumn")]
}

/// The names of the cases that failed.
fn failures(report: &Report) -> BTreeSet<String> {
    let cases = report.test_suites.iter().flat_map(|suite| &suite.test_cases);
    let failed = cases.filter(|case| matches!(case.status, TestCaseStatus::NonSuccess { .. }));
    failed.map(|case| case.name.to_string()).collect()
}

#[test]
fn a_run_that_conforms_is_green_in_every_report() {
    let arguments = [
        &["check", "--seed", "1"],
        &EVERY_FORMAT[..],
        &concerning("createContactMethod"),
    ];
    let ended = countersign(&arguments.concat()).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    each_is_valid(&ended);
    let (report, record) = (junit(&ended), ended.json("report.json"));
    assert_eq!((report.failures, report.errors), (0, 0));
    assert_eq!(report.tests, record["facts"]["total"]);
    let skipped: usize = report.test_suites.iter().map(|suite| suite.skipped).sum();
    assert_eq!(skipped, record["facts"]["undecided"]);
    assert_eq!(report.test_suites.len(), record["operations"].as_array().unwrap().len());
    let archive = parsed(&ended, "run.har");
    assert_eq!(
        archive["log"]["entries"].as_array().unwrap().len(),
        record["exchanges"].as_array().unwrap().len()
    );
    assert_eq!(read(&ended, "run.log").lines().count(), 1);
}

#[test]
fn a_run_that_could_not_judge_is_green_in_no_report() {
    let ended = check("http://127.0.0.1:1", &EVERY_FORMAT).run();
    assert_eq!(ended.code, 3, "{ended:?}");
    each_is_valid(&ended);
    let report = junit(&ended);
    assert_eq!((report.errors, report.failures), (1, 0));
    assert_eq!(
        parsed(&ended, "report.sarif")["runs"][0]["invocations"][0]["executionSuccessful"],
        false
    );
    assert!(read(&ended, "run.log").starts_with("::error "));
    assert!(read(&ended, "report.md").contains("could not be judged"));
    let archive = parsed(&ended, "run.har");
    let entries = archive["log"]["entries"].as_array().unwrap();
    assert!(!entries.is_empty() && entries.iter().all(|entry| entry["response"]["status"] == 0));
}

#[test]
fn an_archive_has_the_urls_that_were_sent_and_no_value() {
    use std::io::Write as _;
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let base = format!("{}/tenant", target.url());
    let ended = check(&base, &EVERY_FORMAT).run();
    each_is_valid(&ended);
    let archive = parsed(&ended, "run.har");
    for entry in archive["log"]["entries"].as_array().unwrap() {
        let url = entry["request"]["url"].as_str().unwrap();
        assert!(url.starts_with(&format!("{base}/organization/")), "{url}");
        let page = entry["pageref"].as_str().unwrap();
        assert!(
            archive["log"]["pages"]
                .as_array()
                .unwrap()
                .iter()
                .any(|known| known["id"] == page)
        );
    }
    assert!(read(&ended, "run.har").contains("Bearer $COUNTERSIGN_TOKEN"));
}

#[test]
fn annotations_stand_beside_the_lines_for_people_and_the_summary_is_appended() {
    let target = Target::changed("/tags", |body| {
        body["data"]["total"] = "41".into();
    });
    let call = check(&target.url(), &["--report", "terminal", "--report", "github"]);
    let call = call
        .file("summary.md", "before\n")
        .env("GITHUB_STEP_SUMMARY", "summary.md");
    let ended = call.run();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("error[wrong-type]"), "{ended:?}");
    let commands: Vec<_> = ended.stdout.lines().filter(|line| line.starts_with("::")).collect();
    assert!(commands[0].starts_with("::error file=openapi.yaml,line="), "{ended:?}");
    assert!(
        commands[0].contains("title=wrong-type%3A getTags%3A /data/total has the wrong type::"),
        "{ended:?}"
    );
    assert!(
        commands.last().unwrap().starts_with("::notice title=countersign::"),
        "{ended:?}"
    );
    let summary = read(&ended, "summary.md");
    assert!(
        summary.starts_with("before\n\n### ❌ ") && summary.contains("getTags /data/total"),
        "{summary}"
    );
}

#[test]
fn a_summary_is_written_for_github_alone_and_never_beyond_what_it_takes() {
    let target = Target::sound();
    let call = check(&target.url(), &["--report", "markdown=report.md"]).env("GITHUB_STEP_SUMMARY", "summary.md");
    assert_eq!(call.run().files(), ["report.md"]);
    let full = "x".repeat((1 << 20) - 20);
    let call = check(&target.url(), &["--report", "github"]).file("summary.md", &full);
    let ended = call.env("GITHUB_STEP_SUMMARY", "summary.md").run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("the step summary is full"), "{ended:?}");
    assert!(read(&ended, "summary.md").len() <= 1 << 20);
}
