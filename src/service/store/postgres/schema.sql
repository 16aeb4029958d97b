-- The store in PostgreSQL, format 1, in a schema of its own. Every listed table has dense positions from 1; `list` says
-- how many there are. A statement that adds records raises the total in the same breath, so that two of them take turns
-- and no position is ever skipped: sequences would leave gaps.

-- An administrator may have created it, empty.
CREATE SCHEMA IF NOT EXISTS countersign;

CREATE TABLE countersign.format (
    number bigint PRIMARY KEY
);

CREATE TABLE countersign.list (
    name  text PRIMARY KEY,
    total bigint NOT NULL
);

INSERT INTO countersign.list (name, total) VALUES ('contact', 0), ('tag', 0), ('venue', 0), ('visit', 0);

CREATE TABLE countersign.venue (
    position   bigint PRIMARY KEY,
    id         uuid NOT NULL UNIQUE,
    name       text NOT NULL,
    country    text NOT NULL,
    address    text NOT NULL,
    phone      text NOT NULL,
    email      text NOT NULL,
    tags       text[] NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE countersign.tag (
    position bigint PRIMARY KEY,
    id       uuid NOT NULL UNIQUE,
    name     text NOT NULL,
    color    text NOT NULL
);

CREATE INDEX tag_by_name ON countersign.tag (name, position);

-- One row holds all that a list shows of a contact. `tags` are positions in the order in which they were sent: a response
-- shows the first.
CREATE TABLE countersign.contact (
    position             bigint PRIMARY KEY,
    id                   uuid NOT NULL UNIQUE,
    firstname            text NOT NULL,
    lastname             text NOT NULL,
    born                 date,
    gender               text NOT NULL,
    nationality          text NOT NULL,
    country_of_residence text NOT NULL,
    status               text NOT NULL,
    venue                bigint REFERENCES countersign.venue (position),
    tags                 bigint[] NOT NULL,
    excluded_channels    text[] NOT NULL,
    custom_fields        jsonb NOT NULL,
    methods              jsonb NOT NULL,
    first_visited_at     timestamptz,
    first_visited_venue  bigint REFERENCES countersign.venue (position),
    last_visited_at      timestamptz,
    last_visited_venue   bigint REFERENCES countersign.venue (position),
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL
);

-- The position of a visit is also its id, the numeric one of the interface.
CREATE TABLE countersign.visit (
    position bigint PRIMARY KEY,
    contact  bigint NOT NULL REFERENCES countersign.contact (position),
    venue    bigint NOT NULL REFERENCES countersign.venue (position),
    at       timestamptz NOT NULL
);
