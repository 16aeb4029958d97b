//! Writes: creates, with fallbacks where they are rejected, and updates of the run's own records.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use super::pace::{MAX_ATTEMPTS, says_when, throttles_for_now, wait_after};
use super::query::rejection_meaning;
use super::request::{self, Replacement, RequestHead};
use super::session::{Call, RejectedValue, ResendOptions, Session};
use crate::contract::fact::FactKind;
use crate::contract::link::{Link, LinkTarget};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampFormat;
use crate::exchange::{Content, Credential, Exchange, Failure, Purpose, RejectionMeaning, Request};
use crate::history::{ExchangeRole, Ownership, RecordRole, WriteContext};
use crate::plan::{Action, Draft, Fallback, LARGE_OFFSET, NAME_PREFIX, Template, Variant, is_leap_day, request_key};
use crate::rules::Reason;

/// The purpose of a documented write. Its body contains choices that the document leaves open, so a rejection is
/// evidence on a gap and not a finding.
pub(super) const WRITE_PURPOSE: Purpose = Purpose::Documented(RejectionMeaning::Gap);

/// How many times a list is read at most to see its total.
const MAX_COUNTS: usize = 2;

/// The statuses by which a read may say that no record has the identifier, or that the caller is not allowed to know.
pub(super) const MAY_MEAN_UNKNOWN: [u16; 5] = [400, 403, 404, 410, 422];

/// The bodies that a run has drafted.
#[derive(Debug, Default)]
pub(super) struct Drafts<'run> {
    /// The template of each body that was drafted.
    templates: RefCell<HashMap<OperationId, Rc<Template<'run>>>>,
    /// The draft that each write accepted.
    pub(super) accepted: RefCell<HashMap<OperationId, Draft>>,
    /// The number of the next draft, or of the next name that the run chooses.
    count: Cell<u64>,
    /// The creates whose record's name the run chooses, and for which the service has rejected a read by a name that no
    /// record has.
    rejected_unknown_names: RefCell<HashSet<OperationId>>,
    /// The creates that were sent a second time, to see whether they make a new record each time.
    sent_second_create: RefCell<HashSet<OperationId>>,
    /// The awkward values that were rejected.
    pub(super) rejected_values: RefCell<Vec<RejectedValue>>,
}

/// The last try of a write in one timestamp format.
struct FormatTry {
    draft: Draft,
    credential: Credential,
    /// The status; `None` when no complete response came.
    status: Option<u16>,
    accepted: bool,
    /// Whether it was a 403 that quotes a text of the run's own, and so rejects that text.
    rejects_text: bool,
    /// The draft that was sent first, if its content was rejected.
    rejected_first: Option<Draft>,
}

impl FormatTry {
    /// Returns why a try that was not accepted decides nothing.
    fn reason(&self) -> Reason {
        let rejected = |status| match self.rejects_text {
            true => Reason::Rejected(status),
            false => Reason::for_request_with_something_open(status, &self.credential),
        };
        self.status.map_or(Reason::NoResponse, rejected)
    }
}

/// The role of a write in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteRole {
    /// A write from which later steps take nothing: neither its record nor its choices.
    Additional,
    /// Like [`Self::Additional`], but it shows whether a timestamp format is accepted.
    ForFormat,
    /// Like [`Self::Main`], but no other is sent in its place while the target throttles it.
    Irreplaceable,
    /// A write whose record and choices (the value chosen for each field) later steps use.
    Main,
}

impl Session<'_> {
    /// Creates a record in each timestamp format that the contract says the operation accepts, or one record where it
    /// says nothing.
    pub(super) async fn create(&self, operation: OperationId) {
        if let Err(reason) = self.require_rejection_of_unknown_names(operation).await {
            return self.not_called(operation, reason);
        }
        let accepted = self.contract.operation(operation).accepted_timestamp_formats();
        let formats = accepted.map_or(&[TimestampFormat::Utc][..], |accepted| &accepted.formats);
        let mut tries: Vec<(TimestampFormat, FormatTry)> = Vec::new();
        for format in formats {
            let accepted = tries
                .iter()
                .find(|(_, tried)| tried.accepted)
                .map(|(_, tried)| tried.draft.clone());
            match self.write_in_format(operation, *format, accepted.as_ref()).await {
                Ok(tried) => tries.push((*format, tried)),
                Err(reason) => {
                    self.not_called(operation, reason);
                    break;
                }
            }
        }
        self.retry_rejected_formats(operation, &mut tries).await;
        if self.rejects_all_formats_now(operation, &tries).await {
            tries.retain(|(_, tried)| tried.accepted);
        }
        let formats: Vec<_> = tries.iter().map(|(format, _)| *format).collect();
        self.with_evaluation(|evaluation| evaluation.judge_timestamp_formats(operation, &formats));
        self.emit_findings();
        self.retry_replaced_timestamps(operation, &tries).await;
        self.look_for_unidentified().await;
        let accepted = tries.iter().find(|(_, tried)| tried.accepted);
        if let (None, Some((_, last))) = (accepted, tries.last()) {
            self.not_called(operation, last.reason());
        }
        // A service that rejected any name while it had no record may answer every name with a record once it has one.
        if accepted.is_some() && self.contract.operation(operation).new_record_name_parameter().is_some() {
            self.read_unknown_name(operation).await;
        }
        if accepted.is_some() && self.may_lack_room_for_second_creates() && self.has_other_writer(operation) {
            // The reason is stated by the write that needs it.
            let _ = self.ensure_records_are_new(operation).await;
        }
    }

    /// Whether `max_writes` may leave no room for two records of each create: then a record is shown to be new before
    /// the next one is created, because a record that later writes may not touch shows little, and stays in the target.
    fn may_lack_room_for_second_creates(&self) -> bool {
        let creates = self.plan.steps.iter().filter(|step| step.action == Action::Create);
        let creates = u64::try_from(creates.count()).unwrap_or(u64::MAX);
        creates.saturating_mul(2) > self.settings.max_writes
    }

    /// Whether the plan has another write that takes the identifier of this create's record.
    fn has_other_writer(&self, create: OperationId) -> bool {
        let takes_it = |operation: OperationId| self.contract.links_to(operation).any(|link| link.from == create);
        let mut steps = self.plan.steps.iter().map(|step| step.operation);
        steps.any(|operation| {
            operation != create && !self.contract.operation(operation).is_read() && takes_it(operation)
        })
    }

    /// Sends each rejected format once more, with the other fields as in a later format that was accepted: the earlier
    /// fallback may have dropped the very field that has the format.
    async fn retry_rejected_formats(&self, operation: OperationId, tries: &mut [(TimestampFormat, FormatTry)]) {
        let accepted = tries.iter().find(|(_, tried)| tried.accepted);
        let Some(accepted) = accepted.map(|(_, tried)| tried.draft.clone()) else {
            return;
        };
        for (format, tried) in tries.iter_mut().filter(|(_, tried)| !tried.accepted) {
            // A format that came after the accepted one was already sent with its draft.
            if tried.draft.has_same_choices(&accepted) {
                continue;
            }
            self.expect_requests(1);
            if let Ok(again) = self.write_in_format(operation, *format, Some(&accepted)).await {
                *tried = again;
            }
        }
    }

    /// Sends the timestamps again in whose place others were accepted, if a service has no reason to reject them: those
    /// at a large offset, and those on a 29 February.
    async fn retry_replaced_timestamps(&self, operation: OperationId, tries: &[(TimestampFormat, FormatTry)]) {
        let documented = self.contract.operation(operation).accepted_timestamp_formats();
        let Some((formats, head)) = documented.zip(self.request_head(operation).ok()) else {
            return;
        };
        let sent = |draft: &Draft| draft.body().0.pointer(&formats.sent)?.as_str().map(str::to_owned);
        for (format, tried) in tries.iter().filter(|(_, tried)| tried.accepted) {
            let Some(first) = &tried.rejected_first else {
                continue;
            };
            let Some(text) = sent(first).filter(|text| sent(&tried.draft).is_some_and(|other| other != *text)) else {
                continue;
            };
            if text.ends_with(LARGE_OFFSET) {
                self.create_at_offset(LARGE_OFFSET, (operation, &tried.draft, &head))
                    .await;
            } else if *format == TimestampFormat::Utc && is_leap_day(&text) {
                self.create_on_leap_day(first, (&tried.draft, &head)).await;
            }
        }
    }

    /// Creates a record on a 29 February on which one was rejected, in between creates on the same day of the week, at
    /// the same time: a week before, and, in the other format, a week after. The rejection counts only if both are
    /// accepted: a service may have opening hours, or take only records of some years.
    async fn create_on_leap_day(&self, first: &Draft, (accepted, head): (&Draft, &RequestHead)) {
        let operation = first.operation();
        let formats = [TimestampFormat::Utc, TimestampFormat::Offset];
        let [utc, offset] = formats;
        let mut shown = 0;
        for (format, days, is_leap_day) in [(utc, -7, false), (utc, 0, true), (offset, 7, false)] {
            let Ok(mut draft) = self.draft(operation, format) else {
                break;
            };
            draft.copy_choices_from(accepted);
            let later = chrono::Duration::days(days) + chrono::Duration::minutes(shown + 1);
            let Some(draft) = draft.at_time_of(first, later).filter(|_| self.left_to_create() > 0) else {
                break;
            };
            self.expect_requests(1);
            let exchange = self.write(&draft, head, WriteRole::ForFormat).await;
            let is_as_expected = match is_leap_day {
                true => exchange.rejection_of_content().is_some(),
                false => self.succeeded(&exchange),
            };
            if !is_as_expected {
                break;
            }
            shown += 1;
        }
        // Without all three, none of them says anything.
        let tried = if shown == 3 { &formats[..] } else { &[] };
        self.with_evaluation(|evaluation| evaluation.judge_timestamp_formats(operation, tried));
        self.emit_findings();
    }

    /// If a format was rejected after another one was accepted, sends the accepted one again, and returns whether it is
    /// rejected now as well: the target may take only so many records, whatever their format.
    async fn rejects_all_formats_now(&self, operation: OperationId, tries: &[(TimestampFormat, FormatTry)]) -> bool {
        let mut later = tries.iter().skip_while(|(_, tried)| !tried.accepted);
        let Some((format, accepted)) = later.next() else {
            return false;
        };
        let is_rejection = |tried: &FormatTry| tried.status.is_some_and(RejectionMeaning::rejects_as_invalid);
        if !later.any(|(_, tried)| is_rejection(tried)) || self.left_to_create() == 0 {
            return false;
        }
        let (Ok(mut draft), Ok(head)) = (self.draft(operation, *format), self.request_head(operation)) else {
            return false;
        };
        draft.copy_choices_from(&accepted.draft);
        self.expect_requests(1);
        let exchange = self.write(&draft, &head, WriteRole::Additional).await;
        exchange.rejection_of_content().is_some()
    }

    /// Updates a record of this run.
    pub(super) async fn update(&self, operation: OperationId) {
        match self.write_in_format(operation, TimestampFormat::Utc, None).await {
            Ok(tried) if !tried.accepted => self.not_called(operation, tried.reason()),
            Ok(_) => {}
            Err(reason) => self.not_called(operation, reason),
        }
    }

    /// Sends a draft in this format, with the choices of `as_before` if there is one. Otherwise it falls back until the
    /// draft is accepted or no fallback is left: field by field where it is rejected, and to the required fields alone
    /// where the service fails.
    async fn write_in_format(
        &self,
        operation: OperationId,
        format: TimestampFormat,
        as_before: Option<&Draft>,
    ) -> Result<FormatTry, Reason> {
        self.require_own_records(operation).await?;
        // The list may show that another record has got the identifier to which an update goes.
        let updates = !self.contract.operation(operation).creates();
        if updates && self.read_list_before(operation).await.is_some() {
            self.require_own_records(operation).await?;
        }
        let head = self.request_head(operation)?;
        let mut draft = self.draft(operation, format)?;
        if let Some(before) = as_before {
            draft.copy_choices_from(before);
        }
        let mut fallback = Fallback::starting_with(draft.clone());
        let mut at_accepted_time = as_before.and_then(|before| draft.at_time_of(before, chrono::Duration::minutes(1)));
        let mut rejected_first = None;
        let mut is_first = true;
        loop {
            let exchange = self.write_replaceable(operation, format, &mut draft, &head).await?;
            let status = exchange.status();
            let accepted = self.succeeded(&exchange);
            if std::mem::take(&mut is_first) && exchange.rejection_of_content().is_some() {
                rejected_first = Some(draft.clone());
            }
            let next = match as_before {
                None => self.next_draft(&exchange, &draft, &mut fallback),
                // The format is tested, not the instant, which may be outside opening hours.
                Some(_) if exchange.rejection_of_content().is_none() => None,
                Some(_) => draft.at_another_time().or_else(|| at_accepted_time.take()),
            };
            // What was clearly rejected was not carried out, and took no time.
            let is_rejected = exchange.rejection_of_content().is_some();
            match next {
                Some(next) if is_rejected || self.may_send_again(&exchange.request).await => draft = next,
                _ => {
                    // Every timestamp was rejected: restore the accepted choices, so that
                    // `retry_rejected_formats` sees that this was already sent.
                    if let Some(before) = as_before.filter(|_| !accepted) {
                        draft.copy_choices_from(before);
                    }
                    let rejects_text = !self.settings.run_tag.fields_quoted_by_403(&exchange).is_empty();
                    if rejects_text {
                        let rejected = Reason::Rejected(status.unwrap_or_default());
                        self.set_undecided_reason(operation, FactKind::Status, rejected);
                    }
                    return Ok(FormatTry {
                        draft,
                        rejects_text,
                        rejected_first,
                        credential: exchange.request.credential,
                        status,
                        accepted,
                    });
                }
            }
            self.expect_requests(1);
        }
    }

    /// Returns the draft to send after one that was not accepted. After a rejection, it is the next fallback. After a
    /// 5xx, or if the service does not know a record that the draft may name (404 or 410) or forbids what it asks for
    /// (403, unless that quotes a text of the run's own and so rejects it), the next draft has only the required fields
    /// (for a create, also one field with the run tag), and is sent once: a 5xx stays a finding, and what depends on
    /// the record can still be decided.
    fn next_draft(&self, exchange: &Exchange, sent: &Draft, fallback: &mut Fallback) -> Option<Draft> {
        let response = exchange.response()?;
        if exchange.rejection_of_content().is_some() {
            let with_choices_of_create = self
                .with_choices_of_create(sent)
                .and_then(|draft| fallback.go_on_from(draft));
            if with_choices_of_create.is_some() {
                return with_choices_of_create;
            }
            return fallback.next_with(&response.beginning_as_text(), || self.reduced(sent));
        }
        let quoted = self.settings.run_tag.fields_quoted_by_403(exchange);
        if !quoted.is_empty() {
            return fallback.next(&format!("{} {}", quoted.join(" "), response.beginning_as_text()));
        }
        let is_unknown = matches!(response.status, 404 | 410) && sent.may_name_an_unknown_record();
        // An optional field may ask for what the caller has no right to.
        let is_forbidden = response.status == 403;
        if (response.status < 500 && !is_unknown && !is_forbidden) || response.is_throttled() {
            return None;
        }
        self.reduced(sent).and_then(|draft| fallback.reduce_to(draft))
    }

    /// Returns the draft with only the required fields of what was sent, and for a create also one field with the run
    /// tag; `None` if it is of no use, or does not differ.
    fn reduced(&self, sent: &Draft) -> Option<Draft> {
        // A record that was stored all the same has the run tag with the number of its draft.
        let mut draft = self.draft(sent.operation(), sent.timestamp_format()).ok()?;
        let run_tag = &self.settings.run_tag;
        let (differs, is_useful) = if self.contract.operation(sent.operation()).creates() {
            (draft.reduce(sent, run_tag), run_tag.is_in(&draft.body().0))
        } else {
            let differs = draft.vary(&Variant::RequiredFields, sent);
            let body = draft.body().0;
            (differs, body.as_object().is_some_and(|fields| !fields.is_empty()))
        };
        (differs && is_useful).then_some(draft)
    }

    /// Returns the draft of an update with the choices that the create of its record was accepted with; `None` if they
    /// are the same.
    fn with_choices_of_create(&self, draft: &Draft) -> Option<Draft> {
        let creates = |id: &OperationId| self.contract.operation(*id).creates();
        if creates(&draft.operation()) {
            return None;
        }
        let from = self.contract.links_to(draft.operation()).map(|link| link.from);
        let accepted = self.drafts.accepted.borrow();
        let mut accepted = from.filter(creates).filter_map(|create| accepted.get(&create));
        accepted.find_map(|accepted| draft.with_choices_of(accepted))
    }

    /// Sends a draft. A create that is answered with a 503, or with a 429 that names no time for which a run waits, may
    /// have stored the record, as may any write whose connection was closed. So it is not sent again; another with the
    /// same choices is sent instead, after a closed connection only if its body differs and [`Self::may_send_again`].
    async fn write_replaceable(
        &self,
        operation: OperationId,
        format: TimestampFormat,
        draft: &mut Draft,
        head: &RequestHead,
    ) -> Result<Exchange, Reason> {
        let mut attempt = 0;
        let mut last: Option<Exchange> = None;
        loop {
            if !self.has_room_for(operation) {
                // The last response is a better reason than the lack of room for another record. If it throttles, it
                // was not judged yet: one such response may be chance, so it is judged only if a second one came.
                let Some(last) = last else {
                    return Err(self.budget_spent_reason());
                };
                if attempt > 1 {
                    self.with_evaluation(|evaluation| {
                        evaluation.judge_not_sent_again(&last, Purpose::Documented(rejection_meaning(head, draft)));
                    });
                    self.emit_findings();
                }
                return Ok(last);
            }
            attempt += 1;
            let write_role = if attempt < MAX_ATTEMPTS {
                WriteRole::Main
            } else {
                WriteRole::Irreplaceable
            };
            let exchange = self.write(draft, head, write_role).await;
            let may_store = self.contract.operation(operation).may_store();
            let pause = match &exchange.outcome {
                _ if write_role == WriteRole::Irreplaceable => None,
                Err(Failure::ClosedWhenIdle) => Some(Duration::ZERO),
                Ok(response) if !may_store || !throttles_for_now(response) => None,
                Ok(response) if response.status == 429 && says_when(response) => None,
                Ok(response) => Some(wait_after(response, attempt - 1)),
                Err(_) => None,
            };
            let Some(pause) = pause else {
                return Ok(exchange);
            };
            tokio::time::sleep(pause).await;
            if !self.may_send_again(&exchange.request).await {
                return Ok(exchange);
            }
            let before = std::mem::replace(draft, self.draft(operation, format)?);
            draft.copy_choices_from(&before);
            if exchange.was_closed_when_idle() && draft.body() == before.body() {
                return Ok(exchange);
            }
            last = Some(exchange);
            self.expect_requests(1);
        }
    }

    /// Returns a new name for the record that an operation creates, if the run chooses that name; otherwise an empty
    /// string.
    ///
    /// # Errors
    ///
    /// The reason why such a name may be that of somebody else's record: see
    /// [`Self::require_rejection_of_unknown_names`].
    pub(super) fn new_record_name(&self, operation: OperationId) -> Result<String, Reason> {
        if self.contract.operation(operation).new_record_name_parameter().is_none() {
            return Ok(String::new());
        }
        if !self.has_rejected_unknown_name(operation) {
            return Err(self.reason_names_may_be_taken(operation));
        }
        if let Ownership::Doubtful(reason) = self.history().ownership(operation) {
            return Err(Reason::NotOwn(reason));
        }
        Ok(self.next_name())
    }

    fn next_name(&self) -> String {
        let number = self.drafts.count.get();
        self.drafts.count.set(number + 1);
        format!("{NAME_PREFIX}{}", self.settings.run_tag.numbered(number))
    }

    /// Reads a record by a name that no record has, before the run creates one under such a name: a service that does
    /// not reject the read may ignore names, so that the create would change whatever record it takes instead.
    async fn require_rejection_of_unknown_names(&self, create: OperationId) -> Result<(), Reason> {
        let is_chosen = self.contract.operation(create).new_record_name_parameter().is_some();
        if !is_chosen || self.has_rejected_unknown_name(create) {
            return Ok(());
        }
        let status = self.read_unknown_name(create).await;
        if !status.is_some_and(|status| MAY_MEAN_UNKNOWN.contains(&status)) {
            return Err(self.reason_names_may_be_taken(create));
        }
        self.drafts.rejected_unknown_names.borrow_mut().insert(create);
        Ok(())
    }

    fn has_rejected_unknown_name(&self, create: OperationId) -> bool {
        self.drafts.rejected_unknown_names.borrow().contains(&create)
    }

    /// Reads a record such as the create makes, by a name that no record has. Returns the status.
    async fn read_unknown_name(&self, create: OperationId) -> Option<u16> {
        let link = self.contract.link_to_read(create)?;
        let LinkTarget::Parameter(index) = link.target else {
            return None;
        };
        let name = self.next_name();
        let replacement = Replacement::Parameter(index, Some(&name));
        let head = {
            let history = self.history();
            request::request_head_with(self.contract, link.to, history.bindings(), (replacement, ""))
        };
        let mut head = head.ok()?;
        head.rejection_meaning = RejectionMeaning::UncertainValue;
        self.expect_requests(1);
        let (exchange, _) = self.call(self.documented_call(link.to, head)).await;
        exchange.status()
    }

    fn reason_names_may_be_taken(&self, create: OperationId) -> Reason {
        const MAY_HARM: &str = "so a write under such a name may change somebody else's record";
        Reason::NotOwn(match self.contract.link_to_read(create) {
            Some(link) => {
                let read = &self.contract.operation(link.to).name;
                format!("{read} does not reject a name that no record has, {MAY_HARM}")
            }
            None => format!("no read shows whether a name is free, {MAY_HARM}"),
        })
    }

    /// Drafts the next body of a run.
    pub(super) fn draft(&self, operation: OperationId, format: TimestampFormat) -> Result<Draft, Reason> {
        let number = self.drafts.count.get();
        self.drafts.count.set(number + 1);
        let run_tag = (&self.settings.run_tag, number);
        let mut templates = self.drafts.templates.borrow_mut();
        let read = || Template::of(self.contract, operation).into();
        let template = Rc::clone(templates.entry(operation).or_insert_with(read));
        let draft = template.draft(self.history().bindings(), run_tag, format);
        self.avoid_existing_identifiers(draft.map_err(Reason::NoValue)?)
    }

    /// Returns a draft with other values in place of those that may identify a record that was there before the run.
    ///
    /// # Errors
    ///
    /// The reason why there are none.
    pub(super) fn avoid_existing_identifiers(&self, mut draft: Draft) -> Result<Draft, Reason> {
        let history = self.history();
        let operation = draft.operation();
        let avoided = draft.avoid_existing_records(|at, value| history.identifying_use(operation, at, value));
        avoided.map(|()| draft).map_err(Reason::NoValue)
    }

    /// Drafts the next body of a run with the same choices as an accepted draft, and with its own
    /// values where a body must have its own, such as the run tag with a new number.
    pub(super) fn draft_like(&self, operation: OperationId, accepted: &Draft) -> Result<Draft, Reason> {
        let mut draft = self.draft(operation, TimestampFormat::Utc)?;
        draft.copy_choices_from(accepted);
        Ok(draft)
    }

    /// Drafts the next body of an operation with the choices of the draft that it accepted, if it accepted one.
    pub(super) fn draft_like_accepted(&self, operation: OperationId) -> Result<Draft, Reason> {
        let accepted = self.drafts.accepted.borrow().get(&operation).cloned();
        match accepted {
            Some(accepted) => self.draft_like(operation, &accepted),
            None => self.draft(operation, TimestampFormat::Utc),
        }
    }

    /// Returns what another write like an accepted one needs: the draft that the operation accepted, and a request
    /// head; `None` if it accepted none, or if the head lacks a value.
    pub(super) async fn accepted_write(&self, operation: OperationId) -> Option<(Draft, RequestHead)> {
        let accepted = self.drafts.accepted.borrow().get(&operation).cloned()?;
        self.require_own_records(operation).await.ok()?;
        if self.contract.operation(operation).creates() && !self.plan.also_sent.contains(&operation) {
            self.count_created(operation).await.ok()?;
        }
        let head = self.request_head(operation).ok()?;
        Some((accepted, head))
    }

    /// Makes sure that a create makes a new record each time, before one of its records is updated or deleted: the
    /// total of its list must have grown, and where nothing shows yet that records are new, it creates another, which
    /// must have another identifier.
    ///
    /// # Errors
    ///
    /// The reason why the record may have been there before: see [`History::reason_total_lacks_created`] and
    /// [`History::reason_records_may_be_older`].
    ///
    /// [`History::reason_total_lacks_created`]: crate::history::History::reason_total_lacks_created
    /// [`History::reason_records_may_be_older`]: crate::history::History::reason_records_may_be_older
    pub(super) async fn ensure_records_are_new(&self, create: OperationId) -> Result<(), Reason> {
        // What the user names with `also_send` is sent whatever it may change.
        if self.plan.also_sent.contains(&create) {
            return Ok(());
        }
        self.count_created(create).await?;
        self.create_another_if_unsure(create).await?;
        self.count_created(create).await
    }

    /// Reads the list of a create's records until its total has grown by what was created since it was read last, or
    /// has shown twice that it has not.
    async fn count_created(&self, create: OperationId) -> Result<(), Reason> {
        for _ in 0..MAX_COUNTS {
            let to_count = self.history().list_to_count(create);
            let Some((list, is_late)) = to_count.filter(|(list, _)| self.is_called(*list)) else {
                break;
            };
            if is_late {
                tokio::time::sleep(self.settings.settle).await;
            }
            Box::pin(self.read_list(list)).await;
        }
        let reason = self.history().reason_total_lacks_created(create, 1);
        reason.map_or(Ok(()), |reason| Err(Reason::NotOwn(reason)))
    }

    /// Creates another record, if nothing shows yet that a create makes a new one each time.
    async fn create_another_if_unsure(&self, create: OperationId) -> Result<(), Reason> {
        let reason = || self.history().reason_records_may_be_older(create).map(Reason::NotOwn);
        if reason().is_none() {
            return Ok(());
        }
        let is_first = !self.drafts.sent_second_create.borrow().contains(&create);
        if is_first && !self.has_room_for(create) {
            let why = self
                .history()
                .reason_no_room_for_second(create, self.settings.max_writes);
            return Err(Reason::NotOwn(why));
        }
        self.drafts.sent_second_create.borrow_mut().insert(create);
        if is_first
            && let Some((accepted, head)) = Box::pin(self.accepted_write(create)).await
            && let Ok(another) = self.draft_like(create, &accepted)
        {
            self.expect_requests(1);
            Box::pin(self.write(&another, &head, WriteRole::Additional)).await;
            Box::pin(self.look_for_unidentified()).await;
            Box::pin(self.read_back_last_created(create)).await;
            self.emit_findings();
        }
        reason().map_or(Ok(()), Err)
    }

    /// Sends one write.
    pub(super) async fn write(&self, draft: &Draft, head: &RequestHead, write_role: WriteRole) -> Exchange {
        let operation = draft.operation();
        let credential = request::credential(&self.contract.operation(operation).security);
        let request = self.request_with_draft(draft, head, credential);
        let creates = self.contract.operation(operation).creates();
        let options = ResendOptions {
            replaceable: creates && write_role != WriteRole::Irreplaceable,
            ..ResendOptions::default()
        };
        let record_role = match write_role {
            WriteRole::Additional => RecordRole::Additional,
            WriteRole::ForFormat => RecordRole::ForFormat,
            WriteRole::Irreplaceable | WriteRole::Main => RecordRole::Main,
        };
        let exchange_role = ExchangeRole::Write(WriteContext {
            role: record_role,
            format: draft.timestamp_format(),
            path_values: head.path_values.clone(),
        });
        let (exchange, _) = self
            .call_with_options(
                Call::alone(request, Purpose::Documented(rejection_meaning(head, draft))).role(exchange_role),
                options,
            )
            .await;
        // If the service knows no record, another client may have deleted it, and the next one may get its identifier.
        if !creates && matches!(exchange.status(), Some(404 | 410)) {
            self.may_send_again(&exchange.request).await;
        }
        // A 201 has created a record, whatever success is documented.
        if record_role == RecordRole::Main && (self.succeeded(&exchange) || exchange.status() == Some(201)) {
            self.drafts.accepted.borrow_mut().insert(operation, draft.clone());
        }
        exchange
    }

    /// Gives the headers that identify a request, such as `Idempotency-Key`, a value that no other request of the run
    /// has.
    pub(super) fn renew_request_keys(&self, request: &mut Request) {
        let parameters = self.contract.operation(request.operation).parameters.iter();
        for parameter in parameters.filter(|parameter| parameter.set_by_user.is_none()) {
            let Some(key) = request_key(self.contract, parameter, || self.next_name()) else {
                continue;
            };
            let headers = request.headers.iter_mut().chain(&mut request.printable.headers);
            for (_, value) in headers.filter(|(name, _)| *name == parameter.name) {
                value.clone_from(&key);
            }
        }
    }

    /// Returns a request whose body is the draft. A string or a number in it that names the record in the path becomes
    /// that record's identifier where it is required, and is left out where it is not: an example may be the identifier
    /// of another record, and a service may go by it.
    pub(super) fn request_with_draft(&self, draft: &Draft, head: &RequestHead, credential: Credential) -> Request {
        let operation = draft.operation();
        let documented = self.contract.operation(operation);
        let (mut body, from_target) = draft.body();
        let in_path = self.body_names_of_path_identifier(operation, head);
        if let (Some((names, value)), Some(members)) = (&in_path, body.as_object_mut()) {
            for name in names {
                match members.get(name) {
                    Some(Value::String(_) | Value::Number(_)) if self.contract.requires_property(operation, name) => {
                        members.insert(name.clone(), value.clone());
                    }
                    Some(Value::String(_) | Value::Number(_)) => drop(members.remove(name)),
                    _ => {}
                }
            }
        }
        if let (Some((_, value)), Some(id @ Value::String(_))) = (in_path, body.pointer_mut(Link::JSON_API_IDENTIFIER))
        {
            *id = value;
        }
        Request {
            path: head.path.clone(),
            headers: head.headers.clone(),
            body: documented.request_body.as_ref().map(|_| Content::Json(body)),
            from_target,
            made_up: draft.made_up(),
            printable: head.printable.clone(),
            credential,
            ..Request::unfilled(operation, documented)
        }
    }
}

impl Session<'_> {
    /// Returns the names under which a body may contain the identifier of the run's own record that a write has in its
    /// path, and that identifier: a body with another one would rename the record.
    pub(super) fn body_names_of_path_identifier(
        &self,
        operation: OperationId,
        head: &RequestHead,
    ) -> Option<(Vec<String>, Value)> {
        let parameter = self.contract.parameter_of_record(operation)?;
        let name = &self.contract.operation(operation).parameters.get(parameter)?.name;
        let (_, value) = head.path_values.iter().find(|(known, _)| known == name)?;
        Some((self.contract.names_in_body(operation, parameter), value.clone()))
    }
}
