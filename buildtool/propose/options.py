"""Finds the options of a project that add its tests, and that add or leave out its DSP code."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from buildtool.project.components import Dsp, Host
from buildtool.propose.cmake_tree import CMakeCall
from buildtool.propose.configure import Configurator, Configured, ConfigureFailure

MAX_TRIES = 4
_BOOL = re.compile(r"^([A-Za-z0-9_.+-]+):BOOL=", re.MULTILINE)
_DSP_WORDS = {"HEXAGON", "DSP", "CDSP", "HTP", "HVX", "SKEL", "SKELS", "QURT", "FASTRPC"}
_TESTS = re.compile(r"(?:^|_)(?:BUILD|UNIT|ENABLE|WITH)?_?TEST(?:S|ING)?(?:_|$)", re.IGNORECASE)
_TEST_COMMAND = re.compile(r"add_test|[a-z]+_(?:discover|add)_tests")
_NOT_FOUND = re.compile(r"could not find (?!source)|package configuration file", re.IGNORECASE)
AnyComponent = TypeVar("AnyComponent", Host, Dsp)
_OPTION = ("option", "cmake_dependent_option")
_OFF = ("OFF", "FALSE", "NO", "N", "0", "")


def dsp_options_that_are_off(calls: Iterable[CMakeCall]) -> dict[str, CMakeCall]:
    """The option() calls of a tree that are off and have a DSP word in their name, by name."""
    return {
        name: call
        for name, call in _options_that_are_off(calls).items()
        if set(name.upper().split("_")) & _DSP_WORDS
    }


def _options_that_are_off(calls: Iterable[CMakeCall]) -> dict[str, CMakeCall]:
    return {
        call.words[0]: call
        for call in calls
        if call.name in _OPTION and call.words and (call.words[2:] or ("OFF",))[0].upper() in _OFF
    }


def enable_tests(
    configured: Configured, component: AnyComponent, configurator: Configurator, arch: str = ""
) -> tuple[Configured, AnyComponent, str]:
    """The component with the option on that adds tests, its configuration, and where the option is;
    as they were, and "", if it has tests or there is no such option.

    Of options whose tests need what this target does not have, none is on.
    """
    off = {} if has_tests(configured) else _options_that_are_off(configured.calls)
    wanted = {name: True for name in off if _TESTS.search(name)}
    for name, result, other in _configured_with(component, wanted, configurator, arch):
        if has_tests(result):
            return result, other, off[name].where
    return configured, component, ""


def has_tests(configured: Configured) -> bool:
    """Whether commands in the tree's CMake files add tests to CTest."""
    return any(_TEST_COMMAND.fullmatch(call.name) for call in configured.calls)


def enable_options(
    configured: Configured, component: Host, configurator: Configurator
) -> tuple[Configured, Host, str]:
    """The component with the DSP options on that add programs or libraries, its configuration, and
    where the options are; as they were, and "", if there is none.

    An option that only builds skels adds none: the skels are components.
    """
    where: list[str] = []
    for name, call in list(dsp_options_that_are_off(configured.calls).items())[:MAX_TRIES]:
        other = component._replace(defines={**component.defines, name: True})
        result = configurator(other)
        if isinstance(result, Configured) and result.names > configured.names:
            configured, component = result, other
            where.append(call.where)
    return configured, component, ", ".join(where)


def avoid_package(
    failed: ConfigureFailure, component: Host, configurator: Configurator
) -> tuple[Configured, Host, str] | None:
    """The component with an option set so that it can be configured without a package that is not
    found, its configuration, and the reason; None if there is no such option.

    Tries the options in if() commands, those nearest to the failure first.
    """
    options = {call.words[0] for call in failed.calls if call.name in _OPTION and call.words}
    calls = failed.calls if _NOT_FOUND.search(failed.reason) else ()
    values = _values_that_skip(calls, options)
    for _, result, other in _configured_with(component, values, configurator):
        return result, other, f"otherwise {failed.reason}"
    return None


def disable_step(
    configured: Configured, component: Host, step: CMakeCall, configurator: Configurator
) -> tuple[Configured, Host] | None:
    """The component with an option set so that `step` is not called, and its configuration; None
    if there is no such option.

    Tries the options in if() commands before the step, the nearest first.  All programs and
    libraries of the default build must remain.
    """
    cache = configured.step.tree / "CMakeCache.txt"
    options = {*_BOOL.findall(cache.read_text(encoding="utf-8", errors="replace"))}
    values = _values_that_skip(configured.calls[: configured.calls.index(step)], options)
    for _, result, other in _configured_with(component, values, configurator):
        if result.names >= configured.names and all(
            (call.name, call.where) != (step.name, step.where) for call in result.calls
        ):
            return result, other
    return None


def _values_that_skip(calls: Sequence[CMakeCall], options: Collection[str]) -> dict[str, bool]:
    """The values of `options` by which if() commands in `calls` skip what follows, last first."""
    values: dict[str, bool] = {}
    for call in reversed(calls):
        *negated, name = call.words or ("",)
        if call.name == "if" and name in options and negated in ([], ["NOT"]):
            values.setdefault(name, bool(negated))
    return values


def _configured_with(
    component: AnyComponent,
    values: Mapping[str, bool],
    configurator: Configurator,
    arch: str = "",
) -> Iterator[tuple[str, Configured, AnyComponent]]:
    """Each of the first options with its value that the component can be configured with: its name,
    the configuration and the component."""
    for name, value in list(values.items())[:MAX_TRIES]:
        other = component._replace(defines={**component.defines, name: value})
        result = configurator(other, arch)
        if isinstance(result, Configured):
            yield name, result, other
