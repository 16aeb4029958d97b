//! Third-party parts are pinned so that they cannot change: actions by commit and images by digest, with the version
//! next to it for readers.

use super::of_clone;

/// Every file that names an action or an image.
const FILES: [&str; 9] = [
    ".github/workflows/ci.yml",
    ".github/workflows/client.yml",
    ".github/workflows/release.yml",
    "action.yml",
    "Dockerfile",
    "docs/github.md",
    "docs/gitlab.md",
    "docs/shards.md",
    "templates/check.yml",
];

/// What is named otherwise, and why.
const EXCEPTIONS: [(&str, &str); 6] = [
    (
        "OWNER/countersign@COMMIT",
        "the reader's own copy of this repository, whose commits are not known here",
    ),
    ("scratch", "the empty image has no digest"),
    (
        "\"$[[ inputs.image ]]\"",
        "the input of the component, whose default is in this table's file",
    ),
    (
        "$CI_REGISTRY/your-group/countersign:pipeline",
        "the image that the reader built and pushed",
    ),
    (
        "registry.example.com/countersign:pipeline",
        "the same, for a Kubernetes job",
    ),
    ("", "the key of a table that follows"),
];

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_version(text: &str) -> bool {
    let parts: Vec<_> = text.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

/// `owner/name@COMMIT # vVERSION`.
fn is_pinned_action(text: &str) -> bool {
    let pinned = || {
        let (action, version) = text.split_once(" # v")?;
        let (_, commit) = action.split_once('@')?;
        Some(is_hex(commit, 40) && is_version(version))
    };
    pinned().unwrap_or(false)
}

/// `name:VERSION@sha256:DIGEST`.
fn is_pinned_image(text: &str) -> bool {
    let pinned = || {
        let (image, digest) = text.split_once("@sha256:")?;
        let (_, version) = image.split_once(':')?;
        Some(is_hex(digest, 64) && version.starts_with(|first: char| first.is_ascii_digit()))
    };
    pinned().unwrap_or(false)
}

/// The actions and the images that a text names, each with whether it is an action.
fn named(text: &str) -> Vec<(bool, &str)> {
    let mut found = Vec::new();
    let mut of_image = false;
    for line in text.lines().map(str::trim) {
        if let Some(action) = line.trim_start_matches("- ").strip_prefix("uses: ") {
            found.push((true, action));
        } else if let Some(image) = line.strip_prefix("FROM ") {
            found.push((false, image.split(' ').next().unwrap()));
        } else if let Some(image) = line.strip_prefix("image:") {
            found.push((false, image.trim()));
        } else if let Some(image) = line.strip_prefix("name: ").filter(|_| of_image) {
            found.push((false, image));
        } else if let Some(image) = line.strip_prefix("default: rust") {
            found.push((false, &line[line.len() - image.len() - 4..]));
        }
        of_image = line == "image:";
    }
    found
}

#[test]
fn every_action_is_named_by_commit_and_every_image_by_digest() {
    let mut excepted = Vec::new();
    for file in FILES {
        let text = of_clone(file);
        let named = named(&text);
        assert!(!named.is_empty(), "{file}");
        for (is_action, name) in named {
            let is_pinned = if is_action {
                is_pinned_action(name)
            } else {
                is_pinned_image(name)
            };
            if !is_pinned {
                excepted.push(name.to_owned());
                assert!(EXCEPTIONS.iter().any(|(known, _)| *known == name), "{file}: {name}");
            }
        }
    }
    for (known, why) in EXCEPTIONS {
        assert!(
            excepted.iter().any(|name| name == known),
            "{known} ({why}) is no longer there"
        );
    }
}

#[test]
fn no_other_file_names_one() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in [".github/workflows", "docs", "templates", "."] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .trim_start_matches("./")
                .to_owned();
            let is_text = path.is_file()
                && !path
                    .extension()
                    .is_some_and(|extension| extension == "png" || extension == "lock");
            if is_text && !FILES.contains(&name.as_str()) {
                let text = of_clone(&name);
                let named: Vec<_> = named(&text).into_iter().filter(|(_, name)| !name.is_empty()).collect();
                assert_eq!(named, [], "{name}");
            }
        }
    }
}

#[test]
fn a_tag_is_no_commit() {
    let commit = "de0fac2e4500dabe0009e67214ff5f5447ce83dd";
    assert!(is_pinned_action(&format!("actions/checkout@{commit} # v6.0.2")));
    for action in [
        "actions/checkout@v6.0.2".to_owned(),
        format!("actions/checkout@{commit}"),
        format!("actions/checkout@{commit} # v6"),
        format!("actions/checkout@{} # v6.0.2", &commit[..39]),
    ] {
        assert!(!is_pinned_action(&action), "{action}");
    }
    assert!(!is_pinned_image("rust:1.95.0-alpine") && !is_pinned_image("rust@sha256:00"));
}
