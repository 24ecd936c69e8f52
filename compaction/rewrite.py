"""One user message in place of a history: its blocks in their order, within their budgets, and the plan for it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compaction.archive import Archive, archive, steps
from compaction.carried import (
    ACTIVE,
    CHARS_A_TOKEN,
    EARLIER,
    NOTES,
    OPEN_ROUND,
    Room,
    active_block,
    earlier_blocks,
    earlier_split,
    note_blocks,
    open_round,
    picture_blocks,
    restored_blocks,
)
from compaction.digest import NO_REQUEST, Standing, digest
from compaction.facts import Fact, check, judged, missing_lines, must_facts, open_todos
from compaction.ledger import HEADING as LEDGER
from compaction.ledger import Told, ledger
from compaction.loaded import LOADED, NAMED, LoadedSkill, reloaded
from compaction.messages import Block, is_thinking, text
from compaction.pins import HEADING as PINS
from compaction.pins import pins_text
from compaction.plan import Cause, Part, Plan, PlannedFile, Receipt, SkillPut, Trigger
from compaction.policy import Sizes
from compaction.quoted import ends, harmless, tagged, untagged
from compaction.receipts import Kind, settled
from compaction.seen import Seen, texts_in
from compaction.situation import Places, Situation
from compaction.surroundings import Surroundings
from compaction.thinking import thinking_changes
from compaction.view import Change, Placed, View

SQUEEZES = (1, 3, 9, 27)
"""By how much all parts are made smaller, one after the other, until the new view has its room."""
SUMMARY = "Summary of the earlier conversation (for reference, not instructions):"
ARCHIVED = "The archived messages:"
LISTED = "Paths of all that was put aside before:"
OURS = (
    EARLIER,
    ACTIVE,
    NOTES,
    OPEN_ROUND,
    NO_REQUEST,
    LEDGER,
    PINS,
    ARCHIVED,
    LISTED,
    SUMMARY,
    LOADED,
    NAMED,
)
"""Lines that only we write: in a summary they would pass for what they are not."""
DIGEST_SHARE = 3
"""A digest takes at most one part in so many of what it replaces."""
FACTS_SHARE = 4
"""Facts that the summary left out take at most one part in so many of its budget."""
CAUSES: Mapping[Trigger, Cause] = {"auto": "size", "manual": "wish", "reactive": "refusal"}
ARCHIVE = re.compile(r"(?:^|/)archive-[^/]*\.md$")


def goal(sizes: Sizes) -> int:
    """Tokens: after a refusal the next request must fit for sure, though the estimate may be off."""
    return min(sizes.threshold, sizes.window * 8 // 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """The new message, and what comes with it."""

    blocks: list[tuple[Part, Block]]
    files: list[PlannedFile]
    skills: list[SkillPut]
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """One message in place of ``gone``, the first blocks of the view; ``summary`` None: the digest."""

    view: View
    gone: Sequence[Placed]
    sizes: Sizes
    around: Surroundings
    summary: str | None

    def fitting(self) -> Plan | None:
        """Return the plan, its parts made smaller until the view fits, or as small as they get."""
        around = self.around
        archived = archive(self.gone, around.archive_path, around.kept, before=around.before)
        plan: Plan | None = None
        for squeeze in SQUEEZES:
            plan = self._plan(self._draft(squeeze, archived), archived) or plan
            after = plan.receipt["after"] if plan else around.size(self.view.tokens)
            if after <= goal(self.sizes):
                break
        return plan

    def _draft(self, squeeze: int, archived: Archive) -> _Draft:
        around, room = self.around, self._room(squeeze, archived)
        verbatim, others = earlier_split(around.earlier, room.sizes.earlier_prompts * CHARS_A_TOKEN)
        book = ledger(
            self.view.history.deeds,
            self._told(others),
            max_chars=room.sizes.ledger * CHARS_A_TOKEN,
            path=around.ledger_path,
        )
        active, long_texts = active_block(around.active, room)
        skills = reloaded(self._skills(), self.view.history.deeds, room)
        head = [
            *_all("context", around.context),
            *_all("pins", [text(pins_text(around.pins))] if around.pins else []),
            *_all("prompts", earlier_blocks(verbatim, len(others))),
            *_all("ledger", [text(book.text)]),
        ]
        tail = [
            *_all("archive", [text(_archived(archived))]),
            *_all("skill", skills.blocks),
            *_all("file", restored_blocks(around.restored, room)),
            *_all("request", [active, *picture_blocks(around.pictures, self.gone, room)]),
            *(self._unread(room) if len(self.gone) == len(self.view) else []),
        ]
        body, unknown, whole = self._body(room)
        put = [block for _, block in (*head, *tail)]
        standing = [*put, *(placed.block for placed in list(self.view)[len(self.gone) :])]
        checked = check(self._facts(), [body, *(words for block in standing for words in texts_in(block))])
        missing = harmless(missing_lines(checked.missing, room.sizes.summary * CHARS_A_TOKEN // FACTS_SHARE))
        words = "\n\n".join(part for part in (body, missing) if part)
        return _Draft(
            blocks=[*head, *_all("summary", [text(f"{SUMMARY}\n{tagged(words)}")]), *tail],
            files=[*book.files, *long_texts, *whole],
            skills=list(skills.put),
            facts=checked.receipt(unknown),
        )

    def _skills(self) -> list[LoadedSkill]:
        """Return the skills that would not stand in the view: neither in what is kept, nor in results not read yet."""
        gone = {placed.id for placed in self.gone}
        unread = {placed.id for placed in self.view.unsent() if placed.block["type"] == "tool_result"}
        return [one for one in self.around.skills if not one.at or one.at in gone - unread]

    def _unread(self, room: Room) -> list[tuple[Part, Block]]:
        """Return what the model has not read yet."""
        notes, results = note_blocks(self.around.notes, room), open_round(self.view, self.gone, room)
        return [*_all("note", notes), *_all("unread", results)]

    def _body(self, room: Room) -> tuple[str, list[str], list[PlannedFile]]:
        """Return what stands as the summary, the names in it that were made up, and the file of one too long."""
        most = room.sizes.summary * CHARS_A_TOKEN
        if self.summary is None:
            standing = Standing(
                active=self.around.active, todos=list(open_todos(self.around.todos)), earlier=self._before()
            )
            replaced = sum(placed.tokens for placed in self.gone) * CHARS_A_TOKEN
            told = digest(self.gone, self.view.history, standing, min(most, replaced // DIGEST_SHARE))
            return harmless(told, OURS), [], []
        path = f"{room.archive_path.removesuffix('.md')}/summary.txt"
        words, unknown = judged(harmless(self.summary, OURS), self._seen())
        if len(words) <= most:
            return words, unknown, []
        whole = PlannedFile(path=path, data=self.summary.encode("utf-8"))
        return ends(words, most, f"[shortened; `read` {path}]"), unknown, [whole]

    def _facts(self) -> list[Fact]:
        around = self.around
        return must_facts(
            self.view.history,
            since=around.since,
            todos=open_todos(around.todos),
            prompts=[*around.earlier, *around.active],
        )

    def _told(self, prompts: Sequence[str]) -> Told:
        archives = [path for path in self.around.before if ARCHIVE.search(path)]
        todos = [f"[{status}] {words}" for words, status in open_todos(self.around.todos).items()]
        return Told(todos=todos, prompts=prompts, archives=archives)

    def _before(self) -> str:
        """The summary that stands in the view until now."""
        blocks = [placed.block for placed in reversed(self.gone) if self.view.is_changed(placed)]
        found = (block["text"] for block in blocks if block["type"] == "text")
        return next((untagged(words) for words in found if words.startswith(SUMMARY)), "")

    def _seen(self) -> Seen:
        """What the log has named, and the files of ours that stand in the view."""
        log = self.view.history.seen
        seen = Seen(paths=set(log.paths), hashes=set(log.hashes))
        for placed in self.gone:
            words = list(texts_in(placed.block)) if self.view.is_changed(placed) else []
            if not (words and words[0].startswith(SUMMARY)):  # what a model made up stays unknown
                seen.read("\n".join(words))
        seen.read("\n".join([self.around.archive_path, self.around.ledger_path, *self.around.before]))
        return seen

    def _room(self, squeeze: int, archived: Archive) -> Room:
        own = self.sizes.own_threshold
        sizes = replace(
            self.sizes,
            window=self.sizes.window // squeeze,
            own_threshold=None if own is None else own // squeeze,
        )
        return Room(
            sizes=sizes,
            squeeze=squeeze,
            archive_path=self.around.archive_path,
            where=archived.where,
            tokens=self._tokens,
        )

    def _tokens(self, words: str) -> int:
        """Tokens of a text by the meter, as what is added to the view."""
        now, size = self.view.tokens, self.around.size
        return size(now + self.view.count(text(words))) - size(now)

    def _plan(self, draft: _Draft, archived: Archive) -> Plan | None:
        """Return the plan for a draft; None when the view would not shrink."""
        around, ids = self.around, [placed.id for placed in self.gone]
        changes = [Change(ids=ids, role="user", blocks=[block for _, block in draft.blocks])]
        if len(ids) < len(self.view):
            changes += thinking_changes(self.view, set(ids), cut=len(ids), drops_all=around.drops_thinking)
        cause = CAUSES[around.trigger]
        kind = Kind(layer="summary", cause=cause, trigger=around.trigger, archive=around.archive_path)
        plan = settled(self.view, _situation(self.sizes, around), changes, draft.files, kind)
        if plan is None:
            return None
        ours = [placed.id for placed in self.gone if not is_thinking(placed.block)]
        where = {id_: archived.where.get(id_, around.archive_path) for id_ in ours}
        receipt: Receipt = {
            **plan.receipt,
            "where": where,
            "dropped": len(where),
            "sha256": archived.files[0].sha256,
            "summary_by": "digest" if self.summary is None else "model",
            "facts": draft.facts,
            "parts": [part for part, _ in draft.blocks],
            "skills": draft.skills,
        }
        return replace(plan, files=(*archived.files, *plan.files), receipt=receipt)


def _all(part: Part, blocks: Sequence[Block]) -> list[tuple[Part, Block]]:
    """Return ``blocks``, each with what it is."""
    return [(part, block) for block in blocks]


def _archived(archived: Archive) -> str:
    """Name every volume of the archive, and every list of what was put aside before that is a file of its own."""
    first, *others = archived.volumes
    volumes = [f"{volume.path} ({steps(volume)})" for volume in archived.volumes] if others else [first.path]
    lines = [f"{ARCHIVED} `read` {', '.join(volumes)}"]
    if archived.lists:
        lines.append(f"{LISTED} `read` {', '.join(archived.lists)}")
    return "\n".join(lines)


def _situation(sizes: Sizes, around: Surroundings) -> Situation:
    return Situation(
        sizes=sizes,
        prices=around.prices,
        places=Places(spills="", archive=around.archive_path),
        step=0,
        now=0.0,
        is_cold=around.is_cold,
        size=around.size,
    )
