-- Runs: who started each and why, how it stands, what it may spend, and the program it runs in.
-- `number` orders the runs of a session; `root` is the run that a person, a schedule or a program started,
-- and the run itself where no other run started it. `limits` and `finished` are JSON.
-- `owner` names the person a row belongs to, wherever several use one store; empty for the only one.
CREATE TABLE runs (
    id       TEXT PRIMARY KEY,
    session  TEXT NOT NULL,
    number   INTEGER NOT NULL,
    root     TEXT NOT NULL,
    parent   TEXT,
    agent    TEXT NOT NULL,
    model    TEXT NOT NULL,
    origin   TEXT NOT NULL,
    reason   TEXT NOT NULL DEFAULT '',
    owner    TEXT NOT NULL DEFAULT '',
    state    TEXT NOT NULL,
    process  TEXT NOT NULL,
    created  REAL NOT NULL,
    ended    REAL,
    limits   TEXT NOT NULL,
    finished TEXT
);

CREATE UNIQUE INDEX runs_session ON runs (session, number);
CREATE INDEX runs_state ON runs (state, id);
CREATE INDEX runs_ended ON runs (ended) WHERE ended IS NOT NULL;
CREATE INDEX runs_parent ON runs (parent) WHERE parent IS NOT NULL;
-- One run at a time in a session, whatever program it runs in.
CREATE UNIQUE INDEX runs_going ON runs (session) WHERE state = 'running';

-- The events that a late reader of a run needs, those of the runs it started among them.
-- An answer stands in `messages` and a call in `calls`: here is only which.
CREATE TABLE events (
    root    TEXT NOT NULL,
    number  INTEGER NOT NULL,
    first   INTEGER NOT NULL,
    run     TEXT NOT NULL,
    created REAL NOT NULL,
    type    TEXT NOT NULL,
    message INTEGER,
    body    TEXT,
    PRIMARY KEY (root, number)
) WITHOUT ROWID;

-- The run that a message or a call belongs to; NULL for those outside of any. They are looked for among those
-- of the run's session, so no index is needed, and none is paid for with every message and call.
ALTER TABLE messages ADD COLUMN run TEXT;
ALTER TABLE calls ADD COLUMN run TEXT;

ALTER TABLE sessions ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN owner TEXT NOT NULL DEFAULT '';

CREATE TRIGGER runs_removed AFTER DELETE ON runs
BEGIN
    DELETE FROM events WHERE root = old.root AND run = old.id;
END;

CREATE TRIGGER sessions_removed_runs BEFORE DELETE ON sessions
BEGIN
    DELETE FROM runs WHERE session = old.id;
END;
