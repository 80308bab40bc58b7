"""Strict readers of shell commands: a command that is not understood completely needs approval."""
