"""The names of a wheel: of the distribution, its version, its tag, and the package in it."""

from __future__ import annotations

import keyword

from buildtool.core.value import Value
from buildtool.release.formats.entries import FormatError, Package


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
