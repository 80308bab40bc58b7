"""Webhooks: who is told, what of, and how it gets there."""
