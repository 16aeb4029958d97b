//! The tables, created once, and the mark by which the service recognises a database as its own.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::{contacts, tags, venues, visits};
use crate::service::open_error::OpenError;
use crate::service::store::seed;
use crate::service::store_url::StoreUrl;

/// The migrations, each from one format to the next; the first creates the tables. The `PRAGMA user_version` of a file
/// holds the number of the last one applied.
const MIGRATIONS: &[&str] = &[include_str!("schema.sql")];

/// The mark of this program in `PRAGMA application_id`: the letters `csgn`.
const APPLICATION: i64 = 0x6373_676e;

/// Rejects a file that another program or a newer version wrote.
///
/// The file is only read, before anything else happens to it: another program's file is not changed. If it is in WAL
/// mode, SQLite may create the files `-wal` and `-shm` beside it to read it.
pub(super) fn recognise(path: &Path) -> Result<(), OpenError> {
    if !path.exists() {
        return Ok(());
    }
    if path.is_dir() {
        return Err(OpenError::Folder { path: path.to_owned() });
    }
    // One transaction, so that all three numbers are those of one moment: another service may be creating the store.
    let read = |mut file: Connection| FileFormat::read(&*file.transaction()?);
    let found = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(read);
    let store = StoreUrl::File(path.to_owned());
    let known = format_of(MIGRATIONS);
    match found {
        Ok(FileFormat { objects: 0, .. }) => Ok(()),
        Ok(FileFormat { application, .. }) if application != APPLICATION => Err(OpenError::ForeignStore { store }),
        Ok(FileFormat { format: found, .. }) if found > known => Err(OpenError::NewerStore { store, found, known }),
        Ok(_) => Ok(()),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(OpenError::NotADatabase { path: path.to_owned() })
        }
        Err(error) => Err(OpenError::unavailable(&store, error)),
    }
}

/// Brings the database to the latest format, and gives a new one its seed data, all or nothing.
pub(super) fn migrate_and_seed(connection: &mut Connection) -> rusqlite::Result<()> {
    migrate(connection, MIGRATIONS, insert_seed)
}

/// Runs the migrations that the database has not had, then `insert_seed` if it was empty.
fn migrate(
    connection: &mut Connection,
    migrations: &[&str],
    insert_seed: fn(&Transaction<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    // Another process may be creating the same store: only one of the two finds no tables.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let FileFormat { objects, format, .. } = FileFormat::read(&transaction)?;
    let done = if objects == 0 {
        0
    } else {
        usize::try_from(format).unwrap_or_default()
    };
    for migration in migrations.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    if done < migrations.len() {
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", format_of(migrations))?;
    }
    if objects == 0 {
        insert_seed(&transaction)?;
    }
    transaction.commit()
}

fn format_of(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

fn insert_seed(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    seed::tags().try_for_each(|(id, tag)| tags::insert(transaction, id, &tag))?;
    seed::venues().try_for_each(|venue| venues::insert(transaction, &venue))?;
    seed::contacts().try_for_each(|contact| contacts::insert(transaction, &contact).map(drop))?;
    seed::visits().try_for_each(|(contact, visit)| visits::insert(transaction, contact, visit).map(drop))
}

/// The numbers that tell which program wrote a database, and in which format.
struct FileFormat {
    application: i64,
    format: i64,
    /// How many tables, indexes and other objects it has.
    objects: i64,
}

impl FileFormat {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let number = |query| connection.query_row(query, [], |row| row.get(0));
        Ok(FileFormat {
            application: number("PRAGMA application_id")?,
            format: number("PRAGMA user_version")?,
            objects: number("SELECT count(*) FROM sqlite_schema")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "CREATE TABLE note (text TEXT NOT NULL) STRICT";
    const SECOND: &str = "ALTER TABLE note ADD COLUMN colour TEXT NOT NULL DEFAULT 'none'";

    fn insert_seed(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        transaction.execute("INSERT INTO note (text) VALUES ('seed')", [])?;
        Ok(())
    }

    fn notes(connection: &Connection) -> i64 {
        connection
            .query_row("SELECT count(*) FROM note", [], |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn a_migration_runs_once_and_keeps_what_is_there() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &[FIRST], insert_seed).unwrap();
        for _ in 0..2 {
            migrate(&mut connection, &[FIRST, SECOND], insert_seed).unwrap();
            assert_eq!(FileFormat::read(&connection).unwrap().format, 2);
            assert_eq!(notes(&connection), 1);
        }
        assert!(connection.prepare("SELECT colour FROM note").is_ok());
    }

    #[test]
    fn a_migration_that_fails_leaves_the_store_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &[FIRST], insert_seed).unwrap();
        assert!(migrate(&mut connection, &[FIRST, SECOND, "CREATE NONSENSE"], insert_seed).is_err());
        assert_eq!(FileFormat::read(&connection).unwrap().format, 1);
        assert!(connection.prepare("SELECT colour FROM note").is_err());
    }
}
