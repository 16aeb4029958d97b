//! Reads files of recorded traffic, one entry at a time: an HTTP archive, or lines that are each an entry of one. The
//! main function is [`read`].

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufReader, Cursor, Read};
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// The largest entry, in bytes. A body that is judged has at most 8 MiB, and JSON escapes rarely more than triple it.
pub(super) const MAX_ENTRY_BYTES: u64 = 32 << 20;
/// How much of a file is looked at to tell its format.
const PEEKED_BYTES: usize = 4 << 10;

/// Why a file was not read to its end. Its entries before that place were read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// It ends within an entry, or before the archive does.
    #[error("it is truncated at line {line}")]
    Cut {
        /// The line, from 1.
        line: usize,
    },
    /// It is not an archive.
    #[error("line {line}, column {column}: this is not {expected}")]
    Format {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What belongs there.
        expected: &'static str,
    },
    /// It is of another format.
    #[error("it is {0}")]
    OtherFormat(&'static str),
    /// An entry is too large.
    #[error("an entry is larger than {} MiB", MAX_ENTRY_BYTES >> 20)]
    TooLarge,
    /// The operating system does not let it be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

/// Reads a file and gives each entry to `take`, in the order of the file.
///
/// # Errors
///
/// Why it was not read to its end.
pub(super) fn read(mut file: impl Read, take: &mut dyn FnMut(Box<RawValue>)) -> Result<(), Stopped> {
    let mut start = Vec::with_capacity(PEEKED_BYTES);
    // A pipe may give a few bytes at a time.
    let peeked = file.by_ref().take(PEEKED_BYTES as u64).read_to_end(&mut start);
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    let (is_archive, before_text) = (is_archive(text), start.len() - text.len());
    if let Some((_, format)) = OTHER_FORMATS.iter().find(|(bytes, _)| start.starts_with(bytes)) {
        return Err(Stopped::OtherFormat(format));
    }
    let budget = Rc::new(Cell::new(MAX_ENTRY_BYTES));
    let bounded = Bounded {
        start: Cursor::new(start.split_off(before_text)),
        failure: peeked.err(),
        rest: file,
        left: Rc::clone(&budget),
    };
    let file = BufReader::with_capacity(1 << 18, bounded);
    let mut give = |entry: Box<RawValue>| {
        budget.set(MAX_ENTRY_BYTES);
        take(entry);
    };
    if is_archive {
        let mut deserializer = Deserializer::from_reader(file);
        let read = deserializer.deserialize_map(OneMember {
            take: &mut give,
            key: "log",
        });
        let ended = read.and_then(|()| deserializer.end());
        ended.map_err(|error| stopped(&error, "an HTTP archive (HAR 1.2), or the end of one"))
    } else {
        let lines = Deserializer::from_reader(file).into_iter::<Box<RawValue>>();
        for line in lines {
            give(line.map_err(|error| stopped(&error, "an entry of an HTTP archive (HAR 1.2)"))?);
        }
        Ok(())
    }
}

/// Whether a file begins as an archive does: with an object that has a member `log`.
fn is_archive(start: &[u8]) -> bool {
    let mut is_archive = false;
    // The start may be cut off within the object.
    drop(Deserializer::from_slice(start).deserialize_map(FindLog(&mut is_archive)));
    is_archive
}

/// Visits an object, and notes whether it has a member `log`.
struct FindLog<'found>(&'found mut bool);

impl<'de> Visitor<'de> for FindLog<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            *self.0 |= name == "log";
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// The beginnings of files that contain no text, or text in another encoding, and what to do about them.
const OTHER_FORMATS: [(&[u8], &str); 4] = [
    (
        b"\x1f\x8b",
        "gzip: decompress it first (`gunzip -c FILE | countersign judge -`)",
    ),
    (b"PK\x03\x04", "a ZIP archive: unpack it, and give the .har file in it"),
    (b"\xff\xfe", "UTF-16: save it as UTF-8"),
    (b"\xfe\xff", "UTF-16: save it as UTF-8"),
];

fn stopped(error: &serde_json::Error, expected: &'static str) -> Stopped {
    let (line, column) = (error.line().max(1), error.column().max(1));
    match error.classify() {
        serde_json::error::Category::Eof => Stopped::Cut { line },
        serde_json::error::Category::Io if error.io_error_kind() == Some(io::ErrorKind::FileTooLarge) => {
            Stopped::TooLarge
        }
        serde_json::error::Category::Io => Stopped::Unreadable(error.to_string()),
        serde_json::error::Category::Syntax | serde_json::error::Category::Data => {
            Stopped::Format { line, column, expected }
        }
    }
}

/// Reads on after the start, and fails once more than [`MAX_ENTRY_BYTES`] are read for one entry.
struct Bounded<R> {
    start: Cursor<Vec<u8>>,
    /// Why the start could not be read completely.
    failure: Option<io::Error>,
    rest: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut read = self.start.read(buffer)?;
        if read == 0 {
            self.failure.take().map_or(Ok(()), Err)?;
            read = self.rest.read(buffer)?;
        }
        let left = self.left.get().checked_sub(u64::try_from(read).unwrap_or(u64::MAX));
        self.left.set(left.ok_or(io::ErrorKind::FileTooLarge)?);
        Ok(read)
    }
}

/// Visits an object of which one member is read: the archive, or its `log`.
struct OneMember<'take> {
    take: &'take mut dyn FnMut(Box<RawValue>),
    key: &'static str,
}

impl<'de> Visitor<'de> for OneMember<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an object with the member `{}`", self.key)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut found = false;
        while let Some(name) = members.next_key::<String>()? {
            match (name.as_str(), self.key) {
                ("log", "log") => members.next_value_seed(Log { take: &mut *self.take })?,
                ("entries", "entries") => members.next_value_seed(Entries { take: &mut *self.take })?,
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
            found |= name == self.key;
        }
        if found {
            Ok(())
        } else {
            Err(A::Error::custom(format!("no `{}`", self.key)))
        }
    }
}

/// The `log` of an archive.
struct Log<'take> {
    take: &'take mut dyn FnMut(Box<RawValue>),
}

impl<'de> DeserializeSeed<'de> for Log<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(OneMember {
            take: self.take,
            key: "entries",
        })
    }
}

/// The entries of an archive.
struct Entries<'take> {
    take: &'take mut dyn FnMut(Box<RawValue>),
}

impl<'de> DeserializeSeed<'de> for Entries<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(entry) = entries.next_element::<Box<RawValue>>()? {
            (self.take)(entry);
        }
        Ok(())
    }
}
