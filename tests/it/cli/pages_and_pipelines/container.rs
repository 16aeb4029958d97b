//! `Dockerfile` and `.dockerignore`: what can be checked without Docker.

use std::path::Path;

use super::of_clone;

/// The instructions, each a line with its word first.
fn instructions() -> Vec<(String, String)> {
    let text = of_clone("Dockerfile").replace("\\\n", " ");
    let lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|line| line.split_once(' ').unwrap())
        .map(|(word, rest)| (word.to_owned(), rest.split_whitespace().collect::<Vec<_>>().join(" ")))
        .collect()
}

/// The stages, each with its image and what follows.
fn stages() -> Vec<(String, Vec<(String, String)>)> {
    let mut stages: Vec<(String, Vec<_>)> = Vec::new();
    for (word, rest) in instructions() {
        if word == "FROM" {
            stages.push((rest, Vec::new()));
        } else {
            stages.last_mut().unwrap().1.push((word, rest));
        }
    }
    stages
}

#[test]
fn each_image_that_is_shipped_runs_as_a_user_without_rights() {
    let stages = stages();
    let (build, shipped) = stages.split_first().unwrap();
    assert!(build.0.ends_with("AS build"));
    assert_eq!(shipped.len(), 2);
    for (image, instructions) in shipped {
        let user = instructions.iter().rev().find(|(word, _)| word == "USER");
        let (_, user) = user.unwrap_or_else(|| panic!("{image} has no USER"));
        // By number: `scratch` knows no names, and Kubernetes proves `runAsNonRoot` by a number alone.
        assert!(user.split(':').all(|id| id.parse::<u32>().unwrap() > 0), "{user}");
        assert!(instructions.last().unwrap().0 != "RUN");
    }
    assert_eq!(shipped.last().unwrap().0, "scratch");
}

#[test]
fn images_are_named_by_version_and_nothing_secret_goes_in() {
    for (image, instructions) in stages() {
        let name = image.split(' ').next().unwrap();
        let version = name.split_once(':').map(|(_, version)| version);
        assert!(
            name == "scratch" || version.unwrap().starts_with(|first: char| first.is_ascii_digit()),
            "{name}"
        );
        for (word, rest) in instructions {
            assert!(word != "ADD", "COPY takes what is there and nothing else: {rest}");
            for secret in ["TOKEN", "SECRET", "PASSWORD"] {
                assert!(!rest.to_uppercase().contains(secret), "{word} {rest}");
            }
        }
    }
}

#[test]
fn the_compiler_is_that_of_the_clone_and_the_profile_exists() {
    let toolchain = of_clone("rust-toolchain.toml");
    let (_, channel) = toolchain.split_once("channel = \"").unwrap();
    let channel = channel.split('"').next().unwrap();
    let text = of_clone("Dockerfile");
    assert!(text.contains(&format!("FROM rust:{channel}-alpine@")), "{channel}");
    assert!(text.contains(&format!("RUSTUP_TOOLCHAIN={channel}\n")), "{channel}");
    assert!(of_clone("templates/check.yml").contains(&format!("rust:{channel}-alpine")));
    assert!(of_clone("Cargo.toml").contains(
        "
[profile.dist]
"
    ));
    assert!(text.contains("cargo build --locked --profile dist"));
}

#[test]
fn the_context_is_an_allow_list_of_all_that_the_build_reads() {
    let ignored = of_clone(".dockerignore");
    let lines: Vec<_> = ignored.lines().filter(|line| !line.starts_with('#')).collect();
    let (first, allowed) = lines.split_first().unwrap();
    assert_eq!(*first, "*");
    let clone = Path::new(env!("CARGO_MANIFEST_DIR"));
    let allowed: Vec<_> = allowed.iter().map(|line| line.strip_prefix('!').unwrap()).collect();
    assert!(allowed.iter().all(|path| clone.join(path).exists()), "{allowed:?}");

    // Cargo reads the manifest of nothing but these files, and finds every target in it.
    let context = tempfile::tempdir().unwrap();
    let copied = std::process::Command::new("cp")
        .args(["-R", "-t"])
        .arg(context.path())
        .args(&allowed)
        .current_dir(clone)
        .status();
    assert!(copied.unwrap().success());
    let metadata = std::process::Command::new(env!("CARGO"))
        .args([
            "metadata", "--locked", "--offline", "--no-deps", "--format-version", "1",
        ])
        .current_dir(context.path())
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{metadata:?}");
    // And what the program includes is among them.
    for source in sources(&clone.join("src")).into_iter().chain([clone.join("build.rs")]) {
        let text = std::fs::read_to_string(&source).unwrap();
        for included in text
            .split("include_str!(\"")
            .skip(1)
            .filter_map(|rest| rest.split_once('"'))
        {
            let file = source.parent().unwrap().join(included.0).canonicalize().unwrap();
            let place = file.strip_prefix(clone.canonicalize().unwrap()).unwrap();
            assert!(
                context.path().join(place).exists(),
                "{} is not in the context",
                place.display()
            );
        }
    }
}

fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    found
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}

#[test]
fn what_is_copied_from_the_build_is_what_the_build_makes() {
    let stages = stages();
    let copied: Vec<_> = stages[1..]
        .iter()
        .flat_map(|(_, instructions)| instructions)
        .filter(|(word, _)| word == "COPY")
        .map(|(_, rest)| rest.strip_prefix("--from=build ").unwrap().split(' ').next().unwrap())
        .collect();
    let made = stages[0]
        .1
        .iter()
        .find(|(word, rest)| word == "RUN" && rest.contains("cargo build"))
        .unwrap();
    assert!(made.1.ends_with("cp target/dist/countersign /countersign"));
    assert!(
        copied
            .iter()
            .all(|path| ["/countersign", "/etc/ssl/certs/ca-certificates.crt"].contains(path))
    );
}
