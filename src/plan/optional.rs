//! Chooses the optional query parameters that a read is sent with, one at a time. Leaves out those
//! that would turn the read into a write, or have it return only some fields of each record.
//!
//! # Design
//!
//! On some services a GET has side effects: `recheck_all=1` queues work, `paused=paused` changes a record of somebody
//! else. [`parameter_side_effects`] determines which parameters these are. Leaving out a harmless parameter costs
//! the facts that it alone would show; sending a harmful one costs somebody a record.

use serde_json::Value;

use super::parameter::generated;
use crate::contract::Contract;
use crate::contract::document::Node;
use crate::contract::lexicon::{CHOOSES, ascii_words as words};
use crate::contract::operation::{
    Method, Operation, OperationId, Parameter, ParameterLocation, turns_into_another_request,
};
use crate::contract::parameter_side_effects;
use crate::contract::query::is_command_of_path;

/// The maximum number of optional parameters that one operation is read with.
pub(crate) const MAX_OPTIONAL: u64 = 20;

/// Names of parameters that select which fields each record of the response has, in lower case, without separators.
const FIELD_SELECTORS: [&str; 14] = [
    "attributes", "columns", "exclude", "excludes", "field", "include", "includes", "omit", "only", "projection",
    "properties", "props", "select", "without",
];

/// Returns the optional query parameters to send with a read, each with its index and its example, or else a
/// value that its schema admits.
/// Leaves out the page parameter of `x-page`, which walks send, and those that may have a side effect or select fields.
pub(crate) fn optional(contract: &Contract, read: OperationId) -> Vec<(usize, Value)> {
    let operation = contract.operation(read);
    let parameters = operation.parameters.iter().enumerate();
    let sent = parameters.filter(|(_, parameter)| is_sent(contract, operation, parameter));
    let valued = sent.filter_map(|(index, parameter)| Some((index, own_value(contract, parameter)?)));
    let valued = valued.filter(|(_, value)| !parameter_side_effects::is_command(value));
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
        && !turns_into_another_request(parameter.location, &parameter.name)
        && !parameter_side_effects::has_side_effect(contract, parameter)
        && !selects_fields(contract, parameter)
}

/// Returns the schema of a parameter, wherever the document has it.
fn schema_of<'own>(contract: &'own Contract, parameter: &Parameter) -> Option<&'own Node> {
    let schema = contract.document.node(parameter.schema.as_deref()?)?;
    Some(contract.referred(schema))
}

/// Whether the value that a read requires for a parameter switches something: `/relay?turn=on`, `/switch?state=off`.
pub(super) fn is_a_switch(contract: &Contract, parameter: &Parameter) -> bool {
    const NAMES: [&str; 6] = ["power", "relay", "stars", "switch", "turn", "vote"];
    let listed = schema_of(contract, parameter).and_then(|schema| schema.member("enum"));
    let listed = listed.map_or(&[][..], Node::elements).iter().filter_map(Node::string);
    NAMES.contains(&parameter.name.to_ascii_lowercase().as_str())
        || listed.filter(|value| ["off", "on", "toggle"].contains(value)).count() > 1
}

/// Whether the value that a read requires for a parameter is a command: `then=delete`.
pub(super) fn is_sent_as_command(contract: &Contract, parameter: &Parameter) -> bool {
    own_value(contract, parameter).is_some_and(|value| parameter_side_effects::is_command(&value))
}

/// Returns the example of a parameter, or else a value that its schema admits.
fn own_value(contract: &Contract, parameter: &Parameter) -> Option<Value> {
    let example = parameter.example.clone();
    example.or_else(|| generated(contract, parameter, true))
}

/// Whether a segment of a path that a read fills in chooses what is done: `/door/{action}`, or `/power/{state}` with
/// the values `on` and `off`. Below a plural name, a state is a filter: `/orders/{state}`.
pub(super) fn chooses_a_command(contract: &Contract, operation: &Operation, parameter: &Parameter) -> bool {
    const SWITCH_VALUES: [&str; 6] = ["down", "off", "on", "toggle", "up", "yes"];
    let place = format!("{{{}}}", parameter.name);
    let before = operation.path.split('/').take_while(|segment| *segment != place);
    let before = before
        .filter(|segment| !segment.contains('{'))
        .last()
        .unwrap_or_default();
    let of_several = before.ends_with('s');
    let schema = schema_of(contract, parameter);
    let listed = schema.and_then(|schema| schema.member("enum"));
    let listed = listed.map_or(&[][..], Node::elements).iter().filter_map(Node::string);
    let listed: Vec<_> = listed.map(str::to_ascii_lowercase).collect();
    // `open` and `closed` are states.
    let is_state = listed.iter().any(|value| value == "closed");
    let is_chooser = CHOOSES.contains(&parameter.name.to_ascii_lowercase().as_str());
    let sent = parameter.example.as_ref().and_then(Value::as_str);
    let gives_commands =
        sent.is_some_and(is_command_of_path) || listed.iter().any(|value| SWITCH_VALUES.contains(&value.as_str()));
    is_chooser && (!of_several || gives_commands) || !of_several && !is_state && gives_commands
}

/// Whether a write with this method does more than it says if this parameter is not sent: it has a side effect and is
/// on by default, or its default says to change all records, or to replace them.
pub(super) fn has_side_effect_by_default(contract: &Contract, method: Method, parameter: &Parameter) -> bool {
    const CHOSEN: [&str; 9] = [
        "delete", "drop", "hard", "overwrite", "purge", "replace", "reset", "series", "upsert",
    ];
    // Not `fields`: `fields=all` selects what is shown.
    const RANGES: [&str; 7] = ["affects", "apply", "scope", "series", "target", "targets", "updates"];
    const CONFLICTS: [&str; 2] = ["conflict", "duplicate"];
    const KEEPS: [&str; 3] = ["append", "keep", "preserve"];
    const BELOW: [&str; 3] = ["children", "descendants", "members"];
    let is_optional = matches!(parameter.location, ParameterLocation::Header | ParameterLocation::Query)
        && !parameter.required
        && parameter.set_by_user.is_none();
    let in_query = parameter.location == ParameterLocation::Query;
    let schema = schema_of(contract, parameter).filter(|_| is_optional);
    let default = schema.and_then(|schema| schema.member("default"));
    let name = parameter_side_effects::plain_name(parameter);
    let chosen = default.and_then(Node::string).unwrap_or_default();
    let is_on = default.and_then(Node::boolean) == Some(true) || chosen == "true";
    let is_off = default.and_then(Node::boolean) == Some(false);
    let has_name = |list: &[&str]| has_word(name, list);
    // A recursive create only makes what it is nested under. `all` must be the first word: `all_versions`, not
    // `include_all`.
    let is_recursive = method != Method::Post && has_name(&["recursive"]);
    let is_of_all = words(&separated(name)).next() == Some("all");
    let acts = || match in_query {
        true => parameter_side_effects::has_side_effect(contract, parameter),
        false => parameter_side_effects::has_side_effect_as_header(contract, parameter),
    };
    is_on && (reaches_more(name) || has_name(&["with"]) && has_name(&BELOW) || is_recursive || is_of_all || acts())
        || is_off && has_name(&KEEPS)
        || is_optional && parameter_side_effects::has_side_effect_if_absent(contract, parameter)
        || has_word(chosen, &CHOSEN)
        || has_name(&CONFLICTS) && has_word(chosen, &["merge", "update"])
        || has_word(chosen, &["all", "everything", "infinity"]) && (has_name(&RANGES) || has_name(&["depth"]))
}

/// Whether a write that is sent with `true` for a parameter with this name changes more than one record: `X-Cascade`.
pub(super) fn reaches_more(name: &str) -> bool {
    const REACHES_MORE: [&str; 5] = ["cascade", "everything", "overwrite", "prefix", "propagate"];
    has_word(name, &REACHES_MORE)
}

/// Whether a name or a value has one of the words.
fn has_word(text: &str, list: &[&str]) -> bool {
    let separated = separated(text);
    words(&separated).any(|word| list.contains(&word))
}

/// Whether the parameter selects which fields of a record the response has: facts about the others
/// would look broken. A boolean only switches one part on or off, and may leave it out: `exclude_members`.
fn selects_fields(contract: &Contract, parameter: &Parameter) -> bool {
    const LEAVES_OUT: [&str; 6] = ["brief", "compact", "exclude", "minimal", "omit", "slim"];
    let kind = schema_of(contract, parameter).and_then(|schema| schema.member("type"));
    match kind.and_then(Node::string) {
        Some("boolean") => words(&separated(&parameter.name)).any(|word| LEAVES_OUT.contains(&word)),
        _ => selects_fields_by_name(parameter),
    }
}

/// Whether the parameter selects fields, as far as its name says.
pub(super) fn selects_fields_by_name(parameter: &Parameter) -> bool {
    let name: String = words(&separated(&parameter.name)).collect();
    FIELD_SELECTORS.contains(&name.as_str()) || name.contains("fields")
}

/// Returns a name in lower case with a space before each word that begins with a capital, so that
/// [`words`] finds the same words in `recheckAll` and `recheck_all`.
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
    fn a_value_that_is_a_command_is_not_sent() {
        let sent = |stated: &str| {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    get:\n      parameters: \
                 [{{in: query, {stated}}}]\n      responses: {{'200': {{description: a}}}}\n"
            );
            let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let operation = contract.operation_ids().next().unwrap();
            let parameter = &contract.operation(operation).parameters[0];
            let is_command = is_sent_as_command(&contract, parameter);
            assert!(!is_command || optional(&contract, operation).is_empty(), "{stated}");
            optional(&contract, operation).len() == 1
        };
        for stated in [
            "name: then, schema: {type: string, enum: [delete, keep]}",
            "name: mode, schema: {type: string, enum: [consume, peek]}",
            "name: after, schema: {type: string}, example: purge",
            "name: pop, schema: {type: integer, maximum: 10}",
            "name: lease, schema: {type: integer, maximum: 10}",
        ] {
            assert!(!sent(stated), "{stated}");
        }
        for stated in [
            "name: then, schema: {type: string, enum: [keep, delete]}",
            "name: state, schema: {type: string, enum: [deleted, kept]}",
            "name: take, schema: {type: integer, maximum: 10}",
        ] {
            assert!(sent(stated), "{stated}");
        }
    }

    #[test]
    fn a_default_may_reach_more_than_one_record() {
        let acts = |stated: &str| {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    post:\n      \
                 parameters: [{{in: query, {stated}}}]\n      responses: {{'201': {{description: a}}}}\n"
            );
            let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let operation = contract.operation_ids().next().unwrap();
            has_side_effect_by_default(&contract, Method::Post, &contract.operation(operation).parameters[0])
        };
        for stated in [
            "name: cascade, schema: {type: boolean, default: true}",
            "name: applyToAll, schema: {type: boolean, default: true}",
            "name: delete_members, schema: {type: boolean, default: true}",
            "name: mode, schema: {type: string, enum: [append, replace], default: replace}",
            "name: scope, schema: {type: string, default: all}",
            "name: on_conflict, schema: {type: string, default: update}",
            "name: keep_existing, schema: {type: boolean, default: false}",
            "name: sendUpdates, schema: {type: string, default: all}",
            "name: prefix, schema: {type: boolean, default: true}",
            "name: scope, schema: {type: string, default: series}",
            "name: all_versions, schema: {type: boolean, default: true}",
            "name: series, schema: {type: string, enum: [single, following, all], default: all}",
            "name: withChildren, schema: {type: boolean, default: true}",
            "name: mode, schema: {type: string, enum: [soft, hard], default: hard}",
            "name: silent, schema: {type: boolean, default: false}, description: 'If not set, the customer gets a mail'",
            "name: silent, schema: {type: boolean}, description: 'Unless true, the members are notified.'",
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
            "name: include_children, schema: {type: boolean, default: true}",
            "name: series, schema: {type: string, default: single}",
            "name: silent, schema: {type: boolean, default: false}",
            "name: silent, schema: {type: boolean}, description: 'If set, the customer gets no mail'",
            "name: locale, schema: {type: string}, description: 'If not set, the language of the caller is used.'",
        ] {
            assert!(!acts(stated), "{stated}");
        }
    }

    /// The first operation of a contract with this path.
    fn of_path(path: &str) -> Contract {
        let text = format!("openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  {path}\n");
        Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"))
    }

    #[test]
    fn a_deletion_that_is_recursive_by_default_reaches_more() {
        let contract = of_path(
            "/a: {delete: {parameters: [{in: query, name: recursive, schema: {type: boolean, default: true}}], \
             responses: {'204': {description: a}}}}",
        );
        let parameter = &contract.operations[0].parameters[0];
        assert!(has_side_effect_by_default(&contract, Method::Delete, parameter));
    }

    #[test]
    fn a_value_in_a_path_may_be_a_command() {
        let acts = |path: &str, name: &str, values: &str| {
            let contract = of_path(&format!(
                "{path}: {{get: {{parameters: [{{in: path, name: {name}, required: true, schema: {{type: string{values}}}}}], \
                 responses: {{'200': {{description: a}}}}}}}}"
            ));
            chooses_a_command(
                &contract,
                &contract.operations[0],
                &contract.operations[0].parameters[0],
            )
        };
        assert!(acts("/cmd/{cmd}", "cmd", ", enum: [restart, status]"));
        assert!(acts("/do/{what}", "what", ", enum: [restart, status]"));
        assert!(acts("/power/{state}", "state", ", enum: ['off', 'on']"));
        assert!(acts("/door/{action}", "action", ", enum: [open, close]"));
        assert!(acts("/vote/{v}", "v", ", enum: ['yes', 'no']"));
        assert!(acts("/do/{what}", "what", ", example: reboot"));
        assert!(!acts("/status/{state}", "state", ""));
        assert!(!acts("/orders/{state}", "state", ", enum: [open, closed]"));
        assert!(!acts("/order/{state}", "state", ", enum: [open, closed]"));
        assert!(!acts("/actions/{action}", "action", ""));
        assert!(!acts("/pets/{id}", "id", ", example: rex"));
        // The first value is sent.
        assert!(!acts("/do/{what}", "what", ", enum: [status, restart]"));
    }

    #[test]
    fn a_required_value_may_switch_something() {
        let acts = |name: &str, schema: &str| {
            let contract = of_path(&format!(
                "/a: {{get: {{parameters: [{{in: query, name: {name}, required: true, schema: {schema}}}], responses: \
                 {{'200': {{description: a}}}}}}}}"
            ));
            is_a_switch(&contract, &contract.operations[0].parameters[0])
        };
        assert!(acts("turn", "{type: string}") && acts("state", "{type: string, enum: ['on', 'off']}"));
        assert!(!acts("state", "{type: string, enum: [open, closed]}") && !acts("date", "{type: string}"));
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
            "name: x, description: Also marks everything as read, schema: {type: boolean}",
            "name: x, description: Sign the user out, schema: {type: boolean}",
            "name: x, description: Locks the records for 60 seconds, schema: {type: boolean}",
            "name: rescan, schema: {type: boolean}",
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
            "name: include_adult, description: Include adult movies, schema: {type: boolean}",
            "name: range, description: The days that the chart spans, schema: {type: string, enum: [week]}",
        ] {
            assert!(sent(stated), "{stated}");
        }
    }

    #[test]
    fn a_parameter_that_selects_fields_is_not_sent() {
        for name in ["include", "fields", "$select", "'fields[boats]'", "exclude_fields"] {
            assert!(!sent(&format!("name: {name}, schema: {{type: string}}")), "{name}");
        }
        assert!(!sent("name: exclude_members, schema: {type: boolean}"));
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
