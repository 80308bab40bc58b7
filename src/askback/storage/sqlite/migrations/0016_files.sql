-- Files that people upload for a form, and their bytes in chunks. changed_at is when the last bytes came, and 0 for a
-- file that is dropped.
CREATE TABLE files (
    key INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    thread TEXT NOT NULL,
    request TEXT NOT NULL,
    field TEXT NOT NULL,
    person TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

CREATE INDEX files_request ON files (tenant, request);
CREATE INDEX files_thread ON files (tenant, thread);
CREATE INDEX files_unused ON files (changed_at) WHERE state IN ('uploading', 'dropped');
CREATE INDEX files_ready ON files (changed_at) WHERE state = 'ready';

CREATE TABLE file_chunks (
    tenant TEXT NOT NULL,
    file TEXT NOT NULL,
    number INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (tenant, file, number),
    FOREIGN KEY (tenant, file) REFERENCES files (tenant, id) ON DELETE CASCADE
) STRICT;
