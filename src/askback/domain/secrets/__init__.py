"""The rules for secrets: the type that holds a value, and the names that are allowed."""
