"""Writes the workflow of a CI service: `buildtool init --ci SERVICE`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from buildtool import __version__
from buildtool.core.errors import UsageError
from buildtool.core.escape import escape
from buildtool.core.files import write_if_changed
from buildtool.project.model import Project
from buildtool.project.read import find_project
from buildtool.testing.ctest.tests import may_have_tests

WORKFLOWS = {"github": ".github/workflows/buildtool.yml", "gitlab": ".gitlab-ci.yml"}
"""The file of each service, relative to the project."""
_PARTS = {
    "github": "${{ matrix.shard }}/${{ strategy.job-total }}",
    "gitlab": "$CI_NODE_INDEX/$CI_NODE_TOTAL",
}
"""How a job of several is called, for `--shard`."""
_IMAGE = r"[A-Za-z0-9][\w.:/@-]{0,254}"
_PYTHON_IMAGE = "python:3.12-bookworm"
_BUILDTOOL = f"""\
  # What pip installs: a version, the URL of a wheel, or git+https://….
  BUILDTOOL: hexagon-buildtool=={__version__}
"""
_PYTHON = """\
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
"""
_LAST_JOB = re.compile(r"^ *test:\n", re.MULTILINE)
_EMULATOR = "qemu-user libc6-arm64-cross"
_CXX = "libstdc++6-arm64-cross"
_COMPILERS = {"gcc": "g++-aarch64-linux-gnu", "clang": "clang lld g++-aarch64-linux-gnu"}


def write_workflow(service: str, folder: Path, shards: int = 0, image: str = "") -> Path:
    """Write the workflow of `service` for the project in `folder`, and its default target, with the
    work divided among `shards` runners if it is not 0.  Jobs run in a container of `image`, which
    has buildtool, or install it if that is "".

    Raises `UsageError` for an unknown service, for a file that exists, and for what names no image.
    """
    if service not in WORKFLOWS:
        raise UsageError(
            f"there is no workflow for {service!r}",
            remedy=f"Take one of: {', '.join(WORKFLOWS)}.",
        )
    if image and not re.fullmatch(_IMAGE, image, re.ASCII):
        raise UsageError(
            f"{escape(image)[:100]!r} does not name a container image",
            remedy="Write it as in podman pull: --image registry.example.com/buildtool:1",
        )
    project = find_project(folder)
    path = project.root / WORKFLOWS[service]
    if path.exists():
        raise UsageError(
            f"{path} already exists",
            why="init never overwrites",
            remedy="Rename it, and merge what it does into the new one.",
        )
    name = project.header.default_target
    is_github = service == "github"
    line, root = ("      - run: ", "sudo ") if is_github else ("    - ", "")
    install = [*_install(project, name, "" if image else root, in_image=bool(image))]
    runs = project.targets[name].platform == "ubuntu-aarch64"
    has_tests = runs and bool(project.tests or may_have_tests(project))
    test = f"buildtool test sim --target {name} --junit results.xml"
    tests = [test] if has_tests else []
    run = [f"buildtool run sim --target {name}"] if runs and not has_tests else []
    build = f"buildtool build {name}"
    package = [f"buildtool package {name}", f"cp -RL .buildtool/debug/{name} debug"]  # of links
    part = f"--shard {_PARTS[service]}"
    jobs = {
        "@STEPS@": [*install, build, *tests, *run, *package],
        "@BUILD@": [*install, f"{build} {part}"],
        "@RELEASE@": [*install, build, *run, *package],
        "@TEST@": [*install, f"{test} {part}"],
    }
    numbers = ", ".join(map(str, range(1, shards + 1)))
    values = {
        "@NAME@": project.name,
        "@TARGET@": name,
        "@BUILDTOOL@": "" if image else _BUILDTOOL,
        "@PYTHON@": "" if image else _PYTHON,
        "@CONTAINER@": f"    container: {image}\n" if image else "",
        "@IMAGE@": image or _PYTHON_IMAGE,
        "@SHARDS@": numbers if is_github else str(shards),
        **{job: "\n".join(line + each for each in commands) for job, commands in jobs.items()},
    }
    file = f"{service}-shards.yml" if shards else f"{service}.yml"
    text = Path(__file__).with_name("ci").joinpath(file).read_text(encoding="utf-8")
    if shards and not has_tests:
        text = _LAST_JOB.split(text)[0].rstrip().replace("release, test]", "release]") + "\n"
    for token, value in values.items():
        text = text.replace(token, value)
    write_if_changed(path, text)
    return path


def _install(project: Project, name: str, root: str, *, in_image: bool) -> Iterator[str]:
    """The commands that install what the target needs, beside what is `in_image`; `root` goes
    before some."""
    target = project.targets[name]
    runs = target.platform == "ubuntu-aarch64"
    packages = [_EMULATOR if runs and not in_image else "", _COMPILERS.get(target.toolchain, "")]
    if runs and not in_image and any(host.files or host.tree for host in project.hosts.values()):
        packages.append(_CXX)  # for prebuilt C++ libraries
    if wanted := " ".join(filter(None, packages)):
        yield f"{root}apt-get update"
        yield f"{root}apt-get install -y --no-install-recommends {wanted}"
    if not in_image:
        yield 'pip install "$BUILDTOOL"'
