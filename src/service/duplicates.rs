//! Duplicate records: where the profile rejects them, [`lock_unless_duplicate_contact`] and its siblings look for one
//! before a create.
//!
//! # Design
//!
//! The list is read from its start: by default, the profile accepts duplicates, so no store has an index to find them.
//! The returned lock is held until the create is done: of two equal creates at once, the second waits and is rejected.

use tokio::sync::MutexGuard;

use super::list::Listed;
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
        let mut methods = new.methods.iter().flatten();
        (same_names && new.born == contact.born) || methods.any(|method| has(contact, method))
    };
    let found = any(service, same).await?;
    reject_if_found(found, "/firstname", lock)
}

/// Rejects a contact method that a contact already has.
pub(super) async fn lock_unless_duplicate_method<'a>(
    service: &'a Service,
    new: &NewContactMethod,
) -> Result<Lock<'a>, Rejection> {
    let Some(lock) = lock(service).await else {
        return Ok(None);
    };
    let found = any(service, |contact| has(contact, new)).await?;
    reject_if_found(found, "/contact", lock)
}

/// Rejects a tag with the name of another.
pub(super) async fn lock_unless_duplicate_tag<'a>(service: &'a Service, new: &NewTag) -> Result<Lock<'a>, Rejection> {
    let Some(lock) = lock(service).await else {
        return Ok(None);
    };
    let found = any(service, |tag: &NamedRecord| tag.name == new.name).await?;
    reject_if_found(found, "/name", lock)
}

/// Rejects a visit with the contact, the venue and the time of another.
pub(super) async fn lock_unless_duplicate_visit<'a>(
    service: &'a Service,
    new: &NewVisit,
) -> Result<Lock<'a>, Rejection> {
    let Some(lock) = lock(service).await else {
        return Ok(None);
    };
    let found = any(service, |visit: &Visit| {
        (visit.contact, visit.venue.id, visit.at) == (new.contact, new.venue, new.at)
    })
    .await?;
    reject_if_found(found, "/datetime", lock)
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

async fn any<R: Listed>(service: &Service, same: impl Fn(&R) -> bool) -> Result<bool, StoreError> {
    let mut first = 1;
    loop {
        let last = first + BATCH - 1;
        let slice = R::read(service.store(), Span { first, last }).await?;
        if slice.items.iter().any(&same) {
            return Ok(true);
        }
        first += BATCH;
        if first > slice.total {
            return Ok(false);
        }
    }
}

fn reject_if_found<'a>(found: bool, field: &str, lock: MutexGuard<'a, ()>) -> Result<Lock<'a>, Rejection> {
    if found {
        Err(Rejection::Duplicate(FieldProblem {
            field: field.to_owned(),
            problem: "is that of another record",
        }))
    } else {
        Ok(Some(lock))
    }
}
