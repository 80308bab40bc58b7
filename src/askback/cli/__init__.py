"""The `askback` command; each command is a module of its own, imported when it is called."""
