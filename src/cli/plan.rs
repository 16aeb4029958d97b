//! `countersign plan`: lists every step that `check` would take with the same flags, in order. It sends nothing and
//! needs no token.

use std::fmt::Write as _;

use clap::Args;

use super::announce;
use super::arguments::{Arguments as CheckArguments, without_effect};
use super::check;
use super::config::ResolvedArguments;
use super::edge;
use super::failure::Failure;
use super::wrap::hanging_indent;
use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::plan::{Action, Asks, Bounds, Plan, Scope, Source, StandInOrigin, StepDescription, Variant};
use crate::report::counted;

/// The arguments of `plan`.
#[derive(Debug, Args)]
pub(super) struct PlanArguments {
    /// List what `learn` would do, with what it asks
    #[arg(long)]
    pub(super) learn: bool,
    #[command(flatten)]
    pub(super) check: CheckArguments,
}

/// The flags of a check that change nothing in its plan.
const WITHOUT_EFFECT: [&str; 18] = [
    "accept", "cacert", "cert", "color", "jobs", "key", "max_time", "quiet", "rate", "report", "require_facts",
    "residue", "show_values", "since", "start", "timeout", "token_file", "wait",
];

/// Says what the flags of a check mean where nothing is sent.
pub(super) fn with_own_help(command: clap::Command) -> clap::Command {
    let base_url = "The service to plan for; it is not contacted; without it and without a target, the reference \
                    service";
    let verbose = "Name each fact that a step is made to decide, and each awkward value that it sends: a valid one that software often mishandles";
    ["allow", "deny", "warn"]
        .into_iter()
        .fold(without_effect(command, &WITHOUT_EFFECT), |command, level| {
            command.mut_arg(level, |flag| {
                flag.help("For `check`; here it is only checked that the rule exists")
            })
        })
        .mut_arg("base_url", |flag| flag.help(base_url))
        .mut_arg("verbose", |flag| flag.help(verbose))
}

/// Prints the plan of a check with these arguments, or of `learn`.
pub(super) fn run(resolved: &ResolvedArguments, learn: bool) -> Result<u8, Failure> {
    let arguments = &resolved.arguments;
    let mut contract = check::contract(arguments.spec(), arguments.overlay())?;
    resolved.set_configured_parameters(&mut contract)?;
    resolved.levels(&contract, edge::now().date_naive())?;
    check::levels(arguments)?;
    let seed = arguments.chosen_seed()?;
    let scope = Scope {
        // The plan assumes a token: a check without the token that it needs sends nothing.
        token: true,
        user_and_password: true,
        learn: learn.then(Vec::new),
        ..check::scope(arguments, &contract, seed)?
    };
    let plan = check::plan(&contract, &scope)?;
    announce::what_is_not_sent(&contract, &scope, &plan);
    let page = Listing {
        contract: &contract,
        plan: &plan,
        bounds: arguments.bounds(),
        width: edge::line_width(),
        verbose: arguments.is_verbose(),
    };
    edge::print(&page.text(seed, arguments.rounds()))?;
    Ok(0)
}

/// A plan and how it is printed.
struct Listing<'page> {
    contract: &'page Contract,
    plan: &'page Plan,
    bounds: Bounds,
    width: usize,
    verbose: bool,
}

impl Listing<'_> {
    fn text(&self, seed: u64, rounds: u64) -> String {
        let steps = self.plan.describe(self.contract);
        let mut text = String::new();
        let (mut number, mut before) = (0, None);
        // There are many edge cases, and they differ only in kind.
        let words = |described: &StepDescription| {
            (
                described.step.action.spec().reason,
                described.step.action.requests(&self.bounds),
            )
        };
        for alike in steps.chunk_by(|left, right| words(left) == words(right)) {
            let overlaps = before.is_some_and(|before| alike[0].step.action.shares_group_with(before));
            // Steps that are under way together are listed together.
            if before.is_some() && !overlaps {
                text.push('\n');
            }
            text.push_str(&self.heading(alike, overlaps));
            before = alike.last().map(|described| described.step.action);
            for step in alike {
                number += 1;
                self.step(number, step, &mut text);
            }
        }
        if before.is_some() {
            text.push('\n');
        }
        self.not_called(&mut text);
        let mut decided: Vec<_> = steps.iter().flat_map(|step| step.facts.iter().copied()).collect();
        decided.sort_unstable();
        decided.dedup();
        // Writing into a String does not fail.
        let _ = write!(
            text,
            "{}, {} of them writes; {} of {} can be decided; seed {seed}",
            counted(steps.len(), "step"),
            steps.iter().filter(|step| step.writes).count(),
            decided.len(),
            counted(self.contract.facts.len(), "fact")
        );
        if let Some(shard) = self.plan.shard {
            let _ = write!(text, "; shard {shard} of a plan with {} parts", self.plan.parts);
        }
        if rounds > 1 {
            let _ = write!(text, "; {rounds} rounds, a wrong token only in the first");
        }
        text.push('\n');
        text
    }

    /// Returns what the steps of a group do, and how many requests each sends.
    fn heading(&self, group: &[StepDescription], overlaps: bool) -> String {
        let action = group[0].step.action;
        let together = if overlaps {
            "; concurrent with those above, up to --jobs"
        } else if action.runs_concurrently() && group.len() > 1 {
            "; concurrently, up to --jobs"
        } else {
            ""
        };
        let in_order = if matches!(action, Action::EdgeCaseRead(_)) {
            ", those of one operation in order"
        } else {
            ""
        };
        let requests = format!("{}{together}{in_order}", action.requests(&self.bounds));
        let lines = [
            hanging_indent("", action.spec().reason, self.width),
            hanging_indent("  each: ", &requests, self.width),
        ];
        lines.join("\n") + "\n"
    }

    fn step(&self, number: usize, described: &StepDescription, text: &mut String) {
        let operation = self.contract.operation(described.sends);
        let mark = if described.writes { "write" } else { "" };
        let edge_case = described.step.action.edge_case();
        let facts = match described.facts.len() {
            1 => "1 fact".to_owned(),
            count => format!("{count} facts"),
        };
        let _ = writeln!(
            text,
            "{number:>4}  {mark:<5}  {:<5} {}  {}, {}{facts}",
            operation.method.as_str(),
            operation.path,
            operation.name,
            edge_case
                .map(|edge_case| edge_case.describe(operation) + ", ")
                .unwrap_or_default(),
        );
        if let Some(list) = described.read_after {
            let list = self.contract.operation(list);
            let _ = writeln!(
                text,
                "             then {:<5} {}  {}",
                list.method.as_str(),
                list.path,
                list.name
            );
        }
        let variants = described.variants.iter().map(|variant| match variant {
            Variant::Awkward(values) if !self.verbose => counted(values.len(), "awkward value"),
            _ => variant.to_string(),
        });
        let parameters = described.optional.iter().cloned();
        let sent: Vec<_> = variants.chain(parameters).collect();
        if !sent.is_empty() {
            let _ = writeln!(
                text,
                "{}",
                hanging_indent("             in this order: ", &sent.join(", "), self.width)
            );
        }
        let asked = self.asked_gaps(described);
        if !asked.is_empty() {
            let asked = hanging_indent("             about: ", &asked.join(", "), self.width);
            let _ = writeln!(text, "{asked}");
        }
        for source in &described.needs {
            let _ = writeln!(text, "             {{{}}} from {}", source.parameter, self.from(source));
        }
        let shown = if self.verbose { described.facts.len() } else { 0 };
        for fact in described.facts.iter().take(shown) {
            let _ = writeln!(text, "             {}", self.contract.fact(*fact).name);
        }
    }

    /// Returns the gaps that a step asks about, each with the number of its questions if there are several.
    fn asked_gaps(&self, described: &StepDescription) -> Vec<String> {
        let asks = matches!(described.step.action, Action::Ask | Action::AskByCreating);
        let questions = self.plan.questions.iter().filter(|_| asks);
        let mut gaps: Vec<_> = questions
            // It only bundles questions that are counted by themselves.
            .filter(|question| !matches!(question.asks, Asks::InOneRequest { .. }))
            .filter(|question| question.operation == described.step.operation)
            .map(|question| self.contract.gaps[question.gap].id.as_str())
            .collect();
        gaps.sort_unstable();
        let groups = gaps.chunk_by(|one, other| one == other);
        let named = groups.map(|same| match same.len() {
            1 => same[0].to_owned(),
            count => format!("{} ({count} questions)", same[0]),
        });
        named.collect()
    }

    /// Returns where a value comes from, the preferred source first.
    fn from(&self, source: &Source) -> String {
        let names = |ids: &[OperationId]| {
            let names: Vec<_> = ids
                .iter()
                .map(|id| self.contract.operation(*id).name.as_str())
                .collect();
            names.join(" or ")
        };
        let stand_in = source.stand_in.map(|stand_in| match stand_in {
            StandInOrigin::Given => "the configuration".to_owned(),
            StandInOrigin::Example => "the contract's own example".to_owned(),
            StandInOrigin::Generated => "its schema".to_owned(),
            StandInOrigin::NewRecordName => {
                "a name with the run tag, after a read has shown that unknown names are rejected".to_owned()
            }
        });
        let shown = [&source.creates, &source.reads].map(|ids| names(ids));
        let mut shown: Vec<_> = shown.into_iter().filter(|names| !names.is_empty()).collect();
        if let Some(last) = shown.last_mut().filter(|_| source.inferred) {
            last.push_str(" (inferred from the paths)");
        }
        shown.into_iter().chain(stand_in).collect::<Vec<_>>().join(", else ")
    }

    fn not_called(&self, text: &mut String) {
        if self.plan.not_called.is_empty() {
            return;
        }
        let _ = writeln!(text, "not called");
        for (id, reason) in &self.plan.not_called {
            let _ = writeln!(text, "  {}: {reason}", self.contract.operation(*id).name);
        }
        text.push('\n');
    }
}
