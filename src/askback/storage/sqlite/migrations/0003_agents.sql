-- An agent asks: requests, messages, grants, resumes, webhooks and rules name its id, whichever of its tokens was used.
-- roots is a JSON array of the folders below which it may read without asking. What was asked with a token of an older
-- version names that token, so its id stays and becomes the agent's.
CREATE TABLE agents (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    person TEXT NOT NULL,
    created_at INTEGER,
    created_by TEXT,
    stopped_at INTEGER,
    roots TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- principal is the agent's id for a requester, and the token's own id for any other role.
ALTER TABLE tokens ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN source TEXT NOT NULL DEFAULT 'unknown';
ALTER TABLE tokens ADD COLUMN created_at INTEGER;
ALTER TABLE tokens ADD COLUMN created_by TEXT;
ALTER TABLE tokens ADD COLUMN expires_at INTEGER;
ALTER TABLE tokens ADD COLUMN revoked_at INTEGER;
ALTER TABLE tokens ADD COLUMN revoked_by TEXT;
ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;

UPDATE tokens SET id = principal;
INSERT OR IGNORE INTO agents (tenant, id, name, person)
SELECT tenant, principal, name, person FROM tokens WHERE role = 'requester';

CREATE INDEX tokens_id ON tokens (tenant, id);
CREATE INDEX tokens_agent ON tokens (tenant, principal, id);
