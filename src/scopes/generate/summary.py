"""The facts and the purpose of a file, and the summaries of a directory and of the project."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..listing import DOCUMENTS, LANGUAGES, extension_of, read_source
from .dependencies import dependency_name
from .prose import LONGEST_SUMMARY, first_sentence, heading, lead, leading_comment, sentences
from .python import FileFacts
from .tree_worker import syntax_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .survey import DirectoryFacts, Survey

    TreeFacts = Callable[[str, str], FileFacts]

_PURPOSES = {
    "What the directory contexts leave out": ".contextignore",
    "What a container build leaves out": ".dockerignore",
    "Editor settings of the project": ".editorconfig",
    "Attributes that git gives to paths": ".gitattributes",
    "What git leaves out": ".gitignore",
    "Checks that run before a commit": ".pre-commit-config.yaml",
    "Exact versions of the Rust dependencies": "Cargo.lock",
    "Rust package: metadata and dependencies": "Cargo.toml",
    "CMake build": "CMakeLists.txt",
    "Container image of the project": "Dockerfile",
    "Ruby dependencies": "Gemfile",
    "Licence of the project": "LICENSE LICENSE.md LICENSE.txt",
    "Build and maintenance commands for make": "Makefile",
    "Gradle build": "build.gradle build.gradle.kts",
    "Containers that run together": "docker-compose.yaml docker-compose.yml",
    "Go module: path and dependencies": "go.mod",
    "Checksums of the Go dependencies": "go.sum",
    "Commands for just": "justfile",
    "MkDocs site: navigation and theme": "mkdocs.yml",
    "Exact versions of the npm dependencies": "package-lock.json pnpm-lock.yaml yarn.lock",
    "npm package: metadata, scripts and dependencies": "package.json",
    "Maven build: metadata and dependencies": "pom.xml",
    "Marks the package as typed": "py.typed",
    "Python project: metadata, dependencies and tool settings": "pyproject.toml",
    "Python dependencies": "requirements.txt",
    "Python project settings": "setup.cfg",
    "Python package build script": "setup.py",
    "Test environments for tox": "tox.ini",
    "TypeScript compiler settings": "tsconfig.json",
    "Exact versions of the Python dependencies": "uv.lock",
}
_KNOWN_FILES = {name: purpose for purpose, names in _PURPOSES.items() for name in names.split()}
"""The purpose of a file by its name."""

_MOST_NAMES = 4
_ENVIRONMENT = re.compile(
    r"""(?:\bos\.(?:environ(?:\.get)?|getenv)\s*[\[(]\s*["']|\bprocess\.env(?:\.|\[["'])|\bimport\.meta\.env\.
    |\bos\.(?:Getenv|LookupEnv)\("|\benv(?:::var(?:_os)?|!)\("|\bSystem\.getenv\("|\bENV\[["'])([A-Z][A-Z0-9_]+)\b""",
    re.VERBOSE,
)


def read_facts(directory: str, name: str, read_tree: TreeFacts = syntax_facts) -> FileFacts:
    """The facts of a file; a well-known name decides its purpose. Raises `OSError`."""
    text = read_source(f"{directory}/{name}")
    facts = facts_of(name, text, read_tree) if text is not None else FileFacts()
    purpose = _KNOWN_FILES.get(name)
    return facts._replace(purpose=purpose) if purpose else facts


def facts_of(name: str, text: str, read_tree: TreeFacts = syntax_facts) -> FileFacts:
    """The facts of a file with the name `name` and a text; `read_tree` reads those of its syntax tree."""
    suffix = extension_of(name)
    if suffix in DOCUMENTS:
        about = lead(name, text)
        return FileFacts(purpose=heading(name, text) or first_sentence(about), about=about)
    facts = read_tree(suffix, text)
    if not facts.about:
        about = leading_comment(suffix, text)
        facts = facts._replace(about=about, purpose=first_sentence(about) or facts.purpose)
    if facts.exports and not facts.purpose:
        facts = facts._replace(purpose=f"Defines {export_names(facts)}")
    if suffix in LANGUAGES:
        facts = facts._replace(environment=tuple(sorted(set(_ENVIRONMENT.findall(text)))))
    return facts


def export_names(facts: FileFacts) -> str:
    """The first names that a file exports, and the number of the others."""
    names = [export.name for export in facts.exports]
    rest = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + rest


_README = re.compile(r"(?:readme|index|_index)(?:\.\w+)?\Z", re.IGNORECASE)
_PACKAGE_FILES = ("__init__.py", "doc.go", "lib.rs", "mod.rs", "main.rs", "package-info.java")
_INDEX_FILES = ("index.ts", "index.tsx", "index.js", "index.mjs", "main.go", "__main__.py", "main.py")
_TEST = re.compile(r"(?:tests?|specs?|__tests__)\Z", re.IGNORECASE)
_ENDS = ".!?\u2026\u3002\u0964"
_FEWEST_WORDS = 3
_LONGEST_TITLE = 50
_MOST_NAMED = 6
_MOST_DESCRIBED = 3


class Summary(NamedTuple):
    """A few sentences about a directory."""

    text: str
    is_stated: bool
    """Whether the sources state it; else it lists the files and folders."""


def summarize(facts: DirectoryFacts, below: Mapping[str, str]) -> Summary:
    """The summary of a directory; `below` has the stated summaries of its folders by name, "" for none.

    The first usable statement decides: README, package documentation, manifest, the only file.
    """
    for statement in _statements(facts, is_leaf=not below):
        text = sentences(statement, most=2, longest=LONGEST_SUMMARY)
        if len(text.split()) >= _FEWEST_WORDS and not text.endswith(":"):
            return Summary(text if text[-1] in _ENDS else f"{text}.", is_stated=True)
    return Summary(_inventory(facts, below), is_stated=False)


def _statements(facts: DirectoryFacts, *, is_leaf: bool) -> Iterator[str]:
    """The texts in the sources of a directory about the whole directory, the best first."""
    yield from (
        _titled(file)
        for name, file in facts.files.items()
        if _README.match(name) and extension_of(name) in DOCUMENTS
    )
    yield from (facts.files[name].about for name in _PACKAGE_FILES if name in facts.files)
    yield from (file.about for name, file in facts.files.items() if name.endswith(".go") and file.about)
    yield from (manifest.description for manifest in facts.manifests)
    yield from (facts.files[name].about for name in _INDEX_FILES if name in facts.files)
    names = [name for name in facts.files if name not in ("__init__.py", "conftest.py")]
    if is_leaf and len(names) == 1:
        yield facts.files[names[0]].about or facts.files[names[0]].purpose


def _titled(document: FileFacts) -> str:
    """`title: lead` of a document; only the lead if it begins with the title, "" without a lead."""
    title, lead = document.purpose, document.about
    if not lead or len(title) > _LONGEST_TITLE or title.casefold() in lead[: 2 * _LONGEST_TITLE].casefold():
        return lead
    return f"{title}: {lead}"


def _inventory(facts: DirectoryFacts, below: Mapping[str, str]) -> str:
    """The documents, source files and folders of a directory, by titles and names."""
    parts = [*_documents(facts), *_code(facts)]
    if below:
        parts.append(("Leads to " if not parts else "Below: ") + _folders(below))
    return " ".join(f"{part}." for part in parts)


def _folders(below: Mapping[str, str]) -> str:
    """The names of the folders; if there are few, with their summaries."""
    if len(below) > _MOST_DESCRIBED:
        return _enumerated([f"{name}/" for name in below], longest=LONGEST_SUMMARY // 2, joint=", ")
    folders = [
        f"{name}/ ({first_sentence(summary, longest=90)})" if summary else f"{name}/"
        for name, summary in below.items()
    ]
    return _enumerated(folders, longest=LONGEST_SUMMARY)


def _documents(facts: DirectoryFacts) -> Iterator[str]:
    """The titles of the documents."""
    titles = [
        file.purpose or name
        for name, file in facts.files.items()
        if extension_of(name) in DOCUMENTS and file.purpose
    ]
    if titles:
        noun = "Document" if len(titles) == 1 else f"{len(titles)} documents"
        yield f"{noun}: {_enumerated(titles, longest=LONGEST_SUMMARY - 40)}"


def _code(facts: DirectoryFacts) -> Iterator[str]:
    """The source files of the two main languages, with their purposes."""
    by_language: dict[str, list[str]] = {}
    for name in facts.files:
        language = LANGUAGES.get(extension_of(name))
        if language and (name != "__init__.py" or facts.files[name].about):
            by_language.setdefault(language, []).append(name)
    for language, names in sorted(by_language.items(), key=lambda item: (-len(item[1]), item[0]))[:2]:
        is_test = bool(_TEST.search(facts.directory.scope)) or all("test" in name.lower() for name in names)
        noun = f"{language} test" if is_test else language
        count = f"{noun} file" if len(names) == 1 else f"{len(names)} {noun} files"
        files = [_described(name, facts.files[name]) for name in _by_weight(facts, names)]
        yield f"{count}: {_enumerated(files, longest=LONGEST_SUMMARY - 40)}"


def _by_weight(facts: DirectoryFacts, names: list[str]) -> list[str]:
    """Files with a description first, then those with exports, the larger ones first."""
    sizes = {file.name: file.size for file in facts.directory.listing.files}

    def order(name: str) -> tuple[bool, bool, int, str]:
        file = facts.files[name]
        return not file.about, not file.exports, -sizes.get(name, 0), name

    return sorted(names, key=order)


def _described(name: str, file: FileFacts) -> str:
    """The name of a file with its description, else with the names that it exports."""
    words = first_sentence(file.about, longest=90) if file.about else export_names(file)
    return f"{name} ({words})" if words else name


def _enumerated(items: list[str], *, longest: int, joint: str = "; ") -> str:
    """`a; b; c and 4 more`: as many items as fit, at least one."""
    taken: list[str] = []
    for item in items:
        if len(taken) == _MOST_NAMED or (taken and len(joint.join([*taken, item])) > longest):
            break
        taken.append(item)
    rest = len(items) - len(taken)
    return joint.join(taken) + (f" and {rest} more" if rest else "")


_MOST_PARTS = 80
_LOCK_FILES = {
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile.lock": "pipenv",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "Cargo.toml": "cargo",
    "go.mod": "go",
}
_FRAMEWORKS = (
    "django", "fastapi", "flask", "starlette", "litestar", "textual", "streamlit", "next", "nuxt",
    "@nestjs/core", "@angular/core", "svelte", "astro", "express", "fastify", "vue", "react", "axum",
    "actix-web", "rocket", "github.com/gin-gonic/gin", "github.com/labstack/echo", "github.com/gofiber/fiber",
)  # fmt: skip


def project_fields(survey: Survey) -> dict[str, Any] | None:
    """The fields about the project; None if its name, description or language cannot be derived."""
    manifests = survey.manifests.get(".", ())
    name = next((manifest.name for manifest in manifests if manifest.name), "") or _readme_title(survey)
    described = next((manifest.description for manifest in manifests if manifest.description), "")
    description = described or first_sentence(survey.derived_summary(".").text)
    language = _main_language(survey)
    if not (name and description and language):
        return None
    declared = {dependency_name(text) for manifest in manifests for text in manifest.dependencies}
    framework = next((item for item in _FRAMEWORKS if dependency_name(item) in declared), None)
    names = {file.name for file in survey.directories["."].listing.files}
    manager = next((manager for file, manager in _LOCK_FILES.items() if file in names), None)
    fields = {
        "name": name, "description": description, "language": language, "framework": framework,
        "package_manager": manager,
    }  # fmt: skip
    return {name: value for name, value in fields.items() if value}


def structure(survey: Survey) -> list[dict[str, str]]:
    """Path and summary of the scopes with sources; in a large project, those nearest the root."""
    scopes = [
        scope
        for scope, item in survey.directories.items()
        if scope != "." and item.eligible and (item.listing.sources or survey.summary(scope).is_stated)
    ]
    depth = max((scope.count("/") for scope in scopes), default=0)
    while len(scopes) > _MOST_PARTS and depth:
        depth -= 1
        scopes = [scope for scope in scopes if scope.count("/") <= depth]
    described = ((scope, first_sentence(survey.summary(scope).text)) for scope in sorted(scopes))
    return [{"path": scope, "summary": summary} for scope, summary in described if summary]


def _main_language(survey: Survey) -> str:
    """The programming language with the most bytes; without code, the document format."""
    for table in (LANGUAGES, DOCUMENTS):
        sizes: Counter[str] = Counter()
        for directory in survey.directories.values():
            for file in directory.listing.sources:
                if extension_of(file.name) in table:
                    sizes[table[extension_of(file.name)]] += file.size
        if sizes:
            return min(sizes, key=lambda name: (-sizes[name], name))
    return ""


def _readme_title(survey: Survey) -> str:
    directory = survey.directories["."]
    for file in directory.listing.sources:
        if file.name.lower().startswith("readme."):
            text = read_source(f"{directory.path}/{file.name}")
            return heading(file.name, text) if text else ""
    return ""


_TEST_STEM = re.compile(r"(?:test_(.+)|(.+)_test|(.+)[.-](?:test|spec)|(.+)Tests?)\Z")


def test_target(name: str) -> str | None:
    """The name of the file that a test file tests: `scan.py` for `test_scan.py`; None if it is no test."""
    stem, dot, suffix = name.rpartition(".")
    if extension_of(name) not in LANGUAGES:
        return None
    match = _TEST_STEM.match(stem)
    return f"{match[match.lastindex or 0]}{dot}{suffix}" if match else None
