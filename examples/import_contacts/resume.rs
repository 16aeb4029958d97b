//! The resume file: a line before each request and one after it, appended. The main type is [`Resume`].

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};

/// What is known about a line of the CSV file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Imported,
    /// It was not carried out and may be sent again.
    Rejected,
    /// It was sent; the response is not known.
    Sent,
}

pub(crate) struct Resume {
    file: RefCell<File>,
    before: BTreeMap<u64, (u64, Outcome)>,
    closed: Cell<bool>,
}

impl Resume {
    /// Opens or creates the file, and locks it against any other run.
    pub(crate) fn open(path: &str) -> Result<Self, Box<dyn Error>> {
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        file.try_lock().map_err(|_| "another import has it open")?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        // A run that was killed may have left half a line. Its request was never sent, or its response is not known.
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        file.set_len(u64::try_from(whole)?)?;
        let mut before = BTreeMap::new();
        for (at, line) in text[..whole].lines().enumerate() {
            let (number, state) =
                read(line).ok_or_else(|| format!("line {} is not a line of a resume file", at + 1))?;
            before.insert(number, state);
        }
        Ok(Self {
            file: RefCell::new(file),
            before,
            closed: Cell::new(false),
        })
    }

    /// Returns the outcome of a line in earlier runs.
    pub(crate) fn outcome(&self, number: u64, key: u64) -> Result<Option<Outcome>, String> {
        match self.before.get(&number) {
            Some((known, outcome)) if *known == key || *outcome == Outcome::Rejected => Ok(Some(*outcome)),
            Some(_) => Err(
                "this line had another text when it was imported; use a new resume file for a changed \
                     file"
                    .to_owned(),
            ),
            None => Ok(None),
        }
    }

    /// Appends what is known about a line and waits until it is on disk.
    pub(crate) fn write(&self, number: u64, key: u64, outcome: Outcome) -> io::Result<()> {
        let word = match outcome {
            Outcome::Imported => "imported",
            Outcome::Rejected => "rejected",
            Outcome::Sent => "sent",
        };
        let mut file = self.file.borrow_mut();
        file.write_all(format!("{number} {key:016x} {word}\n").as_bytes())?;
        file.sync_data()
    }

    /// Returns what to do about a line whose response is not known.
    pub(crate) fn unknown() -> String {
        "it was sent and its response is not known: look for the contact, then write `imported` or `rejected` for `sent` in \
         the resume file"
            .to_owned()
    }

    /// Stops any further line from being sent.
    pub(crate) fn close(&self) {
        self.closed.set(true);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.get()
    }
}

fn read(line: &str) -> Option<(u64, (u64, Outcome))> {
    let mut words = line.split(' ');
    let (number, key) = (
        words.next()?.parse().ok()?,
        u64::from_str_radix(words.next()?, 16).ok()?,
    );
    let outcome = match words.next()? {
        "imported" => Outcome::Imported,
        "rejected" => Outcome::Rejected,
        "sent" => Outcome::Sent,
        _ => return None,
    };
    words.next().is_none().then_some((number, (key, outcome)))
}
