"""The libraries that every device of a platform has, by SONAME."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.toolchains.profile import Profile

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
    from buildtool.sdk.zig import find_zig  # noqa: PLC0415 - few callers

    try:
        lists = (find_zig().library / "libc" / "glibc" / "abilists").read_bytes()
    except (BuildtoolError, OSError):
        return frozenset()
    return frozenset(name.decode() for name in re.findall(rb"([A-Za-z_][\w.]*)\0", lists))
