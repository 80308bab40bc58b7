-- The languages of the person who clicked, to say later which texts they saw: a JSON list.
ALTER TABLE oauth_attempts ADD COLUMN languages TEXT NOT NULL DEFAULT '[]';
