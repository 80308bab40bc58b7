-- Settled requests in the order of their ends, kept by triggers, whoever settles them. person is who settled it, NULL for
-- a rule or the server; texts is what a search looks at.
CREATE TABLE history (
    tenant TEXT NOT NULL,
    settled_at TEXT NOT NULL,
    request TEXT NOT NULL,
    thread INTEGER NOT NULL REFERENCES threads (key),
    kind TEXT NOT NULL,
    requester TEXT NOT NULL,
    person TEXT,
    outcome TEXT NOT NULL,
    texts TEXT NOT NULL,
    PRIMARY KEY (tenant, settled_at, request)
) STRICT, WITHOUT ROWID;

CREATE INDEX history_thread ON history (thread, settled_at, request);
CREATE INDEX history_requester ON history (tenant, requester, settled_at, request);
CREATE INDEX history_person ON history (tenant, person, settled_at, request) WHERE person IS NOT NULL;
CREATE INDEX history_expired ON history (tenant, settled_at, request) WHERE outcome = 'expired';

-- Functions of JSON are no part of a schema that is not trusted, but this table is.
CREATE VIEW settled_requests AS
SELECT key, tenant,
    coalesce((SELECT value FROM json_each(state) WHERE key = 'settled_at'),
        strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch')) AS settled_at,
    id AS request, thread, kind, requester,
    coalesce((SELECT value FROM json_each(state, '$.settled_by') WHERE key = 'user'),
        (SELECT value FROM json_each(state, '$.settled_by') WHERE key = 'id')) AS person,
    CASE status
        WHEN 'answered' THEN coalesce((SELECT value FROM json_each(state, '$.answer') WHERE key = 'decision'),
            (SELECT value FROM json_each(state, '$.answer') WHERE key = 'outcome'), 'answered')
        WHEN 'declined' THEN coalesce((SELECT value FROM json_each(state) WHERE key = 'reason'), 'declined')
        ELSE status END AS outcome,
    coalesce((SELECT value FROM json_each(spec, '$.form') WHERE key = 'title') || char(10), '') ||
    coalesce((SELECT value FROM json_each(spec, '$.approval') WHERE key = 'tool') || char(10), '') ||
    coalesce((SELECT value FROM json_each(spec, '$.approval.preview') WHERE key = 'headline') || char(10), '') ||
    coalesce((SELECT value FROM json_each(spec, '$.approval') WHERE key = 'title') || char(10), '') ||
    coalesce((SELECT value FROM json_each(spec, '$.action') WHERE key = 'title') || char(10), '') ||
    coalesce((SELECT value FROM json_each(spec) WHERE key = 'summary') || char(10), '') ||
    coalesce((SELECT value FROM json_each(spec, '$.agent') WHERE key = 'name') || char(10), '') ||
    coalesce((SELECT value FROM json_each(spec, '$.requester') WHERE key = 'name') || char(10), '') ||
    iif(hides_names, '', coalesce((SELECT value FROM json_each(spec, '$.secret') WHERE key = 'names'), '')) AS texts
FROM requests WHERE status NOT IN ('pending', 'resolving');

INSERT INTO history SELECT tenant, settled_at, request, thread, kind, requester, person, outcome, texts
FROM settled_requests;

CREATE TRIGGER requests_settle AFTER UPDATE OF status ON requests
WHEN old.status IN ('pending', 'resolving') AND new.status NOT IN ('pending', 'resolving') BEGIN
    INSERT OR REPLACE INTO history SELECT tenant, settled_at, request, thread, kind, requester, person, outcome, texts
    FROM settled_requests WHERE key = new.key;
    UPDATE personal_marks SET remind_at = NULL WHERE tenant = new.tenant AND request = new.id;
END;

CREATE TRIGGER requests_begin_settled AFTER INSERT ON requests WHEN new.status NOT IN ('pending', 'resolving') BEGIN
    INSERT OR REPLACE INTO history SELECT tenant, settled_at, request, thread, kind, requester, person, outcome, texts
    FROM settled_requests WHERE key = new.key;
END;

-- What one person noted about a request: when to be reminded of it, and that they have seen that it was missed.
CREATE TABLE personal_marks (
    tenant TEXT NOT NULL,
    request TEXT NOT NULL,
    person TEXT NOT NULL,
    remind_at INTEGER,
    seen INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, request, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX personal_marks_reminders ON personal_marks (tenant, person, remind_at) WHERE remind_at IS NOT NULL;

-- Up to when a person has seen everything that was missed, as a settled_at.
CREATE TABLE missed_until (
    tenant TEXT NOT NULL,
    person TEXT NOT NULL,
    until TEXT NOT NULL,
    PRIMARY KEY (tenant, person)
) STRICT, WITHOUT ROWID;

-- What people write to each other about a request; author is a JSON object.
CREATE TABLE comments (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    request TEXT NOT NULL,
    author TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (tenant, request, id)
) STRICT;
