//! Where the steps of a pipeline run: a folder, `countersign` on the path, and a service with a person in its data. The
//! main types are [`Workplace`] and [`Done`].

use std::cell::RefCell;
use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::leaks;
use super::super::target::Target;
use crate::support::leaks::{Canary, Scanner};

/// A fault that makes the check fail.
pub(super) const FAULT: &str = "getContacts/data/items/each/firstname:dropped";

/// How a shell runs a step: on GitHub, and on GitLab and Jenkins.
pub(super) const BASH: [&str; 5] = ["bash", "--noprofile", "--norc", "-eo", "pipefail"];
pub(super) const SH: [&str; 2] = ["sh", "-e"];

/// A folder with a service.
pub(super) struct Workplace {
    folder: TempDir,
    pub(super) canary: Canary,
    scanner: Scanner,
    /// The files that gave nothing away, each as it was then.
    clean: RefCell<HashMap<PathBuf, Vec<u8>>>,
    target: Target,
}

/// What a step left.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Workplace {
    /// A service with these faults, behind a token that no other seed has.
    pub(super) fn new(seed: &str, faults: &[&str]) -> Self {
        Self::serving(seed, |canary| leaks::target(canary, faults))
    }

    /// The same with another service.
    pub(super) fn serving(seed: &str, target: impl FnOnce(&Canary) -> Target) -> Self {
        let canary = Canary::fresh(seed);
        let target = target(&canary);
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "work", "runner"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let place = Self {
            folder,
            scanner: canary.scanner(),
            canary,
            clean: RefCell::default(),
            target,
        };
        let binary = env!("CARGO_BIN_EXE_countersign");
        std::os::unix::fs::symlink(binary, place.path("bin/countersign")).unwrap();
        place
    }

    pub(super) fn url(&self) -> String {
        self.target.url()
    }

    /// A place in the folder; steps run in `work`.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a script on the path of the steps.
    pub(super) fn command(&self, name: &str, script: &str) {
        let path = self.path(&format!("bin/{name}"));
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a step by this shell, in an environment of nothing but this, and holds all that it left to the secrets.
    pub(super) fn run(&self, shell: &[&str], script: &str, environment: &[(String, String)]) -> Done {
        let file = self.path("runner/step");
        std::fs::write(&file, script).unwrap();
        let ended = Command::new(shell[0])
            .args(&shell[1..])
            .arg(&file)
            .current_dir(self.path("work"))
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()))
            .env("HOME", self.path("runner"))
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let done = Done {
            code: ended.status.code().unwrap(),
            stdout: String::from_utf8(ended.stdout).unwrap(),
            stderr: String::from_utf8(ended.stderr).unwrap(),
        };
        self.gives_nothing_away(&done);
        done
    }

    /// Puts an archive among the files of the steps: one response of `https://contacts.example.com` with a field of a
    /// wrong type.
    pub(super) fn traffic(&self, name: &str) {
        let tag = json!({"id": 7, "name": "regular"});
        let page = json!({"data": {"items": [tag], "page": 1, "per_page": 5, "total": 1, "last_page": 1}});
        let entry = json!({
            "startedDateTime": "2026-05-04T09:30:00Z",
            "request": {"method": "GET", "url": "https://contacts.example.com/organization/v1/tags", "headers": []},
            "response": {
                "status": 200,
                "headers": [{"name": "Content-Type", "value": "application/json"}],
                "content": {"text": page.to_string()},
            },
        });
        let path = self.path("work").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, json!({"log": {"version": "1.2", "entries": [entry]}}).to_string()).unwrap();
    }

    /// The base URL and the token, as a pipeline hands them over.
    pub(super) fn service(&self) -> Vec<(String, String)> {
        vec![
            ("COUNTERSIGN_BASE_URL".to_owned(), self.url()),
            ("COUNTERSIGN_TOKEN".to_owned(), self.canary.token.clone()),
        ]
    }

    /// The JSON report of this name among the files of the steps.
    pub(super) fn report(&self, name: &str) -> Value {
        let text = self.text(name);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A file of the steps.
    pub(super) fn text(&self, name: &str) -> String {
        let path = self.path("work").join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The names of the files of the steps.
    pub(super) fn files(&self) -> Vec<String> {
        let mut names: Vec<_> = files(&self.path("work"))
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn gives_nothing_away(&self, done: &Done) {
        self.scanner.assert_clean("standard output", done.stdout.as_bytes());
        self.scanner.assert_clean("standard error", done.stderr.as_bytes());
        let mut clean = self.clean.borrow_mut();
        for folder in ["work", "runner"] {
            for path in files(&self.path(folder)) {
                let content = std::fs::read(&path).unwrap();
                // The one file that the user put the token into, and those that are as they were after the last step.
                if !path.ends_with("countersign/token") && clean.get(&path) != Some(&content) {
                    self.scanner.assert_clean(&path.display().to_string(), &content);
                    clean.insert(path, content);
                }
            }
        }
    }
}

/// Every plain file below the folder, but no program.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() && entry.metadata().unwrap().permissions().mode() & 0o100 == 0 {
            found.push(entry.path());
        }
    }
    found
}
