-- Clicks that lead to an OAuth provider, one for each request: the newest. They are found by the digest of their state.
CREATE TABLE oauth_attempts (
    tenant text NOT NULL,
    request text NOT NULL,
    digest text NOT NULL,
    principal text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    groups text NOT NULL,
    redirect_uri text NOT NULL,
    sealed text NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (tenant, request)
);
CREATE UNIQUE INDEX oauth_attempts_digest ON oauth_attempts (digest);
CREATE INDEX oauth_attempts_expires_at ON oauth_attempts (expires_at);
