"""The screens and their panels: they own state, handle messages and hand results to the widgets."""
