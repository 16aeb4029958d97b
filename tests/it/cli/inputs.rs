//! No output replaces an input, however it is named: this is rejected before anything is sent, created or changed.

use std::path::Path;

use super::stub::{Stub, sound};
use super::support::{Call, TOKEN, check, countersign};
use super::target::Target;
use crate::support::sampled;

const CONTRACT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.yaml"));
const CONFIGURATION: &str = "[check]\nmax_pages = 7\n";

fn stub() -> Stub {
    Stub::start(|request, stream| std::io::Write::write_all(stream, sound(request).as_bytes()))
}

/// A check of a stub that reads a file of each kind.
fn reading(target: &Stub, arguments: &[&str]) -> Call {
    let inputs = [
        "--spec", "contract.yaml", "--config", "own.toml", "--token-file", "token", "--overlay", "known.yaml",
    ];
    check(&target.url(), &[&inputs, arguments].concat())
        .file("contract.yaml", CONTRACT)
        .file("known.yaml", "overlay: 1.0.0\nactions: []\n")
        .file("own.toml", CONFIGURATION)
        .file("token", TOKEN)
}

/// Asserts that a call is rejected with a message that names both, and leaves everything as it was.
#[track_caller]
fn rejected(call: Call, parts: &[&str]) {
    let content = |folder: &Path| -> Vec<_> {
        let mut found: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.file_name().unwrap().to_owned(), std::fs::read(&path).ok()))
            .collect();
        found.sort();
        found
    };
    let before = content(call.path());
    let ended = call.run();
    let message = ended.is_one_error(2);
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
    assert_eq!(content(ended.path()), before);
}

#[test]
fn an_output_to_a_file_that_the_check_reads_is_rejected_before_anything_is_sent() {
    let target = stub();
    for (input, what) in [
        ("contract.yaml", "the contract `contract.yaml`"),
        ("own.toml", "the configuration `own.toml`"),
        ("token", "the token `token`"),
        ("known.yaml", "the overlay `known.yaml`"),
    ] {
        let other = format!("./{input}");
        let report = format!("json={other}");
        rejected(
            reading(&target, &["--report", &report]),
            &["a report", &format!("`{other}`"), what],
        );
        rejected(
            reading(&target, &["--residue", &other]),
            &["the residue", &format!("`{other}`"), what],
        );
        let summary = reading(&target, &["--report", "github"]).env("GITHUB_STEP_SUMMARY", input);
        rejected(summary, &["the step summary", what]);
    }
    assert_eq!(target.received().len(), 0);
}

#[test]
fn a_report_and_the_residue_do_not_go_to_one_file() {
    let target = stub();
    for residue in ["run.json", "./run.json"] {
        let arguments = ["--report", "json=run.json", "--residue", residue];
        rejected(
            reading(&target, &arguments),
            &["a report goes to `run.json`", "the residue"],
        );
    }
    assert_eq!(target.received().len(), 0);
}

#[cfg(unix)]
#[test]
fn links_to_an_input_are_known_for_what_they_are() {
    use std::os::unix::fs::symlink;
    let target = stub();
    let inputs = [
        ("contract.yaml", "the contract"),
        ("own.toml", "the configuration"),
        ("token", "the token"),
    ];
    let links = ["token-soft", "token-hard", "up/token-soft", "up/token-hard"];
    let of_input = |input| links.map(|link| [(input, link, "--report"), (input, link, "--residue")]);
    let cases = inputs.into_iter().flat_map(of_input).flatten();
    // Each fifth one is of another input, link or output than the one before, and all of these come up.
    for ((input, what), link, output) in sampled(5, cases) {
        let written = if output == "--report" {
            format!("json={link}")
        } else {
            link.to_owned()
        };
        let call = reading(&target, &[output, &written]);
        symlink(input, call.path().join("token-soft")).unwrap();
        std::fs::hard_link(call.path().join(input), call.path().join("token-hard")).unwrap();
        symlink(".", call.path().join("up")).unwrap();
        rejected(call, &[link, what]);
    }
    assert_eq!(target.received().len(), 0);
}

#[test]
fn the_configuration_that_was_found_and_the_one_that_is_to_be_made_are_inputs_too() {
    let target = stub();
    let found = check(&target.url(), &["--report", "json=countersign.toml"]).file("countersign.toml", CONFIGURATION);
    rejected(found, &["a report", "the configuration `countersign.toml`"]);
    for (more, name) in [
        (&[][..], "countersign.toml"),
        (&["--config", "new.toml"][..], "new.toml"),
    ] {
        let report = format!("json={name}");
        let call = check(&target.url(), &[&["--accept", "--report", &report], more].concat());
        rejected(call, &["a report", "the configuration", name]);
    }
    assert_eq!(target.received().len(), 0);
}

#[test]
fn report_and_merge_keep_the_reports_that_they_read() {
    let target = Target::sound();
    let ended = check(&target.url(), &["--report", "json=run.json"]).run();
    let json = std::fs::read(ended.path().join("run.json")).unwrap();
    for command in ["report", "merge"] {
        for format in ["json", "junit"] {
            let report = format!("{format}=./run.json");
            let call = countersign(&[command, "run.json", "--report", &report]).file("run.json", &json);
            rejected(call, &["a report goes to `./run.json`", "a report to read `run.json`"]);
        }
        let call = countersign(&[command, "run.json", "--report", "json=again.json"]).file("run.json", &json);
        assert_eq!(call.run().files(), ["again.json", "run.json"]);
    }
}

#[test]
fn outputs_beside_the_inputs_are_written() {
    let target = Target::sound();
    let arguments = [
        "--spec", "contract.yaml", "--config", "own.toml", "--token-file", "token",
    ];
    let outputs = ["--report", "json=run.json", "--residue", "residue", "--accept"];
    let ended = check(&target.url(), &[&arguments[..], &outputs].concat())
        .file("contract.yaml", CONTRACT)
        .file("own.toml", CONFIGURATION)
        .file("token", TOKEN)
        .run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(
        ended.files(),
        ["contract.yaml", "own.toml", "residue", "run.json", "token"]
    );
}
