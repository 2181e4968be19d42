"""The build statements of the build.ninja that CMake writes: which command makes which file.

Ninja's tools do not tell the commands of a project, which may write files that nobody declares,
from compilers and linkers, which do not.

Source: Ninja's manual, "Ninja file reference", and the rules that CMake's Ninja generator writes.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from pathlib import Path

from buildtool.core.files import read_regular
from buildtool.core.value import Value

REGENERATION = "RERUN_CMAKE"
_STATEMENT = re.compile(r"(?m)^build (.+)((?:\n  .*)*)")
_OWN_COMMANDS = re.compile(r"\n  (?:PRE_LINK|POST_BUILD) = (?!:?(?:\n|$))")
_CONVERSION = re.compile(r" -E cmake_transform_depfile Ninja gccdepfile ([^\n]*)")
_WORK_DIRECTORY = "${cmake_ninja_workdir}"


class BuildRule(Value):
    """A build statement; `outputs` and `inputs` are absolute paths.

    `compiles`: it makes objects.  `is_custom`: it runs a command of the project's: a custom
    command, or one before or after a link.  `appends`: that adds to a file with `>>`.
    `depfile`: the absolute path of the dependency file that it writes and CMake converts, or "".
    """

    rule: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    compiles: bool
    is_custom: bool
    appends: bool
    depfile: str


def read_build_rules(tree: Path) -> list[BuildRule]:
    """The build statements of the configured `tree`, without phony ones."""
    text = read_regular(tree / "build.ninja").decode(errors="surrogateescape")
    return list(_rules(text.replace("$\n", ""), f"{tree}/"))


def _rules(text: str, prefix: str) -> Iterator[BuildRule]:
    for match in _STATEMENT.finditer(text):
        words = _words(match[1])
        if "" not in words:
            continue
        at = words.index("")
        rule = words[at + 1] if len(words) > at + 1 else "phony"
        if rule == "phony":
            continue
        is_custom = rule == "CUSTOM_COMMAND" or _OWN_COMMANDS.search(match[2]) is not None
        yield BuildRule(
            rule,
            tuple(dict.fromkeys(_absolute(words[:at], prefix))),
            tuple(_absolute(words[at + 2 :], prefix)),
            "_COMPILER__" in rule,
            is_custom,
            is_custom and ">>" in match[2],
            next(_absolute(_converted(match[2]), prefix), ""),
        )


def _converted(command: str) -> list[str]:
    """The dependency files that a command has CMake convert: the first path after the directories
    of sources and build tree."""
    if not (match := _CONVERSION.search(command)):
        return []
    try:
        return shlex.split(re.sub(r"\$(.)", r"\1", match[1]))[4:5]
    except ValueError:  # an unbalanced quotation mark
        return []


def _words(line: str) -> list[str]:
    """The paths of a build statement without its escapes; the colon after the outputs is ""."""
    line = line.replace(_WORK_DIRECTORY, "\1").replace("$$", "\2").replace("$ ", "\3")
    line = line.replace("$:", "\4")
    outputs, _, rest = line.partition(":")
    words = [*outputs.split(" "), "\0", *rest.split(" ")]
    plain = (
        word.replace("\2", "$").replace("\3", " ").replace("\4", ":") for word in words if word
    )
    return ["" if word == "\0" else word for word in plain]


def _absolute(words: Collection[str], prefix: str) -> Iterator[str]:
    for word in words:
        if word not in ("|", "||", "|@"):
            name = word.replace("\1", "")
            yield name if name.startswith("/") else prefix + name
