-- Whose a thread is: the agents that may work in it, the first one's to begin with, as the JSON of `domain.access.Agents`.
-- NULL until an agent writes there. Those that have written in a thread before stay in it, the oldest first.
ALTER TABLE threads ADD COLUMN agents TEXT;

WITH wrote AS (
    SELECT thread, requester AS id, created_seq AS seq FROM requests
    UNION ALL
    SELECT thread, owner, seq FROM messages WHERE json_extract(data, '$.role') = 'agent'
), each_one AS (
    SELECT thread, id, min(seq) AS seq FROM wrote GROUP BY thread, id
), found AS (
    SELECT thread, json_group_array(id) AS ids FROM (SELECT * FROM each_one ORDER BY thread, seq) GROUP BY thread
)
UPDATE threads SET agents = json_object('ids', json(f.ids), 'user', coalesce((
    SELECT a.person FROM agents AS a
    WHERE a.tenant = threads.tenant AND a.id = json_extract(f.ids, '$[0]') AND a.person <> a.id), ''))
FROM found AS f WHERE f.thread = threads.key;
