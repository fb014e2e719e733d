"""The texts of the screens as spans with roles; nothing here imports Textual."""
