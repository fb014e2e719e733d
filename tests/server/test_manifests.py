"""The files that registries and clients read about the server, against the project itself."""

from __future__ import annotations

import json
import tomllib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

from ctxcache import __version__
from ctxcache.cli.main import command_of
from ctxcache.server.serve import ServeOptions, toolbox_of

REPO = Path(__file__).parents[2]


def read(name: str) -> Any:
    """A JSON or TOML file of the project."""
    text = (REPO / name).read_text("utf-8")
    return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)


def test_all_say_the_version_of_the_project() -> None:
    project, bundled = read("pyproject.toml")["project"], read("mcpb/pyproject.toml")["project"]
    registry, bundle = read("server.json"), read("mcpb/manifest.json")
    (package,) = registry["packages"]
    assert project["version"] == __version__
    assert {each["version"] for each in (registry, package, bundle, bundled)} == {__version__}
    assert bundled["dependencies"] == [f"{project['name']}=={__version__}"]
    assert bundle["license"] == project["license"]
    assert bundle["compatibility"]["runtimes"]["python"] == project["requires-python"]


def test_the_package_can_be_run_by_its_name() -> None:
    """`uvx ctxcache serve`, which a registry's entry leads to, runs the script of that name."""
    (package,) = read("server.json")["packages"]
    assert package["identifier"] in read("pyproject.toml")["project"]["scripts"]
    assert package["packageArguments"][0] == {"type": "positional", "value": "serve"}


def test_the_descriptions_fit_where_they_are_shown() -> None:
    assert read("server.json")["description"] == read("mcpb/manifest.json")["description"]
    assert len(read("server.json")["description"]) <= 100


def test_the_description_of_the_package_claims_its_name_in_the_registry() -> None:
    """The registry takes an entry only for a package whose own page names it."""
    assert f"<!-- mcp-name: {read('server.json')['name']} -->" in (REPO / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["server.json", "mcpb/manifest.json"])
def test_every_option_named_is_one_of_the_command(name: str) -> None:
    parser = ArgumentParser()
    command_of("serve").arguments(parser)
    known = {option for action in parser._actions for option in action.option_strings}
    if name == "server.json":
        named = [each["name"] for each in read(name)["packages"][0]["packageArguments"] if "name" in each]
    else:
        named = [each for each in read(name)["server"]["mcp_config"]["args"][4:] if each.startswith("--")]
    assert named
    assert set(named) <= known


def test_the_bundle_lists_the_tools_that_it_serves(tmp_path: Path) -> None:
    toolbox = toolbox_of(ServeOptions(cache_root=str(tmp_path), spelling="underscore"))
    listed = [{"name": name, "description": tool.title} for name, tool in toolbox.listed.items()]
    assert read("mcpb/manifest.json")["tools"] == listed
    assert (REPO / "mcpb" / read("mcpb/manifest.json")["server"]["entry_point"]).is_file()
