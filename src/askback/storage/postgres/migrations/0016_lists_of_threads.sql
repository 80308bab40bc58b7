-- What the asker calls a thread and keeps with it, and what lists of threads are read from.
ALTER TABLE threads ADD COLUMN title text;
ALTER TABLE threads ADD COLUMN metadata text;
-- Holds from when a thread was erased until something new is written in it.
ALTER TABLE threads ADD COLUMN erased boolean NOT NULL DEFAULT FALSE;

-- The beginnings of the words of titles (domain/titles.py).
CREATE TABLE thread_words (
    tenant text COLLATE "C" NOT NULL,
    word text COLLATE "C" NOT NULL,
    thread bigint NOT NULL,
    PRIMARY KEY (tenant, word, thread)
);

CREATE INDEX thread_words_thread ON thread_words (thread);

-- Every thread once for each list that has it, in the order of that list: reader is empty for the list of all threads,
-- the id of an agent that may use it, or user: and the person all of whose agents may. The triggers keep it, whoever
-- writes a thread; erased threads are in no list.
CREATE TABLE thread_lists (
    tenant text COLLATE "C" NOT NULL,
    reader text COLLATE "C" NOT NULL,
    archived boolean NOT NULL,
    thread bigint NOT NULL,
    PRIMARY KEY (tenant, reader, archived, thread)
);

CREATE FUNCTION thread_readers(agents text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
    SELECT ''
    UNION SELECT json_array_elements_text(agents::json -> 'ids')
    UNION SELECT 'user:' || (agents::json ->> 'user') WHERE agents::json ->> 'user' <> ''
$$;

CREATE FUNCTION list_thread() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM thread_lists WHERE tenant = OLD.tenant AND archived = (OLD.archived_at IS NOT NULL)
            AND thread = OLD.key AND reader IN (SELECT thread_readers(OLD.agents));
    END IF;
    IF TG_OP <> 'DELETE' AND NOT NEW.erased THEN
        INSERT INTO thread_lists (tenant, reader, archived, thread)
        SELECT NEW.tenant, reader, NEW.archived_at IS NOT NULL, NEW.key FROM thread_readers(NEW.agents) AS r (reader);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER threads_begin AFTER INSERT OR DELETE ON threads FOR EACH ROW EXECUTE FUNCTION list_thread();

CREATE TRIGGER threads_change AFTER UPDATE ON threads FOR EACH ROW WHEN (
    OLD.agents IS DISTINCT FROM NEW.agents OR (OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL)
    OR OLD.erased <> NEW.erased
) EXECUTE FUNCTION list_thread();

CREATE FUNCTION begin_thread_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.erased := FALSE;
    RETURN NEW;
END $$;

CREATE TRIGGER threads_again BEFORE UPDATE ON threads FOR EACH ROW
WHEN (OLD.erased AND NEW.seq > OLD.seq) EXECUTE FUNCTION begin_thread_again();

UPDATE threads AS t SET erased = TRUE FROM events AS e
WHERE e.thread = t.key AND e.seq = t.seq AND e.type = 'thread.erased';
INSERT INTO thread_lists (tenant, reader, archived, thread)
SELECT t.tenant, r.reader, t.archived_at IS NOT NULL, t.key FROM threads AS t, thread_readers(t.agents) AS r (reader)
WHERE NOT t.erased;
