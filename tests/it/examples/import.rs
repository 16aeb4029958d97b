//! `import_contacts`: every line is imported once, whatever happens to the program, and errors are reported with the
//! number of their line.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;

use super::served::Served;
use super::{Ran, command, ran};

const FILE: &str = "contacts.csv";
const RESUME: &str = "contacts.resume";
/// How many contacts the program has on their way at once.
const JOBS: usize = 4;

fn folder(text: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(FILE), text).unwrap();
    folder
}

fn import(service: &Served, folder: &Path) -> Ran {
    ran(command("import_contacts")
        .current_dir(folder)
        .args([&service.url, FILE, RESUME]))
}

fn table(rows: usize) -> (String, Vec<String>) {
    let names: Vec<_> = (0..rows).map(|at| format!("Row{at:03}")).collect();
    let lines: String = names
        .iter()
        .map(|name| format!("Imported,{name},email,{name}@example.com\n"))
        .collect();
    (format!("firstname,lastname,contact_type,contact\n{lines}"), names)
}

#[test]
fn every_line_is_imported_once_however_often_it_runs() {
    let service = Served::start(1);
    let (text, names) = table(30);
    let folder = folder(text);
    let outcome = import(&service, folder.path());
    assert!(outcome.success, "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "30 imported, 0 imported before, 0 failed\n");
    let again = import(&service, folder.path());
    assert!(again.success, "{}", again.stderr);
    assert_eq!(again.stdout, "0 imported, 30 imported before, 0 failed\n");
    assert_eq!(service.named("Imported"), names);
}

#[test]
fn a_run_that_is_killed_before_its_responses_leaves_no_contact_twice() {
    let service = Served::start(1);
    let (text, names) = table(30);
    let folder = folder(text);
    service.withhold(true);
    let mut arguments = command("import_contacts");
    let program = arguments
        .current_dir(folder.path())
        .args([&service.url, FILE, RESUME])
        .stdout(Stdio::null());
    let mut program = program.spawn().unwrap();
    for _ in 0..JOBS {
        service.withheld.recv_timeout(Duration::from_secs(30)).unwrap();
    }
    program.kill().unwrap();
    program.wait().unwrap();
    assert_eq!(service.creates(), JOBS, "more were on their way than may be");

    service.withhold(false);
    let resumed = import(&service, folder.path());
    assert!(!resumed.success);
    assert_eq!(resumed.stdout, "26 imported, 0 imported before, 4 failed\n");
    assert_eq!(
        resumed
            .stderr
            .matches("it was sent and its response is not known")
            .count(),
        JOBS
    );
    assert!(
        resumed.stderr.contains("line 2: ") && resumed.stderr.contains("line 5: "),
        "{}",
        resumed.stderr
    );
    assert_eq!(service.named("Imported"), names, "all are there, none twice");

    // Whoever looked says so in the resume file.
    let resume = folder.path().join(RESUME);
    let settled = fs::read_to_string(&resume).unwrap().replace(" sent\n", " imported\n");
    fs::write(&resume, settled).unwrap();
    let settled = import(&service, folder.path());
    assert!(settled.success, "{}", settled.stderr);
    assert_eq!(service.named("Imported"), names);
}

#[test]
fn a_run_that_is_killed_anywhere_leaves_no_contact_twice() {
    let service = Served::start(1);
    let (text, names) = table(60);
    let folder = folder(text);
    let resume = folder.path().join(RESUME);
    for _ in 0..4 {
        let before = service.creates();
        let mut arguments = command("import_contacts");
        arguments.current_dir(folder.path()).args([&service.url, FILE, RESUME]);
        let mut program = arguments.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while service.creates() < before + 7 && program.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        program.kill().unwrap();
        program.wait().unwrap();
    }
    // What is half written goes; a line cut off is the response of a request, or the intent of one that was not sent.
    let mut kept = fs::read(&resume).unwrap();
    kept.extend(b"61 00");
    fs::write(&resume, kept).unwrap();
    let outcome = import(&service, folder.path());
    let mut found = service.named("Imported");
    let reported = outcome.stderr.matches("its response is not known").count();
    found.dedup();
    assert_eq!(found.len(), service.named("Imported").len(), "a contact is there twice");
    // A line whose response is not known is either there or not; it is reported.
    assert!(
        names.len() - found.len() <= reported,
        "{} of {}: {}",
        found.len(),
        names.len(),
        outcome.stderr
    );
}

/// A file with something wrong in every way, with this end of lines.
fn wrong(end: &str) -> Vec<u8> {
    let lines = [
        "firstname,lastname,contact_type,contact",
        "Imported,One,,",
        "Imported,Two",
        ",,,",
        "",
        "Imported,,email,",
        "\"Im\nported\",Over two lines,,",
        "Imported,Th?ree,,",
        "Imported,Four,,",
    ];
    let text = lines.join(end).into_bytes().into_iter();
    text.map(|byte| if byte == b'?' { 0xff } else { byte }).collect()
}

#[test]
fn what_is_wrong_with_a_line_is_reported_with_its_number_and_the_rest_is_imported() {
    for end in ["\n", "\r\n"] {
        let service = Served::start(1);
        let folder = folder(wrong(end));
        let outcome = import(&service, folder.path());
        assert!(!outcome.success);
        let mut reported: Vec<_> = outcome.stderr.lines().collect();
        reported.sort_unstable();
        let expected = [
            "line 3: 2 cells instead of 4",
            "line 4: no name and no contact",
            "line 6: a `contact_type` without a `contact`",
            "line 9: not UTF-8",
        ];
        assert_eq!(reported, expected, "{end:?}");
        assert_eq!(outcome.stdout, "3 imported, 0 imported before, 4 failed\n");
        assert_eq!(service.named("Imported"), ["Four", "One"]);

        // Fixed lines are imported by the next run, and no other is.
        let fixed = "firstname,lastname,contact_type,contact\nImported,One,,\nImported,Two,,\n";
        fs::write(folder.path().join(FILE), fixed).unwrap();
        let again = import(&service, folder.path());
        assert_eq!(
            again.stdout, "1 imported, 1 imported before, 0 failed\n",
            "{}",
            again.stderr
        );
    }
}

#[test]
fn a_file_that_changed_under_the_resume_file_is_reported() {
    let service = Served::start(1);
    let folder = folder("firstname,lastname\nImported,One\n");
    assert!(import(&service, folder.path()).success);
    fs::write(folder.path().join(FILE), "firstname,lastname\nImported,Other\n").unwrap();
    let outcome = import(&service, folder.path());
    assert!(!outcome.success);
    let expected =
        "line 2: this line had another text when it was imported; use a new resume file for a changed file\n";
    assert_eq!(outcome.stderr, expected);
    assert_eq!(service.named("Imported"), ["One"]);
}

#[test]
fn files_that_cannot_be_used_are_reported_before_anything_is_sent() {
    let service = Served::start(1);
    for (text, resume, expected) in [
        (
            "firstname,surname\nA,B\n",
            "",
            "`contacts.csv`: unknown field `surname`, expected one of `firstname`",
        ),
        (
            "firstname\nA\n",
            "no resume file\n",
            "`contacts.resume`: line 1 is not a line of a resume file",
        ),
    ] {
        let folder = folder(text);
        fs::write(folder.path().join(RESUME), resume).unwrap();
        let outcome = import(&service, folder.path());
        assert!(!outcome.success && outcome.stdout.is_empty());
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    }
    let empty = tempfile::tempdir().unwrap();
    let outcome = import(&service, empty.path());
    assert!(
        !outcome.success && outcome.stderr.starts_with("import_contacts: `contacts.csv`: "),
        "{}",
        outcome.stderr
    );
    assert_eq!(service.creates(), 0);
}

#[test]
fn a_rejected_token_ends_the_run() {
    let service = Served::start(1);
    let (text, _) = table(30);
    let folder = folder(text);
    let mut program = command("import_contacts");
    program.env("COUNTERSIGN_TOKEN", "another").current_dir(folder.path());
    let outcome = ran(program.args([&service.url, FILE, RESUME]));
    assert!(
        !outcome.success && outcome.stderr.contains("the service answered with 401"),
        "{}",
        outcome.stderr
    );
    assert!(service.creates() <= 2 * JOBS, "{}", service.creates());
    // The right token imports them all.
    let again = import(&service, folder.path());
    assert_eq!(again.stdout, "30 imported, 0 imported before, 0 failed\n");
}
