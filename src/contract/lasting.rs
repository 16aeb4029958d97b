//! Recognises, by their text, deletions after which a record can still be read ("Archives the note") and creates whose
//! record shows only later ("Comments appear once they are approved").
//!
//! # Design
//!
//! The text about an operation is its summary, its description and the descriptions of its successes. Where it leaves
//! open whether a read shows the record, the read decides nothing. Each word must be about this call: a clause about
//! what cannot be done ("cannot be restored") or under which condition ("only if it is closed") does not count, nor
//! does a word that is in the path (`/archives/{id}`). A list may still show a deleted record that keeps its place
//! there, because it is only marked, or is deleted later; a record in the trash has left its place.

use super::Contract;
use super::lexicon::{
    DETERMINERS, PASSIVE, alphanumeric_words, camel_case_words, is_form_of, is_in, sentences, singular,
};
use super::operation::{Operation, OperationId};
use super::texts::{About, said};

/// Which reads may show a record after its deletion, by the text about the deletion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownAfterDelete {
    /// The read by its identifier.
    pub in_read: bool,
    /// The list.
    pub in_list: bool,
}

/// Verbs for what a deletion may do to a record that stays where it is.
const MARKS: [&str; 15] = [
    "archive", "cancel", "close", "deactivate", "deprecate", "disable", "discontinue", "expire", "flag", "inactivate",
    "mark", "retire", "revoke", "suspend", "withdraw",
];

/// Words for what it may do to a record that is kept somewhere else.
const HIDES: [&str; 6] = ["delist", "hidden", "hide", "trash", "unlist", "unpublish"];

/// Words that say that a record is kept.
const KEEPS: [&str; 8] = [
    "kept", "keep", "keeps", "preserved", "remain", "remains", "retained", "stays",
];

/// Beginnings of words that say that a record can come back.
const RECOVERS: [&str; 5] = ["recover", "restore", "undelete", "undo", "reactivat"];

/// Beginnings of words for a time after the call.
const AFTERWARDS: [&str; 20] = [
    "asynchronous", "background", "cooling", "day", "delay", "eventual", "grace", "hour", "later", "midnight",
    "minute", "month", "night", "pending", "period", "queue", "schedule", "seconds", "soon", "week",
];

/// Beginnings of words for the end of a record.
const ENDS: [&str; 8] = [
    "carried", "delete", "deletion", "disappear", "eras", "gone", "purg", "remov",
];

/// Beginnings of words for a record that a caller can see.
const SEEN: [&str; 14] = [
    "accessible", "appear", "available", "fetch", "found", "listed", "live", "published", "read", "retrieve",
    "searchable", "show", "view", "visible",
];

/// Beginnings of words for somebody's consent.
const CONSENT: [&str; 3] = ["approv", "moderat", "review"];

/// Words that say that a create waits for somebody's consent.
const WAITS: [&str; 14] = [
    "after", "await", "awaiting", "awaits", "before", "moderated", "needs", "once", "pending", "requires", "subject",
    "until", "wait", "waits",
];

/// Beginnings of words for a later time, at which a record can be seen.
const WHEN: [&str; 7] = [
    "afterwards", "delay", "eventual", "initially", "later", "midnight", "soon",
];

/// Beginnings of words for a short time.
const SHORT_TIMES: [&str; 3] = ["hour", "minute", "seconds"];

/// Words that say that a clause is about what cannot be done (`t` is the end of "can't"), or about what is rejected.
const EXCLUDES: [&str; 16] = [
    "400", "403", "404", "409", "412", "422", "cannot", "conflict", "error", "fails", "must", "never", "refused",
    "rejected", "t", "undoable",
];

/// Words of texts that say no more than that a read shows the record which its path names: "Returns a pet by its id",
/// "Successful response".
const OF_NAMED_RECORD: [&str; 84] = [
    "200", "a", "an", "and", "are", "as", "be", "by", "can", "data", "description", "detail", "details", "display",
    "entity", "fetch", "fetched", "fetches", "find", "finds", "for", "found", "from", "full", "get", "gets", "given",
    "id", "identified", "identifier", "in", "info", "information", "integer", "is", "it", "item", "its", "json", "key",
    "look", "name", "number", "numeric", "object", "of", "ok", "one", "operation", "read", "reads", "record",
    "request", "requested", "resource", "response", "retrieve", "retrieved", "retrieves", "return", "returned",
    "returns", "show", "shows", "single", "slug", "specific", "specified", "success", "successful", "successfully",
    "that", "the", "this", "to", "unique", "up", "uuid", "value", "view", "views", "which", "whose", "with",
];

impl Contract {
    /// Returns which reads may show a record after this operation has deleted it.
    pub(super) fn shown_after_delete(&self, delete: OperationId) -> ShownAfterDelete {
        let operation = self.operation(delete);
        let own = own_words(operation);
        let texts = self.texts_about(operation);
        let clauses: Vec<_> = texts.iter().flat_map(|text| clauses(text, &own)).collect();
        let is_said = |says: fn(&[&str]) -> bool| clauses.iter().any(|clause| says(clause));
        let keeps_its_place = is_said(marks) || is_said(ends_later) || is_said(changes_state);
        let leaves_list = is_said(leaves_list) || is_said(hides);
        ShownAfterDelete {
            in_read: keeps_its_place || leaves_list || is_said(can_come_back) || is_said(can_still_be_read),
            in_list: keeps_its_place && !leaves_list,
        }
    }

    /// Whether the text about a create says that its record can be read only later, or not without somebody's consent.
    pub(super) fn shows_record_later(&self, create: OperationId) -> bool {
        let operation = self.operation(create);
        let own = own_words(operation);
        let texts = self.texts_about(operation);
        texts
            .iter()
            .flat_map(|text| clauses(text, &own))
            .any(|clause| waits(&clause) || is_seen_later(&clause))
    }

    /// Whether the texts about a read may say that it shows another record where it finds none: a default, or the
    /// latest one. Only texts that say nothing but that it shows its record exclude that.
    pub(crate) fn may_show_another_record(&self, read: OperationId) -> bool {
        let operation = self.operation(read);
        let parameters = operation.parameters.iter();
        let of_parameters = parameters.flat_map(|parameter| self.descriptions_of(parameter));
        // A tag says what its operations are about, in words of its own.
        let about = [About::Operation, About::Path, About::Parts];
        let mut texts = said(&self.document, operation, &about)
            .chain(of_parameters)
            .map(str::to_ascii_lowercase);
        let mut own = own_words(operation);
        own.extend(operation.parameters.iter().flat_map(|parameter| {
            camel_case_words(&parameter.name)
                .into_iter()
                .chain([parameter.name.to_lowercase()])
        }));
        let is_plain = |word: &str| OF_NAMED_RECORD.contains(&word) || own.contains(&singular(word));
        texts.any(|text| !alphanumeric_words(&text).all(is_plain))
    }

    /// Returns the texts that may say what becomes of a record, in lower case. Those about fields are about the record
    /// itself.
    fn texts_about(&self, operation: &Operation) -> Vec<String> {
        let about = [About::Operation, About::Path, About::Tags, About::Parts, About::Whole];
        let texts = said(&self.document, operation, &about);
        texts.map(str::to_ascii_lowercase).collect()
    }
}

/// Returns the words in an operation's path, in the singular: they name its records, not what is done to them.
fn own_words(operation: &Operation) -> Vec<String> {
    let words = camel_case_words(&operation.path);
    words.iter().map(|word| singular(word)).collect()
}

/// Returns the words of each clause of a text, without those in the path.
fn clauses<'text>(text: &'text str, own: &[String]) -> Vec<Vec<&'text str>> {
    let parts = sentences(text)
        .flat_map(|sentence| sentence.split([',', ':', '(', ')', '–', '—']))
        .flat_map(|part| part.split(" but "));
    let words = |part: &'text str| {
        alphanumeric_words(part)
            .filter(|word| !own.contains(&singular(word)))
            .collect::<Vec<_>>()
    };
    parts.map(words).filter(|words| !words.is_empty()).collect()
}

fn has(clause: &[&str], beginnings: &[&str]) -> bool {
    let mut words = clause.iter();
    words.any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)))
}

fn has_word(clause: &[&str], words: &[&str]) -> bool {
    clause.iter().any(|word| words.contains(word))
}

/// Whether a clause is about what cannot be done.
fn excludes(clause: &[&str]) -> bool {
    has_word(clause, &EXCLUDES) || clause.windows(2).any(|pair| matches!(pair, ["not" | "longer", "be"]))
}

/// Whether a clause says that the call does what one of these verbs means: at its beginning ("Archives the note"),
/// after "and", or in the passive ("is archived"), and under no condition.
fn does(clause: &[&str], verbs: &[&str]) -> bool {
    let before_verbs: [&[&str]; 2] = [&PASSIVE, &["and", "being", "instead", "or", "then"]];
    let is_condition = |word: &&str| ["if", "once", "that", "unless", "when", "which"].contains(word);
    let unconditional: Vec<&str> = clause.iter().copied().take_while(|word| !is_condition(word)).collect();
    let is_done = |(at, word): (usize, &&str)| {
        let before = at.checked_sub(1).map(|at| unconditional[at]);
        let is_adverb = |before: &str| before.ends_with("ly") && !word.ends_with("ed");
        let follows = before.is_none_or(|before| is_in(&before_verbs, before) || is_adverb(before));
        follows && verbs.iter().any(|verb| is_form_of(word, verb))
    };
    !excludes(clause) && unconditional.iter().enumerate().any(is_done)
}

fn marks(clause: &[&str]) -> bool {
    does(clause, &MARKS)
}

/// Whether a clause says that the record is hidden or in the trash: "Moves the note to the trash".
fn hides(clause: &[&str]) -> bool {
    let is_place = |at: usize| {
        let before = clause.iter().take(at).rev().take(3);
        before.copied().any(|word| ["in", "into", "to"].contains(&word))
    };
    let mut words = clause.iter().enumerate();
    let is_moved = words.any(|(at, word)| ["bin", "trash"].contains(word) && is_place(at));
    does(clause, &HIDES)
        || (is_moved && !excludes(clause))
        || (has_word(clause, &["soft"]) && has(clause, &["delete", "deletion"]))
}

/// Whether a clause says that the record is deleted at another time: "is removed at night".
fn ends_later(clause: &[&str]) -> bool {
    // "Deletes a scheduled job" ends what is scheduled, now.
    let is_of_record = |at: usize| {
        const STATES: [&str; 4] = ["delayed", "pending", "queued", "scheduled"];
        let before = at.checked_sub(1).map(|before| clause[before]);
        STATES.contains(&clause[at]) && before.is_some_and(|before| DETERMINERS.contains(&before))
    };
    let is_later =
        |(at, word): (usize, &&str)| AFTERWARDS.iter().any(|time| word.starts_with(time)) && !is_of_record(at);
    has(clause, &ENDS)
        && clause.iter().enumerate().any(is_later)
        && !excludes(clause)
        && !has_word(clause, &["older", "only"])
}

/// Whether a clause says that the record gets another state: "Sets the status to removed".
fn changes_state(clause: &[&str]) -> bool {
    const SETS: [&str; 6] = ["becomes", "change", "changes", "set", "sets", "updates"];
    has_word(clause, &["inactive", "state", "status"]) && has_word(clause, &SETS) && !excludes(clause)
}

/// Whether a clause says that the record is missing from lists: "is not listed", "disappears from the list only".
fn leaves_list(clause: &[&str]) -> bool {
    let is_unlisted = clause
        .windows(2)
        .any(|pair| matches!(pair, ["not" | "longer" | "only", "listed"]));
    is_unlisted
        || has_word(clause, &["unlisted"])
        || clause
            .windows(2)
            .any(|pair| matches!(pair, ["list" | "lists", "only"] | ["only", "from" | "in"]))
            && has_word(clause, &["list", "lists"])
}

/// Whether a clause says that the record is kept or can come back: "kept for 30 days", "can be restored".
fn can_come_back(clause: &[&str]) -> bool {
    let is_possible = has_word(clause, &["can", "may", "could", "recoverable", "restorable"]);
    !excludes(clause) && (has_word(clause, &KEEPS) || is_possible && has(clause, &RECOVERS))
}

/// Whether a clause says that somebody can still see the record: "can still be read".
fn can_still_be_read(clause: &[&str]) -> bool {
    let is_seen = has(clause, &SEEN) || has(clause, &["access", "exist", "open", "quer", "see"]);
    has_word(clause, &["still"]) && is_seen && !excludes(clause)
}

/// Whether a clause says that a create is complete only later: "waits for approval", "are queued".
fn waits(clause: &[&str]) -> bool {
    let is_held = |pair: &[&str]| {
        matches!(
            pair,
            ["held", "back"] | ["on", "hold"] | ["is" | "are" | "be", "queued"]
        )
    };
    let is_behind = |three: &[&str]| three == ["in", "the", "background"];
    let waits = has(clause, &["asynchronous"]) || (has(clause, &CONSENT) && has_word(clause, &WAITS));
    !excludes(clause) && (waits || clause.windows(2).any(is_held) || clause.windows(3).any(is_behind))
}

/// Whether a clause says when the record can be seen: "can be read once it has been processed", "shown from its start
/// date on", "visible to moderators only at first". What is "shown once", such as a secret, is no record.
fn is_seen_later(clause: &[&str]) -> bool {
    let next = |at: usize| clause.get(at + 1).copied();
    let is_time = |(at, word): (usize, &&str)| match *word {
        "after" | "once" => next(at).is_some_and(|next| {
            let is_of_create = clause.iter().skip(at).take(4).any(|word| word.starts_with("creat"));
            !is_of_create && !["and", "at", "by", "during", "in", "on", "only", "per", "when"].contains(&next)
        }),
        "first" => at.checked_sub(1).is_some_and(|before| clause[before] == "at"),
        "from" => has_word(clause, &["date", "on", "onwards"]),
        "before" | "till" | "until" => has_word(clause, &["not"]),
        word if has(&[word], &SHORT_TIMES) => {
            has_word(clause, &["after", "few", "may", "take", "takes", "up", "within"])
        }
        word => has(&[word], &WHEN),
    };
    has(clause, &SEEN) && clause.iter().enumerate().any(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::{of_paths, with_tags};

    fn about(path: &str, method: &str, text: &str) -> Contract {
        let text = serde_json::Value::from(text);
        let document = format!(
            "{path}: {{{method}: {{operationId: it, description: {text}, responses: {{'200': {{description: a}}}}}}}}"
        );
        of_paths(&document, "").unwrap()
    }

    fn after_delete(path: &str, text: &str) -> (bool, bool) {
        let shown = about(path, "delete", text).shown_after_delete(OperationId(0));
        (shown.in_read, shown.in_list)
    }

    #[test]
    fn a_deletion_says_that_the_record_can_still_be_read() {
        for (text, in_list) in [
            ("Moves the note to the trash.", false),
            ("The note is kept for 30 days and can be restored.", false),
            ("Hides the note.", false),
            ("Sets the state to removed; the note can still be read.", true),
            ("Marks the note for deletion; it is removed at night.", true),
            ("Archives the note.", true),
            ("Archive a note", true),
            (
                "An archived note can still be read by its id, but is not listed.",
                false,
            ),
            ("Archives the note. It is no longer listed.", false),
            ("Deactivates the note.", true),
            ("The note disappears from the list only.", false),
            ("Deletion is carried out after a cooling-off period.", true),
            (
                "Removes the note from the list; administrators can still open it.",
                false,
            ),
            ("Unpublishes the note.", false),
            ("Closes the note.", true),
            ("Soft-deletes the note.", false),
            ("The note is marked as deleted.", true),
            ("If the note has replies, it is hidden.", false),
        ] {
            assert_eq!(after_delete("/notes/{id}", text), (true, in_list), "{text}");
        }
    }

    #[test]
    fn a_deletion_without_such_a_word_deletes() {
        for text in [
            "Deletes the note.",
            "Deletes a note permanently; it cannot be restored.",
            "The note can't be recovered.",
            "Removes the note and its comments.",
            "Deletes the note. 409 if it is archived.",
            "A note can be deleted only if it is closed.",
            "Only archived notes can be deleted.",
            "A closed note must be opened first.",
            "Immediately removes the note from all lists.",
            "Only notes older than 30 days can be deleted.",
            "The stock is restored.",
            "Deletes a scheduled note.",
            "Delete a pending note",
            "Only members of the list can delete the note.",
        ] {
            assert_eq!(after_delete("/notes/{id}", text), (false, false), "{text}");
        }
        assert_eq!(after_delete("/archives/{id}", "Archives are deleted."), (false, false));
        assert_eq!(
            after_delete("/trash/{id}", "Deletes a note in the trash."),
            (false, false)
        );
    }

    #[test]
    fn a_read_shows_its_own_record_only_if_no_text_says_more() {
        let may_show_another = |responses: &str| {
            let path = "/tenants/{tenantId}/themes/{themeId}";
            let document = format!("{path}: {{get: {{operationId: it, {responses}}}}}");
            of_paths(&document, "").unwrap().may_show_another_record(OperationId(0))
        };
        let said = |text: &str| {
            let responses = "responses: {'200': {description: a}}";
            may_show_another(&format!("description: {}, {responses}", serde_json::Value::from(text)))
        };
        for text in [
            "",
            "Get a theme",
            "Returns a single theme by its ID.",
            "The theme with the given id.",
            "Returns the theme of the tenant that is identified by its id.",
            "Find theme by ID",
        ] {
            assert!(!said(text), "{text}");
        }
        for text in [
            "If no theme has this identifier, the standard theme comes back.",
            "Unknown ones get the default.",
            "Never 404: shows the nearest theme.",
            "Themes that are missing are replaced by the base theme.",
            "The last published theme is shown for what is unknown.",
            "When nothing matches, you get the first theme.",
            "Resolves old identifiers to the current theme.",
            "Returns the theme, or that of the parent.",
            "Shows the theme of the tenant whatever is asked for.",
            "A theme is always shown.",
            "Merged themes lead to the one that is left.",
            "Returns the theme closest to the number.",
        ] {
            assert!(said(text), "{text}");
        }
        for (responses, another) in [
            ("responses: {'200': {description: The theme.}}", false),
            ("responses: {'200': {description: The theme or its parent.}}", true),
            (
                "parameters: [{name: themeId, in: path, required: true, description: The themeId to return, schema: \
                 {type: string}}], responses: {'200': {description: OK}}",
                false,
            ),
            (
                "parameters: [{name: themeId, in: path, required: true, description: Of the nearest theme, schema: \
                 {type: string}}], responses: {'200': {description: OK}}",
                true,
            ),
        ] {
            assert_eq!(may_show_another(responses), another, "{responses}");
        }
        let around =
            "/themes/{id}: {description: A theme is always shown., get: {responses: {'200': {description: a}}}}";
        assert!(of_paths(around, "").unwrap().may_show_another_record(OperationId(0)));
    }

    #[test]
    fn the_descriptions_of_successes_count_and_those_of_errors_do_not() {
        let of = |responses: &str| {
            let document = format!("/notes/{{id}}: {{delete: {{operationId: it, responses: {{{responses}}}}}}}");
            let contract = of_paths(&document, "").unwrap();
            contract.shown_after_delete(OperationId(0)).in_read
        };
        assert!(of("'204': {description: The note was archived.}"));
        assert!(!of(
            "'204': {description: Gone.}, '409': {description: The note is archived.}"
        ));
    }

    #[test]
    fn a_create_says_that_its_record_shows_later() {
        let later = |path: &str, text: &str| about(path, "post", text).shows_record_later(OperationId(0));
        for text in [
            "The comment appears after moderation.",
            "New comments are held back until somebody approves them.",
            "The comment can be read once it has been processed.",
            "It may take a minute until the comment can be read.",
            "Comments of new users are queued.",
            "The comment is visible to moderators only at first.",
            "Becomes available after the import.",
            "Shown from its start date on.",
            "A new comment waits for approval and is not shown before.",
            "The comment is created asynchronously.",
        ] {
            assert!(later("/comments", text), "{text}");
        }
        for text in [
            "",
            "Creates a comment.",
            "Creates a comment that can be read by its id.",
            "The secret is shown once.",
            "The secret is shown only once, at creation.",
            "The secret cannot be retrieved after creation.",
            "The comment can be read after it is created.",
            "The comment can be changed later.",
            "Returns the comment that was created.",
            "The token is available until it expires, for up to 24 hours.",
            "Sets the background of the comment.",
            "Sets who approves it.",
        ] {
            assert!(!later("/comments", text), "{text}");
        }
        assert!(!later("/approvals", "Creates an approval."));
    }

    #[test]
    fn what_is_said_around_a_deletion_counts_too() {
        let after_delete = |of_path: &str, of_tag: &str| {
            let paths = format!(
                "/notes/{{id}}:\n  description: '{of_path}'\n  delete: {{tags: [a], responses: {{'204': {{description: \
                 Deleted}}}}}}\n"
            );
            let contract = with_tags(&paths, &format!("{{name: a, description: '{of_tag}'}}"));
            contract.shown_after_delete(OperationId(0)).in_read
        };
        let trash = "A deleted note is in the trash for 30 days, and can be restored.";
        assert!(after_delete(trash, "Notes.") && after_delete("A note.", trash));
        assert!(!after_delete("A note.", "Notes."));
    }
}
