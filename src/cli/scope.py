"""Write, check and read the `.context.yaml` files of a project's directories.

init      write one for each scope that has none, from what its sources say
status    fresh, stale (and which files changed), missing or invalid; exit code 8 unless all are fresh
show      the context of a scope, or some fields of it
validate  check them against the schema; with --strict also what they name; exit code 8 for a fault
rehash    say that a context is true again: new fingerprint and date, everything else as written
"""

from __future__ import annotations

from ..errors import UsageError
from ..scopes.fingerprint import now
from ..scopes.model import FILTERABLE, ScopeError
from ..scopes.project import Project
from ..scopes.queries import STATES, query_context, status
from ..scopes.validate import validate
from ..scopes.write import init, rehash
from ..scopes.yaml import dump
from ..text.visible import visible
from .main import NOT_AS_IT_SHOULD_BE
from .output import narrate, write
from .parser import add_format
from .paths import require_folder
from .tables import count, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..scopes.queries import ProjectStatus, ScopeStatus

EXAMPLE = "ctx scope status . --json"

_MOST_CHANGES = 5


def add_arguments(parser: ArgumentParser) -> None:
    """The five actions and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_init(
        actions.add_parser(
            "init",
            help="write contexts for the scopes that have none",
            epilog="example:\n  ctx scope init . --full",
        )
    )
    state = actions.add_parser(
        "status", help="fresh, stale, missing or invalid", epilog="example:\n  ctx scope status . --json"
    )
    _add_path(state)
    add_format(state, "table", "json")
    show = actions.add_parser(
        "show",
        help="print the context of a scope",
        epilog="example:\n  ctx scope show . --filter summary,files",
    )
    show.add_argument("scope", metavar="SCOPE", help="a path relative to the project, . for the root")
    show.add_argument("--filter", metavar="FIELDS", help="only these fields, separated by commas")
    add_format(show, "table", "json")
    _add_project(show)
    check = actions.add_parser(
        "validate", help="check the files", epilog="example:\n  ctx scope validate . --strict"
    )
    _add_path(check)
    check.add_argument("--strict", action="store_true", help="also what they name against what is there")
    again = actions.add_parser(
        "rehash", help="new fingerprint and date", epilog="example:\n  ctx scope rehash ."
    )
    again.add_argument("scopes", nargs="*", metavar="SCOPE", help="default: all whose directory changed")
    _add_project(again)


def _example(arguments: str) -> str:
    return f"example:\n  ctx scope {arguments}"


def _add_init(parser: ArgumentParser) -> None:
    _add_path(parser)
    parser.add_argument("--full", action="store_true", help="every field that can be derived")


def _add_path(parser: ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", default=".", metavar="PATH", help="the project (default: .)")
    _add_threshold(parser)


def _add_project(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--project", dest="path", default=".", metavar="PATH", help="the project (default: .)"
    )
    _add_threshold(parser)


def _add_threshold(parser: ArgumentParser) -> None:
    words = "a directory with less source is no scope (default: 4096, or what the project sets)"
    parser.add_argument("--min-tokens", type=int, metavar="N", help=words)


def run(options: Namespace) -> int:
    """Carry out one action."""
    if options.min_tokens is not None and options.min_tokens < 0:
        raise UsageError(f"--min-tokens: {options.min_tokens} is negative")
    require_folder(options.path)
    project = Project(options.path, min_tokens=options.min_tokens)
    return _ACTIONS[options.action](project, options)


def _init(project: Project, options: Namespace) -> int:
    report = init(project, full=options.full, now=now())
    write(table([(item.scope, item.summary) for item in report.written], "<<"))
    told = [f"{count(len(report.written), 'context')} written"]
    told += [_unchanged(len(report.kept), "kept ")] if report.kept else []
    told += [f"{report.skipped} too small for one"] if report.skipped else []
    narrate(" · ".join(told))
    return 0


def _status(project: Project, options: Namespace) -> int:
    found = status(project)
    write(_in_words(found) if options.format == "table" else found.to_json())
    return 0 if found.clean else NOT_AS_IT_SHOULD_BE


def _in_words(found: ProjectStatus) -> str:
    rows = [(scope.state, scope.scope, _remark(scope)) for scope in found.scopes]
    counts = " · ".join(f"{found.count(state)} {state}" for state in STATES if found.count(state))
    return f"{table(rows, '<<<')}{counts}\n"


def _remark(scope: ScopeStatus) -> str:
    """What changed, or what is wrong; a few names and how many more."""
    lines = list(scope.reasons) or scope.changes.lines()
    rest = f", {len(lines) - _MOST_CHANGES} more" if len(lines) > _MOST_CHANGES else ""
    return ", ".join(lines[:_MOST_CHANGES]) + rest


def _show(project: Project, options: Namespace) -> int:
    wanted = [name.strip() for name in (options.filter or "").split(",") if name.strip()]
    unknown = [name for name in wanted if name not in FILTERABLE]
    if unknown:
        raise UsageError(f"--filter: there is no field {unknown[0]}; the fields are {', '.join(FILTERABLE)}")
    answer = query_context(project, options.scope, wanted)
    if options.format == "json":
        write(answer.to_json() + "\n")
    elif answer.is_error:
        raise ScopeError(answer.data["error"])
    else:
        write(visible(dump(answer.data["context"]), newlines=True))
    return NOT_AS_IT_SHOULD_BE if answer.is_error else 0


def _validate(project: Project, options: Namespace) -> int:
    faults = validate(project, strict=options.strict)
    write(table([(fault.scope, fault.problem) for fault in faults], "<<"))
    narrate(count(len(faults), "fault") if faults else "valid")
    return NOT_AS_IT_SHOULD_BE if faults else 0


def _rehash(project: Project, options: Namespace) -> int:
    results = rehash(project, options.scopes, now=now())
    written = [item for item in results if item.written]
    write(table([(item.scope, f"{item.old} → {item.new}") for item in written], "<<"))
    narrate(f"{count(len(written), 'context')} rehashed · {_unchanged(len(results) - len(written))}")
    return 0


def _unchanged(number: int, verb: str = "") -> str:
    """`1 as it was`, `3 kept as they were`."""
    return f"{number:,} {verb}as {'it was' if number == 1 else 'they were'}"


_ACTIONS = {
    "init": _init,
    "status": _status,
    "show": _show,
    "validate": _validate,
    "rehash": _rehash,
}
