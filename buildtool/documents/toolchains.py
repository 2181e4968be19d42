"""What `doctor`, `sdk`, `sysroot`, `init`, `ide`, `idl`, `lock` and `profile` print."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from buildtool.documents import Extended
from buildtool.documents.builds import ErrorObject

FaultObject = Annotated[dict[str, Any], "buildtool.toolchains.survey:Fault"]


ToolObject = Annotated[dict[str, Any], "buildtool.toolchains.survey:ToolStatus"]


TargetObject = Annotated[dict[str, Any], "buildtool.toolchains.survey:TargetStatus"]


class DoctorDocument(Extended):
    base = "buildtool.toolchains.survey:Survey"
    project: Annotated[str | None, "name of the project; null outside of one"]


class SdkDocument(TypedDict):
    sdk: Annotated[str, "hexagon or ndk"]
    version: Annotated[str, "its version, as on the command line"]
    directory: Annotated[str, "where it is installed"]


class CdsprpcObject(TypedDict):
    path: Annotated[str, "path below the sysroot's root"]
    soname: Annotated[str, "its SONAME"]
    version: Annotated[str, 'its version; "" if it is unknown']
    export_count: Annotated[int, "number of names that it defines"]


class ProblemObject(TypedDict):
    what: Annotated[str, "what is wrong"]
    remedy: Annotated[str, "what to do about it"]


class ShownCdsprpcObject(CdsprpcObject):
    exports: Annotated[list[str], "names that it defines"]


class _Sysroot(TypedDict):
    name: Annotated[str, "name of the sysroot"]
    pulled_from: Annotated[str, "device or directory"]
    directory: Annotated[str, "where it is"]
    identity: Annotated[str, "digest of its files"]
    platform: Annotated[str, "platform of the device"]
    soc: Annotated[str, 'SoC; "" if it is unknown']
    model: Annotated[str, 'model of the board; "" if it is unknown']
    arch: Annotated[str, 'DSP arch; "" if it is unknown']
    glibc: Annotated[str, 'version of its glibc; "" for none']
    libc: Annotated[bool, "whether headers and start files of its C library are there"]
    shells: Annotated[list[str], "paths of DSP shells below the sysroot's root"]
    shell_export_count: Annotated[int, "number of names that its DSP shell defines"]
    problems: Annotated[list[ProblemObject], "what is wrong with it"]


class SysrootObject(_Sysroot):
    libcdsprpc: Annotated[CdsprpcObject, "its FastRPC library"]


class UnusableSysrootObject(TypedDict):
    name: Annotated[str, "name of a sysroot that cannot be used"]
    error: Annotated[ErrorObject, "why"]


class SysrootsDocument(TypedDict):
    sysroots: Annotated[list[SysrootObject | UnusableSysrootObject], "what was pulled"]


class SysrootPullDocument(SysrootObject):
    changed: Annotated[bool, "whether its content is new"]


class SysrootShowDocument(_Sysroot):
    libcdsprpc: Annotated[ShownCdsprpcObject, "its FastRPC library"]
    shell_exports: Annotated[list[str], "names that its DSP shell defines"]


class ImportStubDocument(TypedDict):
    directory: Annotated[str, "directory with lib/libcdsprpc.so"]
    soname: Annotated[str, "SONAME of the library"]
    digest: Annotated[str, "digest of SONAME and exports"]
    exports: Annotated[list[str], "names that it defines"]


class UnknownObject(TypedDict):
    what: Annotated[str, "what is not known"]
    remedy: Annotated[str, "what to do about it"]


class InitDocument(TypedDict):
    directory: Annotated[str, "where the project is"]
    files: Annotated[list[str], "paths of what was written"]
    text: Annotated[
        str | None,
        "the project file that was proposed for existing files; null for a template",
    ]
    unknown: Annotated[list[UnknownObject], "what could not be told"]


WrittenFileObject = Annotated[dict[str, Any], "buildtool.ide.write_files:Written"]


class IdeDocument(TypedDict):
    target: Annotated[str, "target of buildtool.toml"]
    written: Annotated[list[WrittenFileObject], "files for editors"]
    missing_sources: Annotated[int, "sources of the target that only a build makes"]


class IdlDocument(TypedDict):
    outputs: Annotated[list[str], "paths of what was written, or with --list would be"]
    warnings: Annotated[list[ErrorObject], "with --check-qaic, what qaic does not accept"]


class LockfileObject(TypedDict):
    path: Annotated[str, "path of the file"]
    changed: Annotated[bool, "whether its content is new"]


class LockDocument(TypedDict):
    lockfiles: Annotated[list[LockfileObject], "lockfiles of the project"]


class ProfileDocument(TypedDict):
    name: Annotated[str, "name of the profile"]
    digest: Annotated[str, "digest of all that shapes what it compiles"]
    settings: Annotated[dict[str, str], "named values that shape what it compiles"]
    identity: Annotated[str, "digest of the tools behind it"]
    toolchain: Annotated[str | None, "the CMake toolchain file; null with --conan"]
    conan_profile: Annotated[str | None, "the Conan profile; null without --conan"]
