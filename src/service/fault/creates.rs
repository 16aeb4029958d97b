//! Creates and lists that do not agree: [`CreateFault`]. They break the invariants of what is created and listed.

use serde_json::Value;

use super::call::{Call, InnerService, ServedResponse};
use super::contract::{Created, operation};
use super::locations::{each, select};
use super::pages::{items, recount};
use super::state::FaultState;
use crate::service::profile::ListOrder;

/// What is wrong with created records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CreateFault {
    /// A create returns the identifier of a record that is already listed.
    IdentifierReused,
    /// A record that belongs to another, such as a contact's method, is listed under all the others too.
    ListedElsewhereToo,
    /// A record shows only the last of the records that were added to it.
    OthersReplaced,
    /// Two new records, each with an array of several elements, show each other's last element.
    PartsExchanged,
    /// What was created is not listed.
    Unlisted,
}

impl CreateFault {
    /// Changes the response of the create, or of the list that shows what it creates.
    pub(super) async fn change_response(
        self,
        created: &Created,
        call: &Call,
        response: &mut ServedResponse,
        context: (&InnerService, &FaultState),
    ) {
        let (inner, state) = context;
        let Some(body) = response.success() else { return };
        if call.operation.page.is_some() {
            let made = state.remembered();
            self.listed(created, call, body, &made);
            if self == CreateFault::Unlisted && created.listed.array.is_none() {
                hide(call, body, made.len(), inner).await;
            }
            return;
        }
        let Some(record) = body.pointer_mut(&created.resource) else {
            return;
        };
        state.remember(record);
        if let (CreateFault::IdentifierReused, Some(other)) = (self, listed_already(created, record, inner).await)
            && let Some(id) = record.pointer_mut(&created.id)
        {
            *id = other;
        }
    }

    fn listed(self, created: &Created, call: &Call, body: &mut Value, made: &[Value]) {
        let Some(invariant) = &call.operation.page else { return };
        let is_made = |record: &Value| {
            made.iter()
                .any(|made| made.pointer(&created.id) == record.pointer(&created.id))
        };
        match (self, &created.listed.array) {
            (CreateFault::IdentifierReused, _)
            | (CreateFault::PartsExchanged, Some(_))
            | (CreateFault::ListedElsewhereToo | CreateFault::OthersReplaced | CreateFault::Unlisted, None) => {}
            (CreateFault::OthersReplaced, Some(at)) => {
                each(body, &format!("{}{at}", invariant.item()), &mut |records| {
                    let Some(records) = records.as_array_mut() else { return };
                    if let Some(last) = records.iter().rfind(|record| is_made(record)).cloned() {
                        *records = vec![last];
                    }
                });
            }
            (CreateFault::PartsExchanged, None) => {
                for array in arrays(created) {
                    if let Some(two) = last_elements(array, made) {
                        exchange(body, &format!("{}{array}", invariant.item()), &two);
                    }
                }
            }
            (CreateFault::ListedElsewhereToo, Some(at)) => {
                each(body, &format!("{}{at}", invariant.item()), &mut |records| {
                    let Some(records) = records.as_array_mut() else { return };
                    let missing = made.iter().filter(|made| !records.contains(made));
                    let missing: Vec<_> = missing.cloned().collect();
                    records.extend(missing);
                });
            }
            (CreateFault::Unlisted, Some(at)) => {
                each(body, &format!("{}{at}", invariant.item()), &mut |records| {
                    if let Some(records) = records.as_array_mut() {
                        records.retain(|record| !is_made(record));
                    }
                });
            }
        }
    }
}

/// Returns the arrays of objects that a create carries.
fn arrays(created: &Created) -> Vec<&str> {
    let carried = created.carries.iter();
    let mut arrays: Vec<_> = carried
        .filter_map(|carry| Some(carry.returned_at.split_once("/*/")?.0))
        .collect();
    arrays.dedup();
    arrays
}

/// Returns the last elements of the last two records that were created with several elements.
fn last_elements(array: &str, made: &[Value]) -> Option<(Value, Value)> {
    let several = made
        .iter()
        .filter_map(|made| made.pointer(array)?.as_array().filter(|array| array.len() > 1));
    let mut last: Vec<_> = several.filter_map(|elements| elements.last().cloned()).collect();
    last.pop().zip(last.pop())
}

/// Shows each of the two elements in place of the other.
fn exchange(body: &mut Value, array: &str, (one, other): &(Value, Value)) {
    each(body, &format!("{array}/*"), &mut |element| {
        if element == one {
            element.clone_from(other);
        } else if element == other {
            element.clone_from(one);
        }
    });
}

/// Shows a page as it would be without the `made` records, which are the newest of the list.
async fn hide(call: &Call, body: &mut Value, made: usize, inner: &InnerService) {
    let Some(invariant) = &call.operation.page else { return };
    let number = |body: &Value, pointer: &str| body.pointer(pointer).and_then(Value::as_u64).unwrap_or(1);
    let (page, per_page) = (number(body, &invariant.page), number(body, &invariant.per_page).max(1));
    recount(body, invariant, -i64::try_from(made).unwrap_or(0));
    let made = made as u64;
    let left = number(body, &invariant.total).saturating_sub((page - 1).saturating_mul(per_page));
    let left = usize::try_from(left.min(per_page)).unwrap_or(usize::MAX);
    let mut shown = Vec::new();
    if inner.profile.list_order == ListOrder::NewestFirst {
        // The items of this page now start `made` items further on.
        for next in [page + made / per_page, page + made / per_page + 1] {
            let page = inner.page(call.operation, next).await.unwrap_or_default();
            if number(&page, &invariant.page) == next {
                shown.extend(select(&page, &invariant.item()));
            }
        }
        let before = usize::try_from(made % per_page).unwrap_or_default();
        shown.drain(..before.min(shown.len()));
    } else {
        shown = select(body, &invariant.item());
    }
    shown.truncate(left);
    if let Some(items) = items(body, invariant) {
        *items = shown;
    }
}

/// Returns the identifier of another record that the list shows.
async fn listed_already(created: &Created, record: &Value, inner: &InnerService) -> Option<Value> {
    let pattern = created.listed.records()? + &created.id;
    let shown = inner.list(operation(&created.listed.list)?).await?;
    let own = record.pointer(&created.id);
    select(&shown, &pattern).into_iter().find(|id| Some(id) != own)
}
