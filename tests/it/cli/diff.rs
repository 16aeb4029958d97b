//! `countersign diff`: where documents come from, exit codes, reports.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::formats::{keeps, sarif_schema};
use super::support::{Call, Ended, countersign};

const OLD: &str = "\
openapi: 3.0.3
paths:
  /things:
    get:
      responses:
        '200':
          content:
            application/json: {schema: {type: integer}}
";

/// `countersign diff` of two files: the old document, and the new one with this type.
fn of_types(new: &str, arguments: &[&str]) -> Call {
    let fixed = ["diff", "old.yaml", "new.yaml"];
    let call = countersign(&[&fixed, arguments].concat());
    call.file("old.yaml", OLD)
        .file("new.yaml", OLD.replace("type: integer", new))
}

#[test]
fn the_exit_code_is_the_meaning() {
    for (new, arguments, code) in [
        ("type: integer", &[][..], 0),
        ("type: integer", &["--fail-on", "any"], 0),
        ("type: number", &[], 1),
        ("type: number", &["--fail-on", "none"], 0),
        ("'type': integer, maximum: 3", &[], 0),
        ("'type': integer, maximum: 3", &["--fail-on", "any"], 1),
        ("type: integer, format: int64", &[], 0),
    ] {
        assert_eq!(of_types(new, arguments).run().code, code, "{new} {arguments:?}");
    }
}

/// `countersign diff` of a document with itself, where each side has the overlay with this answer.
fn of_answers(old: &str, new: &str, arguments: &[&str]) -> Call {
    let document = OLD.replace("    get:\n", "    post:\n      operationId: createThing\n");
    let overlay = |claim: &str| {
        format!(
            "overlay: 1.0.0\nactions:\n- target: $.paths['/things'].post\n  update:\n    x-answers: [{{gap: required-fields, \
             operation: createThing, claim: {{required: {claim}}}}}]\n"
        )
    };
    let fixed = [
        "diff", "things.yaml", "things.yaml", "--old-overlay", "old.yaml", "--new-overlay", "new.yaml",
    ];
    let call = countersign(&[&fixed, arguments].concat()).file("things.yaml", document);
    call.file("old.yaml", overlay(old)).file("new.yaml", overlay(new))
}

#[test]
fn what_was_learned_differs_though_the_documents_are_the_same() {
    let ended = of_answers("[]", "[/name]", &["--fail-on", "any"]).run();
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    let sentence = "the answer to `required-fields` was required: none, is required: /name";
    assert!(ended.stdout.contains(sentence), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("new.yaml:5:17; client: major"),
        "{}",
        ended.stdout
    );
    assert_eq!(of_answers("[/name]", "[/name]", &["--fail-on", "any"]).run().code, 0);
}

#[test]
fn an_overlay_that_fits_no_document_is_an_error() {
    let ended = of_answers("[]", "[]", &[]).file("new.yaml", "overlay: 1.0.0\n").run();
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("with the overlay `new.yaml`"), "{}", ended.stderr);
}

#[test]
fn a_document_that_cannot_be_read_is_reported_with_what_to_do() {
    let run = |old: &str, text: &str| {
        countersign(&["diff", old, "new.yaml"])
            .file("new.yaml", OLD)
            .file("bad.yaml", text)
            .run()
    };
    for (old, text, reported) in [
        ("absent.yaml", "", "failed to read the document from `absent.yaml`"),
        ("bad.yaml", "a: [", "bad.yaml:"),
        ("bad.yaml", "swagger: '2.0'", "convert the document to 3.0"),
        ("bad.yaml", "greeting: hello", "this is not an OpenAPI document"),
        (
            "HEAD:openapi.yaml",
            "",
            "a path from the root of the repository, as `HEAD~1:openapi.yaml`",
        ),
    ] {
        let ended = run(old, text);
        assert_eq!(ended.code, 2, "{old}: {ended:?}");
        assert!(
            ended.stderr.contains(reported) || ended.stderr.contains("git cannot be run"),
            "{ended:?}"
        );
    }
    let ended = countersign(&["diff", "--", "--output=x:old.yaml", "new.yaml"]).run();
    assert_eq!(ended.code, 2);
    assert!(
        ended
            .stderr
            .contains("`--output=x` is not a revision, because it begins with `-`"),
        "{ended:?}"
    );
    let ended = countersign(&["diff", "-", "-"]).run();
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("give a file for one of them"), "{ended:?}");
}

#[test]
fn a_revision_of_the_repository_is_a_document() {
    let call =
        countersign(&["diff", "HEAD:api/old.yaml", "new.yaml"]).file("new.yaml", OLD.replace("integer", "number"));
    let call = call
        .env("PATH", "/usr/bin:/bin")
        .folder("api")
        .file("api/old.yaml", OLD);
    let git = |arguments: &[&str]| git(call.path(), arguments);
    let done = git(&["init", "-q"]) && git(&["add", "api"]);
    let person = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    assert!(done && git(&[&person[..], &["commit", "-qm", "one"]].concat()));
    let ended = call.run();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.stdout.contains("HEAD:api/old.yaml:8:41; new.yaml:8:41"),
        "{ended:?}"
    );
}

fn text(ended: &Ended, name: &str) -> String {
    std::fs::read_to_string(ended.path().join(name)).unwrap()
}

fn git(folder: &Path, arguments: &[&str]) -> bool {
    let mut git = Command::new("git");
    git.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder);
    git.current_dir(folder)
        .args(arguments)
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn every_report_is_written_to_its_file() {
    let formats = ["github", "json", "markdown", "sarif", "terminal"];
    let flags: Vec<_> = formats
        .iter()
        .map(|format| format!("--report={format}={format}.out"))
        .collect();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let ended = of_types("type: string", &flags).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{ended:?}");
    for format in formats {
        let text = text(&ended, &format!("{format}.out"));
        assert!(text.contains("integer, is string"), "{format}: {text}");
    }
    let json: Value = serde_json::from_str(&text(&ended, "json.out")).unwrap();
    assert_eq!(json["counts"]["breaking"], 1);
    assert_eq!(json["differences"][0]["old"]["line"], 8);
    let sarif = serde_json::from_str(&text(&ended, "sarif.out")).unwrap();
    keeps(&sarif_schema(), &sarif);
}

#[test]
fn a_sarif_file_that_lists_dangling_references_keeps_to_its_schema() {
    let call = of_types("$ref: '#/components/schemas/Gone'", &["--report", "sarif=sarif.out"]);
    let ended = call.run();
    let sarif: Value = serde_json::from_str(&text(&ended, "sarif.out")).unwrap();
    keeps(&sarif_schema(), &sarif);
    let notification = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(
        notification["message"]["text"],
        "nothing could be compared behind #/components/schemas/Gone"
    );
}

#[test]
fn a_report_replaces_no_contract_and_has_a_place_of_its_own() {
    for (flags, reported) in [
        (&["--report", "json=./old.yaml"][..], "which is a document `old.yaml`"),
        (
            &["--report", "json", "--report", "sarif"],
            "two reports go to standard output; give each its own file: --report sarif=FILE",
        ),
        (&["--report", "jsn"], "did you mean `json`?"),
    ] {
        let ended = of_types("type: string", flags).run();
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.stderr.contains(reported), "{ended:?}");
        assert_eq!(text(&ended, "old.yaml"), OLD);
    }
    assert_eq!(
        of_types("type: string", &["--report", "json=absent/a.json"]).run().code,
        4
    );
}

#[test]
fn a_step_of_github_gets_the_table_as_its_summary() {
    let ended = of_types("type: string", &["--report", "github"])
        .env("GITHUB_STEP_SUMMARY", "summary.md")
        .run();
    assert!(ended.stdout.starts_with("::error file=new.yaml,line=8,"), "{ended:?}");
    assert!(text(&ended, "summary.md").contains("| **breaking** |"));
}

/// `countersign diff` of an integer that became a string, with this configuration.
fn accepting(config: &str, arguments: &[&str]) -> Call {
    of_types("type: string", arguments).file("countersign.toml", config)
}

/// An entry that accepts this difference, as narrow as it can be, with these lines at its end.
fn entry(last: &str) -> String {
    format!(
        "[[differences]]\nkind = \"type\"\noperation = \"GET /things\"\n\
         sentence = \"the body of the 200 response was integer, is string\"\n{last}\n"
    )
}

#[test]
fn an_accepted_difference_is_listed_and_does_not_count() {
    for config in [
        entry("reason = \"agreed\"\nuntil = 2099-01-31"),
        "[[differences]]\nkind = \"type\"\nreason = \"agreed\"\n".to_owned(),
    ] {
        for fails_on in ["any", "breaking"] {
            let ended = accepting(&config, &["--fail-on", fails_on]).run();
            assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
        }
        assert_eq!(accepting(&config, &["--no-config"]).run().code, 1);
        let elsewhere = accepting("", &["--config", "other.toml"]).file("other.toml", config);
        assert_eq!(elsewhere.run().code, 0);
    }
    let config = entry("reason = \"agreed\"\nuntil = 2099-01-31");
    let formats =
        ["github", "json", "markdown", "sarif", "terminal"].map(|format| format!("--report={format}={format}.out"));
    let ended = accepting(&config, &formats.each_ref().map(String::as_str)).run();
    let by = "breaking, accepted until 2099-01-31 by countersign.toml:2: agreed";
    for format in ["github", "markdown", "terminal"] {
        let text = text(&ended, &format!("{format}.out"));
        assert!(text.contains(by), "{text}");
        // The client's type changes all the same.
        assert!(
            text.contains(
                "1 difference: 0 breaking, 0 unclear, 0 compatible, 1 accepted; the next release is a major release"
            ),
            "{text}"
        );
    }
    let json: Value = serde_json::from_str(&text(&ended, "json.out")).unwrap();
    assert_eq!(json["counts"]["accepted"], 1);
    assert_eq!(json["counts"]["breaking"], 0);
    assert_eq!(json["differences"][0]["accepted"]["location"], "countersign.toml:2");
    let sarif: Value = serde_json::from_str(&text(&ended, "sarif.out")).unwrap();
    keeps(&sarif_schema(), &sarif);
    assert_eq!(
        sarif["runs"][0]["results"][0]["suppressions"][0]["justification"],
        "agreed"
    );
}

#[test]
fn an_entry_that_accepts_nothing_says_why_and_the_difference_counts() {
    let other = entry("reason = \"agreed\"").replace("is string", "is number");
    for (config, note) in [
        (
            entry("reason = \"agreed\"\nuntil = 2020-01-31"),
            "expired and has had no effect since 2020-02-01; keep to the old contract, or set a later date",
        ),
        (entry("reason = \"\""), "accepts nothing until its reason is filled in"),
        (other, "no longer occurs; remove the entry"),
        (
            entry("reason = \"agreed\"").replace("GET /", "POST /"),
            "no longer occurs; remove the entry",
        ),
        (
            "[[differences]]\nkind = \"enum\"\nreason = \"agreed\"\n".to_owned(),
            "no longer occurs; remove the entry",
        ),
    ] {
        let ended = accepting(&config, &[]).run();
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.stderr.starts_with("note: countersign.toml:2: "), "{ended:?}");
        assert!(ended.stderr.contains(note), "{ended:?}");
        assert!(
            ended.stdout.contains("1 breaking") && !ended.stdout.contains("accepted"),
            "{ended:?}"
        );
    }
}

#[test]
fn a_mistake_in_an_entry_is_reported_with_its_line() {
    let correct = entry("reason = \"agreed\"");
    for (config, message) in [
        (
            correct.replace("kind =", "kinds ="),
            "countersign.toml:2:1: there is no key `kinds` in `differences` (did you mean `kind`?)",
        ),
        (
            correct.replace("\"type\"", "\"types\""),
            "countersign.toml:2:8: there is no kind `types` (did you mean `type`?); `countersign diff --verbose` prints the entry to write",
        ),
        (
            correct.replace("GET /things", "getThings"),
            "countersign.toml:3:13: `getThings` is not an operation; write method and path",
        ),
        (
            entry("reason = \"agreed\"\nuntil = \"2099-01-31\""),
            "countersign.toml:6:9: `differences.until` has the wrong type; expected a date without quotes",
        ),
        (entry(""), "`reason` is missing"),
    ] {
        let ended = accepting(&config, &[]).run();
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.stderr.contains(message), "{ended:?}");
        // A check of the same folder reports it too.
        let check = countersign(&["config"]).file("countersign.toml", config).run();
        assert!(check.code == 2 && check.stderr.contains(message), "{check:?}");
    }
}

#[test]
fn a_verbose_report_has_the_entry_that_would_accept_what_breaks() {
    let ended = of_types("type: string", &["-v"]).run();
    let lines = ended.stdout.lines().map(str::trim);
    let lines = lines.skip_while(|line| *line != "[[differences]]").take(5);
    let pasted = lines.collect::<Vec<_>>().join("\n");
    assert!(pasted.ends_with("reason = \"\""), "{ended:?}");
    let accepted = accepting(&pasted.replace("\"\"", "\"agreed\""), &["-v"]).run();
    assert_eq!(accepted.code, 0, "{accepted:?}");
    assert!(!accepted.stdout.contains("[[differences]]"), "{accepted:?}");
    assert!(!of_types("type: string", &[]).run().stdout.contains("[[differences]]"));
}

#[test]
fn a_report_does_not_replace_the_configuration() {
    let ended = accepting("", &["--report", "json=countersign.toml"]).run();
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stderr.contains("which is the configuration"), "{ended:?}");
}

#[test]
fn the_page_lists_each_kind_with_its_sentence() {
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/diff.md"));
    let (_, table) = page.split_once("## Kinds of differences\n").expect("the heading");
    let shown: Vec<_> = table.lines().filter(|line| line.starts_with("| `")).collect();
    let kinds = countersign::diff::Kind::ALL.iter();
    let kinds: Vec<_> = kinds
        .map(|kind| format!("| `{}` | {} |", kind.name(), kind.summary()))
        .collect();
    assert_eq!(shown, kinds);
}
