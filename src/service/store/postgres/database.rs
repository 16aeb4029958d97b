//! Runs statements: [`Database`] is a pool of connections that repeats a statement that lost to another transaction.

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
use crate::service::store::record::{RecordSlice, Span};
use crate::service::store_url::PostgresAddress;

/// The maximum number of connections that a replica holds: by default, PostgreSQL allows 100 in all.
const CONNECTIONS: usize = 16;

/// How long a statement may take, including the wait for a connection and further attempts.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum number of attempts of a statement that loses to others.
const MAX_STATEMENT_ATTEMPTS: u32 = 20;

/// A parameter of a statement, with its type.
pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// The database, which one or more replicas use.
pub(super) struct Database {
    pub(super) pool: Pool,
    /// Encrypts connections; `None` where the address does not ask for it.
    tls: Option<Tls>,
}

impl Database {
    /// Prepares a pool, which connects with the first statement.
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
            .wait_timeout(Some(TIMEOUT))
            .create_timeout(Some(TIMEOUT))
            .runtime(Runtime::Tokio1)
            .build()?;
        Ok(Database { pool, tls })
    }

    /// Runs a statement, which is a transaction by itself, and returns its rows.
    ///
    /// The server plans it for its parameters, in the one round trip that runs it: a generic plan would have to suit
    /// every span of positions, and a statement prepared by name would tie its next use to this session.
    pub(super) async fn rows(&self, statement: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, StoreError> {
        let deadline = Instant::now() + TIMEOUT;
        let timed_out = || StoreError::Unavailable(Arc::new(StatementTimeout));
        let mut tried = 1;
        loop {
            let client = timeout_at(deadline, self.pool.get()).await.map_err(|_| timed_out())??;
            match timeout_at(deadline, client.query_typed(statement, parameters)).await {
                Err(_) => {
                    self.abandon(client);
                    return Err(timed_out());
                }
                Ok(Err(error)) if lost_to_another(&error) && tried < MAX_STATEMENT_ATTEMPTS => {
                    drop(client);
                    tokio::time::sleep(pause(tried)).await;
                    tried += 1;
                }
                Ok(done) => return Ok(done?),
            }
        }
    }

    /// Closes a connection whose statement took too long, so that nothing queues behind it, and has the server cancel
    /// the statement: what was answered with 503 should not be written later. Does not wait for the server, which may
    /// be gone.
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
            if !matches!(timeout(TIMEOUT, cancel).await, Ok(Ok(()))) {
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
    ) -> Result<RecordSlice<T>, StoreError> {
        let Span { first, last } = span;
        let rows = self
            .rows(statement, &[(&first, Type::INT8), (&last, Type::INT8)])
            .await?;
        let mut slice = RecordSlice {
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

/// Returns whether an error means that the server is not available, rather than that it rejected the statement.
fn is_unavailable(error: &tokio_postgres::Error) -> bool {
    let unavailable = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::CRASH_SHUTDOWN,
        SqlState::QUERY_CANCELED,
        SqlState::TOO_MANY_CONNECTIONS,
    ];
    match error.code() {
        Some(code) => unavailable.contains(code) || code.code().starts_with("08"),
        None => error.is_closed() || error.source().is_some_and(<dyn Error>::is::<std::io::Error>),
    }
}

/// Returns whether a statement was rolled back because of another one, and may be run again.
pub(super) fn lost_to_another(error: &tokio_postgres::Error) -> bool {
    let lost = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    error.code().is_some_and(|code| lost.contains(code))
}

/// Returns how long to wait after a number of tries: a random time, so that replicas differ, with a limit that doubles
/// after each try.
pub(super) fn pause(tried: u32) -> Duration {
    let longest = 1_000 << tried.min(8);
    Duration::from_micros(RandomState::new().hash_one(tried) % longest)
}

/// The deadline of a statement has passed.
#[derive(Debug, thiserror::Error)]
#[error("a statement took longer than {} s", TIMEOUT.as_secs())]
struct StatementTimeout;

/// The server's error code without its message, which may quote a value that was sent: errors are logged.
#[derive(Debug, thiserror::Error)]
#[error("the server answered SQLSTATE `{}`; its own log says more", .0.code())]
struct Rejected(SqlState);

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        let is_unavailable = is_unavailable(&error);
        let cause: Arc<dyn Error + Send + Sync> = match error.code() {
            Some(code) => Arc::new(Rejected(code.clone())),
            None => Arc::new(error),
        };
        if is_unavailable {
            StoreError::Unavailable(cause)
        } else {
            StoreError::Database(cause)
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
