"""From a query and a budget to documents, in order, and the reasons."""

from ..regex import require_sound_regex

require_sound_regex()
