//! Keeps made-up bodies from giving anybody rights, from locking a record away, and from changing other records: a
//! record that a run creates, and may leave, is neither an administrator nor public nor the default, and it can be
//! read, updated and deleted.

use std::cmp::Ordering;

use serde_json::Value;

use super::optional::separated;
use crate::contract::document::Node;
use crate::contract::lexicon::{CHOOSES, EXCLUSIVE_ROLES, ascii_words as words, is_listed_action};
use crate::contract::parameter_side_effects::{name_has_side_effect, says_side_effect_if_absent};
use crate::contract::what_texts_say::{is_named_as_text, names_a_unit};

/// The words of names and values that give rights or make a record visible to everybody. Those that begin or end with
/// `admin` do too.
const GRANTING: [&str; 30] = [
    "access", "all", "anonymous", "anyone", "bypass", "can", "elevated", "everybody", "everyone", "full", "grant",
    "impersonate", "maintainer", "manager", "moderator", "owner", "privileged", "public", "publicly", "publish",
    "published", "root", "share", "shared", "staff", "sudo", "superuser", "trusted", "unrestricted", "world",
];

/// The words of names whose values say who may see or change a record, whether they allow or forbid it.
const LIMITING: [&str; 27] = [
    "acl", "auth", "classification", "confidential", "disable", "disabled", "hidden", "internal", "locked", "mfa",
    "only", "permission", "permissions", "policy", "privacy", "private", "protected", "restricted", "role", "roles",
    "scope", "secret", "secure", "security", "sharing", "visibility", "visible",
];

/// The words of names whose values say which rights somebody gets.
const GIVES_RIGHTS: [&str; 11] = [
    "access", "permission", "permissions", "privilege", "privileges", "right", "rights", "role", "roles", "scope",
    "scopes",
];

/// Values that give few rights, those that give the fewest first.
const LEAST_RIGHTS: [&str; 7] = ["none", "guest", "viewer", "read", "reader", "readonly", "read_only"];

/// The states in which a service may refuse to update or delete a record, or no longer show it, each as the words of a
/// name. A record that is `hidden` or a `draft` is seen by fewer, and one that is `paused` does less: those may be
/// true.
const LOCKED_AWAY: [&str; 16] = [
    "archived", "deactivated", "deleted", "deletion protection", "disabled", "frozen", "immutable", "inactive", "lock",
    "locked", "read only", "readonly", "sealed", "suspended", "termination protection", "trashed",
];

/// Roles besides those of `EXCLUSIVE_ROLES` that only one record can have, as the words of a name: giving one to a
/// record takes it from another.
const MORE_EXCLUSIVE_ROLES: [&str; 15] = [
    "accepted", "as default", "best", "catch all", "exclusive", "favorite", "favourite", "hero", "in use", "latest",
    "make default", "on call", "on duty", "promoted", "set default",
];

/// The words in names of booleans that make a write affect other records too.
const CONCERNS_OTHERS: [&str; 13] = [
    "broadcast", "cascade", "everywhere", "existing", "global", "globally", "maintenance", "merge", "others",
    "override", "propagate", "recursive", "takeover",
];

/// Words in names of booleans for which `true` is the cautious value: `false` would put something into effect, or hide
/// the record.
const DOES_LESS: [&str; 37] = [
    "archived", "available", "disable", "disabled", "disallow", "draft", "dry", "embargoed", "exclude", "ghost",
    "hidden", "hide", "hold", "ignore", "keep", "manual", "mute", "muted", "never", "no", "nobody", "noindex", "not",
    "paused", "preserve", "private", "quiet", "rehearsal", "sandbox", "sandboxed", "silence", "silent", "skip",
    "stealth", "test", "visible", "without",
];

/// Words in names of booleans that protect a record, or keep a write from reaching anybody: `false` would take that
/// away.
const PROTECTS: [&str; 23] = [
    "confidential", "encrypted", "internal", "mfa", "moderated", "only", "password", "private", "require", "required",
    "requires", "restrict", "restricted", "safe", "secret", "secure", "simulate", "simulated", "ssl", "suppress",
    "tls", "unlisted", "verify",
];

/// Words of values that reach further than to one record, or for ever: a run sends none where the schema
/// lists another, unless it is the schema's default.
const REACHES_FAR: [&str; 9] = [
    "following", "forever", "indefinitely", "infinite", "onwards", "permanent", "permanently", "series", "unlimited",
];

/// Words in names of dates at which something happens by itself: one that has passed makes it happen at once.
const TRIGGERS: [&str; 24] = [
    "archive", "bill", "billing", "broadcast", "charge", "deliver", "dispatch", "embargo", "execute", "execution",
    "fire", "notify", "publish", "purge", "remind", "reminder", "renew", "renewal", "run", "schedule", "scheduled",
    "send", "trigger", "unpublish",
];

/// More of them, which count only in a name that ends with `after`, `at` or `on`: `release_on`, but not `release_date`.
const TRIGGERS_AT: [&str; 5] = ["activate", "delete", "launch", "post", "release"];

/// Words in the names of times at which a period ends.
const ENDS: [&str; 19] = [
    "checkout", "closes", "deadline", "dropoff", "due", "end", "ended", "ending", "ends", "expiration", "expires",
    "expiry", "finish", "finished", "finishes", "return", "returns", "thru", "until",
];

/// Words that, at the beginning of a value, do something at once: a run sends no such value where the schema lists
/// another, unless it is the default.
const VALUES_WITH_SIDE_EFFECT: [&str; 29] = [
    "approve", "approved", "bill", "block", "charge", "confirm", "drop", "erasure", "execute", "go", "hard",
    "immediate", "immediately", "instant", "maintenance", "notify", "now", "page", "poweroff", "publish", "push",
    "reboot", "release", "run", "sell", "send", "shutdown", "start", "takeover",
];

/// Values that put a record into effect at once, or that make it reach people or cost something: states, priorities,
/// channels and a price plan. One is sent first only if the schema lists nothing else, or if it is the
/// default.
const IN_EFFECT: [&str; 22] = [
    "active", "auto", "automatic", "critical", "email", "emergency", "enabled", "enterprise", "high", "live", "on",
    "p0", "p1", "prod", "production", "running", "sev0", "sev1", "sms", "top", "urgent", "voice",
];

/// The last words of names whose value says what becomes of a record, or how it acts: another value may send an
/// invoice or ship an order.
const STATES: [&str; 19] = [
    "action", "availability", "condition", "decision", "delivery", "lifecycle", "mode", "outcome", "phase", "plan",
    "power", "progress", "resolution", "result", "stage", "state", "status", "step", "tier",
];

/// The last words of names of booleans for which `true` does nothing and takes nothing from another record. A name that
/// is none of these may be one of either kind (`live`, `approved`, `armed`).
const INERT: [&str; 20] = [
    "adult", "bold", "checked", "child", "done", "favorite", "favourite", "fragile", "gift", "halal", "italic",
    "kosher", "read", "seen", "smoker", "starred", "underlined", "vegan", "vegetarian", "wheelchair",
];

/// The last words of names of an `enum` whose members do nothing and reach nobody.
const PLAIN_NAMES: [&str; 31] = [
    "alignment", "breed", "color", "colour", "country", "cuisine", "currency", "day", "flavor", "flavour", "font",
    "gender", "genre", "icon", "lang", "language", "locale", "material", "month", "orientation", "pattern", "season",
    "shape", "size", "species", "theme", "timezone", "tone", "unit", "units", "weekday",
];

/// Members of an `enum` that do nothing and reach nobody, whatever its name: colours, sizes, units, kinds of files.
const PLAIN_MEMBERS: [&str; 214] = [
    "afternoon", "album", "amber", "article", "audio", "autumn", "beige", "big", "bird", "bitter", "black", "blue",
    "bold", "book", "breakfast", "bronze", "brown", "bug", "calm", "cat", "celsius", "center", "circle", "cm", "cold",
    "cool", "cotton", "cow", "crimson", "csv", "cyan", "de", "dessert", "dinner", "document", "dog", "drink", "en",
    "es", "evening", "fahrenheit", "feature", "feet", "file", "fish", "folder", "foot", "fr", "fri", "friday", "fruit",
    "ft", "g", "gif", "glass", "gold", "gram", "grams", "gray", "green", "grey", "hamster", "high", "home",
    "horizontal", "horse", "hot", "html", "huge", "idea", "image", "imperial", "inch", "inches", "indigo", "it",
    "italic", "ivory", "ja", "jpeg", "jpg", "json", "kelvin", "kg", "km", "l", "landscape", "large", "lb", "lbs",
    "leather", "left", "lime", "liter", "liters", "litre", "litres", "little", "long", "loud", "low", "lunch", "m",
    "magenta", "markdown", "maroon", "md", "medium", "metal", "metric", "mile", "miles", "mini", "misc", "ml", "mm",
    "mon", "monday", "morning", "movie", "narrow", "navy", "night", "nl", "normal", "note", "olive", "orange", "other",
    "ounce", "oval", "oz", "paper", "pdf", "personal", "photo", "picture", "pink", "pl", "plain", "plastic", "png",
    "podcast", "portrait", "presentation", "pt", "purple", "question", "rabbit", "rectangle", "red", "regular",
    "right", "round", "ru", "salty", "sat", "saturday", "serif", "sheep", "short", "silver", "small", "song", "sour",
    "spreadsheet", "spring", "square", "steel", "stone", "summer", "sun", "sunday", "sv", "svg", "sweet", "tall",
    "teal", "template", "text", "thick", "thin", "thu", "thursday", "tiny", "triangle", "tue", "tuesday", "turquoise",
    "txt", "vegetable", "vertical", "video", "violet", "warm", "wed", "wednesday", "white", "wide", "winter", "wood",
    "wool", "work", "xl", "xml", "xs", "xxl", "yaml", "yard", "yards", "yellow", "yml", "zh", "zip",
];

/// Names of what is opened by the value `open`.
const OPENED: [&str; 9] = [
    "door", "doors", "gate", "gates", "latch", "lock", "shutter", "valve", "window",
];

/// The words of values that replace or remove something.
const REPLACES: [&str; 3] = ["global", "overwrite", "replace"];

/// The names of fields whose numbers may say whose a record is, or who takes part.
const NAMES_SOMEBODY: [&str; 16] = [
    "account", "accounts", "assignee", "author", "creator", "customer", "from", "member", "members", "owner", "owners",
    "parent", "tenant", "to", "user", "users",
];

/// The names of fields whose numbers say where a record stands among others, which may then move.
const PLACES: [&str; 10] = [
    "index", "order", "ordinal", "position", "priority", "rank", "seat", "sequence", "slot", "sort order",
];

/// The last words of the names of fields whose numbers measure something: no record has one as its identifier, and a
/// large one may be an amount that is charged.
const MEASURES: [&str; 25] = [
    "amount", "balance", "budget", "capacity", "cents", "cost", "count", "deposit", "discount", "duration", "fee",
    "height", "hours", "length", "minutes", "percent", "percentage", "price", "qty", "quantity", "salary", "seconds",
    "total", "weight", "width",
];

/// Whether a number in a field with this name measures something: `price`, `amount_cents`, but not `price_id`.
pub(super) fn is_measure(name: &str) -> bool {
    words(&separated(name))
        .last()
        .is_some_and(|last| MEASURES.contains(&last))
}

/// Whether a number says how large or how heavy a thing is, by its name and the unit in its description: a large one
/// has no effect, as the size of a disk or the weight of a server in a cluster might.
pub(super) fn is_size_of_a_thing(name: &str, schema: &Node) -> bool {
    const SIZES: [&str; 9] = [
        "altitude", "depth", "distance", "elevation", "height", "length", "mileage", "weight", "width",
    ];
    let is_size = words(&separated(name)).last().is_some_and(|last| SIZES.contains(&last));
    is_size && names_a_unit(&description(schema).to_ascii_lowercase())
}

/// Whether a number, or a string with a pattern, in a field with this name may be somebody else's: an account, a
/// member.
pub(super) fn names_somebody(name: &str) -> bool {
    NAMES_SOMEBODY.contains(&name_without_is(name).as_str())
}

/// Whether a number in a field with this name may move other records.
pub(super) fn is_place_among_others(name: &str) -> bool {
    PLACES.contains(&name_without_is(name).as_str())
}

/// Whether something may happen by itself on the date in a field with this name: `publish_at`, `next_billing_date`, but
/// not `published_at`.
pub(super) fn is_date_of_trigger(name: &str) -> bool {
    let separated = separated(name);
    let words: Vec<_> = words(&separated).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    has(&TRIGGERS) || has(&TRIGGERS_AT) && words.last().is_some_and(|last| ["after", "at", "on"].contains(last))
}

/// Whether a service may call or fetch what is at the address in a field with this name: `remote_url`,
/// `callbackUri`, but not `url` or `homepage_url`.
pub(super) fn is_called_by_service(name: &str) -> bool {
    const CALLED: [&str; 15] = [
        "callback", "clone", "download", "feed", "fetch", "git", "hook", "import", "mirror", "payload", "remote",
        "repo", "repository", "upstream", "webhook",
    ];
    let separated = separated(name);
    let words: Vec<_> = words(&separated).collect();
    let is_address = words
        .last()
        .is_some_and(|last| ["endpoint", "uri", "url"].contains(last));
    is_address && words.iter().any(|word| CALLED.contains(word))
}

/// Whether a period ends at the time in a field with this name, which must then not be earlier than the time at which
/// the period begins: `ends_at`, `valid_until`, `date_to`.
pub(super) fn ends_period(name: &str) -> bool {
    let separated = separated(name);
    let words: Vec<_> = words(&separated).collect();
    let is_at_an_end = |known: &&str| words.last() == Some(known) || words.first() == Some(known);
    words.iter().any(|word| ENDS.contains(word)) || ["out", "to"].iter().any(is_at_an_end)
}

/// Whether a boolean with this name protects a record, so that `false` would take that away: `restricted`,
/// `members_only`, `require_login`.
fn protects(name: &str) -> bool {
    let separated = separated(name);
    words(&separated).any(|word| PROTECTS.contains(&word)) && !locks_away(name)
}

/// Whether a boolean with this name is `true` where a record or a write does less.
fn does_less(name: &str) -> bool {
    let separated = separated(name);
    words(&separated).any(|word| DOES_LESS.contains(&word)) || protects(name)
}

/// Whether a boolean with this name says that the record itself is in such a state: `is_locked`, but not
/// `notifications_disabled`.
fn locks_away(name: &str) -> bool {
    LOCKED_AWAY.contains(&name_without_is(name).as_str())
}

/// The field is a boolean, so more words in its name count as side effects.
const IS_SWITCH: bool = true;

/// Whether a boolean with this name makes a write concern other records, or do more than it says: `is_default`,
/// `replace_existing`, `send_email`.
fn concerns_others(name: &str) -> bool {
    let separated = separated(name);
    let mut words = words(&separated);
    is_exclusive_role(&name_without_is(name))
        || words.any(|word| CONCERNS_OTHERS.contains(&word))
        || name_has_side_effect(name, IS_SWITCH)
}

/// Whether the words of a name are what only one record can be.
fn is_exclusive_role(name: &str) -> bool {
    EXCLUSIVE_ROLES.contains(&name) || MORE_EXCLUSIVE_ROLES.contains(&name)
}

/// Returns the words of a name, without a leading `is`.
fn name_without_is(name: &str) -> String {
    let name = separated(name);
    let words: Vec<_> = words(&name).collect();
    let state = words.strip_prefix(&["is"]).unwrap_or(&words);
    state.join(" ")
}

/// Whether a field with this name says who may see or change a record, or whether anybody may, so that a run sends no
/// value there but its first.
pub(super) fn concerns_rights(name: &str) -> bool {
    let lower = separated(name);
    let known = |word: &str| GRANTING.contains(&word) || LIMITING.contains(&word) || GIVES_RIGHTS.contains(&word);
    let is_concerned = |word: &str| known(word) || is_of_admin(word);
    words(&lower).any(is_concerned) || locks_away(name)
}

/// Whether a name may be one of an object whose content nothing describes, or the name of such an object: one that is
/// neither about rights nor about somebody or other records, and nothing that has a side effect.
pub(super) fn may_hold_any_object(name: &str) -> bool {
    !(concerns_rights(name) || names_somebody(name) || concerns_others(name))
}

/// Whether an object whose content nothing describes may be sent in a field with this name and schema, because they are
/// those of a text, or of data that concerns nothing but the record. Any other may select others (an empty one then
/// selects all of them), give rights or name somebody: of the names of such fields, no list is complete.
pub(super) fn holds_plain_data(name: &str, schema: &Node) -> bool {
    const WORDS: [&str; 40] = [
        "additional", "annotations", "appearance", "arbitrary", "attribute", "attributes", "config", "configuration",
        "content", "context", "custom", "data", "details", "dimensions", "extended", "extension", "extensions",
        "extra", "extras", "field", "fields", "form", "info", "inputs", "label", "labels", "layout", "meta",
        "metadata", "options", "parameters", "params", "preferences", "properties", "schema", "settings", "style",
        "tags", "value", "values",
    ];
    let separated = separated(name);
    let is_plain = !separated.is_empty() && words(&separated).all(|word| WORDS.contains(&word));
    (is_plain || is_named_as_text(name)) && !speaks_of_what_it_selects(schema)
}

/// Whether the description of a field says what its value selects, or what happens without one.
fn speaks_of_what_it_selects(schema: &Node) -> bool {
    const SAYS: [&str; 34] = [
        "absent", "all", "anybody", "anyone", "applies", "apply", "blank", "each", "empty", "entire", "every",
        "everybody", "everyone", "everything", "limit", "limits", "missing", "nobody", "none", "nothing", "omitted",
        "otherwise", "restrict", "restricted", "restriction", "restrictions", "restricts", "select", "selected",
        "selects", "unless", "unset", "whole", "without",
    ];
    let said = description(schema).to_lowercase();
    says_side_effect_if_absent(&said) || words(&said).any(|word| SAYS.contains(&word) || is_listed_action(word))
}

/// Whether a list of identifiers may be sent empty in a field with this name and schema: one of those who see or change
/// the record, of which nothing says more. Any other may select others, or all of them if it is empty, and what a
/// service does with none may be said nowhere.
pub(super) fn may_be_empty_list(name: &str, schema: &Node) -> bool {
    const OF_RIGHTS: [&str; 4] = ["editable", "readable", "visible", "writable"];
    let separated = separated(name);
    let last = words(&separated).last();
    last.is_some_and(|last| OF_RIGHTS.contains(&last)) && description(schema).is_empty()
}

/// Whether a word is about administrators: `admins`, `superadmin`, not `badminton`.
fn is_of_admin(word: &str) -> bool {
    word.starts_with("admin") || word.ends_with("admin")
}

/// Whether a value for a field with this name gives rights, locks the record away or concerns other records: `true` for
/// `isAdmin`, `locked` and `is_default`, or `admin` and `replace` for any field.
fn is_unwanted(name: &str, value: &Value) -> bool {
    let is_granting = |word: &str| GRANTING.contains(&word) || is_of_admin(word);
    let says = |text: &str| text == "*" || words(&separated(text)).any(is_granting);
    match value {
        Value::Bool(is_on) => {
            let grants = says(name) && !protects(name);
            *is_on && (grants || locks_away(name) || concerns_others(name) || name_without_is(name) == "listed")
        }
        Value::String(text) => {
            let acts = |word: &str| REPLACES.contains(&word) || is_listed_action(word);
            says(text) || words(&separated(text)).any(acts)
        }
        _ => false,
    }
}

fn description(schema: &Node) -> &str {
    schema.text_of("description").unwrap_or_default()
}

/// Whether the description of a boolean says that it holds for one record at most: "Only one profile can be active".
fn says_at_most_one(schema: &Node) -> bool {
    const SAYS: [&str; 6] = [
        " at most one", " exactly one", " one at a time", " one can", " one may", " only one",
    ];
    let description = format!(" {}", description(schema).to_lowercase());
    let is_said = |said: &&str| description.contains(*said);
    SAYS.iter().any(is_said)
}

/// Whether the description of a boolean says that something happens to others if it is `false`: "If false, the members
/// get an e-mail".
fn says_false_has_side_effect(schema: &Node) -> bool {
    says_side_effect_if_absent(description(schema))
}

/// Whether the description of a boolean says at all what happens if it is `false`.
fn speaks_of_false(schema: &Node) -> bool {
    const SAYS: [&str; 8] = [
        "false:", "if false", "if not set", "if unset", "set to false", "to `false`", "unless", "when false",
    ];
    let description = description(schema).to_lowercase();
    SAYS.iter().any(|said| description.contains(said))
}

/// Returns the value, or one in its place that gives no rights, locks nothing away and concerns no other record, for a
/// boolean or an `enum` with this schema. `None` if the schema lists no such value.
pub(super) fn harmless_value(value: Value, name: &str, schema: &Node) -> Option<Value> {
    let one_at_most = says_at_most_one(schema);
    let is_unwanted = |value: &Value| is_unwanted(name, value) || *value == Value::Bool(true) && one_at_most;
    if !is_unwanted(&value) {
        return Some(value);
    }
    let listed = schema
        .member("enum")
        .map(|listed| listed.elements().iter().map(Node::to_value));
    let others: Vec<_> = match listed {
        Some(listed) => listed.collect(),
        None if value.is_boolean() => vec![Value::Bool(false)],
        None => Vec::new(),
    };
    others.into_iter().find(|other| !other.is_null() && !is_unwanted(other))
}

/// Whether a value of an `enum` triggers something, reaches further than one record, or is an exclusive role.
fn is_value_with_side_effect(value: &Value) -> bool {
    let is_known = |text: &str| {
        let text = separated(text);
        let words: Vec<_> = words(&text).collect();
        let begins = words
            .first()
            .is_some_and(|first| VALUES_WITH_SIDE_EFFECT.contains(first));
        let reaches_far = words.iter().any(|word| REACHES_FAR.contains(word));
        begins || reaches_far || is_exclusive_role(&words.join(" "))
    };
    value.as_str().is_some_and(is_known)
}

/// Returns the value to create a record with, in place of this one: [`harmless_value`], and where there is a choice,
/// `false` for a boolean, unless its name or its description says that `false` has a side effect, for an `enum` a value
/// that is not in effect, and for a field that gives rights the value that gives the fewest. The schema's default is no
/// reason to send a value that has a side effect; but a boolean that is `true` by default, and a role, keep it.
pub(super) fn cautious_value(value: Value, name: &str, schema: &Node) -> Option<Value> {
    let value = harmless_value(value, name, schema)?;
    let is_default = schema.member("default").map(Node::to_value).as_ref() == Some(&value);
    let least = (!is_default).then(|| least_right(&separated(name), schema)).flatten();
    if least.is_some() {
        return least;
    }
    if is_default && value == Value::Bool(true) || !is_avoided_at_first(&value, name, schema) {
        return Some(value);
    }
    let is_quiet =
        |other: &Value| !other.is_null() && !is_avoided_at_first(other, name, schema) && !is_unwanted(name, other);
    Some(listed(schema).into_iter().find(is_quiet).unwrap_or(value))
}

/// Returns the members of an `enum`, or else both booleans.
fn listed(schema: &Node) -> Vec<Value> {
    let listed = schema.member("enum").map(Node::elements);
    listed.map_or_else(
        || vec![Value::Bool(false), Value::Bool(true)],
        |listed| listed.iter().map(Node::to_value).collect(),
    )
}

/// Whether a record does not begin with a value if the schema lists another: it has a side effect, or puts the record
/// into effect.
fn is_avoided_at_first(value: &Value, name: &str, schema: &Node) -> bool {
    let separated = separated(name);
    if let Value::Bool(is_on) = value {
        // Without its default of `false`, the record would be seen.
        let is_hidden = || words(&separated).any(|word| ["available", "visible"].contains(&word));
        let stays_off = || schema.member("default").map(Node::to_value) == Some(Value::Bool(false)) && is_hidden();
        return *is_on != (does_less(name) || says_false_has_side_effect(schema)) && (*is_on || !stays_off());
    }
    let text = value.as_str().unwrap_or_default().to_lowercase();
    let opens = text == "open" && words(&separated).any(|word| OPENED.contains(&word));
    is_value_with_side_effect(value) || IN_EFFECT.contains(&text.as_str()) || opens
}

/// Whether a field belongs to every body of a record, because without it the record would begin with a value that a run
/// avoids, such as its default. `sent` is the value that is sent.
pub(super) fn must_be_in_every_body(sent: &Value, name: &str, schema: &Node) -> bool {
    let is_avoided = |other: &Value| is_unwanted(name, other) || is_avoided_at_first(other, name, schema);
    let default = schema.member("default").map(Node::to_value);
    if let Some(default) = default.filter(|default| !default.is_null()) {
        return default != *sent && (is_avoided(&default) && !is_plain_switch(&default, name));
    }
    match sent {
        Value::Bool(true) => true,
        Value::Bool(false) => speaks_of_false(schema),
        Value::String(_) => {
            (concerns_rights(name) || ends_with(name, &STATES)) && listed(schema).iter().any(is_avoided)
        }
        _ => false,
    }
}

/// Whether `true` for a boolean with this name is avoided only because nothing says what it does.
fn is_plain_switch(value: &Value, name: &str) -> bool {
    *value == Value::Bool(true) && !is_unwanted(name, value) && !IN_EFFECT.contains(&name_without_is(name).as_str())
}

fn ends_with(name: &str, known: &[&str]) -> bool {
    words(&separated(name)).last().is_some_and(|last| known.contains(&last))
}

/// Returns the members of an `enum` that may be sent in place of one that an existing record has. A state and what says
/// who may see or change a record have none.
pub(super) fn free_members(name: &str, schema: &Node) -> Vec<Value> {
    let listed = schema.elements_of("enum").iter();
    if ends_with(name, &STATES) || concerns_rights(name) {
        return Vec::new();
    }
    let may_begin = |value: &Value| cautious_value(value.clone(), name, schema).as_ref() == Some(value);
    listed.map(Node::to_value).filter(may_begin).collect()
}

/// Whether a field with this name chooses what is done, so that each of its values has a side effect: `action`, `vote`.
pub(super) fn chooses_what_is_done(name: &str) -> bool {
    CHOOSES.contains(&name_without_is(name).as_str())
}

/// Whether a text in a field with this name confirms something: a service may take any for a yes.
pub(super) fn confirms(name: &str) -> bool {
    let separated = separated(name);
    let words: Vec<_> = words(&separated).collect();
    let begins = matches!(words.as_slice(), ["confirm" | "retype", ..]);
    begins || matches!(words.as_slice(), [.., "confirm" | "confirmation"] | [_, .., "repeat"])
}

/// Returns the member of an `enum` that gives the fewest rights, in a field whose name (in words) says that it gives
/// some: the smallest number, or a word that is known to give few. `None` where no such word is listed.
fn least_right(name: &str, schema: &Node) -> Option<Value> {
    let listed = schema.elements_of("enum").iter();
    let listed: Vec<_> = listed.map(Node::to_value).filter(|value| !value.is_null()).collect();
    if !words(name).any(|word| GIVES_RIGHTS.contains(&word)) {
        return None;
    }
    if listed.iter().all(Value::is_number) {
        let smaller = |one: &Value, other: &Value| one.as_f64().partial_cmp(&other.as_f64());
        let least = listed.into_iter();
        return least.min_by(|one, other| smaller(one, other).unwrap_or(Ordering::Equal));
    }
    let is = |value: &&Value, known: &str| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(known));
    let mut least = LEAST_RIGHTS.iter();
    least.find_map(|known| listed.iter().find(|value| is(value, known)).cloned())
}

/// Whether a value may be sent after the first one: it is harmless, does nothing at once, is none of those that only
/// one record has, and takes away no protection. The words of values with a side effect are never complete, so a state
/// stays as it was created, and a boolean becomes `true` only if its name is known to do nothing.
pub(super) fn may_be_sent_later(value: &Value, name: &str, schema: &Node) -> bool {
    let may_act = match value {
        Value::Bool(true) => !does_less(name) && !ends_with(name, &INERT),
        Value::Bool(false) => does_less(name) || speaks_of_false(schema),
        Value::String(text) => {
            let lists_members = schema.member("enum").is_some();
            is_value_with_side_effect(value)
                || IN_EFFECT.contains(&text.to_lowercase().as_str())
                || ends_with(name, &STATES)
                || lists_members && !is_plain_category(name, schema)
        }
        _ => false,
    };
    !may_act && harmless_value(value.clone(), name, schema).as_ref() == Some(value)
}

/// Whether no member of an `enum` does anything, or reaches anybody: its name is that of a colour, a size, a unit or the
/// like, or all of its members are such words. What any other member does is not known: `direction: out`.
fn is_plain_category(name: &str, schema: &Node) -> bool {
    let listed = schema.elements_of("enum").iter();
    let listed: Vec<_> = listed.filter_map(Node::string).map(str::to_lowercase).collect();
    let is_plain = |member: &String| {
        let is_letter = member.len() == 1 && !["n", "y"].contains(&member.as_str());
        is_letter || PLAIN_MEMBERS.contains(&member.as_str())
    };
    ends_with(name, &PLAIN_NAMES) || listed.iter().all(is_plain)
}

/// Whether a value that code may mistake for a missing one may be sent instead of an accepted one: it gives no rights,
/// and it is not `false` in a field in which that has a side effect or hides the record.
pub(super) fn may_be_falsy(value: &Value, name: &str, schema: &Node) -> bool {
    may_be_sent_later(value, name, schema) && !concerns_rights(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::document::Document;

    /// What is sent instead of the value.
    fn instead(value: &Value, name: &str, schema: &str) -> Option<Value> {
        let document = Document::read("a.yaml", schema.to_owned()).unwrap();
        harmless_value(value.clone(), name, &document.root)
    }

    #[test]
    fn a_number_measures_something_by_the_last_word_of_its_name() {
        for name in ["price", "amount_cents", "totalPrice", "qty"] {
            assert!(is_measure(name), "{name}");
        }
        for name in ["price_id", "account", "countId", "number", "discount_code"] {
            assert!(!is_measure(name), "{name}");
        }
    }

    #[test]
    fn a_value_that_gives_rights_is_replaced_where_the_schema_lists_another() {
        for (name, value, schema, sent) in [
            ("admin", json!(true), "{type: boolean}", Some(json!(false))),
            ("isAdmin", json!(true), "{type: boolean}", Some(json!(false))),
            ("is_superuser", json!(true), "{type: boolean}", Some(json!(false))),
            ("managed", json!(true), "{type: boolean}", Some(json!(true))),
            ("allowAnonymous", json!(true), "{type: boolean}", Some(json!(false))),
            (
                "scope",
                json!("*"),
                "{type: string, enum: ['*', read]}",
                Some(json!("read")),
            ),
            (
                "group",
                json!("administrators"),
                "{type: string, enum: [administrators, guests]}",
                Some(json!("guests")),
            ),
            ("active", json!(true), "{type: boolean}", Some(json!(true))),
            (
                "active",
                json!(true),
                "{type: boolean, description: 'Only one profile can be active.'}",
                Some(json!(false)),
            ),
            (
                "active",
                json!(true),
                "{type: boolean, description: One of the switches}",
                Some(json!(true)),
            ),
            ("share_with_all", json!(true), "{type: boolean}", Some(json!(false))),
            ("canDelete", json!(true), "{type: boolean}", Some(json!(false))),
            ("private", json!(true), "{type: boolean}", Some(json!(true))),
            (
                "notifications_disabled",
                json!(true),
                "{type: boolean}",
                Some(json!(true)),
            ),
            ("admin", json!(true), "{type: boolean, enum: [true]}", None),
            (
                "role",
                json!("admin"),
                "{type: string, enum: [admin, viewer]}",
                Some(json!("viewer")),
            ),
            (
                "role",
                json!("SUPER_ADMIN"),
                "{type: string, enum: [SUPER_ADMIN, ROOT]}",
                None,
            ),
            (
                "visibility",
                json!("public"),
                "{type: string, enum: [public, private]}",
                Some(json!("private")),
            ),
        ] {
            assert_eq!(instead(&value, name, schema), sent, "{name} {schema}");
        }
    }

    #[test]
    fn true_is_sent_unless_one_record_alone_may_have_it() {
        let one = "{type: boolean, enum: [true, false], description: Only one profile can be active}";
        assert_eq!(instead(&json!(true), "active", one), Some(json!(false)));
        let all = "{type: boolean, description: Everyone can read it}";
        assert_eq!(instead(&json!(true), "active", all), Some(json!(true)));
        assert_eq!(instead(&json!(true), "badminton", "{type: boolean}"), Some(json!(true)));
    }

    #[test]
    fn a_value_that_locks_the_record_away_is_replaced_where_the_schema_lists_another() {
        for (name, value, schema, sent) in [
            ("locked", json!(true), "{type: boolean}", Some(json!(false))),
            ("isLocked", json!(true), "{type: boolean}", Some(json!(false))),
            ("read_only", json!(true), "{type: boolean}", Some(json!(false))),
            ("readonly", json!(true), "{type: boolean}", Some(json!(false))),
            ("is_archived", json!(true), "{type: boolean}", Some(json!(false))),
            ("disabled", json!(true), "{type: boolean}", Some(json!(false))),
            ("frozen", json!(true), "{type: boolean}", Some(json!(false))),
            ("deletionProtection", json!(true), "{type: boolean}", Some(json!(false))),
            ("locked", json!(true), "{type: boolean, enum: [true]}", None),
            (
                "notify_when_deleted",
                json!(true),
                "{type: boolean}",
                Some(json!(false)),
            ),
            ("draft", json!(true), "{type: boolean}", Some(json!(true))),
            ("hidden", json!(true), "{type: boolean}", Some(json!(true))),
        ] {
            assert_eq!(instead(&value, name, schema), sent, "{name} {schema}");
        }
    }

    #[test]
    fn a_value_that_concerns_other_records_is_replaced_where_the_schema_lists_another() {
        for (name, value, schema, sent) in [
            ("is_default", json!(true), "{type: boolean}", Some(json!(false))),
            ("isPrimary", json!(true), "{type: boolean}", Some(json!(false))),
            ("set_as_default", json!(true), "{type: boolean}", Some(json!(false))),
            ("replace_existing", json!(true), "{type: boolean}", Some(json!(false))),
            ("overwrite", json!(true), "{type: boolean}", Some(json!(false))),
            ("deleteOthers", json!(true), "{type: boolean}", Some(json!(false))),
            ("cascade", json!(true), "{type: boolean}", Some(json!(false))),
            ("apply_to_children", json!(true), "{type: boolean}", Some(json!(false))),
            ("send_email", json!(true), "{type: boolean}", Some(json!(false))),
            ("enabled", json!(true), "{type: boolean}", Some(json!(true))),
            ("has_default_image", json!(true), "{type: boolean}", Some(json!(true))),
            (
                "mode",
                json!("replace"),
                "{enum: [replace, append]}",
                Some(json!("append")),
            ),
            (
                "on_conflict",
                json!("delete"),
                "{enum: [delete, skip]}",
                Some(json!("skip")),
            ),
            ("command", json!("reset"), "{enum: [reset]}", None),
            (
                "status",
                json!("deleted"),
                "{enum: [deleted, done]}",
                Some(json!("deleted")),
            ),
        ] {
            assert_eq!(instead(&value, name, schema), sent, "{name} {schema}");
        }
    }

    #[test]
    fn a_record_begins_with_what_does_least() {
        for (name, value, schema, first) in [
            ("active", json!(true), "{type: boolean}", json!(false)),
            ("enabled", json!(true), "{type: boolean}", json!(false)),
            ("live", json!(true), "{type: boolean}", json!(false)),
            ("active", json!(true), "{type: boolean, default: true}", json!(true)),
            ("active", json!(true), "{type: boolean, enum: [true]}", json!(true)),
            ("draft", json!(true), "{type: boolean}", json!(true)),
            ("dry_run", json!(true), "{type: boolean}", json!(true)),
            ("skipMail", json!(true), "{type: boolean}", json!(true)),
            ("hidden", json!(true), "{type: boolean}", json!(true)),
            ("listed", json!(true), "{type: boolean}", json!(false)),
            (
                "edit_scope",
                json!("series"),
                "{enum: [series, single]}",
                json!("single"),
            ),
            ("kind", json!("series"), "{enum: [series]}", json!("series")),
            ("retention", json!("forever"), "{enum: [forever, 30d]}", json!("30d")),
            ("delivery", json!("sms"), "{enum: [sms, email, none]}", json!("none")),
            (
                "kind",
                json!("primary"),
                "{enum: [primary, secondary]}",
                json!("secondary"),
            ),
            (
                "status",
                json!("active"),
                "{enum: [active, inactive]}",
                json!("inactive"),
            ),
            ("role", json!("leader"), "{enum: [leader]}", json!("leader")),
            ("color", json!("red"), "{enum: [red, blue]}", json!("red")),
            (
                "state",
                json!("running"),
                "{enum: [running, stopped]}",
                json!("stopped"),
            ),
            ("power", json!("on"), "{enum: ['on', 'off']}", json!("off")),
            ("valve", json!("open"), "{enum: [open, closed]}", json!("closed")),
            ("issue", json!("open"), "{enum: [open, closed]}", json!("open")),
            (
                "billing",
                json!("charge_automatically"),
                "{enum: [charge_automatically, send_invoice, manual]}",
                json!("manual"),
            ),
            ("priority", json!("urgent"), "{enum: [urgent, low]}", json!("low")),
            (
                "decision",
                json!("approve"),
                "{enum: [approve, comment]}",
                json!("comment"),
            ),
            (
                "kind",
                json!("running_shoe"),
                "{enum: [running_shoe, boot]}",
                json!("running_shoe"),
            ),
        ] {
            let document = Document::read("a.yaml", schema.to_owned()).unwrap();
            assert_eq!(
                cautious_value(value, name, &document.root),
                Some(first),
                "{name} {schema}"
            );
        }
    }

    #[test]
    fn a_field_for_rights_begins_with_the_fewest() {
        for (name, value, schema, first) in [
            ("access_level", json!(50), "{enum: [50, 40, 30, 10]}", json!(10)),
            (
                "permissions",
                json!("admin"),
                "{enum: [admin, write, read]}",
                json!("read"),
            ),
            ("role", json!("editor"), "{enum: [editor, Guest]}", json!("Guest")),
            ("role", json!("editor"), "{enum: [editor, author]}", json!("editor")),
            (
                "role",
                json!("editor"),
                "{enum: [editor, viewer], default: editor}",
                json!("editor"),
            ),
            ("size", json!(50), "{enum: [50, 10]}", json!(50)),
            ("mode", json!("write"), "{enum: [write, read]}", json!("write")),
        ] {
            let document = Document::read("a.yaml", schema.to_owned()).unwrap();
            assert_eq!(
                cautious_value(value, name, &document.root),
                Some(first),
                "{name} {schema}"
            );
        }
    }

    #[test]
    fn what_protects_a_record_is_not_switched_off() {
        let document = Document::read("a.yaml", "{type: boolean}".to_owned()).unwrap();
        let (on, off) = (json!(true), json!(false));
        for name in [
            "restricted", "confidential", "internal", "members_only", "require_login", "passwordProtected",
            "moderated", "secure", "encrypted", "safe_mode", "simulate", "suppress_notifications", "restrict_access",
            "mfa_required", "approval_required",
        ] {
            assert_eq!(
                cautious_value(on.clone(), name, &document.root),
                Some(on.clone()),
                "{name}"
            );
            assert!(!may_be_sent_later(&off, name, &document.root), "{name}");
        }
        for name in ["gift", "read_only", "requirement", "protected"] {
            assert_eq!(
                cautious_value(on.clone(), name, &document.root),
                Some(off.clone()),
                "{name}"
            );
        }
        assert!(may_be_sent_later(&off, "gift", &document.root));
        for name in [
            "draft", "dry_run", "silent", "no_email", "test_mode", "do_not_contact", "stealth",
        ] {
            assert!(!may_be_sent_later(&off, name, &document.root), "{name}");
        }
        for (said, sent) in [
            ("If false, the members get an e-mail.", &on),
            ("Set to false to disable the rule.", &off),
            ("If not set, defaults to false.", &off),
        ] {
            let schema = format!("{{type: boolean, description: '{said}'}}");
            let document = Document::read("a.yaml", schema).unwrap();
            assert!(!may_be_sent_later(&off, "gift", &document.root), "{said}");
            assert_eq!(
                cautious_value(on.clone(), "gift", &document.root).as_ref(),
                Some(sent),
                "{said}"
            );
        }
        let off_by_default = Document::read("a.yaml", "{type: boolean, default: false}".to_owned()).unwrap();
        assert_eq!(
            cautious_value(off.clone(), "restricted", &off_by_default.root),
            Some(on)
        );
        assert_eq!(cautious_value(off.clone(), "visible", &off_by_default.root), Some(off));
    }

    #[test]
    fn a_default_is_no_reason_to_send_a_value_that_acts() {
        for (name, default, schema, first) in [
            ("draft", json!(false), "{type: boolean, default: false}", json!(true)),
            ("dry_run", json!(false), "{type: boolean, default: false}", json!(true)),
            (
                "archived",
                json!(false),
                "{type: boolean, default: false}",
                json!(false),
            ),
            (
                "send",
                json!("now"),
                "{enum: [later, now], default: now}",
                json!("later"),
            ),
            (
                "mode",
                json!("live"),
                "{enum: [test, live], default: live}",
                json!("test"),
            ),
            (
                "delivery",
                json!("automatic"),
                "{enum: [automatic, manual], default: automatic}",
                json!("manual"),
            ),
            ("color", json!("red"), "{enum: [blue, red], default: red}", json!("red")),
        ] {
            let document = Document::read("a.yaml", schema.to_owned()).unwrap();
            assert_eq!(cautious_value(default, name, &document.root), Some(first), "{name}");
        }
    }

    #[test]
    fn a_field_belongs_to_every_body_where_the_record_would_begin_with_what_is_avoided() {
        for (name, sent, schema, is_needed) in [
            ("notify", json!(false), "{type: boolean, default: true}", true),
            ("draft", json!(true), "{type: boolean, default: false}", true),
            ("silent", json!(true), "{type: boolean}", true),
            (
                "visibility",
                json!("private"),
                "{enum: [private, public], default: public}",
                true,
            ),
            ("visibility", json!("private"), "{enum: [private, public]}", true),
            (
                "status",
                json!("draft"),
                "{enum: [draft, published], default: published}",
                true,
            ),
            ("active", json!(false), "{type: boolean, default: true}", true),
            ("done", json!(false), "{type: boolean, default: true}", false),
            ("gift", json!(false), "{type: boolean}", false),
            ("send_email", json!(false), "{type: boolean, default: false}", false),
            ("color", json!("red"), "{enum: [red, blue], default: blue}", false),
            ("color", json!("red"), "{enum: [red, blue]}", false),
        ] {
            let document = Document::read("a.yaml", schema.to_owned()).unwrap();
            assert_eq!(
                must_be_in_every_body(&sent, name, &document.root),
                is_needed,
                "{name} {schema}"
            );
        }
        let said = "{type: boolean, description: They get a mail unless this is false.}";
        let document = Document::read("a.yaml", said.to_owned()).unwrap();
        assert!(must_be_in_every_body(&json!(false), "notify", &document.root));
    }

    #[test]
    fn another_member_is_sent_only_where_all_are_plain() {
        for (name, member, members, follows) in [
            ("payment", "card", "test, card", false),
            ("category", "broadcast", "general, broadcast", false),
            ("target", "team", "self, team", false),
            ("direction", "out", "in, out", false),
            ("event", "deleted", "created, deleted", false),
            ("recurrence", "daily", "once, daily", false),
            ("kind", "mass", "dry, mass", false),
            ("vote", "down", "up, down", false),
            ("size", "wide", "small, wide", true),
            ("unit", "mole", "mole, inch", true),
            ("kind", "pdf", "pdf, text", true),
            ("pet", "cat", "cat, dog", true),
        ] {
            let document = Document::read("a.yaml", format!("{{enum: [{members}]}}")).unwrap();
            assert_eq!(
                may_be_sent_later(&json!(member), name, &document.root),
                follows,
                "{name}"
            );
        }
    }

    #[test]
    fn a_field_that_chooses_what_is_done_or_confirms_it_is_told_by_its_name() {
        for name in ["action", "command", "decision", "transition", "vote"] {
            assert!(chooses_what_is_done(name), "{name}");
        }
        for name in ["confirm", "confirm_delete", "delete_repeat", "confirmation"] {
            assert!(confirms(name), "{name}");
        }
        for name in [
            "actions", "call_to_action", "repeat", "repeat_until", "votes", "confirmed_at",
        ] {
            assert!(!chooses_what_is_done(name) && !confirms(name), "{name}");
        }
    }

    #[test]
    fn a_date_on_which_something_happens_is_told_by_its_name() {
        for name in [
            "publish_at", "send_at", "scheduled_for", "runAt", "charge_on", "next_billing_at", "remind_at",
            "embargo_until", "release_on", "delete_after",
        ] {
            assert!(is_date_of_trigger(name), "{name}");
        }
        for name in [
            "published_at", "sent_at", "starts_at", "due_at", "expires_at", "release_date", "delivery_date", "born",
        ] {
            assert!(!is_date_of_trigger(name), "{name}");
        }
    }

    #[test]
    fn an_address_that_a_service_calls_is_told_by_its_name() {
        for name in ["remote_url", "callbackUri", "webhook-endpoint", "git_repo_url"] {
            assert!(is_called_by_service(name), "{name}");
        }
        for name in ["url", "homepage_url", "callback", "remote", "repository_name"] {
            assert!(!is_called_by_service(name), "{name}");
        }
    }

    #[test]
    fn a_value_that_one_record_has_follows_no_other() {
        let document = Document::read("a.yaml", "{enum: [primary, active, red]}".to_owned()).unwrap();
        let follows = |value: &str| may_be_sent_later(&json!(value), "color", &document.root);
        assert!(!follows("primary") && !follows("active") && follows("red"));
    }

    #[test]
    fn a_state_stays_and_a_boolean_becomes_true_only_if_that_does_nothing() {
        let states = Document::read("a.yaml", "{enum: [draft, sent, paid]}".to_owned()).unwrap();
        for (name, follows) in [
            ("status", false),
            ("invoiceState", false),
            ("power", false),
            ("statuses", false),
            ("size", true),
        ] {
            assert_eq!(may_be_sent_later(&json!("sent"), name, &states.root), follows, "{name}");
        }
        let either = Document::read("a.yaml", "{type: boolean}".to_owned()).unwrap();
        for name in [
            "live", "on_air", "headline", "fallback", "enabled", "approved", "paid", "done_at_once",
        ] {
            assert!(!may_be_sent_later(&json!(true), name, &either.root), "{name}");
            assert!(may_be_sent_later(&json!(false), name, &either.root), "{name}");
        }
        for name in ["done", "isGift", "paused"] {
            assert!(may_be_sent_later(&json!(true), name, &either.root), "{name}");
        }
    }

    fn described(description: &str) -> Node {
        let text = format!("type: object\ndescription: '{description}'\n");
        Document::read("a.yaml", text).unwrap().node("").unwrap().clone()
    }

    #[test]
    fn an_object_is_sent_only_where_it_holds_plain_data() {
        let names = "pod_selector matchers filter conditions recipients targetRules applies_to cohort predicate \
                     subset nodes expression population restrict_to limit_to tag_expression hosts lookup \
                     match_labels labels_selector node_labels grants acls shares collaborators entitlements \
                     allow deny whitelist attendees invitees guests people forwarding redirects aliases";
        for name in names.split(' ').chain([""]) {
            assert!(!holds_plain_data(name, &described("")), "{name}");
        }
        for (name, description) in [
            ("data", "Applies to all hosts if it is empty."),
            ("config", "Every key counts."),
            ("options", "Nothing set: the whole company."),
            ("attributes", "{} means no restriction."),
            ("values", "Selects the rows to purge"),
            (
                "parameters",
                "Part of the customers that is charged; default: the entire list",
            ),
            ("context", "Nodes that are drained; none given: the cluster"),
        ] {
            assert!(!holds_plain_data(name, &described(description)), "{description}");
        }
        assert!(holds_plain_data("data", &described("Any data of yours.")));
        assert!(holds_plain_data("data_schema", &described("The schema of the data.")));
        let of_nested = "A JSON Schema document which is used to validate a config context object.";
        assert!(holds_plain_data("data_schema", &described(of_nested)));
        for name in [
            "customFields", "metadata", "extra_data", "settings", "options", "inputs", "Tags", "value",
        ] {
            assert!(holds_plain_data(name, &described("")), "{name}");
        }
        for name in [
            "name", "subject", "room_name", "text", "title_i18n", "texts", "translations", "tags",
        ] {
            assert!(holds_plain_data(name, &described("")), "{name}");
        }
        assert!(!holds_plain_data("name", &described("Empty: everybody.")));
    }

    #[test]
    fn an_empty_list_of_identifiers_may_be_only_one_of_those_who_see_the_record() {
        assert!(may_be_empty_list("user_ids_visible", &described("")));
        assert!(!may_be_empty_list("user_ids_visible", &described("Empty: anyone.")));
        for name in [
            "recipient_ids", "device_ids", "keep_ids", "allowed_user_ids", "approver_ids", "attendee_ids",
        ] {
            assert!(!may_be_empty_list(name, &described("")), "{name}");
        }
    }

    #[test]
    fn an_object_that_nothing_describes_is_sent_only_under_a_harmless_name() {
        for name in [
            "name", "question", "subject", "text", "tags", "data", "data_schema", "inputs", "value",
        ] {
            assert!(may_hold_any_object(name), "{name}");
        }
        for name in [
            "permissions", "visibility", "roles", "adminRights", "owner", "members", "webhook", "notify_users",
        ] {
            assert!(!may_hold_any_object(name), "{name}");
        }
    }

    #[test]
    fn what_says_who_may_see_or_change_a_record_is_told_by_its_name() {
        for name in [
            "private", "is_private", "readOnly", "hidden", "role", "accessLevel", "superadmin", "isArchived",
            "deleted", "frozen",
        ] {
            assert!(concerns_rights(name), "{name}");
        }
        for name in ["enabled", "weight", "size", "kind", "priority", "done", "deleted_after"] {
            assert!(!concerns_rights(name), "{name}");
        }
    }
}
