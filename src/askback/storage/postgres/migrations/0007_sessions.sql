-- Sessions of browsers have a second half, which only the pages of their own origin hold. The table `sessions` is that
-- of servers of the previous version; a later release drops it.
CREATE TABLE browser_sessions (
    digest text COLLATE "C" PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    principal text NOT NULL,
    tenant text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    groups text NOT NULL,
    half text NOT NULL,
    device text NOT NULL,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

CREATE INDEX browser_sessions_end ON browser_sessions (expires_at);
CREATE INDEX browser_sessions_person ON browser_sessions (tenant, person);

-- The id of this store, one row: it is part of the name of the session cookie.
CREATE TABLE server (id text NOT NULL);
INSERT INTO server (id) SELECT substr(replace(gen_random_uuid()::text, '-', ''), 1, 16);
