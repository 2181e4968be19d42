"""A buffer that the DSP has written is flushed, not invalidated.

An invalidation discards what the cache has of the buffer, with it the values that were written and
not yet in memory. The host then reads old values in some lines of the cache, others each time.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.lint.c_code.expressions import bare
from buildtool.lint.c_code.functions import Call, Function
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject

RULE = LintRule(
    "invalidate-after-write",
    __doc__,
    source=("QuRT qurt_memory.h", "https://github.com/ggml-org/llama.cpp/issues/25876"),
    remedy="Use QURT_MEM_CACHE_FLUSH or QURT_MEM_CACHE_FLUSH_INVALIDATE.",
    condition="stale-cache",
    wrong="""\
void fill(int *buffer, int n)
{
    for (int i = 0; i < n; i++)
        buffer[i] = i;
    qurt_mem_cache_clean((qurt_addr_t)buffer, n * sizeof *buffer, QURT_MEM_CACHE_INVALIDATE,
                         QURT_MEM_DCACHE);
}
""",
    right="""\
void fill(int *buffer, int n)
{
    for (int i = 0; i < n; i++)
        buffer[i] = i;
    qurt_mem_cache_clean((qurt_addr_t)buffer, n * sizeof *buffer, QURT_MEM_CACHE_FLUSH,
                         QURT_MEM_DCACHE);
}
""",
)
MAX_DISTANCE = 2000
"""Tokens before the call that are searched for writes."""
_WRITES = ("memcpy", "memset", "memmove")
_CLEANS = ("qurt_mem_cache_clean", "qurt_mem_cache_clean2")


def check(subject: Subject) -> Iterator[LintFinding]:
    for function, call in subject.calls(*_CLEANS):
        arguments = [list(bare(function.text(span))) for span in call.arguments]
        if len(arguments) < 4 or arguments[2] != ["QURT_MEM_CACHE_INVALIDATE"]:
            continue
        name = arguments[0][0] if len(arguments[0]) == 1 else ""
        written = _last_write(function, name, call) if name else 0
        if written:
            yield RULE.at(
                function.code.place(call.at),
                f"`{name}` is invalidated after it was written",
                f"what line {function.code.place(written).line} wrote is discarded as far as it"
                " is in the cache only",
            )


def _last_write(function: Function, name: str, call: Call) -> int:
    """The token of the last write to the buffer on the way to `call` since it was flushed; 0 if
    there is none, or if it is not certain that the write runs before."""
    texts, partners, found = function.code.texts, function.code.partners, 0
    for at in range(max(function.body[0], call.at - MAX_DISTANCE), call.at):
        other = function.calls_at.get(at)
        if other and other.name in _WRITES:
            if other.arguments and list(bare(function.text(other.arguments[0]))) == [name]:
                found = at
        elif (other and name in texts[at : other.end]) or texts[at] in _CLEANS:
            found = 0  # it may flush the buffer
        elif texts[at] == name and texts[at - 1] not in (".", "->"):
            if texts[at + 1] == "=":  # another buffer from here on
                found = 0
            elif texts[at + 1] == "[" and partners[at + 1] > at:
                found = at if texts[partners[at + 1] + 1] == "=" else found
    around = [c for c in function.controls_of(found) if c.keyword not in ("for", "while", "do")]
    return found if found and set(around) <= set(function.controls_of(call.at)) else 0
