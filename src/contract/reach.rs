//! Finds the defects that concern each operation: those in it, in what its path item shares, and in what it refers to,
//! directly or not. The main type is [`DefectReach`].
//!
//! # Design
//!
//! A *region* is an operation, a part of its path item, or whatever a reference names, each with all that is below it.
//! References are edges between regions. Defects are passed backwards along these edges, so that each region is visited
//! once, however many operations refer to it.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::defect::Defect;
use super::document::{Document, Node, NodeKind};
use super::openapi::{near, referred_pointer};
use super::operation::Method;
use super::pointer;

/// The defects that keep an operation from being checked, by the regions that have or reach them.
pub(super) struct DefectReach<'defects> {
    document: &'defects Document,
    defects: &'defects [Defect],
    /// The indexes, by their pointers, of the defects that are no warnings
    /// ([`Problem::is_warning`](super::defect::Problem::is_warning)).
    by_pointer: BTreeMap<&'defects str, usize>,
    /// The first defect that each region reaches.
    reached: HashMap<String, usize>,
}

impl<'defects> DefectReach<'defects> {
    /// Follows the references of these operations; each is given with its path item and its own pointer.
    pub(super) fn new<'operation>(
        document: &'defects Document,
        defects: &'defects [Defect],
        operations: impl Iterator<Item = (&'operation str, &'operation str)>,
    ) -> Self {
        let leaving_out = defects
            .iter()
            .enumerate()
            .filter(|(_, defect)| !defect.problem.is_warning());
        let mut by_pointer = BTreeMap::new();
        for (index, defect) in leaving_out {
            by_pointer.entry(defect.pointer.as_str()).or_insert(index);
        }
        let mut reach = Self {
            document,
            defects,
            by_pointer,
            reached: HashMap::new(),
        };
        if !reach.by_pointer.is_empty() {
            let roots = operations.flat_map(|(item, operation)| roots(document, item, operation));
            let graph = Graph::from(document, roots.collect());
            reach.spread(&graph);
        }
        reach
    }

    /// Returns the first defect that concerns the operation of this path, path item and pointer.
    pub(super) fn defect(&self, path: &str, item: &str, operation: &str) -> Option<&'defects Defect> {
        if self.by_pointer.is_empty() {
            return None;
        }
        let regions = roots(self.document, item, operation);
        let reached = regions.iter().filter_map(|region| self.reached.get(region)).copied();
        // What is wrong with the whole item is written at its path.
        let written = pointer::join("/paths", path);
        let reference = pointer::join(&written, "$ref");
        let above = ["/paths", &written, &reference, item];
        let above = above.into_iter().filter_map(|at| self.by_pointer.get(at)).copied();
        reached.chain(above).min().map(|index| &self.defects[index])
    }

    fn spread(&mut self, graph: &Graph) {
        let own = graph
            .regions
            .iter()
            .filter_map(|region| Some((self.own(region)?, region)));
        let mut own: Vec<_> = own.collect();
        own.sort_unstable();
        let mut pending: VecDeque<_> = own.into();
        while let Some((index, region)) = pending.pop_front() {
            if self.reached.contains_key(region) {
                continue;
            }
            self.reached.insert(region.clone(), index);
            let referring = graph.referring.get(region).into_iter().flatten();
            // The regions that refer to this one come before those with a later defect.
            referring.for_each(|region| pending.push_front((index, region)));
        }
    }

    /// Returns the first defect in the region itself.
    fn own(&self, region: &str) -> Option<usize> {
        let below = format!("{region}/");
        let inside = self.by_pointer.range(below.as_str()..);
        let inside = inside
            .take_while(|(at, _)| at.starts_with(&below))
            .map(|(_, index)| *index);
        inside.chain(self.by_pointer.get(region).copied()).min()
    }
}

/// The regions that some operations reach, and which refer to which.
struct Graph {
    regions: Vec<String>,
    /// The regions that refer to each.
    referring: HashMap<String, Vec<String>>,
}

impl Graph {
    fn from(document: &Document, roots: Vec<String>) -> Self {
        let mut graph = Self {
            regions: Vec::new(),
            referring: HashMap::new(),
        };
        let mut seen = HashSet::new();
        let mut pending = roots;
        while let Some(region) = pending.pop() {
            if !seen.insert(region.clone()) {
                continue;
            }
            let mut targets = Vec::new();
            if let Some(node) = document.node(&region) {
                references(node, &mut targets);
            }
            for target in targets {
                let referring = graph.referring.entry(target.clone()).or_default();
                referring.push(region.clone());
                pending.push(target);
            }
            graph.regions.push(region);
        }
        graph
    }
}

/// Collects the targets of the references in a value.
fn references(node: &Node, found: &mut Vec<String>) {
    match &node.kind {
        NodeKind::Object(_) => {
            found.extend(referred_pointer(node));
            node.members().iter().for_each(|member| references(&member.node, found));
        }
        NodeKind::Array(elements) => elements.iter().for_each(|element| references(element, found)),
        _ => {}
    }
}

/// Returns the regions that an operation consists of: itself, what its path item shares with it, and the security with
/// which it is called.
fn roots(document: &Document, item: &str, operation: &str) -> Vec<String> {
    let mut roots = vec![operation.to_owned()];
    let members = document.members_at(item);
    let shared = members.iter().filter(|member| !resembles_a_method(&member.name));
    roots.extend(shared.map(|member| pointer::join(item, &member.name)));
    let mut security = pointer::join(operation, "security");
    if document.node(&security).is_none() {
        "/security".clone_into(&mut security);
        roots.push(security.clone());
    }
    let alternatives = document.elements_at(&security);
    let schemes = alternatives.iter().flat_map(Node::members);
    roots.extend(schemes.map(|scheme| pointer::join("/components/securitySchemes", &scheme.name)));
    roots
}

/// Whether this member of a path item is an operation, or is probably meant to be one.
fn resembles_a_method(name: &str) -> bool {
    Method::from_key(name).is_some() || near(name, Method::KEYS).is_some()
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::defect::Defects;

    /// Four operations: two on `Thing`, one on `Other` by way of a response, one on nothing.
    const SOUND: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    get:
      operationId: list
      responses: {'200': {description: a, content: {application/json: {schema: {$ref: '#/components/schemas/Things'}}}}}
    post:
      operationId: create
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
      responses: {'201': {description: a}}
  /others:
    get:
      operationId: others
      responses: {'200': {$ref: '#/components/responses/Others'}}
  /health:
    parameters: [{name: verbose, in: query, schema: {type: boolean}}]
    get:
      operationId: health
      responses: {'200': {description: a}}
components:
  responses:
    Others: {description: a, content: {application/json: {schema: {$ref: '#/components/schemas/Other'}}}}
  schemas:
    Things: {type: array, items: {$ref: '#/components/schemas/Thing'}}
    Thing: {type: object, properties: {parent: {$ref: '#/components/schemas/Thing'}, size: {type: integer}}}
    Other: {type: object}
    Unused: {type: string}
";

    fn partly(text: &str) -> Result<Contract, Defects> {
        Contract::read_partly("things.yaml", text.to_owned())
    }

    /// The names of the operations that are left out, and the number of defects, after a change to the sound document.
    #[track_caller]
    fn omitted(from: &str, to: &str) -> (Vec<String>, usize) {
        assert!(SOUND.contains(from), "the sample has no `{from}`");
        let contract = partly(&SOUND.replacen(from, to, 1)).unwrap_or_else(|defects| panic!("{defects}"));
        assert_eq!(contract.operations.len() + contract.omitted.len(), 4);
        for fact in &contract.facts {
            let operation = &contract.operation(fact.operation).name;
            assert!(fact.name.starts_with(operation.as_str()), "{}", fact.name);
        }
        let names = contract.omitted.iter().map(|operation| operation.name.clone());
        (names.collect(), contract.defects.len())
    }

    #[test]
    fn a_sound_document_is_read_whole() {
        assert_eq!(omitted("type: string", "type: string"), (Vec::new(), 0));
    }

    #[test]
    fn a_defect_takes_out_the_operations_that_reach_it_and_no_others() {
        for (from, to, expected) in [
            ("'200': {$ref", "twohundred: {$ref", &["others"][..]),
            ("'201': {description: a}", "'201': {}", &[]),
            ("'201': {description: a}", "'201': 3", &["create"]),
            // The property may have any value then.
            ("type: integer", "type: integr", &[]),
            ("size: {type: integer}", "size: {type: [integr]}", &["list", "create"]),
            ("size: {type: integer}", "size: {type: 3}", &["list", "create"]),
            ("Things: {type: array", "Things: {type: Array", &["list"]),
            ("Other: {type: object}", "Another: {type: object}", &["others"]),
            (
                "Other: {type: object}",
                "Other: {type: object, minProperties: few}",
                &["others"],
            ),
            ("schema: {type: boolean}", "schema: {type: bool}", &["health"]),
            ("Unused: {type: string}", "Unused: {type: text}", &[]),
            ("title: Things, ", "", &[]),
            ("/health:\n", "/health:\n    x-laws: {}\n", &["health"]),
            (
                "operationId: health",
                "operationId: health\n      x-page: 3",
                &["health"],
            ),
            ("operationId: health", "operationId: others", &[]),
            (
                "Other: {type: object}",
                "Other: {type: object, type: array}",
                &["others"],
            ),
            (
                "operationId: create",
                "operationId: create\n      operationId: make",
                &["create"],
            ),
            (
                "schemas:\n",
                "schemas:\n    Thing: {type: object, type: array}\n",
                &["list", "create"],
            ),
        ] {
            let (names, defects) = omitted(from, to);
            assert_eq!(names, expected, "{to}");
            assert_ne!(defects, 0, "{to}");
        }
    }

    #[test]
    fn an_unknown_type_of_a_property_takes_out_the_type_alone() {
        let names = |text: &str| -> Vec<String> {
            let contract = partly(text).unwrap();
            contract.facts.iter().map(|fact| fact.name.to_string()).collect()
        };
        let expected: Vec<_> = names(SOUND)
            .into_iter()
            .filter(|name| !name.contains("/size:"))
            .collect();
        assert!(expected.len() < names(SOUND).len());
        let misspelled = SOUND.replace("type: integer", "type: integr");
        assert_eq!(names(&misspelled), expected);
        let defects = partly(&misspelled).unwrap().defects;
        assert!(defects[0].to_string().contains("not `integr`"), "{defects:?}");
        assert!(Contract::read("things.yaml", misspelled).is_err());
    }

    #[test]
    fn an_unknown_keyword_takes_out_nothing_where_json_schema_allows_it() {
        let misspelled = SOUND.replace("size: {type: integer}", "size: {type: array, min_items: 1}");
        assert_eq!(partly(&misspelled).unwrap().omitted.len(), 2);
        let contract = partly(&misspelled.replace("3.0.3", "3.1.0")).unwrap();
        let defects: Vec<_> = contract.defects.iter().map(ToString::to_string).collect();
        assert!(contract.omitted.is_empty(), "{defects:?}");
        assert!(defects[0].contains("did you mean `minItems`?"), "{defects:?}");
    }

    #[test]
    fn a_defect_in_security_takes_out_the_operations_that_are_called_by_it() {
        let schemes = "components:\n  securitySchemes: {good: {type: http, scheme: bearer}, bad: {type: htp}}\n";
        let own = |name: &str| format!("operationId: health\n      security: [{{{name}: []}}]");
        for (security, own_of_health, expected) in [
            ("[{bad: []}]", own("good"), &["list", "create", "others"][..]),
            ("[{good: []}]", own("bad"), &["health"]),
            ("[{good: []}]", own("good"), &[]),
            ("[{good: none}]", own("good"), &["list", "create", "others"]),
        ] {
            let text = SOUND.replace("components:\n", &format!("security: {security}\n{schemes}"));
            let contract = partly(&text.replace("operationId: health", &own_of_health)).unwrap();
            let names: Vec<_> = contract
                .omitted
                .iter()
                .map(|operation| operation.name.as_str())
                .collect();
            assert_eq!(names, expected, "{security}");
        }
    }

    #[test]
    fn operations_of_a_path_that_appears_twice_are_all_left_out() {
        let again = "  /health:\n    delete:\n      responses: {'204': {description: a}}\ncomponents:\n";
        let contract = partly(&SOUND.replace("components:\n", again)).unwrap();
        let names: Vec<_> = contract
            .omitted
            .iter()
            .map(|operation| operation.name.as_str())
            .collect();
        assert_eq!(names, ["health", "DELETE /health"]);
        assert!(contract.omitted[1].defect.to_string().starts_with("things.yaml:21:3 "));
    }

    #[test]
    fn an_operation_that_is_left_out_is_named_with_its_defect() {
        let contract = partly(&SOUND.replace("'201': {description: a}", "'201': 3")).unwrap();
        let error = contract.find_operation("create").unwrap_err().to_string();
        let expected = "the operation `create` is left out because of a defect: things.yaml:11:19 \
                        (/paths/~1things/post/responses/201)";
        assert!(error.starts_with(expected), "{error}");
        assert!(contract.find_operation("list").is_ok());
    }

    #[test]
    fn a_link_to_an_operation_that_is_left_out_is_passed_over() {
        let link = "'200': {description: a, links: {L: {operationId: create, requestBody: '$response.body#/id'}}";
        let broken = SOUND.replace("'201': {description: a}", "'201': 3");
        let health = "operationId: health\n      responses: {'200': {description: a}}";
        assert!(broken.contains(health));
        let linked = broken.replace(health, &format!("operationId: health\n      responses: {{{link}}}}}"));
        let contract = partly(&linked).unwrap_or_else(|defects| panic!("{defects}"));
        assert_eq!(
            (
                contract.omitted.len(),
                contract.defects.len(),
                contract.operations.len()
            ),
            (1, 1, 3)
        );
    }

    #[test]
    fn a_document_of_which_no_operation_is_left_is_refused_with_all_defects() {
        let broken = SOUND.replace("responses: {'20", "responses: {'x20");
        let defects = partly(&broken).unwrap_err();
        assert_eq!(defects.iter().count(), 4);
        assert!(partly(&SOUND.replace("3.0.3", "4.0.0")).is_err());
        assert!(partly("openapi: [").is_err());
    }

    #[test]
    fn a_defect_that_many_operations_share_is_followed_once() {
        let paths: String = (0..500)
            .map(|index| {
                format!("  /p{index}: {{get: {{responses: {{'200': {{$ref: '#/components/responses/R0'}}}}}}}}\n")
            })
            .collect();
        let chain: String = (0..60)
            .map(|index| format!("    R{index}: {{$ref: '#/components/responses/R{}'}}\n", index + 1))
            .collect();
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\npaths:\n  /sound: {{get: {{responses: {{}}}}}}\n{paths}components:\n  responses:\n{chain}    R60: 3\n"
        );
        let contract = partly(&text).unwrap();
        assert_eq!((contract.operations.len(), contract.omitted.len()), (1, 500));
    }
}
