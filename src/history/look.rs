//! Looks at a list for what is sought there: one walk over its pages, or several. The main type is [`Look`].

use std::sync::Arc;

use serde_json::Value;

use super::account::Leftovers;
use super::created::Observations;
use super::evidence::{Evidence, PageSeen, Stability, Walk, WalkEnd};
use super::history::{History, Show};
use super::own::OwnRecord;
use super::pages::{adds_up, edge_adds_up, first_end, page_seen, stability};
use super::records::Changed;
use super::updated::ChangeSought;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::exchange::json::Body;
use crate::exchange::{Credential, Exchange, Request};

/// Names a look of a run, and the list that it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LookId {
    number: u64,
    list: OperationId,
}

impl LookId {
    /// The list, or the read that shows one record.
    pub(crate) fn list(self) -> OperationId {
        self.list
    }
}

/// What is sought in a list.
#[derive(Clone, Debug)]
pub(crate) enum Sought {
    /// Every record of the run that the list must show.
    Created,
    /// Its first and its last page, once it has so many items.
    Ends(i64),
    /// Everything that the run may have left.
    Left,
    /// Nothing: the page is read like every other.
    Nothing,
    /// The record of this create, as the run's own.
    Own(OperationId),
    /// Its pages: whether they add up.
    Pages,
    /// The same at the end of a run, after the look for what is left: whether those that it counted add up.
    Recount,
    /// What writes with a wrong credential have done.
    Rejected,
    /// What an update sent.
    Update(Arc<Changed>),
    /// The same of one of many updates; this is what those before sent of each field last.
    UpdateAmongMany(Arc<Changed>, Value),
}

/// How much of a list a walk asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Some pages, each for itself.
    Some,
    /// All pages, or until what is sought was found.
    Whole,
}

/// A look under way.
#[derive(Debug)]
pub(super) struct Look {
    seeking: Seeking,
    extent: Extent,
    /// The walk that is under way, or was last.
    walk: Walk,
    /// How many walks were begun.
    walks: u32,
    /// The walk before it, where the two are compared.
    before: Option<Walk>,
    found: bool,
}

/// What is sought, and what was seen of it.
#[derive(Debug)]
enum Seeking {
    Created(Observations),
    Ends(i64),
    Left(Leftovers),
    Nothing,
    Own(OperationId, OwnRecord),
    Pages,
    Recount,
    Rejected(Leftovers),
    Update(Box<ChangeSought>),
}

/// One item of a list as it was met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'page> {
    pub(super) value: &'page Value,
    /// The pointer of the items in the response, and the item's place among them.
    pub(super) at: (&'page str, usize),
    /// The page that was asked for; none for the default.
    pub(super) page: Option<u64>,
    pub(super) request: &'page Request,
}

impl Item<'_> {
    /// Its marked pointer in the response.
    pub(super) fn pointer(&self) -> String {
        let (items, position) = self.at;
        pointer::element(items, position)
    }
}

/// What a look came to.
#[derive(Debug)]
pub(crate) struct Looked {
    /// Its last walk.
    pub(crate) walk: Walk,
    /// Whether what was sought was found, or need not be waited for.
    pub(crate) settled: bool,
}

impl History<'_> {
    /// Begins a look at a list, of at most so many pages a walk.
    pub(crate) fn look(&mut self, list: OperationId, sought: &Sought, most: u64) -> LookId {
        self.looks_begun += 1;
        let number = self.looks_begun;
        let id = LookId { number, list };
        let seeking = match sought {
            Sought::Created => Seeking::Created(Observations::of(self, list)),
            Sought::Ends(total) => Seeking::Ends(*total),
            Sought::Left => Seeking::Left(self.leftovers()),
            Sought::Nothing => Seeking::Nothing,
            Sought::Own(create) => Seeking::Own(*create, OwnRecord::Missing),
            Sought::Pages => Seeking::Pages,
            Sought::Recount => Seeking::Recount,
            Sought::Rejected => Seeking::Rejected(self.leftovers()),
            Sought::Update(changed) => Seeking::Update(Box::new(self.change_sought(changed, None))),
            Sought::UpdateAmongMany(changed, sent) => {
                Seeking::Update(Box::new(self.change_sought(changed, Some(sent))))
            }
        };
        let account = matches!(sought, Sought::Left | Sought::Recount);
        let walk = begun(list, Extent::Whole, (most, account));
        let counted = match sought {
            Sought::Recount => self.account.walks.remove(&list),
            _ => None,
        };
        let look = Look {
            seeking,
            extent: Extent::Whole,
            walk: counted.unwrap_or(walk),
            walks: 0,
            before: None,
            found: false,
        };
        self.looks.insert(id, look);
        id
    }

    /// Begins a walk of a look.
    pub(crate) fn walk(&mut self, look: LookId, extent: Extent) {
        let Some(look) = self.looks.get_mut(&look) else { return };
        let walk = begun(look.walk.operation, extent, (look.walk.most, look.walk.account));
        look.extent = extent;
        let last = std::mem::replace(&mut look.walk, walk);
        look.found = false;
        look.walks += 1;
        let list = last.operation;
        let forgets = matches!(look.seeking, Seeking::Left(_));
        match &mut look.seeking {
            Seeking::Created(observations) => observations.begin_walk(),
            Seeking::Own(_, own) => *own = OwnRecord::Missing,
            Seeking::Update(sought) => sought.begin_walk(),
            Seeking::Pages | Seeking::Recount => look.before = (!last.pages.is_empty()).then_some(last),
            Seeking::Ends(_) | Seeking::Left(_) | Seeking::Nothing | Seeking::Rejected(_) => {}
        }
        if forgets {
            self.forget_items(list);
        }
    }

    /// Notes that the list of a look could not be asked for.
    pub(crate) fn unsent(&mut self, look: LookId) {
        if let Some(look) = self.looks.get_mut(&look) {
            look.walk.end = WalkEnd::Unsent;
        }
    }

    /// Takes up the response to a request for a page. Hands back whether the page showed what is sought; none where no page
    /// came.
    pub(super) fn page(
        &mut self,
        id: LookId,
        asked: Option<u64>,
        (exchange, body): (&Exchange, Option<&Body>),
    ) -> Option<bool> {
        let mut look = self.looks.remove(&id)?;
        let came = self.came(exchange, body);
        let enough = match came {
            Ok(body) => Some(self.read_page(&mut look, asked, (exchange, body))),
            Err(end) => {
                if !look.found {
                    look.walk.end = end;
                }
                None
            }
        };
        self.looks.insert(id, look);
        enough
    }

    /// The body of a page.
    fn came<'body>(&self, exchange: &Exchange, body: Option<&'body Body>) -> Result<&'body Body, WalkEnd> {
        let response = exchange.response().ok_or(WalkEnd::Unanswered)?;
        if !self.succeeded(exchange) {
            return Err(match exchange.request.credential {
                Credential::None => WalkEnd::RejectedBare(response.status),
                _ => WalkEnd::Rejected(response.status),
            });
        }
        body.ok_or(WalkEnd::Unread)
    }

    fn read_page(&mut self, look: &mut Look, asked: Option<u64>, (exchange, body): (&Exchange, &Body)) -> bool {
        let list = look.walk.operation;
        let Some(invariant) = self.contract.operation(list).page.as_ref() else {
            return false;
        };
        self.bindings.bind(self.contract, list, &body.value);
        let items = pointer::get(&body.value, &invariant.items).and_then(Value::as_array);
        self.note_nested(list, items.map_or(&[][..], Vec::as_slice));
        let mut enough = false;
        for (index, value) in items.into_iter().flatten().enumerate() {
            let item = Item {
                value,
                at: (invariant.items.as_str(), index),
                page: asked,
                request: &exchange.request,
            };
            enough |= self.meet(&mut look.seeking, list, item);
        }
        look.add(page_seen(invariant, asked, body, &exchange.request), enough);
        enough
    }

    /// Meets an item of a list; hands back whether that is enough.
    fn meet(&mut self, seeking: &mut Seeking, list: OperationId, item: Item<'_>) -> bool {
        match seeking {
            Seeking::Created(observations) => {
                self.observe(list, item, observations);
                // What a record holds may be gone at the end: an update may replace it.
                self.count_item(list, item);
                observations.is_enough()
            }
            Seeking::Left(leftovers) => {
                self.look_at_item(list, item, leftovers);
                self.count_item(list, item);
                false
            }
            Seeking::Own(create, own) => self.observe_own(*create, list, item, own),
            Seeking::Recount => {
                self.count_item(list, item);
                false
            }
            Seeking::Rejected(leftovers) => {
                self.look_at_item(list, item, leftovers);
                false
            }
            Seeking::Update(sought) => self.observe_change(item, sought),
            Seeking::Ends(_) | Seeking::Nothing | Seeking::Pages => false,
        }
    }

    /// Takes up the response to a read of a record by its identifier.
    pub(super) fn observe_by_id(&mut self, id: LookId, body: Option<&Body>) {
        let Some(mut look) = self.looks.remove(&id) else { return };
        if let Seeking::Own(create, own) = &mut look.seeking {
            *own = body.map_or(OwnRecord::Missing, |body| self.observed_by_read(*create, &body.value));
        }
        self.looks.insert(id, look);
    }

    /// The last page that the walk under way shows, and whether that page may be walked to.
    pub(crate) fn last_page(&self, look: LookId) -> Option<u64> {
        let first = self.looks.get(&look)?.walk.pages.first()?;
        Some(u64::try_from(first.last_page?).unwrap_or(0))
    }

    /// The walk under way.
    pub(crate) fn walked(&self, look: LookId) -> Option<&Walk> {
        Some(&self.looks.get(&look)?.walk)
    }

    /// Whether what is sought was found, or need not be waited for.
    pub(crate) fn is_settled(&self, look: LookId) -> bool {
        self.looks.get(&look).is_none_or(|look| self.has_settled(look))
    }

    fn has_settled(&self, look: &Look) -> bool {
        let walk = &look.walk;
        match &look.seeking {
            Seeking::Created(observations) => self.are_all_found(observations),
            Seeking::Ends(total) => {
                let is_there = walk.pages.first().is_some_and(|page| page.total >= Some(*total));
                is_there && edge_adds_up(walk)
            }
            Seeking::Left(_) => walk.end != WalkEnd::Complete || !self.has_gone(),
            Seeking::Nothing | Seeking::Rejected(_) => true,
            Seeking::Own(_, own) => *own == OwnRecord::Tagged,
            Seeking::Pages | Seeking::Recount => adds_up(walk),
            Seeking::Update(sought) => self.has_arrived(sought),
        }
    }

    /// Ends a look and judges what it came to. `timely` says of what is missing that it was waited for long enough. The walk
    /// of a look for what is left stays here, for the recount.
    pub(crate) fn conclude(&mut self, id: LookId, timely: bool, show: Show<'_>) -> Option<Looked> {
        let mut look = self.looks.remove(&id)?;
        let settled = self.has_settled(&look);
        if let Some(before) = look.before.take().filter(|_| !adds_up(&look.walk)) {
            look.walk.stability = stability(&before, &look.walk);
        }
        let walk = look.walk;
        match look.seeking {
            Seeking::Created(observations) => self.judge_observations(&observations, &walk, show),
            Seeking::Ends(_) if settled => show(Evidence::Walk(&walk)),
            Seeking::Ends(_) | Seeking::Nothing => {}
            Seeking::Left(leftovers) => {
                leftovers.judge(show);
                self.note_left(leftovers, walk);
                return None;
            }
            Seeking::Own(create, own) => self.conclude_own(create, walk.operation, own),
            Seeking::Pages => {
                show(Evidence::Walk(&walk));
                self.note_listed(&walk);
            }
            Seeking::Recount => {
                if look.walks > 0 {
                    show(Evidence::Walk(&walk));
                }
                self.judge_counts(walk.operation, &walk, show);
            }
            Seeking::Rejected(leftovers) => leftovers.judge(show),
            Seeking::Update(sought) => self.judge_change(&sought, &walk, timely, show),
        }
        Some(Looked { walk, settled })
    }

    /// Ends a look that came to nothing.
    pub(crate) fn drop_look(&mut self, id: LookId) {
        self.looks.remove(&id);
    }
}

/// A walk of which no page came yet.
fn begun(list: OperationId, extent: Extent, (most, account): (u64, bool)) -> Walk {
    Walk {
        operation: list,
        pages: Vec::new(),
        end: match extent {
            Extent::Some => WalkEnd::Found,
            Extent::Whole => WalkEnd::Unanswered,
        },
        most,
        stability: Stability::Unknown,
        account,
    }
}

impl Look {
    fn add(&mut self, mut page: PageSeen, enough: bool) {
        let walk = &mut self.walk;
        // Where the first page did not come the walk is not whole, whatever other pages a recording has.
        let is_first = walk.pages.is_empty() && page.asked.is_none();
        if self.extent == Extent::Whole {
            if is_first {
                let last = page.last_page.map(|last| u64::try_from(last).unwrap_or(0));
                walk.end = first_end(&page, last.is_some_and(|last| last > walk.most));
                self.found = enough && last.is_some();
            } else {
                if !page.shows_items() {
                    walk.end = WalkEnd::Broken;
                }
                self.found |= enough;
            }
            if self.found {
                walk.end = WalkEnd::Found;
            }
        }
        if let Some(first) = walk.pages.first() {
            page.request = Arc::clone(&first.request);
        }
        let place = walk.pages.partition_point(|other| other.asked <= page.asked);
        walk.pages.insert(place, page);
    }
}
