//! Parses profiles: [`ProfileSetting`]s from flags and files, which [`Profile::of`] combines.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::error::{ProfileError, SettingOrigin};
use super::responses::{UpdateBody, UpdateStatus};
use super::{AXES, Axis, Profile};
use crate::service::suggestions::Suggestions;

/// One axis set to one of its values.
#[derive(Clone, Debug)]
pub struct ProfileSetting {
    axis: &'static Axis,
    value: usize,
    origin: SettingOrigin,
}

impl ProfileSetting {
    /// Reads the form that a flag has: `AXIS=VALUE`.
    ///
    /// # Errors
    ///
    /// Fails when there is no such axis or no such value of it.
    pub fn parse(text: &str) -> Result<ProfileSetting, ProfileError> {
        let (axis, value) = text.split_once('=').unwrap_or((text, ""));
        ProfileSetting::named(axis.trim(), value.trim(), SettingOrigin::Flag(text.to_owned()))
    }

    /// Reads the text of a profile file, TOML with lines of the form `axis = "value"`.
    ///
    /// # Errors
    ///
    /// Fails when it is not TOML, when it sets an axis twice, and when there is no such axis or value.
    pub fn parse_file(file: &Path, text: &str) -> Result<Vec<ProfileSetting>, ProfileError> {
        let origin = |offset| SettingOrigin::Line {
            file: file.to_owned(),
            line: line(text, offset),
        };
        let table = DeTable::parse(text).map_err(|error| syntax(text, &error, origin))?;
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let setting = |(name, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
            let origin = origin(name.span().start);
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            match value.get_ref().as_str() {
                Some(value) => ProfileSetting::named(name, value, origin),
                None => Err(axis(name, &origin).map_or_else(
                    |unknown| unknown,
                    |axis| ProfileError::NotText {
                        origin: origin.clone(),
                        axis: axis.name,
                    },
                )),
            }
        };
        entries.into_iter().map(setting).collect()
    }

    fn named(name: &str, value: &str, origin: SettingOrigin) -> Result<ProfileSetting, ProfileError> {
        let axis = axis(name, &origin)?;
        let names = || axis.values.iter().map(|known| known.name);
        match names().position(|known| known == value) {
            Some(value) => Ok(ProfileSetting { axis, value, origin }),
            None => Err(ProfileError::UnknownValue {
                origin,
                axis: axis.name,
                name: value.to_owned(),
                near: Suggestions::of(value, names()),
                known: names().collect(),
            }),
        }
    }
}

impl Profile {
    /// Makes a profile of settings; axes that none of them sets have their defaults. A flag takes precedence over a
    /// file.
    ///
    /// # Errors
    ///
    /// Fails when two flags, or two lines of files, set one axis, and when two settings exclude each other.
    pub fn of(settings: &[ProfileSetting]) -> Result<Profile, ProfileError> {
        let mut profile = Profile::default();
        for flags in [false, true] {
            let layer: Vec<_> = settings.iter().filter(|setting| setting.is_flag() == flags).collect();
            for (index, setting) in layer.iter().enumerate() {
                let mut before = layer[..index].iter();
                if let Some(first) = before.find(|first| first.axis.name == setting.axis.name) {
                    return Err(twice(setting.axis.name, &first.origin, &setting.origin));
                }
                (setting.axis.set)(&mut profile, setting.value);
            }
        }
        profile.reconcile_status_and_body(settings)
    }

    /// Leaves out the body of an update that is answered with 204; fails where a setting asks for a body.
    fn reconcile_status_and_body(mut self, settings: &[ProfileSetting]) -> Result<Profile, ProfileError> {
        let effective = |name: &str| {
            let mut of_axis = settings.iter().filter(|setting| setting.axis.name == name);
            of_axis.clone().find(|setting| setting.is_flag()).or(of_axis.next())
        };
        if self.update_contact_status == UpdateStatus::NoContent && self.update_response_body != UpdateBody::Empty {
            if let (Some(status), Some(body)) = (effective("update-contact-status"), effective("update-response-body"))
            {
                return Err(ProfileError::Excluded {
                    first: status.origin.clone(),
                    second: body.origin.clone(),
                });
            }
            self.update_response_body = UpdateBody::Empty;
        }
        Ok(self)
    }
}

impl ProfileSetting {
    fn is_flag(&self) -> bool {
        matches!(self.origin, SettingOrigin::Flag(_))
    }
}

fn axis(name: &str, origin: &SettingOrigin) -> Result<&'static Axis, ProfileError> {
    let found = AXES.iter().find(|axis| axis.name == name);
    found.ok_or_else(|| ProfileError::UnknownAxis {
        origin: origin.clone(),
        name: name.to_owned(),
        near: Suggestions::of(name, AXES.iter().map(|axis| axis.name)),
    })
}

/// Reports what the TOML parser rejected. A key that appears twice is reported with both lines.
fn syntax(text: &str, error: &toml::de::Error, origin: impl Fn(usize) -> SettingOrigin) -> ProfileError {
    let span = error.span().unwrap_or_default();
    let key = text.get(span.clone()).unwrap_or_default();
    let is_key = text
        .get(span.end..)
        .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('='));
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let sets_it = is_key && line.split_once('=').is_some_and(|(name, _)| name.trim() == key);
        if sets_it && offset + line.len() <= span.start {
            return twice(key, &origin(offset), &origin(span.start));
        }
        offset += line.len();
    }
    ProfileError::Syntax {
        origin: origin(span.start),
        message: error.message().to_owned(),
    }
}

fn twice(axis: &str, first: &SettingOrigin, second: &SettingOrigin) -> ProfileError {
    ProfileError::Twice {
        axis: axis.to_owned(),
        first: first.clone(),
        second: second.clone(),
    }
}

fn line(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or(text);
    before.matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::super::{PageSize, UpdateSemantics};
    use super::*;

    fn of_file(text: &str) -> Result<Profile, ProfileError> {
        Profile::of(&ProfileSetting::parse_file(Path::new("service.toml"), text)?)
    }

    fn of_flags(flags: &[&str]) -> Result<Profile, ProfileError> {
        let settings: Result<Vec<_>, _> = flags.iter().map(|flag| ProfileSetting::parse(flag)).collect();
        Profile::of(&settings?)
    }

    fn message(rejected: Result<Profile, ProfileError>) -> String {
        rejected.unwrap_err().to_string()
    }

    #[test]
    fn a_file_sets_what_it_names_and_nothing_else() {
        let profile = of_file("# ours\npage-size = \"25\"\nupdate-semantics = 'replaces'\n").unwrap();
        assert_eq!(profile.page_size, PageSize::TwentyFive);
        assert_eq!(profile.update_semantics, UpdateSemantics::Replaces);
        assert_eq!(profile.update_response_body, UpdateBody::Message);
    }

    #[test]
    fn a_flag_goes_before_a_file() {
        let mut settings = vec![ProfileSetting::parse("page-size=7").unwrap()];
        settings.extend(ProfileSetting::parse_file(Path::new("service.toml"), "page-size = \"25\"").unwrap());
        assert_eq!(Profile::of(&settings).unwrap().page_size, PageSize::Seven);
    }

    #[test]
    fn an_axis_set_twice_names_both_lines() {
        let text = "page-size = \"25\"\n\nlist-order = \"newest-first\"\npage-size = \"7\"\n";
        let expected = "`service.toml` line 4: `page-size` is set already, at `service.toml` line 1";
        assert_eq!(message(of_file(text)), expected);
        let expected = "`--profile page-size=7`: `page-size` is set already, at `--profile page-size=25`";
        assert_eq!(message(of_flags(&["page-size=25", "page-size=7"])), expected);
    }

    #[test]
    fn settings_that_exclude_each_other_name_both_lines() {
        let text = "update-response-body = \"contact\"\nupdate-contact-status = \"204\"\n";
        let expected =
            "`service.toml` line 2 and `service.toml` line 1 exclude each other: a response of status 204 has no body";
        assert_eq!(message(of_file(text)), expected);
    }

    #[test]
    fn an_update_without_content_has_an_empty_body() {
        let profile = of_flags(&["update-contact-status=204"]).unwrap();
        assert_eq!(profile.update_response_body, UpdateBody::Empty);
    }

    #[test]
    fn an_unknown_axis_is_reported_with_its_line_and_the_near_ones() {
        let expected = "`service.toml` line 2: there is no choice `page-sise` (did you mean `page-size`";
        assert!(message(of_file("\npage-sise = \"7\"")).starts_with(expected));
        let far = "`--profile colour=red`: there is no choice `colour`; `--profile list` prints all";
        assert_eq!(message(of_flags(&["colour=red"])), far);
    }

    #[test]
    fn an_unknown_value_is_reported_with_the_known_ones() {
        let reported = message(of_flags(&["list-order=newest"]));
        let expected = "`--profile list-order=newest`: `list-order` has no value `newest` (did you mean `newest-first`?); it has \
                        `oldest-first`, `newest-first`";
        assert_eq!(reported, expected);
    }

    #[test]
    fn what_is_no_toml_or_no_text_is_reported_with_its_line() {
        for text in [
            "page-size = \"7\"\nlist-order =\n",
            "page-size = \"7\"\nlist-order = page-size\n",
        ] {
            let reported = message(of_file(text));
            assert!(reported.starts_with("`service.toml` line 2: "), "{reported}");
            assert!(reported.contains("a profile holds lines"), "{reported}");
        }
        assert_eq!(
            message(of_file("page-size = 7")),
            "`service.toml` line 1: the value of `page-size` is not a string in quotes"
        );
    }
}
