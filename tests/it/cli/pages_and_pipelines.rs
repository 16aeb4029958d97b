//! What a reader copies: README, the pages in `docs/`, and the pipeline files: the action for GitHub, the template for
//! GitLab, the Dockerfile.
//!
//! Their shell steps are taken from the files and run by the shell that would run them there, against the reference
//! service with and without a fault. What only exists in those services (caches, uploads, containers) is read and
//! checked as far as possible here. [`workplace`] is where steps run.
#![cfg(unix)]

mod action;
mod commands;
mod container;
mod gitlab;
mod pages;
mod pins;
mod release;
mod tags;
mod workplace;

/// A file of the clone.
fn of_clone(path: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text with each `open … close` in it replaced by what `value` says of the words between.
fn filled(text: &str, (open, close): (&str, &str), value: impl Fn(&str) -> String) -> String {
    let mut reported = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let (words, after) = after.split_once(close).unwrap();
        reported.push_str(before);
        reported.push_str(&value(words.trim()));
        rest = after;
    }
    reported + rest
}

/// The blocks of a page that are fenced with this word, in order.
fn blocks(page: &str, word: &str) -> Vec<String> {
    let fence = format!("```{word}\n");
    let ends = |rest: &str| rest.split_once("\n```").map(|(block, _)| format!("{block}\n"));
    let blocks = page.split(&fence).skip(1).filter_map(ends);
    blocks.collect()
}
