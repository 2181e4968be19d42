"""`buildtool explain CODE|LINE|FILE...`: what error codes, lines and logs of FastRPC mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show
from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.diagnose.explain_block import DeviceCrash
    from buildtool.diagnose.explain_log import LogExplanation
    from buildtool.diagnose.knowledge import Code, Condition, Knowledge
    from buildtool.documents.explanations import ExplainDocument
    from buildtool.project.model import Project

EXAMPLES = (
    ("buildtool explain 0x80000406 ECONNREFUSED", "what codes mean"),
    ("adb logcat -d | buildtool explain -", "what a log says"),
)
STDIN, LINE = "-", "line"
Json = Annotated[bool, Option("--json", "Print one JSON document.")]
"""A copy of the option in `buildtool.cli.options`, whose imports would take a tenth of the time of
`explain CODE`."""


class Arguments(Value):
    """The arguments by their kind; `logs` are files, or STDIN."""

    codes: list[tuple[str, tuple[Code, ...]]]
    conditions: list[Condition]
    lines: list[str]
    logs: list[str]


def explain(
    what: Annotated[
        list[str] | None,
        Argument(
            "CODE|LINE|FILE...",
            "Codes in any spelling, lines of logs, files with logs; - is standard input.",
        ),
    ] = None,
    *,
    list_all: Annotated[bool, Option("--list", "List everything that is known.")] = False,
    debug_files: Annotated[
        list[Path] | None,
        Option(
            "--debug-files",
            "Search DIR for the debug information of libraries that crashed; may be repeated.",
            "DIR",
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Explain error codes and logs of FastRPC, QNN and the DSP.

    Of logs it prints the causes of a failure, apart from what follows from them and from noise, how
    to check them, and what to do. It needs no project and no device, and sends nothing. The exit
    status is 1 if it knows nothing of what it was given.
    """
    from buildtool.diagnose.knowledge import read_knowledge

    knowledge = read_knowledge()
    if not what and not list_all:
        raise UsageError(
            "there is nothing to explain",
            remedy="Name a code, a line or a file: explain 0x80000406; or pass a log: explain -",
        )
    for directory in debug_files or ():
        if not directory.is_dir():
            raise UsageError(
                f"--debug-files {directory} is not a directory",
                remedy="Name one with debug files, such as .buildtool/debug, or with libraries"
                " before they were stripped.",
            )
    arguments = _sorted_out(what or [], knowledge)
    conditions = list(knowledge.conditions.values()) if list_all else arguments.conditions
    log, crashes = _explain_logs(arguments, knowledge, debug_files or [])
    if json:
        print_json(_document(arguments, conditions, log, crashes, knowledge))
    else:
        from buildtool.cli.inspection import explanation_text as texts

        parts = [texts.condition_list(conditions)] if list_all else []
        kind = _kind_of_last_failure() if arguments.codes else ""
        parts += [texts.code_text(codes, knowledge, kind) for _, codes in arguments.codes]
        parts += [texts.condition_text(condition) for condition in arguments.conditions]
        parts += [texts.log_text(log, crashes, knowledge)] if log else []
        show("\n\n".join(parts))
    codes = [code for _, codes in arguments.codes for code in codes]
    known = (
        conditions or crashes or (log and log.says_something) or any(code.names for code in codes)
    )
    return int(not known)


def _sorted_out(what: list[str], knowledge: Knowledge) -> Arguments:
    """Raises `UsageError` for what is neither a code nor a name, a file or a line."""
    from buildtool.diagnose.knowledge import parse_code

    found = Arguments([], [], [], [])
    for word in what:
        if word == STDIN:
            found.logs.append(word)
        elif codes := parse_code(word, knowledge.content):
            found.codes.append((word, codes))
        elif word in knowledge.content["conditions"]:
            found.conditions.append(knowledge.condition(word))
        elif os.path.lexists(word):
            found.logs.append(word)
        elif ".so" in word and "+0x" in word and not word.strip().count(" "):
            found.lines.append(f"code at {word.strip()}")  # as logs have it
        elif len(word.split()) > 1:
            found.lines.extend(word.splitlines())
        else:
            raise _unknown(word, knowledge)
    return found


def _unknown(word: str, knowledge: Knowledge) -> UsageError:
    import difflib

    names = {name for names, _ in knowledge.content["codes"].values() for name in names}
    names |= {name.removeprefix("AEE_") for name in names} | {*knowledge.content["conditions"]}
    close = difflib.get_close_matches(word, names, 1) or difflib.get_close_matches(
        word.upper(), names, 1
    )
    return UsageError(
        f"{word!r} is neither a code nor a file",
        why="a line of a log has several words; names are listed by: buildtool explain --list",
        remedy=f"Did you mean {close[0]!r}?"
        if close
        else "Name a code, a file, or a line in quotes.",
    )


def _kind_of_last_failure() -> str:
    """The kind of device on which a run of this directory's project failed last, "" if unknown."""
    from buildtool.core.history import RUNS, read_history
    from buildtool.project.model import STATE

    here = Path.cwd()
    states = (each / STATE for each in (here, *here.parents))
    state = next((each for each in states if each.is_dir()), None)
    runs = read_history(state, RUNS).lines if state else ()
    return str(runs[-1].get("kind", "")) if runs else ""


def _explain_logs(
    arguments: Arguments, knowledge: Knowledge, debug_files: list[Path]
) -> tuple[LogExplanation | None, list[DeviceCrash]]:
    """What lines and files say, None if there are none, and the crashes in them.

    Raises `BuildtoolError`.
    """
    if not arguments.lines and not arguments.logs:
        return None, []
    import io

    from buildtool.diagnose.explain_log import LogExplainer
    from buildtool.diagnose.line_patterns import LogLines

    explainer = LogExplainer(knowledge)
    if arguments.lines:
        data = "\n".join(arguments.lines).encode(errors="replace")
        explainer.read(LogLines(LINE, io.BytesIO(data)))
    for name in arguments.logs:
        try:
            with _open(name) as stream:
                explainer.read(LogLines(name, stream))
        except OSError as error:
            raise BuildtoolError(
                f"{name} cannot be read: {error.strerror or error}",
                remedy="Name a file with a log, or - for standard input.",
            ) from error
    crashes = explainer.crashes()
    if not crashes:
        return explainer.explanation(), []
    from buildtool.diagnose.explain_block import explain_block

    project = _project()
    directories = debug_files or [*_usual_debug_files(project, arguments.logs)]
    explained = [explain_block(*crash, directories, project) for crash in crashes]
    return explainer.explanation(), explained


def _project() -> Project | None:
    """The project in whose directory this is; a log is also explained if its file is not valid."""
    from buildtool.project.read import find_optional_project

    try:
        return find_optional_project(Path.cwd())
    except BuildtoolError:
        return None


def _usual_debug_files(project: Project | None, logs: list[str]) -> Iterator[Path]:
    """The debug information of releases of `project`, and that beside logs."""
    if project:
        yield Path(os.path.relpath(project.state / "debug"))
    for log in logs:
        yield Path(log).with_name("debug")


def _open(name: str) -> IO[bytes]:
    if name == STDIN:
        return os.fdopen(0, "rb", closefd=False)
    return Path(name).open("rb")


def _document(
    arguments: Arguments,
    conditions: list[Condition],
    log: LogExplanation | None,
    crashes: list[DeviceCrash],
    knowledge: Knowledge,
) -> ExplainDocument:
    return {
        "codes": [
            {
                "given": given,
                "codes": [code.as_json() for code in codes],
                "conditions": [
                    condition.as_json()
                    for code in codes
                    for condition in knowledge.with_code(code.value)
                ],
            }
            for given, codes in arguments.codes
        ],
        "conditions": [condition.as_json() for condition in conditions],
        "logs": log.as_json() if log else None,
        "crashes": [crash.as_json() for crash in crashes],
    }
