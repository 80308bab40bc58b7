-- Which agents may use a secret without a question; '*' is every agent. Those that were given it before may go on.
CREATE TABLE secret_agents (
    tenant text COLLATE "C" NOT NULL,
    secret text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, secret, agent)
);

INSERT INTO secret_agents (tenant, secret, agent) SELECT DISTINCT tenant, secret, requester FROM grants
ON CONFLICT DO NOTHING;
