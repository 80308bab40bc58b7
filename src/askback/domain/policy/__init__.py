"""The policy: rules, levels and modes that decide what may run without asking, and a strict shell reader."""
