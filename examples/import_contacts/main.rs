//! Imports contacts from a CSV file, a few at a time. The resume file keeps the outcome of each line, so that a run
//! that was killed continues where it stopped and no contact is sent twice.
//!
//! `COUNTERSIGN_TOKEN=… cargo run --example import_contacts --no-default-features -- https://contacts.example.com
//! contacts.csv contacts.resume`
//!
//! The first line of the CSV file names the columns: any of `firstname`, `lastname`, `dob`, `gender`, `nationality`,
//! `country_of_residence`, `venue_id`, `contact_type` and `contact`. A field with an empty cell is not sent.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "an example reads its own environment"
)]

mod resume;
mod row;

use std::env;
use std::error::Error;
use std::process::ExitCode;

use countersign::client::{Client, ClientError};
use futures::{StreamExt, stream};

use resume::{Outcome, Resume};
use row::Line;

const USAGE: &str = "usage: import_contacts BASE_URL CSV_FILE RESUME_FILE, with the token in COUNTERSIGN_TOKEN";

/// How many contacts are being sent at once.
const JOBS: usize = 4;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("import_contacts: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Imports the lines that are not imported yet; returns whether every line is imported.
async fn run() -> Result<bool, Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let ([base_url, file, resume], Ok(token)) = (&arguments[..], env::var("COUNTERSIGN_TOKEN")) else {
        return Err(USAGE.into());
    };
    let client = Client::new(base_url, token.parse()?)?;
    let lines = row::lines(file).map_err(|problem| format!("`{file}`: {problem}"))?;
    let resume = Resume::open(resume).map_err(|problem| format!("`{resume}`: {problem}"))?;

    let mut ends = stream::iter(lines)
        .map(|line| import(&client, &resume, line))
        .buffer_unordered(JOBS);
    let (mut imported, mut before, mut failed) = (0_u64, 0_u64, 0_u64);
    let mut stopped = None;
    while let Some((number, end)) = ends.next().await {
        match end {
            End::Imported => imported += 1,
            End::ImportedBefore => before += 1,
            End::Failed(problem) => {
                failed += 1;
                eprintln!("line {number}: {problem}");
            }
            End::Stop(problem) => {
                // Requests under way are finished, and no further one is sent.
                stopped.get_or_insert(format!("line {number}: {problem}"));
                resume.close();
            }
            End::NotTried => {}
        }
    }
    println!("{imported} imported, {before} imported before, {failed} failed");
    stopped.map_or(Ok(failed == 0), |problem| Err(problem.into()))
}

/// The outcome of a line in this run.
enum End {
    Imported,
    ImportedBefore,
    Failed(String),
    NotTried,
    /// Every other line would fail too.
    Stop(String),
}

async fn import(client: &Client, resume: &Resume, line: Line) -> (u64, End) {
    (line.number, imported(client, resume, line).await)
}

async fn imported(client: &Client, resume: &Resume, line: Line) -> End {
    let key = line.key;
    let contact = match line.contact {
        Ok(contact) => contact,
        Err(problem) => return End::Failed(problem),
    };
    match resume.outcome(line.number, key) {
        Ok(Some(Outcome::Imported)) => return End::ImportedBefore,
        Ok(Some(Outcome::Sent)) => return End::Failed(Resume::unknown()),
        Ok(Some(Outcome::Rejected) | None) => {}
        Err(problem) => return End::Failed(problem),
    }
    if resume.is_closed() {
        return End::NotTried;
    }
    // Written before the request, so that a killed run leaves the line marked as possibly imported.
    if let Err(error) = resume.write(line.number, key, Outcome::Sent) {
        return End::Stop(format!("failed to write the resume file: {error}"));
    }
    let response = client.create_contact().body(contact).send().await;
    let (outcome, end) = settled(response.err());
    match outcome.map(|outcome| resume.write(line.number, key, outcome)) {
        Some(Err(error)) => End::Stop(format!("failed to write the resume file: {error}")),
        _ => end,
    }
}

/// Returns what is known after a request: nothing is written if it may or may not have been carried out.
fn settled(error: Option<ClientError>) -> (Option<Outcome>, End) {
    let Some(error) = error else {
        return (Some(Outcome::Imported), End::Imported);
    };
    match &error {
        // A success that cannot be read still counts as a success.
        ClientError::Decode { .. } => (Some(Outcome::Imported), End::Imported),
        ClientError::Status { status, .. } if matches!(status.as_u16(), 401 | 403) => {
            (Some(Outcome::Rejected), End::Stop(error.to_string()))
        }
        ClientError::Status { status, .. } if status.is_client_error() && status.as_u16() != 408 => {
            (Some(Outcome::Rejected), End::Failed(error.to_string()))
        }
        ClientError::Transport(source) if source.is_connect() => {
            (Some(Outcome::Rejected), End::Stop(error.to_string()))
        }
        _ => (None, End::Failed(format!("{error}; {}", Resume::unknown()))),
    }
}
