"""The exports and imports of Python files, from their syntax trees; and the type of such facts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from .prose import first_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator


class Export(NamedTuple):
    """A public name of a file."""

    name: str
    signature: str
    """On one line: `def load(path: Path) -> Text`."""


class Import(NamedTuple):
    """An import of a file."""

    language: str
    target: str
    """In the notation of the language: `..a.b` in Python, the string in JavaScript and Go, `a::b` in Rust."""


class FileFacts(NamedTuple):
    """The facts of one file; a field is empty if nothing was found."""

    purpose: str = ""
    """On one line."""
    about: str = ""
    """The first paragraph of the file's own description."""
    exports: tuple[Export, ...] = ()
    members: tuple[Export, ...] = ()
    """The public methods of the exports."""
    public: tuple[str, ...] | None = None
    """The names in `__all__`; None without it."""
    imports: tuple[Import, ...] = ()
    environment: tuple[str, ...] = ()
    """The names of environment variables that the file reads."""


PYTHON = (".py", ".pyi")
_EMPTY = "Empty; marks the directory as a package"
_LONGEST_DEFAULT = 20
_LONGEST_SIGNATURE = 200
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_facts(text: str) -> FileFacts:
    """The facts of a module; empty if it is no valid Python for the running interpreter.

    The parser emits warnings, which can only be disabled for a whole process: `tree_worker` calls this in a
    process of its own.
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
    """The public functions and classes of a module, in its order; of those with one name, the first."""
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
    """The statements of a module, including those in a top-level `if` or `try`."""
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
    """`name(arguments) -> result`; without `self` or `cls` if bound, without types if that is too long."""
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
    """The arguments of a signature; long defaults are written as `...`."""
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
    """The strings in the list or tuple `__all__`; None without it."""
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
    """All imports of a module, at any depth; `from . import a` gives `.a`."""
    for node in _nested_statements(module):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import("Python", name.name)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for name in node.names:
                yield Import("Python", f"{base}{name.name}" if base.endswith(".") else f"{base}.{name.name}")


def _nested_statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node, at any depth, in order; expressions are not walked, which saves time."""
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
