-- What an entry is about, by which it is found. The entry itself says so as well.
ALTER TABLE audit ADD COLUMN request text COLLATE "C";
ALTER TABLE audit ADD COLUMN thread text COLLATE "C";

-- An entry that somebody tampered with may be no JSON.
CREATE FUNCTION audit_member(entry text, name text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN entry::json ->> name;
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END $$;
UPDATE audit SET request = audit_member(entry, 'request_id'), thread = audit_member(entry, 'thread_id');
DROP FUNCTION audit_member(text, text);

CREATE INDEX audit_request ON audit (tenant, request, seq) WHERE request IS NOT NULL;
CREATE INDEX audit_thread ON audit (tenant, thread, seq) WHERE thread IS NOT NULL;
