"""Random edits of sources, and random damage to files that builds keep, as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath
from random import Random

from tests.integration.engine.sources import FIRST, NUMBER, OPTIONAL, Source, State

MANNERS = ("now", "in place", "old time", "same time")
"""How files are written: as new files, in place, or with misleading time stamps."""
KEPT = ("build", "out", "release", "state", "cache")
HARMS = ("delete", "flip", "truncate")


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one source.

    `kind`: its `number` changes; it gets a `comment`; it is added or removed (`toggle`); it is
    renamed to `other` (`rename`); it becomes a `link`; its `mode` changes; it is `broken`.
    """

    kind: str
    path: str
    number: int = 0
    other: str = ""
    manner: str = "now"


@dataclass(frozen=True, slots=True)
class Checkout:
    """Return to an earlier state, as to a branch: the state `number` modulo their count."""

    number: int
    manner: str = "now"


@dataclass(frozen=True, slots=True)
class Harm:
    """Damage to a file of a build: the file `number`, modulo their count, in `place`."""

    place: str
    number: int
    harm: str


@dataclass(frozen=True, slots=True)
class Do:
    """One of: `build`, `touch` all sources, `clear` the cache; go on in another `clone` with the
    same cache; `move` the project; `unpack` the project, or `unpack cache`, as from an archive."""

    what: str


Act = Edit | Checkout | Harm | Do
BUILD = Do("build")


def edited(state: State, edit: Edit) -> State:
    """The state after the edit; unchanged if the edit does not apply."""
    source = state.get(edit.path)
    if edit.kind == "toggle":
        without = {name: other for name, other in state.items() if name != edit.path}
        return without if source else {**state, edit.path: OPTIONAL[edit.path]}
    if source is None:
        return state
    match edit.kind:
        case "number":
            source = replace(source, text=NUMBER.sub(rf"\g<1>{edit.number}", source.text, count=1))
        case "comment":
            source = replace(source, text=f"{source.text}{_comment(edit.path, edit.number)}")
        case "mode":
            source = replace(source, runs=not source.runs)
        case "broken":
            source = replace(source, text=f"{source.text}this is wrong(\n")
        case "link":
            target = f"{edit.path}.{edit.number}"
            link = Source(link=PurePath(target).name)
            return {**state, edit.path: link, target: Source(OPTIONAL_OR_FIRST[edit.path].text)}
        case "rename":
            left = {name: other for name, other in state.items() if name != edit.path}
            return left if edit.other in state else {**left, edit.other: source}
    return {**state, edit.path: source}


def _comment(path: str, number: int) -> str:
    if path.endswith((".c", ".h", ".inc", ".idl")):
        return f"/* {number} */\n"
    return f"# {number}\n" if path.endswith((".txt", ".cmake", ".toml")) else ""


OPTIONAL_OR_FIRST: State = {**OPTIONAL, **FIRST}
_numbered = sorted(name for name, one in OPTIONAL_OR_FIRST.items() if NUMBER.search(one.text))
_commented = [name for name in _numbered if _comment(name, 0) and name != "host/words.txt"]
_parts = sorted(name for name in OPTIONAL_OR_FIRST if "/parts/" in name)
_assets = ["host/assets/one.txt", "host/assets/two.txt", "host/assets/run.sh"]
_headers = ["common/level.h", "common/shared.h", "dsp/b/entry.inc", "dsp/b/entry.c", "host/other.c"]
_renames = [
    *((old, new) for old in _parts for new in _parts if old != new),
    ("host/first/level.h", "host/level.h"),
    ("common/level.h", "common/renamed.h"),
    ("common/renamed.h", "common/level.h"),
]
_broken = [name for name in _commented if not name.endswith(".toml")]
_optional = sorted(OPTIONAL)
_first = [name for name in _numbered if name in FIRST]


def sequence(seed: int) -> list[Act]:
    """Random acts, with builds between some of them; the same seed gives the same acts."""
    random = Random(seed)
    acts: list[Act] = []
    for _ in range(random.randint(1, 5)):
        acts.append(_act(random))
        if random.random() < 0.25:
            acts.append(BUILD)
    return acts


def _act(random: Random) -> Act:
    def edit(kind: str, paths: list[str], other: str = "") -> Edit:
        manner = random.choice(MANNERS)
        return Edit(kind, random.choice(paths), random.randint(0, 9), other, manner)

    def rename() -> Act:
        old, new = random.choice(_renames)
        return edit("rename", [old], new)

    def harm(places: tuple[str, ...]) -> Act:
        return Harm(random.choice(places), random.randrange(10_000), random.choice(HARMS))

    kinds: dict[Callable[[], Act], int] = {
        lambda: edit("number", _first): 6,
        lambda: edit("number", _numbered): 2,
        lambda: edit("toggle", _optional): 4,
        lambda: edit("comment", _commented): 1,
        lambda: edit("mode", _assets): 1,
        lambda: edit("link", _headers): 1,
        lambda: edit("broken", _broken): 1,
        rename: 1,
        lambda: Checkout(random.randrange(100), random.choice(MANNERS)): 2,
        lambda: harm(KEPT): 1,
        lambda: harm(("build",)): 1,
        lambda: Do(random.choice(("touch", "clear"))): 1,
        lambda: Do(random.choice(("clone", "move", "unpack", "unpack cache"))): 1,
    }
    (chosen,) = random.choices(list(kinds), list(kinds.values()))
    return chosen()
