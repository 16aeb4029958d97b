//! Finds lists at other paths that may show the records of a collection, also those that it hides. The main function is
//! [`Contract::other_view`].
//!
//! A create may return a record that was there before: out of a trash, for example. Its read may reject it with 404
//! until then, so that only another list shows that it exists.

use super::Contract;
use super::inferred::{collection_name, comparable_path};
use super::lexicon::{camel_case_words, singular};
use super::operation::{Operation, OperationId};
use super::shape::Shape;
use super::texts::stated;

/// Words for a list of records that others do not show.
const HIDDEN: [&str; 9] = [
    "archive", "archived", "bin", "deleted", "recycle", "recycled", "removed", "trash", "trashed",
];

/// The smallest number of fields by which two schemas without names are recognised as those of the same records: an
/// identifier and a name are fields of any kind of record.
const MIN_FIELDS: usize = 3;

/// How another list shows the records of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OtherView {
    /// As records that were deleted or archived, in any form.
    Hidden,
    /// As items with their identifiers; with the noun of the collection.
    Items(String),
}

impl Contract {
    /// Returns how an operation at another path may list the records of a create; `None` if nothing says that it does.
    /// What can be created in the list itself is of another collection.
    pub(crate) fn other_view(&self, create: OperationId, list: &Operation) -> Option<OtherView> {
        let collection = comparable_path(self.operation(create).collection_path());
        let path = comparable_path(&list.path);
        let is_there = path.strip_prefix(&collection);
        let is_there = is_there.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_at_path = |other: &Operation| other.creates() && comparable_path(other.collection_path()) == path;
        if is_there || path.ends_with('}') || self.operations.iter().any(is_at_path) {
            return None;
        }
        let noun = |segment: &str| camel_case_words(segment).last().map(|last| singular(last));
        let name = noun(collection_name(&collection))?;
        let is_of_another = |segment| {
            let kind = noun(segment);
            kind.is_some_and(|kind| kind != name && self.record_kinds.contains(&kind))
        };
        let summary = stated(&self.document, list, "summary").unwrap_or_default();
        let mut words = camel_case_words(&path).into_iter().chain(camel_case_words(summary));
        if words.any(|word| HIDDEN.contains(&word.as_str())) && !path.split('/').any(is_of_another) {
            return Some(OtherView::Hidden);
        }
        let shows_items = noun(collection_name(&path)).as_ref() == Some(&name) || self.lists_same_records(create, list);
        shows_items.then_some(OtherView::Items(name))
    }

    /// Whether the items of a list have the fields of a create's records, with their types, and no schema says by its
    /// name that they are of another kind.
    fn lists_same_records(&self, create: OperationId, list: &Operation) -> bool {
        let Some((item, record)) = self.items_like(create, list) else {
            return false;
        };
        match (self.schema_name(item), self.schema_name(record)) {
            (Some(item), Some(record)) => item == record,
            _ => record.fields.len() >= MIN_FIELDS,
        }
    }

    /// Returns the name of the schema that states the fields of a record.
    fn schema_name(&self, record: &Shape) -> Option<&str> {
        let fact = self.shapes[record.fields.first()?.shape.0].type_fact?;
        let name = self.fact(fact).location.strip_prefix("/components/schemas/")?;
        name.split('/').next()
    }
}
