"""Compilers of both sides on other machines: real daemons on hosts in namespaces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.distribute.daemons import FARMS
from tests.integration.distribute.hosts import Namespace
from tests.integration.distribute.tree import Tree

SHARE = 0.95
ENGINES = ("distcc", "icecc")


@pytest.mark.parametrize("engine", ENGINES)
def test_hosts_compile_both_sides_to_the_same_objects(engine: str, tmp_path: Path) -> None:
    tree = Tree.make(tmp_path, 4)

    with FARMS[engine](tmp_path / "farm", 2) as farm:
        farm.serve(tree.archives(engine), wait=False)
        objects = tree.compile_first()
        farm.wait()
        tree.use(farm)
        assert tree.compile() == objects
        counts = farm.compiled()

    assert tree.is_up_to_date_here()
    assert sum(counts.values()) == len(objects) == 2 * (4 + 1), counts


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("toolchain", ["gcc", "clang"])
def test_hosts_compile_with_other_compilers(engine: str, toolchain: str, tmp_path: Path) -> None:
    tree = Tree.make(tmp_path, 4, toolchain)
    objects = tree.compile_first()

    with FARMS[engine](tmp_path / "farm") as farm:
        farm.serve(tree.archives(engine))
        tree.use(farm)
        assert tree.compile() == objects
        counts = farm.compiled()

    assert sum(counts.values()) == len(objects), counts


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("killed", [False, True])
def test_300_sources_on_each_side(engine: str, killed: bool, tmp_path: Path) -> None:
    tree = Tree.make(tmp_path, 300)
    objects = tree.compile_first()

    with FARMS[engine](tmp_path / "farm") as farm:
        farm.serve(tree.archives(engine))
        tree.use(farm)
        gone = "10.9.0.3" if killed else ""
        with farm.killing(gone, after=50) as before:
            assert tree.compile() == objects
        counts = {**farm.compiled(), **before}

    assert tree.is_up_to_date_here()
    assert sum(counts.values()) >= SHARE * len(objects), counts
    assert all(counts.values()), counts
    print(len(objects), counts)


def replace_zig(host: Namespace) -> None:
    """As an upgrade of the machine would."""
    script = 'cd /opt/buildtool/*; printf "#!/bin/sh\\nexit 0\\n" >new; chmod +x new; mv new zig'
    host.run("sh", "-ec", script)


def remove_names(host: Namespace) -> None:
    host.run("sh", "-ec", "rm /usr/lib/distcc/buildtool-*")


def fill_disk(host: Namespace) -> None:
    host.run("mount", "-t", "tmpfs", "-o", "size=8k", "none", "/tmp")


def stop_daemon(host: Namespace) -> None:
    daemons = "grep -lE 'distccd|iceccd' /proc/[0-9]*/comm | cut -d/ -f3"
    host.run("sh", "-ec", f"kill -STOP $({daemons})")


HARM: dict[str, Callable[[Namespace], None]] = {
    harm.__name__: harm for harm in (replace_zig, remove_names, fill_disk, stop_daemon)
}
NOT_BY_DISTCC = "to 10.9.0.2/2, running locally instead"
NOT_BY_ICECC = "icecc: Error 2 - no server found at 10.9.0.2"


@pytest.mark.parametrize(
    ("engine", "harm", "message"),
    [
        ("distcc", "replace_zig", NOT_BY_DISTCC),
        pytest.param("distcc", "remove_names", NOT_BY_DISTCC, marks=pytest.mark.long),
        pytest.param("distcc", "fill_disk", NOT_BY_DISTCC, marks=pytest.mark.long),
        pytest.param("distcc", "stop_daemon", NOT_BY_DISTCC, marks=pytest.mark.long),
        pytest.param("icecc", "stop_daemon", NOT_BY_ICECC, marks=pytest.mark.long),
    ],
)
def test_a_host_that_cannot_compile_is_named_in_the_log(
    engine: str, harm: str, message: str, tmp_path: Path
) -> None:
    tree = Tree.make(tmp_path, 2)
    objects = tree.compile_first()

    with FARMS[engine](tmp_path / "farm", 1) as farm:
        farm.serve(tree.archives(engine))
        tree.use(farm)
        tree.variables["DISTCC_IO_TIMEOUT"] = "5"
        HARM[harm](farm.hosts["10.9.0.2"])
        assert tree.compile() == objects

    assert message in tree.step_logs()


@pytest.mark.parametrize("engine", ["distcc", pytest.param("icecc", marks=pytest.mark.long)])
def test_an_object_of_another_compiler_is_an_error_that_names_the_host(
    engine: str, tmp_path: Path
) -> None:
    tree = Tree.make(tmp_path, 1)

    with FARMS[engine](tmp_path / "farm", 1) as farm:
        farm.serve(tree.archives(engine))
        tree.use(farm)
        if engine == "icecc":  # it sends the compiler with the first source
            tree.compile_first()
        farm.lie("10.9.0.2")
        said = tree.fails("build", "sim")

    assert "the machine 10.9.0.2 compiled" in said
    assert "with another compiler than buildtool-zig-" in said
