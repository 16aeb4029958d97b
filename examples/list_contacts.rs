//! Writes all contacts as CSV to the standard output. It keeps one page in memory at a time, however many contacts
//! there are.
//!
//! `COUNTERSIGN_TOKEN=… cargo run --example list_contacts --no-default-features -- https://contacts.example.com`

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "an example reads its own environment"
)]

use std::env;
use std::error::Error;
use std::io;
use std::process::ExitCode;

use countersign::client::{Client, types};
use futures::TryStreamExt;

const USAGE: &str = "usage: list_contacts BASE_URL, with the token in COUNTERSIGN_TOKEN";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("list_contacts: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let ([base_url], Ok(token)) = (&arguments[..], env::var("COUNTERSIGN_TOKEN")) else {
        return Err(USAGE.into());
    };
    let client = Client::new(base_url, token.parse()?)?;

    let mut table = csv::Writer::from_writer(io::stdout().lock());
    table.write_record([
        "id", "firstname", "lastname", "email", "phone", "country_of_residence", "status", "created_at",
    ])?;
    let mut contacts = client.contacts();
    let mut written = 0_u64;
    while let Some(contact) = contacts.try_next().await.inspect_err(|_| print_count(written))? {
        table.write_record(row(&contact))?;
        written += 1;
    }
    table.flush()?;
    print_count(written);
    Ok(())
}

/// A field that the service did not return becomes an empty cell.
fn row(contact: &types::ContactListed) -> [&str; 8] {
    [
        &contact.id,
        &contact.firstname,
        &contact.lastname,
        &contact.email,
        &contact.phone,
        &contact.country_of_residence,
        &contact.status,
        &contact.created_at,
    ]
    .map(|cell| cell.as_deref().unwrap_or_default())
}

fn print_count(written: u64) {
    eprintln!("{written} contacts written");
}
