-- Ids that clients made for their requests, and what was answered: a repeat does nothing.
CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    answer TEXT
) WITHOUT ROWID;

-- Messages for runs that go on in other programs, until the model reads them or they are withdrawn.
CREATE TABLE queued_messages (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    created REAL NOT NULL,
    content TEXT NOT NULL
);

CREATE INDEX queued_messages_run ON queued_messages (run);

CREATE TRIGGER runs_removed_queued AFTER DELETE ON runs
BEGIN
    DELETE FROM queued_messages WHERE run = old.id;
END;
