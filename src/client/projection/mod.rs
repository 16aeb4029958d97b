//! Projects the contract to a form that progenitor can read and that suits a client: liberal in what it accepts.
//!
//! progenitor panics on parts of OpenAPI that the contract uses to be strict (`not`, closed objects in `allOf`), and a
//! client that rejects a response for one missing field is of no use against a service that is almost right. So the
//! build passes progenitor not the contract but this projection of it, made by [`STEPS`]. It knows no operation by
//! name. `build.rs` compiles this module; the library does so for its tests only. The main function is [`project`].

mod answers;
mod flatten;
pub(crate) mod marks;
mod operations;
mod responses;
mod schemas;

use serde_json::Value;

pub(crate) use self::answers::LEARNED;
pub(crate) use self::schemas::drop_unused_schemas;

/// The steps of the projection, in order. The build fails with the name of the step that cannot continue.
pub(crate) const STEPS: [Step; 15] = [
    Step {
        name: "inline references",
        why: "a parameter, body or response that two operations share is adapted for each of them separately",
        apply: operations::inline_references,
    },
    Step {
        name: "require what was found to be required",
        why: "a field without which a service rejects the request is no `Option`",
        apply: answers::require_fields,
    },
    Step {
        name: "type what was found to be returned",
        why: "the document does not show the body of the response to an update, and a service may return one",
        apply: answers::type_responses,
    },
    Step {
        name: "name page items",
        why: "the streams of pages have to name the type of an item, so it must be a schema with a name",
        apply: operations::name_page_items,
    },
    Step {
        name: "add the sections",
        why: "the documentation of a call or type names where the document states it, before `x-` keys are removed",
        apply: operations::add_sections,
    },
    Step {
        name: "add the answers",
        why: "the documentation of a call, type or field says what was learned about it, before `x-` keys are removed",
        apply: answers::add_answers,
    },
    Step {
        name: "drop what the generator ignores",
        why: "links, examples, servers, security and `x-` keys shape no type, and some `x-` keys replace types silently",
        apply: operations::drop_what_is_ignored,
    },
    Step {
        name: "flatten `allOf`",
        why: "progenitor turns a closed object next to further properties into an enum without variants",
        apply: flatten::flatten_all_of,
    },
    Step {
        name: "drop unused schemas",
        why: "a schema used only by the flattened ones would be one more type, and a strict one",
        apply: drop_unused_schemas,
    },
    Step {
        name: "drop `not`",
        why: "progenitor panics on it; a forbidden property is one that the type does not have",
        apply: schemas::drop_not,
    },
    Step {
        name: "drop bounds and defaults of parameters",
        why: "bounds and defaults of a parameter are for the service to check, and would make a page a `NonZeroU64`",
        apply: operations::drop_bounds_and_defaults,
    },
    Step {
        name: "keep one media type",
        why: "progenitor panics on two media types of a request and on JSON without a schema",
        apply: operations::keep_one_media_type,
    },
    Step {
        name: "reduce the responses",
        why: "progenitor panics on two bodies among the successes or the errors of one operation",
        apply: responses::reduce_responses,
    },
    Step {
        name: "relax the responses",
        why: "nothing says that a field is always there, so a missing, null or unknown one must not fail the decoding",
        apply: responses::relax_responses,
    },
    Step {
        name: "make optional fields nullable",
        why: "an optional array or map without `nullable` has no unset value, and null in its place fails to decode",
        apply: schemas::make_optional_fields_nullable,
    },
];

/// One step of the projection.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
    apply: fn(&mut Value) -> Result<(), GenerateError>,
}

/// Why no client can be generated: a location in the contract that progenitor, or this crate, cannot handle.
#[derive(Debug)]
pub(crate) struct GenerateError {
    /// The JSON pointer of the location.
    pub(crate) pointer: String,
    /// What is wrong there and what to fix.
    pub(crate) message: String,
}

/// Returns the projection of `contract`.
///
/// # Errors
///
/// The step, the location and what to fix, when a reference leads nowhere or in a cycle, or when a field that an answer
/// requires does not exist.
pub(crate) fn project(contract: &Value) -> Result<Value, GenerateError> {
    let mut projected = contract.clone();
    for step in &STEPS {
        (step.apply)(&mut projected).map_err(|error| GenerateError {
            message: format!("{} (needed to {}: {})", error.message, step.name, step.why),
            ..error
        })?;
    }
    Ok(projected)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The projection that the client of this build is made of.
    const PROJECTED: &str = include_str!(concat!(env!("OUT_DIR"), "/projected.json"));

    #[test]
    fn the_projected_contract_is_the_reviewed_one() {
        let projected: Value = serde_json::from_str(PROJECTED).unwrap();
        crate::testing::with_snapshots(|| insta::assert_yaml_snapshot!("projected_contract", projected));
    }

    #[test]
    fn an_error_names_the_step_and_the_location() {
        let contract = json!({ "components": { "schemas": {
            "Loop": { "allOf": [{ "$ref": "#/components/schemas/Loop" }] },
        } } });
        let error = project(&contract).unwrap_err();
        assert_eq!(error.pointer, "/components/schemas/Loop");
        assert!(error.message.contains("needed to flatten `allOf`"), "{}", error.message);
    }

    #[test]
    fn a_document_without_operations_is_projected() {
        assert_eq!(project(&json!({})).unwrap(), json!({}));
    }
}
