"""The `askback` command; each subcommand is a separate module, imported when it is called."""
