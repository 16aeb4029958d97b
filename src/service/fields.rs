//! The fields of an object in a request: [`Fields`] reads them one by one and collects what is wrong.
//!
//! A reader of a value is a function from [`Value`] and [`Profile`] to [`FieldResult`]. Problems carry pointers
//! relative to the value, and each enclosing level prefixes its own step, so that a client gets all problems of a body
//! at once, each with its full pointer.

use serde_json::{Map, Value};

use super::profile::{Profile, UnknownRequestFields};
use super::rejection::FieldProblem;

/// A value, or everything that is wrong with it.
pub(super) type FieldResult<T> = Result<T, Vec<FieldProblem>>;

/// The maximum number of entries of an array.
const MAX_ENTRIES: usize = 100;

/// An object whose fields are being read. The profile decides what happens to fields that are never read.
pub(super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    profile: &'a Profile,
    known: Vec<&'static str>,
    problems: Vec<FieldProblem>,
}

impl<'a> Fields<'a> {
    /// Starts reading `object`, which must have the `required` fields.
    pub(super) fn of(object: &'a Map<String, Value>, required: &[&str], profile: &'a Profile) -> Self {
        let missing = required.iter().filter(|name| !object.contains_key(**name));
        let problems = missing
            .map(|name| FieldProblem {
                field: format!("/{name}"),
                problem: "is missing",
            })
            .collect();
        Fields {
            object,
            profile,
            known: Vec::new(),
            problems,
        }
    }

    /// Reads one field with `reader`; `None` when it is missing or wrong.
    pub(super) fn read<T>(
        &mut self,
        name: &'static str,
        reader: impl FnOnce(&Value, &Profile) -> FieldResult<T>,
    ) -> Option<T> {
        self.known.push(name);
        let read = reader(self.object.get(name)?, self.profile);
        read.map_err(|problems| self.problems.extend(beneath(name, problems)))
            .ok()
    }

    /// Reads one field, or returns the default where it is missing or wrong. If the field is required (see
    /// [`Fields::of`]), [`Fields::finish`] then fails, so the default goes no further.
    pub(super) fn read_or_default<T: Default>(
        &mut self,
        name: &'static str,
        reader: impl FnOnce(&Value, &Profile) -> FieldResult<T>,
    ) -> T {
        self.read(name, reader).unwrap_or_default()
    }

    /// Returns `made`, or everything that was wrong with the fields.
    pub(super) fn finish<T>(mut self, made: T) -> FieldResult<T> {
        if self.profile.unknown_request_fields == UnknownRequestFields::Rejected {
            // The field's name comes from the client and is never quoted, so the problem is reported on the object.
            let is_known = |name: &String| self.known.contains(&name.as_str());
            if !self.object.keys().all(is_known) {
                self.problems.extend(problem("holds a field that is not documented"));
            }
        }
        if self.problems.is_empty() {
            Ok(made)
        } else {
            Err(self.problems)
        }
    }
}

/// Reads an object; an array is not accepted in its place.
pub(super) fn object(value: &Value) -> FieldResult<&Map<String, Value>> {
    value.as_object().ok_or_else(|| problem("is not an object"))
}

/// Reads an array, each entry with `reader`.
pub(super) fn list<T>(
    value: &Value,
    profile: &Profile,
    reader: impl Fn(&Value, &Profile) -> FieldResult<T>,
) -> FieldResult<Vec<T>> {
    let entries = value.as_array().ok_or_else(|| problem("is not an array"))?;
    if entries.len() > MAX_ENTRIES {
        return Err(problem("has more than 100 entries"));
    }
    let mut items = Vec::with_capacity(entries.len());
    let mut problems = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        match reader(entry, profile) {
            Ok(item) => items.push(item),
            Err(wrong) => problems.extend(beneath(&index.to_string(), wrong)),
        }
    }
    if problems.is_empty() { Ok(items) } else { Err(problems) }
}

/// Makes a problem with the value itself.
pub(super) fn problem(problem: &'static str) -> Vec<FieldProblem> {
    vec![FieldProblem {
        field: String::new(),
        problem,
    }]
}

fn beneath(step: &str, problems: Vec<FieldProblem>) -> impl Iterator<Item = FieldProblem> {
    problems.into_iter().map(move |inner| FieldProblem {
        field: format!("/{step}{}", inner.field),
        ..inner
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn number(value: &Value, _: &Profile) -> FieldResult<i64> {
        value.as_i64().ok_or_else(|| problem("is not an integer"))
    }

    fn point(value: &Value, profile: &Profile) -> FieldResult<(i64, Option<i64>)> {
        let mut fields = Fields::of(object(value)?, &["x"], profile);
        let point = (fields.read_or_default("x", number), fields.read("y", number));
        fields.finish(point)
    }

    fn rejected(value: &Value) -> Vec<(String, &'static str)> {
        let problems = list(value, &Profile::default(), point).unwrap_err();
        problems.into_iter().map(|wrong| (wrong.field, wrong.problem)).collect()
    }

    #[test]
    fn fields_are_read_and_unknown_ones_are_ignored() {
        assert_eq!(
            list(
                &json!([{"x": 1, "z": null}, {"y": 3, "x": 2}]),
                &Profile::default(),
                point
            ),
            Ok(vec![(1, None), (2, Some(3))])
        );
    }

    #[test]
    fn fields_that_nobody_asks_for_are_rejected_where_the_profile_says_so() {
        let profile = Profile {
            unknown_request_fields: UnknownRequestFields::Rejected,
            ..Profile::default()
        };
        let problems = list(&json!([{"x": 1}, {"x": 1, "a/b": 2}]), &profile, point).unwrap_err();
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].field, "/1");
    }

    #[test]
    fn every_problem_has_its_full_pointer() {
        let wrong = json!([{"x": 1}, {"y": "a"}, [1], {"x": null}]);
        let expected = [
            ("/1/x", "is missing"),
            ("/1/y", "is not an integer"),
            ("/2", "is not an object"),
            ("/3/x", "is not an integer"),
        ];
        assert_eq!(
            rejected(&wrong),
            expected.map(|(field, problem)| (field.to_owned(), problem))
        );
    }

    #[test]
    fn a_list_is_an_array_and_bounded() {
        assert_eq!(rejected(&json!({})), [(String::new(), "is not an array")]);
        assert_eq!(
            rejected(&json!(vec![json!({"x": 1}); 101])),
            [(String::new(), "has more than 100 entries")]
        );
        assert_eq!(
            list(&json!(vec![json!({"x": 1}); 100]), &Profile::default(), point).map(|points| points.len()),
            Ok(100)
        );
    }
}
