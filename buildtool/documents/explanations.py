"""What `explain` prints."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

_CLASSES = ("cause", "consequence", "benign", "unknown")


class CodeObject(TypedDict):
    hex: Annotated[str, "value of the code in hex"]
    decimal: Annotated[str, "its decimal form, with sign"]
    side: Annotated[
        str,
        'from where it is; "" if the code is not known',
        ("dsp", "host", "qnn", "kernel", ""),
    ]
    names: Annotated[list[str], "its names; several if they share the value"]
    meaning: Annotated[str, "what the names mean"]


class ConditionCauseObject(TypedDict):
    cause: Annotated[str, "the cause"]
    check: Annotated[str, "what tells it from the other causes"]
    remedy: Annotated[str, "what to do"]


# `class` is a keyword.
_Class = TypedDict(
    "_Class",
    {
        "class": Annotated[
            str,
            "a cause, what follows from one, what has nothing to do with a failure, or a symptom"
            " with several causes",
            _CLASSES,
        ]
    },
)


class ConditionObject(_Class):
    name: Annotated[str, "name of the condition, which `explain` accepts too"]
    meaning: Annotated[str, "what happened"]
    codes: Annotated[list[str], "error codes with which it appears, in hex"]
    causes: Annotated[list[ConditionCauseObject], "its causes; empty if nothing is to be done"]
    source: Annotated[list[str], "where it is from"]
    sure: Annotated[
        str,
        "whether it was read in code, said by a maintainer, or reported by a user",
        ("code", "maintainer", "user"),
    ]
    devices: Annotated[
        list[str], "the kinds of devices that can have it: sim, board, phone, windows; empty if all"
    ]


class ExplainedCodeObject(TypedDict):
    given: Annotated[str, "the argument"]
    codes: Annotated[list[CodeObject], "the codes that it spells; a name is one of each side"]
    conditions: Annotated[
        list[ConditionObject], "conditions that come with these codes, the surest first"
    ]


EvidenceObject = Annotated[dict[str, Any], "buildtool.diagnose.explain_log:Evidence"]


OpenedObject = Annotated[dict[str, Any], "buildtool.diagnose.explain_log:Opened"]


class LogFindingObject(ConditionObject):
    evidence: Annotated[list[EvidenceObject], "the first line of each kind that shows it"]
    lines: Annotated[int, "number of lines that show it"]


class EventObject(_Class):
    log: Annotated[str, "as in `evidence`"]
    first_line: Annotated[int, "number of the first line"]
    last_line: Annotated[int, "number of the last line"]
    lines: Annotated[int, "number of lines that show the condition"]
    name: Annotated[str, "name of the condition"]


InputObject = Annotated[dict[str, Any], "buildtool.diagnose.line_patterns:LogSummary"]


class OpenCodeObject(CodeObject):
    evidence: Annotated[EvidenceObject, "the first line that has it"]


class LogsObject(TypedDict):
    inputs: Annotated[list[InputObject], "what was read"]
    causes: Annotated[list[LogFindingObject], "causes that the logs show, the best evidence first"]
    symptoms: Annotated[
        list[LogFindingObject], "symptoms with several causes, of which the logs show none"
    ]
    consequences: Annotated[list[LogFindingObject], "what followed from causes"]
    benign: Annotated[list[LogFindingObject], "what has nothing to do with a failure"]
    codes: Annotated[list[OpenCodeObject], "error codes that nothing else in the logs explains"]
    events: Annotated[list[EventObject], "what happened, in the order of lines, without noise"]
    opened: Annotated[
        list[OpenedObject], "libraries for the DSP that were opened, each from which directory"
    ]


class CodeLineObject(TypedDict):
    module: Annotated[str, "file name of the library"]
    offset: Annotated[str, 'address in the library in hex; "" if not known']
    symbol: Annotated[str, 'what the device calls the place, such as `scale+0x1c`; "" if nothing']
    function: Annotated[str, 'the function; "" without a debug file']
    file: Annotated[str, 'name of the source; "" without a debug file']
    line: Annotated[int, "line in it; 0 without a debug file"]


class DebugFileObject(TypedDict):
    module: Annotated[str, "file name of the library"]
    match: Annotated[
        str,
        "whether functions of the call trace are where the file has them, only its name is known to"
        " be right, it is of another build and not used, or there is none",
        ("symbols", "name", "other-build", "missing"),
    ]
    file: Annotated[str, 'the file; "" if there is none']


class CrashObject(TypedDict):
    log: Annotated[str, "the file; `-` is standard input, `line` an argument"]
    first_line: Annotated[int, "number of its first line there"]
    last_line: Annotated[int, "number of its last line there"]
    process: Annotated[str, "program of the process on the DSP, in up to 15 characters"]
    thread: Annotated[str, "name of the thread"]
    reason: Annotated[str, "what the device says of the cause"]
    cause: Annotated[str, "the cause, from the registers if they say more than `reason`"]
    module: Annotated[str, "file name of the library that crashed"]
    load_address: Annotated[str, 'where it is loaded, in hex; "" if not known']
    registers: Annotated[dict[str, str], "registers by their name in the log, in hex"]
    call_path: Annotated[list[CodeLineObject], "functions, the innermost first"]
    debug_files: Annotated[list[DebugFileObject], "where functions and lines are from"]
    skel: Annotated[str, 'file name of the skel whose method was called; "" if not known']
    method: Annotated[int | None, "number of that method; null if not known"]
    method_name: Annotated[str, 'its function; "" if not known']
    host_call: Annotated[
        EvidenceObject | None, "the call that failed because of the crash; null if not in the logs"
    ]


class ExplainDocument(TypedDict):
    codes: Annotated[list[ExplainedCodeObject], "the arguments that are codes"]
    conditions: Annotated[
        list[ConditionObject], "the arguments that are names of conditions; with --list all"
    ]
    logs: Annotated[LogsObject | None, "what lines and files say; null without any"]
    crashes: Annotated[list[CrashObject], "crashes that devices have logged, in order"]
