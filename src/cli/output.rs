//! Writes reports to their destinations. A report in a file is written to a staged file, which is then renamed, so that
//! it is complete or absent. The main type is [`Outputs`].

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::edge;
use super::failure::Failure;
use super::format::{Format, Reported, StdoutUse};
use super::staged::Replacement;
use crate::report::{MAX_BYTES, Record, Terminal};

/// The name of standard output in messages.
const STANDARD_OUTPUT: &str = "standard output";
/// The most that GitHub accepts as the summary of a step, in bytes.
const MAX_SUMMARY_BYTES: u64 = 1 << 20;

/// How the terminal report is written to each destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminals {
    /// On standard output.
    pub(super) stdout: Terminal,
    /// In a file, where the terminal does not matter.
    pub(super) file: Terminal,
}

/// A format, and the file it goes to; standard output if none is named.
#[derive(Clone, Debug)]
pub(super) struct ReportOption<Content: Reported = Record> {
    format: &'static Format<Content>,
    file: Option<PathBuf>,
}

impl<Content: Reported> FromStr for ReportOption<Content> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text
            .split_once('=')
            .map_or((text, None), |(name, file)| (name, Some(file)));
        if file == Some("") {
            return Err(format!("no file follows `{name}=`"));
        }
        Ok(Self {
            format: Format::named(name)?,
            file: file.map(PathBuf::from),
        })
    }
}

/// The requested reports, each with its open file.
#[derive(Debug)]
pub(super) struct Outputs<Content: Reported = Record> {
    outputs: Vec<(ReportOption<Content>, Option<Destination>)>,
    /// The summary that GitHub shows of the step, if it asks for one and a report is made for it.
    summary: Option<(PathBuf, File)>,
    /// Whether an error was already printed for a report that cannot be written.
    has_failed: bool,
}

/// A file that a report goes to.
#[derive(Debug)]
enum Destination {
    /// Staged, and moved into place at the end.
    Staged(Replacement),
    /// Written directly: a pipe or a device cannot be replaced.
    Direct(File),
}

impl<Content: Reported> Outputs<Content> {
    /// Opens every report's file, so that a report that cannot be written is reported before anything is sent. The
    /// others are still written; `summary` is the file that GitHub shows as the step summary.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] if two go to one place, before any is opened; if no report can be written, the failure of the
    /// last one.
    pub(super) fn open(requested: &[ReportOption<Content>], summary: Option<PathBuf>) -> Result<Self, Failure> {
        for (index, report) in requested.iter().enumerate() {
            if let Some(place) = report.collides(requested.get(..index).unwrap_or_default()) {
                let name = report.format.name;
                return Err(Failure::Usage(format!(
                    "two reports go to {place}; give each its own file: --report {name}=FILE"
                )));
            }
        }
        let mut opened = Self {
            outputs: Vec::new(),
            summary: None,
            has_failed: false,
        };
        let mut failures = Vec::new();
        for report in requested {
            if let Err(failure) = opened.add(report) {
                failures.push(failure);
            }
        }
        // The summary belongs to the `github` report.
        let has_ci_commands = requested
            .iter()
            .any(|report| report.format.stdout_use == StdoutUse::CiCommands);
        if let Some(path) = summary.filter(|_| has_ci_commands) {
            let file = OpenOptions::new().append(true).create(true).open(&path);
            match file {
                Ok(file) => opened.summary = Some((path, file)),
                Err(error) => failures.push(failure(&path, &error.to_string())),
            }
        }
        opened.has_failed = !failures.is_empty();
        let last = failures.pop_if(|_| opened.outputs.is_empty());
        failures.iter().for_each(edge::error);
        last.map_or(Ok(opened), Err)
    }

    fn add(&mut self, report: &ReportOption<Content>) -> Result<(), Failure> {
        let destination = report.file.as_deref().map(destination).transpose()?;
        self.outputs.push((report.clone(), destination));
        Ok(())
    }

    /// Returns whether a report shows single exchanges.
    pub(super) fn show_exchanges(&self) -> bool {
        self.outputs.iter().any(|(report, _)| report.format.shows_exchanges)
    }

    /// Returns the files that contain a report until it is complete.
    pub(super) fn unfinished(&self) -> Vec<PathBuf> {
        let destinations = self.outputs.iter().filter_map(|(_, destination)| destination.as_ref());
        destinations.filter_map(Destination::unfinished).collect()
    }

    /// Writes every report that can be written, and prints an error for each that cannot. Returns whether all requested
    /// reports were written.
    pub(super) fn write(self, content: &Content, terminals: &Terminals) -> bool {
        let mut has_failed = self.has_failed;
        let mut note = |written: Result<(), Failure>| {
            if let Err(failure) = written {
                edge::error(&failure);
                has_failed = true;
            }
        };
        for (report, destination) in self.outputs {
            let terminal = match &report.file {
                Some(_) => &terminals.file,
                None => &terminals.stdout,
            };
            let write = |to: &mut dyn io::Write| (report.format.write)(content, terminal, to);
            note(match (report.file, destination) {
                (Some(file), Some(destination)) => put(&file, destination, write),
                _ => print(report.format.stdout_use, write),
            });
        }
        if let Some((path, file)) = self.summary {
            note(append(&path, file, |max_bytes| content.summary(max_bytes)));
        }
        !has_failed
    }
}

impl<Content: Reported> ReportOption<Content> {
    /// Returns the same option, with the path of its file made by the closure.
    pub(super) fn with_file(self, place: impl FnOnce(&str) -> PathBuf) -> Self {
        let file = self.file.map(|file| place(&file.to_string_lossy()));
        Self { file, ..self }
    }

    /// Returns the file that it goes to; `None` for standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns the place where this report would overwrite one of the others, in words; `None` if it has its own place.
    pub(super) fn collides(&self, others: &[Self]) -> Option<String> {
        let place = || {
            let file = self.file.as_ref();
            file.map_or_else(|| STANDARD_OUTPUT.to_owned(), |file| format!("`{}`", file.display()))
        };
        others.iter().any(|other| self.meets(other)).then(place)
    }

    /// Returns whether two reports would overwrite each other. Two kinds of lines may share standard output.
    fn meets(&self, other: &Self) -> bool {
        match (&self.file, &other.file) {
            (Some(file), Some(other)) => edge::same_file(file, other),
            (None, None) => {
                let document = |report: &Self| report.format.stdout_use == StdoutUse::Document;
                self.format == other.format || document(self) || document(other)
            }
            _ => false,
        }
    }
}

impl<Content: Reported> fmt::Display for ReportOption<Content> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.format.name)?;
        match &self.file {
            Some(file) => write!(formatter, "={}", file.display()),
            None => Ok(()),
        }
    }
}

fn print(stdout_use: StdoutUse, write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut text = Vec::new();
    let written = write(&mut text);
    let text = String::from_utf8_lossy(&text);
    let written = written.and_then(|()| match stdout_use {
        StdoutUse::CiCommands => edge::print_commands(&text),
        StdoutUse::Document | StdoutUse::Lines => edge::print_whole(&text),
    });
    written.map_err(|error| failure(Path::new(STANDARD_OUTPUT), &error.to_string()))
}

/// Appends the report in Markdown to the summary of a step. What others wrote there stays, and counts towards the
/// limit.
fn append(path: &Path, mut file: File, report: impl FnOnce(usize) -> String) -> Result<(), Failure> {
    let appended = move |file: &mut File| -> io::Result<bool> {
        let before = file.metadata()?.len();
        let room = usize::try_from(MAX_SUMMARY_BYTES.saturating_sub(before + 1)).unwrap_or(0);
        let text = report(room.min(MAX_BYTES - 1));
        if let Err(error) = file.write_all(format!("\n{text}").as_bytes()) {
            // Half a table would spoil what is already there.
            let _ = file.set_len(before);
            return Err(error);
        }
        Ok(!text.is_empty())
    };
    if !appended(&mut file).map_err(|error| failure(path, &error.to_string()))? {
        edge::note("note: the step summary is full, so the report is not in it");
    }
    Ok(())
}

fn failure(path: &Path, reason: &str) -> Failure {
    Failure::Report {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

fn destination(file: &Path) -> Result<Destination, Failure> {
    let failure = |reason: &str| failure(file, reason);
    match std::fs::metadata(file) {
        Ok(found) if found.is_dir() => return Err(failure("it is a folder; name a file in it")),
        Ok(found) if !found.is_file() => {
            let opened = OpenOptions::new().write(true).open(file);
            return opened
                .map(Destination::Direct)
                .map_err(|error| failure(&error.to_string()));
        }
        _ => {}
    }
    let staged = Replacement::of(file);
    staged
        .map(Destination::Staged)
        .map_err(|error| failure(&error.to_string()))
}

fn put(
    file: &Path,
    destination: Destination,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut buffered = BufWriter::new(destination.open_file());
    let written = write(&mut buffered).and_then(|()| buffered.flush());
    drop(buffered);
    written.map_err(|error| failure(file, &error.to_string()))?;
    destination.complete(file)
}

impl Destination {
    fn open_file(&self) -> &File {
        match self {
            Self::Staged(staged) => staged.file(),
            Self::Direct(open) => open,
        }
    }

    /// Moves a staged file to its place.
    fn complete(self, file: &Path) -> Result<(), Failure> {
        let Self::Staged(staged) = self else { return Ok(()) };
        staged.complete().map_err(|error| failure(file, &error.to_string()))
    }

    fn unfinished(&self) -> Option<PathBuf> {
        match self {
            Self::Staged(file) => Some(file.path().to_owned()),
            Self::Direct(_) => None,
        }
    }
}

/// A file that is written while the command runs. It is staged, and moved into place once it is complete; a pipe or a
/// device is written directly.
#[derive(Debug)]
pub(super) struct StagedFile {
    path: PathBuf,
    destination: Destination,
}

impl StagedFile {
    /// Opens the file, for this user alone.
    ///
    /// # Errors
    ///
    /// [`Failure::Report`] if it cannot be written.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let destination = destination(path)?;
        #[cfg(unix)]
        if let Destination::Staged(staged) = &destination {
            use std::os::unix::fs::PermissionsExt as _;
            let only_mine = std::fs::Permissions::from_mode(0o600);
            let restricted = staged.file().set_permissions(only_mine);
            restricted.map_err(|error| failure(path, &error.to_string()))?;
        }
        Ok(Self {
            path: path.to_owned(),
            destination,
        })
    }

    /// Returns what is written to.
    pub(super) fn writer(&self) -> BufWriter<&File> {
        BufWriter::new(self.destination.open_file())
    }

    /// Returns the file that contains it until it is complete.
    pub(super) fn unfinished(&self) -> Option<PathBuf> {
        self.destination.unfinished()
    }

    /// Moves it to its place.
    ///
    /// # Errors
    ///
    /// [`Failure::Report`] if that fails, or writing did.
    pub(super) fn complete(self, written: io::Result<()>) -> Result<(), Failure> {
        written.map_err(|error| failure(&self.path, &error.to_string()))?;
        self.destination.complete(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_target_is_a_format_and_perhaps_a_file() {
        let report: ReportOption = "json=out/report.json".parse().unwrap();
        assert_eq!(report.format, Format::named("json").unwrap());
        assert_eq!(report.file(), Some(Path::new("out/report.json")));
        assert!("jsn=a".parse::<ReportOption>().is_err());
        assert!("json=".parse::<ReportOption>().is_err());
    }

    #[test]
    fn lines_of_two_kinds_share_standard_output_and_documents_do_not() {
        let report = |text: &str| text.parse::<ReportOption>().unwrap();
        for (one, other, meet) in [
            ("terminal", "github", false),
            ("terminal", "terminal", true),
            ("terminal", "json", true),
            ("junit", "sarif", true),
            ("json", "json=a", false),
            ("json=a", "sarif=./a", true),
            ("json=a", "json=b", false),
        ] {
            assert_eq!(report(one).meets(&report(other)), meet, "{one} {other}");
            assert_eq!(report(other).meets(&report(one)), meet, "{other} {one}");
        }
    }

    #[test]
    fn a_report_that_is_not_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let report: ReportOption = "json".parse().unwrap();
        let report = ReportOption {
            file: Some(folder.path().join("report.json")),
            ..report
        };
        drop(Outputs::open(&[report], None).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
