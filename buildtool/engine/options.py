"""How to build: what the options of commands say to the engine."""

from __future__ import annotations

from buildtool.core.value import Value


class Options(Value):
    """How to build: the number of jobs (0 for as many as the machine has processors for), whether
    to go on after a failure, the compiler launcher ("" for the one of the project), and whether to
    use the caches of earlier builds."""

    jobs: int = 0
    keep_going: bool = False
    compiler_launcher: str = ""
    use_caches: bool = True
