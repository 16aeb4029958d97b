//! Records a visit of a contact to the venue of a given name, with the UTC offset of the place where it happened.
//!
//! `COUNTERSIGN_TOKEN=… cargo run --example record_visit --no-default-features -- https://contacts.example.com
//! 3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52 'Sample Hall' 2024-05-17T09:30:00+02:00`

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "an example reads its own environment"
)]

use std::env;
use std::error::Error;
use std::process::ExitCode;

use chrono::{DateTime, FixedOffset};
use countersign::client::{Client, ClientError, types};
use futures::TryStreamExt;

const USAGE: &str = "usage: record_visit BASE_URL CONTACT_ID VENUE_NAME DATETIME, with the token in COUNTERSIGN_TOKEN";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("record_visit: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let ([base_url, contact, venue, datetime], Ok(token)) = (&arguments[..], env::var("COUNTERSIGN_TOKEN")) else {
        return Err(USAGE.into());
    };
    // Anything wrong with the arguments is reported before anything is sent.
    let client = Client::new(base_url, token.parse()?)?;
    let datetime: DateTime<FixedOffset> = datetime
        .parse()
        .map_err(|_| format!("`{datetime}` is not a time with an offset, such as 2024-05-17T09:30:00+02:00 or …Z"))?;

    let visit = types::VisitInput {
        contact_id: Some(contact.clone()),
        venue_id: Some(venue_named(&client, venue).await?),
        datetime: Some(datetime),
    };
    match client.create_visit().body(visit).send().await {
        Ok(created) => {
            let id = created.data.as_ref().and_then(|visit| visit.id);
            println!(
                "recorded: {}",
                id.map_or_else(|| "the response names no id".to_owned(), |id| id.to_string())
            );
            Ok(())
        }
        // The body of a rejection is not documented; the caller may want to read it.
        Err(ClientError::Status { status, response }) => {
            let text = response.into_inner().text().await?;
            Err(format!("failed to record the visit: {status} {text}").into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the identifier of the only venue of this name. The walk goes to the end, because names need not be unique.
async fn venue_named(client: &Client, name: &str) -> Result<String, Box<dyn Error>> {
    let named = client
        .venues()
        .try_filter(|venue| std::future::ready(venue.name.as_deref() == Some(name)));
    let found: Vec<_> = named.try_collect().await?;
    match &found[..] {
        [types::Venue { id: Some(id), .. }] => Ok(id.clone()),
        [] => Err(format!("no venue is named `{name}`").into()),
        [_] => Err(format!("the venue `{name}` has no id").into()),
        several => Err(format!("{} venues are named `{name}`", several.len()).into()),
    }
}
