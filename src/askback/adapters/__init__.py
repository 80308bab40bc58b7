"""Adapters for agent frameworks: each translates between one framework and the public client, and is an extra."""
