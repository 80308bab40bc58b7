"""What can be done with a request, one use case a file: the order of steps, and no rule of its own."""
