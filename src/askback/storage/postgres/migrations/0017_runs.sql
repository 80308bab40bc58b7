-- Turns of agents. seen_at is the last sign of life that was noted; key has the order in which they began.
CREATE TABLE runs (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    ended_at bigint,
    reason text,
    metadata text,
    UNIQUE (thread, id)
);

CREATE INDEX runs_thread ON runs (thread, key);
CREATE INDEX runs_agent ON runs (thread, agent, key);
CREATE INDEX runs_open ON runs (thread, key) WHERE ended_at IS NULL;
CREATE INDEX runs_silent ON runs (seen_at) WHERE ended_at IS NULL;
