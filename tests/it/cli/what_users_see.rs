//! Snapshots of what a user sees: exit code, standard output and standard error together.

use super::support::{check, concerning, countersign};
use super::target::Target;

/// A service whose venues lack their country: one documented field dropped.
fn one_field_dropped() -> Target {
    Target::changed("/venues", |body| {
        for item in body["data"]["items"].as_array_mut().unwrap() {
            item.as_object_mut().unwrap().remove("country");
        }
    })
}

#[test]
fn help_is_reported_for_the_program_and_each_command() {
    for command in [
        "", "check", "completions", "config", "diff", "explain", "facts", "gaps", "judge", "learn", "lint", "man",
        "merge", "plan", "report", "rules", "serve",
    ] {
        let arguments: Vec<_> = [command, "--help"]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect();
        let ended = countersign(&arguments).run();
        let name = if command.is_empty() { "program" } else { command };
        ended.matches(&format!("help_{name}"));
    }
}

#[test]
fn a_run_of_the_embedded_service_conforms() {
    // One request at a time: how many pages are under way when a record is found differs otherwise.
    countersign(&["check", "--seed", "1", "--jobs", "1"])
        .run()
        .matches("conforms");
}

#[test]
fn what_is_meant_for_a_target_is_an_error_where_there_is_none() {
    const FOREIGN: &str = "openapi: 3.0.3
info: {title: Other, version: '1'}
paths:
  /things: {get: {responses: {'200': {description: Things}}}}
";
    const TOKEN: (&str, &str) = ("COUNTERSIGN_TOKEN", "0123456789abcdef");
    let call = |arguments: &[&str]| countersign(arguments).env(TOKEN.0, TOKEN.1).file("other.yaml", FOREIGN);
    let unset = |arguments: &[&str]| countersign(arguments).file("other.yaml", FOREIGN);
    for (ended, what) in [
        (
            call(&["check"]).run(),
            "COUNTERSIGN_TOKEN, the token of a target, is set",
        ),
        (unset(&["check", "--wait", "1"]).run(), "--wait waits for a target"),
        (
            unset(&["check", "--spec", "other.yaml"]).run(),
            "the reference service has none of the operations in `other.yaml`",
        ),
    ] {
        let error = ended.is_one_error(2);
        assert!(error.contains(what) && error.contains("give --base-url"), "{error}");
    }
    let some = concerning("getVenues");
    let named = call(&[&["check", "--target", "embedded"], &some[..]].concat()).run();
    assert_eq!((named.code, named.stderr.as_str()), (0, ""));
    let faulty = call(&["check", "--fault", "getVenues:server-error"]).run();
    assert_eq!((faulty.code, faulty.stderr.as_str()), (1, ""));
}

#[test]
fn a_run_with_one_field_dropped_fails() {
    let target = one_field_dropped();
    check(&target.url(), &[]).run().matches("does_not_conform");
}

#[test]
fn a_quiet_run_prints_the_verdict_alone() {
    let target = one_field_dropped();
    let ended = check(&target.url(), &["-q"]).run();
    assert_eq!(ended.stdout.lines().count(), 1, "{ended:?}");
    ended.matches("quiet");
}

#[test]
fn a_verbose_run_prints_each_exchange_and_each_undecided_fact() {
    let target = Target::sound();
    check(&target.url(), &["-v", "--jobs", "1"]).run().matches("verbose");
}

#[test]
fn a_run_that_only_reads_reports_what_it_left_undecided() {
    let target = Target::sound();
    check(&target.url(), &[]).run().matches("reads_only");
}

#[test]
fn colour_is_nothing_but_escapes_around_the_same_words() {
    let target = one_field_dropped();
    let coloured = check(&target.url(), &["--color", "always"]).run();
    let plain = check(&target.url(), &["--color", "never"]).run();
    let stripped = anstream::adapter::strip_str(&coloured.stdout).to_string();
    let words = |text: &str| {
        let lines = text.lines().filter(|line| !line.contains("requests"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(words(&stripped), words(&plain.stdout));
}

#[test]
fn the_variable_no_color_needs_no_flag() {
    let target = one_field_dropped();
    let ended = check(&target.url(), &[])
        .env("NO_COLOR", "1")
        .env("TERM", "xterm")
        .run();
    assert_eq!(ended.code, 1);
}

#[test]
fn facts_are_listed_with_their_locations() {
    let mut ended = countersign(&["facts"]).run();
    let lines: Vec<_> = ended.stdout.lines().collect();
    let shown = [&lines[..6], &["[…]"], &lines[lines.len() - 1..]].concat();
    ended.stdout = shown.join("\n") + "\n";
    ended.matches("facts");
}

#[test]
fn one_seed_makes_one_run() {
    let reported = || {
        let arguments = ["check", "--seed", "7", "--jobs", "1", "--report", "json"];
        let ended = countersign(&[&arguments[..], &concerning("createContactMethod")].concat()).run();
        let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        (report["requests"].clone(), report["facts"].clone())
    };
    assert_eq!(reported(), reported());
}
