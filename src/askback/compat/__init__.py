"""How other systems say what happens here: projections of our requests into their words, byte for byte.

Pure functions of what a client holds. Nothing of theirs goes the other way: what they send is translated at the edge.
"""
