"""`devices check` names the fault of a board, with its remedy.

The boards are stand-ins: directory trees laid out as the root directory of a Radxa Dragon Q6A, each
with one fault.  The texts of the kernel's messages are those of Linux's remoteproc, qcom_q6v5_pas,
FastRPC and SELinux.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.device.board_checks import check_board
from buildtool.device.device import Device
from buildtool.device.emulated.device import Emulated
from buildtool.device.errors import DeviceFinding
from buildtool.device.read_facts import read_facts_and_board
from tests.integration.devices.board_tree import (
    LIBRARY,
    SHELL,
    hexagon_header,
    q6a_tree,
    rk3588_tree,
    stand_in,
    write,
)
from tests.integration.unprivileged import unprivileged
from tests.remote.tool_sets import TOOL_SETS, Tools

CDSP = "sys/class/remoteproc/remoteproc1"
DEVICE = "sys/devices/platform/soc@0/a300000.remoteproc"
IMAGE = "lib/firmware/qcom/qcs6490/radxa/dragon-q6a/cdsp.mbn"
NODE = "sys/firmware/devicetree/base/soc@0/remoteproc@a300000"
FASTRPC = f"{NODE}/glink-edge/fastrpc"
LOG = "var/log/dmesg"
BUILD = b"\0QC_IMAGE\0/local/mnt/CRMBuilds/CDSP.HT.2.5.c3-00074-KODIAK-1/out\0"


def board(root: Path) -> Path:
    """A board on which everything is right."""
    files = {f"{FASTRPC}/compute-cb@{i}/reg": bytes([i]) for i in range(1, 9)}
    write(
        q6a_tree(root),
        {
            **files,
            f"{FASTRPC}/label": b"cdsp\0",
            f"{NODE}/status": b"okay\0",
            SHELL: hexagon_header(0x68) + BUILD,
            IMAGE: bytes(5000) + BUILD + bytes(5000),
            f"{DEVICE}/uevent": b"",
            f"{CDSP}/name": b"cdsp\n",
            f"{CDSP}/state": b"running\n",
            f"{CDSP}/firmware": IMAGE.removeprefix("lib/firmware/").encode() + b"\n",
            "sys/class/remoteproc/remoteproc0/name": b"adsp\n",
            "sys/class/remoteproc/remoteproc0/state": b"offline\n",
            "sys/class/remoteproc/remoteproc0/firmware": b"qcom/qcs6490/adsp.mbn\n",
            LOG: b"[    4.1] remoteproc remoteproc1: remote processor cdsp is now up\n",
        },
    )
    (root / CDSP / "device").symlink_to(root / DEVICE)
    return root


def findings(device: Device) -> list[DeviceFinding]:
    facts, found = read_facts_and_board(device)
    return [*check_board(found, facts)]


def wrong(found: list[DeviceFinding]) -> list[str]:
    return [finding.name for finding in found if finding.remedy]


@pytest.mark.parametrize("tools", TOOL_SETS)
def test_a_stand_in_for_a_board_without_faults(tmp_path: Path, tools: Tools) -> None:
    found = findings(stand_in(tmp_path, board(tmp_path / "a board"), tools))
    assert wrong(found) == []
    build = "CDSP.HT.2.5.c3-00074-KODIAK-1"
    assert [finding.what for finding in found] == [
        f"the compute DSP is running (/{CDSP})",
        *_usable(tmp_path / "a board", "/dev/fastrpc-cdsp", "/dev/dma_heap/system"),
        f"the DSP shell is /{SHELL}",
        # Without `tr`, builds are not found.
        *([f"firmware and DSP shell are of one build: {build}"] if tools != "toybox" else []),
    ]


def _usable(tree: Path, *nodes: str) -> list[str]:
    owners = [(tree / node[1:]).owner() + ":" + (tree / node[1:]).group() for node in nodes]
    return [
        f"{node} (mode 644, {owner}) can be used" for node, owner in zip(nodes, owners, strict=True)
    ]


def remove(*names: str) -> Callable[[Path], None]:
    def change(tree: Path) -> None:
        for name in names:
            place = tree / name
            shutil.rmtree(place) if place.is_dir() else place.unlink()

    return change


def put(name: str, data: bytes, *others: Callable[[Path], None]) -> Callable[[Path], None]:
    def change(tree: Path) -> None:
        write(tree, {name: data})
        for other in others:
            other(tree)

    return change


NO_NODE = remove("dev/fastrpc-cdsp")
OFFLINE = put(f"{CDSP}/state", b"offline\n", NO_NODE)
OTHER_SHELL = hexagon_header(0x68) + BUILD.replace(b"00074", b"00061")
AVC = (
    b'type=1400 audit(0.0:140): avc:  denied  { read } for  name="adsprpc-smd-secure" dev="tmpfs"'
    b" scontext=u:r:untrusted_app:s0 tcontext=u:object_r:vendor_xdsp_device:s0 tclass=chr_file"
    b" permissive=%d app=org.example\n"
)
HEALTH = b"""#!/bin/sh
echo 'DSP      State      SignedPD  UnsignedPD* FastRPC Support'
echo 'ADSP     Offline    No        No          -'
echo 'CDSP     Online     Yes       No          No (Missing shell build ID)'
"""

FAULTS: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "dsp-offline": (OFFLINE, f"is offline (/{CDSP}), although", f"echo start | sudo tee /{CDSP}"),
    "firmware-missing": (
        put(f"{CDSP}/state", b"offline\n", NO_NODE, remove("lib/firmware")),
        "there is no qcom/qcs6490/radxa/dragon-q6a/cdsp.mbn in /lib/firmware",
        "Install the package",
    ),
    "dsp-crashed": (
        put(
            f"{CDSP}/state",
            b"crashed\n",
            put(LOG, b"qcom_q6v5_pas a300000.remoteproc: fatal error received: :0:EX:kernel\n"),
        ),
        "the compute DSP is crashed (/sys/class/remoteproc/remoteproc1): its firmware has crashed:"
        " qcom_q6v5_pas a300000.remoteproc: fatal error received",
        "of one release",
    ),
    "dsp-start-timeout": (
        put(LOG, b"remoteproc remoteproc1: can't start rproc cdsp: -110\n", OFFLINE),
        "did not start in time: remoteproc remoteproc1: can't start rproc cdsp: -110",
        "off and on",
    ),
    "firmware-refused": (
        put(LOG, b"remoteproc remoteproc1: error -22 initializing firmware x/cdsp.mbn\n", OFFLINE),
        "its firmware is refused",
        "signed for this board",
    ),
    "remoteproc-missing": (
        remove(CDSP, "dev/fastrpc-cdsp"),
        "the kernel knows no compute DSP, but adsp",
        "sudo modprobe qcom_q6v5_pas",
    ),
    "device-tree-disabled": (
        put(f"{NODE}/status", b"disabled\0", remove(CDSP, "dev/fastrpc-cdsp")),
        "the device tree disables the compute DSP",
        "overlay",
    ),
    "device-tree-without-dsp": (
        remove(CDSP, "dev/fastrpc-cdsp", FASTRPC),
        "no FastRPC node of a compute DSP",
        "device tree of this board",
    ),
    "device-tree-without-fastrpc": (
        remove("dev/fastrpc-cdsp", FASTRPC),
        "is running, but there is no device node",
        "with a fastrpc node",
    ),
    "fastrpc-driver-missing": (NO_NODE, "there is no device node", "sudo modprobe fastrpc"),
    "dma-heap-missing": (remove("dev/dma_heap"), "sessions end with 0x68", "DMABUF_HEAPS_SYSTEM"),
    "libcdsprpc-missing": (
        remove("usr/lib/aarch64-linux-gnu"),
        "there is no libcdsprpc",
        "libfastrpc1",
    ),
    "libcdsprpc-twice": (
        put("usr/local/lib/libcdsprpc.so.1", b"that of an SDK"),
        "/usr/local/lib/libcdsprpc.so.1, /usr/lib/aarch64-linux-gnu/libcdsprpc.so.1",
        "Remove /usr/local/lib/libcdsprpc.so.1",
    ),
    "configuration-missing": (
        put(
            "usr/share/qcom/conf.d/radxa.yaml", b"machines:\n  Another:\n    DSP_LIBRARY_PATH: x\n"
        ),
        f"does not look in the directory of /{SHELL}",
        "Name it for the machine 'Radxa Dragon Q6A'",
    ),
    "shell-missing": (
        remove("usr/share/qcom"),
        "there is no DSP shell: sessions end with 0x80000600",
        "hexagon-dsp-binaries",
    ),
    "shell-unsigned-missing": (
        put(SHELL.replace("_unsigned", ""), hexagon_header(0x68) + BUILD, remove(SHELL)),
        "sessions of unsigned skels end with 0x80000416",
        "sign the skels",
    ),
    "skel-not-searched": (
        put("usr/share/qcom/hexagon/v68/libx_skel.so", b""),
        "does not find /usr/share/qcom/hexagon/v68/libx_skel.so: its libcdsprpc is too old",
        "name the directory in ADSP_LIBRARY_PATH",
    ),
    "firmware-mismatch": (
        put(SHELL, OTHER_SHELL),
        f"the firmware /{IMAGE} is of the build CDSP.HT.2.5.c3-00074-KODIAK-1, and the DSP shell is"
        " of CDSP.HT.2.5.c3-00061-KODIAK-1",
        "of one release",
    ),
    "selinux": (
        put(LOG, AVC % 0),
        "SELinux denies to read adsprpc-smd-secure in the context u:r:untrusted_app:s0",
        "uses-native-library",
    ),
    "sessions-exhausted": (
        put(
            LOG,
            b"qcom,fastrpc a300000.remoteproc:glink-edge.fastrpcglink-apps-dsp.-1.-1: No session"
            b" available\n",
        ),
        "no session of the DSP left",
        "gives it 8 context banks",
    ),
    "healthcheck": (
        put("usr/bin/fastrpc-healthcheck", HEALTH),
        "says: Missing shell build ID",
        "run fastrpc-healthcheck there again",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_stand_in_for_a_board(tmp_path: Path, name: str) -> None:
    change, what, remedy = FAULTS[name]
    tree = board(tmp_path / "board")
    change(tree)
    for program in tree.glob("usr/bin/*"):
        program.chmod(0o755)
    found = findings(stand_in(tmp_path, tree, "posix"))
    assert wrong(found) == [name]
    (finding,) = (each for each in found if each.remedy)
    assert what in finding.what
    assert remedy in finding.remedy


@pytest.mark.parametrize("tools", ["posix", "busybox"])
def test_which_skel_of_a_stand_in_is_opened(tmp_path: Path, tools: Tools) -> None:
    """In the order of build_dsp_search_path_cache_for_domain in qualcomm/fastrpc at 05e12fa7."""
    tree, name = board(tmp_path / "a board"), "libx_skel.so"
    library = "usr/lib/aarch64-linux-gnu/libcdsprpc.so.1"
    write(tree, {library: LIBRARY + b"\0/usr/share/qcom/hexagon\0%s/%s\0"})
    folders = [
        *("usr/share/qcom/hexagon/v68/cdsp", "usr/share/qcom/hexagon/v68"),
        *(SHELL.rpartition("/")[0], SHELL.rpartition("/cdsp/")[0]),
        *("usr/lib/rfsa/adsp/cdsp", "usr/lib/rfsa/adsp", "usr/lib/dsp/cdsp", "usr/lib/dsp"),
    ]
    write(tree, {f"{folder}/{name}": b"" for folder in folders})
    device = stand_in(tmp_path, tree, tools)
    for at in range(len(folders) - 1):
        (what,) = (finding.what for finding in findings(device) if finding.name == "skel")
        others = ", ".join(f"/{folder}" for folder in folders[at + 1 :])
        assert what == f"the cdsp opens {name} of /{folders[at]}, not that of {others}"
        (tree / folders[at] / name).unlink()
    assert [f for f in findings(device) if f.name == "skel" or f.remedy] == []

    write(tree, {f"usr/share/qcom/hexagon/v{arch}/liby_skel.so": b"" for arch in (73, 75)})
    (lost,) = (finding for finding in findings(device) if finding.remedy)
    assert (
        lost.what
        == "the cdsp does not find /usr/share/qcom/hexagon/v73/liby_skel.so: the cdsp is v68"
    )


def test_configuration_of_a_stand_in_names_a_directory_without_a_shell(tmp_path: Path) -> None:
    tree = board(tmp_path / "board")
    shell = tree / "usr/lib/dsp/cdsp/fastrpc_shell_unsigned_3"
    shell.parent.mkdir(parents=True)
    (tree / SHELL).rename(shell)
    found = findings(stand_in(tmp_path, tree, "posix"))
    assert wrong(found) == ["configuration-stale"]


@pytest.mark.parametrize(
    ("log", "image"),
    [
        (AVC % 1, b""),  # permissive: SELinux denies nothing
        (AVC.replace(b"adsprpc-smd-secure", b"cache") % 0, b""),
        (b"[1.0] remoteproc remoteproc0: can't start rproc adsp: -110\n", b""),
        (b"[1.0] qcom_q6v5_pas 3700000.remoteproc: fatal error received: x\n", b""),
        (b"[9.0] qcom,fastrpc 3700000.remoteproc:glink: No session available\n", b""),
        (b"\xff\0\x1b[31mcdsp\n" * 9000, b"no name of a build"),
        (b"", b"/CRMBuilds/\x1b]0;title/" + b"x" * 900_000),
    ],
)
def test_what_is_no_fault_of_a_stand_in(tmp_path: Path, log: bytes, image: bytes) -> None:
    tree = write(board(tmp_path / "board"), {LOG: log, **({IMAGE: image} if image else {})})
    assert wrong(findings(stand_in(tmp_path, tree, "posix"))) == []


def test_crashes_from_which_a_stand_in_has_recovered_are_counted(tmp_path: Path) -> None:
    log = b"remoteproc remoteproc1: crash detected in cdsp: type fatal error\n"
    tree = write(board(tmp_path / "board"), {LOG: log * 2})
    found = findings(stand_in(tmp_path, tree, "posix"))
    assert wrong(found) == []
    assert found[0].what.startswith("the compute DSP is running, after 2 crashes")


def test_a_kernel_log_of_a_stand_in_that_cannot_be_read(tmp_path: Path) -> None:
    tree = write(
        board(tmp_path / "board"), {"sys/class/remoteproc/remoteproc1/state": b"offline\n"}
    )
    (tree / LOG).unlink(missing_ok=True)
    (finding,) = (each for each in findings(stand_in(tmp_path, tree, "posix")) if each.remedy)
    assert finding.name == "dsp-offline"
    assert "this user may not read: sudo dmesg." in finding.remedy


def test_split_and_compressed_firmware_of_a_stand_in(tmp_path: Path) -> None:
    tree = board(tmp_path / "board")
    (tree / IMAGE).rename(tree / IMAGE.replace(".mbn", ".b07"))
    write(tree, {IMAGE.replace(".mbn", ".mdt"): b"ELF", SHELL: OTHER_SHELL})
    assert wrong(findings(stand_in(tmp_path, tree, "busybox"))) == ["firmware-mismatch"]


def test_permissions_of_the_nodes_of_a_stand_in(tmp_path: Path) -> None:
    tree = board(tmp_path / "board")
    for name in ("dev/fastrpc-cdsp", "dev/dma_heap/system"):
        (tree / name).chmod(0o000)
    shell = tmp_path / "sh"
    shell.write_text(f'#!/bin/sh\nexec {" ".join(unprivileged())} /bin/sh "$@"\n')
    shell.chmod(0o755)
    programs = tmp_path / "bin"
    programs.mkdir()
    device = stand_in(tmp_path, tree, "coreutils")
    assert isinstance(device.transport, Emulated)
    variables = dict(device.transport.environment)
    variables["PATH"] = f"{programs}:{variables['PATH']}"
    device = device._replace(transport=Emulated("", variables, str(shell)))

    def found(group: str, session: str, member: str) -> list[DeviceFinding]:
        """With stand-ins for the user database, and for the owners of the nodes."""
        said = {
            "stat": f"#!/bin/sh\necho mode 660 root {group}\n",
            "id": "#!/bin/sh\ncase $* in -u) echo 1000;; -un) echo radxa;; -Gn)"
            f" echo {session};; *) echo {member};; esac\n",
        }
        for name, text in said.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        return [finding for finding in findings(device) if finding.remedy]

    node, heap = found("fastrpc", "radxa", "radxa")
    assert (node.name, heap.name) == ("node-permission", "dma-heap-permission")
    assert node.what == "radxa may not use /dev/fastrpc-cdsp (mode 660, root:fastrpc)"
    assert "sudo usermod -aG fastrpc radxa" in node.remedy
    node, heap = found("fastrpc", "radxa", "radxa fastrpc")
    assert (node.name, heap.name) == ("group-session", "group-session")
    assert "Log in again" in node.remedy
    node, _ = found("root", "radxa", "radxa")
    assert node.name == "node-permission"
    assert "60-fastrpc.rules" in node.remedy


def test_a_stand_in_for_a_board_without_hexagon(tmp_path: Path) -> None:
    found = findings(stand_in(tmp_path, rk3588_tree(tmp_path / "rk"), "posix"))
    assert wrong(found)[0] == "device-tree-without-dsp"  # for a target with skels
