//! `check --shard` and `merge`: a check on several machines, from the command line and as described in
//! `docs/shards.md`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::{TOKEN, check, countersign};
use super::target::{Target, reference};

/// Checks the target in this shard, and hands back where its JSON report is, which stays while the second lives.
fn shard(url: &str, of: &str, arguments: &[&str]) -> (PathBuf, super::support::Ended) {
    let fixed = ["--shard", of, "--report", "json=report.json", "--report", "terminal"];
    let ended = check(url, &[&fixed, arguments].concat()).run();
    (ended.path().join("report.json"), ended)
}

fn merge(files: &[&Path], arguments: &[&str]) -> super::support::Ended {
    let files = files.iter().map(|file| file.to_str().unwrap());
    let all: Vec<_> = ["merge"]
        .into_iter()
        .chain(files)
        .chain(arguments.iter().copied())
        .collect();
    countersign(&all).run()
}

#[test]
fn three_shards_make_one_report_in_any_order() {
    let target = Target::sound();
    let shards: Vec<_> = ["1/3", "2/3", "3/3"]
        .map(|of| shard(&target.url(), of, &["--writes"]))
        .into();
    for (_, ended) in &shards {
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.stdout.contains(" conforms in shard "), "{ended:?}");
        assert!(ended.stdout.contains("another shard checks this"), "{ended:?}");
    }
    let files: Vec<_> = shards.iter().map(|(file, _)| file.as_path()).collect();
    let whole = [
        "--report", "json=all.json", "--report", "terminal", "--require-facts", "99",
    ];
    let all = merge(&files, &whole);
    assert_eq!(all.code, 0, "{all:?}");
    // The shards before the last have created what a list shows beyond its full last page.
    assert!(all.stdout.contains("535 held, 0 broken, 1 undecided"), "{all:?}");
    assert!(all.stdout.contains("shards    3 of 3\n"), "{all:?}");
    let turned = merge(&[files[2], files[0], files[1]], &whole);
    assert_eq!(turned.json("all.json"), all.json("all.json"));
    let again = merge(&[&all.path().join("all.json")], &whole);
    assert_eq!(again.json("all.json"), all.json("all.json"));

    let two = merge(
        &[files[0], files[2]],
        &["--report", "json=two.json", "--report", "terminal"],
    );
    assert_eq!(two.code, 3, "{two:?}");
    assert!(
        two.stdout.contains("could not be judged: shard 2 of 3 is missing"),
        "{two:?}"
    );
    let later = merge(&[files[1], &two.path().join("two.json")], &whole);
    assert_eq!(later.json("all.json"), all.json("all.json"));

    let twice = merge(&[files[0], files[1], files[0]], &[]);
    let message = twice.is_one_error(2);
    assert!(message.contains("both of shard 1 of 3"), "{message}");
    assert!(message.contains(files[0].to_str().unwrap()), "{message}");
}

#[test]
fn reports_of_other_targets_seeds_or_whole_runs_are_not_merged() {
    let (one, other) = (Target::sound(), Target::sound());
    let first = shard(&one.url(), "1/2", &[]);
    let elsewhere = shard(&other.url(), "2/2", &[]);
    let of_three = shard(&one.url(), "2/3", &[]);
    let whole = check(&one.url(), &["--report", "json=report.json"]).run();
    let whole_file = whole.path().join("report.json");
    for (file, expected) in [
        (&elsewhere.0, "differ in their target"),
        (&of_three.0, "differ in how many shards there are: 2 and 3"),
        (&whole_file, "is a whole check"),
    ] {
        let ended = merge(&[&first.0, file], &[]);
        let message = ended.is_one_error(2);
        assert!(
            message.contains(expected) && message.contains(file.to_str().unwrap()),
            "{message}"
        );
    }
    assert_eq!(merge(&[], &[]).code, 2);
}

#[test]
fn what_is_no_shard_is_rejected_before_anything_is_sent() {
    for (arguments, expected) in [
        (&["--shard", "0/3"][..], "start at 1"),
        (&["--shard", "4/3"], "no shard 4 of 3"),
        (&["--shard", "1/0"], "1/1"),
        (&["--shard", "one"], "K/N"),
        (&["--shard", "-1/3"], "K/N"),
        (&["--shard", "1/5"], "the plan has 4 parts; give an N of 4 or less"),
        (&["--shard", "1/7", "--writes"], "the plan has 6 parts"),
        (&["--shard", "1/2", "--only", "getTags"], "the plan has 1 part;"),
    ] {
        let ended = check("http://127.0.0.1:9", arguments).run();
        let message = ended.is_one_error(2);
        assert!(message.contains(expected), "{expected}: {message}");
        let fixed = ["plan", "--seed", "1", "--base-url", "http://127.0.0.1:9"];
        let planned = countersign(&[&fixed, arguments].concat()).run();
        assert_eq!(planned.is_one_error(2), message);
    }
    for command in ["check", "plan"] {
        let ended = countersign(&[command, "--shard", "1/3"]).run();
        assert!(ended.is_one_error(2).contains("--seed"), "{ended:?}");
    }
}

#[test]
fn the_plan_of_a_shard_says_what_falls_to_it() {
    let ended = countersign(&["plan", "--seed", "1", "--shard", "2/3"]).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.stdout.contains("; seed 1; shard 2/3 of a plan with 6 parts"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains(": another shard checks this"), "{}", ended.stdout);
    ended.matches("plan_of_a_shard");
}

#[test]
fn a_bar_on_a_shard_is_on_its_own_facts() {
    let target = Target::sound();
    let (_file, ended) = shard(&target.url(), "2/3", &["--writes", "--require-facts", "100"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let (_file, short) = shard(&target.url(), "1/2", &["--require-facts", "99"]);
    assert_eq!(short.code, 3, "{short:?}");
    assert!(
        short.stdout.contains("% of this shard's facts were decided"),
        "{short:?}"
    );
}

#[test]
fn a_shard_that_reached_nothing_leaves_the_rest_to_the_others() {
    let target = Target::sound();
    let first = shard(&target.url(), "1/2", &[]);
    let text = std::fs::read_to_string(&first.0).unwrap();
    let second = shard("http://127.0.0.1:9", "2/2", &[]);
    assert_eq!(second.1.code, 3, "{second:?}");
    // The report of the shard that reached nothing, as if it had been for the same target.
    let unreached = std::fs::read_to_string(&second.0)
        .unwrap()
        .replace("http://127.0.0.1:9", &target.url());
    let folder = tempfile::tempdir().unwrap();
    let files = [("1.json", text), ("2.json", unreached)].map(|(name, text)| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    });
    let both = merge(
        &[&files[0], &files[1]],
        &["--report", "json=all.json", "--report", "terminal"],
    );
    assert_eq!(both.code, 3, "{both:?}");
    assert!(both.stdout.contains("shard 2: "), "{both:?}");
    let rows = both.json("all.json")["facts"]["rows"].clone();
    let others = rows
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["reason"] == "another shard checks this");
    assert_eq!(
        others.count(),
        0,
        "each fact has the reason of the shard that it falls to"
    );
}

/// The lines of the page that begin with this word, without what the format around them takes.
fn sample(word: &str) -> Vec<String> {
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/shards.md"));
    let lines = page.lines().map(|line| line.trim().trim_start_matches("- run: "));
    lines.filter(|line| line.starts_with(word)).map(str::to_owned).collect()
}

/// Runs a line of the page in a folder, with `countersign` on the path.
fn in_shell(line: &str, folder: &Path, variables: &[(&str, &str)]) -> i32 {
    let binary = Path::new(env!("CARGO_BIN_EXE_countersign")).parent().unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", line])
        .current_dir(folder)
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", binary.display()))
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .envs(variables.iter().copied());
    let ended = command.output().unwrap();
    assert!(ended.status.code().is_some(), "{ended:?}");
    ended.status.code().unwrap()
}

#[test]
fn the_lines_of_the_page_work_in_a_matrix_and_in_an_indexed_job() {
    let target = Target::serve(reference());
    let url = target.url();
    let checks = sample("countersign check");
    let merges = sample("countersign merge");
    assert_eq!((checks.len(), merges.len()), (2, 1), "{checks:?} {merges:?}");
    let folder = tempfile::tempdir().unwrap();
    let matrix = checks.iter().find(|line| line.contains("matrix.shard")).unwrap();
    for shard in ["1", "2", "3", "4"] {
        // GitHub puts these in before a shell sees the line.
        let line = matrix.replace("${{ matrix.shard }}", shard);
        let variables = [("SERVICE_URL", url.as_str()), ("GITHUB_RUN_ID", "17")];
        assert_eq!(in_shell(&line, folder.path(), &variables), 0, "{line}");
    }
    assert_eq!(in_shell(&merges[0], folder.path(), &[]), 0);
    std::fs::remove_file(folder.path().join("shard-2.json")).unwrap();
    assert_eq!(in_shell(&merges[0], folder.path(), &[]), 3, "a shard is missing");

    let indexed = checks
        .iter()
        .find(|line| line.contains("JOB_COMPLETION_INDEX"))
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    // The sample writes to a volume that all pods share.
    let line = indexed.replace("/reports/", "");
    for index in ["0", "1", "2", "3"] {
        let variables = [
            ("COUNTERSIGN_BASE_URL", url.as_str()),
            ("JOB_COMPLETION_INDEX", index),
            ("SEED", "17"),
        ];
        assert_eq!(in_shell(&line, folder.path(), &variables), 0, "{line}");
    }
    assert_eq!(in_shell(&merges[0], folder.path(), &[]), 0);
}
