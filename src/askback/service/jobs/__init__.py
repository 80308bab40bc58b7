"""Background jobs: deadlines, follow-ups, recovery after a restart."""
