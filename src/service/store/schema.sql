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

CREATE TABLE contact (
    position             INTEGER PRIMARY KEY,
    id                   BLOB NOT NULL UNIQUE,
    firstname            TEXT NOT NULL DEFAULT '',
    lastname             TEXT NOT NULL DEFAULT '',
    born                 TEXT,
    gender               TEXT NOT NULL DEFAULT '',
    nationality          TEXT NOT NULL DEFAULT '',
    country_of_residence TEXT NOT NULL DEFAULT '',
    status               TEXT NOT NULL,
    venue                INTEGER REFERENCES venue (position),
    excluded_channels    TEXT NOT NULL DEFAULT '[]',
    custom_fields        TEXT NOT NULL DEFAULT '{}',
    created_at           INTEGER NOT NULL,
    updated_at           INTEGER NOT NULL
) STRICT;

-- The tags of a contact in the order in which they were sent: an answer shows the one at rank 0.
CREATE TABLE contact_tag (
    contact INTEGER NOT NULL REFERENCES contact (position),
    rank    INTEGER NOT NULL,
    tag     INTEGER NOT NULL REFERENCES tag (position),
    PRIMARY KEY (contact, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE contact_method (
    position   INTEGER PRIMARY KEY,
    id         BLOB NOT NULL UNIQUE,
    owner      INTEGER NOT NULL REFERENCES contact (position),
    type       TEXT NOT NULL,
    contact    TEXT NOT NULL,
    status     TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX contact_method_by_owner ON contact_method (owner);

-- The position of a visit is also its id, the numeric one of the interface.
CREATE TABLE visit (
    position INTEGER PRIMARY KEY,
    contact  INTEGER NOT NULL REFERENCES contact (position),
    venue    INTEGER NOT NULL REFERENCES venue (position),
    at       INTEGER NOT NULL
) STRICT;

CREATE INDEX visit_by_contact ON visit (contact, at);
