//! The contents of a `countersign.toml`, as written there. The main type is [`ConfigFile`]; the JSON Schema for editors
//! is derived from it and checked in as `snapshots/config_schema.snap.json`.

use std::collections::BTreeMap;

use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;
use toml::value::Datetime;

use super::setting::Setting;
use super::settings::{CheckSettings, TargetSettings};
use crate::diff::Kind;
use crate::rules::{Level, RULES};

/// How `countersign` checks services: targets by name, defaults of a check, accepted deviations, reports. Flags
/// override the environment, which overrides this file. Paths are relative to the file's own folder.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "countersign.toml")]
pub(super) struct ConfigFile {
    /// The target to check if none is named.
    pub(super) default_target: Option<Setting<String>>,
    /// Where reports go, each as for `--report`: `FORMAT` for standard output, or `FORMAT=FILE`. Unless `--config`
    /// names this file, reports must stay inside its folder.
    pub(super) reports: Option<Setting<Vec<Setting<String>>>>,
    /// The settings of every check, unless a flag or a target overrides them.
    #[serde(default)]
    #[schemars(with = "Option<CheckSettings>")]
    pub(super) check: CheckSettings,
    /// The services to check, by name. `embedded` is reserved for the reference service.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, TargetSettings>>")]
    pub(super) targets: BTreeMap<String, TargetSettings>,
    /// Values of parameters, by operation: what no response shows, or what is to be sent in its place.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, OperationTable>>")]
    pub(super) operations: BTreeMap<String, OperationTable>,
    /// Values of parameters by their names, in every operation that has one of this name in its path, its query or its
    /// headers, unless `operations` has another: `tenant = "example"`.
    #[serde(default)]
    #[schemars(with = "Option<BTreeMap<String, Scalar>>")]
    pub(super) parameters: BTreeMap<String, Setting<Scalar>>,
    /// The levels of findings: everywhere, in one operation, at one field. The most specific entry wins, and of equally
    /// specific ones the last.
    #[serde(default)]
    #[schemars(with = "Option<Vec<LevelTable>>")]
    pub(super) levels: Vec<LevelTable>,
    /// The differences that `countersign diff` accepts.
    #[serde(default)]
    #[schemars(with = "Option<Vec<DifferenceTable>>")]
    pub(super) differences: Vec<DifferenceTable>,
}

/// The values of an operation's parameters, by name. They take precedence over what responses show. For a create, they
/// name the parent of the new record. For an update or delete, only the parent can be set, never the record itself.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "OperationPart")]
pub(super) struct OperationTable {
    /// In the path: `path.petId = 17`.
    #[schemars(with = "Option<BTreeMap<String, Scalar>>")]
    pub(super) path: BTreeMap<String, Setting<Scalar>>,
    /// In the query, whether required or not.
    #[schemars(with = "Option<BTreeMap<String, Scalar>>")]
    pub(super) query: BTreeMap<String, Setting<Scalar>>,
    /// In the headers, whether required or not. No report contains them.
    #[schemars(with = "Option<BTreeMap<String, Scalar>>")]
    pub(super) header: BTreeMap<String, Setting<Scalar>>,
}

/// The value of a parameter.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a string, a number, true or false")]
pub(super) enum Scalar {
    /// True or false.
    Boolean(bool),
    /// A number without a fraction.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A string.
    String(String),
}

/// The level of a rule's findings, and where it applies.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LevelPart")]
pub(super) struct LevelTable {
    /// The rule; `countersign rules` lists all.
    #[schemars(schema_with = "rule_names")]
    pub(super) rule: Setting<String>,
    /// The operation; every operation if it is left out.
    pub(super) operation: Option<Setting<String>>,
    /// The location in the response, as in the names of facts: `/data/items/*/age`. Empty is the whole response, and
    /// `/**` at the end includes everything under it. Every location if it is left out.
    pub(super) field: Option<Setting<String>>,
    /// The name of one fact, as `countersign facts` prints it, if the rule judges several at that location.
    pub(super) fact: Option<Setting<String>>,
    /// `deny` fails the run, `warn` reports, `allow` does neither.
    #[schemars(schema_with = "level_names")]
    pub(super) level: Setting<String>,
    /// The reason for the level. Without it the entry does nothing.
    pub(super) reason: Setting<String>,
    /// The last day on which the entry applies, in UTC: a date without quotes. It never expires if this is left out.
    #[schemars(with = "Option<chrono::NaiveDate>")]
    pub(super) until: Option<Setting<Datetime>>,
}

/// An accepted difference of two contracts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "DifferencePart")]
pub(super) struct DifferenceTable {
    /// The kind of difference, as in the JSON report of `countersign diff`.
    #[schemars(schema_with = "kind_names")]
    pub(super) kind: Setting<String>,
    /// Method and path of the operation: `POST /things`. Every operation, and the document itself, if it is left out.
    pub(super) operation: Option<Setting<String>>,
    /// What differs, word for word as in the JSON report. Every difference of the kind there if it is left out.
    pub(super) sentence: Option<Setting<String>>,
    /// The reason for accepting it. Without it the entry does nothing.
    pub(super) reason: Setting<String>,
    /// The last day on which the entry applies, in UTC: a date without quotes. It never expires if this is left out.
    #[schemars(with = "Option<chrono::NaiveDate>")]
    pub(super) until: Option<Setting<Datetime>>,
}

/// Returns the JSON Schema of the file.
pub(super) fn schema() -> Schema {
    let mut schema = schemars::schema_for!(ConfigFile);
    RecursiveTransform(simplified).transform(&mut schema);
    schema
}

/// Removes null, which TOML does not have: an optional key is left out instead. Also removes `default` and `writeOnly`:
/// both come from serde attributes, and mean nothing to those who write the file.
fn simplified(schema: &mut Schema) {
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
            // The description of the key takes precedence over that of the type.
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

fn kind_names(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    schemars::json_schema!({"type": "string", "enum": names})
}

fn level_names(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"type": "string", "enum": Level::ALL.map(Level::name)})
}
