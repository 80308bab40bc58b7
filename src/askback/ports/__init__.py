"""What the services need from the outside, as protocols: store, bus, clock, identifiers."""
