"""The Conan home of a project: settings, remotes and recipes of this project only.

The user's home (~/.conan2) is neither read nor written: what is built depends on the project, not
on the user.  Conan searches for a `.conanrc` in the working directory and its parents before it
reads CONAN_HOME.  So each call runs in the home, which contains one.

Errors have the relevant part of Conan's output, and remedies for known errors.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

from buildtool import _data
from buildtool.core.events import Listener, Note
from buildtool.core.files import read_regular, tree_digest, value_digest, write_if_changed
from buildtool.core.lock import locked
from buildtool.core.processes.process import Completed, ToolError, capture
from buildtool.core.trees import remove_tree
from buildtool.plan.environment import build_environment
from buildtool.plan.plan import CONAN_CENTER, ConanSettings
from buildtool.sdk.packaged_tools import Conan, find_conan
from buildtool.toolchains.conan_profile import SETTINGS, build_machine, settings_user
from buildtool.toolchains.profile import Profile

DELETE_HOME = "Delete .buildtool/conan and build again."
QUERY_TIMEOUT = 120.0
"""Seconds, for commands that neither compile nor download anything."""
_INCOMPLETE = "(changing)"  # is not valid as the name of a remote
# Credentials of remotes, and what reaching them takes; see "Environment variables" in Conan's
# reference.
_PASSED_ON = (
    *("CONAN_LOGIN_USERNAME", "CONAN_PASSWORD", "NETRC", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
)


class ConanHome(ConanSettings):
    """The home that the settings describe."""

    def locked(self, listener: Listener, prefix: str = "") -> AbstractContextManager[None]:
        """Lock the home against other processes within the block: Conan does not do so itself.

        If it has to wait, `listener` gets a note that starts with `prefix`.
        """
        waiting = Note(f"{prefix}waiting for another buildtool to finish with Conan")
        return locked(self.path.with_suffix(".lock"), lambda: listener(waiting))

    @cached_property
    def build_machine(self) -> Profile:
        """The profile of the build machine: Conan's "build" context."""
        return build_machine(self.zig)

    @cached_property
    def conan(self) -> Conan:
        return find_conan()

    def run(
        self,
        *arguments: str | Path,
        action: str,
        remedy: Callable[[str], str] | None = None,
        timeout: float | None = QUERY_TIMEOUT,
        on_line: Callable[[str], None] | None = None,
    ) -> Completed:
        """Run `conan ARGUMENTS...` in this home.

        Raises `ToolError`; `remedy` determines its remedy from Conan's output.
        """
        done = capture(
            [*self.conan.command, *arguments],
            env=self._environment(),
            cwd=self.path,
            timeout=timeout,
            on_line=on_line,
        )
        if done.status:
            raise ToolError(
                f"{action} failed: Conan ended with exit status {done.status}",
                why=excerpt(done.output),
                remedy=(remedy and remedy(done.output))
                or f"To run Conan manually, change to '{self.path}': there it uses this home.",
            )
        return done

    def run_json(self, *arguments: str | Path, action: str) -> Any:
        """The JSON that `conan ARGUMENTS...` writes.  Raises `ToolError`."""
        file = self.path / "answer.json"
        self.run(*arguments, "--format=json", f"--out-file={file}", action=action)
        return read_json(file)

    @cached_property
    def digest(self) -> str:
        """A digest of everything in this home that affects packages."""
        return value_digest(
            {
                "conan": self.conan.identity,
                "settings": settings_user(),
                "configuration": self._configuration,
                "remotes": list(self.remotes),
                "recipes": self._recipes,
            }
        )

    def prepare(self) -> None:
        """Bring the home up to date with the project; fast if it is.

        Raises `ToolError` when Conan rejects a recipe or a remote.
        """
        write_if_changed(self.path / ".conanrc", f"conan_home={self.path}\n")
        write_if_changed(self.path / SETTINGS, settings_user())
        self._set_remotes()
        self._export_recipes()

    def delete_packages(self) -> None:
        """Delete all packages and recipes: Conan cannot repair a home that lacks some of them."""
        remove_tree(self._store, ignore_errors=True)
        self._exported.unlink(missing_ok=True)

    @property
    def local_packages(self) -> frozenset[str]:
        """The names of the packages whose recipes are part of this project or of buildtool."""
        return frozenset(
            row["reference"].partition("/")[0] for row in _read_object(self._exported).values()
        )

    def _environment(self) -> dict[str, str]:
        passed_on = {
            name: value
            for name, value in os.environ.items()
            if name in _PASSED_ON or name.startswith(("CONAN_LOGIN_USERNAME_", "CONAN_PASSWORD_"))
        }
        return {
            **build_environment(),
            **passed_on,
            "CONAN_HOME": str(self.path),
            "NO_COLOR": "1",
        }

    @property
    def _configuration(self) -> list[str]:
        """The settings in the home's global.conf; Conan writes only comments there."""
        lines = _read_text(self.path / "global.conf").splitlines()
        return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]

    @property
    def _store(self) -> Path:
        """Where Conan keeps recipes and packages, and their index."""
        return self.path / "p"

    @property
    def _exported(self) -> Path:
        """The recipes that Conan has: directory → digest and reference."""
        return self.path / "exported.json"

    @cached_property
    def _recipes(self) -> Mapping[str, str]:
        """Directory of each recipe → digest of what it exports."""
        # The recipe of libcdsprpc exports its headers too.
        headers = _data.path("host") / "include"
        own = _recipe_directories(_data.path("recipes"))
        digests = {str(folder): tree_digest([folder, headers]) for folder in own}
        for parent in self.recipes:
            digests |= {str(f): tree_digest([f]) for f in _recipe_directories(parent)}
        return digests

    def _set_remotes(self) -> None:
        state = self.path / "remotes.txt"
        configured = "\n".join(self.remotes)
        if _read_text(state, CONAN_CENTER) == configured:
            return
        write_if_changed(state, _INCOMPLETE)  # if this is interrupted, the next call repeats it
        # Without its list of remotes, Conan starts with ConanCenter only.
        (self.path / "remotes.json").unlink(missing_ok=True)
        remove_tree(self.path / ".local_recipes_index", ignore_errors=True)
        if CONAN_CENTER not in self.remotes:
            self.run("remote", "remove", CONAN_CENTER, action="removing the remote ConanCenter")
        for index, remote in enumerate(self.remotes):
            name, _, url = remote.partition("=")
            kind = [] if "://" in url else ["--type=local-recipes-index"]
            if url:
                options = (name, url, f"--index={index}", *kind)
                self.run("remote", "add", *options, action=f"adding the remote {name}")
        write_if_changed(state, configured)

    def _export_recipes(self) -> None:
        """Export the recipes that changed to Conan, and remove those that no longer exist."""
        known = _read_object(self._exported) if (self._store / "cache.sqlite3").is_file() else {}
        current: dict[str, Any] = {}
        for folder, digest in self._recipes.items():
            if known.get(folder, {}).get("digest") == digest:
                current[folder] = known[folder]
                continue
            answer = self.run_json("export", folder, action=f"reading the recipe in {folder}")
            reference = answer["reference"].partition("#")[0]
            current[folder] = {"digest": digest, "reference": reference}
        removed = {row["reference"] for row in known.values()}
        removed -= {row["reference"] for row in current.values()}
        for reference in sorted(removed):
            action = f"removing the recipe {reference}"
            self.run("remove", "--confirm", reference, action=action)
        write_if_changed(self._exported, json.dumps(current, indent=1))


def read_json(path: Path, remedy: str = DELETE_HOME) -> Any:
    """The JSON that Conan wrote to `path`; raises `ToolError` with `remedy` if it is invalid."""
    try:
        return json.loads(read_regular(path))
    except (OSError, ValueError, RecursionError) as error:
        raise unexpected_output(path, str(error), remedy) from error


def unexpected_output(path: Path, why: str, remedy: str = DELETE_HOME) -> ToolError:
    """The error for a file of Conan that is not as its reference describes it."""
    return ToolError(f"cannot read {path}, which Conan wrote", why=why, remedy=remedy)


def _read_object(file: Path) -> dict[str, Any]:
    """The JSON object in a file of ours; an empty one if it cannot be read."""
    try:
        data = json.loads(read_regular(file))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _read_text(file: Path, default: str = "") -> str:
    """The text of a file; `default` if it cannot be read."""
    try:
        return read_regular(file).decode(errors="replace")
    except OSError:
        return default


def _recipe_directories(parent: Path) -> Iterator[Path]:
    return (file.parent for file in sorted(parent.glob("*/conanfile.py")))


MAX_LINES = 40
_AFTER_PROFILES = re.compile(r"^=+ Computing dependency graph =+$", re.MULTILINE)
_UNREACHABLE = re.compile(r"Unable to connect to remote ([^\s=]+)=(\S+)")


def remedy(output: str, lock: Path) -> str:
    """The remedy for a failure with this `output`; "" for an unknown error."""
    if server := _UNREACHABLE.search(output):
        return (
            f"The server of the remote {server[1]!r} is not reachable: {server[2]}. Check the"
            " network, or 'conan-remotes' in buildtool.toml; conan-remotes = [] uses local recipes"
            " only."
        )
    import tomllib  # noqa: PLC0415 - only after a failure

    known = tomllib.loads(Path(__file__).with_name("failures.toml").read_text(encoding="utf-8"))
    found = (row["remedy"] for row in known["failure"] if re.search(row["pattern"], output))
    return str(next(found, "")).replace("{lock}", str(lock))


def excerpt(output: str) -> str:
    """The end of Conan's output, without the profiles that it prints first."""
    lines = _AFTER_PROFILES.split(output)[-1].strip("\n").splitlines()
    return "\n".join(lines[-MAX_LINES:])
