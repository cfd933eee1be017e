-- Questions to people: who asks what, until when, and the one answer that was given.
-- `run` is the run that a person, a schedule or a program started; empty outside of runs. `asked` and `answer`
-- are JSON. `process` is the program that asks. `used` is when the call that asked took the answer up: one that
-- was given while no program waited for it is used when the same question (`key`) is asked again in its run.
CREATE TABLE questions (
    id       TEXT PRIMARY KEY,
    run      TEXT NOT NULL,
    session  TEXT NOT NULL,
    agent    TEXT NOT NULL,
    tool     TEXT NOT NULL,
    call     TEXT NOT NULL,
    kind     TEXT NOT NULL,
    text     TEXT NOT NULL,
    asked    TEXT NOT NULL,
    key      TEXT NOT NULL,
    owner    TEXT NOT NULL DEFAULT '',
    process  TEXT NOT NULL,
    state    TEXT NOT NULL,
    created  REAL NOT NULL,
    expires  REAL NOT NULL,
    ended    REAL,
    answer   TEXT,
    who      TEXT NOT NULL DEFAULT '',
    used     REAL
);

CREATE INDEX questions_state ON questions (state, created);
CREATE INDEX questions_run ON questions (run, key);
CREATE INDEX questions_session ON questions (session);

INSERT INTO versions VALUES ('questions', 0);

CREATE TRIGGER questions_changed AFTER UPDATE OF state ON questions
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'questions'; END;

CREATE TRIGGER runs_ended_questions AFTER UPDATE OF state ON runs WHEN new.state IN ('done', 'failed')
BEGIN
    UPDATE questions SET state = 'withdrawn', ended = new.ended WHERE run = new.id AND state = 'open';
END;

CREATE TRIGGER runs_removed_questions AFTER DELETE ON runs
BEGIN
    DELETE FROM questions WHERE run = old.id;
END;

CREATE TRIGGER sessions_removed_questions BEFORE DELETE ON sessions
BEGIN
    DELETE FROM questions WHERE session = old.id;
END;
