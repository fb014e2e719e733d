"""`ctx.toml`: what it may say, how a mistake is named, and that it reaches nothing outside its project."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from ctxcache.builder.config import PROFILES, SPLITS
from ctxcache.errors import IoError, UsageError
from ctxcache.project.config import CacheSection
from ctxcache.project.project import Project, find_project, load_project, require_project
from ctxcache.project.toml_file import ConfigurationError
from ctxcache.scopes.project import ScopeProject
from ctxcache.text import TOKENIZERS

if TYPE_CHECKING:
    from pathlib import Path


def load(root: Path, text: str) -> Project:
    (root / "ctx.toml").write_text(text, "utf-8")
    return load_project(root / "ctx.toml")


def faults(root: Path, text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        load(root, text)
    return caught.value.lines()


def test_a_configuration_describes_caches_and_tests(project: Path) -> None:
    found = load(
        project,
        '[caches.a]\nsources = "docs"\nexclude = ["drafts/"]\nsplit = "none"\n'
        '[caches.b]\nsources = "docs/deploy"\ncache = "caches/b"\nprofile = "v0"\nstrict = true\n'
        '[[tests]]\ncache = "a"\nquery = "q"\nbudget = 7\nforbid = ["x"]\n',
    )
    one, other = found.caches.values()
    assert (one.sources, one.directory) == (project / "docs", project / ".ctx/caches/a")
    assert (one.config.rules.exclude, one.config.split, one.strict) == (("drafts/",), "none", False)
    assert (other.sources, other.directory) == (project / "docs/deploy", project / "caches/b")
    assert (other.config.profile, other.strict) == ("v0", True)
    assert (found.tests[0].query, found.tests[0].budget, found.tests[0].line) == ("q", 7, 10)


def test_the_model_knows_what_the_build_knows() -> None:
    """The choices stand in two places, because a type must be literal."""
    choices = {
        name: set(get_args(CacheSection.model_fields[name].annotation)) for name in ("profile", "split")
    }
    assert choices == {"profile": set(PROFILES), "split": set(SPLITS)}
    assert get_args(CacheSection.model_fields["tokenizer"].annotation) == TOKENIZERS


A = '[caches.a]\nsources = "docs"\n'
T = '[[tests]]\ncache = "a"\nquery = "q"\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f'{A}\nspilt = "auto"\n', "4: caches.a.spilt: there is no such key; did you mean split?"),
        ("[cache.a]\n", "1: cache: there is no such key; did you mean caches?"),
        ("[caches.a]\n", "1: caches.a: `sources` is missing"),
        ("[caches.a]\nsources = 3\n", "2: caches.a.sources: must be a folder, or a list of folders"),
        (f'{A}max_tokens = "450"\n', "3: caches.a.max_tokens: must be a valid integer"),
        (f'{A}split = "never"\n', "3: caches.a.split: must be 'auto' or 'none'"),
        (f'{A}include = [\n"x",\n1]\n', "3: caches.a.include[1]: must be a valid string"),
        (f'{A}include = "*.md"\n', '3: caches.a.include: must be a list: ["*.md"]'),
        (f"{A}exclude = 3\n", "3: caches.a.exclude: must be a list"),
        ("caches = 3\n", "1: caches: must be a table"),
        ("[caches]\na = 3\n", "2: caches.a: must be a table"),
        ('[caches."a/b"]\nsources = "docs"\n', "1: caches.a/b: must be a name of letters, digits,"),
        (f'{A}profile = "v0"\nsplit = "auto"\n', '1: caches.a: profile = "v0" fixes how files are read'),
        (T, "1: tests[0]: says neither what to `expect` nor what to `forbid`"),
        (f'{T}forbid = ["x"]\nany = true\n', "1: tests[0]: any, at_most_rank and min_score speak of what is"),
        (f'{T}expect = ["x"]\nbudget = true\n', "5: tests[0].budget: must be a valid integer"),
        ("a = \n", "1: not TOML: Invalid value"),
        ('[caches.a]\n\nx = "\n', "3: not TOML: Illegal character '\\n'"),
        ("a = 1\na = 2\n", "2: not TOML: Cannot overwrite a value"),
        ("a = " + "[" * 5000, "not read: nested too deeply"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_key(project: Path, text: str, line: str) -> None:
    separator = ":" if line[0].isdigit() else ": "
    assert faults(project, text)[0].startswith(f"ctx.toml{separator}{line}")


def test_every_mistake_is_named(project: Path) -> None:
    """In the order of the file; the error in one line counts the rest."""
    text = '[caches.a]\nsources = "/etc"\nspilt = 1\n[caches.b]\nfrom = "docs"\n'
    lines = faults(project, text)
    assert [line.split(":")[1] for line in lines] == ["3", "4", "5"]
    with pytest.raises(ConfigurationError, match=r"^ctx.toml:3: .* \(and 2 more faults\)$"):
        load(project, text)


@pytest.mark.parametrize("key", ["sources", "cache"])
@pytest.mark.parametrize("name", ["..", "../elsewhere", "/tmp", "docs/../../elsewhere", "link", "link/inner"])
def test_nothing_outside_the_project_can_be_named(project: Path, key: str, name: str) -> None:
    """Neither to read from nor to write to, nor through a link."""
    (project.parent / "elsewhere/inner").mkdir(parents=True)
    (project / "link").symlink_to(project.parent / "elsewhere")
    other = "" if key == "sources" else 'sources = "docs"\n'
    (fault,) = faults(project, f'[caches.a]\n{other}{key} = "{name}"\n')
    assert f"caches.a.{key}: {name!a} lies outside the project" in fault


def test_a_link_inside_the_project_may_be_followed(project: Path) -> None:
    (project / "link").symlink_to(project / "docs")
    assert load(project, '[caches.a]\nsources = "link"\n').caches["a"].sources == project / "docs"


def test_links_in_a_circle_are_a_fault(project: Path) -> None:
    for name, target in (("a", "b"), ("b", "a")):
        (project / name).symlink_to(target)
    for name in ("a", "a/inner"):
        fault = f"ctx.toml:3: caches.a.cache: {name!a} is a link that leads back to itself; remove it"
        assert faults(project, f'[caches.a]\nsources = "docs"\ncache = "{name}"\n') == [fault]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('sources = "docs"\ncache = "docs/cache"\n', "may not lie in each other"),
        ('sources = "docs"\ncache = "docs"\n', "may not lie in each other"),
        ('sources = "docs"\ncache = "."\n', "may not lie in each other"),
        ('sources = "."\ncache = "made"\n', "may not lie in each other"),
    ],
)
def test_a_cache_is_kept_apart_from_its_sources(project: Path, keys: str, said: str) -> None:
    """A cache among its own documents would never be fresh."""
    assert said in faults(project, f"[caches.a]\n{keys}")[0]


def test_the_whole_project_may_be_the_sources(project: Path) -> None:
    """`.ctx` is never among the documents."""
    assert load(project, '[caches.a]\nsources = "."\n').caches["a"].update().report is not None
    assert load(project, '[caches.a]\nsources = "."\n').caches["a"].freshness().fresh


def test_two_caches_cannot_have_one_place(project: Path) -> None:
    text = '[caches.a]\nsources = "docs"\n[caches.b]\nsources = "docs"\ncache = ".ctx/caches/a"\n'
    assert faults(project, text) == ["ctx.toml:5: caches.b.cache: goes where a goes"]


def test_the_nearest_configuration_upwards_counts(project: Path) -> None:
    found = find_project(project / "docs" / "deploy")
    assert found is not None and found.root == project


def test_a_table_of_pyproject_is_a_configuration_too(project: Path) -> None:
    (project / "ctx.toml").unlink()
    (project / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.ctx.caches.a]\nsources = "dcs"\nfoo = 1\n'
    )
    with pytest.raises(ConfigurationError, match=r"^pyproject.toml:5: caches.a.foo"):
        find_project(project)
    (project / "pyproject.toml").write_text('[tool.ctx.caches.a]\nsources = "docs"\n')
    assert list(require_project(project).caches) == ["a"]


def test_the_search_ends_at_the_root_of_a_repository(project: Path) -> None:
    """What lies above a clone is somebody else's."""
    (project / "docs/.git").mkdir()
    assert find_project(project / "docs") is None
    with pytest.raises(UsageError, match="`ctx init` writes one"):
        require_project(project / "docs")


def test_a_pyproject_that_is_not_ours_is_passed_over(project: Path) -> None:
    (project / "docs/pyproject.toml").write_bytes(b"\xff not toml")
    found = find_project(project / "docs")
    assert found is not None and found.root == project
    (project / "docs/pyproject.toml").unlink()
    (project / "docs/pyproject.toml").symlink_to("gone")
    found = find_project(project / "docs")
    assert found is not None and found.root == project


def test_what_is_no_file_of_text_is_refused(project: Path) -> None:
    (project / "ctx.toml").write_bytes(b"a = 1\n# \xe9\n")
    with pytest.raises(ConfigurationError, match=r"^ctx.toml:2: not UTF-8"):
        load_project(project / "ctx.toml")
    (project / "ctx.toml").write_bytes(b" " * (1 << 21))
    with pytest.raises(ConfigurationError, match="larger than"):
        load_project(project / "ctx.toml")
    with pytest.raises(IoError, match="No such file"):
        load_project(project / "none.toml")


def test_a_key_that_is_misspelt_is_not_missing_too(project: Path) -> None:
    text = '[caches.a]\nsauces = "docs"\n'
    assert faults(project, text) == [
        "ctx.toml:2: caches.a.sauces: there is no such key; did you mean sources?"
    ]


def test_an_unknown_name_is_answered_with_the_near_one(project: Path) -> None:
    with pytest.raises(UsageError, match="there is no cache 'handbok'; did you mean handbook"):
        require_project(project).cache("handbok")


def test_the_settings_of_scopes_stand_in_the_same_file(project: Path) -> None:
    """`ctx scope` reads the same table; a mistake in it is named like any other."""
    load(project, "[scopes]\nmin_tokens = 100\n")
    assert ScopeProject(project).min_tokens == 100
    assert len(faults(project, '[scopes]\nmin_tokens = "100"\n')) == 1
