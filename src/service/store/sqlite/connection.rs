//! Access to the database: [`Sqlite`].
//!
//! # Design
//!
//! A write waits for the disk, so it goes to the one [`Writer`]. A read runs on the calling thread: a page takes some
//! twenty microseconds, less than it costs to hand it to another thread. A file is in WAL mode: readers neither wait
//! for the writer nor see half of what it does. A database in memory belongs to its connection, so there is one
//! connection for all, and there is no disk to wait for: reads and writes run on the calling thread. So a service in
//! memory waits for no other thread, and works in tests that pause tokio's clock.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction};

use super::schema;
use super::writer::{Writer, run_here};
use crate::service::open_error::OpenError;
use crate::service::store::interface::{StoreError, StoreFuture};
use crate::service::store_url::StoreUrl;

/// A store in an SQLite database.
pub(crate) enum Sqlite {
    /// In a file: one thread writes.
    File {
        /// The one thread that writes.
        writer: Writer,
        /// The connections that read.
        readers: Readers,
    },
    /// In memory: one connection for all.
    Memory(Mutex<Connection>),
}

/// Read-only connections, opened when they are first needed: one for each thread that reads at the same time.
pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    /// The one connection that reads the version: versions of different connections cannot be compared.
    version_connection: Mutex<Option<Connection>>,
}

/// How many queries a connection keeps prepared: more than the service has.
const QUERIES: usize = 64;

/// How many times to retry a file that another service is creating, and how long to wait before each retry.
const BUSY_TRIES: u32 = 100;
const BUSY_WAIT: Duration = Duration::from_millis(50);

impl Sqlite {
    /// Opens the store in a file, creating and seeding it if it does not exist.
    ///
    /// SQLite's own wait does not cover the moment when a new file gets its journal: another service that opens the
    /// file just then gets a busy error at once, and must retry.
    pub(crate) fn file(path: &Path) -> Result<Self, OpenError> {
        let mut tries = 0;
        loop {
            match Self::file_at_once(path) {
                Err(error) if is_busy(&error) && tries < BUSY_TRIES => {
                    tries += 1;
                    std::thread::sleep(BUSY_WAIT);
                }
                opened => return opened,
            }
        }
    }

    fn file_at_once(path: &Path) -> Result<Self, OpenError> {
        schema::recognise(path)?;
        let readers = Readers {
            path: path.to_owned(),
            idle: Mutex::default(),
            version_connection: Mutex::default(),
        };
        let connection = open_file(path).and_then(migrated);
        connection
            .map(|connection| Self::File {
                writer: Writer::start(connection),
                readers,
            })
            .map_err(|error| OpenError::unavailable(&StoreUrl::File(path.to_owned()), error))
    }

    /// Creates a store in memory.
    pub(crate) fn memory() -> Result<Self, OpenError> {
        let connection = Connection::open_in_memory().and_then(migrated);
        connection
            .map(|connection| Self::Memory(Mutex::new(connection)))
            .map_err(|error| OpenError::unavailable(&StoreUrl::Memory, error))
    }

    /// Returns a number that changes with every write to the file; `None` for a store in memory, where reading a page
    /// costs little more.
    pub(super) fn version(&self) -> Option<i64> {
        match self {
            // If something is wrong with the file, the next read reports it.
            Self::File { readers, .. } => readers.version().ok(),
            Self::Memory(_) => None,
        }
    }

    /// Runs a job that reads, in one transaction, so that it sees the store at one moment.
    pub(super) fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        match self {
            Self::File { readers, .. } => async { readers.run(job) }.boxed(),
            Self::Memory(_) => self.write(job),
        }
    }

    /// Runs a job that writes, in a transaction: all of it is kept, as durably as the store keeps anything, or nothing.
    pub(super) fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        match self {
            Self::File { writer, .. } => writer.run(job).boxed(),
            Self::Memory(connection) => async {
                let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                run_here(&mut connection, job)
            }
            .boxed(),
        }
    }
}

impl Readers {
    fn run<T>(&self, job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut connection = self.take()?;
        let made = job(&connection.transaction()?);
        self.put_back(connection);
        made
    }

    /// Returns `PRAGMA data_version`, which goes up whenever another connection, in any process, has committed.
    fn version(&self) -> rusqlite::Result<i64> {
        let mut kept = self.version_connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match kept.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        kept.insert(connection)
            .prepare_cached("PRAGMA data_version")?
            .query_one([], |row| row.get(0))
    }

    fn take(&self) -> rusqlite::Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.connect(), Ok)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        // One thread at a time uses it, so SQLite need not lock it.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
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

/// Returns whether another connection was using the file.
fn is_busy(error: &OpenError) -> bool {
    let beneath = std::error::Error::source(error).and_then(|source| source.downcast_ref::<rusqlite::Error>());
    beneath.is_some_and(|error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy))
}

fn migrated(mut connection: Connection) -> rusqlite::Result<Connection> {
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(QUERIES);
    schema::migrate_and_seed(&mut connection)?;
    Ok(connection)
}

fn open_file(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    // FULL syncs the log on each commit: what was reported as created survives a power failure, not only a crash.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::body::Body;
    use axum::http::{Request, StatusCode};
    use tower::ServiceExt;

    use super::*;
    use crate::service::store::interface::Store;
    use crate::service::store::record::{NewTag, Span};
    use crate::service::{Profile, Service, app};

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

    /// Bounds the file at a number of pages, as a disk of that size would.
    async fn bound(store: &Sqlite, pages: u32) {
        let bounded = store.write(move |transaction| {
            Ok(transaction.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?)
        });
        bounded.await.unwrap();
    }

    async fn create_long_tag(service: &Service) -> StatusCode {
        let sent = format!(r#"{{"name": "{}"}}"#, "x".repeat(1_000));
        let request = Request::post("/organization/v1/tags")
            .header("authorization", "Bearer token")
            .header("content-type", "application/json")
            .body(Body::from(sent))
            .unwrap();
        app(service.clone()).oneshot(request).await.unwrap().status()
    }

    #[tokio::test]
    async fn a_full_disk_is_answered_with_500_and_what_was_acknowledged_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Sqlite::file(&folder.path().join("contacts.db")).unwrap());
        let service = Service::over(store.clone(), "token".to_owned().into(), Profile::default());
        let before = store.tags(ALL).await.unwrap().total;

        bound(&store, 50).await;
        let mut created = 0;
        while create_long_tag(&service).await == StatusCode::CREATED {
            created += 1;
        }
        assert!(created > 0);
        assert_eq!(create_long_tag(&service).await, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(store.tags(ALL).await.unwrap().total, before + created);

        bound(&store, u32::from(u16::MAX)).await;
        assert_eq!(create_long_tag(&service).await, StatusCode::CREATED);
        let tags = store.tags(ALL).await.unwrap();
        assert_eq!(tags.total, before + created + 1);
        assert_eq!(i64::try_from(tags.items.len()).unwrap(), tags.total);
    }

    #[tokio::test]
    async fn readers_see_the_store_before_or_after_a_write_and_never_between() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::file(&folder.path().join("contacts.db")).unwrap();
        let before = store.tags(ALL).await.unwrap().total;
        let (created, ()) = tokio::join!(store.create_tag(tag("fresh")), async {
            for _ in 0..20 {
                let tags = store.tags(ALL).await.unwrap();
                assert_eq!(i64::try_from(tags.items.len()).unwrap(), tags.total);
            }
        });
        created.unwrap();
        assert_eq!(store.tags(ALL).await.unwrap().total, before + 1);
    }
}
