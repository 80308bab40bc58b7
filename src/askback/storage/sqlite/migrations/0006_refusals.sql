-- One resume for each request and cause: its end (''), an answer that waits to be checked ('check:1'), or a repetition.
-- available_at moves to the end of each lease; attempt counts the leases.
CREATE TABLE new_resumes (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    thread TEXT NOT NULL,
    requester TEXT NOT NULL,
    request TEXT NOT NULL,
    available_at INTEGER NOT NULL,
    held INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    finished_at INTEGER,
    cause TEXT NOT NULL DEFAULT '',
    UNIQUE (id, tenant),
    UNIQUE (tenant, request, cause)
) STRICT;

INSERT INTO new_resumes (key, id, tenant, thread, requester, request, available_at, held, attempt, finished_at)
SELECT key, id, tenant, thread, requester, request, available_at, held, attempt, finished_at FROM resumes;

DROP TABLE resumes;

ALTER TABLE new_resumes RENAME TO resumes;

CREATE INDEX resumes_open ON resumes (tenant, requester, available_at) WHERE finished_at IS NULL;
CREATE INDEX resumes_thread ON resumes (tenant, requester, thread, available_at) WHERE finished_at IS NULL;

-- What a person refused. identity is what the same request of this requester in this thread has again.
CREATE TABLE refusals (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    thread TEXT NOT NULL,
    requester TEXT NOT NULL,
    identity TEXT NOT NULL,
    request TEXT NOT NULL,
    at INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;

CREATE INDEX refusals_identity ON refusals (tenant, thread, requester, identity, at);
CREATE INDEX refusals_request ON refusals (tenant, request);

DROP INDEX requests_digest;

-- What is being checked since before checks had an end is given back at once.
UPDATE requests SET due_at = 0 WHERE status = 'resolving';
