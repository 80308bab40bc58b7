"""Deliver outcomes and events: waits, subscriptions, resumes."""
