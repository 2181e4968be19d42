"""The libraries that every device of a platform has, and the symbols that DSP shells export.

DSP shells load skels.  `dsp_shell_exports.tsv` lists the known chips and its source.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import value_digest
from buildtool.core.value import Value
from buildtool.project.keys import arch_number
from buildtool.toolchains.profile import Profile

if TYPE_CHECKING:
    from buildtool.sdk.sysroot import Sysroot

UBUNTU = frozenset(
    (
        # Debian's and Ubuntu's package libc6 …
        *("ld-linux-aarch64.so.1", "libBrokenLocale.so.1", "libanl.so.1", "libc.so.6"),
        *("libc_malloc_debug.so.0", "libdl.so.2", "libm.so.6", "libmvec.so.1", "libnsl.so.1"),
        *("libnss_compat.so.2", "libnss_dns.so.2", "libnss_files.so.2", "libnss_hesiod.so.2"),
        *("libpthread.so.0", "libresolv.so.2", "librt.so.1", "libthread_db.so.1", "libutil.so.1"),
        # … libgcc-s1 and libstdc++6, which apt and dpkg need.
        *("libgcc_s.so.1", "libstdc++.so.6"),
    )
)
# Source: Android NDK, "Native APIs"; the libraries without another number are in every API level
# with 64 bits.
ANDROID = {
    **dict.fromkeys(("libandroid.so", "libc.so", "libdl.so", "libEGL.so", "libGLESv1_CM.so"), 21),
    **dict.fromkeys(("libGLESv2.so", "libGLESv3.so", "libjnigraphics.so", "liblog.so"), 21),
    **dict.fromkeys(("libm.so", "libmediandk.so", "libOpenMAXAL.so", "libOpenSLES.so"), 21),
    **dict.fromkeys(("libstdc++.so", "libz.so"), 21),
    **dict.fromkeys(("libcamera2ndk.so", "libvulkan.so"), 24),
    **dict.fromkeys(("libaaudio.so", "libnativewindow.so", "libsync.so"), 26),
    "libneuralnetworks.so": 27,
    **dict.fromkeys(("libamidi.so", "libbinder_ndk.so"), 29),
    **dict.fromkeys(("libicu.so", "libnativehelper.so"), 31),
}
"""The libraries that Android apps may use, each with the API level that introduced it."""

SHARED_STL = "libc++_shared.so"
"""The shared C++ library of zig and of the NDK, which no device has."""


def system_libraries(profile: Profile) -> frozenset[str]:
    """The libraries that programs of `profile` may need without shipping them.

    On Android these are the libraries that the NDK links for the API level; on Ubuntu glibc and
    GCC's libraries, and those of the pulled sysroot if there is one.  None for a DSP.
    """
    own = {profile.cdsprpc.soname} if profile.cdsprpc else set()
    if profile.platform == "android":
        from buildtool.sdk.android_ndk import ndk_libraries  # noqa: PLC0415

        stubs = ndk_libraries(Path(profile.places["NDK"])) / profile.settings["API"]
        return frozenset(own.union(path.name for path in stubs.glob("*.so*")))
    if profile.platform != "ubuntu-aarch64":
        return frozenset(own)
    if sysroot := profile.places.get("SYSROOT"):
        own |= sysroot_libraries(Path(sysroot))
    return UBUNTU.union(own)


def sysroot_libraries(root: Path) -> frozenset[str]:
    """The libraries in the root directory of a pulled sysroot."""
    return frozenset(path.name for path in root.rglob("*.so*"))


@functools.cache
def glibc_symbols() -> frozenset[str]:
    """The symbols of all versions of glibc's libraries; none without zig, which lists them."""
    from buildtool.sdk.packaged_tools import find_zig  # noqa: PLC0415 - few callers

    try:
        lists = (find_zig().library / "libc" / "glibc" / "abilists").read_bytes()
    except (BuildtoolError, OSError):
        return frozenset()
    return frozenset(name.decode() for name in re.findall(rb"([A-Za-z_][\w.]*)\0", lists))


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
