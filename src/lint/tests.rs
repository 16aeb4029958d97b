//! Each rule finds its defect at its line and column, and is silent on the mended twin.

use std::collections::HashSet;

use super::*;

const SOUND: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getThing
      parameters: [{name: size, in: query, schema: {type: integer}}]
      responses:
        '200': {description: One, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
    delete:
      operationId: deleteThing
      responses:
        '204': {description: Gone}
components:
  schemas:
    Thing:
      type: object
      required: [name]
      properties:
        name: {type: string}
";

/// A defect: what is replaced in the sound document, its broken form, its mended form, and what is found where.
struct Row {
    of: &'static str,
    broken: &'static str,
    mended: &'static str,
    found: (LintRule, u32, u32),
    says: &'static str,
}

const fn row(
    of: &'static str,
    broken: &'static str,
    mended: &'static str,
    found: (LintRule, u32, u32),
    says: &'static str,
) -> Row {
    Row {
        of,
        broken,
        mended,
        found,
        says,
    }
}

const NAME: &str = "name: {type: string}";
const ROWS: &[Row] = &[
    row("3.0.3", "4.0.0", "3.0.0", (LintRule::NotOpenApi, 1, 1), "`4.0.0`"),
    row(
        "schema: {type: integer}}]",
        "type: integer}]",
        "schema: {type: number}}]",
        (LintRule::Missing, 8, 20),
        "neither `schema` nor `content`",
    ),
    row(
        "schema: {type: integer}}]",
        "schema: {type: integer}, content: {text/plain: {}}}]",
        "content: {text/plain: {}}}]",
        (LintRule::WrongType, 8, 69),
        "either `schema` or `content`",
    ),
    row(
        "'204': {description: Gone}",
        "2xx: {description: Gone}",
        "2XX: {description: Gone}",
        (LintRule::UnknownName, 14, 9),
        "write `2XX`",
    ),
    row(
        "        '204': {description: Gone}",
        "        x-a: 1",
        "        default: {description: Gone}",
        (LintRule::Missing, 13, 7),
        "no response is documented",
    ),
    row(
        "'204': {description: Gone}",
        "'200': {description: Gone, schema: {type: string}}",
        "'200': {description: Gone, content: {text/plain: {schema: {type: string}}}}",
        (LintRule::UnknownName, 14, 36),
        "move it to `content`",
    ),
    row(
        "components:",
        "  /things/{name}:\n    parameters: [{name: name, in: path, required: true, schema: {}}]\ncomponents:",
        "  /things/{name}.json:\n    parameters: [{name: name, in: path, required: true, schema: {}}]\ncomponents:",
        (LintRule::DuplicateKey, 15, 3),
        "the same path as `/things/{id}` on line 4",
    ),
    row(
        "$ref: '#/components/schemas/Thing'",
        "$ref: '#/paths/~1things~1{id}/delete/responses/204'",
        "$ref: '#/components/schemas/Thing/properties/name'",
        (LintRule::Reference, 10, 73),
        "the response `#/paths/~1things~1{id}/delete/responses/204`, where a schema belongs",
    ),
    row(
        "$ref: '#/components/schemas/Thing'",
        "$ref: '#'",
        "$ref: '#/components/schemas/Thing'",
        (LintRule::Reference, 10, 73),
        "the OpenAPI document",
    ),
    row(
        "      operationId: deleteThing",
        "      operationId: deleteThing\n      security: [{}, {key: []}]",
        "      operationId: deleteThing\n      security: [{}]",
        (LintRule::Reference, 13, 23),
        "no security scheme is called `key`",
    ),
    row(
        "components:",
        "components:\n  securitySchemes: {key: {type: apiKey, in: header}}",
        "components:\n  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}",
        (LintRule::Missing, 16, 21),
        "has no `name`",
    ),
    row(
        "components:",
        "components:\n  securitySchemes: {one: {type: oauth2}}",
        "components:\n  securitySchemes: {one: {type: oauth2, flows: {}}}",
        (LintRule::Missing, 16, 21),
        "has no `flows`",
    ),
    row(
        "title: Things,",
        "title: Things, license: MIT,",
        "title: Things, license: {name: MIT},",
        (LintRule::WrongType, 2, 23),
        "must be an object, not a string",
    ),
    row(
        "type: object",
        "oneOf: []",
        "oneOf: [{type: object}]",
        (LintRule::WrongType, 18, 7),
        "lists no schema",
    ),
    row(
        "type: object",
        "discriminator: name",
        "discriminator: {propertyName: name}",
        (LintRule::WrongType, 18, 7),
        "must be an object",
    ),
    row(
        "version: '1'",
        "version: 1.0",
        "version: '1.0'",
        (LintRule::WrongType, 2, 23),
        "must be a string, not a number; quote it",
    ),
    row(
        "version: '1'",
        "Version: '1'",
        "version: '2'",
        (LintRule::UnknownName, 2, 23),
        "did you mean `version`?",
    ),
    row(
        "info: {title: Things, version: '1'}",
        "tags: []",
        "info: {title: A, version: '1'}",
        (LintRule::Missing, 1, 1),
        "has no `info`",
    ),
    row(
        "  /things/{id}:",
        "  things/{id}:",
        "  /thing/{id}:",
        (LintRule::PathWithoutSlash, 4, 3),
        "begins with a slash",
    ),
    row(
        "parameters: [{name: id,",
        "parameters: [{name: other, in: path, required: true, schema: {}}, {name: id,",
        "parameters: [{name: other, in: query, schema: {}}, {name: id,",
        (LintRule::UnusedPathParameter, 5, 18),
        "has no `{other}`",
    ),
    row(
        "    parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n    get:",
        "    get:\n      x-a: 1",
        "    parameters: [{name: id, in: path, required: true, schema: {}}]\n    get:",
        (LintRule::MissingPathParameter, 4, 3),
        "`{id}`",
    ),
    row(
        "    parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n    get:\n      operationId: getThing\n      parameters: [{name: size,",
        "    get:\n      operationId: getThing\n      parameters: [{name: id, in: path, required: true, schema: {}}, {name: size,",
        "    parameters: [{name: id, in: path, required: true, schema: {}}]\n    get:\n      operationId: getThing\n      parameters: [{name: size,",
        (LintRule::MissingPathParameter, 10, 5),
        "no parameter of this operation",
    ),
    row(
        "[{name: size, in: query,",
        "[{name: size, in: query, schema: {}}, {name: size, in: query,",
        "[{name: size, in: header, schema: {}}, {name: size, in: query,",
        (LintRule::DuplicateParameter, 8, 57),
        "`size` is declared twice",
    ),
    row(
        "  /things/{id}:",
        "  /things/{id}/{id}:",
        "  /things/of/{id}:",
        (LintRule::DuplicateParameter, 4, 3),
        "`{id}` appears twice",
    ),
    row(
        "in: path, required: true",
        "in: path, required: false",
        "required: true, in: path",
        (LintRule::OptionalPathParameter, 5, 39),
        "`required: true`",
    ),
    row(
        "in: path, required: true, ",
        "in: path, ",
        "required: true, in: path, ",
        (LintRule::OptionalPathParameter, 5, 18),
        "`required: true`",
    ),
    row(
        "in: query",
        "in: Query",
        "in: header",
        (LintRule::WrongType, 8, 33),
        "one of `query`",
    ),
    row(
        "operationId: deleteThing",
        "operationId: getThing",
        "operationId: removeThing",
        (LintRule::DuplicateOperationId, 12, 7),
        "already on line 7",
    ),
    row(
        "operationId: deleteThing",
        "operationId: 12",
        "operationId: '12'",
        (LintRule::WrongType, 12, 7),
        "must be a string",
    ),
    row(
        "    delete:",
        "    Delete:",
        "    put:",
        (LintRule::UnknownName, 11, 5),
        "did you mean `delete`?",
    ),
    row(
        "'204': {description: Gone}",
        "'204': {description: Gone, content: {text/plain: {}}}",
        "'202': {description: Gone, content: {text/plain: {}}}",
        (LintRule::ContentWithoutBody, 14, 36),
        "204 has no body",
    ),
    row(
        "'204': {description: Gone}",
        "'304': {$ref: '#/x-r'}\nx-r: {description: a, content: {text/plain: {}}}",
        "'304': {$ref: '#/x-r'}\nx-r: {description: a, content: {}}",
        (LintRule::ContentWithoutBody, 14, 17),
        "304 has no body",
    ),
    row(
        "'204': {description: Gone}",
        "'205': {description: Gone, content: {text/plain: {}}}",
        "'206': {description: Gone, content: {text/plain: {}}}",
        (LintRule::ContentWithoutBody, 14, 36),
        "205 has no body",
    ),
    row(
        "'204': {description: Gone}",
        "'204': {}",
        "'204': {description: ''}",
        (LintRule::Missing, 14, 9),
        "has no `description`",
    ),
    row(
        "'204': {description: Gone}",
        "two: {description: Gone}",
        "2XX: {description: Gone}",
        (LintRule::WrongType, 14, 9),
        "a status such as `200`",
    ),
    row(
        "schemas/Thing'",
        "schemas/Thign'",
        "schemas/Thing/properties/name'",
        (LintRule::Reference, 10, 73),
        "did you mean",
    ),
    row(
        "required: [name]",
        "required: []",
        "maxProperties: 3",
        (LintRule::EmptyRequired, 19, 7),
        "names no property",
    ),
    row(
        "required: [name]",
        "required: name",
        "required: [name, size]",
        (LintRule::WrongType, 19, 7),
        "must be an array",
    ),
    row(
        "type: object",
        "type: objekt",
        "type: object\n      nullable: true",
        (LintRule::WrongType, 18, 7),
        "not `objekt`",
    ),
    row(
        NAME,
        "name: {type: string, enum: []}",
        "name: {type: string, enum: [a]}",
        (LintRule::EmptyEnum, 21, 30),
        "allows no value",
    ),
    row(
        NAME,
        "name: {type: string, enum: [a, 404]}",
        "name: {type: string, enum: [a, '404']}",
        (LintRule::EnumOfAnotherType, 21, 40),
        "quote it",
    ),
    row(
        NAME,
        "name: {type: string, pattern: '['}",
        "name: {type: string, pattern: '[a]'}",
        (LintRule::InvalidPattern, 21, 30),
        "not a regular expression",
    ),
    row(
        NAME,
        "name: {type: array}",
        "name: {type: array, items: {}}",
        (LintRule::ArrayWithoutItems, 21, 16),
        "has no `items`",
    ),
    row(
        NAME,
        "name: {minimum: 3, maximum: 2}",
        "name: {minimum: 2, maximum: 2}",
        (LintRule::ContradictingBounds, 21, 16),
        "at least 3 and at most 2",
    ),
    row(
        NAME,
        "name: {minimum: 2, maximum: 2, exclusiveMaximum: true}",
        "name: {minimum: 2, maximum: 3, exclusiveMaximum: true}",
        (LintRule::ContradictingBounds, 21, 16),
        "excluded",
    ),
    row(
        NAME,
        "name: {minLength: 3, maxLength: 2}",
        "name: {minLength: 2, maxLength: 3}",
        (LintRule::ContradictingBounds, 21, 16),
        "no length",
    ),
    row(
        NAME,
        "name: {minItems: 3, maxItems: 2}",
        "name: {minItems: 0, maxItems: 0}",
        (LintRule::ContradictingBounds, 21, 16),
        "no number of items",
    ),
    row(
        NAME,
        "name: {minProperties: 1, maxProperties: 0}",
        "name: {minProperties: 1}",
        (LintRule::ContradictingBounds, 21, 16),
        "no number of properties",
    ),
    row(
        NAME,
        "name: {minLength: -1}",
        "name: {minLength: 0}",
        (LintRule::ContradictingBounds, 21, 16),
        "cannot be negative",
    ),
    row(
        NAME,
        "name: {multipleOf: 0}",
        "name: {multipleOf: 0.1}",
        (LintRule::ContradictingBounds, 21, 16),
        "greater than 0",
    ),
    row(
        NAME,
        "name: {maxLength: '10'}",
        "name: {maxLength: 10}",
        (LintRule::WrongType, 21, 16),
        "an integer, not `10`",
    ),
    row(
        NAME,
        "name: {nullable: 'true'}",
        "name: {nullable: true}",
        (LintRule::WrongType, 21, 16),
        "a boolean, not `true`",
    ),
    row(
        NAME,
        "name: {type: string}\n        name: {}",
        "name: {type: string}\n        size: {}",
        (LintRule::DuplicateKey, 22, 9),
        "already on line 21",
    ),
    row(
        NAME,
        "name: {$ref: '#/components/schemas/Thing/properties/name'}",
        "name: {$ref: '#/components/schemas/Thing'}",
        (LintRule::Reference, 21, 16),
        "leads back to itself",
    ),
    row(
        NAME,
        "name: {}\n    Endless: {allOf: [{$ref: '#/components/schemas/Endless'}]}",
        "name: {}\n    Endless: {allOf: [{properties: {a: {$ref: '#/components/schemas/Endless'}}}]}",
        (LintRule::EndlessSchema, 22, 5),
        "composed of itself",
    ),
    row(
        NAME,
        "name: {$ref: 'other.yaml#/Name'}",
        "name: {$ref: '#/components/schemas/Thing'}",
        (LintRule::Unsupported, 21, 16),
        "another file",
    ),
    row(NAME, "name: [a", "name: {}", (LintRule::Syntax, 22, 1), "not YAML"),
    row(
        "      operationId: getThing",
        "      operationId: getThing\n      x-laws: {}",
        "      operationId: getThing\n      x-mine: {}",
        (LintRule::Vocabulary, 8, 7),
        "`x-invariants` now",
    ),
];

fn of(name: &str, text: &str) -> Vec<LintFinding> {
    lint(name, text.to_owned()).findings
}

#[test]
fn a_sound_document_has_no_finding() {
    assert_eq!(of("things.yaml", SOUND), []);
}

#[test]
fn each_broken_document_has_its_finding_at_its_place_and_the_mended_twin_has_none() {
    let (mut rules, mut wrong) = (HashSet::new(), Vec::new());
    for row in ROWS {
        assert!(SOUND.contains(row.of), "the sample has no `{}`", row.of);
        let (rule, line, column) = row.found;
        let found = of("things.yaml", &SOUND.replacen(row.of, row.broken, 1));
        let is_right = |finding: &LintFinding| {
            let place = (finding.rule, finding.position);
            place == (rule, Position { file: 0, line, column }) && finding.message.contains(row.says)
        };
        if !matches!(&found[..], [one] if is_right(one)) {
            wrong.push(format!("{}: {found:#?}", row.broken));
        }
        let mended = of("things.yaml", &SOUND.replacen(row.of, row.mended, 1));
        if !mended.is_empty() {
            wrong.push(format!("mended, {}: {mended:#?}", row.mended));
        }
        rules.insert(rule);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let untested: Vec<_> = LintRule::ALL.into_iter().filter(|rule| !rules.contains(rule)).collect();
    // They have tests of their own.
    assert_eq!(untested, [LintRule::Limit, LintRule::NotJson]);
}

#[test]
fn a_file_of_json_is_held_to_json_and_a_file_of_yaml_is_not() {
    let sound = r#"{"openapi": "3.0.3", "info": {"title": "it's", "version": "1,]"}, "paths": {}}"#;
    assert_eq!(of("a.json", sound), []);
    for (broken, line, column, says) in [
        (
            sound.replace("\"1,]\"", "\"1\","),
            1,
            62,
            "a comma before `}` is not JSON",
        ),
        (
            sound.replace("{}}", "{},\n\n}"),
            1,
            78,
            "a comma before `}` is not JSON",
        ),
        (sound.replace("\"3.0.3\"", "'3.0.3'"), 1, 13, "double quotes"),
        (
            sound.replace("\"paths\"", "\n paths"),
            2,
            2,
            "not JSON: key must be a string",
        ),
        (format!("{sound}\n# a comment\n"), 2, 1, "not JSON: trailing characters"),
    ] {
        let found = of("a.json", &broken);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].position, found[0].rule),
            (Position { file: 0, line, column }, LintRule::NotJson),
            "{broken}"
        );
        assert!(found[0].message.contains(says), "{found:?}");
        assert_eq!(of("a.yaml", &broken), [], "{broken}");
    }
}

#[test]
fn a_finding_names_the_operations_that_a_check_leaves_out() {
    let found = of("things.yaml", &SOUND.replace("type: object", "type: objekt"));
    assert_eq!(found[0].left_out, ["getThing"]);
    let found = of("things.yaml", &SOUND.replace("required: [name]", "required: []"));
    assert!(found[0].left_out.is_empty());
}

#[test]
fn all_findings_are_listed_in_the_order_of_the_file() {
    let broken = SOUND
        .replace("type: string", "type: text")
        .replace("version: '1'", "version: 1");
    let lines: Vec<_> = of("things.yaml", &broken)
        .iter()
        .map(|finding| finding.position.line)
        .collect();
    assert_eq!(lines, [2, 5, 21]);
}

#[test]
fn a_document_beyond_the_limits_is_reported() {
    let deep = format!("{SOUND}x-deep: {}{}\n", "[".repeat(200), "]".repeat(200));
    assert_eq!(of("things.yaml", &deep)[0].rule, LintRule::Limit);
}

#[test]
fn a_schema_between_two_cycles_is_not_composed_of_itself_and_those_on_a_cycle_are() {
    let all_of = |name: &str, parts: &[&str]| {
        let parts: Vec<_> = parts
            .iter()
            .map(|part| format!("{{$ref: '#/components/schemas/{part}'}}"))
            .collect();
        format!("    {name}: {{allOf: [{}]}}\n", parts.join(", "))
    };
    let before = all_of("Before", &["First"]);
    let first = all_of("First", &["First", "Between"]);
    let between = all_of("Between", &["Second"]);
    let second = all_of("Second", &["Third"]) + &all_of("Third", &["Second", "After"]);
    let after = all_of("After", &["Thing"]);
    let found = of(
        "things.yaml",
        &format!("{SOUND}{before}{first}{between}{second}{after}"),
    );
    assert!(found.iter().all(|finding| finding.rule == LintRule::EndlessSchema));
    let lines: Vec<_> = found.iter().map(|finding| finding.position.line).collect();
    assert_eq!(lines, [23, 25, 26], "{found:?}");
}

#[test]
fn cycles_of_many_schemas_cost_no_stack() {
    const SCHEMAS: usize = MAX_DEFECTS + 1;
    let schemas: String = (0..SCHEMAS)
        .map(|index| {
            format!(
                "    S{index}: {{allOf: [{{$ref: '#/components/schemas/S{}'}}]}}\n",
                (index + 1) % SCHEMAS
            )
        })
        .collect();
    let found = of("things.yaml", &format!("{SOUND}{schemas}"));
    assert_eq!(count(&found, LintRule::EndlessSchema), MAX_DEFECTS);
    assert_eq!((count(&found, LintRule::Limit), found.len()), (1, SCHEMAS));
    let says = format!("more than {MAX_DEFECTS} defects");
    assert!(found[MAX_DEFECTS].message.contains(&says), "{:?}", found[MAX_DEFECTS]);
}

/// How many of the findings are of this rule.
fn count(found: &[LintFinding], rule: LintRule) -> usize {
    found.iter().filter(|finding| finding.rule == rule).count()
}

/// The length of what the findings quote of the document.
fn quoted(found: &[LintFinding]) -> usize {
    found
        .iter()
        .map(|finding| finding.pointer.len() + finding.message.len())
        .sum()
}

#[test]
fn pointers_and_messages_are_limited_together() {
    let long = "n".repeat(1 << 20);
    let enums: String = (0..80)
        .map(|index| format!("        p{index}: {{enum: []}}\n"))
        .collect();
    let parameters: String = (0..80)
        .map(|index| format!("{{name: p{index}, in: path, required: true, schema: {{}}}}, "))
        .collect();
    for (broken, rule) in [
        (
            format!("{SOUND}    ? {long}\n    :\n      properties:\n{enums}"),
            LintRule::EmptyEnum,
        ),
        (
            SOUND
                .replace("  /things/{id}:", &format!("  ? /{long}/{{id}}\n  :"))
                .replace("[{name: id,", &format!("[{parameters}{{name: id,")),
            LintRule::UnusedPathParameter,
        ),
    ] {
        let found = of("things.yaml", &broken);
        assert!(found[0].rule == rule, "{:.300}", found[0].message);
        assert!(quoted(&found) <= MAX_TEXT + 3 * long.len(), "{}", quoted(&found));
        assert!(count(&found, rule) > 10, "{rule:?}");
        assert_eq!(found.len(), count(&found, rule) + 1);
        assert_eq!(count(&found, LintRule::Limit), 1);
    }
}

#[test]
fn of_very_many_commas_the_first_are_listed_and_the_limit_is_reported() {
    let commas = "[1,], ".repeat(MAX_DEFECTS + 7);
    let broken = format!(
        r#"{{"openapi": "3.0.3", "info": {{"title": "a", "version": "1"}}, "x-a": [{commas}1], "paths": {{}}}}"#
    );
    let found = of("a.json", &broken);
    assert_eq!(count(&found, LintRule::NotJson), MAX_DEFECTS);
    assert_eq!((count(&found, LintRule::Limit), found.len()), (1, MAX_DEFECTS + 1));
}

#[test]
fn a_parameter_that_cannot_be_read_is_reported_once() {
    let declared = "{name: id, in: path, required: true, schema: {type: string}}";
    for (broken, rule) in [
        ("{$ref: '#/components/parameters/Missing'}", LintRule::Reference),
        ("{name: 3, in: path, required: true, schema: {}}", LintRule::WrongType),
        ("{name: id, required: true, schema: {}}", LintRule::Missing),
    ] {
        let found = of("things.yaml", &SOUND.replace(declared, broken));
        assert!(matches!(&found[..], [one] if one.rule == rule), "{broken}: {found:?}");
        let moved = SOUND
            .replace(&format!("    parameters: [{declared}]\n"), "")
            .replace(
                "deleteThing\n",
                &format!("deleteThing\n      parameters: [{declared}]\n"),
            )
            .replace("[{name: size,", &format!("[{broken}, {{name: size,"));
        let found = of("things.yaml", &moved);
        assert!(matches!(&found[..], [one] if one.rule == rule), "{broken}: {found:?}");
    }
}

#[test]
fn later_versions_allow_an_empty_list_of_required_names() {
    let broken = SOUND.replace("required: [name]", "required: []");
    assert_eq!(count(&of("things.yaml", &broken), LintRule::EmptyRequired), 1);
    for version in ["3.1.0", "3.2.0"] {
        assert_eq!(of("things.yaml", &broken.replace("3.0.3", version)), []);
    }
}

#[test]
fn an_excluded_bound_is_a_number_from_3_1_on() {
    let with = |version: &str, bound: &str| {
        let text = SOUND.replace(
            "schema: {type: integer}",
            &format!("schema: {{type: integer, {bound}}}"),
        );
        of("things.yaml", &text.replace("3.0.3", version))
    };
    for bound in ["exclusiveMinimum: 1", "exclusiveMaximum: 7, maximum: 9", "minimum: 1"] {
        assert_eq!(with("3.1.0", bound), [], "{bound}");
    }
    for bound in ["minimum: 1, exclusiveMinimum: true", "exclusiveMaximum: false"] {
        assert_eq!(with("3.0.3", bound), [], "{bound}");
        let found = with("3.1.0", bound);
        assert!(
            matches!(&found[..], [one] if one.rule == LintRule::WrongType),
            "{bound}: {found:?}"
        );
    }
}

#[test]
fn of_a_text_with_a_comment_nothing_else_is_said() {
    let found = of(
        "a.json",
        "{\"openapi\": \"3.0.3\", \"info\": {\n// The title\n\"title\": \"a\", \"version\": \"1\"}, \"paths\": {}}",
    );
    assert!(
        matches!(&found[..], [one] if one.rule == LintRule::NotJson),
        "{found:?}"
    );
}

#[test]
fn a_comment_hides_what_the_reader_makes_of_it_and_nothing_else_does() {
    let incomplete = "{\"openapi\": \"3.0.3\", \"paths\": {}}";
    for (text, shown) in [
        (format!("\u{feff}{incomplete}"), 1),
        (incomplete.replace("{}", "{\"x-a\": \"a\tb\"}"), 1),
        (incomplete.replace("{}", "{},\n"), 1),
        (incomplete.replace("{}", "{\n// all\n\"x-a\": {}}"), 0),
        (incomplete.replace("{}", "{ /* all */ },\n"), 0),
    ] {
        let found = of("a.json", &text);
        assert_eq!(count(&found, LintRule::NotJson), 1, "{text}: {found:?}");
        assert_eq!(found.len(), 1 + shown, "{text}: {found:?}");
    }
}

#[test]
fn responses_are_optional_from_3_1_on() {
    let without = SOUND.replace("      responses:\n        '204': {description: Gone}\n", "");
    assert_eq!(count(&of("things.yaml", &without), LintRule::Missing), 1);
    let empty = SOUND.replace("responses:\n        '204': {description: Gone}", "responses: {}");
    for version in ["3.1.0", "3.2.0"] {
        assert_eq!(of("things.yaml", &without.replace("3.0.3", version)), []);
        let found = of("things.yaml", &empty.replace("3.0.3", version));
        assert_eq!(count(&found, LintRule::Missing), 1, "{version}: {found:?}");
    }
}

#[test]
fn a_schema_with_an_id_may_refer_to_itself_from_3_1_on() {
    let of = |version: &str| {
        let recursive = "$id: 'https://example.com/thing'\n      type: object";
        let text = SOUND
            .replace("type: object", recursive)
            .replace(NAME, "name: {$ref: '#'}");
        of("things.yaml", &text.replace("3.0.3", version))
    };
    assert_eq!(of("3.1.0"), []);
    assert_eq!(count(&of("3.0.3"), LintRule::Reference), 1);
}

#[test]
fn each_status_is_reported_a_wrong_name_once_and_an_extension_never() {
    let classes = "'2xx': {description: Gone}\n        '4xx': {description: None}";
    let found = of("things.yaml", &SOUND.replace("'204': {description: Gone}", classes));
    assert_eq!((count(&found, LintRule::UnknownName), found.len()), (2, 2), "{found:?}");
    let found = of(
        "things.yaml",
        &SOUND.replace("schema: {type: integer}}]", "shema: {type: integer}}]"),
    );
    assert!(
        matches!(&found[..], [one] if one.rule == LintRule::UnknownName),
        "{found:?}"
    );
    let extended = SOUND.replace("components:\n", "  x-of-{id}: {}\n  x-of-{thing}: {}\ncomponents:\n");
    assert_eq!(of("things.yaml", &extended), []);
}

#[cfg(feature = "service")]
#[test]
fn the_built_in_contract_has_no_finding() {
    assert_eq!(of("openapi.yaml", Contract::BUILT_IN), []);
}

#[test]
fn an_apostrophe_in_a_comment_is_no_quote_and_columns_count_characters() {
    let sound = r#"{"openapi": "3.0.3", "info": {"title": "ééé", "version": "1"}, "paths": {}}"#;
    let found = of("a.json", &format!("{sound}\n// it is the team's\n"));
    assert!(
        found.iter().all(|finding| !finding.message.contains("quotes")),
        "{found:?}"
    );
    assert_eq!((found[0].rule, found[0].position.line), (LintRule::NotJson, 2));
    let unquoted = sound.replace("\"paths\"", "paths");
    let before = unquoted.split("paths").next().unwrap_or_default().chars().count();
    let found = of("a.json", &unquoted);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(usize::try_from(found[0].position.column).unwrap(), before + 1);
}
