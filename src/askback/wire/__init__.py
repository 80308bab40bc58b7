"""What travels between askback and its callers: the operations, their parameters, bodies and replies."""
