"""Configuring clients to start the server: one client's own file, everything else in it kept."""
