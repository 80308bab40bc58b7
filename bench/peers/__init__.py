"""The same job by others, each in an environment of its own."""
