"""After any edits of any project, a release has the bytes of a clean build in another directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from buildtool.core.errors import BuildtoolError
from tests.caches import share
from tests.conftest import LONG
from tests.integration.campaign.features import FEATURES
from tests.integration.campaign.tree import Kind, Parameters
from tests.integration.engine.clone import Clone
from tests.integration.engine.edits import MANNERS
from tests.integration.engine.sources import Source
from tests.project import Project

TREES = int(os.environ.get("CAMPAIGN_TREES", "60" if LONG else "4"))
SEQUENCES = 10 if LONG else 3
"""Sequences of edits of each tree; each ends with a comparison."""
Files = dict[str, bytes]


@dataclass
class Workspace(Clone):
    """A clone of a repository, whose project is in the folder `app`."""

    @property
    def project(self) -> Project:
        return Project(self.root / "app", self.cache, self.variables)

    def ship(self) -> Files:
        """Build; returns the files of the release, by path, `+x` appended if executable."""
        project = self.project
        project.build_here()
        release, found = project.release(), {}
        for path in sorted(release.rglob("*")):
            name = str(path.relative_to(release))
            if path.is_symlink():
                found[f"{name}@"] = os.fsencode(path.readlink())
            elif path.is_file() and "/" in name:  # the others describe the whole release
                found[name + "+x" * os.access(path, os.X_OK)] = path.read_bytes()
        # A release has only the libraries of a skel's step.
        (output,) = (project.root / ".buildtool/out/code").iterdir()
        for path in sorted(output.glob("share/**/*")):
            if path.is_file():
                found[str(path.relative_to(output))] = path.read_bytes()
        return found


@dataclass
class Story:
    """One repository whose sources change, and all that was compared."""

    kind: Kind
    random: Random
    place: Path
    variables: Mapping[str, str]
    history: list[str] = field(default_factory=list)
    states: list[Parameters] = field(default_factory=list)

    def __post_init__(self) -> None:
        cache = share(self.place / "cache")
        self.workspace = Workspace(self.place / "repo", cache, dict(self.variables))
        self.parameters = self.kind.first(self.random)
        self.turn_to(self.parameters)

    def turn_to(self, parameters: Parameters, manner: str = "now") -> None:
        self.parameters = parameters
        self.states.append(parameters)
        self.workspace.check_out(self.kind.state(parameters), manner)

    def act(self) -> None:
        random, parameters = self.random, self.parameters
        manner = random.choice(MANNERS)
        what = random.choices(
            ("edit", "branch", "clone", "break", "build", "clean"), (12, 3, 2, 1, 4, 1)
        )[0]
        if what == "edit":
            self.turn_to(self.kind.edited(random, parameters), manner)
            what = ", ".join(
                f"{n}: {parameters[n]!r} to {new!r}"
                for n, new in self.parameters.items()
                if new != parameters[n]
            )
        elif what == "branch":
            self.turn_to(random.choice(self.states), manner)
        elif what == "clone":
            self.workspace.another()
        elif what == "break":
            state = self.kind.state(parameters)
            broken = {**state, "app/code/main.c": Source("this is wrong(\n")}
            self.workspace.check_out(broken, "now")
            with pytest.raises(BuildtoolError):
                self.workspace.ship()
            self.workspace.check_out(state, manner)
        elif what == "clean":
            self.workspace.project.succeeds("clean")
        else:
            self.workspace.ship()
        self.history.append(f"{what} ({manner})")

    def clean_build(self, number: int) -> Files:
        """The files of a clean build elsewhere, without launcher and caches."""
        cache = share(self.place / f"clean {number}/cache")
        clean = Workspace(
            self.place / f"clean {number}/repo", cache, {"BUILDTOOL_LAUNCHER": "none"}
        )
        clean.check_out(self.workspace.state)
        return clean.ship()

    def fresh_clone(self, number: int) -> Files:
        """The files of a new clone that shares the cache."""
        clone = Workspace(
            self.place / f"clone {number}/repo", self.workspace.cache, dict(self.variables)
        )
        clone.check_out(self.workspace.state)
        return clone.ship()


@pytest.mark.parametrize("seed", range(TREES))
def test_any_edits_ship_what_a_clean_build_ships(seed: int, tmp_path: Path) -> None:
    random = Random(f"{os.environ.get('CAMPAIGN', '')}{seed}")
    kind = Kind.random(random, FEATURES)
    story = Story(kind, random, tmp_path, {"CCACHE_DIR": str(tmp_path / "ccache")})
    story.workspace.ship()
    for number in range(SEQUENCES):
        for _ in range(random.randint(1, 4)):
            story.act()
        made, clean = story.workspace.ship(), story.clean_build(number)
        told = "\n".join((str(kind), *story.history))
        assert difference(made, clean) == [], f"after\n{told}"
        if number % 3 == 2:
            assert difference(story.fresh_clone(number), clean) == [], f"fresh clone, after\n{told}"


def difference(made: Files, clean: Files) -> list[str]:
    return sorted(name for name in made.keys() | clean.keys() if made.get(name) != clean.get(name))
