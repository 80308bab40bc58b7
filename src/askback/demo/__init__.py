"""The demo: a real agent that asks a person and then does what was agreed."""
