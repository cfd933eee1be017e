-- Programs that use the store see that an agent was saved or removed as they see new settings.
INSERT INTO versions VALUES ('agents', 0);

CREATE TRIGGER agents_added AFTER INSERT ON agents
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'agents'; END;
CREATE TRIGGER agents_changed AFTER UPDATE ON agents
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'agents'; END;
CREATE TRIGGER agents_removed AFTER DELETE ON agents
BEGIN UPDATE versions SET number = number + 1 WHERE name = 'agents'; END;
