//! Creates and migrates the tables, and explains why a database cannot be used: [`prepare`].

use std::error::Error;
use std::time::Duration;

use deadpool_postgres::{PoolError, TimeoutType};
use serde_json::json;
use tokio_postgres::Transaction;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{Json, Type};

use super::contacts::Numbered;
use super::database::{Database, lost_to_another, pause};
use super::{contacts, tags, venues, visits};
use crate::service::open_error::OpenError;
use crate::service::store::seed;
use crate::service::store_url::StoreUrl;

/// The migrations, each from one format to the next; the first creates the schema. The table `countersign.format` holds
/// the number of the last one applied.
const MIGRATIONS: &[&str] = &[include_str!("schema.sql")];

#[expect(clippy::cast_possible_wrap, reason = "there are not 2^63 migrations")]
const FORMAT: i64 = MIGRATIONS.len() as i64;

/// The maximum number of attempts to open the store while other replicas create it.
const MAX_OPEN_ATTEMPTS: u32 = 20;

/// How long a replica waits for the server to respond and to create the schema.
const TIMEOUT: Duration = Duration::from_secs(60);

type Boxed = Box<dyn Error + Send + Sync>;

/// Brings the database to the latest format, and gives a new one its seed data, all or nothing.
///
/// Replicas that start together all try: one of them creates the schema, and the others find it there.
pub(super) async fn prepare(database: &Database, store: &StoreUrl) -> Result<(), OpenError> {
    let mut tried = 1;
    loop {
        let attempted = tokio::time::timeout(TIMEOUT, attempt(database, store)).await;
        match attempted.unwrap_or_else(|_| Err(Failed::Final(no_response(store)))) {
            Err(Failed::Raced) if tried < MAX_OPEN_ATTEMPTS => {
                tokio::time::sleep(pause(tried)).await;
                tried += 1;
            }
            Err(Failed::Raced) => {
                return Err(OpenError::unavailable(
                    store,
                    "other replicas never stopped changing it",
                ));
            }
            Err(Failed::Final(error)) => return Err(error),
            Ok(()) => return Ok(()),
        }
    }
}

/// Why the store could not be prepared.
enum Failed {
    /// Another replica was doing the same.
    Raced,
    /// Another attempt would fail too.
    Final(OpenError),
}

async fn attempt(database: &Database, store: &StoreUrl) -> Result<(), Failed> {
    let mut client = database
        .pool
        .get()
        .await
        .map_err(|error| Failed::Final(unreachable(store, error)))?;
    let failed = |error| rejected(store, error);
    let done = match recognise(&client).await.map_err(failed)? {
        Format::None => 0,
        Format::Foreign => return Err(Failed::Final(OpenError::ForeignStore { store: store.clone() })),
        Format::Known(FORMAT) => return Ok(()),
        Format::Known(found) if found > FORMAT => {
            return Err(Failed::Final(OpenError::NewerStore {
                store: store.clone(),
                found,
                known: FORMAT,
            }));
        }
        Format::Known(found) => usize::try_from(found).unwrap_or_default(),
    };
    let transaction = client.transaction().await.map_err(failed)?;
    migrate(&transaction, done).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

/// What the database holds.
enum Format {
    None,
    Foreign,
    Known(i64),
}

async fn recognise(client: &tokio_postgres::Client) -> Result<Format, tokio_postgres::Error> {
    let tables = "SELECT count(*), count(*) FILTER (WHERE table_name = 'format')
        FROM information_schema.tables WHERE table_schema = 'countersign'";
    let row = client.query_typed_one(tables, &[]).await?;
    let (tables, formats): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    if formats == 0 {
        return Ok(if tables == 0 { Format::None } else { Format::Foreign });
    }
    let format = "SELECT max(number) FROM countersign.format";
    let number: Option<i64> = client.query_typed_one(format, &[]).await?.try_get(0)?;
    Ok(number.map_or(Format::Foreign, Format::Known))
}

async fn migrate(transaction: &Transaction<'_>, done: usize) -> Result<(), tokio_postgres::Error> {
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.batch_execute(migration).await?;
    }
    // Of two replicas that migrate at once, the second fails here if not before.
    let mark = "INSERT INTO countersign.format (number) VALUES ($1)";
    transaction.execute_typed(mark, &[(&FORMAT, Type::INT8)]).await?;
    if done == 0 {
        insert_seed(transaction).await?;
    }
    Ok(())
}

async fn insert_seed(transaction: &Transaction<'_>) -> Result<(), tokio_postgres::Error> {
    let tags = (1..).zip(seed::tags()).map(|(nth, (id, tag))| tags::row(nth, id, &tag));
    let venues = (1..).zip(seed::venues()).map(|(nth, venue)| {
        let mut row = json!(venue);
        row["nth"] = json!(nth);
        row
    });
    let contacts = (1..)
        .zip(seed::contacts())
        .map(|(nth, row)| json!(Numbered { nth, row }));
    let visits = (1..)
        .zip(seed::visits())
        .map(|(nth, (contact, visit))| json!({"nth": nth, "contact": contact, "venue": visit.venue, "at": visit.at}));
    insert(transaction, tags::INSERT, tags.collect()).await?;
    insert(transaction, venues::INSERT, venues.collect()).await?;
    let rows = Json(contacts.collect::<Vec<_>>());
    let any_total: Option<i64> = None;
    transaction
        .execute_typed(contacts::INSERT, &[(&rows, Type::JSONB), (&any_total, Type::INT8)])
        .await?;
    insert(transaction, visits::INSERT, visits.collect()).await
}

async fn insert(
    transaction: &Transaction<'_>,
    statement: &str,
    rows: Vec<serde_json::Value>,
) -> Result<(), tokio_postgres::Error> {
    transaction
        .execute_typed(statement, &[(&Json(rows), Type::JSONB)])
        .await?;
    Ok(())
}

/// Explains why there is no connection.
fn unreachable(store: &StoreUrl, error: PoolError) -> OpenError {
    match error {
        PoolError::Backend(error) => explain(store, error),
        PoolError::Timeout(TimeoutType::Create) => no_response(store),
        other => OpenError::unavailable(store, other),
    }
}

/// Reports that the server accepts connections but does not respond.
fn no_response(store: &StoreUrl) -> OpenError {
    OpenError::Rejected {
        store: store.clone(),
        check: CHECK_SERVER,
        source: "no response in time".into(),
    }
}

fn rejected(store: &StoreUrl, error: tokio_postgres::Error) -> Failed {
    let made_by_another = [SqlState::DUPLICATE_TABLE, SqlState::UNIQUE_VIOLATION];
    if lost_to_another(&error) || error.code().is_some_and(|code| made_by_another.contains(code)) {
        return Failed::Raced;
    }
    Failed::Final(explain(store, error))
}

const CHECK_SERVER: &str = "check that PostgreSQL runs there, and the host and port of the address";

const TLS: &str = "check that the server has ssl on, and a certificate for the host of the address; sslrootcert=FILE names the \
                   authority that signed it, and sslmode=require accepts any certificate";

/// Returns whether the TLS handshake failed. The library marks that only by this text.
fn is_tls(error: &tokio_postgres::Error) -> bool {
    error.to_string().starts_with("error performing TLS handshake")
}

/// Says what to check and what the server reported, without the library's text around it.
fn explain(store: &StoreUrl, error: tokio_postgres::Error) -> OpenError {
    let code = error.code().cloned();
    let check = match &code {
        Some(code) if *code == SqlState::INVALID_PASSWORD => "check the user and the password of the address",
        Some(code) if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            "check the user of the address, and that pg_hba.conf lets it in from here"
        }
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => "check the database of the address, or create it",
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
            "let the user create in the database: GRANT CREATE ON DATABASE … TO …; if there is a schema `countersign` \
             already, the user must own it"
        }
        Some(code) if *code == SqlState::TOO_MANY_CONNECTIONS => "raise max_connections, or run fewer replicas",
        Some(_) => return OpenError::unavailable(store, source(error)),
        None if is_tls(&error) => TLS,
        // Without a message from the server: nothing listens, the name is unknown, or the password is missing.
        None => CHECK_SERVER,
    };
    OpenError::Rejected {
        store: store.clone(),
        check,
        source: source(error),
    }
}

fn source(error: tokio_postgres::Error) -> Boxed {
    let text = error.to_string();
    error.into_source().unwrap_or_else(|| text.into())
}
