"""The dependencies of the services as protocols: store, bus, clock, identifiers."""
