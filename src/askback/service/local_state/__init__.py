"""State that one server process keeps in memory and can lose."""
