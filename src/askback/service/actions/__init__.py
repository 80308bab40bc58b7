"""Actions: ask a person to do something elsewhere, and record the outcome."""
