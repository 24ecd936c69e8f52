"""Schemas, checking a call, running it so that nothing escapes."""

import asyncio
import json
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tests.support.tools import FakeFacts, make_bench
from tools.base import PreparedCall, Tool, ToolContext, ToolError, ToolInput, ToolResult
from tools.limits import marker
from tools.registry import ToolRegistry, default_tools


class Item(BaseModel):
    """One item; these words are not for the model."""

    model_config = ConfigDict(extra="forbid")
    title: str
    state: Literal["open", "done"] = "open"


class EchoInput(ToolInput):
    """These words are not for the model."""

    text: str = ""
    count: int | None = Field(default=None, description="How often")
    items: list[Item] = Field(default=[])
    place: Item | int | None = None
    file_path: str | None = None


async def echo(input: EchoInput, ctx: ToolContext) -> ToolResult:
    return ToolResult(content=input.text)


def tool(run: Any = echo, **changes: Any) -> Tool:
    return Tool(name="echo", description="Echo.", input_model=EchoInput, run=run, **changes)


def prepare(arguments: Any, project: Path, name: str = "echo", **changes: Any) -> PreparedCall:
    return ToolRegistry([tool(**changes)]).prepare(
        name, arguments, facts=FakeFacts(cwd=project), project=project
    )


def refusal(arguments: Any, project: Path, name: str = "echo") -> str:
    with pytest.raises(ToolError) as caught:
        prepare(arguments, project, name)
    return str(caught.value)


async def test_nine_tools_have_short_stable_schemas() -> None:
    """The nine tools come in a fixed order, the same bytes each time, well under 20 KB together."""
    schemas = ToolRegistry(default_tools()).schemas()
    expected = ["bash", "read", "write", "edit", "glob", "todo_write", "task", "load_skill", "compact"]
    assert [schema["name"] for schema in schemas] == expected
    wire = json.dumps(schemas)
    assert wire == json.dumps(ToolRegistry(default_tools()).schemas())
    assert len(wire) < 16_000
    assert '"title"' not in wire
    assert "$ref" not in wire
    assert all(schema["description"] for schema in schemas)


def test_schema_is_plain() -> None:
    """No titles, references, null choices, defaults or limits; a field that is called `title` stays; the keys in our order."""
    [schema] = ToolRegistry([tool()]).schemas()
    item = {
        "type": "object",
        "properties": {"title": {"type": "string"}, "state": {"type": "string", "enum": ["open", "done"]}},
        "required": ["title"],
    }
    expected = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer", "description": "How often"},
            "items": {"type": "array", "items": item},
            "place": {"anyOf": [item, {"type": "integer"}, {"type": "null"}]},
            "file_path": {"type": "string"},
        },
    }
    assert json.dumps(schema["input_schema"]) == json.dumps(expected)


def test_schema_without_fields_has_properties() -> None:
    """A tool without input still has an object schema with properties."""
    empty = Tool(name="e", description="E.", input_model=ToolInput, run=echo)
    [schema] = ToolRegistry([empty]).schemas()
    assert schema["input_schema"] == {"type": "object", "properties": {}}


def test_read_only_tools_are_known() -> None:
    """A tool is read-only if it says so; an unknown name is not."""
    registry = ToolRegistry([tool(is_read_only=True)])
    assert [registry.is_read_only(name) for name in ("echo", "none")] == [True, False]


def test_unknown_tool_names_the_nearest_and_all(tmp_path: Path) -> None:
    """A wrong name is answered with the likely one and the list."""
    assert refusal({}, tmp_path, "Ecco") == "There is no tool `Ecco`. Did you mean `echo`? Use one of: echo."
    assert refusal({}, tmp_path, "zzz") == "There is no tool `zzz`. Use one of: echo."


def test_invalid_input_is_one_line_a_problem(tmp_path: Path) -> None:
    """Each line names the field, what was given and what is expected."""
    text = refusal(
        {"text": 3, "count": "many", "items": [{"state": "lost", "x": 1}], "colour": "red"}, tmp_path
    )
    assert text.splitlines() == [
        "`echo` was not run, because its input is not valid:",
        "- `text`: got 3 (a number); expected: a valid string",
        '- `count`: got "many" (a string); expected: a valid integer, unable to parse string as an integer',
        "- `items[0].title`: missing; it is required",
        "- `items[0].state`: got \"lost\" (a string); expected: 'open' or 'done'",
        "- `items[0].x`: there is no such field",
        "- `colour`: there is no such field; the fields are `text`, `count`, `items`, `place`, `file_path`",
        "Call it again with these mended.",
    ]


def test_of_many_problems_the_first_are_told(tmp_path: Path) -> None:
    """The rest is counted: a list of fifty bad items does not fill the context."""
    lines = refusal({"items": [{"title": "a", "state": "lost"}] * 50}, tmp_path).splitlines()
    assert [line[:18] for line in lines[1:9]] == [f"- `items[{number}].state`" for number in range(8)]
    assert lines[9:] == ["- and 42 more", "Call it again with these mended."]


def test_null_is_a_field_left_out(tmp_path: Path) -> None:
    """Null for a field that may be left out is as if it were; for one that must be there it is refused."""
    facts = FakeFacts(cwd=tmp_path)
    registry = ToolRegistry(default_tools())
    for name, given in (
        ("read", {"file_path": "a", "offset": None, "limit": None}),
        ("bash", {"command": "ls", "timeout": None, "description": None, "run_in_background": None}),
        ("edit", {"file_path": "a", "old_string": "b", "new_string": "c", "replace_all": None}),
        ("task", {"description": "d", "prompt": "p", "agent_type": None}),
        ("compact", {"focus": None}),
        ("glob", {"pattern": "*", "path": None}),
    ):
        left_out = {key: value for key, value in given.items() if value is not None}
        with_null = registry.prepare(name, given, facts=facts, project=tmp_path).input
        assert with_null == registry.prepare(name, left_out, facts=facts, project=tmp_path).input
    with pytest.raises(ToolError, match="`file_path`: got null"):
        registry.prepare("read", {"file_path": None}, facts=facts, project=tmp_path)
    with pytest.raises(ToolError, match="`path`: there is no such field"):
        registry.prepare("read", {"file_path": "a", "path": None}, facts=facts, project=tmp_path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("ls", '"ls" (a string)'),
        (["ls"], '["ls"] (a list)'),
        (None, "null (null)"),
        (True, "true (true or false)"),
        ("x" * 200, "…"),
    ],
)
def test_input_that_is_no_object_is_said(given: Any, said: str, tmp_path: Path) -> None:
    """A string or list in place of the object is shown back, shortened, with the fields that are wanted."""
    text = refusal(given, tmp_path)
    assert said in text
    assert "expected an object with the fields `text`" in text
    assert len(text) < 400


def test_paths_are_resolved_and_default_to_the_project(tmp_path: Path) -> None:
    """Every path field is resolved; a missing or empty one means the project."""
    fields: dict[str, Any] = {"path_fields": {"file_path": "write"}}
    given = prepare({"file_path": "a.txt"}, tmp_path, **fields).paths["file_path"]
    assert (given.path, given.access) == (tmp_path.resolve() / "a.txt", "write")
    for missing in ({}, {"file_path": ""}, {"file_path": None}):
        assert prepare(missing, tmp_path, **fields).paths["file_path"].path == tmp_path.resolve()


@pytest.mark.parametrize("arguments", [{"text": "a\n{mark}\nb"}, {"items": [{"title": "x {mark} y"}]}])
def test_own_marks_are_refused_by_tools_that_change_something(
    arguments: dict[str, Any], tmp_path: Path
) -> None:
    """An input with a marker of this session is refused, wherever it stands; strangers' markers and readers pass."""
    mark = marker("3-0-bash", chars=9, lines=1, path="x.txt")
    filled = json.loads(json.dumps(arguments).replace("{mark}", mark))
    facts = FakeFacts(cwd=tmp_path)
    changing = ToolRegistry([tool()])
    changing.prepare("echo", filled, facts=facts, project=tmp_path)
    facts.own_marks = {"3-0-bash"}
    with pytest.raises(ToolError, match="stands for text left out"):
        changing.prepare("echo", filled, facts=facts, project=tmp_path)
    ToolRegistry([tool(is_read_only=True)]).prepare("echo", filled, facts=facts, project=tmp_path)


async def test_errors_of_a_tool_become_results(tmp_path: Path) -> None:
    """ToolError gives its text, anything else its type and text; both is_error."""

    async def fail(input: EchoInput, ctx: ToolContext) -> ToolResult:
        if input.text:
            raise ToolError(input.text)
        raise ZeroDivisionError("by zero \udc80")

    bench = make_bench(tmp_path)
    told = await bench.call(tool(fail), text="do this")
    assert (told.content, told.is_error) == ("do this", True)
    broken = await bench.call(tool(fail))
    assert (broken.content, broken.is_error) == (
        "`echo` failed unexpectedly: ZeroDivisionError: by zero \\udc80",
        True,
    )


async def test_cancellation_gets_out(tmp_path: Path) -> None:
    """Only a cancellation leaves `run`."""

    async def wait(input: EchoInput, ctx: ToolContext) -> ToolResult:
        await asyncio.sleep(60)
        return ToolResult(content="late")

    task = asyncio.ensure_future(make_bench(tmp_path).call(tool(wait)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "(no output)"),
        (" \n\t", "(no output)"),
        ("a\ud800b", "a\\ud800b"),
        ([], "(no output)"),
        ([{"type": "text", "text": " "}], "(no output)"),
        (
            [{"type": "text", "text": "\udfff"}, {"type": "image", "source": {}}],
            [{"type": "text", "text": "\\udfff"}, {"type": "image", "source": {}}],
        ),
    ],
)
async def test_content_is_never_blank_and_always_encodes(content: Any, expected: Any, tmp_path: Path) -> None:
    """Blank content becomes a few words, lone surrogates become escapes, in texts and in blocks."""

    async def give(input: EchoInput, ctx: ToolContext) -> ToolResult:
        return ToolResult(content=content)

    assert (await make_bench(tmp_path).call(tool(give))).content == expected
