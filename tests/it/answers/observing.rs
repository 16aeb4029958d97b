//! Runs a check of a subject and keeps the shapes of what it answered. The way in is [`shapes`].

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Instant;

use chrono::DateTime;
use countersign::client::Token;
use countersign::contract::Contract;
use countersign::exchange::redact::Values;
use countersign::exchange::{Limits, Target, Transport};
use countersign::plan::{Mark, Plan, Scope};
use countersign::report::shapes::{Answers, Observed};
use countersign::report::{Exchanges, Outcome, Record, RunFacts, Terminal, Verbosity, record};
use countersign::run::{self, Event, Settings};

use super::subject::Subject;

/// The snapshot of what refusals look like.
pub(super) const ERRORS: &str = "envelope_errors";

const SEED: u64 = 1;

/// The contract that answers are held against.
pub(super) fn contract() -> &'static Contract {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::built_in().unwrap());
    &CONTRACT
}

/// What each snapshot holds of a subject, and the operations that were not called.
#[derive(Debug)]
pub(super) struct Shapes {
    pub(super) by_name: BTreeMap<String, Answers>,
    pub(super) not_called: Vec<String>,
}

/// Checks the subject as `countersign check` does, and returns the shapes of its answers by the name of their snapshot.
///
/// # Errors
///
/// The checker's own verdict where it could not judge, or the operations of which nothing was shown.
pub(super) async fn shapes(subject: &Subject) -> Result<Shapes, String> {
    let (observed, plan, verdict) = observed(subject).await?;
    let mut shapes = Shapes {
        by_name: BTreeMap::new(),
        not_called: Vec::new(),
    };
    let mut silent = Vec::new();
    for id in contract().operation_ids() {
        let operation = contract().operation(id);
        let Some(answers) = observed.successes(id) else {
            let not_called = plan.not_called.iter().any(|(other, _)| *other == id);
            let list = if not_called {
                &mut shapes.not_called
            } else {
                &mut silent
            };
            list.push(operation.name.clone());
            continue;
        };
        if let Some(envelopes) = answers.envelopes(operation) {
            shapes.by_name.insert(format!("envelope_{}", operation.name), envelopes);
        }
        shapes
            .by_name
            .insert(format!("answer_{}", operation.name), answers.clone());
    }
    if !silent.is_empty() {
        let silent = silent.join(", ");
        return Err(format!("nothing was decided on the answers of {silent}: {verdict}"));
    }
    if !observed.errors().is_empty() {
        shapes.by_name.insert(ERRORS.to_owned(), observed.errors().clone());
    }
    Ok(shapes)
}

async fn observed(subject: &Subject) -> Result<(Observed<'static>, Plan, String), String> {
    let target = Target::parse(&subject.url).map_err(|error| format!("failed to read the base URL: {error}"))?;
    let token = Token::new(subject.token.as_str()).map_err(|error| format!("failed to take the token: {error}"))?;
    let settings = settings();
    let scope = Scope {
        writes: subject.writes,
        token: true,
        seed: SEED,
        ..Scope::default()
    };
    let wrong = settings.mark.wrong_token();
    let transport = Transport::new(target.clone(), Some(token), wrong, Limits::default()).unwrap();
    let plan = Plan::new(contract(), &scope);
    let mut observed = Observed::new(contract());
    let mut emit = |event: Event<'_>| {
        if let Event::Exchanged(exchange) = event {
            observed.see(exchange);
        }
    };
    let started = Instant::now();
    let uninterrupted = std::future::pending();
    let run = run::run(contract(), &plan, &transport, &settings, (&mut emit, uninterrupted)).await;
    let record = record(
        &run,
        Exchanges::new(contract(), Values::Hidden, transport.redaction()),
        &RunFacts {
            contract: contract(),
            target: &target,
            seed: SEED,
            started_at: DateTime::UNIX_EPOCH,
            duration: started.elapsed(),
            require_facts: None,
            values: Values::Hidden,
            redaction: &transport.redaction(),
        },
    );
    tell_residue(subject, &record);
    let verdict = verdict(&record);
    match record.outcome {
        Outcome::Conforms | Outcome::DoesNotConform => Ok((observed, plan, verdict)),
        Outcome::CouldNotJudge | Outcome::Interrupted | Outcome::NotRecorded => Err(verdict),
    }
}

/// What a check does where no flag says otherwise.
fn settings() -> Settings {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    Settings::new(Mark::new(SEED, now.as_secs()))
}

fn verdict(record: &Record) -> String {
    let terminal = Terminal {
        verbosity: Verbosity::Quiet,
        ..Terminal::default()
    };
    terminal.report(record).trim_end().to_owned()
}

/// Nothing can be deleted in a deployed service, so what was left there is told.
#[expect(
    clippy::print_stdout,
    reason = "who holds a deployed service reads what the test left there"
)]
fn tell_residue(subject: &Subject, record: &Record) {
    if subject.rows_are_known {
        return;
    }
    for left in &record.residue {
        println!(
            "left in the target: {} {}",
            left.operation,
            left.id.as_deref().unwrap_or("?")
        );
    }
}
