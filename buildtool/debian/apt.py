"""apt with a private directory: arm64 packages from the machine's sources, as any user.

The sources, keys and proxies are those of the machine; apt checks the signatures with them.
Nothing of the system is read or written besides: hooks of the system's configuration are disabled.
Source: apt.conf(5), apt-get(8).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import write_if_changed
from buildtool.core.processes.process import Completed, capture
from buildtool.core.trees import make_directory, remove_tree
from buildtool.plan.environment import build_environment

TIMEOUT = 600.0
"""Seconds for one call of apt, which may download a few hundred megabytes."""
PRESENT = (
    *("libc6", "libc6-dev", "libc-dev-bin", "linux-libc-dev", "libgcc-s1", "libstdc++6"),
    *(f"libgcc-{version}-dev" for version in range(10, 18)),
    *(f"libstdc++-{version}-dev" for version in range(10, 18)),
)
"""Packages that the compiler and every device have.  They are not fetched, even if other packages
need them."""
PROGRAMS = (
    *("bash", "ca-certificates", "coreutils", "debconf", "dpkg", "gawk", "install-info", "perl"),
    *("perl-base", "pkg-config", "pkgconf", "python3", "python3-minimal", "python3-distutils"),
    *("sed", "ucf", "adduser", "init-system-helpers", "lsb-base", "media-types", "sgml-base"),
    "xml-core",
)
"""Programs for scripts of packages, which do not run here."""
_PROVIDES = {"libc6-dev": "libc-dev", "libstdc++-12-dev": "libstdc++-dev", "debconf": "debconf-2.0"}
_HOOKS = (
    *("APT::Update::Pre-Invoke", "APT::Update::Post-Invoke", "APT::Update::Post-Invoke-Success"),
    *("DPkg::Pre-Invoke", "DPkg::Post-Invoke", "DPkg::Pre-Install-Pkgs", "DPkg::Post-Invoke"),
)
_URI = re.compile(r"'[^']+' ([a-z0-9][a-z0-9+.-]+)_([^_\s]+)_(arm64|all)\.deb \d+")
_PROBLEM = re.compile(r"^(?:[EW]:|Err:| \S+ : Depends:).*", re.MULTILINE)


class DebianError(BuildtoolError):
    """Debian packages cannot be chosen, fetched or used."""

    code = "debian"


class Apt:
    """apt in the directory `root`, whose lock the caller holds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._updated = ""

    def update(self) -> None:
        """Fetch the package lists.  Some sources may have no arm64: `choose` reports what lacks."""
        self._prepare()
        done = self._run("update")
        self._updated = _problems(done) if done.status else ""

    def choose(self, wanted: Sequence[str]) -> list[tuple[str, str, str]]:
        """Name, version and architecture of the packages `wanted`, and of those that they need."""
        self._prepare()
        done = self._run("install", "--print-uris", "-q", "-y", "--no-install-recommends", *wanted)
        if done.status:
            remedy = "Correct the names in 'debian'; apt-cache search finds names."
            raise self._error(f"apt cannot choose {' '.join(wanted)} for arm64", done, remedy)
        return parse_uris(done.output)

    def download(self, name: str, version: str) -> Path:
        """Fetch one package, which apt compares with the signed list."""
        self._prepare()
        fresh = self.root / "fresh"
        remove_tree(fresh)
        make_directory(fresh)
        done = self._run("download", "-q", f"{name}={version}", cwd=fresh)
        found = [*fresh.glob("*.deb")]
        if done.status or len(found) != 1:
            remedy = "If the archive no longer has that version: buildtool lock --upgrade"
            raise self._error(f"apt cannot fetch {name} {version} for arm64", done, remedy)
        return found[0]

    def _prepare(self) -> None:
        for name in ("state/lists/partial", "cache/archives/partial", "log"):
            make_directory(self.root / name)
        write_if_changed(self.root / "status", _status())
        write_if_changed(self.root / "apt.conf", self._configuration())

    def _configuration(self) -> str:
        settings = {
            "Dir::State": self.root / "state",
            "Dir::State::status": self.root / "status",
            "Dir::Cache": self.root / "cache",
            "Dir::Log": self.root / "log",
            "APT::Architecture": "arm64",
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
        }
        lists = [f"#clear {name};" for name in (*_HOOKS, "APT::Architectures")]
        lines = [f'{name} "{value}";' for name, value in settings.items()]
        return "\n".join([*lists, 'APT::Architectures { "arm64"; };', *lines, ""])

    def _run(self, *arguments: str, cwd: Path | None = None) -> Completed:
        program = shutil.which("apt-get")
        if not program:
            raise DebianError(
                "there is no apt-get on this machine",
                why="'debian' in a [host.NAME] fetches packages with the machine's own apt",
                remedy="Build on Debian or Ubuntu, or use 'conan' in place of 'debian'.",
            )
        argv = [program, "-c", str(self.root / "apt.conf"), *arguments]
        return capture(argv, env=build_environment(), cwd=cwd, timeout=TIMEOUT)

    def _error(self, message: str, done: Completed, remedy: str) -> DebianError:
        problems = "\n".join(filter(None, (_problems(done), self._updated)))
        known = any((self.root / "state/lists").glob("*binary-arm64_Packages*"))
        return DebianError(
            message,
            why=problems or done.output[-2000:],
            remedy=remedy
            if known
            else "The machine's apt sources have no package list for arm64, or are not reachable."
            " On Ubuntu add one for arm64: it is in the archive of ports, not in that of amd64"
            " (see sources.list(5)).",
        )


def parse_uris(output: str) -> list[tuple[str, str, str]]:
    """Name, version and architecture of the packages that `--print-uris` lists, by name."""
    return sorted({(m[1], unquote(m[2]), m[3]) for m in _URI.finditer(output)})


def _status() -> str:
    """The list of installed packages: what need not be fetched."""
    kinds = {**dict.fromkeys(PRESENT, "same"), **dict.fromkeys(PROGRAMS, "allowed")}
    return "\n".join(
        f"Package: {name}\nStatus: install ok installed\nArchitecture: arm64\nMulti-Arch: {kind}\n"
        + (f"Provides: {_PROVIDES[name]}\n" if name in _PROVIDES else "")
        + "Version: 999\nMaintainer: buildtool <buildtool@localhost>\nDescription: present\n"
        for name, kind in kinds.items()
    )


def _problems(done: Completed) -> str:
    return "\n".join(_PROBLEM.findall(done.output)[:12])
