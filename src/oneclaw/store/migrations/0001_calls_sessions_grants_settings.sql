-- Times are seconds since 1970. What may be long stands last in a row, so that a scan need not read it.

CREATE TABLE sessions (
    id        TEXT PRIMARY KEY,
    agent     TEXT NOT NULL,
    workspace TEXT NOT NULL,
    title     TEXT NOT NULL DEFAULT '',
    created   REAL NOT NULL,
    updated   REAL NOT NULL
);

CREATE INDEX sessions_updated ON sessions (updated);

-- One row per call: written before its tool starts, completed with its one result.
-- `process` names the running program that opened it; `text` or `value` holds a result, never both.
-- The check is spelled with OR: with IN it costs each write 4 µs.
CREATE TABLE calls (
    id             INTEGER PRIMARY KEY,
    started        REAL NOT NULL,
    status         TEXT NOT NULL CHECK (status = 'open' OR status = 'success' OR status = 'error'),
    session        TEXT REFERENCES sessions (id),
    agent          TEXT NOT NULL,
    call_id        TEXT NOT NULL,
    tool           TEXT NOT NULL,
    effect         TEXT,
    process        TEXT NOT NULL,
    seconds        REAL,
    kind           TEXT,
    effects        TEXT,
    truncated_from INTEGER,
    message        TEXT,
    repairs        TEXT,
    images         TEXT,
    arguments      TEXT,
    text           TEXT,
    value          TEXT,
    details        TEXT
);

-- Every index is one more page to write on every call. A log is read newest first and seldom; tools, kinds and
-- times are looked for on the way down.
CREATE INDEX calls_session ON calls (session) WHERE session IS NOT NULL;
CREATE INDEX calls_open ON calls (process) WHERE status = 'open';

CREATE TABLE grants (
    id      TEXT PRIMARY KEY,
    tool    TEXT NOT NULL,
    need    TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('allow', 'deny')),
    scope   TEXT NOT NULL CHECK (scope IN ('session', 'agent', 'everywhere')),
    holder  TEXT NOT NULL,
    pattern TEXT NOT NULL,
    about   TEXT NOT NULL,
    digest  TEXT NOT NULL,
    created REAL NOT NULL,
    expires REAL
);

CREATE INDEX grants_tool ON grants (tool);

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- How often a table was changed: a reader sees at the price of one row whether what it holds is still so.
CREATE TABLE versions (
    name   TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO versions VALUES ('grants', 0), ('settings', 0);

CREATE TRIGGER grants_added AFTER INSERT ON grants
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'grants'; END;
CREATE TRIGGER grants_changed AFTER UPDATE ON grants
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'grants'; END;
CREATE TRIGGER grants_removed AFTER DELETE ON grants
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'grants'; END;
CREATE TRIGGER settings_added AFTER INSERT ON settings
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'settings'; END;
CREATE TRIGGER settings_changed AFTER UPDATE ON settings
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'settings'; END;
CREATE TRIGGER settings_removed AFTER DELETE ON settings
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'settings'; END;
