//! Finds and reads the configuration file. The main type is [`Config`].

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PathBufValueParser;

use super::error::{ConfigError, FileLocation, Problem};
use super::parse::Parsed;
use super::setting::{Setting, WithOrigin};
use crate::cli::document::is_url;
use crate::cli::edge::{self, CONFIG_VARIABLE};
use crate::cli::failure::Failure;
use crate::cli::output::ReportOption;

/// The default name of the file.
pub(in crate::cli) const FILE_NAME: &str = "countersign.toml";

/// The prefix of the names of our own variables.
const OUR_VARIABLES: &str = "COUNTERSIGN_";

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Which configuration is read.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct ConfigFlags {
    /// The configuration; without it `countersign.toml` is searched for from the working directory upwards
    #[arg(long, value_name = "FILE", env = CONFIG_VARIABLE, value_parser = WithOrigin(PathBufValueParser::new()))]
    config: Option<Setting<PathBuf>>,
    /// Read no configuration
    #[arg(long)]
    no_config: bool,
}

impl ConfigFlags {
    /// Returns the configuration that was named.
    pub(super) fn file(&self) -> Option<&Path> {
        self.config.as_ref().map(|config| config.value.as_path())
    }
}

/// The configuration of a run.
#[derive(Debug)]
pub(in crate::cli) struct Config {
    /// The file.
    pub(in crate::cli) path: PathBuf,
    /// How it came to be read.
    pub(in crate::cli) trust: Trust,
    /// Its contents.
    pub(super) parsed: Parsed,
}

/// How a configuration came to be read, which decides what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Trust {
    /// It was found in the working directory or above it. That may be somebody else's checkout, so it may read only our
    /// variables and write only inside its own folder.
    Found,
    /// The user named it.
    Named,
}

impl Config {
    /// Reads the configuration that is named, or else the one that is found from a folder upwards. One that is
    /// `created` by the command need not exist.
    ///
    /// # Errors
    ///
    /// Flags that contradict each other; the errors of [`Config::read`].
    pub(in crate::cli) fn find(flags: &ConfigFlags, created: bool, folder: &Path) -> Result<Option<Self>, Failure> {
        if flags.no_config {
            if flags.config.as_ref().is_some_and(Setting::is_flag) {
                let message = "--config names a configuration, and --no-config reads none; give only one of them";
                return Err(Failure::Usage(message.to_owned()));
            }
            return Ok(None);
        }
        let path = match flags.file() {
            Some(path) if created && !path.exists() => None,
            Some(path) => Some((path.to_owned(), Trust::Named)),
            None => upwards(folder)?.map(|path| (path, Trust::Found)),
        };
        path.map(|(path, trust)| Self::read(&path, trust)).transpose()
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The system's error; a folder, a file that is too large or not UTF-8; what [`Parsed::read`] rejects.
    pub(in crate::cli) fn read(path: &Path, trust: Trust) -> Result<Self, Failure> {
        let parsed = Parsed::read(&path.display().to_string(), &text(path)?)?;
        Ok(Self {
            path: path.to_owned(),
            trust,
            parsed,
        })
    }

    /// Returns the folder that contains it.
    pub(super) fn folder(&self) -> &Path {
        edge::folder_of(&self.path)
    }

    /// Returns the path of a file that the configuration names. A URL is returned unchanged, so that the error that
    /// rejects it shows it as written.
    pub(super) fn resolve_path(&self, name: &Path) -> PathBuf {
        let path = self.path.with_file_name(name);
        if is_url(name) && !path.exists() {
            return name.to_owned();
        }
        path
    }

    /// Returns the reports that it asks for.
    ///
    /// # Errors
    ///
    /// A report that cannot be read, one that this configuration may not write, or two to one place.
    pub(super) fn reports(&self) -> Result<Vec<ReportOption>, ConfigError> {
        let parsed = &self.parsed;
        let mut reports: Vec<ReportOption> = Vec::new();
        for named in parsed.file.reports.iter().flat_map(|reports| &reports.value) {
            let report = parsed.resolve(named, |text| text.parse::<ReportOption>().map_err(Problem::Report))?;
            let report = report.with_file(|file| self.resolve_path(Path::new(file)));
            if let Some(file) = report.file().filter(|file| !self.may_write(file)) {
                let problem = Problem::ReportOutside(file.display().to_string());
                return Err(parsed.error(named, problem));
            }
            if let Some(location) = report.collides(&reports) {
                return Err(parsed.error(named, Problem::ReportTwice(location)));
            }
            reports.push(report);
        }
        Ok(reports)
    }

    /// Returns whether the configuration may write a report to this file.
    fn may_write(&self, file: &Path) -> bool {
        self.trust == Trust::Named || edge::is_inside(file, self.folder())
    }

    /// Returns whether the configuration may take a token from this variable.
    pub(super) fn may_read(&self, variable: &str) -> bool {
        self.trust == Trust::Named || variable.starts_with(OUR_VARIABLES)
    }
}

/// Returns the text of a configuration file.
///
/// # Errors
///
/// Those of [`Config::read`].
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    let failure = |source| Failure::File {
        what: "configuration",
        path: path.to_owned(),
        source,
    };
    let file = std::fs::File::open(path).map_err(failure)?;
    if file.metadata().map_err(failure)?.is_dir() {
        return Err(failure(std::io::Error::other("it is a folder; name a file in it")));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failure)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_BYTES) {
        let reason = format!(
            "it is larger than {} MiB; a configuration is a page or two",
            MAX_BYTES >> 20
        );
        return Err(failure(std::io::Error::other(reason)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let location = FileLocation::of(&path.display().to_string(), &text, &(valid..valid));
        ConfigError {
            location,
            problem: Box::new(Problem::NotUtf8),
        }
        .into()
    })
}

/// Returns the nearest `countersign.toml` from a folder upwards, up to the root of the repository that the folder is
/// in.
///
/// # Errors
///
/// [`Failure::Usage`] for a file above the folder, or in a folder that others can write to, that belongs neither to
/// this user, nor to the folder's owner, nor to root: another user with write access to a shared folder must not choose
/// where a token goes.
fn upwards(from: &Path) -> Result<Option<PathBuf>, Failure> {
    for folder in from.ancestors() {
        let candidate = folder.join(FILE_NAME);
        if std::fs::symlink_metadata(&candidate).is_ok() {
            let is_here = folder == from;
            // Only its owner can have put a file into a folder that nobody else can write to.
            if belongs_to_another(&candidate, from) && !(is_here && is_private(from)) {
                return Err(Failure::Usage(format!(
                    "`{}` and the working directory belong to different users; name the file with --config if you \
                     trust it, or give --no-config",
                    candidate.display()
                )));
            }
            return Ok(Some(if is_here { PathBuf::from(FILE_NAME) } else { candidate }));
        }
        if std::fs::symlink_metadata(folder.join(".git")).is_ok() {
            break;
        }
    }
    Ok(None)
}

#[cfg(unix)]
fn belongs_to_another(file: &Path, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = |path: &Path| std::fs::metadata(path).map(|found| found.uid()).ok();
    let own = rustix::process::geteuid().as_raw();
    is_of_another(owner(file), owner(folder), own)
}

/// Whether only its owner can write to a folder.
#[cfg(unix)]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    const OF_OTHERS: u32 = 0o022;
    std::fs::metadata(folder).is_ok_and(|found| found.mode() & OF_OTHERS == 0)
}

/// Whether a file with this owner is another user's, who does not own the folder either.
#[cfg(unix)]
fn is_of_another(file: Option<u32>, folder: Option<u32>, own: u32) -> bool {
    const ROOT: u32 = 0;
    // A link that leads nowhere fails where it is read.
    file.is_some() && ![Some(ROOT), Some(own), folder].contains(&file)
}

#[cfg(not(unix))]
fn belongs_to_another(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(names: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::create_dir_all(root.path().join(name)).unwrap();
        }
        root
    }

    #[test]
    fn the_nearest_file_upwards_is_found() {
        let root = folders(&["a/b/c"]);
        let put = |folder: &str| std::fs::write(root.path().join(folder).join(FILE_NAME), "").unwrap();
        let found = || upwards(&root.path().join("a/b/c")).unwrap();
        put("a");
        assert_eq!(found(), Some(root.path().join("a").join(FILE_NAME)));
        put("a/b");
        assert_eq!(found(), Some(root.path().join("a/b").join(FILE_NAME)));
        put("a/b/c");
        assert_eq!(found(), Some(PathBuf::from(FILE_NAME)));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_another_user_is_not_taken_from_a_folder_that_others_can_write_to() {
        use std::os::unix::fs::PermissionsExt as _;
        let (root, own, other) = (Some(0), 1000, Some(1001));
        assert!(is_of_another(other, root, own));
        assert!(is_of_another(other, Some(own), own));
        for (file, folder) in [(root, Some(own)), (Some(own), root), (other, other), (None, root)] {
            assert!(!is_of_another(file, folder, own), "{file:?} {folder:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        for (mode, private) in [(0o755, true), (0o700, true), (0o775, false), (0o1777, false)] {
            std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_private(folder.path()), private, "{mode:o}");
        }
    }

    #[test]
    fn a_repository_ends_the_search_and_its_own_folder_counts() {
        let root = folders(&["a/.git", "a/b"]);
        std::fs::write(root.path().join(FILE_NAME), "").unwrap();
        assert_eq!(upwards(&root.path().join("a/b")).unwrap(), None);
        std::fs::write(root.path().join("a").join(FILE_NAME), "").unwrap();
        assert!(upwards(&root.path().join("a/b")).unwrap().is_some());
    }
}
