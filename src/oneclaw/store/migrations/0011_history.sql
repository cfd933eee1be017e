-- What was said, as it is searched: the texts of users and of models. Rows are added when somebody searches,
-- so that a message costs nothing more to keep; `through` is the last message that was looked at.
CREATE VIRTUAL TABLE history_text USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TABLE history_index (through INTEGER NOT NULL);

INSERT INTO history_index VALUES (0);

-- The keys of removed messages may be given to new ones, which then have to be looked at.
CREATE TRIGGER messages_removed AFTER DELETE ON messages
BEGIN
    DELETE FROM history_text WHERE rowid = old.id;
    UPDATE history_index SET through = min(through, (SELECT coalesce(max(id), 0) FROM messages));
END;
