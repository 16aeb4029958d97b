//! Announces where the token goes, before it is sent, and what of the contract is left out; `--quiet` does not silence
//! this.

use super::arguments::Arguments;
use super::config::ResolvedArguments;
use super::edge;
use crate::contract::Contract;
use crate::exchange::Target;
use crate::exchange::redact::{Redaction, printable};
use crate::plan::{Action, Plan, Scope};
use crate::report::{counted, is_or_are};

/// Announces which token goes to a target of a configuration that was found by searching, and warns where it goes
/// unencrypted.
pub(super) fn token_goes(resolved: &ResolvedArguments, (target, redaction): (&Target, &Redaction), has_token: bool) {
    // The base URL may contain the token.
    let note = |text: String| edge::note(&redaction.hide(&text));
    if let Some((config, name)) = resolved.found_target() {
        let arguments = &resolved.arguments;
        let token = if has_token {
            format!("the token {}", source(resolved))
        } else {
            "no token".to_owned()
        };
        let asked = &arguments.service.writes;
        let writes = if asked.value && asked.is_from_file() {
            " and write requests"
        } else {
            ""
        };
        note(format!(
            "{}: target `{}` at {} is sent {token}{writes}",
            config.path.display(),
            printable(name),
            target.base_url(),
        ));
    }
    if has_token && !target.is_tls() && !target.is_loopback() {
        note(format!(
            "warning: the token goes to {} unencrypted, and anyone along the way can read it; use https",
            target.origin()
        ));
    }
}

/// Announces that the reference service is checked, unless it was asked for.
pub(super) fn reference_service(resolved: &ResolvedArguments) {
    if resolved.arguments.service.base_url.is_none() && !resolved.names_reference_service() {
        edge::note("note: no service was named (--base-url or --target), so the built-in reference service is checked");
    }
}

/// Says what a plan will not send although its user may expect it: deletions, and questions that were asked before.
pub(super) fn what_is_not_sent(contract: &Contract, scope: &Scope, plan: &Plan) {
    useless_cleanup(contract, scope, plan);
    settled(contract, scope, plan);
}

/// Says that `--cleanup` will delete nothing, if the plan has no step that deletes: the records stay in the target.
fn useless_cleanup(contract: &Contract, scope: &Scope, plan: &Plan) {
    if !scope.cleanup || plan.steps.iter().any(|step| step.action == Action::Delete) {
        return;
    }
    let creates = plan
        .steps
        .iter()
        .any(|step| contract.operation(step.operation).creates());
    let can_delete = contract.lifecycles().iter().any(|lifecycle| lifecycle.delete.is_some());
    let why = match (scope.writes, creates, can_delete) {
        (false, _, _) => "it needs writes (--writes)",
        (true, false, _) => "the plan creates nothing",
        (true, true, false) => "the contract has no DELETE for the records that are created",
        (true, true, true) => "the plan has no DELETE for the records that are created",
    };
    edge::note(&format!("note: cleanup deletes nothing: {why}"));
}

/// Says which gaps a run that learns does not ask about again, because of what the ledger knows.
fn settled(contract: &Contract, scope: &Scope, plan: &Plan) {
    let is_asked = |gap: usize| plan.questions.iter().any(|asked| asked.gap == gap);
    let left_out = scope.settled_answers.gaps.iter().filter(|gap| !is_asked(**gap));
    let names: Vec<_> = left_out.map(|gap| contract.gaps[*gap].id.as_str()).collect();
    if !names.is_empty() {
        edge::note(&format!(
            "note: not asked again, because the ledger settles them for another week: {}; --gap ID asks all the same",
            names.join(", ")
        ));
    }
}

/// The maximum number of defects that are printed, and of operations that are left out for one of them.
const MAX_PRINTED: usize = 20;

/// Warns of the defects of a contract that was read nevertheless, with the operations that are left out for each.
pub(super) fn omitted(contract: &Contract) {
    for defect in contract.defects.iter().take(MAX_PRINTED) {
        let concerned = contract.omitted.iter().filter(|operation| operation.defect == *defect);
        let names: Vec<_> = concerned.map(|operation| format!("`{}`", operation.name)).collect();
        let shown = names.get(..MAX_PRINTED).unwrap_or(&names).join(", ");
        let without = match names.len().saturating_sub(MAX_PRINTED) {
            _ if names.is_empty() => String::new(),
            0 => format!("; left out: {shown}"),
            more => format!("; left out: {shown}, and {more} more"),
        };
        edge::note(&format!("warning: {defect}{without}"));
    }
    let (more, file) = (
        contract.defects.len().saturating_sub(MAX_PRINTED),
        &contract.document.name,
    );
    if more > 0 {
        edge::note(&format!("warning: {} in {file}", counted(more, "more defect")));
    }
    if !contract.omitted.is_empty() {
        let omitted = contract.omitted.len();
        let all = counted(contract.operations.len() + omitted, "operation");
        edge::note(&format!(
            "warning: {omitted} of the {all} in {file} {} left out",
            is_or_are(omitted)
        ));
    }
}

/// Returns where the token is taken from.
pub(super) fn source(resolved: &ResolvedArguments) -> String {
    let Arguments { token_file, .. } = &resolved.arguments;
    match (token_file, resolved.token_command()) {
        (Some(file), _) => format!("in `{}`", file.display()),
        (None, Some(command)) => format!("from {}", command.origin()),
        (None, None) => format!("from {}", resolved.token_variable().0),
    }
}
