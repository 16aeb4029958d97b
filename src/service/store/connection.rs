//! Who may use the database when: [`Store`].
//!
//! # Design
//!
//! SQLite blocks, so every job runs on tokio's blocking threads. Jobs that write take turns before they take a thread,
//! so that waiting writers never use up the threads that readers need. A file is in WAL mode: readers neither wait for
//! the writer nor see half of what it does. In memory there is one connection for all, since a database in memory
//! belongs to its connection.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use thiserror::Error;
use tokio::sync::{Mutex as AsyncMutex, Semaphore};

use super::record::Reference;
use super::schema;
use crate::service::open::OpenError;
use crate::service::store_url::StoreUrl;

/// The store. Clones share it.
#[derive(Clone)]
pub(crate) struct Store {
    writer: Arc<AsyncMutex<Connection>>,
    /// Absent for a store in memory, which is read through the writer.
    readers: Option<Arc<Readers>>,
}

/// Connections that only read, opened when they are first needed.
struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

/// Why the store did not do what it was asked to.
#[derive(Debug, Error)]
pub(crate) enum StoreError {
    /// The job panicked; what it wrote was rolled back.
    #[error("a job on the store panicked")]
    Crashed,
    /// SQLite failed.
    #[error("SQLite failed")]
    Sqlite(#[from] rusqlite::Error),
    /// The contact that the job is about does not exist.
    #[error("the contact does not exist")]
    UnknownContact,
    /// A record that a request names does not exist.
    #[error("the record named in `{}` does not exist", .0.pointer())]
    UnknownReference(Reference),
}

/// How many jobs may read at once: more only wait for the same cores.
const READERS: usize = 8;

impl Store {
    /// Opens the store, making and seeding it when there is none yet.
    pub(crate) fn open(url: &StoreUrl) -> Result<Self, OpenError> {
        let opened = match url {
            StoreUrl::Memory => Connection::open_in_memory().map(|connection| (connection, None)),
            StoreUrl::File(path) => {
                schema::recognise(path)?;
                open_file(path).map(|connection| (connection, Some(Arc::new(Readers::of(path)))))
            }
        };
        let prepared = opened.map_err(StoreError::from).and_then(|(mut connection, readers)| {
            schema::prepare(&mut connection)?;
            Ok(Store {
                writer: Arc::new(AsyncMutex::new(connection)),
                readers,
            })
        });
        prepared.map_err(|error| OpenError::Unavailable {
            store: url.clone(),
            source: error.into(),
        })
    }

    /// Runs a job that reads, in one transaction: it sees the store as it was at one moment.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Some(readers) = self.readers.clone() else {
            return self.write(job).await;
        };
        let permit = readers
            .permits
            .clone()
            .acquire_owned()
            .await
            .map_err(|_| StoreError::Crashed)?;
        blocking(move || {
            let mut connection = readers.take()?;
            let made = job(&connection.transaction()?);
            readers.put_back(connection);
            drop(permit);
            made
        })
        .await
    }

    /// Runs a job that writes, in one transaction: all of it is kept, durably, or nothing.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let mut connection = self.writer.clone().lock_owned().await;
        blocking(move || {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let made = job(&transaction)?;
            transaction.commit()?;
            Ok(made)
        })
        .await
    }
}

impl Readers {
    fn of(path: &Path) -> Self {
        Readers {
            path: path.to_owned(),
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(READERS)),
        }
    }

    fn take(&self) -> rusqlite::Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(connection) => Ok(connection),
            None => Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY),
        }
    }

    fn put_back(&self, connection: Connection) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(connection);
    }
}

async fn blocking<T: Send + 'static>(
    job: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(job)
        .await
        .unwrap_or(Err(StoreError::Crashed))
}

fn open_file(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    // FULL syncs the log on each commit: what was answered as created outlives the machine's power, not only the process.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::super::record::{NewTag, Span};
    use super::*;

    const ALL: Span = Span {
        first: 1,
        last: i64::MAX,
    };

    fn tag(name: &str) -> NewTag {
        NewTag {
            name: name.to_owned(),
            color: String::new(),
        }
    }

    async fn write_and_fail(store: &Store, fail: fn() -> StoreError) -> StoreError {
        let failed = store.write(move |transaction| {
            super::super::tags::insert(transaction, uuid::Uuid::new_v4(), &tag("lost"))?;
            Err::<(), _>(fail())
        });
        failed.await.unwrap_err()
    }

    #[tokio::test]
    async fn a_job_that_fails_or_panics_leaves_nothing_and_the_store_goes_on() {
        let store = Store::open(&StoreUrl::Memory).unwrap();
        let before = store.tags(ALL).await.unwrap();
        let failed = write_and_fail(&store, || StoreError::UnknownContact).await;
        assert!(matches!(failed, StoreError::UnknownContact));
        let crashed = write_and_fail(&store, || panic!("as the test asks")).await;
        assert!(matches!(crashed, StoreError::Crashed));

        let made = store.create_tag(tag("kept")).await.unwrap();
        let after = store.tags(ALL).await.unwrap();
        assert_eq!(after.total, before.total + 1);
        assert_eq!(after.items, [before.items, vec![made]].concat());
    }
}
