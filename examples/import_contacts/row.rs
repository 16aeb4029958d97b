//! The lines of the CSV file, read one after the other: [`lines`].

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

use countersign::client::types::{ContactInput, ContactInputContactMethodsItem};
use csv::{ReaderBuilder, StringRecord, Trim};
use serde::Deserialize;

/// One line of the file.
pub(crate) struct Line {
    /// The line on which it begins, from 1; the first line has the column names.
    pub(crate) number: u64,
    /// Distinguishes the line from an earlier text of the same line.
    pub(crate) key: u64,
    pub(crate) contact: Result<ContactInput, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    firstname: Option<String>,
    lastname: Option<String>,
    dob: Option<String>,
    gender: Option<String>,
    nationality: Option<String>,
    country_of_residence: Option<String>,
    venue_id: Option<String>,
    contact_type: Option<String>,
    contact: Option<String>,
}

/// Reads the lines of `file` on demand.
pub(crate) fn lines(file: &str) -> Result<impl Iterator<Item = Line>, Box<dyn Error>> {
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_path(file)?;
    let names = reader.headers()?.clone();
    // An unknown column is reported once, for the line that names it.
    let empty: StringRecord = names.iter().map(|_| "").collect();
    empty
        .deserialize::<Row>(Some(&names))
        .map_err(|error| describe(&error))?;
    let mut places = Places::of(BufReader::new(File::open(file)?));
    let mut ended = false;
    Ok(std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let mut record = StringRecord::new();
        let read = reader.read_record(&mut record);
        // A file that cannot be read further is reported once.
        ended = matches!(&read, Ok(false)) || read.as_ref().is_err_and(csv::Error::is_io_error);
        let start = match &read {
            Ok(_) => record.position(),
            Err(error) => error.position(),
        };
        let number = places.line_at(start.map_or(0, csv::Position::byte));
        line(number, read, &record, &names)
    }))
}

fn line(number: u64, read: csv::Result<bool>, record: &StringRecord, names: &StringRecord) -> Option<Line> {
    let contact = match read {
        Ok(false) => return None,
        Ok(true) => record
            .deserialize(Some(names))
            .map_err(|error| describe(&error))
            .and_then(contact),
        Err(error) => Err(describe(&error)),
    };
    Some(Line {
        number,
        key: key(record),
        contact,
    })
}

/// Finds the lines of a file by their bytes: to `csv`, a line begins before the empty ones above it.
struct Places<Text> {
    text: Text,
    byte: u64,
    line: u64,
}

impl<Text: BufRead> Places<Text> {
    fn of(text: Text) -> Self {
        Self { text, byte: 0, line: 1 }
    }

    /// Returns the line of the first byte, from `start` on, that is not a line end.
    fn line_at(&mut self, start: u64) -> u64 {
        while let Ok(Some(next)) = self.text.fill_buf().map(|bytes| bytes.first().copied()) {
            if self.byte >= start && !matches!(next, b'\r' | b'\n') {
                break;
            }
            self.line += u64::from(next == b'\n');
            self.byte += 1;
            self.text.consume(1);
        }
        self.line
    }
}

fn contact(row: Row) -> Result<ContactInput, String> {
    let contact_methods = match (row.contact_type, row.contact) {
        (None, None) => None,
        (Some(_), None) => return Err("a `contact_type` without a `contact`".to_owned()),
        (kind, contact) => Some(vec![ContactInputContactMethodsItem {
            type_: kind,
            contact,
            status: None,
        }]),
    };
    if row.firstname.is_none() && row.lastname.is_none() && contact_methods.is_none() {
        return Err("no name and no contact".to_owned());
    }
    Ok(ContactInput {
        firstname: row.firstname,
        lastname: row.lastname,
        contact_methods,
        dob: row.dob,
        gender: row.gender,
        nationality: row.nationality,
        country_of_residence: row.country_of_residence,
        venue_id: row.venue_id,
        ..ContactInput::default()
    })
}

/// Describes what is wrong, without the position, which is printed before it.
fn describe(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!("{len} cells instead of {expected_len}"),
        csv::ErrorKind::Utf8 { .. } => "not UTF-8".to_owned(),
        csv::ErrorKind::Deserialize { err, .. } => err.kind().to_string(),
        _ => error.to_string(),
    }
}

/// FNV-1a over the cells: the same in each run and each version.
fn key(record: &StringRecord) -> u64 {
    let bytes = record.iter().flat_map(|cell| cell.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
