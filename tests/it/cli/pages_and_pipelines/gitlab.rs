//! `templates/check.yml`: its script, with the inputs filled in and substitutes for GitLab's variables.

use std::collections::BTreeMap;

use serde::Deserialize as _;
use serde_yaml::Value;

use super::workplace::{Done, FAULT, SH, Workplace};
use super::{filled, of_clone};

/// The header and the job of the template.
fn template() -> (Value, String) {
    let text = of_clone("templates/check.yml");
    let (header, jobs) = text.split_once("\n---\n").unwrap();
    (serde_yaml::from_str(header).unwrap(), jobs.to_owned())
}

/// The one job, with these inputs.
fn job(given: &[(&str, &str)]) -> Value {
    let (header, jobs) = template();
    let inputs = header["spec"]["inputs"].as_mapping().unwrap();
    let mut values: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, input) in inputs {
        if let Some(default) = input["default"].as_str() {
            values.insert(name.as_str().unwrap(), default);
        }
    }
    for (name, value) in given {
        assert!(inputs.contains_key(name), "there is no input {name}");
        values.insert(name, value);
    }
    let jobs = filled(&jobs, ("$[[", "]]"), |expression| {
        let name = expression.strip_prefix("inputs.").unwrap();
        let value = values.get(name).unwrap_or_else(|| panic!("{name} is not given"));
        (*value).to_owned()
    });
    let jobs: Value = serde_yaml::from_str(&jobs).unwrap();
    let jobs = jobs.as_mapping().unwrap();
    assert_eq!(jobs.len(), 1);
    jobs.iter().next().unwrap().1.clone()
}

fn ran(place: &Workplace, given: &[(&str, &str)]) -> Done {
    let url = place.url();
    let job = job(&[&[("base-url", url.as_str())], given].concat());
    let lines = Vec::<String>::deserialize(job["script"].clone()).unwrap();
    let token = place
        .service()
        .into_iter()
        .filter(|(name, _)| name == "COUNTERSIGN_TOKEN");
    let variables = job["variables"].as_mapping().unwrap().iter().map(|(name, value)| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(name), text(value))
    });
    let environment: Vec<_> = variables
        .chain(token)
        .chain([("CI".to_owned(), "true".to_owned())])
        .collect();
    place.run(&SH, &lines.join("\n"), &environment)
}

/// What the job keeps, whatever its end.
fn kept() -> Vec<String> {
    let job = job(&[("base-url", "https://contacts.example.com")]);
    let artifacts = &job["artifacts"];
    assert_eq!(artifacts["when"], "always");
    let paths = Vec::<String>::deserialize(artifacts["paths"].clone()).unwrap();
    assert!(paths.contains(&artifacts["reports"]["junit"].as_str().unwrap().to_owned()));
    paths
}

#[test]
fn a_service_that_conforms_passes_and_leaves_what_the_job_keeps() {
    let place = Workplace::new("gitlab, conforming", &[]);
    let done = ran(&place, &[]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(place.files(), kept());
    assert_eq!(place.report("countersign.json")["outcome"], "conforms");
    assert!(done.stdout.contains("conforms"), "{done:?}");
}

#[test]
fn a_service_that_deviates_fails_and_leaves_the_same() {
    let place = Workplace::new("gitlab, deviating", &[FAULT]);
    let done = ran(&place, &[]);
    assert_eq!(done.code, 1, "{done:?}");
    assert_eq!(place.files(), kept());
    assert!(place.text("countersign.xml").contains("<failure"));
}

#[test]
fn traffic_is_judged_and_leaves_what_the_job_keeps() {
    let place = Workplace::new("gitlab, traffic", &[]);
    place.traffic("results/one.har");
    place.traffic("results/two.har");
    let given = [
        ("base-url", "https://contacts.example.com"),
        ("traffic", "results/*.har"),
    ];
    let done = ran(&place, &given);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(
        done.stdout.contains("= recorded: entry 1 of results/one.har"),
        "{done:?}"
    );
    assert_eq!(place.report("countersign.json")["traffic"]["judged"], 2);
    assert!(place.text("countersign.xml").contains("<failure"));
    assert_eq!(
        ran(&place, &[&given[..], &[("args", "--warn wrong-type")]].concat()).code,
        0
    );
    let missing = ran(&place, &[("traffic", "results/*.json")]);
    assert_eq!(missing.code, 2, "{missing:?}");
    assert!(missing.stderr.contains("`results/*.json`"), "{missing:?}");
}

#[test]
fn arguments_are_split_at_blanks_and_never_run() {
    let place = Workplace::new("gitlab, arguments", &[]);
    std::fs::remove_file(place.path("bin/countersign")).unwrap();
    place.command("countersign", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    let given = [
        ("args", "--only getTags --rate 5 * $(touch pwned) ;touch pwned"),
        ("config", "of $(touch pwned).toml"),
    ];
    let done = ran(&place, &given);
    let arguments: Vec<_> = done.stdout.lines().skip_while(|line| *line != "check").collect();
    let expected = [
        "check", "--report", "terminal", "--report", "junit=countersign.xml", "--report", "json=countersign.json",
        "--config", "of $(touch pwned).toml", "--only", "getTags", "--rate", "5", "*", "$(touch", "pwned)", ";touch",
        "pwned",
    ];
    assert_eq!(arguments, expected);

    let given = [
        ("traffic", "--writes a.har $(touch pwned) ;touch pwned"),
        ("args", "--quiet"),
    ];
    let done = ran(&place, &given);
    let arguments: Vec<_> = done.stdout.lines().skip_while(|line| *line != "--quiet").collect();
    let expected = [
        "--quiet", "--", "--writes", "a.har", "$(touch", "pwned)", ";touch", "pwned",
    ];
    assert_eq!(arguments, expected);
    assert!(done.stdout.lines().any(|line| line == "judge"), "{done:?}");
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn an_image_without_the_program_builds_it_once_from_the_source_that_is_named() {
    let place = Workplace::new("gitlab, building", &[]);
    std::fs::remove_file(place.path("bin/countersign")).unwrap();
    let binary = env!("CARGO_BIN_EXE_countersign");
    let cargo = format!(
        "#!/bin/sh\necho \"$*\" >>\"$HOME/cargo\"\nmkdir -p .countersign/bin\nln -s {binary} .countersign/bin/countersign\n"
    );
    place.command("cargo", &cargo);
    let source = ("source", "https://gitlab.example.com/group/countersign.git");
    for _ in 0..2 {
        let done = ran(&place, &[source]);
        assert_eq!(done.code, 0, "{done:?}");
    }
    let asked = std::fs::read_to_string(place.path("runner/cargo")).unwrap();
    assert_eq!(
        asked,
        "install --locked --profile dist --root .countersign --git https://gitlab.example.com/group/countersign.git --tag \
         v0.1.0 countersign\n"
    );
}

#[test]
fn an_image_without_the_program_and_without_a_source_says_what_to_give() {
    let place = Workplace::new("gitlab, nothing to build", &[]);
    std::fs::remove_file(place.path("bin/countersign")).unwrap();
    let done = ran(&place, &[]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stderr.contains("input image or the input source"), "{done:?}");
}

#[test]
fn the_token_is_no_input_and_no_input_is_text_of_the_script() {
    let (header, _) = template();
    for (name, input) in header["spec"]["inputs"].as_mapping().unwrap() {
        assert!(!name.as_str().unwrap().contains("token"));
        assert!(input["description"].is_string(), "{name:?}");
    }
    let (_, jobs) = template();
    let jobs: Value = serde_yaml::from_str(&jobs).unwrap();
    let job = jobs.as_mapping().unwrap().iter().next().unwrap().1;
    let script = serde_yaml::to_string(&job["script"]).unwrap();
    assert!(!script.contains("$[["), "{script}");
    assert!(!script.contains("TOKEN"), "{script}");
}
