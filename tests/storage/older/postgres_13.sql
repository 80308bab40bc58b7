CREATE SCHEMA askback;
CREATE TABLE askback.agents (
    tenant text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    person text NOT NULL,
    created_at bigint,
    created_by text,
    stopped_at bigint,
    roots text DEFAULT '[]'::text NOT NULL
);
CREATE TABLE askback.audit (
    tenant text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    entry text NOT NULL
);
CREATE TABLE askback.audit_heads (
    tenant text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    hash text NOT NULL,
    seal text
);
CREATE TABLE askback.browser_sessions (
    digest text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    principal text NOT NULL,
    tenant text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    groups text NOT NULL,
    half text NOT NULL,
    device text NOT NULL,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE askback.candidates (
    tenant text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    sealed text NOT NULL,
    wire text NOT NULL
);
CREATE TABLE askback.claims (
    id bytea NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL,
    target text NOT NULL
);
CREATE TABLE askback.deliveries (
    tenant text NOT NULL COLLATE pg_catalog."C",
    webhook text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    since bigint NOT NULL,
    next_at bigint NOT NULL,
    state text NOT NULL,
    attempt integer NOT NULL,
    again boolean NOT NULL,
    log text NOT NULL
);
CREATE TABLE askback.deltas (
    message bigint NOT NULL,
    seq bigint NOT NULL,
    text bytea NOT NULL
);
CREATE TABLE askback.events (
    tenant text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    thread bigint NOT NULL,
    seq bigint NOT NULL,
    type text NOT NULL,
    request text COLLATE pg_catalog."C",
    at bigint NOT NULL,
    data text NOT NULL
);
CREATE TABLE askback.executions (
    tenant text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    consumed_at bigint NOT NULL,
    outcome text,
    note text
);
CREATE TABLE askback.grants (
    key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread text NOT NULL COLLATE pg_catalog."C",
    requester text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    secret text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE askback.grants ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME askback.grants_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE askback.logins (
    digest text NOT NULL COLLATE pg_catalog."C",
    principal text NOT NULL,
    tenant text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    groups text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE askback.messages (
    key bigint NOT NULL,
    thread bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    data text NOT NULL,
    appended bigint DEFAULT 0 NOT NULL,
    held boolean DEFAULT false NOT NULL
)
WITH (fillfactor='70');
ALTER TABLE askback.messages ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME askback.messages_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE askback.policies (
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread text NOT NULL COLLATE pg_catalog."C",
    data text NOT NULL
);
CREATE TABLE askback.positions (
    tenant text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL
);
CREATE TABLE askback.refusals (
    key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread text NOT NULL COLLATE pg_catalog."C",
    requester text NOT NULL COLLATE pg_catalog."C",
    identity text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    until bigint NOT NULL
);
ALTER TABLE askback.refusals ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME askback.refusals_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE askback.requests (
    tenant text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    thread bigint NOT NULL,
    kind text NOT NULL,
    requester text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    revision integer NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    created_seq bigint NOT NULL,
    state text NOT NULL,
    spec text NOT NULL,
    digest text COLLATE pg_catalog."C",
    due_at bigint,
    exclusive text COLLATE pg_catalog."C",
    behind boolean DEFAULT false NOT NULL,
    hides_names boolean
);
CREATE TABLE askback.resumes (
    key bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread text NOT NULL COLLATE pg_catalog."C",
    requester text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    available_at bigint NOT NULL,
    held boolean NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    finished_at bigint,
    cause text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE askback.resumes ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME askback.resumes_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE askback.rules (
    tenant text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    effect text NOT NULL,
    text text NOT NULL,
    scope text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    locked boolean NOT NULL,
    shadow boolean NOT NULL,
    expires_at bigint,
    revoked boolean NOT NULL,
    wire text NOT NULL,
    agent text COLLATE pg_catalog."C"
);
CREATE TABLE askback.schema_version (
    version integer NOT NULL
);
CREATE TABLE askback.secret_agents (
    tenant text NOT NULL COLLATE pg_catalog."C",
    secret text NOT NULL COLLATE pg_catalog."C",
    agent text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE askback.secrets (
    id text NOT NULL COLLATE pg_catalog."C",
    tenant text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    sealed text NOT NULL,
    wire text NOT NULL
);
CREATE TABLE askback.server (
    id text NOT NULL
);
CREATE UNLOGGED TABLE askback.servers (
    id text NOT NULL COLLATE pg_catalog."C",
    until bigint NOT NULL
);
CREATE TABLE askback.sessions (
    digest text NOT NULL COLLATE pg_catalog."C",
    principal text NOT NULL,
    tenant text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    groups text NOT NULL,
    csrf text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE askback.threads (
    key bigint NOT NULL,
    tenant text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    access text,
    archived_at bigint,
    asked bigint DEFAULT 0 NOT NULL,
    asked_from bigint DEFAULT 0 NOT NULL,
    refused_at bigint,
    archiving boolean DEFAULT false NOT NULL,
    agents text
)
WITH (fillfactor='70');
ALTER TABLE askback.threads ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME askback.threads_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE askback.tokens (
    digest text NOT NULL COLLATE pg_catalog."C",
    principal text NOT NULL,
    tenant text NOT NULL,
    role text NOT NULL,
    name text NOT NULL,
    person text NOT NULL,
    groups text NOT NULL,
    names text NOT NULL,
    threads text NOT NULL,
    id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    source text DEFAULT 'unknown'::text NOT NULL,
    created_at bigint,
    created_by text,
    expires_at bigint,
    revoked_at bigint,
    revoked_by text,
    last_used_at bigint
);
CREATE UNLOGGED TABLE askback.watched (
    server text NOT NULL COLLATE pg_catalog."C",
    tenant text NOT NULL COLLATE pg_catalog."C",
    thread text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE askback.webhooks (
    tenant text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    requester text,
    events text NOT NULL,
    secret text NOT NULL,
    created_at bigint NOT NULL,
    cursor bigint NOT NULL,
    active boolean NOT NULL
);
INSERT INTO askback.agents VALUES ('default', 'tok_8092d9a6c94e5056fbf067dedb', 'requester', 'tok_8092d9a6c94e5056fbf067dedb', NULL, NULL, NULL, '[["/srv/shop",1795399107775,"{\"id\":\"tok_8935c1bb0f92d0b37b36e8b822\",\"name\":\"admin\"}"]]');
INSERT INTO askback.audit VALUES ('default', 1, '{"at":"2026-11-22T17:53:08.546Z","action":"decide","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8267wdz9bxm15pr1g3xfq7k","thread_id":"t2","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447","decision":"approve","scope":"thread","rule":"bash(git push)","tool":"bash","source":"responder","seq":1,"prev":"0000000000000000000000000000000000000000000000000000000000000000","hash":"9eb377414a148278c1ca8c3a277f8b9667b995f8d8dd6899f4babd86940502e1"}');
INSERT INTO askback.audit VALUES ('default', 2, '{"at":"2026-11-22T17:53:08.559Z","action":"decide","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8267we916zdpcs1p5jqfzt7","thread_id":"t3","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"784c8d4a801b490d76ffc24153723cce832357b73e5f3c05b94bffbfebe10027","scope":"global","names":["PAY_KEY"],"source":"responder","seq":2,"prev":"9eb377414a148278c1ca8c3a277f8b9667b995f8d8dd6899f4babd86940502e1","hash":"9c26ef2b3549f0ac7c52c83fa79531d59309a8bedccb33426e6d5841eaef9184"}');
INSERT INTO askback.audit VALUES ('default', 3, '{"at":"2026-11-22T17:53:08.564Z","action":"webhook.add","actor":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"via":"api","webhook_id":"whk_01m8267wekq4bcnyrv6hq0y29b","host":"example.com","events":["resume"],"seq":3,"prev":"9c26ef2b3549f0ac7c52c83fa79531d59309a8bedccb33426e6d5841eaef9184","hash":"c87893bda04f198fbe30f6257f9f8647f10aa4b8661653f29154a6e456324401"}');
INSERT INTO askback.audit VALUES ('default', 4, '{"at":"2026-11-22T17:53:08.582Z","action":"thread.archived","actor":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"via":"api","thread_id":"t1","seq":4,"prev":"c87893bda04f198fbe30f6257f9f8647f10aa4b8661653f29154a6e456324401","hash":"7545194b79c137aeced55d5a772428f714c05ef3378ee0ac0748182d593177f2"}');
INSERT INTO askback.audit VALUES ('default', 5, '{"at":"2026-11-23T01:58:27.731Z","action":"decide","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8320h3z86vvp2zhxjn771cv","thread_id":"t10","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","decision":"approve","scope":"once","tool":"bash","source":"responder","seq":5,"prev":"7545194b79c137aeced55d5a772428f714c05ef3378ee0ac0748182d593177f2","hash":"9ae7c68b9ea3168b31bc72ac8e3ab2096d05c89a0d26ec73aacfe3564cf16c23"}');
INSERT INTO askback.audit VALUES ('default', 6, '{"at":"2026-11-23T01:58:27.744Z","action":"revoke","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8320h3z86vvp2zhxjn771cv","thread_id":"t10","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","seq":6,"prev":"9ae7c68b9ea3168b31bc72ac8e3ab2096d05c89a0d26ec73aacfe3564cf16c23","hash":"f9e807b4337ea06349e03417fec830c61de240b5a32c66ec1d945d29aa55c198"}');
INSERT INTO askback.audit VALUES ('default', 7, '{"at":"2026-11-23T01:58:27.765Z","action":"decide","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8320h5e9vm7ezwe2wt6b0t9","thread_id":"t10","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7","decision":"deny","tool":"bash","source":"responder","seq":7,"prev":"f9e807b4337ea06349e03417fec830c61de240b5a32c66ec1d945d29aa55c198","hash":"ed6ef4020365264c48e773c1fad3c5d2440549a2a5ecb2dc443e16072b55019e"}');
INSERT INTO askback.audit VALUES ('default', 8, '{"at":"2026-11-23T01:58:27.776Z","action":"root.grant","actor":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"via":"api","agent":"tok_8092d9a6c94e5056fbf067dedb","path":"/srv/shop","seq":8,"prev":"ed6ef4020365264c48e773c1fad3c5d2440549a2a5ecb2dc443e16072b55019e","hash":"4a6900d7d9bbd9c2a27bd7bb5ad1e0f483806da134a74c4b1ad8c1ff6c979e4c"}');
INSERT INTO askback.audit VALUES ('default', 9, '{"at":"2026-11-23T01:58:27.783Z","action":"refused","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","attempted":"share","seq":9,"prev":"4a6900d7d9bbd9c2a27bd7bb5ad1e0f483806da134a74c4b1ad8c1ff6c979e4c","hash":"cb53df3dd17d37c923c3ddd53a11f81272f0b927fa2939b2c1b054ea326313d2"}');
INSERT INTO askback.audit_heads VALUES ('default', 9, 'cb53df3dd17d37c923c3ddd53a11f81272f0b927fa2939b2c1b054ea326313d2', NULL);
INSERT INTO askback.deliveries VALUES ('default', 'whk_01m8267wekq4bcnyrv6hq0y29b', 'dlv_01m8320gzye2naxsc5sxxgbv0t', 'resume', 'rsm_01m8267wf99e8hd9k0z3x6tjx4', 1795399107582, 1795399112081, 'waiting', 1, false, '[{"at": "2026-11-23T01:58:27.632Z", "status": null, "duration_ms": 11, "error": "unknown_host"}]');
INSERT INTO askback.deliveries VALUES ('default', 'whk_01m8267wekq4bcnyrv6hq0y29b', 'dlv_01m8320h2gnv8h18zhbxmqh4cz', 'resume', 'rsm_01m8320h1yyb6xtgdt6jt2ny7n', 1795399107664, 1795399117646, 'waiting', 0, false, '[]');
INSERT INTO askback.deliveries VALUES ('default', 'whk_01m8267wekq4bcnyrv6hq0y29b', 'dlv_01m8320h3httt2hkc0dn3b8v07', 'resume', 'rsm_01m8320h2tqx29ehafaz3s4v2d', 1795399107697, 1795399117674, 'waiting', 0, false, '[]');
INSERT INTO askback.deliveries VALUES ('default', 'whk_01m8267wekq4bcnyrv6hq0y29b', 'dlv_01m8320h4yqnekk80paa72qyff', 'resume', 'rsm_01m8320h4knc8qb5awyq49m6eh', 1795399107742, 1795399117731, 'waiting', 0, false, '[]');
INSERT INTO askback.deliveries VALUES ('default', 'whk_01m8267wekq4bcnyrv6hq0y29b', 'dlv_01m8320h5te3nastjgjntzk2mb', 'resume', 'rsm_01m8320h5n9x8vxqbahpejrpgj', 1795399107770, 1795399117765, 'waiting', 0, false, '[]');
INSERT INTO askback.events VALUES ('default', 1, 1, 1, 'message.added', NULL, 1795369988510, '{"id":"msg_01m8267wcy4pr7bnvg4rwvbxm5","role":"agent","author":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"at":"2026-11-22T17:53:08.510Z","content":[{"type":"text","text":"Hello."}]}');
INSERT INTO askback.events VALUES ('default', 2, 1, 2, 'request.created', 'req_01m8267wde2mzedbeynxm8bfyj', 1795369988526, '{"status":"pending","revision":1}');
INSERT INTO askback.events VALUES ('default', 3, 1, 3, 'request.answered', 'req_01m8267wde2mzedbeynxm8bfyj', 1795369988533, '{"source":"responder","answer":{"values":{"dish":"soup"}},"queued":true,"settled_at":"2026-11-22T17:53:08.533Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1}');
INSERT INTO askback.events VALUES ('default', 4, 1, 4, 'request.created', 'req_01m8267wdsvkechcfr7q6wkqdf', 1795369988537, '{"status":"pending","revision":1}');
INSERT INTO askback.events VALUES ('default', 5, 5, 1, 'request.created', 'req_01m8267wdz9bxm15pr1g3xfq7k', 1795369988543, '{"status":"pending","revision":1,"expires_at":"2026-11-22T17:58:08.543Z"}');
INSERT INTO askback.events VALUES ('default', 6, 5, 2, 'request.answered', 'req_01m8267wdz9bxm15pr1g3xfq7k', 1795369988546, '{"source":"responder","answer":{"decision":"approve","digest":"73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447","scope":"thread","expires_at":"2026-11-22T18:53:08.546Z","rule":{"id":"rul_01m8267we2mvktmt0f1qx66jvx","text":"bash(git push)"}},"queued":true,"settled_at":"2026-11-22T17:53:08.546Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-22T17:58:08.543Z"}');
INSERT INTO askback.events VALUES ('default', 7, 5, 3, 'request.created', 'req_01m8267we7thvqbdmnc3nhheyg', 1795369988551, '{"status":"pending","revision":1,"expires_at":"2026-11-22T17:58:08.551Z"}');
INSERT INTO askback.events VALUES ('default', 8, 8, 1, 'request.created', 'req_01m8267we916zdpcs1p5jqfzt7', 1795369988553, '{"status":"pending","revision":1}');
INSERT INTO askback.events VALUES ('default', 9, 8, 2, 'request.answered', 'req_01m8267we916zdpcs1p5jqfzt7', 1795369988559, '{"source":"responder","answer":{"names":["PAY_KEY"],"scope":"global","existing":[]},"queued":true,"settled_at":"2026-11-22T17:53:08.559Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1}');
INSERT INTO askback.events VALUES ('default', 10, 10, 1, 'request.created', 'req_01m8267wezxfpa27pnhc2f3bwc', 1795369988575, '{"status":"pending","revision":1,"expires_at":"2026-11-22T17:58:08.575Z"}');
INSERT INTO askback.events VALUES ('default', 11, 11, 1, 'message.added', NULL, 1795369988580, '{"id":"msg_01m8267wf4n2ew1zhs7qv935yf","role":"user","author":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin"},"at":"2026-11-22T17:53:08.580Z","content":[{"type":"text","text":"Bye."}]}');
INSERT INTO askback.events VALUES ('default', 12, 1, 5, 'thread.archived', NULL, 1795369988582, '{"id": "tok_8935c1bb0f92d0b37b36e8b822", "name": "admin"}');
INSERT INTO askback.events VALUES ('default', 13, 1, 6, 'request.cancelled', 'req_01m8267wdsvkechcfr7q6wkqdf', 1795369988585, '{"reason":"thread_archived","queued":true,"settled_at":"2026-11-22T17:53:08.585Z","settled_by":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"status":"cancelled","revision":1}');
INSERT INTO askback.events VALUES ('default', 14, 14, 1, 'request.created', 'req_01m8320gzqpzh4xgmhd5etb2yj', 1795399107575, '{"status":"pending","revision":1}');
INSERT INTO askback.events VALUES ('default', 15, 14, 2, 'request.declined', 'req_01m8320gzqpzh4xgmhd5etb2yj', 1795399107646, '{"reason":"refused","refusal":{"until":"2026-11-23T02:08:27.645Z","count":1},"queued":true,"settled_at":"2026-11-23T01:58:27.646Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"declined","revision":1}');
INSERT INTO askback.events VALUES ('default', 16, 14, 3, 'request.created', 'req_01m8320h2bf9egphwtvsn5xmqb', 1795399107659, '{"status":"pending","revision":1}');
INSERT INTO askback.events VALUES ('default', 17, 14, 4, 'request.resolving', 'req_01m8320h2bf9egphwtvsn5xmqb', 1795399107674, '{"submitted":{"values":{"where":"here"}},"submitted_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"check":{"state":"waiting","since":"2026-11-23T01:58:27.674Z","until":"2026-11-24T01:58:27.674Z"},"queued":true,"status":"resolving","revision":1}');
INSERT INTO askback.events VALUES ('default', 18, 14, 5, 'request.answered', 'req_01m8320h2bf9egphwtvsn5xmqb', 1795399107684, '{"source":"responder","answer":{"values":{"where":"here"}},"settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"settled_at":"2026-11-23T01:58:27.684Z","status":"answered","revision":1}');
INSERT INTO askback.events VALUES ('default', 19, 19, 1, 'request.created', 'req_01m8320h3z86vvp2zhxjn771cv', 1795399107711, '{"status":"pending","revision":1,"expires_at":"2026-11-23T02:03:27.711Z"}');
INSERT INTO askback.events VALUES ('default', 20, 19, 2, 'request.answered', 'req_01m8320h3z86vvp2zhxjn771cv', 1795399107731, '{"source":"responder","answer":{"decision":"approve","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","scope":"once","expires_at":"2026-11-23T02:58:27.731Z"},"queued":true,"settled_at":"2026-11-23T01:58:27.731Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:27.711Z"}');
INSERT INTO askback.events VALUES ('default', 21, 19, 3, 'request.revoked', 'req_01m8320h3z86vvp2zhxjn771cv', 1795399107747, '{"source":"responder","answer":{"decision":"approve","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","scope":"once","expires_at":"2026-11-23T02:58:27.731Z"},"queued":true,"settled_at":"2026-11-23T01:58:27.731Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:27.711Z","revoked": {"at": "2026-11-23T01:58:27.744Z", "by": {"id": "tok_481ae9feb319b642004310a9fc", "name": "responder"}}}');
INSERT INTO askback.events VALUES ('default', 22, 19, 4, 'request.created', 'req_01m8320h5e9vm7ezwe2wt6b0t9', 1795399107758, '{"status":"pending","revision":1,"expires_at":"2026-11-23T02:03:27.758Z"}');
INSERT INTO askback.events VALUES ('default', 23, 19, 5, 'request.answered', 'req_01m8320h5e9vm7ezwe2wt6b0t9', 1795399107765, '{"source":"responder","answer":{"decision":"deny","digest":"67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7"},"refusal":{"until":"2026-11-23T02:08:27.765Z","count":1},"queued":true,"settled_at":"2026-11-23T01:58:27.765Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:27.758Z"}');
INSERT INTO askback.events VALUES ('default', 24, 19, 6, 'message.added', NULL, 1795399107770, '{"id":"msg_01m8320h5te3nastjgjpyje1av","role":"agent","author":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"at":"2026-11-23T01:58:27.770Z","content":[{"type":"text","text":"Hello"}]}');
INSERT INTO askback.executions VALUES ('default', 'req_01m8320h3z86vvp2zhxjn771cv', 'rev_01m8320h50p5wxye2m28h8x2hd', 1795399107744, 'revoked', NULL);
INSERT INTO askback.grants OVERRIDING SYSTEM VALUE VALUES (1, 'default', 't3', 'tok_8092d9a6c94e5056fbf067dedb', 'PAY_KEY', 'sec_01m8267wefqgabe5wwfxkjp3zw', 'req_01m8267we916zdpcs1p5jqfzt7');
INSERT INTO askback.messages OVERRIDING SYSTEM VALUE VALUES (1, 1, 'msg_01m8267wcy4pr7bnvg4rwvbxm5', 'tok_8092d9a6c94e5056fbf067dedb', 1, '{"id":"msg_01m8267wcy4pr7bnvg4rwvbxm5","role":"agent","author":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"at":"2026-11-22T17:53:08.510Z","content":[{"type":"text","text":"Hello."}]}', 0, false);
INSERT INTO askback.messages OVERRIDING SYSTEM VALUE VALUES (2, 11, 'msg_01m8267wf4n2ew1zhs7qv935yf', 'tok_8935c1bb0f92d0b37b36e8b822', 1, '{"id":"msg_01m8267wf4n2ew1zhs7qv935yf","role":"user","author":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin"},"at":"2026-11-22T17:53:08.580Z","content":[{"type":"text","text":"Bye."}]}', 0, false);
INSERT INTO askback.messages OVERRIDING SYSTEM VALUE VALUES (3, 19, 'msg_01m8320h5te3nastjgjpyje1av', 'tok_8092d9a6c94e5056fbf067dedb', 6, '{"id":"msg_01m8320h5te3nastjgjpyje1av","role":"agent","author":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"at":"2026-11-23T01:58:27.770Z","content":[{"type":"text","text":"Hello"}]}', 0, false);
INSERT INTO askback.positions VALUES ('default', 24);
INSERT INTO askback.refusals OVERRIDING SYSTEM VALUE VALUES (1, 'default', 't9', 'tok_8092d9a6c94e5056fbf067dedb', '97cf77ed7b42d044608c54bb9f2f484d389998bf42ffa6b99df440ea1880474a', 'req_01m8320gzqpzh4xgmhd5etb2yj', 1795399107645, 1795399707645);
INSERT INTO askback.refusals OVERRIDING SYSTEM VALUE VALUES (2, 'default', 't10', 'tok_8092d9a6c94e5056fbf067dedb', '68364669026d2bdc7f7751baea5eb417faf7c076431fa49ce0a3dcf5fb88049e', 'req_01m8320h5e9vm7ezwe2wt6b0t9', 1795399107765, 1795399707765);
INSERT INTO askback.requests VALUES ('default', 'req_01m8267wde2mzedbeynxm8bfyj', 1, 'form', 'tok_8092d9a6c94e5056fbf067dedb', 'answered', 1, 1795369988526, NULL, 2, '{"source":"responder","answer":{"values":{"dish":"soup"}},"queued":true,"settled_at":"2026-11-22T17:53:08.533Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1}', '{"id":"req_01m8267wde2mzedbeynxm8bfyj","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:08.526Z","kind":"form","thread_id":"t1","form":{"title":"Lunch","fields":[{"id":"dish","type":"text","label":"Dish"}]},"delivery":"resume"}', NULL, NULL, NULL, false, NULL);
INSERT INTO askback.requests VALUES ('default', 'req_01m8267wdz9bxm15pr1g3xfq7k', 5, 'approval', 'tok_8092d9a6c94e5056fbf067dedb', 'answered', 1, 1795369988543, 1795370288543, 1, '{"source":"responder","answer":{"decision":"approve","digest":"73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447","scope":"thread","expires_at":"2026-11-22T18:53:08.546Z","rule":{"id":"rul_01m8267we2mvktmt0f1qx66jvx","text":"bash(git push)"}},"queued":true,"settled_at":"2026-11-22T17:53:08.546Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-22T17:58:08.543Z"}', '{"id":"req_01m8267wdz9bxm15pr1g3xfq7k","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:08.543Z","thread_id":"t2","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"approval","on_timeout":"deny","timeout_s":300,"approval":{"tool":"bash","input":{"command":"git push"},"allow_edit":false,"quorum":1,"digest":"73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447","scopes":["once","thread","always"],"rule":"bash(git push)","reasons":["No rule allows `git push`."],"risk":{"level":"normal","reasons":[]},"preview":{"type":"command","headline":"bash: git push","parts":["git push"]}}}', '73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447', 1795370288543, NULL, false, NULL);
INSERT INTO askback.requests VALUES ('default', 'req_01m8267wdsvkechcfr7q6wkqdf', 1, 'form', 'tok_8092d9a6c94e5056fbf067dedb', 'cancelled', 1, 1795369988537, NULL, 4, '{"reason":"thread_archived","queued":true,"settled_at":"2026-11-22T17:53:08.585Z","settled_by":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"status":"cancelled","revision":1}', '{"id":"req_01m8267wdsvkechcfr7q6wkqdf","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:08.537Z","kind":"form","thread_id":"t1","form":{"title":"Lunch","fields":[{"id":"dish","type":"text","label":"Dish"}]}}', NULL, NULL, NULL, false, NULL);
INSERT INTO askback.requests VALUES ('default', 'req_01m8267we7thvqbdmnc3nhheyg', 5, 'approval', 'tok_8092d9a6c94e5056fbf067dedb', 'pending', 1, 1795369988551, NULL, 3, '{"status":"pending","revision":1}', '{"id":"req_01m8267we7thvqbdmnc3nhheyg","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:08.551Z","thread_id":"t2","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"approval","on_timeout":"resume","timeout_s":300,"approval":{"tool":"send_mail","input":{"to":"ada"},"allow_edit":false,"quorum":1,"digest":"64c53a36a6b01da3ca13f23556849e157136f9c964d29e93480b7cb663a468ed","scopes":["once","thread","always"],"rule":"send_mail {\"to\": \"ada\"}","reasons":["No rule allows the tool `send_mail` with this input."],"risk":{"level":"normal","reasons":[]},"preview":{"type":"json","headline":"send_mail: {\"to\": \"ada\"}","parts":["{\n  \"to\": \"ada\"\n}"]}}}', '64c53a36a6b01da3ca13f23556849e157136f9c964d29e93480b7cb663a468ed', NULL, NULL, false, NULL);
INSERT INTO askback.requests VALUES ('default', 'req_01m8267wezxfpa27pnhc2f3bwc', 10, 'approval', 'tok_8092d9a6c94e5056fbf067dedb', 'pending', 1, 1795369988575, NULL, 1, '{"status":"pending","revision":1}', '{"id":"req_01m8267wezxfpa27pnhc2f3bwc","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:08.575Z","thread_id":"t4","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"approval","on_timeout":"resume","timeout_s":300,"approval":{"tool":"send_mail","input":{"hide_names":true},"allow_edit":false,"quorum":1,"digest":"fdaf68b28bb9ca59e32b75689bb5cd6000673ee75be5544776ca557a7ac5bf99","scopes":["once","thread","always"],"rule":"send_mail {\"hide_names\": true}","reasons":["No rule allows the tool `send_mail` with this input."],"risk":{"level":"normal","reasons":[]},"preview":{"type":"json","headline":"send_mail: {\"hide_names\": true}","parts":["{\n  \"hide_names\": true\n}"]}}}', 'fdaf68b28bb9ca59e32b75689bb5cd6000673ee75be5544776ca557a7ac5bf99', NULL, NULL, false, NULL);
INSERT INTO askback.requests VALUES ('default', 'req_01m8267we916zdpcs1p5jqfzt7', 8, 'secret', 'tok_8092d9a6c94e5056fbf067dedb', 'answered', 1, 1795369988553, NULL, 1, '{"source":"responder","answer":{"names":["PAY_KEY"],"scope":"global","existing":[]},"queued":true,"settled_at":"2026-11-22T17:53:08.559Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1}', '{"id":"req_01m8267we916zdpcs1p5jqfzt7","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:08.553Z","thread_id":"t3","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"secret","on_timeout":"expire","secret":{"names":["PAY_KEY"],"reason":"To pay","default_scope":"global","metadata":{},"probe":false,"hide_names":true,"present":{}}}', '784c8d4a801b490d76ffc24153723cce832357b73e5f3c05b94bffbfebe10027', NULL, NULL, false, true);
INSERT INTO askback.requests VALUES ('default', 'req_01m8320gzqpzh4xgmhd5etb2yj', 14, 'form', 'tok_8092d9a6c94e5056fbf067dedb', 'declined', 1, 1795399107575, NULL, 1, '{"reason":"refused","refusal":{"until":"2026-11-23T02:08:27.645Z","count":1},"queued":true,"settled_at":"2026-11-23T01:58:27.646Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"declined","revision":1}', '{"id":"req_01m8320gzqpzh4xgmhd5etb2yj","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-23T01:58:27.575Z","kind":"form","thread_id":"t9","form":{"title":"Where?","fields":[{"id":"where","type":"text","label":"Where"}]}}', NULL, NULL, NULL, false, false);
INSERT INTO askback.requests VALUES ('default', 'req_01m8320h2bf9egphwtvsn5xmqb', 14, 'form', 'tok_8092d9a6c94e5056fbf067dedb', 'answered', 1, 1795399107659, NULL, 3, '{"source":"responder","answer":{"values":{"where":"here"}},"settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"settled_at":"2026-11-23T01:58:27.684Z","status":"answered","revision":1}', '{"id":"req_01m8320h2bf9egphwtvsn5xmqb","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-23T01:58:27.659Z","kind":"form","thread_id":"t9","form":{"title":"And then?","fields":[{"id":"where","type":"text","label":"Where"}]},"validator":"requester"}', NULL, 1795485507674, NULL, false, false);
INSERT INTO askback.requests VALUES ('default', 'req_01m8320h3z86vvp2zhxjn771cv', 19, 'approval', 'tok_8092d9a6c94e5056fbf067dedb', 'answered', 1, 1795399107711, 1795399407711, 1, '{"source":"responder","answer":{"decision":"approve","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","scope":"once","expires_at":"2026-11-23T02:58:27.731Z"},"queued":true,"settled_at":"2026-11-23T01:58:27.731Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:27.711Z","revoked": {"at": "2026-11-23T01:58:27.744Z", "by": {"id": "tok_481ae9feb319b642004310a9fc", "name": "responder"}}}', '{"id":"req_01m8320h3z86vvp2zhxjn771cv","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-23T01:58:27.711Z","thread_id":"t10","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"approval","on_timeout":"deny","timeout_s":300,"approval":{"tool":"bash","input":{"command":"make deploy"},"allow_edit":false,"quorum":1,"digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","scopes":["once","thread","always"],"rule":"bash(make deploy)","choices":[{"rule":"bash(make deploy)","kind":"exact","subject":null},{"rule":"bash(make deploy:*)","kind":"options","subject":"make deploy"}],"runs_project":true,"reasons":["No rule allows `make deploy`."],"reason_codes":[{"code":"no_rule","params":{"command":"make deploy"}}],"risk":{"level":"normal","reasons":[]},"preview":{"type":"command","headline":"bash: make deploy","parts":["make deploy"]}}}', 'da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49', 1795399407711, NULL, false, false);
INSERT INTO askback.requests VALUES ('default', 'req_01m8320h5e9vm7ezwe2wt6b0t9', 19, 'approval', 'tok_8092d9a6c94e5056fbf067dedb', 'answered', 1, 1795399107758, 1795399407758, 4, '{"source":"responder","answer":{"decision":"deny","digest":"67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7"},"refusal":{"until":"2026-11-23T02:08:27.765Z","count":1},"queued":true,"settled_at":"2026-11-23T01:58:27.765Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:27.758Z"}', '{"id":"req_01m8320h5e9vm7ezwe2wt6b0t9","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-23T01:58:27.758Z","thread_id":"t10","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"approval","on_timeout":"deny","timeout_s":300,"approval":{"tool":"bash","input":{"command":"make test"},"allow_edit":false,"quorum":1,"digest":"67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7","scopes":["once","thread","always"],"rule":"bash(make test)","choices":[{"rule":"bash(make test)","kind":"exact","subject":null},{"rule":"bash(make test:*)","kind":"options","subject":"make test"}],"runs_project":true,"reasons":["No rule allows `make test`."],"reason_codes":[{"code":"no_rule","params":{"command":"make test"}}],"risk":{"level":"normal","reasons":[]},"preview":{"type":"command","headline":"bash: make test","parts":["make test"]}}}', '67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7', 1795399407758, NULL, false, false);
INSERT INTO askback.resumes OVERRIDING SYSTEM VALUE VALUES (1, 'rsm_01m8267wdn8rq3dfmfy39e843g', 'default', 't1', 'tok_8092d9a6c94e5056fbf067dedb', 'req_01m8267wde2mzedbeynxm8bfyj', 1795369988533, false, 0, NULL, '');
INSERT INTO askback.resumes OVERRIDING SYSTEM VALUE VALUES (2, 'rsm_01m8267we2mvktmt0f1v0famav', 'default', 't2', 'tok_8092d9a6c94e5056fbf067dedb', 'req_01m8267wdz9bxm15pr1g3xfq7k', 1795369998546, true, 0, NULL, '');
INSERT INTO askback.resumes OVERRIDING SYSTEM VALUE VALUES (3, 'rsm_01m8267wefqgabe5wwg0kmw19t', 'default', 't3', 'tok_8092d9a6c94e5056fbf067dedb', 'req_01m8267we916zdpcs1p5jqfzt7', 1795369998559, true, 0, NULL, '');
INSERT INTO askback.resumes OVERRIDING SYSTEM VALUE VALUES (4, 'rsm_01m8267wf99e8hd9k0z3x6tjx4', 'default', 't1', 'tok_8092d9a6c94e5056fbf067dedb', 'req_01m8267wdsvkechcfr7q6wkqdf', 1795399107643, true, 1, NULL, '');
INSERT INTO askback.resumes OVERRIDING SYSTEM VALUE VALUES (5, 'rsm_01m8320h1yyb6xtgdt6jt2ny7n', 'default', 't9', 'tok_8092d9a6c94e5056fbf067dedb', 'req_01m8320gzqpzh4xgmhd5etb2yj', 1795399117646, true, 0, NULL, '');
INSERT INTO askback.resumes OVERRIDING SYSTEM VALUE VALUES (6, 'rsm_01m8320h2tqx29ehafaz3s4v2d', 'default', 't9', 'tok_8092d9a6c94e5056fbf067dedb', 'req_01m8320h2bf9egphwtvsn5xmqb', 1795399117674, true, 0, NULL, 'check:1');
INSERT INTO askback.resumes OVERRIDING SYSTEM VALUE VALUES (7, 'rsm_01m8320h4knc8qb5awyq49m6eh', 'default', 't10', 'tok_8092d9a6c94e5056fbf067dedb', 'req_01m8320h3z86vvp2zhxjn771cv', 1795399117731, true, 0, NULL, '');
INSERT INTO askback.resumes OVERRIDING SYSTEM VALUE VALUES (8, 'rsm_01m8320h5n9x8vxqbahpejrpgj', 'default', 't10', 'tok_8092d9a6c94e5056fbf067dedb', 'req_01m8320h5e9vm7ezwe2wt6b0t9', 1795399117765, true, 0, NULL, '');
INSERT INTO askback.rules VALUES ('default', 'rul_01m8267we2mvktmt0f1qx66jvx', 'allow', 'bash(git push)', 'thread', 't2', false, false, NULL, false, '{"agent":"tok_8092d9a6c94e5056fbf067dedb","id":"rul_01m8267we2mvktmt0f1qx66jvx","effect":"allow","rule":"bash(git push)","scope":"thread","thread_id":"t2","locked":false,"shadow":false,"created_at":"2026-11-22T17:53:08.546Z","created_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"request_id":"req_01m8267wdz9bxm15pr1g3xfq7k"}', 'tok_8092d9a6c94e5056fbf067dedb');
INSERT INTO askback.schema_version VALUES (13);
INSERT INTO askback.secret_agents VALUES ('default', 'sec_01m8267wefqgabe5wwfxkjp3zw', 'tok_8092d9a6c94e5056fbf067dedb');
INSERT INTO askback.secrets VALUES ('sec_01m8267wefqgabe5wwfxkjp3zw', 'default', '', 'global', '', 'PAY_KEY', 1, 'ab1.old.W4Sl23Q9RpuXV6l0y8rX9FptrTALccjLq5KQA8JqxBjHk9EhqO-ejC9RNW-b1ZocGqci6NlpAk9VcDNt.m-U1amCDEOGVtkOt8BkoRxo5lUuQcjNKzhqSNkpuU5s8bMaMyn34laYXrAcTBYbvFwb8CYr6TkyJyd_4AVNDi3rjDexsNhIr', '{"id":"sec_01m8267wefqgabe5wwfxkjp3zw","name":"PAY_KEY","scope":"global","version":1,"set_at":"2026-11-22T17:53:08.559Z","set_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"request_id":"req_01m8267we916zdpcs1p5jqfzt7"}');
INSERT INTO askback.secrets VALUES ('sec_01m8267wekq4bcnyrv6nekxzca', 'default', '', 'request', 'whk_01m8267wekq4bcnyrv6hq0y29b', 'SIGNING_SECRET', 1, 'ab1.old.KADTWfrNyzAJ5MH5uQzQW9StIG-3fkurqIp14Am9ayqxDpCb5RrzLzLxkwRkRtq-JJqsb1cZGOzBShK1.ATqymoJ1sqVTdufkT_MW0YFD_rxuTSO-wGQTCJpJPWvSmfaoyJGEJExYukJH0VDMiGqw689ma0rS_9PArSC1lkqJsHlbAaULJ-qu7X-CHZe_o1fFBQRWT7YIYj3QoCpP8pUBBXy8Me_kmCIjPJc', '{"id":"sec_01m8267wekq4bcnyrv6nekxzca","name":"SIGNING_SECRET","scope":"request","version":1,"set_at":"2026-11-22T17:53:08.563Z","set_by":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin"}}');
INSERT INTO askback.server VALUES ('5c9684e1b92c4cd0');
INSERT INTO askback.threads OVERRIDING SYSTEM VALUE VALUES (11, 'default', 't5', 1, NULL, NULL, 0, 0, NULL, false, NULL);
INSERT INTO askback.threads OVERRIDING SYSTEM VALUE VALUES (1, 'default', 't1', 6, NULL, 1795369988582, 2, 1795369988526, NULL, false, '{"ids" : ["tok_8092d9a6c94e5056fbf067dedb"], "user" : ""}');
INSERT INTO askback.threads OVERRIDING SYSTEM VALUE VALUES (5, 'default', 't2', 3, NULL, NULL, 0, 0, NULL, false, '{"ids" : ["tok_8092d9a6c94e5056fbf067dedb"], "user" : ""}');
INSERT INTO askback.threads OVERRIDING SYSTEM VALUE VALUES (8, 'default', 't3', 2, NULL, NULL, 0, 0, NULL, false, '{"ids" : ["tok_8092d9a6c94e5056fbf067dedb"], "user" : ""}');
INSERT INTO askback.threads OVERRIDING SYSTEM VALUE VALUES (10, 'default', 't4', 1, NULL, NULL, 0, 0, NULL, false, '{"ids" : ["tok_8092d9a6c94e5056fbf067dedb"], "user" : ""}');
INSERT INTO askback.threads OVERRIDING SYSTEM VALUE VALUES (14, 'default', 't9', 5, NULL, NULL, 2, 1795399107575, 1795399107646, false, '{"ids":["tok_8092d9a6c94e5056fbf067dedb"],"user":""}');
INSERT INTO askback.threads OVERRIDING SYSTEM VALUE VALUES (19, 'default', 't10', 6, NULL, NULL, 0, 0, 1795399107765, false, '{"ids":["tok_8092d9a6c94e5056fbf067dedb"],"user":""}');
INSERT INTO askback.tokens VALUES ('9084ea613f569fbfbffaf0de61b882d5c942f9030f6fede4e9a80b87cc4e1383', 'tok_21a6f34304d598e892e5f20067', 'default', 'operator', 'operator', 'tok_21a6f34304d598e892e5f20067', '[]', '[]', '[]', 'tok_21a6f34304d598e892e5f20067', 'unknown', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO askback.tokens VALUES ('d3ce02bd1b62e71f936bafd8e75009f7cd5337c18e38268ff5efa6917f692184', 'tok_481ae9feb319b642004310a9fc', 'default', 'responder', 'responder', 'tok_481ae9feb319b642004310a9fc', '[]', '[]', '[]', 'tok_481ae9feb319b642004310a9fc', 'unknown', NULL, NULL, NULL, NULL, NULL, 1795399107782);
INSERT INTO askback.tokens VALUES ('a5853f7a447db79047d1b04303213df94693e85c1d7681bde2e5538d854faf37', 'tok_8092d9a6c94e5056fbf067dedb', 'default', 'requester', 'requester', 'tok_8092d9a6c94e5056fbf067dedb', '[]', '[]', '[]', 'tok_8092d9a6c94e5056fbf067dedb', 'unknown', NULL, NULL, NULL, NULL, NULL, 1795399107774);
INSERT INTO askback.tokens VALUES ('dbc4727d6d58d7da83678a07b48a3c2126a447f3732a9dcba875d91ccf6d40b6', 'tok_8935c1bb0f92d0b37b36e8b822', 'default', 'admin', 'admin', 'tok_8935c1bb0f92d0b37b36e8b822', '[]', '[]', '[]', 'tok_8935c1bb0f92d0b37b36e8b822', 'unknown', NULL, NULL, NULL, NULL, NULL, 1795399107775);
INSERT INTO askback.webhooks VALUES ('default', 'whk_01m8267wekq4bcnyrv6hq0y29b', 'https://example.com/hook', NULL, '["resume"]', 'sec_01m8267wekq4bcnyrv6nekxzca', 1795369988563, 24, true);
SELECT pg_catalog.setval('askback.grants_key_seq', 1, true);
SELECT pg_catalog.setval('askback.messages_key_seq', 3, true);
SELECT pg_catalog.setval('askback.refusals_key_seq', 2, true);
SELECT pg_catalog.setval('askback.resumes_key_seq', 8, true);
SELECT pg_catalog.setval('askback.threads_key_seq', 24, true);
ALTER TABLE ONLY askback.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY askback.audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (tenant);
ALTER TABLE ONLY askback.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (tenant, seq);
ALTER TABLE ONLY askback.browser_sessions
    ADD CONSTRAINT browser_sessions_id_key UNIQUE (id);
ALTER TABLE ONLY askback.browser_sessions
    ADD CONSTRAINT browser_sessions_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY askback.candidates
    ADD CONSTRAINT candidates_pkey PRIMARY KEY (tenant, request, name);
ALTER TABLE ONLY askback.claims
    ADD CONSTRAINT claims_pkey PRIMARY KEY (id);
ALTER TABLE ONLY askback.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (tenant, webhook, id);
ALTER TABLE ONLY askback.deliveries
    ADD CONSTRAINT deliveries_tenant_webhook_type_subject_key UNIQUE (tenant, webhook, type, subject);
ALTER TABLE ONLY askback.deltas
    ADD CONSTRAINT deltas_pkey PRIMARY KEY (message, seq);
ALTER TABLE ONLY askback.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (thread, seq);
ALTER TABLE ONLY askback.executions
    ADD CONSTRAINT executions_pkey PRIMARY KEY (tenant, request);
ALTER TABLE ONLY askback.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (tenant, thread, name, requester);
ALTER TABLE ONLY askback.logins
    ADD CONSTRAINT logins_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY askback.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (key);
ALTER TABLE ONLY askback.messages
    ADD CONSTRAINT messages_thread_id_key UNIQUE (thread, id);
ALTER TABLE ONLY askback.policies
    ADD CONSTRAINT policies_pkey PRIMARY KEY (tenant, thread);
ALTER TABLE ONLY askback.positions
    ADD CONSTRAINT positions_pkey PRIMARY KEY (tenant);
ALTER TABLE ONLY askback.refusals
    ADD CONSTRAINT refusals_pkey PRIMARY KEY (key);
ALTER TABLE ONLY askback.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY askback.resumes
    ADD CONSTRAINT resumes_cause UNIQUE (tenant, request, cause);
ALTER TABLE ONLY askback.resumes
    ADD CONSTRAINT resumes_id_tenant_key UNIQUE (id, tenant);
ALTER TABLE ONLY askback.resumes
    ADD CONSTRAINT resumes_pkey PRIMARY KEY (key);
ALTER TABLE ONLY askback.rules
    ADD CONSTRAINT rules_pkey PRIMARY KEY (tenant, id);
ALTER TABLE ONLY askback.secret_agents
    ADD CONSTRAINT secret_agents_pkey PRIMARY KEY (tenant, secret, agent);
ALTER TABLE ONLY askback.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (id, tenant);
ALTER TABLE ONLY askback.secrets
    ADD CONSTRAINT secrets_tenant_owner_scope_subject_name_key UNIQUE (tenant, owner, scope, subject, name);
ALTER TABLE ONLY askback.servers
    ADD CONSTRAINT servers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY askback.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY askback.threads
    ADD CONSTRAINT threads_pkey PRIMARY KEY (key);
ALTER TABLE ONLY askback.threads
    ADD CONSTRAINT threads_tenant_id_key UNIQUE (tenant, id);
ALTER TABLE ONLY askback.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY askback.watched
    ADD CONSTRAINT watched_pkey PRIMARY KEY (server, tenant, thread);
ALTER TABLE ONLY askback.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (tenant, id);
CREATE INDEX browser_sessions_end ON askback.browser_sessions USING btree (expires_at);
CREATE INDEX browser_sessions_person ON askback.browser_sessions USING btree (tenant, person);
CREATE INDEX candidates_id ON askback.candidates USING btree (id);
CREATE INDEX claims_thread ON askback.claims USING btree (tenant, thread);
CREATE INDEX deliveries_due ON askback.deliveries USING btree (tenant, webhook, next_at) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_ended ON askback.deliveries USING btree (tenant, webhook, since) WHERE (state <> 'waiting'::text);
CREATE UNIQUE INDEX events_tenant ON askback.events USING btree (tenant, "position");
CREATE INDEX logins_end ON askback.logins USING btree (expires_at);
CREATE INDEX messages_held ON askback.messages USING btree (thread, seq) WHERE held;
CREATE INDEX messages_seq ON askback.messages USING btree (thread, seq);
CREATE INDEX refusals_identity ON askback.refusals USING btree (tenant, thread, requester, identity, at);
CREATE INDEX refusals_request ON askback.refusals USING btree (tenant, request);
CREATE INDEX requests_behind ON askback.requests USING btree (thread, requester, exclusive, id) WHERE (behind AND (status = ANY (ARRAY['pending'::text, 'resolving'::text])));
CREATE INDEX requests_due ON askback.requests USING btree (due_at) WHERE ((due_at IS NOT NULL) AND (status = ANY (ARRAY['pending'::text, 'resolving'::text])));
CREATE UNIQUE INDEX requests_exclusive ON askback.requests USING btree (thread, requester, exclusive) WHERE ((exclusive IS NOT NULL) AND (NOT behind) AND (status = ANY (ARRAY['pending'::text, 'resolving'::text])));
CREATE INDEX requests_kind ON askback.requests USING btree (tenant, kind, status, id);
CREATE INDEX requests_open ON askback.requests USING btree (tenant, id) WHERE (status = ANY (ARRAY['pending'::text, 'resolving'::text]));
CREATE INDEX requests_open_requester ON askback.requests USING btree (requester, tenant, id) WHERE (status = ANY (ARRAY['pending'::text, 'resolving'::text]));
CREATE INDEX requests_open_thread ON askback.requests USING btree (thread) WHERE (status = ANY (ARRAY['pending'::text, 'resolving'::text]));
CREATE INDEX requests_requester ON askback.requests USING btree (tenant, requester, kind, status, id);
CREATE INDEX requests_thread ON askback.requests USING btree (thread, id);
CREATE INDEX resumes_open ON askback.resumes USING btree (tenant, requester, available_at) WHERE (finished_at IS NULL);
CREATE INDEX resumes_thread ON askback.resumes USING btree (tenant, requester, thread, available_at) WHERE (finished_at IS NULL);
CREATE INDEX rules_kept ON askback.rules USING btree (tenant, scope, subject, id) WHERE (NOT revoked);
CREATE INDEX secrets_listed ON askback.secrets USING btree (tenant, id) WHERE (scope <> 'request'::text);
CREATE INDEX sessions_end ON askback.sessions USING btree (expires_at);
CREATE INDEX threads_archiving ON askback.threads USING btree (archived_at) WHERE archiving;
CREATE INDEX tokens_agent ON askback.tokens USING btree (tenant, principal COLLATE "C", id);
CREATE INDEX tokens_id ON askback.tokens USING btree (tenant, id);
CREATE INDEX watched_thread ON askback.watched USING btree (tenant, thread);
ALTER TABLE ONLY askback.executions
    ADD CONSTRAINT executions_tenant_request_fkey FOREIGN KEY (tenant, request) REFERENCES askback.requests(tenant, id);
ALTER TABLE ONLY askback.watched
    ADD CONSTRAINT watched_server_fkey FOREIGN KEY (server) REFERENCES askback.servers(id) ON DELETE CASCADE;
UPDATE askback.requests SET expires_at = NULL, due_at = NULL, state = '{"status":"pending","revision":1}' WHERE status = 'pending';
