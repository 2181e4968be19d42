"""What earlier builds left in a build tree does not ship: after each edit, the release is that of a
clean build, also in a new clone that gets it from the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.caches import SLOW, share
from tests.integration.engine.leftovers import CASES, Case
from tests.integration.engine.marked import HEAD, LIBRARY, Marked, marked
from tests.project import Project

QUICK = (
    "a header that a command changes",
    "a renamed target",
    "file(COPY)",
    "a command after a link",
    "a command that is removed",
    "a command of a target that the project file no longer names",
)


def _edit(app: Marked, case: Case) -> None:
    """Make the edit of the case."""
    if case.then_keys is not None:
        app.project(case.then_keys)
    if case.then_lists is not None:
        app.lists(case.then_lists)
    for name, text in case.then.items():
        if text is None:
            (app.root / "app" / name).unlink()
        else:
            app.write(f"app/{name}", text)


def _clean(app: Marked, name: str) -> dict[str, bytes]:
    """The release of a clean build of the sources elsewhere, with an empty cache."""
    root = app.root.with_name(name)
    clean = type(app)(root, share(app.root.with_name(f"{name} cache"), (*SLOW, "emulator")))
    app.copy_sources(root)
    clean.build_here()
    return _release(clean)


def _release(app: Project) -> dict[str, bytes]:
    """The files of the release, and its directories, with the names of links' targets."""
    found = {name: data for name, data in app.release_files().items() if name != "release.json"}
    for path in app.release().rglob("*"):
        if path.is_dir() or path.is_symlink():
            name = str(path.relative_to(app.release()))
            found[f"{name}/"] = bytes(path.readlink()) if path.is_symlink() else b""
    return found


@pytest.fixture
def app(tmp_path: Path) -> Marked:
    app = Marked(tmp_path / "project", tmp_path / "cache")
    share(app.cache, (*SLOW, "emulator"))
    return app


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.long) for n in CASES]
)
def test_what_an_edit_removes(name: str, app: Marked) -> None:
    _check(app, name)


@pytest.mark.long
def test_a_header_that_a_command_changes_in_a_build_that_fails(app: Marked) -> None:
    case = CASES["a header that a command copies with its time"]
    app.project()
    for name, text in case.files.items():
        app.write(f"app/{name}", text)
    app.write("app/b.c", "")
    app.lists(case.lists, sources="a.c b.c")
    app.outcome()

    _edit(app, case)
    app.write("app/b.c", "this is wrong(\n")
    assert app.fails()

    app.write("app/b.c", "")
    app.outcome()
    assert app.has("two")


def _check(app: Marked, name: str) -> None:
    """Build, make the edit of the case, build, and compare with clean builds; then in a clone."""
    case = CASES[name]
    app.project(case.keys)
    app.write("app/a.c", marked("one"))
    for file, text in case.files.items():
        app.write(f"app/{file}", text)
    app.lists(case.lists)
    assert app.outcome() == "built"
    before = _release(app)
    assert before == _clean(app, "before")

    _edit(app, case)
    assert app.outcome() == "built"
    after = _release(app)
    assert after == _clean(app, "after")
    assert before != after or "append" in name.lower()

    clone = type(app)(app.root.with_name("clone"), app.cache)
    app.copy_sources(clone.root)
    assert clone.outcome() == "restored"
    assert _release(clone) == after


SKEL = """
int app_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)s; (void)p; return 0; }
int app_skel_invoke(unsigned s, void *p) { (void)s; (void)p; return 0; }
"""


class Skel(Marked):
    """A project whose component is for the Hexagon side."""

    def lists(self, *rest: str, sources: str = "a.c skel.c") -> None:
        self.write("app/skel.c", SKEL)
        named = "set_target_properties(app PROPERTIES OUTPUT_NAME app_skel)\n"
        text = LIBRARY.format(sources=sources).replace("DESTINATION lib", "DESTINATION .")
        self.write("app/CMakeLists.txt", HEAD + text + named + "".join(rest))

    def project(self, keys: str = "", more: str = "") -> None:
        super().project(keys, more)
        self.edit("buildtool.toml", "[host.app]", "[skel.app]")
        self.edit("buildtool.toml", "[target.sim]", '[target.sim]\narchs = ["v68"]')

    def outcome(self) -> str:
        return self.build_here("sim", jobs=1)["skel/app/v68"]

    def release_files(self, target: str = "sim") -> dict[str, bytes]:
        """Also the files of the skel's step: a release has only its libraries."""
        outputs = self.root.glob(".buildtool/out/app/*/share/**/*")
        found = {f"share/{path.name}": path.read_bytes() for path in outputs if path.is_file()}
        return super().release_files(target) | found


@pytest.mark.parametrize(
    "name",
    [
        "a command after a link",
        pytest.param("file(COPY)", marks=pytest.mark.long),
        pytest.param("a renamed target in a directory that is installed", marks=pytest.mark.long),
        pytest.param("a generator that writes the files of a list", marks=pytest.mark.long),
    ],
)
def test_what_an_edit_of_a_skel_removes(name: str, app: Marked) -> None:
    _check(Skel(app.root, app.cache), name)
