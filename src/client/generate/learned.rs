//! Makes a call whose response was learned, and not documented, succeed whatever its body is: a service that now
//! returns a different body has still done what it was asked for. The main function is [`read_without_failing`].

use std::collections::BTreeSet;

use serde_json::Value;
use syn::{File, Ident, ReturnType, Type, parse_quote};

use super::super::projection::LEARNED;
use super::failing::{replace_arms, sends};
use super::lenient::inner;
use super::pascal;

/// Returns the types of the responses that only an answer shows.
pub(super) fn types(projected: &Value) -> BTreeSet<Ident> {
    let schemas = projected["components"]["schemas"].as_object().into_iter().flatten();
    let learned = schemas.filter(|(_, schema)| schema[LEARNED] == true);
    learned.map(|(name, _)| pascal(name)).collect()
}

/// Changes each call that returns one of the `learned` types.
pub(super) fn read_without_failing(file: &mut File, learned: &BTreeSet<Ident>) {
    for send in sends(file) {
        let ReturnType::Type(_, outcome) = &send.sig.output else {
            continue;
        };
        let body = inner(outcome).and_then(inner);
        if body.is_some_and(|body| is_one_of(body, learned)) {
            let read = parse_quote!(crate::client::learned::body(response).await);
            replace_arms(send, "from_response", &read);
        }
    }
}

fn is_one_of(kind: &Type, types: &BTreeSet<Ident>) -> bool {
    let Type::Path(path) = kind else { return false };
    path.path
        .segments
        .last()
        .is_some_and(|last| types.contains(&last.ident))
}
