//! `respelled`: a field whose allowed values or format are a gap comes back other than it was sent. Law 3.

use super::carried;
use super::level::Level;
use super::rule::{Comparison, Judging, Rule};

pub(super) static RULE: Rule = Rule {
    name: "respelled",
    level: Level::Warn,
    summary: "A field whose values or format the document does not show comes back as it was sent.",
    source: "Gaps in the field definitions",
    judge: Judging::Kept(Comparison {
        answered: |creation, sink| carried::answered(creation, sink, |carry| carry.gap.is_some()),
        listed: |sighting, sink| carried::listed(sighting, sink, |carry| carry.gap.is_some()),
        updated: |updating, sink| carried::updated(updating, sink, |carry| carry.gap.is_some()),
    }),
};
