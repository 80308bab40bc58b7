-- Which agents may use a secret without a question; '*' is every agent. Those that were given it before may go on.
CREATE TABLE secret_agents (
    tenant TEXT NOT NULL,
    secret TEXT NOT NULL,
    agent TEXT NOT NULL,
    PRIMARY KEY (tenant, secret, agent)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO secret_agents (tenant, secret, agent) SELECT tenant, secret, requester FROM grants;
