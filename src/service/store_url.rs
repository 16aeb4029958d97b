//! Where the service keeps its records: [`StoreUrl`], parsed from what a person types.

mod error;
#[cfg(feature = "postgres")]
mod postgres;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

pub use error::StoreUrlError;
#[cfg(feature = "postgres")]
pub use postgres::PostgresAddress;
#[cfg(feature = "postgres")]
pub(in crate::service) use postgres::Trust;

/// Names a store: `sqlite:FILE`, `sqlite::memory:` or, with the feature `postgres`, a PostgreSQL URL.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum StoreUrl {
    /// An SQLite database in a file, which is created if it does not exist.
    File(PathBuf),
    /// An SQLite database in memory, gone with the process.
    Memory,
    /// A PostgreSQL database, which several replicas may share.
    #[cfg(feature = "postgres")]
    Postgres(PostgresAddress),
}

impl FromStr for StoreUrl {
    type Err = StoreUrlError;

    fn from_str(text: &str) -> Result<Self, StoreUrlError> {
        let (scheme, name) = text.split_once(':').ok_or(StoreUrlError::NoScheme)?;
        match (scheme, name) {
            ("sqlite", "") => Err(StoreUrlError::NoFile),
            ("sqlite", ":memory:") => Ok(StoreUrl::Memory),
            // A mistyped `:memory:` would otherwise make a file of that name.
            ("sqlite", name) if name.starts_with(':') => Err(StoreUrlError::NotMemory),
            ("sqlite", name) => Ok(StoreUrl::File(name.into())),
            #[cfg(feature = "postgres")]
            ("postgres" | "postgresql", _) => PostgresAddress::read(text).map(StoreUrl::Postgres),
            #[cfg(not(feature = "postgres"))]
            ("postgres" | "postgresql", _) => Err(StoreUrlError::PostgresNotBuilt),
            _ if !is_scheme(scheme) => Err(StoreUrlError::NoScheme),
            _ => Err(StoreUrlError::UnknownScheme {
                scheme: scheme.to_owned(),
            }),
        }
    }
}

/// Whether this can be the scheme of a URL (RFC 3986, section 3.1); other text may hold a password.
fn is_scheme(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreUrl::File(path) => write!(formatter, "sqlite:{}", path.display()),
            StoreUrl::Memory => formatter.write_str("sqlite::memory:"),
            #[cfg(feature = "postgres")]
            StoreUrl::Postgres(address) => address.fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::error::KNOWN;
    use super::*;

    #[test]
    fn stores_are_written_as_they_are_read() {
        for text in ["sqlite::memory:", "sqlite:contacts.db", "sqlite:/var/lib/contacts.db"] {
            assert_eq!(text.parse::<StoreUrl>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_names_no_store_is_rejected() {
        let rejected = |text: &str| text.parse::<StoreUrl>().unwrap_err();
        assert_eq!(rejected("contacts.db"), StoreUrlError::NoScheme);
        assert_eq!(rejected("hidden@localhost:5432/contacts"), StoreUrlError::NoScheme);
        assert_eq!(rejected("sqlite:"), StoreUrlError::NoFile);
        assert_eq!(rejected("sqlite::memory"), StoreUrlError::NotMemory);
        assert_eq!(
            rejected("redis://localhost"),
            StoreUrlError::UnknownScheme {
                scheme: "redis".to_owned()
            }
        );
    }

    #[cfg(not(feature = "postgres"))]
    #[test]
    fn a_postgres_address_is_rejected_without_quoting_its_password() {
        let rejected = "postgres://user:hidden@localhost/contacts"
            .parse::<StoreUrl>()
            .unwrap_err();
        assert_eq!(rejected, StoreUrlError::PostgresNotBuilt);
        assert!(!rejected.to_string().contains("hidden"));
    }

    #[test]
    fn an_unknown_scheme_lists_the_known_stores() {
        let message = "mysql:x".parse::<StoreUrl>().unwrap_err().to_string();
        assert!(message.contains(KNOWN), "{message}");
    }
}
