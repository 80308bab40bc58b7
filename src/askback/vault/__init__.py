"""The vault: seal the values of secrets, and manage the keys."""
