-- Whether a tool is on is kept under `tool_enabled_NAME`; it was `switch.NAME` before.
INSERT OR IGNORE INTO settings (key, value)
SELECT 'tool_enabled_' || substr(key, 8), value FROM settings WHERE substr(key, 1, 7) = 'switch.';
DELETE FROM settings WHERE substr(key, 1, 7) = 'switch.';
