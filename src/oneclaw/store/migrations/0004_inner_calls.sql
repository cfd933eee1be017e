-- The `call_id` of the call of the same session that made this one, as a script does; NULL when none did.
-- It needs no index: inner calls are looked for among those of one session, and the others pay nothing.
ALTER TABLE calls ADD COLUMN parent TEXT;
