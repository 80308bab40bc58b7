-- Whether only those who may answer learn the names of a request for secrets. It was looked for in spec before, where
-- others can write it as well. NULL where an older server wrote the row: then a request for secrets hides them.
ALTER TABLE requests ADD COLUMN hides_names boolean;

UPDATE requests SET hides_names = spec LIKE '%"hide_names":true%' WHERE kind = 'secret';
