"""What CMake knows of a configured build tree, through its File API.

A query is laid into the tree before CMake runs; its reply tells targets, compile flags, link
lines and compilers.  Source: cmake-file-api(7), object kinds codemodel v2 and toolchains v1.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.value import Value

API = Path(".cmake", "api", "v1")
CLIENT = "client-buildtool"
KINDS = ("codemodel-v2", "toolchains-v1")
READ_KINDS = ("cmakeFiles-v1", "configureLog-v1")  # what CMake read, and what it looked for
MAX_BYTES = 64 << 20  # one reply file; a target of 10,000 sources takes some 3 MB


class FileApiError(BuildtoolError):
    """CMake's description of a build tree is missing or cannot be read."""

    code = "file-api"


class CompileGroup(Value):
    """Sources of one target that are compiled alike.

    `fragments` are pieces of the command line as the shell reads them, without `includes` and
    `defines` ("NAME=VALUE"); `system_includes` come after `includes`.
    """

    language: str
    sources: tuple[Path, ...]
    fragments: tuple[str, ...]
    includes: tuple[Path, ...]
    system_includes: tuple[Path, ...]
    defines: tuple[str, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        """The fragments as arguments."""
        return tuple(word for fragment in self.fragments for word in _words(fragment))


class LinkFragment(Value):
    """A piece of a link line as the shell reads it; `role` is `flags`, `libraries`,
    `libraryPath` or `frameworkPath`."""

    text: str
    role: str

    @property
    def arguments(self) -> tuple[str, ...]:
        return tuple(_words(self.text))


class CMakeTarget(Value):
    """A target: `kind` is `EXECUTABLE`, `SHARED_LIBRARY`, `STATIC_LIBRARY` …; `source` and
    `build` are the directories of its CMakeLists.txt, `artifacts` the files that it makes, `where`
    the CMakeLists.txt and the line that it comes from."""

    name: str
    kind: str
    source: Path
    build: Path
    artifacts: tuple[Path, ...]
    sources: tuple[Path, ...]
    groups: tuple[CompileGroup, ...]
    link_language: str
    link: tuple[LinkFragment, ...]
    where: tuple[Path, int] = (Path(), 0)


class CMakeToolchain(Value):
    """The compiler of one language, as CMake sees it; texts are empty where it knows none."""

    language: str
    compiler: str
    id: str
    version: str
    target: str
    implicit_includes: tuple[str, ...]
    implicit_link_directories: tuple[str, ...]


class BuildTree(Value):
    """A configured tree: its top directories, targets and compilers by language."""

    source: Path
    build: Path
    targets: tuple[CMakeTarget, ...]
    toolchains: Mapping[str, CMakeToolchain]


class DependentGlob(Value):
    """A file(GLOB … CONFIGURE_DEPENDS); `expression` is absolute."""

    expression: str
    recursive: bool
    directories: bool
    follow: bool


class CMakeRead(Value):
    """What CMake read to configure a tree, apart from its own modules, which are below `root`,
    and from what it generated.  `log` is its configure log; None when it keeps none."""

    root: Path
    source: Path
    files: tuple[Path, ...]
    globs: tuple[DependentGlob, ...]
    log: Path | None


def ask(tree: Path) -> None:
    """Lay the query into `tree`; CMake answers whenever it configures."""
    for kind in (*KINDS, *READ_KINDS):
        write_if_changed(tree / API / "query" / CLIENT / kind, "")


def answered(tree: Path) -> bool:
    """Whether CMake has configured `tree` since it was asked."""
    return bool(answer(tree))


def answer(tree: Path) -> str:
    """The name of CMake's answer, another one each time that it configures `tree`; "" for none."""
    return Reply(tree / API / "reply").newest()


def read_build_tree(tree: Path) -> BuildTree:
    """What CMake says of the configured `tree`.

    Raises `FileApiError` when it was not asked, or the answer is not what the API promises.
    """
    try:
        return Reply(tree / API / "reply").tree()
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise _bad(tree, f"{type(error).__name__}: {error}") from error


def read_cmake_files(tree: Path) -> CMakeRead:
    """What CMake read to configure `tree`; raises `FileApiError` as `read_build_tree` does."""
    try:
        return Reply(tree / API / "reply").cmake_read()
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise _bad(tree, f"{type(error).__name__}: {error}") from error


def _bad(tree: Path, why: str) -> FileApiError:
    return FileApiError(
        f"CMake's description of the build tree {tree} cannot be read",
        why=why,
        remedy=f"Delete the tree and build again: rm -r '{tree}'",
    )


class Reply(Value):
    """The files that CMake answers with, in `folder`."""

    folder: Path

    def newest(self) -> str:
        # Of several indexes the last in order of names is the current one (cmake-file-api).
        return max((path.name for path in self.folder.glob("index-*.json")), default="")

    def current(self) -> Any:
        newest = self.newest()
        if not newest:
            raise self.bad("there is no reply; it was configured without a query")
        return self.read(newest)

    def cmake_read(self) -> CMakeRead:
        index = self.current()
        files, log = (index["reply"][CLIENT][kind] for kind in READ_KINDS)
        data = self.read(files["jsonFile"])
        source = Path(data["paths"]["source"])
        return CMakeRead(
            root=Path(index["cmake"]["paths"]["root"]),
            source=source,
            files=tuple(
                source / row["path"]
                for row in data["inputs"]
                if not row.get("isCMake") and not row.get("isGenerated")
            ),
            globs=tuple(_glob(row) for row in data.get("globsDependent", ())),
            # CMake before 3.26 knows no such kind.
            log=Path(self.read(log["jsonFile"])["path"]) if "error" not in log else None,
        )

    def tree(self) -> BuildTree:
        mine = self.current()["reply"][CLIENT]
        for kind in KINDS:
            if "error" in mine[kind]:
                raise self.bad(f"{kind}: {mine[kind]['error']}")
        model = self.read(mine["codemodel-v2"]["jsonFile"])
        source, build = Path(model["paths"]["source"]), Path(model["paths"]["build"])
        configuration = model["configurations"][0]
        return BuildTree(
            source=source,
            build=build,
            targets=tuple(
                _target(self.read(entry["jsonFile"]), source, build)
                for entry in configuration["targets"]
            ),
            toolchains={
                row["language"]: _toolchain(row)
                for row in self.read(mine["toolchains-v1"]["jsonFile"])["toolchains"]
            },
        )

    def read(self, name: str) -> Any:
        if Path(name).name != name:
            raise self.bad(f"it names a file elsewhere: {name!r}")
        try:
            data = read_regular(self.folder / name, MAX_BYTES + 1)
            if len(data) > MAX_BYTES:
                raise self.bad(f"{name} is larger than {MAX_BYTES >> 20} MiB")
            return json.loads(data)
        except (OSError, ValueError, RecursionError) as error:
            raise self.bad(f"{name}: {error}") from error

    def bad(self, why: str) -> FileApiError:
        return _bad(self.folder.parents[len(API.parts)], why)


def _target(data: Any, source: Path, build: Path) -> CMakeTarget:
    sources = tuple(source / row["path"] for row in data.get("sources", ()))
    link = data.get("link", {})
    return CMakeTarget(
        name=str(data["name"]),
        kind=str(data["type"]),
        source=source / data["paths"]["source"],
        build=build / data["paths"]["build"],
        artifacts=tuple(build / row["path"] for row in data.get("artifacts", ())),
        sources=sources,
        groups=tuple(_group(row, sources) for row in data.get("compileGroups", ())),
        link_language=str(link.get("language", "")),
        link=tuple(
            LinkFragment(str(row["fragment"]), str(row["role"]))
            for row in link.get("commandFragments", ())
        ),
        where=_where(data, source),
    )


def _where(data: Any, source: Path) -> tuple[Path, int]:
    """The line of a CMakeLists.txt that the target comes from, line 0 where CMake does not say."""
    if "backtrace" not in data:
        return source, 0
    graph = data["backtraceGraph"]
    node = graph["nodes"][data["backtrace"]]
    # The outermost one: a function may be called from many places, and lie anywhere.
    while "line" in (outer := graph["nodes"][node.get("parent", 0)]) and outer is not node:
        node = outer
    return source / graph["files"][node["file"]], int(node.get("line", 0))


def _group(data: Any, sources: tuple[Path, ...]) -> CompileGroup:
    includes = data.get("includes", ())
    return CompileGroup(
        language=str(data["language"]),
        sources=tuple(sources[index] for index in data["sourceIndexes"]),
        fragments=tuple(str(row["fragment"]) for row in data.get("compileCommandFragments", ())),
        includes=tuple(Path(row["path"]) for row in includes if not row.get("isSystem")),
        system_includes=tuple(Path(row["path"]) for row in includes if row.get("isSystem")),
        defines=tuple(str(row["define"]) for row in data.get("defines", ())),
    )


def _glob(data: Any) -> DependentGlob:
    return DependentGlob(
        expression=str(data["expression"]),
        recursive=bool(data.get("recurse")),
        directories=bool(data.get("listDirectories")),
        follow=bool(data.get("followSymlinks")),
    )


def _toolchain(data: Any) -> CMakeToolchain:
    compiler = data["compiler"]
    implicit = compiler.get("implicit", {})
    return CMakeToolchain(
        language=str(data["language"]),
        compiler=str(compiler.get("path", "")),
        id=str(compiler.get("id", "")),
        version=str(compiler.get("version", "")),
        target=str(compiler.get("target", "")),
        implicit_includes=tuple(map(str, implicit.get("includeDirectories", ()))),
        implicit_link_directories=tuple(map(str, implicit.get("linkDirectories", ()))),
    )


def _words(fragment: str) -> list[str]:
    try:
        return shlex.split(fragment)
    except ValueError:  # a quotation mark without its fellow: the shell would refuse it as well
        return [fragment]
