"""A place where the programs of a device run: a root directory and, if needed, a network.

The root directory is that of this machine, with these differences: `/data` is a directory of the
test, `/run` is empty but for `/run/lock` of a board, `/bin/sh` is the shell of the device's tools,
`/etc/passwd` names one user with a home directory and a login shell of the test, and the kernel's
boot ID is another.  All are mounted in a mount namespace, so nothing of this machine changes.
Other paths, such as those below `/tmp`, are the same in and outside.  Process IDs are the same too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from pathlib import Path

import pytest

from .members import Members
from .noisy import QUIET, noisy_shell
from .stops import Stops
from .tool_sets import SYSTEM_PATH, Tools, make_tool_set

_MAKE_ROOT = r"""
set -eu
root=$1 passwd=$2 boot_id=$3 shell=$4 data=$5 network=$6 disk=$7
for entry in /*; do
    if [ -L "$entry" ]; then cp -P "$entry" "$root$entry"
    elif [ -d "$entry" ]; then mkdir "$root$entry"; mount --rbind "$entry" "$root$entry"
    fi
done
[ -d "$root/data" ] || mkdir "$root/data"
if [ "$disk" ]; then
    mount -t tmpfs -o "size=$disk" none "$root/data"
    mkdir -p "$root/data/local/tmp"
else
    mount --bind "$data" "$root/data"
fi
mount -t tmpfs none "$root/run"
mkdir -m 755 "$root/run/sshd"
[ "$network" ] || mkdir -m 1777 "$root/run/lock" # boards have it, phones do not
mount --bind "$passwd" "$root/etc/passwd"
mount --bind "$shell" "$root/bin/sh"
mount --bind "$boot_id" "$root/proc/sys/kernel/random/boot_id"
if [ "$network" ]; then
    ip link set lo up
    echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
fi
exec chroot "$root" /bin/sh -c 'echo ready; exec /bin/cat'
"""


class DeviceRoot(Stops):
    """The root directory of a device, and its processes; a context manager that ends them.

    `home` is the home directory of `user`, `data` the directory `/data` (seen from outside), `path`
    the PATH of its tools.  With `network` the processes have a network of their own, which has only
    loopback.
    """

    user = "device"

    def __init__(
        self,
        directory: Path,
        *,
        tools: Tools = "coreutils",
        shell: str | None = None,
        noisy: bool = False,
        network: bool = False,
        disk: str = "",
    ) -> None:
        """`directory` must not exist; `shell` is the login shell, by default the shell of `tools`,
        which with `noisy` prints before and after the script of each session; `disk` is the size of
        the file system of `/data` (`64m`), by default that of `directory`.

        Skips the test if this user may not create namespaces.
        """
        directory.mkdir(parents=True)
        self.home = directory / "home"
        self.data = directory / "data"
        self.home.mkdir()
        (self.data / "local" / "tmp").mkdir(parents=True)
        tool_set = make_tool_set(tools, directory / "tools")
        self.path = tool_set.path
        self._tools = tool_set.directory
        sh = tool_set.shell
        if noisy:
            sh = noisy_shell(directory, sh)
        root, passwd = directory / "root", directory / "passwd"
        root.mkdir()
        # sshd run by root demands the user sshd.
        passwd.write_text(
            f"{self.user}:*:{os.getuid()}:{os.getgid()}::{self.home}:{shell or '/bin/sh'}\n"
            "sshd:*:65533:65534::/run/sshd:/usr/sbin/nologin\n"
        )
        self._boot_id = directory / "boot_id"
        self._boot_id.write_text(f"{uuid.uuid4()}\n")
        self._members: Members | None = None
        self._kinds = ["--mount", *(["--net"] if network else [])]
        as_user = ["--user", "--map-current-user", "--keep-caps"] if os.geteuid() else []
        self._holder = subprocess.Popen(
            [
                *("unshare", *as_user, *self._kinds, "sh", "-c", _MAKE_ROOT, "device"),
                *(
                    root,
                    passwd,
                    self._boot_id,
                    sh,
                    self.data,
                    "yes" if network else "",
                    disk,
                ),
            ],
            env={"PATH": SYSTEM_PATH, **QUIET},
            stdin=subprocess.PIPE,  # it ends with this process
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._holder.stdout
        assert self._holder.stderr
        if self._holder.stdout.readline() != b"ready\n":
            reason = self._holder.stderr.read().decode(errors="replace").strip()
            self.stop()
            pytest.skip(f"no namespaces for a device here: {reason}")
        if disk:
            self.data = Path(f"/proc/{self._holder.pid}/root/data")
        if as_user:
            self._kinds.insert(0, "--user")
        self._members = Members(self._holder.pid, ("mnt", "net") if network else ("mnt",))

    def put_tool(self, name: str, script: str) -> None:
        """Make a shell script the program `name` of the device, in the place of its own."""
        tool = self._tools / name
        tool.unlink(missing_ok=True)
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)

    def command(self, *argv: str | Path) -> list[str]:
        """The command that runs `argv` on the device, and ends it when its parent process ends."""
        enter = self._enter([*self._kinds, "--root", "--wd"])
        # Without this capability adbd cannot listen on vsock, which no namespace separates.
        setpriv = shutil.which("setpriv", path=SYSTEM_PATH) or "setpriv"
        ends = [setpriv, "--pdeathsig", "KILL", "--bounding-set", "-net_bind_service", "--"]
        return [*enter, *ends, *(str(part) for part in argv)]

    def network_command(self, *argv: str | Path) -> list[str]:
        """The command that runs `argv` in the network of the device, but with this machine's files
        and in the same working directory."""
        kinds = [kind for kind in self._kinds if kind != "--mount"]
        return [*self._enter(kinds), *(str(part) for part in argv)]

    def _enter(self, kinds: list[str]) -> list[str]:
        nsenter = shutil.which("nsenter", path=SYSTEM_PATH) or "nsenter"
        enter = [nsenter, "--target", str(self._holder.pid), *kinds]
        return [*enter, *(["--preserve-credentials"] if "--user" in kinds else []), "--"]

    def processes(self) -> dict[int, str]:
        """The processes on the device and in its network: IDs and command lines."""
        return self._members.find() if self._members else {}

    def kill_processes(self) -> None:
        """Kill all processes on the device, and give it another boot ID, as a reboot does.

        Processes that are only in its network go on.
        """
        assert self._members
        self._members.kill(("mnt",))
        self._boot_id.write_text(f"{uuid.uuid4()}\n")

    def stop(self) -> None:
        """End all processes on the device and in its network."""
        if self._members:
            self._members.kill()
            self._members.close()
            self._members = None
        self._holder.kill()
        self._holder.communicate()
