"""The domain: typed data and pure functions, without I/O, clock, randomness or logging."""
