//! Shows recorded exchanges to the rules, one after the other. The main function is [`judge`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::entry::{RecordedExchange, RequestLine, Skipped, UnreadBody};
use super::order::{EntryLocation, File, FileRead, InOrder, LocatedEntry};
use super::request::{self, ClientIdentity, PageRequest};
use super::route::{Call, NoCall, Router};
use crate::contract::Contract;
use crate::contract::fact::{FactId, FactKind};
use crate::contract::operation::{Operation, OperationId};
use crate::exchange::json::Body;
use crate::exchange::redact::ValueDisplay;
use crate::exchange::{Digest, Exchange, Failure, Intent, Purpose, RejectionMeaning, Request, Response, Target};
use crate::history::{ExchangeRole, LookGoal, LookId, RunTag, SearchExtent, WalkExtent};
#[cfg(feature = "cli")]
use crate::rules::Verdicts;
use crate::rules::{Evaluation, EvaluationResult, Judge, Levels, Reason, TrafficReason, is_documented_media_type};
use crate::run::{self, EmittedExchange, Event, RequestCounts, Run, RunEnd};

/// How far the clocks of two files may be apart.
const FILE_CLOCK_SKEW: TimeDelta = TimeDelta::seconds(5);
/// The assumed duration of a write whose duration was not recorded.
pub(crate) const ASSUMED_DURATION: TimeDelta = TimeDelta::minutes(5);
/// How long after `settle` the record of a create may be called missing: later, somebody who was not recorded may have
/// deleted it.
const MISSING_RECORD_WINDOW: TimeDelta = TimeDelta::minutes(1);
/// No limit on the number of pages per walk: a client may request any.
const ALL_PAGES: u64 = u64::MAX;
/// How many walks may be under way at once, and how many may wait for a second one: beyond that, a new one takes the
/// place of the one that has waited longest.
const MAX_WALKS: usize = 256;

/// How traffic is judged.
#[derive(Debug)]
pub struct Settings {
    /// The base URL of the service; `None` for the contract's servers, or the first origin at which an operation is
    /// called.
    pub base: Option<Target>,
    /// The levels of the rules.
    pub levels: Levels,
    /// How long after its create a record may be missing from its list.
    pub settle: Duration,
}

impl Default for Settings {
    /// The contract's servers or the first origin, each rule's own level, and the time that a check waits by default.
    fn default() -> Self {
        Self {
            base: None,
            levels: Levels::default(),
            settle: run::Settings::DEFAULT_SETTLE,
        }
    }
}

/// What was judged.
#[derive(Debug)]
pub struct Judged {
    /// The verdicts, in the form of a run that sent nothing and left nothing.
    pub run: Run,
    /// The service; `None` where nobody has named it and no entry calls an operation.
    pub target: Option<Target>,
    /// Other origins at which operations were called; only the first few are kept.
    pub other_origins: BTreeSet<String>,
    /// Whether the service is only the first origin at which an operation was called, because nobody has named it;
    /// then, if there are other origins, it is open which one is the service.
    pub is_inferred: bool,
    /// The files.
    pub files: Vec<FileRead>,
    /// How many entries were not judged, by reason.
    pub not_judged: BTreeMap<NotJudged, u64>,
    /// For each finding of the run, in its order, the entry that showed it: of several, the last one.
    pub found_at: Vec<EntryLocation>,
}

impl Judged {
    /// Returns how many exchanges were judged.
    #[must_use]
    pub fn judged_count(&self) -> u64 {
        // In traffic, the answered requests are those that were judged.
        self.run.tally.answered
    }

    /// Returns a message if every entry went to an origin other than the service's.
    #[must_use]
    pub fn all_went_elsewhere(&self) -> Option<String> {
        let entries: u64 = self.files.iter().map(|file| file.entries).sum();
        let skipped = self
            .not_judged
            .iter()
            .filter(|(why, _)| matches!(why, NotJudged::Skipped(_)));
        let skipped: u64 = skipped.map(|(_, count)| count).sum();
        let judgeable = entries.saturating_sub(skipped);
        let elsewhere = self.not_judged.get(&NotJudged::OtherOrigin).copied();
        let target = self
            .target
            .as_ref()
            .filter(|_| judgeable > 0 && elsewhere == Some(judgeable))?;
        let which = if skipped == 0 { "" } else { " that can be judged" };
        Some(format!(
            "none of the {judgeable} entries{which} went to {}",
            target.origin()
        ))
    }
}

/// Why an entry was not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotJudged {
    /// Its path matches several paths of the contract, none of which is closer than the others.
    Ambiguous,
    /// No operation of the contract has its method and path, or it is not below the base URL.
    NoOperation,
    /// The request is not one that the document shows, as far as that can be told.
    NotAsDocumented,
    /// The operation could not be read.
    Omitted,
    /// It went to another origin.
    OtherOrigin,
    /// It cannot be judged.
    Skipped(Skipped),
    /// The response is a 5xx that may come from a gateway, or a temporary one (503).
    Unavailable,
}

impl NotJudged {
    /// Describes the entries of this kind.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Ambiguous => "have a path that matches several paths of the contract alike",
            Self::NoOperation => "call no operation of the contract",
            Self::NotAsDocumented => "have a request that does not follow the contract",
            Self::Omitted => "call an operation that is left out, because of defects in the contract",
            Self::OtherOrigin => "went to another origin",
            Self::Skipped(Skipped::Aborted) => "have no complete response",
            Self::Skipped(Skipped::BodyUnread) => {
                "have a response in a content coding that is not read (only gzip is), or of more than 8 MiB"
            }
            Self::Skipped(Skipped::Cached) => "came from a cache",
            Self::Skipped(Skipped::NotAnEntry) => "cannot be read as entries of an HTTP archive (HAR 1.2)",
            Self::Skipped(Skipped::NotHttp) => "are not HTTP requests",
            Self::Skipped(Skipped::Preflight) => "are preflights of a browser",
            Self::Skipped(Skipped::Redirect) => "were redirected",
            Self::Unavailable => "got a 5xx that a gateway may have sent",
        }
    }
}

/// Judges the files together, and emits events as a run does.
pub fn judge(contract: &Contract, files: Vec<File>, settings: Settings, emit: &mut dyn FnMut(Event<'_>)) -> Judged {
    let mut judge = TrafficJudge::new(contract, settings, emit);
    let mut entries = InOrder::new(files);
    for located in entries.by_ref() {
        judge.take(&located);
    }
    let (files, skipped) = entries.finish();
    for (why, count) in skipped {
        judge.skip(why, count);
    }
    judge.finish(files)
}

/// Judging under way.
pub(crate) struct TrafficJudge<'run, 'emit> {
    contract: &'run Contract,
    evaluation: Evaluation<'run>,
    router: Router,
    /// How long after a write its record may be missing from a list.
    settle: TimeDelta,
    emit: &'emit mut dyn FnMut(Event<'_>),
    /// How many findings were emitted.
    emitted: usize,
    tally: RequestCounts,
    called: BTreeSet<OperationId>,
    not_judged: BTreeMap<NotJudged, u64>,
    /// The entry that is judged, or the last one of a walk.
    location: EntryLocation,
    /// For each finding, the entry that showed it.
    found_at: Vec<EntryLocation>,
    /// When the first judged request was sent.
    began: Option<DateTime<Utc>>,
    /// Of each file, the write that ended last.
    last_writes: BTreeMap<usize, Write>,
    /// The walks under way, of which not every page was seen yet.
    walks: HashMap<ListView, FollowedWalk>,
    /// Walks that are complete unless something was written before their last response came, by when that was and its
    /// entry.
    complete: BTreeMap<(DateTime<Utc>, EntryLocation), (ListView, FollowedWalk)>,
    /// The creates of which a record was listed.
    listed: BTreeSet<OperationId>,
    /// The creates of which a record was missing, each with the end of the first such request.
    missed: BTreeMap<OperationId, DateTime<Utc>>,
    /// The looks whose walk did not add up, the oldest first: the next walk of the same list decides.
    unconfirmed: Vec<(ListView, LookId)>,
}

/// A request that may have changed something.
#[derive(Clone, Copy, Debug)]
struct Write {
    /// The operation, where it was judged.
    operation: Option<OperationId>,
    client: Option<ClientIdentity>,
    file: usize,
    ended: DateTime<Utc>,
}

/// A list as one client sees it in one file: its requests for pages of it may be one walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ListView {
    file: usize,
    list: OperationId,
    client: ClientIdentity,
    /// The path and the query without the page.
    path: Digest,
}

/// A look for the record of a create, which a walk must show.
#[derive(Clone, Copy, Debug)]
struct AwaitedListing {
    look: LookId,
    create: OperationId,
    create_ended: DateTime<Utc>,
}

/// The pages of a list that one client requested one after the other, with nothing written between.
#[derive(Debug)]
struct FollowedWalk {
    /// The look that judges whether the pages add up.
    pages_look: LookId,
    /// The look for the record of the last write, where that is a create whose record must be there by now.
    awaited_listing: Option<AwaitedListing>,
    /// The numbers of the pages that were seen.
    seen: BTreeSet<u64>,
    /// The entry of the page that was seen last.
    last_entry: EntryLocation,
    /// When the response with the last of the pages ended.
    ended: DateTime<Utc>,
}

impl FollowedWalk {
    fn looks(&self) -> impl Iterator<Item = LookId> + use<> {
        [Some(self.pages_look), self.awaited_listing.map(|awaited| awaited.look)]
            .into_iter()
            .flatten()
    }
}

/// A page of a list, as a client requested it.
struct Page<'page> {
    exchange: &'page Exchange,
    view: ListView,
    asked: PageRequest,
    started: DateTime<Utc>,
    ended: DateTime<Utc>,
    /// Whether exchanges that began later were judged before it.
    is_late: bool,
}

/// What only live traffic needs.
#[cfg(feature = "cli")]
impl TrafficJudge<'_, '_> {
    /// Returns what is decided until now.
    pub(crate) fn verdicts(&self) -> &Verdicts {
        self.evaluation.verdicts()
    }

    /// Returns how many exchanges were judged until now.
    pub(crate) fn judged_count(&self) -> u64 {
        self.tally.answered
    }

    /// Returns how many exchanges were not judged until now, by reason.
    pub(crate) fn not_judged(&self) -> &BTreeMap<NotJudged, u64> {
        &self.not_judged
    }

    /// Takes note of a write that was not recorded, or not yet; it may last until the given time.
    pub(crate) fn unseen_write(&mut self, started: DateTime<Utc>, ended: Option<DateTime<Utc>>) {
        let write = Write {
            operation: None,
            client: None,
            file: 0,
            ended: ended.unwrap_or_else(|| saturating_add(started, ASSUMED_DURATION)),
        };
        self.note_write(write, started);
    }
}

impl<'run, 'emit> TrafficJudge<'run, 'emit> {
    /// Starts with nothing seen.
    pub(crate) fn new(contract: &'run Contract, settings: Settings, emit: &'emit mut dyn FnMut(Event<'_>)) -> Self {
        emit(Event::Begun);
        let judge = Judge::new(contract, settings.levels, ValueDisplay::Hidden);
        // The tag of a run in 1970, which no traffic contains.
        let unused = RunTag::new(u64::MAX, 0);
        Self {
            contract,
            evaluation: Evaluation::of_traffic(judge, unused),
            router: Router::new(contract, settings.base),
            settle: TimeDelta::from_std(settings.settle).unwrap_or(TimeDelta::MAX),
            emit,
            emitted: 0,
            tally: RequestCounts::default(),
            called: BTreeSet::new(),
            not_judged: BTreeMap::new(),
            location: EntryLocation { file: 0, entry: 0 },
            found_at: Vec::new(),
            began: None,
            last_writes: BTreeMap::new(),
            walks: HashMap::new(),
            complete: BTreeMap::new(),
            listed: BTreeSet::new(),
            missed: BTreeMap::new(),
            unconfirmed: Vec::new(),
        }
    }

    /// Counts exchanges that cannot be judged.
    pub(crate) fn skip(&mut self, why: Skipped, count: u64) {
        *self.not_judged.entry(NotJudged::Skipped(why)).or_default() += count;
    }

    /// Judges the next exchange.
    pub(crate) fn take(&mut self, located: &LocatedEntry) {
        let LocatedEntry {
            location,
            request_line,
            recorded,
            ..
        } = located;
        self.conclude_walks(Some(request_line.started));
        self.location = *location;
        let call = self.router.call(&request_line.method, &request_line.url);
        // Every write to the service's origin may change its records, whether the contract has the operation or not. So
        // may a query, which is sent by POST: only the document's words say that it reads, so it counts as a write
        // here.
        if request_line.is_write() && !matches!(call, Err(NoCall::OtherOrigin)) {
            // A write that got no response from the service, or only a 202, may still take effect.
            let is_done = recorded
                .as_ref()
                .is_some_and(|recorded| recorded.status <= 501 && recorded.status != 202);
            let known = request_line.elapsed.filter(|_| is_done);
            let known = known.and_then(|elapsed| TimeDelta::from_std(elapsed).ok());
            let write = Write {
                operation: call
                    .as_ref()
                    .ok()
                    .filter(|_| recorded.is_some())
                    .map(|call| call.operation),
                client: recorded.as_ref().map(|recorded| {
                    let operation = call.as_ref().ok().map(|call| self.contract.operation(call.operation));
                    ClientIdentity::of(&recorded.request_headers, (operation, &request_line.url))
                }),
                file: location.file,
                ended: saturating_add(request_line.started, known.unwrap_or(ASSUMED_DURATION)),
            };
            self.note_write(write, request_line.started);
        }
        let Some(recorded) = recorded else { return };
        let call = call.map_err(|why| match why {
            NoCall::Ambiguous => NotJudged::Ambiguous,
            NoCall::NoOperation => NotJudged::NoOperation,
            NoCall::Omitted => NotJudged::Omitted,
            NoCall::OtherOrigin => NotJudged::OtherOrigin,
        });
        if let Err(why) = call.and_then(|call| self.judge((request_line, recorded), call, located.is_late)) {
            *self.not_judged.entry(why).or_default() += 1;
        }
    }

    /// Judges an exchange that calls an operation, or returns why it decides nothing.
    fn judge(
        &mut self,
        (request_line, recorded): (&RequestLine, &RecordedExchange),
        call: Call,
        is_late: bool,
    ) -> Result<(), NotJudged> {
        let operation = self.contract.operation(call.operation);
        let request = request::request(operation, (request_line, recorded), &call);
        // A 500 or 501 is the service's own failure, whatever the request was.
        let failed = matches!(recorded.status, 500 | 501);
        if !failed && !request::is_as_documented(operation, (request_line, recorded), &request) {
            return Err(NotJudged::NotAsDocumented);
        }
        if recorded.status > 501 {
            return Err(NotJudged::Unavailable);
        }
        let outcome = outcome((request_line, recorded));
        // Status and media type need no body, but traffic of which no body is read is not said to conform.
        let is_unread = recorded.unread_body == Some(UnreadBody::NotSupported);
        if is_unread
            && outcome
                .as_ref()
                .is_ok_and(|response| breaks_nothing_by_head(operation, response))
        {
            return Err(NotJudged::Skipped(Skipped::BodyUnread));
        }
        let exchange = self.exchange((request, outcome), request_line.started);
        let asked = operation
            .page
            .as_ref()
            .and_then(|_| request::page(operation, &request_line.url));
        let Some(asked) = asked else {
            self.judge_by_itself(&exchange, call);
            return Ok(());
        };
        let view = ListView {
            file: self.location.file,
            list: call.operation,
            client: ClientIdentity::of(&recorded.request_headers, (Some(operation), &request_line.url)),
            path: request::list_key(operation, &request_line.url),
        };
        let elapsed = request_line
            .elapsed
            .and_then(|elapsed| TimeDelta::from_std(elapsed).ok());
        self.page(&Page {
            exchange: &exchange,
            view,
            asked,
            started: request_line.started,
            ended: saturating_add(request_line.started, elapsed.unwrap_or_default()),
            is_late,
        });
        Ok(())
    }

    /// Makes the exchange of a recorded request, with its number and its time since the first one.
    fn exchange(
        &mut self,
        (request, outcome): (Request, Result<Response, Failure>),
        started: DateTime<Utc>,
    ) -> Exchange {
        self.called.insert(request.operation);
        self.tally.answered += 1;
        let began = *self.began.get_or_insert(started);
        Exchange {
            number: self.tally.answered,
            request,
            sent_after: started.signed_duration_since(began).to_std().unwrap_or_default(),
            outcome,
        }
    }

    /// Returns the intent of another client's request: it may have been rejected by something in front of the service.
    fn intent() -> Intent {
        Purpose::Documented(RejectionMeaning::OtherClient).into()
    }

    /// Judges an exchange that is not a page of a list.
    fn judge_by_itself(&mut self, exchange: &Exchange, call: Call) {
        let role = ExchangeRole::OtherClient(call.path_values);
        let (_, body) = self.evaluation.add_exchange(exchange, (Self::intent(), &role));
        self.emit_exchange(exchange, body.as_deref());
    }

    /// Judges a page by itself, then as a part of what was seen of its list.
    fn page(&mut self, page: &Page<'_>) {
        let list = page.exchange.request.operation;
        let look_at_page = self.evaluation.begin_look(list, &LookGoal::Pages, ALL_PAGES);
        self.evaluation.begin_walk(look_at_page, WalkExtent::SelectedPages);
        let role = ExchangeRole::Page(look_at_page, page.asked.number);
        let (noted, body) = self.evaluation.add_exchange(page.exchange, (Self::intent(), &role));
        // What the service returns for a page beyond the last one is not documented.
        let last = self.evaluation.history().last_page(look_at_page);
        let is_beyond_last = last.is_some() && page.asked.number > last.map(|last| last.max(1));
        if is_beyond_last {
            self.evaluation.drop_look(look_at_page);
        } else {
            self.evaluation.conclude(look_at_page);
        }
        self.emit_exchange(page.exchange, body.as_deref());
        // A response that is no page ends the walk. So does a late page: what was written since it was requested may be
        // on it or not.
        if !noted.is_page() || page.is_late {
            self.drop_walk(&page.view);
            return;
        }
        if is_beyond_last {
            return;
        }
        for create in self.evaluation.history().creates_by_other_clients(list) {
            let look = self
                .evaluation
                .begin_look(list, &LookGoal::CreatedBy { operation: create }, ALL_PAGES);
            self.evaluation.begin_walk(look, WalkExtent::SelectedPages);
            self.evaluation
                .share_page_with_look(look, page.asked.number, (page.exchange, body.as_deref()));
            // A record that is not on this page may be on another, and one that differs may have been updated.
            if self.evaluation.history().is_settled(look) {
                self.listed.insert(create);
                self.evaluation.conclude(look);
            } else {
                self.evaluation.drop_look(look);
            }
        }
        self.follow(page, body.as_deref());
        self.emit_findings(None);
    }

    /// Adds a page to the walk that it belongs to: the first page begins one, and each other page is taken once.
    fn follow(&mut self, page: &Page<'_>, body: Option<&Body>) {
        let number = page.asked.number.unwrap_or(1);
        if number == 1 {
            self.drop_walk(&page.view);
            if self.is_quiet(page) {
                self.make_room_for_walk();
                let walk = self.begin_walk(page);
                self.walks.insert(page.view, walk);
            }
        }
        let Some(walk) = self
            .walks
            .get_mut(&page.view)
            .filter(|walk| !walk.seen.contains(&number))
        else {
            return;
        };
        walk.seen.insert(number);
        walk.last_entry = self.location;
        walk.ended = walk.ended.max(page.ended);
        for look in walk.looks() {
            self.evaluation
                .share_page_with_look(look, page.asked.number, (page.exchange, body));
        }
        let last = self.evaluation.history().last_page(walk.pages_look).unwrap_or(1).max(1);
        if u64::try_from(walk.seen.len()).is_ok_and(|seen| seen >= last) {
            let walk = self.walks.remove(&page.view);
            let walk = walk.map(|walk| ((walk.ended, walk.last_entry), (page.view, walk)));
            self.complete.extend(walk);
        }
    }

    /// Drops the walk that no page was added to for the longest time, if there are too many: where a client reads only
    /// the first page of a list, no other page may ever follow.
    fn make_room_for_walk(&mut self) {
        if self.walks.len() < MAX_WALKS {
            return;
        }
        let oldest = self.walks.iter().min_by_key(|(_, walk)| walk.ended);
        if let Some(view) = oldest.map(|(view, _)| *view) {
            self.drop_walk(&view);
        }
    }

    /// Whether no write was under way when a page was requested.
    fn is_quiet(&self, page: &Page<'_>) -> bool {
        self.last_writes
            .values()
            .all(|write| saturating_add(write.ended, skew(write.file, page.view.file)) <= page.started)
    }

    /// Begins a walk with its first page: a look for its pages, and one for the record of the last write, if the list
    /// must show that by now.
    fn begin_walk(&mut self, page: &Page<'_>) -> FollowedWalk {
        let ListView { list, .. } = page.view;
        let unconfirmed = self.unconfirmed.iter().position(|(view, _)| *view == page.view);
        let unconfirmed = unconfirmed.map(|index| self.unconfirmed.remove(index).1);
        let pages_look = unconfirmed.unwrap_or_else(|| self.evaluation.begin_look(list, &LookGoal::Pages, ALL_PAGES));
        self.evaluation.begin_walk(pages_look, WalkExtent::WholeList);
        let last_write = self.last_writes.values().max_by_key(|write| write.ended);
        let write = last_write.filter(|write| self.must_be_listed(write, page)).copied();
        let made = self.evaluation.history().creates_by_other_clients(list);
        let create =
            write.and_then(|write| Some((write.operation.filter(|create| made.contains(create))?, write.ended)));
        let awaited_listing = create.map(|(create, create_ended)| {
            let look = self
                .evaluation
                .begin_look(list, &LookGoal::CreatedBy { operation: create }, ALL_PAGES);
            self.evaluation.begin_walk(look, WalkExtent::WholeList);
            AwaitedListing {
                look,
                create,
                create_ended,
            }
        });
        FollowedWalk {
            pages_look,
            awaited_listing,
            seen: BTreeSet::new(),
            last_entry: self.location,
            ended: page.ended,
        }
    }

    /// Whether a list that is requested now must show the record of a write: its client requests the whole list, long
    /// enough after the write and not much later.
    fn must_be_listed(&self, write: &Write, page: &Page<'_>) -> bool {
        let list_must_be_current_at = saturating_add(write.ended, self.settle);
        let client = page.view.client;
        page.asked.is_unfiltered
            && client.is_known
            && write.client == Some(client)
            && write.file == page.view.file
            && (list_must_be_current_at..=saturating_add(list_must_be_current_at, MISSING_RECORD_WINDOW))
                .contains(&page.started)
    }

    /// Ends the walks that a write may have disturbed.
    fn note_write(&mut self, write: Write, started: DateTime<Utc>) {
        let views: Vec<_> = self.walks.keys().copied().collect();
        for view in views {
            self.drop_walk(&view);
        }
        let is_disturbed =
            |walk: &FollowedWalk, view: &ListView| started < saturating_add(walk.ended, skew(write.file, view.file));
        let disturbed = self.complete.extract_if(.., |_, (view, walk)| is_disturbed(walk, view));
        for (_, (_, walk)) in disturbed.collect::<Vec<_>>() {
            self.drop_looks(&walk);
        }
        // Of creates that overlap, history knows only the record of the one that began last.
        let longer = self.last_writes.values_mut().filter(|last| last.ended > write.ended);
        longer.for_each(|last| last.operation = None);
        let last = self.last_writes.entry(write.file).or_insert(write);
        if last.ended <= write.ended {
            *last = write;
        }
    }

    /// Gives up the walk of a list.
    fn drop_walk(&mut self, view: &ListView) {
        if let Some(walk) = self.walks.remove(view) {
            self.drop_looks(&walk);
        }
    }

    /// Ends the looks of a walk without judging them.
    fn drop_looks(&mut self, walk: &FollowedWalk) {
        for look in walk.looks() {
            self.evaluation.drop_look(look);
        }
    }

    /// Judges the complete walks that ended before this moment; all of them if `before` is `None`.
    fn conclude_walks(&mut self, before: Option<DateTime<Utc>>) {
        while let Some(earliest) = self.complete.first_entry() {
            let (ended, last_entry) = *earliest.key();
            if before.is_some_and(|before| before < saturating_add(ended, FILE_CLOCK_SKEW)) {
                return;
            }
            let (view, walk) = earliest.remove();
            self.conclude_walk(view, &walk);
            self.location = last_entry;
            self.emit_findings(None);
        }
    }

    /// Judges a complete walk, for each of its looks. A walk whose pages do not add up is kept for comparison with the
    /// next one of its list. Where the credential is unknown, pages with different totals may be those of two clients.
    fn conclude_walk(&mut self, view: ListView, walk: &FollowedWalk) {
        let history = self.evaluation.history();
        let has_credential = self.contract.operation(view.list).security.scheme().is_some();
        if has_credential && !view.client.is_known && history.pages_disagree(walk.pages_look) {
            self.evaluation.drop_look(walk.pages_look);
        } else if history.is_settled(walk.pages_look) || history.is_second_walk(walk.pages_look) {
            self.evaluation.conclude(walk.pages_look);
        } else {
            if self.unconfirmed.len() == MAX_WALKS {
                let (_, oldest) = self.unconfirmed.remove(0);
                self.evaluation.drop_look(oldest);
            }
            self.unconfirmed.push((view, walk.pages_look));
        }
        let Some(awaited) = walk.awaited_listing else { return };
        let history = self.evaluation.history();
        let (is_listed_as_sent, is_listed) = (
            history.is_settled(awaited.look),
            history.has_found_created(awaited.look),
        );
        // A record that differs from what was sent may have been updated by somebody who was not recorded.
        if is_listed_as_sent {
            self.listed.insert(awaited.create);
        }
        if is_listed_as_sent || (!is_listed && self.note_missed(awaited)) {
            self.evaluation.conclude(awaited.look);
        } else {
            self.evaluation.drop_look(awaited.look);
        }
    }

    /// Notes that a record of a create is missing. Returns whether it is the second one, and none was ever listed: one
    /// alone may have been removed by somebody who was not recorded.
    fn note_missed(&mut self, awaited: AwaitedListing) -> bool {
        let first = *self.missed.entry(awaited.create).or_insert(awaited.create_ended);
        first != awaited.create_ended && !self.listed.contains(&awaited.create)
    }

    /// Emits an exchange with the findings that it shows.
    fn emit_exchange(&mut self, exchange: &Exchange, body: Option<&Body>) {
        let exchanged = EmittedExchange {
            exchange,
            intent: Self::intent(),
            body,
        };
        (self.emit)(Event::Exchanged(exchanged));
        self.emit_findings(Some(exchanged));
    }

    /// Emits the new findings, each with this exchange where it shows the finding by itself.
    fn emit_findings(&mut self, exchanged: Option<EmittedExchange<'_>>) {
        let findings = self.evaluation.verdicts().findings();
        self.found_at.resize(findings.len(), self.location);
        for finding in findings.get(self.emitted..).unwrap_or_default() {
            let shown = exchanged.filter(|shown| finding.exchange == Some(shown.exchange.number));
            (self.emit)(Event::Found(finding, shown));
        }
        self.emitted = findings.len();
    }

    /// States the reason for each list whose walk did not add up and was not repeated: a second walk is missing.
    fn set_reason_of_unconfirmed(&mut self) {
        let lists: BTreeSet<_> = self.unconfirmed.iter().map(|(view, _)| view.list).collect();
        for list in lists {
            for kind in [FactKind::PageTotal, FactKind::PageUnique] {
                if let Some(fact) = self.contract.fact_of(list, kind) {
                    self.evaluation
                        .set_undecided_reason(fact, Reason::Traffic(TrafficReason::OneWalk));
                }
            }
        }
    }

    /// Returns how judging ended, in the terms of a run.
    fn ended(&self, files: &[FileRead]) -> RunEnd {
        let stopped = files.iter().find_map(|file| Some((&file.name, file.stopped.as_ref()?)));
        match (stopped, self.evaluation.verdicts().how_all_calls_failed()) {
            (Some((name, stopped)), _) => RunEnd::Incomplete(format!(
                "{name} was not read to its end: {stopped}; what comes before was judged"
            )),
            (None, Some(failure)) => RunEnd::NothingSucceeded(failure),
            (None, None) => RunEnd::Complete,
        }
    }

    /// Ends judging.
    pub(crate) fn finish(mut self, files: Vec<FileRead>) -> Judged {
        self.conclude_walks(None);
        for id in self.contract.operation_ids().filter(|id| !self.called.contains(id)) {
            self.evaluation.not_called(id, Reason::Traffic(TrafficReason::NoCall));
        }
        for id in (0..self.contract.facts.len()).map(FactId) {
            let fact = self.contract.fact(id);
            match fact.kind {
                // Traffic cannot show that a record's values appear in no other item: only a run tag would distinguish
                // them from equal values of another record.
                FactKind::NotElsewhere => {
                    self.evaluation
                        .force_undecided(id, Reason::Traffic(TrafficReason::NeedsCheck));
                }
                kind if self.called.contains(&fact.operation) && needs_check(kind) => {
                    self.evaluation
                        .set_undecided_reason(id, Reason::Traffic(TrafficReason::NeedsCheck));
                }
                _ => {}
            }
        }
        self.set_reason_of_unconfirmed();
        self.evaluation.conclude_gaps();
        let ended = self.ended(&files);
        let EvaluationResult {
            verdicts,
            answers,
            recording,
            ..
        } = self.evaluation.finish();
        Judged {
            run: Run {
                learns: false,
                shard: None,
                verdicts,
                ended,
                answers,
                trials: Vec::new(),
                residue: Vec::new(),
                deleted: 0,
                residue_search: SearchExtent::default(),
                unexplained_records: Vec::new(),
                rejected_values: Vec::new(),
                tally: self.tally,
                in_scope: self.called,
                named: BTreeSet::new(),
                target_is_mock: false,
                recording,
            },
            target: self.router.base().cloned(),
            other_origins: self.router.others().clone(),
            is_inferred: self.router.is_inferred(),
            files,
            not_judged: self.not_judged,
            found_at: self.found_at,
        }
    }
}

/// Adds a duration to a time, saturating at the maximum if the file has an absurd timestamp.
pub(crate) fn saturating_add(moment: DateTime<Utc>, by: TimeDelta) -> DateTime<Utc> {
    moment.checked_add_signed(by).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// Returns the response of a recorded exchange, or why it counts as none.
fn outcome((request_line, recorded): (&RequestLine, &RecordedExchange)) -> Result<Response, Failure> {
    if recorded.unread_body == Some(UnreadBody::Malformed) {
        return Err(Failure::Decoding);
    }
    Ok(Response {
        status: recorded.status,
        headers: recorded.response_headers.clone(),
        body: recorded.response_body.clone().unwrap_or_default(),
        was_compressed: false,
        is_body_known: recorded.response_body.is_some(),
        are_headers_known: recorded.are_headers_known,
        location: None,
        elapsed: request_line.elapsed.unwrap_or_default(),
    })
}

/// Whether the status of a response is a 4xx, which is never a finding, or a documented success, and its media type is
/// documented for it.
fn breaks_nothing_by_head(operation: &Operation, response: &Response) -> bool {
    let documented = operation.response_with_body(response.status);
    let has_documented_type = |documented| {
        let received = response.media_type();
        received.is_some_and(|received| is_documented_media_type(documented, &received))
    };
    let is_success = operation.succeeds_with(response.status) && documented.is_none_or(has_documented_type);
    is_success || (400..500).contains(&response.status)
}

/// Whether only a check decides a fact of this kind: it sends requests that other clients do not send, or it knows
/// every write that was sent.
fn needs_check(kind: FactKind) -> bool {
    matches!(
        kind,
        FactKind::Answer(_)
            | FactKind::EdgeCaseCompleteResponse
            | FactKind::EdgeCaseNoServerError
            | FactKind::Equivalent(_)
            | FactKind::RejectsNoCredential
            | FactKind::NoExtraRecord
            | FactKind::RejectsOtherScheme
            | FactKind::ListedAfterUpdateCarrying(_)
            | FactKind::RejectsWrongToken
    )
}

/// Returns how far the clocks of two files may be apart; one file has one clock.
fn skew(one: usize, other: usize) -> TimeDelta {
    if one == other {
        TimeDelta::zero()
    } else {
        FILE_CLOCK_SKEW
    }
}
