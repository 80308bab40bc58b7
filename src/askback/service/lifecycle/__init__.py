"""The steps that requests of every kind go through, from opening to settling."""
