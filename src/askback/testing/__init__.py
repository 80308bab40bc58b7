"""What is shipped for tests: conformance suites for stores, buses and vaults, and fakes that pass them."""
