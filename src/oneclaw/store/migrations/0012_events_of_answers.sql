-- The event of an answer stands in the row of its message: its number, the first number it stands for, and the
-- calls that finished before it, as JSON. Earlier versions wrote a row of `events` for each.
ALTER TABLE messages ADD COLUMN event INTEGER;
ALTER TABLE messages ADD COLUMN event_first INTEGER;
ALTER TABLE messages ADD COLUMN finished TEXT;
