-- With the id at its end: the newest of an agent's are read in their order, and not sorted out of all of them.
-- The old one goes first, which takes the lock that all of this needs; whoever serves meanwhile waits, or reads without.
DROP INDEX requests_open_requester;
CREATE INDEX requests_open_requester ON requests (requester, tenant, id) WHERE status IN ('pending', 'resolving');
