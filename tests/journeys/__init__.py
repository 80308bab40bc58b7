"""The guarantees to users, each test with the id of its requirement."""
