"""From folders to caches: sources, splitting, the pipeline, the report."""

from ..regex import require_sound_regex

require_sound_regex()
