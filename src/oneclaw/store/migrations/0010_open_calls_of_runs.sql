-- Calls of a run need no index while they are open: the run says whose they are, and its end comes after theirs.
-- It cost each of them a page when it was opened, and one when it was closed.
DROP INDEX calls_open;
CREATE INDEX calls_open ON calls (process) WHERE status = 'open' AND run IS NULL;
