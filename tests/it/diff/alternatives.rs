//! What alternatives are told apart by.

use super::support::{Edit, assert_edits};

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    get:
      responses:
        '200':
          description: All
          content:
            application/json:
              schema:
                oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
                discriminator: {propertyName: kind, mapping: {meow: Cat}}
components:
  schemas:
    Cat: {type: object, required: [kind, lives], properties: {kind: {type: string}, lives: {type: integer}}}
    Dog: {type: object, required: [kind, bark], properties: {kind: {type: string}, bark: {type: string}}}
    Wolf: {type: object, required: [kind, bark], properties: {kind: {type: string}, bark: {type: string}}}
";

/// What is said where a value goes, and another stands for the same alternative.
const EDITS: &[Edit<'_>] = &[
    (
        "propertyName: kind, mapping",
        "propertyName: lives, mapping",
        &[
            "breaking response discriminator: the body of the 200 response now tells its alternatives apart by `lives`, no longer by `kind`",
        ],
        &[
            "breaking response discriminator: the body of the 200 response now tells its alternatives apart by `kind`, no longer by `lives`",
        ],
    ),
    (
        "mapping: {meow: Cat}",
        "mapping: {purr: Cat}",
        &[
            "compatible response discriminator: the body of the 200 response no longer has `meow` in `kind` for the alternative `Cat`",
            "breaking response discriminator: the body of the 200 response now has `purr` in `kind` for the alternative `Cat`",
        ],
        &[
            "compatible response discriminator: the body of the 200 response no longer has `purr` in `kind` for the alternative `Cat`",
            "breaking response discriminator: the body of the 200 response now has `meow` in `kind` for the alternative `Cat`",
        ],
    ),
    (
        // Without a mapping, the name of the definition is the value.
        "{$ref: '#/components/schemas/Dog'}",
        "{$ref: '#/components/schemas/Wolf'}",
        &[
            "compatible response discriminator: the body of the 200 response no longer has `Dog` in `kind` for the alternative `Wolf`",
            "breaking response discriminator: the body of the 200 response now has `Wolf` in `kind` for the alternative `Wolf`",
        ],
        &[
            "compatible response discriminator: the body of the 200 response no longer has `Wolf` in `kind` for the alternative `Dog`",
            "breaking response discriminator: the body of the 200 response now has `Dog` in `kind` for the alternative `Dog`",
        ],
    ),
    (
        "mapping: {meow: Cat}",
        "mapping: {meow: '#/components/schemas/Cat', Dog: Dog}",
        &[],
        &[],
    ),
];

#[test]
fn the_value_that_stands_for_an_alternative_is_part_of_the_contract() {
    assert_edits(DOCUMENT, EDITS);
}

#[test]
fn a_definition_that_is_renamed_is_the_same_where_a_mapping_or_the_property_says_which() {
    let mapped = DOCUMENT.replace("mapping: {meow: Cat}", "mapping: {meow: Cat, woof: Dog}");
    let listed = DOCUMENT.replace(
        "{kind: {type: string}, bark",
        "{kind: {type: string, enum: [woof]}, bark",
    );
    for document in [
        mapped.replacen("woof: Dog", "woof: '#/components/schemas/Dog'", 1),
        listed,
    ] {
        let renamed = document.replace("schemas/Dog'", "schemas/Wolf'");
        assert_edits(&document, &[(document.as_str(), renamed.as_str(), &[], &[])]);
    }
}
