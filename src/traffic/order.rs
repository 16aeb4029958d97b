//! Reads several files at once and puts their entries in order of time. The main type is [`InOrder`].
//!
//! # Design
//!
//! Each file is read and parsed by a thread of its own, which waits once it is a few entries ahead. Exporters write
//! entries in the order in which requests began, or nearly so; a window of entries is sorted before the first is taken,
//! so several files, and any file smaller than the window, come out in order however they were written.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::Read;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use chrono::{DateTime, Utc};

use super::entry::{self, Entry, RecordedExchange, RequestLine, Skipped};
use super::source::{self, Stopped};

/// How many entries of a file are parsed ahead.
const AHEAD: usize = 8;
/// How many bytes of entries are held to be sorted.
const WINDOW_BYTES: usize = 32 << 20;

/// A file to read, with its name in messages.
pub struct File {
    /// Its name.
    pub name: String,
    /// Its content, which is read once, from its beginning.
    pub content: Box<dyn Read + Send>,
}

/// What was read of a file.
#[derive(Clone, Debug)]
pub struct FileRead {
    /// Its name.
    pub name: String,
    /// How many entries it has, as far as it was read.
    pub entries: u64,
    /// Why it was not read to its end.
    pub stopped: Option<Stopped>,
}

/// Where an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryLocation {
    /// The index of the file.
    pub file: usize,
    /// The number of the entry in the file, from 1.
    pub entry: u64,
}

/// An entry, and where it is.
#[derive(Debug)]
pub(crate) struct LocatedEntry {
    pub(crate) location: EntryLocation,
    pub(crate) request_line: RequestLine,
    /// What was exchanged, where that can be judged.
    pub(crate) recorded: Option<Box<RecordedExchange>>,
    /// Whether entries that began later came before it.
    pub(crate) is_late: bool,
    /// Its size in the file.
    pub(crate) bytes: usize,
}

/// The entries of several files, in order of time.
pub(super) struct InOrder {
    feeds: Vec<Feed>,
    window: BinaryHeap<Reverse<ByTime>>,
    bytes: usize,
    /// When the latest request that was taken began.
    latest: DateTime<Utc>,
}

/// A file that is being read.
struct Feed {
    name: String,
    entries: Receiver<LocatedEntry>,
    /// The next entry; `None` at the end of the file.
    next: Option<LocatedEntry>,
    reader: JoinHandle<ReaderResult>,
}

/// What the thread that reads a file returns.
struct ReaderResult {
    entries: u64,
    skipped: BTreeMap<Skipped, u64>,
    stopped: Option<Stopped>,
}

impl InOrder {
    /// Starts to read the files.
    pub(super) fn new(files: Vec<File>) -> Self {
        let feeds = files.into_iter().enumerate().map(|(index, file)| {
            let (sender, entries) = sync_channel(AHEAD);
            let reader = std::thread::spawn(move || {
                let (mut count, mut skipped) = (0, BTreeMap::new());
                let stopped = source::read(file.content, &mut |text| {
                    count += 1;
                    let location = EntryLocation {
                        file: index,
                        entry: count,
                    };
                    let mut skip = |why| *skipped.entry(why).or_default() += 1;
                    let read = match entry::read(text.get()) {
                        Entry::Exchange(request_line, recorded) => Some((request_line, Some(recorded))),
                        Entry::Write(why, request_line) => {
                            skip(why);
                            Some((request_line, None))
                        }
                        Entry::Other(why) => {
                            skip(why);
                            None
                        }
                    };
                    if let Some((request_line, recorded)) = read {
                        // Nobody listens any more once judging has ended early.
                        drop(sender.send(LocatedEntry {
                            location,
                            request_line,
                            recorded,
                            is_late: false,
                            bytes: text.get().len(),
                        }));
                    }
                });
                ReaderResult {
                    entries: count,
                    skipped,
                    stopped: stopped.err(),
                }
            });
            Feed {
                name: file.name,
                entries,
                next: None,
                reader,
            }
        });
        let mut feeds: Vec<_> = feeds.collect();
        for feed in &mut feeds {
            feed.next = feed.entries.recv().ok();
        }
        Self {
            feeds,
            window: BinaryHeap::new(),
            bytes: 0,
            latest: DateTime::<Utc>::MIN_UTC,
        }
    }

    /// Returns what was read of each file, and how many entries were skipped by reason, once all entries have been
    /// taken.
    pub(super) fn finish(self) -> (Vec<FileRead>, BTreeMap<Skipped, u64>) {
        let (mut files, mut all) = (Vec::new(), BTreeMap::new());
        for feed in self.feeds {
            drop(feed.entries);
            // A reader should never panic; if it does, its file counts as unreadable.
            let ended = feed.reader.join().unwrap_or_else(|_| ReaderResult {
                entries: 0,
                skipped: BTreeMap::new(),
                stopped: Some(Stopped::Unreadable("the reader failed".to_owned())),
            });
            for (why, count) in ended.skipped {
                *all.entry(why).or_default() += count;
            }
            files.push(FileRead {
                name: feed.name,
                entries: ended.entries,
                stopped: ended.stopped,
            });
        }
        (files, all)
    }

    fn fill(&mut self) {
        while self.bytes < WINDOW_BYTES {
            let started = |feed: &&mut Feed| feed.next.as_ref().map(|next| next.request_line.started);
            let earliest = self
                .feeds
                .iter_mut()
                .filter(|feed| feed.next.is_some())
                .min_by_key(started);
            let Some(feed) = earliest else { return };
            let following = feed.entries.recv().ok();
            if let Some(located) = std::mem::replace(&mut feed.next, following) {
                self.bytes += located.bytes;
                self.window.push(Reverse(ByTime(located)));
            }
        }
    }
}

impl Iterator for InOrder {
    type Item = LocatedEntry;

    fn next(&mut self) -> Option<LocatedEntry> {
        self.fill();
        let Reverse(ByTime(mut located)) = self.window.pop()?;
        self.bytes -= located.bytes;
        located.is_late = located.request_line.started < self.latest;
        self.latest = self.latest.max(located.request_line.started);
        Some(located)
    }
}

/// An entry, ordered by when its request was sent, then by its location.
struct ByTime(LocatedEntry);

impl ByTime {
    fn key(&self) -> (DateTime<Utc>, EntryLocation) {
        (self.0.request_line.started, self.0.location)
    }
}

impl PartialEq for ByTime {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for ByTime {}

impl PartialOrd for ByTime {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ByTime {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A line with an entry that was sent in this second, with a body of so many bytes.
    fn line(second: u32, bytes: usize) -> String {
        let entry = json!({
            "startedDateTime": format!("2026-05-04T09:30:{second:02}Z"),
            "request": {"method": "GET", "url": "https://contacts.example.com/tags", "headers": []},
            "response": {
                "status": 200,
                "headers": [{"name": "Content-Type", "value": "application/json"}],
                "content": {"text": "x".repeat(bytes)},
            },
        });
        format!("{entry}\n")
    }

    /// When each entry was sent, and whether it is late, in the order in which they are taken.
    fn taken(lines: &[String]) -> Vec<(u32, bool)> {
        use chrono::Timelike as _;
        let file = File {
            name: "a.har".to_owned(),
            content: Box::new(std::io::Cursor::new(lines.concat())),
        };
        InOrder::new(vec![file])
            .map(|located| (located.request_line.started.second(), located.is_late))
            .collect()
    }

    #[test]
    fn entries_within_the_window_are_sorted_and_one_beyond_it_is_late() {
        let sorted = taken(&[line(2, 0), line(1, 0), line(3, 0)]);
        assert_eq!(sorted, [(1, false), (2, false), (3, false)]);
        let half = WINDOW_BYTES / 2 + 1;
        let beyond = taken(&[line(2, half), line(3, half), line(1, 0)]);
        assert_eq!(beyond, [(2, false), (1, true), (3, false)]);
    }
}
