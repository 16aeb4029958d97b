//! How a request is rejected: status, challenge and body.

use axum::http::StatusCode;

use super::axis_values::axis_values;

axis_values! {
    /// The body of a rejection.
    ErrorBody {
        /// An object with `message` and an array `errors` of objects: `field` (JSON pointer or `page`) and `problem`.
        FieldList = "field-list",
        /// An object with `message` and an object `errors`, which has an array of problems for each dotted field.
        FieldMap = "field-map",
        /// An object with one key `error`: an object with `code`, `message` and the names of the fields.
        Coded = "coded",
        /// Problem details by RFC 9457, as application/problem+json.
        ProblemDetails = "problem-details",
        /// An object with one key `error`: a string that names no field.
        Message = "message",
        /// No body.
        Empty = "empty",
    }
}

axis_values! {
    /// The status of a request with invalid fields.
    InvalidInputStatus {
        /// 422 Unprocessable Content.
        Unprocessable = "422",
        /// 400 Bad Request.
        BadRequest = "400",
    }
}

impl From<InvalidInputStatus> for StatusCode {
    fn from(status: InvalidInputStatus) -> Self {
        match status {
            InvalidInputStatus::BadRequest => StatusCode::BAD_REQUEST,
            InvalidInputStatus::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
        }
    }
}

axis_values! {
    /// The status of a request without a token or with a wrong one. Create tag documents 401, so its status is always
    /// that.
    CredentialStatus {
        /// 401 Unauthorized.
        Unauthorized = "401",
        /// 403 Forbidden.
        Forbidden = "403",
    }
}

axis_values! {
    /// Whether a 401 carries the challenge of RFC 6750 in WWW-Authenticate.
    Challenge {
        /// It does.
        Sent = "sent",
        /// It does not.
        Omitted = "omitted",
    }
}
