"""Adding the server to a client's configuration file, and removing it, without other changes."""
