//! The responses of an operation: statuses, bodies, headers, links.

use std::collections::HashMap;

use super::bodies::Bodies;
use super::difference::{ClientEffect, Location, Side};
use super::kind::Kind;
use super::operations::{Comparison, OperationPair, location_of_member};
use super::parameters::{SerializationStyle, schema};
use super::range::Relation;
use super::schemas::FoundDifference;
use super::source::{LocatedNode, Source, only_in_first, state_the_same};
use crate::contract::operation::StatusPattern;

/// A documented response of one document.
struct Response<'both> {
    status: StatusPattern,
    /// Where the status is.
    pointer: String,
    at: LocatedNode<'both>,
}

impl<'both> Comparison<'both> {
    pub(super) fn responses(&mut self, both: OperationPair<'_, 'both>) {
        let was = responses(self.old, &both.old.at);
        let is = responses(self.new, &both.new.at);
        let above = (
            location_of_member(&both.old.at, "responses").pointer,
            location_of_member(&both.new.at, "responses").pointer,
        );
        for old in &was {
            let same = is.iter().find(|new| new.status == old.status);
            match same.or_else(|| covering(&is, old.status)) {
                Some(new) if is_default_of_both(new, &was) && new.status != old.status => {
                    self.response_removed(old, &above.1);
                    self.compare_with_default(old, new);
                }
                Some(new) => self.response(old, new),
                None => {
                    let mut added = only_in_first(&is, &was, |response| response.status);
                    let narrowed = added.any(|new| covers(old.status, new.status));
                    if !narrowed || old.status.is_success() && !is.iter().any(|new| new.status.is_success()) {
                        self.response_removed(old, &above.1);
                    }
                }
            }
        }
        for new in only_in_first(&is, &was, |response| response.status) {
            match covering(&was, new.status) {
                Some(old) if is_default_of_both(old, &is) => {
                    self.response_added(new, &above.0);
                    self.compare_with_default(old, new);
                }
                Some(old) => self.response(old, new),
                None if was.iter().any(|old| covers(new.status, old.status)) => self.response_widened(new, &above.0),
                None => self.response_added(new, &above.0),
            }
        }
    }

    /// Compares a response that only one document lists by its status with the `default` of the other; both documents
    /// have a `default`.
    fn compare_with_default(&mut self, old: &Response<'both>, new: &Response<'both>) {
        // A `default` does not describe a success.
        if !old.status.is_success() && !new.status.is_success() {
            let reason = "the status was covered by `default` only if `default` was meant to include it";
            self.with_doubt(reason, |comparison| comparison.response(old, new));
        }
    }

    fn response_removed(&mut self, old: &Response<'both>, above: &str) {
        let relation = match old.status {
            status if status.is_success() => Relation::Different,
            StatusPattern::Exact(100..400) | StatusPattern::Class(1..4) => {
                Relation::Unclear("callers may rely on this status, which is neither a success nor an error")
            }
            _ => Relation::Harmless,
        };
        let found = FoundDifference {
            kind: Kind::ResponseRemoved,
            relation,
            client: if old.status.is_success() {
                ClientEffect::Major
            } else {
                ClientEffect::None
            },
            text: format!("the {} response is gone", old.status),
        };
        self.emit(
            Side::Response,
            found,
            (Location::at(&old.pointer), Location::missing_from(above)),
        );
    }

    fn response_added(&mut self, new: &Response<'both>, above: &str) {
        let relation = if new.status.is_success() && self.callback.is_none() {
            Relation::Unclear("callers that know only the other statuses may not take it for a success")
        } else {
            Relation::Harmless
        };
        let client = if new.status.is_success() {
            ClientEffect::Minor
        } else {
            // The client returns an error as it comes.
            ClientEffect::None
        };
        let text = format!("the {} response is new", new.status);
        self.new_response(new, above, (relation, client), text);
    }

    fn response_widened(&mut self, new: &Response<'both>, above: &str) {
        let relation = if new.status.is_success() && self.callback.is_none() {
            Relation::Unclear("callers may meet a status that they do not know")
        } else {
            Relation::Harmless
        };
        let text = format!("the {} response stands for further statuses", new.status);
        self.new_response(new, above, (relation, ClientEffect::None), text);
    }

    fn new_response(
        &mut self,
        new: &Response<'both>,
        above: &str,
        (relation, client): (Relation, ClientEffect),
        text: String,
    ) {
        let found = FoundDifference {
            kind: Kind::ResponseAdded,
            relation,
            client,
            text,
        };
        self.emit(
            Side::Response,
            found,
            (Location::missing_from(above), Location::at(&new.pointer)),
        );
    }

    fn response(&mut self, old: &Response<'both>, new: &Response<'both>) {
        let title = format!("the {} response", new.status);
        if self.is_unresolved(Side::Response, (&old.at, &new.at), &title) {
            return;
        }
        self.bodies(&Bodies {
            side: Side::Response,
            old: &old.at,
            new: &new.at,
            title: title.clone(),
        });
        self.headers(old, new, &title);
        self.links(&old.at, &new.at, &title);
    }

    fn headers(&mut self, old: &Response<'both>, new: &Response<'both>, title: &str) {
        let (was, is) = (headers(self.old, &old.at), headers(self.new, &new.at));
        let new_headers: HashMap<_, _> = is
            .iter()
            .rev()
            .map(|(name, at)| (name.to_ascii_lowercase(), at))
            .collect();
        for (name, at) in &was {
            let what = format!("the header `{name}` of {title}");
            match new_headers.get(&name.to_ascii_lowercase()) {
                Some(other) => self.header((at, other), &what),
                None => {
                    let relation = if at.flag("required") {
                        Relation::Different
                    } else if self.callback.is_some() {
                        Relation::Unclear("whether the service still reads it is not said")
                    } else {
                        Relation::Unclear(
                            "it was optional, so callers had to expect its absence; whether it still comes is not said",
                        )
                    };
                    let found = FoundDifference {
                        kind: Kind::HeaderRemoved,
                        relation,
                        client: ClientEffect::None,
                        text: format!("{what} is gone"),
                    };
                    let above = location_of_member(&new.at, "headers").pointer;
                    self.emit(
                        Side::Response,
                        found,
                        (Location::at(&at.pointer), Location::missing_from(above)),
                    );
                }
            }
        }
        for (name, at) in only_in_first(&is, &was, |header| header.0.to_ascii_lowercase()) {
            let above = location_of_member(&old.at, "headers").pointer;
            self.header_added(at, &above, &format!("the header `{name}` of {title}"));
        }
    }

    fn header_added(&mut self, new: &LocatedNode<'both>, above: &str, what: &str) {
        // The response of a callback comes from the caller.
        let callers_must_send = self.seen_by_callers(Side::Response) == Side::Request && new.flag("required");
        let (relation, verb) = if callers_must_send {
            (Relation::Narrower, "is new and required")
        } else {
            (Relation::Harmless, "is new")
        };
        let found = FoundDifference {
            kind: Kind::HeaderAdded,
            relation,
            client: ClientEffect::None,
            text: format!("{what} {verb}"),
        };
        self.emit(
            Side::Response,
            found,
            (Location::missing_from(above), Location::at(&new.pointer)),
        );
    }

    fn header(&mut self, (old, new): (&LocatedNode<'both>, &LocatedNode<'both>), what: &str) {
        if self.is_unresolved(Side::Response, (old, new), what) {
            return;
        }
        if old.flag("required") != new.flag("required") {
            let (relation, verb) = if new.flag("required") {
                (Relation::Narrower, "is now always there")
            } else {
                (Relation::Wider, "may be missing now")
            };
            let found = FoundDifference {
                kind: Kind::HeaderRequired,
                relation,
                client: ClientEffect::None,
                text: format!("{what} {verb}"),
            };
            self.emit(
                Side::Response,
                found,
                (location_of_member(old, "required"), location_of_member(new, "required")),
            );
        }
        self.deprecation((old, new), Side::Response, what);
        let ((was, encoding), (is, _)) = (schema(self.old, old), schema(self.new, new));
        let mut differences = self.schema_differences(Side::Response, encoding, (&was, &is));
        for difference in &mut differences {
            // The generated client returns headers as they come.
            difference.client = ClientEffect::None;
        }
        self.emit_schema_differences(Side::Response, differences, what);
        let (written, writes) = (
            SerializationStyle::of("header", old),
            SerializationStyle::of("header", new),
        );
        if !written.same(&writes, was.types().or(is.types())) {
            self.report_style((old, &written), (new, &writes), (Side::Response, what));
        }
    }

    fn links(&mut self, old: &LocatedNode<'both>, new: &LocatedNode<'both>, title: &str) {
        let links = |source: &Source<'both>, at: &LocatedNode<'both>| -> Vec<(&'both str, LocatedNode<'both>)> {
            let links = at.member("links");
            let members = links.iter().flat_map(|links| links.members().collect::<Vec<_>>());
            members.map(|(name, at)| (name, source.resolve(at))).collect()
        };
        let (was, is) = (links(self.old, old), links(self.new, new));
        let sources = (self.old, self.new);
        let mut emit = |relation, text, locations| {
            let found = FoundDifference {
                kind: Kind::Link,
                relation,
                client: ClientEffect::None,
                text,
            };
            self.emit(Side::Response, found, locations);
        };
        let new_links: HashMap<_, _> = is.iter().map(|(name, at)| (*name, at)).collect();
        for (name, at) in &was {
            match new_links.get(name) {
                None => {
                    let locations = (
                        Location::at(&at.pointer),
                        Location::missing_from(location_of_member(new, "links").pointer),
                    );
                    let reason = Relation::Unclear(
                        "the other operation may still take the value, but the document no longer says so",
                    );
                    emit(reason, format!("the link `{name}` of {title} is gone"), locations);
                }
                Some(other) if !state_the_same(None, (sources.0, at), (sources.1, other)) => {
                    let locations = (Location::at(&at.pointer), Location::at(&other.pointer));
                    let reason = Relation::Unclear("links are not compared further");
                    emit(reason, format!("the link `{name}` of {title} differs"), locations);
                }
                Some(_) => {}
            }
        }
        for (name, at) in only_in_first(&is, &was, |link| link.0) {
            let locations = (
                Location::missing_from(location_of_member(old, "links").pointer),
                Location::at(&at.pointer),
            );
            emit(
                Relation::Harmless,
                format!("the link `{name}` of {title} is new"),
                locations,
            );
        }
    }
}

fn responses<'both>(source: &Source<'both>, operation: &LocatedNode<'both>) -> Vec<Response<'both>> {
    let Some(all) = operation.member("responses") else {
        return Vec::new();
    };
    let known = all.members().filter_map(|(key, at)| {
        Some(Response {
            status: StatusPattern::parse(key)?,
            pointer: at.pointer.clone(),
            at: source.resolve(at),
        })
    });
    known.collect()
}

fn headers<'both>(source: &Source<'both>, response: &LocatedNode<'both>) -> Vec<(&'both str, LocatedNode<'both>)> {
    let headers = response.member("headers");
    let members = headers.iter().flat_map(|headers| headers.members().collect::<Vec<_>>());
    members
        .filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"))
        .map(|(name, at)| (name, source.resolve(at)))
        .collect()
}

/// Whether one pattern includes another, different one.
fn covers(pattern: StatusPattern, other: StatusPattern) -> bool {
    match (pattern, other) {
        (StatusPattern::Class(class), StatusPattern::Exact(status)) => status / 100 == class,
        (StatusPattern::Default, StatusPattern::Exact(_) | StatusPattern::Class(_)) => true,
        _ => false,
    }
}

/// Returns the closest response that stands for a status which its document does not name.
fn covering<'list, 'both>(
    responses: &'list [Response<'both>],
    status: StatusPattern,
) -> Option<&'list Response<'both>> {
    let covering = responses.iter().filter(|response| covers(response.status, status));
    covering.min_by_key(|response| width(response.status))
}

/// Whether a response is the `default` of both documents.
fn is_default_of_both(response: &Response<'_>, others: &[Response<'_>]) -> bool {
    response.status == StatusPattern::Default && others.iter().any(|other| same_status(other, response))
}

fn same_status(one: &Response<'_>, other: &Response<'_>) -> bool {
    one.status == other.status
}

/// How many statuses a pattern stands for, roughly.
fn width(pattern: StatusPattern) -> u8 {
    match pattern {
        StatusPattern::Exact(_) => 0,
        StatusPattern::Class(_) => 1,
        StatusPattern::Default => 2,
    }
}
