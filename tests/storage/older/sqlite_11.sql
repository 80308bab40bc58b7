BEGIN TRANSACTION;
CREATE TABLE agents (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    person TEXT NOT NULL,
    created_at INTEGER,
    created_by TEXT,
    stopped_at INTEGER,
    roots TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
INSERT INTO "agents" VALUES('default','tok_8092d9a6c94e5056fbf067dedb','requester','tok_8092d9a6c94e5056fbf067dedb',NULL,NULL,NULL,'[["/srv/shop",1795399108181,"{\"id\":\"tok_8935c1bb0f92d0b37b36e8b822\",\"name\":\"admin\"}"]]');
CREATE TABLE audit (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    entry TEXT NOT NULL,
    UNIQUE (tenant, seq)
) STRICT;
INSERT INTO "audit" VALUES(1,'default',1,'{"at":"2026-11-22T17:53:07.625Z","action":"decide","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8267vh7dyh29jqp7zxr1pk5","thread_id":"t2","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447","decision":"approve","scope":"thread","rule":"bash(git push)","tool":"bash","source":"responder","seq":1,"prev":"0000000000000000000000000000000000000000000000000000000000000000","hash":"67503e7e060b0273ff24c17f19f57f9112b44452098f9d8d1bd09f6064272ccc"}');
INSERT INTO "audit" VALUES(2,'default',2,'{"at":"2026-11-22T17:53:07.631Z","action":"decide","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8267vhd6m6ssfbw881pbvkf","thread_id":"t3","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"784c8d4a801b490d76ffc24153723cce832357b73e5f3c05b94bffbfebe10027","scope":"global","names":["PAY_KEY"],"source":"responder","seq":2,"prev":"67503e7e060b0273ff24c17f19f57f9112b44452098f9d8d1bd09f6064272ccc","hash":"b1123cc6cd7e0e85e26961b17fa74777e2a3a85424f503eca1727daae3963487"}');
INSERT INTO "audit" VALUES(3,'default',3,'{"at":"2026-11-22T17:53:07.633Z","action":"webhook.add","actor":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"via":"api","webhook_id":"whk_01m8267vhhmzgbj7n3pqv79c0h","host":"example.com","events":["resume"],"seq":3,"prev":"b1123cc6cd7e0e85e26961b17fa74777e2a3a85424f503eca1727daae3963487","hash":"51102a1040b75ad12a48557a4cef02dea4fa3282a79328ff6e16d82130677c9f"}');
INSERT INTO "audit" VALUES(4,'default',4,'{"at":"2026-11-22T17:53:07.636Z","action":"thread.archived","actor":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"via":"api","thread_id":"t1","seq":4,"prev":"51102a1040b75ad12a48557a4cef02dea4fa3282a79328ff6e16d82130677c9f","hash":"0e8453a4321c4a8a592e28a08cdb94380c2f415cc0d98e514a069576a75150c7"}');
INSERT INTO "audit" VALUES(5,'default',5,'{"at":"2026-11-23T01:58:28.122Z","action":"decide","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8320hgq8gn5x1f8x20q9p42","thread_id":"t10","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","decision":"approve","scope":"once","tool":"bash","source":"responder","seq":5,"prev":"0e8453a4321c4a8a592e28a08cdb94380c2f415cc0d98e514a069576a75150c7","hash":"0cb317f25fa7897be4438e74bdf557f4f9f14ee58a89313321ec5205d627bf35"}');
INSERT INTO "audit" VALUES(6,'default',6,'{"at":"2026-11-23T01:58:28.125Z","action":"revoke","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8320hgq8gn5x1f8x20q9p42","thread_id":"t10","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","seq":6,"prev":"0cb317f25fa7897be4438e74bdf557f4f9f14ee58a89313321ec5205d627bf35","hash":"bc3ebfdbce241bb24fd214a46b7e2cfcd0cbadaed99981e42b07a2596399cb18"}');
INSERT INTO "audit" VALUES(7,'default',7,'{"at":"2026-11-23T01:58:28.139Z","action":"decide","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","request_id":"req_01m8320hh3c85a021dgm1japam","thread_id":"t10","requester":"tok_8092d9a6c94e5056fbf067dedb","digest":"67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7","decision":"deny","tool":"bash","source":"responder","seq":7,"prev":"bc3ebfdbce241bb24fd214a46b7e2cfcd0cbadaed99981e42b07a2596399cb18","hash":"8a37924353ba67882a2af1d4bd85ad34055156e27d007de6f96bee99bdd9f2b4"}');
INSERT INTO "audit" VALUES(8,'default',8,'{"at":"2026-11-23T01:58:28.182Z","action":"root.grant","actor":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"via":"api","agent":"tok_8092d9a6c94e5056fbf067dedb","path":"/srv/shop","seq":8,"prev":"8a37924353ba67882a2af1d4bd85ad34055156e27d007de6f96bee99bdd9f2b4","hash":"1393544ad49b0d9269ad2ee92b54bffca9607f41a00a46ef55260ef83c9421b2"}');
INSERT INTO "audit" VALUES(9,'default',9,'{"at":"2026-11-23T01:58:28.184Z","action":"refused","actor":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder","role":"responder"},"via":"api","attempted":"share","seq":9,"prev":"1393544ad49b0d9269ad2ee92b54bffca9607f41a00a46ef55260ef83c9421b2","hash":"23976c59cc6b43cec21743563cd0f48e9435c2e1c2b4efbb678e1a8f6bf185a1"}');
CREATE TABLE audit_heads (
    tenant TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
, seal TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "audit_heads" VALUES('default',9,'23976c59cc6b43cec21743563cd0f48e9435c2e1c2b4efbb678e1a8f6bf185a1',NULL);
CREATE TABLE browser_sessions (
    digest TEXT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    principal TEXT NOT NULL,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    person TEXT NOT NULL,
    groups TEXT NOT NULL,
    half TEXT NOT NULL,
    device TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE candidates (
    key INTEGER PRIMARY KEY,
    request TEXT NOT NULL,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    wire TEXT NOT NULL,
    room BLOB NOT NULL,
    sealed TEXT NOT NULL,
    UNIQUE (tenant, request, name)
) STRICT;
CREATE TABLE claims (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (tenant, principal, scope, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE deliveries (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    webhook TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    since INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    again INTEGER NOT NULL,
    log TEXT NOT NULL,
    UNIQUE (tenant, webhook, id),
    UNIQUE (tenant, webhook, type, subject)
) STRICT;
INSERT INTO "deliveries" VALUES(1,'dlv_01m8320he3yex2y0jsvs4nfrmv','default','whk_01m8267vhhmzgbj7n3pqv79c0h','resume','rsm_01m8267vhng0ypkpx687w2j8ah',1795399108035,1795399113969,'waiting',1,0,'[{"at":"2026-11-23T01:58:28.131Z","status":null,"duration_ms":16,"error":"unknown_host"}]');
INSERT INTO "deliveries" VALUES(2,'dlv_01m8320hfr03xx6fyewcz5p51j','default','whk_01m8267vhhmzgbj7n3pqv79c0h','resume','rsm_01m8320he6fn91deb4rajg3chp',1795399108088,1795399118038,'waiting',0,0,'[]');
INSERT INTO "deliveries" VALUES(3,'dlv_01m8320hg3k9jdpdac2gj8ezkh','default','whk_01m8267vhhmzgbj7n3pqv79c0h','resume','rsm_01m8320hfw6p65p2v0c4kxw2dw',1795399108099,1795399118092,'waiting',0,0,'[]');
INSERT INTO "deliveries" VALUES(4,'dlv_01m8320hgy400y3xdpqrnqswk8','default','whk_01m8267vhhmzgbj7n3pqv79c0h','resume','rsm_01m8320hgtaj36y69res4pr7k5',1795399108126,1795399118122,'waiting',0,0,'[]');
INSERT INTO "deliveries" VALUES(5,'dlv_01m8320hjqvg8wacj4wpbh8msm','default','whk_01m8267vhhmzgbj7n3pqv79c0h','resume','rsm_01m8320hhbm0wajhjtwx7vndfx',1795399108183,1795399118139,'waiting',0,0,'[]');
CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    thread INTEGER NOT NULL REFERENCES threads (key),
    seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    request INTEGER REFERENCES requests (key),
    at INTEGER NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (thread, seq)
) STRICT;
INSERT INTO "events" VALUES(1,'default',1,1,'message.added',NULL,1795369987614,'{"id":"msg_01m8267vgyart3eayrm2t0dsbt","role":"agent","author":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"at":"2026-11-22T17:53:07.614Z","content":[{"type":"text","text":"Hello."}]}');
INSERT INTO "events" VALUES(2,'default',1,2,'request.created',1,1795369987616,'{"status":"pending","revision":1}');
INSERT INTO "events" VALUES(3,'default',1,3,'request.answered',1,1795369987618,'{"source":"responder","answer":{"values":{"dish":"soup"}},"queued":true,"settled_at":"2026-11-22T17:53:07.618Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1}');
INSERT INTO "events" VALUES(4,'default',1,4,'request.created',2,1795369987620,'{"status":"pending","revision":1}');
INSERT INTO "events" VALUES(5,'default',2,1,'request.created',3,1795369987623,'{"status":"pending","revision":1,"expires_at":"2026-11-22T17:58:07.623Z"}');
INSERT INTO "events" VALUES(6,'default',2,2,'request.answered',3,1795369987625,'{"source":"responder","answer":{"decision":"approve","digest":"73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447","scope":"thread","expires_at":"2026-11-22T18:53:07.625Z","rule":{"id":"rul_01m8267vh9mh00dpz6ed8df6ar","text":"bash(git push)"}},"queued":true,"settled_at":"2026-11-22T17:53:07.625Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-22T17:58:07.623Z"}');
INSERT INTO "events" VALUES(7,'default',2,3,'request.created',4,1795369987627,'{"status":"pending","revision":1,"expires_at":"2026-11-22T17:58:07.627Z"}');
INSERT INTO "events" VALUES(8,'default',3,1,'request.created',5,1795369987629,'{"status":"pending","revision":1}');
INSERT INTO "events" VALUES(9,'default',3,2,'request.answered',5,1795369987631,'{"source":"responder","answer":{"names":["PAY_KEY"],"scope":"global","existing":[]},"queued":true,"settled_at":"2026-11-22T17:53:07.631Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1}');
INSERT INTO "events" VALUES(10,'default',4,1,'message.added',NULL,1795369987635,'{"id":"msg_01m8267vhkkffycrh5fdaxasek","role":"user","author":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin"},"at":"2026-11-22T17:53:07.635Z","content":[{"type":"text","text":"Bye."}]}');
INSERT INTO "events" VALUES(11,'default',1,5,'thread.archived',NULL,1795369987636,'{"id": "tok_8935c1bb0f92d0b37b36e8b822", "name": "admin"}');
INSERT INTO "events" VALUES(12,'default',1,6,'request.cancelled',2,1795369987637,'{"reason":"thread_archived","queued":true,"settled_at":"2026-11-22T17:53:07.637Z","settled_by":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"status":"cancelled","revision":1}');
INSERT INTO "events" VALUES(13,'default',5,1,'request.created',6,1795399108031,'{"status":"pending","revision":1}');
INSERT INTO "events" VALUES(14,'default',5,2,'request.declined',6,1795399108038,'{"reason":"refused","refusal":{"until":"2026-11-23T02:08:28.038Z","count":1},"queued":true,"settled_at":"2026-11-23T01:58:28.038Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"declined","revision":1}');
INSERT INTO "events" VALUES(15,'default',5,3,'request.created',7,1795399108087,'{"status":"pending","revision":1}');
INSERT INTO "events" VALUES(16,'default',5,4,'request.resolving',7,1795399108092,'{"submitted":{"values":{"where":"here"}},"submitted_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"check":{"state":"waiting","since":"2026-11-23T01:58:28.092Z","until":"2026-11-24T01:58:28.092Z"},"queued":true,"status":"resolving","revision":1}');
INSERT INTO "events" VALUES(17,'default',5,5,'request.answered',7,1795399108096,'{"source":"responder","answer":{"values":{"where":"here"}},"settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"settled_at":"2026-11-23T01:58:28.096Z","status":"answered","revision":1}');
INSERT INTO "events" VALUES(18,'default',6,1,'request.created',8,1795399108119,'{"status":"pending","revision":1,"expires_at":"2026-11-23T02:03:28.119Z"}');
INSERT INTO "events" VALUES(19,'default',6,2,'request.answered',8,1795399108122,'{"source":"responder","answer":{"decision":"approve","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","scope":"once","expires_at":"2026-11-23T02:58:28.122Z"},"queued":true,"settled_at":"2026-11-23T01:58:28.122Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:28.119Z"}');
INSERT INTO "events" VALUES(20,'default',6,3,'request.revoked',8,1795399108126,'{"source":"responder","answer":{"decision":"approve","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","scope":"once","expires_at":"2026-11-23T02:58:28.122Z"},"queued":true,"settled_at":"2026-11-23T01:58:28.122Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:28.119Z","revoked": {"at": "2026-11-23T01:58:28.125Z", "by": {"id": "tok_481ae9feb319b642004310a9fc", "name": "responder"}}}');
INSERT INTO "events" VALUES(21,'default',6,4,'request.created',9,1795399108131,'{"status":"pending","revision":1,"expires_at":"2026-11-23T02:03:28.131Z"}');
INSERT INTO "events" VALUES(22,'default',6,5,'request.answered',9,1795399108139,'{"source":"responder","answer":{"decision":"deny","digest":"67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7"},"refusal":{"until":"2026-11-23T02:08:28.139Z","count":1},"queued":true,"settled_at":"2026-11-23T01:58:28.139Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:28.131Z"}');
INSERT INTO "events" VALUES(23,'default',6,6,'message.added',NULL,1795399108171,'{"id":"msg_01m8320hjb2cb4j0qybbwwc67q","role":"agent","author":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"at":"2026-11-23T01:58:28.171Z","content":[{"type":"text","text":"Hello"}]}');
CREATE TABLE executions (
    request INTEGER PRIMARY KEY REFERENCES requests (key),
    id TEXT NOT NULL,
    consumed_at INTEGER NOT NULL,
    outcome TEXT,
    note TEXT
) STRICT;
INSERT INTO "executions" VALUES(8,'rev_01m8320hgx1tf0kkrn1rnvckey',1795399108125,'revoked',NULL);
CREATE TABLE grants (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    thread TEXT NOT NULL,
    requester TEXT NOT NULL,
    name TEXT NOT NULL,
    secret TEXT NOT NULL,
    request TEXT NOT NULL,
    UNIQUE (tenant, thread, name, requester)
) STRICT;
INSERT INTO "grants" VALUES(1,'default','t3','tok_8092d9a6c94e5056fbf067dedb','PAY_KEY','sec_01m8267vhfqhcyan59entzcxb8','req_01m8267vhd6m6ssfbw881pbvkf');
CREATE TABLE logins (
    digest TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    person TEXT NOT NULL,
    groups TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE messages (
    key INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (key),
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    data TEXT NOT NULL,
    streamed TEXT NOT NULL,
    held INTEGER NOT NULL DEFAULT 0,
    UNIQUE (thread, id)
) STRICT;
INSERT INTO "messages" VALUES(1,1,'msg_01m8267vgyart3eayrm2t0dsbt','tok_8092d9a6c94e5056fbf067dedb',1,'{"id":"msg_01m8267vgyart3eayrm2t0dsbt","role":"agent","author":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"at":"2026-11-22T17:53:07.614Z","content":[{"type":"text","text":"Hello."}]}','',0);
INSERT INTO "messages" VALUES(2,4,'msg_01m8267vhkkffycrh5fdaxasek','tok_8935c1bb0f92d0b37b36e8b822',1,'{"id":"msg_01m8267vhkkffycrh5fdaxasek","role":"user","author":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin"},"at":"2026-11-22T17:53:07.635Z","content":[{"type":"text","text":"Bye."}]}','',0);
INSERT INTO "messages" VALUES(3,6,'msg_01m8320hjb2cb4j0qybbwwc67q','tok_8092d9a6c94e5056fbf067dedb',6,'{"id":"msg_01m8320hjb2cb4j0qybbwwc67q","role":"agent","author":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"at":"2026-11-23T01:58:28.171Z","content":[{"type":"text","text":"Hello"}]}','',0);
CREATE TABLE policies (
    tenant TEXT NOT NULL,
    thread TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (tenant, thread)
) STRICT, WITHOUT ROWID;
CREATE TABLE refusals (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    thread TEXT NOT NULL,
    requester TEXT NOT NULL,
    identity TEXT NOT NULL,
    request TEXT NOT NULL,
    at INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;
INSERT INTO "refusals" VALUES(1,'default','t9','tok_8092d9a6c94e5056fbf067dedb','97cf77ed7b42d044608c54bb9f2f484d389998bf42ffa6b99df440ea1880474a','req_01m8320hdz145x7g6gpwqxyw5z',1795399108038,1795399708038);
INSERT INTO "refusals" VALUES(2,'default','t10','tok_8092d9a6c94e5056fbf067dedb','68364669026d2bdc7f7751baea5eb417faf7c076431fa49ce0a3dcf5fb88049e','req_01m8320hh3c85a021dgm1japam',1795399108139,1795399708139);
CREATE TABLE requests (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    thread INTEGER NOT NULL REFERENCES threads (key),
    kind TEXT NOT NULL,
    requester TEXT NOT NULL,
    status TEXT NOT NULL,
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    created_seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    spec TEXT NOT NULL,
    digest TEXT,
    due_at INTEGER,
    exclusive TEXT,
    behind INTEGER NOT NULL DEFAULT 0, hides_names INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, id)
) STRICT;
INSERT INTO "requests" VALUES(1,'default','req_01m8267vh0tspq8dfez01xj6rb',1,'form','tok_8092d9a6c94e5056fbf067dedb','answered',1,1795369987616,NULL,2,'{"source":"responder","answer":{"values":{"dish":"soup"}},"queued":true,"settled_at":"2026-11-22T17:53:07.618Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1}','{"id":"req_01m8267vh0tspq8dfez01xj6rb","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:07.616Z","kind":"form","thread_id":"t1","form":{"title":"Lunch","fields":[{"id":"dish","type":"text","label":"Dish"}]},"delivery":"resume"}',NULL,NULL,NULL,0,0);
INSERT INTO "requests" VALUES(2,'default','req_01m8267vh49gn82v4tegegw34n',1,'form','tok_8092d9a6c94e5056fbf067dedb','cancelled',1,1795369987620,NULL,4,'{"reason":"thread_archived","queued":true,"settled_at":"2026-11-22T17:53:07.637Z","settled_by":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin","role":"admin"},"status":"cancelled","revision":1}','{"id":"req_01m8267vh49gn82v4tegegw34n","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:07.620Z","kind":"form","thread_id":"t1","form":{"title":"Lunch","fields":[{"id":"dish","type":"text","label":"Dish"}]}}',NULL,NULL,NULL,0,0);
INSERT INTO "requests" VALUES(3,'default','req_01m8267vh7dyh29jqp7zxr1pk5',2,'approval','tok_8092d9a6c94e5056fbf067dedb','answered',1,1795369987623,1795370287623,1,'{"source":"responder","answer":{"decision":"approve","digest":"73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447","scope":"thread","expires_at":"2026-11-22T18:53:07.625Z","rule":{"id":"rul_01m8267vh9mh00dpz6ed8df6ar","text":"bash(git push)"}},"queued":true,"settled_at":"2026-11-22T17:53:07.625Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-22T17:58:07.623Z"}','{"id":"req_01m8267vh7dyh29jqp7zxr1pk5","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:07.623Z","thread_id":"t2","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"approval","on_timeout":"deny","timeout_s":300,"approval":{"tool":"bash","input":{"command":"git push"},"allow_edit":false,"quorum":1,"digest":"73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447","scopes":["once","thread","always"],"rule":"bash(git push)","reasons":["No rule allows `git push`."],"risk":{"level":"normal","reasons":[]},"preview":{"type":"command","headline":"bash: git push","parts":["git push"]}}}','73b4159b27274c48546f00a4d13835097dcc94c597777c58c2d47cc371a67447',1795370287623,NULL,0,0);
INSERT INTO "requests" VALUES(4,'default','req_01m8267vhbw0t41bjvpc7d7k3e',2,'approval','tok_8092d9a6c94e5056fbf067dedb','pending',1,1795369987627,NULL,3,'{"status":"pending","revision":1}','{"id":"req_01m8267vhbw0t41bjvpc7d7k3e","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:07.627Z","thread_id":"t2","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"approval","on_timeout":"resume","timeout_s":300,"approval":{"tool":"send_mail","input":{"to":"ada"},"allow_edit":false,"quorum":1,"digest":"64c53a36a6b01da3ca13f23556849e157136f9c964d29e93480b7cb663a468ed","scopes":["once","thread","always"],"rule":"send_mail {\"to\": \"ada\"}","reasons":["No rule allows the tool `send_mail` with this input."],"risk":{"level":"normal","reasons":[]},"preview":{"type":"json","headline":"send_mail: {\"to\": \"ada\"}","parts":["{\n  \"to\": \"ada\"\n}"]}}}','64c53a36a6b01da3ca13f23556849e157136f9c964d29e93480b7cb663a468ed',NULL,NULL,0,0);
INSERT INTO "requests" VALUES(5,'default','req_01m8267vhd6m6ssfbw881pbvkf',3,'secret','tok_8092d9a6c94e5056fbf067dedb','answered',1,1795369987629,NULL,1,'{"source":"responder","answer":{"names":["PAY_KEY"],"scope":"global","existing":[]},"queued":true,"settled_at":"2026-11-22T17:53:07.631Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1}','{"id":"req_01m8267vhd6m6ssfbw881pbvkf","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-22T17:53:07.629Z","thread_id":"t3","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"secret","on_timeout":"expire","secret":{"names":["PAY_KEY"],"reason":"To pay","default_scope":"global","metadata":{},"probe":false,"hide_names":true,"present":{}}}','784c8d4a801b490d76ffc24153723cce832357b73e5f3c05b94bffbfebe10027',NULL,NULL,0,1);
INSERT INTO "requests" VALUES(6,'default','req_01m8320hdz145x7g6gpwqxyw5z',5,'form','tok_8092d9a6c94e5056fbf067dedb','declined',1,1795399108031,NULL,1,'{"reason":"refused","refusal":{"until":"2026-11-23T02:08:28.038Z","count":1},"queued":true,"settled_at":"2026-11-23T01:58:28.038Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"declined","revision":1}','{"id":"req_01m8320hdz145x7g6gpwqxyw5z","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-23T01:58:28.031Z","kind":"form","thread_id":"t9","form":{"title":"Where?","fields":[{"id":"where","type":"text","label":"Where"}]}}',NULL,NULL,NULL,0,0);
INSERT INTO "requests" VALUES(7,'default','req_01m8320hfqb9hp6k3awgy9vptd',5,'form','tok_8092d9a6c94e5056fbf067dedb','answered',1,1795399108087,NULL,3,'{"source":"responder","answer":{"values":{"where":"here"}},"settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"settled_at":"2026-11-23T01:58:28.096Z","status":"answered","revision":1}','{"id":"req_01m8320hfqb9hp6k3awgy9vptd","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-23T01:58:28.087Z","kind":"form","thread_id":"t9","form":{"title":"And then?","fields":[{"id":"where","type":"text","label":"Where"}]},"validator":"requester"}',NULL,1795485508092,NULL,0,0);
INSERT INTO "requests" VALUES(8,'default','req_01m8320hgq8gn5x1f8x20q9p42',6,'approval','tok_8092d9a6c94e5056fbf067dedb','answered',1,1795399108119,1795399408119,1,'{"source":"responder","answer":{"decision":"approve","digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","scope":"once","expires_at":"2026-11-23T02:58:28.122Z"},"queued":true,"settled_at":"2026-11-23T01:58:28.122Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:28.119Z","revoked": {"at": "2026-11-23T01:58:28.125Z", "by": {"id": "tok_481ae9feb319b642004310a9fc", "name": "responder"}}}','{"id":"req_01m8320hgq8gn5x1f8x20q9p42","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-23T01:58:28.119Z","thread_id":"t10","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"approval","on_timeout":"deny","timeout_s":300,"approval":{"tool":"bash","input":{"command":"make deploy"},"allow_edit":false,"quorum":1,"digest":"da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49","scopes":["once","thread","always"],"rule":"bash(make deploy)","choices":[{"rule":"bash(make deploy)","kind":"exact","subject":null},{"rule":"bash(make deploy:*)","kind":"options","subject":"make deploy"}],"runs_project":true,"reasons":["No rule allows `make deploy`."],"reason_codes":[{"code":"no_rule","params":{"command":"make deploy"}}],"risk":{"level":"normal","reasons":[]},"preview":{"type":"command","headline":"bash: make deploy","parts":["make deploy"]}}}','da40f174c6652b515a4371a11d8a14ae5e0eba9f49f2d2cf56a19d1b1feb3b49',1795399408119,NULL,0,0);
INSERT INTO "requests" VALUES(9,'default','req_01m8320hh3c85a021dgm1japam',6,'approval','tok_8092d9a6c94e5056fbf067dedb','answered',1,1795399108131,1795399408131,4,'{"source":"responder","answer":{"decision":"deny","digest":"67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7"},"refusal":{"until":"2026-11-23T02:08:28.139Z","count":1},"queued":true,"settled_at":"2026-11-23T01:58:28.139Z","settled_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"status":"answered","revision":1,"expires_at":"2026-11-23T02:03:28.131Z"}','{"id":"req_01m8320hh3c85a021dgm1japam","requester":{"id":"tok_8092d9a6c94e5056fbf067dedb","name":"requester"},"created_at":"2026-11-23T01:58:28.131Z","thread_id":"t10","delivery":"block","auto_resume":true,"timeout_from":"created","require_client":"durable","on_conflict":"supersede","kind":"approval","on_timeout":"deny","timeout_s":300,"approval":{"tool":"bash","input":{"command":"make test"},"allow_edit":false,"quorum":1,"digest":"67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7","scopes":["once","thread","always"],"rule":"bash(make test)","choices":[{"rule":"bash(make test)","kind":"exact","subject":null},{"rule":"bash(make test:*)","kind":"options","subject":"make test"}],"runs_project":true,"reasons":["No rule allows `make test`."],"reason_codes":[{"code":"no_rule","params":{"command":"make test"}}],"risk":{"level":"normal","reasons":[]},"preview":{"type":"command","headline":"bash: make test","parts":["make test"]}}}','67779bb1c4f88f16f424e3c0080a7931cbf2fe94376ce2d2eedf0773619b3de7',1795399408131,NULL,0,0);
CREATE TABLE "resumes" (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    thread TEXT NOT NULL,
    requester TEXT NOT NULL,
    request TEXT NOT NULL,
    available_at INTEGER NOT NULL,
    held INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    finished_at INTEGER,
    cause TEXT NOT NULL DEFAULT '',
    UNIQUE (id, tenant),
    UNIQUE (tenant, request, cause)
) STRICT;
INSERT INTO "resumes" VALUES(1,'rsm_01m8267vh2g3bndcdfrd7z40ef','default','t1','tok_8092d9a6c94e5056fbf067dedb','req_01m8267vh0tspq8dfez01xj6rb',1795369987618,0,0,NULL,'');
INSERT INTO "resumes" VALUES(2,'rsm_01m8267vh9mh00dpz6ee31r8b6','default','t2','tok_8092d9a6c94e5056fbf067dedb','req_01m8267vh7dyh29jqp7zxr1pk5',1795369997625,1,0,NULL,'');
INSERT INTO "resumes" VALUES(3,'rsm_01m8267vhfqhcyan59eqtpqjt1','default','t3','tok_8092d9a6c94e5056fbf067dedb','req_01m8267vhd6m6ssfbw881pbvkf',1795369997631,1,0,NULL,'');
INSERT INTO "resumes" VALUES(4,'rsm_01m8267vhng0ypkpx687w2j8ah','default','t1','tok_8092d9a6c94e5056fbf067dedb','req_01m8267vh49gn82v4tegegw34n',1795399108147,1,1,NULL,'');
INSERT INTO "resumes" VALUES(5,'rsm_01m8320he6fn91deb4rajg3chp','default','t9','tok_8092d9a6c94e5056fbf067dedb','req_01m8320hdz145x7g6gpwqxyw5z',1795399118038,1,0,NULL,'');
INSERT INTO "resumes" VALUES(6,'rsm_01m8320hfw6p65p2v0c4kxw2dw','default','t9','tok_8092d9a6c94e5056fbf067dedb','req_01m8320hfqb9hp6k3awgy9vptd',1795399118092,1,0,NULL,'check:1');
INSERT INTO "resumes" VALUES(7,'rsm_01m8320hgtaj36y69res4pr7k5','default','t10','tok_8092d9a6c94e5056fbf067dedb','req_01m8320hgq8gn5x1f8x20q9p42',1795399118122,1,0,NULL,'');
INSERT INTO "resumes" VALUES(8,'rsm_01m8320hhbm0wajhjtwx7vndfx','default','t10','tok_8092d9a6c94e5056fbf067dedb','req_01m8320hh3c85a021dgm1japam',1795399118139,1,0,NULL,'');
CREATE TABLE rules (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    effect TEXT NOT NULL,
    text TEXT NOT NULL,
    scope TEXT NOT NULL,
    subject TEXT NOT NULL,
    locked INTEGER NOT NULL,
    shadow INTEGER NOT NULL,
    expires_at INTEGER,
    revoked INTEGER NOT NULL,
    wire TEXT NOT NULL, agent TEXT,
    UNIQUE (tenant, id)
) STRICT;
INSERT INTO "rules" VALUES(1,'rul_01m8267vh9mh00dpz6ed8df6ar','default','allow','bash(git push)','thread','t2',0,0,NULL,0,'{"agent":"tok_8092d9a6c94e5056fbf067dedb","id":"rul_01m8267vh9mh00dpz6ed8df6ar","effect":"allow","rule":"bash(git push)","scope":"thread","thread_id":"t2","locked":false,"shadow":false,"created_at":"2026-11-22T17:53:07.625Z","created_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"request_id":"req_01m8267vh7dyh29jqp7zxr1pk5"}','tok_8092d9a6c94e5056fbf067dedb');
CREATE TABLE secret_agents (
    tenant TEXT NOT NULL,
    secret TEXT NOT NULL,
    agent TEXT NOT NULL,
    PRIMARY KEY (tenant, secret, agent)
) STRICT, WITHOUT ROWID;
INSERT INTO "secret_agents" VALUES('default','sec_01m8267vhfqhcyan59entzcxb8','tok_8092d9a6c94e5056fbf067dedb');
CREATE TABLE secrets (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    wire TEXT NOT NULL,
    room BLOB NOT NULL,
    sealed TEXT NOT NULL,
    UNIQUE (id, tenant),
    UNIQUE (tenant, owner, scope, subject, name)
) STRICT;
INSERT INTO "secrets" VALUES(1,'sec_01m8267vhfqhcyan59entzcxb8','default','','global','','PAY_KEY',1,'{"id":"sec_01m8267vhfqhcyan59entzcxb8","name":"PAY_KEY","scope":"global","version":1,"set_at":"2026-11-22T17:53:07.631Z","set_by":{"id":"tok_481ae9feb319b642004310a9fc","name":"responder"},"request_id":"req_01m8267vhd6m6ssfbw881pbvkf"}',X'00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000','ab1.old.ifjp-wdFmNzzes_2GMFD5zyVNSlPH6bU5zwVOwySHVJUuSKQTQkSHEiWdNdRCd4tZUXkhaMVmQqwiEBe.E4E1vdqwUm5OPhrDoMytpMDpQgKVnlh3LVFoIjNT9jLadcgi9cFRcYpynI_WTvf00nFWpcz3peN_pAicMGvyNw5j4ZPpdLsX');
INSERT INTO "secrets" VALUES(2,'sec_01m8267vhhmzgbj7n3psf5wqh1','default','','request','whk_01m8267vhhmzgbj7n3pqv79c0h','SIGNING_SECRET',1,'{"id":"sec_01m8267vhhmzgbj7n3psf5wqh1","name":"SIGNING_SECRET","scope":"request","version":1,"set_at":"2026-11-22T17:53:07.633Z","set_by":{"id":"tok_8935c1bb0f92d0b37b36e8b822","name":"admin"}}',X'00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000','ab1.old.AAy83j6G8-mgB-qHejOqIQ_oPwMi4T1MtW4L-1BndPTo0I_rGiTp354WYORbK4opLmHmGZo_ito9XkLc.0IKZMtB0PCbYo7ruCmSGImdGWgG3SE7YkcnyLbEzdqPGyAtgeH2X-McuBgjCRMvXX1EsviPHjVO8Iqx8uPvnE0m09U8wlIqPj09N-br-gDXAaFm-Q48MHzXWu2aFVkPg2WXz5pXGV2L789wlz-U');
CREATE TABLE server (id TEXT NOT NULL) STRICT;
INSERT INTO "server" VALUES('f8db9f3bfa22851e');
CREATE TABLE threads (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    access TEXT,
    archived_at INTEGER,
    asked INTEGER NOT NULL DEFAULT 0,
    asked_from INTEGER NOT NULL DEFAULT 0,
    refused_at INTEGER, archiving INTEGER NOT NULL DEFAULT 0, agents TEXT,
    UNIQUE (tenant, id)
) STRICT;
INSERT INTO "threads" VALUES(1,'default','t1',6,NULL,1795369987636,2,1795369987616,NULL,0,'{"ids":["tok_8092d9a6c94e5056fbf067dedb"],"user":""}');
INSERT INTO "threads" VALUES(2,'default','t2',3,NULL,NULL,0,0,NULL,0,'{"ids":["tok_8092d9a6c94e5056fbf067dedb"],"user":""}');
INSERT INTO "threads" VALUES(3,'default','t3',2,NULL,NULL,0,0,NULL,0,'{"ids":["tok_8092d9a6c94e5056fbf067dedb"],"user":""}');
INSERT INTO "threads" VALUES(4,'default','t5',1,NULL,NULL,0,0,NULL,0,NULL);
INSERT INTO "threads" VALUES(5,'default','t9',5,NULL,NULL,2,1795399108031,1795399108038,0,'{"ids":["tok_8092d9a6c94e5056fbf067dedb"],"user":""}');
INSERT INTO "threads" VALUES(6,'default','t10',6,NULL,NULL,0,0,1795399108139,0,'{"ids":["tok_8092d9a6c94e5056fbf067dedb"],"user":""}');
CREATE TABLE tokens (
    digest TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    names TEXT NOT NULL,
    threads TEXT NOT NULL,
    person TEXT NOT NULL,
    groups TEXT NOT NULL
, id TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT 'unknown', created_at INTEGER, created_by TEXT, expires_at INTEGER, revoked_at INTEGER, revoked_by TEXT, last_used_at INTEGER) STRICT, WITHOUT ROWID;
INSERT INTO "tokens" VALUES('9084ea613f569fbfbffaf0de61b882d5c942f9030f6fede4e9a80b87cc4e1383','tok_21a6f34304d598e892e5f20067','default','operator','operator','[]','[]','tok_21a6f34304d598e892e5f20067','[]','tok_21a6f34304d598e892e5f20067','unknown',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "tokens" VALUES('a5853f7a447db79047d1b04303213df94693e85c1d7681bde2e5538d854faf37','tok_8092d9a6c94e5056fbf067dedb','default','requester','requester','[]','[]','tok_8092d9a6c94e5056fbf067dedb','[]','tok_8092d9a6c94e5056fbf067dedb','unknown',NULL,NULL,NULL,NULL,NULL,1795399108176);
INSERT INTO "tokens" VALUES('d3ce02bd1b62e71f936bafd8e75009f7cd5337c18e38268ff5efa6917f692184','tok_481ae9feb319b642004310a9fc','default','responder','responder','[]','[]','tok_481ae9feb319b642004310a9fc','[]','tok_481ae9feb319b642004310a9fc','unknown',NULL,NULL,NULL,NULL,NULL,1795399108184);
INSERT INTO "tokens" VALUES('dbc4727d6d58d7da83678a07b48a3c2126a447f3732a9dcba875d91ccf6d40b6','tok_8935c1bb0f92d0b37b36e8b822','default','admin','admin','[]','[]','tok_8935c1bb0f92d0b37b36e8b822','[]','tok_8935c1bb0f92d0b37b36e8b822','unknown',NULL,NULL,NULL,NULL,NULL,1795399108181);
CREATE TABLE webhooks (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    url TEXT NOT NULL,
    requester TEXT,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    cursor INTEGER NOT NULL,
    active INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;
INSERT INTO "webhooks" VALUES(1,'whk_01m8267vhhmzgbj7n3pqv79c0h','default','https://example.com/hook',NULL,'["resume"]','sec_01m8267vhhmzgbj7n3psf5wqh1',1795369987633,23,1);
CREATE INDEX requests_open ON requests (tenant, id) WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_open_thread ON requests (thread) WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_open_requester ON requests (tenant, requester) WHERE status IN ('pending', 'resolving');
CREATE UNIQUE INDEX requests_exclusive ON requests (thread, requester, exclusive)
    WHERE exclusive IS NOT NULL AND behind = 0 AND status IN ('pending', 'resolving');
CREATE INDEX requests_behind ON requests (thread, requester, exclusive, id)
    WHERE behind = 1 AND status IN ('pending', 'resolving');
CREATE INDEX requests_due ON requests (due_at)
    WHERE due_at IS NOT NULL AND status IN ('pending', 'resolving');
CREATE INDEX events_tenant ON events (tenant);
CREATE INDEX messages_seq ON messages (thread, seq);
CREATE INDEX messages_held ON messages (thread, seq) WHERE held = 1;
CREATE INDEX claims_target ON claims (tenant, target);
CREATE INDEX logins_end ON logins (expires_at);
CREATE INDEX rules_kept ON rules (tenant, scope, subject, id) WHERE revoked = 0;
CREATE INDEX secrets_listed ON secrets (tenant, id) WHERE scope <> 'request';
CREATE INDEX candidates_id ON candidates (id);
CREATE INDEX deliveries_due ON deliveries (tenant, webhook, next_at) WHERE state = 'waiting';
CREATE INDEX deliveries_ended ON deliveries (tenant, webhook, since) WHERE state <> 'waiting';
CREATE INDEX threads_archiving ON threads (archived_at) WHERE archiving = 1;
CREATE INDEX tokens_id ON tokens (tenant, id);
CREATE INDEX tokens_agent ON tokens (tenant, principal, id);
CREATE INDEX browser_sessions_end ON browser_sessions (expires_at);
CREATE INDEX browser_sessions_person ON browser_sessions (tenant, person);
CREATE INDEX resumes_open ON resumes (tenant, requester, available_at) WHERE finished_at IS NULL;
CREATE INDEX resumes_thread ON resumes (tenant, requester, thread, available_at) WHERE finished_at IS NULL;
CREATE INDEX refusals_identity ON refusals (tenant, thread, requester, identity, at);
CREATE INDEX refusals_request ON refusals (tenant, request);
CREATE INDEX requests_kind ON requests (tenant, kind, status, id);
CREATE INDEX requests_requester ON requests (tenant, requester, kind, status, id);
CREATE INDEX requests_thread ON requests (thread, id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',23);
COMMIT;
PRAGMA user_version = 11;
UPDATE requests SET expires_at = NULL, due_at = NULL, state = '{"status":"pending","revision":1}' WHERE status = 'pending';
