//! What real software does to strings that are valid but awkward: [`DISTORTIONS`], a table with a function for each.
//!
//! The distortions are what registers, importers, templates and databases are known to do to names that they did not
//! expect. Each leaves a plain string alone: ASCII of at most 49 characters, with no capital inside a word, a
//! capital after each space, and besides letters and digits only single hyphens, dots and spaces inside, one `@`, and a
//! plus at the start; that is no number and no word such as `null` or `yes`, and, if it is an address, has no capital
//! before the `@`.

use super::letters::{
    capitals_lost, clipped_bytes, collapsed_runs, cut, decoded_percents, dollar_names_lost, folded, formula_marked,
    local_part, mojibake, number_written, phone, replaced_above, reversed, rounded_to_double, unescaped, without,
    without_between, word_as_value, word_lost, words_capitalised,
};

/// One thing that software does to strings.
pub(super) struct StringDistortion {
    pub(super) name: &'static str,
    /// What happens to the string, phrased to follow "a string".
    pub(super) about: &'static str,
    pub(super) reach: Reach,
    pub(super) change: fn(&str) -> String,
}

/// Which writes have it. A distortion is limited to updates if showing it in a create would need one more record, or
/// would leave a string that nothing can overwrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Every write that carries a string.
    Every,
    /// Updates, and creates of records that stand alone. Not creates of a part, such as a contact's method, whose only
    /// string is an address.
    TopLevelRecords,
    /// Updates, and creates of what an update can overwrite.
    Overwritable,
    /// Updates.
    Updates,
}

use Reach::{Every, Overwritable, TopLevelRecords, Updates};

const fn distortion(
    name: &'static str,
    about: &'static str,
    reach: Reach,
    change: fn(&str) -> String,
) -> StringDistortion {
    StringDistortion {
        name,
        about,
        reach,
        change,
    }
}

/// Every distortion of strings.
pub(super) const DISTORTIONS: &[StringDistortion] = &[
    // HTML: escaped when it is stored instead of when it is shown, or stripped of what was never markup.
    distortion("apostrophe-entity", "has an entity for an apostrophe", Every, |text| {
        text.replace('\'', "&#39;")
    }),
    distortion("ampersand-entity", "has an entity for an ampersand", Every, |text| {
        text.replace('&', "&amp;")
    }),
    distortion(
        "quote-entity",
        "has an entity for a quotation mark",
        Overwritable,
        |text| text.replace('"', "&quot;"),
    ),
    distortion("angle-entity", "has an entity for an angle bracket", Updates, |text| {
        text.replace('<', "&lt;").replace('>', "&gt;")
    }),
    distortion("entity-decoded", "shows what its entities stand for", Updates, |text| {
        ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"]
            .into_iter()
            .zip(["&", "<", ">", "\"", "'"])
            .fold(text.to_owned(), |text, (entity, sign)| text.replace(entity, sign))
    }),
    distortion("markup-stripped", "loses what is in angle brackets", Updates, |text| {
        without_between(text, "<", ">")
    }),
    distortion("angle-cut", "ends before an angle bracket", Updates, |text| {
        cut(text, "<")
    }),
    // Escapes, of strings and of addresses.
    distortion("dots-lost", "loses each ../", Overwritable, |text| {
        text.replace("../", "")
    }),
    distortion(
        "outer-quotes-lost",
        "loses the quotation marks around it",
        Updates,
        |text| {
            let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            inner.unwrap_or(text).to_owned()
        },
    ),
    distortion("backslash-lost", "loses its backslashes", Overwritable, |text| {
        without(text, &['\\'])
    }),
    distortion(
        "backslash-doubled",
        "has two backslashes for one",
        Overwritable,
        |text| text.replace('\\', "\\\\"),
    ),
    distortion(
        "escape-decoded",
        "has what follows a backslash decoded",
        Updates,
        unescaped,
    ),
    distortion(
        "quotes-slashed",
        "has backslashes before quotes",
        Overwritable,
        |text| text.replace('\'', "\\'").replace('"', "\\\""),
    ),
    distortion(
        "percent-decoded",
        "has its percent signs decoded",
        Overwritable,
        decoded_percents,
    ),
    distortion("percent-encoded", "has %25 for a percent sign", Overwritable, |text| {
        text.replace('%', "%25")
    }),
    distortion(
        "plus-space",
        "has a space for a plus sign inside",
        Overwritable,
        |text| {
            text.char_indices()
                .map(|(at, sign)| if at > 0 && sign == '+' { ' ' } else { sign })
                .collect()
        },
    ),
    distortion("ampersand-cut", "ends before an ampersand", Overwritable, |text| {
        cut(text, "&")
    }),
    // Templates and formats.
    distortion(
        "dollar-expanded",
        "loses a dollar sign and the name after it",
        Overwritable,
        dollar_names_lost,
    ),
    distortion("dollar-braces-expanded", "loses what is in ${}", Overwritable, |text| {
        without_between(text, "${", "}")
    }),
    distortion(
        "double-braces-expanded",
        "loses what is in {{}}",
        Overwritable,
        |text| without_between(text, "{{", "}}"),
    ),
    distortion("braces-expanded", "loses what is in {}", Overwritable, |text| {
        without_between(text, "{", "}")
    }),
    distortion("hash-braces-expanded", "loses what is in #{}", Updates, |text| {
        without_between(text, "#{", "}")
    }),
    distortion(
        "format-expanded",
        "has %s and %d replaced as placeholders",
        Overwritable,
        |text| text.replace("%s", "").replace("%d", "0").replace("%%", "%"),
    ),
    // SQL and lists of values.
    distortion("apostrophe-lost", "loses its apostrophes", Every, |text| {
        without(text, &['\''])
    }),
    distortion("apostrophe-doubled", "has two apostrophes for one", Every, |text| {
        text.replace('\'', "''")
    }),
    distortion("apostrophe-cut", "ends before an apostrophe", Every, |text| {
        cut(text, "'")
    }),
    distortion("quote-lost", "loses its quotation marks", Overwritable, |text| {
        without(text, &['"'])
    }),
    distortion("semicolon-cut", "ends before a semicolon", Overwritable, |text| {
        cut(text, ";")
    }),
    distortion("comma-cut", "ends before a comma", Overwritable, |text| cut(text, ",")),
    distortion("dashes-cut", "ends before two hyphens", Updates, |text| cut(text, "--")),
    distortion("hash-cut", "ends before a hash sign", Overwritable, |text| {
        cut(text, "#")
    }),
    distortion("bar-cut", "ends before a vertical bar", Updates, |text| cut(text, "|")),
    distortion(
        "formula-marked",
        "has an apostrophe before =, @ or - at its start",
        Updates,
        formula_marked,
    ),
    distortion("slash-cut", "ends before a slash", Updates, |text| cut(text, "/")),
    distortion("colon-cut", "ends before a colon", Updates, |text| cut(text, ":")),
    distortion("parentheses-lost", "loses what is in parentheses", Updates, |text| {
        without_between(text, "(", ")")
    }),
    distortion(
        "emphasis-lost",
        "loses its asterisks and underscores",
        Updates,
        |text| without(text, &['*', '_']),
    ),
    distortion("last-dot-lost", "loses a dot at its end", Updates, |text| {
        text.strip_suffix('.').unwrap_or(text).to_owned()
    }),
    // Strings that are read as values.
    distortion(
        "leading-zeros-lost",
        "loses the zeros that a number begins with",
        Updates,
        |text| {
            let is_number = text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_digit());
            let rest = text.trim_start_matches('0');
            if is_number && !rest.is_empty() { rest } else { text }.to_owned()
        },
    ),
    distortion(
        "number-written",
        "that is a number is reformatted",
        Updates,
        number_written,
    ),
    distortion(
        "long-number-rounded",
        "that is a number of more than 15 digits is rounded",
        Updates,
        rounded_to_double,
    ),
    distortion(
        "null-word-lost",
        "that is the word null is read as nothing",
        Updates,
        |text| word_lost(text, ["null", "nil", "none", "undefined"]),
    ),
    distortion(
        "nan-word-lost",
        "that is the word NaN is read as nothing",
        Updates,
        |text| word_lost(text, ["NaN", "Infinity", "inf", "N/A"]),
    ),
    distortion(
        "truth-word-written",
        "that is the word true or yes comes back as 1",
        Updates,
        word_as_value,
    ),
    // Characters.
    distortion(
        "beyond-bmp-questioned",
        "has a question mark for a character beyond U+FFFF",
        Every,
        |text| replaced_above(text, '\u{ffff}', "?"),
    ),
    distortion(
        "beyond-bmp-replaced",
        "has U+FFFD twice for a character beyond U+FFFF",
        Every,
        |text| replaced_above(text, '\u{ffff}', "\u{fffd}\u{fffd}"),
    ),
    distortion(
        "beyond-bmp-lost",
        "loses its characters beyond U+FFFF",
        Overwritable,
        |text| replaced_above(text, '\u{ffff}', ""),
    ),
    distortion(
        "beyond-bmp-cut",
        "ends before a character beyond U+FFFF",
        Overwritable,
        |text| text.chars().take_while(|character| *character <= '\u{ffff}').collect(),
    ),
    distortion(
        "beyond-latin-questioned",
        "has a question mark for a character beyond Latin-1",
        Every,
        |text| replaced_above(text, '\u{ff}', "?"),
    ),
    distortion("read-as-latin", "has its UTF-8 read as Latin-1", Every, mojibake),
    distortion("marks-lost", "has letters without their diacritics", Every, folded),
    distortion(
        "combining-marks-lost",
        "loses its combining marks",
        Overwritable,
        |text| {
            text.chars()
                .filter(|character| !('\u{300}'..='\u{36f}').contains(character))
                .collect()
        },
    ),
    distortion(
        "invisible-lost",
        "loses its joiners, selectors and direction marks",
        Overwritable,
        |text| {
            let is_shown = |character: &char| !matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{fe0f}' | '\u{feff}');
            text.chars().filter(is_shown).collect()
        },
    ),
    distortion(
        "right-to-left-reversed",
        "has Hebrew and Arabic letters in reversed order",
        Overwritable,
        |text| reversed(text, |character| ('\u{590}'..='\u{8ff}').contains(&character)),
    ),
    distortion(
        "compatibility-folded",
        "has plain letters for ligatures and full-width ones",
        Updates,
        |text| {
            icu_normalizer::ComposingNormalizer::new_nfkc()
                .normalize(text)
                .into_owned()
        },
    ),
    distortion("digits-westernised", "has 0 to 9 for Arabic digits", Updates, |text| {
        let digit = |character: char| u32::from(character).checked_sub(0x660).filter(|digit| *digit < 10);
        let western = |character: char| digit(character).and_then(|digit| char::from_digit(digit, 10));
        text.chars()
            .map(|character| western(character).unwrap_or(character))
            .collect()
    }),
    // Case.
    distortion(
        "inner-capitals-lost",
        "loses the capitals inside words",
        Every,
        capitals_lost,
    ),
    distortion(
        "words-capitalised",
        "gets a capital at the start of each further word",
        Overwritable,
        words_capitalised,
    ),
    distortion(
        "sharp-s-doubled",
        "has two letters for a sharp s",
        Overwritable,
        |text| text.replace(['ß', 'ẞ'], "ss"),
    ),
    distortion(
        "turkish-i-lost",
        "has a plain i for a Turkish one",
        Overwritable,
        |text| text.replace('ı', "i").replace('İ', "I"),
    ),
    // Blanks and typography.
    distortion(
        "inner-spaces-collapsed",
        "has one space for several inside",
        TopLevelRecords,
        |text| collapsed_runs(text, ' '),
    ),
    distortion(
        "hard-space-softened",
        "has a plain space for a no-break space",
        Overwritable,
        |text| text.replace(['\u{a0}', '\u{202f}'], " "),
    ),
    distortion(
        "apostrophe-curled",
        "has a typographic apostrophe for a plain one",
        Every,
        |text| text.replace('\'', "’"),
    ),
    distortion(
        "apostrophe-straightened",
        "has a plain apostrophe for a typographic one",
        Overwritable,
        |text| text.replace('’', "'"),
    ),
    distortion(
        "quotes-curled",
        "has typographic quotation marks for plain ones",
        Updates,
        |text| text.replace('"', "”"),
    ),
    distortion(
        "grave-straightened",
        "has an apostrophe for a grave accent on its own",
        Updates,
        |text| text.replace(['`', '´'], "'"),
    ),
    distortion(
        "dashes-joined",
        "has a dash for two hyphens and an ellipsis for three dots",
        Updates,
        |text| text.replace("--", "–").replace("...", "…"),
    ),
    distortion(
        "hyphen-plain",
        "has a plain hyphen for a typographic hyphen or dash",
        Overwritable,
        |text| text.replace(['\u{2010}', '\u{2011}', '–', '—'], "-"),
    ),
    // Lengths.
    distortion("cut-at-50", "ends after 50 characters", Updates, |text| {
        text.chars().take(50).collect()
    }),
    distortion("cut-at-64", "ends after 64 characters", Updates, |text| {
        text.chars().take(64).collect()
    }),
    distortion("cut-at-100", "ends after 100 characters", Updates, |text| {
        text.chars().take(100).collect()
    }),
    distortion("cut-at-128", "ends after 128 characters", Updates, |text| {
        text.chars().take(128).collect()
    }),
    distortion("cut-at-255", "ends after 255 characters", Updates, |text| {
        text.chars().take(255).collect()
    }),
    distortion(
        "cut-at-255-bytes",
        "ends after 255 bytes, in the middle of a character",
        Updates,
        |text| clipped_bytes(text, 255),
    ),
    // Email addresses and phone numbers of contact methods.
    distortion(
        "address-lowered",
        "that is an address is lower-cased before the @",
        Every,
        |text| local_part(text, str::to_lowercase),
    ),
    distortion(
        "address-tag-lost",
        "that is an address loses its part from the plus sign on",
        Every,
        |text| local_part(text, |local| cut(local, "+")),
    ),
    distortion(
        "phone-signs-lost",
        "that is a phone number loses brackets, hyphens and dots",
        Overwritable,
        |text| phone(text, |text| without(text, &['(', ')', '-', '.'])),
    ),
    distortion(
        "phone-extension-lost",
        "that is a phone number loses its extension",
        Updates,
        |text| phone(text, |text| cut(&cut(text, " x"), " ext")),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: [&str; 10] = [
        "Countersign-bcdfghjkl",
        "Check-bcdfghjkl",
        "countersign-bcdfghjkl",
        "countersign.second.bcdfghjkl@example.com",
        "ada@example.com",
        "+44 7700 900123",
        "01632 960123",
        "Ada",
        "Example",
        "A Text Of Forty-nine Characters - And No More Now",
    ];

    /// For each distortion a string and what becomes of it.
    const AWKWARD: [(&str, &str, &str); 76] = [
        ("slash-cut", "a/b", "a"),
        ("colon-cut", "a: b", "a"),
        ("parentheses-lost", "Ada (b) c", "Ada  c"),
        ("emphasis-lost", "*a* _b_", "a b"),
        ("last-dot-lost", "a b Jr.", "a b Jr"),
        ("digits-westernised", "a\u{661}\u{669}", "a19"),
        ("quotes-curled", "\"Al\"", "”Al”"),
        ("grave-straightened", "O`Neil", "O'Neil"),
        ("apostrophe-entity", "O'Neil", "O&#39;Neil"),
        ("ampersand-entity", "A&B", "A&amp;B"),
        ("quote-entity", "\"Al\"", "&quot;Al&quot;"),
        ("angle-entity", "a<b>c", "a&lt;b&gt;c"),
        ("entity-decoded", "A&amp;B", "A&B"),
        ("markup-stripped", "a<i>b</i>c < d", "abc < d"),
        ("angle-cut", "a < b", "a "),
        ("backslash-lost", r"a\b", "ab"),
        ("backslash-doubled", r"a\b", r"a\\b"),
        ("escape-decoded", r"a\nb\u0041", "a\nbA"),
        ("quotes-slashed", "O'Neil", r"O\'Neil"),
        ("percent-decoded", "a%41%2", "aA%2"),
        ("percent-encoded", "100%", "100%25"),
        ("plus-space", "+a+b", "+a b"),
        ("ampersand-cut", "A&B", "A"),
        ("dollar-expanded", "a$x_1 $ b$", "a $ b$"),
        ("dollar-braces-expanded", "a${x}b${", "ab${"),
        ("double-braces-expanded", "a{{x}}b", "ab"),
        ("braces-expanded", "a{0}b", "ab"),
        ("hash-braces-expanded", "a#{x}b", "ab"),
        ("format-expanded", "a%sb%dc%%", "ab0c%"),
        ("dots-lost", "a/../b", "a/b"),
        ("outer-quotes-lost", "\"a\"", "a"),
        ("apostrophe-lost", "O'Neil", "ONeil"),
        ("apostrophe-doubled", "O'Neil", "O''Neil"),
        ("apostrophe-cut", "O'Neil", "O"),
        ("quote-lost", "a\"b", "ab"),
        ("semicolon-cut", "a;b", "a"),
        ("comma-cut", "a, b", "a"),
        ("dashes-cut", "a--b", "a"),
        ("hash-cut", "a#b", "a"),
        ("bar-cut", "a|b", "a"),
        ("formula-marked", "=a", "'=a"),
        ("leading-zeros-lost", "007", "7"),
        ("number-written", "1e3", "1000"),
        ("long-number-rounded", "12345678901234567891", "12345678901234567168"),
        ("null-word-lost", "Null", ""),
        ("nan-word-lost", "NaN", ""),
        ("truth-word-written", "True", "1"),
        ("beyond-bmp-questioned", "a\u{1f600}", "a?"),
        ("beyond-bmp-replaced", "a\u{1f600}", "a\u{fffd}\u{fffd}"),
        ("beyond-bmp-lost", "a\u{1f600}b", "ab"),
        ("beyond-bmp-cut", "a\u{1f600}b", "a"),
        ("beyond-latin-questioned", "éΩ", "é?"),
        ("read-as-latin", "é", "Ã©"),
        ("marks-lost", "éç", "ec"),
        ("combining-marks-lost", "e\u{301}é", "eé"),
        ("invisible-lost", "a\u{200d}b\u{200f}", "ab"),
        ("right-to-left-reversed", "a אבג b", "a גבא b"),
        ("compatibility-folded", "ﬁＡ", "fiA"),
        ("inner-capitals-lost", "McDonald", "Mcdonald"),
        ("words-capitalised", "Ada van der Berg", "Ada Van Der Berg"),
        ("sharp-s-doubled", "Groß", "Gross"),
        ("turkish-i-lost", "Işıl", "Işil"),
        ("inner-spaces-collapsed", "a   b", "a b"),
        ("hard-space-softened", "a\u{a0}b", "a b"),
        ("apostrophe-curled", "O'Neil", "O’Neil"),
        ("apostrophe-straightened", "O’Neil", "O'Neil"),
        ("dashes-joined", "a--b...", "a–b…"),
        ("hyphen-plain", "a–b", "a-b"),
        ("cut-at-50", LONG, "12345678901234567890123456789012345678901234567890"),
        ("cut-at-64", LONG, LONG.split_at(64).0),
        ("cut-at-100", LONG, LONG.split_at(100).0),
        ("cut-at-128", LONG, LONG.split_at(128).0),
        ("address-lowered", "Ada@Example.com", "ada@Example.com"),
        ("address-tag-lost", "ada+x@example.com", "ada@example.com"),
        ("phone-signs-lost", "(01632) 960-123", "01632 960123"),
        ("phone-extension-lost", "01632 960123 x4", "01632 960123"),
    ];

    const LONG: &str = "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890\
                        1234567890123456789012345678901234567890";

    #[test]
    fn each_distortion_changes_an_awkward_string_and_no_plain_one() {
        for distortion in DISTORTIONS {
            for plain in PLAIN {
                assert_eq!((distortion.change)(plain), plain, "{}", distortion.name);
            }
            let awkward = AWKWARD.iter().find(|(name, ..)| *name == distortion.name);
            match awkward {
                Some((_, sent, kept)) => assert_eq!((distortion.change)(sent), *kept, "{}", distortion.name),
                None => assert!(distortion.name.starts_with("cut-at-255"), "{}", distortion.name),
            }
        }
        assert_eq!(AWKWARD.len() + 2, DISTORTIONS.len());
    }

    #[test]
    fn a_text_is_cut_after_characters_or_inside_of_one() {
        let change = |name: &str, text: &str| {
            let distortion = DISTORTIONS.iter().find(|distortion| distortion.name == name).unwrap();
            (distortion.change)(text)
        };
        assert_eq!(change("cut-at-255", &"é".repeat(300)), "é".repeat(255));
        let cut = format!("{}\u{fffd}", "é".repeat(127));
        assert_eq!(change("cut-at-255-bytes", &"é".repeat(128)), cut);
    }
}
