"""A Conan home of the project's own: its settings, remotes and recipes.

The user's home (~/.conan2) is neither read nor written: what is built depends on the project and
not on whoever builds it.  Conan looks for a `.conanrc` from the working directory upwards before it
looks at CONAN_HOME, so each call runs in the home, which has one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from buildtool import _data
from buildtool.core.events import Listener, Note
from buildtool.core.files import read_regular, tree_digest, value_digest, write_if_changed
from buildtool.core.lock import locked
from buildtool.core.process import Completed, ToolError, capture
from buildtool.core.trees import remove_tree
from buildtool.drivers.conan.remedy import excerpt
from buildtool.plan.environment import build_environment
from buildtool.project.model import Tool
from buildtool.sdk.conan import Conan, find_conan
from buildtool.sdk.tool_search import NO_REQUIREMENT
from buildtool.toolchains.build_machine import build_machine
from buildtool.toolchains.conan_profile import SETTINGS, settings_user
from buildtool.toolchains.profile import Profile

HOME = "conan"
"""Its name in the project's directory of state."""
DEFAULT_REMOTE = "conancenter"
CHANGING = "(changing)"  # no remote can be called so
AGAIN = "Delete .buildtool/conan; it is made again."
ASK_SECONDS = 120.0
"""What a question that compiles nothing and asks no remote may take."""
# Credentials of remotes and what it takes to reach them; see Conan's reference of variables.
PASSED_ON = (
    *("CONAN_LOGIN_USERNAME", "CONAN_PASSWORD", "NETRC", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
)


@dataclass(frozen=True)
class ConanHome:
    """A Conan home at `where`; `recipes` are directories with a recipe in each directory of theirs,
    `remotes` are `NAME=URL`, `NAME=directory`, or `conancenter`, `zig` what programs of the build
    machine are to be compiled with."""

    where: Path
    recipes: tuple[Path, ...] = ()
    remotes: tuple[str, ...] = (DEFAULT_REMOTE,)
    zig: Tool = NO_REQUIREMENT

    def alone(self, listener: Listener, who: str = "") -> AbstractContextManager[None]:
        """Keep other processes out of the home for a block: Conan does not expect company in one.

        `listener` is told when `who` has to wait for one.
        """
        waiting = Note(f"{who}waiting for another buildtool to finish with Conan")
        return locked(self.where.with_suffix(".lock"), lambda: listener(waiting))

    @cached_property
    def build_machine(self) -> Profile:
        """What Conan takes for the profile of the machine that it runs on."""
        return build_machine(self.zig)

    @cached_property
    def conan(self) -> Conan:
        return find_conan()

    def run(
        self,
        *arguments: str | Path,
        doing: str,
        remedy: Callable[[str], str] | None = None,
        timeout: float | None = ASK_SECONDS,
        on_line: Callable[[str], None] | None = None,
    ) -> Completed:
        """Run `conan ARGUMENTS...` in this home.

        `remedy` turns its output into what to do when it fails.  Raises `ToolError`.
        """
        done = capture(
            [*self.conan.command, *arguments],
            env=self._environment(),
            cwd=self.where,
            timeout=timeout,
            on_line=on_line,
        )
        if done.status:
            raise ToolError(
                f"{doing} failed: Conan ended with exit status {done.status}",
                why=excerpt(done.output),
                remedy=(remedy and remedy(done.output)) or self.by_hand,
            )
        return done

    @property
    def by_hand(self) -> str:
        return f"To run Conan by hand, go to '{self.where}'; there it uses this project's packages."

    def _environment(self) -> dict[str, str]:
        passed = {
            name: value
            for name, value in os.environ.items()
            if name in PASSED_ON or name.startswith(("CONAN_LOGIN_USERNAME_", "CONAN_PASSWORD_"))
        }
        own = {"CONAN_HOME": str(self.where), "NO_COLOR": "1"}
        return {**build_environment(), **passed, **own}

    @cached_property
    def state(self) -> str:
        """A digest of what this home has to offer: Conan, settings, configuration, recipes."""
        return value_digest(
            {
                "conan": self.conan.identity,
                "settings": settings_user(),
                "configuration": self._configuration,
                "remotes": list(self.remotes),
                "recipes": self._recipes,
            }
        )

    @property
    def _configuration(self) -> list[str]:
        """What somebody set in the home's global.conf; Conan itself puts comments there."""
        lines = _text(self.where / "global.conf").splitlines()
        return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]

    def prepare(self) -> None:
        """Bring the home up to date with the project; quick when it is.

        Raises `ToolError` when Conan refuses a recipe or a remote.
        """
        write_if_changed(self.where / ".conanrc", f"conan_home={self.where}\n")
        write_if_changed(self.where / SETTINGS, settings_user())
        self._set_remotes()
        self._export()

    def forget_packages(self) -> None:
        """Take away all packages and recipes: Conan cannot mend a home that lost some of them."""
        remove_tree(self._store, ignore_errors=True)
        self._exported.unlink(missing_ok=True)

    @property
    def local(self) -> frozenset[str]:
        """The names of the packages whose recipes come from this project or from buildtool."""
        return frozenset(
            row["reference"].partition("/")[0] for row in _read(self._exported).values()
        )

    def _set_remotes(self) -> None:
        note = self.where / "remotes.txt"
        wanted = "\n".join(self.remotes)
        if _text(note, DEFAULT_REMOTE) == wanted:
            return
        write_if_changed(note, CHANGING)  # if this is interrupted, it is begun again
        # Without its list Conan starts with ConanCenter alone.
        (self.where / "remotes.json").unlink(missing_ok=True)
        remove_tree(self.where / ".local_recipes_index", ignore_errors=True)
        if DEFAULT_REMOTE not in self.remotes:
            self.run("remote", "remove", DEFAULT_REMOTE, doing="taking away the remote ConanCenter")
        for index, remote in enumerate(self.remotes):
            name, _, url = remote.partition("=")
            kind = [] if "://" in url else ["--type=local-recipes-index"]
            if url:
                where = (name, url, f"--index={index}", *kind)
                self.run("remote", "add", *where, doing=f"adding the remote {name}")
        write_if_changed(note, wanted)

    def ask(self, *arguments: str | Path, doing: str) -> Any:
        """What `conan ARGUMENTS...` answers as JSON.  Raises `ToolError`."""
        answer = self.where / "answer.json"
        self.run(*arguments, "--format=json", f"--out-file={answer}", doing=doing)
        return read_json(answer)

    @property
    def _store(self) -> Path:
        """Where Conan keeps recipes and packages, and its list of them."""
        return self.where / "p"

    @property
    def _exported(self) -> Path:
        return self.where / "exported.json"

    @cached_property
    def _recipes(self) -> Mapping[str, str]:
        """Directory of each recipe → digest of what it exports."""
        ours = _data.path("recipes")
        # The headers of libcdsprpc are a part of its recipe.
        beside = [_data.path("host") / "include"]
        rows = {str(folder): tree_digest([folder, *beside]) for folder in _folders(ours)}
        for place in self.recipes:
            rows |= {str(folder): tree_digest([folder]) for folder in _folders(place)}
        return rows

    def _export(self) -> None:
        """Give Conan the recipes that changed, and take away those that are gone."""
        known = _read(self._exported) if (self._store / "cache.sqlite3").is_file() else {}
        now: dict[str, Any] = {}
        for folder, digest in self._recipes.items():
            if known.get(folder, {}).get("digest") == digest:
                now[folder] = known[folder]
                continue
            answer = self.ask("export", folder, doing=f"reading the recipe in {folder}")
            now[folder] = {"digest": digest, "reference": answer["reference"].partition("#")[0]}
        gone = {row["reference"] for row in known.values()}
        for reference in sorted(gone - {row["reference"] for row in now.values()}):
            self.run("remove", "--confirm", reference, doing=f"removing the recipe {reference}")
        write_if_changed(self._exported, json.dumps(now, indent=1))


def read_json(path: Path, remedy: str = AGAIN) -> Any:
    """What Conan wrote to `path`; raises `ToolError` with `remedy` when it is not JSON."""
    try:
        return json.loads(read_regular(path))
    except (OSError, ValueError, RecursionError) as error:
        raise ToolError(
            f"Conan's answer in {path} cannot be read", why=str(error), remedy=remedy
        ) from error


def _read(note: Path) -> dict[str, Any]:
    try:
        read = json.loads(read_regular(note))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _text(file: Path, otherwise: str = "") -> str:
    """What the file says; `otherwise` when it cannot be read."""
    try:
        return read_regular(file).decode(errors="replace")
    except OSError:
        return otherwise


def _folders(place: Path) -> Iterator[Path]:
    return (file.parent for file in sorted(place.glob("*/conanfile.py")))
