-- hides_names is 1 for a request for secrets whose names only those learn who may answer it. It was looked for in spec
-- before, where others can write it as well.
ALTER TABLE requests ADD COLUMN hides_names INTEGER NOT NULL DEFAULT 0;

UPDATE requests SET hides_names = 1
WHERE kind = 'secret' AND json_valid(spec) AND json_extract(spec, '$.secret.hide_names');
