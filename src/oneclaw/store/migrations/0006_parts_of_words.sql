-- Words are found by their parts as well, and whatever their accents in every script.
DROP TRIGGER memories_added;
DROP TRIGGER memories_changed;
DROP TRIGGER memories_removed;

-- Two keys that look the same are one; where there are two by now, both stay.
UPDATE OR IGNORE memories SET key = composed(key);
UPDATE memories SET key_words = searchable(key), value_words = searchable(value);

-- The index alone, as `memories_text` is; three letters are a part.
CREATE VIRTUAL TABLE memories_parts USING fts5 (name, text, content = '', tokenize = 'trigram');

INSERT INTO memories_text (memories_text) VALUES ('delete-all');
INSERT INTO memories_text (rowid, name, text)
SELECT id, coalesce(key_words, key) || ' ' || category, coalesce(value_words, value) FROM memories;
INSERT INTO memories_parts (rowid, name, text)
SELECT id, coalesce(key_words, key) || ' ' || category, coalesce(value_words, value) FROM memories;

CREATE TRIGGER memories_added AFTER INSERT ON memories
BEGIN
    INSERT INTO memories_text (rowid, name, text) VALUES (
        new.id, coalesce(new.key_words, new.key) || ' ' || new.category, coalesce(new.value_words, new.value)
    );
    INSERT INTO memories_parts (rowid, name, text) VALUES (
        new.id, coalesce(new.key_words, new.key) || ' ' || new.category, coalesce(new.value_words, new.value)
    );
END;

CREATE TRIGGER memories_removed AFTER DELETE ON memories
BEGIN
    INSERT INTO memories_text (memories_text, rowid, name, text) VALUES (
        'delete', old.id, coalesce(old.key_words, old.key) || ' ' || old.category,
        coalesce(old.value_words, old.value)
    );
    INSERT INTO memories_parts (memories_parts, rowid, name, text) VALUES (
        'delete', old.id, coalesce(old.key_words, old.key) || ' ' || old.category,
        coalesce(old.value_words, old.value)
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
    INSERT INTO memories_parts (memories_parts, rowid, name, text) VALUES (
        'delete', old.id, coalesce(old.key_words, old.key) || ' ' || old.category,
        coalesce(old.value_words, old.value)
    );
    INSERT INTO memories_text (rowid, name, text) VALUES (
        new.id, coalesce(new.key_words, new.key) || ' ' || new.category, coalesce(new.value_words, new.value)
    );
    INSERT INTO memories_parts (rowid, name, text) VALUES (
        new.id, coalesce(new.key_words, new.key) || ' ' || new.category, coalesce(new.value_words, new.value)
    );
END;
