//! The profile: every value of every axis shows on the wire as named, and every combination conforms to the document.

mod answers;
mod awkward;
pub(crate) mod checker;
pub(crate) mod combinations;
mod command;
mod conforming;
mod cost;
mod learning;
mod likenesses;
mod observing;
mod overlay;
mod pairs;
mod void_trials;
mod wire;

use std::sync::LazyLock;
use std::time::Instant;

use chrono::{DateTime, Utc};
use countersign::service::{self, AXES, Profile, ProfileSetting, Service, StoreUrl};
use serde_json::Value;

use super::contract;
use super::support::{Running, TOKEN};
use crate::support::{sampled, tried};

/// Makes the profile of settings written as `axis=value`.
pub(super) fn profile(settings: &[String]) -> Profile {
    let settings: Vec<_> = settings
        .iter()
        .map(|text| ProfileSetting::parse(text).unwrap())
        .collect();
    Profile::of(&settings).unwrap()
}

/// The time by tokio's clock, which a test may pause: what comes late comes when that has jumped.
#[expect(
    clippy::disallowed_methods,
    reason = "the clock of the service, which begins with the machine's time"
)]
fn now() -> DateTime<Utc> {
    static BEGUN: LazyLock<(Instant, DateTime<Utc>)> = LazyLock::new(|| (Instant::now(), Utc::now()));
    let (instant, time) = *BEGUN;
    time + tokio::time::Instant::now().into_std().duration_since(instant)
}

/// The service over a fresh store in memory with these settings.
pub(super) async fn app(settings: &[String]) -> axum::Router {
    let profile = profile(settings).with_clock(now);
    let service = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile);
    service::app(service.await.unwrap())
}

/// Starts it.
pub(super) async fn with(settings: &[String]) -> Running {
    Running::serve(app(settings).await).await
}

/// The values that are tried by themselves: every one but the defaults; in `cargo test` one of each axis, of the next
/// axis the next one.
pub(crate) fn single_values() -> Vec<(&'static service::Axis, &'static service::AxisValue)> {
    let values = |(turn, axis): (usize, &'static service::Axis)| {
        let others = &axis.values[1..];
        let in_turn = others.iter().cycle().skip(turn % others.len());
        in_turn.take(tried(1, others.len())).map(move |value| (axis, value))
    };
    AXES.iter().enumerate().flat_map(values).collect()
}

/// The same, each as `axis=value`.
pub(crate) fn single_settings() -> Vec<String> {
    let written = |(axis, value): (&service::Axis, &service::AxisValue)| format!("{}={}", axis.name, value.name);
    single_values().into_iter().map(written).collect()
}

/// Returns the value that settings have for an axis: the one that is set, else the default.
fn value<'a>(settings: &'a [String], axis: &str) -> &'a str {
    let set = settings
        .iter()
        .find_map(|setting| setting.strip_prefix(axis)?.strip_prefix('='));
    set.unwrap_or_else(|| AXES.iter().find(|known| known.name == axis).unwrap().values[0].name)
}

/// Those of them whose service is checked: in `cargo test` every fifteenth one.
pub(crate) fn checked_settings() -> Vec<String> {
    sampled(15, single_settings()).collect()
}

/// Those of them whose service is asked: in `cargo test` every thirtieth one.
fn asked_settings() -> Vec<String> {
    sampled(30, single_settings()).collect()
}

fn first(page: &Value) -> Value {
    page["data"]["items"][0].clone()
}
