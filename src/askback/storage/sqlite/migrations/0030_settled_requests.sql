-- A settled request has in columns how it ended, as its step says (domain.state.End): the history walks indexes of
-- requests, and no trigger reads a state. Reminders are of open requests, which is looked at when they are read.
DROP TRIGGER requests_settle;
DROP TRIGGER requests_begin_settled;
ALTER TABLE requests ADD COLUMN settled_at TEXT;
ALTER TABLE requests ADD COLUMN person TEXT;
ALTER TABLE requests ADD COLUMN outcome TEXT;

UPDATE requests SET settled_at = h.settled_at, person = h.person, outcome = h.outcome
FROM history AS h WHERE requests.tenant = h.tenant AND requests.id = h.request;

DROP TABLE history;
CREATE INDEX requests_settled ON requests (tenant, settled_at, id) WHERE settled_at IS NOT NULL;
CREATE INDEX requests_settled_thread ON requests (thread, settled_at, id) WHERE settled_at IS NOT NULL;
CREATE INDEX requests_settled_requester ON requests (tenant, requester, settled_at, id) WHERE settled_at IS NOT NULL;
CREATE INDEX requests_settled_person ON requests (tenant, person, settled_at, id) WHERE person IS NOT NULL;
CREATE INDEX requests_expired ON requests (tenant, settled_at, id) WHERE outcome = 'expired';

-- The types one by one: of a list with more than two members SQLite makes a table for each event.
DROP TRIGGER events_activity;
CREATE TRIGGER events_activity AFTER INSERT ON events WHEN new.type = 'message.added' OR new.type = 'message.held'
    OR new.type = 'request.created' OR new.type = 'request.reprompted' OR new.type = 'request.answered'
    OR new.type = 'request.declined' OR new.type = 'request.cancelled' OR new.type = 'request.expired'
BEGIN
    INSERT INTO thread_activity (thread, tenant, position) VALUES (new.thread, new.tenant, new.position)
    ON CONFLICT (thread) DO UPDATE SET position = excluded.position;
END;
