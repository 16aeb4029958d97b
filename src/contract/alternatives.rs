//! Counts how many schemas one value must be checked against where alternatives contain alternatives. The main type is
//! [`AlternativeCounts`].
//!
//! # Design
//!
//! A validator tries every alternative of a `oneOf`, and within each of them every alternative that it contains: eight
//! levels of eight make sixteen million checks of one value, in a document of three kilobytes. So the checks are
//! counted beforehand: the count of each schema is computed once and added wherever it is referred to. A document that
//! needs too many is rejected with the location.

use std::collections::HashMap;

use super::dialect::LATER_KEYWORDS_KEY;
use super::document::{Document, Node};
use super::openapi::referred_pointer;

/// The maximum number of schemas that an assertion may check one value against.
pub(super) const MAX_ALTERNATIVES: u64 = 20_000;
/// The maximum depth at which a value is checked, where each schema is an alternative or a part of the one before.
const MAX_DEPTH: usize = 512;

/// The counts of a document's schemas.
pub(super) struct AlternativeCounts<'document> {
    document: &'document Document,
    /// The number of schemas that each schema checks a value against; `None` where it goes too deep. Within itself, a
    /// schema that is being counted counts as zero.
    counts: HashMap<*const Node, Option<u64>>,
}

impl<'document> AlternativeCounts<'document> {
    pub(super) fn new(document: &'document Document) -> Self {
        Self {
            document,
            counts: HashMap::new(),
        }
    }

    /// Checks that the schema needs few enough checks of one value.
    ///
    /// # Errors
    ///
    /// The maximum number of alternatives, where the schema has more or nests too deep.
    pub(super) fn check(&mut self, schema: &'document Node) -> Result<(), u64> {
        match self.count(schema, 0) {
            Some(count) if count <= MAX_ALTERNATIVES => Ok(()),
            _ => Err(MAX_ALTERNATIVES),
        }
    }

    fn count(&mut self, schema: &'document Node, depth: usize) -> Option<u64> {
        if let Some(known) = self.counts.get(&std::ptr::from_ref(schema)) {
            return *known;
        }
        if depth > MAX_DEPTH {
            return None;
        }
        #[cfg(test)]
        crate::testing::work::count();
        self.counts.insert(std::ptr::from_ref(schema), Some(0));
        let count = self.count_parts(schema, depth + 1);
        self.counts.insert(std::ptr::from_ref(schema), count);
        count
    }

    fn count_parts(&mut self, schema: &'document Node, depth: usize) -> Option<u64> {
        let target = referred_pointer(schema);
        if let Some(target) = target.and_then(|target| self.document.node(&target)) {
            return self.count(target, depth);
        }
        let mut count = 1_u64;
        for choice in ["oneOf", "anyOf", "allOf"] {
            for part in schema.member(choice).map_or(&[][..], Node::elements) {
                count = count.saturating_add(self.count(part, depth)?);
            }
        }
        if let Some(not) = schema.member("not") {
            count = count.saturating_add(self.count(not, depth)?);
        }
        for member in schema.member(LATER_KEYWORDS_KEY).map_or(&[][..], Node::members) {
            let one = matches!(member.name.as_str(), "if" | "then" | "else");
            let several = matches!(member.name.as_str(), "dependentSchemas");
            let parts = member.node.members().iter().filter(|_| several).map(|part| &part.node);
            for part in parts.chain(one.then_some(&member.node)) {
                count = count.saturating_add(self.count(part, depth)?);
            }
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::testing::{of_schema, try_schema};
    use crate::testing::work;

    /// Schemas `L0` to `L{levels}`, each a choice between `width` references to the one below.
    fn levels(levels: usize, width: usize) -> String {
        let choice = |level: usize| {
            let part = format!("{{allOf: [{{$ref: '#/components/schemas/L{}'}}]}}", level - 1);
            format!("L{level}: {{oneOf: [{}]}}", vec![part; width].join(", "))
        };
        let above = (1..=levels).map(|level| format!("\n{}", choice(level)));
        format!("L0: {{type: object}}{}", above.collect::<String>())
    }

    fn read(depth: usize, width: usize) -> Result<Contract, String> {
        let schema = format!("{{$ref: '#/components/schemas/L{depth}'}}");
        try_schema(&schema, &levels(depth, width)).map_err(|defect| defect.to_string())
    }

    #[test]
    fn alternatives_that_multiply_are_rejected_with_the_location() {
        let reported = read(8, 8).unwrap_err();
        assert!(reported.contains("(/components/schemas/L8/oneOf)"), "{reported}");
        assert!(reported.contains("more than 20000 alternatives"), "{reported}");
    }

    #[test]
    fn many_alternatives_and_few_levels_of_them_are_read() {
        assert!(read(1, 1000).is_ok());
        assert!(read(4, 8).is_ok());
        assert!(read(100, 1).is_ok());
    }

    #[test]
    fn a_chain_of_alternatives_without_end_is_rejected() {
        assert!(
            read(2000, 1)
                .unwrap_err()
                .contains("alternatives, nested ones included")
        );
    }

    #[test]
    fn a_choice_that_contains_itself_is_read() {
        let tree = "T: {oneOf: [{type: string}, {type: array, items: {$ref: '#/components/schemas/T'}}]}";
        of_schema("{$ref: '#/components/schemas/T'}", tree);
    }

    #[test]
    fn each_schema_is_counted_once_however_many_refer_to_it() {
        let once = work::of(|| drop(read(2, 8)));
        let twice = work::of(|| drop(read(4, 8)));
        assert!(twice < once * 3, "{once} {twice}");
    }
}
