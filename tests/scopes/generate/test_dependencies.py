"""What manifests declare, and where imports lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctxcache.scopes.generate import dependencies
from ctxcache.scopes.generate.dependencies import (
    ImportMap,
    PackageManifest,
    declared_packages,
    dependency_name,
    read_manifests,
)
from ctxcache.scopes.generate.python import Import

if TYPE_CHECKING:
    from pathlib import Path

PYPROJECT = """\
[project]
name = "harbour"
description = "A harbour\\n in a box"
dependencies = ["ruamel.yaml >=0.18", "numpy>=2; python_version > '3'"]
[project.scripts]
moor = "harbour.cli:main"
[tool.setuptools]
package-dir = { harbour = "src" }
[tool.pytest.ini_options]
"""


def manifest(folder: Path, name: str, text: str) -> PackageManifest:
    """The one manifest of a folder that has this file."""
    (folder / name).write_text(text)
    (found,) = read_manifests(str(folder), (name,))
    return found


def test_a_python_project_is_read(tmp_path: Path) -> None:
    found = manifest(tmp_path, "pyproject.toml", PYPROJECT)
    assert found == PackageManifest(
        "harbour",
        "A harbour in a box",
        ("ruamel.yaml >=0.18", "numpy>=2; python_version > '3'"),
        (("moor", "harbour.cli:main"),),
        ("pytest",),
        (("harbour", "src"),),
    )


def test_an_npm_package_is_read(tmp_path: Path) -> None:
    text = '{"name": "@acme/web", "bin": "cli.js", "scripts": {"test": "vitest"}, '
    text += '"dependencies": {"react": "^18"}}'
    found = manifest(tmp_path, "package.json", text)
    assert (found.name, found.dependencies) == ("@acme/web", ("react ^18",))
    assert (found.commands, found.testing) == ((("web", "cli.js"),), ("npm test (vitest)",))


def test_a_crate_is_read(tmp_path: Path) -> None:
    text = (
        '[package]\nname = "tide"\ndescription.workspace = true\n[dependencies]\nserde = { version = "1" }\n'
    )
    found = manifest(tmp_path, "Cargo.toml", text + 'tokio = "1"\nlocal = { path = "../local" }\n')
    assert (found.name, found.description, found.dependencies) == ("tide", "", ("serde 1", "tokio 1"))


def test_a_go_module_is_read(tmp_path: Path) -> None:
    text = "module example.com/acme\n\nrequire (\n\ta.org/gin v1.9.1\n\tb.org/text v0.1.0 // indirect\n)\n"
    found = manifest(tmp_path, "go.mod", text + "require c.org/one/v2 v2.0.0\n")
    assert (found.name, found.dependencies) == (
        "example.com/acme",
        ("a.org/gin v1.9.1", "c.org/one/v2 v2.0.0"),
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [("pyproject.toml", "["), ("package.json", "[]"), ("package.json", "{"), ("Cargo.toml", "package = 1\n")],
)
def test_a_malformed_manifest_declares_nothing(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_manifests(str(tmp_path), (name,)) == ()


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ("ruamel.yaml >=0.18", "ruamel-yaml"),
        ("PyYAML[x]==6", "pyyaml"),
        ("@acme/web ^1", "@acme/web"),
        ("", ""),
    ],
)
def test_names_are_comparable(declared: str, name: str) -> None:
    assert dependency_name(declared) == name


FILES: dict[str, list[str]] = {
    ".": ["setup.py", "pyproject.toml"],
    "src": ["__init__.py", "errors.py"],
    "src/quay": ["__init__.py", "berth.py"],
    "src/quay/dues": ["rates.py"],
    "json": ["README.md"],
    "tests": ["test_quay.py", "helpers.py"],
    "lib": [],
    "lib/tides": ["__init__.py"],
    "web": ["package.json", "index.ts"],
    "web/lib": ["api.ts", "index.ts"],
    "ui": ["package.json"],
    "svc": ["go.mod"],
    "svc/store": ["store.go"],
    "core": ["Cargo.toml"],
    "core/src": ["lib.rs"],
    "core/src/net": ["mod.rs"],
    "java/com/acme/sea": ["Ship.java"],
}
MANIFESTS = {
    ".": [PackageManifest("harbour", package_folders=(("harbour", "src"),))],
    "ui": [PackageManifest("@acme/ui")],
    "svc": [PackageManifest("example.com/acme")],
    "core": [PackageManifest("harbour-core")],
}


@pytest.mark.parametrize(
    ("scope", "language", "target", "leads_to"),
    [
        ("src/quay", "Python", ".berth", "src/quay"),
        ("src/quay", "Python", ".dues.rates.Rate", "src/quay/dues"),
        ("src/quay/dues", "Python", "...errors.Error", "src"),
        ("src/quay", "Python", ".....far", None),
        ("tests", "Python", "harbour.quay.berth", "src/quay"),
        ("tests", "Python", "helpers", "tests"),
        ("src", "Python", "tides.high", "lib/tides"),
        ("src", "Python", "json.loads", None),
        ("src", "Python", "numpy.linalg", None),
        ("web", "JavaScript", "./lib/api", "web/lib"),
        ("web", "JavaScript", "./lib", "web/lib"),
        ("web/lib", "JavaScript", "../index.js", "web"),
        ("web", "JavaScript", "../../outside", None),
        ("web", "JavaScript", "@acme/ui/button", "ui"),
        ("web", "JavaScript", "react", None),
        ("svc", "Go", "example.com/acme/store", "svc/store"),
        ("svc", "Go", "example.com/acme/gone", None),
        ("svc", "Go", "fmt", None),
        ("core/src", "Rust", "crate::net::Feed", "core/src/net"),
        ("core/src/net", "Rust", "super::tide", "core/src"),
        ("svc", "Rust", "harbour_core::net", "core/src/net"),
        ("svc", "Rust", "crate::x", None),
        ("src", "Java", "com.acme.sea.Ship", "java/com/acme/sea"),
        ("src", "Java", "com.acme.sea.Ship.Mast", "java/com/acme/sea"),
        ("src", "Java", "java.util.List", None),
    ],
)
def test_an_import_leads_to_a_directory(scope: str, language: str, target: str, leads_to: str | None) -> None:
    assert ImportMap("port", FILES, MANIFESTS).internal(scope, Import(language, target)) == leads_to


def test_a_root_that_is_a_package_is_known_by_its_folder() -> None:
    files = {".": ["__init__.py"], "css": ["a.py"]}
    assert ImportMap("widgets", files, {}).internal("css", Import("Python", "widgets.css.a")) == "css"


def test_only_what_is_declared_is_an_external_dependency() -> None:
    """An import of something undeclared says nothing about a version or even a package's name."""
    declared = ["ruamel.yaml>=0.18", "numpy>=2", "@acme/ui ^1", "a.org/gin v1", "serde 1"]
    items = [
        Import("Python", "ruamel.yaml.error"),
        Import("Python", ".numpy"),
        Import("JavaScript", "@acme/ui/x"),
        Import("Go", "a.org/gin/render"),
        Import("Rust", "serde::de"),
        Import("Python", "requests"),
    ]
    assert declared_packages(items, declared) == [
        "@acme/ui ^1",
        "a.org/gin v1",
        "ruamel.yaml>=0.18",
        "serde 1",
    ]


def test_a_go_module_of_blank_lines_is_read_in_one_pass() -> None:
    """Each blank line was taken for the beginning of all that follow: a megabyte took days."""
    assert dependencies._go_mod("\n" * 1_000_000 + "require a.b/c v1.0.0\n").dependencies == ("a.b/c v1.0.0",)
