-- An agent asks: requests, messages, grants, resumes, webhooks and rules name its id, whichever of its tokens was used.
-- roots is a JSON array of the folders below which it may read without asking. What was asked with a token of an older
-- version names that token, so its id stays and becomes the agent's.
CREATE TABLE agents (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    created_at bigint,
    created_by text,
    stopped_at bigint,
    roots text NOT NULL DEFAULT '[]',
    PRIMARY KEY (tenant, id)
);

-- principal is the agent's id for a requester, and the token's own id for any other role.
ALTER TABLE tokens ADD COLUMN id text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN source text NOT NULL DEFAULT 'unknown';
ALTER TABLE tokens ADD COLUMN created_at bigint;
ALTER TABLE tokens ADD COLUMN created_by text;
ALTER TABLE tokens ADD COLUMN expires_at bigint;
ALTER TABLE tokens ADD COLUMN revoked_at bigint;
ALTER TABLE tokens ADD COLUMN revoked_by text;
ALTER TABLE tokens ADD COLUMN last_used_at bigint;

UPDATE tokens SET id = principal;
INSERT INTO agents (tenant, id, name, person)
SELECT tenant, principal, name, person FROM tokens WHERE role = 'requester'
ON CONFLICT DO NOTHING;

CREATE INDEX tokens_id ON tokens (tenant, id);
CREATE INDEX tokens_agent ON tokens (tenant, principal COLLATE "C", id);
