//! Runs a check of a subject and keeps the shapes of its responses. The entry point is [`shapes`].

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use countersign::Recording;
use countersign::plan::Plan;
use countersign::report::shapes::{ObservedShapes, ResponseShapes};
use countersign::report::{Outcome, Record, Terminal, Verbosity};
use countersign::run::Event;
use countersign::{Check, Contract};

use super::subject::Subject;

/// The snapshot of what rejections look like.
pub(super) const ERRORS: &str = "envelope_errors";

const SEED: u64 = 1;

/// The contract that responses are held against.
pub(super) fn contract() -> &'static Contract {
    crate::support::built_in()
}

/// What each snapshot holds of a subject, and the operations that were not called.
#[derive(Debug)]
pub(super) struct Shapes {
    pub(super) by_name: BTreeMap<String, ResponseShapes>,
    pub(super) not_called: Vec<String>,
}

/// Checks the subject as `countersign check` does, and returns the shapes of its responses by the name of their
/// snapshot.
///
/// # Errors
///
/// The checker's own verdict where it could not judge, or the operations of which nothing was shown.
pub(super) async fn shapes(subject: &Subject) -> Result<Shapes, String> {
    let (observed, plan, verdict) = observed(subject).await?;
    by_name(&observed, &plan).map_err(|silent| format!("nothing was decided on the responses of {silent}: {verdict}"))
}

/// The same of a check with writes that was recorded.
///
/// # Errors
///
/// The operations of which nothing was shown.
pub(super) fn recorded(recording: &Recording) -> Result<Shapes, String> {
    static PLAN: LazyLock<Plan> = LazyLock::new(|| {
        let check = Check::new(Arc::clone(crate::support::built_in())).token("any");
        check.writes(true).seed(SEED).plan().unwrap()
    });
    let mut observed = ObservedShapes::new(contract());
    let exchanges = recording.exchanges();
    exchanges.for_each(|(exchange, intent)| observed.add(exchange, intent));
    by_name(&observed, &PLAN)
}

fn by_name(observed: &ObservedShapes<'_>, plan: &Plan) -> Result<Shapes, String> {
    let mut shapes = Shapes {
        by_name: BTreeMap::new(),
        not_called: Vec::new(),
    };
    let mut silent = Vec::new();
    for id in contract().operation_ids() {
        let operation = contract().operation(id);
        let Some(responses) = observed.successes(id) else {
            let not_called = plan.not_called.iter().any(|(other, _)| *other == id);
            let list = if not_called {
                &mut shapes.not_called
            } else {
                &mut silent
            };
            list.push(operation.name.clone());
            continue;
        };
        if let Some(envelopes) = responses.envelopes(operation) {
            shapes.by_name.insert(format!("envelope_{}", operation.name), envelopes);
        }
        shapes
            .by_name
            .insert(format!("response_{}", operation.name), responses.clone());
    }
    if !silent.is_empty() {
        return Err(silent.join(", "));
    }
    if !observed.errors().is_empty() {
        shapes.by_name.insert(ERRORS.to_owned(), observed.errors().clone());
    }
    Ok(shapes)
}

async fn observed(subject: &Subject) -> Result<(ObservedShapes<'static>, Plan, String), String> {
    let check = Check::new(Arc::clone(crate::support::built_in())).token(subject.token.as_str());
    let check = check.writes(subject.writes).seed(SEED);
    let check = match &subject.service {
        // It shows at once what it stores.
        Some(service) => check.service(service.clone()).settle(Duration::ZERO),
        None => check.url(subject.url.as_str()),
    };
    let plan = check.plan().map_err(|error| error.to_string())?;
    let mut observed = ObservedShapes::new(contract());
    let mut see = |event: Event<'_>| {
        if let Event::Exchanged(exchanged) = event {
            observed.add(exchanged.exchange, exchanged.intent);
        }
    };
    let report = check.run_watched(&mut see).await.map_err(|error| error.to_string())?;
    let record = report.into_record();
    print_residue(subject, &record);
    let verdict = verdict(&record);
    match record.outcome {
        Outcome::Conforms | Outcome::DoesNotConform => Ok((observed, plan, verdict)),
        Outcome::CouldNotJudge | Outcome::Interrupted | Outcome::WriteLogFailed => Err(verdict),
    }
}

fn verdict(record: &Record) -> String {
    let terminal = Terminal {
        verbosity: Verbosity::Quiet,
        ..Terminal::default()
    };
    terminal.report(record).trim_end().to_owned()
}

/// Nothing can be deleted in a deployed service, so what was left there is printed.
#[expect(
    clippy::print_stdout,
    reason = "who holds a deployed service reads what the test left there"
)]
fn print_residue(subject: &Subject, record: &Record) {
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
