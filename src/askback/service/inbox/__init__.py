"""The inbox: assignments, comments, reminders, history and missed requests."""
