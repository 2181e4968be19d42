"""`.whl`: a Python package with host libraries and skels, and the Python interfaces of the skels.

The package has the directories of the release except `bin/`.  Wheels have no links, so a library
that a link points to is there under both names.  The files are not compressed: see `write_zip`.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import keyword
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from buildtool import __version__
from buildtool.core.elf.read import Elf, is_elf, read_elf
from buildtool.core.value import Value
from buildtool.idl.emit.python import emit_python, interface_names, module_name, support_package
from buildtool.idl.model import Interface
from buildtool.idl.parse import load
from buildtool.release.formats.entries import FormatError, Package, PackageEntry, write_zip
from buildtool.release.supply_chain.licences import FOLDER
from buildtool.toolchains.cdsprpc import SONAMES, is_cdsprpc

PYTHON = "3.9"
LICENCES = f"{FOLDER}/"
NOT_IN_PACKAGE = ("bin/", "run.sh", "release.json", LICENCES)
"""Programs need the environment that run.sh sets, and a wheel is used from Python; licences have a
place of their own."""


def wheel_file_name(package: Package) -> str:
    """The name of the wheel.  Raises `FormatError` for a name or version that none can have."""
    names = wheel_names(package)
    build = f"-{package.wheel_build}" if package.wheel_build else ""
    return f"{names.distribution}-{names.version}{build}-{names.tag}.whl"


def write(package: Package, path: Path) -> None:
    """Write the wheel.

    Raises `OSError`, `FormatError` for a release that a wheel cannot hold, and what reading the
    libraries and interfaces raises.
    """
    names = wheel_names(package)
    info = f"{names.distribution}-{names.version}.dist-info"
    shipped = list(_without_links(package.entries))
    files = [
        entry._replace(path=f"{names.module}/{entry.path}")
        for entry in shipped
        if not entry.path.startswith(NOT_IN_PACKAGE)
    ]
    files += package_files(package, names)
    licences = [entry for entry in shipped if entry.path.startswith(LICENCES)]
    texts = [entry.path.removeprefix(LICENCES) for entry in licences]
    files += [
        PackageEntry(f"{info}/METADATA", 0o644, _metadata(package, names, texts)),
        PackageEntry(f"{info}/WHEEL", 0o644, _wheel(names, package.wheel_build)),
        *(entry._replace(path=f"{info}/{entry.path}") for entry in licences),
    ]
    files.sort(key=lambda entry: (entry.path.startswith(info), entry.path))
    files.append(PackageEntry(f"{info}/RECORD", 0o644, _record(files, f"{info}/RECORD")))
    write_zip(path, files, package.epoch, "")


def _without_links(entries: Iterable[PackageEntry]) -> Iterator[PackageEntry]:
    """The files, and for each link copies of what it points to.  Raises `FormatError`."""
    by_path = {entry.path: entry for entry in entries}
    for path, entry in by_path.items():
        try:
            path.encode()
        except UnicodeEncodeError as error:
            raise FormatError(
                f"the name {path!a} cannot be in a wheel",
                why="names in a wheel are UTF-8",
                remedy="Give the file another name.",
            ) from error
        target = _target(entry)
        if not target:
            yield entry
            continue
        below = f"{target}/"
        found = [e for e in by_path.values() if e.path == target or e.path.startswith(below)]
        for other in found:
            if not other.link:
                yield other._replace(path=path + other.path[len(target) :])


def _target(entry: PackageEntry) -> str:
    """The path in the release that a link points to; "" for files."""
    if not entry.link:
        return ""
    parts = entry.path.split("/")[:-1]
    for part in entry.link.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _metadata(package: Package, names: WheelNames, licences: list[str]) -> bytes:
    """Source: packaging.python.org, "Core metadata specifications"."""
    archs = f", skels for {', '.join(names.archs)}" if names.archs else ""
    summary = package.description or f"{package.name}: libraries for {package.platform}{archs}"
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {package.name}",
        f"Version: {names.version}",
        f"Summary: {' '.join(summary.split())}",
        *([f"Maintainer-email: {' '.join(package.maintainer.split())}"] * bool(package.maintainer)),
        f"Requires-Python: >={PYTHON}",
        *(f"License-File: {path}" for path in licences),
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _wheel(names: WheelNames, build: str) -> bytes:
    """Source: packaging.python.org, "Binary distribution format"."""
    lines = [
        "Wheel-Version: 1.0",
        f"Generator: buildtool {__version__}",
        "Root-Is-Purelib: false",
        f"Tag: {names.tag}",
        *([f"Build: {build}"] if build else []),
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _record(files: Iterable[PackageEntry], own: str) -> bytes:
    """The list of all files with their digests; its own row has none."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for entry in files:
        sha256 = hashlib.sha256()
        size = entry.copy_to(sha256.update)
        digest = base64.urlsafe_b64encode(sha256.digest()).decode().rstrip("=")
        rows.writerow((entry.path, f"sha256={digest}", size))
    rows.writerow((own, "", ""))
    return text.getvalue().encode()


class WheelNames(Value):
    """`distribution` and `version` are normalised; `module` is the name that users import."""

    distribution: str
    version: str
    tag: str
    module: str
    archs: tuple[str, ...]


def wheel_names(package: Package) -> WheelNames:
    """The names of the wheel of `package`.

    Raises `FormatError` for names and versions that Python packages cannot have.  Source:
    packaging.python.org, "Names and normalization", "Version specifiers", "Binary distribution
    format".
    """
    from packaging.utils import InvalidName, canonicalize_name  # noqa: PLC0415 - slow to import
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415

    try:
        name = canonicalize_name(package.name, validate=True).replace("-", "_")
    except InvalidName as error:
        raise FormatError(
            f"{package.name!r} cannot be the name of a Python package",
            why="it must consist of ASCII letters, digits, '.', '_' and '-', and begin and end with"
            " a letter or digit",
            remedy="Change name in [project], or take another format.",
        ) from error
    try:
        version = str(Version(package.version))
    except InvalidVersion as error:
        raise FormatError(
            f"{package.version!r} cannot be the version of a Python package",
            why="it is not of the form N.N.N, with a suffix such as rc1, .post1, .dev1 or +local",
            remedy="Change version in [project], or take another format.",
        ) from error
    module = f"_{name}" if name[0].isdigit() else name
    module += "_" * keyword.iskeyword(module)
    tops = [entry.path.split("/") for entry in package.entries]
    archs = dict.fromkeys(parts[1] for parts in tops if parts[0] == "dsp" and len(parts) > 2)
    return WheelNames(name, version, f"py3-none-{_platform(package)}", module, tuple(archs))


def _platform(package: Package) -> str:
    """Source: PEP 600 (manylinux), PEP 738 (Android)."""
    if package.platform == "android":
        return f"android_{package.api}_arm64_v8a"
    if package.glibc:
        return f"manylinux_{package.glibc.replace('.', '_')}_aarch64"
    return "linux_aarch64"


LIBRARIES = "lib"


class _Loaded(Value):
    """The data of the loader; the fields are the arguments of the class `Loader`."""

    cdsprpc: str
    archs: tuple[str, ...]
    libraries: dict[str, tuple[str, ...]]
    interfaces: dict[str, str]


def package_files(package: Package, names: WheelNames) -> list[PackageEntry]:
    """The modules of the wheel's package.

    Raises `FormatError`, and what reading libraries and IDL files raises.
    """
    libraries = {
        posixpath.basename(entry.path): read_elf(entry.content)
        for entry in package.entries
        if posixpath.dirname(entry.path) == LIBRARIES
        and not entry.link
        and isinstance(entry.content, Path)
        and is_elf(entry.content)
    }
    texts = support_package()
    classes: dict[str, list[str]] = {}
    exporting: dict[str, str] = {}
    for path in package.idl:
        unit = load(path)
        module = module_name(unit.stem)
        if module in classes:
            raise FormatError(
                f"two interfaces become the module {module}",
                why=f"one is in {path}",
                remedy="Give one of the IDL files another name.",
                files=[path],
            )
        classes[module] = interface_names(unit)
        texts |= emit_python(unit)
        for interface in unit.interfaces:
            exporting |= _exporting(interface, libraries, path)
    needed = (name for elf in libraries.values() for name in elf.needed)
    loaded = _Loaded(
        cdsprpc=next(filter(is_cdsprpc, needed), SONAMES[package.platform]),
        archs=names.archs,
        libraries={name: _needs(name, libraries) for name in libraries},
        interfaces=exporting,
    )
    texts["__init__.py"] = _init(package, names, classes, loaded)
    texts["py.typed"] = ""
    return [
        PackageEntry(f"{names.module}/{name}", 0o644, text.encode()) for name, text in texts.items()
    ]


def _exporting(interface: Interface, libraries: Mapping[str, Elf], path: Path) -> dict[str, str]:
    """The library that exports the stub of an interface, by the interface's name.

    Raises `FormatError` if there is none.
    """
    functions = [f"{interface.c_name}_{method.name}" for method in interface.methods]
    if not functions:
        return {}
    found = [name for name, elf in libraries.items() if elf.exports.issuperset(functions)]
    if not found:
        shipped = ", ".join(libraries) or "none"
        raise FormatError(
            f"no library of the release exports the stub of the interface {interface.c_name}",
            why=f"Python calls {functions[0]} and others of {path.name}; the libraries in"
            f" {LIBRARIES}/ are: {shipped}",
            remedy="Link the stub (buildtool_add_stub) into a SHARED library that is installed, and"
            " let it export the stub's functions.",
            files=[path],
        )
    return {interface.c_name: found[0]}


def _needs(name: str, libraries: Mapping[str, Elf]) -> tuple[str, ...]:
    """The libraries of the release that the library needs, each after those that it needs."""
    by_soname = {elf.soname or file: file for file, elf in libraries.items()}
    order: list[str] = []
    waiting = [(name, iter(libraries[name].needed))]
    seen = {name}
    while waiting:
        current, needed = waiting[-1]
        for wanted in needed:
            file = wanted if wanted in libraries else by_soname.get(wanted, "")
            if file and libraries[file].soname != wanted and not libraries[current].runpath:
                raise _without_soname(current, file)
            if file and file not in seen:
                seen.add(file)
                waiting.append((file, iter(libraries[file].needed)))
                break
        else:
            order.append(current)
            waiting.pop()
    return tuple(order[:-1])


def _without_soname(needing: str, needed: str) -> FormatError:
    return FormatError(
        f"{needing} needs {needed}, which has no SONAME, so that Python cannot load them",
        why="a library that is loaded already is found by its SONAME only, and no LD_LIBRARY_PATH"
        " leads into a Python package",
        remedy=f"Give {needed} a SONAME (-Wl,-soname,{needed}), or {needing} the RUNPATH $ORIGIN.",
    )


def _init(
    package: Package, names: WheelNames, classes: Mapping[str, Sequence[str]], loaded: _Loaded
) -> str:
    """The text of `__init__.py`: it exports the interfaces, and knows the libraries."""
    count = Counter(name for each in classes.values() for name in each)
    public = ["DmaHandle", "FastRpcError", "LibraryError", "dsp_arch", "load_library"]
    imports = []
    for module, own in sorted(classes.items()):
        if single := [name for name in own if count[name] == 1 and name not in public]:
            imports.append(f"from .{module} import {', '.join(single)}\n")
            public += single
    arguments = "".join(f"    {name}={value!r},\n" for name, value in loaded._asdict().items())
    exported = "".join(f'    "{name}",\n' for name in sorted(public))
    return f'''"""{package.name} {names.version}: host libraries, and interfaces of DSP skels."""

from __future__ import annotations

from pathlib import Path as _Path

from ._fastrpc import DmaHandle, FastRpcError, LibraryError
from ._fastrpc import Loader as _Loader
from ._fastrpc import set_loader as _set_loader
{"".join(imports)}
__all__ = [
{exported}]
__version__ = "{names.version}"

_loader = _Loader(
    _Path(__file__).parent,
{arguments})
_set_loader(_loader.load_interface)
dsp_arch = _loader.dsp_arch
load_library = _loader.load_library
'''
