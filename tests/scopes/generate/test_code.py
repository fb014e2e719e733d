"""What is read from code: exports, methods, imports, environment."""

from __future__ import annotations

from time import process_time

import pytest

from ctxcache.scopes.generate import treesitter
from ctxcache.scopes.generate.python import FileFacts
from ctxcache.scopes.generate.summary import facts_of

PYTHON = '''\
"""Moors ships. At night too.

More about it.
"""
import os
from . import tide
from ..sea.chart import read
import numpy.linalg as la

LIMIT = os.environ.get("BERTH_LIMIT", "1") + os.getenv("PORT_NAME")

async def moor(
    ship: "Ship", /, at: int = 3, *ropes: str, wait: bool = False, note: str = "a very long default"
) -> None: ...
def _hidden(): ...
class Quay(list[int], metaclass=type):
    def free(self, metres: float = 1.5) -> list[int]: ...
    @classmethod
    def empty(cls): ...
    @staticmethod
    def of(length): ...
    def _inner(self): ...
if os.name == "nt":
    def only_there(): ...
try:
    class Late: ...
except ImportError: ...
'''


def signatures(facts: FileFacts) -> list[str]:
    """What is exported, in order."""
    return [export.signature for export in facts.exports]


def test_python_is_read_without_running_it() -> None:
    facts = facts_of("quay.py", PYTHON)
    assert facts.purpose == "Moors ships"
    assert facts.about == "Moors ships. At night too."
    assert signatures(facts) == [
        "async def moor(ship: 'Ship', /, at: int = 3, *ropes: str, wait: bool = False, note: str = ...)"
        " -> None",
        "class Quay(list[int])",
        "def only_there()",
        "class Late",
    ]
    assert [member.signature for member in facts.members] == [
        "Quay.free(metres: float = 1.5) -> list[int]",
        "Quay.empty()",
        "Quay.of(length)",
    ]
    assert [item.target for item in facts.imports] == ["os", ".tide", "..sea.chart.read", "numpy.linalg"]
    assert facts.environment == ("BERTH_LIMIT", "PORT_NAME")


def test_a_declared_face_is_known() -> None:
    assert facts_of("a.py", "__all__ = ['a', 'b']\n").public == ("a", "b")
    assert facts_of("a.py", "__all__ = [*x]\n").public == ()
    assert facts_of("a.py", "x = 1\n").public is None


def test_a_long_signature_loses_its_types() -> None:
    arguments = ", ".join(f"argument_{number}: dict[str, list[int]]" for number in range(8))
    facts = facts_of("a.py", f"def f({arguments}): ...\n")
    assert signatures(facts) == [f"def f({', '.join(f'argument_{number}' for number in range(8))})"]


@pytest.mark.parametrize("text", ["def (", "\x00", "x = " + "(" * 5000, "é" * 10])
def test_what_is_not_python_has_no_facts(text: str) -> None:
    assert facts_of("a.py", text).exports == ()


def test_a_file_without_words_says_what_it_defines() -> None:
    text = "".join(f"def f{number}(): ...\n" for number in range(6))
    assert facts_of("a.py", text).purpose == "Defines f0, f1, f2, f3 and 2 more"
    assert facts_of("__init__.py", "").purpose == "Empty; marks the directory as a package"


TYPESCRIPT = """\
/** @file Shows the berths of a harbour. */
import React from "react";
import { fetchBerths } from "./lib/api";
export * from "./types";
export interface Props { port: string }
export type Berth = { id: number };
export enum Side { Port, Starboard }
export function App<T>({ port }: Props, x = 1): JSX.Element { return null }
export const useBerths = async (port: string): Promise<number[]> => [];
export const LIMIT: number = 3, plain = 1;
export default class Board extends React.Component<Props> { render() { } private secret() {} _own() {} }
export declare function later(): void;
function inner(a: number) {}
export { inner, inner as outer };
console.log(process.env.PORT_NAME, import.meta.env.BERTH_LIMIT);
"""


def test_typescript_is_read() -> None:
    pytest.importorskip("tree_sitter_typescript", reason="the extra `code` is not installed")
    facts = facts_of("app.tsx", TYPESCRIPT)
    assert facts.purpose == "Shows the berths of a harbour"
    assert signatures(facts) == [
        "interface Props",
        "type Berth",
        "enum Side",
        "function App<T>({ port }: Props, x = 1): JSX.Element",
        "async useBerths(port: string): Promise<number[]>",
        "const LIMIT: number",
        "const plain",
        "class Board extends React.Component<Props>",
        "function later(): void",
        "function inner(a: number)",
        "outer",
    ]
    assert [member.signature for member in facts.members] == ["Board.render()"]
    assert [item.target for item in facts.imports] == ["react", "./lib/api", "./types"]
    assert facts.environment == ("BERTH_LIMIT", "PORT_NAME")


def test_javascript_modules_of_both_kinds_are_read() -> None:
    pytest.importorskip("tree_sitter_javascript", reason="the extra `code` is not installed")
    facts = facts_of(
        "a.js", "const tide = require('./tide')\nmodule.exports = { moor, sail: 1, ...x }\nexports.sink = 1\n"
    )
    assert signatures(facts) == ["moor", "sail", "sink"]
    assert [item.target for item in facts.imports] == ["./tide"]
    assert signatures(facts_of("a.cjs", "module.exports = Quay\n")) == ["Quay"]
    text = "export const { port, lee: side } = winds, $tide = 1;\nexport { moor as default };\n"
    assert signatures(facts_of("a.mjs", text)) == ["const port", "const side", "const $tide", "default"]
    assert signatures(facts_of("a.ts", text.replace("=", ": Winds =", 1)))[:2] == ["const port", "const side"]
    assert signatures(facts_of("a.cjs", "exports.quay.depth = 1\nexports.$tide = 1\n")) == ["$tide"]


def test_go_is_read() -> None:
    pytest.importorskip("tree_sitter_go", reason="the extra `code` is not installed")
    text = (
        "// Copyright\n\n// Package store keeps berths. In a file.\npackage store\n\n"
        'import (\n\t"os"\n\tx "example.com/acme/tide"\n)\n'
        "type DB struct{}\ntype (\n Feed interface{ Next() }\n Alias = int\n)\n"
        'var p = os.Getenv("BERTH_DB")\n'
        "func Open(path string) (*DB, error) { return nil, nil }\n"
        "func (d *DB) Close() error { return nil }\n"
        "func hidden() {}\nfunc (h *hid) Open() {}\n"
    )
    facts = facts_of("store.go", text)
    assert facts.purpose == "Package store keeps berths"
    assert signatures(facts) == [
        "type DB struct",
        "type Feed interface",
        "type Alias",
        "func Open(path string) (*DB, error)",
    ]
    assert [(member.name, member.signature) for member in facts.members] == [
        ("DB.Close", "func (d *DB) Close() error")
    ]
    assert [item.target for item in facts.imports] == ["os", "example.com/acme/tide"]
    assert facts.environment == ("BERTH_DB",)


def test_rust_is_read() -> None:
    pytest.importorskip("tree_sitter_rust", reason="the extra `code` is not installed")
    text = (
        "#![allow(x)]\n//! Computes tides. In metres.\n//!\n//! More.\nuse serde::{Serialize, de};\n"
        "use crate::net::Feed as F;\npub mod net;\n"
        "pub struct Tide<T> { pub height: T }\npub enum Kind { A }\n"
        "pub fn tide(at: u64) -> Result<Tide, String> where u64: Copy { todo!() }\n"
        "pub(crate) fn inner() {}\n"
        "impl<T> Tide<T> { pub fn new() -> Self { } fn own() {} }\n"
        "impl Clone for Kind { fn clone(&self) {} }\n"
        "#[macro_export]\nmacro_rules! high { () => {} }\n"
    )
    facts = facts_of("lib.rs", text)
    assert facts.purpose == "Computes tides"
    assert signatures(facts) == [
        "pub mod net",
        "pub struct Tide",
        "pub enum Kind",
        "pub fn tide(at: u64) -> Result<Tide, String> where u64: Copy",
        "macro high!",
    ]
    assert [member.signature for member in facts.members] == ["Tide::fn new() -> Self"]
    assert [item.target for item in facts.imports] == ["serde", "crate::net::Feed"]


def test_java_is_read() -> None:
    pytest.importorskip("tree_sitter_java", reason="the extra `code` is not installed")
    text = (
        "package com.acme.port;\nimport com.acme.sea.Ship;\nimport static com.acme.Tide.now;\n"
        '/**\n * A quay with {@link Ship}s. And <b>more</b>.\n * @author x\n */\n@Deprecated @Named("x")\n'
        "public final class Quay<T> implements Comparable<T> {\n"
        "  @Override public boolean moor(T ship) throws E { }\n"
        "  private void sink() {}\n}\nclass Hidden {}\n"
    )
    facts = facts_of("Quay.java", text)
    assert facts.about == "A quay with Ships. And more."
    assert signatures(facts) == ["public final class Quay<T> implements Comparable<T>"]
    assert [member.signature for member in facts.members] == ["Quay: public boolean moor(T ship) throws E"]
    assert [item.target for item in facts.imports] == ["com.acme.sea.Ship", "com.acme.Tide.now"]


def test_without_the_extra_a_comment_is_all_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treesitter, "_load", lambda grammar: None)
    facts = facts_of("app.tsx", TYPESCRIPT)
    assert (facts.purpose, facts.exports) == ("Shows the berths of a harbour", ())


@pytest.mark.parametrize(
    "name", ["a.ts", "a.go", "a.rs", "a.java", "a.js", "a.py", "a.md", "a.sh", "a.unknown"]
)
@pytest.mark.parametrize(
    "text", ["", "\ufeff", "}}} ((( `", "// ", "/**/", "'\"", "impl { } func type import ( use ;"]
)
def test_odd_source_is_no_reason_to_fail(name: str, text: str) -> None:
    assert isinstance(facts_of(name, text), FileFacts)


@pytest.mark.parametrize(
    ("name", "unit"),
    [("a.go", "<!--"), ("a.go", "/*pub fn a("), ("A.java", "---\n)"), ("a.go", "。*/"), ("A.java", "x=)")],
)
def test_what_is_no_code_is_given_up_in_a_bounded_time(name: str, unit: str) -> None:
    """A parser that recovers from errors takes minutes for 20 kB of these; CPU time with much slack."""
    start = process_time()
    assert facts_of(name, unit * 5_000).exports == ()
    assert process_time() - start < 20


def test_code_with_a_few_errors_is_read() -> None:
    """What is allowed lies far above what code takes, with errors in it too."""
    text = "package a\n\nfunc Moor(ship string) {}\n" + "func ( {{\n" + "var Wind = 3\n" * 3_000
    assert "Moor" in [export.name for export in facts_of("a.go", text).exports]
