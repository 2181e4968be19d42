"""`[bench.NAME]`, `[metric.NAME]` and `[check.NAME]`: what `buildtool bench` measures, and what
the output of the measured program has to be; `[compare.METHOD]`, what `diverge` accepts."""

# No `from __future__ import annotations`: the reader evaluates all annotations in every run.
from collections.abc import Mapping
from typing import Annotated

from buildtool.core.value import Value
from buildtool.project.keys import NO_DEFINES, Args, Cwd, Define, Env, Key, Strings

ELEMENT_CODES = {
    "f16": "e",
    "f32": "f",
    "f64": "d",
    "i8": "b",
    "u8": "B",
    "i16": "h",
    "u16": "H",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "u64": "Q",
}
"""The formats of `struct` for the types of elements, which are little-endian."""
ELEMENT_TYPES = tuple(ELEMENT_CODES)
SEED = "seed"
"""The parameter that each bench has: the number of its input."""


class Bench(Value):
    """`[bench.NAME]`: a program that is measured, and how its output is checked."""

    program: Annotated[str, Key("program of the release, such as bin/demo-bench")]
    args: Args = ()
    env: Env = NO_DEFINES
    parameters: Annotated[
        Mapping[str, Define],
        Key("values of {NAME} in args, env and references, which --sweep can replace"),
    ] = NO_DEFINES
    cwd: Cwd = ""
    timeout: Annotated[str, Key('time after which a run is ended: "90s", "2m", "1h"')] = "5m"
    metrics: Annotated[Strings, Key("the [metric.NAME]s that it prints")] = ()
    checks: Annotated[Strings, Key("the [check.NAME]s that each run has to pass")] = ()
    output: Annotated[
        str, Key("file that it writes, from its working directory; it is the same in each run")
    ] = ""
    warmup: Annotated[int, Key("number of runs before those that count")] = 1
    repeat: Annotated[int, Key("least number of runs that count")] = 10
    precision: Annotated[
        float, Key("more runs follow until each median is known this well: 0.02 for ±2 %")
    ] = 0.02
    limit: Annotated[str, Key("... or until this time is over")] = "2m"

    @property
    def takes_seed(self) -> bool:
        return any(f"{{{SEED}}}" in str(text) for text in (*self.args, *self.env.values()))


class Metric(Value):
    """`[metric.NAME]`: a number that programs print."""

    match: Annotated[str, Key("regular expression whose first group is the number")] = ""
    json: Annotated[
        str, Key("its place in the JSON document that the program prints: runs.0.seconds")
    ] = ""
    unit: Annotated[str, Key("its unit, such as us or tok/s")] = ""
    better: Annotated[str, Key("which values are better", choices=("lower", "higher"))] = "lower"
    exact: Annotated[
        bool, Key("it is the same in each run, on any machine: a size or a count, not a time")
    ] = False


class Check(Value):
    """`[check.NAME]`: what the output of a program has to be, besides exit status 0."""

    match: Annotated[
        str,
        Key("regular expression that standard output contains; groups are the same in each run"),
    ] = ""
    no_match: Annotated[str, Key("regular expression that it does not contain")] = ""
    reference: Annotated[
        str, Key("file with the right content of the output file, relative to the project file")
    ] = ""
    type: Annotated[
        str, Key("type of its elements, if they are not compared as bytes", choices=ELEMENT_TYPES)
    ] = "u8"
    absolute: Annotated[float, Key("how far elements may be off")] = 0.0
    relative: Annotated[float, Key("... and how far as a share of the right value")] = 0.0
    program: Annotated[
        str, Key("program of the release that returns 0 if the output file is right")
    ] = ""
    args: Args = ()


class Compare(Value):
    """`[compare.METHOD]`: how far results of a method, by its C name, of `messages` in queues, or
    of an operator of a backend may be from recorded ones.  Without it, not at all."""

    absolute: Annotated[float, Key("how far numbers may be off")] = 0.0
    relative: Annotated[float, Key("... and how far as a share of the recorded number")] = 0.0
    ulp: Annotated[int, Key("... or how many steps of their type floats may be off")] = 0
    nmse: Annotated[
        float, Key("... or the largest mean squared error of a buffer, as a share of its squares")
    ] = 0.0
    type: Annotated[
        str, Key("type of numbers in octets and in shared memory", choices=ELEMENT_TYPES)
    ] = "u8"
    ignore: Annotated[Strings, Key("parameters that may be anything, such as times")] = ()


def filled(text: str, parameters: Mapping[str, object]) -> str:
    """`text` with the values of the parameters that it names as {NAME}."""
    for name, value in parameters.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text
