//! Faults as edits of one response: [`Fault::edited`]. The layer uses the same edits, so that what a recording shows
//! holds for a service.

use axum::body::Bytes;
use axum::http::{Request, Response};

use super::call::{Call, Content, ServedResponse};
use super::contract::operation;
use super::deviation::{DeviationKind, Fault};
use super::locations::edit;
use super::pages::requested_page;

/// A response as a fault makes it.
#[derive(Debug)]
pub enum Edited {
    /// It is complete.
    Response(Response<Bytes>),
    /// The connection ends inside it.
    CutOff,
}

impl Fault {
    /// Returns the operation whose responses it edits, each on its own; `None` where no edit of one response shows the
    /// fault, such as a record that is lost.
    #[must_use]
    pub fn edited_operation(&self) -> Option<&str> {
        let is_edit = match &self.deviation.kind {
            DeviationKind::EdgeCase { .. } | DeviationKind::Location { .. } | DeviationKind::Response(_) => true,
            DeviationKind::Page(fault) => !fault.asks_for_another(),
            _ => false,
        };
        is_edit.then_some(self.deviation.on.as_str())
    }

    /// Returns what a service with this fault answers to a request in place of this response; `None` where the fault is
    /// not an edit. Both must belong to the [edited operation](Self::edited_operation). Only the path, the query and
    /// the body of the request are read.
    #[must_use]
    pub fn edited(&self, request: Request<Bytes>, response: Response<Bytes>) -> Option<Edited> {
        let operation = operation(self.edited_operation()?)?;
        let (head, body) = request.into_parts();
        let call = Call { operation, head, body };
        let (head, text) = response.into_parts();
        let mut response = ServedResponse::of(head, text);
        self.deviation.kind.edit(&call, requested_page(&call), &mut response);
        Some(match response.content {
            Content::CutOff(_) => Edited::CutOff,
            _ => Edited::Response(Response::from_parts(response.head.clone(), response.bytes())),
        })
    }
}

impl DeviationKind {
    /// Edits the response to a call that asked for this page; leaves it unchanged where the fault is not an edit of one
    /// response.
    pub(super) fn edit(&self, call: &Call, requested: Option<u64>, response: &mut ServedResponse) {
        match self {
            DeviationKind::EdgeCase { edge_case, failure } => edge_case.change_response(*failure, call, response),
            DeviationKind::Page(fault) => {
                if let (Some(invariant), Some(body)) = (&call.operation.page, response.success()) {
                    fault.change_response(requested, invariant, body);
                }
            }
            DeviationKind::Location { pattern, edit: how } => {
                if let Some(body) = response.success() {
                    edit(body, call.operation, pattern, how);
                }
            }
            DeviationKind::Response(fault) => fault.change_response(response),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::fault::Faults;

    fn edited(name: &str, (status, body): (u16, &'static str)) -> Option<Edited> {
        let faults = Faults::named([name]).unwrap();
        let fault = faults.iter().next().unwrap();
        let request = Request::builder().uri("/organization/v1/contact-database?page=x");
        let response = Response::builder().status(status);
        let response = response.body(Bytes::from_static(body.as_bytes())).unwrap();
        fault.edited(request.body(Bytes::new()).unwrap(), response)
    }

    fn answered(name: &str, response: (u16, &'static str)) -> (u16, Bytes) {
        match edited(name, response) {
            Some(Edited::Response(response)) => (response.status().as_u16(), response.into_body()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_success_is_edited_as_the_fault_says_and_a_rejection_is_left_alone() {
        let dropped = "createTag/data/name:dropped";
        let tag = r#"{"data":{"id":"a","name":"b"}}"#;
        assert_eq!(
            answered(dropped, (201, tag)),
            (201, Bytes::from(r#"{"data":{"id":"a"}}"#))
        );
        assert_eq!(answered(dropped, (422, tag)), (422, Bytes::from(tag)));
        assert_eq!(answered("createTag:answered-200", (201, "{}")).0, 200);
        assert_eq!(
            answered("getContacts:total-wrong", (200, r#"{"data":{"total":1}}"#)).1,
            r#"{"data":{"total":2}}"#
        );
    }

    #[test]
    fn an_edge_case_is_known_by_what_was_sent() {
        assert_eq!(answered("getContacts:fails-on-page-word", (400, "{}")).0, 500);
        assert_eq!(answered("getContacts:fails-on-page-zero", (400, "{}")).0, 400);
    }

    #[test]
    fn a_connection_that_is_cut_leaves_no_response() {
        let cut = edited("getTags:connection-cut", (200, "{}"));
        assert!(matches!(cut, Some(Edited::CutOff)), "{cut:?}");
    }

    #[test]
    fn a_fault_that_needs_a_service_is_not_an_edit() {
        for name in ["createTag:stored-twice", "getVisits:page-ignored"] {
            assert!(edited(name, (200, "{}")).is_none(), "{name}");
        }
    }
}
