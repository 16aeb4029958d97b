//! Retries reads when the service throttles: [`send`], within the limits of the client's settings.

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use reqwest::{Client, Method, Request, Response, StatusCode};

use super::Settings;

/// Sends `request`. A GET that gets 429 or 503 is sent again, after the time that the response asks for.
///
/// A write is never retried: a response of these statuses does not promise that nothing was written.
pub(super) async fn send(client: &Client, mut request: Request, settings: &Settings) -> reqwest::Result<Response> {
    let mut attempt = 1;
    loop {
        let may_retry = request.method() == Method::GET && attempt < settings.max_attempts;
        let retry = may_retry.then(|| request.try_clone()).flatten();
        let response = client.execute(request).await?;
        let throttled = matches!(
            response.status(),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
        );
        match retry {
            Some(retry) if throttled => request = retry,
            _ => return Ok(response),
        }
        tokio::time::sleep(wait(response.headers(), attempt).min(settings.max_wait)).await;
        attempt += 1;
    }
}

/// Returns how long a response asks to wait; if it does not say, a quarter of a second, doubled with each attempt.
fn wait(headers: &HeaderMap, attempt: u32) -> Duration {
    const FIRST_WAIT: Duration = Duration::from_millis(250);
    retry_after(headers).unwrap_or_else(|| FIRST_WAIT.saturating_mul(1 << attempt.saturating_sub(1).min(16)))
}

/// Reads `Retry-After` by RFC 9110, section 10.2.3: seconds or a date. A date is compared with the response's own
/// `Date`, so that the clocks of the two sides need not agree.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let value = text(RETRY_AFTER)?;
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number with too many digits is a long time too.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let now = httpdate::parse_http_date(text(DATE)?).ok()?;
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(headers: &[(HeaderName, &'static str)], attempt: u32) -> Duration {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), value.parse().unwrap()));
        wait(&headers.collect(), attempt)
    }

    #[test]
    fn seconds_are_honoured() {
        assert_eq!(waits(&[(RETRY_AFTER, "7")], 1), Duration::from_secs(7));
        assert_eq!(waits(&[(RETRY_AFTER, "0")], 3), Duration::ZERO);
        assert_eq!(
            waits(&[(RETRY_AFTER, "99999999999999999999999")], 1),
            Duration::from_secs(u64::MAX)
        );
    }

    #[test]
    fn a_date_is_held_against_the_date_of_the_response() {
        let now = (DATE, "Fri, 17 May 2024 09:30:00 GMT");
        assert_eq!(
            waits(&[(RETRY_AFTER, "Fri, 17 May 2024 09:30:05 GMT"), now.clone()], 1),
            Duration::from_secs(5)
        );
        assert_eq!(
            waits(&[(RETRY_AFTER, "Fri, 17 May 2024 09:29:00 GMT"), now], 1),
            Duration::ZERO
        );
    }

    #[test]
    fn what_says_nothing_waits_longer_each_time() {
        for unclear in ["soon", "-1", "1.5", "", "Fri, 17 May 2024 09:30:05 GMT"] {
            assert_eq!(
                waits(&[(RETRY_AFTER, unclear)], 1),
                Duration::from_millis(250),
                "{unclear}"
            );
        }
        assert_eq!(waits(&[], 3), Duration::from_secs(1));
        assert!(waits(&[], u32::MAX) > Duration::from_secs(60));
    }
}
