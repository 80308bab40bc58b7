"""The demo: a real agent that asks a person and then does the agreed work."""
