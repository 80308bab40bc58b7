"""Behaviours that users are promised, each test with the id of its requirement."""
