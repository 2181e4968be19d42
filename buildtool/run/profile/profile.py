"""A profile: which functions of skels were executed, from which others, and at which lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from buildtool.core.value import Described, computed
from buildtool.diagnose.crash_report import StackFrame
from buildtool.run.profile.module_code import LIBRARY, ModuleCode, SourceLine
from buildtool.run.profile.recording import Packet, packets_between

if TYPE_CHECKING:
    from buildtool.diagnose.module_files import DebugFiles
    from buildtool.run.profile.recording import Recording

UNKNOWN = "(unknown)"
"""A function without a name."""
Stack = tuple[str, ...]
FunctionKey = tuple[str, str]
"""The file of a skel, and the name of a function in it."""


class FunctionProfile(Described):
    """A function of a profile; `hot` is the line with most of its packets, or else samples."""

    module: Annotated[
        str, 'file with its code, such as a skel; "(system)" for functions that the DSP provides'
    ]
    name: Annotated[str, "name of the function"]
    self_samples: Annotated[int, "samples in the function itself"]
    total_samples: Annotated[int, "samples in the function and in what it has called"]
    packets: Annotated[
        int | None, "packets that the function itself executed; null: not counted"
    ] = None
    instructions: Annotated[int | None, "instructions of these packets"] = None
    hvx: Annotated[int | None, "HVX instructions of these packets"] = None
    file: Annotated[str, 'source file of the line with most of that; "" if unknown'] = computed(
        lambda self: self.hot.path
    )
    line: Annotated[int, "number of this line; 0 if unknown"] = computed(lambda self: self.hot.line)
    line_share: Annotated[float, "its share of the function's packets, or else of its samples"] = (
        computed(lambda self: round(self.hot_share, 4))
    )
    hot: SourceLine = SourceLine()
    hot_share: float = 0


class Profile(Described, kw_only=True):
    """What a program executed on the emulated DSP; or on the processor of a device, if `tool` names
    the profiler there, which counts no packets.

    `stacks` are the functions of the samples, the outermost first.  `packets` are the packets of
    each skel that were executed, with how often, `at` the samples at each address, `code` is that
    of the skels.  `is_cut`: more was recorded than is read.
    """

    tool: Annotated[str, 'profiler of the device; "" on sim, where skels are profiled'] = ""
    samples: Annotated[
        int,
        "samples of the program; on sim in skels and what they called, of the time of the emulator",
    ]
    outside: Annotated[int, "samples in the DSP's system for itself"]
    uncounted: Annotated[str, 'why packets of functions are not counted; "" if they are']
    unsampled_threads: Annotated[int, "threads of the DSP that are in no sample"]
    functions: Annotated[
        tuple[FunctionProfile, ...], "a row for each function, those with most samples first"
    ]
    files: Annotated[tuple[str, ...], "paths of the files with the profile"] = ()
    stacks: Mapping[Stack, int]
    packets: Mapping[str, Mapping[Packet, int]]
    at: Mapping[tuple[str, int], int]
    is_cut: bool
    code: Mapping[str, ModuleCode]

    @property
    def measure(self) -> str:
        """What the samples are."""
        if self.tool:
            return f"{self.samples:,} samples of {self.tool} of the program's processor time"
        return f"{self.samples:,} samples of the time of the emulator, which is not a DSP's"


def make_profile(
    recording: Recording,
    code: Mapping[str, ModuleCode],
    shell: ModuleCode,
    debug: DebugFiles,
    uncounted: str,
) -> Profile:
    """The profile of a recording.  `code` is that of skels by their file names, `shell` that of the
    DSP's system; `debug` has the functions that are inlined."""
    maker = _Maker(recording, code, shell, debug)
    maker.add_samples()
    packets = {} if uncounted else count_packets(recording, code)
    for skel, rows in packets.items():
        maker.add_packets(skel, rows)
    return Profile(
        functions=maker.functions(counted=not uncounted),
        stacks=maker.stacks,
        samples=maker.stacks.total(),
        outside=maker.outside,
        uncounted=uncounted,
        packets=packets,
        at=maker.at,
        unsampled_threads=recording.unsampled,
        is_cut=recording.is_cut,
        code=code,
    )


def count_packets(
    recording: Recording, code: Mapping[str, ModuleCode]
) -> dict[str, Counter[Packet]]:
    """How often each packet of each skel was executed."""
    counts: dict[str, Counter[Packet]] = {}
    for (process, start, end), times in recording.blocks.items():
        module = recording.module_at((process, start))
        if module and module.name in code and not recording.is_thunk((process, start)):
            found = packets_between(
                start - module.base, min(end, module.end) - module.base, code[module.name].word_at
            )
            row = counts.setdefault(module.name, Counter())
            for packet in found:
                row[packet] += times
    return counts


class _Maker:
    """Adds up samples and packets by functions, and by their lines."""

    def __init__(
        self,
        recording: Recording,
        code: Mapping[str, ModuleCode],
        shell: ModuleCode,
        debug: DebugFiles,
    ) -> None:
        self._recording, self._code, self._shell, self._debug = recording, code, shell, debug
        self.stacks: Counter[Stack] = Counter()
        self.at: Counter[tuple[str, int]] = Counter()
        self.outside = 0
        self._self: Counter[FunctionKey] = Counter()
        self._total: Counter[FunctionKey] = Counter()
        self._lines: dict[FunctionKey, Counter[SourceLine]] = {}
        self._executed: dict[FunctionKey, list[int]] = {}
        self._frames: dict[tuple[int, int, bool], tuple[FunctionKey, Stack] | None] = {}

    def add_samples(self) -> None:
        for (process, addresses), weight in self._recording.stacks.items():
            found = self._frames_of(process, addresses)
            while found and found[-1][0][0] == LIBRARY:
                found.pop()  # what has called the skel
            if not found:
                self.outside += weight
                continue
            names = [name for _, inlined in reversed(found) for name in reversed(inlined)]
            self.stacks[tuple(names)] += weight
            innermost = found[0][0]
            self._self[innermost] += weight
            for function in {function for function, _ in found}:
                self._total[function] += weight
            place = process, self._recording.origin((process, addresses[0]))
            module = self._recording.module_at(place)
            if module and innermost[0] == module.name:
                self.at[module.name, place[1] - module.base] += weight
                self._add_line(innermost, place[1] - module.base, weight)

    def add_packets(self, skel: str, packets: Mapping[Packet, int]) -> None:
        samples = self._lines
        self._lines = {key: row for key, row in samples.items() if key[0] != skel}
        for packet, times in packets.items():
            key = self._function(skel, packet.address)
            row = self._executed.setdefault(key, [0, 0, 0])
            row[0] += times
            row[1] += times * packet.instructions
            row[2] += times * packet.hvx
            self._add_line(key, packet.address, times)

    def functions(self, *, counted: bool) -> tuple[FunctionProfile, ...]:
        rows = []
        for key in {*self._total, *self._executed}:
            lines = self._lines.get(key, Counter())
            ((hot, most),) = lines.most_common(1) or [(SourceLine(), 0)]
            row = FunctionProfile(
                *(*key, self._self[key], self._total[key]),
                hot=hot,
                hot_share=most / lines.total() if lines else 0.0,
            )
            if counted and key[0] != LIBRARY:
                packets, instructions, hvx = self._executed.get(key, (0, 0, 0))
                row = row._replace(packets=packets, instructions=instructions, hvx=hvx)
            rows.append(row)
        return tuple(
            sorted(rows, key=lambda row: (-row.self_samples, -(row.packets or 0), row.name))
        )

    def _function(self, skel: str, address: int) -> FunctionKey:
        function = self._code[skel].function_at(address) if skel in self._code else None
        return skel, function.name if function else UNKNOWN

    def _add_line(self, key: FunctionKey, address: int, times: int) -> None:
        line = self._code[key[0]].line_at(address) if key[0] in self._code else SourceLine()
        if line.line:
            self._lines.setdefault(key, Counter())[line] += times

    def _frames_of(
        self, process: int, addresses: tuple[int, ...]
    ) -> list[tuple[FunctionKey, Stack]]:
        """The functions from the innermost on, each with its name after those inlined there."""
        found = []
        if top := self._frame(process, addresses[0], call=False):
            found.append(top)
        # The link register is the caller's address in a function that has called nothing.
        link = self._frame(process, addresses[1], call=True) if len(addresses) > 1 else None
        if link and addresses[1] != (addresses[2:3] or (0,))[0] and (not top or top[0] != link[0]):
            found.append(link)
        for address in addresses[2:]:
            if frame := self._frame(process, address, call=True):
                found.append(frame)
        return found

    def _frame(self, process: int, address: int, *, call: bool) -> tuple[FunctionKey, Stack] | None:
        place = process, address, call
        if place not in self._frames:
            self._frames[place] = self._find_frame(process, address, call=call)
        return self._frames[place]

    def _find_frame(
        self, process: int, address: int, *, call: bool
    ) -> tuple[FunctionKey, Stack] | None:
        module = self._recording.module_at((process, address))
        if module is None:
            function = self._shell.function_at(address - 4 if call else address)
            return ((LIBRARY, function.name), (function.name,)) if function else None
        origin = self._recording.origin((process, address))
        offset = origin - module.base
        call = call and origin == address
        key = self._function(module.name, offset - 4 if call else offset)
        build_id = self._code[module.name].build_id if module.name in self._code else ""
        places = self._debug.places(StackFrame(module.name, offset, build_id), call=call)
        names = tuple(place.function for place in places[:-1])
        name = key[1] if key[1] != UNKNOWN else f"{module.name}+0x{offset:x}"
        return key, (*names, name)
