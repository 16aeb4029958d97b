//! The tables of `docs/configuration.md`: they have every key of the file, with its flag and its default, and every
//! environment variable.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::support::countersign;

const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md"));

/// What stands in the column of tables for a key that is in none.
const TOP: &str = "top of the file";

/// The rows of the table under a heading of the page, each with its cells.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) = PAGE.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter(|line| line.starts_with("| `"));
    lines
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// The code in a cell.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn resolved<'schema>(schema: &'schema Value, node: &'schema Value) -> &'schema Value {
    match node["$ref"].as_str() {
        Some(reference) => resolved(schema, schema.pointer(&reference[1..]).expect("a definition")),
        None => node,
    }
}

/// The keys of a part of the file; those of a part within it have its name in front.
fn keys_of(schema: &Value, part: &Value) -> Option<Vec<String>> {
    let properties = resolved(schema, part)["properties"].as_object()?;
    let keys = properties.iter().flat_map(|(name, node)| match keys_of(schema, node) {
        Some(inner) => inner.iter().map(|key| format!("{name}.{key}")).collect(),
        None => vec![name.clone()],
    });
    Some(keys.collect())
}

/// Every key that the schema has, with the table that it is in.
fn keys_in_the_schema() -> BTreeSet<(String, String)> {
    let schema: Value = serde_json::from_str(&countersign(&["config", "--schema"]).run().stdout).unwrap();
    let mut all = BTreeSet::new();
    for (name, node) in schema["properties"].as_object().unwrap() {
        let entry = &node["additionalProperties"];
        let (table, keys) = if let Some(keys) = keys_of(&schema, node) {
            (format!("[{name}]"), keys)
        } else if let Some(keys) = keys_of(&schema, entry) {
            (format!("[{name}.NAME]"), keys)
        } else if !entry.is_null() {
            (format!("[{name}]"), vec!["NAME".to_owned()])
        } else if let Some(keys) = keys_of(&schema, &node["items"]) {
            (format!("[[{name}]]"), keys)
        } else {
            (TOP.to_owned(), vec![name.clone()])
        };
        all.extend(keys.into_iter().map(|key| (table.clone(), key)));
    }
    all
}

/// The flags of a check, each with the default that its help states.
fn flags_of_a_check() -> BTreeMap<String, Option<String>> {
    let help = countersign(&["check", "--help"]).run().stdout;
    let flags = help.split("\n      --").skip(1).map(|text| {
        let end = text.find(|letter: char| letter != '-' && !letter.is_ascii_lowercase());
        let default = text.split_once("[default: ").and_then(|(_, rest)| rest.split_once(']'));
        (
            format!("--{}", &text[..end.unwrap()]),
            default.map(|(default, _)| default.to_owned()),
        )
    });
    flags.collect()
}

#[test]
fn the_table_of_keys_has_those_of_the_schema_and_no_others() {
    let rows = rows("All keys");
    let shown = rows.iter().flat_map(|row| {
        let key = code(row[0]).next().unwrap();
        row[1]
            .split(", ")
            .map(move |table| (table.trim_matches('`').to_owned(), key.to_owned()))
    });
    assert_eq!(shown.collect::<BTreeSet<_>>(), keys_in_the_schema());
}

#[test]
fn the_table_of_keys_states_the_flag_and_the_default_of_each() {
    let flags = flags_of_a_check();
    let rows = rows("All keys");
    for row in &rows {
        let [key, _, named, default] = row[..] else {
            panic!("four columns: {row:?}")
        };
        let named: Vec<_> = code(named).collect();
        for flag in &named {
            assert!(flags.contains_key(*flag), "`check` has no flag {flag}: {row:?}");
        }
        let own = code(key).next().unwrap().trim_start_matches("pace.").replace('_', "-");
        let own = format!("--{own}");
        let Some(of_help) = flags.get(&own) else { continue };
        assert_eq!(named, [own.as_str()], "{row:?}");
        let stated = code(default)
            .next()
            .filter(|text| text.starts_with(|digit: char| digit.is_ascii_digit()));
        assert_eq!(stated, of_help.as_deref(), "{row:?}");
    }
    assert!(rows.iter().filter(|row| !row[2].is_empty()).count() > 20, "{rows:?}");
}

#[test]
fn the_table_of_variables_has_those_that_the_help_of_a_command_names() {
    let shown: BTreeSet<_> = rows("Environment variables")
        .iter()
        .flat_map(|row| code(row[0]))
        .collect();
    let commands = ["check", "config", "learn", "plan", "proxy", "serve"];
    for command in commands {
        let help = countersign(&[command, "--help"]).run().stdout;
        for text in help.split("[env: ").skip(1) {
            let name = text.split(['=', ']']).next().unwrap();
            assert!(
                shown.contains(name),
                "{name} of `{command}` is not on the page: {shown:?}"
            );
        }
    }
    assert!(shown.contains("COUNTERSIGN_TOKEN"), "{shown:?}");
    for name in shown.iter().filter(|name| name.starts_with("COUNTERSIGN_")) {
        let is_read = |command: &&str| countersign(&[command, "--help"]).run().stdout.contains(*name);
        assert!(commands.iter().any(is_read), "no command reads {name}");
    }
}
