-- When something was last said, asked or settled in a thread, as the position of that event: the order of conversations.
-- What only notes something, such as that a page was opened, and what is streamed into a message move nothing.
CREATE TABLE thread_activity (
    thread INTEGER PRIMARY KEY REFERENCES threads (key),
    tenant TEXT NOT NULL,
    position INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX thread_activity_tenant ON thread_activity (tenant, position);

CREATE TRIGGER events_activity AFTER INSERT ON events WHEN new.type IN (
    'message.added', 'message.held', 'request.created', 'request.reprompted', 'request.answered', 'request.declined',
    'request.cancelled', 'request.expired')
BEGIN
    INSERT INTO thread_activity (thread, tenant, position) VALUES (new.thread, new.tenant, new.position)
    ON CONFLICT (thread) DO UPDATE SET position = excluded.position;
END;

INSERT INTO thread_activity (thread, tenant, position)
SELECT e.thread, e.tenant, max(e.position) FROM events AS e WHERE e.type IN (
    'message.added', 'message.held', 'request.created', 'request.reprompted', 'request.answered', 'request.declined',
    'request.cancelled', 'request.expired')
GROUP BY e.thread, e.tenant;
