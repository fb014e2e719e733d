"""The command `scope`, whose subcommands write, check and read `.context.yaml` files."""

from __future__ import annotations

from ..errors import UsageError
from ..scopes.fingerprint import now
from ..scopes.model import FILTERABLE, ScopeError
from ..scopes.project import ScopeProject
from ..scopes.queries import STATES, ProjectStatus, ScopeStatus, query_context, status
from ..scopes.validate import validate
from ..scopes.write import dump, init, rehash
from ..text.display import escape_control, pluralize
from .main import ExitCode
from .output import narrate, write, write_as
from .parser import Command, add_format
from .paths import require_folder
from .terminal import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


_MOST_CHANGES = 5
_PATH_HELP = "the project (default: .)"
_THRESHOLD_HELP = "a directory with less source is no scope (default: 4096, or what the project sets)"


def _scope_arguments(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, action in ACTIONS.items():
        action.add_to(actions.add_parser(name, help=action.help.partition("\n")[0]))


def _init_arguments(parser: ArgumentParser) -> None:
    _add_path(parser)
    parser.add_argument("--full", action="store_true", help="every field that can be derived")
    add_format(parser, "table", "json")


def _status_arguments(parser: ArgumentParser) -> None:
    _add_path(parser)
    add_format(parser, "table", "json")


def _show_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("scope", metavar="SCOPE", help="a path relative to the project, . for the root")
    parser.add_argument("--filter", metavar="FIELDS", help="only these fields, separated by commas")
    add_format(parser, "table", "json")
    _add_project(parser)


def _validate_arguments(parser: ArgumentParser) -> None:
    _add_path(parser)
    parser.add_argument("--strict", action="store_true", help="also what they name against what is there")
    add_format(parser, "table", "json")


def _rehash_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("scopes", nargs="*", metavar="SCOPE", help="default: all whose directory changed")
    add_format(parser, "table", "json")
    _add_project(parser)


def _add_path(parser: ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", default=".", metavar="PATH", help=_PATH_HELP)
    parser.add_argument("--min-tokens", type=int, metavar="N", help=_THRESHOLD_HELP)


def _add_project(parser: ArgumentParser) -> None:
    parser.add_argument("--project", dest="path", default=".", metavar="PATH", help=_PATH_HELP)
    parser.add_argument("--min-tokens", type=int, metavar="N", help=_THRESHOLD_HELP)


def _run_scope(options: Namespace) -> int | None:
    """Run a subcommand. The message of a missing context names a command instead of the server's tool."""
    try:
        return ACTIONS[options.action].run(options)
    except ScopeError as error:
        tool, command = "use list_contexts to see eligible scopes", "`ctx scope status` lists them"
        problem = str(error).replace(tool, command)
        corrupt = problem.startswith("Invalid or corrupt")
        raise UsageError(f"{problem}; `ctx scope validate` says why" if corrupt else problem) from None


def _project(options: Namespace) -> ScopeProject:
    """The project of a subcommand. Raises `UsageError`."""
    if options.min_tokens is not None and options.min_tokens < 0:
        raise UsageError(f"--min-tokens: {options.min_tokens} is negative")
    require_folder(options.path)
    return ScopeProject(options.path, min_tokens=options.min_tokens)


def _init(options: Namespace) -> int:
    project = _project(options)
    report = init(project, full=options.full, now=now())
    written = [item._asdict() for item in report.written]
    fields = {"written": written, "kept": list(report.kept), "skipped": report.skipped}
    rows = [(item.scope, item.summary) for item in report.written]
    write_as(options.format, fields, lambda: table(rows, "<<"))
    counts = [f"{pluralize(len(report.written), 'context')} written"]
    counts += [_unchanged(len(report.kept), "kept ")] if report.kept else []
    counts += [f"{report.skipped} too small for one"] if report.skipped else []
    narrate(" · ".join(counts))
    return 0


def _status(options: Namespace) -> int:
    project = _project(options)
    report = status(project)
    write(_in_words(report) if options.format == "table" else report.to_json())
    return 0 if report.clean else ExitCode.NOT_AS_IT_SHOULD_BE


def _in_words(report: ProjectStatus) -> str:
    rows = [(scope.state, scope.scope, _remark(scope)) for scope in report.scopes]
    counts = " · ".join(f"{report.count(state)} {state}" for state in STATES if report.count(state))
    return f"{table(rows, '<<<')}{counts}\n"


def _remark(scope: ScopeStatus) -> str:
    """The changes and faults of a scope: a few names, and the number of the others."""
    lines = [*scope.reasons, *scope.changes.lines()]
    rest = f", {len(lines) - _MOST_CHANGES} more" if len(lines) > _MOST_CHANGES else ""
    return ", ".join(lines[:_MOST_CHANGES]) + rest


def _show(options: Namespace) -> int:
    project = _project(options)
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
        write(escape_control(dump(answer.data["context"]), newlines=True))
    return ExitCode.NOT_AS_IT_SHOULD_BE if answer.is_error else 0


def _validate(options: Namespace) -> int:
    project = _project(options)
    faults = validate(project, strict=options.strict)
    fields = {"faults": [fault._asdict() for fault in faults]}
    rows = [(fault.scope, fault.problem) for fault in faults]
    write_as(options.format, fields, lambda: table(rows, "<<"))
    narrate(pluralize(len(faults), "fault") if faults else "valid")
    return ExitCode.NOT_AS_IT_SHOULD_BE if faults else 0


def _rehash(options: Namespace) -> int:
    project = _project(options)
    results = rehash(project, options.scopes, now=now())
    written = [item for item in results if item.written]
    fields = {"contexts": [item._asdict() for item in results]}
    rows = [(item.scope, f"{item.old} → {item.new}") for item in written]
    write_as(options.format, fields, lambda: table(rows, "<<"))
    narrate(f"{pluralize(len(written), 'context')} rehashed · {_unchanged(len(results) - len(written))}")
    return 0


def _unchanged(number: int, verb: str = "") -> str:
    """`1 as it was`, `3 kept as they were`."""
    return f"{number:,} {verb}as {'it was' if number == 1 else 'they were'}"


ACTIONS = {
    "init": Command(
        help="Write a context for each scope that has none, from what its sources say.",
        examples=("ctx scope init . --full",),
        arguments=_init_arguments,
        run=_init,
    ),
    "status": Command(
        help="""Say which contexts are fresh, stale (and which files changed), missing or invalid.

Exit code 8 unless all are fresh.""",
        examples=("ctx scope status .", "ctx scope status . --json"),
        arguments=_status_arguments,
        run=_status,
    ),
    "show": Command(
        help="Print the context of a scope, or some fields of it.",
        examples=("ctx scope show . --filter summary,files",),
        arguments=_show_arguments,
        run=_show,
    ),
    "validate": Command(
        help="""Check the files against the schema; with --strict also what they name.

Exit code 8 for a fault.""",
        examples=("ctx scope validate . --strict",),
        arguments=_validate_arguments,
        run=_validate,
    ),
    "rehash": Command(
        help="Say that a context is true again: new fingerprint and date, everything else as written.",
        examples=("ctx scope rehash .",),
        arguments=_rehash_arguments,
        run=_rehash,
    ),
}
"""The subcommands by name, in the order of the help."""

SCOPE = Command(
    help="Write, check and read the `.context.yaml` files of a project's directories.",
    examples=("ctx scope init .", "ctx scope status . --json"),
    arguments=_scope_arguments,
    run=_run_scope,
)
