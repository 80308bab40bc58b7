-- Whether the answers of people are also written into the thread as their messages.
ALTER TABLE threads ADD COLUMN answers_as_messages INTEGER NOT NULL DEFAULT 0;
