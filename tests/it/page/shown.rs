//! Pages to open: from real runs against the reference service, and from records that are larger or worse than any run.
//! The main type is [`Page`].

use std::process::Command;
use std::sync::LazyLock;

use countersign::report::{FactRow, Record, VerdictRecord, html};
use tempfile::TempDir;

use super::browser::{Browser, Looked};

/// The faults of the page that most tests open: who has to fix what differs in each of them.
pub(super) const FAULTS: [&str; 4] = [
    "getVenues/data/items/each/country:dropped",
    "createContact/data/date_of_birth/day:retyped",
    "getContacts/data/items/each/age:null",
    "getTags:fails-on-page-word",
];

/// A page in a folder of its own, opened in a browser of its own.
pub(super) struct Page {
    pub(super) browser: Browser,
    pub(super) record: Record,
    pub(super) url: String,
    _folder: TempDir,
}

impl Page {
    /// The page of a record.
    pub(super) fn of(record: Record, looked: Looked) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.html");
        std::fs::write(&file, html(&record)).unwrap();
        let (browser, url) = (Browser::start(looked), format!("file://{}", file.display()));
        browser.open(&url);
        Self {
            browser,
            record,
            url,
            _folder: folder,
        }
    }

    /// The page of a run with [`FAULTS`].
    pub(super) fn usual() -> Self {
        Self::of(usual(), Looked::default())
    }

    /// How many parts of a sort are shown.
    pub(super) fn shown(&self, selector: &str) -> u64 {
        self.browser
            .number(&format!("document.querySelectorAll('{selector}:not([hidden])').length"))
    }

    /// Opens the page anew at a part of it.
    pub(super) fn at(&self, part: &str) {
        self.browser.open("about:blank");
        self.browser.open(&format!("{}#{part}", self.url));
    }
}

/// The record of a run with [`FAULTS`].
pub(super) fn usual() -> Record {
    static RECORD: LazyLock<Record> = LazyLock::new(|| run(&FAULTS, &[]));
    RECORD.clone()
}

/// The record of a run against the embedded service.
pub(super) fn run(faults: &[&str], arguments: &[&str]) -> Record {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(["check", "--seed", "1", "--report", "json=report.json"]);
    command
        .args(faults.iter().flat_map(|fault| ["--fault", fault]))
        .args(arguments);
    let ended = command.env_clear().current_dir(folder.path()).output().unwrap();
    let text = std::fs::read(folder.path().join("report.json"));
    serde_json::from_slice(&text.unwrap_or_else(|_| panic!("{ended:?}"))).unwrap()
}

/// The record of the usual run with so many facts, in operations of some 150.
pub(super) fn large(facts: usize) -> Record {
    let mut record = usual();
    let rows = std::mem::take(&mut record.facts.rows);
    let turns = rows.iter().cycle().enumerate().take(facts);
    record.facts.rows = turns
        .map(|(index, row)| {
            let turn = index / rows.len();
            let name = if turn == 0 { String::new() } else { turn.to_string() };
            let operation = format!("{}{name}", row.operation);
            FactRow {
                fact: row.fact.replacen(row.operation.as_str(), &operation, 1).into(),
                operation: operation.into(),
                ..row.clone()
            }
        })
        .collect();
    let count = |verdict| record.facts.rows.iter().filter(|row| row.verdict == verdict).count();
    (record.facts.held, record.facts.broken) = (count(VerdictRecord::Held), count(VerdictRecord::Broken));
    (record.facts.undecided, record.facts.total) = (count(VerdictRecord::Undecided), facts);
    record
}
