"""The resources of the client."""
