-- One resume for each request and cause: its end (''), an answer that waits to be checked ('check:1'), or a repetition.
ALTER TABLE resumes ADD COLUMN cause text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE resumes DROP CONSTRAINT resumes_tenant_request_key;
ALTER TABLE resumes ADD CONSTRAINT resumes_cause UNIQUE (tenant, request, cause);

-- What a person refused. identity is what the same request of this requester in this thread has again.
CREATE TABLE refusals (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    requester text COLLATE "C" NOT NULL,
    identity text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    until bigint NOT NULL
);

CREATE INDEX refusals_identity ON refusals (tenant, thread, requester, identity, at);
CREATE INDEX refusals_request ON refusals (tenant, request);

DROP INDEX requests_digest;

-- What is being checked since before checks had an end is given back at once.
UPDATE requests SET due_at = 0 WHERE status = 'resolving';
