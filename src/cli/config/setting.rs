//! A value with its origin, and the numbers that settings take. The main type is [`Setting`].

use std::error::Error;
use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::num::ParseIntError;
use std::ops::Range;
use std::str::FromStr;

use clap::builder::{StringValueParser, TypedValueParser, ValueParser, ValueParserFactory};
use clap::parser::ValueSource;
use clap::{Arg, Command};
use schemars::{JsonSchema, Schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::run::Settings;

/// The origin of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(in crate::cli) enum Origin {
    /// Nobody set it.
    #[default]
    Default,
    /// This variable.
    Environment(String),
    /// These bytes of the configuration.
    File(Range<usize>),
    /// The flag of this name.
    Flag(String),
}

/// A value, wherever it is set: by a flag, in the environment, in the file. An editor's schema sees only the value.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[schemars(transparent)]
pub(in crate::cli) struct Setting<T> {
    /// The value.
    pub(in crate::cli) value: T,
    /// Where it was set.
    #[schemars(skip)]
    pub(in crate::cli) origin: Origin,
}

impl<T> Setting<T> {
    /// Returns whether a flag set it.
    pub(in crate::cli) fn is_flag(&self) -> bool {
        matches!(self.origin, Origin::Flag(_))
    }

    /// Returns whether the file set it.
    pub(in crate::cli) fn is_from_file(&self) -> bool {
        matches!(self.origin, Origin::File(_))
    }

    /// Returns its bytes in the file; an empty range for a value set elsewhere.
    pub(super) fn span(&self) -> Range<usize> {
        match &self.origin {
            Origin::File(span) => span.clone(),
            _ => 0..0,
        }
    }
}

/// Writes a default, as help shows it.
impl<T: Display> Display for Setting<T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.value.fmt(formatter)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<T>::deserialize(deserializer)?;
        Ok(Self {
            origin: Origin::File(spanned.span()),
            value: spanned.into_inner(),
        })
    }
}

/// Reads a value with the given parser, and notes its origin.
#[derive(Clone)]
pub(in crate::cli) struct WithOrigin<P>(pub(in crate::cli) P);

impl<T> ValueParserFactory for Setting<T>
where
    T: FromStr<Err: Into<Box<dyn Error + Send + Sync>>> + Clone + Send + Sync + 'static,
{
    type Parser = ValueParser;

    fn value_parser() -> ValueParser {
        ValueParser::new(WithOrigin(StringValueParser::new().try_map(|text| text.parse::<T>())))
    }
}

impl<P: TypedValueParser> TypedValueParser for WithOrigin<P> {
    type Value = Setting<P::Value>;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        self.parse_ref_(command, argument, value, ValueSource::CommandLine)
    }

    fn parse_ref_(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
        source: ValueSource,
    ) -> Result<Self::Value, clap::Error> {
        let variable = argument.and_then(Arg::get_env).unwrap_or_default();
        let flag = argument.and_then(Arg::get_long).unwrap_or_default();
        Ok(Setting {
            value: self.0.parse_ref_(command, argument, value, source)?,
            origin: match source {
                ValueSource::CommandLine => Origin::Flag(flag.to_owned()),
                ValueSource::EnvVariable => Origin::Environment(variable.to_string_lossy().into_owned()),
                _ => Origin::Default,
            },
        })
    }
}

/// A number from `LEAST` (exclusive if the range is `OPEN`) to `MOST`, by default `DEFAULT`.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[serde(transparent)]
#[schemars(transform = Self::bounded)]
pub(in crate::cli) struct Number<N, const LEAST: u64, const MOST: u64, const DEFAULT: u64 = 0, const OPEN: bool = false>(
    pub(in crate::cli) N,
);

/// A whole number.
pub(in crate::cli) type Count<const DEFAULT: u64, const LEAST: u64 = 0, const MOST: u64 = { u64::MAX }> =
    Number<u64, LEAST, MOST, DEFAULT>;
/// A percentage.
pub(in crate::cli) type Percent = Number<f64, 0, 100>;
/// How many seconds something may take.
pub(in crate::cli) type Seconds<const DEFAULT: u64 = 0> =
    Number<f64, 0, { Settings::LONGEST_DURATION.as_secs() }, DEFAULT>;
/// A number greater than 0 and at most the number of seconds in [`Settings::LONGEST_DURATION`]: a time in seconds, or a
/// rate.
pub(in crate::cli) type Positive<const DEFAULT: u64 = 0> =
    Number<f64, 0, { Settings::LONGEST_DURATION.as_secs() }, DEFAULT, true>;

/// The beginning of the reason when a number is out of range.
pub(super) const MUST_BE: &str = "must be ";

/// Numbers, whole or with a fraction.
pub(in crate::cli) trait Amount: PartialOrd + Sized {
    /// Converts a whole number.
    fn of(whole: u64) -> Self;

    /// Reads a number as typed.
    fn read(text: &str) -> Result<Self, String>;
}

impl Amount for f64 {
    fn of(whole: u64) -> Self {
        whole as Self
    }

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "it is not a number".to_owned())
    }
}

impl Amount for u64 {
    fn of(whole: u64) -> Self {
        whole
    }

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: ParseIntError| error.to_string())
    }
}

impl<N: Amount, const L: u64, const M: u64, const D: u64, const OPEN: bool> Number<N, L, M, D, OPEN> {
    fn within(value: N) -> Result<Self, String> {
        match value {
            value if OPEN && value == N::of(L) => Err(format!("{MUST_BE}more than {L}")),
            value if (N::of(L)..=N::of(M)).contains(&value) => Ok(Self(value)),
            _ if M == u64::MAX => Err(format!("{MUST_BE}at least {L}")),
            _ if OPEN => Err(format!("{MUST_BE}more than {L}, and at most {M}")),
            _ => Err(format!("{MUST_BE}from {L} to {M}")),
        }
    }
}

impl<N, const L: u64, const M: u64, const D: u64, const OPEN: bool> Number<N, L, M, D, OPEN> {
    fn bounded(schema: &mut Schema) {
        schema.remove("minimum");
        let least = if OPEN { "exclusiveMinimum" } else { "minimum" };
        schema.insert(least.to_owned(), L.into());
        if M < u64::MAX {
            schema.insert("maximum".to_owned(), M.into());
        }
    }
}

impl<N: Amount, const L: u64, const M: u64, const D: u64, const OPEN: bool> Default for Number<N, L, M, D, OPEN> {
    fn default() -> Self {
        Self(N::of(D))
    }
}

impl<N: Amount, const L: u64, const M: u64, const D: u64, const OPEN: bool> FromStr for Number<N, L, M, D, OPEN> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        N::read(text).and_then(Self::within)
    }
}

impl<N: Display, const L: u64, const M: u64, const D: u64, const OPEN: bool> Display for Number<N, L, M, D, OPEN> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<'de, N: Amount + Deserialize<'de>, const L: u64, const M: u64, const D: u64, const OPEN: bool> Deserialize<'de>
    for Number<N, L, M, D, OPEN>
{
    fn deserialize<De: Deserializer<'de>>(deserializer: De) -> Result<Self, De::Error> {
        Self::within(N::deserialize(deserializer)?).map_err(De::Error::custom)
    }
}
