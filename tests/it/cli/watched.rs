//! A run as a person sees it who watches a terminal; here, `script` is the terminal.
#![cfg(target_os = "linux")]

use std::process::Command;

use super::support::{TOKEN, check};
use super::target::Target;
use crate::support::leaks::Scanner;

/// The bar's last column goes back to the first one by this.
const ERASED: &str = "\u{1b}[2K";

fn one_field_dropped() -> Target {
    Target::changed("/venues", |body| {
        for item in body["data"]["items"].as_array_mut().unwrap() {
            item.as_object_mut().unwrap().remove("country");
        }
    })
}

/// All that a terminal of so many columns was sent by a check of the target.
fn seen(target: &Target, arguments: &str, columns: u16, environment: &[(&str, &str)]) -> String {
    let binary = env!("CARGO_BIN_EXE_countersign");
    let line = format!(
        "stty cols {columns} rows 24; exec '{binary}' check --seed 1 --base-url {} {arguments}",
        target.url()
    );
    let ended = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("SHELL", "/bin/sh")
        .env("TERM", "xterm")
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .envs(environment.iter().copied())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("`script` of util-linux");
    let text = String::from_utf8(ended.stdout).unwrap();
    assert!(!text.contains(&TOKEN[3..16]), "{text}");
    assert_eq!(ended.status.code(), Some(1), "{text}");
    text
}

/// What stays of a text when escapes are taken out.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn a_finding_is_reported_as_it_appears_and_above_a_bar_with_counts_and_pace() {
    let text = seen(&one_field_dropped(), "", 80, &[]);
    assert!(text.contains(ERASED), "the bar is taken away: {text:?}");
    let text = plain(&text);
    let found = text
        .find("error[missing-field]: getVenues /data/items/*/country: present")
        .unwrap();
    let reported = text
        .find("error[missing-field]: getVenues: /data/items/0/country is missing")
        .unwrap();
    assert!(found < reported, "{text}");
    let bar = text
        .lines()
        .flat_map(|line| line.split('\r'))
        .find(|line| line.contains("1 error"));
    let bar = bar.unwrap_or_else(|| panic!("{text}"));
    assert!(bar.contains("requests, ") && bar.contains("/s, 1 error"), "{bar}");
    assert!(bar.contains(['█', '░']), "{bar}");
}

#[test]
fn a_narrow_terminal_gets_numbers_in_one_line_and_no_bar() {
    let text = plain(&seen(&one_field_dropped(), "", 40, &[]));
    let lines: Vec<_> = text.lines().flat_map(|line| line.split('\r')).collect();
    assert!(!text.contains(['█', '░']), "{text}");
    assert!(lines.contains(&"error[missing-field]: getVenues /data/i…"), "{text}");
    let counts: Vec<_> = lines.iter().filter(|line| line.contains("/s, ")).collect();
    assert!(!counts.is_empty(), "{text}");
    assert!(counts.iter().all(|line| line.chars().count() <= 40), "{counts:?}");
}

#[test]
fn colour_is_seen_on_a_terminal_unless_it_is_rejected() {
    const RED: &str = "\u{1b}[1;31m";
    let target = one_field_dropped();
    assert!(seen(&target, "", 80, &[]).contains(&format!("{RED}error")));
    assert!(seen(&target, "", 80, &[]).contains(&format!("{RED}does not conform")));
    for (arguments, environment) in [
        ("", &[("NO_COLOR", "1")][..]),
        ("", &[("TERM", "dumb")]),
        ("", &[("CLICOLOR", "0")]),
        ("--color never", &[]),
        ("--color never", &[("CLICOLOR_FORCE", "1")]),
    ] {
        let text = seen(&target, arguments, 80, environment);
        assert!(
            !text.contains("\u{1b}[1;") && !text.contains("\u{1b}[3"),
            "{environment:?}: {text:?}"
        );
        assert!(text.contains("error[missing-field]"), "{text:?}");
    }
}

#[test]
fn a_quiet_run_shows_a_terminal_the_verdict_alone() {
    let target = one_field_dropped();
    let text = seen(&target, "--quiet --color never", 80, &[]);
    assert_eq!(text, format!("{} does not conform: 1 error\r\n", target.url()));
}

#[test]
fn a_verbose_run_prints_a_finding_after_the_exchange_that_shows_it() {
    let text = plain(&seen(&one_field_dropped(), "--verbose --jobs 1", 120, &[]));
    let lines: Vec<_> = text.lines().flat_map(|line| line.split('\r')).collect();
    let found = lines
        .iter()
        .position(|line| line.starts_with("error[missing-field]"))
        .unwrap();
    let before = lines[..found].iter().rev().find(|line| line.contains(" -> ")).unwrap();
    assert!(before.contains("GET /organization/v1/venues"), "{before}");
}

#[test]
fn a_pipe_gets_colour_where_the_environment_forces_it() {
    let target = one_field_dropped();
    let forced = |more: &[(&str, &str)]| {
        let call = check(&target.url(), &["--jobs", "1"]).coloured(more.is_empty());
        let call = call.env("CLICOLOR_FORCE", "1");
        more.iter()
            .fold(call, |call, (name, value)| call.env(name, value))
            .run()
    };
    assert!(forced(&[]).stdout.contains("\u{1b}[1;31mdoes not conform"));
    assert!(!forced(&[("NO_COLOR", "1")]).stdout.contains('\u{1b}'));
}

#[test]
fn a_report_in_a_file_is_plain_though_the_terminal_is_not() {
    let target = one_field_dropped();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.txt");
    let arguments = |color: &str| format!("{color} --report terminal={}", file.display());
    seen(&target, &arguments(""), 40, &[]);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains('\u{1b}'), "{text:?}");
    assert!(
        text.contains("  contract  openapi.yaml, Contact Database and Visits Service Interface\n"),
        "{text}"
    );
    seen(&target, &arguments("--color always"), 40, &[]);
    assert!(std::fs::read_to_string(&file).unwrap().contains('\u{1b}'));
}

#[test]
fn progress_gives_no_token_away_that_comes_back_as_an_identifier() {
    // Backwards and in capitals too it is the same secret.
    let target = Target::changed("/contact-database", |body| {
        let written = [TOKEN.to_owned(), TOKEN.chars().rev().collect(), TOKEN.to_uppercase()];
        if body["data"]["id"].is_string() {
            body["data"]["id"] = written.join("/").into();
        } else {
            body["data"]["items"][0][written[1].as_str()] = written.join(" ").into();
        }
    });
    let mut scanner = Scanner::new();
    scanner.hide("the token", TOKEN, true);
    for arguments in ["-v --writes --settle 0", "--writes --settle 0 --show-values"] {
        let text = seen(&target, arguments, 80, &[]);
        assert!(
            plain(&text).contains("warning[undocumented-field]: getContacts"),
            "{text}"
        );
        scanner.assert_clean("the terminal", text.as_bytes());
    }
}
