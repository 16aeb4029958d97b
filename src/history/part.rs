//! What an exchange is a part of, as a run says that sends it. The main type is [`Part`].

use serde_json::Value;

use super::look::LookId;
use crate::contract::vocabulary::{Equivalence, TimestampForm};

/// What an exchange is a part of.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Nothing: it says what it says by itself.
    Alone,
    /// It was written otherwise, in these ways.
    Otherwise(Vec<Equivalence>),
    /// A page of a list, for a look at it; without a number the default one.
    Page(LookId, Option<u64>),
    /// The same request as one that was written otherwise, written plainly.
    Plainly,
    /// A single read, whose response later requests take values from.
    Read,
    /// A read by its identifier of a record that is looked for.
    ReadById(LookId),
    /// A write.
    Write(Sending),
}

/// What a write is to the run.
#[derive(Clone, Debug)]
pub(crate) struct Sending {
    pub(crate) role: Role,
    /// The form of the field that has several.
    pub(crate) form: TimestampForm,
    /// The values in its path, by parameter: a record's owner, or the record itself.
    pub(crate) path_values: Vec<(String, Value)>,
}

/// What a write's record is to what comes after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// One beside the others: what comes after goes to another record.
    Further,
    /// The one whose record, and whose choices, what comes after builds on.
    Main,
}
