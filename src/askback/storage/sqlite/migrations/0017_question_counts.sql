-- The forms of one tool, one agent, or one tool of an agent in a thread; name says which (domain/policy/question_limits.py).
CREATE TABLE question_counts (
    thread INTEGER NOT NULL,
    name TEXT NOT NULL,
    asked INTEGER NOT NULL,
    asked_from INTEGER NOT NULL,
    PRIMARY KEY (thread, name)
) STRICT, WITHOUT ROWID;
