-- Threads number their events; every other row points at them by an integer. access is a JSON object, NULL for a thread
-- that nobody has shared. asked counts the forms since asked_from; refused_at is when a person last refused one.
CREATE TABLE threads (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    access TEXT,
    archived_at INTEGER,
    asked INTEGER NOT NULL DEFAULT 0,
    asked_from INTEGER NOT NULL DEFAULT 0,
    refused_at INTEGER,
    UNIQUE (tenant, id)
) STRICT;

-- created_seq is the seq of the request's first event. exclusive is the key of which a requester has one open request
-- in a thread at most; behind is 1 for those that wait in line for it.
CREATE TABLE requests (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    thread INTEGER NOT NULL REFERENCES threads (key),
    kind TEXT NOT NULL,
    requester TEXT NOT NULL,
    status TEXT NOT NULL,
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    created_seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    spec TEXT NOT NULL,
    digest TEXT,
    due_at INTEGER,
    exclusive TEXT,
    behind INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, id)
) STRICT;

CREATE INDEX requests_thread ON requests (thread);
CREATE INDEX requests_open ON requests (tenant, id) WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_open_thread ON requests (thread) WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_open_requester ON requests (tenant, requester) WHERE status IN ('pending', 'resolving');
CREATE UNIQUE INDEX requests_exclusive ON requests (thread, requester, exclusive)
    WHERE exclusive IS NOT NULL AND behind = 0 AND status IN ('pending', 'resolving');
CREATE INDEX requests_behind ON requests (thread, requester, exclusive, id)
    WHERE behind = 1 AND status IN ('pending', 'resolving');
CREATE INDEX requests_due ON requests (due_at)
    WHERE due_at IS NOT NULL AND status IN ('pending', 'resolving');
CREATE INDEX requests_digest ON requests (thread, digest, requester, id) WHERE digest IS NOT NULL;

-- AUTOINCREMENT: a position is never given twice, not even after the newest events were erased.
CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    thread INTEGER NOT NULL REFERENCES threads (key),
    seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    request INTEGER REFERENCES requests (key),
    at INTEGER NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (thread, seq)
) STRICT;

CREATE INDEX events_tenant ON events (tenant);

-- streamed is what deltas added to the last text block since; a reader joins the two, so that a delta
-- costs no parsing.
CREATE TABLE messages (
    key INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (key),
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    data TEXT NOT NULL,
    streamed TEXT NOT NULL,
    held INTEGER NOT NULL DEFAULT 0,
    UNIQUE (thread, id)
) STRICT;

CREATE INDEX messages_seq ON messages (thread, seq);
CREATE INDEX messages_held ON messages (thread, seq) WHERE held = 1;

CREATE TABLE claims (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (tenant, principal, scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_target ON claims (tenant, target);

-- names and threads are JSON arrays of patterns, groups is one of names.
CREATE TABLE tokens (
    digest TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    names TEXT NOT NULL,
    threads TEXT NOT NULL,
    person TEXT NOT NULL,
    groups TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE logins (
    digest TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    person TEXT NOT NULL,
    groups TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    digest TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    person TEXT NOT NULL,
    groups TEXT NOT NULL,
    csrf TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX logins_end ON logins (expires_at);
CREATE INDEX sessions_end ON sessions (expires_at);

-- subject is the thread's id or the project's name, empty for a rule that holds always. A rule is deleted only with
-- its thread: what was decided by it names it.
CREATE TABLE rules (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    effect TEXT NOT NULL,
    text TEXT NOT NULL,
    scope TEXT NOT NULL,
    subject TEXT NOT NULL,
    locked INTEGER NOT NULL,
    shadow INTEGER NOT NULL,
    expires_at INTEGER,
    revoked INTEGER NOT NULL,
    wire TEXT NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

CREATE INDEX rules_kept ON rules (tenant, scope, subject, id) WHERE revoked = 0;

-- thread is empty for the settings of the whole tenant.
CREATE TABLE policies (
    tenant TEXT NOT NULL,
    thread TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (tenant, thread)
) STRICT, WITHOUT ROWID;

-- The primary key is what makes an approval good for one execution.
CREATE TABLE executions (
    request INTEGER PRIMARY KEY REFERENCES requests (key),
    id TEXT NOT NULL,
    consumed_at INTEGER NOT NULL,
    outcome TEXT,
    note TEXT
) STRICT;

CREATE TABLE audit (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    entry TEXT NOT NULL,
    UNIQUE (tenant, seq)
) STRICT;

-- Kept apart from the log, so that the loss of its last entries shows.
CREATE TABLE audit_heads (
    tenant TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A secret in its place. A candidate is a value for such a place that is still being tried by a request. `room` fills
-- the leaf page of a row, and so moves `sealed` behind it to overflow pages: SQLite overwrites those when they are
-- freed and never copies them, whereas a leaf that is balanced may keep what it gave away, which no
-- `secure_delete` overwrites.
CREATE TABLE secrets (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    wire TEXT NOT NULL,
    room BLOB NOT NULL,
    sealed TEXT NOT NULL,
    UNIQUE (id, tenant),
    UNIQUE (tenant, owner, scope, subject, name)
) STRICT;

CREATE INDEX secrets_listed ON secrets (tenant, id) WHERE scope <> 'request';

CREATE TABLE candidates (
    key INTEGER PRIMARY KEY,
    request TEXT NOT NULL,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    wire TEXT NOT NULL,
    room BLOB NOT NULL,
    sealed TEXT NOT NULL,
    UNIQUE (tenant, request, name)
) STRICT;

CREATE INDEX candidates_id ON candidates (id);

-- The newest grant of a name to an agent of a thread; key is what tells which of several agents' is the newest.
-- It outlasts its secret, so that an agent learns that what it was given is gone.
CREATE TABLE grants (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    thread TEXT NOT NULL,
    requester TEXT NOT NULL,
    name TEXT NOT NULL,
    secret TEXT NOT NULL,
    request TEXT NOT NULL,
    UNIQUE (tenant, thread, name, requester)
) STRICT;

-- One for each request at most. available_at moves to the end of each lease; attempt counts the leases.
CREATE TABLE resumes (
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
    UNIQUE (id, tenant),
    UNIQUE (tenant, request)
) STRICT;

CREATE INDEX resumes_open ON resumes (tenant, requester, available_at) WHERE finished_at IS NULL;
CREATE INDEX resumes_thread ON resumes (tenant, requester, thread, available_at) WHERE finished_at IS NULL;

-- events is a JSON array of types. cursor is the position up to which events have become deliveries.
CREATE TABLE webhooks (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    url TEXT NOT NULL,
    requester TEXT,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    cursor INTEGER NOT NULL,
    active INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

-- next_at moves to the end of each lease; attempt counts the leases. log is a JSON array of what came of them.
CREATE TABLE deliveries (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    webhook TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    since INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    again INTEGER NOT NULL,
    log TEXT NOT NULL,
    UNIQUE (tenant, webhook, id),
    UNIQUE (tenant, webhook, type, subject)
) STRICT;

CREATE INDEX deliveries_due ON deliveries (tenant, webhook, next_at) WHERE state = 'waiting';
CREATE INDEX deliveries_ended ON deliveries (tenant, webhook, since) WHERE state <> 'waiting';
