//! `check --accept`: adds what a run found to the configuration, where each finding must be given a reason. The main
//! type is [`EntryWriter`].
//!
//! # Design
//!
//! Entries are appended: the existing content stays the same to the byte, comments included. An entry accepts nothing
//! until somebody fills in its reason, so that no pipeline turns green by itself. The whole file is staged and
//! renamed, and is opened before anything is sent, like a report.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use toml::Value;

use super::find::{self, Config, FILE_NAME};
use super::levels;
use super::parse::Parsed;
use crate::cli::failure::Failure;
use crate::cli::staged::Replacement;
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::exchange::redact::printable;
use crate::rules::{Finding, Level, LevelScope, fact_covers_rule};

/// A configuration to which entries will be added.
#[derive(Debug)]
pub(in crate::cli) struct EntryWriter {
    replacement: Replacement,
}

impl EntryWriter {
    /// Opens a file next to the configuration, or next to where it will be.
    ///
    /// # Errors
    ///
    /// [`Failure::Accept`] if nothing can be written there.
    pub(in crate::cli) fn open(config: Option<&Config>, named: Option<&Path>) -> Result<Self, Failure> {
        let named = config.map(|config| config.path.as_path()).or(named);
        let path = named.unwrap_or(Path::new(FILE_NAME));
        let replacement = Replacement::of(path).map_err(|error| failure(path, error.to_string()))?;
        Ok(Self { replacement })
    }

    /// Returns the file that contains the new text until it is complete.
    pub(in crate::cli) fn unfinished(&self) -> PathBuf {
        self.replacement.path().to_owned()
    }

    /// Adds an entry for each finding that has none, and returns a text on what it did.
    ///
    /// # Errors
    ///
    /// [`Failure::Accept`] if the file cannot be written; the errors of reading it.
    pub(in crate::cli) fn write(self, findings: &[Finding], contract: &Contract) -> Result<String, Failure> {
        let path = self.replacement.place().to_owned();
        let shown = path
            .file_name()
            .map_or(FILE_NAME.into(), |name| name.to_string_lossy().into_owned());
        let before = if path.exists() {
            find::text(&path)?
        } else {
            String::new()
        };
        let parsed = Parsed::read(&shown, &before)?;
        let known: Vec<_> = parsed.file.levels.iter().map(levels::level_scope).collect();
        let mut found = scopes(findings, contract);
        let all = found.len();
        found.retain(|_, (scope, _)| !known.contains(scope));
        let already_listed = all - found.len();
        if found.is_empty() {
            return Ok(match already_listed {
                0 => "there is no finding to accept".to_owned(),
                1 => format!("nothing new to accept; the finding already has an entry in {shown}"),
                all => format!("nothing new to accept; {all} findings already have an entry in {shown}"),
            });
        }
        let after = appended(&before, found.values());
        // Nothing can be appended to `levels` if it is written as one array.
        if Parsed::read(&shown, &after).is_err() {
            let reason = "`levels` is written as one array there; write each entry under its own [[levels]]";
            return Err(failure(&path, reason.to_owned()));
        }
        let added = found.len();
        let mut file = self.replacement.file();
        let written = file
            .write_all(after.as_bytes())
            .and_then(|()| self.replacement.complete());
        written.map_err(|error| failure(&path, error.to_string()))?;
        let entries = if added == 1 {
            "1 entry".to_owned()
        } else {
            format!("{added} entries")
        };
        Ok(format!(
            "added {entries} to {shown}; each accepts nothing until its reason is filled in"
        ))
    }
}

fn failure(path: &Path, reason: String) -> Failure {
    Failure::Accept {
        path: path.to_owned(),
        reason,
    }
}

/// Returns the scope of each reported finding, as narrow as an entry can be, and the fact's name; in the order of the
/// contract.
fn scopes(findings: &[Finding], contract: &Contract) -> BTreeMap<(FactId, &'static str), (LevelScope, String)> {
    let reported = findings.iter().filter(|finding| finding.level != Level::Allow);
    let scopes = reported.map(|finding| {
        let fact = contract.fact(finding.fact);
        let beside = contract.facts.iter().filter(|other| {
            other.operation == fact.operation
                && other.response_pointer == fact.response_pointer
                && fact_covers_rule(other.kind, finding.rule)
        });
        // An entry must not accept what was not found: where the rule judges several facts at the location, the entry
        // names one.
        let several = beside.count() > 1;
        let scope = LevelScope {
            rule: finding.rule.name.to_owned(),
            operation: Some(contract.operation(fact.operation).name.clone()),
            field: Some(fact.response_pointer.to_string()),
            fact: several.then(|| fact.name.to_string()),
        };
        ((finding.fact, finding.rule.name), (scope, fact.name.to_string()))
    });
    scopes.collect()
}

/// Returns the text with the entries at its end, with the line endings of the text.
fn appended<'entry>(before: &str, entries: impl Iterator<Item = &'entry (LevelScope, String)>) -> String {
    let ending = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = before.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(ending);
    }
    for (scope, fact) in entries {
        let keys = [
            ("rule", Some(&scope.rule)),
            ("operation", scope.operation.as_ref()),
            ("field", scope.field.as_ref()),
            ("fact", scope.fact.as_ref()),
        ];
        let keys = keys
            .into_iter()
            .filter_map(|(key, value)| value.map(|value| format!("{key} = {}", Value::from(value.as_str()))));
        // A TOML string escapes what is not text; a comment cannot.
        let lines = [String::new(), format!("# {}", printable(fact)), "[[levels]]".to_owned()];
        let last = ["level = \"allow\"".to_owned(), "reason = \"\"".to_owned()];
        let first = usize::from(text.is_empty());
        for line in lines.into_iter().chain(keys).chain(last).skip(first) {
            text.push_str(&line);
            text.push_str(ending);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(fact: Option<&str>) -> (LevelScope, String) {
        let scope = LevelScope {
            rule: "wrong-type".to_owned(),
            operation: Some("getTags".to_owned()),
            field: Some("/data/items/*/a\"b\\c".to_owned()),
            fact: fact.map(str::to_owned),
        };
        (scope, "getTags /data: object\n[[levels]]\u{1b}".to_owned())
    }

    #[test]
    fn what_is_appended_is_read_back_as_it_was_meant() {
        for before in ["", "# kept\n", "[check]\nseed = 1", "[check]\r\nseed = 1\r\n"] {
            let (one, two) = (scope(None), scope(Some("a 'fact'\n\"of\" names")));
            let text = appended(before, [&one, &two].into_iter());
            assert!(text.starts_with(before), "{text}");
            assert_eq!(text.contains("reason = \"\"\r\n"), before.contains('\r'), "{text:?}");
            let parsed = Parsed::read("countersign.toml", &text).unwrap();
            let read: Vec<_> = parsed.file.levels.iter().map(levels::level_scope).collect();
            assert_eq!(read, [one.0, two.0]);
        }
    }
}
