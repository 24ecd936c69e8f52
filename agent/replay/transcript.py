"""Our own transcripts as steps: what was said and answered, before any layer had its way."""

from pathlib import Path

from agent.clock import seconds
from agent.replay.recorded import Recorded, Step
from agent.session.log import read_records
from agent.session.records import Record
from agent.session.state import result_block
from compaction.messages import Block, as_blocks, text


def own_session(path: Path) -> Recorded:
    """Return the session whose log is ``path``; damaged lines are skipped, as on a resume."""
    reader = _Reader()
    for _, record in read_records(path):
        if record is not None:
            reader.take(record)
    return reader.recorded(path.stem)


class _Reader:
    """Gathers steps from records; a step takes what came back until the next reply."""

    def __init__(self) -> None:
        self._model = ""
        self._results: dict[str, Record] = {}
        self._shells: dict[str, Block] = {}
        self._context: list[Block] = []
        self._replies: list[Record] = []
        self._user: list[list[Block]] = [[]]
        self._said: list[list[str]] = [[]]

    def take(self, record: Record) -> None:
        """Take in the next record; those of layers and of what happened beside the history have no effect."""
        match record["type"]:
            case "session":
                self._model = self._model or record["model"]
            case "context":
                self._user[-1] += as_blocks(record["content"])
                self._context += as_blocks(record["content"]) if not self._replies else []
            case "result":
                self._results[record["id"]] = record
            case "output":
                self._shells[record["id"]] = text(record["content"])
            case "message" if record["role"] == "assistant":
                self._replies.append(record)
                self._user.append([])
                self._said.append([])
            case "message":
                content = record.get("content", [])
                results = [result_block(self._results[id_]) for id_ in record.get("results", ())]
                shells = [self._shells[id_] for id_ in record.get("shells", ()) if id_ in self._shells]
                self._user[-1] += [*results, *shells, *as_blocks(content)]
                self._said[-1] += [content[index]["text"] for index in record.get("said", ())]

    def recorded(self, name: str) -> Recorded:
        """Return what was gathered."""
        steps = [
            Step(
                at=seconds(reply["at"]),
                assistant=tuple(as_blocks(reply["content"])),
                user=tuple(user),
                said=tuple(said),
                usage=reply.get("usage") or {},
            )
            for reply, user, said in zip(self._replies, self._user[1:], self._said[1:], strict=True)
        ]
        return Recorded(
            name=name,
            model=self._model,
            start=tuple(self._user[0]),
            said=tuple(self._said[0]),
            steps=tuple(steps),
            context=tuple(self._context),
        )
