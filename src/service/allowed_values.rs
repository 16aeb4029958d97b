//! Readers of fields whose values the profile may limit to a closed list.

use serde_json::Value;

use super::fields::{FieldResult, problem};
use super::profile::{Allowed, Profile, TagsEntries, closed};
use super::values::{non_blank, string, uuid};

/// Reads a gender.
pub(super) fn gender(value: &Value, profile: &Profile) -> FieldResult<String> {
    string(value, profile).and_then(|text| allowed(text, profile.gender_values, closed::GENDERS))
}

/// Reads the status of a contact method.
pub(super) fn status(value: &Value, profile: &Profile) -> FieldResult<String> {
    string(value, profile).and_then(|text| allowed(text, profile.status_values, closed::STATUSES))
}

/// Reads the type of a contact method.
pub(super) fn method_type(value: &Value, profile: &Profile) -> FieldResult<String> {
    non_blank(value, profile).and_then(|text| allowed(text, profile.type_values, closed::TYPES))
}

/// Reads a nationality.
pub(super) fn nationality(value: &Value, profile: &Profile) -> FieldResult<String> {
    string(value, profile).and_then(|text| allowed(text, profile.nationality_values, closed::COUNTRIES))
}

/// Reads a country of residence.
pub(super) fn country(value: &Value, profile: &Profile) -> FieldResult<String> {
    string(value, profile).and_then(|text| allowed(text, profile.country_values, closed::COUNTRIES))
}

/// Reads the name of a channel; a known one is returned in the spelling of the list.
pub(super) fn channel(value: &Value, profile: &Profile) -> FieldResult<String> {
    let text = string(value, profile).and_then(|text| allowed(text, profile.channel_names, closed::CHANNELS))?;
    Ok(known(&text, closed::CHANNELS).map_or(text, str::to_owned))
}

/// Reads an entry of the request array `tags`; an id is returned in the store's spelling.
pub(super) fn tag(value: &Value, profile: &Profile) -> FieldResult<String> {
    let text = string(value, profile)?;
    match (profile.tags_entries, uuid(&text, profile)) {
        (TagsEntries::Id, None) => Err(problem("is not the id of a tag")),
        (TagsEntries::Name, Some(_)) => Err(problem("is an id, not the name of a tag")),
        (_, Some(id)) => Ok(id.to_string()),
        (_, None) => Ok(text),
    }
}

fn allowed(text: String, allowed: Allowed, list: &'static [&'static str]) -> FieldResult<String> {
    if allowed == Allowed::Closed && known(&text, list).is_none() {
        Err(problem("is not one of the allowed values"))
    } else {
        Ok(text)
    }
}

fn known(text: &str, list: &'static [&'static str]) -> Option<&'static str> {
    list.iter().copied().find(|known| known.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_open_list_takes_what_a_closed_one_rejects() {
        let open = Profile::default();
        let closed = Profile {
            channel_names: Allowed::Closed,
            country_values: Allowed::Closed,
            gender_values: Allowed::Closed,
            nationality_values: Allowed::Closed,
            status_values: Allowed::Closed,
            type_values: Allowed::Closed,
            ..open
        };
        for reader in [channel, country, gender, nationality, status, method_type] {
            assert!(reader(&json!("there is no such value"), &open).is_ok());
            assert!(reader(&json!("there is no such value"), &closed).is_err());
        }
        assert_eq!(gender(&json!("FEMALE"), &closed), Ok("FEMALE".to_owned()));
        assert_eq!(channel(&json!("EMAIL"), &closed), Ok("email".to_owned()));
    }

    #[test]
    fn tags_are_named_as_the_profile_says() {
        let (id, name) = (json!("67e55044-10b1-426f-9247-bb680e5fe0c8"), json!("regular"));
        for (tags_entries, takes_id, takes_name) in [
            (TagsEntries::Either, true, true),
            (TagsEntries::Id, true, false),
            (TagsEntries::Name, false, true),
        ] {
            let profile = Profile {
                tags_entries,
                ..Profile::default()
            };
            assert_eq!(tag(&id, &profile).is_ok(), takes_id, "{tags_entries:?}");
            assert_eq!(tag(&name, &profile).is_ok(), takes_name, "{tags_entries:?}");
        }
    }
}
