-- What an entry is about, by which it is found. The entry itself says so as well.
ALTER TABLE audit ADD COLUMN request TEXT;
ALTER TABLE audit ADD COLUMN thread TEXT;

-- An entry that somebody tampered with may be no JSON.
UPDATE audit SET request = json_extract(entry, '$.request_id'), thread = json_extract(entry, '$.thread_id')
WHERE json_valid(entry);

CREATE INDEX audit_request ON audit (tenant, request, seq) WHERE request IS NOT NULL;
CREATE INDEX audit_thread ON audit (tenant, thread, seq) WHERE thread IS NOT NULL;
