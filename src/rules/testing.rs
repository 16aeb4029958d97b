//! Judges made-up exchanges, so that a rule's test is a few lines. The main types are [`Fixture`], which says what came
//! over the wire, and [`Judged`], which is asked for verdicts and findings.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::{Finding, Judge, Level, Levels, Verdict, Verdicts};
use crate::contract::Contract;
use crate::contract::fact::{FactId, FactKind};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::EdgeCaseKind;
use crate::exchange::redact::ValueDisplay;
use crate::exchange::{Content, Credential, Exchange, Failure, Intent, Purpose, RejectionMeaning, Request, Response};
use crate::history::evidence::{
    CreatedObservation, Creation, FinalListing, PageSeen, PrecedingRequest, Reached, RecordShown, ShownState,
    Stability, StrayWrite, UpdateObservation, Walk, WalkEnd,
};

/// Where a list shows the record that [`Fixture::observed`] is given, as an indexed pointer (see `pointer::element`).
pub(super) const ITEM: &str = "/data/items/~23";
pub(super) const JSON: Option<&str> = Some("application/json");

/// One operation of a contract, and how a run would judge it.
#[derive(Clone)]
pub(super) struct Fixture {
    pub(super) contract: Arc<Contract>,
    pub(super) operation: OperationId,
    levels: Levels,
    values: ValueDisplay,
    purpose: Purpose,
}

impl Fixture {
    /// An operation of the built-in contract.
    pub(super) fn of(operation: &str) -> Self {
        Self::new(Arc::clone(crate::testing::built_in()), operation)
    }

    /// `getThings` of a contract whose only response, 200, has this schema, in YAML's flow form. Null is a wrong type
    /// there.
    pub(super) fn schema(schema: &str) -> Self {
        Self::responses(&format!(
            "'200': {{description: Things, content: {{application/json: {{schema: {schema}}}}}}}"
        ))
    }

    /// `getThings` of a contract with these responses, a line each.
    pub(super) fn responses(responses: &str) -> Self {
        let responses = responses.replace('\n', "\n        ");
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\npaths:\n  /things:\n    get:\n      \
             operationId: getThings\n      responses:\n        {responses}\n"
        );
        Self::text(&text, "getThings")
    }

    /// An operation of the contract with this text.
    pub(super) fn text(text: &str, operation: &str) -> Self {
        let contract = Contract::read("things.yaml", text.to_owned()).unwrap_or_else(|defect| panic!("{defect}"));
        Self::new(Arc::new(contract), operation)
    }

    pub(super) fn new(contract: Arc<Contract>, operation: &str) -> Self {
        let operation = contract.operation_named(operation).expect(operation);
        Self {
            contract,
            operation,
            levels: Levels::default(),
            values: ValueDisplay::Hidden,
            purpose: Purpose::Documented(RejectionMeaning::Finding),
        }
    }

    pub(super) fn level(mut self, rule: &str, level: Level) -> Self {
        self.levels.set(rule, level).unwrap();
        self
    }

    pub(super) fn showing_values(mut self) -> Self {
        self.values = ValueDisplay::Shown;
        self
    }

    pub(super) fn purpose(mut self, purpose: Purpose) -> Self {
        self.purpose = purpose;
        self
    }

    /// An edge case of the operation, of this kind.
    pub(super) fn edge_case(self, kind: EdgeCaseKind) -> Self {
        let edge_cases = self.contract.operation(self.operation).edge_cases.iter();
        let edge_case = edge_cases
            .copied()
            .find(|edge_case| edge_case.kind == kind)
            .expect("the edge case");
        self.purpose(Purpose::EdgeCase(edge_case))
    }

    /// The fact of this name.
    pub(super) fn fact(&self, name: &str) -> FactId {
        let mut facts = self.contract.facts.iter();
        FactId(facts.position(|fact| fact.name == name).expect(name))
    }

    pub(super) fn on_rejection(self, on_rejection: RejectionMeaning) -> Self {
        self.purpose(Purpose::Documented(on_rejection))
    }

    /// The intent of its exchanges.
    pub(super) fn intent(&self) -> Intent {
        self.purpose.into()
    }

    pub(super) fn request(&self) -> Request {
        let operation = self.contract.operation(self.operation);
        let scheme = operation.security.scheme();
        let credential = scheme.map_or(Credential::None, |scheme| Credential::Token { scheme: scheme.clone() });
        Request {
            credential,
            ..Request::unfilled(self.operation, operation)
        }
    }

    /// An exchange that ended in this response.
    pub(super) fn exchange(&self, status: u16, media_type: Option<&str>, body: &str) -> Exchange {
        let typed = media_type.map(|media_type| (CONTENT_TYPE, HeaderValue::from_str(media_type).unwrap()));
        let response = Response {
            status,
            headers: typed.into_iter().collect::<HeaderMap>(),
            body: Bytes::from(body.to_owned()),
            was_compressed: false,
            is_body_known: true,
            are_headers_known: true,
            location: None,
            elapsed: Duration::ZERO,
        };
        Exchange {
            number: 1,
            request: self.request(),
            sent_after: Duration::ZERO,
            outcome: Ok(response),
        }
    }

    /// Judges whatever the closure shows the judge.
    pub(super) fn judge(&self, show: impl FnOnce(&mut Judge<'_>)) -> Judged {
        let mut judge = Judge::new(&self.contract, self.levels.clone(), self.values);
        show(&mut judge);
        Judged {
            contract: Arc::clone(&self.contract),
            verdicts: judge.into_verdicts(),
            operation: self.operation,
        }
    }

    /// Judges a response.
    pub(super) fn response(&self, status: u16, media_type: Option<&str>, body: &str) -> Judged {
        let exchange = self.exchange(status, media_type, body);
        self.judge(|judge| drop(judge.exchange(&exchange, self.intent())))
    }

    /// Judges a JSON response with the operation's success status.
    pub(super) fn body(&self, body: &Value) -> Judged {
        let operation = self.contract.operation(self.operation);
        let status = (200..300).find(|status| operation.succeeds_with(*status)).unwrap();
        self.response(status, JSON, &body.to_string())
    }

    /// Judges a response with this status, and a JSON body that says nothing.
    pub(super) fn status(&self, status: u16) -> Judged {
        self.response(status, JSON, "{}")
    }

    /// Judges a response with this status, these headers, a line each, and the documented media type.
    pub(super) fn headers(&self, status: u16, lines: &[(&'static str, &str)]) -> Judged {
        let mut exchange = self.exchange(status, JSON, "{}");
        if let Ok(response) = &mut exchange.outcome {
            for (name, value) in lines {
                let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
                response
                    .headers
                    .append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
            }
        }
        self.judge(|judge| drop(judge.exchange(&exchange, self.intent())))
    }

    /// Judges an exchange without a complete response.
    pub(super) fn unanswered(&self) -> Judged {
        self.fails_with(Failure::Incomplete)
    }

    /// Judges an exchange that failed.
    pub(super) fn fails_with(&self, failure: Failure) -> Judged {
        let exchange = Exchange {
            outcome: Err(failure),
            ..self.exchange(200, None, "")
        };
        self.judge(|judge| drop(judge.exchange(&exchange, self.intent())))
    }

    /// Judges a create that sent this body and returned this record.
    pub(super) fn created(&self, sent: &Value, record: &Value) -> Judged {
        self.creation(sent, record, |creation, judge| judge.creation(&creation))
    }

    /// Shows the closure a create that sent this body and returned this record.
    pub(super) fn creation(
        &self,
        sent: &Value,
        record: &Value,
        show: impl FnOnce(Creation<'_>, &mut Judge<'_>),
    ) -> Judged {
        let mut request = self.request();
        request.body = Some(Content::Json(sent.clone()));
        let creation = Creation {
            operation: self.operation,
            invariant: self
                .contract
                .operation(self.operation)
                .invariants
                .created
                .as_ref()
                .unwrap(),
            request: &request,
            record,
            seen_before: false,
        };
        self.judge(|judge| show(creation, judge))
    }

    /// Judges a create that sent this body, and the record that the list shows of it, if any.
    pub(super) fn observed(&self, sent: &Value, listed: Option<&Value>, end: WalkEnd) -> Judged {
        self.placed(sent, listed, (None, end))
    }

    /// Judges as [`Self::observed`] does, with the location where the list shows the record inside another one.
    pub(super) fn placed(
        &self,
        sent: &Value,
        listed: Option<&Value>,
        (elsewhere, end): (Option<&str>, WalkEnd),
    ) -> Judged {
        self.creation(sent, &serde_json::json!({"id": "r-1"}), |creation, judge| {
            let observation = CreatedObservation {
                changed: false,
                creation,
                listed: listed.map(|listed| (listed, ITEM)),
                elsewhere,
                end,
                max_pages: 100,
            };
            judge.created_observation(&observation, creation.request);
        })
    }

    /// Judges an update that sent this body, the record that the list shows of it, if any, and where the list shows
    /// what was sent in another item.
    pub(super) fn updated(
        &self,
        sent: &Value,
        listed: Option<&Value>,
        (elsewhere, end): (Option<&str>, WalkEnd),
    ) -> Judged {
        self.updated_after(None, (sent, listed), (elsewhere, end))
    }

    /// Judges a further update: the record before and what the earlier updates sent, if any, come first.
    pub(super) fn updated_after(
        &self,
        before: Option<(&Value, &Value)>,
        (sent, listed): (&Value, Option<&Value>),
        (elsewhere, end): (Option<&str>, WalkEnd),
    ) -> Judged {
        let mut request = self.request();
        request.body = Some(Content::Json(sent.clone()));
        let updating = UpdateObservation {
            operation: self.operation,
            invariant: self
                .contract
                .operation(self.operation)
                .invariants
                .updated
                .as_ref()
                .unwrap(),
            request: &request,
            listed: listed.map(|listed| (listed, ITEM)),
            before,
            elsewhere,
            gone: listed.is_none() && end == WalkEnd::Complete,
            end,
            max_pages: 100,
        };
        self.judge(|judge| judge.update_observation(&updating, &request))
    }

    /// Judges a write that reached records which were listed before and which it did not name.
    pub(super) fn stray(&self, pointer: &str, reached: Reached) -> Judged {
        let stray = StrayWrite {
            reached,
            operation: self.operation,
            pointer,
        };
        self.judge(|judge| judge.stray_write(&stray, &self.request()))
    }

    /// What a list shows of a write at the end of a run.
    pub(super) fn final_listing_of<'seen>(
        &self,
        second_record: Option<&'seen str>,
        found: bool,
        end: WalkEnd,
    ) -> FinalListing<'seen> {
        FinalListing {
            operation: self.operation,
            found,
            gone: false,
            second_record,
            changed: false,
            end,
            max_pages: 100,
        }
    }

    /// Judges what a list shows of a write at the end of a run.
    pub(super) fn final_listing(&self, second_record: Option<&str>, found: bool, end: WalkEnd) -> Judged {
        let request = self.request();
        self.judge(|judge| judge.final_listing(&self.final_listing_of(second_record, found, end), &request))
    }

    /// Judges what a read or a list, `by`, shows of a record after the operation has sent this body.
    pub(super) fn shown(&self, by: &str, sent: &Value, shown: &ShownState) -> Judged {
        self.shown_again(by, sent, (None, shown))
    }

    /// Like [`Self::shown`]. `before` is the record before the body was sent a second time; `None` if it was sent once.
    pub(super) fn shown_again(&self, by: &str, sent: &Value, (before, shown): (Option<&Value>, &ShownState)) -> Judged {
        let after = before.map_or(PrecedingRequest::Write, PrecedingRequest::SecondUpdate);
        self.shown_after((by, sent), (after, shown))
    }

    /// Judges what a read, `by`, shows of a record after an edge case of the operation was accepted.
    pub(super) fn shown_after_edge_case(&self, by: &str, shown: &ShownState) -> Judged {
        self.shown_after((by, &Value::Null), (PrecedingRequest::EdgeCase, shown))
    }

    /// Judges what a read, `by`, shows of a record after the operation wrote another one.
    pub(super) fn shown_after_write_of_another(&self, by: &str, shown: &ShownState) -> Judged {
        self.shown_after((by, &Value::Null), (PrecedingRequest::WriteOfAnotherRecord, shown))
    }

    /// Judges what a read, `by`, shows of a record after an update of it, and before.
    pub(super) fn shown_after_update(&self, by: &str, (before, shown): (&Value, &ShownState)) -> Judged {
        self.shown_after((by, &Value::Null), (PrecedingRequest::Update(before), shown))
    }

    /// Judges what a read shows of a record, of which its list, `by`, shows this item after an update.
    pub(super) fn shown_in_list(&self, by: &str, (item, shown): (&Value, &ShownState)) -> Judged {
        self.shown_after((by, &Value::Null), (PrecedingRequest::Listed(item), shown))
    }

    fn shown_after(&self, (by, sent): (&str, &Value), (after, shown): (PrecedingRequest<'_>, &ShownState)) -> Judged {
        let by = self.contract.operation_named(by).expect(by);
        let mut request = self.request();
        request.body = Some(Content::Json(sent.clone()));
        let seen = RecordShown {
            operation: self.operation,
            by,
            sent: &request,
            shown,
            after,
        };
        let read = Request::unfilled(by, self.contract.operation(by));
        self.judge(|judge| judge.record(&seen, &read))
    }

    /// A walk that saw these pages.
    pub(super) fn walk(&self, pages: Vec<PageSeen>, end: WalkEnd) -> Walk {
        Walk {
            operation: self.operation,
            pages,
            end,
            max_pages: 100,
            stability: Stability::Unknown,
            is_residue_walk: false,
        }
    }
}

/// What the judge decided.
pub(super) struct Judged {
    pub(super) contract: Arc<Contract>,
    pub(super) verdicts: Verdicts,
    pub(super) operation: OperationId,
}

impl Judged {
    /// The verdict on the operation's fact of this kind.
    pub(super) fn kind(&self, kind: FactKind) -> Verdict {
        let fact = self.contract.fact_of(self.operation, kind).expect("a fact of the kind");
        self.verdicts.of(&self.contract, fact)
    }

    /// The verdict on the fact of this name.
    pub(super) fn fact(&self, name: &str) -> Verdict {
        let fact = self.contract.facts.iter().position(|fact| fact.name == name);
        self.verdicts.of(&self.contract, FactId(fact.expect(name)))
    }

    /// The findings of a rule.
    pub(super) fn findings(&self, rule: &str) -> Vec<&Finding> {
        let findings = self.verdicts.findings().iter();
        findings.filter(|finding| finding.rule.name == rule).collect()
    }

    /// The only finding of a rule.
    pub(super) fn finding(&self, rule: &str) -> &Finding {
        match self.findings(rule).as_slice() {
            [finding] => finding,
            findings => panic!("{} findings of `{rule}`", findings.len()),
        }
    }

    /// Where the only finding of a rule is: in the response, and in the contract.
    pub(super) fn locations(&self, rule: &str) -> (&str, &str) {
        let finding = self.finding(rule);
        (&finding.pointer, &self.contract.fact(finding.fact).location)
    }

    /// What the only finding of a rule says came instead.
    pub(super) fn received(&self, rule: &str) -> &str {
        &self.finding(rule).received
    }
}
