//! The account of what a run may have left: what each create may have stored, and one look at the end for what is there
//! with the run's tag.
//!
//! # Design
//!
//! A target, or a gateway before it, may store a record and respond as if it had not. So what counts is not whether a create
//! was answered by a success but whether it was plainly rejected; and at the end the lists are asked, where nobody but this
//! run has written its tag. Which draft a record was is shown by the letters behind the run tag. What a create without a text
//! of the run (a visit) left shows the run tag of what it refers to, and carries what was sent.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::carried::carries_all;
use super::counts::Counts;
use super::evidence::{Evidence, Stored, Walk, WalkEnd};
use super::history::{History, Show};
use super::look::Item;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::{Carry, Created, Listed};
use crate::exchange::{Exchange, Failure, Intent, Request, Response, identifier};

/// The statuses that reject a write so plainly that it counts for nothing: the credential, the path, the method, a
/// conflict, or the content is at fault (RFC 9110, section 15.5). Another 4xx, and every redirection and 5xx, may come from
/// something between us and a service that has stored the record.
const REFUSALS: [u16; 11] = [400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422];

/// How far a run looked, at its end, for what it left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "LookedThroughRecord")]
pub enum LookedThrough {
    /// Every list of what it may have created was seen whole.
    Whole,
    /// Some list did not show all of itself, or some record is in none.
    Part,
    /// It did not look: it wrote nothing, or ended before.
    #[default]
    Nothing,
}

/// What became of a write that creates.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// It may have stored a record: this one of the residue.
    Left(usize),
    /// It was plainly rejected, with this status.
    Rejected(u16),
}

/// A record that shows the run's tag, and that no create of the run answered with: something that the target made beside
/// one, or a record that a write reached by mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The list that shows it.
    pub list: OperationId,
    /// Its identifier, where it has one.
    pub id: Option<String>,
}

/// How many of them are reported.
const MOST_OTHERS: usize = 100;

/// Something that a run may have left in the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residue {
    /// The operation that created it.
    pub operation: OperationId,
    /// Its identifier, when the response showed one.
    pub id: Option<String>,
    /// The status that it was answered with; none where no response came, so that nobody knows what was created.
    pub status: Option<u16>,
    /// Whether the look at the end of the run showed it; none where that look did not see all of its list.
    pub found: Option<bool>,
}

/// What a run may have left in the target.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Each record that it may have left.
    pub(super) residue: Vec<Residue>,
    /// What became of each create.
    creates: Creates,
    /// The writes whose records are counted at the end.
    pub(super) counts: Counts,
    /// What else shows the run's tag at the end.
    pub(super) others: Vec<Other>,
    /// The walk that looked for what is left in each list.
    pub(super) walks: HashMap<OperationId, Walk>,
    /// The lists that it saw whole.
    seen_whole: HashSet<OperationId>,
}

/// The creates of a run, and what became of them.
#[derive(Debug, Default)]
struct Creates {
    /// By the number of the draft, for those that sent the run's tag: the last one first, where it was sent again.
    tagged: HashMap<u64, (OperationId, Vec<Fate>)>,
    /// The last of the others, each with its body.
    untagged: VecDeque<(OperationId, Fate, Value)>,
    /// The updates by the number of the draft, each with the status that rejected it; none where it was sent once more, or
    /// otherwise, and may have been done.
    updates: HashMap<u64, (OperationId, Option<u16>)>,
}

/// How many creates are remembered that were rejected, with a run tag and without one: a soak may send any number.
const TAGGED: usize = 100_000;
const UNTAGGED: usize = 1_000;

impl Creates {
    /// The update of this draft and the status that rejected it, where nothing else was sent with what it carried.
    fn rejected_update(&self, number: u64) -> Option<(OperationId, u16)> {
        let (operation, status) = self.updates.get(&number)?;
        Some((*operation, (*status)?))
    }

    fn has_rejected_update(&self) -> bool {
        self.updates.values().any(|(_, status)| status.is_some())
    }

    /// The operations whose creates were sent.
    fn operations(&self) -> BTreeSet<OperationId> {
        let untagged = self.untagged.iter().map(|(operation, ..)| *operation);
        let tagged = self.tagged.values().map(|(operation, _)| *operation);
        tagged.chain(untagged).collect()
    }

    /// What became of the create that left a record with these numbers: the one of its draft, or one that sent no run tag and
    /// whose values it carries. Of several, as where a create was sent again, it is one that is `open` still.
    fn fate(
        &self,
        (operation, created): (OperationId, &Created),
        (record, numbers): (&Value, &[u64]),
        open: impl Fn(&Fate) -> bool,
    ) -> Option<Fate> {
        let tagged = numbers.iter().find_map(|number| {
            let (of, fates) = self.tagged.get(number)?;
            (*of == operation).then(|| fates.clone())
        });
        // Less than all that must come back may be what several records have.
        let strict = || created.carries.iter().filter(|carry| carry.gap.is_none());
        let has = |carry: &Carry, body: &Value| {
            !pointer::select(body, &carry.sent).is_empty() && !pointer::select(record, &carry.kept).is_empty()
        };
        let is_shown = |body: &Value| {
            strict().all(|carry| has(carry, body))
                && strict().next().is_some()
                && carries_all(&created.carries, body, record)
        };
        let fates = tagged.unwrap_or_else(|| {
            let untagged = self.untagged.iter();
            let found = untagged.filter(|(of, _, body)| *of == operation && is_shown(body));
            found.map(|(_, fate, _)| *fate).collect()
        });
        fates.iter().find(|fate| open(fate)).or(fates.first()).copied()
    }
}

/// A record that is there, or changed, although the write that sent it was rejected.
#[derive(Debug)]
struct Leftover {
    operation: OperationId,
    status: u16,
    pointer: String,
    request: Request,
}

/// What a look for what is left has met so far.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    /// The identifiers in the residue, by operation, with their places there.
    known: HashMap<(OperationId, String), usize>,
    rejected: Vec<Leftover>,
    others: Vec<Other>,
}

impl Leftovers {
    fn other(&mut self, list: OperationId, id: Option<String>) {
        let other = Other { list, id };
        if self.others.len() < MOST_OTHERS && !self.others.contains(&other) {
            self.others.push(other);
        }
    }

    /// Judges the writes that were rejected and are there all the same.
    pub(super) fn judge(&self, show: Show<'_>) {
        for left in &self.rejected {
            let stored = Stored {
                operation: left.operation,
                status: left.status,
                pointer: &left.pointer,
            };
            show(Evidence::Stored(stored, &left.request));
        }
    }
}

/// Where a record shows.
struct Shown<'shown> {
    list: OperationId,
    /// Whether it is an item of the list; otherwise it stands in one.
    is_an_item: bool,
    pointer: String,
    request: &'shown Request,
}

/// What one item is held against.
struct Books<'books> {
    look: &'books mut Leftovers,
    creates: &'books Creates,
    residue: &'books mut Vec<Residue>,
}

impl History<'_> {
    /// Notes what a write may have left in the target; `id` is that of what it created. An update changes only what a create
    /// has left already; one that is rejected changes nothing.
    pub(super) fn note_write(&mut self, (exchange, intent): (&Exchange, Intent), id: Option<&str>) {
        let operation = exchange.request.operation;
        if !self.contract.operation(operation).creates() {
            return self.note_rejected_update(exchange);
        }
        let Some(stored) = may_have_stored(&exchange.outcome) else {
            return;
        };
        self.note_counted_create((exchange, intent), id);
        let status = exchange.status();
        let fate = if stored {
            Fate::Left(self.leave(Residue {
                operation,
                id: id.map(str::to_owned),
                status,
                found: None,
            }))
        } else {
            Fate::Rejected(status.unwrap_or_default())
        };
        let body = exchange.request.json().cloned().unwrap_or_default();
        let numbers = self.run_tag.numbers_in(&body);
        let creates = &mut self.account.creates;
        if numbers.is_empty() {
            creates.untagged.truncate(UNTAGGED - 1);
            creates.untagged.push_front((operation, fate, body));
        }
        // What may be there is bounded by the writes that are allowed, what was rejected is not.
        if stored || creates.tagged.len() < TAGGED {
            for number in numbers {
                let (_, fates) = creates.tagged.entry(number).or_insert_with(|| (operation, Vec::new()));
                fates.insert(0, fate);
            }
        }
    }

    fn note_rejected_update(&mut self, exchange: &Exchange) {
        let operation = exchange.request.operation;
        let updates = self.contract.operation(operation).invariants.updated.is_some();
        let stored = may_have_stored(&exchange.outcome).filter(|_| updates);
        let (Some(stored), Some(body)) = (stored, exchange.request.json()) else {
            return;
        };
        let status = exchange.status();
        let updates = &mut self.account.creates.updates;
        for number in self.run_tag.numbers_in(body) {
            if stored {
                updates.insert(number, (operation, None));
            } else if updates.len() < TAGGED {
                updates.entry(number).or_insert((operation, status));
            }
        }
    }

    /// Notes something that may be left; hands back its place in the residue.
    pub(crate) fn leave(&mut self, left: Residue) -> usize {
        self.account.residue.push(left);
        self.account.residue.len() - 1
    }

    /// How many records may be left.
    pub(crate) fn count_left(&self) -> u64 {
        u64::try_from(self.account.residue.len()).unwrap_or(u64::MAX)
    }

    /// The page that showed the record last which a write with a wrong credential may have changed; none where there was no
    /// such write. What comes behind them may write over what they did.
    pub(crate) fn page_of_rejected(&self, list: OperationId) -> Option<Option<u64>> {
        let in_list = |operation: &OperationId| self.contract.updated_in(*operation) == Some(list);
        let mut latest = self.latest.iter();
        let (_, seen) = latest.find(|(operation, _)| in_list(operation))?;
        self.account.creates.has_rejected_update().then_some(seen.page)
    }

    /// Whether anything was sent that may have created something.
    pub(crate) fn has_created(&self) -> bool {
        !self.account.creates.operations().is_empty()
    }

    /// Begins a look for what is left, which knows what is in the residue.
    pub(super) fn leftovers(&self) -> Leftovers {
        let mut leftovers = Leftovers::default();
        for (index, left) in self.account.residue.iter().enumerate() {
            let id = left.id.clone().map(|id| ((left.operation, id), index));
            leftovers.known.extend(id);
        }
        leftovers
    }

    /// Keeps what a look for what is left has met.
    pub(super) fn note_left(&mut self, leftovers: Leftovers, walk: Walk) {
        self.account.others.extend(leftovers.others);
        if walk.end == WalkEnd::Complete {
            self.account.seen_whole.insert(walk.operation);
        }
        self.account.walks.insert(walk.operation, walk);
    }

    /// Says of what no look has shown that it was not found, where it would have been seen.
    pub(crate) fn close_account(&mut self) -> LookedThrough {
        let (contract, account) = (self.contract, &mut self.account);
        let seen = |operation: OperationId| {
            let list = contract.created_in(operation);
            list.is_some_and(|list| account.seen_whole.contains(&list))
        };
        for left in account.residue.iter_mut().filter(|left| seen(left.operation)) {
            left.found.get_or_insert(false);
        }
        if account.creates.operations().into_iter().all(seen) {
            LookedThrough::Whole
        } else {
            LookedThrough::Part
        }
    }

    /// Accounts for what an item shows of the run.
    pub(super) fn look_at_item(&mut self, list: OperationId, item: Item<'_>, leftovers: &mut Leftovers) {
        if !self.run_tag.is_in(item.value) {
            return;
        }
        let mut residue = std::mem::take(&mut self.account.residue);
        let mut books = Books {
            look: leftovers,
            creates: &self.account.creates,
            residue: &mut residue,
        };
        self.account_for(list, item, &mut books);
        self.account.residue = residue;
    }

    /// Accounts for what an item is or holds that the run created.
    fn account_for(&self, list: OperationId, item: Item<'_>, books: &mut Books<'_>) {
        self.account_for_updates(list, item, books);
        for operation in self.contract.operation_ids() {
            let Some((created, listed)) = self.invariant(operation) else {
                continue;
            };
            if self.contract.created_in(operation) != Some(list) {
                continue;
            }
            for (record, at) in records(item.value, item.pointer(), listed) {
                let numbers = self.run_tag.numbers_in(record);
                if !numbers.is_empty() {
                    let shown = Shown {
                        list,
                        is_an_item: listed.owner.is_none(),
                        pointer: at,
                        request: item.request,
                    };
                    books.record((operation, created), (record, &numbers), &shown);
                }
            }
        }
    }

    /// Notes the rejected update whose values an item shows.
    fn account_for_updates(&self, list: OperationId, item: Item<'_>, books: &mut Books<'_>) {
        let numbers = self.run_tag.numbers_in(item.value);
        let rejected = numbers.iter().find_map(|number| books.creates.rejected_update(*number));
        let Some((operation, status)) = rejected else { return };
        let updated = self.contract.operation(operation).invariants.updated.as_ref();
        let shown_in = updated.and_then(|updated| self.contract.operation_named(&updated.listed.operation));
        if shown_in == Some(list) {
            books.look.rejected.push(Leftover {
                operation,
                status,
                pointer: item.pointer(),
                request: item.request.clone(),
            });
        }
    }
}

/// The records that an item is or holds, each with its pointer in the response.
pub(super) fn records<'item>(item: &'item Value, at: String, listed: &Listed) -> Vec<(&'item Value, String)> {
    let Some(below) = listed.at.as_deref().filter(|_| listed.owner.is_some()) else {
        return vec![(item, at)];
    };
    let records = item.pointer(below).and_then(Value::as_array);
    let below = format!("{at}{below}");
    let records = records.into_iter().flatten().enumerate();
    records
        .map(|(index, record)| (record, pointer::element(&below, index)))
        .collect()
}

impl Books<'_> {
    /// Accounts for one record that shows the run tag.
    fn record(
        &mut self,
        (operation, created): (OperationId, &Created),
        (record, numbers): (&Value, &[u64]),
        shown: &Shown<'_>,
    ) {
        let id = record.pointer(&created.id).and_then(identifier);
        let place = id.clone().and_then(|id| self.look.known.get(&(operation, id)).copied());
        if let Some(index) = place {
            self.residue[index].found = Some(true);
            return;
        }
        let is_open = |fate: &Fate| matches!(fate, Fate::Left(index) if self.residue[*index].id.is_none());
        let fate = self.creates.fate((operation, created), (record, numbers), is_open);
        let Some(fate) = fate else {
            // What a record holds belongs to it.
            if shown.is_an_item {
                self.look.other(shown.list, id);
            }
            return;
        };
        match fate {
            Fate::Left(index) if self.residue[index].id.is_none() => {
                self.residue[index].id.clone_from(&id);
                self.residue[index].found = Some(true);
                self.know(operation, id, index);
            }
            Fate::Left(index) => self.add(operation, id, self.residue[index].status),
            Fate::Rejected(status) => {
                self.add(operation, id, Some(status));
                self.look.rejected.push(Leftover {
                    operation,
                    status,
                    pointer: shown.pointer.clone(),
                    request: shown.request.clone(),
                });
            }
        }
    }

    fn add(&mut self, operation: OperationId, id: Option<String>, status: Option<u16>) {
        self.know(operation, id.clone(), self.residue.len());
        self.residue.push(Residue {
            operation,
            id,
            status,
            found: Some(true),
        });
    }

    fn know(&mut self, operation: OperationId, id: Option<String>, index: usize) {
        self.look.known.extend(id.map(|id| ((operation, id), index)));
    }
}

/// Whether a write may have changed the target; none where it never got there.
pub(crate) fn may_have_stored(outcome: &Result<Response, Failure>) -> Option<bool> {
    match outcome {
        Ok(response) => Some(!REFUSALS.contains(&response.status)),
        Err(failure) => (!failure.is_unreachable()).then_some(true),
    }
}
