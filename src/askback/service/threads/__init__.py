"""Threads: messages, access, archive, export, erase."""
