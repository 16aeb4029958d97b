//! Reads: walks over the pages of lists, and single reads.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use futures::StreamExt;
use serde_json::Value;

use super::request::{self, Address};
use super::session::Session;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::{Listed, Page};
use crate::exchange::json::Body;
use crate::exchange::{Exchange, Purpose, Request};
use crate::rules::Reason;
use crate::rules::evidence::{PageSeen, Walk, WalkEnd};

/// One item of a list as it was met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'page> {
    pub(super) value: &'page Value,
    /// The pointer of the items in the answer, and the item's place among them.
    pub(super) at: (&'page str, usize),
    pub(super) request: &'page Request,
}

impl Session<'_> {
    /// Walks over a list, learns from it and judges its pages.
    pub(super) async fn list(&self, operation: OperationId) {
        let first = self.walk(operation, &|_| false).await;
        let walk = if suspicious(&first) {
            // A list may have changed in the middle; one that adds up the second time, or not at all, tells.
            let mut second = self.walk(operation, &|_| false).await;
            let total = |walk: &Walk| walk.pages.first().and_then(|page| page.total);
            second.unstable = total(&first) != total(&second);
            second
        } else {
            first
        };
        let seen = walk.pages.iter().flat_map(|page| page.items.iter().copied().flatten());
        self.identifiers.borrow_mut().entry(operation).or_default().extend(seen);
        self.judge.borrow_mut().walk(&walk);
        self.tell_findings();
    }

    /// Reads once.
    pub(super) async fn read(&self, operation: OperationId) {
        let address = request::address(self.contract, operation, &self.known.borrow());
        match address {
            Ok(address) => {
                let (_, body) = self.call(self.documented(operation, address)).await;
                if let Some(body) = body {
                    self.known.borrow_mut().learn(self.contract, operation, &body.value);
                }
            }
            Err(reason) => self.not_called(operation, Reason::NotCalled(reason)),
        }
    }

    /// Walks over a list from its first page on. `found` is shown each item, and ends the walk when it says so.
    pub(super) async fn walk(&self, operation: OperationId, found: &dyn Fn(Item<'_>) -> bool) -> Walk {
        let most = self.settings.max_pages;
        let mut walk = Walk {
            operation,
            pages: Vec::new(),
            end: WalkEnd::Unanswered,
            most,
            unstable: false,
        };
        let Some((first, enough)) = self.page(operation, None, found).await else {
            return walk;
        };
        let last = first.last_page.map(|last| u64::try_from(last).unwrap_or(0));
        walk.end = end(&first, last.is_some_and(|last| last > most));
        walk.pages.push(first);
        let Some(last) = last else { return walk };
        if enough {
            return walk;
        }
        let numbers = 2..=last.min(most);
        self.expect(numbers.clone().count() as u64);
        let pages = numbers.map(|number| self.page(operation, Some(number), found));
        let mut pages = futures::stream::iter(pages).buffered(self.settings.jobs.max(1));
        while let Some(page) = pages.next().await {
            let Some((page, enough)) = page else {
                walk.end = WalkEnd::Unanswered;
                break;
            };
            if !page.shows_items() {
                walk.end = WalkEnd::Broken;
            }
            walk.pages.push(page);
            if enough {
                break;
            }
        }
        walk
    }

    async fn page(
        &self,
        operation: OperationId,
        asked: Option<u64>,
        found: &dyn Fn(Item<'_>) -> bool,
    ) -> Option<(PageSeen, bool)> {
        let law = self.contract.operation(operation).page.as_ref()?;
        let address = request::address(self.contract, operation, &self.known.borrow());
        let mut address = match address {
            Ok(address) => address,
            Err(reason) => {
                self.not_called(operation, Reason::NotCalled(reason));
                return None;
            }
        };
        if let Some(number) = asked {
            address.add_query(&law.parameter, &number.to_string());
        }
        let (exchange, body) = self.call(self.documented(operation, address)).await;
        let body = body.filter(|_| self.succeeded(&exchange))?;
        self.known.borrow_mut().learn(self.contract, operation, &body.value);
        let items = body.value.pointer(&law.items).and_then(Value::as_array);
        self.note_nested(operation, items.map_or(&[][..], Vec::as_slice));
        let mut enough = false;
        for (index, value) in items.into_iter().flatten().enumerate() {
            let at = (law.items.as_str(), index);
            let request = &exchange.request;
            enough |= found(Item { value, at, request });
        }
        Some((page_seen(law, asked, &body, exchange.request), enough))
    }

    /// Notes the identifiers of records that the items hold, so that one of them given to a new record is seen.
    fn note_nested(&self, list: OperationId, items: &[Value]) {
        let mut identifiers = self.identifiers.borrow_mut();
        for (index, operation) in self.contract.operations.iter().enumerate() {
            let Some(created) = &operation.laws.created else {
                continue;
            };
            let Some(Listed {
                operation: shown_in,
                at: Some(at),
                ..
            }) = &created.listed
            else {
                continue;
            };
            if *shown_in == self.contract.operation(list).name {
                let nested = format!("{at}/*{}", created.id);
                let ids = items.iter().flat_map(|item| pointer::select(item, &nested));
                let digests = ids.filter(|id| !id.is_null()).map(digest);
                identifiers.entry(OperationId(index)).or_default().extend(digests);
            }
        }
    }

    /// A documented request without a body.
    fn documented(&self, operation: OperationId, address: Address) -> Request {
        let documented = self.contract.operation(operation);
        Request {
            operation,
            purpose: Purpose::Documented(address.leaning),
            method: documented.method,
            path: address.path,
            headers: address.headers,
            body: None,
            learned: Vec::new(),
            told: address.told,
            credential: request::credential(&documented.security),
        }
    }

    /// Whether the exchange ended in a documented success.
    pub(super) fn succeeded(&self, exchange: &Exchange) -> bool {
        let operation = self.contract.operation(exchange.request.operation);
        exchange
            .outcome
            .as_ref()
            .is_ok_and(|answer| operation.succeeds_with(answer.status))
    }
}

fn page_seen(law: &Page, asked: Option<u64>, body: &Body, request: Request) -> PageSeen {
    let integer = |pointer: &str| body.value.pointer(pointer).and_then(integer);
    let items = body.value.pointer(&law.items).and_then(Value::as_array);
    let identifier = |item: &Value| item.pointer(&law.id).filter(|id| !id.is_null()).map(digest);
    PageSeen {
        asked,
        request,
        page: integer(&law.page),
        per_page: integer(&law.per_page),
        total: integer(&law.total),
        last_page: integer(&law.last_page),
        listed: items.is_some(),
        items: items.into_iter().flatten().map(identifier).collect(),
    }
}

/// An integer however it is written: `2.0` is one too.
fn integer(value: &Value) -> Option<i64> {
    let written = || value.as_f64().filter(|number| number.fract() == 0.0);
    value.as_i64().or_else(|| format!("{:.0}", written()?).parse().ok())
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
    identifier.to_string().hash(&mut hasher);
    hasher.finish()
}

/// Whether a complete walk does not add up.
fn suspicious(walk: &Walk) -> bool {
    let items = || walk.pages.iter().flat_map(|page| page.items.iter().copied().flatten());
    let different = items().collect::<HashSet<_>>().len();
    let total = walk.pages.first().and_then(|page| page.total);
    walk.end == WalkEnd::Complete
        && (walk.changed() || different != items().count() || total != i64::try_from(different).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::Contract;
    use crate::exchange::{Credential, Leaning, Told};

    /// The page that `getTags` showed with this answer.
    fn seen(body: Value) -> PageSeen {
        let contract = Contract::built_in().unwrap();
        let operation = contract.operation_named("getTags").unwrap();
        let documented = contract.operation(operation);
        let request = Request {
            operation,
            purpose: Purpose::Documented(Leaning::Nothing),
            method: documented.method,
            path: documented.path.clone(),
            headers: Vec::new(),
            body: None,
            learned: Vec::new(),
            told: Told::default(),
            credential: Credential::None,
        };
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

    fn walk(pages: Vec<PageSeen>, end: WalkEnd) -> Walk {
        Walk {
            operation: pages[0].request.operation,
            pages,
            end,
            most: 100,
            unstable: false,
        }
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
    fn a_walk_that_does_not_add_up_is_suspicious() {
        for (pages, doubted) in [
            (vec![page(&["a", "b"], 2)], false),
            (vec![page(&[], 0)], false),
            (vec![page(&["a", "b"], 3)], true),
            (vec![page(&["a", "a"], 2)], true),
            (vec![page(&["a"], 2), page(&["b"], 3)], true),
            (vec![page(&["a"], 2), page(&["a"], 2)], true),
        ] {
            assert_eq!(
                suspicious(&walk(pages.clone(), WalkEnd::Complete)),
                doubted,
                "{pages:?}"
            );
            assert!(!suspicious(&walk(pages, WalkEnd::TooManyPages)));
        }
    }
}
