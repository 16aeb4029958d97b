//! What the service does where the document says nothing: [`Profile`] and [`CHOICES`].
//!
//! # Design
//!
//! A choice that has a value is a field of [`Profile`] or a constant here, so that further values have one place to
//! go; a choice that is a way of doing things is a row of [`CHOICES`], and its `gap` leads to the code by name. A
//! test compares the rows with `x-gaps` of `openapi.yaml`.

use std::num::NonZeroU32;

use chrono::{DateTime, Utc};

/// Tells the current time.
pub type Clock = fn() -> DateTime<Utc>;

/// The choices that have a value.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Tells the time for `created_at`, `updated_at` and `age`.
    pub clock: Clock,
    /// How many items a page of a list holds; 10 by default.
    pub per_page: NonZeroU32,
}

impl Default for Profile {
    fn default() -> Self {
        Profile {
            clock: system_clock,
            per_page: NonZeroU32::MIN.saturating_add(9),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one clock of the service, which a profile may replace"
)]
fn system_clock() -> DateTime<Utc> {
    Utc::now()
}

/// What the service does in one gap of the document.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Choice {
    /// The gap's id in `x-gaps` of `openapi.yaml`.
    pub gap: &'static str,
    /// What the service does there.
    pub choice: &'static str,
}

/// What the service does in each gap that shows on the wire, in the order of `x-gaps`.
pub const CHOICES: &[Choice] = &[
    choice("gender-values", "any string, kept as sent"),
    choice(
        "status-values",
        "any string, kept as sent; a contact is created `active`, and so is a method that names no status",
    ),
    choice(
        "type-values",
        "any string, kept as sent; the first method of type `email` is the contact's email, the first of type `phone` its \
         phone",
    ),
    choice("nationality-values", "any string, kept as sent"),
    choice("country-values", "any string, kept as sent"),
    choice(
        "dob-format",
        "an ISO 8601 date, YYYY-MM-DD; dob and date_of_birth are one date, and two different ones are refused",
    ),
    choice(
        "tags-entries",
        "the id or the name of an existing tag; a contact shows the first",
    ),
    choice("custom-fields", "an object of strings; a contact created here has none"),
    choice(
        "channel-names",
        "any string; excluded_channels are those of email, phone, post and sms that included_channels left out",
    ),
    choice(
        "status-transitions",
        "a status never moves by itself; a method's is replaced with the method",
    ),
    choice("update-answer-body", "an object with a message"),
    choice(
        "required-fields",
        "Create contact: firstname; Create contact method and each of contact_methods: type, contact; Create visit: \
         contact_id, venue_id, datetime; Create tag: name; Update contact: none",
    ),
    choice(
        "update-semantics",
        "the fields sent replace those of the contact, contact_methods as a whole with new ids; the others stay",
    ),
    choice(
        "success-status",
        "201 for the creates, 200 for the lists and the update",
    ),
    choice("token-origin", "one token, given to the service when it starts"),
    choice("token-lifetime", "as long as the service runs"),
    choice("token-scopes", "the token opens every operation"),
    choice(
        "error-body",
        "an object with a message and an array errors, whose entries are objects: field, a JSON pointer or page, and problem",
    ),
    choice(
        "error-conditions",
        "400 a body that is no JSON object, or a page that is no number from 1; 401 no token, or a wrong one; 404 a path or \
         a contact that does not exist; 405 a method that the path lacks; 408 a body too slow; 413 a body too large; 415 a body \
         that is not declared as plain application/json; 422 a field that is missing or wrong",
    ),
    choice("page-size", "10, as Profile says"),
    choice("page-maximum", "none but that of a 64-bit integer"),
    choice("rate-limits", "none"),
    choice(
        "field-sizes",
        "1,000 characters for a string, 100 entries for an array, 64 KiB for a body",
    ),
    choice(
        "null-values",
        "never null: what is unset is an empty string, array or object, the number 0, or an object of these",
    ),
    choice(
        "timestamp-form",
        "RFC 3339 in UTC with the suffix Z, down to the microsecond where it is not a whole second",
    ),
    choice("list-order", "in order of creation, oldest first"),
    choice("page-beyond-last", "200 with no items"),
    choice("unknown-request-fields", "ignored"),
    choice("duplicates", "accepted"),
    choice("unknown-references", "422, also for an unknown tag"),
    choice("created-listed-when", "at once"),
];

const fn choice(gap: &'static str, choice: &'static str) -> Choice {
    Choice { gap, choice }
}

/// The channels that a contact may be left out of.
pub(super) const CHANNELS: [&str; 4] = ["email", "phone", "post", "sms"];

/// The status of a record that names none.
pub(super) const STATUS: &str = "active";

/// Request fields without which an operation is refused.
pub(super) mod required {
    pub(crate) const CONTACT: &[&str] = &["firstname"];
    pub(crate) const CONTACT_METHOD: &[&str] = &["type", "contact"];
    pub(crate) const DATE_OF_BIRTH: &[&str] = &["day", "month", "year"];
    pub(crate) const TAG: &[&str] = &["name"];
    pub(crate) const UPDATE: &[&str] = &[];
    pub(crate) const VISIT: &[&str] = &["contact_id", "venue_id", "datetime"];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gaps that no request and no answer can show.
    const OFF_THE_WIRE: [&str; 3] = ["purpose", "events", "deprecation"];

    #[test]
    fn every_gap_that_shows_on_the_wire_has_one_choice() {
        let contract: serde_yaml::Value = serde_yaml::from_str(include_str!("../../openapi.yaml")).unwrap();
        let gaps: Vec<&str> = contract["x-gaps"]
            .as_sequence()
            .unwrap()
            .iter()
            .map(|gap| gap["id"].as_str().unwrap())
            .collect();
        let chosen: Vec<&str> = CHOICES.iter().map(|choice| choice.gap).collect();
        let shown: Vec<&str> = gaps.into_iter().filter(|gap| !OFF_THE_WIRE.contains(gap)).collect();
        assert_eq!(chosen, shown);
    }

    #[test]
    fn a_page_holds_ten_items_by_default() {
        assert_eq!(Profile::default().per_page.get(), 10);
    }
}
