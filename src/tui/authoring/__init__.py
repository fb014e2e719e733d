"""What an author does from the inspector: see what changed, rebuild, save a test, run the tests."""
