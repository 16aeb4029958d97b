//! Describes what each kind of step does. The main types are [`Action`] and [`ActionSpec`].
//!
//! # Design
//!
//! [`Action::spec`] is the one exhaustive match: whoever adds an action states there why it is taken, what it may
//! send, what it decides and what may run at the same time. The description of a plan, its cost and the order of a run
//! are all derived from it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::optional::MAX_OPTIONAL;
use super::variants::{
    AWKWARD_UPDATES_WITHOUT_INVARIANTS, RECORDS_BY_DEFAULT, RECORDS_PER_VARIANT, TRIES_PER_VARIANT, reserved_writes,
};
use crate::contract::Contract;
use crate::contract::edge_case::EdgeCase;
use crate::contract::fact::FactKind;
use crate::contract::operation::OperationId;

/// What a step does. Steps run in the order of these variants, except those that `order_key` moves: reads that creates
/// wait for (see [`Plan::steps`](super::Plan::steps)), probes of reads that wait for a create, probes of a second page,
/// nested walks, queries, reads of updated records, and equivalent reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Walks over the pages of a list.
    Walk,
    /// Reads the first pages of a list.
    SamplePages,
    /// Walks over the pages of a list whose path takes a value from another response.
    WalkNested,
    /// Reads once.
    Read,
    /// Calls a reading operation with a credential that must be rejected.
    ProbeRead(CredentialProbe),
    /// Creates a record.
    Create,
    /// Creates records until this list, if it has a single page, has a second one.
    FillToSecondPage,
    /// Creates further records, from variants of an accepted body.
    VaryCreate,
    /// Creates records until the last page of this list is full, and then one more.
    FillLastPage,
    /// Looks for the created records in this list, which must show them.
    LookForCreated,
    /// Walks once more over the pages of this list, if records were created for its second or last page.
    WalkFilledList,
    /// Reads, or walks over a list, with a value that a create showed.
    ReadCreated,
    /// Reads by `POST`.
    Query,
    /// Reads the created records by their identifiers, and their list: they must be there, with what was sent.
    ReadBackCreated,
    /// Updates a record of this run.
    Update,
    /// Reads the updated record: it must show what was sent. A PUT is then sent once more, and the record read again.
    /// It comes right after the update.
    ReadBackUpdated,
    /// Looks for the updated records in this list, which must show what was sent.
    LookForUpdates,
    /// Updates a record of this run with variants of an accepted body, and looks for each of them.
    VaryUpdate,
    /// Updates a record of this run with awkward values, one field, falsy values and other choices, and reads it, where
    /// no invariant says what the update does.
    VaryAndReadBack,
    /// Walks over the pages of a list without `x-page`, where they are inferred.
    WalkInferredPages,
    /// Reads with each optional parameter of the query by itself.
    ReadOptional,
    /// Sends an equivalent request, which RFCs define as the same: a read, or an accepted update of a record of
    /// this run.
    Equivalent,
    /// Calls a writing operation with a credential that must be rejected. It comes late, because its body is drafted
    /// like one that the operation has accepted.
    ProbeWrite(CredentialProbe),
    /// Looks at one page of this list, or at this read of a record, to see whether the writes that had to be rejected
    /// ([`Self::ProbeWrite`]) changed anything.
    LookAtRejectedWrites,
    /// Asks what the document leaves open about the operation, in trials.
    Ask,
    /// Asks what it leaves open about a create, by creating further records.
    AskByCreating,
    /// Sends an edge case to a reading operation. Edge cases come after all other judged requests
    /// but those of [`Self::Restore`], [`Self::Delete`] and [`Self::ResidueLook`], because their effect on a target is
    /// unknown.
    EdgeCaseRead(EdgeCase),
    /// Sends an edge case to a writing operation, where only a part of the body differs: the rest is like a body that
    /// was accepted, if one was.
    EdgeCaseWrite(EdgeCase),
    /// Updates a record of this run with plain values again, after awkward values and edge cases.
    Restore,
    /// Deletes the records of the run, the newest first, and looks for each again, by its identifier and in its list:
    /// it must be gone.
    Delete,
    /// Looks through this list at the end of the run, for everything that the run left there.
    ResidueLook,
}

/// The credential of a probe, in the order of sending, except that a second page is requested once its list is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CredentialProbe {
    /// No credential.
    NoCredential,
    /// An empty token.
    EmptyToken,
    /// No credential, to the second page of a list that has one.
    SecondPage,
    /// The right token under another authentication scheme: `Basic` in place of `Bearer`.
    OtherScheme,
    /// A wrong token, made from the right one in a way that no other step of the run uses.
    WrongToken,
}

/// The maximum number of trials for one question: [`TRIALS_TO_INDICATE`] of them must decide it, and a few may decide
/// nothing.
pub(crate) const MAX_TRIALS: u64 = 7;
/// The maximum number of records that a run leaves when it asks by creating; a service may create others along with
/// them that the run does not know of.
pub(crate) const MAX_RECORDS_TO_LEARN: u64 = 14;
/// How many trials must agree before an answer is [`Indicated`](crate::gaps::AnswerState::Indicated).
pub(crate) const TRIALS_TO_INDICATE: u64 = 4;

/// The maximum number of pages of a list that are sampled: more would show more of the same.
pub(crate) const MAX_SAMPLED: u64 = 3;

/// The maximum number of pages of a list that are walked where they are inferred.
pub(crate) const MAX_INFERRED_PAGES: u64 = 10;

/// What shows the record of a create, apart from its own response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownBy {
    /// This list.
    List(OperationId),
    /// This operation, by the record's identifier.
    Read(OperationId),
}

impl ShownBy {
    /// Returns the operation that is called.
    #[must_use]
    pub fn operation(self) -> OperationId {
        match self {
            Self::List(operation) | Self::Read(operation) => operation,
        }
    }
}

/// The limits of a run, by which the requests of a step are bounded.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The maximum number of records that a run may leave in the target.
    pub max_writes: u64,
    /// The maximum number of pages of a list that are walked.
    pub max_pages: u64,
    /// The maximum time until the target shows what the run did.
    pub settle: Duration,
}

/// What shows whether a fact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FactEvidence {
    /// Any documented response.
    Response,
    /// The response to any request that must be rejected.
    Challenge,
    /// The response to a create, compared with what was sent.
    Created,
    /// A look through a list at the end of the run, which shows how many records each write left.
    Counted,
    /// The other items of a list, in which nothing of what was written may appear.
    OtherItems,
    /// The response to an equivalent request.
    Equivalent,
    /// A list that was requested with a query parameter that filters or sorts it.
    Filtered,
    /// The list that must show a created record.
    Listed,
    /// The response to an edge case.
    EdgeCase,
    /// A walk over pages.
    Paged,
    /// A walk over the pages of a list without `x-page`.
    InferredPages,
    /// The response to a request without a credential.
    NoCredential,
    /// The response to a request with the right token under another authentication scheme.
    OtherScheme,
    /// The response to a request with a wrong token.
    WrongToken,
    /// The list that must show an update.
    Updated,
    /// The read of a created record, and its list, by an inferred lifecycle.
    ReadBackCreated,
    /// The read of an updated record, by an inferred lifecycle.
    ReadBackUpdated,
    /// The read of a deleted record, and its list.
    Deleted,
}

/// The description of an action.
#[derive(Clone, Copy, Debug)]
pub struct ActionSpec {
    /// What the step does, and why.
    pub reason: &'static str,
    /// How many requests the step sends, with names in braces for values that [`Action::requests`] fills in.
    requests: &'static str,
    /// Whether the step is part of every round of a run that repeats its plan.
    pub repeats: bool,
    /// The evidence that its responses give.
    pub(super) decides: &'static [FactEvidence],
    /// `(contract, subject, called)`: whether the step decides facts of the operation `subject` by calling `called`:
    /// facts of the same operation, or of one whose records the called list shows.
    pub(super) decides_facts_of: fn(&Contract, OperationId, OperationId) -> bool,
    /// The list, or the read of a record, that is sent after each request.
    pub(super) read_after: fn(&Contract, &BTreeMap<OperationId, ShownBy>, OperationId) -> Option<OperationId>,
    /// Whether it sends variants of an accepted body.
    pub(super) varies: bool,
    /// Whether the step, whose operation is a list, creates items of that list to fill a page.
    pub(super) fills: bool,
    always_sends: bool,
    /// Whether steps with this action run at the same time. Lists do not depend on each other, and neither do edge
    /// cases or calls that must be rejected. But a read may need a value from the read before it, and writes are sent
    /// one by one.
    runs_concurrently: bool,
}

/// One request that decides nothing by itself.
const ONE: ActionSpec = ActionSpec {
    reason: "",
    requests: "one request",
    repeats: true,
    decides: &[],
    decides_facts_of: |_, of, operation| of == operation,
    read_after: |_, _, _| None,
    varies: false,
    fills: false,
    always_sends: true,
    runs_concurrently: false,
};

const WALK: ActionSpec = ActionSpec {
    reason: "walk the list: each response is judged, and the pages must add up",
    requests: "the first page, then pages 2 to the last, {max_pages} at most; repeated for up to \
               {settle} s (settle) if they do not add up",
    decides: &[FactEvidence::Response, FactEvidence::Paged],
    runs_concurrently: true,
    ..ONE
};

const SAMPLE_PAGES: ActionSpec = ActionSpec {
    reason: "read the first pages of the list: they show values",
    requests: "the first page, then pages 2 to the last, {sampled} at most",
    decides: &[FactEvidence::Response],
    ..WALK
};

const WALK_NESTED: ActionSpec = ActionSpec {
    reason: "walk the list inside another record: its pages must add up",
    runs_concurrently: false,
    ..WALK
};

const WALK_FILLED_LIST: ActionSpec = ActionSpec {
    reason: "walk the list again if it got a second page: the pages must add up",
    requests: "none, or the first page, then pages 2 to the last, {max_pages} at most",
    always_sends: false,
    ..ONE
};

const READ: ActionSpec = ActionSpec {
    reason: "read: the response is judged",
    decides: &[FactEvidence::Response],
    ..ONE
};

const READ_CREATED: ActionSpec = ActionSpec {
    reason: "read with what a create showed, preferably a record of this run",
    requests: "one request, repeated for up to {settle} s (settle) while it gets a 404; for a list its pages, \
               {max_pages} at most",
    decides: &[FactEvidence::Response, FactEvidence::Paged],
    ..ONE
};

const QUERY: ActionSpec = ActionSpec {
    reason: "send the query (a POST that only reads): the response is judged",
    requests: "one request with only the required fields, if max-writes {max_writes} has room for one more record",
    always_sends: false,
    ..READ
};

const CREATE: ActionSpec = ActionSpec {
    reason: "create a record: the response must be as documented and carry what was sent",
    requests: "one request in each documented format, and again, changed field by field, until it is accepted; \
               together they leave at most {max_writes} records (max-writes); the \
               identifier is used in writes only after a read has shown the record",
    decides: &[FactEvidence::Response, FactEvidence::Created],
    read_after: |_, shown_by, create| shown_by.get(&create).map(|shown| shown.operation()),
    ..ONE
};

const FILL_TO_SECOND_PAGE: ActionSpec = ActionSpec {
    reason: "create more of the list's records until it has a second page, if that can be reached",
    requests: "none if the list has a second page; otherwise as many as it takes, provided that {reserved} of the \
               {max_writes} writes that max-writes allows are left over",
    fills: true,
    always_sends: false,
    ..ONE
};

const FILL_LAST_PAGE: ActionSpec = ActionSpec {
    reason: "create more of the list's records until its last page is full, if max-writes is above its default",
    requests: "none unless max-writes ({max_writes}) is above its default ({by_default}); then it reads all pages, and \
               creates as many records as the last page lacks, if the writes beyond the default suffice; it reads the \
               first and the last page up to three times, with the page before a full one: one record before the last \
               page is full, when it is full, and one record later",
    // What it creates stays, so it is done only once.
    repeats: false,
    ..FILL_TO_SECOND_PAGE
};

const VARY_CREATE: ActionSpec = ActionSpec {
    reason: "create further records: awkward values (valid, but often mishandled), single fields, only the required fields, other UTC offsets",
    requests: "one request with awkward values, or with fewer if they are rejected; then one more variant for every \
               {variant} records that max-writes ({max_writes}) allows, rounded up, with at most {tries} tries each; \
               unless jobs is 1, one operation gets an ordinary create instead, sent together with the awkward one and \
               a read of the list",
    read_after: |contract, _, create| contract.list_whose_items_are_created_by(create),
    varies: true,
    always_sends: false,
    ..ONE
};

const LOOK_FOR_CREATED: ActionSpec = ActionSpec {
    reason: "look for what was created: it must be listed, with what was sent",
    requests: "pages 1 to last_page, {max_pages} at most, until it is there; repeated for up to {settle} s (settle)",
    decides: &[FactEvidence::Listed, FactEvidence::OtherItems],
    decides_facts_of: |contract, create, list| contract.list_showing_created_by(create) == Some(list),
    ..ONE
};

const UPDATE: ActionSpec = ActionSpec {
    reason: "update a record that this run created",
    requests: "one request, and again, changed field by field, until it is accepted",
    ..READ
};

const READ_BACK_CREATED: ActionSpec = ActionSpec {
    reason: "read what was created by its identifier, and its list: it must be there, with what was sent",
    requests: "one read and one request of the list for each created record, repeated for up to {settle} s (settle) \
               while it does not show",
    decides: &[FactEvidence::ReadBackCreated],
    always_sends: false,
    ..ONE
};

const READ_BACK_UPDATED: ActionSpec = ActionSpec {
    reason: "read what was updated: it must show what was sent, also after a PUT is sent twice",
    requests: "one read, repeated for up to {settle} s (settle) while it does not show that; for a PUT the same request \
               and the read once more",
    decides: &[FactEvidence::ReadBackUpdated],
    ..READ_BACK_CREATED
};

const DELETE: ActionSpec = ActionSpec {
    reason: "delete what the run created, the newest record first: it must be gone",
    requests: "for each record a read that shows that it is the run's own, one request (for the first record also one \
               without a credential and a read), and a read and one request of the list, each repeated for up to {settle} s (settle) \
               while it shows the record",
    decides: &[
        FactEvidence::Response,
        FactEvidence::Deleted,
        FactEvidence::NoCredential,
    ],
    repeats: false,
    always_sends: false,
    ..ONE
};

const LOOK_FOR_UPDATES: ActionSpec = ActionSpec {
    reason: "look for what was updated: the list must show what was sent, in that record alone",
    decides: &[FactEvidence::Updated, FactEvidence::OtherItems],
    decides_facts_of: |contract, update, list| contract.list_showing_updated_by(update) == Some(list),
    ..LOOK_FOR_CREATED
};

const VARY_UPDATE: ActionSpec = ActionSpec {
    reason: "update with the same body again, single fields, only the required fields, and awkward values (valid, but often mishandled): the list \
             must show each",
    requests: "one request for each of these bodies, and the list's pages until it shows what was sent; awkward values \
               that are rejected together are sent again in halves",
    read_after: |contract, _, update| contract.list_showing_updated_by(update),
    ..VARY_CREATE
};

const VARY_AND_READ_BACK: ActionSpec = ActionSpec {
    reason: "update with awkward values (valid, but often mishandled), with others that are easily changed (several elements, \
             decimal places, long texts), with one field by PATCH, with false, 0 or null, and with other choices: the read \
             must show them, and the fields that were not sent as before",
    requests: "up to seven requests, each with a read, repeated for up to {settle} s (settle) while it does not show what was \
               sent; values that are rejected together are sent again in parts, {awkward} requests at most for each",
    decides: &[FactEvidence::ReadBackUpdated],
    read_after: |contract, _, update| contract.read_showing_update(update),
    ..VARY_CREATE
};

const WALK_INFERRED_PAGES: ActionSpec = ActionSpec {
    reason: "walk the pages that parameters and response imply: together they must hold each record of the list once",
    requests: "one request without those parameters, then page after page, {inferred_pages} at most, each smaller than \
               the first response; again with larger pages if the end of the list was not reached, and again if the \
               pages contradict the list",
    decides: &[FactEvidence::InferredPages],
    runs_concurrently: true,
    ..ONE
};

const READ_OPTIONAL: ActionSpec = ActionSpec {
    reason: "read with each optional parameter of the query by itself: the response is judged, and a filter must have \
             been applied, and the list sorted; a rejection decides nothing",
    requests: "one request for each parameter, {optional} parameters at most; two for some filters, \
               and for one that sorts",
    decides: &[FactEvidence::Filtered],
    runs_concurrently: true,
    ..ONE
};

const EQUIVALENT: ActionSpec = ActionSpec {
    reason: "send equivalent requests, which RFCs define as the same: they must be accepted like the usual spelling",
    requests: "one request in all other spellings at once, and for an update the list's page that shows it; where it \
               is rejected, the plain request and each spelling alone",
    decides: &[FactEvidence::Equivalent],
    varies: false,
    ..VARY_UPDATE
};

const LOOK_AT_REJECTED_WRITES: ActionSpec = ActionSpec {
    reason: "look at the updated record again: what was rejected must not have changed it",
    requests: "none, or one page or read where a write was rejected",
    always_sends: false,
    ..ONE
};

const ASK: ActionSpec = ActionSpec {
    reason: "ask what the document leaves open about each operation: each question is a request between two ordinary \
             ones that must succeed",
    requests: "an ordinary request; then, up to {trials} times, one request for each open question (two for a read) and \
               another ordinary one. Questions about several fields share a request while that is accepted. In between, \
               reads of the list until it shows the update, and up to 6 to reach another replica. No record is created",
    repeats: false,
    ..ONE
};

const ASK_BY_CREATING: ActionSpec = ActionSpec {
    reason: "ask what the document leaves open about a create, such as which fields are required and whether a \
             duplicate is rejected",
    requests: "up to {trials_to_indicate} rejected creates for each required field, each without some of the fields; usually \
               at most 4 accepted ones, each of which leaves a record; the same record up to {trials} times, until one \
               is accepted; nothing once there are {records} records, or max-writes {max_writes} is reached; reads of \
               the list, so that another replica answers",
    always_sends: false,
    ..ASK
};

const EDGE_CASE_READ: ActionSpec = ActionSpec {
    reason: "send an edge case: the response must be complete and not a 5xx",
    decides: &[FactEvidence::EdgeCase],
    runs_concurrently: true,
    ..ONE
};

const EDGE_CASE_WRITE: ActionSpec = ActionSpec {
    requests: "one request; what it leaves counts against max-writes {max_writes}",
    runs_concurrently: false,
    ..EDGE_CASE_READ
};

const RESTORE: ActionSpec = ActionSpec {
    reason: "restore plain values, because people may read what stays in the target",
    always_sends: false,
    ..ONE
};

const RESIDUE_LOOK: ActionSpec = ActionSpec {
    reason: "search the list for the run tag, to report what the run left",
    requests: "the first page, then pages 2 to the last, {max_pages} at most; only the first response of a list without \
               `x-page`",
    decides: &[FactEvidence::Counted],
    decides_facts_of: |contract, write, list| {
        (LOOK_FOR_CREATED.decides_facts_of)(contract, write, list)
            || (LOOK_FOR_UPDATES.decides_facts_of)(contract, write, list)
    },
    always_sends: false,
    ..ONE
};

impl Action {
    /// Returns the description of the action.
    #[must_use]
    pub fn spec(self) -> ActionSpec {
        match self {
            Self::Walk => WALK,
            Self::SamplePages => SAMPLE_PAGES,
            Self::WalkNested => WALK_NESTED,
            Self::WalkFilledList => WALK_FILLED_LIST,
            Self::Read => READ,
            Self::ReadCreated => READ_CREATED,
            Self::Query => QUERY,
            Self::Create => CREATE,
            Self::FillToSecondPage => FILL_TO_SECOND_PAGE,
            Self::FillLastPage => FILL_LAST_PAGE,
            Self::VaryCreate => VARY_CREATE,
            Self::LookForCreated => LOOK_FOR_CREATED,
            Self::Update => UPDATE,
            Self::ReadBackCreated => READ_BACK_CREATED,
            Self::ReadBackUpdated => READ_BACK_UPDATED,
            Self::Delete => DELETE,
            Self::LookForUpdates => LOOK_FOR_UPDATES,
            Self::VaryUpdate => VARY_UPDATE,
            Self::VaryAndReadBack => VARY_AND_READ_BACK,
            Self::WalkInferredPages => WALK_INFERRED_PAGES,
            Self::ReadOptional => READ_OPTIONAL,
            Self::Equivalent => EQUIVALENT,
            Self::LookAtRejectedWrites => LOOK_AT_REJECTED_WRITES,
            Self::Ask => ASK,
            Self::AskByCreating => ASK_BY_CREATING,
            Self::ProbeRead(probe) => ActionSpec {
                runs_concurrently: true,
                ..probe.spec()
            },
            Self::ProbeWrite(probe) => ActionSpec {
                requests: "one request, with a body like the accepted one, if there is one; what it leaves counts against max-writes \
                           {max_writes}",
                ..probe.spec()
            },
            Self::EdgeCaseRead(_) => EDGE_CASE_READ,
            Self::EdgeCaseWrite(_) => EDGE_CASE_WRITE,
            Self::Restore => RESTORE,
            Self::ResidueLook => RESIDUE_LOOK,
        }
    }

    /// Describes how many requests the step sends, as far as that is known before the target responds.
    #[must_use]
    pub fn requests(self, bounds: &Bounds) -> String {
        let values = [
            ("{max_pages}", bounds.max_pages),
            ("{max_writes}", bounds.max_writes),
            ("{reserved}", reserved_writes(bounds.max_writes)),
            ("{by_default}", RECORDS_BY_DEFAULT),
            ("{variant}", RECORDS_PER_VARIANT),
            ("{tries}", TRIES_PER_VARIANT),
            ("{optional}", MAX_OPTIONAL),
            ("{awkward}", AWKWARD_UPDATES_WITHOUT_INVARIANTS),
            ("{sampled}", bounds.max_pages.min(MAX_SAMPLED)),
            ("{trials}", MAX_TRIALS),
            ("{trials_to_indicate}", TRIALS_TO_INDICATE),
            ("{records}", MAX_RECORDS_TO_LEARN),
            ("{inferred_pages}", bounds.max_pages.min(MAX_INFERRED_PAGES)),
        ];
        let text = self
            .spec()
            .requests
            .replace("{settle}", &bounds.settle.as_secs_f64().to_string());
        values
            .iter()
            .fold(text, |text, (name, value)| text.replace(name, &value.to_string()))
    }

    /// Whether the step comes once, at the end of the run, after all rounds.
    #[must_use]
    pub fn comes_after_rounds(self) -> bool {
        matches!(self, Self::Delete | Self::ResidueLook)
    }

    /// Whether a step with this action sends a request whatever the target shows.
    #[must_use]
    pub fn always_sends(self) -> bool {
        self.spec().always_sends
    }

    /// Whether the steps of one group run at the same time, up to `--jobs`; otherwise each waits for the one before it.
    #[must_use]
    pub fn runs_concurrently(self) -> bool {
        self.spec().runs_concurrently
    }

    /// Whether a step is in one group with the step before it; [`Self::runs_concurrently`] says whether the group's
    /// steps run at the same time.
    #[must_use]
    pub fn shares_group_with(self, before: Self) -> bool {
        let walks = |action: Self| matches!(action, Self::Walk | Self::WalkInferredPages);
        let mixes_with_others = |action: Self| action.runs_concurrently() && !walks(action);
        // An operation that fails at a documented request gets no edge cases.
        let waits = self.edge_case().is_some() && before == Self::ReadOptional;
        self == before || (mixes_with_others(self) && mixes_with_others(before) && !waits)
    }

    /// Returns the edge case that it sends, if it sends one.
    #[must_use]
    pub fn edge_case(self) -> Option<EdgeCase> {
        match self {
            Self::EdgeCaseRead(edge_case) | Self::EdgeCaseWrite(edge_case) => Some(edge_case),
            _ => None,
        }
    }

    /// Returns the credential of a probe.
    #[must_use]
    pub fn probe(self) -> Option<CredentialProbe> {
        match self {
            Self::ProbeRead(probe) | Self::ProbeWrite(probe) => Some(probe),
            _ => None,
        }
    }
}

impl CredentialProbe {
    /// Returns the kind of fact that the probe decides.
    #[must_use]
    pub fn fact(self) -> FactKind {
        match self {
            Self::EmptyToken | Self::NoCredential | Self::SecondPage => FactKind::RejectsNoCredential,
            Self::OtherScheme => FactKind::RejectsOtherScheme,
            Self::WrongToken => FactKind::RejectsWrongToken,
        }
    }

    fn spec(self) -> ActionSpec {
        let probe = |reason, decides| ActionSpec { reason, decides, ..ONE };
        let without = &[FactEvidence::Challenge, FactEvidence::NoCredential];
        match self {
            Self::EmptyToken => probe("call with an empty token: it must be rejected", without),
            Self::NoCredential => probe("call without a credential: it must be rejected", without),
            Self::SecondPage => ActionSpec {
                requests: "none, or one request where the list has a second page",
                always_sends: false,
                ..probe(
                    "request a second page without a credential: it must be rejected",
                    without,
                )
            },
            Self::OtherScheme => probe(
                "call with the token under another scheme: it must be rejected",
                &[FactEvidence::Challenge, FactEvidence::OtherScheme],
            ),
            // A target may lock out a caller who guesses.
            Self::WrongToken => ActionSpec {
                repeats: false,
                ..probe(
                    "call with a wrong token: it must be rejected",
                    &[FactEvidence::Challenge, FactEvidence::WrongToken],
                )
            },
        }
    }
}
