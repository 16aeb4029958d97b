//! The role of an exchange in its run, as stated by the run that sends it. The main type is [`ExchangeRole`].

use serde_json::Value;

use super::look::LookId;
use crate::contract::vocabulary::{Equivalence, TimestampFormat};

/// The role of an exchange in its run.
#[derive(Clone, Debug)]
pub(crate) enum ExchangeRole {
    /// No role: it is judged by itself.
    Alone,
    /// A request of another client, with the values in its path, by parameter.
    OtherClient(Vec<(String, Value)>),
    /// An equivalent request: one in a spelling that has these equivalences.
    Equivalent(Vec<Equivalence>),
    /// A page of a list, for a look at it; the default page where there is no number.
    Page(LookId, Option<u64>),
    /// The same request in its plain spelling, after an equivalent one was rejected.
    PlainAgain,
    /// A single read from whose response later requests take values.
    Read,
    /// A read of a sought record by its identifier, or a list that is read as a whole for one or for residue.
    RecordRead(LookId),
    /// An accepted update that is sent again, before the look reads its record.
    UpdateSentAgain(LookId),
    /// A write.
    Write(WriteContext),
}

/// What a write is to the run.
#[derive(Clone, Debug)]
pub(crate) struct WriteContext {
    pub(crate) role: RecordRole,
    /// The timestamp format of the field for which the contract accepts several
    /// (`Invariants::accepted_timestamp_formats`).
    pub(crate) format: TimestampFormat,
    /// The values in its path, by parameter: a record's owner, or the record itself.
    pub(crate) path_values: Vec<(String, Value)>,
}

/// The role of a write's record for later requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordRole {
    /// Later requests take nothing from it: they use another record.
    Additional,
    /// Like [`Self::Additional`], but it shows whether a timestamp format is accepted.
    ForFormat,
    /// Later requests build on its record and its values.
    Main,
}
