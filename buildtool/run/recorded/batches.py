"""The operators in messages of ggml-hexagon, llama.cpp's backend for the DSP.

A message says how many buffers, tensors and operators its first buffer describes (`htp_opbatch_req`
in ggml/src/ggml-hexagon/htp/htp-ops.h of ggml 0.25.3).  The numbers of operators and types change
between releases: their names are read from that header in the project.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from buildtool.core.value import Value
from buildtool.project.model import Project
from buildtool.run.recorded.recording import Asked

HEADER = "htp-ops.h"
MAX_HEADER = 1 << 20
_REQUEST = struct.Struct("<Q4I")
_BUFFER = struct.Struct("<2Q2I")
_TENSOR = struct.Struct("<Q3I2H8I")
_OPERATOR = struct.Struct("<2I16i32i14H4x")
_PROFILE_SIZE = 48
_STATUS_AT = 24
NONE = 0xFFFF
SOURCES, RESULTS = slice(50, 60), slice(60, 64)
"""Places of tensors in what `_OPERATOR` unpacks."""
TYPES = {"F32": "f32", "F16": "f16", "I32": "i32", "I64": "i64"}


class Tensor(Value):
    """A result of an operator: `type` is that of ggml; where it is in the memory of `fd`."""

    operator: str
    type: str
    shape: tuple[int, ...]
    sources: tuple[str, ...]
    fd: int
    place: int
    size: int


class Batches:
    """Reads the operators of messages with the names of `header`, a file of the backend."""

    def __init__(self, header: Path | None) -> None:
        self._operators = operators_of(header)
        self._types = _enumerators(header, "HTP_TYPE_")

    def results(
        self, asked: Asked, memory: Callable[[int, int, int], bytes]
    ) -> list[Tensor] | None:
        """The results of the message's operators; None if it is no such message.  `memory` gives
        bytes of a descriptor's memory before it."""
        if not self._operators or len(asked.message) != _REQUEST.size or len(asked.buffers) != 1:
            return None
        _, buffers, tensors, operators, _ = _REQUEST.unpack(asked.message)
        sizes = (_BUFFER.size, buffers), (_TENSOR.size, tensors), (_OPERATOR.size, operators)
        needed = sum(size * count for size, count in sizes)
        fd, size, offset = asked.buffers[0]
        if not operators or needed + operators * _PROFILE_SIZE > size:
            return None
        data = memory(fd, offset, needed)
        if len(data) < needed:
            return None
        starts = 0, buffers * _BUFFER.size, buffers * _BUFFER.size + tensors * _TENSOR.size
        rows = [_BUFFER.unpack_from(data, i * _BUFFER.size) for i in range(buffers)]
        found = [_TENSOR.unpack_from(data, starts[1] + i * _TENSOR.size) for i in range(tensors)]
        results = []
        for i in range(operators):
            row = _OPERATOR.unpack_from(data, starts[2] + i * _OPERATOR.size)
            sources = [self._text(found[n]) for n in row[SOURCES] if n < tensors]
            for number in row[RESULTS]:
                if number < tensors and found[number][4] < buffers:
                    tensor = found[number]
                    results.append(
                        Tensor(
                            self._operators.get(row[0], f"operator {row[0]}"),
                            self._types.get(tensor[3], ""),
                            tensor[6:10],
                            tuple(sources),
                            *(rows[tensor[4]][3], tensor[0], tensor[1]),
                        )
                    )
        return results

    def _text(self, tensor: tuple[int, ...]) -> str:
        return f"{self._types.get(tensor[3], tensor[3])} {dimensions(tensor[6:10])}"

    @staticmethod
    def status(answer: bytes) -> bytes:
        """The part of an answer that is no time."""
        return answer[_STATUS_AT : _STATUS_AT + 4]


def dimensions(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def kept(results: list[Tensor]) -> Iterator[Tensor]:
    """The results that no later one overwrites, in order."""
    for number, tensor in enumerate(results):
        later = (other for other in results[number + 1 :] if other.fd == tensor.fd)
        end = tensor.place + tensor.size
        if not any(o.place < end and tensor.place < o.place + o.size for o in later):
            yield tensor


def header_of(project: Project) -> Path | None:
    """The file of a backend that names its operators, if the project has one."""
    for skel in project.skels.values():
        if skel.source:
            for path in sorted((project.root / skel.source).rglob(HEADER)):
                return path
    return None


def operators_of(header: Path | None) -> Mapping[int, str]:
    """The names of operators by their numbers."""
    return _enumerators(header, "HTP_OP_")


def _enumerators(header: Path | None, prefix: str) -> Mapping[int, str]:
    """The names of an enum of the header by their numbers, without `prefix`."""
    if header is None or header.stat().st_size > MAX_HEADER:
        return {}
    text = header.read_text(encoding="utf-8", errors="replace")
    found = re.search(rf"enum \w+ \{{([^}}]*\b{prefix}[^}}]*)\}}", text)
    names: dict[int, str] = {}
    value = -1
    for name, given in (
        re.findall(rf"^\s*{prefix}(\w+)(?:\s*=\s*(\d+))?,", found[1], re.M) if found else ()
    ):
        value = int(given) if given else value + 1
        names.setdefault(value, name)
    return names
