//! `countersign serve --profile`, as typed by a person.

use std::process::{Command, Output};

use countersign::service::AXES;

fn serve(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command
        .env_clear()
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(arguments);
    command.output().unwrap()
}

fn rejected(arguments: &[&str]) -> String {
    let output = serve(arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_list_shows_every_axis_and_value() {
    let output = serve(&["--profile", "list"]);
    assert!(output.status.success());
    let listed = String::from_utf8(output.stdout).unwrap();
    for axis in AXES {
        assert!(listed.contains(&format!(
            "{} (gap {})\n  {}\n  * ",
            axis.name, axis.gap, axis.description
        )));
        for value in axis.values {
            assert!(listed.contains(value.description), "{}={}", axis.name, value.name);
        }
    }
}

#[test]
fn a_name_that_is_not_known_is_reported_with_the_near_ones() {
    let reported = rejected(&["--profile", "page-sizes=10"]);
    assert!(
        reported.contains("there is no choice `page-sizes` (did you mean `page-size`"),
        "{reported}"
    );
}

#[test]
fn a_file_that_contradicts_itself_is_reported_with_both_lines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("service.toml");
    std::fs::write(
        &file,
        "page-size = \"7\"\nlist-order = \"newest-first\"\npage-size = \"25\"\n",
    )
    .unwrap();
    let reported = rejected(&["--profile", file.to_str().unwrap()]);
    assert!(reported.contains("line 3: `page-size` is set already"), "{reported}");
    assert!(reported.contains("line 1"), "{reported}");
}

#[test]
fn a_file_that_is_not_there_is_reported() {
    let reported = rejected(&["--profile", "there-is-no-such.toml"]);
    assert!(
        reported.contains("failed to read the profile from `there-is-no-such.toml`"),
        "{reported}"
    );
}
