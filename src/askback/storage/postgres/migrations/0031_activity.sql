-- When something was last said, asked or settled in a thread, as the position of that event: the order of conversations.
-- What only notes something, such as that a page was opened, and what is streamed into a message move nothing. One
-- statement for all events of a group: their threads are locked, so nobody else writes these rows.
CREATE TABLE thread_activity (
    thread bigint PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    position bigint NOT NULL
);

CREATE UNIQUE INDEX thread_activity_tenant ON thread_activity (tenant, position);

CREATE FUNCTION is_activity(type text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT type IN (
        'message.added', 'message.held', 'request.created', 'request.reprompted', 'request.answered',
        'request.declined', 'request.cancelled', 'request.expired')
$$;

CREATE FUNCTION note_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO thread_activity (thread, tenant, position)
    SELECT thread, tenant, max(position) FROM added WHERE is_activity(type) GROUP BY thread, tenant
    ON CONFLICT (thread) DO UPDATE SET position = excluded.position;
    RETURN NULL;
END $$;

INSERT INTO thread_activity (thread, tenant, position)
SELECT thread, tenant, max(position) FROM events WHERE is_activity(type) GROUP BY thread, tenant;

CREATE TRIGGER events_activity AFTER INSERT ON events REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION note_activity();
