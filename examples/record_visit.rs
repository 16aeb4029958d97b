//! Records a visit of a contact to the venue of a given name, with the offset of the place where it happened.
//!
//! `COUNTERSIGN_TOKEN=… cargo run --example record_visit --no-default-features -- https://contacts.example.com
//! 3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52 'Sample Hall' 2024-05-17T09:30:00+02:00`

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program is its own edge"
)]

use std::env;
use std::error::Error;

use countersign::client::{CallError, Client, types};
use futures::TryStreamExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [base_url, contact, name, datetime] = &arguments[..] else {
        return Err("give base URL, contact, venue and datetime".into());
    };
    let client = Client::new(base_url, env::var("COUNTERSIGN_TOKEN")?.parse()?)?;

    let venues = client
        .venues()
        .try_filter(|venue| std::future::ready(venue.name.as_ref() == Some(name)));
    let venue = Box::pin(venues).try_next().await?.ok_or("no venue has this name")?;

    let visit = types::VisitInput {
        contact_id: Some(contact.clone()),
        venue_id: venue.id,
        datetime: Some(datetime.parse()?),
    };
    match client.create_visit().body(visit).send().await {
        Ok(created) => println!("recorded: {:?}", created.data.as_ref().and_then(|visit| visit.id)),
        // What a refusal says is not documented; whoever calls may want to read it.
        Err(CallError::UnexpectedResponse(refusal)) => println!("{}: {}", refusal.status(), refusal.text().await?),
        Err(error) => return Err(countersign::client::ClientError::from(error).into()),
    }
    Ok(())
}
