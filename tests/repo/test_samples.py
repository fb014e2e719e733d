"""The caches in `sample_caches/` against what they are built from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
SAMPLES = REPO / "sample_caches"


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample caches, built anew."""
    place = tmp_path_factory.mktemp("rebuilt")
    script = REPO / "scripts" / "build_samples.py"
    subprocess.run([sys.executable, str(script), str(place)], check=True)
    return place


@pytest.mark.parametrize("name", ["handbook", "handbook-v0", "project-docs", "damaged"])
def test_a_sample_cache_has_the_bytes_of_a_build_from_nothing(rebuilt: Path, name: str) -> None:
    """Promise of the format: bytes depend on the documents alone. `make samples` renews what was changed."""
    assert contents(SAMPLES / name).keys() == contents(rebuilt / name).keys()
    assert contents(SAMPLES / name) == contents(rebuilt / name)
