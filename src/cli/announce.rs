//! Says where the token goes, before it goes there: what `--quiet` does not silence.

use super::arguments::Arguments;
use super::config::Settled;
use super::edge;
use crate::exchange::Target;
use crate::exchange::redact::printable;

/// Says which token a target gets that nobody named on the command line, and warns where it goes in clear.
pub(super) fn token_goes(settled: &Settled, target: &Target, has_token: bool) {
    if let Some((config, name)) = settled.found_target() {
        let arguments = &settled.arguments;
        let token = if has_token {
            format!("the token {}", source(settled))
        } else {
            "no token".to_owned()
        };
        let asked = &arguments.service.writes;
        let writes = if asked.value && asked.is_of_file() {
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
            "warning: the token goes to {} in clear, and everyone on the way can read it; use https",
            target.origin()
        ));
    }
}

/// Where the token is taken from.
fn source(settled: &Settled) -> String {
    let Arguments { token_file, .. } = &settled.arguments;
    token_file.as_ref().map_or_else(
        || format!("of {}", settled.token().0),
        |file| format!("in `{}`", file.display()),
    )
}
