//! The settings that flags and the file share. Each is declared once: the flag with its help, the key with its schema,
//! range and default, and its line in `countersign config` all come from the field. The main types are
//! [`TargetSettings`] and [`CheckSettings`].
//!
//! # Design
//!
//! Clap reads the flags, serde the file, schemars makes the schema, each from the same declaration. Clap's own
//! `update_from_arg_matches` applies the typed flags on top of the file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::{BoolValueParser, PathBufValueParser};
use clap::{ArgAction, Args};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::setting::{Count, Percent, Positive, Seconds, Setting, WithOrigin};
use crate::cli::edge::BASE_URL_VARIABLE;
use crate::cli::started::StartCommand;
use crate::exchange::redact::shape;
use crate::exchange::{Limits, looks_machine_made};
use crate::run::Settings;

/// A service to check.
#[derive(Args, Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TargetPart")]
pub(in crate::cli) struct TargetSettings {
    /// Its base URL.
    #[arg(
        long,
        value_name = "URL",
        env = BASE_URL_VARIABLE,
        display_order = 0,
        help = "The service to check; without it and without a target, the reference service is started and checked"
    )]
    #[serde(deserialize_with = "required")]
    #[schemars(required)]
    pub(in crate::cli) base_url: Option<Setting<String>>,
    /// The name of the environment variable that contains its token, never the token itself; by default
    /// `COUNTERSIGN_TOKEN`. Unless `--config` names this file, the name must begin with `COUNTERSIGN_`.
    #[arg(skip)]
    #[serde(skip_serializing)]
    #[schemars(regex(pattern = "^[A-Z_][A-Z0-9_]*$"))]
    pub(in crate::cli) token_env: Option<Setting<String>>,
    /// The program whose standard output is its token, followed by the arguments of the program. It runs at the start,
    /// and once more if the target rejects the token with 401. Only in a file that `--config` names.
    #[arg(skip)]
    #[serde(skip_serializing)]
    pub(in crate::cli) token_command: Option<Setting<Vec<String>>>,
    /// The name of the authentication scheme before the token, where the service takes another than the document says:
    /// `Token` sends `Authorization: Token …`. It stands in for `Bearer`, and for an API key in the header
    /// `Authorization`.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) token_scheme: Option<Setting<String>>,
    /// Which operations get the token: those for which the document states it, or `always`, for a service that asks for
    /// it where the document states nothing.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) auth: Option<Setting<Auth>>,
    /// Trust the CA certificates in this PEM file, in addition to those that the machine trusts.
    #[arg(long, value_name = "FILE", value_parser = WithOrigin(PathBufValueParser::new()))]
    #[serde(serialize_with = "shown_path", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(in crate::cli) cacert: Option<Setting<PathBuf>>,
    /// An OpenAPI Overlay that `learn` wrote: check that what it says about the service is still true.
    #[arg(long, value_name = "FILE", value_parser = WithOrigin(PathBufValueParser::new()))]
    #[serde(serialize_with = "shown_path", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(in crate::cli) overlay: Option<Setting<PathBuf>>,
    /// Headers that every request to this target carries, and no secrets. None may be a parameter or a credential of
    /// the contract.
    #[arg(skip)]
    #[serde(default, serialize_with = "shown_headers")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub(in crate::cli) headers: BTreeMap<String, Setting<String>>,
    /// Parameters that every request to this target carries in its query, and no secrets. None may be a parameter or a
    /// credential of the contract.
    #[arg(skip)]
    #[serde(default, serialize_with = "shown_query")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub(in crate::cli) query: BTreeMap<String, Setting<String>>,
    /// Also send creates, updates and queries (reads by `POST`). Created records stay, unless --cleanup deletes them.
    #[arg(long, value_name = "BOOL", value_parser = WithOrigin(BoolValueParser::new()), num_args = 0..=1, require_equals = true, default_value_t, default_missing_value = "true", action = ArgAction::Set, hide_default_value = true, hide_possible_values = true)]
    #[serde(default)]
    pub(in crate::cli) writes: Setting<bool>,
    /// At the end, delete what the run created, and nothing else, if the contract has an operation for it; only with
    /// writes.
    #[arg(long, value_name = "BOOL", value_parser = WithOrigin(BoolValueParser::new()), num_args = 0..=1, require_equals = true, default_value_t, default_missing_value = "true", action = ArgAction::Set, hide_default_value = true, hide_possible_values = true)]
    #[serde(default)]
    pub(in crate::cli) cleanup: Setting<bool>,
    /// The maximum number of requests in a run that may leave a record in the target: creates, and any other `POST`
    /// that may store something.
    #[arg(long, value_name = "N", default_value_t, allow_negative_numbers = true)]
    #[serde(default)]
    pub(in crate::cli) max_writes: Setting<Count<{ Settings::DEFAULT_MAX_WRITES }>>,
    /// Send this target, if it is not on this machine, wrong tokens from which the right one can be read: with letters
    /// appended, in another case, with another last character. Without it each wrong token has the first half of the
    /// right one, or the header and claims of a JWT. Anyone who reads the target's log of rejected calls may learn the
    /// token from them.
    // Only the configuration sets this, for one target: a flag would be copied from one command to the next without
    // thought. A wrong token keeps half of the right one, because even a service that only parses the token, or
    // compares a prefix, rejects one that has nothing in common with it. Half is not enough to get in.
    #[arg(skip)]
    #[serde(default)]
    pub(in crate::cli) near_tokens: Setting<bool>,
    /// How many seconds to wait for a target that is still starting up; they do not count towards --max-time.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(in crate::cli) wait: Option<Setting<Seconds>>,
    /// Start the service with this command before the run, and stop it afterwards with everything that it started; it
    /// must be ready within --wait seconds (here 60 if not given). A string is a shell command, a list is a program and
    /// its arguments. In a file, only in one that `--config` names.
    #[arg(
        long,
        value_name = "COMMAND",
        help = "Start the service with this shell command before the run, and stop it afterwards with everything that it \
                started; it must be ready within --wait seconds (here 60 if not given)"
    )]
    #[serde(serialize_with = "shown_command", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<StartCommand>")]
    pub(in crate::cli) start: Option<Setting<StartCommand>>,
    /// How fast requests go out.
    #[command(flatten)]
    #[serde(default)]
    #[schemars(with = "Option<Pace>")]
    pub(in crate::cli) pace: Pace,
}

impl TargetSettings {
    /// Whether operations get the token for which the document states no security.
    pub(in crate::cli) fn always_authenticates(&self) -> bool {
        self.auth.as_ref().is_some_and(|auth| auth.value == Auth::Always)
    }

    /// Whether the configuration changes requests to the target: fixed headers or parameters, another scheme, or a
    /// token that the document does not ask for.
    pub(super) fn changes_requests(&self) -> bool {
        let has_fixed = !(self.headers.is_empty() && self.query.is_empty());
        has_fixed || self.token_scheme.is_some() || self.always_authenticates()
    }
}

/// Which operations get the token.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::cli) enum Auth {
    /// All of them.
    Always,
    /// Those for which the document states it.
    Documented,
}

/// How fast requests go out, and how long they may take.
#[derive(Args, Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::cli) struct Pace {
    /// The maximum number of requests per second.
    #[arg(long, value_name = "PER_SECOND", allow_negative_numbers = true)]
    pub(in crate::cli) rate: Option<Setting<Positive>>,
    /// The maximum number of concurrent requests.
    #[arg(long, value_name = "N", default_value_t, allow_negative_numbers = true)]
    pub(in crate::cli) jobs: Setting<Count<{ Settings::DEFAULT_JOBS as u64 }, 1, { Settings::MAX_JOBS as u64 }>>,
    /// How many seconds one request may take, from connecting to the last byte decoded.
    #[arg(long, value_name = "SECONDS", default_value_t, allow_negative_numbers = true)]
    pub(in crate::cli) timeout: Setting<Positive<{ Limits::DEFAULT_DEADLINE.as_secs() }>>,
    /// How many seconds a list may take to show a change: a created, updated or deleted record.
    #[arg(long, value_name = "SECONDS", default_value_t, allow_negative_numbers = true)]
    pub(in crate::cli) settle: Setting<Seconds<{ Settings::DEFAULT_SETTLE.as_secs() }>>,
    /// How many seconds the run may take once the target is ready; after that it ends with 3 and reports what was
    /// judged so far.
    #[arg(long, value_name = "SECONDS", default_value_t, allow_negative_numbers = true)]
    pub(in crate::cli) max_time: Setting<Positive<{ Settings::DEFAULT_MAX_TIME.as_secs() }>>,
}

/// The settings of every check, unless a flag or a target overrides them.
#[derive(Args, Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "CheckPart")]
pub(in crate::cli) struct CheckSettings {
    /// A contract to use instead of the built-in one: an OpenAPI 3.0, 3.1 or 3.2 document.
    #[arg(long, value_name = "FILE", value_parser = WithOrigin(PathBufValueParser::new()))]
    #[serde(serialize_with = "shown_path")]
    #[schemars(with = "Option<String>")]
    pub(in crate::cli) spec: Option<Setting<PathBuf>>,
    /// The seed of the choices that the run makes, such as its values; the same seed gives the same choices.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(in crate::cli) seed: Option<Setting<u64>>,
    /// The operations to check; those that they need are checked too.
    #[arg(
        long,
        value_name = "OPERATION",
        help = "Check this operation and those that it needs; repeatable"
    )]
    pub(in crate::cli) only: Vec<Setting<String>>,
    /// The operations not to call.
    #[arg(long, value_name = "OPERATION", help = "Do not call this operation; repeatable")]
    pub(in crate::cli) skip: Vec<Setting<String>>,
    /// Operations to call although a check does not send them by itself: because they may change records that the run
    /// did not create, may leave a record that the run cannot find again (both need writes), or are a GET that seems to
    /// do something.
    #[arg(
        long,
        value_name = "OPERATION",
        help = "Also call this operation, which a check does not send by itself: a write that may change other records or \
                leave one that the run cannot find again (needs --writes), or a GET that seems to have a side effect. \
                `countersign plan` lists such operations with the reason; repeatable"
    )]
    pub(in crate::cli) also_send: Vec<Setting<String>>,
    /// End with 3 if there are no errors, but less than this percentage of the facts was decided.
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub(in crate::cli) require_facts: Option<Setting<Percent>>,
    /// The maximum number of pages to walk in a list; what only further pages show stays undecided.
    #[arg(long, value_name = "N", default_value_t, allow_negative_numbers = true)]
    pub(in crate::cli) max_pages: Setting<Count<{ Settings::DEFAULT_MAX_PAGES }, 1>>,
    /// Carry out the plan this many times, as a soak test; --max-writes covers all rounds together.
    #[arg(long, value_name = "N", default_value_t, allow_negative_numbers = true)]
    pub(in crate::cli) repeat: Setting<Count<{ Settings::DEFAULT_ROUNDS }, 1>>,
    /// How fast requests go out, unless the target sets it.
    #[arg(skip)]
    #[serde(skip_serializing)]
    #[schemars(with = "Option<Pace>")]
    pub(in crate::cli) pace: Pace,
}

/// Reads a value that the file must have, although a check may go without it.
fn required<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Setting<String>>, D::Error> {
    Setting::deserialize(deserializer).map(Some)
}

fn shown_headers<S: Serializer>(values: &BTreeMap<String, Setting<String>>, serializer: S) -> Result<S::Ok, S::Error> {
    shown("headers", values).serialize(serializer)
}

fn shown_query<S: Serializer>(values: &BTreeMap<String, Setting<String>>, serializer: S) -> Result<S::Ok, S::Error> {
    shown("query", values).serialize(serializer)
}

/// Returns values as they are shown: as shapes, unless they may be printed as an identifier may.
fn shown(within: &str, values: &BTreeMap<String, Setting<String>>) -> BTreeMap<String, Setting<String>> {
    let shown = values.iter().map(|(name, setting)| {
        let value = if looks_machine_made(&setting.value) {
            setting.value.clone()
        } else {
            shape(&setting.value.as_str().into())
        };
        let origin = setting.origin.clone();
        (format!("{within}.{name}"), Setting { value, origin })
    });
    shown.collect()
}

/// Writes a command as it is shown: the program alone.
fn shown_command<S: Serializer>(command: &Option<Setting<StartCommand>>, serializer: S) -> Result<S::Ok, S::Error> {
    let shown = command.as_ref().map(|command| Setting {
        value: command.value.shown(),
        origin: command.origin.clone(),
    });
    shown.serialize(serializer)
}

/// Writes a path as it is shown, whatever its bytes are.
fn shown_path<S: Serializer>(path: &Option<Setting<PathBuf>>, serializer: S) -> Result<S::Ok, S::Error> {
    let shown = path.as_ref().map(|path| Setting {
        value: path.value.display().to_string(),
        origin: path.origin.clone(),
    });
    shown.serialize(serializer)
}
