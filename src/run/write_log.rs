//! The account of writes that outlives the run: the intent of each before it is sent, its outcome after it. The run
//! reads and writes no file; who wants the account kept hands it a [`WriteLog`].

use std::fmt::Debug;
use std::io;

use serde::Serialize;

/// Keeps the account.
pub trait WriteLog: Debug {
    /// Keeps one entry. When this returns, the entry is to survive the end of the process.
    ///
    /// # Errors
    ///
    /// Why it was not kept. Then nothing more is written to the target.
    fn keep(&self, entry: &WriteEntry) -> io::Result<()>;
}

/// One entry of the account. It holds no value of the target but the identifier that the residue shows too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WriteEntry {
    /// The request's number in the run, from 1.
    pub request: u64,
    /// The operation.
    pub operation: String,
    /// What is known of it.
    #[serde(flatten)]
    pub state: WriteState,
}

/// What is known of a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum WriteState {
    /// It is about to be sent.
    Intended,
    /// It was answered.
    Answered {
        /// The status.
        status: u16,
        /// The identifier of what it created, when the response showed one.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    /// It was never sent: no connection came about.
    NotSent,
    /// No complete response came, so nobody knows what it left.
    Unanswered,
}
