//! The router of the documented paths: [`app`].

use std::panic::AssertUnwindSafe;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use futures::FutureExt;

use super::auth::require_token;
use super::body::BODY_LIMIT;
use super::delivery;
use super::open::Service;
use super::operations::{contact_methods, contacts, tags, venues, visits};
use super::profile::PathCase;
use super::rejection::Rejection;
use super::rejection_response::write_rejections;

/// Builds the router of the nine operations, each of which requires the token of `service`.
pub fn app(service: Service) -> Router {
    let profile = *service.profile();
    delivery::delay_and_compress(without_delivery(service), &profile)
}

/// Builds the same router without the profile's delay and compression.
pub(super) fn without_delivery(service: Service) -> Router {
    let profile = *service.profile();
    let operations = Router::new()
        .route("/contact-database", get(contacts::list).post(contacts::create))
        .route("/contact-database/{id}", put(contacts::update))
        .route("/contact-database/{id}/contact-method", post(contact_methods::create))
        .route("/venues", get(venues::list))
        .route("/visits", get(visits::list).post(visits::create))
        .route("/tags", get(tags::list).post(tags::create))
        .route_layer(middleware::from_fn_with_state(service.clone(), require_token))
        .method_not_allowed_fallback(async || Rejection::MethodNotAllowed);

    let router = Router::new()
        .nest("/organization/v1", operations)
        .fallback(async || Rejection::UnknownPath)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn(catch_panics))
        .layer(middleware::from_fn(reject_marked));
    let router = delivery::limit_rate(router, &profile)
        .layer(middleware::from_fn_with_state(service.clone(), write_rejections))
        .with_state(service);
    match profile.path_case {
        PathCase::Documented => router,
        // As a fallback service, the router sees the rewritten path.
        PathCase::Any => Router::new()
            .fallback_service(router)
            .layer(middleware::map_request(lowercase_path)),
    }
}

/// Lowercases the path of a request: all documented paths are in lower case.
async fn lowercase_path(mut request: Request) -> Request {
    let uri = request.uri();
    let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
    let path = uri.path().to_ascii_lowercase();
    if let Ok(written) = format!("{path}{query}").parse() {
        *request.uri_mut() = written;
    }
    request
}

/// Rejects a request that the server has marked with a rejection. Only the server checks the Host header: a request
/// that is made in process need not have one.
async fn reject_marked(mut request: Request, next: Next) -> Response {
    match request.extensions_mut().remove::<Rejection>() {
        Some(rejection) => rejection.into_response(),
        None => next.run(request).await,
    }
}

/// Answers with a plain 500 when a handler panics, so that the client is not left with a closed connection.
async fn catch_panics(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => Rejection::Internal.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::StatusCode;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered_with_a_plain_500() {
        let broken = get(|| async { panic!("as the test asks") as &'static str });
        let service = Service::in_memory("token".to_owned().into()).unwrap();
        let router = Router::new()
            .route("/", broken)
            .layer(middleware::from_fn(catch_panics))
            .layer(middleware::from_fn_with_state(service, write_rejections));
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let body = axum::body::to_bytes(response.into_body(), 1_000).await.unwrap();
        assert_eq!(&body[..], br#"{"message":"the service failed","errors":[]}"#);
    }
}
