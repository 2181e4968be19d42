"""The Python modules of a wheel, and the names of a wheel."""

from __future__ import annotations

import keyword
import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from buildtool.core.elf.read import Elf, is_elf, read_elf
from buildtool.core.value import Value
from buildtool.idl.emit.python import emit_python, interface_names, module_name, support_package
from buildtool.idl.model import Interface
from buildtool.idl.parse import load
from buildtool.release.formats.entries import FormatError, Package, PackageEntry
from buildtool.toolchains.cdsprpc import SONAMES, is_cdsprpc

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
    package: Package,
    names: WheelNames,
    classes: Mapping[str, Sequence[str]],
    loaded: _Loaded,
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
