//! Chooses the optional query parameters that a read is sent with, one at a time. Leaves out those
//! that would turn the read into a write, or have it return only some fields of each record.
//!
//! # Design
//!
//! On some services a GET has side effects: `recheck_all=1` queues work, `paused=paused` changes a
//! record of somebody else. Only a parameter's name and description say what it does, so both are
//! searched for verbs. Leaving out a harmless parameter costs the facts that it alone would show;
//! sending a harmful one costs somebody a record. A name such as `archived` or `deleted` is a
//! filter far more often, and counts as a side effect only if the description says so.

use serde_json::Value;

use super::parameter::generated;
use crate::contract::Contract;
use crate::contract::document::Node;
use crate::contract::operation::{Operation, OperationId, Parameter, ParameterLocation, overrides_request};
use crate::contract::query::{ALWAYS_ACTIONS, acts_by_name, switches_action};

/// The maximum number of optional parameters that one operation is read with.
pub(crate) const MAX_OPTIONAL: u64 = 20;

/// Verbs that mean a side effect where a description begins with them and a determiner follows:
/// "Start the job", not "Start date".
const LEADING_SIDE_EFFECT_VERBS: [&str; 16] = [
    "add", "archive", "assign", "charge", "create", "email", "lock", "mark", "rebuild", "resume", "run", "send",
    "start", "stop", "sync", "update",
];

const DETERMINERS: [&str; 9] = ["a", "all", "an", "each", "every", "it", "the", "them", "this"];

/// Names of parameters that select which fields each record of the response has, in lower case, without separators.
const FIELD_SELECTORS: [&str; 14] = [
    "attributes",
    "columns",
    "exclude",
    "excludes",
    "field",
    "include",
    "includes",
    "omit",
    "only",
    "projection",
    "properties",
    "props",
    "select",
    "without",
];

/// Returns the optional query parameters to send with a read, each with its index and a value that its schema admits.
/// Leaves out the page parameter of `x-page`, which walks send, and those that may have a side effect or select fields.
pub(crate) fn optional(contract: &Contract, read: OperationId) -> Vec<(usize, Value)> {
    let operation = contract.operation(read);
    let parameters = operation.parameters.iter().enumerate();
    let sent = parameters.filter(|(_, parameter)| is_sent(contract, operation, parameter));
    let valued = sent.filter_map(|(index, parameter)| {
        let example = parameter.example.clone();
        Some((index, example.or_else(|| generated(contract, parameter, true))?))
    });
    valued
        .take(usize::try_from(MAX_OPTIONAL).unwrap_or(usize::MAX))
        .collect()
}

fn is_sent(contract: &Contract, operation: &Operation, parameter: &Parameter) -> bool {
    let page = operation.page.as_ref();
    let is_page = page.is_some_and(|page| page.parameter == parameter.name);
    parameter.location == ParameterLocation::Query
        && !parameter.required
        && parameter.set_by_user.is_none()
        && !is_page
        && !overrides_request(&parameter.name)
        && !has_side_effect(contract, parameter)
        && !selects_fields(contract, parameter)
}

/// Returns the schema of a parameter, wherever the document has it.
fn schema_of<'own>(contract: &'own Contract, parameter: &Parameter) -> Option<&'own Node> {
    let schema = contract.document.node(parameter.schema.as_deref()?)?;
    Some(contract.referred(schema))
}

/// Whether the parameter has a side effect, as far as its name and its description say.
pub(super) fn has_side_effect(contract: &Contract, parameter: &Parameter) -> bool {
    let node = contract.document.node(&parameter.pointer);
    let description = node.and_then(|node| node.member("description")).and_then(Node::string);
    let description = description.unwrap_or_default();
    let described = description.to_ascii_lowercase();
    let described: Vec<_> = words(&described).collect();
    let begins_with_verb = match described[..] {
        // "Set pause state" is a side effect; "Set to true to list all" says how the parameter is
        // used.
        ["set", second, ..] => !["of", "to"].contains(&second),
        [first, second, ..] => LEADING_SIDE_EFFECT_VERBS.contains(&first) && DETERMINERS.contains(&second),
        _ => false,
    };
    let kind = schema_of(contract, parameter).and_then(|schema| schema.member("type"));
    let is_switch = kind.and_then(Node::string) == Some("boolean");
    let mut described = described.into_iter();
    begins_with_verb
        || is_switch && switches_action(description)
        || acts_by_name(&parameter.name, is_switch)
        || described.any(|word| ALWAYS_ACTIONS.contains(&word))
}

/// Whether a write does more than it says if this parameter is not sent: it has a side effect and is on by default, or its
/// default chooses all records, or to replace them.
pub(super) fn acts_by_default(contract: &Contract, parameter: &Parameter) -> bool {
    const CHOSEN: [&str; 7] = ["delete", "drop", "overwrite", "purge", "replace", "reset", "upsert"];
    // `fields=all` selects what is shown.
    const RANGES: [&str; 5] = ["affects", "apply", "scope", "target", "targets"];
    const CONFLICTS: [&str; 2] = ["conflict", "duplicate"];
    const SWITCHED: [&str; 3] = ["cascade", "everything", "overwrite"];
    const KEEPS: [&str; 3] = ["append", "keep", "preserve"];
    let is_optional =
        parameter.location == ParameterLocation::Query && !parameter.required && parameter.set_by_user.is_none();
    let schema = schema_of(contract, parameter).filter(|_| is_optional);
    let default = schema.and_then(|schema| schema.member("default"));
    let has_word = |text: &str, list: &[&str]| {
        let separated = separated(text);
        words(&separated).any(|word| list.contains(&word))
    };
    let chosen = default.and_then(Node::string).unwrap_or_default();
    let is_on = default.and_then(Node::boolean) == Some(true) || chosen == "true";
    let is_off = default.and_then(Node::boolean) == Some(false);
    let has_name = |list: &[&str]| has_word(&parameter.name, list);
    is_on && (has_name(&SWITCHED) || has_side_effect(contract, parameter))
        || is_off && has_name(&KEEPS)
        || has_word(chosen, &CHOSEN)
        || has_name(&CONFLICTS) && has_word(chosen, &["merge", "update"])
        || has_word(chosen, &["all", "everything"]) && has_word(&parameter.name, &RANGES)
}

/// Whether the parameter selects which fields of a record the response has: facts about the others
/// would look broken. A boolean only switches one part on or off.
fn selects_fields(contract: &Contract, parameter: &Parameter) -> bool {
    let kind = schema_of(contract, parameter).and_then(|schema| schema.member("type"));
    let name: String = words(&separated(&parameter.name)).collect();
    let is_known = FIELD_SELECTORS.contains(&name.as_str()) || name.contains("fields");
    is_known && kind.and_then(Node::string) != Some("boolean")
}

/// Returns the words of a text. A letter beyond ASCII ends a word, so that a verb is found in a text without spaces.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Returns a name in lower case with its words separated: `recheckAll` and `recheck_all` have the
/// same words.
pub(super) fn separated(name: &str) -> String {
    let mut separated = String::new();
    let mut follows_lowercase = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && follows_lowercase {
            separated.push(' ');
        }
        follows_lowercase = letter.is_ascii_lowercase();
        separated.push(letter.to_ascii_lowercase());
    }
    separated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_may_reach_more_than_one_record() {
        let acts = |stated: &str| {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    post:\n      \
                 parameters: [{{in: query, {stated}}}]\n      responses: {{'201': {{description: a}}}}\n"
            );
            let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let operation = contract.operation_ids().next().unwrap();
            acts_by_default(&contract, &contract.operation(operation).parameters[0])
        };
        for stated in [
            "name: cascade, schema: {type: boolean, default: true}",
            "name: applyToAll, schema: {type: boolean, default: true}",
            "name: delete_members, schema: {type: boolean, default: true}",
            "name: mode, schema: {type: string, enum: [append, replace], default: replace}",
            "name: scope, schema: {type: string, default: all}",
            "name: on_conflict, schema: {type: string, default: update}",
            "name: keep_existing, schema: {type: boolean, default: false}",
        ] {
            assert!(acts(stated), "{stated}");
        }
        for stated in [
            "name: cascade, schema: {type: boolean, default: false}",
            "name: cascade, schema: {type: boolean}",
            "name: pretty, schema: {type: boolean, default: true}",
            "name: fields, schema: {type: string, default: all}",
            "name: include_all, schema: {type: boolean, default: true}",
            "name: recursive, schema: {type: boolean, default: true}",
            "name: mode, schema: {type: string, default: append}",
        ] {
            assert!(!acts(stated), "{stated}");
        }
    }

    /// Whether a read is sent with the parameter.
    fn sent(stated: &str) -> bool {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /a: {{get: {{operationId: a, parameters: [{{in: query, \
             {stated}}}], responses: {{'200': {{description: a}}}}}}}}\n"
        );
        let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let read = OperationId(0);
        !optional(&contract, read).is_empty()
    }

    #[test]
    fn a_parameter_that_acts_is_not_sent() {
        for stated in [
            "name: recheck_all, schema: {type: string, enum: ['1']}",
            "name: forceRefresh, schema: {type: boolean}",
            "name: paused, description: Set pause state, schema: {type: string, enum: [paused, unpaused]}",
            "name: seen, description: Mark the messages as read., schema: {type: boolean}",
            "name: mark_read, schema: {type: boolean}",
            "name: autoAck, schema: {type: boolean}",
            "name: consume, schema: {type: boolean}",
            "name: autodelete, schema: {type: boolean}",
            "name: self_destruct, schema: {type: boolean}",
            "name: callback_url, schema: {type: string}",
            "name: final, description: 'If set, the caller is logged out.', schema: {type: boolean}",
            "name: last, description: 'If set, the caller is logged out.', schema: {type: boolean}",
            "name: once, description: Removes the returned messages from the queue, schema: {type: boolean}",
            "name: fresh, description: 'true: also clears the cache', schema: {type: boolean}",
            "name: exclusive, description: Each returned item is then locked to the caller, schema: {type: boolean}",
            "name: report, description: Charge the account for the report, schema: {type: boolean}",
            "name: wipe, schema: {type: string}",
            "name: action, schema: {type: string, enum: [delete, show]}",
            "name: flag, description: 検索後にdeleteする, schema: {type: boolean}",
            "name: after, description: 'If true, the record is read, to delete it afterwards.', schema: {type: boolean}",
        ] {
            assert!(!sent(stated), "{stated}");
        }
    }

    #[test]
    fn a_filter_that_is_named_after_a_state_is_sent() {
        for stated in [
            "name: paused, schema: {type: boolean}",
            "name: archived, description: 'If true, deleted records are listed too.', schema: {type: boolean}",
            "name: all, description: Set to true to list all file uploads, schema: {type: boolean}",
            "name: from, description: Start date, schema: {type: string}",
            "name: ids, description: Set of identifiers, schema: {type: string}",
            "name: enforced, schema: {type: boolean}",
            "name: update_time, schema: {type: string}",
            "name: include_archived, schema: {type: boolean}",
            "name: mark, schema: {type: string}",
        ] {
            assert!(sent(stated), "{stated}");
        }
    }

    #[test]
    fn a_parameter_that_selects_fields_is_not_sent() {
        for name in ["include", "fields", "$select", "'fields[boats]'", "exclude_fields"] {
            assert!(!sent(&format!("name: {name}, schema: {{type: string}}")), "{name}");
        }
    }

    #[test]
    fn a_switch_for_one_part_of_the_response_is_sent() {
        for stated in [
            "name: include, schema: {type: boolean}",
            "name: include_stopped, schema: {type: boolean}",
            "name: selection, schema: {type: string}",
        ] {
            assert!(sent(stated), "{stated}");
        }
    }
}
