-- What the asker calls a thread and keeps with it, and what lists of threads are read from.
ALTER TABLE threads ADD COLUMN title TEXT;
ALTER TABLE threads ADD COLUMN metadata TEXT;
-- 1 from when a thread was erased until something new is written in it.
ALTER TABLE threads ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;

-- The beginnings of the words of titles (domain/titles.py).
CREATE TABLE thread_words (
    tenant TEXT NOT NULL,
    word TEXT NOT NULL,
    thread INTEGER NOT NULL REFERENCES threads (key),
    PRIMARY KEY (tenant, word, thread)
) STRICT, WITHOUT ROWID;

CREATE INDEX thread_words_thread ON thread_words (thread);

-- Every thread once for each list that has it, in the order of that list: reader is empty for the list of all threads,
-- the id of an agent that may use it, or user: and the person all of whose agents may. The triggers keep it, whoever
-- writes a thread; erased threads are in no list.
CREATE TABLE thread_lists (
    tenant TEXT NOT NULL,
    reader TEXT NOT NULL,
    archived INTEGER NOT NULL,
    thread INTEGER NOT NULL REFERENCES threads (key),
    PRIMARY KEY (tenant, reader, archived, thread)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER threads_begin AFTER INSERT ON threads BEGIN
    INSERT INTO thread_lists (tenant, reader, archived, thread)
    SELECT new.tenant, reader, new.archived_at IS NOT NULL, new.key FROM (
        SELECT '' AS reader UNION SELECT value FROM json_each(new.agents, '$.ids')
        UNION SELECT 'user:' || value FROM json_each(new.agents) WHERE key = 'user' AND value <> '');
END;

CREATE TRIGGER threads_change AFTER UPDATE OF agents, archived_at, erased ON threads
WHEN old.agents IS NOT new.agents OR (old.archived_at IS NULL) <> (new.archived_at IS NULL) OR old.erased <> new.erased
BEGIN
    DELETE FROM thread_lists
    WHERE tenant = old.tenant AND archived = (old.archived_at IS NOT NULL) AND thread = old.key AND reader IN (
        SELECT '' UNION SELECT value FROM json_each(old.agents, '$.ids')
        UNION SELECT 'user:' || value FROM json_each(old.agents) WHERE key = 'user');
    INSERT INTO thread_lists (tenant, reader, archived, thread)
    SELECT new.tenant, reader, new.archived_at IS NOT NULL, new.key FROM (
        SELECT '' AS reader UNION SELECT value FROM json_each(new.agents, '$.ids')
        UNION SELECT 'user:' || value FROM json_each(new.agents) WHERE key = 'user' AND value <> '')
    WHERE new.erased = 0;
END;

UPDATE threads SET erased = 1 WHERE EXISTS (
    SELECT 1 FROM events AS e WHERE e.thread = threads.key AND e.seq = threads.seq AND e.type = 'thread.erased');
INSERT INTO thread_lists (tenant, reader, archived, thread)
SELECT tenant, '', archived_at IS NOT NULL, key FROM threads WHERE erased = 0
UNION
SELECT t.tenant, a.value, t.archived_at IS NOT NULL, t.key FROM threads AS t, json_each(t.agents, '$.ids') AS a
WHERE t.erased = 0
UNION
SELECT t.tenant, 'user:' || a.value, t.archived_at IS NOT NULL, t.key FROM threads AS t, json_each(t.agents) AS a
WHERE t.erased = 0 AND a.key = 'user' AND a.value <> '';
