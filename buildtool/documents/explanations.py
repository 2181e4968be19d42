"""What `explain` prints."""

from __future__ import annotations

from typing import Annotated, TypedDict

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


class ExplainedCodeObject(TypedDict):
    given: Annotated[str, "the argument"]
    codes: Annotated[list[CodeObject], "the codes that it spells; a name is one of each side"]
    conditions: Annotated[
        list[ConditionObject], "conditions that come with these codes, the surest first"
    ]


class EvidenceObject(TypedDict):
    log: Annotated[str, "the file; `-` is standard input, `line` an argument"]
    line: Annotated[int, "number of the line, from 1, in the part that was read"]
    text: Annotated[str, "the line; of a long one the part around what was found"]


class LogFindingObject(ConditionObject):
    evidence: Annotated[list[EvidenceObject], "the first line of each kind that shows it"]
    lines: Annotated[int, "number of lines that show it"]


class EventObject(_Class):
    log: Annotated[str, "as in `evidence`"]
    first_line: Annotated[int, "number of the first line"]
    last_line: Annotated[int, "number of the last line"]
    lines: Annotated[int, "number of lines that show the condition"]
    name: Annotated[str, "name of the condition"]


class InputObject(TypedDict):
    name: Annotated[str, "the file; `-` is standard input, `line` an argument"]
    lines: Annotated[int, "number of lines that were read"]
    bytes: Annotated[int, "number of bytes that were read"]
    part: Annotated[str, "which part was read", ("all", "start", "end")]
    cut_lines: Annotated[int, "number of lines that were too long to be read to their end"]
    has_nul: Annotated[bool, "whether it has NUL bytes, so that it may not be a log"]


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


class ExplainDocument(TypedDict):
    codes: Annotated[list[ExplainedCodeObject], "the arguments that are codes"]
    conditions: Annotated[
        list[ConditionObject], "the arguments that are names of conditions; with --list all"
    ]
    logs: Annotated[LogsObject | None, "what lines and files say; null without any"]
