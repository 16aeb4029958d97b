//! A log of writes that outlives the run: an entry before each write is sent, and one with its outcome afterwards. The
//! run itself touches no file; a caller that wants the log supplies a [`WriteLog`].

use std::fmt::Debug;
use std::io;

use serde::Serialize;

/// Keeps the log of writes.
pub trait WriteLog: Debug {
    /// Keeps one entry. When this returns, the entry must survive the end of the process.
    ///
    /// # Errors
    ///
    /// The reason why it was not kept. Then nothing more is written to the target.
    fn keep(&self, entry: &WriteEntry) -> io::Result<()>;
}

/// One entry of the log. It contains no value of the target except the identifier, as the target returned it: a log
/// that others read must hide it as the residue does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WriteEntry {
    /// The request's number in the run, from 1.
    pub request: u64,
    /// The operation.
    pub operation: String,
    /// What is known about the write.
    #[serde(flatten)]
    pub state: WriteState,
}

/// What is known about a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum WriteState {
    /// It is about to be sent.
    Intended,
    /// It was answered.
    Answered {
        /// The status.
        status: u16,
        /// The identifier of what it created, where the response showed it or the run chose it.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    /// It was never sent, because no connection could be made.
    NotSent,
    /// No complete response came, so it is unknown what it left.
    Unanswered,
}
