"""The directory of a project on a device: make a release current there, verify it, roll back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from buildtool.core.escape import escape
from buildtool.core.events import Note, PushFinished, work
from buildtool.deploy.contents import (
    Deployment,
    Known,
    ReleaseOnDevice,
    Site,
    followed,
    forget,
    parse_scan,
    read_known,
    write_known,
)
from buildtool.device.errors import DeviceError, foreign
from buildtool.device.script import ScriptReport, script

if TYPE_CHECKING:
    from buildtool.deploy.push import InlinePush, Push, Pushed
    from buildtool.deploy.ready import Ready


def make_current(site: Site, deployment: Deployment) -> Pushed:
    """Make `deployment` current, whatever is on the device.  Raises `DeviceError`."""
    return _push(site, _new_push(site, deployment), outdated(site, deployment))


def outdated(site: Site, deployment: Deployment) -> Known | None:
    """The other release that is known to be current on the device; None if none is known."""
    known = read_known(site.known)
    return known if known.id not in ("", deployment.id) else None


def inline_push(site: Site, deployment: Deployment) -> InlinePush | None:
    """A push of `deployment` that a program's start can follow in one exchange; None when none is
    known to be necessary, or it takes more than one exchange.

    `finish_inline_push` has to get the report of the exchange.
    """
    known = outdated(site, deployment)
    if not known or deployment.data or site.device.transport.direct:
        return None
    push = _new_push(site, deployment).inline(known.id, known.contents)
    if push:
        site.device.transport.connect()
        forget(site.known)
    return push


def finish_inline_push(site: Site, deployment: Deployment, report: ScriptReport) -> bool:
    """Whether `report`, of a script that began with an inline push, is that of the program's start.
    Otherwise this push failed: `make_current` has to push `deployment` in exchanges of its own."""
    if report.word not in ("exit", "missing", "directory"):
        return False
    write_known(site.known, Known(deployment.id, _new_push(site, deployment).contents))
    return True


def make_current_after(site: Site, deployment: Deployment, missing: str) -> Pushed:
    """Make `deployment` current after the device has reported that the release is `missing`, and
    what it has instead: the link `current` and directories of unfinished pushes."""
    known = read_known(site.known)
    current, *others = missing.split(" ")
    if any(word.endswith(".partial") and "*" not in word for word in others):
        there = None
    elif not current:
        there = Known()
    else:
        there = known if current == f"releases/{known.id}" else None
    return _push(site, _new_push(site, deployment), there)


def verify(site: Site, deployment: Deployment) -> tuple[str, ...]:
    """Compute the digests of the files on the device; returns the paths that differ and were sent
    again."""
    if not deployment.data:
        return _verify(site, deployment)
    from buildtool.deploy.data import verify_data  # noqa: PLC0415 - few projects have data

    return (*verify_data(site, deployment.data), *_verify(site, deployment))


def _verify(site: Site, deployment: Deployment) -> tuple[str, ...]:
    text = script("common", "scan", "verify")
    follow = "-L" if site.store else ""
    variables = {"project": site.project, "id": deployment.id, "follow": follow}
    with work(f"{site.device.name} reads its files", site.listener):
        report = site.device.ask(text, variables)
    return _repair(site, deployment, report.text) if report.word == "scan" else ()


def reset(site: Site, deployment: Deployment, before: str) -> str:
    """Remove what programs have added to the release on the device, and send the files again that
    they have changed; returns what the next call gets as `before`, "" for the first one.

    A release that is missing, or a program of which is running, stays as it is.  Raises
    `DeviceError`.
    """
    from buildtool.deploy.push import exchange, failure  # noqa: PLC0415 - tests and benches
    from buildtool.deploy.stream import folders_above  # noqa: PLC0415

    contents = deployment.contents
    names = {name for path in contents for name in (path, *folders_above(path))}
    text = "".join(f"./{name}\n" for name in sorted(names))
    data = text.encode(errors="surrogateescape")
    follow = "-L" if site.store else ""
    variables = {"project": site.project, "id": deployment.id, "before": before, "follow": follow}
    text = script("common", "scan", "reset")
    report = exchange(site, text, variables, (), lambda stream: stream.write(data))
    if report.word == "same":
        return before
    if report.word == "busy":
        text = "what its earlier runs have written stays there"
        site.listener(Note(f"a program of the release is running on {site.device.name}: {text}"))
    elif report.word == "scan":
        stamp, _, found = report.text.partition(" ")
        if before and deployment.data:
            from buildtool.deploy.data import verify_data  # noqa: PLC0415 - few have data

            verify_data(site, deployment.data)
        return "" if _repair(site, deployment, found) else stamp
    elif report.word != "missing":
        raise failure(site.device, report)
    return ""


def _repair(site: Site, deployment: Deployment, scan: str) -> tuple[str, ...]:
    """Send the files again that differ in a `scan` of the device; returns their paths."""
    found = parse_scan(scan)
    wanted = followed(deployment.contents) if site.store else deployment.contents
    damaged = tuple(path for path, state in wanted.items() if found.get(path) != state)
    if damaged:
        from buildtool.deploy.stream import folders_above  # noqa: PLC0415 - rarely needed

        site.listener(
            Note(f"{len(damaged):,} files on {site.device.name} are damaged; sending them")
        )
        push = _new_push(site, deployment)
        folders = {folder for path in damaged for folder in folders_above(path)}
        # What is in the place of a directory is removed, too.
        have = {**push.contents, **dict.fromkeys((*damaged, *folders & found.keys()), "damaged")}
        _push(site, push, Known(deployment.id, have), repair=True)
    return damaged


def rollback(site: Site) -> tuple[str, str]:
    """Make the release current that was deployed before the current one; returns the ids of both.
    Raises `DeviceError` when there is no earlier release."""
    report = site.device.ask(script("common", "rollback"), {"project": site.project})
    words = report.text.split(" ")
    if report.word == "done" and len(words) == 2:
        return words[0], words[1]
    if report.word == "foreign":
        raise foreign(site.device.name, report.text)
    if report.word == "failed":
        raise DeviceError(
            f"{site.device.name} cannot go back to an earlier release", why=escape(report.text)
        )
    raise DeviceError(
        f"there is no earlier release on {site.device.name}",
        why=f"{site.project}/releases has {escape(report.text) or 'no release'}",
        remedy=f"Deploy one: buildtool deploy {site.device.name}",
    )


def _new_push(site: Site, deployment: Deployment) -> Push:
    from buildtool.deploy.push import Push  # noqa: PLC0415 - most runs push nothing

    return Push(site, deployment)


def _push(site: Site, push: Push, known: Known | None, *, repair: bool = False) -> Pushed:
    started = time.monotonic()
    site.device.transport.connect()
    from buildtool.deploy.data import send_data  # noqa: PLC0415 - most runs push nothing

    data = send_data(site, push.deployment.data)
    base, have = (known.id, known.contents) if known else (None, {})
    forget(site.known)  # if the push is interrupted, the next one asks the device what has arrived
    sent = push.run(base, have, repair=repair).and_also(data)
    write_known(site.known, Known(push.deployment.id, push.contents))
    site.listener(PushFinished(sent.files, sent.size, time.monotonic() - started))
    return sent


class Deployed(ReleaseOnDevice):
    """A release that is current on a device."""

    directory: Annotated[str, "the release on the device"]
    files: Annotated[int, "number of files and links that were sent"]
    size: Annotated[int, "bytes in them"]
    repaired: Annotated[tuple[str, ...], "files that --verify found damaged, and sent again"]


def deploy(ready: Ready, *, verify_files: bool = False) -> Deployed:
    """Make the release current.  Raises `DeviceError`."""
    repaired = verify(ready.site, ready.deployment) if verify_files else ()
    sent = make_current(ready.site, ready.deployment)
    return Deployed(
        **ready.names,
        directory=ready.site.release(ready.deployment.id),
        files=sent.files,
        size=sent.size,
        repaired=repaired,
    )
