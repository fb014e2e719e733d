"""What only the root's context has: the project as a whole, and its structure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..kinds import DOCUMENTS, LANGUAGES, suffix_of
from ..prose import first_sentence, heading
from ..sources import read_source
from .manifests import dependency_name

if TYPE_CHECKING:
    from .survey import Survey

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
    *(
        "django",
        "fastapi",
        "flask",
        "starlette",
        "litestar",
        "textual",
        "streamlit",
        "next",
        "nuxt",
        "@nestjs/core",
    ),
    *(
        "@angular/core",
        "svelte",
        "astro",
        "express",
        "fastify",
        "vue",
        "react",
        "axum",
        "actix-web",
        "rocket",
    ),
    *("github.com/gin-gonic/gin", "github.com/labstack/echo", "github.com/gofiber/fiber"),
)


def project_fields(survey: Survey) -> dict[str, Any] | None:
    """Name, description and language of the project; None if one of them cannot be derived."""
    manifests = survey.manifests.get(".", ())
    name = next((manifest.name for manifest in manifests if manifest.name), "") or _readme_title(survey)
    described = next((manifest.description for manifest in manifests if manifest.description), "")
    description = described or first_sentence(survey.derived_summary(".").text)
    language = _main_language(survey)
    if not (name and description and language):
        return None
    fields = {"name": name, "description": description, "language": language}
    declared = {dependency_name(text) for manifest in manifests for text in manifest.dependencies}
    framework = next((item for item in _FRAMEWORKS if dependency_name(item) in declared), None)
    if framework:
        fields["framework"] = framework
    names = {file.name for file in survey.directories["."].listing.files}
    manager = next((manager for file, manager in _LOCK_FILES.items() if file in names), None)
    if manager:
        fields["package_manager"] = manager
    return fields


def structure(survey: Survey) -> list[dict[str, str]]:
    """The scopes below the root that have sources, a line each; of a large project those nearest the root."""
    scopes = [
        scope
        for scope, item in survey.directories.items()
        if scope != "." and item.eligible and (item.listing.sources or survey.summary(scope).said)
    ]
    depth = max((scope.count("/") for scope in scopes), default=0)
    while len(scopes) > _MOST_PARTS and depth:
        depth -= 1
        scopes = [scope for scope in scopes if scope.count("/") <= depth]
    described = ((scope, first_sentence(survey.summary(scope).text)) for scope in sorted(scopes))
    return [{"path": scope, "summary": summary} for scope, summary in described if summary]


def _main_language(survey: Survey) -> str:
    """The programming language with the most bytes; the document format where there is no code."""
    for table in (LANGUAGES, DOCUMENTS):
        sizes: Counter[str] = Counter()
        for directory in survey.directories.values():
            for file in directory.listing.sources:
                if suffix_of(file.name) in table:
                    sizes[table[suffix_of(file.name)]] += file.size
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
