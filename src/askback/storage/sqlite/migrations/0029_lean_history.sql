-- A search reads what names a request from the request itself, so that ending one does not have to look into its spec.
-- Its state is parsed once. Functions of JSON are no part of a schema that is not trusted, but json_tree is; releases of
-- SQLite differ in whether they quote a name with an underscore in a path.
DROP TRIGGER requests_settle;
DROP TRIGGER requests_begin_settled;
DROP VIEW settled_requests;
ALTER TABLE history DROP COLUMN texts;

CREATE TRIGGER requests_settle AFTER UPDATE OF status ON requests
WHEN old.status IN ('pending', 'resolving') AND new.status NOT IN ('pending', 'resolving') BEGIN
    INSERT OR REPLACE INTO history
    SELECT new.tenant,
        coalesce(max(iif(key = 'settled_at' AND path = '$', atom, NULL)),
            strftime('%Y-%m-%dT%H:%M:%fZ', new.created_at / 1000.0, 'unixepoch')),
        new.id, new.thread, new.kind, new.requester,
        coalesce(max(iif(key = 'user' AND path IN ('$.settled_by', '$."settled_by"'), atom, NULL)),
            max(iif(key = 'id' AND path IN ('$.settled_by', '$."settled_by"'), atom, NULL))),
        CASE new.status
            WHEN 'answered' THEN coalesce(max(iif(key = 'decision' AND path = '$.answer', atom, NULL)),
                max(iif(key = 'outcome' AND path = '$.answer', atom, NULL)), 'answered')
            WHEN 'declined' THEN coalesce(max(iif(key = 'reason' AND path = '$', atom, NULL)), 'declined')
            ELSE new.status END
    FROM json_tree(new.state) WHERE key IN ('settled_at', 'user', 'id', 'decision', 'outcome', 'reason');
    UPDATE personal_marks SET remind_at = NULL WHERE tenant = new.tenant AND request = new.id;
END;

CREATE TRIGGER requests_begin_settled AFTER INSERT ON requests WHEN new.status NOT IN ('pending', 'resolving') BEGIN
    INSERT OR REPLACE INTO history
    SELECT new.tenant,
        coalesce(max(iif(key = 'settled_at' AND path = '$', atom, NULL)),
            strftime('%Y-%m-%dT%H:%M:%fZ', new.created_at / 1000.0, 'unixepoch')),
        new.id, new.thread, new.kind, new.requester,
        coalesce(max(iif(key = 'user' AND path IN ('$.settled_by', '$."settled_by"'), atom, NULL)),
            max(iif(key = 'id' AND path IN ('$.settled_by', '$."settled_by"'), atom, NULL))),
        CASE new.status
            WHEN 'answered' THEN coalesce(max(iif(key = 'decision' AND path = '$.answer', atom, NULL)),
                max(iif(key = 'outcome' AND path = '$.answer', atom, NULL)), 'answered')
            WHEN 'declined' THEN coalesce(max(iif(key = 'reason' AND path = '$', atom, NULL)), 'declined')
            ELSE new.status END
    FROM json_tree(new.state) WHERE key IN ('settled_at', 'user', 'id', 'decision', 'outcome', 'reason');
END;

-- With the kind and the status, so that the metrics count open requests without reading their rows.
DROP INDEX requests_open_requester;
CREATE INDEX requests_open_requester ON requests (tenant, requester, kind, status)
    WHERE status IN ('pending', 'resolving');
