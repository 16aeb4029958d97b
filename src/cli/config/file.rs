//! What stands in a `countersign.toml`, as it is written there. The main type is [`ConfigFile`]; the JSON Schema for
//! editors is derived from it and checked in as `snapshots/config_schema.snap.json`.

use std::collections::BTreeMap;

use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;
use toml::value::Datetime;

use super::setting::Setting;
use super::settings::{CheckPart, TargetPart};
use crate::rules::{Level, RULES};

/// How `countersign` checks services: targets by name, defaults of a check, accepted deviations, reports. Flags go before
/// the environment, and that before this file. Paths are relative to the file's own folder.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "countersign.toml")]
pub(super) struct ConfigFile {
    /// The target that is checked where none is named.
    pub(super) default_target: Option<Setting<String>>,
    /// Where reports go, each as `--report` has it: `FORMAT` for standard output, or `FORMAT=FILE`. Where `--config` does
    /// not name this file, they stay below its folder.
    pub(super) reports: Option<Setting<Vec<Setting<String>>>>,
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

/// How much findings of a rule weigh, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LevelPart {
    /// The rule; `countersign rules` lists all.
    #[schemars(schema_with = "rule_names")]
    pub(super) rule: Setting<String>,
    /// The operation; any where there is none.
    pub(super) operation: Option<Setting<String>>,
    /// The location in the response, as the names of facts write it: `/data/items/*/age`. Empty is the response as a whole, and
    /// `/**` at the end means everything below too. Any location where there is none.
    pub(super) field: Option<Setting<String>>,
    /// The name of one fact, as `countersign facts` prints it, where the rule judges several at that location.
    pub(super) fact: Option<Setting<String>>,
    /// `deny` fails the run, `warn` reports, `allow` does neither.
    #[schemars(schema_with = "level_names")]
    pub(super) level: Setting<String>,
    /// Why. Without a reason the entry does nothing.
    pub(super) reason: Setting<String>,
    /// The last day on which it holds, in UTC: a date without quotes. It holds for ever where there is none.
    #[schemars(with = "Option<chrono::NaiveDate>")]
    pub(super) until: Option<Setting<Datetime>>,
}

/// The JSON Schema of the file.
pub(super) fn schema() -> Schema {
    let mut schema = schemars::schema_for!(ConfigFile);
    RecursiveTransform(without_null).transform(&mut schema);
    schema
}

/// TOML has no null: what may be left out is not written. Nor is what serde does besides reading.
fn without_null(schema: &mut Schema) {
    schema.remove("default");
    schema.remove("writeOnly");
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
