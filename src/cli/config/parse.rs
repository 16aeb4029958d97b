//! Reads the text of a configuration file. The main type is [`Parsed`].

use std::ops::Range;

use serde::Deserialize as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use super::error::{ConfigError, FileLocation, Problem};
use super::file::ConfigFile;
use super::keys;
use super::setting::{MUST_BE, Setting};

/// A configuration file that was read: its contents, and its text for locations.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The file as messages call it.
    pub(super) name: String,
    /// Its text.
    pub(super) text: String,
    /// Its contents.
    pub(super) file: ConfigFile,
}

impl Parsed {
    /// Reads a text.
    ///
    /// # Errors
    ///
    /// The first thing in it that is not TOML, a key that nothing reads, or a value of another type.
    pub(super) fn read(name: &str, text: &str) -> Result<Self, ConfigError> {
        let error = |(span, problem): (Range<usize>, Problem)| ConfigError {
            location: FileLocation::of(name, text, &span),
            problem: Box::new(problem),
        };
        let table = DeTable::parse(text).map_err(|rejected| {
            let message = rejected.message().lines().next().unwrap_or_default().to_owned();
            error((rejected.span().unwrap_or_default(), Problem::Syntax(message)))
        })?;
        if let Some(found) = keys::unknown(table.get_ref()) {
            return Err(error(found));
        }
        let mut inherited = table.clone();
        inherit(inherited.get_mut());
        let file = ConfigFile::deserialize(Deserializer::from(inherited)).map_err(|rejected| {
            let span = rejected.span().unwrap_or_default();
            let problem = mistyped(rejected.message(), keys::path_to(table.get_ref(), &span));
            error((span, problem))
        })?;
        Ok(Self {
            name: name.to_owned(),
            text: text.to_owned(),
            file,
        })
    }

    /// Returns the location of a value.
    pub(super) fn location<T>(&self, setting: &Setting<T>) -> FileLocation {
        self.location_of(&setting.span())
    }

    /// Returns the location of these bytes.
    pub(super) fn location_of(&self, span: &Range<usize>) -> FileLocation {
        FileLocation::of(&self.name, &self.text, span)
    }

    /// Returns what a value names; a problem gets the value's location.
    ///
    /// # Errors
    ///
    /// The problem of the value, at its location.
    pub(super) fn resolve<T, Named>(
        &self,
        setting: &Setting<T>,
        find: impl FnOnce(&T) -> Result<Named, Problem>,
    ) -> Result<Named, ConfigError> {
        find(&setting.value).map_err(|problem| self.error(setting, problem))
    }

    /// Does the same for a value that may be left out.
    ///
    /// # Errors
    ///
    /// Those of [`Self::resolve`].
    pub(super) fn resolve_if<T, Named>(
        &self,
        setting: &Option<Setting<T>>,
        find: impl FnOnce(&T) -> Result<Named, Problem>,
    ) -> Result<Option<Named>, ConfigError> {
        setting.as_ref().map(|setting| self.resolve(setting, find)).transpose()
    }

    /// Returns an error at a value.
    pub(super) fn error<T>(&self, setting: &Setting<T>, problem: Problem) -> ConfigError {
        ConfigError {
            location: self.location(setting),
            problem: Box::new(problem),
        }
    }
}

/// Gives each target the pace of every check, where it does not set its own; `None` if there is no pace to inherit.
fn inherit(table: &mut DeTable<'_>) -> Option<()> {
    let pace = tabled(table.get_mut("check")?)?
        .get_mut("pace")
        .and_then(tabled)?
        .clone();
    for (_, target) in tabled(table.get_mut("targets")?)?.iter_mut() {
        let empty = || Spanned::new(0..0, DeValue::Table(DeTable::new()));
        let own = tabled(target)?.entry(Spanned::new(0..0, "pace".into()));
        let own = tabled(own.or_insert_with(empty))?;
        for (key, value) in &pace {
            own.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    Some(())
}

fn tabled<'value, 'text>(value: &'value mut Spanned<DeValue<'text>>) -> Option<&'value mut DeTable<'text>> {
    match value.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// Returns the problem of a value that the types do not accept. serde's message repeats the value, which may be a
/// secret, so only what was expected is taken from it.
fn mistyped(message: &str, path: Option<String>) -> Problem {
    let key = message
        .strip_prefix("missing field `")
        .and_then(|rest| rest.split('`').next());
    if let Some(key) = key {
        let hint = match key {
            "base_url" => "; a target has a base URL: base_url = \"https://api.example.com\"",
            "reason" => "; say why: reason = \"…\"",
            "kind" => "; the JSON report of `countersign diff` has it: kind = \"property-removed\"",
            "level" => "; write `deny`, `warn` or `allow`: level = \"allow\"",
            "rule" => "; `countersign rules` lists all",
            _ => "",
        };
        return Problem::Missing {
            key: key.to_owned(),
            hint,
        };
    }
    if message.starts_with(MUST_BE) {
        return Problem::Range {
            // The setting's own name, which a flag has too.
            key: path.iter().flat_map(|path| path.rsplit('.')).take(1).collect(),
            reason: message.to_owned(),
        };
    }
    let expected = message
        .rsplit_once("expected ")
        .map_or("something else", |(_, expected)| expected);
    let expected = match expected.trim() {
        "a map" => "a table",
        "a sequence" => "an array",
        "f64" => "a number",
        "u64" => "a whole number that is not negative",
        "a TOML datetime" => "a date without quotes, such as 2027-01-31",
        other => other,
    };
    let hint = match &path {
        Some(path) if path.starts_with("parameters.") => {
            "; write one value for each name, such as `tenant = \"example\"`, and what is for one operation in \
             [operations.NAME]"
        }
        _ => "",
    };
    Problem::Type {
        key: path.map_or_else(|| "this".to_owned(), |path| format!("`{path}`")),
        expected: expected.to_owned(),
        hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(text: &str) -> String {
        Parsed::read("countersign.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_file_says_nothing() {
        assert!(Parsed::read("countersign.toml", "").unwrap().file.targets.is_empty());
        assert!(
            Parsed::read("countersign.toml", "# nothing\n")
                .unwrap()
                .file
                .levels
                .is_empty()
        );
    }

    #[test]
    fn what_is_not_toml_is_reported_with_its_location() {
        for (text, location) in [
            ("a = \n", ":1:"),
            ("\n[check\n", ":2:"),
            ("[check]\n[check]\n", ":2:"),
            ("= 1", ":1:1:"),
        ] {
            let message = rejected(text);
            assert!(message.starts_with(&format!("countersign.toml{location}")), "{message}");
            assert!(
                message.ends_with("the file is not valid TOML (see toml.io)"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_key_that_nothing_reads_is_reported_with_a_near_one_and_all_of_its_table() {
        for (text, message) in [
            (
                "[targets.staging]\nbase_url = \"https://api.example.com\"\nwrite = true\n",
                "countersign.toml:3:1: there is no key `write` in `targets.staging` (did you mean `writes`?); the keys are \
                 `base_url`, `",
            ),
            (
                "[check]\npace.job = 1\n",
                "countersign.toml:2:6: there is no key `job` in `check.pace` (did you mean `jobs`?); the keys are \
                 `rate`, `jobs`, `",
            ),
            (
                "[check]\nmax-pages = 1\n",
                "countersign.toml:2:1: there is no key `max-pages` in `check` (did you mean `max_pages`?); ",
            ),
            (
                "[[levels]]\nrule = \"auth\"\n[[levels]]\nrules = \"auth\"\n",
                "countersign.toml:4:1: there is no key `rules` in `levels` (did you mean `rule`?); ",
            ),
            (
                "target = \"a\"\n",
                "countersign.toml:1:1: there is no key `target` at the top (did you mean `targets`?); ",
            ),
        ] {
            let reported = rejected(text);
            assert!(reported.starts_with(message), "{reported}");
        }
    }

    #[test]
    fn the_first_of_several_unknown_keys_is_reported() {
        assert!(rejected("[check]\nzz = 1\naa = 2\n").contains("`zz`"));
    }

    #[test]
    fn a_secret_is_rejected_wherever_it_stands_and_not_repeated() {
        for text in [
            "token = \"tk-sample\"\n",
            "[check]\nbearer-token = \"tk-sample\"\n",
            "[targets.a]\nbase_url = \"https://api.example.com\"\nToken = \"tk-sample\"\n",
            "[targets.a]\ntoken = [\"tk-sample\"]\n",
            "[targets]\ntoken = \"tk-sample\"\n",
            "[targets.a]\nbase_url = \"https://api.example.com\"\ntoken_env = { value = \"tk-sample\" }\n",
            "[targets.a]\nbase_url = \"https://api.example.com\"\nwrites = \"tk-sample\"\n",
            "[targets.a]\nbase_url = \"https://api.example.com\"\ntoken_env = tk-sample\n",
            "[targets.a]\nbase_url = \"https://api.example.com\"\nmax_writes = \"expected tk-sample\"\n",
        ] {
            let message = rejected(text);
            assert!(!message.contains("tk-"), "{message}");
        }
        let message = rejected("[targets.a]\nbase_url = \"https://api.example.com\"\ntoken = \"tk-sample\"\n");
        assert!(
            message.starts_with("countersign.toml:3:1: `token` does not belong"),
            "{message}"
        );
        assert!(message.contains("token_env = \"NAME\""), "{message}");
    }

    #[test]
    fn a_value_of_another_type_is_reported_with_its_key() {
        for (text, message) in [
            (
                "[check]\nseed = -1\n",
                "countersign.toml:2:8: `check.seed` has the wrong type; expected a whole number",
            ),
            (
                "[check]\npace.rate = \"fast\"\n",
                "countersign.toml:2:13: `check.pace.rate` has the wrong type; expected a number",
            ),
            (
                "reports = \"json\"\n",
                "countersign.toml:1:11: `reports` has the wrong type; expected an array",
            ),
            (
                "reports = [1]\n",
                "countersign.toml:1:12: `reports` has the wrong type; expected a string",
            ),
            (
                "[operations.getPet]\npath = 17\n",
                "countersign.toml:2:8: `operations.getPet.path` has the wrong type; expected a table",
            ),
            (
                "[operations.getPet]\npath.petId = [17]\n",
                "countersign.toml:2:14: `operations.getPet.path.petId` has the wrong type; expected a string, a number, \
                 true or false",
            ),
            (
                "[parameters]\ntenant = \"example\"\nlang = { query = \"en\" }\n",
                "countersign.toml:3:8: `parameters.lang` has the wrong type; expected a string, a number, true or \
                 false; write one value for each name, such as `tenant = \"example\"`, and what is for one operation \
                 in [operations.NAME]",
            ),
            (
                "[parameters.getPet]\nlang = \"en\"\n",
                "countersign.toml:1:1: `parameters.getPet` has the wrong type; expected a string, a number, true or \
                 false; write one value",
            ),
        ] {
            assert!(rejected(text).starts_with(message), "{}", rejected(text));
        }
        let until = "[[levels]]\nrule = \"auth\"\nlevel = \"allow\"\nreason = \"a\"\nuntil = \"2027-01-31\"\n";
        assert!(
            rejected(until).ends_with("a date without quotes, such as 2027-01-31"),
            "{}",
            rejected(until)
        );
    }

    #[test]
    fn a_key_that_has_to_be_there_is_reported() {
        assert!(rejected("[targets.a]\nwrites = true\n").contains("`base_url` is missing"));
        assert!(rejected("[[levels]]\nrule = \"auth\"\nlevel = \"allow\"\n").contains("`reason` is missing"));
    }

    #[test]
    fn the_schema_for_editors_is_checked_in() {
        let text = serde_json::to_string_pretty(&crate::cli::config::file::schema()).unwrap() + "\n";
        crate::testing::with_snapshots(|| insta::assert_binary_snapshot!("config_schema.json", text.into_bytes()));
    }
}
