//! `action.yml`: its steps, with substitutes for GitHub's files and expressions.

use std::collections::BTreeMap;

use serde_yaml::Value;

use super::workplace::{BASH, Done, FAULT, Workplace};
use super::{filled, of_clone};

/// Cargo, as far as the action needs it: it notes what it was asked for, and the program is there at once.
const CARGO: &str = r#"#!/bin/sh
echo "$PWD: $*" >>"$RUNNER_TEMP/cargo"
while [ "$1" != --target-dir ]; do shift; done
mkdir -p "$2/dist"
printf '#!/bin/sh\nexec countersign "$@"\n' >"$2/dist/countersign"
chmod +x "$2/dist/countersign"
"#;

fn action() -> Value {
    serde_yaml::from_str(&of_clone("action.yml")).unwrap()
}

fn steps(action: &Value) -> &Vec<Value> {
    action["runs"]["steps"].as_sequence().unwrap()
}

/// A run of the action in a workplace: what its steps put out is known to later ones.
struct Run<'run> {
    place: &'run Workplace,
    inputs: BTreeMap<String, String>,
    outputs: BTreeMap<String, String>,
}

impl<'run> Run<'run> {
    fn new(place: &'run Workplace, given: &[(&str, &str)]) -> Self {
        let action = action();
        let inputs = action["inputs"].as_mapping().unwrap();
        let default = |(name, input): (&Value, &Value)| {
            let default = input["default"].as_str().unwrap_or_default();
            (name.as_str().unwrap().to_owned(), default.to_owned())
        };
        let mut inputs: BTreeMap<_, _> = inputs.iter().map(default).collect();
        let (url, token) = (place.url(), place.canary.token.clone());
        let given = given.iter().map(|(name, value)| (*name, (*value).to_owned()));
        for (name, value) in [("base-url", url), ("token", token)].into_iter().chain(given) {
            assert!(inputs.contains_key(name), "there is no input {name}");
            inputs.insert(name.to_owned(), value);
        }
        Self {
            place,
            inputs,
            outputs: BTreeMap::new(),
        }
    }

    /// Runs the shell steps in order, until one fails. What the last one left, and the action's own output.
    fn end(mut self) -> (Done, String) {
        let action = action();
        let mut last = None;
        for step in steps(&action) {
            let Some(script) = step["run"].as_str() else { continue };
            assert_eq!(step["shell"], "bash");
            let done = self.place.run(&BASH, script, &self.environment(step));
            self.put_out(step["id"].as_str().unwrap());
            let failed = done.code != 0;
            last = Some(done);
            if failed {
                break;
            }
        }
        let output = action["outputs"]["exit-code"]["value"].as_str().unwrap();
        (last.unwrap(), self.evaluated(output))
    }

    fn environment(&self, step: &Value) -> Vec<(String, String)> {
        let stated = step["env"].as_mapping().unwrap().iter().map(|(name, value)| {
            let value = self.evaluated(value.as_str().unwrap());
            (name.as_str().unwrap().to_owned(), value)
        });
        let of_runner = [
            ("GITHUB_OUTPUT", "output"),
            ("GITHUB_STEP_SUMMARY", "summary"),
            ("RUNNER_TEMP", ""),
        ];
        let of_runner = of_runner.map(|(name, file)| {
            let mut path = self.place.path("runner");
            if !file.is_empty() {
                path.push(file);
            }
            (name.to_owned(), path.display().to_string())
        });
        stated
            .chain(of_runner)
            .chain([("GITHUB_ACTIONS".to_owned(), "true".to_owned())])
            .collect()
    }

    fn evaluated(&self, text: &str) -> String {
        filled(text, ("${{", "}}"), |expression| {
            if let Some(name) = expression.strip_prefix("inputs.") {
                self.inputs.get(name).expect(name).clone()
            } else if let Some(name) = expression.strip_prefix("steps.") {
                self.outputs.get(name).cloned().unwrap_or_default()
            } else {
                assert_eq!(expression, "github.action_path");
                env!("CARGO_MANIFEST_DIR").to_owned()
            }
        })
    }

    fn put_out(&mut self, step: &str) {
        let file = self.place.path("runner/output");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        for line in text.lines() {
            let (name, value) = line.split_once('=').unwrap();
            self.outputs.insert(format!("{step}.outputs.{name}"), value.to_owned());
        }
        let _ = std::fs::remove_file(file);
    }
}

/// Runs the action with a program that is there.
fn ran(place: &Workplace, given: &[(&str, &str)]) -> (Done, String) {
    let binary = place.path("bin/countersign").display().to_string();
    Run::new(place, &[&[("binary", binary.as_str())], given].concat()).end()
}

#[test]
fn a_service_that_conforms_passes_and_leaves_reports_and_a_summary() {
    let place = Workplace::new("action, conforming", &[]);
    let (done, output) = ran(&place, &[]);
    assert_eq!((done.code, output.as_str()), (0, "0"), "{done:?}");
    assert_eq!(
        place.files(),
        ["countersign.json", "countersign.sarif", "countersign.xml"]
    );
    assert_eq!(place.report("countersign.json")["outcome"], "conforms");
    assert_eq!(place.report("countersign.sarif")["version"], "2.1.0");
    assert!(place.text("countersign.xml").starts_with("<?xml"));
    let summary = std::fs::read_to_string(place.path("runner/summary")).unwrap();
    assert!(summary.contains("conforms"), "{summary}");
    assert!(!done.stdout.contains("::error"), "{done:?}");
    assert!(
        done.stdout.contains("  facts     536: "),
        "the log says it to people too: {done:?}"
    );
}

#[test]
fn a_service_that_deviates_fails_with_its_code_and_an_annotation_and_the_same_reports() {
    let place = Workplace::new("action, deviating", &[FAULT]);
    let (done, output) = ran(&place, &[]);
    assert_eq!((done.code, output.as_str()), (1, "1"), "{done:?}");
    assert_eq!(place.report("countersign.json")["outcome"], "does-not-conform");
    let sarif = place.report("countersign.sarif");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "missing-field");
    assert!(place.text("countersign.xml").contains("<failure"));
    let annotation = done.stdout.lines().find(|line| line.starts_with("::error "));
    assert!(annotation.unwrap().contains("file=openapi.yaml"), "{done:?}");
    let summary = std::fs::read_to_string(place.path("runner/summary")).unwrap();
    assert!(summary.contains("does not conform"), "{summary}");
}

#[test]
fn traffic_is_judged_without_a_token_and_reported_in_the_same_way() {
    let place = Workplace::new("action, traffic", &[]);
    place.traffic("results/one test/a.har");
    place.traffic("results/other/a.har");
    let given = [
        ("base-url", "https://contacts.example.com"),
        ("token", ""),
        ("traffic", "results/one test/*.har\nresults/*/a.har\n"),
        ("args", "--warn wrong-type"),
    ];
    let (done, output) = ran(&place, &given);
    assert_eq!((done.code, output.as_str()), (0, "0"), "{done:?}");
    let (done, output) = ran(&place, &given[..3]);
    assert_eq!((done.code, output.as_str()), (1, "1"), "{done:?}");
    let report = place.report("countersign.json");
    let files = report["traffic"]["files"].as_array().unwrap().iter();
    let files: Vec<_> = files.map(|file| file["name"].as_str().unwrap()).collect();
    let expected = [
        "results/one test/a.har", "results/one test/a.har", "results/other/a.har",
    ];
    assert_eq!(files, expected);
    let sarif = place.report("countersign.sarif");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "wrong-type");
    assert!(place.text("countersign.xml").contains("<failure"));
    let annotation = done.stdout.lines().find(|line| line.starts_with("::error "));
    assert!(
        annotation.unwrap().contains("recorded: entry 1 of results/"),
        "{done:?}"
    );
    let summary = std::fs::read_to_string(place.path("runner/summary")).unwrap();
    assert!(summary.contains("does not conform"), "{summary}");

    let (done, output) = ran(&place, &[("traffic", "results/*/none.har"), ("token", "")]);
    assert_eq!((done.code, output.as_str()), (2, "2"), "{done:?}");
    assert!(done.stderr.contains("`results/*/none.har`"), "{done:?}");
}

#[test]
fn a_check_without_a_token_is_an_error() {
    let place = Workplace::new("action, no token", &[]);
    let (done, output) = ran(&place, &[("token", "")]);
    assert_eq!((done.code, output.as_str()), (2, "2"), "{done:?}");
    assert!(
        done.stderr
            .contains("there is no token in COUNTERSIGN_TOKEN: it is empty"),
        "{done:?}"
    );
}

#[test]
fn a_service_that_is_away_is_reported_by_its_own_code() {
    let place = Workplace::new("action, away", &[]);
    let (done, output) = ran(&place, &[("base-url", "http://127.0.0.1:9")]);
    assert_eq!((done.code, output.as_str()), (3, "3"), "{done:?}");
}

#[test]
fn arguments_are_split_at_blanks_and_lines_and_never_run() {
    let place = Workplace::new("action, arguments", &[]);
    place.command("fake", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    let fake = place.path("bin/fake").display().to_string();
    let hostile = "--writes --rate 5\n--only $(touch\tpwned) `touch pwned` * ;touch pwned";
    let given = [
        ("binary", fake.as_str()),
        ("args", hostile),
        ("reports", "json=a b.json\n$(touch pwned)\n"),
        ("config", "of $(touch pwned).toml"),
        ("base-url", "$(touch pwned)"),
    ];
    let (done, _) = Run::new(&place, &given).end();
    let log = format!("terminal={}/countersign.txt", place.path("runner").display());
    let arguments: Vec<_> = done.stdout.lines().collect();
    let expected = [
        "check", "--report", "github", "--report", &log, "--config", "of $(touch pwned).toml", "--report",
        "json=a b.json", "--report", "$(touch pwned)", "--writes", "--rate", "5", "--only", "$(touch", "pwned)",
        "`touch", "pwned`", "*", ";touch", "pwned",
    ];
    assert_eq!(arguments, expected);

    let hostile = "a b.har\n\n$(touch pwned)\n--writes\n;touch pwned\n";
    let given = [("binary", fake.as_str()), ("args", "--quiet"), ("traffic", hostile)];
    let (done, _) = Run::new(&place, &given).end();
    let mut arguments = done.stdout.lines();
    assert_eq!(arguments.next(), Some("judge"));
    let arguments: Vec<_> = arguments.skip_while(|argument| *argument != "--quiet").collect();
    let expected = ["--quiet", "--", "a b.har", "$(touch pwned)", "--writes", ";touch pwned"];
    assert_eq!(arguments, expected);
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn without_a_program_that_of_the_actions_own_version_is_built_once() {
    let place = Workplace::new("action, building", &[]);
    place.command("cargo", CARGO);
    for _ in 0..2 {
        let (done, _) = Run::new(&place, &[]).end();
        assert_eq!(done.code, 0, "{done:?}");
    }
    let asked = std::fs::read_to_string(place.path("runner/cargo")).unwrap();
    let clone = env!("CARGO_MANIFEST_DIR");
    let target = place.path("runner/countersign/target");
    assert_eq!(
        asked,
        format!(
            "{clone}: build --locked --profile dist --target-dir {}\n",
            target.display()
        )
    );
}

#[test]
fn no_input_is_text_of_a_script_and_the_token_is_in_one_step_alone() {
    let action = action();
    let mut with_token = 0;
    for step in steps(&action) {
        assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step:?}");
        let text = serde_yaml::to_string(step).unwrap();
        with_token += usize::from(text.contains("inputs.token"));
    }
    assert_eq!(with_token, 1);
    for (name, input) in action["inputs"].as_mapping().unwrap() {
        assert!(input["description"].is_string(), "{name:?}");
        assert!(input["default"].is_string() || input["required"] == true, "{name:?}");
    }
}

#[test]
fn a_build_is_kept_under_a_name_that_another_source_does_not_have() {
    let action = action();
    let cache = steps(&action).iter().find(|step| !step["uses"].is_null()).unwrap();
    assert!(
        cache["with"]["key"]
            .as_str()
            .unwrap()
            .ends_with("${{ steps.version.outputs.key }}")
    );
    let naming = steps(&action).iter().find(|step| step["id"] == "version").unwrap();
    let place = Workplace::new("action, naming", &[]);
    let named = |source: &str| {
        let output = place.path("runner/output").display().to_string();
        let source = place.path(source).display().to_string();
        let environment = [("SOURCE", source), ("GITHUB_OUTPUT", output.clone())];
        let environment = environment.map(|(name, value)| (name.to_owned(), value));
        let done = place.run(&BASH, naming["run"].as_str().unwrap(), &environment);
        assert_eq!(done.code, 0, "{done:?}");
        let text = std::fs::read_to_string(&output).unwrap();
        std::fs::remove_file(output).unwrap();
        text
    };
    for source in ["one", "same", "other"] {
        std::fs::create_dir_all(place.path(source).join("src")).unwrap();
        for file in [
            "Cargo.lock", "Cargo.toml", "build.rs", "openapi.overlay.yaml", "openapi.yaml", "rust-toolchain.toml",
            "src/lib.rs",
        ] {
            std::fs::write(place.path(source).join(file), "the same in all").unwrap();
        }
    }
    std::fs::write(place.path("other/src/lib.rs"), "another").unwrap();
    assert_eq!(named("one"), named("same"));
    assert_ne!(named("one"), named("other"));
    assert!(named("one").starts_with("key=any-") && named("one").len() == "key=any-\n".len() + 32);
}
