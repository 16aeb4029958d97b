//! How statements are run: [`Database`], a pool of connections that repeats what lost against another transaction.

use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{NoTls, Row};

use super::tls::Tls;
use crate::service::store::interface::StoreError;
use crate::service::store::record::{Slice, Span};
use crate::service::store_url::PostgresAddress;

/// How many connections a replica holds at most: PostgreSQL gives out 100 unless it is told otherwise.
const CONNECTIONS: usize = 16;

/// How long a statement may take, with waiting for a connection and with being run again.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a statement that lost against another is run in all.
const TRIES: u32 = 20;

/// A parameter of a statement, with its type.
pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// The database that one replica or several use.
pub(super) struct Database {
    pub(super) pool: Pool,
    /// What encrypts a connection; none where the address asks for none.
    tls: Option<Tls>,
}

impl Database {
    /// Prepares a pool; nothing is connected before the first statement.
    pub(super) fn new(address: &PostgresAddress) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let tls = address.trust().map(Tls::new).transpose()?;
        let manager = match &tls {
            None => Manager::from_config(address.configuration(), NoTls, recycling),
            Some(tls) => Manager::from_config(address.configuration(), tls.clone(), recycling),
        };
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(PATIENCE))
            .runtime(Runtime::Tokio1)
            .build()?;
        Ok(Database { pool, tls })
    }

    /// Runs a statement, which is a transaction by itself, and returns its rows.
    ///
    /// It is planned for the values it is given, in the one exchange that runs it: a plan for any span of positions
    /// would have to be good for all of them, and a statement prepared by name would tie the next use to this session.
    pub(super) async fn rows(&self, statement: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, StoreError> {
        let deadline = Instant::now() + PATIENCE;
        let overdue = || StoreError::Unavailable(Arc::new(Overdue));
        let mut tried = 1;
        loop {
            let client = timeout_at(deadline, self.pool.get()).await.map_err(|_| overdue())??;
            match timeout_at(deadline, client.query_typed(statement, parameters)).await {
                Err(_) => {
                    self.abandon(client);
                    return Err(overdue());
                }
                Ok(Err(error)) if lost(&error) && tried < TRIES => {
                    drop(client);
                    tokio::time::sleep(pause(tried)).await;
                    tried += 1;
                }
                Ok(done) => return Ok(done?),
            }
        }
    }

    /// Ends a connection whose statement took too long, so that nobody waits behind that, and has the server give the
    /// statement up: what was answered by 503 should not be written later. A server that is gone is not waited for.
    fn abandon(&self, client: Object) {
        let (token, tls) = (client.cancel_token(), self.tls.clone());
        drop(Object::take(client));
        tokio::spawn(async move {
            let cancel = async {
                match tls {
                    None => token.cancel_query(NoTls).await,
                    Some(tls) => token.cancel_query(tls).await,
                }
            };
            if !matches!(timeout(PATIENCE, cancel).await, Ok(Ok(()))) {
                tracing::debug!("a statement that took too long was not cancelled");
            }
        });
    }

    /// Returns the first row of a statement, if it has any.
    pub(super) async fn row(&self, statement: &str, parameters: &[Parameter<'_>]) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(statement, parameters).await?.into_iter().next())
    }

    /// Reads a page with a statement whose rows begin with the total and the position, the latter null where there is
    /// no record on the page.
    pub(super) async fn page<T>(
        &self,
        statement: &str,
        span: Span,
        record: impl Fn(&Row) -> Result<T, tokio_postgres::Error>,
    ) -> Result<Slice<T>, StoreError> {
        let Span { first, last } = span;
        let rows = self
            .rows(statement, &[(&first, Type::INT8), (&last, Type::INT8)])
            .await?;
        let mut slice = Slice {
            items: Vec::with_capacity(rows.len()),
            total: rows.first().map_or(Ok(0), |row| row.try_get(0))?,
        };
        for row in &rows {
            if row.try_get::<_, Option<i64>>(1)?.is_some() {
                slice.items.push(record(row)?);
            }
        }
        Ok(slice)
    }
}

/// Returns whether an error says that the server is not there, or not for us now, rather than that it rejected.
fn is_absence(error: &tokio_postgres::Error) -> bool {
    let absent = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::CRASH_SHUTDOWN,
        SqlState::QUERY_CANCELED,
        SqlState::TOO_MANY_CONNECTIONS,
    ];
    match error.code() {
        Some(code) => absent.contains(code) || code.code().starts_with("08"),
        None => error.is_closed() || error.source().is_some_and(<dyn Error>::is::<std::io::Error>),
    }
}

/// Returns whether a statement was undone because of another one, and may be run again.
pub(super) fn lost(error: &tokio_postgres::Error) -> bool {
    let lost = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    error.code().is_some_and(|code| lost.contains(code))
}

/// Returns how long to wait after a number of tries: up to twice as long after each, and not the same everywhere.
pub(super) fn pause(tried: u32) -> Duration {
    let longest = 1_000 << tried.min(8);
    Duration::from_micros(RandomState::new().hash_one(tried) % longest)
}

/// The deadline of a statement has passed.
#[derive(Debug, thiserror::Error)]
#[error("a statement took longer than {} s", PATIENCE.as_secs())]
struct Overdue;

/// What the server said, without its words: they may quote a value that was sent, and errors are logged.
#[derive(Debug, thiserror::Error)]
#[error("the server answered SQLSTATE `{}`; its own log says more", .0.code())]
struct Rejected(SqlState);

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        let is_absence = is_absence(&error);
        let rendered: Arc<dyn Error + Send + Sync> = match error.code() {
            Some(code) => Arc::new(Rejected(code.clone())),
            None => Arc::new(error),
        };
        if is_absence {
            StoreError::Unavailable(rendered)
        } else {
            StoreError::Database(rendered)
        }
    }
}

impl From<PoolError> for StoreError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => error.into(),
            PoolError::Closed | PoolError::Timeout(_) => StoreError::Unavailable(Arc::new(error)),
            other => StoreError::Database(Arc::new(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound() {
        for tried in 1..u32::from(u8::MAX) {
            assert!(pause(tried) < Duration::from_millis(2 << tried.min(7)), "{tried}");
        }
    }
}
