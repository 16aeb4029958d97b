//! Recognises creates that do more than create a record, or something else: `POST /payments`, "Ends all other
//! sessions". The main function is [`reason_to_suspect_effect`].
//!
//! # Design
//!
//! Nothing but words says so. A path says it by the name of its collection, where that names what cannot be undone by
//! deleting a record: money that moves, a message that reaches a person, something destroyed or restarted. A sentence
//! says it if a verb for an end or a replacement has records that were there before as its object ("replaces the
//! existing one") or its subject ("older ones are archived"), if it joins a create with a change ("create or replace"),
//! or if somebody gets a message or is charged. What may be done by another call ("can be deleted", "use PUT to
//! replace") or is an error ("409 if it exists") is no effect of this one. Many collections are left out on purpose
//! (`messages`, `jobs`, `orders`): their records are what a check is for, and `--writes` is a decision to create some.

use super::consequence::{is_stated_as_fact, says_consequence, says_unconditionally};
use super::create_sentence::says_more_than_create;
use super::create_summary::{CREATES, REACHES_OR_GRANTS, reaches_or_grants, words_of_collection};
use super::document::Document;
use super::lexicon::{
    BE, DETERMINERS, MESSAGES, OTHERS, OWNERS, PASSIVE, PREPOSITIONS, camel_case_words, clauses,
    is_base_or_third_person, is_form_of, is_participle, sentences, singular, verbs_for_others, without_prefixes,
};
use super::operation::Operation;
use super::query::{begins_with_action, names_what_it_takes, says_it_takes_away};
use super::texts::{About, any_says, stated, summary_and_description};

/// Names of collections, in the singular, in which a create has an effect that outlasts its record.
const OUTLASTING: [&str; 127] = [
    "access-grant", "airdrop", "alert", "announcement", "bet", "bid", "blast", "burn", "call", "campaign", "capture",
    "certificate", "charge", "chargeback", "checkout", "command", "complaint", "crawl", "debit", "deployment",
    "deposit", "device-command", "direct-debit", "disbursement", "dispatch", "dispute", "dns-record", "domain",
    "donation", "dose", "drain", "email-message", "execution", "factory-reset", "firewall-rule", "firmware-update",
    "fulfillment", "fulfilment", "gift-card", "impersonation", "import", "incident", "invite", "irrigation",
    "journal-entry", "ledger-entry", "letter", "logout", "magic-link", "mailing", "mandate", "merge", "migration",
    "mint", "newsletter", "notification", "opt-out", "order-return", "otp", "overwrite", "password-reset",
    "payment-intent", "payment-link", "payment-order", "payroll-run", "phone-verification", "pickup", "ping",
    "postcard", "power-cycle", "prescription", "price-change", "print-job", "purchase", "push", "push-message",
    "push-notification", "redemption", "remittance", "removal", "reservation-hold", "reset", "restore", "return",
    "reversal", "revert", "ride", "rollout", "rotation", "scan", "settlement", "shipment", "shutoff", "signature",
    "signout", "siren", "sms-message", "stake", "standing-order", "stock-adjustment", "stock-movement", "strike",
    "switchover", "sync", "test-alarm", "text-message", "toot", "top-up", "topup", "trade", "transaction", "transfer",
    "trigger", "truncation", "tweet", "unlock", "unsubscribe", "upgrade", "upsert", "verification",
    "verification-code", "vote", "wakeup", "wire", "wire-transfer", "write-off", "writeoff",
];

/// More of them, which mean the act at the end of a compound too: `/cache-purges`, but not `/security-deposits`.
const OUTLASTING_AT_END: [&str; 26] = [
    "ban", "broadcast", "cancellation", "deletion", "erasure", "eviction", "failover", "fax", "flush", "invalidation",
    "invitation", "payment", "payout", "purge", "reboot", "refund", "reindex", "restart", "revocation", "rollback",
    "shutdown", "sms", "suspension", "termination", "wipe", "withdrawal",
];

/// More of them, unless a person or a parameter comes before them in the path: the e-mails of a user are addresses.
const SENT: [&str; 2] = ["email", "mail"];

/// Names of collections of persons, and of the caller.
const PERSONS: [&str; 10] = [
    "account", "accounts", "contacts", "customers", "me", "members", "people", "profile", "user", "users",
];

/// Words that may come before such a name without changing what it means.
const KINDS: [&str; 8] = [
    "bank", "batch", "bulk", "card", "instant", "money", "recurring", "scheduled",
];

/// Words for several records, or for one that was there before.
const SEVERAL: [&str; 10] = [
    "active", "all", "any", "every", "existed", "exists", "one", "pending", "running", "same",
];

/// Words in a sentence about what is rejected.
const REJECTS: [&str; 13] = [
    "400", "403", "404", "409", "412", "422", "conflict", "error", "fail", "fails", "reject", "rejected", "supported",
];

/// Verbs at the beginning of a summary that act on any object after a determiner: "Page the on-call".
const ACTS_ON_ANY: [&str; 21] = [
    "announce", "approve", "call", "capture", "cast", "close", "declare", "dismiss", "evacuate", "finalize", "follow",
    "impersonate", "invite", "issue", "notify", "page", "promote", "publish", "push", "ring", "text",
];

/// Returns why a create may change more than the record that it creates; `None` if nothing in the document says so. Where
/// the caller chooses the name of the record, nobody else has one that the create could replace, so only other effects
/// count: a payment, a message.
#[must_use]
pub(crate) fn reason_to_suspect_effect(document: &Document, operation: &Operation) -> Option<&'static str> {
    if outlasts_its_record(&operation.path) {
        return Some(
            "its path suggests an effect that remains when the record is deleted, such as a payment or an e-mail",
        );
    }
    let may_be_of_others = operation.new_record_name_parameter().is_none();
    let name = stated(document, operation, "operationId").map(camel_case_words);
    if name.is_some_and(|words| may_be_of_others && is_name_of_effect(&words) || name_acts(&words, &operation.path)) {
        return Some("its operationId suggests a side effect");
    }
    let summary = summary_and_description(document, operation)
        .next()
        .map(without_prefixes);
    if summary.is_some_and(|words| {
        let takes_or_replaces =
            || begins_with_action(&words) || says_it_takes_away(&words) || takes_from_pool(&words, &operation.path);
        summary_says_effect(&words)
            || creates_and_acts(&words)
            || reaches_or_grants(&words, &operation.path)
            || may_be_of_others && takes_or_replaces()
    }) {
        return Some("its summary suggests a side effect");
    }
    let does_more = any_says(document, operation, |about| match about {
        About::Operation | About::Parts if may_be_of_others => Some(&|text| sentences(text).any(says_effect)),
        About::Operation | About::Parts => Some(&|text| sentences(text).any(says_effect_beyond_record)),
        // "Create or update pets" says of a path what it has operations for.
        About::Path | About::Tags => Some(&|text| sentences(text).any(says_consequence)),
        About::Whole | About::Schemas | About::Scopes | About::Returned | About::Responses | About::Parameters => {
            Some(&says_unconditionally)
        }
        // What is said of a choice holds for one of its values, and of the document, for any other operation.
        About::Required | About::Choices | About::Document => None,
    });
    does_more.then_some("the document says that it may do more than create a record")
}

/// Whether the last name in a path is that of what outlasts a record: `/payments`, `/bulk-refunds`,
/// `/password-reset-requests`. E-mails of somebody are addresses.
fn outlasts_its_record(path: &str) -> bool {
    let mut names = path.rsplit('/').filter(|name| !name.is_empty());
    let Some(last) = names.find(|name| !name.starts_with('{')) else {
        return false;
    };
    let is_of_somebody = names.any(|name| name.starts_with('{') || PERSONS.contains(&name.to_lowercase().as_str()));
    let mut words = camel_case_words(last);
    if words.len() > 1 && words.last().is_some_and(|last| last.starts_with("request")) {
        words.pop();
    }
    let kind = words.iter().take_while(|word| KINDS.contains(&word.as_str())).count();
    let rest = words
        .get(kind.min(words.len().saturating_sub(1))..)
        .unwrap_or_default()
        .join("-");
    let rest = rest
        .strip_suffix("ies")
        .map_or_else(|| rest.clone(), |stem| format!("{stem}y"));
    let plural = ["", "s", "es"];
    let compound = words_of_collection(path);
    let last_two = compound[compound.len().saturating_sub(2)..].join("-");
    let is_act = words
        .last()
        .is_some_and(|last| is_one_of(last, &OUTLASTING_AT_END, &plural));
    is_one_of(&rest, &OUTLASTING, &plural)
        || is_act
        || OUTLASTING.contains(&last_two.as_str())
        || !is_of_somebody && is_one_of(&rest, &SENT, &plural)
}

/// Whether a word is one of these stems with one of these endings.
fn is_one_of(word: &str, stems: &[&str], endings: &[&str]) -> bool {
    let mut rests = stems.iter().filter_map(|stem| word.strip_prefix(stem));
    rests.any(|rest| endings.contains(&rest))
}

/// Whether an operation's name says that it does more than create: `payInvoice`, `createOrReplacePet`, `setWebhook`. A
/// generated name may begin with the thing and end with a verb for creating: `reset_points_create`.
fn is_name_of_effect(words: &[String]) -> bool {
    let creates_at_end = words.len() > 1
        && words
            .last()
            .is_some_and(|last| ["add", "create", "insert", "new", "post"].contains(&last.as_str()));
    !creates_at_end
        && (begins_with_action(words)
            || names_what_it_takes(words)
            || begins_with_effect(words)
            || creates_or_changes(words))
}

/// Whether the name of an operation, read like a summary, begins with a verb that acts: `sendMessage`, `pushNotification`,
/// `messages_send`. What comes before a verb, or after it in a generated name, repeats the path (`ThingsController_send`,
/// `send_thing_v1_things_post`), and a word of the path names a thing: `callLogCreate` for `/call-logs`.
fn name_acts(words: &[String], path: &str) -> bool {
    const CLASSES: [&str; 4] = ["api", "controller", "resource", "service"];
    let of_path = camel_case_words(path);
    let is_generated = words.last().is_some_and(|last| last == "post");
    let words = words[..words.len() - usize::from(is_generated)]
        .strip_suffix(&*of_path)
        .unwrap_or(words);
    let names: Vec<_> = of_path.iter().map(|word| singular(word)).collect();
    let is_of_path = |word: &String| names.contains(&singular(word)) || CLASSES.contains(&word.as_str());
    let before = words.iter().take_while(|word| is_of_path(word)).count();
    let is_verb = |word: &String| {
        let mut verbs = ACTS_ON_ANY.iter().chain(&REACHES_OR_GRANTS);
        verbs.any(|verb| is_base_or_third_person(word, verb))
    };
    let (verb, rest) = match &words[before..] {
        [verb, rest @ ..] => (verb, rest),
        [] => return false,
    };
    let is_complete = before > 0 || !rest.is_empty();
    let creates = words.last().is_some_and(|last| CREATES.contains(&last.as_str()));
    is_complete && !creates && is_verb(verb) || creates_and_acts(&words[before..])
}

/// Whether words begin with a verb for what is done to something that exists.
fn begins_with_effect(words: &[String]) -> bool {
    const EFFECTS: [&str; 12] = [
        "buy", "merge", "override", "overwrite", "replace", "set", "shut", "shutdown", "stop", "swap", "unset",
        "upsert",
    ];
    words
        .first()
        .is_some_and(|first| is_one_of(first, &EFFECTS, &["", "s"]))
        || matches!(words, [first, second, ..] if first.starts_with("make") && second == "default")
}

/// Whether a summary begins with a verb and an object that say that more is done: "Turn off a relay", "Request a
/// payout".
fn summary_says_effect(words: &[String]) -> bool {
    const ON_SOME: [(&str, &[&str]); 6] = [
        ("change", &["email", "password", "pin"]),
        ("open", &["door", "gate", "lock", "valve", "window"]),
        ("place", &["bet", "bid", "call", "hold"]),
        ("register", &["domain"]),
        ("schedule", &["delivery", "pickup"]),
        ("transfer", &["funds", "money"]),
    ];
    let [verb, rest @ ..] = words else { return false };
    let base = |known: &str| is_base_or_third_person(verb, known);
    let next = rest.first().map_or("", String::as_str);
    let object = match rest {
        [determiner, object, ..] if DETERMINERS.contains(&determiner.as_str()) => Some(object.as_str()),
        _ => None,
    };
    let of_object = |objects: &[&str]| objects.contains(&object.unwrap_or(next));
    begins_with_effect(words)
        || base("turn") && ["off", "on"].contains(&next)
        || base("roll") && next == "back"
        || object.is_some() && ACTS_ON_ANY.iter().any(|known| base(known))
        || ON_SOME.iter().any(|(known, objects)| base(known) && of_object(objects))
        || object.is_some_and(|_| is_of_outlasting(&rest[1..]))
}

/// Whether a summary joins a create with another action: "Create and send an invoice".
fn creates_and_acts(summary: &[String]) -> bool {
    const ACTS_ON_CREATED: [&str; 13] = [
        "capture", "charge", "deploy", "dispatch", "email", "issue", "mail", "notify", "pay", "print", "publish",
        "send", "submit",
    ];
    let [verb, and, second, ..] = summary else { return false };
    let is_of = |word: &str, verbs: &[&str]| verbs.iter().any(|known| is_base_or_third_person(word, known));
    and == "and" && is_of(verb, &["add", "create", "generate", "save"]) && is_of(second, &ACTS_ON_CREATED)
}

/// Whether a summary says that a record of the collection is assigned, not created: "Assign a phone number" for
/// `/phone-numbers`, but not "Assign a role" for `/assignments`.
fn takes_from_pool(summary: &[String], path: &str) -> bool {
    let [verb, determiner, object @ ..] = summary else {
        return false;
    };
    let takes = [
        "acquire", "allocate", "assign", "claim", "lease", "order", "reserve", "take",
    ];
    let collection = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let object = object.join("-");
    takes.iter().any(|take| is_base_or_third_person(verb, take))
        && DETERMINERS.contains(&determiner.as_str())
        && is_one_of(&camel_case_words(collection).join("-"), &[&object], &["s", "es"])
}

/// Whether the object of a summary, up to the next preposition, is what outlasts a record: "a payout of the balance",
/// but not "a payment method".
fn is_of_outlasting(object: &[String]) -> bool {
    let is_noun = |word: &&String| !PREPOSITIONS.contains(&word.as_str());
    let object: Vec<_> = object.iter().take_while(is_noun).cloned().collect();
    let plural = ["", "s", "es"];
    let is_act = object
        .last()
        .is_some_and(|last| is_one_of(last, &OUTLASTING_AT_END, &plural));
    is_act || is_one_of(&object.join("-"), &OUTLASTING, &plural)
}

/// Whether words say that what exists is returned in place of a new record: "Get or create", "Returns the existing
/// one".
fn gets_or_creates(words: &[String]) -> bool {
    const GETS: [&str; 7] = ["fetch", "find", "finds", "get", "gets", "return", "returns"];
    let is_get = |word: &String| GETS.contains(&word.as_str());
    let is_create = |word: &String| word == "create" || word == "creates";
    let is_there = |at: usize| match words[at].as_str() {
        "current" => words
            .get(at + 1)
            .is_some_and(|what| !["date", "state", "time", "user", "value"].contains(&what.as_str())),
        word => word == "existing",
    };
    words.windows(3).enumerate().any(|(at, three)| {
        let [first, second, third] = three else { return false };
        second == "or" && (is_get(first) && is_create(third) || is_create(first) && is_get(third))
            || is_get(first) && ["an", "the"].contains(&second.as_str()) && is_there(at + 2)
            || ["are", "is"].contains(&first.as_str()) && second == "returned" && third == "instead"
    })
}

/// Whether words say that there is one record for each of those who may create one: "Each account has exactly one",
/// "One profile per user".
fn is_one_for_each(words: &[String]) -> bool {
    let is_owner = |word: &String| OWNERS.contains(&singular(word).as_str());
    let has_one = words.windows(3).enumerate().any(|(at, three)| {
        let has = ["has", "have"].contains(&three[0].as_str());
        let one = ["exactly", "only"].contains(&three[1].as_str()) && three[2] == "one";
        has && one && words[..at].iter().any(is_owner)
    });
    let is_per = |four: &[String]| four[0] == "one" && four[2] == "per" && is_owner(&four[3]);
    has_one || words.windows(4).any(is_per)
}

/// Whether a sentence says that more is done than that a record is created.
fn says_effect(sentence: &str) -> bool {
    let whole = camel_case_words(sentence);
    let is_of_another_call = whole
        .first()
        .is_some_and(|first| ["for", "see", "to", "use"].contains(&first.as_str()));
    let is_rejected = whole.iter().any(|word| REJECTS.contains(&word.as_str()));
    if is_of_another_call || is_rejected {
        return false;
    }
    // "If one exists already, it is overwritten": the condition names the record, so the other clause need not.
    let is_if_known = whole.first().is_some_and(|first| first == "if" || first == "when")
        && whole
            .iter()
            .any(|word| ["already", "exist", "existed", "exists", "known"].contains(&word.as_str()));
    let is_upsert = |word: &String| is_form_of(word, "upsert");
    creates_or_changes(&whole)
        || gets_or_creates(&whole)
        || is_one_for_each(&whole)
        || says_consequence(sentence)
        || says_more_than_create(sentence)
        || destroys(&whole)
        || whole.iter().any(is_upsert)
        || concerns_people(&whole)
        || clauses(sentence).any(|clause| changes_others(&clause, is_if_known))
}

/// Whether a sentence says that something is done besides storing a record, which nobody else can have.
fn says_effect_beyond_record(sentence: &str) -> bool {
    let words = camel_case_words(sentence);
    says_consequence(sentence) || destroys(&words) || concerns_people(&words)
}

/// Whether a sentence begins with what is done to something that exists: "Wipes the disk". "Clears" is left out: it may
/// be about white space.
fn destroys(words: &[String]) -> bool {
    const DESTROYING: [&str; 13] = [
        "aborts", "cancels", "deducts", "demotes", "destroys", "detaches", "kicks", "purges", "restarts", "revokes",
        "stops", "truncates", "wipes",
    ];
    words.first().is_some_and(|first| DESTROYING.contains(&first.as_str()))
}

/// Whether words join a create with a change: "create or update", "Add/edit", `createOrReplace`.
fn creates_or_changes(words: &[String]) -> bool {
    let is_of = |word: &str, verbs: &[&str]| is_one_of(word, verbs, &["", "s", "d"]);
    words.iter().enumerate().any(|(at, word)| {
        let mut after = words[at + 1..]
            .iter()
            .skip_while(|next| ["and", "or"].contains(&next.as_str()));
        let second = ["edit", "merge", "modify", "overwrite", "replace", "reuse", "update"];
        is_of(word, &["add", "create", "insert", "save"]) && after.next().is_some_and(|next| is_of(next, &second))
    })
}

/// Whether words say that somebody gets a message or pays: "An email is sent", "The customer is charged".
fn concerns_people(words: &[String]) -> bool {
    const SENT: [&str; 3] = ["emailed", "sends", "sent"];
    const TOLD: [&str; 2] = ["notified", "notifies"];
    let is_one_of = |word: &String, list: &[&str]| list.contains(&word.as_str());
    let has = |list: &[&str]| words.iter().any(|word| is_one_of(word, list));
    let pays = words
        .windows(2)
        .any(|pair| is_one_of(&pair[0], &BE) && is_one_of(&pair[1], &["billed", "charged", "debited"]));
    let verb = words
        .iter()
        .position(|word| is_one_of(word, &SENT) || is_one_of(word, &TOLD));
    let reaches = verb.is_some_and(|at| {
        let before = &words[..at];
        let is_denied = before
            .iter()
            .any(|word| is_one_of(word, &["never", "no", "nobody", "none", "not", "nothing"]));
        // "The address to which receipts are sent" describes a field.
        let is_relative = before
            .windows(2)
            .any(|pair| is_one_of(&pair[0], &["at", "to"]) && pair[1] == "which");
        !is_denied && !is_relative && (has(&MESSAGES) || has(&TOLD))
    });
    pays || reaches
}

/// Whether a clause says that records which were there before are ended, changed or replaced.
fn changes_others(words: &[String], is_if_known: bool) -> bool {
    let at = |index: usize| words.get(index).map_or("", String::as_str);
    let is_verb = |word: &str| verbs_for_others().any(|verb| is_form_of(word, verb));
    let is_other = |index: usize| {
        let follows = at(index + 1);
        let is_compared = ["date", "fields", "than", "time", "to"].contains(&follows);
        OTHERS.contains(&at(index)) && !is_compared
    };
    let is_hypothetical = |index: usize| !is_stated_as_fact(&words[index.saturating_sub(4)..index]);
    let no_longer = words.windows(2).any(|pair| pair[0] == "no" && pair[1] == "longer");
    no_longer && (0..words.len()).any(is_other)
        || (0..words.len()).any(|index| {
            let word = at(index);
            if !is_verb(word) || is_hypothetical(index) || ["close", "end"].contains(&word) {
                return false;
            }
            let is_participle = is_participle(word);
            let is_passive =
                (index.saturating_sub(2)..index).any(|before| at(before) == "being" || PASSIVE.contains(&at(before)));
            let has_subject =
                (index.saturating_sub(10)..index).any(|before| is_other(before) || SEVERAL.contains(&at(before)));
            let has_object = (index + 1..=index + 4).any(is_other) || is_if_known && !is_participle;
            is_participle && is_passive && (has_subject || is_if_known) || !is_participle && has_object
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::of_paths;

    fn is_suspect(path: &str, said: &str) -> bool {
        let text = format!("{path}:\n  post: {{{said}responses: {{'201': {{description: a}}}}}}\n");
        let contract = of_paths(&text, "").unwrap_or_else(|defect| panic!("{defect}"));
        reason_to_suspect_effect(&contract.document, &contract.operations[0]).is_some()
    }

    #[test]
    fn what_a_document_says_of_the_path_the_body_and_the_success_of_a_create_counts() {
        let is_suspect = |of_path: &str, of_body: &str, of_success: &str| {
            let body = format!("requestBody: {{description: '{of_body}', content: {{}}}}");
            let responses = format!("responses: {{'201': {{description: '{of_success}'}}}}");
            let text = format!("/pets:\n  description: '{of_path}'\n  post: {{{body}, {responses}}}\n");
            let contract = of_paths(&text, "").unwrap_or_else(|defect| panic!("{defect}"));
            reason_to_suspect_effect(&contract.document, &contract.operations[0]).is_some()
        };
        let said = "The owner is notified by e-mail.";
        assert!(is_suspect(said, "A pet.", "Created."));
        assert!(is_suspect("Pets.", said, "Created."));
        assert!(is_suspect("Pets.", "A pet.", said));
        assert!(is_suspect(
            "Pets.",
            "A pet.",
            "The existing pet was updated or a new one created."
        ));
        assert!(!is_suspect(
            "Create, update or delete pets.",
            "The pet to create.",
            "The pet was created."
        ));
    }

    #[test]
    fn what_a_document_says_of_the_schemas_the_scopes_and_the_callbacks_of_a_create_counts() {
        let is_suspect = |[schema, field, success, scope, callback]: [&str; 5]| {
            let content = |schema: String| format!("content: {{application/json: {{schema: {schema}}}}}");
            let name = format!("properties: {{name: {{type: string, description: '{field}'}}}}");
            let body = content(format!("{{type: object, title: '{schema}', {name}}}"));
            let shown = content(format!("{{type: object, description: '{success}'}}"));
            let callbacks =
                format!("callbacks: {{on: {{'{{$request.body#/name}}': {{post: {{summary: '{callback}'}}}}}}}}");
            let paths = format!(
                "/pets:\n  post: {{requestBody: {{{body}}}, {callbacks}, security: [{{o: [write]}}], responses: {{'201': \
                 {{description: a, {shown}}}}}}}\n"
            );
            let flow = format!("{{tokenUrl: 'https://example.com', scopes: {{write: '{scope}'}}}}");
            let schemes = format!("  securitySchemes: {{o: {{type: oauth2, flows: {{clientCredentials: {flow}}}}}}}\n");
            let contract = of_paths(&paths, &schemes).unwrap_or_else(|defect| panic!("{defect}"));
            reason_to_suspect_effect(&contract.document, &contract.operations[0]).is_some()
        };
        let plain = ["A pet", "Its name.", "The new pet.", "Write pets.", "Told."];
        assert!(!is_suspect(plain));
        for place in 0..plain.len() {
            for said in ["An SMS is sent to all members.", "Logs out all other devices."] {
                let mut texts = plain;
                texts[place] = said;
                assert!(is_suspect(texts), "{texts:?}");
            }
        }
        for said in [
            "If true, the owner is notified.",
            "The address to which the notification is sent.",
            "Whether all members are notified.",
            "Will receive a copy of every mail.",
            "On this day the price changes for all customers.",
        ] {
            let mut texts = plain;
            texts[1] = said;
            assert!(!is_suspect(texts), "{said}");
        }
    }

    /// Whether a create is suspect if a document says this in each of these places around it.
    fn is_suspect_beside(said: &str, place: &str) -> bool {
        let at = |key: &str| if key == place { said } else { "A pet." };
        let field = |name: &str, kind: &str| format!("{name}: {{type: {kind}, description: '{}'}}", at(name));
        let returned = [
            field("count", "integer"),
            field("told", "boolean"),
            field("open", "boolean"),
        ]
        .join(", ");
        let example = format!("examples: {{a: {{summary: '{}', value: {{}}}}}}", at("example"));
        let sent = format!(
            "schema: {{type: object, properties: {{{}}}}}, {example}",
            field("open", "boolean")
        );
        let body = format!("requestBody: {{content: {{application/json: {{{sent}}}}}}}");
        let header = format!(
            "headers: {{X-Told: {{schema: {{type: string}}, description: '{}'}}}}",
            at("header")
        );
        let shown = format!("schema: {{type: object, properties: {{{returned}}}}}");
        let success = format!("'201': {{description: a, {header}, content: {{application/json: {{{shown}}}}}}}");
        let rejection = format!("'409': {{description: '{}'}}", at("rejection"));
        let parameter = format!(
            "{{name: x, in: query, description: '{}', schema: {{type: string}}}}",
            at("parameter")
        );
        let text =
            format!("/pets:\n  post: {{parameters: [{parameter}], {body}, responses: {{{success}, {rejection}}}}}\n");
        let contract = of_paths(&text, "").unwrap_or_else(|defect| panic!("{defect}"));
        reason_to_suspect_effect(&contract.document, &contract.operations[0]).is_some()
    }

    #[test]
    fn what_a_document_says_beside_a_create_counts_if_it_speaks_of_an_effect() {
        let places = ["count", "told", "example", "header", "rejection", "parameter"];
        for place in places {
            for said in ["An SMS is sent to all members.", "Logs out all other devices."] {
                assert!(is_suspect_beside(said, place), "{place}: {said}");
            }
            for said in [
                "The user who was notified.",
                "How many members have been told.",
                "True if an SMS was sent.",
                "When the last e-mail was sent.",
                "The pet exists already.",
            ] {
                assert!(!is_suspect_beside(said, place), "{place}: {said}");
            }
        }
        // What is said of a boolean that the caller sends holds for one of its values.
        assert!(!is_suspect_beside("An SMS is sent to all members.", "open"));
    }

    #[test]
    fn an_item_of_a_list_and_a_cell_of_a_table_count_like_sentences() {
        for said in [
            "<p>Creates a pet.</p><ul><li>An SMS is sent to all members</li></ul>",
            "Creates a pet:\\n- Logs out all other devices",
            "| Effect | An SMS is sent to all members |",
        ] {
            assert!(is_suspect("/pets", &format!("description: \"{said}\", ")), "{said}");
        }
        let said = "<ul><li>Creates a pet</li><li>No SMS is sent</li></ul>";
        assert!(!is_suspect("/pets", &format!("description: \"{said}\", ")));
    }

    const OUTLASTING_PATHS: [&str; 56] = [
        "/payments",
        "/invoices/{id}/refunds",
        "/bulk-payments/",
        "/users/password_resets",
        "/sms",
        "/faxes",
        "/shutdowns",
        "/v1/emails",
        "/shop/mails",
        "/password-reset-requests",
        "/bank-transfers",
        "/factory-resets",
        "/data-deletion-requests",
        "/opt-outs",
        "/rotations",
        "/switchovers",
        "/shutoffs",
        "/reindexes",
        "/unsubscribes",
        "/impersonations",
        "/captures",
        "/checkouts",
        "/reverts",
        "/merges",
        "/drains",
        "/campaigns",
        "/announcements",
        "/notifications",
        "/deployments",
        "/gift-cards",
        "/power-cycles",
        "/irrigations",
        "/votes",
        "/push-messages",
        "/tweets",
        "/rides",
        "/stock-movements",
        "/accounts/{id}/transactions",
        "/journal-entries",
        "/imports",
        "/prescriptions",
        "/wires",
        "/standing-orders",
        "/signature-requests",
        "/pushes",
        "/users/{id}/strikes",
        "/complaints",
        "/incidents",
        "/alerts",
        "/shipments",
        "/domains",
        "/certificates",
        "/zones/{id}/dns-records",
        "/cache-purges",
        "/sms-messages",
        "/team-sms",
    ];
    const PATHS_OF_RECORDS: [&str; 35] = [
        "/pets",
        "/messages",
        "/orders",
        "/payment-methods",
        "/email-addresses",
        "/jobs",
        "/sessions",
        "/transfer-rules",
        "/people/{id}/emails",
        "/user/emails",
        "/security-deposits",
        "/player-transfers",
        "/resettlements",
        "/notification-channels",
        "/campaign-templates",
        "/merge-requests-settings",
        "/deployment-configs",
        "/captured-images",
        "/opt-out-pages",
        "/drainage-basins",
        "/return-policies",
        "/vote-options",
        "/servers",
        "/transaction-categories",
        "/entries",
        "/command-groups",
        "/trigger-types",
        "/shopping-lists",
        "/wireframes",
        "/scanners",
        "/bookings",
        "/webhooks",
        "/alert-rules",
        "/shipment-methods",
        "/domain-names",
    ];

    #[test]
    fn a_collection_of_what_cannot_be_undone_is_no_collection_of_records() {
        for path in OUTLASTING_PATHS {
            assert!(is_suspect(path, ""), "{path}");
        }
        for path in PATHS_OF_RECORDS {
            assert!(!is_suspect(path, ""), "{path}");
        }
    }

    /// Nobody else has a record under a name that the run makes up, but a payment is one under any name.
    #[test]
    fn under_a_name_of_the_caller_only_effects_beyond_the_record_count() {
        let is_suspect = |collection: &str, said: &str| {
            let shown = "content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}";
            let name = "parameters: [{name: name, in: path, required: true, schema: {type: string}}]";
            let text = format!(
                "{collection}/{{name}}:\n  {name}\n  get: {{operationId: one, responses: {{'200': {{description: a, \
                 {shown}}}}}}}\n  put: {{operationId: put, {said}responses: {{'204': {{description: a}}}}}}\n"
            );
            let contract = of_paths(&text, "").unwrap_or_else(|defect| panic!("{defect}"));
            let put = contract.operation(contract.operation_named("put").unwrap());
            let is_named = put.new_record_name_parameter().is_some();
            (is_named, reason_to_suspect_effect(&contract.document, put).is_some())
        };
        for (collection, said) in [
            ("/payments", ""),
            ("/emails", ""),
            ("/things", "description: Stores a thing and notifies its owner., "),
            (
                "/things",
                "description: Stores a thing. An email is sent to the owner., ",
            ),
            ("/things", "description: The customer is charged immediately., "),
        ] {
            // What says that a PUT itself has a side effect leaves no name to choose.
            assert_ne!(is_suspect(collection, said), (true, false), "{collection} {said}");
        }
        for said in [
            "",
            "summary: Create or replace a thing, ",
            "summary: Update a thing, ",
            "description: 'If the thing exists, it is overwritten.', ",
        ] {
            assert_eq!(is_suspect("/things", said), (true, false), "{said}");
        }
    }

    #[test]
    fn a_sentence_that_ends_or_replaces_other_records_speaks_against_a_create() {
        for said in [
            "Only one may exist: creating one replaces the existing one.",
            "Creating a record discards all previous records.",
            "If one exists already, it is overwritten.",
            "If a thing with the same name already exists, it will be updated.",
            "Any older record is archived.",
            "Upserts by name.",
            "A new record ends all other records of the account.",
            "Creates or replaces the record of the account.",
            "Creates a thing or updates an existing one.",
            "Create/update a thing",
            "Add or edit a thing",
            "The new record becomes the default, and the former default is no longer it.",
            "Replaces all existing things, which cannot be undone.",
            "Replaces the existing thing without confirmation.",
            "Existing things that are not in the request will be removed.",
            "All sessions of the user are terminated.",
            "Any pending request is cancelled.",
            "A record with the same slug is overwritten.",
            "An email with a link is sent to the user.",
            "The customer is charged immediately.",
            "Wipes the disk.",
            "The current owner is demoted.",
            "If an entry for that day exists, its note is changed.",
            "Joins an existing conversation if there is one.",
            "Conflicting bookings are declined.",
            "Idempotent: returns the current draft if there is one.",
            "If an item with that title is there, that is returned instead.",
            "One profile per user.",
            "Saves the profile of the caller. Each account has exactly one.",
            "Only the last five are kept.",
            "Creates or reuses a thing.",
        ] {
            assert!(is_suspect("/things", &format!("description: \"{said}\", ")), "{said}");
            let text = format!("summary: Create a thing, description: \"It has a name. {said}\", ");
            assert!(is_suspect("/things", &text), "{said}");
        }
        for said in [
            "Creates a thing.",
            "Fails with 409 if another thing with this name exists.",
            "Returns 409 if the thing already exists or was deleted.",
            "Existing things are not replaced.",
            "Existing tags can be deleted with DELETE /tags/{id}.",
            "To replace an existing key, delete it and create a new one.",
            "Use PUT to create or replace a book.",
            "Upserting is not supported by this endpoint.",
            "It expires one hour after the current time, unless an earlier date is given.",
            "Old versions remain available until they are deleted.",
            "Drafts older than 30 days are deleted automatically.",
            "Only the current user can delete it.",
            "It can be removed by its creator or other administrators.",
            "Add a comment to an existing issue, even a closed one.",
            "Creates a thing for an existing user.",
            "Create a new database with the name given. It can be deleted later.",
            "Add a thing to the end of the list, after the other things.",
            "Place an order.",
            "Finds a place close to the current location.",
            "Values of other fields are discarded.",
            "It has exactly one owner, and one price per unit.",
            "Returns the current date with it.",
            "The date is returned in UTC.",
        ] {
            assert!(!is_suspect("/things", &format!("description: \"{said}\", ")), "{said}");
        }
    }

    #[test]
    fn a_summary_may_say_that_more_is_done() {
        for said in [
            "Create and send an invoice",
            "Creates and publishes a post",
            "Pay an invoice",
            "Logs out and creates a record",
            "Reset the items",
            "Shut down the server",
            "Close an account",
            "Change the password",
            "Evacuate a host",
            "Turn off a relay",
            "Transfer money",
            "Request a payout",
            "Create a refund for an order",
            "Open a door",
            "Roll back a release",
            "Text a customer",
            "Page the on-call",
            "Assign a thing",
            "Invite a user",
            "Cast a vote",
            "Place a bid",
            "Register a domain",
            "Issue a certificate",
            "Send message",
            "Grant a permission",
        ] {
            assert!(is_suspect("/things", &format!("summary: {said}, ")), "{said}");
        }
    }

    #[test]
    fn a_summary_of_an_ordinary_create_is_none_of_these() {
        for said in [
            "Add a payment method",
            "Create a transfer rule",
            "Open a ticket",
            "Change of address",
            "Request a review",
            "Text of a page",
            "No e-mail is sent.",
            "Nobody is notified.",
            "The address to which receipts are sent by e-mail.",
            "Pages of a book",
            "Call log",
            "Place an order",
            "Register a member",
            "Transfer student",
            "Turn of a player",
            "Assign a role",
            "Register a webhook",
            "Place a marker",
            "Issue report",
        ] {
            assert!(!is_suspect("/things", &format!("summary: {said}, ")), "{said}");
        }
    }

    #[test]
    fn a_create_that_finds_a_record_or_concerns_others_is_suspect() {
        for said in [
            "The user receives an e-mail with an activation link.",
            "All tickets without a queue are put into it.",
            "Get or create.",
            "Returns the existing one if there is one.",
            "This becomes the current version.",
            "The service restarts.",
            "Users are signed out.",
        ] {
            assert!(is_suspect("/things", &format!("description: \"{said}\", ")), "{said}");
        }
        for said in [
            "Creates a channel that receives an e-mail for each alarm.",
            "Returns the new one.",
            "Returns 409 for the existing one.",
            "It becomes visible after a minute.",
            "All fields are optional.",
            "Users are shown by name.",
        ] {
            assert!(!is_suspect("/things", &format!("description: \"{said}\", ")), "{said}");
        }
    }

    #[test]
    fn a_name_or_a_summary_may_say_that_a_create_acts() {
        let said = |summary: &str, name: &str| format!("summary: {summary}, operationId: {name}, ");
        assert!(is_suspect("/things", &said("Create a thing", "sendThing")));
        assert!(is_suspect("/things", &said("Send a thing", "createThing")));
        assert!(!is_suspect("/things", &said("Create a thing", "createThing")));
        assert!(!is_suspect("/call-logs", &said("Create a log", "callLog")));
        assert!(!is_suspect(
            "/issues/{id}/comments",
            &said("Create a comment", "issueComment")
        ));
    }

    #[test]
    fn a_name_may_say_what_a_create_does() {
        for (name, suspect) in [
            ("payInvoice", true),
            ("deletePets", true),
            ("createOrReplacePet", true),
            ("setWebhook", true),
            ("upsertPet", true),
            ("sendMessage", true),
            ("pushNotification", true),
            ("notifyUsers", true),
            ("createAndSendInvoice", true),
            ("send_message_things_post", true),
            ("things_send", true),
            ("ThingsController_send", true),
            ("sendThing", true),
            ("createPet", false),
            ("create_thing_things_post", false),
            ("ThingsController_create", false),
            ("postThings", false),
            ("callLogCreate", false),
            ("thingCreate", false),
            ("things", false),
            ("addToCart", false),
            ("restore_points_create", false),
            ("lockCreate", false),
        ] {
            assert_eq!(
                is_suspect("/things", &format!("operationId: {name}, ")),
                suspect,
                "{name}"
            );
        }
    }

    #[test]
    fn the_act_at_the_end_of_an_object_is_suspect() {
        for (said, suspect) in [
            ("Request a card payment", true),
            ("Request a payout into an account", true),
            ("Request a payment method", false),
        ] {
            assert_eq!(is_suspect("/things", &format!("summary: {said}, ")), suspect, "{said}");
        }
    }
}
