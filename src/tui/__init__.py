"""The inspector: browse caches, ask, see what an agent would get, and why.

State, figures and texts are modules of this folder that know nothing of Textual; `widgets/`
ask and show; `screens/` own state and wire what is asked to what is shown.
"""
