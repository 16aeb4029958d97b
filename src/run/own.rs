//! Which records are the run's own, so that it may write to them.
//!
//! # Design
//!
//! A create that answers with the identifier of another record, by mistake or by malice, would have the run overwrite that
//! one. So an identifier is the run's own when no earlier answer showed it and its record was seen with the run's mark
//! twice: in the create's answer and, before the first write that takes it, in its list or by its identifier. Until then
//! nothing is written under it; where that cannot be known, nothing is at all.

use std::cell::Cell;

use serde_json::Value;

use super::history::Made;
use super::request;
use super::session::Session;
use super::walk::{Item, Order};
use crate::contract::operation::OperationId;
use crate::plan::ShownBy;
use crate::rules::Reason;

/// What is known of the record whose identifier later writes take from a create.
#[derive(Clone, Debug)]
pub(super) enum Own {
    /// Only the answer to the create has shown it yet, with the mark.
    Answered(Box<Made>),
    /// Why it may be another one's.
    Doubtful(Reason),
    /// Another answer has shown it with the mark.
    Seen,
}

/// What a look showed of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Marked,
    Missing,
    Unmarked,
}

impl Session<'_> {
    /// Notes a created record as far as its own answer shows whose it is: whether an earlier answer showed its identifier,
    /// and whether its own shows the mark.
    pub(super) fn note_own(&self, made: Made, (was_seen, marked): (bool, bool)) {
        let doubt = if was_seen {
            Some("it stood for another record before")
        } else if !marked {
            Some("its answer carries nothing that the run sent")
        } else {
            None
        };
        let operation = made.operation;
        let own = match doubt {
            Some(doubt) => Own::Doubtful(self.doubtful(operation, doubt)),
            None => Own::Answered(Box::new(made)),
        };
        self.history.own.borrow_mut().insert(operation, own);
    }

    /// Makes sure that every identifier that a write to the operation takes from a create is that of the run's own record. A
    /// read may go to any.
    ///
    /// # Errors
    ///
    /// Why one may be another's: then the write is not sent.
    pub(super) async fn owned(&self, operation: OperationId) -> Result<(), Reason> {
        let contract = self.contract;
        if contract.operation(operation).is_read() {
            return Ok(());
        }
        let links = contract.links_to(operation);
        let mut creates: Vec<_> = links.map(|link| link.from).collect();
        creates.retain(|from| !contract.operation(*from).is_read());
        creates.sort_unstable();
        creates.dedup();
        for create in creates {
            let own = self.history.own.borrow().get(&create).cloned();
            let made = match own {
                None | Some(Own::Seen) => continue,
                Some(Own::Doubtful(reason)) => return Err(reason),
                Some(Own::Answered(made)) => made,
            };
            let confirmed = self.confirmed(&made).await;
            let own = confirmed.clone().map_or_else(Own::Doubtful, |()| Own::Seen);
            self.history.own.borrow_mut().insert(create, own);
            confirmed?;
        }
        Ok(())
    }

    /// Looks for the record where the plan says that it is shown.
    async fn confirmed(&self, made: &Made) -> Result<(), Reason> {
        let shown_by = self.plan.shown_by.get(&made.operation);
        let Some(shown_by) = shown_by else {
            return Err(self.doubtful(made.operation, "nothing else that is called shows its record"));
        };
        let look = async || match shown_by {
            ShownBy::List(list) => self.sight_in_list(*list, made).await,
            ShownBy::Read(read) => self.sight_by_id(*read).await,
        };
        let sight = self
            .settled(self.settings.settle, look, |sight| *sight == Sight::Marked)
            .await;
        let shown_by = &self.contract.operation(shown_by.operation()).name;
        match sight {
            Sight::Marked => Ok(()),
            Sight::Missing => Err(self.doubtful(made.operation, &format!("{shown_by} did not show its record"))),
            Sight::Unmarked => {
                let doubt = format!("its record in {shown_by} carries nothing that the run sent");
                Err(self.doubtful(made.operation, &doubt))
            }
        }
    }

    async fn sight_in_list(&self, list: OperationId, made: &Made) -> Sight {
        let sight = Cell::new(Sight::Missing);
        let found = |item: Item<'_>| {
            let in_place = self.belongs_in(list, made, item.value);
            // One without the mark is enough: then two records share the identifier.
            let shown = self.record_in(made, item.value, in_place).filter(|_| in_place);
            if let Some((record, _)) = shown.filter(|_| sight.get() != Sight::Unmarked) {
                sight.set(self.sight_of(record));
            }
            sight.get() != Sight::Missing
        };
        self.walk(list, Order::BothEnds, &found).await;
        sight.get()
    }

    async fn sight_by_id(&self, read: OperationId) -> Sight {
        let address = request::address(self.contract, read, &self.history.known.borrow());
        let Ok(address) = address else { return Sight::Missing };
        let (exchange, body) = self.call(self.documented(read, address)).await;
        match body.filter(|_| self.succeeded(&exchange)) {
            Some(body) => self.sight_of(&body.value),
            None => Sight::Missing,
        }
    }

    fn sight_of(&self, record: &Value) -> Sight {
        if self.settings.mark.is_in(record) {
            Sight::Marked
        } else {
            Sight::Unmarked
        }
    }

    fn doubtful(&self, create: OperationId, doubt: &str) -> Reason {
        let create = &self.contract.operation(create).name;
        Reason::NotOwn(format!(
            "the identifier that {create} answered may be that of another record: {doubt}"
        ))
    }
}
