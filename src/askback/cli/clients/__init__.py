"""The programs that `askback install` connects: which files each reads, and what is added to them."""
