//! Callbacks: operations of the caller, which the service calls. What the service sends there is what callers receive,
//! so the two sides of such an operation are swapped.

use super::difference::{ClientEffect, Location, Side};
use super::kind::Kind;
use super::operations::{Comparison, Operation, OperationPair, location_of_member, operations_of};
use super::range::Relation;
use super::schemas::FoundDifference;
use super::source::{LocatedNode, Source, only_in_first};

/// A member of a map, by its name.
type NamedNode<'both> = (&'both str, LocatedNode<'both>);

impl<'both> Comparison<'both> {
    pub(super) fn callbacks(&mut self, both: OperationPair<'_, 'both>) {
        let (old, new) = (&both.old.at, &both.new.at);
        let (was, is) = (callbacks(self.old, old), callbacks(self.new, new));
        let above = (
            location_of_member(old, "callbacks").pointer,
            location_of_member(new, "callbacks").pointer,
        );
        let mut added: Vec<_> = only_in_first(&is, &was, |named| named.0).collect();
        for (name, old) in &was {
            // The name only identifies it in the document, so one with another name and the same addresses is the same.
            let renamed = || added.iter().position(|(_, new)| same_addresses(old, new));
            if let Some((_, new)) = is.iter().find(|(other, _)| other == name) {
                self.callback(name, (old, new));
            } else if let Some(index) = renamed() {
                let (_, new) = added.remove(index);
                self.callback(name, (old, new));
            } else {
                let locations = (Location::at(&old.pointer), Location::missing_from(&above.1));
                self.callback_differs(Relation::Different, format!("the callback `{name}` is gone"), locations);
            }
        }
        for (name, at) in added {
            let locations = (Location::missing_from(&above.0), Location::at(&at.pointer));
            self.callback_differs(Relation::Harmless, format!("the callback `{name}` is new"), locations);
        }
    }

    /// Compares the addresses of one callback, an expression each, and what is sent there.
    fn callback(&mut self, name: &str, (old, new): (&LocatedNode<'both>, &LocatedNode<'both>)) {
        if self.is_unresolved(Side::Operation, (old, new), &format!("the callback `{name}`")) {
            return;
        }
        let (was, is) = (named(self.old, old), named(self.new, new));
        let (gone, added): (Vec<_>, Vec<_>) = (
            only_in_first(&was, &is, |named| named.0).collect(),
            only_in_first(&is, &was, |named| named.0).collect(),
        );
        if let ([(from, old)], [(to, new)]) = (gone.as_slice(), added.as_slice()) {
            let text = format!("the callback `{name}` was sent to `{from}`, now to `{to}`");
            let locations = (Location::at(&old.pointer), Location::at(&new.pointer));
            self.callback_differs(Relation::Different, text, locations);
            self.compare_callback_operations(name, (&(*from, old.clone()), &(*to, new.clone())));
        } else {
            for (address, at) in gone {
                let locations = (Location::at(&at.pointer), Location::missing_from(&new.pointer));
                let text = format!("the callback `{name}` is no longer sent to `{address}`");
                self.callback_differs(Relation::Different, text, locations);
            }
            for (address, at) in added {
                let locations = (Location::missing_from(&old.pointer), Location::at(&at.pointer));
                let text = format!("the callback `{name}` is also sent to `{address}`");
                self.callback_differs(Relation::Harmless, text, locations);
            }
        }
        for old in &was {
            if let Some(new) = is.iter().find(|new| same_name(new, old)) {
                self.compare_callback_operations(name, (old, new));
            }
        }
    }

    /// Compares what is sent to one address.
    fn compare_callback_operations(&mut self, name: &str, (old, new): (&NamedNode<'both>, &NamedNode<'both>)) {
        if self.is_unresolved(Side::Operation, (&old.1, &new.1), &format!("the callback `{name}`")) {
            return;
        }
        let (was, is) = (operations_of(old.0, &old.1), operations_of(new.0, &new.1));
        let same = |one: &Operation<'_>, other: &Operation<'_>| one.method == other.method;
        for gone in only_in_first(&was, &is, |operation| operation.method) {
            let locations = (Location::at(&gone.at.pointer), Location::missing_from(&new.1.pointer));
            let text = format!("the callback `{name}` no longer sends a {}", gone.method.as_str());
            self.callback_differs(Relation::Different, text, locations);
        }
        for added in only_in_first(&is, &was, |operation| operation.method) {
            let locations = (Location::missing_from(&old.1.pointer), Location::at(&added.at.pointer));
            let text = format!("the callback `{name}` also sends a {}", added.method.as_str());
            let relation = Relation::Unclear("callers may get a request that they do not know");
            self.callback_differs(relation, text, locations);
        }
        self.callback = Some(name.to_owned());
        for old in &was {
            if let Some(new) = is.iter().find(|new| same(old, new)) {
                let both = OperationPair { old, new };
                self.parameters(both);
                self.request_body(both);
                self.responses(both);
            }
        }
        self.callback = None;
    }

    fn callback_differs(&mut self, relation: Relation, text: String, locations: (Location, Location)) {
        let found = FoundDifference {
            kind: Kind::Callbacks,
            relation,
            client: ClientEffect::None,
            text,
        };
        self.emit(Side::Operation, found, locations);
    }
}

fn callbacks<'both>(source: &Source<'both>, operation: &LocatedNode<'both>) -> Vec<NamedNode<'both>> {
    operation
        .member("callbacks")
        .map_or_else(Vec::new, |all| named(source, &all))
}

/// Returns the members of a map, without extensions, with their references followed.
fn named<'both>(source: &Source<'both>, map: &LocatedNode<'both>) -> Vec<NamedNode<'both>> {
    let members = map.members().filter(|(name, _)| !name.starts_with("x-"));
    members.map(|(name, at)| (name, source.resolve(at))).collect()
}

fn same_addresses(one: &LocatedNode<'_>, other: &LocatedNode<'_>) -> bool {
    let addresses = |at: &LocatedNode<'_>| {
        at.node
            .members()
            .iter()
            .map(|member| member.name.clone())
            .collect::<Vec<_>>()
    };
    addresses(one) == addresses(other)
}

fn same_name(one: &NamedNode<'_>, other: &NamedNode<'_>) -> bool {
    one.0 == other.0
}
