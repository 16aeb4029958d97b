//! `countersign man`: the pages as files, and as groff reads them.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::support::{Ended, countersign};

/// Every command has a page, and so has the program.
const COMMANDS: [&str; 3] = ["countersign", "countersign-check", "countersign-serve"];

fn written() -> Ended {
    let ended = countersign(&["man", "pages"]).folder("pages").run();
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""));
    ended
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The page as a terminal of 80 columns shows it, and what groff warns of; nothing where there is no groff.
#[expect(clippy::print_stderr, reason = "a test that tests less than it says has to say so")]
fn rendered(page: &[u8]) -> Option<(String, String)> {
    let groff = Command::new("groff")
        .args(["-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=80n"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut groff) = groff else {
        eprintln!("the pages were not rendered: there is no groff on this machine");
        return None;
    };
    let mut input = groff.stdin.take().unwrap();
    let page = page.to_owned();
    let writer = std::thread::spawn(move || input.write_all(&page).unwrap());
    let shown = groff.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Some((text(shown.stdout), text(shown.stderr)))
}

#[test]
fn each_command_has_a_page_of_its_own() {
    let ended = written();
    let pages = names(&ended.path().join("pages"));
    let help = countersign(&["--help"]).run().stdout;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    // A line that goes on below its first one begins further in.
    let commands = commands.filter(|line| !line.starts_with("   "));
    let mut expected: Vec<_> = commands
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|name| *name != "help")
        .map(|name| format!("countersign-{name}.1"))
        .chain(["countersign.1".to_owned()])
        .collect();
    expected.sort();
    assert_eq!(pages, expected);
    assert!(COMMANDS.iter().all(|name| pages.contains(&format!("{name}.1"))));
}

#[test]
fn groff_renders_every_page_without_a_warning() {
    let ended = written();
    let folder = ended.path().join("pages");
    for name in names(&folder) {
        let page = std::fs::read(folder.join(&name)).unwrap();
        let Some((text, warnings)) = rendered(&page) else {
            return;
        };
        assert_eq!(warnings, "", "{name}");
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT CODES", "SEE ALSO"] {
            assert!(
                text.lines().any(|line| line == heading),
                "{heading} is not in {name}:\n{text}"
            );
        }
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn the_page_of_check_lists_flags_and_exit_codes() {
    let ended = written();
    let page = std::fs::read(ended.path().join("pages/countersign-check.1")).unwrap();
    let Some((text, _)) = rendered(&page) else { return };
    for part in [
        "--base-url <URL>",
        "-q, --quiet",
        "COUNTERSIGN_BASE_URL",
        "\n       130    interrupted;",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn without_a_folder_the_pages_are_printed_one_after_another() {
    let printed = countersign(&["man"]).run();
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
    let files = written();
    let folder = files.path().join("pages");
    for name in names(&folder) {
        let page = std::fs::read_to_string(folder.join(&name)).unwrap();
        assert!(printed.stdout.contains(&page), "{name}");
    }
    let Some((_, warnings)) = rendered(printed.stdout.as_bytes()) else {
        return;
    };
    assert_eq!(warnings, "");
}

#[test]
fn a_page_takes_the_place_of_the_one_before() {
    let ended = countersign(&["man", "."]).file("countersign.1", "an older one").run();
    assert_eq!(ended.code, 0, "{ended:?}");
    let page = std::fs::read_to_string(ended.path().join("countersign.1")).unwrap();
    assert!(page.contains(".TH countersign 1"), "{page}");
    assert!(ended.files().iter().all(|name| !name.starts_with('.')), "{ended:?}");
}

#[test]
fn a_folder_that_takes_no_pages_is_reported_and_gets_none() {
    let absent = countersign(&["man", "absent"]).run();
    let message = absent.is_one_error(4);
    assert!(
        message.contains("`absent`") && message.contains("create it"),
        "{message}"
    );
    let plain = countersign(&["man", "plain"]).file("plain", "").run();
    let message = plain.is_one_error(4);
    assert!(
        message.contains("`plain`") && message.contains("not a folder"),
        "{message}"
    );
    // The last page cannot be put there, so the first ones are not either.
    let call = countersign(&["man", "."]).file("kept", "").folder("countersign.1");
    let ended = call.run();
    let message = ended.is_one_error(4);
    assert!(message.contains("countersign.1`"), "{message}");
    assert_eq!(ended.files(), ["countersign.1", "kept"]);
}
