-- The projection (`/compat/<system>`) that a token is limited to, empty for any other token.
ALTER TABLE tokens ADD COLUMN system TEXT NOT NULL DEFAULT '';
