"""A place where the programs of a device run: a root directory and, if needed, a network.

The root directory is that of this machine, with these differences: `/data` is a directory of the
test, `/run` is empty, `/bin/sh` is the shell of the device's tools, and `/etc/passwd` names one
user with a home directory and a login shell of the test.  All are mounted in a mount namespace, so
nothing of this machine changes.  Other paths, such as those below `/tmp`, are the same in and
outside.  Process IDs are the same too.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from .tool_sets import SYSTEM_PATH, Tools, make_tool_set

_MAKE_ROOT = r"""
set -eu
root=$1 passwd=$2 shell=$3 data=$4 network=$5
for entry in /*; do
    if [ -L "$entry" ]; then cp -P "$entry" "$root$entry"
    elif [ -d "$entry" ]; then mkdir "$root$entry"; mount --rbind "$entry" "$root$entry"
    fi
done
[ -d "$root/data" ] || mkdir "$root/data"
mount --bind "$data" "$root/data"
mount -t tmpfs none "$root/run"
mkdir -m 755 "$root/run/sshd"
mount --bind "$passwd" "$root/etc/passwd"
mount --bind "$shell" "$root/bin/sh"
if [ "$network" = yes ]; then
    ip link set lo up
    echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
fi
echo ready
exec chroot "$root" cat
"""


class DeviceRoot:
    """The root directory of a device, and its processes; a context manager that ends them.

    `home` is the home directory of `user`, `data` the directory `/data`, `path` the PATH of its
    tools.  With `network` the processes have a network of their own, which has only loopback.
    """

    user = "device"

    def __init__(
        self,
        directory: Path,
        *,
        tools: Tools = "coreutils",
        shell: str | None = None,
        network: bool = False,
    ) -> None:
        """`directory` must not exist; `shell` is the login shell, by default the shell of `tools`.

        Skips the test if this user may not create namespaces.
        """
        directory.mkdir(parents=True)
        self.home = directory / "home"
        self.data = directory / "data"
        self.home.mkdir()
        (self.data / "local" / "tmp").mkdir(parents=True)
        tool_set = make_tool_set(tools, directory / "tools")
        self.path = tool_set.path
        root, passwd = directory / "root", directory / "passwd"
        root.mkdir()
        # sshd run by root demands the user sshd.
        passwd.write_text(
            f"{self.user}:*:{os.getuid()}:{os.getgid()}::{self.home}:{shell or '/bin/sh'}\n"
            "sshd:*:65533:65534::/run/sshd:/usr/sbin/nologin\n"
        )
        self._kinds = ["--mount", *(["--net"] if network else [])]
        as_user = ["--user", "--map-current-user", "--keep-caps"] if os.geteuid() else []
        self._holder = subprocess.Popen(
            [
                *("unshare", *as_user, *self._kinds, "sh", "-c", _MAKE_ROOT, "device"),
                *(root, passwd, tool_set.shell, self.data, "yes" if network else "no"),
            ],
            env={"PATH": SYSTEM_PATH},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._holder.stdout
        assert self._holder.stderr
        if self._holder.stdout.readline() != b"ready\n":
            reason = self._holder.stderr.read().decode(errors="replace").strip()
            self.stop()
            pytest.skip(f"no namespaces for a device here: {reason}")
        if as_user:
            self._kinds.insert(0, "--user")
        self._namespaces = {kind: self._namespace(self._holder.pid, kind) for kind in self._names}

    @property
    def _names(self) -> list[str]:
        return ["net", "mnt"] if "--net" in self._kinds else ["mnt"]

    @staticmethod
    def _namespace(process: int, kind: str) -> str | None:
        try:
            return str(Path(f"/proc/{process}/ns/{kind}").readlink())
        except OSError:  # it has ended
            return None

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
        found = {}
        for directory in Path("/proc").iterdir():
            if not directory.name.isdigit() or int(directory.name) == self._holder.pid:
                continue
            process = int(directory.name)
            if any(
                self._namespace(process, kind) == name for kind, name in self._namespaces.items()
            ):
                try:
                    line = (directory / "cmdline").read_bytes()
                except OSError:
                    continue
                found[process] = line.replace(b"\0", b" ").decode(errors="replace").strip()
        return found

    def stop(self) -> None:
        """End all processes on the device and in its network."""
        if self._holder.poll() is None:
            for _ in range(100):  # a process can have forked since it was listed
                found = self.processes()
                for process in found:
                    try:
                        os.kill(process, signal.SIGKILL)
                    except ProcessLookupError:
                        continue
                if not found:
                    break
                time.sleep(0.01)
            self._holder.kill()
        self._holder.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
