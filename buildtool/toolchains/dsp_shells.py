"""The symbols that DSP shells, which load skels, export: on known chips, or on a pulled device.

`dsp_shell_exports.tsv` lists the known chips and its source.
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


EXPORTS = Path(__file__).parent / "dsp_shell_exports.tsv"


class DeviceShell(Value):
    """The shell of the device whose pulled sysroot is named `device`."""

    device: str
    exports: frozenset[str]

    @property
    def digest(self) -> str:
        """sha256 of everything that affects whether a skel loads."""
        return value_digest(sorted(self.exports))


def device_shell(sysroot: Sysroot, arch: str) -> DeviceShell | None:
    """The shell that loads skels for `arch` on the device of `sysroot`.

    None if its exports are unknown, or if its DSP is older than `arch`.
    """
    if not sysroot.shell_exports:
        return None
    if sysroot.arch and arch_number(sysroot.arch) < arch_number(arch):
        return None
    return DeviceShell(sysroot.name, sysroot.shell_exports)


class KnownShells(Value):
    """The table: `chips` are its columns ("v73 SA8775P"), `names` has one letter for each column.

    y: every examined build of the chip's shell exports the name; p: some do; -: none does.
    """

    chips: tuple[str, ...]
    names: Mapping[str, str]


@functools.cache
def known_shells() -> KnownShells:
    """The exports of the shells in redistributed firmware."""
    text = EXPORTS.read_text(encoding="utf-8")
    (_, *chips), *rows = (
        line.split("\t") for line in text.splitlines() if not line.startswith("#")
    )
    return KnownShells(tuple(chips), {name: "".join(letters) for name, *letters in rows})


def chips_with_arch(arch: str) -> tuple[str, ...]:
    """The known chips that a skel for `arch` is checked against.

    These are all chips for an arch that no known chip has (v69).
    """
    chips = known_shells().chips
    return tuple(chip for chip in chips if chip.startswith(f"{arch} ")) or chips


def export_letters(name: str, chips: Sequence[str]) -> dict[str, str]:
    """Whether the shells of `chips` export `name`: the table's letter for each chip."""
    known = known_shells()
    letters = known.names.get(name, "-" * len(known.chips))
    return {chip: has for chip, has in zip(known.chips, letters, strict=True) if chip in chips}


class MissingNames(Value):
    """Symbols that shells lack: `everywhere` on all chips of an arch, `somewhere` on some chips or
    in some builds."""

    everywhere: frozenset[str]
    somewhere: frozenset[str]


def missing_names(names: Iterable[str], arch: str, device: DeviceShell | None) -> MissingNames:
    """Those of `names` that the shell of `device` lacks; without `device`, the chips of `arch`."""
    if device:
        return MissingNames(frozenset(names) - device.exports, frozenset())
    chips = chips_with_arch(arch)
    letters = {name: set(export_letters(name, chips).values()) for name in names}
    lacking = frozenset(name for name in letters if letters[name] != {"y"})
    everywhere = frozenset(name for name in lacking if letters[name] == {"-"})
    return MissingNames(everywhere, lacking - everywhere)


def describe_chips(name: str, chips: Sequence[str]) -> str:
    """A text that says which of `chips` have a shell that exports `name`, and which do not."""
    has = export_letters(name, chips)
    chips_by_text = {
        words: [chip for chip in has if has[chip] == letter]
        for letter, words in (("y", "on"), ("p", "on some builds of"), ("-", "not on"))
    }
    return "; ".join(f"{words} {', '.join(some)}" for words, some in chips_by_text.items() if some)
