"""The vault: how the values of secrets are sealed, and where the keys for that come from."""
