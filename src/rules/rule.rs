//! What a rule is. The main type is [`Rule`].

use super::evidence::{Creation, ExchangeSeen, FormTried, Sighting, Updating, Walk};
use super::level::Level;
use super::place::Place;
use super::verdict::Sink;

/// Judges facts of one kind.
pub struct Rule {
    /// Its name, as in flags and reports.
    pub name: &'static str,
    /// How much a finding of it weighs unless the user says otherwise.
    pub level: Level,
    /// What it holds an answer to, in one sentence.
    pub summary: &'static str,
    /// Where that comes from: a section of the document, an RFC.
    pub source: &'static str,
    pub(super) judge: Judging,
}

/// The evidence that a rule looks at.
pub(super) enum Judging {
    /// An exchange as a whole, that of an odd request too.
    AnyExchange(fn(&ExchangeSeen<'_>, &mut Sink<'_>)),
    /// A record that a create answered with.
    Creation(fn(&Creation<'_>, &mut Sink<'_>)),
    /// An exchange as a whole, where the request is not odd.
    Exchange(fn(&ExchangeSeen<'_>, &mut Sink<'_>)),
    /// A request field sent in one of its forms.
    Form(fn(&FormTried, &mut Sink<'_>)),
    /// What was sent, compared with the answer and with the list.
    Kept(Comparison),
    /// One place of a body.
    Place(fn(&Place<'_>, &mut Sink<'_>)),
    /// Where a created record, or what was sent in an update, shows in a list.
    Placed(fn(&Sighting<'_>, &mut Sink<'_>), fn(&Updating<'_>, &mut Sink<'_>)),
    /// A created record looked for in its list.
    Sighting(fn(&Sighting<'_>, &mut Sink<'_>)),
    /// A walk over the pages of a list.
    Walk(fn(&Walk, &mut Sink<'_>)),
}

/// One comparison in the three places where what was sent shows.
pub(super) struct Comparison {
    /// In the answer to a create.
    pub(super) answered: fn(&Creation<'_>, &mut Sink<'_>),
    /// In the list, after a create.
    pub(super) listed: fn(&Sighting<'_>, &mut Sink<'_>),
    /// In the list, after an update.
    pub(super) updated: fn(&Updating<'_>, &mut Sink<'_>),
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Rule")
            .field("name", &self.name)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}
