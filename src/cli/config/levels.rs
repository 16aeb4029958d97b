//! The levels of a configuration: accepted deviations, each with its reason and perhaps its last day. The main type is
//! [`LevelEntry`].

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::error::{ConfigError, Place, Problem};
use super::file::LevelPart;
use super::find::Config;
use super::parse::Parsed;
use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::rules::{Entry, Field, Level, Levels, Rule};

/// Words that stand where a reason will stand some day.
const PLACEHOLDERS: [&str; 4] = ["todo", "fixme", "tbd", "xxx"];

/// An entry of `[[levels]]`, held against the contract.
#[derive(Clone, Debug)]
pub(in crate::cli) struct LevelEntry {
    /// What it says.
    pub(in crate::cli) entry: Entry,
    /// The operation and the field as they are written.
    pub(in crate::cli) written: (Option<String>, Option<String>),
    /// Why.
    pub(in crate::cli) reason: String,
    /// The last day on which it holds.
    pub(in crate::cli) until: Option<NaiveDate>,
    /// Where it stands.
    pub(in crate::cli) place: Place,
    /// Whether it holds today.
    pub(in crate::cli) state: State,
}

/// Whether an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum State {
    /// Its last day is over; this is the first day without it.
    Expired(NaiveDate),
    /// It holds.
    Holds,
    /// Nobody has written down why.
    Waits,
}

impl Config {
    /// Holds the levels and the names of operations against the contract.
    ///
    /// # Errors
    ///
    /// A rule, an operation, a field or a level that does not exist; a date that is none.
    pub(in crate::cli) fn levels(&self, contract: &Contract, today: NaiveDate) -> Result<Vec<LevelEntry>, ConfigError> {
        let parsed = &self.parsed;
        let check = &parsed.file.check;
        for name in check.only.iter().chain(&check.skip).flat_map(|names| names.value()) {
            operation(contract, name.value()).map_err(|problem| parsed.error(name, problem))?;
        }
        let entries = parsed.file.levels.iter();
        entries.map(|part| entry(parsed, part, contract, today)).collect()
    }
}

/// Adds the entries that hold to the levels, and hands back which of them got which number.
pub(in crate::cli) fn add(entries: &[LevelEntry], levels: &mut Levels) -> Vec<Option<usize>> {
    let holds = |entry: &LevelEntry| entry.state == State::Holds;
    let number = |entry: &LevelEntry| holds(entry).then(|| levels.add(entry.entry.clone()));
    entries.iter().map(number).collect()
}

fn entry(parsed: &Parsed, part: &LevelPart, contract: &Contract, today: NaiveDate) -> Result<LevelEntry, ConfigError> {
    let rule = Rule::named(part.rule.value()).map_err(|_| {
        let names = crate::rules::RULES.iter().map(|rule| rule.name);
        parsed.error(&part.rule, Problem::unknown("rule", part.rule.value(), names))
    })?;
    let level = Level::ALL.into_iter().find(|level| level.name() == part.level.value());
    let level = level.ok_or_else(|| {
        let names = Level::ALL.into_iter().map(Level::name);
        parsed.error(&part.level, Problem::unknown("level", part.level.value(), names))
    })?;
    let named = part
        .operation
        .as_ref()
        .map(|name| operation(contract, name.value()).map_err(|problem| parsed.error(name, problem)));
    let operation = named.transpose()?;
    let read = part
        .field
        .as_ref()
        .map(|text| field(contract, operation, text.value()).map_err(|problem| parsed.error(text, problem)));
    let field = read.transpose()?;
    let until = part
        .until
        .as_ref()
        .map(|until| day(until.value()).ok_or_else(|| parsed.error(until, Problem::Date)));
    let until = until.transpose()?;
    Ok(LevelEntry {
        entry: Entry {
            rule,
            operation,
            field,
            level,
        },
        written: (
            part.operation.as_ref().map(|name| name.value().clone()),
            part.field.as_ref().map(|field| field.value().clone()),
        ),
        reason: part.reason.value().trim().to_owned(),
        until,
        place: parsed.place(&part.rule),
        state: state(part.reason.value(), until, today),
    })
}

fn operation(contract: &Contract, name: &str) -> Result<OperationId, Problem> {
    let names = contract.operations.iter().map(|operation| operation.name.as_str());
    let found = contract.operation_named(name);
    found.ok_or_else(|| Problem::unknown("operation", name, names))
}

/// A field that some fact of the contract lies at. One that nothing lies at would never match, and nobody would notice.
fn field(contract: &Contract, operation: Option<OperationId>, text: &str) -> Result<Field, Problem> {
    let field = Field::parse(text).ok_or_else(|| Problem::Field(text.to_owned()))?;
    let mut facts = contract
        .facts
        .iter()
        .filter(|fact| operation.is_none_or(|operation| operation == fact.operation));
    if facts.clone().any(|fact| field.covers(&fact.pattern)) {
        return Ok(field);
    }
    let patterns: BTreeSet<_> = facts.by_ref().map(|fact| fact.pattern.as_str()).collect();
    let Problem::UnknownName { what, name, near, .. } = Problem::unknown("field", text, patterns.iter().copied())
    else {
        return Err(Problem::Field(text.to_owned()));
    };
    // They are hundreds; `countersign facts` lists them.
    let known = Vec::new();
    Err(Problem::UnknownName {
        what,
        name,
        near,
        known,
    })
}

fn day(until: &toml::value::Datetime) -> Option<NaiveDate> {
    let date = until.date.filter(|_| until.time.is_none() && until.offset.is_none())?;
    NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
}

fn state(reason: &str, until: Option<NaiveDate>, today: NaiveDate) -> State {
    let reason = reason.trim().to_lowercase();
    if reason.is_empty() || PLACEHOLDERS.iter().any(|word| is_begun_by(&reason, word)) {
        return State::Waits;
    }
    match until {
        Some(until) if today > until => State::Expired(until.succ_opt().unwrap_or(until)),
        _ => State::Holds,
    }
}

/// Whether a text begins with the word, and not with a longer one.
fn is_begun_by(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read(text: &str) -> Result<Vec<LevelEntry>, ConfigError> {
        let config = Config {
            path: Path::new("countersign.toml").to_owned(),
            parsed: Parsed::read("countersign.toml", text).unwrap(),
        };
        let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        config.levels(&Contract::built_in().unwrap(), today)
    }

    fn state_of(lines: &str) -> State {
        let text = format!("[[levels]]\nrule = \"null-value\"\nlevel = \"allow\"\n{lines}\n");
        read(&text).unwrap()[0].state
    }

    #[test]
    fn an_entry_holds_to_the_end_of_its_last_day() {
        let expired = |year, month, day| State::Expired(NaiveDate::from_ymd_opt(year, month, day).unwrap());
        for (until, state) in [
            ("2026-11-20", expired(2026, 11, 21)),
            ("2026-11-21", State::Holds),
            ("2026-11-22", State::Holds),
            ("2025-12-31", expired(2026, 1, 1)),
        ] {
            assert_eq!(
                state_of(&format!("reason = \"agreed\"\nuntil = {until}")),
                state,
                "{until}"
            );
        }
        assert_eq!(state_of("reason = \"agreed\""), State::Holds);
    }

    #[test]
    fn an_entry_without_a_reason_waits() {
        for reason in ["", "  ", "TODO", "todo: ask", "FIXME later", "tbd."] {
            assert_eq!(state_of(&format!("reason = \"{reason}\"")), State::Waits, "{reason}");
        }
        assert_eq!(state_of("reason = \"\"\nuntil = 2020-01-01"), State::Waits);
        assert_eq!(state_of("reason = \"Todos os campos\""), State::Holds);
    }

    #[test]
    fn what_does_not_exist_is_told_with_its_line_and_a_near_one() {
        for (lines, message) in [
            (
                "rule = \"null-vlaue\"",
                "countersign.toml:2:8: there is no rule `null-vlaue`, did you mean `null-value`?; the rules are `",
            ),
            (
                "rule = \"auth\"\noperation = \"getTag\"",
                "countersign.toml:3:13: there is no operation `getTag`, did you mean `getTags`?; the operations are `",
            ),
            (
                "rule = \"auth\"\nfield = \"/data/items/*/nmae\"",
                "countersign.toml:3:9: there is no field `/data/items/*/nmae`, did you mean `/data/items/*/name`?",
            ),
            (
                "rule = \"auth\"\noperation = \"getTags\"\nfield = \"/data/items/*/age\"",
                "countersign.toml:4:9: there is no field `/data/items/*/age`",
            ),
            (
                "rule = \"auth\"\nfield = \"age\"",
                "countersign.toml:3:9: `age` is no place in an answer; write",
            ),
        ] {
            let text = format!("[[levels]]\n{lines}\nlevel = \"allow\"\nreason = \"a\"\n");
            let told = read(&text).unwrap_err().to_string();
            assert!(told.starts_with(message), "{told}");
        }
        let text = "[[levels]]\nrule = \"auth\"\nlevel = \"alow\"\nreason = \"a\"\n";
        let told = read(text).unwrap_err().to_string();
        assert_eq!(
            told,
            "countersign.toml:3:9: there is no level `alow`, did you mean `allow`?; the levels are `allow`, `warn`, `deny`"
        );
        let told = read("[check]\nskip = [\"getTags\", \"getTgas\"]\n")
            .unwrap_err()
            .to_string();
        assert!(
            told.starts_with("countersign.toml:2:20: there is no operation `getTgas`"),
            "{told}"
        );
    }

    #[test]
    fn a_moment_is_no_last_day() {
        for until in ["2027-01-31T12:00:00Z", "12:00:00", "2027-01-31T00:00:00"] {
            let text = format!("[[levels]]\nrule = \"auth\"\nlevel = \"allow\"\nreason = \"a\"\nuntil = {until}\n");
            let told = read(&text).unwrap_err().to_string();
            assert!(
                told.starts_with("countersign.toml:5:9: `until` is a date alone"),
                "{told}"
            );
        }
    }

    #[test]
    fn entries_that_hold_are_numbered_and_the_others_are_not() {
        let part =
            |reason: &str| format!("[[levels]]\nrule = \"null-value\"\nlevel = \"allow\"\nreason = \"{reason}\"\n");
        let entries = read(&(part("a") + &part("") + &part("b"))).unwrap();
        assert_eq!(add(&entries, &mut Levels::default()), [Some(0), None, Some(1)]);
    }
}
