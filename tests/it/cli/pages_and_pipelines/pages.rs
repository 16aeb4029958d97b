//! The scripts, workflows and links in the pages: the commands that they show are run, and what they refer to exists.
//! Commands of a console are followed in [`commands`](super::commands).

use std::path::Path;

use serde_yaml::Value;

use super::commands::PAGES;
use super::workplace::{Done, FAULT, SH, Workplace};
use super::{blocks, of_clone};

/// A shell that prints each command before it runs it, as Jenkins has it.
const TRACING: [&str; 2] = ["sh", "-xe"];

/// Each script of the page, run against a service that conforms and one that does not.
fn runs(page: &str, shell: &[&str], scripts: &[String], after: impl Fn(&Workplace, &Done)) {
    assert!(!scripts.is_empty(), "{page}");
    for (faults, code) in [(&[][..], 0), (&[FAULT], 1)] {
        for (number, script) in scripts.iter().enumerate() {
            let place = Workplace::new(&format!("{page} {number} {code}"), faults);
            let done = place.run(shell, script, &place.service());
            assert_eq!(done.code, code, "{script}: {done:?}");
            after(&place, &done);
        }
    }
}

#[test]
fn the_steps_for_any_shell_end_in_the_verdict_and_leave_their_reports() {
    let scripts = blocks(&of_clone("docs/shell.md"), "sh");
    assert_eq!(scripts.len(), 2);
    runs("shell", &SH, &scripts, |place, done| {
        let outcome = &place.report("countersign.json")["exit_code"];
        assert_eq!(outcome, done.code);
    });
}

#[test]
fn the_step_of_the_readme_ends_in_the_verdict() {
    let scripts = blocks(&of_clone("README.md"), "sh").into_iter();
    let scripts: Vec<_> = scripts.filter(|script| script.contains("$SERVICE_URL")).collect();
    assert_eq!(scripts.len(), 1);
    let scripts = [scripts[0].replace("SERVICE_URL", "COUNTERSIGN_BASE_URL")];
    runs("readme", &SH, &scripts, |place, _| {
        assert_eq!(place.files(), ["countersign.xml"]);
    });
}

#[test]
fn the_step_for_any_shell_reports_a_service_that_is_away() {
    let scripts = blocks(&of_clone("docs/shell.md"), "sh");
    let place = Workplace::new("shell, away", &[]);
    let mut environment = place.service();
    environment[0].1 = "http://127.0.0.1:9".to_owned();
    let done = place.run(&SH, &scripts[1], &environment);
    assert_eq!(done.code, 3, "{done:?}");
    assert!(done.stdout.contains("could not be judged"), "{done:?}");
}

#[test]
fn the_step_for_jenkins_shows_no_token_though_each_command_is_printed() {
    let groovy = blocks(&of_clone("docs/jenkins.md"), "groovy");
    let (_, script) = groovy[0].split_once("sh '''").unwrap();
    // Groovy reads a backslash at the end of a line between such quotes as the end of nothing.
    let script = script
        .split_once("'''")
        .unwrap()
        .0
        .replace("\\\n", "\n")
        .replace("\n              --", " --");
    runs("jenkins", &TRACING, &[script], |place, done| {
        assert!(done.stderr.contains("+ countersign check"), "{done:?}");
        assert!(place.files().contains(&"countersign.xml".to_owned()));
    });
    assert!(groovy[0].contains("testResults: 'countersign.xml'"));
}

#[test]
fn the_nightly_script_says_nothing_unless_there_is_something_to_read() {
    let script = blocks(&of_clone("docs/cron.md"), "sh").remove(0);
    for (faults, code) in [(&[][..], 0), (&[FAULT], 1)] {
        let place = Workplace::new(&format!("cron {code}"), faults);
        let settings = place.path("runner/.config/countersign");
        std::fs::create_dir_all(&settings).unwrap();
        std::fs::write(settings.join("token"), format!("{}\n", place.canary.token)).unwrap();
        let reports = place.path("runner/countersign");
        std::fs::create_dir(&reports).unwrap();
        let old = reports.join("2020-01-31.txt");
        std::fs::write(&old, "").unwrap();
        let long_ago = std::fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
        let file = std::fs::File::options().write(true).open(&old).unwrap();
        file.set_times(long_ago).unwrap();
        std::fs::write(reports.join("kept.txt"), "").unwrap();

        let environment = place
            .service()
            .into_iter()
            .filter(|(name, _)| name != "COUNTERSIGN_TOKEN");
        let done = place.run(&SH, &script, &environment.collect::<Vec<_>>());
        assert_eq!((done.code, done.stderr.as_str()), (code, ""), "{done:?}");
        assert_eq!(done.stdout.is_empty(), code == 0, "{done:?}");
        let mut endings: Vec<_> = std::fs::read_dir(&reports)
            .unwrap()
            .map(|entry| entry.unwrap().path().extension().unwrap().to_owned())
            .collect();
        endings.sort();
        assert_eq!(
            endings,
            ["json", "txt", "txt", "xml"],
            "today's three and the one that is not ours"
        );
        assert!(!old.exists());
    }
}

#[test]
fn the_workflow_for_github_gives_the_action_what_it_takes() {
    let page = of_clone("docs/github.md");
    let workflow: Value = serde_yaml::from_str(&blocks(&page, "yaml")[0]).unwrap();
    let action: Value = serde_yaml::from_str(&of_clone("action.yml")).unwrap();
    let inputs = action["inputs"].as_mapping().unwrap();
    let steps = workflow["jobs"]["countersign"]["steps"].as_sequence().unwrap();
    let ours = steps
        .iter()
        .find(|step| step["uses"].as_str().unwrap().contains("/countersign@"));
    let given = ours.unwrap()["with"].as_mapping().unwrap();
    assert!(given.keys().all(|name| inputs.contains_key(name)), "{given:?}");
    for (name, input) in inputs {
        assert!(input["required"] != true || given.contains_key(name), "{name:?}");
        assert!(
            page.contains(&format!("| `{}` |", name.as_str().unwrap())),
            "{name:?} is not reported"
        );
    }
    assert_eq!(workflow["permissions"]["contents"], "read");
}

#[test]
fn the_page_for_gitlab_gives_the_component_what_it_takes() {
    let page = of_clone("docs/gitlab.md");
    let template = of_clone("templates/check.yml");
    let header: Value = serde_yaml::from_str(template.split_once("\n---\n").unwrap().0).unwrap();
    let inputs = header["spec"]["inputs"].as_mapping().unwrap();
    let included = blocks(&page, "yaml");
    assert_eq!(included.len(), 2);
    for text in included {
        let include: Value = serde_yaml::from_str(&text).unwrap();
        let given = include["include"][0]["inputs"].as_mapping().unwrap();
        assert!(given.keys().all(|name| inputs.contains_key(name)), "{given:?}");
        assert!(given.contains_key("base-url"));
    }
    for name in inputs.keys() {
        assert!(
            page.contains(&format!("`{}`", name.as_str().unwrap())),
            "{name:?} is not reported"
        );
    }
}

#[test]
fn every_page_is_linked_from_the_readme_and_every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = of_clone("README.md");
    for name in PAGES.iter().copied().chain(["ARCHITECTURE.md", "CONTRIBUTING.md"]) {
        let is_linked = !name.starts_with("docs/") || readme.contains(&format!("({name})"));
        assert!(is_linked, "{name} is not linked");
        let page = of_clone(name);
        let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (link, _) in links.filter(|(link, _)| !link.contains("://")) {
            let file = link.split('#').next().unwrap();
            let folder = root.join(name).parent().unwrap().to_owned();
            assert!(folder.join(file).exists(), "{name} links {link}");
        }
    }
}
