"""Bad actions: told of, and not used again."""

from __future__ import annotations

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Note
from buildtool.engine.context import Building
from buildtool.engine.lookup import action_key
from buildtool.engine.record import read_record, record_file
from buildtool.engine.result import Built


def reject(building: Building, step: str, action: str, server: str, error: BuildtoolError) -> None:
    """Delete the action, keep in mind that `server` has a bad one, and tell why it is bad."""
    building.caches.lookup.reject(action, server)
    whose = f"the remote cache {server}" if server else "the cache"
    building.listener(
        Note(f"{step}: action {action} of {whose} is bad and is not used again: {error.message}")
    )


def rebuilding(built: Built, building: Building, error: BuildtoolError) -> Building:
    """The build in which those steps are built that `error` may be the fault of: they came from a
    remote cache, and have one of the error's files, if it names any.

    Their records and actions are deleted.  Raises `error` when there is no such step.
    """
    doubtful = set()
    for finished in built.steps:
        step, blamed = finished.step, set(error.files)
        file = record_file(building.state, step)
        record = read_record(file)
        if not record or not record.server:
            continue
        if blamed and blamed.isdisjoint(finished.files.values()):
            continue
        reject(building, step.name, action_key(record.key, record.inputs, ""), record.server, error)
        file.unlink()
        doubtful.add(step.name)
    if not doubtful:
        raise error
    return building.now()._replace(rebuild=frozenset(doubtful))
