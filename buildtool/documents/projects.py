"""What `init`, `ide`, `idl`, `lock` and `profile` print."""

from __future__ import annotations

from typing import Annotated, TypedDict

from buildtool.documents.errors import ErrorObject


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


class WrittenFileObject(TypedDict):
    path: Annotated[str, "path of the file"]
    changed: Annotated[bool, "whether its content is new"]
    note: Annotated[str, 'what to know about it; "" for nothing']


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
