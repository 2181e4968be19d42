"""What a device prints about itself becomes facts; whatever it prints, nothing worse happens."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.device.errors import DeviceError
from buildtool.device.facts import Facts
from buildtool.device.read_facts import MAX_NODES, TOOLS, facts_from
from buildtool.device.script import MAX_LINE, parse_parts
from buildtool.device.sysroot.device_files import PrintedFiles, first

FENCE = "[0123]"
DIGEST = "ab" * 32
ANSWERS = b"".join(b"attribute %d %d\n" % (i, n) for i, n in enumerate((1, 1, 0, 4, 2, 1, 0x8D68)))


def header(arch: int, *, machine: int = 164) -> bytes:
    fields = struct.pack("<HHIIIII", 3, machine, 1, 0, 52, 0, arch)
    return (b"\x7fELF\x01\x01\x01" + bytes(9) + fields).ljust(52, b"\0")


def printed(**changes: bytes | None) -> bytes:
    """What the script prints on a board, with some parts changed; `__` stands for a path."""
    parts: dict[str, bytes | None] = {
        "machine": b"aarch64",
        "boot": b"2758ea41-a136-4b9e-a15b-778a4f355295\n",
        "user": b"1000\nradxa\n",
        "home": b"/home/radxa",
        "pages": struct.pack("<4Q", 3, 7, 6, 4096),
        "tools": b"tar gzip ",
        "root": b"/opt/buildtool",
        "near": b"/opt",
        "free": b"Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/x 9 8 77 9% /\n",
        "writable": b"yes\n",
        "links": b"hard\nsymbolic\n",
        "executable": b"status 7\n",
        "android": b"no\n",
        "text /proc/device-tree/compatible": b"radxa,dragon-q6a\0qcom,qcs6490\0",
        "text /proc/device-tree/model": b"Radxa Dragon Q6A\0",
        "library /usr/lib/aarch64-linux-gnu/libcdsprpc.so.1": f"{DIGEST}  -\n".encode(),
        "header /usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3": header(0x68),
        "digest /usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3": f"{DIGEST}  -\n".encode(),
        "node /dev/fastrpc-cdsp": b"readable\nmode 660 root fastrpc\n",
        "glibc": b"ld.so (Ubuntu GLIBC 2.39-0ubuntu8) stable release version 2.39.\n",
        "query": ANSWERS,
        "end": b"",
    }
    parts |= {name.replace("__", " "): text for name, text in changes.items()}
    return b"".join(
        f"\n{FENCE} {name}\n".encode() + text for name, text in parts.items() if text is not None
    )


def facts(**changes: bytes | None) -> Facts:
    parts = parse_parts(printed(**changes), FENCE)
    assert parts
    return facts_from(parts, "the device")


def test_the_other_dsps_of_a_board() -> None:
    told = b"domain 0 36198\ndomain 4 36211\ndomain 6 0\n"
    found = facts(query=ANSWERS + told)
    assert found.domains == {"cdsp": "v68", "adsp": "v66", "cdsp1": "v73", "gdsp1": ""}
    assert found.arch_source == facts().arch_source
    wrong = facts(query=ANSWERS + b"domain 7 36211\ndomain x 1\n")
    assert wrong.domains == facts().domains == {"cdsp": "v68"}
    assert facts(query=None).domains == facts(query=b"error none\n").domains == {}


def test_facts_of_a_board() -> None:
    board = facts()

    assert (board.platform, board.machine, board.soc) == ("ubuntu-aarch64", "aarch64", "QCS6490")
    assert board.model == "Radxa Dragon Q6A"
    assert (board.arch, board.arch_source) == ("v68", "libcdsprpc reports ARCH_VER 0x8d68")
    assert (board.glibc, board.page_size, board.api) == ("2.39", 4096, 0)
    assert (board.root, board.free, board.unwritable) == ("/opt/buildtool", 77 << 10, "")
    assert board.hard_links
    assert board.links
    assert board.executable
    assert (board.user, board.uid, board.home) == ("radxa", 1000, "/home/radxa")
    assert board.tools == {"tar", "gzip"}
    assert board.cdsprpc.sha256 == board.shell.sha256 == DIGEST
    (node,) = board.nodes
    assert (node.mode, node.owner, node.group) == ("660", "root", "fastrpc")
    assert node.readable
    assert not node.writable
    assert board.capabilities["arch_ver"] == 0x8D68
    assert board.boot == "2758ea41-a136-4b9e-a15b-778a4f355295"


def test_facts_of_a_phone() -> None:
    properties = b"ro.build.version.sdk=34\nro.product.model=A Phone\nro.soc.model=SM8650\n"
    board = dict.fromkeys(("text__/proc/device-tree/compatible", "glibc", "query"))
    phone = facts(
        android=b"yes\n", properties=properties, **board, **{"text__/proc/device-tree/model": None}
    )

    assert (phone.platform, phone.api, phone.soc) == ("android", 34, "SM8650")
    assert (phone.model, phone.glibc) == ("A Phone", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"glibc 2.31\n", "2.31"),
        (b"ldd (Debian GLIBC 2.36-9+deb12u4) 2.36\n", "2.36"),
        (b"GNU C Library (Debian GLIBC 2.31-13) stable release version 2.31.\n", "2.31"),
        (b"musl libc (aarch64)\nVersion 1.2.4\n", ""),
        (b"error while loading 2.36\nglibc 2.35\n", "2.35"),
        (b"", ""),
    ],
)
def test_versions_of_glibc(text: bytes, expected: str) -> None:
    assert facts(glibc=text).glibc == expected


def test_page_sizes() -> None:
    assert facts(pages=struct.pack("<4Q", 3, 7, 6, 16384)).page_size == 16384
    assert facts(pages=struct.pack("<4I", 3, 7, 6, 4096)).page_size == 4096
    assert facts(pages=struct.pack("<2Q", 6, 12345) + b"x").page_size == 0


def test_the_shell_of_the_boards_own_configuration_comes_first() -> None:
    folder = "/usr/share/qcom/qcs6490/radxa/q6a/dsp"
    yaml = b"machines:\n  Radxa Dragon Q6A:\n    DSP_LIBRARY_PATH: qcs6490/radxa/q6a/dsp\n"
    found = facts(
        **{
            "text__/usr/share/qcom/conf.d/q6a.yaml": yaml,
            f"header__{folder}/cdsp/fastrpc_shell_3": header(0x69),
            f"digest__{folder}/cdsp/fastrpc_shell_3": b"sha256sum: not found",
            "digest__/usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3": None,
            "query": b"error no libcdsprpc\n",
        }
    )
    assert found.shell.path == f"{folder}/cdsp/fastrpc_shell_3"
    assert found.shell.sha256 == ""
    assert found.arch == "v69"
    assert "error" not in found.arch_source
    assert "(no libcdsprpc)" in found.arch_source


def test_why_libcdsprpc_does_not_tell_the_arch() -> None:
    for text, reason in (
        (b"", "it gives no answer"),
        (b"failed 6 14\n", "attribute 6: error 0xe"),
        (b"error cannot open it\n", "cannot open it"),
        (None, "the install root cannot hold the program that asks"),
    ):
        assert f"libcdsprpc does not tell it ({reason})" in facts(query=text).arch_source
    assert "(the processor is x86_64)" in facts(query=None, machine=b"x86_64").arch_source


def test_an_answer_may_not_imitate_the_end_of_a_part() -> None:
    board = facts(home=f"/home\n{FENCE}end".encode())
    assert board.home == "/home"
    assert parse_parts(printed(end=None), FENCE) is None
    assert parse_parts(printed(), "[4567]") is None


def test_text_is_bounded_and_printable() -> None:
    board = facts(
        home=b"/\x1b[2J" + b"x" * 9999,
        writable=b"mkdir: \x1b]0;title\x07 denied\nmore",
        tools=b"tar nosuchtool ../x",
        boot=b"not-a-boot-id",
        free=b"df: no\n",
        user=b"-1\n\n",
        executable=b"denied\n",
    )
    assert len(board.home) == MAX_LINE
    assert board.home.isprintable()
    assert board.unwritable == "/opt: mkdir: ]0;title denied"
    assert board.tools == {"tar"}
    assert (board.boot, board.free, board.uid, board.user) == ("", 0, 0, "")
    assert not board.executable


@pytest.mark.parametrize("root", [b"", b"relative", b"/a\nb", b"\xff", b"$HOME/x"])
def test_a_root_that_is_no_absolute_path_is_an_error(root: bytes) -> None:
    with pytest.raises(DeviceError, match="is not an absolute path"):
        facts(root=root)


def test_a_device_with_endless_nodes_and_parts() -> None:
    nodes: dict[str, bytes | None] = {f"node__/dev/accel/accel{i}": b"" for i in range(500)}
    assert len(facts(**nodes).nodes) == MAX_NODES
    assert parse_parts(f"\n{FENCE} x\n".encode() * 100_000, FENCE) is None


@given(
    st.dictionaries(
        st.sampled_from(
            [
                *"abc",
                "pages",
                "free",
                "user",
                "glibc",
                "query",
                "properties",
                "text__/proc/device-tree/model",
                "header__/usr/lib/dsp/fastrpc_shell_3",
                "node__/dev/x",
                "writable",
                "links",
            ]
        ),
        st.binary(max_size=300),
    )
)
def test_whatever_a_device_prints(changes: dict[str, bytes | None]) -> None:
    found = facts(**changes)
    assert found.tools <= {*TOOLS}
    assert found.model.isprintable()
    assert found.arch_source.isprintable()
    assert found.unwritable.isprintable()


@given(st.binary(max_size=500))
def test_whatever_a_device_prints_in_place_of_parts(data: bytes) -> None:
    assert parse_parts(data, FENCE) is None


def test_printed_files_can_be_read_like_those_of_a_device() -> None:
    files = PrintedFiles("it", {"/a/b/c": b"text", "/a/d": b""})
    assert files.names("/a") == ["b", "d"]
    assert first(files, ["/a/b", "/nope", "/a/b/../b/c"])
    assert files.entry("/a/b/x") is None
    assert files.read("/a/b/c", 2) == b"te"
