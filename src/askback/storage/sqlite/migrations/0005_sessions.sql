-- Sessions of browsers have a second half, which only the pages of their own origin hold; those without one have ended.
DROP TABLE sessions;

CREATE TABLE browser_sessions (
    digest TEXT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    principal TEXT NOT NULL,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    person TEXT NOT NULL,
    groups TEXT NOT NULL,
    half TEXT NOT NULL,
    device TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX browser_sessions_end ON browser_sessions (expires_at);
CREATE INDEX browser_sessions_person ON browser_sessions (tenant, person);

-- The id of this store, one row: it is part of the name of the session cookie.
CREATE TABLE server (id TEXT NOT NULL) STRICT;
INSERT INTO server (id) VALUES (lower(hex(randomblob(8))));
