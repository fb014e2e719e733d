"""What package manifests declare: `pyproject.toml`, `package.json`, `Cargo.toml`, `go.mod`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ...tomlio import parse
from ..listing import read_source
from .prose import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = re.compile(r"[A-Za-z0-9@][\w.@/-]*")
_GO_REQUIRE = re.compile(
    r"^[ \t]*+(?:require[ \t]++)?(?=[^\s/]*\.)([\w.-]++/\S++)[ \t]++(v\S++)(?!.*//\s*indirect)", re.MULTILINE
)


class Manifest(NamedTuple):
    """One manifest; empty where it says nothing."""

    file: str
    language: str
    name: str = ""
    description: str = ""
    dependencies: tuple[str, ...] = ()
    """As declared: `pydantic>=2`, `react ^18`."""
    commands: tuple[tuple[str, str], ...] = ()
    """Programs that it installs, and what they run."""
    testing: tuple[str, ...] = ()
    """How its tests are run."""
    package_folders: tuple[tuple[str, str], ...] = ()
    """Import names and the folders that hold them, where it says so."""


def read_manifests(directory: str, names: tuple[str, ...]) -> tuple[Manifest, ...]:
    """The manifests of a directory that can be read, among its file names."""
    found = []
    for file, read in _READERS.items():
        text = read_source(f"{directory}/{file}") if file in names else None
        if text is None:
            continue
        try:
            found.append(read(file, text))
        except (ValueError, AttributeError, TypeError, RecursionError):
            continue  # malformed: it declares nothing that could be relied on
    return tuple(found)


def dependency_name(declared: str) -> str:
    """The package that a declaration names, in the form in which two names can be compared."""
    match = _NAME.match(declared)
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def _pyproject(file: str, text: str) -> Manifest:
    data = parse(text)
    project, tool = data.get("project", {}), data.get("tool", {})
    poetry = tool.get("poetry", {})
    declared = [one_line(item) for item in project.get("dependencies", ())]
    declared += _versions({k: v for k, v in poetry.get("dependencies", {}).items() if k != "python"})
    scripts = project.get("scripts", {}) | poetry.get("scripts", {})
    return Manifest(
        file,
        "Python",
        name=project.get("name") or poetry.get("name", ""),
        description=one_line(project.get("description") or poetry.get("description", "")),
        dependencies=tuple(declared),
        commands=tuple((name, target) for name, target in scripts.items() if isinstance(target, str)),
        testing=("pytest",) if "pytest" in tool else (),
        package_folders=tuple(tool.get("setuptools", {}).get("package-dir", {}).items()),
    )


def _package_json(file: str, text: str) -> Manifest:
    data = json.loads(text)
    programs = data.get("bin", {})
    name = data.get("name", "")
    if isinstance(programs, str):
        programs = {name.rpartition("/")[2]: programs}
    test = data.get("scripts", {}).get("test", "")
    return Manifest(
        file,
        "JavaScript",
        name=name,
        description=one_line(data.get("description", "")),
        dependencies=_versions(data.get("dependencies", {})),
        commands=tuple(programs.items()),
        testing=(f"npm test ({test})",) if test and "no test specified" not in test else (),
    )


def _cargo(file: str, text: str) -> Manifest:
    data = parse(text)
    package = data.get("package", {})
    external = {
        k: v for k, v in data.get("dependencies", {}).items() if "path" not in v or isinstance(v, str)
    }
    description = package.get("description", "")
    return Manifest(
        file,
        "Rust",
        name=package.get("name", ""),
        description=one_line(description) if isinstance(description, str) else "",
        dependencies=_versions(external),
        commands=tuple(
            (item["name"], item.get("path", "")) for item in data.get("bin", ()) if "name" in item
        ),
        testing=("cargo test",),
    )


def _go_mod(file: str, text: str) -> Manifest:
    module = re.search(r"^module\s+(\S+)", text, re.MULTILINE)
    required = tuple(f"{name} {version}" for name, version in _GO_REQUIRE.findall(text))
    return Manifest(
        file, "Go", name=module[1] if module else "", dependencies=required, testing=("go test ./...",)
    )


def _versions(table: dict[str, Any]) -> tuple[str, ...]:
    """`name version` for each entry of a table of dependencies."""
    declared = []
    for name, value in table.items():
        version = value.get("version", "") if isinstance(value, dict) else value
        declared.append(f"{name} {version}".strip() if isinstance(version, str) else name)
    return tuple(declared)


_READERS: dict[str, Callable[[str, str], Manifest]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
}
