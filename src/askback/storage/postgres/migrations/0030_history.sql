-- Settled requests in the order of their ends, kept by triggers, whoever settles them. person is who settled it, NULL for
-- a rule or the server; texts is what a search looks at.
CREATE TABLE history (
    tenant text COLLATE "C" NOT NULL,
    settled_at text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    thread bigint NOT NULL,
    kind text NOT NULL,
    requester text COLLATE "C" NOT NULL,
    person text COLLATE "C",
    outcome text NOT NULL,
    texts text NOT NULL,
    PRIMARY KEY (tenant, settled_at, request)
);

CREATE INDEX history_thread ON history (thread, settled_at, request);
CREATE INDEX history_requester ON history (tenant, requester, settled_at, request);
CREATE INDEX history_person ON history (tenant, person, settled_at, request) WHERE person IS NOT NULL;
CREATE INDEX history_expired ON history (tenant, settled_at, request) WHERE outcome = 'expired';

-- What people write can hold NUL and halves of surrogate pairs, which Postgres reads in no JSON: they are blanks here.
CREATE FUNCTION readable_json(text text) RETURNS json LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(text, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\u0020', 'g')::json
$$;

CREATE FUNCTION history_of(r requests) RETURNS history LANGUAGE plpgsql AS $$
DECLARE
    found history;
    state json;
    spec json;
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
    spec := readable_json(r.spec);
    found.texts := concat_ws(E'\n', spec #>> '{form,title}', spec #>> '{approval,tool}',
        spec #>> '{approval,preview,headline}', spec #>> '{approval,title}', spec #>> '{action,title}', spec ->> 'summary',
        spec #>> '{agent,name}', spec #>> '{requester,name}',
        CASE WHEN NOT coalesce(r.hides_names, r.kind = 'secret') THEN spec #>> '{secret,names}' END);
    RETURN found;
END $$;

CREATE FUNCTION add_to_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO history SELECT h.* FROM history_of(NEW) AS h ON CONFLICT DO NOTHING;
    UPDATE personal_marks SET remind_at = NULL WHERE tenant = NEW.tenant AND request = NEW.id;
    RETURN NULL;
END $$;

-- What one person noted about a request: when to be reminded of it, and that they have seen that it was missed.
CREATE TABLE personal_marks (
    tenant text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    person text COLLATE "C" NOT NULL,
    remind_at bigint,
    seen boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (tenant, request, person)
);

CREATE INDEX personal_marks_reminders ON personal_marks (tenant, person, remind_at) WHERE remind_at IS NOT NULL;

-- Up to when a person has seen everything that was missed, as a settled_at.
CREATE TABLE missed_until (
    tenant text COLLATE "C" NOT NULL,
    person text COLLATE "C" NOT NULL,
    until text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, person)
);

-- What people write to each other about a request; author is a JSON object.
CREATE TABLE comments (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    author text NOT NULL,
    text text NOT NULL,
    created_at bigint NOT NULL,
    UNIQUE (tenant, request, id)
);

INSERT INTO history SELECT h.* FROM requests AS r, history_of(r) AS h WHERE r.status NOT IN ('pending', 'resolving');

CREATE TRIGGER requests_settle AFTER UPDATE ON requests FOR EACH ROW WHEN (
    OLD.status IN ('pending', 'resolving') AND NEW.status NOT IN ('pending', 'resolving')
) EXECUTE FUNCTION add_to_history();

CREATE TRIGGER requests_begin_settled AFTER INSERT ON requests FOR EACH ROW
WHEN (NEW.status NOT IN ('pending', 'resolving')) EXECUTE FUNCTION add_to_history();
