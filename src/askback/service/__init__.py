"""The use cases of the service, one per file. They set the order of steps and contain no rules."""
