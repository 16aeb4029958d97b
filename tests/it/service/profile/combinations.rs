//! Combinations picked by a seed: each axis takes any of its values.

use countersign::service::{AXES, Profile, ProfileSetting};

/// Returns the settings of so many profiles; the same seed draws the same ones.
pub(crate) fn profiles(seed: u64, count: usize) -> Vec<Vec<String>> {
    let mut state = seed;
    std::iter::repeat_with(|| pick(&mut state))
        .filter(|settings| possible(settings))
        .take(count)
        .collect()
}

fn pick(state: &mut u64) -> Vec<String> {
    let setting = |axis: &countersign::service::Axis, number: u64| {
        let values = u64::try_from(axis.values.len()).unwrap();
        let value = &axis.values[usize::try_from(number % values).unwrap()];
        format!("{}={}", axis.name, value.name)
    };
    AXES.iter().map(|axis| setting(axis, next(state))).collect()
}

/// The next number of `SplitMix64`.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Whether the values contradict each other nowhere.
fn possible(settings: &[String]) -> bool {
    let settings: Vec<_> = settings
        .iter()
        .map(|text| ProfileSetting::parse(text).unwrap())
        .collect();
    Profile::of(&settings).is_ok()
}
