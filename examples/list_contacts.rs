//! Prints how many contacts each country of residence has: a walk over all pages that holds one page at a time.
//!
//! `COUNTERSIGN_TOKEN=… cargo run --example list_contacts --no-default-features -- https://contacts.example.com`

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program is its own edge"
)]

use std::collections::BTreeMap;
use std::env;
use std::error::Error;

use countersign::client::Client;
use futures::TryStreamExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let base_url = env::args().nth(1).ok_or("give the base URL as the argument")?;
    let client = Client::new(&base_url, env::var("COUNTERSIGN_TOKEN")?.parse()?)?;

    let mut countries = BTreeMap::<_, u64>::new();
    let mut contacts = client.contacts();
    while let Some(contact) = contacts.try_next().await? {
        *countries
            .entry(contact.country_of_residence.unwrap_or_default())
            .or_default() += 1;
    }
    for (country, contacts) in countries {
        println!("{contacts:>8} {country}");
    }
    Ok(())
}
