-- The asker's own names of a request, by which lists find it, each with an index in the order of the page: everywhere,
-- and in a thread. An external id is used once by a requester in a thread, and comes with the digest of its body.
ALTER TABLE requests ADD COLUMN run_id TEXT;
ALTER TABLE requests ADD COLUMN tool_call_id TEXT;
ALTER TABLE requests ADD COLUMN external_id TEXT;
ALTER TABLE requests ADD COLUMN body_digest TEXT;

UPDATE requests SET run_id = json_extract(spec, '$.run_id'), tool_call_id = json_extract(spec, '$.tool_call_id')
WHERE instr(spec, '"run_id":') OR instr(spec, '"tool_call_id":');

CREATE INDEX requests_run_id ON requests (tenant, run_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX requests_tool_call_id ON requests (tenant, tool_call_id, id) WHERE tool_call_id IS NOT NULL;
CREATE INDEX requests_external_id ON requests (tenant, external_id, id) WHERE external_id IS NOT NULL;
CREATE INDEX requests_run_id_thread ON requests (thread, run_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX requests_tool_call_id_thread ON requests (thread, tool_call_id, id) WHERE tool_call_id IS NOT NULL;
CREATE UNIQUE INDEX requests_external_id_thread ON requests (thread, external_id, requester)
    WHERE external_id IS NOT NULL;
