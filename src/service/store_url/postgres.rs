//! Where a PostgreSQL database is and who uses it: [`PostgresAddress`].

use std::fmt;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::StoreUrlError;

/// The address of a PostgreSQL database. It holds a password, and neither its text nor its Debug shows it.
#[derive(Clone, Eq, PartialEq)]
pub struct PostgresAddress(Box<Config>);

/// How long to wait for a connection where the address does not say.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

impl PostgresAddress {
    /// Reads a URL of the form `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
    pub(super) fn read(url: &str) -> Result<Self, StoreUrlError> {
        // What is wrong with it is not said: the library's words may hold a part of a password with odd characters.
        let mut config: Config = url.parse().map_err(|_| StoreUrlError::MalformedPostgres)?;
        if config.get_hosts().is_empty() || config.get_user().is_none() {
            return Err(StoreUrlError::MalformedPostgres);
        }
        if config.get_ssl_mode() == SslMode::Require {
            return Err(StoreUrlError::PostgresTls);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("countersign");
        }
        Ok(PostgresAddress(Box::new(config)))
    }

    pub(in crate::service) fn configuration(&self) -> Config {
        Config::clone(&self.0)
    }
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = self.0.get_user().unwrap_or_default();
        write!(formatter, "postgres://{user}@")?;
        for (index, host) in self.0.get_hosts().iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match host {
                Host::Tcp(name) => write!(formatter, "{comma}{name}")?,
                #[cfg(unix)]
                Host::Unix(path) => write!(formatter, "{comma}{}", path.display())?,
            }
            // One port may stand for all hosts.
            let ports = self.0.get_ports();
            if let Some(port) = ports.get(index).or(ports.first()) {
                write!(formatter, ":{port}")?;
            }
        }
        write!(formatter, "/{}", self.0.get_dbname().unwrap_or(user))
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PostgresAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::super::StoreUrl;
    use super::*;

    fn refused(text: &str) -> StoreUrlError {
        text.parse::<StoreUrl>().unwrap_err()
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        for scheme in ["postgres", "postgresql"] {
            let url = format!("{scheme}://ada:hidden@db.example.com:5433/contacts?connect_timeout=3");
            let store: StoreUrl = url.parse().unwrap();
            assert_eq!(store.to_string(), "postgres://ada@db.example.com:5433/contacts");
            assert!(!format!("{store:?}").contains("hidden"));
        }
    }

    #[test]
    fn several_hosts_are_shown_with_their_ports() {
        let url = "postgres://ada@one.example.com:1,two.example.com:2/contacts";
        assert_eq!(url.parse::<StoreUrl>().unwrap().to_string(), url);
    }

    #[test]
    fn a_malformed_address_is_refused_without_quoting_it() {
        for text in [
            "postgres:",
            "postgres://",
            "postgres://ada@/",
            "postgres://ada@localhost/db?sslmode=hidden",
            "postgres://ada:hidden@localhost:port/db",
            "postgres://localhost/db",
        ] {
            let refused = refused(text);
            assert_eq!(refused, StoreUrlError::MalformedPostgres, "{text}");
            assert!(!refused.to_string().contains("hid"));
        }
    }

    #[test]
    fn what_asks_for_tls_is_refused_rather_than_sent_in_the_clear() {
        assert_eq!(
            refused("postgres://ada@localhost/db?sslmode=require"),
            StoreUrlError::PostgresTls
        );
    }
}
