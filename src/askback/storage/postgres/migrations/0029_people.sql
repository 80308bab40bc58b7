-- The people of a tenant whom the host knows by an id of its own, as they last signed in; groups is a JSON array. Others
-- are known as long as they have a session or a token.
CREATE TABLE people (
    tenant text NOT NULL,
    person text NOT NULL,
    principal text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    groups text NOT NULL,
    seen_at bigint NOT NULL,
    PRIMARY KEY (tenant, person)
);

INSERT INTO people (tenant, person, principal, role, name, groups, seen_at)
SELECT DISTINCT ON (tenant, person) tenant, person, principal, role, name, groups, seen_at
FROM browser_sessions WHERE person <> principal ORDER BY tenant, person, seen_at DESC;

CREATE INDEX tokens_people ON tokens (tenant, person) WHERE role IN ('responder', 'admin');
