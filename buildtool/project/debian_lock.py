"""debian.lock: the Debian packages of the components with `debian`, beside the project file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from buildtool.core.errors import UsageError
from buildtool.core.files import is_digest, value_digest, write_if_changed
from buildtool.core.value import Value
from buildtool.project.components import PACKAGE_NAME

NAME = "debian.lock"
SCHEMA = 1
_VERSION = r"[0-9][A-Za-z0-9.+~:-]*"
"""Source: Debian Policy Manual, 5.6.12."""
_REMEDY = "Choose the packages again: buildtool lock"


class LockError(UsageError):
    """debian.lock is damaged, or does not fit the project file."""

    code = "debian-lock"


class DebianPackage(Value):
    """One package; `sha256` is the digest of its .deb, `distribution` is `debian` or `ubuntu`."""

    name: str
    version: str
    architecture: str
    sha256: str
    distribution: str = "debian"

    @property
    def purl(self) -> str:
        """The package URL.  Source: the purl specification, type `deb`."""
        name, version = quote(self.name, safe=""), quote(self.version, safe="")
        return f"pkg:deb/{self.distribution}/{name}@{version}?arch={self.architecture}"


class LockedPackages(Value):
    """The packages of one component, and the names in its `debian` that they were chosen for."""

    wanted: tuple[str, ...]
    packages: tuple[DebianPackage, ...]

    @property
    def digest(self) -> str:
        """Identifies the contents of the packages."""
        return value_digest([package.sha256 for package in self.packages])


def read_lock(root: Path) -> dict[str, LockedPackages]:
    """The locked packages by component; {} without a file.  Raises `LockError`."""
    file = root / NAME
    try:
        data = json.loads(file.read_bytes())
        if data["schema"] != SCHEMA:
            raise ValueError(f"its schema is {data['schema']}, not {SCHEMA}")
        return {name: _locked(row) for name, row in data["components"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise LockError(
            f"{file} cannot be read", why=str(error), remedy=f"Delete it. {_REMEDY}"
        ) from error


def write_lock(root: Path, components: Mapping[str, LockedPackages]) -> bool:
    """Write the file; returns whether it changed."""
    rows = {
        name: {
            "debian": list(locked.wanted),
            "packages": [package._asdict() for package in locked.packages],
        }
        for name, locked in sorted(components.items())
    }
    text = json.dumps({"schema": SCHEMA, "components": rows}, indent=2)
    return write_if_changed(root / NAME, f"{text}\n")


def locked_packages(root: Path, component: str, wanted: Sequence[str]) -> LockedPackages:
    """The locked packages of a component; raises `LockError` if they were chosen for others."""
    locked = read_lock(root).get(component)
    if locked and locked.wanted == tuple(wanted):
        return locked
    raise LockError(
        f"{NAME} does not have the Debian packages of {component}: {', '.join(wanted)}",
        why=f"it has those for: {', '.join(locked.wanted)}" if locked else "",
        remedy=_REMEDY,
    )


def _locked(row: Mapping[str, Any]) -> LockedPackages:
    packages = tuple(DebianPackage(**package) for package in row["packages"])
    for package in packages:
        if not (
            re.fullmatch(PACKAGE_NAME, package.name)
            and re.fullmatch(_VERSION, package.version)
            and package.architecture in ("arm64", "all")
            and package.distribution.isalnum()
            and is_digest(package.sha256)
        ):
            raise ValueError(f"it has an invalid package: {package.name!r}")
    return LockedPackages(tuple(map(str, row["debian"])), packages)
