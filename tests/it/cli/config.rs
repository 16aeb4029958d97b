//! `countersign.toml`: which target is checked, where each value comes from, and what is accepted and reported about
//! it.

use std::io::Write as _;

use super::stub::{Stub, sound};
use super::support::{Call, Ended, TOKEN, concerning, countersign};
use super::target::Target;

/// A token of another target, which no request may show.
const OTHER_TOKEN: &str = "tk-0000000-of-another-target";

/// A service whose tags count is wrong in one field.
fn deviating() -> Target {
    Target::changed("/tags", |body| body["data"]["total"] = "41".into())
}

fn with(config: &str, arguments: &[&str]) -> Call {
    countersign(arguments).file("countersign.toml", config)
}

/// A configuration with the target `staging`, whose token is in a variable of its own.
fn staging(url: &str) -> String {
    format!(
        "default_target = \"staging\"\n[targets.staging]\nbase_url = \"{url}\"\ntoken_env = \"COUNTERSIGN_STAGING_TOKEN\"\n"
    )
}

fn check(config: &str, arguments: &[&str]) -> Ended {
    let call = with(config, &[&["check", "--seed", "1"], arguments].concat());
    call.env("COUNTERSIGN_STAGING_TOKEN", TOKEN).run()
}

/// An entry that allows findings of a rule at a place, with more lines.
fn entry(rule: &str, field: &str, more: &str) -> String {
    format!(
        "\n[[levels]]\nrule = \"{rule}\"\noperation = \"getTags\"\nfield = \"{field}\"\nlevel = \"allow\"\n{more}\n"
    )
}

const AGREED: &str = "reason = \"CD-7: the count is a text until March\"";

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[test]
fn the_default_target_is_checked_with_the_token_of_its_own_variable() {
    let target = Target::sound();
    let call = with(&staging(&target.url()), &["check", "--seed", "1"]);
    let ended = call
        .env("COUNTERSIGN_STAGING_TOKEN", TOKEN)
        .env("COUNTERSIGN_TOKEN", OTHER_TOKEN)
        .run();
    assert_eq!(ended.code, 0, "{ended:?}");
    says(&ended.stdout, &[&target.url(), "conforms", " 0 of them writes"]);
}

#[test]
fn a_target_is_chosen_by_flag_before_the_environment_and_by_that_before_the_file() {
    let target = Target::sound();
    let config = format!(
        "{}[targets.other]\nbase_url = \"http://127.0.0.1:1\"\n[targets.third]\nbase_url = \"http://127.0.0.1:2\"\n",
        staging(&target.url())
    );
    let chosen = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut call = with(&config, &[&["config", "--json"], arguments].concat());
        for (name, value) in variables {
            call = call.env(name, value);
        }
        let ended = call.run();
        assert_eq!(ended.code, 0, "{ended:?}");
        let reported: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        let base_url = &reported["settings"]["base_url"];
        (
            reported["target"].clone(),
            base_url["value"].clone(),
            base_url["origin"].clone(),
        )
    };
    const BASE_URL: (&str, &str) = ("COUNTERSIGN_BASE_URL", "http://127.0.0.1:9");
    let by = |arguments: &[&str], variables: &[(&str, &str)], target: Option<&str>, origin: &str| {
        let reported = chosen(arguments, variables);
        assert_eq!(
            (reported.0, reported.2.as_str()),
            (target.into(), Some(origin)),
            "{arguments:?} {variables:?}"
        );
    };
    by(&[], &[], Some("staging"), "countersign.toml:3");
    by(
        &[],
        &[("COUNTERSIGN_TARGET", "other")],
        Some("other"),
        "countersign.toml:6",
    );
    by(
        &["--target", "third"],
        &[("COUNTERSIGN_TARGET", "other")],
        Some("third"),
        "countersign.toml:8",
    );
    by(&["--target", "third"], &[BASE_URL], Some("third"), "countersign.toml:8");
    by(&[], &[BASE_URL], None, "COUNTERSIGN_BASE_URL");
    by(&["--base-url", "http://127.0.0.1:8"], &[BASE_URL], None, "--base-url");
    by(
        &["--base-url", "http://127.0.0.1:8"],
        &[("COUNTERSIGN_TARGET", "other")],
        None,
        "--base-url",
    );
    by(&["--target", "embedded"], &[BASE_URL], None, "default");
    by(&["--no-config"], &[], None, "default");
    by(&["--no-config", "--target", "embedded"], &[BASE_URL], None, "default");
}

#[test]
fn a_base_url_by_itself_gets_no_token_of_a_target() {
    let stranger = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let call = with(
        &staging("http://127.0.0.1:1"),
        &["check", "--base-url", &stranger.url()],
    );
    let ended = call.env("COUNTERSIGN_STAGING_TOKEN", TOKEN).run();
    says(ended.is_one_error(2), &["there is no token", "COUNTERSIGN_TOKEN"]);
    assert_eq!(stranger.received().len(), 0);
}

#[test]
fn a_variable_that_is_not_set_is_reported_with_the_line_that_names_it() {
    let ended = with(&staging("http://127.0.0.1:1"), &["check"])
        .env("COUNTERSIGN_TOKEN", OTHER_TOKEN)
        .run();
    says(
        ended.is_one_error(2),
        &["set COUNTERSIGN_STAGING_TOKEN (see countersign.toml:4)", "--token-file"],
    );
}

#[test]
fn what_config_prints_has_every_value_with_its_origin_and_no_secret() {
    let config = staging("https://contacts.example.com/tenant")
        + "writes = true\nmax_writes = 12\nwait = 60\npace.rate = 5\n\
           [check]\nrequire_facts = 40\nskip = [\"getVisits\"]\npace.rate = 50\npace.timeout = 20\n"
        + &entry("wrong-type", "/data/total", AGREED)
        + &entry("null-value", "/data/items/*/name", "reason = \"\"")
        + &entry("null-value", "/data/items/**", "reason = \"a\"\nuntil = 2026-01-31");
    let arguments = [
        "config", "--jobs", "8", "--deny", "null-value", "--report", "json=out.json",
    ];
    let call = with(&config, &arguments)
        .env("COUNTERSIGN_STAGING_TOKEN", TOKEN)
        .env("COUNTERSIGN_TOKEN", TOKEN);
    let ended = call.run();
    assert_eq!(ended.code, 0, "{ended:?}");
    ended.matches("config");
}

#[test]
fn a_large_number_is_printed_with_every_digit() {
    let ended = with("", &["config", "--seed", "9007199254740993", "--timeout", "20"]).run();
    let of = |name: &str| {
        let line = ended.stdout.lines().find(|line| line.trim_start().starts_with(name));
        line.unwrap_or_else(|| panic!("{ended:?}")).to_owned()
    };
    says(&of("seed"), &["9007199254740993"]);
    assert!(!of("timeout").contains("20.0"), "{ended:?}");
}

#[test]
fn the_schema_that_config_prints_is_the_one_that_is_checked_in() {
    let ended = countersign(&["config", "--schema"]).run();
    let kept = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/snapshots/config_schema.snap.json"
    ));
    assert_eq!((ended.code, ended.stdout.as_str()), (0, kept));
}

#[test]
fn the_sample_of_the_page_is_read_and_valid_against_the_schema() {
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md"));
    let (_, after) = page.split_once("```toml\n").expect("a sample");
    let (sample, _) = after.split_once("```").unwrap();
    let ended = with(sample, &["config", "--json"]).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let reported: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(reported["target"], "staging");
    assert!(!reported["levels"].as_array().unwrap().is_empty());
}

#[test]
fn an_accepted_finding_is_silent_and_counted() {
    let target = deviating();
    let config = staging(&target.url()) + &entry("wrong-type", "/data/total", AGREED);
    let ended = check(
        &config,
        &[
            "--skip", "getVenues", "--report", "terminal", "--report", "json=report.json",
        ],
    );
    says(&ended.stdout, &["accepted  1 finding by countersign.toml"]);
    assert!(!ended.stdout.contains("error[wrong-type]"), "{ended:?}");
    let report = ended.json("report.json");
    let accepted = &report["accepted"][0];
    assert_eq!(
        (&accepted["state"], &accepted["findings"]),
        (&"holds".into(), &1.into())
    );
    assert_eq!(accepted["location"], "countersign.toml:7");
    // Without it, it is a finding.
    says(&check(&staging(&target.url()), &[]).stdout, &["error[wrong-type]"]);
    // A flag on the whole rule leaves what was accepted with a reason alone.
    let denied = check(&config, &["--deny", "wrong-type"]);
    assert!(!denied.stdout.contains("error[wrong-type]"), "{denied:?}");
}

#[test]
fn an_entry_without_a_reason_and_an_expired_one_accept_nothing_and_say_so() {
    let target = deviating();
    for (more, words) in [
        (
            "reason = \" \"",
            "countersign.toml:7: wrong-type getTags /data/total accepts nothing until its reason is filled in",
        ),
        (
            "reason = \"agreed\"\nuntil = 2026-01-31",
            "countersign.toml:7: wrong-type getTags /data/total expired and has had no effect since 2026-02-01",
        ),
    ] {
        let ended = check(
            &(staging(&target.url()) + &entry("wrong-type", "/data/total", more)),
            &[],
        );
        assert_eq!(ended.code, 1);
        says(&ended.stdout, &["error[wrong-type]", words]);
    }
}

#[test]
fn an_acceptance_of_what_no_longer_occurs_is_reported_where_the_run_saw_it() {
    let target = Target::sound();
    let config = staging(&target.url()) + &entry("wrong-type", "/data/total", AGREED);
    let gone = "countersign.toml:7: wrong-type getTags /data/total no longer occurs; remove the entry";
    says(&check(&config, &[]).stdout, &[gone]);
    let skipped = check(&config, &["--skip", "getTags"]);
    assert!(!skipped.stdout.contains("no longer occurs"), "{skipped:?}");
}

#[test]
fn accept_writes_what_was_found_once_and_leaves_the_rest_as_it_was() {
    let target = deviating();
    let config = staging(&target.url()) + "# kept \t as it is";
    let ended = check(&config, &["--accept"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let path = ended.path().join("countersign.toml");
    let once = std::fs::read_to_string(&path).unwrap();
    assert!(once.starts_with(&format!("{config}\n")), "{once}");
    says(
        &once,
        &[
            "rule = \"wrong-type\"",
            "operation = \"getTags\"",
            "field = \"/data/total\"",
            "reason = \"\"",
        ],
    );
    says(
        &ended.stderr,
        &["added 1 entry to countersign.toml", "until its reason is filled in"],
    );
    assert_eq!(ended.files(), ["countersign.toml"]);
    // The same again adds nothing, and nothing is accepted yet.
    let again = check(&once, &["--accept"]);
    assert_eq!(again.code, 1);
    says(&again.stderr, &["nothing new to accept"]);
    says(
        &again.stdout,
        &["accepts nothing until its reason is filled in", "error[wrong-type]"],
    );
    assert_eq!(
        std::fs::read_to_string(again.path().join("countersign.toml")).unwrap(),
        once
    );
    // With reasons, the service passes, and only what was found is accepted.
    let reasons = once.replace("reason = \"\"", "reason = \"agreed\"");
    let passing = check(&reasons, &[]);
    assert_eq!(passing.code, 0, "{passing:?}");
    let other = Target::changed("/venues", |body| body["data"]["total"] = "41".into());
    assert_eq!(check(&reasons.replace(&target.url(), &other.url()), &[]).code, 1);
}

#[test]
fn accept_makes_a_configuration_where_there_is_none() {
    let arguments = [
        "check",
        "--seed",
        "1",
        "--fault",
        "getTags/data/total:retyped",
        "--accept",
    ];
    let ended = countersign(&[&arguments[..], &concerning("getTags")].concat()).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    let written = std::fs::read_to_string(ended.path().join("countersign.toml")).unwrap();
    assert!(written.starts_with("# "), "{written}");
    says(&written, &["[[levels]]", "field = \"/data/total\""]);
}

#[test]
fn where_several_facts_lie_at_one_location_accept_names_the_one_that_is_broken() {
    let fault = [
        "check", "--seed", "1", "--settle", "0", "--fault", "getTags:server-error", "--only", "getTags", "--only",
        "getVenues",
    ];
    let ended = countersign(&[&fault[..], &["--accept"]].concat()).run();
    let written = std::fs::read_to_string(ended.path().join("countersign.toml")).unwrap();
    let fact = "getTags status: no 5xx";
    let found = format!("rule = \"server-error\"\noperation = \"getTags\"\nfield = \"\"\nfact = \"{fact}\"\n");
    assert!(written.contains(&found), "{written}");
    let accepted = with(&written.replace("reason = \"\"", "reason = \"agreed\""), &fault).run();
    assert_eq!(accepted.code, 0, "{accepted:?}");
}

#[cfg(unix)]
#[test]
fn accept_keeps_permissions_and_what_a_link_leads_to() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let target = deviating();
    let call = countersign(&["check", "--seed", "1", "--accept"]).env("COUNTERSIGN_STAGING_TOKEN", TOKEN);
    let call = call.folder("shared").file("shared/real.toml", staging(&target.url()));
    let real = call.path().join("shared/real.toml");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, call.path().join("countersign.toml")).unwrap();
    let ended = call.run();
    assert!(
        std::fs::read_to_string(ended.path().join("shared/real.toml"))
            .unwrap()
            .contains("[[levels]]")
    );
    let kept = std::fs::metadata(ended.path().join("shared/real.toml")).unwrap();
    assert_eq!(kept.permissions().mode() & 0o777, 0o640);
    assert!(
        std::fs::symlink_metadata(ended.path().join("countersign.toml"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn accept_that_cannot_be_written_is_reported_before_anything_is_sent() {
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let arguments = [
        "check",
        "--base-url",
        &target.url(),
        "--accept",
        "--config",
        "absent/countersign.toml",
    ];
    let ended = countersign(&arguments).env("COUNTERSIGN_TOKEN", TOKEN).run();
    says(
        ended.is_one_error(4),
        &["`absent/countersign.toml`", "`absent` is not a folder"],
    );
    assert_eq!(target.received().len(), 0);
}

#[test]
fn a_configuration_that_cannot_be_read_is_reported_with_what_is_wrong() {
    let absent = countersign(&["check", "--config", "absent.toml"]).run();
    says(
        absent.is_one_error(2),
        &["configuration", "`absent.toml`", "No such file"],
    );
    let folder = countersign(&["check"]).folder("countersign.toml").run();
    says(folder.is_one_error(2), &["`countersign.toml`", "it is a folder"]);
    let bytes = countersign(&["check"])
        .file("countersign.toml", b"[check]\nseed = \xff\n")
        .run();
    says(bytes.is_one_error(2), &["countersign.toml:2:8: the file is not UTF-8"]);
    let huge = with(&"#".repeat((1 << 20) + 1), &["check"]).run();
    says(huge.is_one_error(2), &["larger than 1 MiB"]);
}

#[test]
fn what_a_configuration_cannot_mean_is_reported_with_its_line() {
    for (config, parts) in [
        (
            "default_target = \"stagin\"\n[targets.staging]\nbase_url = \"https://api.example.com\"\n",
            &["countersign.toml:1:18: there is no target `stagin` (did you mean `staging`?)"][..],
        ),
        (
            "[targets.embedded]\nbase_url = \"https://api.example.com\"\n",
            &[":2:12:", "reference service"],
        ),
        (
            "[targets.a]\nbase_url = \"https://ada:hunter2@api.example.com\"\n",
            &[":2:12:", "user name or password"],
        ),
        (
            "[targets.a]\nbase_url = \"https://api.example.com\"\ntoken_env = \"hunter2-secret\"\n",
            &[":3:13:", "name of an environment variable"],
        ),
        (
            "[check]\nrequire_facts = 101\n",
            &[":2:17: `require_facts` must be from 0 to 100"],
        ),
        ("[check]\npace.jobs = 0\n", &[":2:13: `jobs` must be from 1 to 256"]),
        (
            "[check]\nonly = [\"getTag\"]\n",
            &[":2:9: there is no operation `getTag` (did you mean `getTags`?)"],
        ),
        (
            "reports = [\"jsno\"]\n",
            &[":1:12: there is no format `jsno` (did you mean `json`?)"],
        ),
        (
            "reports = [\n  \"json=a\",\n  \"terminal=a\",\n]\n",
            &[":3:3: another report already goes to `a`"],
        ),
        (
            "[[levels]]\nrule = \"null-vlaue\"\nlevel = \"allow\"\nreason = \"a\"\n",
            &[":2:8:", "did you mean `null-value`?"],
        ),
        (
            "[check]\nmaxpages = 1\n",
            &[":2:1: there is no key `maxpages` in `check` (did you mean `max_pages`?)"],
        ),
    ] {
        let ended = with(config, &["check"]).run();
        let message = ended.is_one_error(2);
        says(message, &["failed to read the configuration: countersign.toml:"]);
        says(message, parts);
        assert!(!message.contains("hunter2"), "{message}");
    }
}

#[test]
fn what_is_typed_twice_over_is_rejected() {
    let two = &staging("https://api.example.com");
    for (arguments, part) in [
        (
            &["check", "--target", "staging", "--base-url", "http://127.0.0.1:1"][..],
            "--target and --base-url",
        ),
        (&["check", "--config", "countersign.toml", "--no-config"], "--no-config"),
        (
            &["check", "--target", "staging", "--fault", "a"],
            "--fault is for the reference service",
        ),
        (
            &["check", "--target", "stagin"],
            "there is no target `stagin` (did you mean `staging`?)",
        ),
        (
            &["check", "--no-config", "--target", "staging"],
            "there is no target `staging`",
        ),
    ] {
        says(with(two, arguments).run().is_one_error(2), &[part]);
    }
}

#[test]
fn no_config_reads_none_and_a_deliberate_fault_is_for_the_embedded_service() {
    let config = staging("http://127.0.0.1:1");
    let plain = ["check", "--seed", "1", "--no-config"];
    let plain = with(&config, &[&plain[..], &concerning("getTags")].concat()).run();
    assert_eq!(plain.code, 0, "{plain:?}");
    let embedded = with(
        &config,
        &["check", "--seed", "1", "--target", "embedded", "--only", "getTags"],
    )
    .run();
    assert_eq!(embedded.code, 0, "{embedded:?}");
}

#[test]
fn writes_of_a_target_can_be_taken_back_by_a_flag() {
    let config = staging("http://127.0.0.1:1") + "writes = true\n";
    let plan = |arguments: &[&str]| with(&config, &[&["plan"], arguments].concat()).run().stdout;
    assert!(!plan(&[]).contains(" 0 of them writes"));
    assert!(plan(&["--writes=false"]).contains(" 0 of them writes"));
    assert!(!plan(&["--writes"]).contains(" 0 of them writes"));
}

#[test]
fn near_tokens_are_of_one_target_and_reported_with_their_location() {
    let config = "default_target = \"staging\"\n[targets.staging]\nbase_url = \"https://api.example.com\"\nnear_tokens = true\n\
                  [targets.other]\nbase_url = \"https://other.example.com\"\n";
    for (arguments, value, origin) in [
        (&[][..], true, "countersign.toml:4"),
        (&["--target", "other"], false, "default"),
    ] {
        let ended = with(config, &[&["config", "--json"], arguments].concat()).run();
        assert_eq!(ended.code, 0, "{ended:?}");
        let reported: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        let near = &reported["settings"]["near_tokens"];
        assert_eq!(
            (&near["value"], &near["origin"]),
            (&value.into(), &origin.into()),
            "{reported}"
        );
    }
}
