//! Writes responses in the forms of the profile, where they are not the plain ones: [`Rendering`].
//!
//! The operations make plain responses: RFC 3339 in UTC, identifiers in lower case, blanks for unset fields. This layer
//! rewrites them by the names of their fields, so that no operation knows of any other form.

use chrono::{DateTime, FixedOffset, NaiveDate, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

use super::profile::{
    ContactMethodsOrder, CustomFields, DobFormat, IdentifierSpelling, Profile, TimestampForm, UnsetFields,
    ValueSpelling,
};
use super::values::hyphenated;

/// The profile's forms, where at least one of them is not the plain one.
pub(super) struct Rendering<'a>(&'a Profile);

impl<'a> Rendering<'a> {
    /// Returns the rendering of a profile, or `None` where responses stay as they are.
    pub(super) fn of(profile: &'a Profile) -> Option<Self> {
        let plain = profile.custom_fields == CustomFields::Strings
            && profile.dob_format == DobFormat::Iso
            && profile.methods_order == ContactMethodsOrder::AsSent
            && profile.identifier_spelling == IdentifierSpelling::Lowercase
            && profile.timestamp_form == TimestampForm::Utc
            && profile.unset_fields == UnsetFields::Blank
            && profile.value_spelling == ValueSpelling::Kept;
        (!plain).then_some(Rendering(profile))
    }

    /// Rewrites a response.
    pub(super) fn apply(&self, response: &mut Value) {
        match response {
            Value::Array(entries) => entries.iter_mut().for_each(|entry| self.apply(entry)),
            Value::Object(object) => self.object(object),
            _ => {}
        }
    }

    fn object(&self, object: &mut Map<String, Value>) {
        let is_contact = object.contains_key("full_name");
        let is_ageless = object.get("dob").is_some_and(|dob| dob == "");
        for (name, member) in object.iter_mut() {
            match name.as_str() {
                "custom_fields" => self.custom_fields(member),
                "id" if !is_contact => rewrite(member, |id| self.identifier(id)),
                "id" => rewrite(member, |id| self.contact_identifier(id)),
                _ => self.field(name, member),
            }
            let is_unset = is_blank(name, member) || (name == "age" && is_ageless);
            if is_unset && self.shows_null(member) {
                *member = Value::Null;
            }
        }
    }

    fn field(&self, name: &str, member: &mut Value) {
        match name {
            "created_at" | "updated_at" | "datetime" | "first_visited_at" | "last_visited_at" => {
                rewrite(member, |text| self.timestamp(text));
            }
            "dob" => rewrite(member, |text| self.dob(text)),
            "gender" | "status" | "type" | "nationality" | "country_of_residence" => {
                rewrite(member, |text| Some(self.spelled(text)));
            }
            "excluded_channels" => {
                let channels = member.as_array_mut().into_iter().flatten();
                channels.for_each(|channel| rewrite(channel, |text| Some(self.spelled(text))));
            }
            "contact_methods" => {
                if let (ContactMethodsOrder::LastFirst, Some(methods)) = (self.0.methods_order, member.as_array_mut()) {
                    methods.reverse();
                }
                self.apply(member);
            }
            _ => self.apply(member),
        }
    }

    fn identifier(&self, id: &str) -> Option<String> {
        match self.0.identifier_spelling {
            IdentifierSpelling::Digits => Some(hyphenated(id)?.simple().to_string()),
            IdentifierSpelling::Lowercase | IdentifierSpelling::Uppercase => self.contact_identifier(id),
        }
    }

    fn contact_identifier(&self, id: &str) -> Option<String> {
        (self.0.identifier_spelling == IdentifierSpelling::Uppercase).then(|| id.to_uppercase())
    }

    fn timestamp(&self, text: &str) -> Option<String> {
        let at: DateTime<Utc> = text.parse().ok()?;
        Some(match self.0.timestamp_form {
            TimestampForm::East => with_offset(at, 120)?,
            TimestampForm::Epoch => seconds_since_1970(at),
            TimestampForm::Microseconds => at.to_rfc3339_opts(SecondsFormat::Micros, true),
            TimestampForm::Unzoned => at.format("%Y-%m-%d %H:%M:%S%.f").to_string(),
            TimestampForm::Utc => return None,
            TimestampForm::UtcOffset => at.to_rfc3339_opts(SecondsFormat::AutoSi, false),
            TimestampForm::West => with_offset(at, -570)?,
        })
    }

    fn dob(&self, text: &str) -> Option<String> {
        let date: NaiveDate = text.parse().ok()?;
        Some(date.format(self.0.dob_format.pattern()).to_string())
    }

    fn spelled(&self, text: &str) -> String {
        match self.0.value_spelling {
            ValueSpelling::Kept => text.to_owned(),
            ValueSpelling::Lowercase => text.to_lowercase(),
            ValueSpelling::Uppercase => text.to_uppercase(),
        }
    }

    fn custom_fields(&self, member: &mut Value) {
        match self.0.custom_fields {
            CustomFields::Mixed => {
                *member = json!({
                    "visits": 3, "score": -0.5, "vip": true, "note": null,
                    "seats": ["row 1", 2], "": {"own": member.take()},
                });
            }
            CustomFields::Nothing => *member = json!({}),
            CustomFields::Strings => {}
        }
    }

    fn shows_null(&self, member: &Value) -> bool {
        match self.0.unset_fields {
            UnsetFields::Blank => false,
            UnsetFields::Null => !member.is_array(),
            UnsetFields::NullArrays => true,
        }
    }
}

/// Writes an instant in seconds since 1970, with a fraction where it has one; before 1970, they are negative.
fn seconds_since_1970(at: DateTime<Utc>) -> String {
    let sign = if at < DateTime::UNIX_EPOCH { "-" } else { "" };
    let distance = DateTime::UNIX_EPOCH + (at - DateTime::UNIX_EPOCH).abs();
    format!("{sign}{}{}", distance.timestamp(), distance.format("%.f"))
}

/// Writes an instant with an offset of `minutes` east of UTC.
fn with_offset(at: DateTime<Utc>, minutes: i32) -> Option<String> {
    let at = at.with_timezone(&FixedOffset::east_opt(minutes * 60)?);
    Some(at.to_rfc3339_opts(SecondsFormat::AutoSi, false))
}

/// Rewrites a string that is not empty.
fn rewrite(member: &mut Value, form: impl FnOnce(&str) -> Option<String>) {
    if let Some(rewritten) = member.as_str().filter(|text| !text.is_empty()).and_then(form) {
        *member = rewritten.into();
    }
}

/// Returns whether a member has the value that a contact shows for an unset field. Empty `items` do not count: the list
/// is known to be empty.
fn is_blank(name: &str, member: &Value) -> bool {
    match member {
        Value::Array(entries) => name != "items" && entries.is_empty(),
        Value::Object(_) => match name {
            "tags" => member["id"].is_null() || member["id"] == "",
            "date_of_birth" => member["year"] == 0,
            _ => false,
        },
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_before_1970_are_negative_with_their_fraction() {
        for (at, seconds) in [
            ("1969-12-31T23:59:59.500Z", "-0.500"),
            ("1969-12-31T23:59:58Z", "-2"),
            ("1970-01-01T00:00:00Z", "0"),
            ("1970-01-01T00:00:01.250Z", "1.250"),
        ] {
            assert_eq!(seconds_since_1970(at.parse().unwrap()), seconds);
        }
    }
}
