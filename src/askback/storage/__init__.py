"""Backends of the `Store` port; `server/app.py` chooses one."""
