-- 1 for a file that a message of its thread names: who may read the thread may download it.
ALTER TABLE files ADD COLUMN shared smallint NOT NULL DEFAULT 0;
