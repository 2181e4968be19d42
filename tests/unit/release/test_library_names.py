"""Only the needed names of a shared library ship; other links ship as links."""

from __future__ import annotations

import pytest

from tests.opened_files import opened_files
from tests.unit.release.conftest import Files, Project, elf

LIBRARY = elf("libx.so.1")
CHAIN: Files = {
    "lib/libx.so.1.2": LIBRARY,
    "lib/libx.so.1": "libx.so.1.2",
    "lib/libx.so": "libx.so.1",
}
APP = {"bin/app": elf(needed=["libx.so.1", "libc.so.6"])}
ALONE = {"bin/app": "", "lib/libx.so.1": ""}


def test_a_library_ships_once_under_its_soname(made: Project) -> None:
    made.component("app", {**APP, **CHAIN})

    assert made.release_files() == ALONE


@pytest.mark.parametrize("real", ["lib/libx.so", "lib/libx.so.1.2"])
def test_whichever_of_its_names_is_the_file(made: Project, real: str) -> None:
    chain: Files = {name: LIBRARY if name == real else real.removeprefix("lib/") for name in CHAIN}
    made.component("app", {**APP, **chain})

    assert made.release_files() == ALONE


def test_copies_of_a_library_are_the_same_library(made: Project) -> None:
    made.component("app", {**APP, **dict.fromkeys(CHAIN, LIBRARY)})

    assert made.release_files() == ALONE


def test_a_copy_that_may_not_be_executed_is_the_same_library(made: Project) -> None:
    made.component("app", {**APP, **dict.fromkeys(CHAIN, LIBRARY)})
    (made.root / "out/app/lib/libx.so").chmod(0o755)

    assert made.release_files() == ALONE


def test_a_link_without_the_soname_is_enough(made: Project) -> None:
    made.component("app", {**APP, "lib/libx.so": LIBRARY})

    assert made.release_files() == ALONE


def test_an_unused_library_keeps_its_name(made: Project) -> None:
    made.component("app", {"lib/libx.so": LIBRARY, "lib/plugin.so": elf("libother.so")})

    assert made.release_files() == {"lib/libx.so": "", "lib/plugin.so": ""}


def test_an_unused_library_keeps_its_name_without_a_version(made: Project) -> None:
    made.component("app", CHAIN)

    assert made.release_files() == {"lib/libx.so.1": "", "lib/libx.so": "libx.so.1"}


@pytest.mark.parametrize("text", ["\0libx.so\0", "./libx.so\0", "libx.so"])
def test_a_name_that_a_program_opens_ships_as_a_link(made: Project, text: str) -> None:
    made.component("app", {"bin/app": elf(needed=["libx.so.1"], text=text), **CHAIN})

    assert made.release_files() == {**ALONE, "lib/libx.so": "libx.so.1"}


@pytest.mark.parametrize("text", ["libx.so.12", "mylibx.so", "libx.so-old"])
def test_a_longer_name_is_another_one(made: Project, text: str) -> None:
    made.component("app", {"bin/app": elf(needed=["libx.so.1"], text=text), **CHAIN})

    assert made.release_files() == ALONE


def test_a_name_that_is_needed_ships_as_a_link(made: Project) -> None:
    made.component("app", {"bin/app": elf(needed=["libx.so", "libx.so.1"]), **CHAIN})

    assert made.release_files() == {**ALONE, "lib/libx.so": "libx.so.1"}


def test_equal_modules_without_a_soname_are_not_the_same_library(made: Project) -> None:
    made.component("app", {"lib/one.so": elf(), "lib/two.so": elf()})

    assert made.release_files() == {"lib/one.so": "", "lib/two.so": ""}


def test_other_links_ship_as_links(made: Project) -> None:
    made.component(
        "app",
        {
            "bin/tool-1.0": elf(needed=["libx.so.1"]),
            "bin/tool": "tool-1.0",
            "share/data/v1/table": b"x",
            "share/data/current": "v1",
            "share/empty": "data/none",
            **CHAIN,
            "lib/plugins/libx.so.1": "../libx.so",
        },
    )
    (made.root / "out/app/share/data/none").mkdir()

    assert made.release_files() == {
        "bin/tool": "tool-1.0",
        "bin/tool-1.0": "",
        "lib/libx.so.1": "",
        "lib/plugins/libx.so.1": "../libx.so.1",
        "share/data/current": "v1",
        "share/data/v1/table": "",
    }


def test_skels_keep_their_names(made: Project) -> None:
    """A client that is not in the release may use any of them."""
    chain: Files = {"lib/liba_skel.so.1": LIBRARY, "lib/liba_skel.so": "liba_skel.so.1"}
    made.component("dsp", chain, arch="v68")

    assert made.release_files() == {
        "dsp/v68/liba_skel.so.1": "",
        "dsp/v68/liba_skel.so": "liba_skel.so.1",
    }


def test_links_are_a_part_of_the_id_and_are_laid_out_again(made: Project) -> None:
    made.component("app", {"bin/one": elf(), "bin/two": elf("x"), "bin/tool": "one"})
    first = made.release()
    link = first.directory / "bin/tool"
    for harm in (lambda: link.symlink_to("two"), lambda: link.write_bytes(elf())):
        link.unlink()
        harm()
        assert made.release() == first
        assert str(link.readlink()) == "one"

    made.component("app", {"bin/one": elf(), "bin/two": elf("x"), "bin/tool": "two"})
    assert made.release().id != first.id
    assert str(link.readlink()) == "two"


def test_no_file_is_read_again_when_nothing_changed(made: Project) -> None:
    made.component("app", {**APP, **CHAIN})
    first = made.release()
    inode = first.directory.stat().st_ino
    (note,) = (made.root / "state/releases").iterdir()
    note.write_bytes(b"\xff" + note.read_bytes())
    app = str(made.root / "out/app/bin/app")
    with opened_files() as opened:
        assert made.release() == first  # a damaged record is ignored
    assert opened.count(app) > 1

    with opened_files() as opened:
        assert made.release() == first
    assert opened.count(app) == 1  # to compute its digest
    assert first.directory.stat().st_ino == inode

    made.component("app", {"bin/app": elf(needed=["libx.so"]), **CHAIN})
    assert made.release_files() == {"bin/app": "", "lib/libx.so.1": "", "lib/libx.so": "libx.so.1"}
