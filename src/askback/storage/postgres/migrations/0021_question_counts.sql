-- The forms of one tool, one agent, or one tool of an agent in a thread; name says which (domain/policy/question_limits.py).
CREATE TABLE question_counts (
    thread bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    asked bigint NOT NULL,
    asked_from bigint NOT NULL,
    PRIMARY KEY (thread, name)
);
