"""The queries of both databases and the logic around them, one module for each area, written once."""
