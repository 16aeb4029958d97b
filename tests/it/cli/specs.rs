//! Contracts of the user's own: errors are reported with file, line and pointer, and nothing is sent.

use super::stub::{Stub, sound};
use super::support::{check, countersign};

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
              schema: {$ref: '#/components/schemas/Things'}
components:
  schemas:
    Things:
      type: array
      items: {type: object, required: [id], properties: {id: {type: string}}}
";

/// The message on a spec, from `check` and from `facts` alike.
#[track_caller]
fn message(content: impl AsRef<[u8]>) -> String {
    let target = Stub::start(|request, stream| {
        use std::io::Write as _;
        stream.write_all(sound(request).as_bytes())
    });
    let arguments = ["--spec", "things.yaml"];
    let ended = check(&target.url(), &arguments).file("things.yaml", &content).run();
    let message = ended.is_one_error(2).to_owned();
    assert_eq!(target.received().len(), 0);
    let listed = countersign(&["facts", "--spec", "things.yaml"]);
    let listed = listed.file("things.yaml", content).run();
    assert_eq!(listed.is_one_error(2), message);
    message
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn a_sound_spec_is_listed() {
    let ended = countersign(&["facts", "--spec", "things.yaml"])
        .file("things.yaml", SPEC)
        .run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert!(ended.stdout.contains("listThings"), "{ended:?}");
}

#[test]
fn a_spec_that_cannot_be_read_is_named() {
    let ended = countersign(&["check", "--spec", "absent.yaml"]).run();
    says(ended.is_one_error(2), &["contract", "`absent.yaml`", "No such file"]);
    let ended = countersign(&["check", "--spec", "specs"]).folder("specs").run();
    says(ended.is_one_error(2), &["contract", "`specs`", "directory"]);
    says(&message(b"openapi: \xff\n"), &["contract", "`things.yaml`", "UTF-8"]);
}

#[test]
fn a_spec_that_is_not_yaml_is_reported_by_its_line() {
    says(
        &message(format!("{SPEC}@nothing starts so\n")),
        &["things.yaml:18:1", "not YAML"],
    );
    says(&message(""), &["things.yaml:1:1", "nothing in this file"]);
}

#[test]
fn a_spec_that_is_not_openapi_is_reported() {
    says(
        &message("just a text\n"),
        &["things.yaml:1:1", "not an OpenAPI document", "openapi: 3.0.x"],
    );
    says(&message("name: things\n"), &["things.yaml:1:1", "openapi"]);
}

#[test]
fn a_spec_of_another_version_is_reported_with_the_version_that_is_read() {
    let message = message(SPEC.replace("3.0.3", "4.0.0"));
    says(&message, &["things.yaml:1:", "(/openapi)", "`4.0.0`", "3.0.x"]);
}

#[test]
fn a_reference_to_nothing_is_reported_with_a_near_name() {
    let message = message(SPEC.replace("schemas/Things'", "schemas/Thing'"));
    says(
        &message,
        &["things.yaml:12:", "`#/components/schemas/Thing`", "did you mean"],
    );
    says(
        &message,
        &["/paths/~1things/get/responses/200/content/application~1json/schema"],
    );
}

#[test]
fn a_name_that_stands_twice_is_reported_with_both_lines() {
    let message = message(SPEC.replace("      type: array\n", "      type: array\n      type: object\n"));
    says(
        &message,
        &["things.yaml:17:", "(/components/schemas/Things", "`type`", "line 16"],
    );
}

#[test]
fn a_spec_made_to_cost_time_costs_none() {
    let deep = format!("{SPEC}x-deep: {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    says(&message(deep), &["things.yaml:18:", "deeper than"]);
    let mut aliases = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        aliases.push_str(&format!("a{level}: &a{level} [{}]\n", [before.as_str(); 10].join(",")));
    }
    says(&message(aliases), &["things.yaml:", "aliases"]);
}

/// The sound document, with two more operations, one of which has a defect.
fn partly_defective() -> String {
    let others = [
        "  /health:",
        "    get:",
        "      operationId: health",
        "      responses: {'200': {description: Well}}",
        "  /others:",
        "    get:",
        "      operationId: others",
        "      responses: {'200': 3}",
        "components:\n",
    ];
    SPEC.replace("components:\n", &others.join("\n"))
}

const WARNING: &str = "warning: things.yaml:20:19 (/paths/~1others/get/responses/200): this must be a response, not a \
                       number; correct the value; left out: `others`\n\
                       warning: 1 of the 3 operations in things.yaml is left out\n";

#[test]
fn an_operation_with_a_defect_is_left_out_of_what_is_printed() {
    for command in ["facts", "plan"] {
        let ended = countersign(&[command, "--spec", "things.yaml"]);
        let ended = ended.file("things.yaml", partly_defective()).run();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, WARNING), "{ended:?}");
        assert!(
            ended.stdout.contains("health") && !ended.stdout.contains("others"),
            "{ended:?}"
        );
    }
}

#[test]
fn a_check_says_in_every_report_what_is_left_out() {
    let target = Stub::start(|request, stream| {
        use std::io::Write as _;
        let body = if request.head.contains("/health") { "" } else { "[]" };
        let kind = "content-type: application/json\r\nconnection: close\r\n";
        write!(
            stream,
            "HTTP/1.1 200 OK\r\n{kind}content-length: {}\r\n\r\n{body}",
            body.len()
        )
    });
    let reports = [
        "markdown=a.md", "json=a.json", "sarif=a.sarif", "junit=a.xml", "html=a.html", "github=a.txt",
    ];
    let reports = reports.map(|report| format!("--report={report}"));
    let mut arguments = vec!["--spec", "things.yaml", "--report", "terminal"];
    arguments.extend(reports.iter().map(String::as_str));
    let ended = check(&target.url(), &arguments);
    let ended = ended.file("things.yaml", partly_defective()).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains(WARNING), "{ended:?}");
    assert!(
        target
            .received()
            .iter()
            .all(|request| !request.head.contains("/others"))
    );
    let left_out = "1 of 3 operations is left out, because of defects in the contract";
    let row = "  left out  1 of 3 operations, because of defects in the contract";
    says(&ended.stdout, &[" conforms in 2 of 3 operations", row]);
    for name in ["a.md", "a.sarif", "a.xml", "a.html", "a.txt"] {
        says(&std::fs::read_to_string(ended.path().join(name)).unwrap(), &[left_out]);
    }
    let json = ended.json("a.json");
    let omitted = &json["omitted_operations"][0];
    assert_eq!(
        (&omitted["name"], &omitted["contract_line"]),
        (&"others".into(), &18.into()),
        "{omitted}"
    );
    let only = check(&target.url(), &["--spec", "things.yaml", "--only", "others"]);
    let only = only.file("things.yaml", partly_defective()).run();
    assert_eq!(only.code, 2);
    says(
        &only.stderr,
        &["the operation `others` is left out because of a defect: things.yaml:20:19"],
    );
}

#[test]
fn a_url_is_refused_by_name_with_what_to_do() {
    let url = "https://example.com/openapi.yaml";
    for (arguments, what) in [
        (&["check", "--spec", url][..], "contract"),
        (&["check", "--since", url], "document"),
        (&["facts", "--spec", url], "contract"),
        (&["plan", "--spec", url], "contract"),
        (&["lint", url], "document"),
        (&["diff", url, "things.yaml"], "document"),
    ] {
        let ended = countersign(arguments).file("things.yaml", SPEC).run();
        assert_eq!(ended.code, 2, "{arguments:?}");
        let expected = format!("`{url}` is a URL, and the {what} is read from a file; download it first");
        says(&ended.stderr, &[&expected, &format!("curl -fLo {what}.yaml")]);
    }
    let overlay = countersign(&["check", "--overlay", url]).run();
    assert_eq!(overlay.code, 2);
    says(
        &overlay.stderr,
        &[
            "is a URL, and the overlay is read from a file",
            "curl -fLo overlay.yaml",
        ],
    );
    let spec = format!("[check]\nspec = '{url}'\n");
    let overlay = format!("default_target = 't'\n[targets.t]\nbase_url = 'http://127.0.0.1:1'\noverlay = '{url}'\n");
    for (config, what) in [(spec, "contract"), (overlay, "overlay")] {
        let call = countersign(&["plan", "--config", "below/countersign.toml"]).folder("below");
        let ended = call.file("below/countersign.toml", config).run();
        assert_eq!(ended.code, 2, "{ended:?}");
        let expected = format!("`{url}` is a URL, and the {what} is read from a file; download it first with");
        says(&ended.stderr, &[&expected, &format!("-fLo {what}.yaml {url}`")]);
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_rejected_at_once_and_that_of_a_shell_is_read() {
    for arguments in [
        &["check", "--spec", "pipe"][..],
        &["check", "--overlay", "pipe"],
        &["check", "--since", "pipe"],
        &["facts", "--spec", "pipe"],
        &["diff", "pipe", "things.yaml"],
    ] {
        let ended = countersign(arguments).pipe("pipe").file("things.yaml", SPEC).run();
        assert_eq!(ended.code, 2, "{arguments:?}");
        says(
            &ended.stderr,
            &["`pipe` is a named pipe", "a regular file", "`-` for standard input"],
        );
    }
    let facts = |file: &str| {
        let line = format!("\"$0\" facts --spec {file} | wc --lines");
        let mut shell = std::process::Command::new("bash");
        let shell = shell.args(["-o", "pipefail", "-c", &line, env!("CARGO_BIN_EXE_countersign")]);
        let ended = shell.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(ended.status.success(), "{file}: {ended:?}");
        String::from_utf8(ended.stdout).unwrap()
    };
    let expected = facts("openapi.yaml");
    for file in ["<(cat openapi.yaml)", "/dev/stdin <openapi.yaml", "- <openapi.yaml"] {
        assert_eq!(facts(file), expected, "{file}");
    }
}

#[test]
fn a_reference_out_of_the_file_takes_out_its_operation_alone() {
    let others = [
        "  /others:",
        "    get:",
        "      operationId: others",
        "      responses: {'200': {$ref: 'https://example.com/a.yaml#/Others'}}",
        "components:\n",
    ];
    let spec = SPEC.replace("components:\n", &others.join("\n"));
    let ended = countersign(&["facts", "--spec", "things.yaml"]);
    let ended = ended.file("things.yaml", spec).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    says(
        &ended.stderr,
        &[
            "things.yaml:16:27 ",
            "to the network is not supported; download it first",
            "left out: `others`",
        ],
    );
}
