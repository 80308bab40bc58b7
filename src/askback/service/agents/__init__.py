"""Agents, and the credentials of programs and browsers."""
