//! The differences as GitHub's workflow commands: an annotation at the line of the new document for each of the most
//! urgent ones, and for its references that lead to nothing. The step summary is the Markdown report.

use super::{groups, sentence, short, shown_file, urgency, verdict, why_accepted, word};
use crate::diff::{DanglingReference, Diff, Difference, Meaning};
use crate::report::github::{MAX_SHOWN, command};
use crate::report::phrases::{self, clipped, repository_path};

/// The maximum length of a message, in characters.
const LONGEST: usize = 2000;

/// Returns the differences as workflow commands, one per line.
#[must_use]
pub fn diff_github(diff: &Diff) -> String {
    let groups = groups(diff);
    let mut all: Vec<(String, &Difference)> = Vec::new();
    for group in &groups {
        all.extend(group.differences.iter().map(|difference| (group.title(), *difference)));
    }
    all.sort_by_key(|(_, difference)| urgency(difference));
    let mut lines: Vec<_> = all
        .iter()
        .take(MAX_SHOWN)
        .map(|(title, difference)| annotation(diff, title, difference))
        .collect();
    let room = MAX_SHOWN.saturating_sub(lines.len());
    let dangling = diff.dangling_references.new.iter().take(room);
    lines.extend(dangling.map(|reference| dangling_reference(diff, reference)));
    let more = all.len().saturating_sub(MAX_SHOWN);
    let more_dangling = diff.dangling_references.new.len().saturating_sub(room);
    let omitted = [(more, "more difference"), (more_dangling, "more dangling reference")];
    let omitted: Vec<_> = omitted
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| phrases::counted(count, what))
        .collect();
    let mut closing = verdict(diff);
    if !omitted.is_empty() {
        closing.push_str(&format!(
            "; {} {} not annotated, see the step summary",
            omitted.join(" and "),
            phrases::is_or_are(more + more_dangling)
        ));
    }
    lines.push(command("notice", &[("title", "countersign diff".to_owned())], &closing));
    lines.join("\n") + "\n"
}

fn dangling_reference(diff: &Diff, reference: &DanglingReference) -> String {
    let DanglingReference { target, location } = reference;
    let properties = [
        (
            "file",
            repository_path(location.file.as_deref().unwrap_or(&diff.new.file)),
        ),
        ("line", location.line.max(1).to_string()),
        ("title", "dangling reference".to_owned()),
    ];
    let message = format!("nothing could be compared behind {}", short(target));
    command("warning", &properties, &message)
}

fn annotation(diff: &Diff, title: &str, difference: &Difference) -> String {
    let name = match difference.meaning {
        _ if difference.accepted.is_some() => "notice",
        Meaning::Breaking => "error",
        Meaning::Compatible => "notice",
        Meaning::Unclear => "warning",
    };
    let properties = [
        (
            "file",
            repository_path(difference.new.file.as_deref().unwrap_or(&diff.new.file)),
        ),
        ("line", difference.new.line.max(1).to_string()),
        (
            "title",
            clipped(&format!("{} ({})", word(difference), difference.kind.name()), LONGEST),
        ),
    ];
    let old = &difference.old;
    let line = if old.present { "line" } else { "below line" };
    let mut message = format!(
        "{title}: {}; {}, {line} {}",
        sentence(difference),
        shown_file(&diff.old, old.file.as_deref()),
        old.line
    );
    if let Some(why_accepted) = why_accepted(difference) {
        message.push_str(&format!("; {why_accepted}"));
    }
    command(name, &properties, &clipped(&message, LONGEST))
}
