//! Where a PostgreSQL database is and who uses it: [`PostgresAddress`].

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::error::StoreUrlError;

/// The address of a PostgreSQL database. It may hold a password, which neither `Display` nor `Debug` shows.
#[derive(Clone, Eq, PartialEq)]
pub struct PostgresAddress {
    config: Box<Config>,
    trust: Option<Trust>,
}

/// Which servers to trust over TLS.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::service) enum Trust {
    /// Any server: `sslmode=require`.
    AnyCertificate,
    /// A server whose certificate for the host's name is signed by an authority in this file or, without a file, by one
    /// that this machine trusts.
    Authorities(Option<PathBuf>),
}

/// How long to wait for a connection where the address does not say.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

impl PostgresAddress {
    /// Reads a URL of the form `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
    pub(super) fn read(url: &str) -> Result<Self, StoreUrlError> {
        // The error does not say what is wrong: the library's message may hold part of a password with unusual
        // characters.
        let (url, trust) = read_trust(url)?;
        let mut config: Config = url.parse().map_err(|_| StoreUrlError::MalformedPostgres)?;
        if config.get_hosts().is_empty() || config.get_user().is_none() {
            return Err(StoreUrlError::MalformedPostgres);
        }
        config.ssl_mode(match trust {
            None => SslMode::Disable,
            Some(_) => SslMode::Require,
        });
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("countersign");
        }
        Ok(PostgresAddress {
            config: Box::new(config),
            trust,
        })
    }

    /// Returns which servers to trust over TLS; `None` where nothing is encrypted.
    pub(in crate::service) fn trust(&self) -> Option<&Trust> {
        self.trust.as_ref()
    }

    pub(in crate::service) fn configuration(&self) -> Config {
        Config::clone(&self.config)
    }
}

/// Takes the TLS parameters out of an address: the library does not know all of them.
fn read_trust(url: &str) -> Result<(String, Option<Trust>), StoreUrlError> {
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut mode, mut authorities, mut rest) = ("disable", None, Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", value)) => mode = value,
            Some(("sslrootcert", value)) => {
                let file = percent_decode_str(value).decode_utf8();
                let file = file.map_err(|_| StoreUrlError::MalformedPostgres)?;
                authorities = Some(PathBuf::from(file.as_ref()));
            }
            _ => rest.push(pair),
        }
    }
    let trust = match (mode, authorities) {
        ("disable" | "prefer", None) => None,
        ("require", None) => Some(Trust::AnyCertificate),
        ("verify-full", authorities) => Some(Trust::Authorities(authorities)),
        _ => return Err(StoreUrlError::PostgresTls),
    };
    Ok((format!("{address}?{}", rest.join("&")), trust))
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = self.config.get_user().unwrap_or_default();
        write!(formatter, "postgres://{user}@")?;
        for (index, host) in self.config.get_hosts().iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match host {
                Host::Tcp(name) if name.contains(':') => write!(formatter, "{comma}[{name}]")?,
                Host::Tcp(name) => write!(formatter, "{comma}{name}")?,
                #[cfg(unix)]
                Host::Unix(path) => write!(formatter, "{comma}{}", path.display())?,
            }
            // One port may stand for all hosts.
            let ports = self.config.get_ports();
            if let Some(port) = ports.get(index).or(ports.first()) {
                write!(formatter, ":{port}")?;
            }
        }
        write!(formatter, "/{}", self.config.get_dbname().unwrap_or(user))
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

    fn rejected(text: &str) -> StoreUrlError {
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
        for url in [
            "postgres://ada@one.example.com:1,two.example.com:2/contacts",
            "postgres://ada@[::1]:5432/contacts",
        ] {
            assert_eq!(url.parse::<StoreUrl>().unwrap().to_string(), url);
        }
    }

    #[test]
    fn a_malformed_address_is_rejected_without_quoting_it() {
        for text in [
            "postgres:",
            "postgres://",
            "postgres://ada@/",
            "postgres://ada@localhost/db?sslrootcert=%FFhid&sslmode=verify-full",
            "postgres://ada:hidden@localhost:port/db",
            "postgres://localhost/db",
        ] {
            let rejected = rejected(text);
            assert_eq!(rejected, StoreUrlError::MalformedPostgres, "{text}");
            assert!(!rejected.to_string().contains("hid"));
        }
    }

    #[test]
    fn an_address_says_whom_to_trust() {
        let trust = |query: &str| {
            let address = PostgresAddress::read(&format!("postgres://ada@db.example.com/contacts{query}")).unwrap();
            let requires = address.configuration().get_ssl_mode() == SslMode::Require;
            assert_eq!(requires, address.trust.is_some());
            address.trust
        };
        for query in ["", "?connect_timeout=3", "?sslmode=disable", "?sslmode=prefer"] {
            assert_eq!(trust(query), None);
        }
        assert_eq!(trust("?sslmode=require"), Some(Trust::AnyCertificate));
        assert_eq!(trust("?sslmode=verify-full"), Some(Trust::Authorities(None)));
        assert_eq!(
            trust("?sslrootcert=/etc/our%20ca.pem&connect_timeout=3&sslmode=verify-full"),
            Some(Trust::Authorities(Some("/etc/our ca.pem".into())))
        );
    }

    #[test]
    fn what_asks_for_tls_otherwise_is_rejected_rather_than_sent_in_the_clear() {
        for query in [
            "sslmode=hidden",
            "sslmode=verify-ca",
            "sslmode=",
            "sslrootcert=a.pem",
            "sslmode=require&sslrootcert=a",
        ] {
            let error = rejected(&format!("postgres://ada@localhost/db?{query}"));
            assert_eq!(error, StoreUrlError::PostgresTls, "{query}");
            assert!(!error.to_string().contains("hidden"));
        }
    }
}
