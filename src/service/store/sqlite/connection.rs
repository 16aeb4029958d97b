//! Who may use the database when: [`Sqlite`].
//!
//! # Design
//!
//! SQLite blocks, so no job runs on a task's own thread: what writes goes to the one [`Writer`], what reads to tokio's
//! blocking threads. A file is in WAL mode: readers neither wait for the writer nor see half of what it does. In memory
//! there is one connection for all, since a database in memory belongs to its connection.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use rusqlite::{Connection, OpenFlags, Transaction};
use tokio::sync::Semaphore;

use super::schema;
use super::writer::Writer;
use crate::service::open::OpenError;
use crate::service::store::interface::{Answer, StoreError};
use crate::service::store_url::StoreUrl;

/// A store in an SQLite database.
pub(crate) struct Sqlite {
    writer: Writer,
    /// Absent for a store in memory, which is read through the writer.
    readers: Option<Arc<Readers>>,
}

/// Connections that only read, opened when they are first needed.
struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

/// How many jobs may read at once: more only wait for the same cores.
const READERS: usize = 8;

/// How many queries a connection keeps prepared: more than the service has.
const QUERIES: usize = 64;

impl Sqlite {
    /// Opens the store in a file, making and seeding it when there is none yet.
    pub(crate) fn file(path: &Path) -> Result<Self, OpenError> {
        schema::recognise(path)?;
        let readers = Readers {
            path: path.to_owned(),
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(READERS)),
        };
        prepared(open_file(path), Some(Arc::new(readers)))
            .map_err(|error| OpenError::unavailable(&StoreUrl::File(path.to_owned()), error))
    }

    /// Makes a store in memory.
    pub(crate) fn memory() -> Result<Self, OpenError> {
        prepared(Connection::open_in_memory(), None).map_err(|error| OpenError::unavailable(&StoreUrl::Memory, error))
    }

    /// Runs a job that reads, in one transaction: it sees the store as it was at one moment.
    pub(super) fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Answer<'_, T> {
        match self.readers.clone() {
            None => self.write(job),
            Some(readers) => readers.run(job).boxed(),
        }
    }

    /// Runs a job that writes, in a transaction: all of it is kept, durably, or nothing.
    pub(super) fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Answer<'_, T> {
        self.writer.run(job).boxed()
    }
}

impl Readers {
    async fn run<T: Send + 'static>(
        self: Arc<Self>,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = self.permits.clone().acquire_owned().await;
        let permit = permit.map_err(|_| StoreError::Crashed)?;
        let done = tokio::task::spawn_blocking(move || {
            let mut connection = self.take()?;
            let made = job(&connection.transaction()?);
            self.put_back(connection);
            drop(permit);
            made
        });
        done.await.unwrap_or(Err(StoreError::Crashed))
    }

    fn take(&self) -> rusqlite::Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.connect(), Ok)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.set_prepared_statement_cache_capacity(QUERIES);
        Ok(connection)
    }

    fn put_back(&self, connection: Connection) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(connection);
    }
}

fn prepared(opened: rusqlite::Result<Connection>, readers: Option<Arc<Readers>>) -> rusqlite::Result<Sqlite> {
    let mut connection = opened?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(QUERIES);
    schema::prepare(&mut connection)?;
    Ok(Sqlite {
        writer: Writer::start(connection),
        readers,
    })
}

fn open_file(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    // FULL syncs the log on each commit: what was answered as created outlives the machine's power, not only the process.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}
