//! `.github/workflows/release.yml` and its script: what is packed, what stops a release, and how a pipeline fetches
//! one. The script runs in a repository of its own, with a `cargo` that hands out the program of these tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_yaml::Value;
use tempfile::TempDir;

use super::{blocks, of_clone};

const TARGET: &str = "x86_64-unknown-linux-musl";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Stands for `cargo`, `rustup`, and the compiler of musl, which is not asked for: the program is there.
const CARGO: &str =
    "#!/bin/sh\n[ \"$1\" = build ] || exit 0\nmkdir -p target/TARGET/dist\ncp PROGRAM target/TARGET/dist/countersign\n";
const NOTHING: &str = "#!/bin/sh\n";
/// Stands for `curl`: the last part of each address is a file of the release.
const CURL: &str =
    "#!/bin/sh\nfor word; do case $word in https:*) cp \"DIST/${word##*/}\" . || exit 22 ;; esac; done\n";

/// A repository with what a release needs.
struct Repository(TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        for folder in [".ci", "bin", "pipeline"] {
            fs::create_dir(repository.path(folder)).unwrap();
        }
        for file in [
            ".ci/release", "Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT",
        ] {
            fs::write(repository.path(file), of_clone(file)).unwrap();
        }
        repository.changelog(&format!("## {VERSION}\n\n- The first.\n\n## 0.0.9\n\n- Before.\n"));
        // To pack the 60 MB of a debug build takes seconds.
        repository.program(
            "built",
            &format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_countersign")),
        );
        repository.builds(&repository.path("bin/built"));
        repository.program("rustup", NOTHING);
        repository.program("musl-gcc", NOTHING);
        repository.program("curl", &CURL.replace("DIST", repository.path("dist").to_str().unwrap()));
        let identity = "-c user.name=a -c user.email=a@example.com";
        let committed = repository.bash(&format!("git init -q && git {identity} commit -q --allow-empty -m a"));
        assert!(committed.status.success(), "{committed:?}");
        repository
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn changelog(&self, sections: &str) {
        fs::write(
            self.path("CHANGELOG.md"),
            format!("# Changelog\n\n## Unreleased\n\n{sections}"),
        )
        .unwrap();
    }

    /// Makes `cargo build` build a copy of this program.
    fn builds(&self, program: &Path) {
        let cargo = CARGO.replace("TARGET", TARGET);
        self.program("cargo", &cargo.replace("PROGRAM", program.to_str().unwrap()));
    }

    fn program(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path("bin").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn bash(&self, command: &str) -> Output {
        let path = std::env::join_paths([
            self.path("bin"),
            "/usr/local/bin".into(),
            "/usr/bin".into(),
            "/bin".into(),
        ]);
        let mut bash = Command::new("bash");
        bash.args(["-euc", command]).current_dir(self.0.path());
        bash.env_clear().env("PATH", path.unwrap()).output().unwrap()
    }

    /// Runs the script; what it says of a failure, or what it prints.
    fn release(&self, arguments: &str) -> Result<String, String> {
        let output = self.bash(&format!("bash .ci/release {arguments}"));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        if output.status.success() {
            Ok(text(output.stdout))
        } else {
            Err(text(output.stderr))
        }
    }

    /// The steps of the page for a pipeline, for the version that was packed.
    fn fetch(&self) -> Output {
        let page = of_clone("docs/shell.md");
        let [script] = &blocks(&page, "bash")[..] else {
            panic!("the page has one such block")
        };
        assert!(
            script.contains(&format!("/v{VERSION}/")) && script.contains(TARGET),
            "{script}"
        );
        self.bash(&format!("cd pipeline\n{script}\ncountersign --version"))
    }
}

#[test]
fn an_archive_is_packed_that_a_pipeline_fetches_and_runs() {
    let repository = Repository::new();
    repository.release(&format!("--dynamic {TARGET}")).unwrap();
    let name = format!("countersign-{VERSION}-{TARGET}");
    let listed = repository.bash(&format!("tar -tzf dist/{name}.tar.gz"));
    let listed = String::from_utf8(listed.stdout).unwrap();
    let files = [
        "", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "countersign",
    ];
    assert!(
        listed.lines().eq(files.map(|file| format!("{name}/{file}"))),
        "{listed}"
    );
    let fetched = repository.fetch();
    assert!(fetched.status.success(), "{fetched:?}");
    assert!(String::from_utf8_lossy(&fetched.stdout).ends_with(&format!("\ncountersign {VERSION}\n")));
    // The same program and commit give the same bytes.
    let packed = fs::read(repository.path(&format!("dist/{name}.tar.gz"))).unwrap();
    repository.release(&format!("--dynamic {TARGET}")).unwrap();
    assert!(packed == fs::read(repository.path(&format!("dist/{name}.tar.gz"))).unwrap());
}

#[test]
fn an_archive_that_was_changed_is_not_unpacked() {
    let repository = Repository::new();
    repository.release(&format!("--dynamic {TARGET}")).unwrap();
    let archive = repository.path(&format!("dist/countersign-{VERSION}-{TARGET}.tar.gz"));
    let mut bytes = fs::read(&archive).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&archive, bytes).unwrap();
    let fetched = repository.fetch();
    assert!(!fetched.status.success(), "{fetched:?}");
    assert_eq!(fs::read_dir(repository.path("pipeline")).unwrap().count(), 2);
}

#[test]
fn a_program_that_needs_a_library_or_does_not_run_is_not_packed() {
    let repository = Repository::new();
    repository.builds(Path::new(env!("CARGO_BIN_EXE_countersign")));
    let message = repository.release(TARGET).unwrap_err();
    assert!(message.contains("countersign is not static"), "{message}");
    let other = "#!/bin/sh\n[ \"$1\" != --version ] || echo countersign 9.9.9\n";
    repository.program("other", other);
    repository.builds(&repository.path("bin/other"));
    let message = repository.release(&format!("--dynamic {TARGET}")).unwrap_err();
    assert!(message.contains("says \"countersign 9.9.9\""), "{message}");
    assert!(!repository.path("dist").exists());
}

#[test]
fn tag_and_manifest_and_changelog_agree_or_there_is_no_release() {
    let repository = Repository::new();
    let notes = repository.release(&format!("--version v{VERSION}")).unwrap();
    assert_eq!(notes.trim(), "- The first.");
    let message = repository.release("--version v9.9.9").unwrap_err();
    assert!(
        message.contains(&format!("the tag is v9.9.9, but Cargo.toml has version {VERSION}")),
        "{message}"
    );
    repository.changelog("- Not released.\n");
    let message = repository.release(&format!("--version v{VERSION}")).unwrap_err();
    assert!(
        message.contains(&format!("CHANGELOG.md has no \"## {VERSION}\"")),
        "{message}"
    );
}

#[test]
fn the_job_that_may_write_builds_nothing() {
    let workflow: Value = serde_yaml::from_str(&of_clone(".github/workflows/release.yml")).unwrap();
    let yaml = |text: &str| serde_yaml::from_str::<Value>(text).unwrap();
    assert_eq!(workflow["on"], yaml("push: {tags: [v*]}"));
    assert_eq!(workflow["permissions"], yaml("contents: read"));
    let (build, publish) = (&workflow["jobs"]["build"], &workflow["jobs"]["publish"]);
    assert!(build.get("permissions").is_none());
    assert_eq!(
        publish["permissions"],
        yaml("{attestations: write, contents: write, id-token: write}")
    );
    assert_eq!(publish["needs"], yaml("build"));
    let commands = |job: &Value| -> Vec<String> {
        let steps = job["steps"].as_sequence().unwrap().iter();
        let commands = steps.filter_map(|step| Some(step.get("run")?.as_str()?.trim().to_owned()));
        commands.collect()
    };
    assert_eq!(
        commands(build),
        [
            "rustup toolchain install",
            "bash .ci/release --version \"$TAG\" >/dev/null",
            "bash .ci/release \"$TARGET\""
        ]
    );
    assert_eq!(
        commands(publish),
        [
            "sha256sum --check ./*.sha256",
            "bash .ci/release --version \"$TAG\" >notes.md\n\
             gh release create \"$TAG\" --verify-tag --title \"$TAG\" --notes-file notes.md dist/*"
        ]
    );
    let targets = build["strategy"]["matrix"]["include"].as_sequence().unwrap().iter();
    let targets: Vec<_> = targets.map(|row| row["target"].as_str().unwrap()).collect();
    assert_eq!(targets, [TARGET, "aarch64-unknown-linux-musl"]);
}
