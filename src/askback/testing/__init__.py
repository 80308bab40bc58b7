"""Test support for extensions: conformance suites for buses, presence registers and vaults, and fakes."""
