-- Whatever is a key or is sorted is compared byte by byte (COLLATE "C"): ids sort by time in a database of any language.

-- The position of each tenant's newest event. Its row is locked from the moment a commit takes its numbers until that
-- commit can be seen, so the order of the numbers is the order of the commits.
CREATE TABLE positions (
    tenant text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL
);

-- Threads number their events; every other row points at them by an integer. access is a JSON object, NULL for a thread
-- that nobody has shared. asked counts the forms since asked_from; refused_at is when a person last refused one. Room is
-- left in each page, so that counting on does not touch an index.
CREATE TABLE threads (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    access text,
    archived_at bigint,
    asked bigint NOT NULL DEFAULT 0,
    asked_from bigint NOT NULL DEFAULT 0,
    refused_at bigint,
    UNIQUE (tenant, id)
) WITH (fillfactor = 70);

-- created_seq is the seq of the request's first event. exclusive is the key of which a requester has one open request
-- in a thread at most; those that are behind wait in line for it. Without a foreign key, which would be checked for each
-- row: requests, messages and events are only written with their threads, in one transaction.
CREATE TABLE requests (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    thread bigint NOT NULL,
    kind text NOT NULL,
    requester text COLLATE "C" NOT NULL,
    status text NOT NULL,
    revision integer NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    created_seq bigint NOT NULL,
    state text NOT NULL,
    spec text NOT NULL,
    digest text COLLATE "C",
    due_at bigint,
    exclusive text COLLATE "C",
    behind boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (tenant, id)
);

CREATE INDEX requests_thread ON requests (thread, created_seq);
CREATE INDEX requests_open ON requests (tenant, id) WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_open_thread ON requests (thread) WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_open_requester ON requests (tenant, requester) WHERE status IN ('pending', 'resolving');
CREATE UNIQUE INDEX requests_exclusive ON requests (thread, requester, exclusive)
    WHERE exclusive IS NOT NULL AND NOT behind AND status IN ('pending', 'resolving');
CREATE INDEX requests_behind ON requests (thread, requester, exclusive, id)
    WHERE behind AND status IN ('pending', 'resolving');
CREATE INDEX requests_due ON requests (due_at) WHERE due_at IS NOT NULL AND status IN ('pending', 'resolving');
CREATE INDEX requests_digest ON requests (thread, digest, requester, id) WHERE digest IS NOT NULL;

CREATE TABLE events (
    tenant text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    thread bigint NOT NULL,
    seq bigint NOT NULL,
    type text NOT NULL,
    request text COLLATE "C",
    at bigint NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (thread, seq)
);

CREATE UNIQUE INDEX events_tenant ON events (tenant, position);

CREATE TABLE messages (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    data text NOT NULL,
    appended bigint NOT NULL DEFAULT 0,
    held boolean NOT NULL DEFAULT FALSE,
    UNIQUE (thread, id)
) WITH (fillfactor = 70);

CREATE INDEX messages_seq ON messages (thread, seq);
CREATE INDEX messages_held ON messages (thread, seq) WHERE held;

-- What was appended to messages since, by the seq of its event; `messages.appended` counts the bytes. Rows of their own,
-- because a text that grows in its row is written anew, as a whole, with each word. Bytes, because no text of Postgres
-- can hold a NUL.
CREATE TABLE deltas (
    message bigint NOT NULL,
    seq bigint NOT NULL,
    text bytea NOT NULL,
    PRIMARY KEY (message, seq)
);

-- id is a digest of principal, scope and key with the tenant: together they may be longer than an entry of an index.
-- A claim goes with its thread.
CREATE TABLE claims (
    id bytea PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    digest text NOT NULL,
    target text NOT NULL
);

CREATE INDEX claims_thread ON claims (tenant, thread);

-- names and threads are JSON arrays of patterns, groups is one of names.
CREATE TABLE tokens (
    digest text COLLATE "C" PRIMARY KEY,
    principal text NOT NULL,
    tenant text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    groups text NOT NULL,
    names text NOT NULL,
    threads text NOT NULL
);

CREATE TABLE logins (
    digest text COLLATE "C" PRIMARY KEY,
    principal text NOT NULL,
    tenant text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    groups text NOT NULL,
    expires_at bigint NOT NULL
);

CREATE TABLE sessions (
    digest text COLLATE "C" PRIMARY KEY,
    principal text NOT NULL,
    tenant text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    groups text NOT NULL,
    csrf text NOT NULL,
    expires_at bigint NOT NULL
);

CREATE INDEX logins_end ON logins (expires_at);
CREATE INDEX sessions_end ON sessions (expires_at);

-- subject is the thread's id or the project's name, empty for a rule that holds always. A rule is deleted
-- only with its thread: what was decided by it names it.
CREATE TABLE rules (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    effect text NOT NULL,
    text text NOT NULL,
    scope text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    locked boolean NOT NULL,
    shadow boolean NOT NULL,
    expires_at bigint,
    revoked boolean NOT NULL,
    wire text NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE INDEX rules_kept ON rules (tenant, scope, subject, id) WHERE NOT revoked;

-- thread is empty for the settings of the whole tenant.
CREATE TABLE policies (
    tenant text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (tenant, thread)
);

-- The primary key is what makes an approval good for one execution.
CREATE TABLE executions (
    tenant text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    consumed_at bigint NOT NULL,
    outcome text,
    note text,
    PRIMARY KEY (tenant, request),
    FOREIGN KEY (tenant, request) REFERENCES requests (tenant, id)
);

CREATE TABLE audit (
    tenant text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    entry text NOT NULL,
    PRIMARY KEY (tenant, seq)
);

-- Kept apart from the log, so that the loss of its last entries shows.
CREATE TABLE audit_heads (
    tenant text COLLATE "C" PRIMARY KEY,
    seq bigint NOT NULL,
    hash text NOT NULL
);

-- A secret in its place. A candidate is a value for such a place that is still being tried by a request.
CREATE TABLE secrets (
    id text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    sealed text NOT NULL,
    wire text NOT NULL,
    PRIMARY KEY (id, tenant),
    UNIQUE (tenant, owner, scope, subject, name)
);

CREATE INDEX secrets_listed ON secrets (tenant, id) WHERE scope <> 'request';

CREATE TABLE candidates (
    tenant text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    sealed text NOT NULL,
    wire text NOT NULL,
    PRIMARY KEY (tenant, request, name)
);

CREATE INDEX candidates_id ON candidates (id);

-- The newest grant of a name to an agent of a thread; key is what tells which of several agents' is the newest.
-- It outlasts its secret, so that an agent learns that what it was given is gone.
CREATE TABLE grants (
    key bigint GENERATED ALWAYS AS IDENTITY,
    tenant text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    requester text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    secret text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, thread, name, requester)
);

-- One for each request at most. available_at moves to the end of each lease; attempt counts the leases.
CREATE TABLE resumes (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    requester text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    available_at bigint NOT NULL,
    held boolean NOT NULL,
    attempt integer NOT NULL DEFAULT 0,
    finished_at bigint,
    UNIQUE (id, tenant),
    UNIQUE (tenant, request)
);

CREATE INDEX resumes_open ON resumes (tenant, requester, available_at) WHERE finished_at IS NULL;
CREATE INDEX resumes_thread ON resumes (tenant, requester, thread, available_at) WHERE finished_at IS NULL;

-- events is a JSON array of types. cursor is the position up to which events have become deliveries.
CREATE TABLE webhooks (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    url text NOT NULL,
    requester text,
    events text NOT NULL,
    secret text NOT NULL,
    created_at bigint NOT NULL,
    cursor bigint NOT NULL,
    active boolean NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- next_at moves to the end of each lease; attempt counts the leases. log is a JSON array of what came of them.
CREATE TABLE deliveries (
    tenant text COLLATE "C" NOT NULL,
    webhook text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    since bigint NOT NULL,
    next_at bigint NOT NULL,
    state text NOT NULL,
    attempt integer NOT NULL,
    again boolean NOT NULL,
    log text NOT NULL,
    PRIMARY KEY (tenant, webhook, id),
    UNIQUE (tenant, webhook, type, subject)
);

CREATE INDEX deliveries_due ON deliveries (tenant, webhook, next_at) WHERE state = 'waiting';
CREATE INDEX deliveries_ended ON deliveries (tenant, webhook, since) WHERE state <> 'waiting';
