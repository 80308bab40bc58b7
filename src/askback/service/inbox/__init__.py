"""What people do in the inbox beside answering."""
