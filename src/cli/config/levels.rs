//! The levels and differences of a configuration: what is accepted, each with its reason and optionally its last day.
//! The main type is [`ResolvedEntry`].

use std::collections::BTreeSet;

use chrono::NaiveDate;
use toml::value::Datetime;

use super::error::{ConfigError, FileLocation, Problem};
use super::file::{DifferenceTable, LevelTable};
use super::find::Config;
use super::parse::Parsed;
use super::setting::Setting;
use crate::contract::Contract;
use crate::contract::openapi::near;
use crate::contract::operation::{Method, OperationId};
use crate::diff::{DifferenceScope, Kind};
use crate::report::AcceptedDeviation;
use crate::rules::{CHANGED_ANSWER, Level, LevelEntry, LevelScope, Levels, RULES, Rule, field_covers, is_field};

/// Placeholders for a reason that is not written yet.
const PLACEHOLDERS: [&str; 4] = ["todo", "fixme", "tbd", "xxx"];

/// An entry of `[[levels]]`, resolved against the contract, or of `[[differences]]`.
#[derive(Clone, Debug)]
pub(in crate::cli) struct ResolvedEntry<Entry = LevelEntry> {
    /// Where it applies, and the level there.
    pub(in crate::cli) entry: Entry,
    /// The reason for it.
    pub(in crate::cli) reason: String,
    /// The last day on which it applies.
    pub(in crate::cli) until: Option<NaiveDate>,
    /// Where it is in the file.
    pub(in crate::cli) location: FileLocation,
    /// Whether it applies today.
    pub(in crate::cli) state: State,
}

/// Whether an entry applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum State {
    /// Its last day is over; the date is the first day without it.
    Expired(NaiveDate),
    /// It applies.
    Applies,
    /// Its reason is not filled in yet.
    NeedsReason,
}

impl Config {
    /// Resolves the levels and the names of operations against the contract.
    ///
    /// # Errors
    ///
    /// A rule, an operation, a field or a level that does not exist; a value that is not a date.
    pub(in crate::cli) fn levels(
        &self,
        contract: &Contract,
        today: NaiveDate,
    ) -> Result<Vec<ResolvedEntry>, ConfigError> {
        let parsed = &self.parsed;
        let check = &parsed.file.check;
        for name in check.only.iter().chain(&check.skip).chain(&check.also_send) {
            operation(contract, &name.value).map_err(|problem| parsed.error(name, problem))?;
        }
        // A mistake in the other entries is reported too, before somebody relies on them.
        self.differences(today)?;
        let entries = parsed.file.levels.iter();
        entries.map(|part| entry(parsed, part, contract, today)).collect()
    }

    /// Returns the accepted differences.
    ///
    /// # Errors
    ///
    /// A kind that does not exist, what is not an operation, a value that is not a date.
    pub(in crate::cli) fn differences(
        &self,
        today: NaiveDate,
    ) -> Result<Vec<ResolvedEntry<DifferenceScope>>, ConfigError> {
        let parsed = &self.parsed;
        let entries = parsed.file.differences.iter();
        entries.map(|part| difference(parsed, part, today)).collect()
    }
}

/// Adds to the levels the entries that apply, and returns all entries for the report.
pub(in crate::cli) fn add_levels(entries: &[ResolvedEntry], levels: &mut Levels) -> Vec<AcceptedDeviation> {
    let deviations = entries.iter().map(|written| {
        let applies = written.state == State::Applies;
        AcceptedDeviation {
            entry: written.entry.clone(),
            index_in_levels: applies.then(|| levels.add(written.entry.clone())),
            reason: written.reason.clone(),
            until: written.until,
            expired: match written.state {
                State::Expired(since) => Some(since),
                _ => None,
            },
            location: written.location.to_string(),
        }
    });
    deviations.collect()
}

fn entry(
    parsed: &Parsed,
    part: &LevelTable,
    contract: &Contract,
    today: NaiveDate,
) -> Result<ResolvedEntry, ConfigError> {
    let rule = parsed.resolve(&part.rule, |name| rule(name))?;
    let level = parsed.resolve(&part.level, |name| level(name))?;
    let operation = parsed.resolve_if(&part.operation, |name| operation(contract, name))?;
    parsed.resolve_if(&part.field, |text| field(contract, operation, text))?;
    // Which answers are facts depends on the overlay, and an entry applies to every target.
    if !std::ptr::eq(rule, CHANGED_ANSWER) {
        parsed.resolve_if(&part.fact, |name| fact(contract, name))?;
    }
    let entry = LevelEntry {
        scope: level_scope(part),
        rule,
        operation,
        level,
    };
    with_reason(parsed, (entry, &part.rule), (&part.reason, &part.until), today)
}

fn difference(
    parsed: &Parsed,
    part: &DifferenceTable,
    today: NaiveDate,
) -> Result<ResolvedEntry<DifferenceScope>, ConfigError> {
    let names = Kind::ALL.iter().map(|kind| kind.name());
    let entry = DifferenceScope {
        kind: parsed.resolve(&part.kind, |name| {
            Kind::named(name).ok_or_else(|| unlisted("kind", name, near(name, names)))
        })?,
        operation: parsed.resolve_if(&part.operation, |name| method_and_path(name))?,
        sentence: part.sentence.as_ref().map(|sentence| sentence.value.trim().to_owned()),
    };
    with_reason(parsed, (entry, &part.kind), (&part.reason, &part.until), today)
}

/// Adds reason, last day, location and state to an entry. `begins` is its first value, which gives the location.
fn with_reason<Entry>(
    parsed: &Parsed,
    (entry, begins): (Entry, &Setting<String>),
    (reason, until): (&Setting<String>, &Option<Setting<Datetime>>),
    today: NaiveDate,
) -> Result<ResolvedEntry<Entry>, ConfigError> {
    let until = parsed.resolve_if(until, |until| day(until).ok_or(Problem::Date))?;
    Ok(ResolvedEntry {
        entry,
        reason: reason.value.trim().to_owned(),
        until,
        location: parsed.location(begins),
        state: state(&reason.value, until, today),
    })
}

/// Returns where an entry applies, as it is written.
pub(super) fn level_scope(part: &LevelTable) -> LevelScope {
    let text = |placed: &Option<Setting<String>>| placed.as_ref().map(|text| text.value.clone());
    LevelScope {
        rule: part.rule.value.clone(),
        operation: text(&part.operation),
        field: text(&part.field),
        fact: text(&part.fact),
    }
}

fn rule(name: &str) -> Result<&'static Rule, Problem> {
    let names = RULES.iter().map(|rule| rule.name);
    Rule::named(name).map_err(|_| Problem::unknown("rule", name, names))
}

fn level(name: &str) -> Result<Level, Problem> {
    let names = Level::ALL.into_iter().map(Level::name);
    let found = Level::ALL.into_iter().find(|level| level.name() == name);
    found.ok_or_else(|| Problem::unknown("level", name, names))
}

/// Checks that this is a method and a path, such as `POST /things`. Whether a document has the operation is not
/// checked.
fn method_and_path(name: &str) -> Result<String, Problem> {
    let parts = name.split_once(' ').filter(|(_, path)| path.starts_with('/'));
    let is_method =
        |method: &str| Method::from_key(&method.to_lowercase()).is_some_and(|known| known.as_str() == method);
    match parts {
        Some((method, _)) if is_method(method) => Ok(name.to_owned()),
        _ => Err(Problem::Operation(name.to_owned())),
    }
}

pub(super) fn operation(contract: &Contract, name: &str) -> Result<OperationId, Problem> {
    let names = contract.operations.iter().map(|operation| operation.name.as_str());
    let found = contract.operation_named(name);
    found.ok_or_else(|| Problem::unknown("operation", name, names))
}

/// Checks that some fact of the contract is at the field. A field without facts would never match, and nobody would
/// notice.
fn field(contract: &Contract, operation: Option<OperationId>, text: &str) -> Result<(), Problem> {
    if !is_field(text) {
        return Err(Problem::Field(text.to_owned()));
    }
    let mut facts = contract
        .facts
        .iter()
        .filter(|fact| operation.is_none_or(|operation| operation == fact.operation));
    if facts.clone().any(|fact| field_covers(text, &fact.response_pointer)) {
        return Ok(());
    }
    let response_pointers: BTreeSet<_> = facts.by_ref().map(|fact| fact.response_pointer.as_str()).collect();
    Err(unlisted("field", text, near(text, response_pointers)))
}

fn fact(contract: &Contract, name: &str) -> Result<(), Problem> {
    let names = contract.facts.iter().map(|fact| fact.name.as_str());
    if names.clone().any(|known| known == name) {
        return Ok(());
    }
    Err(unlisted("fact", name, near(name, names)))
}

/// Makes the problem of a name that is not among hundreds of known ones, too many to list.
fn unlisted(what: &'static str, name: &str, near: Option<&str>) -> Problem {
    Problem::UnknownName {
        what,
        name: name.to_owned(),
        near: near.map(str::to_owned),
        known: Vec::new(),
    }
}

fn day(until: &Datetime) -> Option<NaiveDate> {
    let date = until.date.filter(|_| until.time.is_none() && until.offset.is_none())?;
    NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
}

fn state(reason: &str, until: Option<NaiveDate>, today: NaiveDate) -> State {
    let reason = reason.trim().to_lowercase();
    if reason.is_empty() || PLACEHOLDERS.iter().any(|word| is_begun_by(&reason, word)) {
        return State::NeedsReason;
    }
    match until {
        Some(until) if today > until => State::Expired(until.succ_opt().unwrap_or(until)),
        _ => State::Applies,
    }
}

/// Returns whether a text begins with the word, and not with a longer one.
fn is_begun_by(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read(text: &str) -> Result<Vec<ResolvedEntry>, ConfigError> {
        let config = Config {
            trust: crate::cli::config::find::Trust::Named,
            path: Path::new("countersign.toml").to_owned(),
            parsed: Parsed::read("countersign.toml", text).unwrap(),
        };
        let today = NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
        config.levels(crate::testing::built_in(), today)
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
            ("2026-11-21", State::Applies),
            ("2026-11-22", State::Applies),
            ("2025-12-31", expired(2026, 1, 1)),
        ] {
            assert_eq!(
                state_of(&format!("reason = \"agreed\"\nuntil = {until}")),
                state,
                "{until}"
            );
        }
        assert_eq!(state_of("reason = \"agreed\""), State::Applies);
    }

    #[test]
    fn an_entry_without_a_reason_waits() {
        for reason in ["", "  ", "TODO", "todo: ask", "FIXME later", "tbd."] {
            assert_eq!(
                state_of(&format!("reason = \"{reason}\"")),
                State::NeedsReason,
                "{reason}"
            );
        }
        assert_eq!(state_of("reason = \"\"\nuntil = 2020-01-01"), State::NeedsReason);
        assert_eq!(state_of("reason = \"Todos os campos\""), State::Applies);
    }

    #[test]
    fn what_does_not_exist_is_reported_with_its_line_and_a_near_one() {
        for (lines, message) in [
            (
                "rule = \"null-vlaue\"",
                "countersign.toml:2:8: there is no rule `null-vlaue` (did you mean `null-value`?); the rules are `",
            ),
            (
                "rule = \"auth\"\noperation = \"getTag\"",
                "countersign.toml:3:13: there is no operation `getTag` (did you mean `getTags`?); the operations are `",
            ),
            (
                "rule = \"auth\"\nfield = \"/data/items/*/nmae\"",
                "countersign.toml:3:9: there is no field `/data/items/*/nmae` (did you mean `/data/items/*/name`?)",
            ),
            (
                "rule = \"auth\"\noperation = \"getTags\"\nfield = \"/data/items/*/age\"",
                "countersign.toml:4:9: there is no field `/data/items/*/age`",
            ),
            (
                "rule = \"auth\"\nfield = \"age\"",
                "countersign.toml:3:9: `age` is not a location in a response; write",
            ),
        ] {
            let text = format!("[[levels]]\n{lines}\nlevel = \"allow\"\nreason = \"a\"\n");
            let reported = read(&text).unwrap_err().to_string();
            assert!(reported.starts_with(message), "{reported}");
        }
        let text = "[[levels]]\nrule = \"auth\"\nlevel = \"alow\"\nreason = \"a\"\n";
        let reported = read(text).unwrap_err().to_string();
        assert_eq!(
            reported,
            "countersign.toml:3:9: there is no level `alow` (did you mean `allow`?); the levels are `allow`, `warn`, `deny`"
        );
        let reported = read("[check]\nskip = [\"getTags\", \"getTgas\"]\n")
            .unwrap_err()
            .to_string();
        assert!(
            reported.starts_with("countersign.toml:2:20: there is no operation `getTgas`"),
            "{reported}"
        );
    }

    #[test]
    fn a_moment_is_no_last_day() {
        for until in ["2027-01-31T12:00:00Z", "12:00:00", "2027-01-31T00:00:00"] {
            let text = format!("[[levels]]\nrule = \"auth\"\nlevel = \"allow\"\nreason = \"a\"\nuntil = {until}\n");
            let reported = read(&text).unwrap_err().to_string();
            assert!(
                reported.starts_with("countersign.toml:5:9: `until` must be only a date"),
                "{reported}"
            );
        }
    }

    #[test]
    fn entries_that_apply_have_an_index_and_the_others_have_none() {
        let part =
            |reason: &str| format!("[[levels]]\nrule = \"null-value\"\nlevel = \"allow\"\nreason = \"{reason}\"\n");
        let entries = read(&(part("a") + &part("") + &part("b"))).unwrap();
        let indexes: Vec<_> = add_levels(&entries, &mut Levels::default())
            .iter()
            .map(|reported| reported.index_in_levels)
            .collect();
        assert_eq!(indexes, [Some(0), None, Some(1)]);
    }
}
