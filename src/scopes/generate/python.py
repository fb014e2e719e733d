"""What Python source files offer and import, by their syntax trees."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from .prose import first_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator


class Export(NamedTuple):
    """Something that others can use."""

    name: str
    signature: str
    """Compact: `def load(path: Path) -> Text`."""


class Import(NamedTuple):
    """What a file needs, as its language writes it."""

    language: str
    target: str
    """Python: dots and dotted name; JavaScript and Go: the string; Rust: `a::b`; Java: dotted."""


class FileFacts(NamedTuple):
    """What is known of one file; empty where nothing is."""

    purpose: str = ""
    """One line."""
    about: str = ""
    """The paragraph in which the file says what it is about."""
    exports: tuple[Export, ...] = ()
    members: tuple[Export, ...] = ()
    """Public methods of what is exported."""
    public: tuple[str, ...] | None = None
    """The names that the file itself declares to be its public face (`__all__`), if it does."""
    imports: tuple[Import, ...] = ()
    environment: tuple[str, ...] = ()
    """Environment variables that it reads."""


PYTHON = (".py", ".pyi")
_EMPTY = "Empty; marks the directory as a package"
_LONGEST_DEFAULT = 20
_LONGEST_SIGNATURE = 200
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_facts(text: str) -> FileFacts:
    """The facts of a module; none if it is not valid Python for the interpreter that runs this.

    The parser warns of what is bad style. To silence it is a setting of the whole process, so this runs in
    one of its own (see `tree_worker`).
    """
    try:
        module = ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return FileFacts()
    about = (ast.get_docstring(module) or "").split("\n\n")[0]
    return FileFacts(
        purpose=first_sentence(about) if module.body else _EMPTY,
        about=about,
        exports=tuple(_exports(module)),
        members=tuple(_members(module)),
        public=_dunder_all(module),
        imports=tuple(_imports(module)),
    )


def _exports(module: ast.Module) -> Iterator[Export]:
    """The public functions and classes of a module, in its order; one of several with a name."""
    seen = set()
    for node in _statements(module):
        if isinstance(node, _Function | ast.ClassDef) and _is_public(node.name) and node.name not in seen:
            seen.add(node.name)
            yield Export(node.name, _signature(node))


def _members(module: ast.Module) -> Iterator[Export]:
    """The public methods of the public classes."""
    for node in _statements(module):
        if not isinstance(node, ast.ClassDef) or not _is_public(node.name):
            continue
        for inner in node.body:
            if isinstance(inner, _Function) and _is_public(inner.name) and not _is_overload(inner):
                name = f"{node.name}.{inner.name}"
                yield Export(name, _call_signature(name, inner, bound=not _is_static(inner)))


def _statements(module: ast.Module) -> Iterator[ast.stmt]:
    """The statements of a module, those under a top-level `if` or `try` included."""
    for node in module.body:
        if isinstance(node, ast.If):
            yield from node.body
            yield from node.orelse
        elif isinstance(node, ast.Try):
            yield from node.body
        else:
            yield node


def _signature(node: _Function | ast.ClassDef) -> str:
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(_short(base, 60) for base in node.bases)
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    prefix = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{prefix} {_call_signature(node.name, node, bound=False)}"


def _call_signature(name: str, node: _Function, *, bound: bool) -> str:
    """`name(arguments) -> result`, without `self` or `cls` if bound; without types if it is too long."""
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    for typed in (True, False):
        arguments = list(_arguments(node.args, typed=typed))
        if bound and arguments:
            del arguments[0]
        text = f"{name}({', '.join(arguments)}){result}"
        if len(text) <= _LONGEST_SIGNATURE:
            return text
    return f"{name}(...)"


def _arguments(taken: ast.arguments, *, typed: bool) -> Iterator[str]:
    """The arguments as they are written, long defaults as `...`."""
    positional = taken.posonlyargs + taken.args
    defaults = [None] * (len(positional) - len(taken.defaults)) + list(taken.defaults)
    for number, (arg, default) in enumerate(zip(positional, defaults, strict=True), start=1):
        yield _argument(arg, default, typed)
        if number == len(taken.posonlyargs):
            yield "/"
    if taken.vararg:
        yield "*" + _argument(taken.vararg, None, typed)
    elif taken.kwonlyargs:
        yield "*"
    for arg, default in zip(taken.kwonlyargs, taken.kw_defaults, strict=True):
        yield _argument(arg, default, typed)
    if taken.kwarg:
        yield "**" + _argument(taken.kwarg, None, typed)


def _argument(arg: ast.arg, default: ast.expr | None, typed: bool) -> str:
    kind = f": {ast.unparse(arg.annotation)}" if typed and arg.annotation else ""
    if default is None:
        return f"{arg.arg}{kind}"
    value = _short(default, _LONGEST_DEFAULT)
    return f"{arg.arg}{kind} = {value}" if kind else f"{arg.arg}={value}"


def _short(node: ast.expr, longest: int) -> str:
    text = ast.unparse(node)
    return text if len(text) <= longest else "..."


def _dunder_all(module: ast.Module) -> tuple[str, ...] | None:
    """`__all__`, where it is written out as strings."""
    for node in module.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(
            node.value, ast.List | ast.Tuple
        ):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            values = [item.value for item in node.value.elts if isinstance(item, ast.Constant)]
            return tuple(value for value in values if isinstance(value, str))
    return None


def _imports(module: ast.Module) -> Iterator[Import]:
    """Every import of a module, wherever it stands; `from . import a` as `.a`."""
    for node in _nested_statements(module):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import("Python", name.name)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for name in node.names:
                yield Import("Python", f"{base}{name.name}" if base.endswith(".") else f"{base}.{name.name}")


def _nested_statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node, at any depth, in order; expressions, most of a tree, are not walked."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        blocks = [getattr(here, name, ()) for name in ("body", "handlers", "orelse", "finalbody", "cases")]
        below = [child for block in blocks if isinstance(block, list) for child in block]
        waiting.extend(reversed(below))


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _is_static(node: _Function) -> bool:
    return any(isinstance(item, ast.Name) and item.id == "staticmethod" for item in node.decorator_list)


def _is_overload(node: _Function) -> bool:
    return any(ast.unparse(item).rpartition(".")[2] == "overload" for item in node.decorator_list)
