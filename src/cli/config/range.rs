//! What numbers a setting takes, in flags and in files alike.

/// More than 0, and at most as many as a day has seconds.
///
/// # Errors
///
/// What the number must be.
pub(in crate::cli) fn positive(value: f64) -> Result<f64, String> {
    seconds(value).and_then(|value| {
        if value > 0.0 {
            Ok(value)
        } else {
            Err("it must be more than 0".to_owned())
        }
    })
}

/// At most a day.
///
/// # Errors
///
/// What the number must be.
pub(in crate::cli) fn seconds(value: f64) -> Result<f64, String> {
    if (0.0..=86_400.0).contains(&value) {
        Ok(value)
    } else {
        Err("it must be from 0 to 86400".to_owned())
    }
}

/// A part of a whole.
///
/// # Errors
///
/// What the number must be.
pub(in crate::cli) fn percent(value: f64) -> Result<f64, String> {
    if (0.0..=100.0).contains(&value) {
        Ok(value)
    } else {
        Err("it must be from 0 to 100".to_owned())
    }
}

/// One at least.
///
/// # Errors
///
/// What the number must be.
pub(in crate::cli) fn at_least_one(value: u64) -> Result<u64, String> {
    if value > 0 {
        Ok(value)
    } else {
        Err("it must be 1 at least".to_owned())
    }
}

/// As many requests as may be under way at once.
///
/// # Errors
///
/// What the number must be.
pub(in crate::cli) fn jobs(value: u16) -> Result<u16, String> {
    if (1..=256).contains(&value) {
        Ok(value)
    } else {
        Err("it must be from 1 to 256".to_owned())
    }
}
