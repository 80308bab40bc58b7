"""The built pages in a real browser, without a server."""
