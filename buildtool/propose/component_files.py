"""The files that a component ships: those of its install() rules, or files of its build tree.

Finds the data of a tree's tests: what CMake copies into the build tree when it configures, and
files that the sources of programs name.
"""

from __future__ import annotations

import glob
import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from buildtool.core.value import Value
from buildtool.drivers.cmake.file_api import LINKED
from buildtool.drivers.cmake.install import InstallRule
from buildtool.propose.cmake_tree import NESTED_BUILD_COMMANDS, CMakeCall
from buildtool.propose.configure import Configured
from buildtool.propose.options import has_tests
from buildtool.propose.proposal import Line
from buildtool.propose.target_sides import SidedTarget

_SPECIAL = re.compile(r"[*?\[\]]")


class ShippedFiles(Value):
    """The lines `targets`, `install` and `artifacts` of a component."""

    lines: tuple[Line, ...] = ()
    left_out: tuple[str, ...] = ()  # files that cannot ship, with reasons
    nothing: str = ""  # why nothing ships, or ""
    files: tuple[tuple[str, Path], ...] = ()  # the path in a release, and the file


def shipped_files(
    configured: Configured,
    made: Sequence[SidedTarget],
    *,
    without: Collection[str] = (),
    tests: Collection[str] = (),
    generic: Callable[[str], str] = lambda text: text,
) -> ShippedFiles:
    """How the programs and libraries `made` of a configured tree get into a release.

    `without` are targets of the default build that must not be built; `generic` replaces the DSP
    arch in names by `{arch}`.  Programs in `tests` ship only if there is nothing else to ship.
    """
    rules = configured.installation.rules
    names = {row.target.name for row in made}
    others = [target.name for target in configured.linked if target.name not in names]
    if names - {*tests} or any(rule.files for rule in rules):
        made = [row for row in made if row.target.name not in tests]
        names -= {*tests}
    installed = [rule for rule in rules if (rule.target in names if names else rule.files)]
    excluded = list(dict.fromkeys([*others, *without]))
    why = (
        "install() rules may need what is left out"
        if excluded
        else _install_problem(configured, rules)
    )
    files = [(f"{rule.destination}/{n}".strip("/"), f) for rule in rules for f, n in rule.files]
    if installed and not why:
        return ShippedFiles(files=_release_paths(files, configured))
    if not made:
        return ShippedFiles(
            nothing=why or "it makes no program and no shared library, and installs none"
        )
    lines: list[Line] = []
    if excluded:
        more = ", …" if len(excluded) > 3 else ""
        chosen = tuple(dict.fromkeys(generic(row.target.name) for row in made))
        lines.append(Line("targets", chosen, f"without {', '.join(excluded[:3])}{more}"))
    artifacts, left_out = _artifacts(configured, made, generic)
    if not artifacts:
        return ShippedFiles(left_out=left_out, nothing="; ".join(left_out))
    ships_all = not left_out and (
        excluded or names >= {target.name for target in configured.linked}
    )
    if rules and why:
        reason = f"{why}; what the targets link ships" if ships_all else why
        lines.append(Line("install", False, reason))
        files = []
    if not rules or not why or not ships_all:
        lines.append(Line("artifacts", artifacts, "no install() rule installs these"))
    files += [(row.target.artifacts[0].name, row.target.artifacts[0]) for row in made]
    return ShippedFiles(tuple(lines), left_out, files=_release_paths(files, configured))


def _release_paths(
    files: Sequence[tuple[str, Path]], configured: Configured
) -> tuple[tuple[str, Path], ...]:
    """The paths in a release, as in `release.layout`."""
    placed = []
    for name, file in files:
        library = ".so" in Path(name).suffixes
        if not configured.step.arch:
            folder = "" if "/" in name else "lib/" if library else "bin/"
            placed.append((folder + name, file))
        elif library:
            placed.append((f"dsp/{Path(name).name}", file))
    return tuple(placed)


def _install_problem(configured: Configured, rules: Sequence[InstallRule]) -> str:
    """Why the install() rules would fail after a default build; "" if they would not."""
    every = {target.name for target in configured.model.targets if target.kind in LINKED}
    for rule in rules:
        where = Path(rule.destination)
        if where.is_absolute() and not where.is_relative_to(configured.step.output):
            return f"an install() rule has the absolute destination {rule.destination}"
        if rule.optional:
            continue
        if rule.target in every - configured.names:
            return f"an install() rule needs {rule.target}, which is not built by default"
        for file, _ in rule.files if rule.kind in ("file", "directory") else ():
            if not file.is_relative_to(configured.step.tree) and not file.exists():
                return f"an install() rule needs {file}, which does not exist"
    return ""


def _artifacts(
    configured: Configured, made: Sequence[SidedTarget], generic: Callable[[str], str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files of `made` in the build tree as globs; and those that cannot ship, with reasons."""
    found: dict[str, str] = {}
    left_out: list[str] = []
    tree = configured.step.tree
    for row in made:
        artifact = row.target.artifacts[0]
        if not artifact.is_relative_to(tree):
            left_out.append(f"{row.target.name} is built outside the build tree: {artifact}")
        elif artifact.name in found:
            left_out.append(f"{row.target.name}: another {artifact.name} is already shipped")
        else:
            found[artifact.name] = _pattern(artifact, configured, generic)
    return tuple(dict.fromkeys(found.values())), tuple(left_out)


def _pattern(artifact: Path, configured: Configured, generic: Callable[[str], str]) -> str:
    path = generic(str(artifact.relative_to(configured.step.tree)))
    # A versioned library is loaded by its SONAME.
    versions = any(name.startswith(f"{artifact}.") for name in configured.built)
    return _SPECIAL.sub("?", path) + ("*" if versions else "")


NO_DATA = (".cmake", ".in", ".h", ".hpp", ".pc")
MAX_PATTERNS = 8
MAX_SOURCES = 500
MAX_BYTES = 1 << 20  # of a source
_INCLUDE = re.compile(r"(?m)^[ \t]*#[ \t]*include.*$")
_LITERAL = re.compile(r'"([^"\\\n]{1,200})"')


def opened_data(configured: Configured) -> tuple[tuple[str, ...], str]:
    """The globs of `test-files` for files that string literals of programs name relative to the
    working directory of a test in the source directory, and what sets that directory; () and "" if
    there are none.  A missing file in a directory there is one that a test writes."""
    source = configured.step.source
    folders = _working_directories(configured)
    named = [
        (path, where)
        for text in (_literals(configured) if folders else ())
        for folder, where in folders.items()
        if (path := os.path.normpath(folder / text)).startswith(f"{source}/")
    ]
    found: dict[str, str] = {}
    for path, where in named:
        if os.path.isfile(path):  # noqa: PTH113 - pathlib raises if it is too long
            place = Path(path).relative_to(source)
            inside = glob.escape(str(place.parent))
            whole = inside == "." or not place.suffix
            pattern = glob.escape(str(place)) if whole else f"{inside}/*{place.suffix}"
            found.setdefault(pattern, where)
    known = {posixpath.dirname(pattern) for pattern in found}
    for path, where in named:
        above = Path(path).parent
        inside = glob.escape(str(above.relative_to(source)))
        is_file = os.path.isdir(above) and not os.path.isdir(path)  # noqa: PTH112
        if is_file and above not in (source, *folders) and inside not in known:
            found.setdefault(f"{inside}/*", where)
    patterns = tuple(found)[:MAX_PATTERNS]
    return patterns, found[patterns[0]] if patterns else ""


def _working_directories(configured: Configured) -> dict[Path, str]:
    """The directories of sources that tests work in, and what sets them."""
    step = configured.step
    named = (
        (Path(os.path.normpath(folder)), call.where)
        for call in configured.calls
        if call.name not in NESTED_BUILD_COMMANDS and has_tests(configured)
        if (folder := call.after("WORKING_DIRECTORY")).startswith("/")
    )
    return {
        folder: where
        for folder, where in named
        if folder.is_relative_to(step.source) and not folder.is_relative_to(step.tree)
    }


def _literals(configured: Configured) -> Iterator[str]:
    """The string literals in the sources of the tree's programs, each once."""
    programs = [target for target in configured.model.targets if target.kind == "EXECUTABLE"]
    sources = dict.fromkeys(path for target in programs for path in target.sources)
    known: set[str] = set()
    for path in list(sources)[:MAX_SOURCES]:
        if path.is_file() and path.stat().st_size <= MAX_BYTES:
            text = path.read_text(encoding="utf-8", errors="replace")
            known.update(_LITERAL.findall(_INCLUDE.sub("", text)))
    yield from sorted(known)


def copied_data(configured: Configured) -> tuple[tuple[str, ...], str]:
    """The globs of `test-files` for files that `file(COPY)` and `configure_file(COPYONLY)` put in
    the build tree of a component with tests, and where the first such call is; () and "" if none.
    """
    found: dict[str, str] = {}
    for call in configured.calls if has_tests(configured) else ():
        for place in _copies(call, configured.step.tree):
            pattern = str(place.relative_to(configured.step.tree))
            if place.is_dir():
                found.setdefault(f"{pattern}/**/*", call.where)
            elif place.is_file() and place.suffix not in NO_DATA:
                folder = posixpath.dirname(pattern)
                found.setdefault(f"{folder}/*{place.suffix}" if folder else pattern, call.where)
    kept = [p for p in found if p.endswith("/*") or f"{posixpath.dirname(p)}/*" not in found]
    patterns = tuple(kept[:MAX_PATTERNS])
    return patterns, found[patterns[0]] if patterns else ""


def _copies(call: CMakeCall, tree: Path) -> Iterator[Path]:
    """The places in the build tree that a command copies to."""
    words = call.words
    here = tree / posixpath.dirname(call.file)
    if call.name == "file" and words[0] == "COPY" and "DESTINATION" in words:
        sources = words[1 : words.index("DESTINATION")]
        places = [here / call.after("DESTINATION") / Path(name).name for name in sources]
    elif call.name == "configure_file" and "COPYONLY" in words:
        place = here / words[1]
        places = [place / Path(words[0]).name if place.is_dir() else place]
    else:
        places = []
    normal = (Path(posixpath.normpath(place)) for place in places)
    yield from (place for place in normal if place.is_relative_to(tree) and place != tree)
