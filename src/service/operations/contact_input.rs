//! The request fields of Create contact and Update contact, which are the same: [`read`].

use chrono::NaiveDate;
use serde_json::{Map, Value};

use super::contact_methods::read_nested;
use crate::service::allowed_values::{channel, country, gender, nationality, tag};
use crate::service::fields::{FieldResult, Fields, list, problem};
use crate::service::profile::{Profile, UpdateSemantics, VenueOfContact, closed};
use crate::service::store::{ContactChange, NewContactMethod};
use crate::service::values::{date, date_of_parts, identifier, name, non_blank_name};

/// Reads the contact in the body of a create.
pub(super) fn read_new(sent: &Map<String, Value>, profile: &Profile) -> FieldResult<ContactChange> {
    let change = read(sent, profile.required_fields.contact(), profile)?;
    Ok(ContactChange {
        counts_as_visit: profile.venue_of_contact == VenueOfContact::Visited,
        ..change
    })
}

/// Reads the change in the body of an update. An update that replaces the contact is read like a create.
pub(super) fn read_update(sent: &Map<String, Value>, profile: &Profile) -> FieldResult<ContactChange> {
    match profile.update_semantics {
        UpdateSemantics::Merges => read(sent, &[], profile),
        UpdateSemantics::Replaces => Ok(ContactChange {
            replaces: true,
            ..read(sent, profile.required_fields.contact(), profile)?
        }),
    }
}

fn read(sent: &Map<String, Value>, required: &[&str], profile: &Profile) -> FieldResult<ContactChange> {
    let mut fields = Fields::of(sent, required, profile);
    let change = ContactChange {
        firstname: fields.read("firstname", non_blank_name),
        lastname: fields.read("lastname", name),
        methods: fields.read("contact_methods", methods),
        born: born(&mut fields),
        gender: fields.read("gender", gender),
        nationality: fields.read("nationality", nationality),
        country_of_residence: fields.read("country_of_residence", country),
        venue: fields.read("venue_id", identifier),
        excluded_channels: fields
            .read("included_channels", |names, profile| list(names, profile, channel))
            .map(|included| all_but(&included)),
        tags: fields.read("tags", |entries, profile| list(entries, profile, tag)),
        replaces: false,
        counts_as_visit: false,
    };
    fields.finish(change)
}

/// Reads the contact methods that are sent with a contact.
fn methods(entries: &Value, profile: &Profile) -> FieldResult<Vec<NewContactMethod>> {
    let methods = list(entries, profile, read_nested)?;
    if methods.len() > profile.methods_at_once.max_methods() {
        return Err(problem("has too many entries"));
    }
    Ok(methods)
}

/// Reads the date of birth from either of its two fields. They are one date, so they must agree.
fn born(fields: &mut Fields<'_>) -> Option<NaiveDate> {
    let dob = fields.read("dob", date);
    let parts = fields.read("date_of_birth", |value, profile| {
        match (date_of_parts(value, profile)?, dob) {
            (parts, Some(dob)) if parts != dob => Err(problem("is another date than dob")),
            (parts, _) => Ok(parts),
        }
    });
    parts.or(dob)
}

/// Returns the channels that a contact is excluded from when it is included only in `included`.
fn all_but(included: &[String]) -> Vec<String> {
    let excluded = closed::CHANNELS
        .iter()
        .filter(|channel| !included.iter().any(|name| name == *channel));
    excluded.map(|channel| (*channel).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(sent: &Value) -> FieldResult<ContactChange> {
        read_new(sent.as_object().unwrap(), &Profile::default())
    }

    fn problems(sent: &Value) -> Vec<(String, &'static str)> {
        of(sent)
            .unwrap_err()
            .into_iter()
            .map(|wrong| (wrong.field, wrong.problem))
            .collect()
    }

    #[test]
    fn the_two_spellings_of_a_date_of_birth_are_one_date() {
        let day = NaiveDate::from_ymd_opt(1990, 2, 28);
        let parts = json!({"day": 28, "month": 2, "year": 1990});
        for sent in [
            json!({"firstname": "Ada", "dob": "1990-02-28"}),
            json!({"firstname": "Ada", "date_of_birth": parts}),
            json!({"firstname": "Ada", "dob": "1990-02-28", "date_of_birth": parts}),
        ] {
            assert_eq!(of(&sent).unwrap().born, day);
        }
        let sent = json!({"firstname": "Ada", "dob": "1990-02-27", "date_of_birth": parts});
        assert_eq!(
            problems(&sent),
            [("/date_of_birth".to_owned(), "is another date than dob")]
        );
    }

    #[test]
    fn channels_that_are_not_included_are_excluded() {
        let change = of(&json!({"firstname": "Ada", "included_channels": ["email", "pigeon"]})).unwrap();
        assert_eq!(change.excluded_channels.unwrap(), ["phone", "post", "sms"]);
        assert_eq!(of(&json!({"firstname": "Ada"})).unwrap().excluded_channels, None);
    }

    #[test]
    fn all_problems_are_found_at_once() {
        let sent = json!({"lastname": 1, "contact_methods": [{"type": "email"}, []], "tags": "x", "venue_id": "here"});
        let found: Vec<String> = problems(&sent).into_iter().map(|(field, _)| field).collect();
        assert_eq!(
            found,
            [
                "/firstname",
                "/lastname",
                "/contact_methods/0/contact",
                "/contact_methods/1",
                "/venue_id",
                "/tags"
            ]
        );
    }
}
