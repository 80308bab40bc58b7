"""Translations between our forms and requests and the formats of other systems.

Pure functions of data that a client has, without rules, storage or I/O of their own.
"""
