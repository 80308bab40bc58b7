"""The protocol: the operations, their parameters, bodies and replies."""
