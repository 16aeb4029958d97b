//! Looks at a list for what is sought there, with one walk over its pages or several. The main type is [`Look`].

use std::sync::Arc;

use serde_json::Value;

use super::created::CreatedSearch;
use super::evidence::{Evidence, PageSeen, Stability, Walk, WalkEnd};
use super::history::{EvidenceSink, History};
use super::inferred_pages::{InferredWalk, NextPage, inferred_stability};
use super::lifecycle::{RecordSearch, RecordStage};
use super::own::TagCheck;
use super::pages::{adds_up, end_after_first_page, ends_add_up, page_seen, stability};
use super::records::AcceptedUpdate;
use super::residue::ResidueSearch;
use super::updated::UpdateSearch;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::exchange::json::Body;
use crate::exchange::{Credential, Exchange, Request, Target};

/// Identifies a look of a run, and the list or read that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LookId {
    number: u64,
    operation: OperationId,
}

impl LookId {
    /// Returns the list, or the read that shows one record.
    pub(crate) fn operation(self) -> OperationId {
        self.operation
    }
}

/// What a look seeks in a list, or in the read that shows one record.
#[derive(Clone, Debug)]
pub(crate) enum LookGoal {
    /// Every record that was created and that the list must show.
    Created,
    /// Those of them that one operation created.
    CreatedBy {
        /// The operation that creates them.
        operation: OperationId,
    },
    /// Like [`Self::Created`], but the look ends once each is found, whether or not another item has one of them too.
    CreatedUntilFound,
    /// The first and the last page, once the list has this many items.
    FirstAndLastPage {
        /// The number of items.
        total: i64,
    },
    /// The pages of a list without `x-page`, at this target: whether they contradict what is inferred.
    InferredPages(Target),
    /// Everything that the run may have left.
    Residue,
    /// The same, but a walk ends once it has read the first pages, this many, and the last one, and has shown every
    /// item by which the list has grown since the run began.
    ResidueUntilCounted {
        /// The number of pages.
        first_pages: u64,
    },
    /// Nothing: the page is read like any other.
    Nothing,
    /// A record that the run uses as its own: whether it has the run tag.
    Own {
        /// The operation that created it.
        operation: OperationId,
    },
    /// The pages of the list: whether they add up.
    Pages,
    /// The count of what each write left, from the walk that looked for residue; its pages are walked again if they do
    /// not add up.
    Recount,
    /// A tracked record, by its index, at this stage.
    Record(usize, RecordStage),
    /// The effects of writes that had to be rejected, because their credential was wrong.
    RejectedWrites,
    /// The values that an update sent.
    Update(Arc<AcceptedUpdate>),
    /// The values of a further update (a variant of the first, sent to the same record), with the value that the
    /// earlier updates sent last in each field.
    FurtherUpdate(Arc<AcceptedUpdate>, Value),
}

/// Which pages of a list a walk is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WalkExtent {
    /// A few pages that the caller selects, such as the last one. What they do not show may be on another page.
    SelectedPages,
    /// Every page, or each until what is sought was found. A page that does not come leaves the walk incomplete.
    WholeList,
}

/// Whether a look lasted long enough for a record that it did not show to count as gone. Only the look for an update
/// depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitExtent {
    /// As long as the setting `settle` allows.
    Fully,
    /// Less, because an earlier update did not show in time either.
    Briefly,
}

/// A look under way.
#[derive(Debug)]
pub(super) struct Look {
    state: LookState,
    extent: WalkExtent,
    /// The current walk, or the last one.
    walk: Walk,
    /// The number of walks begun.
    walks: u32,
    /// The previous walk, where the two are compared.
    before: Option<Walk>,
    /// Whether the current walk showed what is sought before its last page.
    ended_early: bool,
}

/// What is sought, and what was seen of it.
#[derive(Debug)]
enum LookState {
    Created(CreatedSearch),
    FirstAndLastPage(i64),
    InferredPages(Box<InferredWalk>),
    Residue(ResidueSearch),
    Nothing,
    Own(OperationId, TagCheck),
    Pages,
    Record(Box<RecordSearch>),
    Recount,
    RejectedWrites(ResidueSearch),
    Update(Box<UpdateSearch>),
}

/// One item of a list, as the look saw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'page> {
    pub(super) value: &'page Value,
    /// The pointer of the items in the response, and the item's index among them.
    pub(super) at: (&'page str, usize),
    /// The number of the requested page; `None` for the default.
    pub(super) page: Option<u64>,
    pub(super) request: &'page Request,
}

impl Item<'_> {
    /// Returns its indexed pointer (see `pointer::element`) in the response.
    pub(super) fn pointer(&self) -> String {
        let (items, position) = self.at;
        pointer::element(items, position)
    }
}

/// The result of a look.
#[derive(Debug)]
pub(crate) struct LookResult {
    /// Its last walk.
    pub(crate) walk: Walk,
    /// Whether what is sought was found, or is not worth waiting for.
    pub(crate) settled: bool,
}

impl History<'_> {
    /// Begins a look at a list, with at most `max_pages` pages per walk.
    pub(crate) fn begin_look(&mut self, list: OperationId, goal: &LookGoal, max_pages: u64) -> LookId {
        self.looks_begun += 1;
        let number = self.looks_begun;
        let id = LookId {
            number,
            operation: list,
        };
        let state = match goal {
            LookGoal::Created => LookState::Created(CreatedSearch::of(self, list, None)),
            LookGoal::CreatedUntilFound => {
                LookState::Created(CreatedSearch::of(self, list, None).stopping_once_found())
            }
            LookGoal::CreatedBy { operation } => LookState::Created(CreatedSearch::of(self, list, Some(*operation))),
            LookGoal::FirstAndLastPage { total } => LookState::FirstAndLastPage(*total),
            LookGoal::InferredPages(target) => LookState::InferredPages(Box::new(InferredWalk::new(target.clone()))),
            LookGoal::Residue => LookState::Residue(self.residue_search()),
            LookGoal::ResidueUntilCounted { first_pages } => {
                LookState::Residue(self.residue_search().ending_once_counted(*first_pages))
            }
            LookGoal::Nothing => LookState::Nothing,
            LookGoal::Own { operation } => LookState::Own(*operation, TagCheck::Unread),
            LookGoal::Pages => LookState::Pages,
            LookGoal::Record(index, stage) => {
                let before = self.last_read(*index);
                LookState::Record(Box::new(RecordSearch::new(*index, *stage, before)))
            }
            LookGoal::Recount => LookState::Recount,
            LookGoal::RejectedWrites => LookState::RejectedWrites(self.residue_search()),
            LookGoal::Update(update) => LookState::Update(Box::new(self.update_search(update, None))),
            LookGoal::FurtherUpdate(update, sent) => {
                LookState::Update(Box::new(self.update_search(update, Some(sent))))
            }
        };
        let is_residue_walk = matches!(
            goal,
            LookGoal::Residue | LookGoal::ResidueUntilCounted { .. } | LookGoal::Recount
        );
        let walk = new_walk(list, WalkExtent::WholeList, (max_pages, is_residue_walk));
        let counted = match goal {
            LookGoal::Recount => self.residue_tracker.walks.remove(&list),
            _ => None,
        };
        let look = Look {
            state,
            extent: WalkExtent::WholeList,
            walk: counted.unwrap_or(walk),
            walks: 0,
            before: None,
            ended_early: false,
        };
        self.looks.insert(id, look);
        id
    }

    /// Begins a walk of a look: whether pages add up is decided within this walk. The previous walk is kept only to
    /// tell whether the list is stable.
    pub(crate) fn begin_walk(&mut self, id: LookId, extent: WalkExtent) {
        let Some(look) = self.looks.get_mut(&id) else { return };
        let walk = new_walk(
            look.walk.operation,
            extent,
            (look.walk.max_pages, look.walk.is_residue_walk),
        );
        look.extent = extent;
        let last = std::mem::replace(&mut look.walk, walk);
        look.ended_early = false;
        look.walks += 1;
        let list = last.operation;
        let seeks_residue = matches!(look.state, LookState::Residue(_));
        match &mut look.state {
            LookState::InferredPages(paged) => {
                paged.begin(&last, self.contract.paging_of(list));
                look.before = (!last.pages.is_empty()).then_some(last);
            }
            LookState::Created(search) => search.begin_walk(),
            LookState::Residue(search) => search.begin_walk(),
            LookState::Own(_, check) => *check = TagCheck::Unread,
            LookState::Update(search) => search.begin_walk(),
            LookState::Pages | LookState::Recount => look.before = (!last.pages.is_empty()).then_some(last),
            LookState::FirstAndLastPage(_)
            | LookState::Record(_)
            | LookState::Nothing
            | LookState::RejectedWrites(_) => {}
        }
        if seeks_residue {
            self.expect_items_again(list);
        }
    }

    /// Notes that the list of a look could not be requested.
    pub(crate) fn mark_unsent(&mut self, id: LookId) {
        if let Some(look) = self.looks.get_mut(&id) {
            look.walk.end = WalkEnd::Unsent;
        }
    }

    /// Adds the response to a request for a page. Returns whether the page showed what is sought, and `None` if no page
    /// came; for inferred pages it always returns `Some(false)`, because [`Self::next_page`] says how such a walk goes
    /// on.
    pub(super) fn add_page(
        &mut self,
        id: LookId,
        asked: Option<u64>,
        (exchange, body): (&Exchange, Option<&Body>),
    ) -> Option<bool> {
        let mut look = self.looks.remove(&id)?;
        let page_body = self.page_body(exchange, body);
        if let LookState::InferredPages(paged) = &mut look.state {
            let operation = self.contract.operation(id.operation);
            if let Some(paging) = self.contract.paging_of(id.operation) {
                let max_pages = look.walk.max_pages;
                let page = paged.add((operation, paging), max_pages, (asked, exchange), page_body);
                look.walk.pages.extend(page);
            }
            look.walk.end = paged.end().unwrap_or(WalkEnd::NoResponse);
            self.looks.insert(id, look);
            return Some(false);
        }
        let enough = match page_body {
            Ok(body) => Some(self.read_page(&mut look, asked, (exchange, body))),
            Err(end) => {
                if !look.ended_early {
                    look.walk.end = end;
                }
                None
            }
        };
        self.looks.insert(id, look);
        enough
    }

    /// Returns the body of a page, or why the walk ends without one.
    fn page_body<'body>(&self, exchange: &Exchange, body: Option<&'body Body>) -> Result<&'body Body, WalkEnd> {
        let response = exchange.response().ok_or(WalkEnd::NoResponse)?;
        if !self.succeeded(exchange) {
            return Err(match exchange.request.credential {
                Credential::None => WalkEnd::RejectedWithoutCredential(response.status),
                _ => WalkEnd::Rejected(response.status),
            });
        }
        body.ok_or(WalkEnd::Unread)
    }

    /// Adds the items of a page to a look. Returns whether they show what is sought.
    fn read_page(&mut self, look: &mut Look, asked: Option<u64>, (exchange, body): (&Exchange, &Body)) -> bool {
        let list = look.walk.operation;
        let Some(invariant) = self.contract.operation(list).page.as_ref() else {
            return false;
        };
        self.bindings
            .bind_under(self.contract, (list, &exchange.request.path), &body.value);
        let items = pointer::get(&body.value, &invariant.items).and_then(Value::as_array);
        self.note_nested(list, items.map_or(&[][..], Vec::as_slice));
        if let LookState::Own(_, check @ TagCheck::Unread) = &mut look.state {
            *check = TagCheck::Missing;
        }
        let mut enough = false;
        for (index, value) in items.into_iter().flatten().enumerate() {
            let item = Item {
                value,
                at: (invariant.items.as_str(), index),
                page: asked,
                request: &exchange.request,
            };
            enough |= self.examine_item(&mut look.state, list, item);
        }
        let page = page_seen(invariant, asked, body, &exchange.request);
        if matches!(asked, None | Some(1)) {
            self.note_total(list, page.total);
        }
        look.add(page, enough);
        if let LookState::Residue(search) = &look.state
            && self.shows_all_that_was_added(search, &look.walk)
        {
            look.walk.end = WalkEnd::SeenEnough;
            look.ended_early = true;
            enough = true;
        }
        enough
    }

    /// Examines an item of a list, and returns whether no more are needed.
    fn examine_item(&mut self, state: &mut LookState, list: OperationId, item: Item<'_>) -> bool {
        match state {
            LookState::Created(search) => {
                self.observe(list, item, search);
                // Counted here too: by the end, an update may have replaced a record inside an item.
                self.count_item(list, item);
                search.is_enough()
            }
            LookState::Residue(search) => {
                self.match_residue(list, item, search);
                self.count_item(list, item);
                false
            }
            LookState::Own(create, check) => self.observe_ownership(*create, list, item, check),
            LookState::Recount => {
                self.count_item(list, item);
                false
            }
            LookState::RejectedWrites(search) => {
                self.match_residue(list, item, search);
                false
            }
            LookState::Update(search) => self.observe_update(item, search),
            LookState::FirstAndLastPage(_)
            | LookState::InferredPages(_)
            | LookState::Nothing
            | LookState::Pages
            | LookState::Record(_) => false,
        }
    }

    /// Adds the response to a read of a record by its identifier, or to a list that is read as a whole.
    pub(super) fn observe_record_read(&mut self, id: LookId, exchange: &Exchange, body: Option<&Body>) {
        let Some(mut look) = self.looks.remove(&id) else { return };
        match &mut look.state {
            LookState::Own(create, check) => {
                let is_missing = matches!(exchange.status(), Some(404 | 410));
                *check = match body.filter(|_| self.succeeded(exchange)) {
                    Some(body) => self.check_read(*create, &body.value),
                    None if is_missing => TagCheck::Missing,
                    None => TagCheck::Unread,
                };
            }
            LookState::Record(search) => {
                self.note_cached(exchange);
                self.note_entity_tag(exchange);
                self.observe_record(search, exchange, body);
            }
            LookState::Residue(search) => self.search_whole_list(search, exchange, body),
            _ => {}
        }
        self.looks.insert(id, look);
    }

    /// Adds the response to an update that is sent again, before its record is read.
    pub(super) fn observe_update_sent_again(&mut self, id: LookId, exchange: &Exchange) {
        if let Some(LookState::Record(search)) = self.looks.get_mut(&id).map(|look| &mut look.state) {
            search.observe_update_sent_again(exchange);
        }
    }

    /// Whether a look for a tracked record has shown that it is the run's own.
    pub(crate) fn look_confirms_own(&self, id: LookId) -> bool {
        let state = self.looks.get(&id).map(|look| &look.state);
        matches!(state, Some(LookState::Record(search)) if search.confirms_own())
    }

    /// Whether a look for a tracked record has last shown equal items of it in its list.
    pub(crate) fn shows_duplicate_items(&self, id: LookId) -> bool {
        let state = self.looks.get(&id).map(|look| &look.state);
        matches!(state, Some(LookState::Record(search)) if search.shows_duplicate_items())
    }

    /// Whether a look for a tracked record has shown that it is gone.
    pub(crate) fn shows_gone_record(&self, id: LookId) -> bool {
        let state = self.looks.get(&id).map(|look| &look.state);
        matches!(state, Some(LookState::Record(search)) if self.is_gone(search))
    }

    /// Returns the number of the last page, as the first page of the current walk states it; `None` where it does not.
    pub(crate) fn last_page(&self, id: LookId) -> Option<u64> {
        let first = self.looks.get(&id)?.walk.pages.first()?;
        Some(u64::try_from(first.last_page?).unwrap_or(0))
    }

    /// Returns the number of items and of pages, as the first page of the current walk states them, of a list with more
    /// pages than `long`; `None` for any other.
    pub(crate) fn size_of_long_list(&self, id: LookId, long: u64) -> Option<(i64, i64)> {
        let first = self.looks.get(&id)?.walk.pages.first()?;
        let is_long = u64::try_from(first.last_page?).is_ok_and(|last| last > long);
        is_long.then_some((first.total?, first.last_page?))
    }

    /// Whether no other page of the list would show what is sought, because the list does not show it yet.
    pub(crate) fn is_late(&self, id: LookId) -> bool {
        self.looks.get(&id).is_some_and(|look| {
            let lacks_items = self.lacks_created_items(&look.walk);
            match &look.state {
                LookState::Created(search) => self.are_others_not_listed_yet(search, lacks_items),
                LookState::Own(..) => lacks_items,
                _ => false,
            }
        })
    }

    /// Whether the current walk has read this page, and it has no items.
    pub(crate) fn is_page_empty(&self, id: LookId, number: u64) -> bool {
        let mut pages = self.looks.get(&id).into_iter().flat_map(|look| &look.walk.pages);
        pages.any(|page| page.asked == Some(number) && page.items.is_empty())
    }

    /// Returns what a walk over inferred pages requests next; `None` at its end.
    pub(crate) fn next_page(&self, id: LookId) -> Option<NextPage> {
        match &self.looks.get(&id)?.state {
            LookState::InferredPages(paged) => paged.next().cloned(),
            _ => None,
        }
    }

    /// Returns the current walk.
    pub(crate) fn current_walk(&self, id: LookId) -> Option<&Walk> {
        Some(&self.looks.get(&id)?.walk)
    }

    /// Whether what is sought was found, or is not worth waiting for.
    pub(crate) fn is_settled(&self, id: LookId) -> bool {
        self.looks.get(&id).is_none_or(|look| self.has_settled(look))
    }

    /// Whether a look shows what it is for; see [`Self::is_settled`].
    fn has_settled(&self, look: &Look) -> bool {
        let walk = &look.walk;
        match &look.state {
            LookState::Created(search) => self.are_all_found(search),
            LookState::FirstAndLastPage(total) => {
                let is_there = walk.pages.first().is_some_and(|page| page.total >= Some(*total));
                is_there && ends_add_up(walk)
            }
            LookState::Residue(search) => {
                let lacks_items = walk.end == WalkEnd::Complete && self.has_missing_items();
                !lacks_items && !search.shows_rejected()
            }
            LookState::InferredPages(paged) => {
                let paging = self.contract.paging_of(walk.operation);
                paging
                    .is_none_or(|paging| !walk.contradicts_paging(paging) && paged.larger_size(walk, paging).is_none())
            }
            LookState::Nothing | LookState::RejectedWrites(_) => true,
            LookState::Own(create, check) => *check == TagCheck::Tagged && self.has_grown_by_creates(*create, walk),
            LookState::Pages | LookState::Recount => adds_up(walk),
            LookState::Record(search) => self.is_record_settled(search),
            LookState::Update(search) => self.has_arrived(search),
        }
    }

    /// Ends a look and makes the evidence on what it showed. Returns the result. The walk of a look for residue stays
    /// here, for the recount.
    pub(crate) fn conclude(&mut self, id: LookId, waited: WaitExtent, emit: EvidenceSink<'_>) -> Option<LookResult> {
        let mut look = self.looks.remove(&id)?;
        let settled = self.has_settled(&look);
        if let Some(before) = look.before.take() {
            look.walk.stability = match look.state {
                LookState::InferredPages(_) => inferred_stability(&before, &look.walk),
                _ if adds_up(&look.walk) => look.walk.stability,
                _ => stability(&before, &look.walk),
            };
        }
        let walk = look.walk;
        match look.state {
            LookState::Created(search) => self.emit_created(&search, &walk, emit),
            LookState::FirstAndLastPage(_) if settled => emit(Evidence::Walk(&walk)),
            LookState::InferredPages(_) => emit(Evidence::Walk(&walk)),
            LookState::FirstAndLastPage(_) | LookState::Nothing => {}
            LookState::Residue(mut search) => {
                self.add_rejected_creates(&mut search);
                search.emit(emit);
                self.note_residue(search, walk);
                return None;
            }
            LookState::Own(create, TagCheck::Tagged) if !self.has_grown_by_creates(create, &walk) => {
                self.conclude_ownership(create, walk.operation, TagCheck::NotAdded);
            }
            LookState::Own(create, check) => self.conclude_ownership(create, walk.operation, check),
            LookState::Pages => {
                emit(Evidence::Walk(&walk));
                self.note_listed(&walk);
            }
            LookState::Recount => {
                if look.walks > 0 {
                    emit(Evidence::Walk(&walk));
                }
                self.emit_counts(walk.operation, &walk, emit);
            }
            LookState::Record(search) => self.emit_record(&search, emit),
            LookState::RejectedWrites(search) => search.emit(emit),
            LookState::Update(search) => self.emit_update(&search, &walk, waited, emit),
        }
        Some(LookResult { walk, settled })
    }

    /// Ends a look without making evidence on what it showed.
    pub(crate) fn drop_look(&mut self, id: LookId) {
        self.looks.remove(&id);
    }
}

/// Begins a walk without any pages.
fn new_walk(list: OperationId, extent: WalkExtent, (max_pages, is_residue_walk): (u64, bool)) -> Walk {
    Walk {
        operation: list,
        pages: Vec::new(),
        end: match extent {
            WalkExtent::SelectedPages => WalkEnd::SeenEnough,
            WalkExtent::WholeList => WalkEnd::NoResponse,
        },
        max_pages,
        stability: Stability::Unknown,
        is_residue_walk,
    }
}

impl Look {
    /// Whether a walk came before the current one.
    pub(super) fn is_second_walk(&self) -> bool {
        self.walks > 1
    }

    /// Whether the pages of the current walk disagree on the number of items.
    pub(super) fn disagrees(&self) -> bool {
        self.walk.disagrees()
    }

    /// Whether the record of a create was seen.
    pub(super) fn has_found_created(&self) -> bool {
        matches!(&self.state, LookState::Created(search) if search.has_found())
    }

    /// Adds a page to the current walk, in the order of page numbers; `enough` says that it shows what is sought.
    fn add(&mut self, mut page: PageSeen, enough: bool) {
        let walk = &mut self.walk;
        // Without its first page the walk is not complete, whatever other pages were seen.
        let is_first = walk.pages.is_empty() && matches!(page.asked, None | Some(1));
        if self.extent == WalkExtent::WholeList {
            if is_first {
                let last = page.last_page.map(|last| u64::try_from(last).unwrap_or(0));
                walk.end = end_after_first_page(&page, last.is_some_and(|last| last > walk.max_pages));
                self.ended_early = enough && last.is_some();
            } else {
                if !page.shows_items() {
                    walk.end = WalkEnd::Unusable;
                }
                self.ended_early |= enough;
            }
            if self.ended_early {
                walk.end = WalkEnd::SeenEnough;
            }
        }
        if let Some(first) = walk.pages.first() {
            page.request = Arc::clone(&first.request);
        }
        let place = walk.pages.partition_point(|other| other.asked <= page.asked);
        walk.pages.insert(place, page);
    }
}
