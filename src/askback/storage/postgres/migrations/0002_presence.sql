-- Who has a page open at which server. Nothing of it is worth a log: nobody is there any more after a crash, and the
-- servers that still live say it again.

CREATE UNLOGGED TABLE servers (
    id text COLLATE "C" PRIMARY KEY,
    until bigint NOT NULL
);

-- thread is empty for all threads of a tenant.
CREATE UNLOGGED TABLE watched (
    server text COLLATE "C" NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    tenant text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    PRIMARY KEY (server, tenant, thread)
);

CREATE INDEX watched_thread ON watched (tenant, thread);
