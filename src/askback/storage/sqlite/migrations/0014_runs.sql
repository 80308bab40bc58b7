-- Turns of agents. seen_at is the last sign of life that was noted; key has the order in which they began.
CREATE TABLE runs (
    key INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (key),
    id TEXT NOT NULL,
    agent TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    ended_at INTEGER,
    reason TEXT,
    metadata TEXT,
    UNIQUE (thread, id)
) STRICT;

CREATE INDEX runs_thread ON runs (thread, key);
CREATE INDEX runs_agent ON runs (thread, agent, key);
CREATE INDEX runs_open ON runs (thread, key) WHERE ended_at IS NULL;
CREATE INDEX runs_silent ON runs (seen_at) WHERE ended_at IS NULL;
