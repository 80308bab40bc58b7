-- How often each rule decided, and for which request the last time. rule is the id of a stored rule, or the text of a
-- built-in one. No index holds a column that changes, so that an update stays in its page.
CREATE TABLE rule_uses (
    tenant text COLLATE "C" NOT NULL,
    rule text COLLATE "C" NOT NULL,
    uses bigint NOT NULL,
    last_at bigint NOT NULL,
    request text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, rule)
);
