//! Made-up runs and a sample record, for the tests of the reports. The main type is [`SampleRun`].

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::DateTime;
use reqwest::header::HeaderMap;

use super::{
    AcceptedDeviationRecord, AcceptedState, ContractRecord, Coverage, CredentialRecord, Excerpt, ExchangeRecord,
    Exchanges, FactRow, Facts, FindingRecord, GapRecord, LocationRecord, OperationRecord, Outcome, PurposeRecord,
    Record, RejectedValueRecord, ResidueRecord, ResponseRecord, RunContext, TrafficFileRecord, TrafficRecord,
    UnexplainedRecord, VERSION, VerdictRecord, record,
};
use crate::contract::Contract;
use crate::contract::document::Document;
use crate::contract::operation::Method;
use crate::exchange::redact::{Redaction, ValueDisplay};
use crate::exchange::{
    Credential, Exchange, Intent, Printable, Purpose, RejectionMeaning, Request, Response, Spelling, Target,
};
use crate::gaps::{Answer, AnswerState, Claim, Dissent, ObservationCounts, WhyUnanswered};
use crate::history::{Residue, SearchExtent};
use crate::rules::{Judge, Level, LevelScope, Levels, Verdicts};
use crate::run::{EmittedExchange, RequestCounts, Run, RunEnd};

const SCHEMA: &str = "/paths/~1things/get/responses/200/content/application~1json/schema";

const CONTRACT: &str = "openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    get:
      operationId: getThings
      responses:
        '200':
          description: Things
          content:
            application/json:
              schema:
                type: object
                required: [name]
                properties:
                  name:
                    type: string
                  size:
                    type: integer
";

/// What a run saw of `getThings`, and how it ended.
pub(super) struct SampleRun {
    pub(super) contract: Contract,
    pub(super) levels: Levels,
    pub(super) responses: Vec<(u16, &'static str)>,
    pub(super) ended: RunEnd,
    pub(super) residue: Vec<Residue>,
}

fn documented() -> Intent {
    Purpose::Documented(RejectionMeaning::Finding).into()
}

impl SampleRun {
    /// A complete run that saw these bodies.
    pub(super) fn bodies(bodies: &[&'static str]) -> Self {
        Self {
            contract: Contract::read("things.yaml", CONTRACT.to_owned()).unwrap(),
            levels: Levels::default(),
            responses: bodies.iter().map(|body| (200, *body)).collect(),
            ended: RunEnd::Complete,
            residue: Vec::new(),
        }
    }

    /// The same for a contract whose two fields are on one line.
    pub(super) fn one_line(bodies: &[&'static str]) -> Self {
        let (head, _) = CONTRACT.split_once("              schema:").unwrap();
        let fields = "{type: object, properties: {a: {type: string}, b: {type: string}}}";
        let text = format!("{head}              schema: {fields}\n");
        Self {
            contract: Contract::read("things.yaml", text).unwrap(),
            ..Self::bodies(bodies)
        }
    }

    pub(super) fn ended(mut self, ended: RunEnd) -> Self {
        self.ended = ended;
        self
    }

    /// The run.
    pub(super) fn run(&self) -> Run {
        Run {
            shard: None,
            verdicts: self.verdicts(),
            ended: self.ended.clone(),
            residue: self.residue.clone(),
            deleted: 0,
            residue_search: SearchExtent::Whole,
            unexplained_records: Vec::new(),
            rejected_values: Vec::new(),
            answers: Vec::new(),
            trials: Vec::new(),
            learns: false,
            tally: RequestCounts::default(),
            in_scope: self.contract.operation_ids().collect(),
            named: BTreeSet::new(),
            target_is_mock: false,
            recording: None,
        }
    }

    /// The record of the run.
    pub(super) fn record(&self, require_facts: Option<f64>) -> Record {
        let run = self.run();
        let about = RunContext {
            contract: &self.contract,
            target: &Target::parse("https://api.example.com/tenant").unwrap(),
            seed: 7,
            run_tag: None,
            is_recorded_traffic: false,
            writes: true,
            started_at: DateTime::UNIX_EPOCH,
            duration: Duration::from_millis(1234),
            require_facts,
            values: ValueDisplay::Hidden,
            redaction: &Redaction::default(),
        };
        let exchanges = Exchanges::new(&self.contract, ValueDisplay::Hidden, Redaction::default());
        record(&run, exchanges, &about)
    }

    /// The verdicts of its exchanges.
    pub(super) fn verdicts(&self) -> Verdicts {
        let mut judge = Judge::new(&self.contract, self.levels.clone(), ValueDisplay::Hidden);
        for response in &self.responses {
            judge.exchange(&self.exchange(*response), documented());
        }
        judge.into_verdicts()
    }

    fn exchange(&self, (status, body): (u16, &'static str)) -> Exchange {
        let request = Request {
            operation: self.contract.operation_named("getThings").unwrap(),
            method: Method::Get,
            path: "/things".to_owned(),
            accept: "application/json".to_owned(),
            content_type: "application/json".to_owned(),
            headers: Vec::new(),
            body: None,
            spelling: Spelling::default(),
            from_target: Vec::new(),
            made_up: Vec::new(),
            printable: Printable {
                path: "/things".to_owned(),
                headers: Vec::new(),
            },
            credential: Credential::None,
        };
        let response = Response {
            status,
            headers: HeaderMap::from_iter([("content-type".parse().unwrap(), "application/json".parse().unwrap())]),
            body: body.into(),
            was_compressed: false,
            is_body_known: true,
            are_headers_known: true,
            location: None,
            elapsed: Duration::from_micros(1500),
        };
        Exchange {
            number: 1,
            request,
            sent_after: Duration::ZERO,
            outcome: Ok(response),
        }
    }

    /// An exchange as a run emits it.
    pub(super) fn exchanged(exchange: &Exchange) -> EmittedExchange<'_> {
        EmittedExchange {
            exchange,
            intent: documented(),
            body: None,
        }
    }

    /// The exchange with the first response.
    pub(super) fn first_exchange(&self) -> Exchange {
        self.exchange(self.responses[0])
    }
}

/// An accepted deviation in this state.
fn entry(state: AcceptedState, field: &str, findings: usize) -> AcceptedDeviationRecord {
    AcceptedDeviationRecord {
        entry_scope: LevelScope::of("null-value", Some("getThings"), Some(field)),
        level: Level::Allow,
        reason: "agreed".to_owned(),
        until: None,
        location: "countersign.toml:3".to_owned(),
        state,
        expired: (state == AcceptedState::Expired).then(|| "2026-02-01".to_owned()),
        findings,
    }
}

fn rejected_markup() -> RejectedValueRecord {
    RejectedValueRecord {
        operation: "updateThing".to_owned(),
        value: "markup".to_owned(),
        status: 422,
    }
}

/// A record with one of everything.
///
/// - Findings: 0 is an error of `wrong-type`, 1 a warning of `undocumented-field`.
/// - Rows of facts: 0 is held, 1 broken, 2 and 3 undecided.
/// - Residue: 0 is a record with an id that was found, 1 one without an id, 2 a create without a response.
/// - Accepted deviations: 0 applies, 1 no longer occurs, 2 is expired, 3 needs a reason.
pub(super) fn sample_record() -> Record {
    let left = |id: Option<&str>, answered| ResidueRecord {
        operation: "createThing".to_owned(),
        id: id.map(str::to_owned),
        id_stated: true,
        id_made_up: false,
        answered,
        status: answered.then_some(201),
        found: id.map(|_| true),
    };
    Record {
        report_version: VERSION,
        countersign: "0.1.0".to_owned(),
        outcome: Outcome::DoesNotConform,
        exit_code: 1,
        reason: None,
        contract: ContractRecord {
            title: "Things".to_owned(),
            file: "things.yaml".to_owned(),
        },
        target: "https://api.example.com".to_owned(),
        base_path: String::new(),
        values_shown: false,
        seed: 7,
        started_at: "2024-05-17T07:30:00Z".to_owned(),
        duration_ms: 1234,
        facts: facts(),
        findings: findings(),
        suspected_cause: None,
        accepted: vec![
            entry(AcceptedState::Applies, "/size", 2),
            entry(AcceptedState::NoLongerOccurs, "/name", 0),
            entry(AcceptedState::Expired, "/size", 0),
            entry(AcceptedState::NeedsReason, "/size", 0),
        ],
        residue: vec![left(Some("t-17"), true), left(None, true), left(None, false)],
        deleted: 0,
        run_tags: vec!["kqwzdnpv".to_owned()],
        residue_search: SearchExtent::Part,
        unexplained_records: vec![UnexplainedRecord {
            list: "getThings".to_owned(),
            id: Some("t-18".to_owned()),
            changed_by: None,
            existed: false,
        }],
        rejected_values: vec![rejected_markup()],
        requests: requests(),
        operations: vec![OperationRecord {
            coverage: Coverage::Checked,
            unchecked: None,
            name: "getThings".to_owned(),
            method: "GET".to_owned(),
            path: "/things".to_owned(),
            contract_line: 5,
            contract_file: None,
        }],
        omitted_operations: Vec::new(),
        gaps: vec![gap()],
        answers: answers(),
        trials: Vec::new(),
        learns: false,
        exchanges: vec![exchange()],
        exchanges_left_out: 3,
        shard: None,
        shards: None,
        traffic: None,
        since: None,
    }
}

/// Recorded traffic: one file, of whose two entries one was judged.
pub(super) fn sample_traffic() -> TrafficRecord {
    TrafficRecord {
        files: vec![TrafficFileRecord {
            name: "a.har".to_owned(),
            entries: 2,
            stopped: None,
        }],
        proxied: 0,
        judged: 1,
        not_judged: Vec::new(),
        ended: None,
    }
}

fn gap() -> GapRecord {
    GapRecord {
        id: "size-unit".to_owned(),
        question: "What is a size counted in?".to_owned(),
        stated: true,
        locations: vec![LocationRecord {
            pointer: format!("{SCHEMA}/properties/size"),
            line: 18,
            file: None,
        }],
    }
}

fn answers() -> Vec<Answer> {
    let answer = |claim, reason, supporting, against| Answer {
        gap: "size-unit".to_owned(),
        operation: Some("getThings".to_owned()),
        location: Some(format!("{SCHEMA}/properties/size")),
        state: match (&claim, against) {
            (None, _) => AnswerState::CannotTell,
            (Some(_), 0) => AnswerState::Seen,
            (Some(_), _) => AnswerState::Unstable,
        },
        claim,
        observations: ObservationCounts {
            supporting,
            against,
            void: 1,
        },
        dissent: Vec::new(),
        reason,
    };
    let other = |operation: &str, answer: Answer| Answer {
        operation: Some(operation.to_owned()),
        ..answer
    };
    let status = |status| Claim::Status { status };
    vec![
        other("createThing", answer(None, Some(WhyUnanswered::NeedsWrites), 0, 0)),
        answer(Some(status(200)), None, 7, 0),
        Answer {
            dissent: vec![Dissent {
                claim: status(202),
                count: 1,
            }],
            ..other("updateThing", answer(Some(status(200)), None, 2, 1))
        },
    ]
}

fn requests() -> RequestCounts {
    RequestCounts {
        sent: 12,
        answered: 11,
        writes: 3,
        throttled: 1,
        unfinished: 1,
        rounds: 1,
    }
}

fn exchange() -> ExchangeRecord {
    ExchangeRecord {
        number: 1,
        operation: "getThings".to_owned(),
        purpose: PurposeRecord::Documented,
        edge_case: None,
        credential: CredentialRecord::Token,
        credential_scheme: None,
        accept: None,
        content_type: None,
        credential_header: None,
        superseded: false,
        method: "GET".to_owned(),
        path: "/things".to_owned(),
        headers: Vec::new(),
        body: None,
        sent_ms: 2.25,
        response: Some(ResponseRecord {
            status: 200,
            media_type: Some("application/json".to_owned()),
            bytes: 23,
            elapsed_ms: 1.5,
            body: Some(r#"{"name":"integer","size":"integer"}"#.to_owned()),
            whole: true,
        }),
        failure: None,
    }
}

fn facts() -> Facts {
    let row = |fact: &str, verdict, reason: Option<&str>| FactRow {
        fact: fact.into(),
        operation: "getThings".into(),
        rule: "wrong-type".into(),
        documented: "string".into(),
        contract_pointer: format!("{SCHEMA}/properties/name/type").into(),
        contract_line: 17,
        contract_file: None,
        verdict,
        reason: reason.map(Into::into),
        new: false,
    };
    let undecided = |fact: &str| row(fact, VerdictRecord::Undecided, Some("no response showed it"));
    Facts {
        total: 4,
        held: 1,
        broken: 1,
        undecided: 2,
        rows: vec![
            row("getThings status: 200", VerdictRecord::Held, None),
            row("getThings /name: string", VerdictRecord::Broken, None),
            undecided("getThings /size: integer"),
            undecided("getThings body: JSON"),
        ],
    }
}

/// `count` findings like this one, each with a cause of its own.
pub(super) fn with_distinct_causes(finding: &FindingRecord, count: usize) -> Vec<FindingRecord> {
    let findings = (0..count).map(|number| FindingRecord {
        operation: format!("getThings{number}"),
        fact: format!("getThings{number} /name: string"),
        contract_pointer: format!("{}/{number}", finding.contract_pointer),
        received: number.to_string(),
        ..finding.clone()
    });
    findings.collect()
}

fn findings() -> Vec<FindingRecord> {
    let document = Document::read("things.yaml", CONTRACT.to_owned()).unwrap();
    let (name, whole) = (format!("{SCHEMA}/properties/name/type"), format!("{SCHEMA}/type"));
    let wrong_type = FindingRecord {
        rule: "wrong-type".into(),
        level: Level::Deny,
        operation: "getThings".to_owned(),
        fact: "getThings /name: string".to_owned(),
        response_pointer: "/name".to_owned(),
        excerpt: Excerpt::of(&document, &name),
        contract_pointer: name,
        contract_line: 17,
        contract_file: None,
        documented: "string".to_owned(),
        received: "integer".to_owned(),
        error_body: None,
        count: 2,
        reproduce: "curl -sS -i 'https://api.example.com/things'".to_owned(),
        exchange: Some(1),
        recorded_in: None,
        new: false,
    };
    let undocumented_field = FindingRecord {
        rule: "undocumented-field".into(),
        level: Level::Warn,
        fact: "getThings body: object".to_owned(),
        response_pointer: "/<undocumented name(4)>".to_owned(),
        excerpt: Excerpt::of(&document, &whole),
        contract_pointer: whole,
        contract_line: 13,
        contract_file: None,
        documented: "no field of this name".to_owned(),
        received: "null".to_owned(),
        count: 1,
        ..wrong_type.clone()
    };
    vec![wrong_type, undocumented_field]
}
