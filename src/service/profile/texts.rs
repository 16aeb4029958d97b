//! What happens to strings that are valid but awkward: how they are stored, and which are rejected.

use super::axis_values::axis_values;

axis_values! {
    /// What happens to white space at the ends of a string.
    TextEnds {
        /// It is kept.
        Kept = "kept",
        /// It is removed.
        Trimmed = "trimmed",
    }
}

axis_values! {
    /// How letters with diacritics, which Unicode can write in several ways, are stored.
    TextForm {
        /// As they were sent.
        Kept = "kept",
        /// Composed, which is Normalization Form C of Unicode.
        Composed = "composed",
    }
}

axis_values! {
    /// What happens to a string with `<`, `>` or `&`.
    Markup {
        /// It is like any other string.
        Taken = "taken",
        /// It is invalid input.
        Rejected = "rejected",
    }
}

axis_values! {
    /// Which characters a string may have.
    Characters {
        /// Any but NUL.
        Any = "any",
        /// No control characters.
        Printable = "printable",
        /// No control characters, and none beyond U+FFFF.
        BasicPlane = "basic-plane",
        /// No control characters, and none beyond the Latin letters, which end with U+024F.
        Latin = "latin",
    }
}

impl Characters {
    /// Returns why a string is not accepted.
    pub(in crate::service) fn problem(self, text: &str) -> Option<&'static str> {
        let last = match self {
            Characters::Any => return None,
            Characters::BasicPlane => '\u{ffff}',
            Characters::Latin => '\u{24f}',
            Characters::Printable => char::MAX,
        };
        if text.contains(char::is_control) {
            Some("holds a control character")
        } else {
            text.contains(|character| character > last)
                .then_some("holds a character that is not accepted")
        }
    }
}

axis_values! {
    /// How many characters the names of a contact or of a tag may have.
    NameSizes {
        /// As many as any other string.
        AsOthers = "as-others",
        /// 100 characters.
        Hundred = "100",
        /// 50 characters.
        Fifty = "50",
    }
}

impl NameSizes {
    pub(in crate::service) fn maximum_name_length(self) -> usize {
        match self {
            NameSizes::AsOthers => usize::MAX,
            NameSizes::Fifty => 50,
            NameSizes::Hundred => 100,
        }
    }
}

axis_values! {
    /// Whether a name that is not empty needs a letter.
    NameLetters {
        /// It does not: a name may consist only of digits and punctuation.
        Optional = "optional",
        /// It does.
        Required = "required",
    }
}
