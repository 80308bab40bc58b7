-- Files that people upload for a form, and their bytes in chunks. changed_at is when the last bytes came, and 0 for a
-- file that is dropped. Chunks are deleted with their file, also one that is added while the file is being deleted.
CREATE TABLE files (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    field text NOT NULL,
    person text COLLATE "C" NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    size bigint NOT NULL,
    sha256 text NOT NULL,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    state text NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE INDEX files_request ON files (tenant, request);
CREATE INDEX files_thread ON files (tenant, thread);
CREATE INDEX files_unused ON files (changed_at) WHERE state IN ('uploading', 'dropped');
CREATE INDEX files_ready ON files (changed_at) WHERE state = 'ready';

CREATE TABLE file_chunks (
    tenant text COLLATE "C" NOT NULL,
    file text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (tenant, file, number),
    FOREIGN KEY (tenant, file) REFERENCES files (tenant, id) ON DELETE CASCADE
);
ALTER TABLE file_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
