-- An open request is in indexes of open requests, and in those by kind and requester once it has ended; no list needs
-- both (ADR 113).
DROP INDEX requests_open;
DROP INDEX requests_open_requester;
DROP INDEX requests_kind;
DROP INDEX requests_requester;
CREATE INDEX requests_open_kind ON requests (tenant, kind, status, id) WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_open_requester ON requests (tenant, requester, kind, status, id)
    WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_kind ON requests (tenant, kind, status, id) WHERE status NOT IN ('pending', 'resolving');
CREATE INDEX requests_requester ON requests (tenant, requester, kind, status, id)
    WHERE status NOT IN ('pending', 'resolving');

-- Postgres has the position in steps of 1024 in its index; the query is the same for both.
ALTER TABLE thread_activity ADD COLUMN bucket INTEGER GENERATED ALWAYS AS (position >> 10) VIRTUAL;
DROP INDEX thread_activity_tenant;
CREATE UNIQUE INDEX thread_activity_tenant ON thread_activity (tenant, bucket, position);
