//! What the service does where the document says nothing: [`Profile`] holds one value for each of [`AXES`]. An axis,
//! which messages call a choice, is a question that the document leaves open, such as `page-size`, with the values that
//! answer it.
//!
//! # Design
//!
//! The struct below is the list of all axes; a file for each group of them names their values. The service reads
//! `profile.axis` at the one place where the value matters. What only affects how responses are written, such as the
//! form of a timestamp, is done in one layer over all operations, so that none of them knows of it.
//!
//! Every profile conforms to the document. A test compares the gaps of the axes and of [`GAPS_NOT_ON_THE_WIRE`] with
//! `x-gaps` of `openapi.yaml`.

mod axis_values;
mod delivery;
mod error;
mod lists;
mod rejections;
mod rendering;
mod requests;
mod responses;
mod setting;
mod table;
mod texts;
mod values;

use chrono::{DateTime, Utc};

pub use self::axis_values::AxisValue;
pub use self::error::{ProfileError, SettingOrigin};
pub use self::setting::ProfileSetting;
pub use self::table::table;
pub(super) use self::{
    delivery::{Compression, Latency, RateLimit},
    lists::{ListOrder, ListingDelay, PageBeyondLast, PageSize},
    rejections::{Challenge, CredentialStatus, ErrorBody, InvalidInputStatus},
    rendering::{ContactMethodsOrder, IdentifierSpelling, TimestampForm, UnsetFields},
    requests::{
        ContactMethodsAtOnce, Duplicates, FieldSizes, PathCase, RequiredFields, TagsEntries, UnknownReferences,
        UnknownRequestFields, UpdateSemantics, VenueOfContact,
    },
    responses::{CreateStatus, ListStatus, UpdateBody, UpdateStatus},
    texts::{Characters, Markup, NameLetters, NameSizes, TextEnds, TextForm},
    values::{Allowed, BirthDates, CustomFields, DobFormat, ValueSpelling, VisitTimes, closed},
};
use axis_values::{Values, profile};

/// Returns the current time.
pub type Clock = fn() -> DateTime<Utc>;

profile! {
    /// The success status of Create contact.
    create_contact_status: CreateStatus = "create-contact-status" in "success-status",
    /// The success status of Get contacts.
    get_contacts_status: ListStatus = "get-contacts-status" in "success-status",
    /// The success status of Update contact.
    update_contact_status: UpdateStatus = "update-contact-status" in "success-status",
    /// The success status of Create contact method.
    create_contact_method_status: CreateStatus = "create-contact-method-status" in "success-status",
    /// The success status of Get venues.
    get_venues_status: ListStatus = "get-venues-status" in "success-status",
    /// The success status of Get visits.
    get_visits_status: ListStatus = "get-visits-status" in "success-status",
    /// The success status of Create visit.
    create_visit_status: CreateStatus = "create-visit-status" in "success-status",
    /// The success status of Get tags.
    get_tags_status: ListStatus = "get-tags-status" in "success-status",
    /// The body of the response to an update.
    update_response_body: UpdateBody = "update-response-body" in "update-response-body",
    /// What happens to the fields that an update does not send.
    update_semantics: UpdateSemantics = "update-semantics" in "update-semantics",
    /// Which request fields are required.
    required_fields: RequiredFields = "required-fields" in "required-fields",
    /// What the entries of the request array tags are.
    tags_entries: TagsEntries = "tags-entries" in "tags-entries",
    /// What happens to request fields that the document does not list.
    unknown_request_fields: UnknownRequestFields = "unknown-request-fields" in "unknown-request-fields",
    /// What happens to a create that repeats a record; equal creates in two replicas at once may both be accepted.
    duplicates: Duplicates = "duplicates" in "duplicates",
    /// What happens to an identifier in a body that names no record.
    unknown_references: UnknownReferences = "unknown-references" in "unknown-references",
    /// What the `venue_id` of Create contact does; that of Update contact never records a visit.
    venue_of_contact: VenueOfContact = "venue-of-contact" in "venue-of-contact",
    /// How many characters a string may have.
    field_sizes: FieldSizes = "field-sizes" in "field-sizes",
    /// How many characters the names of a contact or of a tag may have.
    name_sizes: NameSizes = "name-sizes" in "field-sizes",
    /// How many contact methods may be sent with a contact.
    methods_at_once: ContactMethodsAtOnce = "methods-at-once" in "field-sizes",
    /// What happens to white space at the ends of a string.
    text_ends: TextEnds = "text-ends" in "value-spelling",
    /// How letters with diacritics are stored.
    text_form: TextForm = "text-form" in "value-spelling",
    /// What happens to a string with `<`, `>` or `&`.
    markup: Markup = "markup" in "error-conditions",
    /// Which characters a string may have.
    characters: Characters = "characters" in "error-conditions",
    /// Whether a name needs a letter.
    name_letters: NameLetters = "name-letters" in "error-conditions",
    /// Which dates of birth are accepted.
    birth_dates: BirthDates = "birth-dates" in "error-conditions",
    /// Which times of a visit are accepted.
    visit_times: VisitTimes = "visit-times" in "error-conditions",
    /// Whether the case of letters matters in a path.
    path_case: PathCase = "path-case" in "error-conditions",
    /// Which values gender may have.
    gender_values: Allowed = "gender-values" in "gender-values",
    /// Which values the status of a contact method may have.
    status_values: Allowed = "status-values" in "status-values",
    /// Which values the type of a contact method may have.
    type_values: Allowed = "type-values" in "type-values",
    /// Which values nationality may have.
    nationality_values: Allowed = "nationality-values" in "nationality-values",
    /// Which values `country_of_residence` may have.
    country_values: Allowed = "country-values" in "country-values",
    /// Which names `included_channels` may hold.
    channel_names: Allowed = "channel-names" in "channel-names",
    /// How responses spell the values of gender, status, type, nationality, `country_of_residence` and channel names.
    value_spelling: ValueSpelling = "value-spelling" in "value-spelling",
    /// The format of dob, in requests and in responses.
    dob_format: DobFormat = "dob-format" in "dob-format",
    /// What `custom_fields` hold in a list.
    custom_fields: CustomFields = "custom-fields" in "custom-fields",
    /// What an unset field shows.
    unset_fields: UnsetFields = "unset-fields" in "null-values",
    /// The form and the zone of timestamps.
    timestamp_form: TimestampForm = "timestamp-form" in "timestamp-form",
    /// How identifiers are spelled.
    identifier_spelling: IdentifierSpelling = "identifier-spelling" in "identifier-spelling",
    /// The value of `per_page`.
    page_size: PageSize = "page-size" in "page-size",
    /// What a list returns for a page beyond the last.
    page_beyond_last: PageBeyondLast = "page-beyond-last" in "page-beyond-last",
    /// The order of the methods that a contact shows.
    methods_order: ContactMethodsOrder = "methods-order" in "list-order",
    /// The order of lists.
    list_order: ListOrder = "list-order" in "list-order",
    /// How soon a created record is listed by the replica that created it; the others list it at once.
    created_listed_when: ListingDelay = "created-listed-when" in "created-listed-when",
    /// The body of a rejection.
    error_body: ErrorBody = "error-body" in "error-body",
    /// The status of a request with invalid fields.
    invalid_input_status: InvalidInputStatus = "invalid-input-status" in "error-conditions",
    /// The status of a request without a token or with a wrong one, except for Create tag.
    credential_status: CredentialStatus = "credential-status" in "error-conditions",
    /// Whether a 401 carries a challenge in WWW-Authenticate.
    challenge: Challenge = "challenge" in "challenge",
    /// How many requests are answered in a second.
    rate_limit: RateLimit = "rate-limit" in "rate-limits",
    /// How long a response is delayed.
    latency: Latency = "latency" in "latency",
    /// Whether a body is compressed for a client that accepts it.
    compression: Compression = "compression" in "compression",
}

/// One gap of the document, or one part of it, that the service can fill in several ways.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The name, by which a flag or a file sets it.
    pub name: &'static str,
    /// The id of the gap in `x-gaps` of `openapi.yaml`.
    pub gap: &'static str,
    /// What the values of the axis decide, in one sentence.
    pub description: &'static str,
    /// The values, the default first.
    pub values: &'static [AxisValue],
    set: fn(&mut Profile, usize),
    index: fn(&Profile) -> usize,
}

/// A gap that no axis fills, because no value would show on the wire.
#[derive(Clone, Copy, Debug)]
pub struct GapNotOnTheWire {
    /// The id of the gap in `x-gaps` of `openapi.yaml`.
    pub gap: &'static str,
    /// Why no value would show on the wire.
    pub reason: &'static str,
}

/// The gaps that cannot show on the wire.
pub const GAPS_NOT_ON_THE_WIRE: &[GapNotOnTheWire] = &[
    not_on_the_wire("purpose", "no response shows a purpose"),
    not_on_the_wire(
        "status-transitions",
        "no request changes the status of a record: an update replaces the old methods with new ones",
    ),
    not_on_the_wire("token-origin", "the token is given to the service when it starts"),
    not_on_the_wire("token-lifetime", "the one token lives as long as the service"),
    not_on_the_wire("token-scopes", "the one token opens every operation"),
    not_on_the_wire("events", "nothing is sent without a request"),
    not_on_the_wire(
        "page-maximum",
        "every page up to last_page is shown, and page-beyond-last says what comes after",
    ),
    not_on_the_wire("deprecation", "there is one version"),
];

const fn not_on_the_wire(gap: &'static str, reason: &'static str) -> GapNotOnTheWire {
    GapNotOnTheWire { gap, reason }
}

/// The status of a record that is sent without one.
pub(super) const DEFAULT_RECORD_STATUS: &str = "active";

impl Profile {
    /// Returns the profile with `clock` in place of its own.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Profile { clock, ..self }
    }

    /// Returns the values that differ from the default, each as `axis=value`.
    #[must_use]
    pub fn non_default_values(&self) -> Vec<String> {
        let value = |axis: &Axis| (axis.index)(self);
        let changed = AXES.iter().filter(|axis| value(axis) != 0);
        changed
            .map(|axis| format!("{}={}", axis.name, axis.values[value(axis)].name))
            .collect()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one clock of the service, which a profile may replace"
)]
fn system_clock() -> DateTime<Utc> {
    // `Utc::now` panics where the clock is set to before 1970.
    std::time::SystemTime::now().into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn gaps() -> BTreeSet<String> {
        let contract: serde_yaml::Value = serde_yaml::from_str(include_str!("../../../openapi.yaml")).unwrap();
        let gaps = contract["x-gaps"].as_sequence().unwrap().iter();
        gaps.map(|gap| gap["id"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_gap_has_an_axis_or_a_reason_and_none_has_both() {
        let axes: BTreeSet<_> = AXES.iter().map(|axis| axis.gap.to_owned()).collect();
        let not_on_the_wire: BTreeSet<_> = GAPS_NOT_ON_THE_WIRE.iter().map(|other| other.gap.to_owned()).collect();
        assert_eq!(axes.intersection(&not_on_the_wire).count(), 0);
        assert_eq!(axes.union(&not_on_the_wire).cloned().collect::<BTreeSet<_>>(), gaps());
    }

    #[test]
    fn names_are_unique_and_values_of_the_default_come_first() {
        let names: BTreeSet<_> = AXES.iter().map(|axis| axis.name).collect();
        assert_eq!(names.len(), AXES.len());
        for axis in AXES {
            let values: BTreeSet<_> = axis.values.iter().map(|value| value.name).collect();
            assert_eq!(values.len(), axis.values.len(), "{}", axis.name);
            assert_eq!((axis.index)(&Profile::default()), 0, "{}", axis.name);
        }
    }

    #[test]
    fn setting_a_value_sets_it_and_nothing_else() {
        for (position, axis) in AXES.iter().enumerate() {
            for index in 0..axis.values.len() {
                let mut profile = Profile::default();
                (axis.set)(&mut profile, index);
                for (other, axis) in AXES.iter().enumerate() {
                    let expected = if other == position { index } else { 0 };
                    assert_eq!((axis.index)(&profile), expected, "{}", axis.name);
                }
            }
        }
    }
}
