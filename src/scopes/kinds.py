"""Which files people write, and in what language."""

from __future__ import annotations

_LANGUAGES = {
    "Ada": ".adb .ads", "Assembly": ".asm .s", "Astro": ".astro", "C": ".c .h", "C#": ".cs",
    "C++": ".cc .cpp .cxx .hh .hpp .hxx", "Clojure": ".clj .cljs", "CUDA": ".cu", "D": ".d", "Dart": ".dart",
    "Elixir": ".ex .exs", "Elm": ".elm", "Erlang": ".erl", "F#": ".fs", "Fortran": ".f90", "GDScript": ".gd",
    "Go": ".go", "Groovy": ".gradle .groovy", "Haskell": ".hs", "Java": ".java",
    "JavaScript": ".cjs .js .jsx .mjs", "Julia": ".jl", "Jupyter": ".ipynb", "Kotlin": ".kt .kts",
    "Lisp": ".lisp", "Lua": ".lua", "Nim": ".nim", "Nix": ".nix", "Objective-C": ".m .mm",
    "OCaml": ".ml .mli", "Perl": ".pl .pm", "PHP": ".php", "PowerShell": ".ps1 .psm1",
    "Python": ".py .pyi .pyx", "R": ".r", "Racket": ".rkt", "Ruby": ".rb", "Rust": ".rs", "Scala": ".scala",
    "Scheme": ".scm",
    "shell": ".bash .fish .sh .zsh", "Solidity": ".sol", "SQL": ".sql", "Svelte": ".svelte",
    "Swift": ".swift", "SystemVerilog": ".sv", "Tcl": ".tcl", "Terraform": ".hcl .tf",
    "TypeScript": ".cts .mts .ts .tsx",
    "Verilog": ".v", "VHDL": ".vhd .vhdl", "Vim script": ".vim", "Visual Basic": ".vb", "Vue": ".vue",
    "Zig": ".zig",
}  # fmt: skip

_MARKUP = {
    "CSS": ".css .less .sass .scss .tcss", "GraphQL": ".gql .graphql", "HTML": ".htm .html",
    "INI": ".cfg .ini", "Protocol Buffers": ".proto", "TOML": ".toml", "YAML": ".yaml .yml", "batch": ".bat",
    "CMake": ".cmake", "awk": ".awk",
}  # fmt: skip

_DOCUMENTS = {
    "AsciiDoc": ".adoc .asciidoc", "LaTeX": ".tex", "Markdown": ".markdown .md .mdown .mdx .mkd",
    "Org": ".org", "reStructuredText": ".rst", "text": ".text .txt",
}  # fmt: skip


def _by_suffix(table: dict[str, str]) -> dict[str, str]:
    return {suffix: name for name, suffixes in table.items() for suffix in suffixes.split()}


LANGUAGES = _by_suffix(_LANGUAGES)
"""Programming language by extension, in lower case."""

DOCUMENTS = _by_suffix(_DOCUMENTS)
"""Document format by extension, in lower case."""

_SUFFIXES = frozenset(LANGUAGES) | frozenset(DOCUMENTS) | frozenset(_by_suffix(_MARKUP))
_NAMES = frozenset((
    "BUILD", "Containerfile", "Dockerfile", "Gemfile", "Jenkinsfile", "Justfile", "Makefile", "Procfile",
    "Rakefile", "WORKSPACE", "justfile", "makefile",
))  # fmt: skip


def suffix_of(name: str) -> str:
    """The extension of a file name, in lower case, with its dot."""
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def is_source(name: str) -> bool:
    """Whether people write such a file: source, markup, configuration, a document; not data (JSON, CSV)."""
    return suffix_of(name) in _SUFFIXES or name in _NAMES
