"""Pulling from stand-in devices: a board with Ubuntu, a phone with Android."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from buildtool.device.sysroot.device_files import PullError
from buildtool.sdk.sysroot import find_sysroot, sysroot_names
from buildtool.sdk.tool_search import ToolMissingError, ToolUnfitError
from tests.command_line import Buildtool
from tests.standins.device import MULTIARCH, OLDER, arm64_library, dsp_shell, make_phone

from .conftest import Pull


def files(root: Path) -> list[str]:
    return sorted(str(p.relative_to(root)) for p in root.rglob("*") if not p.is_dir())


def test_a_stand_in_board_with_ubuntu(board: Path, pull_from: Pull) -> None:
    sysroot, changed = pull_from(board)

    assert changed
    assert sysroot.platform == "ubuntu-aarch64"
    assert (sysroot.soname, sysroot.version) == ("libcdsprpc.so.1", "1.0.0")
    assert sysroot.exports == set(OLDER)
    assert (sysroot.soc, sysroot.model, sysroot.arch) == ("QCM6490", "Radxa Dragon Q6A", "v68")
    assert sysroot.glibc == "2.36"
    assert sysroot.shell_exports == {"qurt_thread_create", "HAP_debug_v2"}
    assert not sysroot.has_libc
    assert not sysroot.problems
    assert files(sysroot.root) == [
        f"{MULTIARCH}/libcdsprpc.so.1",
        f"{MULTIARCH}/libcdsprpc.so.1.0.0",
        "usr/lib/dsp/cdsp/fastrpc_shell_3",
        "usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3",
    ]
    assert (sysroot.root / "lib").readlink() == Path("usr/lib")
    library = (board / MULTIARCH / "libcdsprpc.so.1").read_bytes()
    assert (sysroot.root / sysroot.library).read_bytes() == library


def test_a_stand_in_phone_with_android(tmp_path: Path, pull_from: Pull) -> None:
    sysroot, _ = pull_from(make_phone(tmp_path / "phone"), "phone")

    assert sysroot.platform == "android"
    assert (sysroot.soname, sysroot.glibc) == ("libcdsprpc.so", "")
    assert (sysroot.soc, sysroot.arch) == ("SM8650", "v75")
    assert sysroot.library == "vendor/lib64/libcdsprpc.so"
    assert sysroot.shells == ("vendor/dsp/cdsp/fastrpc_shell_unsigned_3",)
    with pytest.raises(PullError, match="no C library to link against"):
        pull_from(tmp_path / "phone", "phone", libc=True)


def test_a_stand_in_board_whose_own_configuration_names_the_shells(
    board: Path, pull_from: Pull
) -> None:
    shutil.rmtree(board / "usr/lib/dsp")
    for soc, arch in (("qcm6490", "v68"), ("sm8750", "v79")):
        place = board / f"usr/share/qcom/{soc}/Vendor/board/dsp/cdsp"
        place.mkdir(parents=True)
        shutil.copyfile(dsp_shell(arch), place / "fastrpc_shell_unsigned_3")
    conf = board / "usr/share/qcom/conf.d"
    conf.mkdir()
    (conf / "00-boards.yaml").write_text(
        "machines:\n"
        '  "Another Board":\n    DSP_LIBRARY_PATH: sm8750/Vendor/board/dsp\n'
        '  "Radxa Dragon Q6A":\n    DSP_LIBRARY_PATH: "qcm6490/Vendor/board/dsp"\n'
    )
    sysroot, _ = pull_from(board)

    assert sysroot.arch == "v68"
    assert sysroot.shells == (
        "usr/share/qcom/qcm6490/Vendor/board/dsp/cdsp/fastrpc_shell_unsigned_3",
    )


def test_pulling_again_replaces_changes_and_reports_when_there_are_none(
    board: Path, pull_from: Pull
) -> None:
    first, _ = pull_from(board)
    again, changed = pull_from(board)
    assert (again, changed) == (first, False)

    library = board / MULTIARCH / "libcdsprpc.so.1.0.0"
    arm64_library(library, "libcdsprpc.so.1", [*OLDER, "rpcmem_alloc2"])
    replaced, changed = pull_from(board)

    assert changed
    assert replaced.identity != first.identity
    assert "rpcmem_alloc2" in replaced.exports
    assert find_sysroot("board") == replaced
    shutil.rmtree(board / "usr/lib/dsp")
    without, changed = pull_from(board)
    assert changed
    assert files(without.root) == files(replaced.root)[:2]
    # The DSP of the SoC is in the table; the exports of its shell are unknown.
    assert (without.arch, without.shell_exports) == ("v68", frozenset())
    assert "no DSP shell" in without.problems[0].text


def test_a_failed_pull_of_a_stand_in_leaves_what_was_there(
    board: Path, pull_from: Pull, cache: Path
) -> None:
    first, _ = pull_from(board)
    (board / MULTIARCH / "libcdsprpc.so.1.0.0").write_bytes(b"\x7fELF but no more")

    with pytest.raises(PullError, match="no libcdsprpc that ARM64 programs can load") as caught:
        pull_from(board)

    assert "not a valid ELF file" in caught.value.why
    assert find_sysroot("board") == first
    assert sysroot_names() == ["board"]
    assert sorted(p.name for p in (cache / "sysroots").iterdir()) == [".board.lock", "board"]


def test_a_library_of_another_machine_is_passed_over_for_the_stand_in_s(
    board: Path, pull_from: Pull
) -> None:
    wrong = board / "usr/local/lib/libcdsprpc.so.1"
    arm64_library(wrong, "libcdsprpc.so.1", OLDER, machine="x86_64")
    sysroot, _ = pull_from(board)
    assert sysroot.library == f"{MULTIARCH}/libcdsprpc.so.1.0.0"
    assert not any(name.startswith("usr/local") for name in files(sysroot.root))

    shutil.rmtree(board / MULTIARCH)
    with pytest.raises(PullError) as caught:
        pull_from(board)
    assert "not an ARM64 library: ELF machine 62" in caught.value.why


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("changed", "has changed since it was pulled"),
        ("gone", "No such file"),
        ("schema", "its schema is 99"),
        ("outside", "a file outside the sysroot"),
        ("text", "JSONDecodeError"),
        ("soname", "soname is '../../../evil.so'"),
        ("arch", "arch is 'vzz'"),
        ("exports", "exports is 'all'"),
        ("shell_exports", "shell_exports has an invalid symbol name"),
        ("model", "surrogates not allowed"),
        ("missing", "lacks glibc"),
    ],
)
def test_a_damaged_sysroot_of_a_stand_in_is_not_used(
    damage: str, message: str, board: Path, pull_from: Pull
) -> None:
    sysroot, _ = pull_from(board)
    library, facts = sysroot.root / sysroot.library, sysroot.where / "facts.json"
    content = json.loads(facts.read_text())
    if damage == "changed":
        data = library.read_bytes()
        library.write_bytes(data[:-1] + b"!")
    elif damage == "gone":
        library.unlink()
    elif damage == "schema":
        facts.write_text(json.dumps({**content, "schema": 99}))
    elif damage == "outside":
        content["files"][0]["path"] = "../../elsewhere"
        facts.write_text(json.dumps(content))
    elif damage == "text":
        facts.write_text("[")
    else:
        lies: dict[str, object] = {"soname": "../../../evil.so", "arch": "vzz", "exports": "all"}
        lies |= {"shell_exports": ["a", "a\nb"], "model": "a\ud800"}
        content["device"][damage] = lies.get(damage)
        if damage == "missing":
            del content["device"]["glibc"], content["device"]["missing"]
        facts.write_text(json.dumps(content))

    with pytest.raises(ToolUnfitError, match="'board' is damaged") as caught:
        find_sysroot("board")
    assert message in caught.value.why
    assert "buildtool sysroot pull DEVICE --name board" in caught.value.remedy
    mended, changed = pull_from(board)
    assert changed
    assert mended.identity == sysroot.identity


def test_a_sysroot_of_a_stand_in_that_cannot_be_read(
    board: Path, pull_from: Pull, monkeypatch: pytest.MonkeyPatch
) -> None:
    sysroot, _ = pull_from(board)

    def refused(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("buildtool.sdk.sysroot.file_digest", refused)
    with pytest.raises(ToolUnfitError, match="'board' is damaged") as caught:
        find_sysroot("board")
    assert f"{sysroot.library}: Permission denied" in caught.value.why


def test_a_sysroot_of_a_stand_in_in_a_cache_that_cannot_be_written(
    board: Path, pull_from: Pull, monkeypatch: pytest.MonkeyPatch
) -> None:
    sysroot, _ = pull_from(board)
    monkeypatch.setattr("buildtool.core.files.SETTLED_NS", -1)  # as if pulled long ago
    (sysroot.where / "verified").mkdir()

    assert find_sysroot("board") == sysroot


def test_a_stand_in_s_sysroot_comes_back_when_its_replacement_was_killed(
    board: Path, pull_from: Pull, cache: Path
) -> None:
    first, _ = pull_from(board)
    half = cache / "sysroots" / ".board.new-killed"
    half.mkdir()
    first.where.rename(half / "former")
    (board / MULTIARCH / "libcdsprpc.so.1.0.0").unlink()

    with pytest.raises(PullError):
        pull_from(board)

    assert find_sysroot("board") == first
    assert not half.exists()


def test_the_verb_on_a_stand_in(board: Path, tmp_path: Path, buildtool: Buildtool) -> None:
    done = buildtool("sysroot", "pull", str(board), "--name", "q6a", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    pulled = json.loads(done.stdout)
    assert (pulled["changed"], pulled["name"], pulled["soc"]) == (True, "q6a", "QCM6490")
    assert pulled["libcdsprpc"]["soname"] == "libcdsprpc.so.1"

    again = buildtool("sysroot", "pull", str(board), "--name", "q6a", cwd=tmp_path)
    assert again.stdout.endswith('unchanged: sysroot = "q6a" in a target\n')
    listed = json.loads(buildtool("sysroot", "list", "--json", cwd=tmp_path).stdout)
    assert [row["name"] for row in listed["sysroots"]] == ["q6a"]
    shown = json.loads(buildtool("sysroot", "show", "q6a", "--json", cwd=tmp_path).stdout)
    assert shown["libcdsprpc"]["exports"] == sorted(OLDER)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["pull", "nowhere"], 2, "there is no directory nowhere"),
        (["pull", "file"], 2, "file is not a directory"),
        (["pull", "."], 2, "is not a valid name for a sysroot"),
        (["pull", ".", "--name", "x"], 1, "/usr/lib/aarch64-linux-gnu/libcdsprpc.so.1"),
        (["pull", ".", "--name", "../x"], 2, "is not a valid name for a sysroot"),
        (["pull", ".", "--soc", "SM8550"], 2, "--soc is for sim only"),
        (["pull", "sim", "--soc", "SM1"], 2, "there is no SoC 'SM1'"),
        (["show", "x"], 1, "buildtool sysroot pull DEVICE --name x"),
        (["stub", "--platform", "vms"], 2, "there is no platform 'vms'"),
        (["stub", "--sysroot", "x"], 1, "there is no sysroot 'x'"),
    ],
)
def test_mistakes(
    arguments: list[str], status: int, message: str, tmp_path: Path, buildtool: Buildtool
) -> None:
    place = tmp_path / "an empty place"
    place.mkdir()
    (place / "file").touch()

    done = buildtool("sysroot", *arguments, cwd=place)

    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    assert "→" in done.stderr


def test_what_was_not_pulled_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(ToolMissingError, match="there is no sysroot 'board'") as caught:
        find_sysroot("board")
    assert "pulled so far: none" in caught.value.why
