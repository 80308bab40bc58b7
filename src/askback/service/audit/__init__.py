"""The audit log: read and seal it."""
