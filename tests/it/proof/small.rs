//! A contract of a few lines, and a stub to check against it. The main type is [`Small`].

use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;
use countersign::contract::operation::OperationId;
use countersign::plan::{Plan, Scope, StepDescription};
use countersign::report::{FactRow, FindingRecord, Record};
use countersign::rules::Level;
use countersign::{Check, Contract};

use crate::support::stub::{Received, Table};

/// A list that shows records, a create, and a read that both link to.
pub(super) const THINGS: &str = "  /things:
    get:
      operationId: getThings
      responses:
        '200':
          description: Things
          content: {application/json: {schema: {type: array, items: {type: object}}}}
          links: {It: {operationId: getThing, parameters: {id: '$response.body#/0/id'}}}
    post:
      operationId: createThing
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses:
        '201':
          description: Thing
          content: {application/json: {schema: {type: object}}}
          links: {It: {operationId: getThing, parameters: {id: '$response.body#/id'}}}
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200':
          description: Thing
          content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: string}}}}}
";

/// A contract, and how a stub is checked against it.
pub(super) struct Small {
    pub(super) contract: Arc<Contract>,
    pub(super) scope: Scope,
    pub(super) settle: Duration,
    pub(super) max_writes: u64,
    pub(super) timeout: Duration,
    pub(super) levels: Vec<(&'static str, Level)>,
}

/// What a check said, and what the stub received.
pub(super) struct Seen {
    pub(super) record: Record,
    pub(super) received: Vec<Received>,
}

impl Small {
    /// A contract with these paths, and whatever is next to them.
    pub(super) fn new(paths: &str) -> Self {
        // Edge cases are sent where a test is about them.
        let edge_cases = if paths.contains("x-edge-cases") {
            ""
        } else {
            "x-edge-cases: []\n"
        };
        let text = format!("openapi: 3.0.3\ninfo: {{title: Small, version: '1'}}\n{edge_cases}paths:\n{paths}");
        let contract = Contract::read("small.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        Self {
            scope: Scope {
                writes: true,
                token: true,
                seed: 1,
                // Whether its writes are understood is not what these tests are about. A DELETE cannot be named.
                also_send: contract
                    .operation_ids()
                    .filter(|id| contract.operation(*id).method.as_str() != "DELETE")
                    .collect(),
                ..Scope::default()
            },
            contract: Arc::new(contract),
            settle: Duration::from_millis(200),
            max_writes: 20,
            timeout: Duration::from_secs(10),
            // A stub keeps nothing of what it is sent.
            levels: vec![("lifecycle", Level::Allow)],
        }
    }

    pub(super) fn reading(mut self) -> Self {
        self.scope.writes = false;
        self
    }

    pub(super) fn plan(&self) -> Plan {
        Plan::new(&self.contract, &self.scope)
    }

    pub(super) fn describe(&self) -> Vec<StepDescription> {
        self.plan().describe(&self.contract)
    }

    /// The reason of the plan against a call of the operation.
    pub(super) fn not_called(&self, operation: &str) -> Option<String> {
        let id = self.contract.operation_named(operation).unwrap();
        let mut reasons = self.plan().not_called.into_iter();
        reasons
            .find(|(other, _)| *other == id)
            .map(|(_, reason)| reason.to_string())
    }

    pub(super) async fn check(&self, table: Table) -> Seen {
        let stub = table.start().await;
        let record = self.against(&stub.url()).await;
        Seen {
            record,
            received: stub.received(),
        }
    }

    pub(super) async fn against(&self, url: &str) -> Record {
        let name = |id: &OperationId| self.contract.operation(*id).name.clone();
        let scope = &self.scope;
        let mut check = Check::new(Arc::clone(&self.contract))
            .url(url)
            .token(super::call::TOKEN)
            .writes(scope.writes)
            .seed(scope.seed)
            .settle(self.settle)
            .max_writes(self.max_writes)
            .timeout(self.timeout)
            .started_at(DateTime::UNIX_EPOCH + Duration::from_micros(1));
        check = scope.only.iter().map(name).fold(check, Check::only);
        check = scope.skip.iter().map(name).fold(check, Check::skip);
        check = scope.also_send.iter().map(name).fold(check, Check::also_send);
        check = scope.shard.into_iter().fold(check, Check::shard);
        for (rule, level) in &self.levels {
            check = match level {
                Level::Allow => check.allow(*rule),
                Level::Deny => check.deny(*rule),
                Level::Warn => check.warn(*rule),
            };
        }
        check.run().await.unwrap().into_record()
    }
}

impl Seen {
    /// What was received, as method and target.
    pub(super) fn calls(&self) -> Vec<String> {
        let calls = self.received.iter();
        calls
            .map(|call| format!("{} {}", call.method(), call.target()))
            .collect()
    }

    /// How often this was received.
    pub(super) fn count(&self, call: &str) -> usize {
        self.calls().iter().filter(|other| *other == call).count()
    }

    pub(super) fn row(&self, fact: &str) -> &FactRow {
        let mut rows = self.record.facts.rows.iter();
        rows.find(|row| row.fact == fact)
            .unwrap_or_else(|| panic!("no fact {fact}"))
    }

    pub(super) fn reason(&self, fact: &str) -> &str {
        self.row(fact).reason.as_deref().unwrap_or_default()
    }

    /// The findings of a rule.
    pub(super) fn of_rule(&self, rule: &str) -> Vec<&FindingRecord> {
        let findings = self.record.findings.iter();
        findings.filter(|finding| finding.rule == rule).collect()
    }
}
