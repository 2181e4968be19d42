"""CMake's File API: the targets, compile flags, link lines and compilers of a configured tree.

A query is written into the tree before CMake runs; CMake then writes a reply.  Source:
cmake-file-api(7), object kinds codemodel v2, toolchains v1, cmakeFiles v1 and configureLog v1.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.value import Value

T = TypeVar("T")
API = Path(".cmake", "api", "v1")
CLIENT = "client-buildtool"
MODEL_KINDS = ("codemodel-v2", "toolchains-v1")
INPUT_KINDS = ("cmakeFiles-v1", "configureLog-v1")  # what CMake read, and what it looked for
LIBRARIES = ("SHARED_LIBRARY", "MODULE_LIBRARY")
LINKED = ("EXECUTABLE", *LIBRARIES)
MAX_BYTES = 64 << 20  # of one reply file; a target with 10,000 sources takes about 3 MB


class FileApiError(BuildtoolError):
    """CMake's description of a build tree is missing or cannot be read."""

    code = "file-api"


class CompileGroup(Value):
    """Sources of one target that are compiled with the same options.

    `fragments` are quoted pieces of the command line, without `includes` and `defines`
    ("NAME=VALUE"); `system_includes` are searched after `includes`.
    """

    language: str
    sources: tuple[Path, ...]
    fragments: tuple[str, ...]
    includes: tuple[Path, ...]
    system_includes: tuple[Path, ...]
    defines: tuple[str, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        """The fragments, split into arguments."""
        return tuple(word for fragment in self.fragments for word in _words(fragment))


class LinkFragment(Value):
    """A quoted piece of a link line; `role` is `flags`, `libraries`, `libraryPath` or
    `frameworkPath`."""

    text: str
    role: str

    @property
    def arguments(self) -> tuple[str, ...]:
        return tuple(_words(self.text))


class CMakeTarget(Value):
    """A CMake target.

    `kind` is `EXECUTABLE`, `SHARED_LIBRARY`, `STATIC_LIBRARY` and so on.  `source` and `build` are
    the source and build directory of its CMakeLists.txt, `artifacts` the files that it makes,
    `where` the CMakeLists.txt and the line that define it.
    """

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
    """The compiler of one language, as CMake detected it; a field is empty where CMake has no
    value."""

    language: str
    compiler: str
    id: str
    version: str
    target: str
    implicit_includes: tuple[str, ...]
    implicit_link_directories: tuple[str, ...]


class BuildTree(Value):
    """A configured tree: its top directories, its targets, and its compilers by language."""

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


class CMakeInputs(Value):
    """The files and globs that CMake read to configure a tree, without the files that it generated
    itself and without its own modules, which are below `root`.  `log` is its configure log; None
    when it writes none."""

    root: Path
    source: Path
    files: tuple[Path, ...]
    globs: tuple[DependentGlob, ...]
    log: Path | None


def write_query(tree: Path) -> None:
    """Write the query into `tree`; CMake replies to it whenever it configures the tree."""
    for kind in (*MODEL_KINDS, *INPUT_KINDS):
        write_if_changed(tree / API / "query" / CLIENT / kind, "")


def index_name(tree: Path) -> str:
    """The name of the reply's index file, another one each time that CMake configures `tree`; ""
    when there is no reply."""
    return Reply(tree / API / "reply").index_name()


def read_build_tree(tree: Path) -> BuildTree:
    """The targets and compilers of the configured `tree`.

    Raises `FileApiError` when there is no reply, or it is not as the File API specifies.
    """
    return read_reply(tree, Reply.build_tree)


def read_cmake_inputs(tree: Path) -> CMakeInputs:
    """The files and globs that CMake read to configure `tree`; raises `FileApiError` as
    `read_build_tree` does."""
    return read_reply(tree, Reply.cmake_inputs)


def read_reply(tree: Path, parse: Callable[[Reply], T]) -> T:
    """The result of `parse` for the File API's reply in `tree`.

    Raises `FileApiError`, also in place of the built-in exceptions that `parse` raises for JSON of
    another structure.
    """
    try:
        return parse(Reply(tree / API / "reply"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise _unreadable(tree, f"{type(error).__name__}: {error}") from error


def _unreadable(tree: Path, why: str) -> FileApiError:
    return FileApiError(
        f"CMake's description of the build tree {tree} cannot be read",
        why=why,
        remedy=f"Delete the tree and build again: rm -r '{tree}'",
    )


class Reply(Value):
    """The reply files in `folder`."""

    folder: Path

    def index_name(self) -> str:
        # The current index is the last one in the order of names (cmake-file-api(7)).
        return max((path.name for path in self.folder.glob("index-*.json")), default="")

    def read_index(self) -> Any:
        name = self.index_name()
        if not name:
            raise self.error("there is no reply; CMake was run without a query")
        return self.read(name)

    def codemodel(self) -> Any:
        return self.read(self.read_index()["reply"][CLIENT]["codemodel-v2"]["jsonFile"])

    def cmake_inputs(self) -> CMakeInputs:
        index = self.read_index()
        files, log = (index["reply"][CLIENT][kind] for kind in INPUT_KINDS)
        data = self.read(files["jsonFile"])
        source = Path(data["paths"]["source"])
        return CMakeInputs(
            root=Path(index["cmake"]["paths"]["root"]),
            source=source,
            files=tuple(
                source / row["path"]
                for row in data["inputs"]
                if not row.get("isCMake") and not row.get("isGenerated")
            ),
            globs=tuple(_glob(row) for row in data.get("globsDependent", ())),
            # CMake before 3.26 does not have this kind.
            log=Path(self.read(log["jsonFile"])["path"]) if "error" not in log else None,
        )

    def build_tree(self) -> BuildTree:
        kinds = self.read_index()["reply"][CLIENT]
        for kind in MODEL_KINDS:
            if "error" in kinds[kind]:
                raise self.error(f"{kind}: {kinds[kind]['error']}")
        model = self.codemodel()
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
                for row in self.read(kinds["toolchains-v1"]["jsonFile"])["toolchains"]
            },
        )

    def read(self, name: str) -> Any:
        """The JSON document `name` of the reply; raises `FileApiError`."""
        if Path(name).name != name:
            raise self.error(f"it names a file outside of the reply: {name!r}")
        try:
            data = read_regular(self.folder / name, MAX_BYTES + 1)
            if len(data) > MAX_BYTES:
                raise self.error(f"{name} is larger than {MAX_BYTES >> 20} MiB")
            return json.loads(data)
        except (OSError, ValueError, RecursionError) as error:
            raise self.error(f"{name}: {error}") from error

    def error(self, why: str) -> FileApiError:
        return _unreadable(self.folder.parents[len(API.parts)], why)


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
    """The CMakeLists.txt and the line that define the target; line 0 if CMake reports none."""
    if "backtrace" not in data:
        return source, 0
    graph = data["backtraceGraph"]
    node = graph["nodes"][data["backtrace"]]
    # The outermost call: the function that contains add_library() may be called from many places.
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
    except ValueError:  # an unbalanced quotation mark, which the shell would reject too
        return [fragment]
