"""The todo_write tool: the plan of the present work, replaced as a whole."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from tools.base import Facts, Todo, Tool, ToolContext, ToolInput, ToolResult, describe
from tools.todo_spellings import as_input, as_item, as_items

MAX_TODOS = 50
Status = Literal["pending", "in_progress", "completed"]
_NEWS = {"completed": "done", "in_progress": "begun", "pending": "again"}
"""What it means that an item has come to be so."""
_ITEM = 'an object such as {"content": "Run the tests", "status": "pending"}'
_NO_STATUS = "`pending`, `in_progress` or `completed`; what will not be done is left out of the list"


def _check_status(value: Any) -> Any:
    if value not in get_args(Status):
        raise ValueError(_NO_STATUS)
    return value


class TodoItem(BaseModel):
    """One item; fields that other agents have (id, priority) are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    content: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000)]
    status: Annotated[Status, BeforeValidator(_check_status)]
    active_form: str = Field(default="", alias="activeForm")
    """What is being done, for the screen: `Running tests`."""

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, value: Any) -> dict[str, Any]:
        if (item := as_item(value)) is None:
            raise ValueError(_ITEM)
        return item


def _check_one_at_work(items: list[TodoItem]) -> list[TodoItem]:
    at_work = [f"todos[{index}]" for index, item in enumerate(items) if item.status == "in_progress"]
    if len(at_work) > 1:
        raise ValueError(f"at most one item `in_progress`, here {', '.join(at_work)} are")
    return items


class TodoWriteInput(ToolInput):
    """Input of the todo_write tool."""

    _as_meant = model_validator(mode="before")(as_input)
    todos: Annotated[
        list[TodoItem],
        Field(max_length=MAX_TODOS),
        BeforeValidator(as_items),
        AfterValidator(_check_one_at_work),
    ]


async def _run(input: TodoWriteInput, ctx: ToolContext) -> ToolResult:
    todos = [
        Todo(content=item.content, status=item.status, activeForm=item.active_form or item.content)
        for item in input.todos
    ]
    news, gone = _compared(ctx.facts.todos, todos)
    if not todos:
        facts = Facts(todos=[], news=[], gone=gone, note="cleared")
        return ToolResult(content="The todo list is now empty.", facts=facts)
    counts = Counter(todo["status"] for todo in todos)
    done = f"{counts['completed']} of {len(todos)} done"
    rest = f"{counts['in_progress']} in progress, {counts['pending']} pending"
    facts = Facts(todos=todos, news=news, gone=gone, note=done)
    return ToolResult(content=f"Todo list kept: {done}, {rest}.", facts=facts)


def _compared(before: Sequence[Todo], after: Sequence[Todo]) -> tuple[list[str], list[str]]:
    """Return what is new of each item of ``after``, and the items that are gone; an item is what it says."""
    stood: dict[str, list[str]] = {}
    for todo in before:
        stood.setdefault(todo["content"], []).append(todo["status"])
    news = []
    for todo in after:
        statuses = stood.get(todo["content"])
        status = statuses.pop(0) if statuses else None
        news.append(
            _NEWS[todo["status"]] if status not in (None, todo["status"]) else "" if status else "new"
        )
    return news, [content for content, statuses in stood.items() for _ in statuses]


TODO_WRITE = Tool(
    name="todo_write",
    description=describe("todo_write"),
    input_model=TodoWriteInput,
    run=_run,
)
