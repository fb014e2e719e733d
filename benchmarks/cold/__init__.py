"""What a command costs from its start to its end."""
