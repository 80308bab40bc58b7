"""The project that the sample agent writes: what it is to be, its files, and how they reach the disk."""
