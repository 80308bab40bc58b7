"""Benchmarks: `make bench` runs all, `make bench ARGS="roundtrip limits"` some of them."""
