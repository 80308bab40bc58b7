-- Every filter of the list of requests walks an index in the order of the page: kind and status together, for everybody
-- and for one requester (a query has a branch for each kind and status that it may show), and a thread by id.
CREATE INDEX requests_kind ON requests (tenant, kind, status, id);
CREATE INDEX requests_requester ON requests (tenant, requester, kind, status, id);
DROP INDEX requests_thread;
CREATE INDEX requests_thread ON requests (thread, id);
