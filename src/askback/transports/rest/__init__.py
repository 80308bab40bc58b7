"""JSON over HTTP, and the web pages."""
