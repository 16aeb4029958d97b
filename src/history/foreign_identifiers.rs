//! Remembers the records in lists that are not the run's own, so that nothing is written to one of them even if a
//! create returns its identifier. The main type is [`ForeignIdentifiers`].
//!
//! # Design
//!
//! A list shows the identifiers of its own items, and those of other records that its items refer to: what a create was
//! sent as a reference comes back there. Both follow from the invariants; the list of an inferred lifecycle shows its
//! own items. An item with the run tag is the run's own, and may be shown before the response to its create has come.

use std::collections::HashMap;

use serde_json::Value;

use super::digests::Digests;
use super::history::History;
use super::observed_values::identifier_digest;
use crate::contract::link::LinkTarget;
use crate::contract::operation::OperationId;
use crate::contract::{Contract, pointer};
use crate::exchange::Digest;

/// The identifiers that lists have shown of records that the run has not made.
#[derive(Clone, Debug)]
pub(super) struct ForeignIdentifiers {
    /// Where each list shows identifiers.
    sites: HashMap<OperationId, Vec<IdentifierSite>>,
    /// What each list has shown, by list and create.
    shown: HashMap<(OperationId, OperationId), Digests>,
}

/// Where a list shows the identifiers of the records that a create makes.
#[derive(Clone, Debug)]
struct IdentifierSite {
    create: OperationId,
    items: String,
    /// The identifier within an item.
    id: String,
}

impl ForeignIdentifiers {
    /// Starts with nothing seen.
    pub(super) fn new(contract: &Contract) -> Self {
        let mut sites: HashMap<_, Vec<_>> = HashMap::new();
        for create in contract.operation_ids() {
            for (list, id) in lists_that_show(contract, create) {
                if let Some(page) = &contract.operation(list).page {
                    sites.entry(list).or_default().push(IdentifierSite {
                        create,
                        items: page.items.clone(),
                        id: id.unwrap_or_else(|| page.id.clone()),
                    });
                }
            }
        }
        for lifecycle in contract.lifecycles() {
            if let Some(list) = &lifecycle.list {
                sites.entry(list.operation).or_default().push(IdentifierSite {
                    create: lifecycle.create,
                    items: list.items.clone(),
                    id: list.id.clone(),
                });
            }
        }
        Self {
            sites,
            shown: HashMap::new(),
        }
    }

    /// Whether a list has shown a record with this identifier, without the run tag.
    pub(super) fn contains(&self, create: OperationId, id: &Value) -> bool {
        let digest = digest(id);
        let mut shown = self.shown.iter().filter(|((_, of), _)| *of == create);
        shown.any(|(_, shown)| shown.contains(&digest))
    }

    /// Forgets the items of a list after a complete walk: `History::shown_identifiers` has them from then on.
    pub(super) fn forget(&mut self, list: OperationId, contract: &Contract) {
        self.shown
            .retain(|(by, create), _| *by != list || contract.list_whose_items_are_created_by(*create) != Some(list));
    }

    /// Notes the records that a list shows, except those that a walk has shown (`is_walked`, by create and identifier)
    /// and the run's own items (`is_own`).
    fn note(
        &mut self,
        (list, body): (OperationId, &Value),
        is_walked: impl Fn(OperationId, &Digest) -> bool,
        is_own: impl Fn(&Value) -> bool,
    ) {
        for site in self.sites.get(&list).into_iter().flatten() {
            let items = pointer::get(body, &site.items).and_then(Value::as_array);
            let shown = self.shown.entry((list, site.create)).or_default();
            for item in items.into_iter().flatten() {
                let id = pointer::get(item, &site.id).filter(|id| !id.is_null());
                let Some(id) = id else { continue };
                // This comes first because a walk may show a million identifiers, and normalising one is costly.
                if is_walked(site.create, &Digest::of(id)) {
                    continue;
                }
                let digest = digest(id);
                if !shown.contains(&digest) && !is_own(item) {
                    shown.insert(digest);
                }
            }
        }
    }
}

/// Returns the digest of an identifier, the same for all its spellings: `7` and `"7"`.
fn digest(id: &Value) -> Digest {
    identifier_digest(id).unwrap_or_else(|| Digest::of(id))
}

/// Returns the lists that show the identifiers of the records that the create makes, each with the location of the
/// identifier in an item; `None` if it identifies the item itself.
pub(crate) fn lists_that_show(contract: &Contract, create: OperationId) -> Vec<(OperationId, Option<String>)> {
    let Some(created) = &contract.operation(create).invariants.created else {
        return Vec::new();
    };
    let own = contract
        .list_whose_items_are_created_by(create)
        .map(|list| (list, None));
    let id = format!("{}{}", created.resource, created.id);
    let references = contract.links_from(create).filter(|link| link.value_at == id);
    let returned = references.filter_map(|link| {
        let LinkTarget::Body(field) = &link.target else {
            return None;
        };
        let list = contract.list_whose_items_are_created_by(link.to)?;
        let carries = &contract.operation(link.to).invariants.created.as_ref()?.carries;
        let carry = carries.iter().find(|carry| carry.sent == *field)?;
        Some((list, Some(carry.returned_at.clone())))
    });
    own.into_iter().chain(returned).collect()
}

impl History<'_> {
    /// Remembers the records that the response of a list shows.
    pub(super) fn note_shown(&mut self, list: OperationId, body: &Value) {
        let (contract, identifiers, run_tag) = (self.contract, &self.shown_identifiers, &self.run_tag);
        let is_walked = |create, id: &Digest| {
            let listed = contract.list_whose_items_are_created_by(create);
            let listed = listed.and_then(|list| identifiers.get(&list));
            listed.is_some_and(|listed| listed.contains(id))
        };
        self.foreign_identifiers
            .note((list, body), is_walked, |item| run_tag.is_in(item));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::history::evidence::{Stability, Walk, WalkEnd};
    use crate::history::run_tag::RunTag;

    #[test]
    fn a_record_is_shown_by_its_list_and_by_what_refers_to_it() {
        let contract = crate::testing::built_in();
        let operation = |name: &str| contract.operation_named(name).unwrap();
        let mut shown = ForeignIdentifiers::new(contract);
        let page = |item: Value| json!({"data": {"items": [item]}});
        let mut note = |list: &str, item: Value, is_walked: bool, is_own: bool| {
            shown.note((operation(list), &page(item)), |_, _| is_walked, |_| is_own);
        };
        note("getContacts", json!({"id": "c1"}), false, false);
        note("getContacts", json!({"id": "c2"}), false, true);
        note("getContacts", json!({"id": "c2"}), true, false);
        let visit = json!({"id": 7, "contact": {"id": "c3", "full_name": "A B"}});
        note("getVisits", visit, false, false);
        let is_shown = |create: &str, id: Value| shown.contains(operation(create), &id);
        assert!(is_shown("createContact", json!("c1")));
        assert!(!is_shown("createContact", json!("c2")));
        assert!(is_shown("createContact", json!("c3")));
        assert!(is_shown("createVisit", json!(7)));
        assert!(is_shown("createVisit", json!("7")));
        assert!(!is_shown("createVisit", json!("c1")));
        shown.forget(operation("getContacts"), contract);
        let is_shown = |id: &str| shown.contains(operation("createContact"), &json!(id));
        assert_eq!((is_shown("c1"), is_shown("c3")), (false, true));
    }

    #[test]
    fn only_a_complete_walk_replaces_what_a_list_showed_before() {
        let contract = crate::testing::built_in();
        let list = contract.operation_named("getContacts").unwrap();
        let create = contract.operation_named("createContact").unwrap();
        let page = json!({"data": {"items": [{"id": "c1"}]}});
        for (end, is_kept) in [
            (WalkEnd::TooManyPages, true),
            (WalkEnd::NoResponse, true),
            (WalkEnd::Complete, false),
        ] {
            let mut history = History::new(contract, RunTag::new(1, 1), false);
            history.foreign_identifiers.note((list, &page), |_, _| false, |_| false);
            history.note_listed(&Walk {
                operation: list,
                pages: Vec::new(),
                end,
                max_pages: 1,
                stability: Stability::Unknown,
                is_residue_walk: false,
            });
            assert_eq!(
                history.foreign_identifiers.contains(create, &json!("c1")),
                is_kept,
                "{end:?}"
            );
        }
    }
}
