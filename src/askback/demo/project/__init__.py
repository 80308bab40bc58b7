"""The projects that the sample agent writes."""
