"""The names that the DSP's shell, which loads skels, exports: on known chips, on a pulled device.

`dsp_shell_exports.tsv` has the known chips and its source.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.files import value_digest
from buildtool.core.value import Value
from buildtool.project.archs import arch_number

if TYPE_CHECKING:
    from buildtool.sdk.sysroot import Sysroot


class DeviceShell(Value):
    """The shell of the device whose pulled sysroot is called `device`."""

    device: str
    exports: frozenset[str]

    @property
    def digest(self) -> str:
        """sha256 of everything that decides whether a skel loads."""
        return value_digest(sorted(self.exports))


def device_shell(sysroot: Sysroot, arch: str) -> DeviceShell | None:
    """The shell that skels for `arch` meet on the device behind `sysroot`.

    None when its names are not known, and when its DSP is older than `arch`.
    """
    if not sysroot.shell_exports:
        return None
    if sysroot.arch and arch_number(sysroot.arch) < arch_number(arch):
        return None
    return DeviceShell(sysroot.name, sysroot.shell_exports)


class KnownShells(Value):
    """The table: `chips` are its columns ("v73 SA8775P"), `names` has a letter a column.

    y: every build of the chip's shell that was read exports the name; p: some; -: none.
    """

    chips: tuple[str, ...]
    names: Mapping[str, str]


@functools.cache
def known_shells() -> KnownShells:
    """What the shells in redistributed firmware export."""
    text = (Path(__file__).parent / "dsp_shell_exports.tsv").read_text(encoding="utf-8")
    (_, *chips), *rows = (
        line.split("\t") for line in text.splitlines() if not line.startswith("#")
    )
    return KnownShells(tuple(chips), {name: "".join(letters) for name, *letters in rows})


def chips_with_arch(arch: str) -> tuple[str, ...]:
    """The known chips that a skel for `arch` is checked against.

    For an arch that no known chip has (v69) these are all of them: it lies between the others.
    """
    chips = known_shells().chips
    return tuple(chip for chip in chips if chip.startswith(f"{arch} ")) or chips


def export_letters(name: str, chips: Sequence[str]) -> dict[str, str]:
    """Whether the shells of `chips` export `name`: the table's letter of each."""
    known = known_shells()
    letters = known.names.get(name, "-" * len(known.chips))
    return {chip: has for chip, has in zip(known.chips, letters, strict=True) if chip in chips}


class MissingNames(Value):
    """Names that shells lack: `everywhere` on all chips of an arch, `somewhere` on some of them, or
    in some builds."""

    everywhere: frozenset[str]
    somewhere: frozenset[str]


def missing_names(names: Iterable[str], arch: str, device: DeviceShell | None) -> MissingNames:
    """Those of `names` that the shell of `device` lacks, else those that the chips of `arch` do."""
    if device:
        return MissingNames(frozenset(names) - device.exports, frozenset())
    chips = chips_with_arch(arch)
    letters = {name: set(export_letters(name, chips).values()) for name in names}
    lacking = frozenset(name for name in letters if letters[name] != {"y"})
    everywhere = frozenset(name for name in lacking if letters[name] == {"-"})
    return MissingNames(everywhere, lacking - everywhere)


def describe_chips(name: str, chips: Sequence[str]) -> str:
    """On which of `chips` the shell exports `name`, and on which not, in words."""
    has = export_letters(name, chips)
    said = {
        words: [chip for chip in has if has[chip] == letter]
        for letter, words in (("y", "on"), ("p", "on some builds of"), ("-", "not on"))
    }
    return "; ".join(f"{words} {', '.join(some)}" for words, some in said.items() if some)
