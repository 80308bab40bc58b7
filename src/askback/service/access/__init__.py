"""Access control: roles, tokens, sessions, and the access to threads."""
