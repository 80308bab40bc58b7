"""Secrets: request, submit, probe, lease, manage and rotate them."""
