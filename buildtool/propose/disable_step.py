"""The option of a tree that turns off what another component builds."""

from __future__ import annotations

import re

from buildtool.project.model import Host
from buildtool.propose.cmake_calls import CMakeCall
from buildtool.propose.configure import Configurator, Configured

MAX_TRIES = 4
_BOOL = re.compile(r"^([A-Za-z0-9_.+-]+):BOOL=(\S*)", re.MULTILINE)


def disable_step(
    configured: Configured, component: Host, step: CMakeCall, configurator: Configurator
) -> tuple[Configured, Host] | None:
    """The component with the option turned over without which `step` is not called, and how it is
    configured then; None when there is no such option.

    It is one that an if() before the step asks for: each is tried, the nearest first.  Without it
    all other programs and libraries have to be built as before.
    """
    cache = configured.step.tree / "CMakeCache.txt"
    options = dict(_BOOL.findall(cache.read_text(encoding="utf-8", errors="replace")))
    asked: dict[str, bool] = {}
    for call in reversed(configured.calls[: configured.calls.index(step)]):
        *negated, name = call.words or ("",)
        if call.name == "if" and name in options and negated in ([], ["NOT"]):
            asked.setdefault(name, bool(negated))
    for name, value in list(asked.items())[:MAX_TRIES]:
        other = component._replace(defines={**component.defines, name: value})
        result = configurator(other)
        if not isinstance(result, Configured) or not result.names >= configured.names:
            continue
        if all((call.name, call.where) != (step.name, step.where) for call in result.calls):
            return result, other
    return None
