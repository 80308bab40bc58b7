-- The limit that the asker set last with `question_limit`; null for a count that only the policy limits.
ALTER TABLE question_counts ADD COLUMN set_by_asker INTEGER;
