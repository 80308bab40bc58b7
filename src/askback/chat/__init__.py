"""The agents of `askback chat`, and the host that lets one talk with a person in a thread.

The thread is the only state: a killed host reads it and continues.
"""
