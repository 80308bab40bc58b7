"""Files that people upload for a form."""
