//! How single values are stored in a column: a wrapper for each type that SQLite does not have.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

/// An instant, as microseconds since 1970: integers sort, and PostgreSQL has the same precision.
pub(super) struct Instant(pub(super) DateTime<Utc>);

impl FromSql for Instant {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let micros = value.as_i64()?;
        DateTime::from_timestamp_micros(micros)
            .map(Instant)
            .ok_or(FromSqlError::OutOfRange(micros))
    }
}

impl ToSql for Instant {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.timestamp_micros().into())
    }
}

/// A date, as text of the form YYYY-MM-DD.
pub(super) struct Date(pub(super) NaiveDate);

impl FromSql for Date {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map(Date).map_err(FromSqlError::other)
    }
}

impl ToSql for Date {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.to_string().into())
    }
}

/// An identifier, as its 16 bytes.
pub(super) struct Id(pub(super) Uuid);

impl FromSql for Id {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        <[u8; 16]>::column_result(value).map(|bytes| Id(Uuid::from_bytes(bytes)))
    }
}

impl ToSql for Id {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_bytes().as_slice().into())
    }
}

/// An array or object that no query looks into, as JSON text.
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?)
            .map(Json)
            .map_err(FromSqlError::other)
    }
}

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text =
            serde_json::to_string(&self.0).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(text.into())
    }
}
