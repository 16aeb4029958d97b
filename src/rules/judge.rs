//! Feeds evidence to the rules and keeps the verdicts. The main type is [`Judge`].

use std::sync::Arc;

use serde_json::Value;

use super::RULES;
use super::assertions::Assertions;
use super::body_reader::BodyReader;
use super::header_text::{HeaderReader, ReceivedHeader};
use super::level::Level;
use super::levels::Levels;
use super::location::{BodyVisitor, LocatedValue};
use super::media_type;
use super::rule::{Comparison, Judging, Rule};
use super::rule_of_fact::rule_of;
use super::seen::{AnswerSeen, EvidenceSource, ExchangeSeen, OperationSeen};
use super::verdict::{Reason, Sink, Verdicts};
use crate::contract::fact::{FactId, FactKind};
use crate::contract::operation::{DocumentedResponse, OperationId};
use crate::contract::pointer::Path;
use crate::contract::shape::ShapeId;
use crate::contract::{Contract, is_json};
use crate::exchange::json::{self, Body, JsonError};
use crate::exchange::redact::ValueDisplay;
use crate::exchange::{Exchange, Intent, Purpose, Request, Response};
use crate::gaps::Answer;
use crate::history::evidence::{
    CreatedObservation, Creation, EquivalenceOutcome, Evidence, FinalListing, FormatOutcome, LeftOut, RecordShown,
    StoredDespiteRejection, StrayWrite, UpdateObservation, Walk,
};
use crate::history::undocumented_creation;

/// Judges what a run sees, as it comes.
#[derive(Debug)]
pub struct Judge<'contract> {
    contract: &'contract Contract,
    levels: Levels,
    values: ValueDisplay,
    /// Whether the exchanges are traffic of other clients, whose values no option shows.
    is_traffic: bool,
    verdicts: Verdicts,
    assertions: Assertions,
    body_reader: BodyReader,
    /// The rules that look at one location: those for every value, and those for objects only. They run far more often
    /// than all others.
    of_values: Vec<LocationRule>,
    of_objects: Vec<LocationRule>,
}

/// A rule that looks at one location of a body, and its function.
type LocationRule = (&'static Rule, LocationJudge);
type LocationJudge = fn(&LocatedValue<'_>, &mut Sink<'_>);

impl<'contract> Judge<'contract> {
    /// Creates a judge that has seen nothing yet.
    #[must_use]
    pub fn new(contract: &'contract Contract, levels: Levels, values: ValueDisplay) -> Self {
        Self {
            contract,
            levels,
            values,
            is_traffic: false,
            verdicts: Verdicts::new(contract),
            assertions: Assertions::default(),
            body_reader: BodyReader::default(),
            of_values: location_rules(|judging| match judging {
                Judging::Location(judge) => Some(*judge),
                _ => None,
            }),
            of_objects: location_rules(|judging| match judging {
                Judging::Object(judge) | Judging::Presence(judge, _) => Some(*judge),
                _ => None,
            }),
        }
    }

    /// Prepares the judge for a run of several rounds (a soak), in which the same responses come again and again: equal
    /// bodies are parsed once. Every rule still judges each response.
    #[must_use]
    pub fn for_soak(self) -> Self {
        Self {
            body_reader: BodyReader::caching(),
            ..self
        }
    }

    /// Prepares the judge for recorded traffic of other clients.
    #[must_use]
    pub(crate) fn for_traffic(self) -> Self {
        Self {
            is_traffic: true,
            ..self
        }
    }

    /// Returns the contract that it judges by.
    #[must_use]
    pub fn contract(&self) -> &'contract Contract {
        self.contract
    }

    /// Returns the verdicts so far.
    #[must_use]
    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// Returns the verdicts, so that the caller can note what was not called.
    pub fn verdicts_mut(&mut self) -> &mut Verdicts {
        &mut self.verdicts
    }

    /// Ends the judging and returns the verdicts.
    #[must_use]
    pub fn into_verdicts(self) -> Verdicts {
        self.verdicts
    }

    /// Judges one exchange and returns its body, read as JSON where a JSON body is documented for its status, or where
    /// a link takes a value from one that is not described.
    pub fn exchange(&mut self, exchange: &Exchange, intent: Intent) -> Option<Arc<Body>> {
        let id = exchange.request.operation;
        let operation = self.contract.operation(id);
        let response = exchange.response();
        let documented = response.and_then(|response| operation.response(response.status));
        // A rejection of another client's request may come from a gateway, so its body is not judged.
        let rejected_other_client =
            intent.is_of_other_client() && response.is_some_and(|response| response.status >= 400);
        let with_body = response.and_then(|response| operation.response_with_body(response.status));
        let shape = with_body
            .filter(|_| !rejected_other_client)
            .and_then(|documented| documented.body);
        let media_type = response.and_then(Response::media_type);
        let is_labelled_json = media_type.as_deref().is_some_and(is_json);
        // `Accept` is a preference (RFC 9110, section 12.5.1): a response may have any other documented media type.
        let is_other_type = documented
            .zip(media_type.as_deref())
            .is_some_and(|(documented, media_type)| media_type::is_other_documented_type(documented, media_type));
        let success = response.is_some_and(|response| operation.succeeds_with(response.status));
        // An error may come from a gateway, so its body is read only if it is labelled as JSON; `media-type` reports any
        // other type.
        let is_json_body = match success {
            true => is_labelled_json || !is_other_type,
            false => is_labelled_json && !is_other_type,
        };
        let body = response.filter(|_| shape.is_some() && is_json_body);
        let body = body.map(|response| match response.is_body_known {
            true => self.body_reader.read(&exchange.request.path, &response.body),
            false => Err(JsonError::NotRecorded),
        });
        let judged_elsewhere = matches!(
            intent.purpose,
            Purpose::ResidueLook | Purpose::EquivalentRequest | Purpose::Trial(_)
        );
        if intent.is_superseded || judged_elsewhere {
            return body.and_then(Result::ok);
        }
        if intent.is_documented() {
            let is_web_page = response
                .zip(with_body)
                .is_some_and(|(response, documented)| is_web_page(response, documented, body.as_ref()));
            self.verdicts.successes.count(exchange, success, is_web_page);
        }
        let seen = ExchangeSeen {
            id,
            operation,
            exchange,
            intent,
            documented,
            body: body.as_ref(),
        };
        let breaks = self.verdicts.break_count();
        self.judge_whole_response(&seen);
        if let (Some(Ok(body)), Some(shape)) = (&body, shape.filter(|_| seen.is_described())) {
            self.judge_locations(&seen, (&Path::Root, shape), &body.value);
            if success {
                self.judge_success(&seen, self.verdicts.break_count() == breaks);
            }
        }
        // An undocumented 201 whose body satisfies the schema of a documented success: judging its locations breaks no
        // fact, but may show that facts hold, or report what no fact covers.
        if intent.is_documented()
            && documented.is_none()
            && let Some((shape, body)) = undocumented_creation(self.contract, exchange)
        {
            self.judge_locations(&seen, (&Path::Root, shape), &body.value);
        }
        // An error whose body is not the documented one may come from something in front of the service.
        self.judge_headers(&seen, success || self.verdicts.break_count() == breaks);
        let is_undescribed = success && shape.is_none() && is_labelled_json;
        let body = body.and_then(Result::ok);
        body.or_else(|| self.undescribed_body(exchange).filter(|_| is_undescribed))
    }

    /// Reads a body that the contract does not describe, if a link takes a value from it; nothing in it is judged.
    fn undescribed_body(&mut self, exchange: &Exchange) -> Option<Arc<Body>> {
        let request = &exchange.request;
        let is_linked = self.contract.links_from(request.operation).any(|link| link.guessed);
        let response = exchange
            .response()
            .filter(|response| is_linked && response.is_body_known)?;
        self.body_reader.read(&request.path, &response.body).ok()
    }

    /// Judges what several exchanges show together.
    pub fn evidence(&mut self, evidence: Evidence<'_>) {
        match evidence {
            Evidence::FinalListing(listing, request) => self.final_listing(&listing, request),
            Evidence::Creation(creation) => self.creation(&creation),
            Evidence::Equivalent(tried, exchange) => self.equivalent(&tried, exchange),
            Evidence::Format(tried, request) => self.timestamp_format(&tried, request),
            Evidence::CreatedObservation(observation, request) => self.created_observation(&observation, request),
            Evidence::LeftOut(left_out, request) => self.left_out(&left_out, request),
            Evidence::Record(shown, request) => self.record(&shown, request),
            Evidence::StoredDespiteRejection(stored, request) => self.stored_despite_rejection(&stored, request),
            Evidence::StrayWrite(stray, request) => self.stray_write(&stray, request),
            Evidence::UpdateObservation(observation, request) => self.update_observation(&observation, request),
            Evidence::Walk(walk) => self.walk(walk),
        }
    }

    /// Judges a walk over the pages of a list.
    pub(super) fn walk(&mut self, walk: &Walk) {
        let Some(first) = walk.pages.first() else { return };
        for rule in RULES {
            if let Judging::Walk(judge, _) = rule.judge {
                judge(walk, &mut self.sink(rule, &*first.request));
            }
        }
    }

    /// Judges the record in the response to a create.
    pub(super) fn creation(&mut self, creation: &Creation<'_>) {
        for rule in RULES {
            if let Judging::Creation(judge) | Judging::Comparison(Comparison { in_response: judge, .. }) = rule.judge {
                judge(creation, &mut self.sink(rule, creation.request));
            }
        }
    }

    /// Judges whether and how a created record is listed. `request` is the one that should have shown it.
    pub(super) fn created_observation(&mut self, observation: &CreatedObservation<'_>, request: &Request) {
        for rule in RULES {
            if let Judging::CreatedObservation(judge)
            | Judging::Placement(judge, ..)
            | Judging::Comparison(Comparison { listed: judge, .. }) = rule.judge
            {
                judge(observation, &mut self.sink(rule, request));
            }
        }
    }

    /// Judges whether and how an updated record is listed. `request` is the one that should have shown it.
    pub(super) fn update_observation(&mut self, observation: &UpdateObservation<'_>, request: &Request) {
        for rule in RULES {
            if let Judging::FinalListing(_, judge)
            | Judging::Placement(_, judge, _)
            | Judging::Comparison(Comparison { updated: judge, .. }) = rule.judge
            {
                judge(observation, &mut self.sink(rule, request));
            }
        }
    }

    /// Judges what a list shows of a write at the end of the run. `request` is the one that should have shown it.
    pub(super) fn final_listing(&mut self, listing: &FinalListing<'_>, request: &Request) {
        for rule in RULES {
            if let Judging::FinalListing(judge, _) = rule.judge {
                judge(listing, &mut self.sink(rule, request));
            }
        }
    }

    /// Judges what a read or a list shows of a record of the run. `request` is the one that should have shown it.
    pub(super) fn record(&mut self, shown: &RecordShown<'_>, request: &Request) {
        for rule in RULES {
            if let Judging::Record(judge, ..) = rule.judge {
                judge(shown, &mut self.sink(rule, request));
            }
        }
    }

    /// Judges what a rejected write did all the same. `request` is the one that showed the record.
    pub(super) fn stored_despite_rejection(&mut self, stored: &StoredDespiteRejection<'_>, request: &Request) {
        for rule in RULES {
            if let Judging::StoredDespiteRejection(judge) | Judging::Record(_, judge, ..) | Judging::Access(_, judge) =
                rule.judge
            {
                judge(stored, &mut self.sink(rule, request));
            }
        }
    }

    /// Judges a write that reached records which it did not name. `request` is the one that showed this.
    pub(super) fn stray_write(&mut self, stray: &StrayWrite<'_>, request: &Request) {
        for rule in RULES {
            if let Judging::Placement(.., judge) | Judging::Record(_, _, judge, _) = rule.judge {
                judge(stray, &mut self.sink(rule, request));
            }
        }
    }

    /// Judges what a list left out. `request` is the one that should have shown it.
    pub(super) fn left_out(&mut self, left_out: &LeftOut, request: &Request) {
        for rule in RULES {
            if let Judging::ListQuery(_, received) = rule.judge
                && let Some(received) = received(left_out.kind)
                && let Some(fact) = self.contract.fact_of(left_out.operation, left_out.kind)
            {
                let mut sink = self.sink(rule, request);
                sink.broken(fact, String::new, || received.to_owned());
            }
        }
    }

    /// Judges whether a timestamp format of a request field was accepted.
    pub(super) fn timestamp_format(&mut self, tried: &FormatOutcome, request: &Request) {
        for rule in RULES {
            if let Judging::Format(judge) = rule.judge {
                judge(tried, &mut self.sink(rule, request));
            }
        }
    }

    /// Judges whether an equivalent request was accepted. `exchange` is that of this request.
    pub(super) fn equivalent(&mut self, tried: &EquivalenceOutcome, exchange: &Exchange) {
        for rule in RULES {
            if let Judging::Equivalent(judge) = rule.judge {
                judge(tried, &mut self.sink(rule, exchange));
            }
        }
    }

    /// Reports, at the end of the run, which of these operations had no success, so that nothing about them was
    /// checked.
    pub fn report_operations_without_success(&mut self, operations: impl IntoIterator<Item = OperationId>) {
        for operation in operations {
            let reason = self.verdicts.why_unchecked(self.contract, operation);
            let Some(reason) = reason.filter(|_| !self.is_explained_by_a_finding(operation)) else {
                continue;
            };
            let failed = self.verdicts.successes.first_failed(operation);
            let plain = || Request::unfilled(operation, self.contract.operation(operation));
            let request = failed.map_or_else(plain, |failed| failed.request.clone());
            let exchange = failed.map(|failed| failed.number);
            let seen = OperationSeen {
                operation,
                reason: &reason,
            };
            for rule in RULES {
                if let Judging::Operation(judge) = rule.judge {
                    let request = &request;
                    judge(&seen, &mut self.sink(rule, EvidenceSource { request, exchange }));
                }
            }
        }
    }

    /// Compares, at the end of the run, the answers to gaps that the contract states with those that the run gives.
    pub fn answers(&mut self, answers: &[Answer]) {
        let contract = self.contract;
        for (index, fact) in contract.facts.iter().enumerate() {
            let FactKind::Answer(learned) = fact.kind else { continue };
            let learned = &contract.answers[learned];
            let (gap, operation) = (&contract.gaps[learned.gap], contract.operation(learned.operation));
            let is_about_it = |answer: &&Answer| {
                let is_at = |location: &String| {
                    answer.operation.as_ref() == Some(&operation.name) && *location == learned.location
                };
                // An answer about the gap as a whole is about each of its locations.
                answer.gap == gap.id && answer.location.as_ref().is_none_or(is_at)
            };
            let seen = AnswerSeen {
                fact: FactId(index),
                stated: learned,
                answers: answers.iter().filter(is_about_it).collect(),
            };
            let request = Request::unfilled(learned.operation, operation);
            for rule in RULES {
                if let Judging::Answer(judge) = rule.judge {
                    judge(&seen, &mut self.sink(rule, &request));
                }
            }
        }
    }

    /// Returns whether a finding at deny already explains why no call of the operation had a success.
    fn is_explained_by_a_finding(&self, operation: OperationId) -> bool {
        let findings = self.verdicts.findings().iter();
        let mut denied = findings.filter(|finding| finding.level == Level::Deny);
        denied.any(|finding| {
            let fact = self.contract.fact(finding.fact);
            let whole = matches!(
                fact.kind,
                FactKind::CompleteResponse | FactKind::MediaType | FactKind::NoServerError | FactKind::Status
            );
            fact.operation == operation && whole
        })
    }

    /// Shows an exchange to the rules that judge whole responses.
    fn judge_whole_response(&mut self, seen: &ExchangeSeen<'_>) {
        for rule in RULES {
            match rule.judge {
                Judging::Access(..) | Judging::ExchangeExceptEdgeCases(_) | Judging::ListQuery(..)
                    if seen.edge_case().is_some() => {}
                Judging::Content(_) if !seen.is_described() => {}
                Judging::Access(judge, _)
                | Judging::AnyExchange(judge)
                | Judging::Content(judge)
                | Judging::ExchangeExceptEdgeCases(judge)
                | Judging::ListQuery(judge, _)
                | Judging::Record(.., judge)
                | Judging::Walk(_, judge) => {
                    judge(seen, &mut self.sink(rule, seen.exchange));
                }
                _ => {}
            }
        }
    }

    /// Shows a success to the rules that judge one; `breaks_no_fact` says that it broke no fact.
    fn judge_success(&mut self, seen: &ExchangeSeen<'_>, breaks_no_fact: bool) {
        for rule in RULES {
            if let Judging::Success(judge) = rule.judge {
                judge(seen, breaks_no_fact, &mut self.sink(rule, seen.exchange));
            }
        }
    }

    /// Shows the documented headers of a response to the rules, if it `is_of_service`: which of them it has, and each
    /// value.
    fn judge_headers(&mut self, seen: &ExchangeSeen<'_>, is_of_service: bool) {
        let Some(headers) = seen.with_headers().filter(|_| is_of_service) else {
            return;
        };
        for rule in RULES {
            if let Judging::Presence(_, judge) = rule.judge {
                judge(&headers, &mut self.sink(rule, seen.exchange));
            }
        }
        for header in headers.documented {
            let reader = HeaderReader::new(self.contract, &self.assertions);
            match reader.value(header, &headers.response.headers) {
                ReceivedHeader::Absent => {}
                ReceivedHeader::Unclear => {
                    let shape = self.contract.shape(header.shape);
                    let asserted = shape.other_assertions.iter().map(|(fact, _)| *fact);
                    for fact in shape.type_fact.into_iter().chain(asserted) {
                        let rule = rule_of(self.contract.fact(fact).kind);
                        self.sink(rule, seen.exchange).undecided(fact, Reason::HeaderUnclear);
                    }
                }
                ReceivedHeader::Value(value) => {
                    self.judge_locations(seen, (&Path::Header(&header.name), header.shape), &value);
                }
            }
        }
    }

    /// Shows each location of a body, or of the value of a header, to the rules that judge locations.
    fn judge_locations(&mut self, seen: &ExchangeSeen<'_>, (at, shape): (&Path<'_>, ShapeId), value: &Value) {
        let (contract, levels, verdicts) = (self.contract, &self.levels, &mut self.verdicts);
        let (values, is_traffic) = (self.values, self.is_traffic);
        let source = EvidenceSource::from(seen.exchange);
        let (of_values, of_objects) = (&self.of_values, &self.of_objects);
        let visit = |location: &LocatedValue<'_>| {
            let of_objects = of_objects.iter().filter(|_| location.value.is_object());
            for (rule, judge) in of_values.iter().chain(of_objects) {
                judge(
                    location,
                    &mut Sink {
                        verdicts,
                        contract,
                        levels,
                        rule,
                        source,
                        values,
                        is_traffic,
                    },
                );
            }
        };
        BodyVisitor::new(contract, &self.assertions, visit).visit_all((at, shape), value);
    }

    /// Returns the sink for what a rule decides about evidence from this source.
    fn sink<'sink>(&'sink mut self, rule: &'static Rule, source: impl Into<EvidenceSource<'sink>>) -> Sink<'sink> {
        Sink {
            verdicts: &mut self.verdicts,
            contract: self.contract,
            levels: &self.levels,
            rule,
            source: source.into(),
            values: self.values,
            is_traffic: self.is_traffic,
        }
    }
}

/// Returns whether a body looks like a web or login page: JSON is documented, and the body is neither JSON, nor
/// labelled as JSON, nor of another documented type. `body` is what was read of it, if the contract has its schema.
fn is_web_page(
    response: &Response,
    documented: &DocumentedResponse,
    body: Option<&Result<Arc<Body>, JsonError>>,
) -> bool {
    let is_other =
        |received: String| !is_json(&received) && !media_type::is_other_documented_type(documented, &received);
    let is_json_text = || body.map_or_else(|| json::read(&response.body).is_ok(), Result::is_ok);
    // Frameworks label an empty response as they label a page.
    (body.is_some() || !response.body.is_empty())
        && documented.media_types.iter().any(|known| is_json(known))
        && response.media_type().is_some_and(is_other)
        && !is_json_text()
}

/// Returns the rules that judge locations, as `choice` selects them.
fn location_rules(choice: fn(&Judging) -> Option<LocationJudge>) -> Vec<LocationRule> {
    let rules = RULES.iter().copied();
    rules
        .filter_map(|rule| choice(&rule.judge).map(|judge| (rule, judge)))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::contract::Contract;
    use crate::contract::fact::FactKind;
    use crate::contract::vocabulary::EdgeCaseKind;
    use crate::exchange::Intent;
    use crate::rules::testing::{Fixture, JSON};
    use crate::rules::{Reason, Verdict};

    #[test]
    fn a_body_is_handed_back_where_one_is_documented() {
        let fixture = Fixture::of("getTags");
        fixture.judge(|judge| {
            let read = judge.exchange(&fixture.exchange(200, JSON, "[1]"), fixture.intent());
            assert_eq!(read.map(|body| body.value.clone()), Some(json!([1])));
            assert_eq!(
                judge.exchange(&fixture.exchange(404, JSON, "[1]"), fixture.intent()),
                None
            );
            assert_eq!(
                judge.exchange(&fixture.exchange(200, JSON, "[1"), fixture.intent()),
                None
            );
        });
    }

    #[test]
    fn a_response_that_a_later_one_replaces_is_read_and_not_judged() {
        let fixture = Fixture::of("getTags");
        let judged = fixture.judge(|judge| {
            let exchange = fixture.exchange(200, JSON, "[]");
            let sent_again = Intent {
                is_superseded: true,
                ..fixture.intent()
            };
            assert_eq!(
                judge.exchange(&exchange, sent_again).map(|body| body.value.clone()),
                Some(json!([]))
            );
        });
        assert_eq!(judged.kind(FactKind::Status), Verdict::Undecided(Reason::NotShown));
        assert!(judged.verdicts.findings().is_empty());
    }

    #[test]
    fn an_error_whose_body_is_documented_is_held_to_its_own_shape() {
        let json = |schema: &str| format!("content: {{application/json: {{schema: {schema}}}}}");
        let fixture = Fixture::responses(&format!(
            "'200': {{description: a, {}}}\n'404': {{description: b, {}}}",
            json("{type: array}"),
            json("{type: object}")
        ));
        let judged = fixture.response(404, JSON, "[]");
        assert_eq!(judged.fact("getThings 404 body: object"), Verdict::Broken);
        assert_eq!(
            judged.fact("getThings body: array"),
            Verdict::Undecided(Reason::NotShown)
        );
        let judged = fixture.response(404, Some("text/html"), "[]");
        assert_eq!(
            judged.fact("getThings 404 body: object"),
            Verdict::Undecided(Reason::NotShown)
        );
    }

    #[test]
    fn a_body_that_is_not_described_is_read_for_a_link_and_not_judged() {
        let read = "{operationId: read, parameters: [{name: NAME, in: path, required: true, schema: {type: string}}], \
                    responses: {'200': {description: a}}}";
        for (name, media_type, body, is_read) in [
            ("thing_id", JSON, "[]", true),
            ("owner_id", JSON, "[]", false),
            ("thing_id", JSON, "[", false),
            ("thing_id", Some("text/plain"), "[]", false),
        ] {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    get: {{operationId: list, \
                 responses: {{'200': {{description: a}}}}}}\n  /of/{{{name}}}:\n    get: {}\n",
                read.replace("NAME", name)
            );
            let fixture = Fixture::text(&text, "list");
            let exchange = fixture.exchange(200, media_type, body);
            let mut shown = None;
            let judged = fixture.judge(|judge| shown = judge.exchange(&exchange, fixture.intent()));
            assert!(judged.verdicts.findings().is_empty(), "{body}");
            assert_eq!(shown.is_some(), is_read, "{name} {media_type:?} {body}");
        }
    }

    #[test]
    fn a_201_that_matches_the_documented_success_is_judged_by_it_and_another_is_not() {
        let schema = "{type: object, required: [id], properties: {id: {type: integer}}}";
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    post: {{operationId: create, responses: \
             {{'200': {{description: a, content: {{application/json: {{schema: {schema}}}}}}}}}}}\n"
        );
        let fixture = Fixture::text(&text, "create");
        let field = "create /id: integer";
        for (status, body, verdict) in [
            (201, r#"{"id": 7}"#, Verdict::Held),
            (201, r#"{"id": "7"}"#, Verdict::Undecided(Reason::NotShown)),
            (202, r#"{"id": 7}"#, Verdict::Undecided(Reason::NotShown)),
        ] {
            let judged = fixture.response(status, JSON, body);
            assert_eq!(judged.fact(field), verdict, "{status} {body}");
            assert_eq!(judged.kind(FactKind::Status), Verdict::Broken, "{status} {body}");
            assert_eq!(judged.verdicts.findings().len(), 1, "{status} {body}");
        }
    }

    #[test]
    fn an_error_that_the_document_names_is_judged_if_the_edge_case_reaches_the_operation() {
        let schema = "{type: object, required: [title], properties: {title: {type: string}}}";
        let named = format!("        '422':\n          content: {{application/json: {{schema: {schema}}}}}\n");
        let text = Contract::BUILT_IN.replacen("        '422':\n", &named, 1);
        let (field, whole) = (EdgeCaseKind::FieldNumber, EdgeCaseKind::BodyEmpty);
        let of = |kind, status, body| {
            Fixture::text(&text, "createTag")
                .edge_case(kind)
                .response(status, JSON, body)
        };
        let fact = "createTag 422 /title: present";
        let held = r#"{"title": "No"}"#;
        assert_eq!(of(field, 422, held).fact(fact), Verdict::Held);
        assert_eq!(of(whole, 422, held).fact(fact), Verdict::Held);
        for kind in [field, whole] {
            assert_eq!(of(kind, 422, "{}").fact(fact), Verdict::Broken);
        }
        let fixture = Fixture::text(&text, "createTag").edge_case(whole);
        for judged in [
            fixture.response(422, Some("text/plain"), "{}"),
            of(whole, 400, "{}"),
            of(field, 400, "{}"),
            of(field, 201, "{}"),
            of(field, 418, "[]"),
        ] {
            assert!(judged.verdicts.findings().is_empty());
            assert_eq!(judged.fact(fact), Verdict::Undecided(Reason::NotShown));
        }
    }

    #[test]
    fn of_the_response_to_an_edge_case_nothing_else_is_judged() {
        for (operation, kind) in [
            ("getTags", EdgeCaseKind::ParameterWord),
            ("createTag", EdgeCaseKind::BodyEmpty),
        ] {
            for (status, media_type, body) in [
                (200, JSON, r#"{"data": 7, "more": 1}"#),
                (201, JSON, "{"),
                (200, Some("text/html"), "<html>"),
                (302, None, ""),
                (404, None, ""),
                (405, None, ""),
                (418, JSON, r#"{"data": {}, "data": {}}"#),
            ] {
                let judged = Fixture::of(operation)
                    .edge_case(kind)
                    .response(status, media_type, body);
                assert!(judged.verdicts.findings().is_empty(), "{operation} {status} {body}");
                for kind in [
                    FactKind::Status,
                    FactKind::MediaType,
                    FactKind::Json,
                    FactKind::CompleteResponse,
                ] {
                    let verdict = judged.kind(kind);
                    assert_eq!(verdict, Verdict::Undecided(Reason::NotShown), "{kind:?} {status}");
                }
            }
        }
    }

    #[test]
    fn a_walk_without_pages_is_passed_over() {
        let fixture = Fixture::of("getTags");
        let walk = fixture.walk(Vec::new(), crate::history::evidence::WalkEnd::NoResponse);
        assert!(fixture.judge(|judge| judge.walk(&walk)).verdicts.findings().is_empty());
    }
}
