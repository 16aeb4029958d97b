//! How responses are written: the axes that no operation has to know of.

use super::axis_values::axis_values;

axis_values! {
    /// What an unset field shows.
    UnsetFields {
        /// An empty string or array, the number 0, or an object of these.
        Blank = "blank",
        /// Null, except for arrays, which are empty.
        Null = "null",
        /// Null, also for arrays.
        NullArrays = "null-arrays",
    }
}

axis_values! {
    /// The form and the zone of timestamps.
    TimestampForm {
        /// RFC 3339 in UTC with the suffix Z, with decimals where it is not a whole second.
        Utc = "utc",
        /// RFC 3339 in UTC with the offset +00:00.
        UtcOffset = "utc-offset",
        /// RFC 3339 two hours east of UTC.
        East = "east",
        /// RFC 3339 nine and a half hours west of UTC.
        West = "west",
        /// RFC 3339 in UTC, always with six decimals.
        Microseconds = "microseconds",
        /// Date and time with a space between them, in UTC without saying so.
        Unzoned = "unzoned",
        /// Seconds since 1970, in a string, with decimals where it is not a whole second.
        Epoch = "epoch",
    }
}

axis_values! {
    /// How identifiers are spelled. A contact's is always a hyphenated UUID: it goes into a path.
    IdentifierSpelling {
        /// A hyphenated UUID in lower case.
        Lowercase = "lowercase",
        /// A hyphenated UUID in upper case.
        Uppercase = "uppercase",
        /// 32 hexadecimal digits, except for contacts.
        Digits = "digits",
    }
}

axis_values! {
    /// The order of the methods that a contact shows.
    ContactMethodsOrder {
        /// In the order in which they were sent.
        AsSent = "as-sent",
        /// The last one first.
        LastFirst = "last-first",
    }
}
