"""What is shown, as text with roles: nothing here knows of Textual."""
