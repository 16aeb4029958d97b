//! Flags, names and tokens that make no sense: one message, exit code 2, and nothing is sent.

use super::stub::{Stub, sound};
use super::support::{Call, TOKEN, check, countersign};

/// Runs against a target that must not hear of it, and returns the message.
#[track_caller]
fn rejected(arguments: &[&str]) -> String {
    rejected_call(|url| check(url, arguments))
}

#[track_caller]
fn rejected_call(call: impl FnOnce(&str) -> Call) -> String {
    use std::io::Write as _;
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let ended = call(&target.url()).run();
    let message = ended.is_one_error(2).to_owned();
    assert_eq!(target.received().len(), 0, "{message}");
    message
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn a_base_url_that_is_none_is_reported_by_the_part_that_is_wrong() {
    for (url, parts) in [
        ("api.example.com", ["no scheme", "https://api.example.com"]),
        ("localhost:8080", ["no scheme", "https://api.example.com"]),
        ("ftp://api.example.com", ["scheme of the base URL", "`http` or `https`"]),
        ("https://api.example.com/?page=1", ["query", "remove it"]),
        ("https://api.example.com/#top", ["fragment", "remove it"]),
        (
            "https://ada:hunter2@api.example.com",
            ["user name or password", "remove it"],
        ),
        ("http://", ["not a URL", "https://api.example.com"]),
        ("http://api.example.com:99999", ["not a URL", "port"]),
        ("", ["empty", "https://api.example.com"]),
    ] {
        let ended = check(url, &[]).run();
        let message = ended.is_one_error(2);
        says(message, &parts);
        says(message, &["--base-url"]);
        ended.shows_nowhere("hunter2");
    }
}

#[test]
fn an_empty_base_url_in_the_environment_does_not_mean_the_embedded_service() {
    let ended = countersign(&["check"]).env("COUNTERSIGN_BASE_URL", "").run();
    says(ended.is_one_error(2), &["empty", "COUNTERSIGN_BASE_URL"]);
}

#[test]
fn a_token_that_is_typed_in_place_of_something_else_is_not_repeated() {
    for arguments in [
        &["check", TOKEN][..],
        &["check", "--seed", TOKEN],
        &[TOKEN],
        &["explain", TOKEN],
    ] {
        let ended = countersign(arguments).env("COUNTERSIGN_TOKEN", TOKEN).run();
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.stderr.contains("error"), "{ended:?}");
        ended.shows_nowhere(&TOKEN[3..16]);
    }
}

#[test]
fn a_target_without_a_token_is_not_called() {
    let message = rejected_call(|url| countersign(&["check", "--base-url", url]));
    says(&message, &["no token", "COUNTERSIGN_TOKEN", "--token-file"]);
}

#[test]
fn a_token_that_no_header_carries_is_rejected_and_not_repeated() {
    for (token, part) in [
        ("", "empty"),
        (" \t\n", "empty"),
        ("hun\nter2", "character 4"),
        ("hun ter2", "there is a space in it"),
        ("hünter2", "character 2"),
        ("jane:hun ter2", "character 9 is not visible ASCII"),
    ] {
        let message = rejected_call(|url| check(url, &[]).env("COUNTERSIGN_TOKEN", token));
        says(&message, &["COUNTERSIGN_TOKEN", part]);
        assert!(!message.contains("ter2"), "{message}");
        let arguments = ["--token-file", "token"];
        let message = rejected_call(|url| check(url, &arguments).file("token", token));
        says(&message, &["`token`", part]);
        assert!(!message.contains("ter2"), "{message}");
    }
}

#[test]
fn a_token_file_that_cannot_be_read_is_named() {
    says(
        &rejected(&["--token-file", "absent"]),
        &["token", "`absent`", "No such file"],
    );
    let message = rejected_call(|url| check(url, &["--token-file", "secrets"]).folder("secrets"));
    says(&message, &["token", "`secrets`", "directory"]);
    let message = rejected_call(|url| check(url, &["--token-file", "token"]).file("token", b"\xff\xfe"));
    says(&message, &["token", "`token`", "UTF-8"]);
}

#[test]
fn a_token_file_ends_in_a_newline_as_editors_leave_it() {
    use std::io::Write as _;
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let call = check(&target.url(), &["--token-file", "token"]).file("token", format!("{TOKEN}\n"));
    let ended = call.env("COUNTERSIGN_TOKEN", "the-file-comes-first").run();
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn a_token_file_without_a_target_is_rejected() {
    // The embedded service makes its own token: who gives one has forgotten the target, and must not be told that all
    // is well.
    let ended = countersign(&["check", "--token-file", "token"])
        .file("token", TOKEN)
        .run();
    says(ended.is_one_error(2), &["--token-file", "--base-url"]);
}

#[test]
fn an_unknown_rule_is_reported_with_a_near_one_and_all_known_ones() {
    for flag in ["--deny", "--warn", "--allow"] {
        let message = rejected(&[flag, "missing-feild"]);
        says(&message, &["`missing-feild`", "did you mean `missing-field`?"]);
        says(&message, &["`accepted-format`", "`wrong-type`", "`unfinished-answer`"]);
    }
    assert!(!rejected(&["--deny", "zzzzzzzz"]).contains("did you mean"));
}

#[test]
fn a_token_that_is_too_short_to_be_hidden_is_rejected_with_the_reason() {
    for (token, file) in [("h", false), ("1234567", false), ("1234567\n", true)] {
        let message = rejected_call(|url| {
            let flags: &[&str] = if file { &["--token-file", "token"] } else { &[] };
            check(url, flags).env("COUNTERSIGN_TOKEN", token).file("token", token)
        });
        let origin = if file { "`token`" } else { "COUNTERSIGN_TOKEN" };
        says(
            &message,
            &[
                origin,
                "fewer than 8 characters",
                "garble ordinary words",
                "a longer one",
            ],
        );
        assert!(!message.contains("1234567"), "{message}");
    }
    // Of eight, one is a token as any other.
    use std::io::Write as _;
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let ended = check(&target.url(), &[]).env("COUNTERSIGN_TOKEN", "12345678").run();
    assert!(
        target
            .received()
            .iter()
            .any(|request| request.head.contains("Bearer 12345678")),
        "{ended:?}"
    );
}

#[test]
fn an_unknown_operation_is_reported_with_a_near_one_and_all_known_ones() {
    for flag in ["--only", "--skip"] {
        let message = rejected(&[flag, "getTag"]);
        says(&message, &["`getTag`", "did you mean `getTags`?"]);
        says(&message, &["`createContact`", "`updateContact`", "`getVisits`"]);
    }
}

#[test]
fn a_number_out_of_its_range_is_reported_with_its_flag_and_the_range() {
    for (arguments, parts) in [
        (["--rate", "0"], ["--rate", "more than 0"]),
        (["--rate", "-1"], ["--rate", "more than 0, and at most 86400"]),
        (["--rate", "inf"], ["--rate", "86400"]),
        (["--timeout", "abc"], ["--timeout", "not a number"]),
        (["--timeout", "0"], ["--timeout", "more than 0"]),
        (["--timeout", "NaN"], ["--timeout", "86400"]),
        (["--max-time", "0"], ["--max-time", "more than 0"]),
        (["--max-time", "86401"], ["--max-time", "86400"]),
        (["--settle", "-1"], ["--settle", "0 to 86400"]),
        (["--require-facts", "101"], ["--require-facts", "0 to 100"]),
        (["--require-facts", "-0.1"], ["--require-facts", "0 to 100"]),
        (["--jobs", "0"], ["--jobs", "from 1 to 256"]),
        (["--max-writes", "-1"], ["--max-writes", "invalid digit"]),
    ] {
        says(&rejected(&arguments), &parts);
    }
    let ended = countersign(&["check", "--seed", "one"]).run();
    says(ended.is_one_error(2), &["--seed", "invalid digit"]);
}

#[test]
fn a_report_format_that_is_unknown_is_reported_with_the_known_ones() {
    says(
        &rejected(&["--report", "jsno=report.json"]),
        &["`jsno`", "did you mean `json`?", "`terminal`"],
    );
    says(&rejected(&["--report", "json="]), &["no file follows `json=`"]);
}

#[test]
fn a_format_is_reported_by_a_near_one() {
    for (asked, near) in [
        ("junti", "junit"),
        ("sarfi=a", "sarif"),
        ("markdwon", "markdown"),
        ("gihtub", "github"),
    ] {
        says(&rejected(&["--report", asked]), &[&format!("did you mean `{near}`?")]);
    }
}

#[test]
fn loud_and_quiet_at_once_are_rejected() {
    let ended = countersign(&["check", "-v", "-q"]).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    says(&ended.stderr, &["-v", "-q"]);
}

#[test]
fn a_command_or_a_flag_that_does_not_exist_is_reported_with_a_near_one() {
    for (arguments, near) in [(["chekc", "-q"], "'check'"), (["check", "--base-ur"], "'--base-url'")] {
        let ended = countersign(&arguments).run();
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
        says(&ended.stderr, &[near]);
    }
}
