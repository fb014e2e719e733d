"""What the screens are made of: each asks or shows, none of them computes."""
