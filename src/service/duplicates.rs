//! Duplicate records: where the profile rejects them, [`lock_unless_duplicate_contact`] and its siblings look for one
//! before a create.
//!
//! # Design
//!
//! The list is read from its start: by default, the profile accepts duplicates, so no store has an index to find them.
//! The returned lock is held until the create is done: of two equal creates at once, the second waits and is rejected.

use tokio::sync::MutexGuard;

use super::list::ListRecord;
use super::open::Service;
use super::profile::Duplicates;
use super::rejection::{FieldProblem, Rejection};
use super::store::{Contact, ContactChange, NamedRecord, NewContactMethod, NewTag, NewVisit, Span, StoreError, Visit};

/// How many records are read at once.
const BATCH: i64 = 500;

/// Keeps other creates out; `None` where duplicates are accepted.
pub(super) type Lock<'a> = Option<MutexGuard<'a, ()>>;

/// Rejects a contact with the same names and date of birth as another, or with a contact method that another has.
pub(super) async fn lock_unless_duplicate_contact<'a>(
    service: &'a Service,
    new: &ContactChange,
) -> Result<Lock<'a>, Rejection> {
    let Some(lock) = lock(service).await else {
        return Ok(None);
    };
    let same = |contact: &Contact| {
        let names = (new.firstname.as_deref(), new.lastname.as_deref());
        let same_names =
            names.0.unwrap_or_default() == contact.firstname && names.1.unwrap_or_default() == contact.lastname;
        if same_names && new.born == contact.born {
            return Some("/firstname".to_owned());
        }
        let mut methods = new.methods.iter().flatten();
        let index = methods.position(|method| has(contact, method))?;
        Some(format!("/contact_methods/{index}"))
    };
    reject_if_found(first_match(service, same).await?, lock)
}

/// Rejects a contact method that any contact already has.
pub(super) async fn lock_unless_duplicate_method<'a>(
    service: &'a Service,
    new: &NewContactMethod,
) -> Result<Lock<'a>, Rejection> {
    let Some(lock) = lock(service).await else {
        return Ok(None);
    };
    let same = |contact: &Contact| has(contact, new).then(|| "/contact".to_owned());
    reject_if_found(first_match(service, same).await?, lock)
}

/// Rejects a tag with the name of another.
pub(super) async fn lock_unless_duplicate_tag<'a>(service: &'a Service, new: &NewTag) -> Result<Lock<'a>, Rejection> {
    let Some(lock) = lock(service).await else {
        return Ok(None);
    };
    let same = |tag: &NamedRecord| (tag.name == new.name).then(|| "/name".to_owned());
    reject_if_found(first_match(service, same).await?, lock)
}

/// Rejects a visit with the contact, the venue and the time of another.
pub(super) async fn lock_unless_duplicate_visit<'a>(
    service: &'a Service,
    new: &NewVisit,
) -> Result<Lock<'a>, Rejection> {
    let Some(lock) = lock(service).await else {
        return Ok(None);
    };
    let same = |visit: &Visit| {
        let is_same = (visit.contact, visit.venue.id, visit.at) == (new.contact, new.venue, new.at);
        is_same.then(|| "/datetime".to_owned())
    };
    reject_if_found(first_match(service, same).await?, lock)
}

async fn lock(service: &Service) -> Lock<'_> {
    match service.profile().duplicates {
        Duplicates::Accepted => None,
        Duplicates::Conflict | Duplicates::Invalid => Some(service.create_lock().lock().await),
    }
}

fn has(contact: &Contact, new: &NewContactMethod) -> bool {
    let mut methods = contact.methods.iter();
    methods.any(|method| method.kind == new.kind && method.contact == new.contact)
}

/// Returns the pointer of the sent field that is that of a record, from the first record for which `same` finds one.
async fn first_match<R: ListRecord>(
    service: &Service,
    same: impl Fn(&R) -> Option<String>,
) -> Result<Option<String>, StoreError> {
    let mut first = 1;
    loop {
        let last = first + BATCH - 1;
        let slice = R::read(service.store(), Span { first, last }).await?;
        if let Some(field) = slice.items.iter().find_map(&same) {
            return Ok(Some(field));
        }
        first += BATCH;
        if first > slice.total {
            return Ok(None);
        }
    }
}

fn reject_if_found(field: Option<String>, lock: MutexGuard<'_, ()>) -> Result<Lock<'_>, Rejection> {
    match field {
        Some(field) => Err(Rejection::Duplicate(FieldProblem {
            field,
            problem: "is that of another record",
        })),
        None => Ok(Some(lock)),
    }
}
