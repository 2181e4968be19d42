"""The options of `run` to record the calls of the DSP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import DEVICE
from buildtool.cli.parameters import Option, OptionGroup
from buildtool.core.errors import UsageError

if TYPE_CHECKING:
    from buildtool.deploy.ready import CallRecording


class RecordOptions(OptionGroup):
    """What is recorded of the calls, and in which file."""

    record_calls: Annotated[
        Path | None,
        Option(
            "--record-calls",
            "Record calls of the DSP with inputs and outputs as FILE, for diverge.",
            "FILE",
            heading=DEVICE,
        ),
    ] = None
    record_methods: Annotated[
        list[str] | None,
        Option(
            "--record-methods",
            "Only calls of METHOD, by its C name, or messages; may be repeated.",
            "METHOD",
            heading=DEVICE,
        ),
    ] = None
    record_first: Annotated[
        int, Option("--record-first", "Only the first N calls and messages.", "N", heading=DEVICE)
    ] = 0
    record_limit: Annotated[
        str,
        Option("--record-limit", "Largest size of the file; default: 2G.", "SIZE", heading=DEVICE),
    ] = ""

    def wanted(self) -> CallRecording | None:
        """What is recorded, if anything is; raises `UsageError`."""
        if self.record_calls is None:
            for option, given in (
                ("--record-methods", self.record_methods),
                ("--record-first", self.record_first),
                ("--record-limit", self.record_limit),
            ):
                if given:
                    raise UsageError(
                        f"{option} needs --record-calls",
                        remedy=f"Name the file: --record-calls run.calls {option} …",
                    )
            return None
        from buildtool.cache.local import parse_size
        from buildtool.core.files import check_output_file
        from buildtool.deploy.ready import CallRecording

        check_output_file("--record-calls", self.record_calls, "run.calls")
        limit = parse_size(self.record_limit, "--record-limit") if self.record_limit else 0
        methods = tuple(self.record_methods or ())
        return CallRecording(self.record_calls.absolute(), methods, self.record_first, limit)
