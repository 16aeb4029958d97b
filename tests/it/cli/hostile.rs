//! Responses that no HTTP library would send. Each costs bounded time and memory, is reported correctly, leaves the
//! verdicts on all other operations unchanged, and reveals neither the token nor a value of the target's data.
//!
//! A behaviour is one entry in one of the tables below; [`case`] has what holds for all of them.

mod bodies;
mod case;
mod everywhere;
mod heads;
mod secrets;
mod values;

use std::io::Write as _;

use self::case::try_all;
use super::stub::{Received, Stub, sound};
use super::support::{TOKEN, check};
use crate::support::sampled;

#[test]
fn every_behaviour_is_bounded_reported_for_what_it_is_and_gives_nothing_away() {
    let tables = [
        heads::behaviours(),
        bodies::behaviours(),
        values::behaviours(),
        secrets::behaviours(),
        everywhere::behaviours(),
    ];
    assert!(tables.iter().flatten().count() >= 40);
    // Each is a process of its own: of each table every 25th, but where everything is tried.
    try_all(tables.into_iter().flat_map(|table| sampled(25, table)).collect());
}

#[test]
fn a_proxy_of_the_environment_sees_nothing() {
    let proxy = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let call = check(&target.url(), &[]);
    let call = call.env("http_proxy", &proxy.url()).env("HTTPS_PROXY", &proxy.url());
    let ended = call.env("ALL_PROXY", &proxy.url()).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(proxy.received().len(), 0);
}

#[test]
fn the_token_goes_into_authorization_and_nowhere_else() {
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    check(&target.url(), &["--writes", "--settle", "0"]).run();
    let received = target.received();
    assert!(received.iter().any(Received::authorized));
    for request in received {
        assert!(!request.body.contains(TOKEN), "{request:?}");
        for line in request.head.lines().filter(|line| line.contains(TOKEN)) {
            let name = line.split(": ").next().unwrap();
            assert!(name.eq_ignore_ascii_case("authorization"), "{line}");
        }
    }
}
