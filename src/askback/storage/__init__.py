"""Backends of the `Store` port; `app.py` chooses one."""
