//! The facts that no schema states: statuses, media types, credentials, and the laws of `x-page`, `x-laws` and links.

use std::collections::HashSet;

use super::document::Document;
use super::fact::{Fact, FactKind};
use super::link::{Link, Target};
use super::operation::{Operation, OperationId, Security};
use super::pointer;
use super::vocabulary::{Carry, Created};

/// Adds the facts of every operation, in the order of the contract.
pub(super) fn add(document: &Document, operations: &[Operation], links: &[Link], facts: &mut Vec<Fact>) {
    let mut schemes = HashSet::new();
    for (index, operation) in operations.iter().enumerate() {
        let mut adder = Adder {
            document,
            operation,
            id: OperationId(index),
            facts,
        };
        adder.answer();
        adder.credentials(&mut schemes);
        adder.pages();
        adder.created(links);
        adder.updated();
        for (index, accepts) in operation.laws.accepts.iter().enumerate() {
            for form in &accepts.forms {
                let place = format!("{}/x-laws/accepts/{index}", operation.pointer);
                adder.law(
                    FactKind::Accepts(*form),
                    &format!("accepts {}", accepts.sent),
                    form.name(),
                    place,
                );
            }
        }
    }
}

struct Adder<'add> {
    document: &'add Document,
    operation: &'add Operation,
    id: OperationId,
    facts: &'add mut Vec<Fact>,
}

impl Adder<'_> {
    fn answer(&mut self) {
        let responses = pointer::join(&self.operation.pointer, "responses");
        let success = self.operation.successes().next();
        let place = success.map_or_else(|| responses.clone(), |answer| answer.pointer.clone());
        let statuses = self.operation.success_statuses();
        self.law(FactKind::Status, "status", &statuses, place.clone());
        self.law(FactKind::NoServerError, "status", "no 5xx", responses.clone());
        self.law(FactKind::Complete, "answer", "complete", responses);
        let Some(answer) = success.filter(|answer| !answer.media_types.is_empty()) else {
            return;
        };
        let content = pointer::join(&super::load::resolve(self.document, answer.pointer.clone()), "content");
        let media_types = answer.media_types.join(" or ");
        self.law(FactKind::MediaType, "media type", &media_types, content.clone());
        if answer.body.is_some() {
            self.law(FactKind::Json, "body", "JSON", content);
        }
    }

    fn credentials(&mut self, schemes: &mut HashSet<String>) {
        let (Security::Bearer { scheme } | Security::ApiKey { scheme, .. }) = &self.operation.security else {
            return;
        };
        let place = pointer::join("/components/securitySchemes", scheme);
        self.law(
            FactKind::NoCredential,
            "auth",
            "no credential is refused",
            place.clone(),
        );
        if matches!(self.operation.security, Security::Bearer { .. }) {
            self.law(
                FactKind::OtherScheme,
                "auth",
                "another scheme is refused",
                place.clone(),
            );
        }
        if schemes.insert(scheme.clone()) {
            let documented = "a wrong token is refused";
            self.push(
                FactKind::WrongToken,
                format!("{scheme} auth: {documented}"),
                Statement {
                    documented,
                    place,
                    pattern: "",
                },
            );
        }
    }

    fn pages(&mut self) {
        let Some(page) = self.operation.page.clone() else {
            return;
        };
        let place = pointer::join(&self.operation.pointer, "x-page");
        for (kind, pattern, documented) in [
            (FactKind::PageDefault, &page.page, "1 when no page is asked for"),
            (FactKind::PageAsked, &page.page, "the page asked for"),
            (FactKind::PageSize, &page.items, "at most per_page items"),
            (FactKind::PageLast, &page.last_page, "agrees with total and per_page"),
            (FactKind::PageTotal, &page.total, "agrees with the walk"),
            (FactKind::PageUnique, &page.items, "no item on two pages"),
        ] {
            let name = format!("{} pages {pattern}: {documented}", self.operation.name);
            self.push(
                kind,
                name,
                Statement {
                    documented,
                    place: place.clone(),
                    pattern,
                },
            );
        }
    }

    fn created(&mut self, links: &[Link]) {
        let Some(created) = self.operation.laws.created.clone() else {
            return;
        };
        let place = format!("{}/x-laws/created", self.operation.pointer);
        self.identifier(&created, links, &format!("{place}/id"));
        for (index, carry) in created.carries.iter().enumerate() {
            self.carried(&created, (index, carry), &format!("{place}/carries/{index}"));
        }
        if let Some(listed) = &created.listed {
            let place = format!("{place}/listed");
            let name = format!("{} created: listed in {}", self.operation.name, listed.operation);
            let statement = Statement {
                documented: "listed",
                place: place.clone(),
                pattern: "",
            };
            self.push(FactKind::Listed, name, statement);
            if listed.owner.is_some() {
                let documented = "under no other item";
                let name = format!("{} created in {}: {documented}", self.operation.name, listed.operation);
                self.push(
                    FactKind::NotElsewhere,
                    name,
                    Statement {
                        documented,
                        place,
                        pattern: "",
                    },
                );
            }
        }
    }

    fn updated(&mut self) {
        let Some(updated) = self.operation.laws.updated.clone() else {
            return;
        };
        let place = format!("{}/x-laws/updated", self.operation.pointer);
        let list = &updated.listed.operation;
        for (index, carry) in updated.carries.iter().enumerate() {
            let documented = &format!("as sent in {}", carry.sent);
            let name = format!("{} listed in {list} {}: {documented}", self.operation.name, carry.kept);
            let place = format!("{place}/carries/{index}");
            let statement = Statement {
                documented,
                place,
                pattern: &carry.kept,
            };
            self.push(FactKind::UpdatedCarrying(index), name, statement);
        }
        let documented = "no other item changes";
        let name = format!("{} in {list}: {documented}", self.operation.name);
        let place = format!("{place}/listed");
        self.push(
            FactKind::NotElsewhere,
            name,
            Statement {
                documented,
                place,
                pattern: "",
            },
        );
    }

    fn identifier(&mut self, created: &Created, links: &[Link], place: &str) {
        let pattern = format!("{}{}", created.resource, created.id);
        let leads_into_a_path = |link: &Link| link.from == self.id && matches!(link.target, Target::Parameter(_));
        let serves = links.iter().any(leads_into_a_path);
        let statements = [
            (FactKind::IdentifierUnique, "not reused", true),
            (
                FactKind::IdentifierServes,
                "serves in the paths that it links to",
                serves,
            ),
        ];
        for (kind, documented, _) in statements.into_iter().filter(|(_, _, stated)| *stated) {
            let name = format!("{} created {pattern}: {documented}", self.operation.name);
            self.push(
                kind,
                name,
                Statement {
                    documented,
                    place: place.to_owned(),
                    pattern: &pattern,
                },
            );
        }
    }

    fn carried(&mut self, created: &Created, (index, carry): (usize, &Carry), place: &str) {
        let pattern = format!("{}{}", created.resource, carry.kept);
        let documented = &format!("as sent in {}", carry.sent);
        let place = || place.to_owned();
        let name = format!("{} created {pattern}: {documented}", self.operation.name);
        self.push(
            FactKind::Carried(index),
            name,
            Statement {
                documented,
                place: place(),
                pattern: &pattern,
            },
        );
        if let Some(listed) = &created.listed {
            let name = format!(
                "{} listed in {} {}: {documented}",
                self.operation.name, listed.operation, carry.kept
            );
            let statement = Statement {
                documented,
                place: place(),
                pattern: &carry.kept,
            };
            self.push(FactKind::ListedCarrying(index), name, statement);
        }
    }

    /// A statement about the whole operation.
    fn law(&mut self, kind: FactKind, subject: &str, documented: &str, place: String) {
        let name = format!("{} {subject}: {documented}", self.operation.name);
        self.push(
            kind,
            name,
            Statement {
                documented,
                place,
                pattern: "",
            },
        );
    }

    fn push(&mut self, kind: FactKind, name: String, statement: Statement<'_>) {
        let Statement {
            documented,
            place,
            pattern,
        } = statement;
        let (documented, pattern) = (documented.to_owned(), pattern.to_owned());
        self.facts.push(Fact {
            name,
            operation: self.id,
            kind,
            place,
            pattern,
            documented,
        });
    }
}

/// What a fact states and where: in the contract, and in the answer.
struct Statement<'statement> {
    documented: &'statement str,
    place: String,
    pattern: &'statement str,
}
