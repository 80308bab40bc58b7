"""The programs that `askback install` connects: their configuration files, and the entries for askback."""
