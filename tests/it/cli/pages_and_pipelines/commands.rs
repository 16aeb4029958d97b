//! README and the pages in `docs/` as a reader follows them: each command of a `console` block is run, in order and in
//! one folder, and the output that a block shows is what the command prints.
//!
//! A page can leave out parts of an output with `…`, and shows the exit code of a failing command with `echo $?`. Files
//! that it shows with their name in the first line, `# NAME.toml` or `# NAME.yaml`, exist when its commands run.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use countersign::client::Client;

use super::super::support::countersign;
use super::super::target::Target;
use super::workplace::{BASH, Workplace};
use super::{blocks, of_clone, tags};
use crate::support::{parallel, tried};

/// The service that the pages name, in place of which the commands meet one of their own.
const SERVICES: [&str; 2] = ["https://contacts.example.com", "http://127.0.0.1:8080"];

/// Commands that are not run here, and why.
const NOT_RUN: [(&str, &str); 6] = [
    ("bash .ci/", "a step of the gate, which CI runs; its file has to exist"),
    (
        "countersign check --base-url http://127.0.0.1:3000 --start",
        "starts a program of the reader's; the tests of `--start` start others",
    ),
    ("crontab ", "changes the machine"),
    ("export ", "the test hands over the token itself"),
    (
        "install ",
        "makes the file of the token, which the test of the script does",
    ),
    ("mkdir --mode", "for a container alone"),
];

/// Stands for `cargo`: what `cargo run` runs is run, and what is named exists. `CLONE` and `TESTS` are filled in.
const CARGO: &str = r#"#!/bin/sh
case "$1" in
  run) until [ "$1" = -- ]; do shift; done; shift; exec countersign "$@" ;;
  bench) [ -f "CLONE/benches/$3.rs" ] ;;
  test) until [ $# = 0 ] || [ "$1" = -- ]; do shift; done
    [ $# = 0 ] || shift
    for name; do "TESTS" --list "$name" | grep -q ': test$' || exit 1; done ;;
esac
"#;
/// Stands for `docker`: `docker run … countersign ARGUMENTS` without a container.
const DOCKER: &str = "#!/bin/sh\n[ \"$1\" = run ] || exit 0\nuntil [ \"$1\" = countersign ]; do shift; done; shift\nexec countersign \"$@\"\n";

/// One command of a page, with what the page shows of its output and the code that it ends with.
#[derive(Debug, Default)]
struct Shown {
    command: String,
    output: Vec<String>,
    code: i32,
}

impl Shown {
    /// The arguments of a service that stays, which a test has to end.
    fn serving(&self) -> Option<Vec<&str>> {
        let (_, arguments) = self.command.split_once("countersign serve")?;
        let mut kept = vec!["serve", "--listen", "127.0.0.1:0"];
        let mut words = arguments.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "list" => return None,
                "--listen" => drop(words.next()),
                _ => kept.push(word),
            }
        }
        Some(kept)
    }

    fn is_run(&self) -> bool {
        if let Some(script) = self.command.strip_prefix("bash ") {
            let script = script.split(' ').next().unwrap();
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(script).exists(), "{script}");
        }
        !NOT_RUN.iter().any(|(start, _)| self.command.starts_with(start))
    }

    /// Asserts that the command printed what the page shows.
    fn was_printed(&self, page: &str, printed: &str) {
        let printed: Vec<_> = printed.lines().map(plain).collect();
        let mut rest = printed.iter();
        let mut may_skip = false;
        for line in &self.output {
            if line.trim() == "…" {
                may_skip = true;
                continue;
            }
            let line = plain(line);
            let found = if may_skip {
                rest.any(|printed| is_like(&line, printed))
            } else {
                rest.next().is_some_and(|printed| is_like(&line, printed))
            };
            assert!(
                found,
                "{page} shows `{line}` of `{}`, which printed {printed:#?}",
                self.command
            );
            may_skip = false;
        }
        let is_whole = self.output.is_empty() || may_skip || rest.next().is_none();
        assert!(
            is_whole,
            "{page} ends `{}` early, which printed {printed:#?}",
            self.command
        );
    }
}

/// The commands of a page, in order.
fn commands(page: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    for block in blocks(page, "console") {
        let mut lines = block.lines();
        while let Some(line) = lines.next() {
            if line == "$ echo $?" {
                let code = lines.next().unwrap().parse().unwrap();
                shown.last_mut().unwrap().code = code;
                continue;
            }
            if let Some(command) = line.strip_prefix("$ ") {
                let command = command.to_owned();
                shown.push(Shown {
                    command,
                    ..Shown::default()
                });
                continue;
            }
            let last = shown.last_mut().expect("a block begins with a command");
            if last.command.ends_with('\\') {
                last.command.push('\n');
                last.command.push_str(line);
            } else {
                last.output.push(line.to_owned());
            }
        }
    }
    shown
}

/// A line without what differs from run to run: addresses, times, identifiers, tokens, and the width of columns.
fn plain(line: &str) -> String {
    static PATTERNS: LazyLock<[(regress::Regex, &str); 4]> = LazyLock::new(|| {
        [
            (r"http://127\.0\.0\.1:\d+", "SERVICE"),
            (r"\bin \d+\.\d\d s\b", "in TIME"),
            (r"\btoken [0-9a-f]{32}\b", "token TOKEN"),
            (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UUID"),
        ]
        .map(|(pattern, name)| (regress::Regex::new(pattern).unwrap(), name))
    });
    let mut line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    for service in SERVICES {
        line = line.replace(service, "SERVICE");
    }
    for (pattern, name) in PATTERNS.iter() {
        line = pattern.replace_all(&line, name);
    }
    line
}

/// Whether a printed line has the parts between each `…` of a shown one, in order.
fn is_like(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = printed.strip_prefix(parts.next().unwrap()) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        (rest, last) = (after, Some(part));
    }
    rest.is_empty() || last.is_some_and(|part| part.is_empty() || rest.ends_with(part))
}

/// The files of a page, by their names, for the service at this address.
fn files(page: &str, url: &str) -> Vec<(String, String)> {
    let named = |(format, block): (&str, String)| {
        let name = block.lines().next()?.strip_prefix("# ")?.to_owned();
        let is_file = name.strip_suffix(format).is_some_and(|stem| stem.ends_with('.'));
        is_file.then(|| (name, block.replace(SERVICES[0], url)))
    };
    let of_format = |format| blocks(page, format).into_iter().map(move |block| (format, block));
    of_format("toml").chain(of_format("yaml")).filter_map(named).collect()
}

/// Follows a page from its first command to its last.
fn is_true(name: &str) {
    let page = of_clone(name);
    let place = if name == "docs/another-api.md" {
        Workplace::serving(name, |canary| {
            Target::serve(tags::service(&canary.token, &canary.lastname))
        })
    } else {
        Workplace::new(name, &[])
    };
    let tests = std::env::current_exe().unwrap();
    let cargo = CARGO.replace("CLONE", env!("CARGO_MANIFEST_DIR"));
    place.command("cargo", &cargo.replace("TESTS", tests.to_str().unwrap()));
    place.command("docker", DOCKER);
    place.command("man", "#!/bin/sh\ncat >/dev/null\n");
    let files = files(&page, &place.url());
    std::fs::write(place.path("work/openapi.yaml"), of_clone("openapi.yaml")).unwrap();
    for (name, text) in &files {
        std::fs::write(place.path("work").join(name), text).unwrap();
    }
    let variables = ["COUNTERSIGN_TOKEN", "COUNTERSIGN_STAGING_TOKEN"];
    let environment = variables.map(|name| (name.to_owned(), place.canary.token.clone()));
    let shown: Vec<_> = commands(&page).into_iter().filter(Shown::is_run).collect();
    // Each is a process of its own: of a page in `docs/` those of its first sixth, but where everything is tried.
    let followed = tried(shown.len().div_ceil(if name == PAGES[0] { 1 } else { 6 }), shown.len());
    for shown in &shown[..followed] {
        if let Some(arguments) = shown.serving() {
            let call = files
                .iter()
                .fold(countersign(&arguments), |call, (name, text)| call.file(name, text));
            let serving = call.start();
            let lines = serving.first_lines(2).concat();
            serving.signal("TERM");
            assert_eq!(serving.end().code, 0);
            shown.was_printed(name, &lines);
            continue;
        }
        let command = SERVICES.iter().fold(shown.command.clone(), |command, service| {
            command.replace(service, &place.url())
        });
        // A reader without a target has not set its token either: with one, the check would ask where the target is.
        let by_default = files.iter().any(|(_, text)| text.contains("default_target"));
        let has_target = by_default
            || ["--base-url", "--target", "docker"]
                .iter()
                .any(|sign| command.contains(sign));
        // A container's own folder.
        let done = place.run(
            &BASH,
            &command.replace("=/reports/", "=").replace(" /reports/", " "),
            if has_target { &environment } else { &[] },
        );
        assert_eq!(done.code, shown.code, "{name}: {command}: {done:#?}");
        shown.was_printed(name, &done.stdout);
    }
}

/// One test for each page, so that they are followed side by side.
macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        /// Every page, README first.
        pub(super) const PAGES: &[&str] = &[$($page),*];
        $(#[test]
        fn $name() {
            is_true($page);
        })*
    };
}

pages! {
    readme_is_true: "README.md",
    another_api_is_true: "docs/another-api.md",
    check_is_true: "docs/check.md",
    client_is_true: "docs/client.md",
    configuration_is_true: "docs/configuration.md",
    container_is_true: "docs/container.md",
    cron_is_true: "docs/cron.md",
    diff_is_true: "docs/diff.md",
    figures_is_true: "docs/figures.md",
    gaps_is_true: "docs/gaps.md",
    github_is_true: "docs/github.md",
    gitlab_is_true: "docs/gitlab.md",
    jenkins_is_true: "docs/jenkins.md",
    keys_is_true: "docs/keys.md",
    library_is_true: "docs/library.md",
    lint_is_true: "docs/lint.md",
    reports_is_true: "docs/reports.md",
    safety_is_true: "docs/safety.md",
    service_is_true: "docs/service.md",
    shards_is_true: "docs/shards.md",
    shell_is_true: "docs/shell.md",
    snapshots_is_true: "docs/snapshots.md",
    traffic_is_true: "docs/traffic.md",
    troubleshooting_is_true: "docs/troubleshooting.md",
    your_own_service_is_true: "docs/your-own-service.md",
}

#[test]
fn every_page_is_followed_and_the_readme_is_short() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let names = std::fs::read_dir(docs).unwrap();
    let names = names.map(|entry| format!("docs/{}", entry.unwrap().file_name().display()));
    let there: BTreeSet<_> = names.filter(|name| name.ends_with(".md")).collect();
    let followed = PAGES[1..].iter().map(ToString::to_string).collect();
    assert_eq!(there, followed);
    assert!(of_clone("README.md").lines().count() <= 180);
}

/// What is between single backquotes, without blocks.
fn inline(page: &str) -> Vec<String> {
    let outside = page.split("```").step_by(2);
    let spans = outside.flat_map(|text| text.split('`').skip(1).step_by(2));
    spans.map(str::to_owned).collect()
}

/// The flags in a text.
fn flags(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !(letter == '-' || letter.is_ascii_lowercase()));
    let flags = words.filter(|word| word.starts_with("--") && word.len() > 2);
    flags.map(str::to_owned).collect()
}

#[test]
fn every_flag_that_a_page_names_exists() {
    const OF_OTHERS: [&str; 7] = [
        "--bench", "--env", "--features", "--open", "--path", "--release", "--show-output",
    ];
    let commands = [
        "check", "config", "diff", "facts", "gaps", "learn", "lint", "man", "merge", "plan", "proxy", "report", "serve",
    ];
    let mut known: BTreeSet<_> = OF_OTHERS.iter().map(ToString::to_string).collect();
    for command in commands {
        known.extend(flags(&countersign(&[command, "--help"]).run().stdout));
    }
    for page in PAGES {
        for flag in inline(&of_clone(page)).iter().flat_map(|span| flags(span)) {
            assert!(known.contains(&flag), "{page} names {flag}");
        }
    }
}

#[test]
fn every_sample_in_rust_is_one_that_is_compiled() {
    let fronts = ["src/lib.rs", "src/client/mod.rs"].map(of_clone);
    let compiled: BTreeSet<_> = fronts
        .iter()
        .flat_map(|front| front.lines())
        .filter_map(|line| line.strip_prefix("//!"))
        .map(plain)
        .collect();
    for page in PAGES {
        for line in blocks(&of_clone(page), "rust").iter().flat_map(|block| block.lines()) {
            assert!(compiled.contains(&plain(line)), "{page} shows `{line}`");
        }
    }
}

#[test]
fn the_error_that_the_page_on_the_client_quotes_is_the_clients() {
    let client = Client::new("http://127.0.0.1:9", "a-token".parse().unwrap()).unwrap();
    let tried = parallel::runtime().block_on(async { client.get_tags().send().await });
    let error = tried.unwrap_err().to_string();
    assert!(inline(&of_clone("docs/client.md")).contains(&error), "{error}");
}

#[test]
fn every_feature_that_a_page_names_exists() {
    let manifest: toml::Table = of_clone("Cargo.toml").parse().unwrap();
    let features = manifest["features"].as_table().unwrap();
    for page in PAGES {
        for block in blocks(&of_clone(page), "toml") {
            let sample: toml::Table = block.parse().unwrap();
            let tables = ["dependencies", "dev-dependencies"];
            let of_table = |name: &&str| sample.get(*name).and_then(|table| table["countersign"].get("features"));
            for feature in tables
                .iter()
                .filter_map(of_table)
                .flat_map(|list| list.as_array().unwrap())
            {
                assert!(features.contains_key(feature.as_str().unwrap()), "{page}: {feature}");
            }
        }
    }
}

#[test]
fn a_page_that_shows_something_else_is_untrue() {
    let shown = |lines: &[&str]| Shown {
        command: "countersign".to_owned(),
        output: lines.iter().map(ToString::to_string).collect(),
        code: 0,
    };
    let printed = "http://127.0.0.1:37373 conforms\n  facts     536: 536 held\n  requests  378 in 0.41 s\n";
    for true_lines in [
        &["https://contacts.example.com conforms", "…"][..],
        &["…", "  requests 378 in 2.00 s"],
        &["http://127.0.0.1:1 conforms", "  facts  …: … held", "…"],
        &[],
    ] {
        shown(true_lines).was_printed("page", printed);
    }
    for untrue in [
        &["http://127.0.0.1:1 conforms"][..],
        &["…", "  requests  379 in 0.41 s"],
        &["…", "  facts  …: … broken", "…"],
        &["  facts     536: 536 held", "…"],
    ] {
        let held = std::panic::catch_unwind(|| shown(untrue).was_printed("page", printed));
        assert!(held.is_err(), "{untrue:?}");
    }
}
