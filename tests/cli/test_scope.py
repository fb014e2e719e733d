"""`ctx scope`: the five actions as a person or a CI job uses them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    Ctx = Callable[..., CompletedProcess[str]]


@pytest.fixture
def harbour(tmp_path: Path) -> str:
    """A project of two scopes, one document and one package."""
    (tmp_path / "README.md").write_text("# Harbour\n\nKeeps berths and who lies there.\n")
    (tmp_path / "quay").mkdir()
    (tmp_path / "quay" / "__init__.py").write_text('"""Where ships lie."""\n' + "x = 1\n" * 3000)
    return str(tmp_path)


def test_a_new_user_comes_from_nothing_to_fresh(ctx: Ctx, harbour: str) -> None:
    before = ctx("scope", "status", harbour)
    assert (before.returncode, before.stdout.splitlines()[-1]) == (8, "2 missing")
    done = ctx("scope", "init", harbour)
    assert done.returncode == 0
    assert "quay  Where ships lie." in done.stdout
    assert done.stderr == "2 contexts written\n"
    after = ctx("scope", "status", harbour)
    assert (after.returncode, after.stdout.splitlines()[-1]) == (0, "2 fresh")


def test_a_stale_scope_is_named_with_its_files_until_it_is_rehashed(
    ctx: Ctx, harbour: str, tmp_path: Path
) -> None:
    ctx("scope", "init", harbour)
    (tmp_path / "quay" / "new.py").write_text("y = 2\n")
    stale = ctx("scope", "status", harbour)
    assert stale.returncode == 8
    assert "stale  quay  changed new.py" in stale.stdout
    found = json.loads(ctx("scope", "status", harbour, "--json").stdout)
    assert (found["fresh"], found["stale"]) == (1, 1)
    assert found["scopes"][1]["changed"] == ["new.py"]
    rehashed = ctx("scope", "rehash", "--project", harbour)
    assert rehashed.stderr == "1 context rehashed · 1 as it was\n"
    assert re.fullmatch(r"\S+  [0-9a-f]{8} → [0-9a-f]{8}\n", rehashed.stdout)
    assert ctx("scope", "status", harbour).returncode == 0


def test_a_context_is_shown_whole_or_in_part(ctx: Ctx, harbour: str) -> None:
    ctx("scope", "init", harbour)
    part = ctx("scope", "show", "quay", "--project", harbour, "--filter", "summary, exports")
    assert part.stdout.splitlines()[-1] == 'summary: "Where ships lie."'
    whole = json.loads(ctx("scope", "show", "quay", "--project", harbour, "--json").stdout)
    assert whole["context"]["scope"] == "quay"


def test_what_cannot_be_shown_says_why(ctx: Ctx, harbour: str) -> None:
    missing = ctx("scope", "show", "quay", "--project", harbour)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.startswith('error: No .context.yaml found at scope "quay".')
    assert missing.stderr.endswith("`ctx scope status` lists them.\n")
    Path(harbour, ".context.yaml").write_text("a: [")
    for line in (("show", "."), ("rehash", ".")):
        corrupt = ctx("scope", *line, "--project", harbour)
        assert corrupt.returncode == 1
        assert corrupt.stderr.endswith('scope "."; `ctx scope validate` says why\n')
    wrong = ctx("scope", "show", "quay", "--filter", "summery")
    assert (wrong.returncode, wrong.stderr.split(";")[0]) == (1, "error: --filter: there is no field summery")


def test_faults_are_listed(ctx: Ctx, harbour: str, tmp_path: Path) -> None:
    ctx("scope", "init", harbour)
    assert ctx("scope", "validate", harbour, "--strict").stderr == "valid\n"
    path = tmp_path / "quay" / ".context.yaml"
    path.write_text(path.read_text() + 'files:\n  - name: "gone\\e.py"\n    purpose: "x"\n')
    assert ctx("scope", "validate", harbour).returncode == 0
    strict = ctx("scope", "validate", harbour, "--strict")
    assert strict.returncode == 8
    assert "files[0].name: there is no file 'gone" in strict.stdout
    assert "\x1b" not in strict.stdout


def test_wrong_usage_is_one_line(ctx: Ctx, harbour: str) -> None:
    for arguments in (["scope"], ["scope", "inti"], ["scope", "status", harbour, "--min-tokens", "-1"]):
        done = ctx(*arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("line", [("init",), ("status",), ("validate",), ("rehash", "--project")])
def test_a_project_that_is_not_there_is_wrong_usage(ctx: Ctx, tmp_path: Path, line: tuple[str, ...]) -> None:
    done = ctx("scope", *line, str(tmp_path / "no"))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"error: {tmp_path}/no: no such folder\n")


@pytest.mark.skipif(os.name == "nt", reason="no permission keeps a file from being read there")
@pytest.mark.parametrize("action", ["init", "status", "validate", "rehash --project"])
def test_settings_that_cannot_be_read_are_an_io_error_with_a_remedy(
    ctx: Ctx, unprivileged: Path, action: str
) -> None:
    (unprivileged / "ctx.toml").write_text("", "utf-8")
    (unprivileged / "ctx.toml").chmod(0)
    ran = ctx("scope", *action.split(), str(unprivileged))
    assert (ran.returncode, ran.stdout) == (6, "")
    remedy = "make it readable: it may set what is a scope"
    assert ran.stderr == f"error: {unprivileged}/ctx.toml: Permission denied; {remedy}\n"
