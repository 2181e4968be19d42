"""The properties that a release must have."""

from __future__ import annotations

from collections.abc import Mapping

from buildtool.core.value import Value
from buildtool.toolchains.cdsprpc import Cdsprpc
from buildtool.toolchains.dsp_shells import DeviceShell

NO_LINKS: Mapping[str, str] = {}
NO_SHELLS: Mapping[str, DeviceShell] = {}


class PromisedFile(Value):
    """A file of a release: its mode ("0755"), its size in bytes and its sha256."""

    mode: str
    size: int
    sha256: str
    step: str = ""


class PromisedStep(Value):
    """A step that ships something: its name, and its arch, "" for the ARM64 side."""

    name: str
    component: str
    arch: str = ""


class Promise(Value):
    """The properties that a release must have, as far as known; the default promises nothing.

    `platform` is "" and `archs` and `files` are None if unknown; `glibc` ("2.35") is the oldest
    glibc and `api` the lowest Android API level of its devices, "" and 0 if unknown.  `links` are
    the texts of links by path, and count only with `files`; `steps` are those that ship something.
    `skels` are the paths of files that are skels, whatever their names are.

    `system_libraries` are libraries that the devices have in addition to those of the platform;
    `cdsprpc` is their libcdsprpc and `shells` has their DSP shells by arch, by default those of all
    known devices.  `build_paths` are directories of the build machine, None if unknown.  `own` says
    that the project at hand builds the files, so that remedies can name its settings; `allow` are
    rules about code that do not stop its builds.
    """

    platform: str = ""
    archs: tuple[str, ...] | None = None
    glibc: str = ""
    api: int = 0
    files: Mapping[str, PromisedFile] | None = None
    links: Mapping[str, str] = NO_LINKS
    steps: tuple[PromisedStep, ...] = ()
    skels: frozenset[str] = frozenset()
    system_libraries: frozenset[str] = frozenset()
    cdsprpc: Cdsprpc | None = None
    shells: Mapping[str, DeviceShell] = NO_SHELLS
    build_paths: tuple[str, ...] | None = None
    own: bool = False
    allow: tuple[str, ...] = ()

    @property
    def built(self) -> bool:
        """Whether the files are those of a step that compiled skels; a release has others, too."""
        return self.own and self.platform == "hexagon"


NOTHING = Promise()
