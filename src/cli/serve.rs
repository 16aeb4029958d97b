//! `countersign serve`: the reference service on a port.

use std::path::Path;

use clap::Args;
use secrecy::SecretString;

use super::edge;
use super::failure::Failure;
use crate::service::{self, Profile, ProfileError, Service, Setting, StoreUrl};

/// What `serve` takes.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Where the data is kept: `sqlite:FILE` or `sqlite::memory:`
    #[arg(long, value_name = "STORE", default_value = "sqlite::memory:")]
    store: StoreUrl,
    /// A file that holds the token; else `COUNTERSIGN_TOKEN`; else one is generated and printed
    #[arg(long, value_name = "FILE")]
    token_file: Option<std::path::PathBuf>,
    /// What the service does where the document says nothing: a file, or one choice, which goes before files; `list`
    /// prints all choices; repeatable
    #[arg(long, value_name = "FILE|AXIS=VALUE")]
    profile: Vec<String>,
}

/// Serves until it is told to stop.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    if arguments.profile.iter().any(|named| named == "list") {
        edge::print(&service::profile_table());
        return Ok(0);
    }
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Failure::Start(error.to_string()))?;
    runtime.block_on(serve(arguments))?;
    Ok(0)
}

/// Makes the profile of the choices and files that flags name.
fn profile(named: &[String]) -> Result<Profile, Failure> {
    let usage = |error: ProfileError| Failure::Usage(format!("failed to read the profile: {error}"));
    let mut settings = Vec::new();
    for named in named {
        if named.contains('=') {
            settings.push(Setting::parse(named).map_err(usage)?);
        } else {
            let file = Path::new(named);
            settings.extend(Setting::parse_file(file, &edge::read("profile", file)?).map_err(usage)?);
        }
    }
    Profile::of(&settings).map_err(usage)
}

async fn serve(arguments: &Arguments) -> Result<(), Failure> {
    let profile = profile(&arguments.profile)?;
    let given = edge::token(arguments.token_file.as_deref())?;
    let generated = given.is_none().then(|| uuid::Uuid::new_v4().simple().to_string());
    let secret = match (given, &generated) {
        (Some(token), _) => token.into_secret(),
        (None, generated) => SecretString::from(generated.clone().unwrap_or_default()),
    };
    let listener = tokio::net::TcpListener::bind(&arguments.listen)
        .await
        .map_err(|source| {
            let hint = match source.kind() {
                std::io::ErrorKind::AddrInUse => "; choose another with --listen, or port 0 for a free one",
                _ => "; --listen takes an address of this machine and a port, as in 127.0.0.1:8080",
            };
            Failure::Listen {
                address: arguments.listen.clone(),
                source,
                hint,
            }
        })?;
    let service = Service::open(&arguments.store, secret, profile).map_err(|error| store(&error))?;
    let address = listener
        .local_addr()
        .map_err(|error| Failure::Start(error.to_string()))?;
    // A signal that comes as soon as the lines below are read stops the service as any later one does.
    let stop = stop().map_err(|error| Failure::Start(error.to_string()))?;
    edge::print(&format!("serving http://{address} from {}\n", arguments.store));
    for choice in profile.chosen() {
        edge::print(&format!("profile {choice}\n"));
    }
    if let Some(token) = generated {
        edge::print(&format!("token {token}\n"));
    }
    let stopped = service::run(listener, service::app(service), stop).await;
    stopped.map_err(|error| Failure::Start(error.to_string()))
}

/// The error of a store with all that lies beneath it.
pub(super) fn store(error: &service::OpenError) -> Failure {
    let mut told = error.to_string();
    let mut beneath = std::error::Error::source(error);
    while let Some(cause) = beneath {
        told = format!("{told}: {cause}");
        beneath = cause.source();
    }
    Failure::Store(told)
}

/// Listens for Ctrl-C and, where there is one, SIGTERM. The signals are taken now, the future ends when one comes.
fn stop() -> std::io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
