//! The four lists: [`List`] names them, and a [`ListRecord`] record knows which one it is in.

use super::profile::{ListStatus, Profile};
use super::store::{Contact, NamedRecord, RecordSlice, Span, Store, StoreError, Venue, Visit};

/// One of the lists.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum List {
    Contacts,
    Tags,
    Venues,
    Visits,
}

/// A record that a list shows.
pub(super) trait ListRecord: Sized + Send {
    /// The list.
    const LIST: List;

    /// Reads the records at the positions in `span`, and the total.
    fn read(store: &dyn Store, span: Span) -> impl Future<Output = Result<RecordSlice<Self>, StoreError>> + Send;
}

impl ListRecord for Contact {
    const LIST: List = List::Contacts;

    async fn read(store: &dyn Store, span: Span) -> Result<RecordSlice<Self>, StoreError> {
        store.contacts(span).await
    }
}

/// A tag is just its id and its name.
impl ListRecord for NamedRecord {
    const LIST: List = List::Tags;

    async fn read(store: &dyn Store, span: Span) -> Result<RecordSlice<Self>, StoreError> {
        store.tags(span).await
    }
}

impl ListRecord for Venue {
    const LIST: List = List::Venues;

    async fn read(store: &dyn Store, span: Span) -> Result<RecordSlice<Self>, StoreError> {
        store.venues(span).await
    }
}

impl ListRecord for Visit {
    const LIST: List = List::Visits;

    async fn read(store: &dyn Store, span: Span) -> Result<RecordSlice<Self>, StoreError> {
        store.visits(span).await
    }
}

impl List {
    /// Returns the success status of a page of the list.
    pub(super) fn status(self, profile: &Profile) -> ListStatus {
        match self {
            List::Contacts => profile.get_contacts_status,
            List::Tags => profile.get_tags_status,
            List::Venues => profile.get_venues_status,
            List::Visits => profile.get_visits_status,
        }
    }
}
