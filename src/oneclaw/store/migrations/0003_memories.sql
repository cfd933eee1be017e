-- What agents noted. `agent` is whose alone it is, empty when all share it.
-- `key_words` and `value_words` are the text as it is searched, NULL where that is the text itself.
CREATE TABLE memories (
    id          INTEGER PRIMARY KEY,
    agent       TEXT NOT NULL,
    key         TEXT NOT NULL,
    category    TEXT NOT NULL,
    hits        INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    created     REAL NOT NULL,
    updated     REAL NOT NULL,
    used        REAL NOT NULL,
    key_words   TEXT,
    value       TEXT NOT NULL,
    value_words TEXT
);

CREATE UNIQUE INDEX memories_key ON memories (agent, key);

-- The most useful are chosen whenever a session begins: from this alone, without the values.
CREATE INDEX memories_use ON memories (agent, hits, updated, used);

-- The values a memory had before; `created` is when it got that one. The last twenty are kept.
CREATE TABLE memory_versions (
    memory   INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    version  INTEGER NOT NULL,
    created  REAL NOT NULL,
    category TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (memory, version)
) WITHOUT ROWID;

-- The index alone: the text stands in the table already.
CREATE VIRTUAL TABLE memories_text USING fts5 (
    name, text, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER memories_added AFTER INSERT ON memories
BEGIN
    INSERT INTO memories_text (rowid, name, text) VALUES (
        new.id, coalesce(new.key_words, new.key) || ' ' || new.category, coalesce(new.value_words, new.value)
    );
END;

CREATE TRIGGER memories_changed AFTER UPDATE OF category, value ON memories WHEN old.version != new.version
BEGIN
    INSERT INTO memory_versions (memory, version, created, category, value)
    VALUES (old.id, old.version, old.updated, old.category, old.value);
    DELETE FROM memory_versions WHERE memory = old.id AND version < new.version - 20;
    INSERT INTO memories_text (memories_text, rowid, name, text) VALUES (
        'delete', old.id, coalesce(old.key_words, old.key) || ' ' || old.category,
        coalesce(old.value_words, old.value)
    );
    INSERT INTO memories_text (rowid, name, text) VALUES (
        new.id, coalesce(new.key_words, new.key) || ' ' || new.category, coalesce(new.value_words, new.value)
    );
END;

CREATE TRIGGER memories_removed AFTER DELETE ON memories
BEGIN
    INSERT INTO memories_text (memories_text, rowid, name, text) VALUES (
        'delete', old.id, coalesce(old.key_words, old.key) || ' ' || old.category,
        coalesce(old.value_words, old.value)
    );
END;
