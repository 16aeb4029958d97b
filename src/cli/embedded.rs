//! The reference service that a check without a target starts itself. The main type is [`Embedded`].

use secrecy::SecretString;

use super::edge;
use super::failure::Failure;
use crate::client::Token;
use crate::exchange::Target;
use crate::service::fault::{self, Faults};
use crate::service::{self, OpenError, Profile, Service, StoreUrl};

/// The reference service, not started yet.
pub(super) struct Embedded(Faults);

impl Embedded {
    /// Makes a service with these faults.
    pub(super) fn with_faults(names: &[String]) -> Result<Self, Failure> {
        Ok(Self(faults(names)?))
    }

    /// Starts the service on a port of its own, with a token of its own.
    pub(super) async fn start(&self) -> Result<(Target, Option<Token>), Failure> {
        let start = |error: std::io::Error| Failure::Start(error.to_string());
        edge::check_clock(edge::now())?;
        let secret = uuid::Uuid::new_v4().simple().to_string();
        let service = Service::open(
            &StoreUrl::Memory,
            SecretString::from(secret.clone()),
            Profile::default(),
        );
        let service = service.await.map_err(|error| store(&error))?;
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.map_err(start)?;
        let address = listener.local_addr().map_err(start)?;
        tokio::spawn(service::run(
            listener,
            fault::app(service, &self.0),
            std::future::pending(),
        ));
        let token = Token::new(secret.as_str()).map_err(|source| Failure::Token {
            origin: "the generator".to_owned(),
            source,
        })?;
        Ok((Target::parse(&format!("http://{address}"))?, Some(token)))
    }
}

/// Returns the faults with these names.
pub(super) fn faults(names: &[String]) -> Result<Faults, Failure> {
    Faults::named(names).map_err(|error| Failure::Fault(error.to_string()))
}

/// Prints every fault of the service.
pub(super) fn list_faults() -> Result<u8, Failure> {
    edge::print(&Faults::list())?;
    Ok(0)
}

/// Returns the error of a store with all its causes.
pub(super) fn store(error: &OpenError) -> Failure {
    let mut rendered = error.to_string();
    let mut beneath = std::error::Error::source(error);
    while let Some(cause) = beneath {
        rendered = format!("{rendered}: {cause}");
        beneath = cause.source();
    }
    Failure::Store(rendered)
}
