"""The dependencies of directories: other directories by their imports, packages by their manifests."""

from __future__ import annotations

import json
import posixpath
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ...tomlio import parse
from ..listing import read_source
from .prose import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .python import Import

_DROPPED = (
    "aifc asynchat asyncore audioop cgi cgitb chunk crypt distutils imghdr imp lib2to3 mailcap msilib nis "
    "nntplib ossaudiodev pipes smtpd sndhdr spwd sunau telnetlib uu xdrlib"
)
_STANDARD = sys.stdlib_module_names | set(_DROPPED.split())
"""The standard library, with the modules that newer Pythons removed, so that all versions agree."""
_PYTHON_ROOTS = (".", "src", "lib", "python")
_SCRIPT_SUFFIXES = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")


class ImportMap:
    """Resolves imports to directories of a project. Scopes name directories, `.` the root."""

    def __init__(
        self,
        name: str,
        files: Mapping[str, Iterable[str]],
        manifests: Mapping[str, Iterable[PackageManifest]],
    ) -> None:
        """`name` is that of the root's folder; `files` and `manifests` are given by scope."""
        self._files = {scope: frozenset(names) for scope, names in files.items()}
        self._packages: dict[str, str] = {}
        self._modules: dict[str, str] = {}
        for scope, declared in manifests.items():
            for manifest in declared:
                if manifest.name:
                    self._modules[manifest.name] = scope
                for package, folder in manifest.package_folders:
                    self._packages[package] = _join(scope, folder)
        if "__init__.py" in self._files.get(".", ()):
            self._packages.setdefault(name, ".")
        self._by_name: dict[str, list[str]] = {}
        for scope in self._files:
            self._by_name.setdefault(posixpath.basename(scope), []).append(scope)

    def internal(self, scope: str, item: Import) -> str | None:
        """The directory of the project that an import in `scope` means; None if it means none."""
        find = {
            "Python": self._python,
            "JavaScript": self._script,
            "Go": self._go,
            "Rust": self._rust,
            "Java": self._java,
        }[item.language]
        return find(scope, item.target)

    def _python(self, scope: str, target: str) -> str | None:
        dotted = target.lstrip(".")
        level = len(target) - len(dotted)
        parts = dotted.split(".")
        if level:
            base = _join(scope, "/".join([".."] * (level - 1)))
            return self._descend(base, parts) if base in self._files else None
        if parts[0] in self._packages:
            return self._descend(self._packages[parts[0]], parts[1:])
        if parts[0] in _STANDARD:
            return None
        for root in (*_PYTHON_ROOTS, *_ancestors(scope)):
            below = _join(root, parts[0])
            if below in self._files and any(name.endswith((".py", ".pyi")) for name in self._files[below]):
                return self._descend(below, parts[1:])
            if f"{parts[0]}.py" in self._files.get(root, ()):
                return root
        return None

    def _descend(self, base: str, parts: Iterable[str]) -> str:
        """The deepest directory along a dotted name."""
        for part in parts:
            below = _join(base, part)
            if below not in self._files:
                break
            base = below
        return base

    def _script(self, scope: str, target: str) -> str | None:
        if target.startswith("."):
            path = _join(scope, target)
            folder, name = posixpath.split(path)
            folder = folder or "."
            files = self._files.get(folder, frozenset())
            stem = posixpath.splitext(name)[0]
            if any(f"{base}{suffix}" in files for suffix in _SCRIPT_SUFFIXES for base in (name, stem)):
                return folder
            return path if path in self._files else None
        return self._modules.get(package_of(target))

    def _go(self, scope: str, target: str) -> str | None:
        for module, root in self._modules.items():
            if target == module or target.startswith(f"{module}/"):
                below = _join(root, target[len(module) :].lstrip("/"))
                return below if below in self._files else None
        return None

    def _rust(self, scope: str, target: str) -> str | None:
        head, *parts = target.split("::")
        if head == "super":
            return self._descend(posixpath.dirname(scope) or ".", parts)
        if head == "crate":
            for above in _ancestors(scope):
                if not {"lib.rs", "main.rs"}.isdisjoint(self._files.get(above, ())):
                    return self._descend(above, parts)
            return None
        for name in (head, head.replace("_", "-")):
            if name in self._modules:
                return self._descend(_join(self._modules[name], "src"), parts)
        return None

    def _java(self, scope: str, target: str) -> str | None:
        parts = target.split(".")
        while parts and (parts[-1][:1].isupper() or parts[-1] == "*"):
            parts.pop()
        path = "/".join(parts)
        candidates = self._by_name.get(parts[-1], ()) if parts else ()
        return next((c for c in sorted(candidates) if c == path or c.endswith(f"/{path}")), None)


def declared_packages(items: Iterable[Import], declared: Iterable[str]) -> list[str]:
    """The declarations of those packages that are imported."""
    names: set[str] = set()
    for item in items:
        names |= _possible_names(item)
    return sorted({text for text in declared if dependency_name(text) in names})


def package_of(target: str) -> str:
    """The npm package of an import: `@scope/name/part` is `@scope/name`."""
    return "/".join(target.split("/")[: 2 if target.startswith("@") else 1])


def _possible_names(item: Import) -> set[str]:
    """The normalized names of the packages that an import may come from."""
    if item.language == "Python":
        parts = item.target.split(".")
        return {dependency_name(".".join(parts[:end])) for end in (1, 2, 3) if parts[0]}
    if item.language == "JavaScript":
        return {dependency_name(package_of(item.target))}
    if item.language == "Go":
        parts = item.target.split("/")
        return {dependency_name("/".join(parts[:end])) for end in range(2, len(parts) + 1)}
    return {dependency_name(item.target.partition("::")[0])} if item.language == "Rust" else set()


def _join(scope: str, path: str) -> str:
    """A directory below another, normalized; `.` is the root."""
    return posixpath.normpath(posixpath.join(scope, path))


def _ancestors(scope: str) -> Iterable[str]:
    """A directory and those above it, up to the root."""
    while scope != ".":
        yield scope
        scope = posixpath.dirname(scope) or "."
    yield "."


_NAME = re.compile(r"[A-Za-z0-9@][\w.@/-]*")
_GO_REQUIRE = re.compile(
    r"^[ \t]*+(?:require[ \t]++)?(?=[^\s/]*\.)([\w.-]++/\S++)[ \t]++(v\S++)(?!.*//\s*indirect)", re.MULTILINE
)


class PackageManifest(NamedTuple):
    """The fields of a manifest; empty where it has none."""

    name: str = ""
    description: str = ""
    dependencies: tuple[str, ...] = ()
    """As declared: `pydantic>=2`, `react ^18`."""
    commands: tuple[tuple[str, str], ...] = ()
    """(name of a program that it installs, what the program runs)."""
    testing: tuple[str, ...] = ()
    """The commands that run its tests."""
    package_folders: tuple[tuple[str, str], ...] = ()
    """(import name, folder of the package), where it is configured."""


def read_manifests(directory: str, names: tuple[str, ...]) -> tuple[PackageManifest, ...]:
    """The readable manifests of a directory, given the names of its files."""
    manifests = []
    for file, read in _READERS.items():
        text = read_source(f"{directory}/{file}") if file in names else None
        if text is None:
            continue
        try:
            manifests.append(read(text))
        except (ValueError, AttributeError, TypeError, RecursionError):
            continue  # malformed
    return tuple(manifests)


def dependency_name(declared: str) -> str:
    """The normalized name of the package in a declaration."""
    match = _NAME.match(declared)
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def _pyproject(text: str) -> PackageManifest:
    data = parse(text)
    project, tool = data.get("project", {}), data.get("tool", {})
    poetry = tool.get("poetry", {})
    declared = [one_line(item) for item in project.get("dependencies", ())]
    declared += _versions({k: v for k, v in poetry.get("dependencies", {}).items() if k != "python"})
    scripts = project.get("scripts", {}) | poetry.get("scripts", {})
    return PackageManifest(
        name=project.get("name") or poetry.get("name", ""),
        description=one_line(project.get("description") or poetry.get("description", "")),
        dependencies=tuple(declared),
        commands=tuple((name, target) for name, target in scripts.items() if isinstance(target, str)),
        testing=("pytest",) if "pytest" in tool else (),
        package_folders=tuple(tool.get("setuptools", {}).get("package-dir", {}).items()),
    )


def _package_json(text: str) -> PackageManifest:
    data = json.loads(text)
    programs = data.get("bin", {})
    name = data.get("name", "")
    if isinstance(programs, str):
        programs = {name.rpartition("/")[2]: programs}
    test = data.get("scripts", {}).get("test", "")
    return PackageManifest(
        name=name,
        description=one_line(data.get("description", "")),
        dependencies=_versions(data.get("dependencies", {})),
        commands=tuple(programs.items()),
        testing=(f"npm test ({test})",) if test and "no test specified" not in test else (),
    )


def _cargo(text: str) -> PackageManifest:
    data = parse(text)
    package = data.get("package", {})
    external = {
        k: v for k, v in data.get("dependencies", {}).items() if "path" not in v or isinstance(v, str)
    }
    description = package.get("description", "")
    return PackageManifest(
        name=package.get("name", ""),
        description=one_line(description) if isinstance(description, str) else "",
        dependencies=_versions(external),
        commands=tuple(
            (item["name"], item.get("path", "")) for item in data.get("bin", ()) if "name" in item
        ),
        testing=("cargo test",),
    )


def _go_mod(text: str) -> PackageManifest:
    module = re.search(r"^module\s+(\S+)", text, re.MULTILINE)
    required = tuple(f"{name} {version}" for name, version in _GO_REQUIRE.findall(text))
    return PackageManifest(
        name=module[1] if module else "", dependencies=required, testing=("go test ./...",)
    )


def _versions(table: dict[str, Any]) -> tuple[str, ...]:
    """`name version` for each entry of a table of dependencies."""
    declared = []
    for name, value in table.items():
        version = value.get("version", "") if isinstance(value, dict) else value
        declared.append(f"{name} {version}".strip() if isinstance(version, str) else name)
    return tuple(declared)


_READERS: dict[str, Callable[[str], PackageManifest]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
}
