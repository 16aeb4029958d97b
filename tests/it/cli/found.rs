//! A configuration that was found rather than named may come from a stranger's checkout: it reads only our own
//! variables, writes only below its own folder, and what it does with the token is printed first.

use std::io::Write as _;
use std::sync::Mutex;
use std::sync::mpsc::channel;

use super::stub::{Stub, sound};
use super::support::{Call, TOKEN, check, countersign};
use super::target::Target;

fn stub() -> Stub {
    Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()))
}

fn configuration(url: &str, variable: &str, reports: &str) -> String {
    format!(
        "default_target = \"staging\"\nreports = [{reports}]\n[targets.staging]\nbase_url = \"{url}\"\ntoken_env = \"{variable}\"\n"
    )
}

/// A check in a folder with this configuration; `more` names it, or does not.
fn checked(config: &str, variable: &str, more: &[&str]) -> Call {
    let call = countersign(&[&["check", "--seed", "1"], more].concat());
    call.file("countersign.toml", config).env(variable, TOKEN)
}

const NAMED: [&str; 2] = ["--config", "countersign.toml"];

#[test]
fn a_found_file_gets_no_variable_of_another_program() {
    for variable in ["AWS_SECRET_ACCESS_KEY", "MY_COUNTERSIGN_TOKEN", "COUNTERSIGN"] {
        let target = stub();
        let config = configuration(&target.url(), variable, "");
        let ended = checked(&config, variable, &[]).run();
        let message = ended.is_one_error(2);
        for part in ["countersign.toml:5:", variable, "--config", "`COUNTERSIGN_`"] {
            assert!(message.contains(part), "`{part}` is not in: {message}");
        }
        assert_eq!(target.received().len(), 0);
        // Whoever names the file trusts it.
        let named = checked(&config, variable, &NAMED).run();
        assert_eq!(named.code, 0, "{named:?}");
        let by_variable = checked(&config, variable, &[]).env("COUNTERSIGN_CONFIG", "countersign.toml");
        assert_eq!(by_variable.run().code, 0);
        assert!(target.received().iter().any(super::stub::Received::authorized));
    }
}

#[test]
fn a_found_file_that_lies_above_the_working_directory_is_held_to_the_same() {
    let target = stub();
    let config = configuration(&target.url(), "HOME_TOKEN", "");
    let call = checked(&config, "HOME_TOKEN", &[]).folder("below").within("below");
    let ended = call.run();
    assert!(ended.is_one_error(2).contains("HOME_TOKEN"));
    assert_eq!(target.received().len(), 0);
}

#[cfg(unix)]
#[test]
fn a_found_file_has_no_report_written_outside_its_folder() {
    let outside = tempfile::tempdir().unwrap();
    let absolute = outside.path().join("report.json").display().to_string();
    for place in [
        &absolute,
        "../report.json",
        "inside/../../report.json",
        "absent/../../report.json",
        "out/report.json",
        "link.json",
    ] {
        let target = stub();
        let config = configuration(&target.url(), "COUNTERSIGN_TOKEN", &format!("\"json={place}\""));
        let call = |more: &[&str]| {
            let call = checked(&config, "COUNTERSIGN_TOKEN", more).folder("inside");
            std::os::unix::fs::symlink(outside.path(), call.path().join("out")).unwrap();
            std::os::unix::fs::symlink(outside.path().join("report.json"), call.path().join("link.json")).unwrap();
            call
        };
        let ended = call(&[]).run();
        let message = ended.is_one_error(2);
        for part in ["countersign.toml:2:", "outside the folder", "--config"] {
            assert!(message.contains(part), "`{part}` is not in: {message}");
        }
        assert_eq!(target.received().len(), 0);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0, "{place}");
        if place == absolute {
            assert_eq!(call(&NAMED).run().code, 0);
            std::fs::remove_file(outside.path().join("report.json")).unwrap();
        }
    }
}

#[test]
fn a_found_file_has_reports_written_below_its_folder() {
    let target = stub();
    let config = configuration(
        &target.url(),
        "COUNTERSIGN_TOKEN",
        "\"json=report.json\", \"junit=./in/../in/junit.xml\"",
    );
    let ended = checked(&config, "COUNTERSIGN_TOKEN", &[]).folder("in").run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.json("report.json")["outcome"], "conforms");
    assert!(ended.path().join("in/junit.xml").is_file());
    // What the user types goes where the user says.
    let outside = tempfile::tempdir().unwrap();
    let report = format!("json={}", outside.path().join("report.json").display());
    let ended = checked(&config, "COUNTERSIGN_TOKEN", &["--report", &report])
        .folder("in")
        .run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(outside.path().join("report.json").is_file());
}

#[test]
fn a_found_target_and_its_variable_are_reported_before_the_first_request() {
    for quiet in [&[][..], &["--quiet"]] {
        let (release, released) = channel::<()>();
        let released = Mutex::new(released);
        // Nothing is answered until the test has read the line.
        let target = Stub::start(move |request, stream| {
            let _ = released.lock().unwrap().recv();
            stream.write_all(sound(request).as_bytes())
        });
        let config = configuration(&target.url(), "COUNTERSIGN_STAGING_TOKEN", "") + "writes = true\nmax_writes = 0\n";
        let running = checked(&config, "COUNTERSIGN_STAGING_TOKEN", quiet).start();
        let line = running.first_error_line();
        assert_eq!(
            line,
            format!(
                "countersign.toml: target `staging` at {} is sent the token from COUNTERSIGN_STAGING_TOKEN and write requests\n",
                target.url()
            )
        );
        drop(release);
        let ended = running.end();
        assert!(!ended.stderr.contains("staging"), "it is reported once: {ended:?}");
        assert!(!target.received().is_empty());
    }
}

#[test]
fn the_note_on_a_found_target_hides_the_token_in_its_base_url() {
    // Another token than that of the other tests, which no file may contain.
    const IN_PATH: &str = "tk-5d2e88b1-in-the-path-of-nobody";
    let target = stub();
    let config = configuration(&format!("{}/{IN_PATH}", target.url()), "COUNTERSIGN_STAGING_TOKEN", "");
    let call = countersign(&["check", "--seed", "1"]).file("countersign.toml", config);
    let ended = call.env("COUNTERSIGN_STAGING_TOKEN", IN_PATH).run();
    assert!(ended.stderr.contains("target `staging` at"), "{ended:?}");
    assert!(!ended.stderr.contains(IN_PATH), "{ended:?}");
}

#[test]
fn a_target_that_the_user_named_is_not_reported() {
    let target = Target::sound();
    let config = configuration(&target.url(), "COUNTERSIGN_TOKEN", "");
    let named = checked(&config, "COUNTERSIGN_TOKEN", &NAMED).run();
    assert_eq!((named.code, named.stderr.as_str()), (0, ""), "{named:?}");
    let by_url = ["--base-url", &target.url()];
    let by_url = checked(&config, "COUNTERSIGN_TOKEN", &by_url).run();
    assert_eq!((by_url.code, by_url.stderr.as_str()), (0, ""), "{by_url:?}");
}

#[test]
fn a_token_that_leaves_this_machine_in_clear_is_warned_of_once() {
    // A name that nobody has (RFC 2606, section 2).
    for url in ["http://contacts.invalid", "http://contacts.invalid:8080/tenant"] {
        for quiet in [&[][..], &["--quiet"]] {
            let ended = check(url, quiet).run();
            assert_eq!(ended.code, 3, "{ended:?}");
            assert_eq!(ended.stderr.matches("unencrypted").count(), 1, "{ended:?}");
            assert!(
                ended
                    .stderr
                    .contains("warning: the token goes to http://contacts.invalid"),
                "{ended:?}"
            );
        }
    }
    let encrypted = check("https://contacts.invalid", &[]).run();
    assert!(!encrypted.stderr.contains("unencrypted"), "{encrypted:?}");
    let target = Target::sound();
    assert_eq!(check(&target.url(), &[]).run().stderr, "");
    // A contract that asks for no token has none sent.
    let open = "openapi: 3.0.3\ninfo: {title: a, version: '1'}\npaths:\n  /a:\n    get:\n      operationId: getA\n      \
                responses:\n        '200': {description: a}\n";
    let ended =
        countersign(&["check", "--spec", "a.yaml", "--base-url", "http://contacts.invalid"]).file("a.yaml", open);
    let ended = ended.run();
    assert!(!ended.stderr.contains("unencrypted"), "{ended:?}");
}
