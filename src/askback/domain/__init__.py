"""What a request is and what may happen to it: data and pure functions, without I/O, clock, chance or logging."""
