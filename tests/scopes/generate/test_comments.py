"""Which comment at the start of a file speaks of the file."""

from __future__ import annotations

import pytest

from ctxcache.scopes.generate.prose import leading_comment


@pytest.mark.parametrize(
    ("suffix", "text", "said"),
    [
        (".sh", "#!/bin/sh\n# Moors every ship at night.\nset -e\n", "Moors every ship at night."),
        (".ts", "// Moors every ship at night.\n\nexport const a = 1;\n", "Moors every ship at night."),
        (".ts", "// Moors every ship at night.\nimport a from 'a';\n", "Moors every ship at night."),
        (".ts", "// Moors one ship at night.\nexport function moor() {}\n", ""),
        (
            ".ts",
            "/**\n * @file Moors every ship at night.\n * @author x\n */\nlet a;\n",
            "Moors every ship at night.",
        ),
        (
            ".js",
            "// Copyright 2026 A. B. and others\n\n/* Moors ships at night. */\n\nlet a;",
            "Moors ships at night.",
        ),
        (".js", "// eslint-disable no-console here please\n\nlet a;", ""),
        (".c", "/* Moors ships at night.\n *\n * And more. */\n\n#include <a.h>\n", "Moors ships at night."),
        (".css", "/* Colours of the night watch */\n\nbody {}\n", "Colours of the night watch"),
        (".sql", "-- Tables of the night watch\n\nCREATE TABLE a;", "Tables of the night watch"),
        (".scm", "; Variables -------\n(a)\n", ""),
        (".lua", "\ufeff-- Moors ships all night.\n\nx = 1", "Moors ships all night."),
        (".yaml", "# Who keeps watch at night\n\na: b\n", "Who keeps watch at night"),
        (".yaml", "# How many keep watch here\na: 3\n", ""),
        (".unknown", "# Moors ships at night\n", ""),
        (".ts", "", ""),
    ],
)
def test_only_a_comment_about_the_file_counts(suffix: str, text: str, said: str) -> None:
    assert leading_comment(suffix, text) == said
