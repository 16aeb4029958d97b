//! Where reports go. A file's report is written aside and renamed, so that it is whole or absent. The main type is
//! [`Outputs`].

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tempfile::NamedTempFile;

use super::edge;
use super::failure::Failure;
use crate::contract::openapi::near;
use crate::report::{Record, Terminal, html, json};

/// A format, and the file it goes to; standard output where none is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportTarget {
    format: Format,
    file: Option<PathBuf>,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// One page.
    Html,
    /// One JSON object.
    Json,
    /// Lines for people.
    Terminal,
}

const FORMATS: [(&str, Format); 3] = [
    ("html", Format::Html),
    ("json", Format::Json),
    ("terminal", Format::Terminal),
];

impl FromStr for ReportTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text
            .split_once('=')
            .map_or((text, None), |(name, file)| (name, Some(file)));
        if file == Some("") {
            return Err(format!("no file follows `{name}=`"));
        }
        match FORMATS.iter().find(|(known, _)| *known == name) {
            Some((_, format)) => Ok(Self {
                format: *format,
                file: file.map(PathBuf::from),
            }),
            None => {
                let hint = near(name, FORMATS.map(|(known, _)| known))
                    .map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
                Err(format!(
                    "there is no format `{name}`{hint}; the formats are `html`, `json` and `terminal`"
                ))
            }
        }
    }
}

/// The reports of a run, each with the file that is open for it.
#[derive(Debug)]
pub(super) struct Outputs {
    outputs: Vec<(ReportTarget, Option<Destination>)>,
}

/// A file that a report goes to.
#[derive(Debug)]
enum Destination {
    /// Written aside, and put in its place at the end.
    Aside(NamedTempFile),
    /// Written where it is: a pipe or a device cannot be replaced.
    Direct(std::fs::File),
}

impl Outputs {
    /// Opens every report's file, so that a report that cannot be written is told before anything is sent.
    ///
    /// # Errors
    ///
    /// The first file that cannot be written; two reports to one place.
    pub(super) fn open(targets: &[ReportTarget]) -> Result<Self, Failure> {
        let mut outputs: Vec<(ReportTarget, Option<Destination>)> = Vec::new();
        for target in targets {
            if outputs.iter().any(|(other, _)| other.file == target.file) {
                let place = target
                    .file
                    .as_ref()
                    .map_or_else(|| "standard output".to_owned(), |file| format!("`{}`", file.display()));
                return Err(Failure::Usage(format!(
                    "two reports go to {place}; give each a file: --report json=FILE"
                )));
            }
            let destination = target.file.as_deref().map(destination).transpose()?;
            outputs.push((target.clone(), destination));
        }
        Ok(Self { outputs })
    }

    /// Whether a person reads standard output while the run goes on.
    pub(super) fn terminal_on_stdout(&self) -> bool {
        self.outputs
            .iter()
            .any(|(target, _)| target.file.is_none() && target.format == Format::Terminal)
    }

    /// Whether a report tells single exchanges.
    pub(super) fn tell_exchanges(&self) -> bool {
        self.outputs.iter().any(|(target, _)| target.format != Format::Terminal)
    }

    /// The files that reports go to.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.outputs.iter().filter_map(|(target, _)| target.file.clone())
    }

    /// Writes every report.
    ///
    /// # Errors
    ///
    /// The first report that could not be written; the others are.
    pub(super) fn write(self, record: &Record, terminal: &Terminal) -> Result<(), Failure> {
        let mut failed = Ok(());
        for (target, destination) in self.outputs {
            let text = match target.format {
                Format::Html => html(record),
                Format::Json => json(record),
                Format::Terminal => terminal.report(record),
            };
            let written = match (target.file, destination) {
                (Some(file), Some(destination)) => put(&file, destination, &text),
                _ => {
                    edge::print(&text);
                    Ok(())
                }
            };
            failed = failed.and(written);
        }
        failed
    }
}

fn destination(file: &Path) -> Result<Destination, Failure> {
    let failure = |reason: String| Failure::Report {
        path: file.to_owned(),
        reason,
    };
    match std::fs::metadata(file) {
        Ok(found) if found.is_dir() => return Err(failure("it is a folder; name a file in it".to_owned())),
        Ok(found) if !found.is_file() => {
            let opened = std::fs::OpenOptions::new().write(true).open(file);
            return opened
                .map(Destination::Direct)
                .map_err(|error| failure(error.to_string()));
        }
        _ => {}
    }
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."));
    // Said here, because the error of the file aside would name that file.
    if !folder.is_dir() {
        let reason = format!("`{}` is no folder; make it, or name another file", folder.display());
        return Err(failure(reason));
    }
    let aside = tempfile::Builder::new().prefix(".countersign-").tempfile_in(folder);
    aside
        .map(Destination::Aside)
        .map_err(|error| failure(error.to_string()))
}

fn put(file: &Path, destination: Destination, text: &str) -> Result<(), Failure> {
    let failure = |reason: String| Failure::Report {
        path: file.to_owned(),
        reason,
    };
    match destination {
        Destination::Direct(mut open) => open
            .write_all(text.as_bytes())
            .map_err(|error| failure(error.to_string())),
        Destination::Aside(mut aside) => {
            let whole = aside
                .write_all(text.as_bytes())
                .and_then(|()| aside.as_file().sync_all());
            whole.map_err(|error| failure(error.to_string()))?;
            aside
                .persist(file)
                .map(drop)
                .map_err(|error| failure(error.error.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_target_is_a_format_and_perhaps_a_file() {
        let target: ReportTarget = "json=out/report.json".parse().unwrap();
        assert_eq!(
            target,
            ReportTarget {
                format: Format::Json,
                file: Some("out/report.json".into())
            }
        );
        assert_eq!(
            "jsn".parse::<ReportTarget>().unwrap_err(),
            "there is no format `jsn`, did you mean `json`?; the formats are `html`, `json` and `terminal`"
        );
        assert!("json=".parse::<ReportTarget>().is_err());
    }

    #[test]
    fn a_report_that_is_not_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let target = ReportTarget {
            format: Format::Json,
            file: Some(folder.path().join("report.json")),
        };
        drop(Outputs::open(&[target]).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
