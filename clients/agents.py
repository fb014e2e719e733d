"""Agents of other makers with a model played on this machine: what of an answer arrives at the model.

    npm install --prefix DIR @anthropic-ai/claude-code @openai/codex @google/gemini-cli \
        @github/copilot opencode-ai @qwen-code/qwen-code
    python clients/agents.py DIR CACHE_ROOT CACHE QUERY [AGENT...]

Each agent gets a home of its own with the configuration that `ctx install` writes, a clean environment,
and keys that open nothing. One line for what arrives of the instructions, one for each budget, and one for
an error.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from fake_model import FakeModel

import ctxcache
from ctxcache.server.instructions import instructions
from ctxcache.server.service import RootedCaches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BUDGETS = (1000, 2000, 4000, 16000)
PATIENCE = 120  # seconds for one conversation
CTX = str(Path(sys.executable).with_name("ctx"))


def claude_code(home: Path, url: str) -> tuple[list[str], dict[str, str]]:
    """Claude Code, by Anthropic's protocol; tools are not deferred, so that one call is enough."""
    install("claude-code", home, "--user")
    variables = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "ENABLE_TOOL_SEARCH": "false"}
    variables |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1"}
    allowed = "mcp__ctxcache__context_resolve,mcp__ctxcache__context.resolve"
    return ["claude", "-p", "go", "--allowedTools", allowed], variables


def codex(home: Path, url: str) -> tuple[list[str], dict[str, str]]:
    """Codex, by OpenAI's responses; it is told to wait for the server, on which one call depends."""
    install("codex", home)
    provider = f'{{name="fake",base_url="{url}/v1",wire_api="responses",env_key="FAKE_KEY"}}'
    settings = {"model_provider": '"fake"', "model_providers.fake": provider, "model": '"gpt-5.5"'}
    settings["mcp_servers.ctxcache.required"] = "true"
    options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    bold = "--dangerously-bypass-approvals-and-sandbox"  # of a model that only asks for one read-only tool
    return ["codex", "exec", "--skip-git-repo-check", bold, *options, "go"], {"FAKE_KEY": "none"}


def gemini(home: Path, url: str) -> tuple[list[str], dict[str, str]]:
    """Gemini CLI."""
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))
    install("gemini", home, "--user")
    variables = {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    return ["gemini", "-p", "go", "--yolo", "-m", "gemini-2.5-pro"], variables


def copilot(home: Path, url: str) -> tuple[list[str], dict[str, str]]:
    """Copilot CLI with a model of one's own, by OpenAI's chat completions."""
    install("copilot", home)
    variables = {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_TYPE": "openai"}
    variables |= {"COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "gpt-5", "COPILOT_OFFLINE": "true"}
    return ["copilot", "-p", "go", "--allow-all-tools"], variables


def opencode(home: Path, url: str) -> tuple[list[str], dict[str, str]]:
    """opencode with a provider of its configuration."""
    file = home / ".config" / "opencode" / "opencode.json"
    file.parent.mkdir(parents=True)
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"fake": {}}}
    file.write_text(json.dumps({"provider": {"fake": provider}, "autoupdate": False}))
    install("opencode", home, "--user")
    variables = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return ["opencode", "run", "-m", "fake/fake", "go"], variables


def qwen(home: Path, url: str) -> tuple[list[str], dict[str, str]]:
    """Qwen Code, by OpenAI's chat completions."""
    install("qwen", home, "--user")
    variables = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "fake"}
    return ["qwen", "--yolo", "--auth-type", "openai", "go"], variables


AGENTS: dict[str, Callable[[Path, str], tuple[list[str], dict[str, str]]]] = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "copilot": copilot,
    "opencode": opencode,
    "qwen": qwen,
}


def install(client: str, home: Path, *options: str) -> None:
    """Write the configuration that `ctx install` writes."""
    command = [CTX, "install", client, *options, "--cache-root", CACHE_ROOT, "--project", str(home / "work")]
    subprocess.run(command, env={**os.environ, **moved(home)}, check=True, capture_output=True)


def moved(home: Path) -> dict[str, str]:
    """A home of its own."""
    return {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}


def converse(agent: str, arguments: dict[str, object]) -> tuple[FakeModel, str]:
    """One conversation: the model as it was left, and what the agent said."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "work").mkdir()
        model = FakeModel(arguments)
        command, variables = AGENTS[agent](home, model.url)
        command[0] = str(TOOLS / command[0])
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **moved(home), **variables}
        try:
            ran = subprocess.run(
                command, cwd=home / "work", env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
            said = ran.stdout
        except subprocess.TimeoutExpired as late:
            said = f"no end within {PATIENCE} s: {late.stdout!r}"
        model.close()
        return model, said


def arrived(model: FakeModel, text: str) -> str:
    """How an answer arrived at the model."""
    if not model.results:
        return f"NOTHING; tools: {model.tools}; requests: {model.paths}"
    seen = model.results[-1]
    bare = text.strip()
    spelled = json.dumps(bare, ensure_ascii=False)[1:-1]  # inside another JSON
    is_whole = any(form in _unescaped(seen) for form in (bare, spelled)) or parsed(seen) == json.loads(bare)
    return f"{len(seen):6} characters, {'whole' if is_whole else 'NOT whole'}: {seen[:60]!r}…"


def told(model: FakeModel) -> str:
    """How much of the server's instructions the model saw in the first request with tools, and in any."""
    whole = instructions(RootedCaches(CACHE_ROOT), has_project=True)
    seen = [
        max((_common(text, whole) for text in strings(body)), default=0)
        for body in model.bodies
        if body.get("tools")
    ]
    return f"{seen[0] if seen else 0} characters at first, {max(seen, default=0)} at last"


def _common(text: str, whole: str) -> int:
    """The length of the beginning of `whole` that stands in a text."""
    at = text.find(whole[:40])
    pairs = zip(text[at:], whole, strict=False) if at >= 0 else ()
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def strings(value: object) -> Iterator[str]:
    """The texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def _unescaped(text: str) -> str:
    """A text, and what the strings of a JSON object in it say."""
    value = parsed(text)
    strings = [each for each in value.values() if isinstance(each, str)] if isinstance(value, dict) else []
    return "\n".join([text, *strings])


def parsed(text: str) -> object:
    """The JSON of a text, None where it is none."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return None
    return value


def main(query: str, agents: list[str]) -> None:
    """Try each agent."""
    cache = ctxcache.open_cache(Path(CACHE_ROOT) / CACHE)
    error = '{"error":{"code":"cache_missing","message":"Cache does not exist"}}\n'
    for agent in agents or AGENTS:
        for budget in BUDGETS:
            text = cache.resolve(query, budget).to_json()
            model, said = converse(agent, {"cache": CACHE, "query": query, "budget": budget})
            if budget == BUDGETS[0]:
                print(f"{agent:12} instructions: {told(model)}", flush=True)
            print(f"{agent:12} {budget:6} of {len(text):6}: {arrived(model, text)}", flush=True)
            if not model.results:
                print("   said:", said[-1500:])
                break
        else:
            model, _ = converse(agent, {"cache": "nothing", "query": query, "budget": 1000})
            print(f"{agent:12}  error of {len(error):6}: {arrived(model, error)}", flush=True)


if __name__ == "__main__":
    TOOLS = Path(sys.argv[1]).absolute() / "node_modules" / ".bin"
    CACHE_ROOT, CACHE = str(Path(sys.argv[2]).absolute()), sys.argv[3]
    main(sys.argv[4], sys.argv[5:])
