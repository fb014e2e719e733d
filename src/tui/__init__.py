"""The inspector: browse caches, ask queries, see what an agent would get, and why.

`views/` makes texts, and like the modules of the session imports no Textual. `widgets/` show and post
messages; `screens/` handle the messages, run the operations and hand the results to the widgets.
"""
