-- The session that asked this one, as when an agent asks another; NULL when a person did.
ALTER TABLE sessions ADD COLUMN parent TEXT;

CREATE INDEX sessions_parent ON sessions (parent) WHERE parent IS NOT NULL;

-- One row per message, in the order they were written; `number` counts from 1 within a session.
-- Tokens and cost stand on answers only. A table without rowid would save each write 1 µs, but a count of the
-- tokens would then read six times as long, and the last answers of all sessions could not be had in order.
CREATE TABLE messages (
    id            INTEGER PRIMARY KEY,
    session       TEXT NOT NULL REFERENCES sessions (id),
    number        INTEGER NOT NULL,
    created       REAL NOT NULL,
    role          TEXT NOT NULL,
    model         TEXT,
    input         INTEGER,
    output        INTEGER,
    cached        INTEGER,
    cache_written INTEGER,
    reasoning     INTEGER,
    cost          REAL,
    content       TEXT NOT NULL
);

CREATE UNIQUE INDEX messages_session ON messages (session, number);

-- What stands for the messages up to `through` when a model is asked; the messages stay.
CREATE TABLE summaries (
    session TEXT PRIMARY KEY REFERENCES sessions (id),
    through INTEGER NOT NULL,
    created REAL NOT NULL,
    text    TEXT NOT NULL
);

CREATE TABLE agents (
    name     TEXT PRIMARY KEY,
    created  REAL NOT NULL,
    updated  REAL NOT NULL,
    document TEXT NOT NULL
) WITHOUT ROWID;

-- A session goes with all that is its own.
CREATE TRIGGER sessions_removed BEFORE DELETE ON sessions
BEGIN
    DELETE FROM messages WHERE session = old.id;
    DELETE FROM summaries WHERE session = old.id;
    DELETE FROM calls WHERE session = old.id;
    DELETE FROM grants WHERE scope = 'session' AND holder = old.id;
END;
