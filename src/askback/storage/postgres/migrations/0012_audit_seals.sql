-- The seal on the newest entry, made with the master key. What is in a log before the first seal was not sealed: NULL.
ALTER TABLE audit_heads ADD COLUMN seal text;
-- From now on a tenant with tokens has a head, also with an empty log: to make a token is in the log.
INSERT INTO audit_heads (tenant, seq, hash)
SELECT DISTINCT tenant, 0, repeat('0', 64) FROM tokens ON CONFLICT DO NOTHING;
