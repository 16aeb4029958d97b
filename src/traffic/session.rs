//! Shows recorded exchanges to the rules, one after the other. The main function is [`judge`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::entry::{Recorded, Skipped};
use super::order::{File, FileRead, InOrder, Place, Placed};
use super::request::{self, PageRequest};
use super::route::{Call, NoCall, Router};
use crate::contract::Contract;
use crate::contract::fact::{FactId, FactKind};
use crate::contract::operation::OperationId;
use crate::exchange::redact::Values;
use crate::exchange::{Digest, Exchange, Intent, OnRefusal, Purpose, Response, Target};
use crate::history::{Extent, LookId, LookedThrough, Part, RunTag, Sought};
use crate::rules::{Evaluation, Judge, Levels, Reason};
use crate::run::{self, Ended, Event, Exchanged, Run, Tally};

/// How far the clocks of two recordings may be apart.
const SKEW: TimeDelta = TimeDelta::seconds(5);
/// How many walks may be under way at once: further ones are not followed.
const MAX_WALKS: usize = 256;

/// How traffic is judged.
#[derive(Debug)]
pub struct Settings {
    /// The base URL of the service; `None` for the contract's servers, or the only origin that has its paths.
    pub base: Option<Target>,
    /// The levels of the rules.
    pub levels: Levels,
    /// How long after its create a record may be missing from its list.
    pub settle: Duration,
}

impl Default for Settings {
    /// The first origin, each rule's own level, and the time that a check waits by default.
    fn default() -> Self {
        Self {
            base: None,
            levels: Levels::default(),
            settle: run::Settings::SETTLE,
        }
    }
}

/// What was judged.
#[derive(Debug)]
pub struct Judged {
    /// The verdicts, as a run has them. It sent nothing and left nothing.
    pub run: Run,
    /// The service; `None` where no entry calls an operation.
    pub target: Option<Target>,
    /// Other origins at which operations were called; then `--base-url` has to say which one is the service's.
    pub other_origins: BTreeSet<String>,
    /// The files.
    pub files: Vec<FileRead>,
    /// How many entries were not judged, by reason.
    pub not_judged: BTreeMap<NotJudged, u64>,
    /// Where each exchange is, by its number, from 1.
    pub places: Vec<Place>,
}

/// Why an entry was not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotJudged {
    /// No operation of the contract has its method and path.
    NoOperation,
    /// The request is not one that the document shows.
    NotAsDocumented,
    /// It went elsewhere.
    OtherOrigin,
    /// It cannot be judged.
    Skipped(Skipped),
    /// The service was overloaded (503), and nobody knows whether it stayed so.
    Unavailable,
}

impl NotJudged {
    /// Describes the entries of this kind.
    pub fn describe(self) -> &'static str {
        match self {
            Self::NoOperation => "call no operation of the contract",
            Self::NotAsDocumented => "do not follow the contract in their request",
            Self::OtherOrigin => "went to another origin or path",
            Self::Skipped(Skipped::Aborted) => "have no complete response",
            Self::Skipped(Skipped::Cached) => "came from a cache",
            Self::Skipped(Skipped::NotAnEntry) => "are not entries of an HTTP archive (HAR 1.2)",
            Self::Skipped(Skipped::NotHttp) => "are not HTTP requests",
            Self::Skipped(Skipped::Preflight) => "are preflights of a browser",
            Self::Skipped(Skipped::Redirect) => "were redirected",
            Self::Skipped(Skipped::WithoutHeaders) => "were recorded without the headers of the response",
            Self::Unavailable => "were answered with 503",
        }
    }
}

/// Judges the files together, and emits events as a run does.
pub fn judge(contract: &Contract, files: Vec<File>, settings: Settings, emit: &mut dyn FnMut(Event<'_>)) -> Judged {
    let mut session = Session::new(contract, settings, emit);
    let mut entries = InOrder::new(files);
    emit_begun(&mut session);
    for placed in entries.by_ref() {
        session.take(placed);
    }
    session.conclude_walks(None);
    let (files, skipped) = entries.finish();
    for (why, count) in skipped {
        session.not_judged.insert(NotJudged::Skipped(why), count);
    }
    session.finish(files)
}

fn emit_begun(session: &mut Session<'_, '_>) {
    (session.emit)(Event::Begun);
}

/// Judging under way.
struct Session<'run, 'emit> {
    contract: &'run Contract,
    evaluation: Evaluation<'run>,
    router: Router,
    settle: TimeDelta,
    emit: &'emit mut dyn FnMut(Event<'_>),
    /// How many findings were emitted.
    found: usize,
    tally: Tally,
    called: BTreeSet<OperationId>,
    not_judged: BTreeMap<NotJudged, u64>,
    places: Vec<Place>,
    began: Option<DateTime<Utc>>,
    last_write: Option<Write>,
    walks: HashMap<(usize, OperationId, Digest), WalkSeen>,
    /// Walks that are complete unless something was written before their last response came.
    complete: Vec<WalkSeen>,
}

/// The last write of the traffic.
#[derive(Clone, Copy, Debug)]
struct Write {
    operation: OperationId,
    file: usize,
    ended: DateTime<Utc>,
}

/// The pages of a list that one client requested one after the other, with nothing written between.
#[derive(Debug)]
struct WalkSeen {
    file: usize,
    pages: LookId,
    /// The look for the record of the last write, where that is a create long enough ago.
    created: Option<LookId>,
    seen: BTreeSet<u64>,
    ended: DateTime<Utc>,
}

/// A page of a list, as a client requested it.
struct Page<'page> {
    exchange: &'page Exchange,
    place: Place,
    asked: PageRequest,
    started: DateTime<Utc>,
    ended: DateTime<Utc>,
}

impl<'run, 'emit> Session<'run, 'emit> {
    fn new(contract: &'run Contract, settings: Settings, emit: &'emit mut dyn FnMut(Event<'_>)) -> Self {
        let judge = Judge::new(contract, settings.levels, Values::Hidden);
        // Of a run in 1970, so no value of the traffic contains it.
        let unused = RunTag::new(u64::MAX, 0);
        Self {
            contract,
            evaluation: Evaluation::of_traffic(judge, unused),
            router: Router::new(contract, settings.base),
            settle: TimeDelta::from_std(settings.settle).unwrap_or(TimeDelta::MAX),
            emit,
            found: 0,
            tally: Tally::default(),
            called: BTreeSet::new(),
            not_judged: BTreeMap::new(),
            places: Vec::new(),
            began: None,
            last_write: None,
            walks: HashMap::new(),
            complete: Vec::new(),
        }
    }

    fn take(&mut self, placed: Placed) {
        let Placed { place, recorded, .. } = placed;
        if let Err(why) = self.try_take(place, &recorded) {
            *self.not_judged.entry(why).or_default() += 1;
        }
    }

    fn try_take(&mut self, place: Place, recorded: &Recorded) -> Result<(), NotJudged> {
        let call = self
            .router
            .call(&recorded.method, &recorded.url)
            .map_err(|why| match why {
                NoCall::NoOperation => NotJudged::NoOperation,
                NoCall::OtherOrigin => NotJudged::OtherOrigin,
            })?;
        let operation = self.contract.operation(call.operation);
        let ended = recorded.started + TimeDelta::from_std(recorded.elapsed).unwrap_or_default();
        self.conclude_walks(Some(recorded.started));
        if !operation.is_read() {
            self.note_write(
                Write {
                    operation: call.operation,
                    file: place.file,
                    ended,
                },
                recorded.started,
            );
        }
        let request = request::request(operation, recorded, &call);
        // A 5xx is the service's own failure, whatever the request was.
        if recorded.status < 500 && !request::is_as_documented(operation, recorded, &request) {
            return Err(NotJudged::NotAsDocumented);
        }
        if recorded.status == 503 {
            return Err(NotJudged::Unavailable);
        }
        let exchange = self.exchange(request, recorded, place);
        let asked = operation.page.as_ref().and_then(|_| request::page(operation, recorded));
        match asked {
            Some(asked) => self.page(&Page {
                exchange: &exchange,
                place,
                asked,
                started: recorded.started,
                ended,
            }),
            None => self.other(&exchange, call),
        }
        Ok(())
    }

    fn exchange(&mut self, request: crate::exchange::Request, recorded: &Recorded, place: Place) -> Exchange {
        self.places.push(place);
        self.called.insert(request.operation);
        self.tally.answered += 1;
        let began = *self.began.get_or_insert(recorded.started);
        Exchange {
            number: self.tally.answered,
            request,
            sent: (recorded.started - began).to_std().unwrap_or_default(),
            outcome: Ok(Response {
                status: recorded.status,
                headers: recorded.response_headers.clone(),
                body: recorded.response_body.clone().unwrap_or_default(),
                has_body: recorded.response_body.is_some(),
                elapsed: recorded.elapsed,
            }),
        }
    }

    fn intent() -> Intent {
        Purpose::Documented(OnRefusal::Others).into()
    }

    fn other(&mut self, exchange: &Exchange, call: Call) {
        let part = Part::Others(call.path_values);
        let (_, body) = self.evaluation.exchange(exchange, (Self::intent(), &part));
        self.emit_exchange(exchange, body.as_deref());
    }

    /// Judges a page by itself, then as a part of what was seen of its list.
    fn page(&mut self, page: &Page<'_>) {
        let list = page.exchange.request.operation;
        let alone = self.evaluation.look(list, &Sought::Pages, u64::MAX);
        self.evaluation.walk(alone, Extent::SinglePages);
        let part = Part::Page(alone, page.asked.number);
        let (noted, body) = self.evaluation.exchange(page.exchange, (Self::intent(), &part));
        self.evaluation.conclude(alone, false);
        self.emit_exchange(page.exchange, body.as_deref());
        if noted.page.is_none() {
            let key = self.key(page);
            self.drop_walk(&key);
            return;
        }
        for create in self.evaluation.history().others_made(list) {
            let look = self.evaluation.look(list, &Sought::CreatedBy(create), u64::MAX);
            self.evaluation.walk(look, Extent::SinglePages);
            self.evaluation
                .page_again(look, page.asked.number, (page.exchange, body.as_deref()));
            // A record that is not on this page may be on another, and one that differs may have been updated.
            if self.evaluation.history().is_settled(look) {
                self.evaluation.conclude(look, false);
            } else {
                self.evaluation.drop_look(look);
            }
        }
        self.follow(page, body.as_deref());
        self.emit_findings(None);
    }

    fn key(&self, page: &Page<'_>) -> (usize, OperationId, Digest) {
        (page.place.file, page.exchange.request.operation, page.asked.window)
    }

    /// Adds a page to the walk that it belongs to: the first page begins one, and each other page is taken once.
    fn follow(&mut self, page: &Page<'_>, body: Option<&crate::exchange::json::Body>) {
        let key = self.key(page);
        let number = page.asked.number.unwrap_or(1);
        if number == 1 {
            self.drop_walk(&key);
            if self.walks.len() < MAX_WALKS && self.is_quiet(page) {
                let walk = self.begin_walk(page);
                self.walks.insert(key, walk);
            }
        }
        let Some(walk) = self.walks.get_mut(&key).filter(|walk| !walk.seen.contains(&number)) else {
            return;
        };
        walk.seen.insert(number);
        walk.ended = walk.ended.max(page.ended);
        for look in [Some(walk.pages), walk.created].into_iter().flatten() {
            self.evaluation
                .page_again(look, page.asked.number, (page.exchange, body));
        }
        let last = self.evaluation.history().last_page(walk.pages).unwrap_or(1).max(1);
        if u64::try_from(walk.seen.len()).is_ok_and(|seen| seen >= last) {
            self.complete.extend(self.walks.remove(&key));
        }
    }

    /// Whether no write was under way when a page was requested.
    fn is_quiet(&self, page: &Page<'_>) -> bool {
        self.last_write
            .is_none_or(|write| write.ended + skew(write.file, page.place.file) <= page.started)
    }

    fn begin_walk(&mut self, page: &Page<'_>) -> WalkSeen {
        let list = page.exchange.request.operation;
        let pages = self.evaluation.look(list, &Sought::Pages, u64::MAX);
        self.evaluation.walk(pages, Extent::Whole);
        let settled = self.last_write.filter(|write| {
            let late = write.ended.checked_add_signed(self.settle);
            write.file == page.place.file && late.is_some_and(|late| late <= page.started)
        });
        let made = self.evaluation.history().others_made(list);
        let created = settled.filter(|write| made.contains(&write.operation)).map(|write| {
            let look = self
                .evaluation
                .look(list, &Sought::CreatedBy(write.operation), u64::MAX);
            self.evaluation.walk(look, Extent::Whole);
            look
        });
        WalkSeen {
            file: page.place.file,
            pages,
            created,
            seen: BTreeSet::new(),
            ended: page.ended,
        }
    }

    /// Ends the walks that a write may have disturbed.
    fn note_write(&mut self, write: Write, started: DateTime<Utc>) {
        let walks: Vec<_> = self.walks.drain().map(|(_, walk)| walk).collect();
        let complete = std::mem::take(&mut self.complete).into_iter();
        let (disturbed, quiet): (Vec<_>, _) =
            complete.partition(|walk| started - skew(write.file, walk.file) < walk.ended);
        self.complete = quiet;
        for walk in walks.into_iter().chain(disturbed) {
            self.drop_looks(&walk);
        }
        let later = self.last_write.is_none_or(|last| last.ended <= write.ended);
        self.last_write = if later { Some(write) } else { self.last_write };
    }

    fn drop_walk(&mut self, key: &(usize, OperationId, Digest)) {
        if let Some(walk) = self.walks.remove(key) {
            self.drop_looks(&walk);
        }
    }

    fn drop_looks(&mut self, walk: &WalkSeen) {
        for look in [Some(walk.pages), walk.created].into_iter().flatten() {
            self.evaluation.drop_look(look);
        }
    }

    /// Judges the complete walks that ended before this moment; all of them where there is none.
    fn conclude_walks(&mut self, before: Option<DateTime<Utc>>) {
        let complete = std::mem::take(&mut self.complete).into_iter();
        let (over, open) = complete.partition(|walk| before.is_none_or(|before| walk.ended + SKEW <= before));
        self.complete = open;
        let over: Vec<WalkSeen> = over;
        for walk in over {
            for look in [Some(walk.pages), walk.created].into_iter().flatten() {
                self.evaluation.conclude(look, false);
            }
        }
        self.emit_findings(None);
    }

    fn emit_exchange(&mut self, exchange: &Exchange, body: Option<&crate::exchange::json::Body>) {
        let exchanged = Exchanged {
            exchange,
            intent: Self::intent(),
            body,
        };
        (self.emit)(Event::Exchanged(exchanged));
        self.emit_findings(Some(exchanged));
    }

    /// Emits the new findings, each with this exchange where it shows the finding by itself.
    fn emit_findings(&mut self, exchanged: Option<Exchanged<'_>>) {
        let findings = self.evaluation.verdicts().findings();
        for finding in findings.get(self.found..).unwrap_or_default() {
            let shown = exchanged.filter(|shown| finding.exchange == Some(shown.exchange.number));
            (self.emit)(Event::Found(finding, shown));
        }
        self.found = findings.len();
    }

    fn finish(mut self, files: Vec<FileRead>) -> Judged {
        for id in self.contract.operation_ids().filter(|id| !self.called.contains(id)) {
            self.evaluation.not_called(id, Reason::NotRecordedCall);
        }
        for id in (0..self.contract.facts.len()).map(FactId) {
            let fact = self.contract.fact(id);
            match fact.kind {
                // Only a run tag would tell a record's values from equal ones of another record.
                FactKind::NotElsewhere => self.evaluation.withhold(id, Reason::NeedsCheck),
                kind if self.called.contains(&fact.operation) && needs_check(kind) => {
                    self.evaluation.explain(id, Reason::NeedsCheck);
                }
                _ => {}
            }
        }
        let (verdicts, _, recording) = self.evaluation.finish();
        Judged {
            run: Run {
                shard: None,
                verdicts,
                ended: Ended::Complete,
                residue: Vec::new(),
                looked_through: LookedThrough::default(),
                unexplained: Vec::new(),
                not_taken: Vec::new(),
                tally: self.tally,
                in_scope: self.called,
                mock: false,
                recording,
            },
            target: self.router.base().cloned(),
            other_origins: self.router.others().clone(),
            files,
            not_judged: self.not_judged,
            places: self.places,
        }
    }
}

/// Whether only requests that nobody else sends, or knows to be sent, show a fact of this kind.
fn needs_check(kind: FactKind) -> bool {
    matches!(
        kind,
        FactKind::EdgeCaseComplete
            | FactKind::EdgeCaseNoServerError
            | FactKind::Equivalent(_)
            | FactKind::NoCredential
            | FactKind::Once
            | FactKind::OtherScheme
            | FactKind::UpdatedCarrying(_)
            | FactKind::WrongToken
    )
}

/// How far the clocks of two files may be apart.
fn skew(one: usize, other: usize) -> TimeDelta {
    if one == other { TimeDelta::zero() } else { SKEW }
}
