-- When the value of a secret was last read, and by which agent; actor is its JSON object.
CREATE TABLE secret_uses (
    tenant TEXT NOT NULL,
    secret TEXT NOT NULL,
    last_at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    PRIMARY KEY (tenant, secret)
) STRICT, WITHOUT ROWID;
