//! Groups findings that have one cause, so that a report shows each once. The main type is [`Group`]; [`groups`]
//! makes the groups of a record.
//!
//! # Design
//!
//! One cause usually breaks several facts: a serializer writes fourteen fields as null, a gateway rejects nine
//! operations. So the findings of one rule, level and operation are one group, and groups of several operations are
//! joined if they are alike. Findings about fields are alike if they are about the same properties of the contract and
//! the received values have the same JSON type. They are also alike if the same `format` is broken in fields of one
//! name, because one serializer writes those. Other findings are alike if the same was documented and the same was
//! received. Two exceptions: all operations that were not checked are alike, and so are all that let in a request
//! without a credential. A group never joins two rules, two levels, or new facts with others, so its headline is true
//! of each finding.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::phrases;
use super::record::{FindingRecord, Outcome, Record, VerdictRecord};
use crate::contract::MISSING_CREDENTIAL_IS_REJECTED;
use crate::rules::{CHANGED_ANSWER, Headline, UNCHECKED_OPERATION};

/// How many findings of a group a short report lists after its first.
pub(super) const MAX_LISTED: usize = 20;
/// How many operations a headline names; if there are more, it gives their number.
const MAX_NAMED: usize = 3;

/// The findings of one cause: one or more.
pub(super) struct Group<'record> {
    /// The most urgent of them.
    pub(super) first: &'record FindingRecord,
    /// The others, in the record's order.
    pub(super) rest: Vec<&'record FindingRecord>,
    /// The operations at fault: those that the facts are about.
    operations: Vec<&'record str>,
    /// The index of the earlier group whose first finding has the same `reproduce` command.
    pub(super) reproduced_by: Option<usize>,
}

/// Returns the findings of a record in groups. The group with the most urgent finding comes first.
pub(super) fn groups(record: &Record) -> Vec<Group<'_>> {
    let operation_of_fact = operations_at_fault(record);
    let mut places = HashMap::new();
    let mut of_operations: Vec<Group<'_>> = Vec::new();
    for finding in &record.findings {
        let operation = operation_of_fact.get(finding.fact.as_str()).copied();
        let operation = operation.unwrap_or(&finding.operation);
        let key = (
            finding.level,
            finding.rule.as_str(),
            operation,
            finding.operation.as_str(),
            finding.new,
            // Each answer that changed has a cause of its own.
            finding.rule.is(CHANGED_ANSWER).then_some(finding.documented.as_str()),
        );
        add(&mut of_operations, places.entry(key), Group::of(finding, operation));
    }
    let mut places = HashMap::new();
    let mut groups = Vec::new();
    for group in of_operations {
        let finding = group.first;
        let key = (finding.level, finding.rule.as_str(), finding.new, group.cause_key());
        add(&mut groups, places.entry(key), group);
    }
    let mut lines = HashMap::new();
    for (number, group) in groups.iter_mut().enumerate() {
        let first = *lines.entry(group.first.reproduce.as_str()).or_insert(number);
        group.reproduced_by = (first != number).then_some(first);
    }
    groups
}

/// Returns the operation of each fact with a finding, if the fact is about one operation. The finding may be in a
/// response of another operation: what `createTag` loses is missing in `getTags`. A fact about a whole security scheme
/// is about no operation.
fn operations_at_fault(record: &Record) -> HashMap<&str, &str> {
    let found: HashSet<_> = record.findings.iter().map(|finding| finding.fact.as_str()).collect();
    let rows = record.facts.rows.iter().filter(|row| found.contains(row.fact.as_str()));
    let about_one = rows.filter(|row| {
        row.fact
            .strip_prefix(&*row.operation)
            .is_some_and(|rest| rest.starts_with([' ', ':']))
    });
    about_one
        .map(|row| (row.fact.as_str(), row.operation.as_str()))
        .collect()
}

/// Adds a group to the group that has the same key, or as a new one.
fn add<'record, K>(groups: &mut Vec<Group<'record>>, entry: Entry<'_, K, usize>, group: Group<'record>) {
    let place = match entry {
        Entry::Occupied(place) => *place.get(),
        Entry::Vacant(place) => *place.insert(groups.len()),
    };
    match groups.get_mut(place) {
        Some(known) => {
            known.rest.extend(group.findings());
            for operation in group.operations {
                if !known.operations.contains(&operation) {
                    known.operations.push(operation);
                }
            }
        }
        None => groups.push(group),
    }
}

impl<'record> Group<'record> {
    fn of(first: &'record FindingRecord, operation: &'record str) -> Self {
        Self {
            first,
            rest: Vec::new(),
            operations: vec![operation],
            reproduced_by: None,
        }
    }

    /// All findings of the group.
    pub(super) fn findings(&self) -> impl Iterator<Item = &'record FindingRecord> {
        [self.first].into_iter().chain(self.rest.iter().copied())
    }

    /// How many findings it has.
    pub(super) fn len(&self) -> usize {
        1 + self.rest.len()
    }

    /// The key that groups of several operations share if they have one cause.
    fn cause_key(&self) -> BTreeSet<[&'record str; 3]> {
        if self.findings().any(is_open_to_everyone) {
            return [[MISSING_CREDENTIAL_IS_REJECTED, "", ""]].into();
        }
        if self.first.rule.is(UNCHECKED_OPERATION) {
            return BTreeSet::new();
        }
        let of_fields = matches!(self.headline_of_rule(), Some(Headline::Field(..)));
        let part = |finding: &'record FindingRecord| match (of_fields, &*finding.documented) {
            (true, format) if format.starts_with("format: ") => {
                [format, json_type(&finding.received), name_of(finding)]
            }
            (true, _) => [
                &*finding.contract_pointer,
                json_type(&finding.received),
                finding.undocumented_field(),
            ],
            // The texts in error bodies are ignored: they differ even where the cause is the same.
            (false, documented) => [documented, &finding.received, finding.undocumented_field()],
        };
        self.findings().map(part).collect()
    }

    fn headline_of_rule(&self) -> Option<Headline> {
        self.first.rule.rule().map(|rule| rule.headline)
    }

    /// Describes what is wrong, in one line: `getContacts: 14 fields are null`. If this version does not know the rule,
    /// it is the name of the first fact. For new facts, it ends in `(new)`.
    pub(super) fn headline(&self) -> String {
        let first = self.first;
        let new = if first.new { " (new)" } else { "" };
        let Some(headline) = self.headline_of_rule() else {
            return format!("{}{new}", first.fact);
        };
        let named = named(&self.operations);
        let mut shown: Vec<_> = self.findings().map(|finding| finding.operation.as_str()).collect();
        let mut known: HashSet<_> = self.operations.iter().copied().collect();
        shown.retain(|operation| known.insert(operation));
        let seen = if shown.is_empty() {
            String::new()
        } else {
            format!(" (seen in {})", self::named(&shown))
        };
        let is_one = self.operations.len() == 1;
        let wrong = match headline {
            Headline::Operation(one, many) => format!(" {}", if is_one { one } else { many }),
            Headline::Field(one, many) => match (self.len(), first.response_pointer.as_str()) {
                (1, "") => format!(": the body {one}"),
                (1, field) => format!(": {field} {one}"),
                (count, _) => format!(": {count} fields {many}{}", self.names_of_fields()),
            },
        };
        format!("{named}{wrong}{seen}{new}")
    }

    /// Returns the names of the fields in brackets, if there are few of them and several operations: ` (detail)`.
    fn names_of_fields(&self) -> String {
        let mut names: Vec<_> = self.findings().map(name_of).collect();
        names.sort_unstable();
        names.dedup();
        if self.operations.len() == 1 || names.len() > MAX_NAMED {
            return String::new();
        }
        let names: Vec<_> = names
            .into_iter()
            .map(|name| if name.is_empty() { "the body" } else { name })
            .collect();
        format!(" ({})", names.join(", "))
    }

    /// Returns the group without its headline, as lines: the first finding, up to [`MAX_LISTED`] others, what to do.
    pub(super) fn in_lines(&self) -> Vec<String> {
        let finding = self.first;
        let mut lines = phrases::what_is_wrong(finding);
        lines.extend(self.others(MAX_LISTED));
        lines.extend(phrases::what_to_do(finding));
        lines
    }

    /// Returns a line for each finding except the first: its line in the contract, its fact, what was received, and
    /// where that was recorded. Findings beyond the first `max_lines` are counted in one line.
    pub(super) fn others(&self, max_lines: usize) -> Vec<String> {
        let lines = self.rest.iter().take(max_lines).map(|finding| {
            let recorded = finding.recorded_in.as_ref().map(phrases::recorded_in);
            format!(
                "also {}: {}; received {}{}",
                finding.line(),
                finding.fact,
                phrases::received_with_location(finding),
                recorded.map_or_else(String::new, |recorded| format!("; {recorded}"))
            )
        });
        let mut lines: Vec<_> = lines.collect();
        match self.rest.len().saturating_sub(max_lines) {
            0 => {}
            more => lines.push(format!("and {}", phrases::counted(more, "more finding"))),
        }
        lines
    }
}

/// Whether a request without a credential succeeded. This is one cause, whatever the status of the success, and
/// whichever wrong tokens were accepted as well.
fn is_open_to_everyone(finding: &FindingRecord) -> bool {
    let is_success = matches!(finding.received.as_bytes(), [b'2', _, _]);
    is_success && finding.fact.ends_with(MISSING_CREDENTIAL_IS_REJECTED)
}

/// Returns the name of the field that a finding is about: the last name in its location that is not an index; empty for
/// the whole body.
fn name_of(finding: &FindingRecord) -> &str {
    let names = finding.response_pointer.split('/');
    let is_index = |name: &&str| name.bytes().all(|byte| byte.is_ascii_digit());
    names.rev().find(|name| !is_index(name)).unwrap_or_default()
}

/// Returns the type of a value that was received, given as a shape (`string(4)`) or, if values are shown, as JSON.
fn json_type(received: &str) -> &str {
    match received.as_bytes() {
        [b'"', ..] => "string",
        [b'[', ..] => "array",
        [b'{', ..] => "object",
        [b'-' | b'0'..=b'9', ..] => "number",
        _ => received.split(['(', ' ', ':', ',']).next().unwrap_or(received),
    }
}

/// Returns the names of the operations, or only their number if there are many.
fn named(operations: &[&str]) -> String {
    match operations.len() {
        0..=MAX_NAMED => operations.join(", "),
        many => format!("{many} operations"),
    }
}

/// Explains the number of findings if it differs from the number of broken facts or of groups, or if the service
/// conforms although facts are broken; otherwise none.
pub(super) fn explain_count(record: &Record, group_count: usize) -> Option<String> {
    let found: HashSet<_> = record.findings.iter().map(|finding| finding.fact.as_str()).collect();
    let (mut broken, mut not_broken, mut unreported) = (0, 0, 0);
    for row in &record.facts.rows {
        match (found.contains(row.fact.as_str()), row.verdict) {
            (true, VerdictRecord::Broken) => broken += 1,
            (true, _) => not_broken += 1,
            (false, VerdictRecord::Broken) => unreported += 1,
            (false, _) => {}
        }
    }
    let further = record.findings.len().saturating_sub(broken + not_broken);
    let parts = [
        (broken, "for a broken fact", "for broken facts"),
        (
            not_broken,
            "for a fact that is not broken",
            "for facts that are not broken",
        ),
        (further, "more for the same fact", "more for the same facts"),
    ];
    let parts = parts.iter().filter(|(count, ..)| *count > 0);
    let mut parts: Vec<_> = parts
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    if unreported > 0 {
        let are = phrases::is_or_are(unreported);
        let facts = phrases::counted(unreported, "broken fact");
        parts.push(format!("{facts} {are} allowed or accepted"));
    }
    let counts = phrases::finding_counts(record);
    let grouped = match record.findings.len() {
        findings if findings == group_count => counts,
        _ => format!("{counts} in {}", phrases::counted(group_count, "group")),
    };
    let adds_up = not_broken + further + unreported == 0 && record.findings.len() == group_count;
    let is_expected = record.outcome != Outcome::Conforms || broken == 0;
    let text = if grouped.is_empty() {
        parts.join(", ")
    } else {
        format!("{grouped}: {}", parts.join(", "))
    };
    (!adds_up || !is_expected).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::sample_record;
    use crate::rules::{Level, RULES};

    /// A finding: its rule, its operation, the field, what was received.
    type Sample = (&'static str, &'static str, &'static str, &'static str);

    fn record(samples: &[Sample]) -> Record {
        let mut record = sample_record();
        let sample = record.findings.remove(0);
        let findings = samples.iter().map(|(rule, operation, field, received)| FindingRecord {
            rule: (*rule).into(),
            operation: (*operation).to_owned(),
            fact: format!("{operation} {field}: documented"),
            response_pointer: (*field).to_owned(),
            contract_pointer: format!("/components/schemas/Thing{field}"),
            received: (*received).to_owned(),
            reproduce: format!("curl {operation}"),
            ..sample.clone()
        });
        record.findings = findings.collect();
        record
    }

    fn headlines(samples: &[Sample]) -> Vec<String> {
        let record = record(samples);
        groups(&record).iter().map(Group::headline).collect()
    }

    #[test]
    fn fields_of_one_operation_that_break_one_rule_are_one_group() {
        let samples = [
            ("null-value", "getThings", "/a", "null"),
            ("wrong-type", "getThings", "/b", "null"),
            ("null-value", "getThings", "/c", "null"),
            ("null-value", "getThings", "/d", "null"),
        ];
        let expected = ["getThings: 3 fields are null", "getThings: /b has the wrong type"];
        assert_eq!(headlines(&samples), expected);
        let record = record(&samples);
        let others = groups(&record)[0].others(2);
        assert_eq!(
            others[0],
            "also line 17: getThings /c: documented; received null, 2 times, first at /c"
        );
        let cut = groups(&record)[0].others(1);
        assert_eq!(cut[1..], ["and 1 more finding"]);
    }

    #[test]
    fn operations_are_one_group_where_the_same_is_wrong_and_otherwise_not() {
        let field = |operation, field, received| ("missing-field", operation, field, received);
        let expected = [
            "getThings, addThing: 2 fields are missing (a)",
            "getOther: /b is missing",
        ];
        let alike = [
            field("getThings", "/a", "the field is absent"),
            field("addThing", "/a", "the field is absent"),
            field("getOther", "/b", "the field is absent"),
        ];
        assert_eq!(headlines(&alike), expected);
        // One property of the contract, whose values differ.
        let mistyped = |operation, received| ("wrong-type", operation, "/a", received);
        let types = [
            mistyped("a", "string(4)"),
            mistyped("b", "string(7)"),
            mistyped("c", "null"),
        ];
        assert_eq!(
            headlines(&types),
            ["a, b: 2 fields have the wrong type (a)", "c: /a has the wrong type"]
        );
        let shown = [
            mistyped("a", "\"seven\""),
            mistyped("b", "\"eight\""),
            mistyped("c", "[7]"),
        ];
        assert_eq!(headlines(&shown), headlines(&types));
        let whole = |operation, received| ("server-error", operation, "", received);
        let failing = ["a", "b", "c", "d"].map(|operation| whole(operation, "500"));
        assert_eq!(headlines(&failing), ["4 operations fail with a 5xx"]);
        assert_eq!(headlines(&failing[..1]), ["a fails with a 5xx"]);
        let mut said = record(&[whole("a", "500"), whole("b", "500")]);
        said.findings[0].error_body = Some("title: string(4)".to_owned());
        let blocks = groups(&said);
        assert_eq!(blocks[0].headline(), "a, b fail with a 5xx");
        let others = blocks[0].in_lines();
        assert!(
            others
                .iter()
                .any(|line| line == "received: 500; its body has title: string(4), 2 times"),
            "{others:?}"
        );
        let apart = headlines(&[whole("a", "500"), whole("b", "502")]);
        assert_eq!(apart, ["a fails with a 5xx", "b fails with a 5xx"]);
    }

    #[test]
    fn operations_that_are_open_to_everyone_are_one_group_and_others_are_not() {
        let mut record = record(&[
            ("auth", "a", "", "200"),
            ("auth", "b", "", "201"),
            ("auth", "b", "", "201 to the token followed by letters"),
            ("auth", "c", "", "404"),
            ("auth", "d", "", "200 to the token followed by letters"),
            ("auth", "e", "", "200 on a second page"),
        ]);
        for (finding, words) in record.findings.iter_mut().zip([
            MISSING_CREDENTIAL_IS_REJECTED,
            MISSING_CREDENTIAL_IS_REJECTED,
            "a wrong token is rejected",
            MISSING_CREDENTIAL_IS_REJECTED,
            "a wrong token is rejected",
            MISSING_CREDENTIAL_IS_REJECTED,
        ]) {
            finding.fact = format!("{} auth: {words}", finding.operation);
        }
        let headlines: Vec<_> = groups(&record).iter().map(Group::headline).collect();
        let [one, many] = [
            "does not reject a request without a valid credential as documented",
            "do not reject a request without a valid credential as documented",
        ];
        assert_eq!(
            headlines,
            [
                format!("a, b {many}"),
                format!("c {one}"),
                format!("d {one}"),
                format!("e {one}")
            ]
        );
    }

    #[test]
    fn the_operation_at_fault_is_named_where_another_one_shows_it() {
        let mut record = sample_record();
        record.findings.truncate(1);
        record.findings[0].operation = "getOther".to_owned();
        let headlines: Vec<_> = groups(&record).iter().map(Group::headline).collect();
        assert_eq!(headlines, ["getThings: /name has the wrong type (seen in getOther)"]);
        record.facts.rows[1].fact = "getThings: gone from getOther".into();
        record.findings[0].fact = record.facts.rows[1].fact.to_string();
        assert!(groups(&record)[0].headline().starts_with("getThings: "));
        // If a fact is about no operation, the one that showed it is named.
        record.facts.rows[1].fact = "bearer auth: a wrong token is rejected".into();
        record.findings[0].fact = record.facts.rows[1].fact.to_string();
        let headlines: Vec<_> = groups(&record).iter().map(Group::headline).collect();
        assert_eq!(headlines, ["getOther: /name has the wrong type"]);
    }

    #[test]
    fn an_error_and_a_warning_are_never_one_group() {
        let mut record = record(&[
            ("null-value", "getThings", "/a", "null"),
            ("null-value", "getThings", "/b", "null"),
        ]);
        record.findings[1].level = Level::Warn;
        assert_eq!(groups(&record).len(), 2);
    }

    #[test]
    fn a_group_that_an_earlier_line_reproduces_names_it() {
        let record = record(&[
            ("null-value", "getThings", "/a", "null"),
            ("null-value", "getOther", "/b", "null"),
            ("wrong-type", "getThings", "/c", "null"),
        ]);
        let lines: Vec<_> = groups(&record).iter().map(|group| group.reproduced_by).collect();
        assert_eq!(lines, [None, None, Some(0)]);
    }

    #[test]
    fn the_headline_of_an_unknown_rule_is_the_fact() {
        let samples = [("a-rule-of-another-version", "getThings", "/a", "null")];
        assert_eq!(headlines(&samples), ["getThings /a: documented"]);
    }

    #[test]
    fn each_rule_says_what_is_wrong_of_one_and_of_several() {
        let of = |name: &'static str, operations: &[&'static str]| {
            let samples: Vec<_> = operations
                .iter()
                .map(|operation| (name, *operation, "/a", "1"))
                .collect();
            headlines(&samples).join("; ")
        };
        let lines = RULES.iter().map(|rule| {
            let name = rule.name;
            format!(
                "{name}\n  {}\n  {}",
                of(name, &["getThings"]),
                of(name, &["getThings", "addThing"])
            )
        });
        let lines: Vec<_> = lines.collect();
        crate::testing::with_snapshots(|| insta::assert_snapshot!("headlines", lines.join("\n")));
    }

    #[test]
    fn the_number_of_findings_is_explained_where_it_is_not_that_of_the_broken_facts() {
        let mut record = sample_record();
        record.findings.truncate(1);
        assert_eq!(explain_count(&record, groups(&record).len()), None);
        let mut second = record.findings[0].clone();
        record.findings.push(second.clone());
        second.fact = record.facts.rows[2].fact.to_string();
        record.findings.push(second);
        assert_eq!(
            explain_count(&record, groups(&record).len()).as_deref(),
            Some("3 errors in 1 group: 1 for a broken fact, 1 for a fact that is not broken, 1 more for the same fact")
        );
        record.findings.clear();
        assert_eq!(
            explain_count(&record, groups(&record).len()).as_deref(),
            Some("1 broken fact is allowed or accepted")
        );
    }
}
