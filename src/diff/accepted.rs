//! Accepted differences: which ones an entry of the configuration covers, and why it accepts them. The main type is
//! [`DifferenceScope`].

use std::fmt;

use chrono::NaiveDate;
use serde::Serialize;

use super::difference::{Diff, Difference};
use super::kind::Kind;

/// Which differences an entry of the configuration accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DifferenceScope {
    /// The kind.
    pub kind: Kind,
    /// The operation, such as `POST /things`; if left out, every operation, and the document itself.
    pub operation: Option<String>,
    /// What differs, as in [`Difference::sentence`]; if left out, every difference of the kind there.
    pub sentence: Option<String>,
}

/// Why a difference is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct AcceptedDifference {
    /// The reason.
    pub reason: String,
    /// The last day on which it is accepted, in UTC.
    pub until: Option<NaiveDate>,
    /// The file and line of the entry: `countersign.toml:12`.
    pub location: String,
}

impl DifferenceScope {
    /// Returns whether it covers a difference.
    #[must_use]
    pub fn covers(&self, difference: &Difference) -> bool {
        let of = difference.scope();
        let within = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        self.kind == of.kind && within(&self.operation, &of.operation) && within(&self.sentence, &of.sentence)
    }
}

impl fmt::Display for DifferenceScope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind.name())?;
        if let Some(operation) = &self.operation {
            write!(formatter, " in {operation}")?;
        }
        match &self.sentence {
            Some(sentence) => write!(formatter, " ({sentence})"),
            None => Ok(()),
        }
    }
}

impl Difference {
    /// Returns the narrowest scope that covers it.
    #[must_use]
    pub fn scope(&self) -> DifferenceScope {
        DifferenceScope {
            kind: self.kind,
            operation: self.operation.as_ref().map(ToString::to_string),
            sentence: Some(self.sentence.clone()),
        }
    }
}

impl Diff {
    /// Accepts what a scope covers, unless it is accepted already. Returns how many differences the scope covers.
    pub fn accept(&mut self, scope: &DifferenceScope, accepted: &AcceptedDifference) -> usize {
        let covered = self.differences.iter_mut().filter(|one| scope.covers(one));
        covered
            .map(|difference| difference.accepted.get_or_insert_with(|| accepted.clone()))
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{Release, diff, read};

    /// A response loses its bound, which breaks callers and leaves the client as it is, in two operations.
    fn sample() -> Diff {
        let with = |bound: &str| {
            let schema = format!("{{type: integer{bound}}}");
            let responses = format!("responses: {{'200': {{content: {{application/json: {{schema: {schema}}}}}}}}}");
            format!("openapi: 3.0.3\npaths:\n  /a:\n    get:\n      {responses}\n  /b:\n    get:\n      {responses}\n")
        };
        let read = |text: String| read("things.yaml", text).unwrap();
        diff(&read(with(", maximum: 3")), &read(with("")), None)
    }

    fn accepted(reason: &str) -> AcceptedDifference {
        AcceptedDifference {
            reason: reason.to_owned(),
            until: None,
            location: "countersign.toml:2".to_owned(),
        }
    }

    #[test]
    fn the_narrowest_scope_covers_its_difference_and_no_other() {
        let mut diff = sample();
        assert_eq!((diff.differences.len(), diff.release()), (2, Release::Major));
        let scope = diff.differences[0].scope();
        assert_eq!(diff.accept(&scope, &accepted("agreed")), 1);
        assert_eq!((diff.unaccepted().count(), diff.is_breaking()), (1, true));
        assert_eq!(diff.release(), Release::Major);
    }

    #[test]
    fn what_is_left_out_of_a_scope_is_not_compared() {
        let mut diff = sample();
        let kind = diff.differences[0].kind;
        let everywhere = DifferenceScope {
            kind,
            operation: None,
            sentence: None,
        };
        let other = DifferenceScope {
            kind: Kind::Enum,
            ..everywhere.clone()
        };
        assert_eq!(diff.accept(&other, &accepted("no")), 0);
        assert_eq!(diff.accept(&everywhere, &accepted("first")), 2);
        assert_eq!(diff.accept(&everywhere, &accepted("second")), 2);
        let reasons = diff.differences.iter().filter_map(|one| one.accepted.as_ref());
        assert!(reasons.map(|accepted| accepted.reason.as_str()).eq(["first", "first"]));
        // Only what it is for the client counts, and that is nothing.
        assert_eq!((diff.is_breaking(), diff.release()), (false, Release::Patch));
    }
}
