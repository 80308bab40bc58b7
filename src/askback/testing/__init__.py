"""What is shipped for tests: conformance suites for stores and buses, and fakes that pass them."""
