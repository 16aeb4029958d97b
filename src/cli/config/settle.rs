//! Settles what flags, environment and file say: flags go before the environment, and that before the file. The main type
//! is [`Settled`].
//!
//! # Design
//!
//! Clap reads flags and environment into [`Arguments`] and knows what was typed. What was not is filled in from the file,
//! so that nothing behind this sees a file, and each value remembers its [`Origin`].
//!
//! A target is named on the highest of these steps alone: `--base-url` or `--target`, then their variables, then
//! `default_target`. A base URL that is given by itself takes nothing from a target of the file, least of all its token.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use clap::ArgMatches;
use clap::parser::ValueSource;

use super::accept::Accepting;
use super::error::{ConfigError, Place, Problem};
use super::fill::filled;
use super::find::{self, Config, Trust};
use super::levels::LevelEntry;
use crate::cli::check::Arguments;
use crate::cli::edge::{BASE_URL_VARIABLE, CONFIG_VARIABLE, TARGET_VARIABLE, TOKEN_VARIABLE};
use crate::cli::failure::Failure;
use crate::contract::Contract;
use crate::exchange::Target;

/// The name of the reference service among targets.
const EMBEDDED: &str = "embedded";

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Origin {
    /// Nobody said anything.
    Default,
    /// This variable.
    Environment(&'static str),
    /// This place of the configuration.
    File(Place),
    /// The flag of this name.
    Flag(&'static str),
}

/// What a check does, once flags, environment and file are read.
#[derive(Debug)]
pub(in crate::cli) struct Settled {
    /// The flags, filled in.
    pub(in crate::cli) arguments: Arguments,
    /// The configuration, where there is one.
    pub(in crate::cli) config: Option<Config>,
    /// The target's name in it, where it is one of it.
    pub(in crate::cli) target: Option<String>,
    /// The variable that holds the target's token, and where it is named.
    pub(in crate::cli) token: (String, Origin),
    origins: BTreeMap<&'static str, Origin>,
}

/// What was typed, as clap tells it.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Typed<'matches>(pub(in crate::cli) &'matches ArgMatches);

impl Typed<'_> {
    /// Where the value of a flag came from; none where nobody gave one.
    pub(super) fn origin(self, name: &'static str) -> Option<Origin> {
        match self.0.value_source(name)? {
            ValueSource::CommandLine => Some(Origin::Flag(name)),
            ValueSource::EnvVariable => Some(Origin::Environment(match name {
                "base_url" => BASE_URL_VARIABLE,
                "config" => CONFIG_VARIABLE,
                _ => TARGET_VARIABLE,
            })),
            _ => None,
        }
    }

    fn is_flag(self, name: &'static str) -> bool {
        matches!(self.origin(name), Some(Origin::Flag(_)))
    }
}

impl Settled {
    /// Settles the arguments of a command that was called in this folder.
    ///
    /// # Errors
    ///
    /// A configuration that cannot be read or that says what cannot be; two targets at once.
    pub(in crate::cli) fn new(arguments: Arguments, typed: Typed<'_>, folder: &Path) -> Result<Self, Failure> {
        let config = config(&arguments, typed, folder)?;
        let mut settled = Self {
            arguments,
            config: None,
            target: None,
            token: (TOKEN_VARIABLE.to_owned(), Origin::Default),
            origins: BTreeMap::new(),
        };
        let Some(config) = config else {
            settled.without(typed)?;
            return Ok(settled);
        };
        let named = settled.choose(&config, typed)?;
        let part = named.and_then(|name| config.parsed.file.targets.get(name));
        settled.origins = filled(&mut settled.arguments, part, &config, typed)?;
        if let Some((name, part)) = named.and_then(|name| config.parsed.file.targets.get_key_value(name)) {
            settled.target = Some(name.clone());
            let place = config.parsed.place(&part.base_url);
            settled.origins.insert("base_url", Origin::File(place));
            if let Some(variable) = &part.token_env {
                let origin = Origin::File(config.parsed.place(variable));
                settled.token = (variable.value().clone(), origin);
            }
        }
        settled.config = Some(config);
        Ok(settled)
    }

    /// The levels of the configuration, held against the contract.
    ///
    /// # Errors
    ///
    /// As [`Config::levels`] has it.
    pub(in crate::cli) fn levels(&self, contract: &Contract, today: NaiveDate) -> Result<Vec<LevelEntry>, ConfigError> {
        let levels = self.config.as_ref().map(|config| config.levels(contract, today));
        levels.unwrap_or_else(|| Ok(Vec::new()))
    }

    /// Where findings are accepted, if they are to be.
    ///
    /// # Errors
    ///
    /// As [`Accepting::open`] has it.
    pub(in crate::cli) fn accepting(&self) -> Result<Option<Accepting>, Failure> {
        let arguments = &self.arguments;
        let open = || Accepting::open(self.config.as_ref(), arguments.config.as_deref());
        arguments.accept.then(open).transpose()
    }

    /// The configuration's file, which `--accept` writes where there is none yet.
    pub(in crate::cli) fn configuration(&self) -> Option<&Path> {
        let arguments = &self.arguments;
        match &self.config {
            Some(config) => Some(&config.path),
            None if arguments.accept => Some(arguments.config.as_deref().unwrap_or(Path::new(find::FILE_NAME))),
            None => None,
        }
    }

    /// The configuration that was found, where the target that is checked is one of its own; with the target's name.
    pub(in crate::cli) fn found_target(&self) -> Option<(&Config, &str)> {
        let config = self.config.as_ref().filter(|config| config.trust == Trust::Found)?;
        Some((config, self.target.as_deref()?))
    }

    /// Where the value of a setting came from.
    pub(in crate::cli) fn origin(&self, name: &'static str) -> Origin {
        self.origins.get(name).cloned().unwrap_or(Origin::Default)
    }

    /// What is left to settle where there is no configuration.
    fn without(&mut self, typed: Typed<'_>) -> Result<(), Failure> {
        one_target(&self.arguments, typed)?;
        if let Some(name) = self.asked_for(typed).filter(|name| name != EMBEDDED) {
            return Err(Failure::Usage(format!(
                "there is no target `{name}`, because there is no `{}`; make one, name another file by --config, or give \
                 --base-url",
                find::FILE_NAME
            )));
        }
        let names = [
            "writes",
            "max_writes",
            "spec",
            "seed",
            "only",
            "skip",
            "also_send",
            "require_facts",
            "max_pages",
        ];
        let more = [
            "repeat", "rate", "jobs", "timeout", "settle", "max_time", "wait", "report",
        ];
        let base_url = self.arguments.base_url.as_ref().map(|_| "base_url");
        for name in names.into_iter().chain(more).chain(base_url) {
            self.origins.extend(typed.origin(name).map(|origin| (name, origin)));
        }
        Ok(())
    }

    /// The target that a flag or a variable names, where none that goes before it has a base URL. Then a base URL from the
    /// environment is not meant.
    fn asked_for(&mut self, typed: Typed<'_>) -> Option<String> {
        let rank = |name| match typed.origin(name) {
            Some(Origin::Flag(_)) => 2,
            Some(Origin::Environment(_)) => 1,
            _ => 0,
        };
        let name = self
            .arguments
            .target
            .clone()
            .filter(|_| rank("target") > rank("base_url"))?;
        self.arguments.base_url = None;
        Some(name)
    }

    /// The target of the file that is checked; none for a base URL by itself and for the embedded service.
    fn choose<'config>(&mut self, config: &'config Config, typed: Typed<'_>) -> Result<Option<&'config str>, Failure> {
        let file = &config.parsed.file;
        check_targets(config)?;
        one_target(&self.arguments, typed)?;
        let names = || file.targets.keys().map(String::as_str).chain([EMBEDDED]);
        let known = |name: &str| names().find(|known| *known == name);
        let of_file = |name: &&str| *name != EMBEDDED;
        if let Some(name) = self.asked_for(typed) {
            let chosen = known(&name).ok_or_else(|| {
                let problem = Problem::unknown("target", &name, names());
                Failure::Usage(format!("{}: {problem}", config.path.display()))
            })?;
            return Ok(Some(chosen).filter(of_file));
        }
        let default = file.default_target.as_ref().map(|default| {
            let unknown = || Problem::unknown("target", default.value(), names());
            config.parsed.known(default, |name| known(name).ok_or_else(unknown))
        });
        let default = default.transpose()?;
        let named_otherwise = self.arguments.base_url.is_some() || !self.arguments.fault.is_empty();
        Ok(default.filter(|_| !named_otherwise).filter(of_file))
    }
}

/// Refuses two targets on one step, and a deliberate fault of a target that is not ours.
fn one_target(arguments: &Arguments, typed: Typed<'_>) -> Result<(), Failure> {
    let (target, base_url) = (typed.origin("target"), typed.origin("base_url"));
    let words = |message: &str| Err(Failure::Usage(message.to_owned()));
    match (&target, &base_url) {
        (Some(Origin::Flag(_)), Some(Origin::Flag(_))) => {
            return words("--target and --base-url each name what to check; give one of them");
        }
        (Some(Origin::Environment(_)), Some(Origin::Environment(_))) => {
            return Err(Failure::Usage(format!(
                "{TARGET_VARIABLE} and {BASE_URL_VARIABLE} each name what to check; unset one of them, or give --target"
            )));
        }
        _ => {}
    }
    let named = arguments.target.as_deref().is_some_and(|name| name != EMBEDDED);
    if named && !arguments.fault.is_empty() {
        return words("--fault is for the embedded service; leave the target out, or give --target embedded");
    }
    Ok(())
}

fn config(arguments: &Arguments, typed: Typed<'_>, folder: &Path) -> Result<Option<Config>, Failure> {
    if arguments.no_config {
        if typed.is_flag("config") {
            let message = "--config names a configuration, and --no-config reads none; give one of them";
            return Err(Failure::Usage(message.to_owned()));
        }
        return Ok(None);
    }
    let path: Option<(PathBuf, Trust)> = match &arguments.config {
        // `--accept` makes it.
        Some(path) if arguments.accept && !path.exists() => None,
        Some(path) => Some((path.clone(), Trust::Named)),
        None => find::upwards(folder)?.map(|path| (path, Trust::Found)),
    };
    path.map(|(path, trust)| Config::read(&path, trust)).transpose()
}

/// Holds every target to what a target is, used or not: a mistake is told before somebody deploys there.
fn check_targets(config: &Config) -> Result<(), Failure> {
    let parsed = &config.parsed;
    for (name, part) in &parsed.file.targets {
        if name == EMBEDDED {
            return Err(parsed.error(&part.base_url, Problem::Embedded).into());
        }
        if let Err(error) = Target::parse(part.base_url.value()) {
            return Err(parsed.error(&part.base_url, Problem::Url(error)).into());
        }
        let Some(variable) = &part.token_env else { continue };
        if !is_variable(variable.value()) {
            return Err(parsed.error(variable, Problem::Variable).into());
        }
        if !config.may_read(variable.value()) {
            let name = variable.value().clone();
            return Err(parsed.error(variable, Problem::VariableOfOthers(name)).into());
        }
    }
    Ok(())
}

/// Whether a text is the name of a variable as POSIX has it (Base Definitions, section 8.1): capitals, digits and
/// underscores. A token is hardly ever one.
fn is_variable(text: &str) -> bool {
    let mut characters = text.chars();
    let begins = characters
        .next()
        .is_some_and(|first| first.is_ascii_uppercase() || first == '_');
    begins && characters.all(|other| other.is_ascii_uppercase() || other.is_ascii_digit() || other == '_')
}
