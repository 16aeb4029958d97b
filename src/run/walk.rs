//! Reads: walks over the pages of lists, and single reads.

use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use serde_json::Value;

use super::request::{self, Address};
use super::session::{Again, Session};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::Page;
use crate::exchange::json::Body;
use crate::exchange::{Credential, Exchange, Purpose, Request};
use crate::rules::Reason;
use crate::rules::evidence::{PageSeen, Steadiness, Walk, WalkEnd};

/// How many pages of a walk may not come before it is given up.
const MISSED: usize = 1;

/// One item of a list as it was met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'page> {
    pub(super) value: &'page Value,
    /// The pointer of the items in the answer, and the item's place among them.
    pub(super) at: (&'page str, usize),
    /// The page that was asked for; none for the default.
    pub(super) page: Option<u64>,
    pub(super) request: &'page Request,
}

/// Which pages are asked for after the first, within `--max-pages`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The last one alone, then from both ends towards the middle: a list shows new records at one of its ends.
    BothEnds,
    /// One after the other.
    Rising,
}

impl Session<'_> {
    /// Reads once.
    pub(super) async fn read(&self, operation: OperationId) {
        self.read_within(operation, Duration::ZERO).await;
    }

    /// Reads by what a create showed. What was created may be there a little later, as it may be listed a little later;
    /// once that was waited for in vain, the next is not waited for as long.
    pub(super) async fn read_created(&self, operation: OperationId) {
        if self.contract.operation(operation).page.is_some() {
            return self.list(operation).await;
        }
        let longest = if self.patience.reads_in_vain.get() {
            self.briefly()
        } else {
            self.settings.settle
        };
        if self.read_within(operation, longest).await == Some(404) {
            self.patience.reads_in_vain.set(true);
        }
    }

    /// Reads once, again while a 404 may be that of a record which is not there yet. Hands back the status.
    async fn read_within(&self, operation: OperationId, longest: Duration) -> Option<u16> {
        let address = request::address(self.contract, operation, &self.history.known.borrow());
        let address = match address {
            Ok(address) => address,
            Err(reason) => {
                self.not_called(operation, Reason::NoValue(reason));
                return None;
            }
        };
        let (exchange, body) = self
            .call_again(
                self.documented(operation, address),
                Again {
                    within: longest,
                    ..Again::default()
                },
            )
            .await;
        if let Some(body) = body.filter(|_| self.succeeded(&exchange)) {
            self.history
                .known
                .borrow_mut()
                .learn(self.contract, operation, &body.value);
        }
        exchange.status()
    }

    /// Walks over a list, its first page first. `found` is shown each item, and ends the walk when it says so.
    pub(super) async fn walk(&self, operation: OperationId, order: Order, found: &dyn Fn(Item<'_>) -> bool) -> Walk {
        let most = self.settings.max_pages;
        let mut walk = Walk {
            operation,
            pages: Vec::new(),
            end: WalkEnd::Unanswered,
            most,
            steadiness: Steadiness::Unknown,
        };
        let (first, enough) = match self.page(operation, None, found).await {
            Ok(page) => page,
            Err(end) => return Walk { end, ..walk },
        };
        let last = first.last_page.map(|last| u64::try_from(last).unwrap_or(0));
        walk.end = end(&first, last.is_some_and(|last| last > most));
        walk.pages.push(first);
        let Some(last) = last else { return walk };
        if enough {
            walk.end = WalkEnd::Found;
            return walk;
        }
        match order {
            Order::Rising => self.pages(&mut walk, 2..=last.min(most), found).await,
            Order::BothEnds => {
                let mut numbers = both_ends(last, most);
                let alone = numbers.by_ref().take(1).collect::<Vec<_>>();
                if self.pages(&mut walk, alone.into_iter(), found).await {
                    return walk;
                }
                self.pages(&mut walk, numbers, found).await
            }
        };
        walk
    }

    /// Asks for pages until what is looked for was found, which it hands back, or pages did not come. Pages that are under
    /// way then are waited for: an answer that nobody reads would be told as one that never came.
    async fn pages(
        &self,
        walk: &mut Walk,
        numbers: impl Iterator<Item = u64>,
        found: &dyn Fn(Item<'_>) -> bool,
    ) -> bool {
        self.expect(u64::try_from(numbers.size_hint().0).unwrap_or(u64::MAX));
        let (operation, over) = (walk.operation, Cell::new(false));
        let numbers = numbers.take_while(|_| !over.get());
        let pages = numbers.map(|number| self.page(operation, Some(number), found));
        let mut pages = futures::stream::iter(pages).buffered(self.settings.jobs.max(1));
        let (mut missed, mut enough) = (0, false);
        while let Some(page) = pages.next().await {
            match page {
                Ok((mut page, last)) => {
                    if !page.shows_items() {
                        walk.end = WalkEnd::Broken;
                    }
                    page.request = Arc::clone(&walk.pages[0].request);
                    walk.pages.push(page);
                    enough |= last;
                }
                Err(end) => {
                    walk.end = end;
                    missed += 1;
                }
            }
            // One page beside the others may be missing at an end that is not where the list says.
            over.set(enough || missed > MISSED);
        }
        if enough {
            walk.end = WalkEnd::Found;
        }
        enough
    }

    /// Asks for one page, and shows each of its items to `found`. Hands back whether that was enough.
    ///
    /// # Errors
    ///
    /// How a walk ends without this page.
    pub(super) async fn page(
        &self,
        operation: OperationId,
        asked: Option<u64>,
        found: &dyn Fn(Item<'_>) -> bool,
    ) -> Result<(PageSeen, bool), WalkEnd> {
        let law = self.contract.operation(operation).page.as_ref();
        let law = law.ok_or(WalkEnd::Unsent)?;
        let address = request::address(self.contract, operation, &self.history.known.borrow());
        let mut address = address.map_err(|reason| {
            self.not_called(operation, Reason::NoValue(reason));
            WalkEnd::Unsent
        })?;
        if let Some(number) = asked {
            address.add_query(&law.parameter, &number.to_string());
        }
        let (exchange, body) = self.call(self.documented(operation, address)).await;
        let answer = exchange.outcome.as_ref().map_err(|_| WalkEnd::Unanswered)?;
        if !self.succeeded(&exchange) {
            return Err(match exchange.request.credential {
                Credential::None => WalkEnd::RefusedBare(answer.status),
                _ => WalkEnd::Refused(answer.status),
            });
        }
        let body = body.ok_or(WalkEnd::Unread)?;
        self.history
            .known
            .borrow_mut()
            .learn(self.contract, operation, &body.value);
        let items = pointer::get(&body.value, &law.items).and_then(Value::as_array);
        self.history
            .note_nested(operation, items.map_or(&[][..], Vec::as_slice));
        let mut enough = false;
        for (index, value) in items.into_iter().flatten().enumerate() {
            let at = (law.items.as_str(), index);
            let request = &exchange.request;
            enough |= found(Item {
                value,
                at,
                page: asked,
                request,
            });
        }
        Ok((page_seen(law, asked, &body, exchange.request), enough))
    }

    /// A documented request without a body.
    pub(super) fn documented(&self, operation: OperationId, address: Address) -> Request {
        let documented = self.contract.operation(operation);
        let purpose = if self.account.under_way.get() {
            Purpose::Account
        } else {
            Purpose::Documented(address.leaning)
        };
        let credential = request::credential(&documented.security);
        address.request((operation, documented), purpose, credential)
    }

    /// Whether the exchange ended in a documented success.
    pub(super) fn succeeded(&self, exchange: &Exchange) -> bool {
        let operation = self.contract.operation(exchange.request.operation);
        exchange.status().is_some_and(|status| operation.succeeds_with(status))
    }
}

fn page_seen(law: &Page, asked: Option<u64>, body: &Body, request: Request) -> PageSeen {
    let integer = |at: &str| pointer::get(&body.value, at).and_then(integer);
    let items = pointer::get(&body.value, &law.items).and_then(Value::as_array);
    let identifier = |item: &Value| pointer::get(item, &law.id).filter(|id| !id.is_null()).map(digest);
    PageSeen {
        asked,
        request: request.into(),
        page: integer(&law.page),
        per_page: integer(&law.per_page),
        total: integer(&law.total),
        last_page: integer(&law.last_page),
        listed: items.is_some(),
        items: items.map_or(&[][..], Vec::as_slice).iter().map(identifier).collect(),
    }
}

/// An integer however it is written: `2.0` is one too.
fn integer(value: &Value) -> Option<i64> {
    let written = || value.as_f64().filter(|number| number.fract() == 0.0);
    value.as_i64().or_else(|| format!("{:.0}", written()?).parse().ok())
}

/// The pages of a list after its first, the last one first and then from both ends: at most `most` with the first one.
fn both_ends(last: u64, most: u64) -> impl Iterator<Item = u64> {
    let count = last.min(most).saturating_sub(1);
    (0..count).map(move |nth| if nth % 2 == 0 { last - nth / 2 } else { 2 + nth / 2 })
}

/// How a walk would end after its first page.
fn end(first: &PageSeen, too_many: bool) -> WalkEnd {
    match first.last_page {
        Some(_) if too_many => WalkEnd::TooManyPages,
        Some(_) if first.shows_items() => WalkEnd::Complete,
        _ => WalkEnd::Broken,
    }
}

/// A short stand-in for an identifier, so that a walk over a large list costs little memory.
pub(super) fn digest(identifier: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match identifier {
        Value::String(text) => (true, text.as_str()).hash(&mut hasher),
        other => (false, other.to_string()).hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::Contract;

    /// The page that `getTags` showed with this answer.
    fn seen(body: Value) -> PageSeen {
        let contract = Contract::built_in().unwrap();
        let operation = contract.operation_named("getTags").unwrap();
        let documented = contract.operation(operation);
        let request = Request::plain(operation, documented);
        let body = Body {
            value: body,
            duplicates: Vec::new(),
        };
        page_seen(documented.page.as_ref().unwrap(), None, &body, request)
    }

    fn page(items: &[&str], total: i64) -> PageSeen {
        let items: Vec<_> = items.iter().map(|id| json!({ "id": id })).collect();
        seen(json!({"data": {"page": 1, "per_page": 10, "total": total, "last_page": 1, "items": items}}))
    }

    #[test]
    fn a_page_is_read_where_the_law_says_that_it_stands() {
        let page = page(&["a", "b"], 2);
        assert_eq!(
            (page.page, page.per_page, page.total, page.last_page),
            (Some(1), Some(10), Some(2), Some(1))
        );
        assert_eq!(page.items, [Some(digest(&json!("a"))), Some(digest(&json!("b")))]);
        assert!(page.shows_items());
    }

    #[test]
    fn what_an_answer_lacks_is_not_made_up() {
        let page = seen(json!({"data": {"page": "1", "total": null}}));
        assert_eq!(
            (page.page, page.per_page, page.total, page.last_page),
            (None, None, None, None)
        );
        assert!(!page.listed && !page.shows_items());
    }

    #[test]
    fn null_and_nothing_identify_no_item() {
        let page = seen(json!({"data": {"items": [{"id": null}, {}, {"id": 7}, "b"]}}));
        assert_eq!(page.items, [None, None, Some(digest(&json!(7))), None]);
        assert!(page.listed && !page.shows_items());
    }

    #[test]
    fn a_number_and_its_digits_are_two_identifiers() {
        assert_ne!(digest(&json!(7)), digest(&json!("7")));
        assert_eq!(digest(&json!("7")), digest(&json!("7")));
    }

    #[test]
    fn a_walk_ends_as_its_first_page_lets_it() {
        assert_eq!(end(&page(&["a"], 1), false), WalkEnd::Complete);
        assert_eq!(end(&page(&["a"], 1), true), WalkEnd::TooManyPages);
        assert_eq!(end(&seen(json!({"data": {"last_page": 1}})), false), WalkEnd::Broken);
        assert_eq!(end(&seen(json!({"data": {"items": []}})), true), WalkEnd::Broken);
    }

    #[test]
    fn both_ends_of_a_list_are_asked_for_before_its_middle() {
        let pages = |last, most| both_ends(last, most).collect::<Vec<_>>();
        assert_eq!(pages(5, 200), [5, 2, 4, 3]);
        assert_eq!(pages(1000, 6), [1000, 2, 999, 3, 998]);
        assert_eq!(pages(2, 2), [2]);
        for (last, most) in [(0, 200), (1, 200), (7, 1), (7, 0)] {
            assert_eq!(pages(last, most), [0; 0], "{last} {most}");
        }
        assert_eq!(both_ends(u64::MAX, u64::MAX).take(2).collect::<Vec<_>>(), [u64::MAX, 2]);
    }
}
