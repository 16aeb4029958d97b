//! What stands in a `countersign.toml`, as it is written there. The main type is [`ConfigFile`]; the JSON Schema for
//! editors is derived from it and checked in as `snapshots/config_schema.snap.json`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;
use toml::value::Datetime;

use crate::rules::{Level, RULES};

/// How `countersign` checks services: targets by name, defaults of a check, accepted deviations, reports. Flags go before
/// the environment, and that before this file. Paths are relative to the file's own folder.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "countersign.toml")]
pub(super) struct ConfigFile {
    /// The target that is checked where none is named.
    pub(super) default_target: Option<Placed<String>>,
    /// Where reports go, each as `--report` has it: `FORMAT` for standard output, or `FORMAT=FILE`. Where `--config` does
    /// not name this file, they stay below its folder.
    pub(super) reports: Option<Placed<Vec<Placed<String>>>>,
    /// What every check does unless a flag or a target says otherwise.
    #[serde(default)]
    #[schemars(with = "Option<CheckPart>")]
    pub(super) check: CheckPart,
    /// The services to check, by name. `embedded` is the reference service, and cannot be one of them.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, TargetPart>>")]
    pub(super) targets: BTreeMap<String, TargetPart>,
    /// How much findings weigh: everywhere, in one operation, at one field. What says most closely where it holds goes
    /// before the others, and of equals the last.
    #[serde(default)]
    #[schemars(with = "Option<Vec<LevelPart>>")]
    pub(super) levels: Vec<LevelPart>,
}

/// What every check does unless a flag or a target says otherwise.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckPart {
    /// Another contract than the built-in one: an OpenAPI 3.0 document.
    pub(super) spec: Option<Placed<String>>,
    /// What choices are made by; the same seed makes the same ones.
    pub(super) seed: Option<Placed<u64>>,
    /// The operations to check; what they need is called too.
    pub(super) only: Option<Placed<Vec<Placed<String>>>>,
    /// The operations to leave out.
    pub(super) skip: Option<Placed<Vec<Placed<String>>>>,
    /// Writes to send although nothing in the contract says how to recognise what they leave.
    pub(super) also_send: Option<Placed<Vec<Placed<String>>>>,
    /// End with 3 when less of the facts was decided, in percent.
    #[schemars(range(min = 0, max = 100))]
    pub(super) require_facts: Option<Placed<f64>>,
    /// The most pages of a list that are walked.
    #[schemars(range(min = 1))]
    pub(super) max_pages: Option<Placed<u64>>,
    /// Carry the plan out so many times.
    #[schemars(range(min = 1))]
    pub(super) repeat: Option<Placed<u64>>,
    /// How fast requests go out, where the target has no word on it.
    #[serde(default)]
    #[schemars(with = "Option<Pace>")]
    pub(super) pace: Pace,
}

/// A service to check.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetPart {
    /// Its base URL.
    pub(super) base_url: Placed<String>,
    /// The name of the environment variable that holds its token, never the token. Without it that is
    /// `COUNTERSIGN_TOKEN`. Where `--config` does not name this file, it begins with `COUNTERSIGN_`.
    #[schemars(regex(pattern = "^[A-Z_][A-Z0-9_]*$"))]
    pub(super) token_env: Option<Placed<String>>,
    /// Send requests that create and update too; nothing that they create can be deleted.
    pub(super) writes: Option<Placed<bool>>,
    /// The most records that a run may create in the target.
    pub(super) max_writes: Option<Placed<u64>>,
    /// Show this target, if it is not on this machine, wrong tokens from which the right one can be read: with letters behind
    /// it, in other case, with another last character. Without it each wrong token has the right one's first half, or of a
    /// JWT header and claims. Whoever reads the target's log of refused calls may learn the token from them.
    pub(super) near_tokens: Option<Placed<bool>>,
    /// How many seconds to wait for a target that is just being deployed, before the check begins.
    #[schemars(range(min = 0, max = 86400))]
    pub(super) wait: Option<Placed<f64>>,
    /// How fast requests go out.
    #[serde(default)]
    #[schemars(with = "Option<Pace>")]
    pub(super) pace: Pace,
}

/// How fast requests go out, and how long they may take.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pace {
    /// The most requests per second.
    #[schemars(range(max = 86400))]
    pub(super) rate: Option<Placed<f64>>,
    /// How many requests are under way at once.
    #[schemars(range(min = 1, max = 256))]
    pub(super) jobs: Option<Placed<u16>>,
    /// How many seconds one request may take, from connecting to the last byte decoded.
    #[schemars(range(max = 86400))]
    pub(super) timeout: Option<Placed<f64>>,
    /// How many seconds a created record may take until it is listed.
    #[schemars(range(min = 0, max = 86400))]
    pub(super) settle: Option<Placed<f64>>,
    /// How many seconds the run may take, without what `wait` waits.
    #[schemars(range(max = 86400))]
    pub(super) max_time: Option<Placed<f64>>,
}

/// How much findings of a rule weigh, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LevelPart {
    /// The rule; `countersign rules` lists all.
    #[schemars(schema_with = "rule_names")]
    pub(super) rule: Placed<String>,
    /// The operation; any where there is none.
    pub(super) operation: Option<Placed<String>>,
    /// The place in the answer, as the names of facts write it: `/data/items/*/age`. Empty is the answer as a whole, and
    /// `/**` at the end means everything below too. Any place where there is none.
    pub(super) field: Option<Placed<String>>,
    /// The name of one fact, as `countersign facts` prints it, where the rule judges several at that place.
    pub(super) fact: Option<Placed<String>>,
    /// `deny` fails the run, `warn` reports, `allow` does neither.
    #[schemars(schema_with = "level_names")]
    pub(super) level: Placed<String>,
    /// Why. Without a reason the entry does nothing.
    pub(super) reason: Placed<String>,
    /// The last day on which it holds, in UTC: a date without quotes. It holds for ever where there is none.
    #[schemars(with = "Option<chrono::NaiveDate>")]
    pub(super) until: Option<Placed<Datetime>>,
}

/// The JSON Schema of the file.
pub(super) fn schema() -> Schema {
    let mut schema = schemars::schema_for!(ConfigFile);
    RecursiveTransform(without_null).transform(&mut schema);
    schema
}

/// TOML has no null: what may be left out is not written.
fn without_null(schema: &mut Schema) {
    let null = Value::from("null");
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| *name != null);
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(alternatives)) = schema.get_mut("anyOf") {
        alternatives.retain(|one| one.get("type") != Some(&null));
        if let [Value::Object(only)] = alternatives.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            // What is said of the key goes before what is said of the type.
            for (name, value) in only {
                schema.ensure_object().entry(name).or_insert(value);
            }
        }
    }
}

fn rule_names(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    schemars::json_schema!({"type": "string", "enum": names})
}

fn level_names(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"type": "string", "enum": Level::ALL.map(Level::name)})
}

/// A value, and the bytes of the file that it stands in.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Placed<T>(toml::Spanned<T>);

impl<T> Placed<T> {
    /// The value.
    pub(super) fn value(&self) -> &T {
        self.0.get_ref()
    }

    /// Where it stands.
    pub(super) fn span(&self) -> Range<usize> {
        self.0.span()
    }
}

/// An editor sees the value alone.
impl<T: JsonSchema> JsonSchema for Placed<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
