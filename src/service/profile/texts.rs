//! What happens to texts that are valid but awkward: how they are stored, and which are rejected.

use super::choice::choice;

choice! {
    /// What happens to white space at the ends of a text.
    TextEnds {
        /// It is kept.
        Kept = "kept",
        /// It is removed.
        Trimmed = "trimmed",
    }
}

choice! {
    /// How letters with diacritics, which Unicode can write in several ways, are stored.
    TextForm {
        /// As they were sent.
        Kept = "kept",
        /// Composed, which is Normalization Form C of Unicode.
        Composed = "composed",
    }
}

choice! {
    /// What happens to a text with `<`, `>` or `&`.
    Markup {
        /// It is like any other text.
        Taken = "taken",
        /// It is invalid input.
        Rejected = "rejected",
    }
}

choice! {
    /// Which characters a text may have.
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
    /// Returns why a text is not accepted.
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
            text.contains(|letter| letter > last)
                .then_some("holds a character that is not accepted")
        }
    }
}

choice! {
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

choice! {
    /// Whether a name needs a letter. Blank names are another matter.
    NameLetters {
        /// It does not: digits and punctuation alone are a name.
        Optional = "optional",
        /// It does.
        Required = "required",
    }
}
