"""What may run without asking: rules, levels and modes, and a strict reading of shell commands. No I/O, no clock."""
