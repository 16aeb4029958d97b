//! Response times: the figures of an operation, and its lane in the timeline of the run.

use maud::{Markup, html};

use super::format::{milliseconds, percent};
use crate::report::exchanges::{ExchangeRecord, PurposeRecord};

/// The response times of some exchanges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    /// The median, in milliseconds.
    pub(super) median: f64,
    /// The longest, in milliseconds.
    pub(super) slowest: f64,
}

/// Returns the time until the response was complete, in milliseconds; none if no response came.
pub(super) fn elapsed(exchange: &ExchangeRecord) -> Option<f64> {
    exchange.response.as_ref().map(|response| response.elapsed_ms)
}

/// Returns the figures of these exchanges; none if no response came.
pub(super) fn figures(exchanges: &[&ExchangeRecord]) -> Option<Figures> {
    let mut times: Vec<f64> = exchanges.iter().copied().filter_map(elapsed).collect();
    times.sort_by(f64::total_cmp);
    let slowest = *times.last()?;
    let middle = times.len() / 2;
    let median = if times.len().is_multiple_of(2) {
        f64::midpoint(times[middle - 1], times[middle])
    } else {
        times[middle]
    };
    Some(Figures { median, slowest })
}

/// Returns the time from the start of the run to the last response, in milliseconds.
pub(super) fn span(exchanges: &[ExchangeRecord]) -> f64 {
    let end = |exchange: &ExchangeRecord| exchange.sent_ms + elapsed(exchange).unwrap_or(0.0);
    exchanges.iter().map(end).fold(0.0, f64::max).max(f64::MIN_POSITIVE)
}

/// Returns the CSS class of an exchange: a documented success, a failure of the target, or anything else.
pub(super) fn css_class(exchange: &ExchangeRecord) -> &'static str {
    match (&exchange.response, exchange.purpose) {
        (None, _) => "failed",
        (Some(response), _) if response.status >= 500 => "failed",
        (Some(response), PurposeRecord::Documented) if response.status < 400 => "plain",
        _ => "probe",
    }
}

/// Draws the exchanges of an operation over the time of the run. It is only visual: the list below has them all.
pub(super) fn lane(exchanges: &[&ExchangeRecord], span: f64) -> Markup {
    html! {
        svg.lane aria-hidden="true" focusable="false" width="100%" height="20" {
            line x1="0" x2="100%" y1="10" y2="10" {}
            @for exchange in exchanges {
                @let wide = (elapsed(exchange).unwrap_or(0.0) / span).max(0.003);
                rect class=(css_class(exchange)) x=(percent((exchange.sent_ms / span).min(1.0 - wide))) y="3" height="14"
                    width=(percent(wide)) data-exchange=(exchange.number) {
                    title {
                        (exchange.number) ": " (exchange.method) " " (exchange.path) ", "
                        (elapsed(exchange).map_or_else(|| "no response".to_owned(), milliseconds))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::sample_record;

    fn took(times: &[Option<f64>]) -> Vec<ExchangeRecord> {
        let exchange = sample_record().exchanges.remove(0);
        let timed = |time: &Option<f64>| {
            let mut exchange = exchange.clone();
            exchange.response = exchange.response.zip(*time).map(|(mut response, time)| {
                response.elapsed_ms = time;
                response
            });
            exchange
        };
        times.iter().map(timed).collect()
    }

    fn bounds(times: &[Option<f64>]) -> Option<(f64, f64)> {
        let exchanges = took(times);
        let figures = figures(&exchanges.iter().collect::<Vec<_>>());
        figures.map(|figures| (figures.median, figures.slowest))
    }

    #[test]
    fn the_median_is_the_middle_of_what_was_answered() {
        assert_eq!(bounds(&[]), None);
        assert_eq!(bounds(&[None]), None);
        assert_eq!(bounds(&[Some(3.0), None]), Some((3.0, 3.0)));
        assert_eq!(bounds(&[Some(9.0), Some(1.0), Some(2.0)]), Some((2.0, 9.0)));
        assert_eq!(bounds(&[Some(9.0), Some(1.0), Some(2.0), Some(4.0)]), Some((3.0, 9.0)));
    }

    #[test]
    fn no_mark_leaves_its_lane() {
        let mut exchanges = took(&[Some(0.0), Some(5.0), None]);
        exchanges[2].sent_ms = 40.0;
        let lane = lane(&exchanges.iter().collect::<Vec<_>>(), span(&exchanges)).into_string();
        let number = |name: &str| -> Vec<f64> {
            let begun = format!(" {name}=\"");
            let values = lane.split(&begun).skip(1);
            values
                .filter_map(|rest| rest.split_once("%\"")?.0.parse().ok())
                .collect()
        };
        let (starts, widths) = (number("x"), number("width"));
        assert_eq!((starts.len(), widths.len()), (3, 4));
        let within = starts
            .iter()
            .zip(&widths[1..])
            .all(|(start, width)| *start >= 0.0 && start + width <= 100.01);
        assert!(within, "{lane}");
    }
}
