"""The same job with other frameworks, each in its own environment."""
