//! Announces where the token goes, before it is sent; `--quiet` does not silence this.

use super::arguments::Arguments;
use super::config::ResolvedArguments;
use super::edge;
use crate::exchange::Target;
use crate::exchange::redact::printable;

/// Announces which token goes to a target that was not named on the command line, and warns where it goes unencrypted.
pub(super) fn token_goes(resolved: &ResolvedArguments, target: &Target, has_token: bool) {
    if let Some((config, name)) = resolved.found_target() {
        let arguments = &resolved.arguments;
        let token = if has_token {
            format!("the token {}", source(resolved))
        } else {
            "no token".to_owned()
        };
        let asked = &arguments.service.writes;
        let writes = if asked.value && asked.is_from_file() {
            ", and writes"
        } else {
            ""
        };
        edge::note(&format!(
            "{}: target `{}` at {}{} gets {token}{writes}",
            config.path.display(),
            printable(name),
            target.origin(),
            target.base_path(),
        ));
    }
    if has_token && !target.is_tls() && !target.is_loopback() {
        edge::note(&format!(
            "warning: the token goes to {} unencrypted, and anyone on the way can read it; use https",
            target.origin()
        ));
    }
}

/// Returns where the token is taken from.
pub(super) fn source(resolved: &ResolvedArguments) -> String {
    let Arguments { token_file, .. } = &resolved.arguments;
    match (token_file, resolved.token_command()) {
        (Some(file), _) => format!("in `{}`", file.display()),
        (None, Some(command)) => format!("from {}", command.origin()),
        (None, None) => format!("from {}", resolved.token().0),
    }
}
