-- How often each rule decided, and for which request the last time. rule is the id of a stored rule, or the text of a
-- built-in one.
CREATE TABLE rule_uses (
    tenant TEXT NOT NULL,
    rule TEXT NOT NULL,
    uses INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    request TEXT NOT NULL,
    PRIMARY KEY (tenant, rule)
) STRICT, WITHOUT ROWID;
