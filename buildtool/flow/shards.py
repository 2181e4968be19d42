"""`buildtool build --shard I/N`: runners build the steps of a target together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Listener, Note
from buildtool.engine.context import BuildContext
from buildtool.engine.executor import run_plan
from buildtool.engine.options import Options
from buildtool.engine.result import BuildResult
from buildtool.engine.shards import Part, parse_shard, partition
from buildtool.flow.targets import open_target
from buildtool.plan.plan import Plan, Step
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.cache.remote.client import RemoteCache


class ShardError(BuildtoolError):
    """A runner cannot store what it builds."""

    code = "shard"


def build_shard(
    project: Project,
    target_name: str,
    shard: str,
    *,
    wait: float,
    listener: Listener,
    options: Options,
) -> tuple[BuildResult, str]:
    """Build the part "2/3" of the steps of `target_name` and store it in the remote cache; makes no
    release.  Returns the steps that this needed, and a sentence about its own.

    A step of another runner that these need is restored from there, and waited for: at most `wait`
    seconds.  After a failure, the steps that do not need what failed are built all the same: others
    need them.
    """
    from buildtool.engine.report import read_seconds

    chosen = parse_shard(shard, "steps")
    with open_target(project, target_name, listener, options) as (plan, context):
        remote = _writable(context)
        runners = partition(plan, read_seconds(plan, remote), chosen.total)
        if not remote.writable:
            raise ShardError(
                f"the remote cache {remote.url} cannot be used",
                why="what this shard builds would be lost",
                remedy="Build without --shard, or correct the server.",
            )
        part = Part(chosen, runners, wait)
        build = run_plan(
            plan._replace(steps=_needed(plan, part)),
            context._replace(part=part, options=context.options._replace(keep_going=True)),
        )
        own = [one for one in build.steps if one.record and part.is_own(one.step.name)]
        stored = [one for one in own if one.record and context.caches.lookup.is_shared(one.record)]
        for name in (one.step.name for one in own if one not in stored):
            listener(Note(f"{name} is not in the remote cache: the build without --shard makes it"))
        share = f"{len(stored)} of {len(runners)} steps"
        return build, f"shard {chosen}: stored {share} in {remote.url}"


def _writable(context: BuildContext) -> RemoteCache:
    """The remote cache; raises `UsageError` unless this build may store something there."""
    if not context.options.use_caches:
        raise UsageError(
            "--shard cannot be used with --no-cache",
            why="a shard stores its steps in the remote cache",
            remedy="Omit one of them.",
        )
    remote = context.caches.lookup.remote
    if not remote or not remote.writable:
        raise UsageError(
            "--shard needs a remote cache that it may write to",
            why="there, the other shards and the build without --shard find its steps; "
            + (f"{remote.url} is only read" if remote else "none is configured"),
            remedy="Set BUILDTOOL_REMOTE_CACHE, and BUILDTOOL_REMOTE_CACHE_MODE=read-write.",
        )
    return remote


def _needed(plan: Plan, part: Part) -> tuple[Step, ...]:
    """The runner's own steps and those that they need: prebuilt files, then those that begin first.

    A step comes after those that it needs, as in all plans.
    """
    needs = {step.name: [need for need, _ in step.needs] for step in plan.steps}
    names = [name for name in part.runners if part.is_own(name)]
    for name in names:
        names += [need for need in needs[name] if need not in names]
    rank = {name: number for number, name in enumerate(part.runners)}
    found = [step for step in plan.steps if step.name in names]
    return tuple(sorted(found, key=lambda step: rank.get(step.name, -1)))
