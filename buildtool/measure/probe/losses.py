"""What a device no longer does: two documents of `buildtool probe --all` compared.

They are kept in the user's cache, a history for each device, and each is a line of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.files import parse_bounded, read_regular
from buildtool.core.history import append_history, read_history
from buildtool.core.value import Described, computed
from buildtool.device.device import Device
from buildtool.device.errors import DeviceFinding
from buildtool.device.known_facts import key_of
from buildtool.measure.probe.qualify import NO, UNKNOWN, YES, Qualification, Row, Version

SCHEMA = 1
LAST = "LAST"
MAX_BYTES = 4 << 20
SLOWER = 3.0
"""How many times as long a time has to be to count."""
FLOORS = {"opening": 400.0, "latency": 100.0}
"""How much longer a time has to be besides, in its unit: shorter times are better."""
PARTS = {"map-size": 7 / 8, "clock": 1 / 2}
"""The part of a number that has to be left: what is free, and what else runs, change it."""


class Loss(Described):
    """Something that was there before, and is not, or is less."""

    domain: Annotated[str, 'name of the DSP; "" for the device']
    process: Annotated[str, 'kind of the process; "" for all']
    what: Annotated[str, "name of a capability, or of a finding of `devices check`; domain"]
    before: Annotated[str, "what was seen before"]
    now: Annotated[str, "what is seen now"]

    @property
    def place(self) -> str:
        return " ".join(filter(None, (self.domain, self.process, self.what)))


class Change(Described):
    """A part of the image that is another one."""

    kind: Annotated[str, "what it is", ("library", "shell", "firmware", "kernel", "package")]
    name: Annotated[str, "its path; name of the package; Linux"]
    before: Annotated[str, 'its version and digest; "" if it was not there']
    now: Annotated[str, 'the same now; "" if it is not there any more']


class Comparison(Described):
    """What a device does now, compared with what it or another one of its kind did before."""

    date: Annotated[str, "when the other document was made, in UTC (RFC 3339)"]
    image: Annotated[str, "image of the other document"]
    ok: Annotated[bool, "whether nothing is lost; else the exit status is 1"] = computed(
        lambda self: not self.losses
    )
    losses: Annotated[tuple[Loss, ...], "what is lost"]
    untested: Annotated[tuple[str, ...], "what worked before, and of which nothing is known now"]
    changes: Annotated[tuple[Change, ...], "parts of the image that are other ones"]


def compare(before: Qualification, now: Qualification) -> Comparison:
    """What of `before` is lost, and what has changed beside it."""
    groups = dict.fromkeys((row.domain, row.process) for row in before.rows)
    olds, news = _by_place(before), _by_place(now)
    there = {row.domain for row in now.rows}
    losses = [*_of_device(before, now)]
    untested: list[str] = []
    for domain in dict.fromkeys(domain for domain, _ in groups):
        if domain not in there and any(r.state == YES for r in before.rows if r.domain == domain):
            gone = "nothing could run" if not there else "the device does not have it any more"
            losses.append(Loss(domain, "", "domain", "there", gone))
    for (domain, process, name), old in olds.items():
        new, session = (news.get((domain, process, each)) for each in (name, "session"))
        if old.state != YES or domain not in there:
            continue
        if not new and session and session.state != YES:
            continue  # that no session opens is said once
        if not new or new.state == UNKNOWN:
            untested.append(f"{domain} {process} {name}: {new.found if new else 'not checked'}")
        elif new.state == NO or _is_less(old, new):
            losses.append(Loss(domain, process, name, shown(old), shown(new)))
    changes = tuple(_changes(before, now))
    return Comparison(before.date, before.image, tuple(losses), tuple(untested), changes)


def _by_place(found: Qualification) -> dict[tuple[str, str, str], Row]:
    return {(row.domain, row.process, row.capability): row for row in found.rows}


def _of_device(before: Qualification, now: Qualification) -> Iterator[Loss]:
    known = {finding.name for finding in before.findings}
    for finding in now.findings:
        if finding.name not in known:
            yield Loss("", "", finding.name, "not found", finding.what)


def _is_less(old: Row, new: Row) -> bool:
    if floor := FLOORS.get(old.capability):
        return new.value >= SLOWER * old.value and new.value - old.value >= floor
    return not new.at_least and new.value < old.value * PARTS.get(old.capability, 1)


def shown(row: Row) -> str:
    """The number of a row with what was found, or only that."""
    if row.state == YES and row.value and row.unit:
        return f"{row.value:,g} {row.unit}: {row.found}"
    return row.found


def _changes(before: Qualification, now: Qualification) -> Iterator[Change]:
    olds, news = ({(v.kind, v.name): v for v in each.versions} for each in (before, now))
    for key in dict.fromkeys([*olds, *news]):
        old, new = olds.get(key), news.get(key)
        if old != new:
            yield Change(*key, _version(old), _version(new))


def _version(version: Version | None) -> str:
    """The version and digest of a part, as far as they are known; "" for none."""
    if not version:
        return ""
    return " ".join(filter(None, (version.version, version.sha256[:12]))) or "unknown"


def _history(device: Device) -> tuple[Path, str]:
    """The directory and the name of the history of `device`."""
    soc = device.emulated.soc.directory if device.emulated else key_of(device)
    return cache_dir() / "probes", soc


def document(found: Qualification) -> dict[str, Any]:
    """What is kept of it, and written to files."""
    return {"schema": SCHEMA, **found.as_json()}


def keep(device: Device, found: Qualification) -> None:
    """Keep `found` in the history of the device."""
    append_history(*_history(device), document(found))


def last_of(device: Device) -> Qualification:
    """The newest document about `device` that is kept; raises `UsageError`."""
    for line in reversed(read_history(*_history(device)).lines):
        try:
            return from_json(line)
        except ValueError:  # of another version of buildtool
            continue
    raise UsageError(
        f"--compare {LAST}: nothing is kept about {device.name}",
        why="it was never probed with --all from here",
        remedy=f"Do it once: buildtool probe {device.name} --all",
    )


def read_file(file: Path) -> Qualification:
    """The document in `file`; raises `UsageError`."""
    remedy = "Name what `buildtool probe DEVICE --all -o FILE` has written."
    try:
        return from_json(parse_bounded(read_regular(file, MAX_BYTES, follow=True)))
    except FileNotFoundError:
        why = "it does not exist"
        remedy = f"{remedy} The last result here is: --compare {LAST}"
    except OSError as error:
        why = f"it cannot be read: {error.strerror}"
    except (ValueError, RecursionError) as error:
        why = str(error)
    raise UsageError(f"--compare {file}: there is nothing to compare with", why=why, remedy=remedy)


def check_same_kind(before: Qualification, now: Qualification, wanted: str) -> None:
    """Raise `UsageError` if the documents are about devices of different kinds."""
    kinds = [(each.soc, each.model, each.platform) for each in (before, now)]
    if kinds[0] == kinds[1]:
        return
    old, new = (" ".join(filter(None, kind)) for kind in kinds)
    raise UsageError(
        f"--compare {wanted}: it is about another device",
        why=f"that one, {before.device}, is {old}; {now.device} is {new}",
        remedy="Compare devices of one kind: with the same SoC, model and platform.",
    )


def from_json(document: Any) -> Qualification:
    """The value whose `as_json` this is.  Raises `ValueError`."""
    if not isinstance(document, dict) or "rows" not in document or "versions" not in document:
        raise ValueError("it is no document of `buildtool probe --all`")
    if document.get("schema") != SCHEMA:
        raise ValueError(
            f"its schema is {document.get('schema')!r}; this version of buildtool reads {SCHEMA}"
        )
    try:
        found = Qualification(
            **{name: document[name] for name in Qualification._fields}
            | {
                "versions": tuple(Version(**row) for row in document["versions"]),
                "findings": tuple(
                    DeviceFinding(row["name"], row["what"], row["remedy"])
                    for row in document["findings"]
                ),
                "rows": tuple(Row(**row) for row in document["rows"]),
            }
        )
    except (LookupError, TypeError) as error:
        raise ValueError(f"it is damaged: {error}") from None
    numbers = all(isinstance(row.value, int | float) for row in found.rows)
    texts = [text for row in found.rows for text in (row.found, row.state, row.unit)]
    if not (numbers and all(isinstance(text, str) for text in [*texts, found.soc, found.date])):
        raise ValueError("it is damaged: its rows have other types")
    return found
