//! What the user's own files and flags put into an output: no text of a contract, path or flag can send commands to the
//! terminal or the CI system that shows it. [`hostile`](super::hostile) has what a target can try.

use super::stub::{Received, Stub, json};
use super::support::{Ended, check, countersign};

/// A contract whose every text is a command to something.
const SPEC: &str = r###"
openapi: 3.0.3
info: {title: "a\r\n::error::b \e[2J \x9b2J \u202e ##vso[task.complete]", version: '1'}
paths:
  "/::warning::":
    get:
      operationId: "##[section]get\e]0;title\a"
      responses:
        '200':
          description: "::error::"
          content:
            application/json:
              schema:
                type: object
                required: ["##vso[a]\u2066", "::set-output name=a::b"]
                properties:
                  "##vso[a]\u2066": {type: integer} # ##vso[a] in a comment
                  "::set-output name=a::b": {type: string, enum: ["\e[31m::error::", "\u202e"]}
                  "section_start:1:a\r\e[0K": {type: string}
"###;

fn is_sanitized(ended: &Ended) {
    for output in [&ended.stdout, &ended.stderr] {
        let interpreted =
            |character: char| (character.is_control() && character != '\n') || "\u{202e}\u{2066}".contains(character);
        assert!(!output.contains(interpreted), "{ended:?}");
        let command =
            |line: &str| line.trim_start().starts_with("::") || line.contains("##vso[") || line.contains("##[");
        assert!(!output.lines().any(command), "{ended:?}");
    }
}

fn target() -> Stub {
    let body = r###"{"##vso[a]\u2066": "::error::", "::set-output name=a::b": "c", "::notice::": "\u001b[2J"}"###;
    Stub::start(move |_: &Received, stream| std::io::Write::write_all(stream, json("200 OK", body).as_bytes()))
}

#[test]
fn a_contract_of_commands_commands_nothing() {
    let target = target();
    for arguments in [
        &["-v"][..],
        &["-v", "--show-values"],
        &["-v", "--report", "json"],
        &["--report", "har", "--show-values"],
        &["--report", "junit", "--show-values"],
        &["--report", "markdown", "--show-values"],
        &["--report", "sarif", "--show-values"],
    ] {
        let call = check(&target.url(), &[arguments, &["--spec", "things.yaml"]].concat());
        let ended = call.file("things.yaml", SPEC).run();
        assert_eq!(ended.code, 1, "{ended:?}");
        is_sanitized(&ended);
    }
    let ended = countersign(&["facts", "--spec", "things.yaml"])
        .file("things.yaml", SPEC)
        .run();
    assert!(ended.stdout.lines().count() > 5, "{ended:?}");
    is_sanitized(&ended);
}

#[test]
fn the_commands_of_a_report_are_ours_alone() {
    let target = target();
    let arguments = ["--spec", "things.yaml", "--show-values", "--report", "github"];
    let ended = check(&target.url(), &arguments).file("things.yaml", SPEC).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    for line in ended.stdout.lines() {
        let ours = [
            "::error file=things.yaml,line=",
            "::warning file=things.yaml,line=",
            "::notice title=countersign::",
        ];
        assert!(ours.iter().any(|begin| line.starts_with(begin)), "{line}");
        assert!(!line.contains("##[") && !line.contains("##vso["), "{line}");
        let interpreted = |character: char| character.is_control() || "\u{202e}\u{2066}".contains(character);
        assert!(!line.contains(interpreted), "{line}");
        // Of the two colons, the first pair begins the command and the second ends its properties.
        let properties = line[2..].split("::").next().unwrap();
        assert!(
            properties.contains("line=") || properties.ends_with("title=countersign"),
            "{line}"
        );
    }
    assert!(ended.stdout.lines().count() > 2, "{ended:?}");
}

#[test]
fn a_path_of_commands_commands_nothing() {
    for name in ["\u{1b}[2J\r::error::", "\n::error::a", "##vso[a]", "\u{202e}lmth.a"] {
        let file = format!("json={name}/report.json");
        for arguments in [
            &["--spec", name][..],
            &["--token-file", name],
            &["--report", file.as_str()],
        ] {
            let ended = check("http://127.0.0.1:1", arguments).run();
            assert!([2, 4].contains(&ended.code), "{ended:?}");
            is_sanitized(&ended);
        }
    }
}
