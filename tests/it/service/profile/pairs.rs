//! Combinations: a set of profiles that contains every pair of values of any two axes.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use countersign::service::{AXES, Profile, ProfileSetting};

use super::conforming::conform;
use crate::support::tried;

/// A value: the positions of the axis and of the value.
type Chosen = (usize, usize);
type Pair = (Chosen, Chosen);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_two_values_conform_together() {
    conform(profiles()).await;
}

#[test]
fn any_two_values_meet_in_few_profiles() {
    let rows = rows();
    let mut left = pairs();
    rows.iter().for_each(|row| left.retain(|pair| !meets(row, pair)));
    assert!(left.is_empty(), "{left:?}");
    assert!(rows.len() < 80, "{} profiles", rows.len());
}

/// Returns the settings of profiles in which any two values meet, or of the first few, in which many of them do.
pub(super) fn profiles() -> Vec<Vec<String>> {
    let rows = rows();
    let tried = tried(rows.len() / 32, rows.len());
    rows.iter().take(tried).map(|row| settings(row)).collect()
}

/// Returns profiles, each the values of all axes, that cover all pairs.
fn rows() -> &'static [Vec<usize>] {
    static ROWS: LazyLock<Vec<Vec<usize>>> = LazyLock::new(covering);
    &ROWS
}

/// Finds them: greedily, and the same ones every time.
fn covering() -> Vec<Vec<usize>> {
    let mut left = pairs();
    let mut rows = Vec::new();
    while let Some(seed) = left.first().copied() {
        let mut row: Vec<Option<usize>> = vec![None; AXES.len()];
        row[seed.0.0] = Some(seed.0.1);
        row[seed.1.0] = Some(seed.1.1);
        for axis in 0..AXES.len() {
            if row[axis].is_none() {
                row[axis] = Some(best(axis, &row, &left));
            }
        }
        let row: Vec<usize> = row.into_iter().flatten().collect();
        left.retain(|pair| !meets(&row, pair));
        rows.push(row);
    }
    rows
}

/// Returns the value of `axis` that makes most new pairs with what a row has.
fn best(axis: usize, row: &[Option<usize>], left: &BTreeSet<Pair>) -> usize {
    let others: Vec<Chosen> = row
        .iter()
        .enumerate()
        .filter_map(|(other, value)| Some((other, (*value)?)))
        .collect();
    let values = (0..AXES[axis].values.len())
        .filter(|value| others.iter().all(|other| possible(&ordered((axis, *value), *other))));
    let gain = |value: &usize| {
        others
            .iter()
            .filter(|other| left.contains(&ordered((axis, *value), **other)))
            .count()
    };
    values.rev().max_by_key(gain).unwrap()
}

fn pairs() -> BTreeSet<Pair> {
    let chosen: Vec<Chosen> = AXES
        .iter()
        .enumerate()
        .flat_map(|(axis, named)| (0..named.values.len()).map(move |value| (axis, value)))
        .collect();
    let of = |left: Chosen| chosen.iter().map(move |right| (left, *right));
    let all = chosen
        .iter()
        .copied()
        .flat_map(of)
        .filter(|(left, right)| left.0 < right.0);
    all.filter(possible).collect()
}

/// Returns whether two values make a profile: two that contradict each other never meet.
fn possible(pair: &Pair) -> bool {
    let setting = |(axis, value): Chosen| setting(axis, value);
    let settings: Vec<_> = [pair.0, pair.1].into_iter().map(setting).collect();
    let settings: Vec<_> = settings
        .iter()
        .map(|text| ProfileSetting::parse(text).unwrap())
        .collect();
    Profile::of(&settings).is_ok()
}

fn ordered(left: Chosen, right: Chosen) -> Pair {
    (left.min(right), left.max(right))
}

fn meets(row: &[usize], (left, right): &Pair) -> bool {
    row[left.0] == left.1 && row[right.0] == right.1
}

fn settings(row: &[usize]) -> Vec<String> {
    row.iter()
        .enumerate()
        .map(|(axis, value)| setting(axis, *value))
        .collect()
}

fn setting(axis: usize, value: usize) -> String {
    format!("{}={}", AXES[axis].name, AXES[axis].values[value].name)
}
