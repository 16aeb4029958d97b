-- The store, format 1. Every listed table has dense positions from 1: rows are only ever added, and a transaction that
-- does not commit gives its positions back.

CREATE TABLE venue (
    position   INTEGER PRIMARY KEY,
    id         BLOB NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    country    TEXT NOT NULL,
    address    TEXT NOT NULL,
    phone      TEXT NOT NULL,
    email      TEXT NOT NULL,
    tags       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tag (
    position INTEGER PRIMARY KEY,
    id       BLOB NOT NULL UNIQUE,
    name     TEXT NOT NULL,
    color    TEXT NOT NULL
) STRICT;

CREATE INDEX tag_by_name ON tag (name);

-- One row holds all that a list shows of a contact, so that a page costs one range and a few rows of small tables. `tags`
-- are positions in the order in which they were sent: a response shows the first.
CREATE TABLE contact (
    position             INTEGER PRIMARY KEY,
    id                   BLOB NOT NULL UNIQUE,
    firstname            TEXT NOT NULL,
    lastname             TEXT NOT NULL,
    born                 TEXT,
    gender               TEXT NOT NULL,
    nationality          TEXT NOT NULL,
    country_of_residence TEXT NOT NULL,
    status               TEXT NOT NULL,
    venue                INTEGER REFERENCES venue (position),
    tags                 TEXT NOT NULL,
    excluded_channels    TEXT NOT NULL,
    custom_fields        TEXT NOT NULL,
    methods              TEXT NOT NULL,
    first_visited_at     INTEGER,
    first_visited_venue  INTEGER REFERENCES venue (position),
    last_visited_at      INTEGER,
    last_visited_venue   INTEGER REFERENCES venue (position),
    created_at           INTEGER NOT NULL,
    updated_at           INTEGER NOT NULL
) STRICT;

-- The position of a visit is also its id, the numeric one of the interface.
CREATE TABLE visit (
    position INTEGER PRIMARY KEY,
    contact  INTEGER NOT NULL REFERENCES contact (position),
    venue    INTEGER NOT NULL REFERENCES venue (position),
    at       INTEGER NOT NULL
) STRICT;
