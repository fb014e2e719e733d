"""One module a screen: it owns its state and wires what is asked to what is shown."""
