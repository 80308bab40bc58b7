"""Shell commands, read strictly: what is not understood completely is asked."""
