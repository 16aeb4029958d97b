//! Resolves flags, environment and file: flags override the environment, which overrides the file. The main type is
//! [`ResolvedArguments`].
//!
//! # Design
//!
//! Clap reads flags and environment into [`Arguments`]. If there is a file, they are applied on top of its values, so
//! that nothing after this sees a file, and each value remembers its [`Origin`].
//!
//! The target comes from the first of these that is given: `--base-url` or `--target`, then their variables, then
//! `default_target`. A base URL that is given by itself takes nothing from a target in the file, least of all its
//! token.

use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches as _};

use super::accept::EntryWriter;
use super::error::{ConfigError, Problem};
use super::find::{self, Config, Trust};
use super::fixed;
use super::levels::ResolvedEntry;
use super::setting::{Origin, Setting};
use super::settings::TargetSettings;
use crate::cli::arguments::Arguments;
use crate::cli::edge::{self, BASE_URL_VARIABLE, TARGET_VARIABLE, TOKEN_VARIABLE};
use crate::cli::failure::Failure;
use crate::cli::started::StartCommand;
use crate::cli::token_command::TokenCommand;
use crate::contract::Contract;
use crate::exchange::{FixedHeadersAndQuery, Target};

/// The name of the reference service among targets and in a ledger, because it has another port in each run.
pub(in crate::cli) const EMBEDDED: &str = "embedded";

/// What a check does, after flags, environment and file are read.
#[derive(Debug)]
pub(in crate::cli) struct ResolvedArguments {
    /// The flags, applied on top of the file.
    pub(in crate::cli) arguments: Arguments,
    /// The configuration, if there is one.
    pub(in crate::cli) config: Option<Config>,
    /// The target's name in the configuration, if it comes from there.
    pub(in crate::cli) target: Option<String>,
    /// Where the reports were set.
    pub(super) reports: Origin,
}

impl ResolvedArguments {
    /// Resolves the arguments of a command that was started in this folder.
    ///
    /// # Errors
    ///
    /// A configuration that cannot be read or is not valid; two targets at once.
    pub(in crate::cli) fn new(arguments: Arguments, typed: &ArgMatches, folder: &Path) -> Result<Self, Failure> {
        let config = Config::find(&arguments.configuration, arguments.accept, folder)?;
        let reports = match arguments.report.as_slice() {
            [] => Origin::Default,
            _ => Origin::Flag("report".to_owned()),
        };
        let mut resolved = Self {
            arguments,
            config: None,
            target: None,
            reports,
        };
        let Some(config) = config else {
            resolved.without_configuration()?;
            return Ok(resolved);
        };
        let named = resolved.choose(&config)?.map(str::to_owned);
        resolved.fill(named.as_deref(), &config, typed.clone())?;
        resolved.target = named;
        resolved.config = Some(config);
        Ok(resolved)
    }

    /// Returns the arguments of `learn`, which reads no overlay and carries out its plan once, whatever the
    /// configuration says.
    #[must_use]
    pub(in crate::cli) fn for_learning(mut self) -> Self {
        self.arguments.service.overlay = None;
        self.arguments.check.repeat = Setting::default();
        self
    }

    /// Takes this target and the settings of every check from the file, and applies what was typed on top of them.
    fn fill(&mut self, named: Option<&str>, config: &Config, mut typed: ArgMatches) -> Result<(), Failure> {
        let file = &config.parsed.file;
        let arguments = &mut self.arguments;
        let mut check = file.check.clone();
        if let Some(spec) = &mut check.spec {
            spec.value = config.resolve_path(&spec.value);
        }
        let part = named.and_then(|name| file.targets.get(name));
        let mut service = part.cloned().unwrap_or_else(|| TargetSettings {
            pace: file.check.pace.clone(),
            ..TargetSettings::default()
        });
        for file in [&mut service.cacert, &mut service.overlay].into_iter().flatten() {
            file.value = config.resolve_path(&file.value);
        }
        let is_default = |id: &str| typed.value_source(id) == Some(ValueSource::DefaultValue);
        let left_at_default: Vec<_> = typed
            .ids()
            .map(clap::Id::to_string)
            .filter(|id| is_default(id))
            .collect();
        let base_url = service.base_url.take().or(arguments.service.base_url.take());
        let failure = |error: clap::Error| Failure::Usage(error.to_string());
        for id in left_at_default {
            // This fails only for an id that the command does not have.
            let _ = typed.try_clear_id(&id);
        }
        check.update_from_arg_matches(&typed).map_err(failure)?;
        service.update_from_arg_matches(&typed).map_err(failure)?;
        arguments.check = check;
        arguments.service = TargetSettings { base_url, ..service };
        let reports = config.reports()?;
        if let (Origin::Default, Some(written)) = (&self.reports, &file.reports) {
            self.reports = written.origin.clone();
            arguments.report = reports;
        }
        Ok(())
    }

    /// Returns the name of the variable that contains the target's token, and where it was named.
    pub(in crate::cli) fn token_variable(&self) -> (&str, Origin) {
        self.arguments
            .service
            .token_env
            .as_ref()
            .map_or((TOKEN_VARIABLE, Origin::Default), |named| {
                (named.value.as_str(), named.origin.clone())
            })
    }

    /// Whether the reference service was asked for: by its name as the target, or by a fault.
    pub(in crate::cli) fn names_reference_service(&self) -> bool {
        let default = self
            .config
            .as_ref()
            .and_then(|config| config.parsed.file.default_target.as_ref());
        let named = self.arguments.target.as_ref().or(default);
        !self.arguments.fault.is_empty() || named.is_some_and(|named| named.value == EMBEDDED)
    }

    /// Returns the program that prints the target's token, unless a flag names a file with it.
    pub(in crate::cli) fn token_command(&self) -> Option<TokenCommand> {
        let command = self.arguments.service.token_command.as_ref();
        let command = command.filter(|_| self.arguments.token_file.is_none())?;
        let folder = self.config.as_ref()?.folder();
        let location = self.describe(&command.origin);
        Some(TokenCommand::new(&command.value, folder, &location))
    }

    /// Returns the command that starts the target, the folder in which it runs, and where it is written.
    pub(in crate::cli) fn start_command(&self) -> Option<(&StartCommand, PathBuf, String)> {
        let command = self.arguments.service.start.as_ref()?;
        let config = self.config.as_ref().filter(|_| command.is_from_file());
        let folder = config.map_or_else(edge::working_folder, |config| config.folder().to_owned());
        Some((&command.value, folder, self.describe(&command.origin)))
    }

    /// Returns what every request to the target carries.
    ///
    /// # Errors
    ///
    /// A fixed header or query parameter that the contract already defines.
    pub(in crate::cli) fn fixed_headers_and_query(
        &self,
        contract: &Contract,
    ) -> Result<FixedHeadersAndQuery, ConfigError> {
        match (&self.config, &self.target) {
            (Some(config), Some(name)) => fixed::of(&config.parsed, (name, &self.arguments.service), contract),
            _ => Ok(FixedHeadersAndQuery::default()),
        }
    }

    /// Describes the origin of a value.
    pub(in crate::cli) fn describe(&self, origin: &Origin) -> String {
        match (origin, &self.config) {
            (Origin::Environment(variable), _) => variable.clone(),
            (Origin::File(span), Some(config)) => config.parsed.location_of(span).to_string(),
            (Origin::Flag(name), _) => format!("--{name}"),
            (Origin::Default | Origin::File(_), _) => "default".to_owned(),
        }
    }

    /// Returns the levels of the configuration, resolved against the contract.
    ///
    /// # Errors
    ///
    /// Those of [`Config::levels`].
    pub(in crate::cli) fn levels(
        &self,
        contract: &Contract,
        today: NaiveDate,
    ) -> Result<Vec<ResolvedEntry>, ConfigError> {
        let levels = self.config.as_ref().map(|config| config.levels(contract, today));
        levels.unwrap_or_else(|| Ok(Vec::new()))
    }

    /// Returns what adds entries to the configuration, if `--accept` was given.
    ///
    /// # Errors
    ///
    /// Those of [`EntryWriter::open`].
    pub(in crate::cli) fn accepting(&self) -> Result<Option<EntryWriter>, Failure> {
        let arguments = &self.arguments;
        let open = || EntryWriter::open(self.config.as_ref(), arguments.configuration.file());
        arguments.accept.then(open).transpose()
    }

    /// Returns the configuration's file, which `--accept` creates if there is none yet.
    pub(in crate::cli) fn configuration(&self) -> Option<&Path> {
        let arguments = &self.arguments;
        match &self.config {
            Some(config) => Some(&config.path),
            None if arguments.accept => Some(arguments.configuration.file().unwrap_or(Path::new(find::FILE_NAME))),
            None => None,
        }
    }

    /// Returns the configuration that was found, and the target's name in it, if the checked target comes from it.
    pub(in crate::cli) fn found_target(&self) -> Option<(&Config, &str)> {
        let config = self.config.as_ref().filter(|config| config.trust == Trust::Found)?;
        Some((config, self.target.as_deref()?))
    }

    /// Resolves the target if there is no configuration.
    fn without_configuration(&mut self) -> Result<(), Failure> {
        reject_two_targets(&self.arguments)?;
        if let Some(name) = self.take_named_target().filter(|name| name != EMBEDDED) {
            return Err(Failure::Usage(format!(
                "there is no target `{name}`, because there is no `{}`; create one, name another file with --config, \
                 or give --base-url",
                find::FILE_NAME
            )));
        }
        Ok(())
    }

    /// Returns the target that a flag or a variable names, if no base URL takes precedence. A flag beats a variable. If
    /// the name wins, the base URL is cleared.
    fn take_named_target(&mut self) -> Option<String> {
        let base_url = &mut self.arguments.service.base_url;
        let rank = |said: &Setting<String>| 1 + u8::from(said.is_flag());
        let named = self.arguments.target.as_ref();
        let named = named.filter(|named| rank(named) > base_url.as_ref().map_or(0, rank))?;
        *base_url = None;
        Some(named.value.clone())
    }

    /// Returns the target of the file that is checked; `None` for a base URL by itself and for the reference service.
    fn choose<'config>(&mut self, config: &'config Config) -> Result<Option<&'config str>, Failure> {
        let file = &config.parsed.file;
        check_targets(config)?;
        reject_two_targets(&self.arguments)?;
        let names = || file.targets.keys().map(String::as_str).chain([EMBEDDED]);
        let known = |name: &str| names().find(|known| *known == name);
        let of_file = |name: &&str| *name != EMBEDDED;
        if let Some(name) = self.take_named_target() {
            let chosen = known(&name).ok_or_else(|| {
                let problem = Problem::unknown("target", &name, names());
                Failure::Usage(format!("{}: {problem}", config.path.display()))
            })?;
            return Ok(Some(chosen).filter(of_file));
        }
        let default = file.default_target.as_ref().map(|default| {
            let unknown = || Problem::unknown("target", &default.value, names());
            config.parsed.resolve(default, |name| known(name).ok_or_else(unknown))
        });
        let default = default.transpose()?;
        let named_otherwise = self.arguments.service.base_url.is_some() || !self.arguments.fault.is_empty();
        Ok(default.filter(|_| !named_otherwise).filter(of_file))
    }
}

/// Rejects two targets from the same source, and a deliberate fault in a target that is not ours.
fn reject_two_targets(arguments: &Arguments) -> Result<(), Failure> {
    let reject = |message: &str| Err(Failure::Usage(message.to_owned()));
    if let (Some(target), Some(base_url)) = (&arguments.target, &arguments.service.base_url) {
        match (target.is_flag(), base_url.is_flag()) {
            (true, true) => return reject("--target and --base-url each name what to check; give only one of them"),
            (false, false) => {
                return Err(Failure::Usage(format!(
                    "{TARGET_VARIABLE} and {BASE_URL_VARIABLE} each name what to check; unset one of them, or give --target"
                )));
            }
            _ => {}
        }
    }
    let named = arguments.target.as_ref().is_some_and(|name| name.value != EMBEDDED);
    if named && !arguments.fault.is_empty() {
        return reject("--fault is for the reference service; leave the target out, or give --target embedded");
    }
    Ok(())
}

/// Checks every target, used or not, so that a mistake is reported before somebody deploys there.
fn check_targets(config: &Config) -> Result<(), Failure> {
    let parsed = &config.parsed;
    for (name, part) in &parsed.file.targets {
        if let Some(base_url) = &part.base_url {
            if name == EMBEDDED {
                return Err(parsed.error(base_url, Problem::Embedded).into());
            }
            if let Err(error) = Target::parse(&base_url.value) {
                return Err(parsed.error(base_url, Problem::Url(error)).into());
            }
        }
        fixed::check(parsed, part)?;
        check_start(config, part)?;
        check_token(config, part)?;
    }
    Ok(())
}

/// Checks what starts a target.
fn check_start(config: &Config, part: &TargetSettings) -> Result<(), ConfigError> {
    let Some(command) = &part.start else {
        return Ok(());
    };
    let problem = if config.trust == Trust::Found {
        Problem::CommandInFoundFile("start")
    } else if command.value.is_empty() {
        Problem::Command {
            key: "start",
            example: "a shell command or a program and its arguments, such as \"npm start\"",
        }
    } else {
        return Ok(());
    };
    Err(config.parsed.error(command, problem))
}

/// Checks where the token of a target comes from.
fn check_token(config: &Config, part: &TargetSettings) -> Result<(), ConfigError> {
    let parsed = &config.parsed;
    if let Some(command) = &part.token_command {
        let problem = if config.trust == Trust::Found {
            Some(Problem::CommandInFoundFile("token_command"))
        } else if command.value.first().is_none_or(String::is_empty) {
            Some(Problem::Command {
                key: "token_command",
                example: "a program and its arguments, such as [\"print-token\", \"staging\"]",
            })
        } else if part.token_env.is_some() {
            Some(Problem::TwoTokens)
        } else {
            None
        };
        return problem.map_or(Ok(()), |problem| Err(parsed.error(command, problem)));
    }
    let Some(variable) = &part.token_env else {
        return Ok(());
    };
    if !is_variable(&variable.value) {
        return Err(parsed.error(variable, Problem::Variable));
    }
    if !config.may_read(&variable.value) {
        let name = variable.value.clone();
        return Err(parsed.error(variable, Problem::VariableInFoundFile(name)));
    }
    Ok(())
}

/// Returns whether a text is the name of a variable by POSIX (Base Definitions, section 8.1): capitals, digits and
/// underscores. A token is hardly ever such a name.
fn is_variable(text: &str) -> bool {
    let mut characters = text.chars();
    let begins = characters
        .next()
        .is_some_and(|first| first.is_ascii_uppercase() || first == '_');
    begins && characters.all(|other| other.is_ascii_uppercase() || other.is_ascii_digit() || other == '_')
}
