"""Finds the option of a project that disables a nested build."""

from __future__ import annotations

import re

from buildtool.project.components import Host
from buildtool.propose.cmake_calls import CMakeCall
from buildtool.propose.configure import Configurator, Configured

MAX_TRIES = 4
_BOOL = re.compile(r"^([A-Za-z0-9_.+-]+):BOOL=(\S*)", re.MULTILINE)


def disable_step(
    configured: Configured, component: Host, step: CMakeCall, configurator: Configurator
) -> tuple[Configured, Host] | None:
    """The component with an option set so that `step` is not called, and its configuration; None
    if there is no such option.

    Tries the options in if() commands before the step, the nearest first.  All programs and
    libraries of the default build must remain.
    """
    cache = configured.step.tree / "CMakeCache.txt"
    options = dict(_BOOL.findall(cache.read_text(encoding="utf-8", errors="replace")))
    options_in_conditions: dict[str, bool] = {}
    for call in reversed(configured.calls[: configured.calls.index(step)]):
        *negated, name = call.words or ("",)
        if call.name == "if" and name in options and negated in ([], ["NOT"]):
            options_in_conditions.setdefault(name, bool(negated))
    for name, value in list(options_in_conditions.items())[:MAX_TRIES]:
        other = component._replace(defines={**component.defines, name: value})
        result = configurator(other)
        if not isinstance(result, Configured) or not result.names >= configured.names:
            continue
        if all((call.name, call.where) != (step.name, step.where) for call in result.calls):
            return result, other
    return None
