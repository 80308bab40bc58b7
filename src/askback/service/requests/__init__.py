"""Create, answer, decline and cancel requests of every kind."""
