-- When the value of a secret was last read, and by which agent; actor is its JSON object. No index holds a column that
-- changes, so that an update stays in its page.
CREATE TABLE secret_uses (
    tenant text COLLATE "C" NOT NULL,
    secret text COLLATE "C" NOT NULL,
    last_at bigint NOT NULL,
    actor text NOT NULL,
    PRIMARY KEY (tenant, secret)
);
