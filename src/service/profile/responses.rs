//! How success is reported: statuses, and the body of an update's response.

use axum::http::StatusCode;

use super::axis_values::axis_values;

axis_values! {
    /// The success status of a create other than Create tag.
    CreateStatus {
        /// 201 Created.
        Created = "201",
        /// 200 OK.
        Ok = "200",
        /// 202 Accepted, although it is done by then.
        Accepted = "202",
    }
}

axis_values! {
    /// The success status of a list. It has a body, so neither 204 nor 205 can be one.
    ListStatus {
        /// 200 OK.
        Ok = "200",
        /// 203 Non-Authoritative Information, as behind a proxy that changes responses.
        NonAuthoritative = "203",
    }
}

axis_values! {
    /// The success status of an update.
    UpdateStatus {
        /// 200 OK.
        Ok = "200",
        /// 202 Accepted, although it is done by then.
        Accepted = "202",
        /// 204 No Content, which requires an empty body.
        NoContent = "204",
    }
}

axis_values! {
    /// The body of the response to an update.
    UpdateBody {
        /// An object with a message.
        Message = "message",
        /// The create envelope: a message, and the contact as it is now.
        Envelope = "envelope",
        /// The contact as it is now.
        Contact = "contact",
        /// No body.
        Empty = "empty",
    }
}

impl From<CreateStatus> for StatusCode {
    fn from(status: CreateStatus) -> Self {
        match status {
            CreateStatus::Accepted => StatusCode::ACCEPTED,
            CreateStatus::Created => StatusCode::CREATED,
            CreateStatus::Ok => StatusCode::OK,
        }
    }
}

impl From<ListStatus> for StatusCode {
    fn from(status: ListStatus) -> Self {
        match status {
            ListStatus::NonAuthoritative => StatusCode::NON_AUTHORITATIVE_INFORMATION,
            ListStatus::Ok => StatusCode::OK,
        }
    }
}

impl From<UpdateStatus> for StatusCode {
    fn from(status: UpdateStatus) -> Self {
        match status {
            UpdateStatus::Accepted => StatusCode::ACCEPTED,
            UpdateStatus::NoContent => StatusCode::NO_CONTENT,
            UpdateStatus::Ok => StatusCode::OK,
        }
    }
}
