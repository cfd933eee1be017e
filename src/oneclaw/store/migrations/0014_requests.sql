-- Ids that clients made for their requests, and what was answered: a repeat does nothing.
CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    created REAL NOT NULL,
    answer TEXT
) WITHOUT ROWID;
