//! `countersign config`: shows what a check would do, and where each value comes from. It shows no secret: for the
//! token it shows only the source.

use std::fmt::Write as _;

use clap::Args;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use super::file;
use super::levels::{ResolvedEntry, State};
use super::resolve::ResolvedArguments;
use super::setting::Origin;
use crate::cli::arguments::Arguments as CheckArguments;
use crate::cli::arguments::without_effect;
use crate::cli::check;
use crate::cli::edge;
use crate::cli::failure::Failure;
use crate::cli::report_flags::requested_reports;
use crate::diff::DifferenceScope;
use crate::exchange::Target;

/// The arguments of `config`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ConfigArguments {
    #[command(flatten)]
    pub(in crate::cli) check: CheckArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of `countersign.toml`, for editors
    #[arg(long, conflicts_with = "json")]
    schema: bool,
}

/// Says what the flags of a check mean where nothing is sent.
pub(in crate::cli) fn with_own_help(command: clap::Command) -> clap::Command {
    let base_url = "The service that `check` would use; it is not contacted; without it and without a target, the \
                    reference service";
    without_effect(
        command,
        &[
            "accept", "color", "fault", "quiet", "residue", "shard", "show_values", "since", "verbose",
        ],
    )
    .mut_arg("base_url", |flag| flag.help(base_url))
}

/// How the command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum PrintFormat {
    /// One JSON object.
    Json,
    /// Lines for people.
    Lines,
}

impl ConfigArguments {
    /// Returns whether only the schema was requested; that reads nothing.
    pub(in crate::cli) fn schema(&self) -> bool {
        self.schema
    }

    /// Returns how to print.
    pub(in crate::cli) fn form(&self) -> PrintFormat {
        if self.json {
            PrintFormat::Json
        } else {
            PrintFormat::Lines
        }
    }
}

/// Prints the schema of the file.
pub(in crate::cli) fn print_schema() -> Result<u8, Failure> {
    edge::print_json(&file::schema())?;
    Ok(0)
}

/// Prints what a check with these arguments would do.
pub(in crate::cli) fn run(resolved: &ResolvedArguments, form: PrintFormat) -> Result<u8, Failure> {
    let mut contract = check::contract(resolved.arguments.spec(), resolved.arguments.overlay())?;
    resolved.set_configured_parameters(&mut contract)?;
    let today = edge::now().date_naive();
    let entries = resolved.levels(&contract, today)?;
    let config = resolved.config.as_ref();
    let differences = config.map_or_else(|| Ok(Vec::new()), |config| config.differences(today))?;
    check::scope(&resolved.arguments, &contract, 0)?;
    check::levels(&resolved.arguments)?;
    resolved.fixed_headers_and_query(&contract)?;
    if let Some(url) = &resolved.arguments.service.base_url {
        Target::parse(&url.value)?;
    }
    let page = Listing {
        resolved,
        entries: &entries,
        differences: &differences,
    };
    match form {
        PrintFormat::Json => edge::print_json(&page.json())?,
        PrintFormat::Lines => edge::print(&page.lines())?,
    }
    Ok(0)
}

/// What is shown.
struct Listing<'page> {
    resolved: &'page ResolvedArguments,
    entries: &'page [ResolvedEntry],
    differences: &'page [ResolvedEntry<DifferenceScope>],
}

/// A setting: its name, its value, and the origin of the value.
type Row = (String, Value, String);

impl Listing<'_> {
    /// Returns the settings, in the order in which they are declared.
    fn rows(&self) -> Vec<Row> {
        let arguments = &self.resolved.arguments;
        let mut service = arguments.service.clone();
        service.writes.value = arguments.writes();
        // Settings are plain data, so writing them cannot fail.
        let declared = [json!(service), json!(arguments.check)];
        let mut rows: Vec<_> = declared.iter().flat_map(|part| self.rows_of(part)).collect();
        let reports: Vec<_> = requested_reports(&arguments.report)
            .iter()
            .map(ToString::to_string)
            .collect();
        let origin = self.resolved.describe(&self.resolved.reports);
        rows.push(("report".to_owned(), json!(reports), origin));
        rows
    }

    /// Returns the settings of one declaration. A [`Setting`] has a value and an origin; any other object contains
    /// settings.
    fn rows_of(&self, part: &Value) -> Vec<Row> {
        let settings = part.as_object().into_iter().flatten();
        let rows = settings.flat_map(|(name, setting)| match setting {
            Value::Object(group) if !group.contains_key("origin") => self.rows_of(setting),
            Value::Array(elements) => {
                let values: Vec<_> = elements.iter().map(|element| element["value"].clone()).collect();
                let first = elements.first().unwrap_or(&Value::Null);
                vec![(name.clone(), json!(values), self.origin(first))]
            }
            setting => vec![(name.clone(), setting["value"].clone(), self.origin(setting))],
        });
        rows.collect()
    }

    fn origin(&self, setting: &Value) -> String {
        let origin = Origin::deserialize(&setting["origin"]).unwrap_or_default();
        self.resolved.describe(&origin)
    }

    /// Returns the flags that set the level of a whole rule.
    fn flags(&self) -> Vec<(&'static str, &str)> {
        let arguments = &self.resolved.arguments;
        let lists = [
            ("allow", &arguments.allow),
            ("warn", &arguments.warn),
            ("deny", &arguments.deny),
        ];
        let each = lists
            .into_iter()
            .flat_map(|(level, rules)| rules.iter().map(move |rule| (level, rule.as_str())));
        each.collect()
    }

    /// Returns where the token would come from, whether there is one, and where that was set.
    fn token(&self) -> (String, Option<bool>, String) {
        let arguments = &self.resolved.arguments;
        let (variable, origin) = self.resolved.token_variable();
        let (source, set, origin) = match (&arguments.service.base_url, &arguments.token_file) {
            (None, _) => ("the reference service's own".to_owned(), None, Origin::Default),
            (_, Some(file)) => {
                let origin = Origin::Flag("token-file".to_owned());
                (format!("from `{}`", file.display()), None, origin)
            }
            (Some(_), None) => match &arguments.service.token_command {
                // The program may be told a secret, so its arguments are not shown.
                Some(command) => {
                    let program = command.value.first().map_or("", String::as_str);
                    (format!("from `{program}`"), None, command.origin.clone())
                }
                None => (format!("from {variable}"), Some(edge::is_set(variable)), origin),
            },
        };
        (source, set, self.resolved.describe(&origin))
    }

    fn lines(&self) -> String {
        let (config, target) = (self.resolved.config.as_ref(), self.resolved.target.as_deref());
        let rows = self.rows().into_iter();
        let mut rows: Vec<_> = rows
            .map(|(name, value, origin)| (name.clone(), rendered(&name, &value), origin))
            .collect();
        let (token, set, origin) = self.token();
        let set = match set {
            Some(true) => ", which is set",
            Some(false) => ", which is not set",
            None => "",
        };
        rows.insert(1, ("token".to_owned(), format!("{token}{set}"), origin));
        let widest = |column: fn(&(String, String, String)) -> &str| {
            let widths = rows.iter().map(|row| column(row).chars().count());
            widths.max().unwrap_or(0)
        };
        let (names, width) = (widest(|row| &row.0), widest(|row| &row.1));
        let file = config.map_or_else(|| "none".to_owned(), |config| config.path.display().to_string());
        let mut text = format!("configuration  {file}\n");
        let unnamed = if self.resolved.arguments.service.base_url.is_some() {
            "none"
        } else {
            "embedded"
        };
        // Writing into a String does not fail.
        let _ = writeln!(text, "target         {}\n", target.unwrap_or(unnamed));
        for (name, value, origin) in rows {
            let _ = writeln!(text, "{name:<names$}  {value:<width$}  {origin}");
        }
        self.levels(&mut text);
        text
    }

    fn levels(&self, text: &mut String) {
        if !self.entries.is_empty() || !self.flags().is_empty() {
            text.push_str("\nlevels\n");
        }
        for (level, rule) in self.flags() {
            let _ = writeln!(text, "  --{level} {rule}");
        }
        for entry in self.entries {
            let until = entry.until.map_or_else(String::new, |day| format!(" until {day}"));
            let _ = writeln!(
                text,
                "  {}  {} {}{until}{}",
                entry.location,
                entry.entry.level,
                entry.entry.scope,
                why(entry)
            );
        }
        if !self.differences.is_empty() {
            text.push_str("\naccepted differences\n");
        }
        for entry in self.differences {
            let until = entry.until.map_or_else(String::new, |day| format!(" until {day}"));
            let _ = writeln!(text, "  {}  {}{until}{}", entry.location, entry.entry, why(entry));
        }
    }

    fn json(&self) -> Value {
        let rows = self.rows().into_iter();
        let rows = rows.map(|(name, value, origin)| (name, json!({"value": value, "origin": origin})));
        let (token, set, origin) = self.token();
        let levels = self.entries.iter().map(|entry| {
            let mut written = common_members(entry, json!(entry.entry.scope));
            written.insert("level".to_owned(), json!(entry.entry.level));
            written
        });
        let differences = self
            .differences
            .iter()
            .map(|entry| common_members(entry, json!(entry.entry)));
        json!({
            "configuration": self.resolved.config.as_ref().map(|config| config.path.display().to_string()),
            "target": self.resolved.target,
            "token": {"source": token, "set": set, "origin": origin},
            "settings": Value::Object(rows.collect()),
            "flags": self.flags().into_iter().map(|(level, rule)| json!({"rule": rule, "level": level})).collect::<Vec<_>>(),
            "levels": levels.collect::<Vec<_>>(),
            "differences": differences.collect::<Vec<_>>(),
        })
    }
}

/// Returns the members that entries of `levels` and `differences` share.
fn common_members<Entry>(entry: &ResolvedEntry<Entry>, scope: Value) -> Map<String, Value> {
    // The words of the JSON are older than the names of the states, and are kept for the programs that read them.
    let state = match entry.state {
        State::Expired(_) => "expired",
        State::Applies => "holds",
        State::NeedsReason => "waits",
    };
    let members = [
        ("scope", scope),
        ("reason", json!(entry.reason)),
        ("until", json!(entry.until)),
        ("origin", json!(entry.location.to_string())),
        ("state", json!(state)),
    ];
    members
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

/// Renders a value for people.
fn rendered(name: &str, value: &Value) -> String {
    match (name, value) {
        ("base_url", Value::Null) => "the reference service".to_owned(),
        ("spec", Value::Null) => "the built-in openapi.yaml".to_owned(),
        ("seed", Value::Null) => "random".to_owned(),
        ("only", Value::Array(names)) if names.is_empty() => "every operation".to_owned(),
        (_, Value::Null) => "none".to_owned(),
        (_, Value::String(text)) => text.clone(),
        (_, Value::Array(elements)) if elements.is_empty() => "none".to_owned(),
        (_, Value::Array(elements)) => {
            let texts: Vec<_> = elements.iter().map(|element| rendered(name, element)).collect();
            texts.join(", ")
        }
        // Seconds are written without a fraction of zero.
        (_, Value::Number(number)) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        (_, other) => other.to_string(),
    }
}

/// Returns why an entry is there, and why it does nothing if it does not apply.
fn why<Entry>(entry: &ResolvedEntry<Entry>) -> String {
    match entry.state {
        State::Applies => format!(": {}", entry.reason),
        State::Expired(since) => format!(": {} (expired, no effect since {since})", entry.reason),
        State::NeedsReason => ": no effect until its reason is filled in".to_owned(),
    }
}
