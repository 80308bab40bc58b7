"""Webhooks: manage them, queue their deliveries, and send them."""
