//! A service of one list, and the tests that hold it to `openapi.yaml`.

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// The service, with this for its list.
pub fn app(books: &'static str) -> Router {
    let list = get(async move || ([(CONTENT_TYPE, "application/json")], books));
    Router::new().route("/books", list).layer(from_fn(authenticated))
}

async fn authenticated(request: Request, next: Next) -> Response {
    let shown = request.headers().get(AUTHORIZATION);
    if shown.is_some_and(|shown| shown == "Bearer test") {
        return next.run(request).await;
    }
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")]).into_response()
}

#[cfg(test)]
mod tests {
    use countersign::{Check, Contract};

    use super::app;

    #[tokio::test]
    async fn the_service_keeps_its_contract() -> Result<(), countersign::Error> {
        let report = Check::new(Contract::open("openapi.yaml")?)
            .service(app(r#"[{"title": "Emma", "pages": 474}]"#))
            .token("test")
            .run()
            .await?;
        report.assert_conforms();
        Ok(())
    }

    #[tokio::test]
    #[should_panic(expected = "error[wrong-type]: getBooks: /0/pages has the wrong type")]
    async fn a_fault_fails_the_test_with_the_name_of_its_rule() {
        let report = Check::new(Contract::open("openapi.yaml").unwrap())
            .service(app(r#"[{"title": "Emma", "pages": "474"}]"#))
            .token("test")
            .run()
            .await
            .unwrap();
        report.assert_conforms();
    }
}
