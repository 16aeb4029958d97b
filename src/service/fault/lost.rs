//! An update that has no effect: [`lose`].

use serde_json::{Map, Value, json};

use super::call::{Call, InnerService};
use super::contract::{Carry, Updated, operation};
use crate::service::profile::UpdateSemantics;

/// Changes the body of an update so that the service accepts it but changes nothing that it carries.
///
/// Where updates merge, an empty object is sent. Where they replace, that would make the record blank, so what the list
/// shows of the record is sent.
pub(super) async fn lose(call: &mut Call, inner: &InnerService) {
    if inner.profile.update_semantics == UpdateSemantics::Merges {
        return call.set_body(&json!({}));
    }
    let Some(updated) = &call.operation.updated else { return };
    let Some(Value::Object(mut body)) = call.json() else {
        return;
    };
    if let Some(record) = record(call, updated, inner).await {
        for carry in &updated.carries {
            keep(&mut body, &record, carry, &updated.carries);
        }
        call.set_body(&Value::Object(body));
    }
}

/// Puts the current value of a record into the field of a carry, or removes the field where there is none.
fn keep(body: &mut Map<String, Value>, record: &Value, carry: &Carry, carries: &[Carry]) {
    let (Some(sent), Some(returned_at)) = (first(&carry.sent), first(&carry.returned_at)) else {
        return;
    };
    let now = match record.get(returned_at) {
        Some(Value::Array(elements)) => elements.iter().map(|element| part(element, sent, carries)).collect(),
        Some(value @ Value::Object(_)) => part(value, sent, carries),
        Some(value) => value.clone(),
        None => Value::Null,
    };
    if is_unset(&now) {
        body.remove(sent);
    } else {
        body.insert(sent.to_owned(), now);
    }
}

/// Returns the members of the request field `sent`, with the values that this object of the record shows for them.
fn part(object: &Value, sent: &str, carries: &[Carry]) -> Value {
    let carried = carries.iter().filter(|carry| first(&carry.sent) == Some(sent));
    let members = carried.filter_map(|carry| {
        let name = carry.sent.rsplit('/').next()?;
        let value = object.get(carry.returned_at.rsplit('/').next()?)?;
        Some((name.to_owned(), value.clone()))
    });
    Value::Object(members.collect())
}

fn first(pointer: &str) -> Option<&str> {
    pointer.split('/').nth(1)
}

fn is_unset(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Object(members) => members.values().any(is_unset),
        Value::String(text) => text.is_empty(),
        Value::Array(_) | Value::Bool(_) => false,
    }
}

/// Returns the record that a call names in its path, as its list shows it.
async fn record(call: &Call, updated: &Updated, inner: &InnerService) -> Option<Value> {
    let list = operation(&updated.listed.list)?;
    let invariant = list.page.as_ref()?;
    let own = call.identifier()?;
    for page in 1.. {
        let shown = inner.page(list, page).await?;
        let items = shown.pointer(&invariant.items)?.as_array()?;
        let id = |item: &Value| Some(item.pointer(&invariant.id)?.as_str()?.eq_ignore_ascii_case(own));
        if let Some(item) = items.iter().find(|item| id(item) == Some(true)) {
            return Some(item.clone());
        }
        if shown.pointer(&invariant.last_page)?.as_u64()? <= page {
            break;
        }
    }
    None
}
