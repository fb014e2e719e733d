"""Build the documentation site from README.md and `docs/` into `build/site`, and check it.

Every link between the pages must lead somewhere, and no page may load anything from elsewhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

REPO = Path(__file__).parents[1]
STAGE = REPO / "build" / "site-pages"
SITE = REPO / "build" / "site"
ROOT_PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md",
              "SECURITY.md": "security.md"}  # fmt: skip
LINK = re.compile(r"(\]\()([^)#:\s]+)(#[^)]*)?\)")
LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}


def stage() -> None:
    """Put the pages together as the site has them, links rewritten."""
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.copytree(REPO / "docs", STAGE, ignore=shutil.ignore_patterns("*.py", "*.1"))
    for name, page in ROOT_PAGES.items():
        (STAGE / page).write_text((REPO / name).read_text("utf-8"), "utf-8")
    for file in STAGE.glob("*.md"):
        file.write_text(LINK.sub(_moved, file.read_text("utf-8")), "utf-8")


def _moved(link: re.Match[str]) -> str:
    """A link as the site has it: everything lies in one folder."""
    target = link[2].removeprefix("../").removeprefix("docs/")
    return f"{link[1]}{ROOT_PAGES.get(target, target)}{link[3] or ''})"


class _Page(HTMLParser):
    """The links, the anchors and what a page loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.has_diagram = False
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self.has_diagram = self.has_diagram or "mermaid" in values.get("class", "")
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        is_hint = tag == "link" and values.get("rel") in ("canonical", "alternate", "next", "prev")
        if tag in LOADED and LOADED[tag] in values and not is_hint:
            self.loaded.append(values[LOADED[tag]])


def faults() -> list[str]:
    """What is wrong with the built site, a line each."""
    pages = {file: _Page(file) for file in sorted(SITE.rglob("*.html")) if file.name != "404.html"}
    found = []
    for file, page in pages.items():
        name = file.relative_to(SITE)
        found += [f"{name}: loads {each}" for each in page.loaded if urlsplit(each).netloc]
        if page.has_diagram:
            found.append(f"{name}: has a diagram, for which the theme loads a script from elsewhere")
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = file if not parts.path else (file.parent / unquote(parts.path)).resolve()
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{name}: {link} has no such heading")
    return found


def main() -> None:
    """Build and check. Exit code 1 for a fault."""
    stage()
    shutil.rmtree(SITE, ignore_errors=True)
    program = Path(sys.executable).with_name("zensical")
    subprocess.run([program, "build", "--clean", "--strict", "-f", REPO / "zensical.toml"], check=True)
    wrong = faults()
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        sys.exit(1)
    print(f"{len(list(SITE.rglob('*.html')))} pages in {SITE.relative_to(REPO)}")


if __name__ == "__main__":
    main()
