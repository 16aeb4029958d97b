//! The accepted snapshots on disk.

use std::path::Path;

use countersign::report::shapes::ResponseShapes;

/// The name and the text of each accepted snapshot of responses and envelopes in a folder, in order. A folder that is
/// not there yet has none.
pub(super) fn all(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let entries = entries.map(|entry| entry.unwrap().file_name());
    let names = entries.filter_map(|name| Some(name.to_str()?.strip_suffix(".snap")?.to_owned()));
    let mut names: Vec<_> = names
        .filter(|name| name.starts_with("response_") || name.starts_with("envelope_"))
        .collect();
    names.sort();
    let text = |name: String| {
        let text = text(folder, &name).unwrap();
        (name, text)
    };
    names.into_iter().map(text).collect()
}

/// The text of an accepted snapshot, without what insta keeps about it.
pub(super) fn text(folder: &Path, name: &str) -> Option<String> {
    let file = std::fs::read_to_string(folder.join(format!("{name}.snap"))).ok()?;
    let (_, text) = file.strip_prefix("---\n")?.split_once("---\n")?;
    Some(text.trim_end().to_owned())
}

/// The shapes of an accepted snapshot; none where it is not accepted yet.
pub(super) fn shapes(folder: &Path, name: &str) -> Option<ResponseShapes> {
    let text = text(folder, name)?;
    Some(ResponseShapes::read(&text).unwrap_or_else(|error| panic!("{name}: {error}")))
}
