-- A search reads what names a request from the request itself, so that ending one does not have to look into its spec.
-- The column texts stays empty for servers of the version before, which still read it.
UPDATE history SET texts = '' WHERE texts <> '';

CREATE OR REPLACE FUNCTION history_of(r requests) RETURNS history LANGUAGE plpgsql AS $$
DECLARE
    found history;
    state json;
BEGIN
    found := (r.tenant, to_char(to_timestamp(r.created_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        r.id, r.thread, r.kind, r.requester, NULL, r.status, '');
    state := readable_json(r.state);
    found.settled_at := coalesce(state ->> 'settled_at', found.settled_at);
    found.person := coalesce(state #>> '{settled_by,user}', state #>> '{settled_by,id}');
    found.outcome := CASE r.status
        WHEN 'answered' THEN
            coalesce(state #>> '{answer,decision}', state #>> '{answer,outcome}', 'answered')
        WHEN 'declined' THEN coalesce(state ->> 'reason', 'declined')
        ELSE r.status END;
    RETURN found;
END $$;
