//! The comparison can fail: each change to the contract is reported at its location and nowhere else.

use std::sync::LazyLock;

use super::contract::Contract;
use super::statement::Difference;
use super::{CONTRACT, DOCUMENT, Mirrored, listed};
use crate::support::sampled;

/// One change to the text of the contract, and where it must be seen.
struct Mutation {
    change: &'static str,
    /// Where the text to replace is looked for: after the last of these, each found after the one before.
    after: &'static [&'static str],
    from: &'static str,
    to: &'static str,
    /// A location that must be reported.
    location: &'static str,
    /// Every reported location contains one of these.
    within: &'static [&'static str],
}

const CONTACT: &[&str] = &["\n    Contact:\n", "properties:"];
const CONTACT_INPUT: &[&str] = &["\n    ContactInput:\n", "properties:"];
const CREATE_CONTACT: &[&str] = &["operationId: createContact\n"];
const CREATE_TAG: &[&str] = &["operationId: createTag\n"];
const GET_VENUES: &[&str] = &["operationId: getVenues\n"];
const UPDATE: &[&str] = &["operationId: updateContact\n"];

macro_rules! mutations {
    ($($change:literal: $after:expr, $from:literal => $to:literal, $location:literal in $($within:literal)|+;)*) => {
        &[$(Mutation { change: $change, after: $after, from: $from, to: $to, location: $location, within: &[$($within),+] }),*]
    };
}

#[rustfmt::skip]
const MUTATIONS: &[Mutation] = mutations! {
    "a field is dropped": CONTACT, "        age:\n          type: integer\n" => "",
        "getContacts response 2XX body/data/items/*/age" in "/age";
    "a field is renamed": &["\n    Venue:\n", "properties:"], "        country:" => "        land:",
        "getVenues response 2XX body/data/items/*/country" in "getVenues response 2XX body/data/items/*/";
    "a field is added": &["\n    Tag:\n", "properties:"], "        name:\n" => "        color:\n          type: string\n        name:\n",
        "getTags response 2XX body/data/items/*/color" in "/color";
    "a field loses its place among the required": &["\n    Tag:\n"], "required: [id, name]" => "required: [id]",
        "createTag response 201 body/data/name" in "/name";
    "a field's type changes": &["\n    Visit:\n", "        id:\n"], "type: integer" => "type: string",
        "createVisit response 2XX body/data/id" in "/id";
    "an integer becomes a number": &["\n    DateOfBirth:\n", "        year:"], "type: integer" => "type: number",
        "getContacts response 2XX body/data/items/*/date_of_birth/year" in "/date_of_birth/year";
    "tags of a contact become an array": CONTACT, "          type: object\n          required: [id, name]" => "          type: array\n          items: {type: object}\n          required: [id, name]",
        "createContact response 2XX body/data/tags" in "/tags";
    "tags of a venue become objects": &["\n    Venue:\n", "        tags:\n", "items:"], "type: string" => "type: object",
        "getVenues response 2XX body/data/items/*/tags/*" in "/tags/*";
    "the venue of a visit summary becomes an object": &["\n    VisitSummary:\n", "        venue:\n"], "type: array" => "type: object",
        "getContacts response 2XX body/data/items/*/last_visit/*/venue" in "_visit/*/venue";
    "first_visit becomes one summary": &["\n    Contact:\n", "        first_visit:\n"], "          type: array\n          items:\n            $ref: '#/components/schemas/VisitSummary'" => "          $ref: '#/components/schemas/VisitSummary'",
        "createContact response 2XX body/data/first_visit" in "/first_visit";
    "null is let in": &["\n    Contact:\n", "        gender:\n"], "type: string" => "type: string\n          nullable: true",
        "getContacts response 2XX body/data/items/*/gender" in "/gender";
    "values are closed": &["\n    ContactInput:\n", "        gender:\n"], "type: string" => "type: string\n          enum: [female]",
        "createContact request body/gender" in "/gender";
    "a length is bounded": &["\n    TagInput:\n", "        name:\n"], "type: string" => "type: string\n          maxLength: 40",
        "createTag request body/name" in "createTag request body/name";
    "a format is dropped": &["\n    VisitInput:\n"], "          format: date-time\n" => "",
        "createVisit request body/datetime" in "createVisit request body/datetime";
    "a form is widened": &["\n    TagInput:\n"], "[0-9A-Fa-f]{6}" => "[0-9A-Fa-f]{3}",
        "createTag request body/color" in "createTag";
    "a note says something else": &["\n    Visit:\n"], "Numeric, unlike" => "Numeric, like",
        "getVisits response 2XX body/data/items/*/id note" in "/id note";
    "the page envelope is opened": &["\n    VenuePage:\n"], "      additionalProperties: false\n" => "",
        "getVenues response 2XX body" in "getVenues response 2XX body";
    "what the page envelope holds is opened": &["\n    TagPage:\n", "        data:\n"], "          additionalProperties: false\n" => "",
        "getTags response 2XX body/data" in "getTags response 2XX body/data";
    "the page envelope loses a field": &["\n    VisitPage:\n"], "            total:\n              type: integer\n" => "",
        "getVisits response 2XX body/data/total" in "getVisits response 2XX body/data/total";
    "the create envelope is opened": &["\n    VisitCreated:\n"], "      additionalProperties: false\n" => "",
        "createVisit response 2XX body" in "createVisit response 2XX body";
    "an envelope holds another resource": &["\n    VisitCreated:\n"], "#/components/schemas/Visit'" => "#/components/schemas/Tag'",
        "createVisit response 2XX body/data/contact/full_name" in "createVisit response 2XX body/data/";
    "custom_fields is not required in list items": &["\n    ContactListed:\n"], "          required: [custom_fields]\n" => "",
        "getContacts response 2XX body/data/items/*/custom_fields" in "getContacts response 2XX body/data/items/*/custom_fields";
    "custom_fields takes only known keys": &["\n    ContactListed:\n"], "additionalProperties: true" => "additionalProperties: false",
        "getContacts response 2XX body/data/items/*/custom_fields" in "/custom_fields";
    "custom_fields is allowed in the create response": &["\n    ContactFresh:\n"], "not: {}" => "type: object",
        "createContact response 2XX body/data/custom_fields" in "createContact response 2XX body/data/custom_fields";
    "a request field becomes required": &["\n    VisitInput:\n"], "      properties:" => "      required: [contact_id]\n      properties:",
        "createVisit request body/contact_id" in "createVisit request body/contact_id";
    "a request field within another becomes required": &["\n    ContactInput:\n", "        date_of_birth:\n"], "          properties:" => "          required: [day]\n          properties:",
        "updateContact request body/date_of_birth/day" in "/date_of_birth/day";
    "a request body becomes required": CREATE_TAG, "requestBody:\n" => "requestBody:\n        required: true\n",
        "createTag request has required" in "createTag request has required";
    "a request field is dropped": CONTACT_INPUT, "        lastname:\n          type: string\n          x-synthetic: Check-{run_tag}\n          x-gap: [field-sizes]\n" => "",
        "updateContact request body/lastname" in "request body/lastname" | "createContact example" | "updateContact example";
    "the update takes other fields": UPDATE, "#/components/schemas/ContactInput" => "#/components/schemas/ContactMethodInput",
        "updateContact request body/firstname" in "updateContact";
    "the update answers a body": UPDATE, "          description: Contact updated\n" => "          description: Contact updated\n          content: {application/json: {schema: {$ref: '#/components/schemas/Tag'}}}\n",
        "updateContact response 2XX body" in "updateContact response 2XX";
    "201 becomes 2XX": CREATE_TAG, "'201':" => "2XX:",
        "createTag response 201" in "createTag response 2" | "gap success-status locations";
    "2XX becomes 200": GET_VENUES, "2XX:" => "'200':",
        "getVenues response 200 body/data/items/*/id" in "getVenues response 2" | "gap success-status locations";
    "a documented rejection is dropped": CREATE_TAG, "        '422':\n          description: Listed as a response; no further meaning given.\n          x-document: Errors\n          x-gap: [error-body, error-conditions]\n" => "",
        "createTag response 422" in "createTag response 422";
    "a rejection gets a body": &["operationId: createTag\n", "'401':\n"], "          x-document: Errors\n" => "          content: {application/json: {schema: {type: object}}}\n",
        "createTag response 401 body" in "createTag response 401";
    "a rejection is added": GET_VENUES, "      responses:\n" => "      responses:\n        '404':\n          description: No venue\n",
        "getVenues response 404" in "getVenues response 404";
    "a response is described otherwise": CREATE_CONTACT, "description: Contact created" => "description: Created",
        "createContact response 2XX" in "createContact response 2XX";
    "another media type is answered": &["operationId: getVenues\n", "responses:"], "application/json" => "application/hal+json",
        "getVenues response 2XX media" in "getVenues response 2XX media";
    "an operation is dropped": &["  /organization/v1/venues:\n"], "    get:\n" => "    x-get:\n",
        "getVenues" in "getVenues" | "component Venue" | "gap success-status locations";
    "an operation is added": &["  /organization/v1/venues:\n"], "    get:\n" => "    delete:\n      operationId: deleteVenues\n      x-document: Endpoints\n      responses: {}\n    get:\n",
        "deleteVenues" in "deleteVenues";
    "an operation changes its method": &["{id}:\n"], "    put:\n" => "    patch:\n",
        "updateContact" in "updateContact" | "gap success-status locations" | "gap update-response-body locations";
    "a path changes": &["\npaths:\n"], "  /organization/v1/venues:" => "  /organization/v2/venues:",
        "getVenues" in "getVenues" | "gap success-status locations";
    "an operation is renamed": GET_VENUES, "summary: Get venues" => "summary: List venues",
        "getVenues name" in "getVenues name";
    "a parameter is dropped": GET_VENUES, "      parameters:\n        - $ref: '#/components/parameters/page'\n" => "",
        "getVenues parameter page" in "getVenues parameter page";
    "a parameter is added": GET_VENUES, "      parameters:\n" => "      parameters:\n        - {name: per_page, in: query, schema: {type: integer}}\n",
        "getVenues parameter per_page" in "getVenues parameter per_page";
    "the default of page changes": &["\n  parameters:\n"], "default: 1" => "default: 0",
        "getTags parameter page" in " parameter page";
    "a path parameter loses its format": UPDATE, "            format: uuid\n" => "",
        "updateContact parameter id" in "updateContact parameter id";
    "an operation goes without a credential": GET_VENUES, "      summary: Get venues\n" => "      summary: Get venues\n      security: []\n",
        "getVenues security" in "getVenues";
    "the scheme is another": &["securitySchemes:"], "scheme: bearer" => "scheme: basic",
        "createContact security" in " security";
    "the server is fixed": &["servers:"], "url: '{base_url}'" => "url: http://127.0.0.1:8080",
        "interface server" in "interface server";
    "a schema serves nothing": &["\n  schemas:\n"], "    Contact:\n" => "    Country:\n      x-document: Endpoints\n      type: object\n    Contact:\n",
        "component Country" in "component Country";
    "a gap is dropped": &["x-gaps:"], "  - id: token-scopes\n" => "  - id: token-audience\n",
        "gap token-scopes" in "gap token-";
    "a gap that the document states is called silent": &["id: list-order"], "stated: silent" => "stated: not-shown",
        "gap list-order" in "gap list-order";
    "a gap stands under another heading": &["id: rate-limits"], "x-document: Limits" => "x-document: Errors",
        "gap rate-limits heading" in "gap rate-limits heading";
    "a gap loses a location": &["\n    ContactInput:\n", "\n        dob:\n"], "          x-gap: [dob-format]\n" => "",
        "gap dob-format locations" in "gap dob-format locations";
    "a heading is none of the document's": GET_VENUES, "x-document: Endpoints / Get venues" => "x-document: Endpoints / List venues",
        "heading of /paths/~1organization~1v1~1venues/get" in "heading of /paths/~1organization~1v1~1venues/get";
    "an operation stands nowhere": GET_VENUES, "      x-document: Endpoints / Get venues\n" => "",
        "heading of /paths/~1organization~1v1~1venues/get" in "heading of /paths/~1organization~1v1~1venues/get";
    "a schema stands nowhere": &["\n    DateOfBirth:\n"], "      x-document: Resources and their fields / Date of birth\n" => "",
        "heading of /components/schemas/DateOfBirth" in "heading of /components/schemas/DateOfBirth";
    "an example is not valid": CREATE_TAG, "color: '#1A2B3C'" => "color: red",
        "createTag example" in "createTag example";
    "an example leaves out a field": CREATE_TAG, "              color: '#1A2B3C'\n" => "",
        "createTag example" in "createTag example";
    "an example may reach someone": CREATE_CONTACT, "ada@example.com" => "ada@example.net.invalid",
        "createContact example" in "createContact example";
};

impl Mutation {
    fn text(&self) -> String {
        let mut start = 0;
        for anchor in self.after {
            let found = CONTRACT[start..]
                .find(anchor)
                .unwrap_or_else(|| panic!("`{anchor}` is in the contract"));
            // The last line break of an anchor may open the next.
            start += found + anchor.len() - 1;
        }
        let (before, rest) = CONTRACT.split_at(start);
        assert!(rest.contains(self.from), "`{}` finds its text", self.change);
        before.to_owned() + &rest.replacen(self.from, self.to, 1)
    }
}

/// The differences that this contract has and ours has not: ours may be under change, which is reported by itself.
fn brought_about(text: &str) -> Vec<Difference> {
    static BEFORE: LazyLock<(Mirrored, Vec<Difference>)> = LazyLock::new(|| {
        let mirrored = Mirrored::read(DOCUMENT);
        let differences = mirrored.differences(&Contract::read(CONTRACT));
        (mirrored, differences)
    });
    let (mirrored, now) = &*BEFORE;
    let mut differences = mirrored.differences(&Contract::read(text));
    differences.retain(|found| !now.contains(found));
    differences
}

#[test]
fn every_mutation_is_reported_at_its_location_and_nowhere_else() {
    for mutation in sampled(3, MUTATIONS) {
        let differences = brought_about(&mutation.text());
        let Mutation {
            change,
            location,
            within,
            ..
        } = mutation;
        let reported = listed(&differences);
        assert!(
            differences.iter().any(|found| found.location == *location),
            "{change}: not at `{location}`:\n{reported}"
        );
        let elsewhere = differences
            .iter()
            .find(|found| !within.iter().any(|part| found.location.contains(part)));
        assert!(elsewhere.is_none(), "{change}: reported elsewhere too:\n{reported}");
    }
}

#[test]
fn a_difference_names_the_heading_and_the_pointer() {
    let text = CONTRACT.replacen(
        "            total:\n              type: integer",
        "            total:\n              type: string",
        1,
    );
    let differences = brought_about(&text);
    let expected = "getContacts response 2XX body/data/total\n  \
        document: `required integer` under `Resources and their fields / Page envelope (all list responses)`\n  \
        contract: `required string` at `/components/schemas/ContactPage/properties/data/properties/total`\n";
    assert_eq!(listed(&differences), expected);
}

#[test]
fn what_is_missing_is_reported_with_the_location_that_should_hold_it() {
    let text = CONTRACT
        .replacen("        age:\n          type: integer\n", "", 1)
        .replacen(" age,", "", 1);
    let differences = brought_about(&text);
    let pointer = "/components/schemas/ContactCreated/properties/data";
    assert_eq!(differences[0].location, "createContact response 2XX body/data/age");
    assert_eq!(differences[0].contracted, format!("nothing at `{pointer}`"));
}
