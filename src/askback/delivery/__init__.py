"""Buses: how a committed change reaches whoever waits for it. Siblings never import each other."""
