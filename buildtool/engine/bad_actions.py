"""Bad actions of a cache: reported, and not used again."""

from __future__ import annotations

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Note
from buildtool.engine.context import BuildContext
from buildtool.engine.lookup import action_key
from buildtool.engine.record import record_file
from buildtool.engine.result import BuildResult


def reject(
    context: BuildContext, step: str, action: str, server: str, error: BuildtoolError
) -> None:
    """Delete the action, remember that `server` has a bad one, and report why it is bad."""
    context.caches.lookup.reject(action, server)
    whose = f"the remote cache {server}" if server else "the cache"
    context.listener(
        Note(f"{step}: action {action} of {whose} is bad and is not used again: {error.message}")
    )


def reject_restored(
    build: BuildResult, context: BuildContext, error: BuildtoolError
) -> BuildContext:
    """Reject the steps that may have caused `error`: those that were restored from a remote cache
    and ship one of the files that the error names, or any file if it names none.

    Deletes their records and actions, and returns the context in which they are built.  Raises
    `error` if there is no such step.
    """
    rejected = set()
    files = set(error.files)
    for result in build.steps:
        step, record = result.step, result.record
        if not record or not record.server:
            continue
        if files and files.isdisjoint(result.files.values()):
            continue
        action = action_key(record.key, record.inputs, "")
        reject(context, step.name, action, record.server, error)
        record_file(context.state, step).unlink(missing_ok=True)
        rejected.add(step.name)
    if not rejected:
        raise error
    return context.with_fresh_stats()._replace(rebuild=frozenset(rejected))
