-- The results that stood before an answer, where they are written together with it. They have the number before
-- its own, and no row. Earlier versions wrote a row for each.
ALTER TABLE messages ADD COLUMN results TEXT;
