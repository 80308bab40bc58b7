-- archiving holds from the moment a thread is archived until nothing that was open in it is left.
ALTER TABLE threads ADD COLUMN archiving boolean NOT NULL DEFAULT FALSE;

CREATE INDEX threads_archiving ON threads (archived_at) WHERE archiving;
