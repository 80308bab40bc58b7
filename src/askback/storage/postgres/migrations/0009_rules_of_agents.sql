-- The agent that a rule is for, NULL for every agent. Rules of threads and projects that a card kept are for the agent
-- that had asked.
ALTER TABLE rules ADD COLUMN agent text COLLATE "C";

UPDATE rules SET agent = (
    SELECT r.requester FROM requests AS r
    WHERE r.tenant = rules.tenant AND r.id = substring(rules.wire FROM '"request_id":"([a-z0-9_]+)"'))
WHERE scope IN ('thread', 'project');

UPDATE rules SET wire = '{"agent":"' || agent || '",' || substr(wire, 2) WHERE agent IS NOT NULL;
