-- archiving is 1 from the moment a thread is archived until nothing that was open in it is left.
ALTER TABLE threads ADD COLUMN archiving INTEGER NOT NULL DEFAULT 0;

CREATE INDEX threads_archiving ON threads (archived_at) WHERE archiving = 1;
