//! The contacts, with their contact methods.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tokio_postgres::Row;
use tokio_postgres::types::{Json, Type};
use uuid::Uuid;

use super::database::{Database, Parameter};
use super::tags::named;
use super::{tags, venues};
use crate::service::store::interface::StoreError;
use crate::service::store::record::{
    Contact, ContactChange, ContactMethod, ContactRow, FoundReferences, FoundVenue, NamedRecord, NewContactMethod,
    RecordSlice, Span, VisitSummary,
};
use crate::service::store::seed;

const PAGE: &str = "SELECT list.total, contact.position, contact.id, firstname, lastname, born, gender, nationality,
        country_of_residence, status, excluded_channels, custom_fields, methods, contact.created_at, updated_at,
        tag.id, tag.name,
        first_visited_at, first_venue.id, first_venue.name,
        last_visited_at, last_venue.id, last_venue.name
    FROM countersign.list
    LEFT JOIN countersign.contact ON contact.position BETWEEN $1 AND $2
    LEFT JOIN countersign.tag ON tag.position = contact.tags[1]
    LEFT JOIN countersign.venue AS first_venue ON first_venue.position = first_visited_venue
    LEFT JOIN countersign.venue AS last_venue ON last_venue.position = last_visited_venue
    WHERE list.name = 'contact' ORDER BY contact.position";

/// Adds the contacts of a JSON array, each with its place in it (`nth`, from 1), if the total is `$2`; a null `$2`
/// skips that check.
macro_rules! added {
    () => {
        "WITH counted AS (
        UPDATE countersign.list SET total = total + jsonb_array_length($1)
        WHERE name = 'contact' AND total = coalesce($2, total)
        RETURNING total - jsonb_array_length($1) AS before),
    added AS (INSERT INTO countersign.contact (position, id, firstname, lastname, born, gender, nationality,
        country_of_residence, status, venue, tags, excluded_channels, custom_fields, methods,
        first_visited_at, first_visited_venue, last_visited_at, last_visited_venue, created_at, updated_at)
    SELECT counted.before + new.nth, new.id, new.firstname, new.lastname, new.born, new.gender, new.nationality,
        new.country_of_residence, new.status, new.venue, new.tags, new.excluded_channels, new.custom_fields,
        new.methods,
        (new.first_visit ->> 'at')::timestamptz, (new.first_visit ->> 'venue')::bigint,
        (new.last_visit ->> 'at')::timestamptz, (new.last_visit ->> 'venue')::bigint,
        new.created_at, new.updated_at
    FROM counted, jsonb_to_recordset($1) AS new (nth bigint, id uuid, firstname text, lastname text, born date,
        gender text, nationality text, country_of_residence text, status text, venue bigint, tags bigint[],
        excluded_channels text[], custom_fields jsonb, methods jsonb, first_visit jsonb, last_visit jsonb,
        created_at timestamptz, updated_at timestamptz)
        RETURNING position, first_visited_venue AS venue, first_visited_at AS at)"
    };
}

/// Adds contacts; another statement adds their visits, if they have any.
pub(super) const INSERT: &str = concat!(added!(), " SELECT count(*) FROM added");

/// Adds a contact that is at a venue, and its visit there.
const CREATE_VISITING: &str = concat!(
    added!(),
    ", counted_visits AS (UPDATE countersign.list SET total = total + 1 WHERE name = 'visit' RETURNING total)
    INSERT INTO countersign.visit (position, contact, venue, at)
    SELECT counted_visits.total, added.position, added.venue, added.at FROM counted_visits, added"
);

// Fields that were not sent are null here, and keep their values, unless `$13` says that the change replaces.
const CHANGE: &str = "UPDATE countersign.contact SET
        firstname = coalesce($2, firstname),
        lastname = coalesce($3, lastname),
        born = CASE WHEN $13 THEN $4 ELSE coalesce($4, born) END,
        gender = coalesce($5, gender),
        nationality = coalesce($6, nationality),
        country_of_residence = coalesce($7, country_of_residence),
        venue = CASE WHEN $13 THEN $8 ELSE coalesce($8, venue) END,
        tags = coalesce($9, tags),
        excluded_channels = coalesce($10, excluded_channels),
        methods = coalesce($11, methods),
        updated_at = $12
    WHERE id = $1";

const ADD_METHOD: &str = "UPDATE countersign.contact SET
        methods = methods || $2,
        excluded_channels = (SELECT coalesce(array_agg(channel ORDER BY nth), '{}')
            FROM unnest(excluded_channels) WITH ORDINALITY AS excluded (channel, nth)
            WHERE channel <> ALL ($3)),
        updated_at = $4
    WHERE id = $1 RETURNING id";

/// How many synthetic contacts one statement adds.
const GROWTH_BATCH: i64 = 2_000;

/// A contact with its place among those that are added together.
#[derive(Debug, Serialize)]
pub(super) struct Numbered {
    pub(super) nth: i64,
    #[serde(flatten)]
    pub(super) row: ContactRow,
}

pub(super) async fn page(database: &Database, span: Span) -> Result<RecordSlice<Contact>, StoreError> {
    database.page(PAGE, span, contact).await
}

pub(super) async fn create(
    database: &Database,
    change: ContactChange,
    status: &str,
    now: DateTime<Utc>,
) -> Result<Contact, StoreError> {
    let found = find(database, &change).await?;
    let rows = Json([Numbered {
        nth: 1,
        row: ContactRow::new(change, &found, status, now),
    }]);
    let statement = match rows.0[0].row.first_visit {
        Some(_) => CREATE_VISITING,
        None => INSERT,
    };
    let any_total: Option<i64> = None;
    database
        .rows(statement, &[(&rows, Type::JSONB), (&any_total, Type::INT8)])
        .await?;
    let [Numbered { row, .. }] = rows.0;
    Ok(row.written(found))
}

pub(super) async fn update(
    database: &Database,
    id: Uuid,
    change: ContactChange,
    now: DateTime<Utc>,
) -> Result<Contact, StoreError> {
    let known = "SELECT position FROM countersign.contact WHERE id = $1";
    let row = database.row(known, &[(&id, Type::UUID)]).await?;
    let position: i64 = row.ok_or(StoreError::UnknownContact)?.try_get(0)?;
    let change = change.completed();
    let found = find(database, &change).await?;
    let methods = change.methods.map(|methods| {
        let recorded = methods.into_iter().map(|new| new.recorded(now));
        Json(recorded.collect::<Vec<_>>())
    });
    let parameters: [Parameter<'_>; 13] = [
        (&id, Type::UUID),
        (&change.firstname, Type::TEXT),
        (&change.lastname, Type::TEXT),
        (&change.born, Type::DATE),
        (&change.gender, Type::TEXT),
        (&change.nationality, Type::TEXT),
        (&change.country_of_residence, Type::TEXT),
        (&found.venue_position(), Type::INT8),
        (&found.tag_positions(), Type::INT8_ARRAY),
        (&change.excluded_channels, Type::TEXT_ARRAY),
        (&methods, Type::JSONB),
        (&now, Type::TIMESTAMPTZ),
        (&change.replaces, Type::BOOL),
    ];
    database.rows(CHANGE, &parameters).await?;
    let page = database
        .page(
            PAGE,
            Span {
                first: position,
                last: position,
            },
            contact,
        )
        .await?;
    page.items.into_iter().next().ok_or(StoreError::UnknownContact)
}

/// Adds a method to the contact `owner`, and removes the channels that it includes from the excluded ones.
pub(super) async fn add_method(
    database: &Database,
    owner: Uuid,
    mut new: NewContactMethod,
    now: DateTime<Utc>,
) -> Result<ContactMethod, StoreError> {
    let included = std::mem::take(&mut new.included_channels);
    let methods = Json([new.recorded(now)]);
    let parameters: [Parameter<'_>; 4] = [
        (&owner, Type::UUID),
        (&methods, Type::JSONB),
        (&included, Type::TEXT_ARRAY),
        (&now, Type::TIMESTAMPTZ),
    ];
    let owner = database.row(ADD_METHOD, &parameters).await?;
    owner.ok_or(StoreError::UnknownContact)?;
    let [method] = methods.0;
    Ok(method)
}

/// Adds at most one batch of synthetic contacts, up to `target`, and returns how many contacts there are. If another
/// replica adds one meanwhile, nothing is added here: the next batch starts after it.
pub(super) async fn grow(database: &Database, target: i64) -> Result<i64, StoreError> {
    let statement = "SELECT total FROM countersign.list WHERE name = 'contact'";
    let row = database.row(statement, &[]).await?;
    let before: i64 = row.map_or(Ok(0), |row| row.try_get(0))?;
    let after = target.clamp(before, before + GROWTH_BATCH);
    let numbered = |index| Numbered {
        nth: index - before + 1,
        row: seed::contact(index),
    };
    if after > before {
        let rows = Json((before..after).map(numbered).collect::<Vec<_>>());
        database
            .rows(INSERT, &[(&rows, Type::JSONB), (&Some(before), Type::INT8)])
            .await?;
    }
    let row = database.row(statement, &[]).await?;
    Ok(row.map_or(Ok(0), |row| row.try_get(0))?)
}

async fn find(database: &Database, change: &ContactChange) -> Result<FoundReferences, StoreError> {
    let venue = match change.venue {
        Some(id) => {
            let (position, name) = venues::find(database, id).await?;
            let venue = NamedRecord { id, name };
            Some(FoundVenue { position, venue })
        }
        None => None,
    };
    let tags = match &change.tags {
        Some(entries) => Some(tags::find_all(database, entries).await?),
        None => None,
    };
    Ok(FoundReferences { venue, tags })
}

fn contact(row: &Row) -> Result<Contact, tokio_postgres::Error> {
    Ok(Contact {
        id: row.try_get(2)?,
        firstname: row.try_get(3)?,
        lastname: row.try_get(4)?,
        born: row.try_get(5)?,
        gender: row.try_get(6)?,
        nationality: row.try_get(7)?,
        country_of_residence: row.try_get(8)?,
        status: row.try_get(9)?,
        excluded_channels: row.try_get(10)?,
        custom_fields: row.try_get::<_, Json<_>>(11)?.0,
        methods: row.try_get::<_, Json<Vec<ContactMethod>>>(12)?.0,
        created_at: row.try_get(13)?,
        updated_at: row.try_get(14)?,
        first_tag: named_if_any(row, 15)?,
        first_visit: visit(row, 17)?,
        last_visit: visit(row, 20)?,
    })
}

fn named_if_any(row: &Row, column: usize) -> Result<Option<NamedRecord>, tokio_postgres::Error> {
    let id: Option<Uuid> = row.try_get(column)?;
    id.map(|_| named(row, column)).transpose()
}

fn visit(row: &Row, column: usize) -> Result<Option<VisitSummary>, tokio_postgres::Error> {
    let at: Option<DateTime<Utc>> = row.try_get(column)?;
    let venue = named_if_any(row, column + 1)?;
    Ok(at.zip(venue).map(|(at, venue)| VisitSummary { at, venue }))
}
