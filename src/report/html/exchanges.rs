//! The exchanges: the response times of each operation, and each exchange as a shape.

use maud::{Markup, html};

use super::format::{count, counted, milliseconds, number, percent};
use super::indent::indent;
use super::overview::name;
use super::timing;
use super::timing::{elapsed, figures, lane, span};
use super::view::View;
use crate::report::exchanges::{CredentialRecord, ExchangeRecord, PurposeRecord, ResponseRecord};

/// Returns the section.
pub(super) fn section(view: &View<'_>) -> Markup {
    let exchanges = &view.record.exchanges;
    let slowest = exchanges.iter().filter_map(elapsed).fold(0.0, f64::max);
    html! {
        section #exchanges aria-labelledby="exchanges-title" {
            h2 #exchanges-title { "Exchanges " span.number { (count(exchanges.len())) } }
            @if exchanges.is_empty() {
                p.none { "No exchange was recorded." }
            } @else {
                (times(view))
                @if view.record.exchanges_left_out > 0 {
                    p.hint { (number(view.record.exchanges_left_out)) " more took place and are not shown here." }
                }
                p.orders hidden {
                    span #orders-label { "Order" }
                    button.chip type="button" data-order="sent" aria-pressed="true" { "as they ended" }
                    button.chip type="button" data-order="slow" aria-pressed="false" { "slowest first" }
                }
                p.no-match hidden { "No exchange matches the filter." }
                div.list { @for each in exchanges { (exchange(view, each, slowest)) } }
            }
        }
    }
}

/// Returns the table of response times.
fn times(view: &View<'_>) -> Markup {
    let span = span(&view.record.exchanges);
    html! {
        div.wide tabindex="0" role="region" aria-label="Times by operation" {
            table.times {
                caption.screen-reader-only { "How long the responses of each operation took" }
                thead {
                    tr {
                        th scope="col" { "Operation" } th scope="col" { "Responses" } th scope="col" { "Median" }
                        th scope="col" { "Slowest" } th scope="col" { "Over " (milliseconds(span)) }
                    }
                }
                tbody {
                    @for operation in view.operations.iter().filter(|operation| !operation.exchanges.is_empty()) {
                        @let figures = figures(&operation.exchanges);
                        tr {
                            th scope="row" { (name(operation)) }
                            td { (count(operation.exchanges.iter().filter(|exchange| exchange.response.is_some()).count())) }
                            td { @if let Some(figures) = figures { (milliseconds(figures.median)) } @else { "–" } }
                            td { @if let Some(figures) = figures { (milliseconds(figures.slowest)) } @else { "–" } }
                            td { (lane(&operation.exchanges, span)) }
                        }
                    }
                }
            }
        }
    }
}

fn exchange(view: &View<'_>, exchange: &ExchangeRecord, slowest: f64) -> Markup {
    let operation = view
        .operation(&exchange.operation)
        .map_or(0, |operation| operation.number);
    let css_class = if view.is_at_fault(exchange.number) {
        "exchange at-fault"
    } else {
        "exchange"
    };
    html! {
        details class=(css_class) #{ "exchange-" (exchange.number) } data-operation=(operation)
            data-ms=[elapsed(exchange)] {
            summary {
                span.nr { (exchange.number) }
                span.method { (exchange.method) }
                span.path { (exchange.path) }
                @if let Some(tag) = tag(exchange) { span.tag { (tag) } }
                (status(exchange))
                (took(exchange, slowest))
            }
            (sent(exchange))
            @if let Some(response) = &exchange.response { (received_response(response)) }
            @if let Some(failure) = &exchange.failure { h3 { "No complete response" } p { (failure) } }
        }
    }
}

/// Returns how a request differs from an ordinary one; none if it does not.
fn tag(exchange: &ExchangeRecord) -> Option<String> {
    let rejected = match exchange.credential {
        CredentialRecord::EmptyToken => "with an empty token",
        CredentialRecord::None => "without a credential",
        CredentialRecord::OtherScheme => "under another scheme",
        CredentialRecord::Token => "to be rejected",
        CredentialRecord::WrongToken => "with a wrong token",
    };
    match (exchange.purpose, &exchange.edge_case) {
        (PurposeRecord::ResidueLook, _) => Some("looks for what the run left".to_owned()),
        (PurposeRecord::MustBeRejected, _) => Some(rejected.to_owned()),
        (PurposeRecord::Equivalent, way) => Some(way.clone().unwrap_or_else(|| "sent again unchanged".to_owned())),
        (PurposeRecord::Trial, _) => Some("trial".to_owned()),
        (PurposeRecord::EdgeCase, edge_case) => Some(edge_case.clone().unwrap_or_else(|| "edge case".to_owned())),
        (PurposeRecord::Documented, _) if exchange.superseded => Some("sent again later".to_owned()),
        (PurposeRecord::Documented, _) => None,
    }
}

fn status(exchange: &ExchangeRecord) -> Markup {
    html! {
        span class={ "status " (timing::css_class(exchange)) } {
            @match &exchange.response { Some(response) => (response.status), None => "no response" }
        }
    }
}

fn took(exchange: &ExchangeRecord, slowest: f64) -> Markup {
    html! {
        span.took {
            @if let Some(time) = elapsed(exchange) {
                svg class="bar low" aria-hidden="true" focusable="false" width="100%" height="100%" {
                    rect class=(timing::css_class(exchange)) width=(percent((time / slowest.max(f64::MIN_POSITIVE)).max(0.01))) height="100%" {}
                }
                span { (milliseconds(time)) }
            }
        }
    }
}

fn sent(exchange: &ExchangeRecord) -> Markup {
    let credential = match exchange.credential {
        CredentialRecord::EmptyToken => "an empty token",
        CredentialRecord::None => "no credential",
        CredentialRecord::OtherScheme => "the token under another scheme",
        CredentialRecord::Token => "the token",
        CredentialRecord::WrongToken => "a wrong token",
    };
    html! {
        h3 { "Sent " small { (exchange.operation) ", with " (credential) ", " (milliseconds(exchange.sent_ms)) " into the run" } }
        pre.shape {
            (exchange.method) " " (exchange.path)
            @for header in &exchange.headers { "\n" (header.name) ": " (header.value) }
            @if let Some(body) = &exchange.body { "\n\n" (indent(body)) }
        }
    }
}

fn received_response(response: &ResponseRecord) -> Markup {
    html! {
        h3 {
            "Response " (response.status) " "
            small {
                @if let Some(media_type) = &response.media_type { (media_type) ", " }
                (counted(response.bytes, "byte", "bytes")) " in " (milliseconds(response.elapsed_ms))
            }
        }
        @match &response.body {
            Some(body) => { pre.shape { (indent(body)) } }
            None if response.bytes == 0 => { p.none { "No body." } }
            None => { p.none { "The body is not shown: it is too long or not JSON, or the page already shows enough bodies." } }
        }
        @if response.body.is_some() && !response.whole { p.hint { "Only its beginning is shown." } }
    }
}
