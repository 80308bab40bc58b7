-- Clicks that lead to an OAuth provider, one for each request: the newest. They are found by the digest of their state.
CREATE TABLE oauth_attempts (
    tenant TEXT NOT NULL,
    request TEXT NOT NULL,
    digest TEXT NOT NULL,
    principal TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    person TEXT NOT NULL,
    groups TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    sealed TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, request)
) WITHOUT ROWID;
CREATE UNIQUE INDEX oauth_attempts_digest ON oauth_attempts (digest);
CREATE INDEX oauth_attempts_expires_at ON oauth_attempts (expires_at);
