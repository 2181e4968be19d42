"""Flame graphs and stacks for other tools."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

from buildtool.run.profile.files import (
    Box,
    boxes,
    flame_graph,
    folded,
    speedscope,
    write_files,
)
from buildtool.run.profile.profile import FunctionProfile, Profile

SVG = "{http://www.w3.org/2000/svg}"
STACKS = {("main", "a"): 6, ("main", "a", "b"): 2, ("main", "c"): 1, ("other",): 1}
HOSTILE = {("<script>", 'a;b & "c"\n\x1b[2J\x00'): 1, ("x" * 10_000,): 1}


def test_boxes_are_beside_and_above_each_other() -> None:
    assert sorted(boxes(STACKS)) == [
        Box("a", 0, 8, 2),
        Box("b", 6, 2, 3),
        Box("c", 8, 1, 2),
        Box("main", 0, 9, 1),
        Box("other", 9, 1, 1),
    ]


def test_the_picture_has_each_box_with_its_share() -> None:
    picture = ET.fromstring(flame_graph("title", "10 samples", STACKS))
    groups = list(picture.iter(f"{SVG}g"))
    found = {}
    for group in groups:
        name = group.findtext(f"{SVG}title", "").partition(":")[0]
        rectangle = group.find(f"{SVG}rect")
        assert rectangle is not None
        found[name] = [float(rectangle.attrib[key]) for key in ("x", "y", "width")]

    assert len(groups) == 6
    assert "b: 2 of 10 samples, 20.0 %" in [g.findtext(f"{SVG}title") for g in groups]
    assert found["main"][2] == 0.9 * found["all"][2]
    assert found["b"][0] == found["a"][0] + 0.75 * found["a"][2]
    rows = [found[name][1] for name in ("b", "a", "main", "all")]
    assert rows == sorted(rows)
    height = float(picture.attrib["height"])
    assert all(0 <= y < height and x >= 0 and x + width <= 1200 for x, y, width in found.values())


def test_a_run_without_samples_is_drawn_by_what_its_functions_executed(tmp_path: Path) -> None:
    function = FunctionProfile("libscale_skel.so", "scale_add", 0, 0, packets=1234)
    profile = Profile(
        functions=(function,),
        stacks={},
        samples=0,
        outside=0,
        uncounted="",
        packets={},
        at={},
        unsampled_threads=0,
        is_cut=False,
        code={},
    )

    picture, stacks, speedscope, _ = (
        f.read_text() for f in write_files(tmp_path, "title", profile)
    )

    assert "scale_add: 1,234 of 1,234 packets, 100.0 %" in picture
    assert "0 samples are too few: widths are the packets" in picture
    assert stacks == "scale_add 1234\n"
    (shown,) = json.loads(speedscope)["profiles"]
    assert (shown["name"], shown["weights"]) == ("title, packets", [1234])


def test_any_names_are_written() -> None:
    for stacks in (HOSTILE, {}):
        ET.fromstring(flame_graph("a & b", "<x>", stacks))
        json.loads(speedscope("a", stacks))
    lines = folded(HOSTILE).splitlines()

    assert len(lines) == 2
    assert all(line.rsplit(" ", 1)[1] == "1" for line in lines)
    assert lines[0].count(";") == 1
    assert not any(character in "".join(lines) for character in "\x1b\x00")


def test_folded_stacks_begin_with_the_outermost_function() -> None:
    assert folded(STACKS) == "main;a 6\nmain;a;b 2\nmain;c 1\nother 1\n"
