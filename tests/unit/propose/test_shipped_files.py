"""The way in which the outputs of a tree become part of a release."""

from __future__ import annotations

import pytest

from buildtool.drivers.cmake.install import InstallRule
from buildtool.propose.cmake_tree import CMakeTree
from buildtool.propose.component_files import shipped_files
from buildtool.propose.target_sides import TextHints, sided_targets, with_arch
from tests.unit.propose.configured import ROOT, configured, rule, target

NOTHING = TextHints(CMakeTree(ROOT, {}, (), ()))


def test_install_rules_are_enough() -> None:
    rules = (rule("target", "bin", "app", of="app"), rule("file", "", "notes.txt"))
    tree = configured(target("app"), rules=rules)
    shipped = shipped_files(tree, sided_targets(tree, NOTHING))
    assert shipped.lines == ()
    assert [place for place, _ in shipped.files] == ["bin/app", "bin/notes.txt"]


def test_install_rules_of_other_files_stay() -> None:
    tree = configured(target("app"), rules=(rule("file", "share", "notes.txt"),))
    shipped = shipped_files(tree, sided_targets(tree, NOTHING))
    assert [(line.key, line.value) for line in shipped.lines] == [("artifacts", ("app",))]
    assert [place for place, _ in shipped.files] == ["share/notes.txt", "bin/app"]


def test_a_tree_of_files_only() -> None:
    tree = configured(rules=(rule("file", "share", "a.txt"),))
    assert shipped_files(tree, ()).nothing == ""
    assert "installs none" in shipped_files(configured(), ()).nothing


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (rule("target", "/opt", "app", of="app"), "the absolute destination /opt"),
        (rule("target", "bin", "other", of="other"), "needs other, which is not built"),
        (rule("file", "share", "/nowhere/a.txt"), "needs /nowhere/a.txt, which does not exist"),
    ],
)
def test_install_rules_that_cannot_be_carried_out(bad: InstallRule, why: str) -> None:
    good = rule("target", "bin", "app", of="app")
    tree = configured(target("app"), target("other"), rules=(good, bad), without="other")
    (install,) = shipped_files(tree, sided_targets(tree, NOTHING)).lines
    assert (install.key, install.value) == ("install", False)
    assert why in install.why
    assert "what the targets link ships" in install.why

    optional = bad._replace(optional=True, destination="bin")
    tree = configured(target("app"), target("other"), rules=(good, optional), without="other")
    assert shipped_files(tree, sided_targets(tree, NOTHING)).lines == ()


def test_artifacts_are_at_the_paths_from_cmake() -> None:
    tree = configured(
        target("app", file="bin/a[1]*"),
        target("lib", "library", file="lib/liblib.so"),
        target("away", file="/elsewhere/away"),
        target("again", file="sub/liblib.so"),
        more="lib/liblib.so.1.2",
    )
    shipped = shipped_files(tree, sided_targets(tree, NOTHING))
    assert [line.value for line in shipped.lines] == [("bin/a?1??", "lib/liblib.so*")]
    assert shipped.left_out == (
        "away is built outside the build tree: /elsewhere/away",
        "again: another liblib.so is already shipped",
    )


def test_what_is_for_the_other_side_is_not_built() -> None:
    rules = (rule("target", "bin", "app", of="app"), rule("target", "lib", "k", of="k"))
    tree = configured(target("app"), target("k", "library"), rules=rules)
    made = sided_targets(tree, NOTHING)
    targets, install = shipped_files(tree, made[:1]).lines
    assert targets.value == ("app",)
    assert targets.why == "without k"
    assert (install.key, install.value) == ("install", False)

    targets, *_ = shipped_files(tree, made, without=["step"]).lines
    assert (targets.value, targets.why) == (("app", "k"), "without step")


def test_programs_of_tests_do_not_ship_beside_others() -> None:
    bad = rule("target", "/opt", "app", of="app")
    tree = configured(target("app"), target("check"), rules=(bad,))
    install, artifacts = shipped_files(tree, sided_targets(tree, NOTHING), tests=["check"]).lines
    assert (install.key, install.value) == ("install", False)
    assert (artifacts.key, artifacts.value) == ("artifacts", ("app",))


def test_names_with_the_arch_in_them() -> None:
    tree = configured(target("k-v68", "library", file="v68/libk-v68.so"), arch="v68")
    shipped = shipped_files(
        tree, sided_targets(tree, NOTHING), generic=lambda text: with_arch(text, "v68")
    )
    assert [line.value for line in shipped.lines] == [("{arch}/libk-{arch}.so",)]
    assert [place for place, _ in shipped.files] == ["dsp/libk-v68.so"]
