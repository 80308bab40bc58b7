-- The agent that a rule is for, NULL for every agent. Rules of threads and projects that a card kept are for the agent
-- that had asked.
ALTER TABLE rules ADD COLUMN agent TEXT;

UPDATE rules SET agent = (
    SELECT r.requester FROM requests AS r
    WHERE r.tenant = rules.tenant AND r.id = json_extract(rules.wire, '$.request_id'))
WHERE scope IN ('thread', 'project');

UPDATE rules SET wire = '{"agent":' || json_quote(agent) || ',' || substr(wire, 2) WHERE agent IS NOT NULL;
