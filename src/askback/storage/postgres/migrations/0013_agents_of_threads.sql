-- Whose a thread is: the agents that may work in it, the first one's to begin with, as the JSON of `domain.access.Agents`.
-- NULL until an agent writes there. Those that have written in a thread before stay in it, the oldest first.
ALTER TABLE threads ADD COLUMN agents text;

WITH wrote AS (
    SELECT thread, requester AS id, created_seq AS seq FROM requests
    UNION ALL
    SELECT thread, owner, seq FROM messages WHERE data::json ->> 'role' = 'agent'
), each_one AS (
    SELECT thread, id, min(seq) AS seq FROM wrote GROUP BY thread, id
), found AS (
    SELECT thread, json_agg(id ORDER BY seq) AS ids FROM each_one GROUP BY thread
)
UPDATE threads AS t SET agents = json_build_object('ids', f.ids, 'user', coalesce((
    SELECT a.person FROM agents AS a WHERE a.tenant = t.tenant AND a.id = f.ids ->> 0 AND a.person <> a.id), ''))::text
FROM found AS f WHERE f.thread = t.key;
