"""The widgets of the screens: they show, post messages and compute nothing."""
