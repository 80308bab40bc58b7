-- The people of a tenant whom the host knows by an id of its own, as they last signed in; groups is a JSON array. Others
-- are known as long as they have a session or a token.
CREATE TABLE people (
    tenant TEXT NOT NULL,
    person TEXT NOT NULL,
    principal TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    groups TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, person)
) STRICT, WITHOUT ROWID;

INSERT OR REPLACE INTO people (tenant, person, principal, role, name, groups, seen_at)
SELECT tenant, person, principal, role, name, groups, seen_at FROM browser_sessions WHERE person <> principal
ORDER BY seen_at;

CREATE INDEX tokens_people ON tokens (tenant, person) WHERE role IN ('responder', 'admin');
