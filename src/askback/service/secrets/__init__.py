"""What can be done with secrets: asked for, handed over, tried, used, kept and put under another key."""
