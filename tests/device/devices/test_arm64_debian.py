"""Set-up and demo on ARM64: in a root of Debian for it, whose programs QEMU runs.

binfmt_misc is that of a user namespace, so nothing of this machine changes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

TOOLS = REPOSITORY / ".venv/debootstrap"
QEMU = TOOLS / "usr/bin/qemu-aarch64-static"
PACKAGES = "python3,python3-venv,ca-certificates,make,git,qemu-user"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
IDS = "0 0 65536"
# An ELF file, 64-bit, little-endian, for ARM64.
_MAGIC = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
_MASK = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
_ENTER = """
read -r _ # until the namespace has its IDs
exec setpriv --reuid 0 --regid 0 --clear-groups sh -ec '
    mount --make-rprivate /
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    printf %s "$3" > /proc/sys/fs/binfmt_misc/register
    for each in proc dev; do mount --rbind "/$each" "$1/$each"; done
    exec chroot "$1" sh -ec "$2"
' sh "$@" </dev/null
"""


def enter(root: Path, script: str) -> str:
    """Run a shell script in `root`, whose files belong to root; returns its output.  Skips the test
    if this kernel has no binfmt_misc for namespaces."""
    # O: QEMU opens the program, C: its credentials count, F: QEMU is outside of the root.
    binfmt = f":arm64:M::{_MAGIC}:{_MASK}:{QEMU}:OCF"
    command = ["unshare", "--user", "--mount", "sh", "-ec", _ENTER, "sh", str(root), script, binfmt]
    variables = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "SSL_CERT_FILE": CERTIFICATES,
        "PIP_CERT": CERTIFICATES,
        "PIP_DEFAULT_TIMEOUT": "120",
        "container": "lxc",  # debootstrap makes no device files then
    }
    process = subprocess.Popen(
        command,
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        own, other = (Path("/proc", who, "ns/user") for who in ("self", str(process.pid)))
        while own.readlink() == other.readlink():
            assert process.poll() is None, process.communicate()[0]
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{process.pid}/{name}").write_text(IDS, encoding="ascii")
        output, _ = process.communicate("go\n")
    if "binfmt_misc" in output and process.returncode:
        pytest.skip(f"no binfmt_misc for namespaces: {output.strip()}")
    assert process.returncode == 0, output[-4000:]
    return output


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root of Debian for ARM64."""
    if os.geteuid() or not TOOLS.is_dir():
        pytest.skip("debootstrap needs root, and is not in .venv: make test-long gets it")
    mirrors = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)"],
        capture_output=True,
        text=True,
        check=True,
    )
    mirror, codename = mirrors.stdout.splitlines()[0].split()
    place = tmp_path / "root"
    scripts = TOOLS / "usr/share/debootstrap"
    subprocess.run(
        [
            *(TOOLS / "usr/sbin/debootstrap", "--arch=arm64", "--variant=minbase", "--foreign"),
            *(f"--include={PACKAGES}", codename, place, mirror),
        ],
        env={**os.environ, "DEBOOTSTRAP_DIR": str(scripts)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    (place / "proc").unlink()  # a link to that of this machine
    (place / "proc").mkdir()
    shutil.copy("/etc/resolv.conf", place / "etc")
    enter(place, "/debootstrap/debootstrap --second-stage")
    shutil.copy(os.environ.get("PIP_CERT", CERTIFICATES), place / CERTIFICATES[1:])
    return place


@pytest.mark.long
def test_the_demo_ends_verified_on_arm64(root: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", REPOSITORY, root / "srv/buildtool"], check=True)
    output = enter(root, "uname -m; cd /srv/buildtool; make demo")
    assert output.startswith("aarch64\n")
    assert output.endswith("44 of 44 verified against the CPU\n")
