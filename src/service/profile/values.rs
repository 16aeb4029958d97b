//! Which values single fields may have, and how they are spelled.

use super::axis_values::axis_values;

axis_values! {
    /// Whether a field accepts any value or only those of a list, ignoring case.
    Allowed {
        /// Any string.
        Open = "open",
        /// The values of a list, ignoring case.
        Closed = "closed",
    }
}

/// The closed lists.
pub(in crate::service) mod closed {
    /// The channels that a contact can be excluded from; any other name changes nothing.
    pub(in crate::service) const CHANNELS: &[&str] = &["email", "phone", "post", "sms"];
    pub(in crate::service) const GENDERS: &[&str] = &["female", "male", "nonbinary", "undisclosed"];
    pub(in crate::service) const STATUSES: &[&str] = &["active", "inactive", "pending"];
    pub(in crate::service) const TYPES: &[&str] = &["email", "phone", "post"];
    /// A few codes of ISO 3166-1: enough for a closed list, and all that the seed data has.
    pub(in crate::service) const COUNTRIES: &[&str] = &[
        "BR", "DE", "ES", "FR", "GB", "GH", "IE", "IN", "IT", "JP", "NL", "PL", "PT", "SE", "US",
    ];
}

axis_values! {
    /// How values of gender, status, type, nationality, `country_of_residence` and `excluded_channels` are spelled in
    /// responses.
    ValueSpelling {
        /// As they were sent.
        Kept = "kept",
        /// In upper case.
        Uppercase = "uppercase",
        /// In lower case.
        Lowercase = "lowercase",
    }
}

axis_values! {
    /// The format of dob, in requests and in responses.
    DobFormat {
        /// YYYY-MM-DD, an ISO 8601 date.
        Iso = "iso",
        /// DD/MM/YYYY.
        DayFirst = "day-first",
        /// MM/DD/YYYY.
        MonthFirst = "month-first",
        /// YYYY-MM-DDT00:00:00Z, the first moment of the day.
        Timestamp = "timestamp",
    }
}

impl DobFormat {
    /// Returns the format in the notation of `strftime`.
    pub(in crate::service) fn pattern(self) -> &'static str {
        match self {
            DobFormat::DayFirst => "%d/%m/%Y",
            DobFormat::Iso => "%Y-%m-%d",
            DobFormat::MonthFirst => "%m/%d/%Y",
            DobFormat::Timestamp => "%Y-%m-%dT00:00:00Z",
        }
    }

    /// Returns the problem of a date in another format.
    pub(in crate::service) fn problem(self) -> &'static str {
        match self {
            DobFormat::DayFirst => "is not a date of the form DD/MM/YYYY",
            DobFormat::Iso => "is not a date of the form YYYY-MM-DD",
            DobFormat::MonthFirst => "is not a date of the form MM/DD/YYYY",
            DobFormat::Timestamp => "is not a date of the form YYYY-MM-DDT00:00:00Z",
        }
    }
}

axis_values! {
    /// What `custom_fields` hold in a list; a contact created here has none of its own.
    CustomFields {
        /// Strings.
        Strings = "strings",
        /// Values of every JSON type, including null and nested ones.
        Mixed = "mixed",
        /// Nothing.
        Nothing = "nothing",
    }
}

axis_values! {
    /// Which dates of birth are accepted.
    BirthDates {
        /// Any of the years 1 to 9999.
        Any = "any",
        /// From 1900 to today.
        Lifetime = "1900-to-today",
    }
}

axis_values! {
    /// Which times of a visit are accepted.
    VisitTimes {
        /// Any of the years 1 to 9999.
        Any = "any",
        /// From 2000 to now.
        Past = "2000-to-now",
    }
}
