"""What is shipped for tests: conformance suites for buses, presence registers and vaults, and fakes."""
