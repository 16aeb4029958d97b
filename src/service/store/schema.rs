//! What is in the database: its tables, made once, and the mark by which the service knows a database as its own.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::connection::StoreError;
use super::seed;
use crate::service::open::OpenError;
use crate::service::store_url::StoreUrl;

/// The format that this version writes, in `PRAGMA user_version`.
const FORMAT: i64 = 1;

/// The mark of this program in `PRAGMA application_id`: the letters `csgn`.
const APPLICATION: i64 = 0x6373_676e;

/// Refuses a file that another program or a newer version wrote.
///
/// It is only read, before anything else is done with it: what is not ours is not touched, not even its journal.
pub(super) fn recognise(path: &Path) -> Result<(), OpenError> {
    if !path.exists() {
        return Ok(());
    }
    let found = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|file| Marks::read(&file));
    let path = path.to_owned();
    match found {
        Ok(Marks { tables: 0, .. }) => Ok(()),
        Ok(Marks { application, .. }) if application != APPLICATION => Err(OpenError::ForeignStore { path }),
        Ok(Marks { format, .. }) if format > FORMAT => Err(OpenError::NewerStore {
            path,
            found: format,
            known: FORMAT,
        }),
        Ok(_) => Ok(()),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(OpenError::NotADatabase { path })
        }
        Err(error) => Err(OpenError::Unavailable {
            store: StoreUrl::File(path),
            source: error.into(),
        }),
    }
}

/// Makes the tables and the seed data in a database that has none, all or nothing.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "foreign_keys", true)?;
    // The cache holds every query of the service, so that none is prepared twice.
    connection.set_prepared_statement_cache_capacity(64);
    // Another process may be making the same store: only one of the two finds no tables.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if Marks::read(&transaction)?.tables == 0 {
        transaction.execute_batch(include_str!("schema.sql"))?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        seed::sow(&transaction)?;
    }
    Ok(transaction.commit()?)
}

/// What tells one database from another.
struct Marks {
    application: i64,
    format: i64,
    tables: i64,
}

impl Marks {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let number = |query| connection.query_row(query, [], |row| row.get(0));
        Ok(Marks {
            application: number("PRAGMA application_id")?,
            format: number("PRAGMA user_version")?,
            tables: number("SELECT count(*) FROM sqlite_schema")?,
        })
    }
}
