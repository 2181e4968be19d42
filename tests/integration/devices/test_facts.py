"""The script of facts runs in the shells and with the tools that devices have.

The devices are stand-ins: directory trees laid out as on the devices that they are named after.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from buildtool.device.device import Device
from buildtool.device.emulated.device import Emulated
from buildtool.device.errors import DeviceError
from buildtool.device.facts import Facts
from buildtool.device.known_facts import facts_of
from buildtool.device.read_facts import TOOLS
from tests.integration.devices.board_tree import (
    LIBRARY,
    SHELL,
    hexagon_header,
    phone_tree,
    q6a_tree,
    rk3588_tree,
    stand_in,
)
from tests.integration.unprivileged import unprivileged
from tests.remote.tool_sets import TOOL_SETS, Tools

Read = Callable[..., Facts]


@pytest.fixture(params=TOOL_SETS)
def tools(request: pytest.FixtureRequest) -> Tools:
    selected: Tools = request.param
    return selected


def test_facts_of_a_stand_in_for_a_dragon_q6a(tmp_path: Path, tools: Tools) -> None:
    device = stand_in(tmp_path, q6a_tree(tmp_path / "q 6a"), tools)

    facts = facts_of(device)

    assert (facts.platform, facts.machine) == ("ubuntu-aarch64", "aarch64")
    assert (facts.model, facts.soc, facts.arch) == ("Radxa Dragon Q6A", "QCS6490", "v68")
    assert facts.arch_source.startswith(f"the DSP shell /{SHELL} is for it")
    assert facts.shell.path == f"/{SHELL}"
    assert facts.shell.sha256 == hashlib.sha256(hexagon_header(0x68)).hexdigest()
    assert facts.cdsprpc.path == "/usr/lib/aarch64-linux-gnu/libcdsprpc.so.1"
    assert facts.cdsprpc.sha256 == hashlib.sha256(LIBRARY).hexdigest()
    assert [node.path for node in facts.nodes] == ["/dev/fastrpc-cdsp", "/dev/dma_heap/system"]
    assert all(node.readable and node.writable for node in facts.nodes)
    assert facts.nodes[0].mode == "644"
    home = tmp_path / "a home"
    assert (facts.root, facts.home) == (f"{home}/builds/x", str(home))
    assert facts.free > 0
    assert (facts.unwritable, facts.uid) == ("", os.getuid())
    assert facts.hard_links
    assert facts.links
    assert facts.executable
    assert facts.page_size == os.sysconf("SC_PAGESIZE")
    assert facts.boot == Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    assert {"cat", "mkdir", "sha256sum", "readlink", "head", "tail"} <= facts.tools
    assert ("gzip" in facts.tools) == (tools not in ("posix", "toybox"))
    assert [*home.iterdir()] == []  # nothing is left there


def test_facts_of_a_stand_in_for_an_rk3588(tmp_path: Path, tools: Tools) -> None:
    facts = facts_of(stand_in(tmp_path, rk3588_tree(tmp_path / "rk"), tools))

    assert (facts.model, facts.arch) == ("Radxa ROCK 5 ITX+", "")
    assert [node.path for node in facts.nodes] == ["/dev/accel/accel0"]
    assert facts.cdsprpc.path == facts.shell.path == ""
    assert "there is no DSP shell; the SoC is unknown" in facts.arch_source


def test_facts_of_a_stand_in_for_a_phone(tmp_path: Path, tools: Tools) -> None:
    device = stand_in(tmp_path, phone_tree(tmp_path / "phone"), tools)
    assert isinstance(device.transport, Emulated)
    getprop = tmp_path / "bin" / "getprop"
    getprop.parent.mkdir()
    getprop.write_text(
        "#!/bin/sh\ncase $1 in ro.soc.model) echo SM8650;; ro.build.version.sdk) echo 34;;"
        " ro.product.model) echo 'A Phone';; *) echo;; esac\n"
    )
    getprop.chmod(0o755)
    environment = dict(device.transport.environment)
    environment["PATH"] += f":{getprop.parent}"

    facts = facts_of(device._replace(transport=Emulated("", environment, device.transport.shell)))

    assert (facts.platform, facts.api, facts.soc) == ("android", 34, "SM8650")
    assert (facts.model, facts.arch) == ("A Phone", "v75")
    assert facts.cdsprpc.path == "/vendor/lib64/libcdsprpc.so"


def test_facts_of_this_machine(tmp_path: Path) -> None:
    device = Device("it", "", str(tmp_path), Emulated("", os.environ))

    facts = facts_of(device)

    assert facts.machine == os.uname().machine
    assert facts.glibc == os.confstr("CS_GNU_LIBC_VERSION").split()[1]  # type: ignore[union-attr]
    assert facts.tools <= {*TOOLS}
    if facts.machine != "aarch64":
        assert f"the processor is {facts.machine}" in facts.arch_source


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o555)
    yield folder
    folder.chmod(0o755)


def test_a_root_that_cannot_be_written(read_only: Path, tmp_path: Path) -> None:
    shell = tmp_path / "sh"
    shell.write_text(f'#!/bin/sh\nexec {" ".join(unprivileged())} /bin/sh "$@"\n')
    shell.chmod(0o755)
    facts = facts_of(Device("it", "", f"{read_only}/a/b", Emulated("", os.environ, str(shell))))

    assert facts.unwritable.startswith(f"{read_only}: ")
    assert "ermission denied" in facts.unwritable
    assert facts.root == f"{read_only}/a/b"
    assert not facts.links


def test_a_root_below_a_file_cannot_be_written(tmp_path: Path, tools: Tools) -> None:
    tree = q6a_tree(tmp_path / "tree")
    (tmp_path / "file").write_text("")
    facts = facts_of(stand_in(tmp_path, tree, tools, root=f"/proc/self/{tools}"))
    assert facts.unwritable.startswith("/proc/self: ")


def test_facts_are_remembered_until_they_are_asked_for_again(tmp_path: Path) -> None:
    tree = q6a_tree(tmp_path / "tree")
    device = stand_in(tmp_path, tree, "coreutils")
    first = facts_of(device)
    (tree / "proc/device-tree/model").write_text("Another Board")

    assert facts_of(device) == first
    assert facts_of(device._replace(root="$HOME/other")).model == "Another Board"
    assert facts_of(device, refresh=True).model == "Another Board"
    assert facts_of(device).model == "Another Board"

    (entry,) = [
        file
        for file in Path(os.environ["BUILDTOOL_CACHE"], "devices").glob("facts-*.json")
        if b"builds/x" in file.read_bytes()
    ]
    for damage in (b"", b"{}", entry.read_bytes()[:-9]):
        entry.write_bytes(damage)
        (tree / "proc/device-tree/model").write_text(f"Board {len(damage)}")
        assert facts_of(device).model == f"Board {len(damage)}"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ('"exec >/dev/null; $2"', "did not end regularly"),
        ('"$(printf %s "$2" | sed "s/^part end$/:/")"', "gives no facts about itself"),
    ],
)
def test_a_shell_that_loses_output_is_an_error(tmp_path: Path, command: str, said: str) -> None:
    shell = tmp_path / "sh"
    shell.write_text(f"#!/bin/sh\nexec /bin/sh -c {command}\n")
    shell.chmod(0o755)
    with pytest.raises(DeviceError, match=said):
        facts_of(Device("it", "", "/tmp", Emulated("", os.environ, str(shell))))
