//! `countersign serve`: runs the reference service on a port.

use std::io;
use std::path::Path;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use secrecy::SecretString;

use super::check::asks_for_list;
use super::failure::Failure;
use super::signals;
use super::{edge, embedded};
use crate::service::fault;
use crate::service::{self, Profile, ProfileError, ProfileSetting, Service, StoreUrl};

/// The largest profile file that is read, in bytes.
const MAX_PROFILE_BYTES: u64 = 1 << 20;

/// The arguments of `serve`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Where the data is kept: `sqlite:FILE`, `sqlite::memory:` or, where it is built in, `postgres://…`
    // Kept as text until it is parsed here: clap would quote a wrong value, password included.
    #[arg(
        long,
        value_name = "STORE",
        default_value = "sqlite::memory:",
        env = "COUNTERSIGN_STORE",
        hide_env_values = true
    )]
    store: String,
    /// Add synthetic contacts, the same each time, until the store has this many
    #[arg(long, value_name = "N")]
    seed_contacts: Option<u32>,
    /// A file that contains the token; without it `COUNTERSIGN_TOKEN` is used, or a token is generated and printed
    #[arg(long, value_name = "FILE")]
    token_file: Option<std::path::PathBuf>,
    /// Deviate from the document in this way, to see a check find it; `list` prints all; repeatable
    #[arg(long, value_name = "NAME")]
    fault: Vec<String>,
    /// What the service does where the document says nothing: a file, or one choice, which overrides files; `list`
    /// prints all choices; repeatable
    #[arg(long, value_name = "FILE|CHOICE=VALUE")]
    profile: Vec<String>,
}

/// Serves until it is told to stop.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    if asks_for_list(&arguments.fault) {
        return embedded::list_faults();
    }
    if arguments.profile.iter().any(|named| named == "list") {
        edge::print(&service::profile_table())?;
        return Ok(0);
    }
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Failure::Start(error.to_string()))?;
    runtime.block_on(serve(arguments))?;
    Ok(0)
}

/// Makes the profile from the choices and files that flags name.
fn profile(named: &[String]) -> Result<Profile, Failure> {
    let usage = |error: ProfileError| Failure::Usage(format!("failed to read the profile: {error}"));
    let mut settings = Vec::new();
    for named in named {
        if named.contains('=') {
            settings.push(ProfileSetting::parse(named).map_err(usage)?);
        } else {
            let file = Path::new(named);
            settings.extend(
                ProfileSetting::parse_file(file, &edge::read("profile", file, MAX_PROFILE_BYTES)?).map_err(usage)?,
            );
        }
    }
    Profile::of(&settings).map_err(usage)
}

async fn serve(arguments: &Arguments) -> Result<(), Failure> {
    edge::check_clock(edge::now())?;
    let faults = embedded::faults(&arguments.fault)?;
    let profile = profile(&arguments.profile)?;
    let given = edge::token(arguments.token_file.as_deref(), edge::TOKEN_VARIABLE)?;
    let generated = given.is_none().then(|| uuid::Uuid::new_v4().simple().to_string());
    let secret = match (given, &generated) {
        (Some(token), _) => SecretString::from(token.expose()),
        (None, generated) => SecretString::from(generated.clone().unwrap_or_default()),
    };
    let store_url: StoreUrl = arguments
        .store
        .parse()
        .map_err(|error| Failure::Usage(format!("invalid --store: {error}")))?;
    let (listener, address) = edge::listen(&arguments.listen, "--listen").await?;
    let settings = profile.non_default_values();
    let service = Service::open(&store_url, secret, profile)
        .await
        .map_err(|error| embedded::store(&error))?;
    if let Some(target) = arguments.seed_contacts {
        grow(&service, target).await?;
    }
    // A signal that comes as soon as the lines below are read stops the service like any later one.
    let stop = signals::shutdown_requested()?;
    // It serves whether or not anybody reads this, but nobody can use it without having read the token.
    let _ = edge::print(&format!("serving http://{address} from {store_url}\n"));
    for setting in settings {
        let _ = edge::print(&format!("profile {setting}\n"));
    }
    if let Some(token) = generated {
        edge::print(&format!("token {token}\n"))?;
    }
    stopped(service::run(listener, fault::app(service, &faults), stop).await)
}

/// Returns whether serving ended as it was asked to. A client that does not end its connection fails nothing.
fn stopped(ended: io::Result<()>) -> Result<(), Failure> {
    match ended {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            edge::note("note: connections that were still open a while after the signal were cut");
            Ok(())
        }
        ended => ended.map_err(|error| Failure::Start(error.to_string())),
    }
}

/// Adds synthetic contacts, with a bar on a terminal.
async fn grow(service: &Service, target: u32) -> Result<(), Failure> {
    let draw = if edge::stderr_is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(target.into()), draw);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {human_pos}/{human_len} contacts, {per_sec}, {eta} left")
    {
        bar.set_style(style);
    }
    let grown = service
        .grow_contacts(target, |total| bar.set_position(total.unsigned_abs()))
        .await;
    bar.finish_and_clear();
    grown.map_err(|error| Failure::Store(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_does_not_end_its_connection_fails_nothing() {
        assert!(stopped(Ok(())).is_ok());
        assert!(stopped(Err(io::ErrorKind::TimedOut.into())).is_ok());
        let failed = stopped(Err(io::ErrorKind::PermissionDenied.into()));
        assert!(matches!(failed, Err(Failure::Start(_))), "{failed:?}");
    }
}
