"""Hosts of a network that exists only in a test, each with a network namespace and root of its own.

A host has the programs of this machine, but neither the clone nor a home directory: what it changes
in `/usr` stays in an overlay, and everything else is empty.  The client, where builds run, is
in the same network and has the root of this machine.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest

_CLIENT = r"""
set -eu
mount --make-rprivate /
ip link set lo up
ip link add name lan0 type bridge
ip addr add 10.9.0.1/24 dev lan0
ip link set lan0 up
echo ready
exec cat
"""
_HOST = r"""
set -eu
mount --make-rprivate /
mount -t tmpfs -o mode=755 host "$1"
cd "$1"
for entry in usr bin sbin lib lib32 lib64; do
    if [ -L "/$entry" ]; then cp -P "/$entry" .
    elif [ -d "/$entry" ]; then
        mkdir -p "$entry" "overlay/$entry/upper" "overlay/$entry/work"
        layers=lowerdir=/$entry,upperdir=overlay/$entry/upper,workdir=overlay/$entry/work
        mount -t overlay -o "$layers" host "$entry"
    fi
done
mkdir dev etc proc run opt var tmp && chmod 1777 tmp
mkdir -p var/cache/icecc run/icecc && chown icecc: var/cache/icecc run/icecc
ln -s ../run var/run
cp /etc/passwd /etc/group /etc/nsswitch.conf etc
for entry in usr/local usr/lib/distcc; do mount -t tmpfs -o mode=755 host "$entry"; done
mkdir -p usr/local/bin
mount --rbind /dev dev
mount -t proc proc proc
# What else this machine does is not the load of the host, for which iceccd takes it.
echo "cpu 0 0 0 100000 0 0 0 0 0 0" >run/stat
mount --bind run/stat proc/stat
echo ready
exec chroot . /bin/cat
"""


class Namespace:
    """A process that keeps namespaces, and ends with this one."""

    def __init__(self, kinds: Sequence[str], script: str, *arguments: str) -> None:
        self._unshare = subprocess.Popen(
            [
                *("unshare", *kinds, "--pid", "--fork", "--kill-child"),
                *("sh", "-c", script, "sh", *arguments),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._unshare.stdout
        assert self._unshare.stderr
        if self._unshare.stdout.readline() != b"ready\n":
            reason = self._unshare.stderr.read().decode(errors="replace").strip()
            self.stop()
            pytest.skip(f"no hosts in namespaces here: {reason}")
        children = Path(f"/proc/{self._unshare.pid}/task/{self._unshare.pid}/children")
        self.pid = int(children.read_text(encoding="utf-8"))

    def command(self, *argv: str | Path) -> list[str]:
        """The command that runs `argv` in the namespaces."""
        enter = ["nsenter", "--target", str(self.pid), "--net", "--mount", "--pid"]
        return [*enter, "--root", "--wd", *map(str, argv)]

    def run(self, *argv: str | Path, check: bool = True) -> str:
        done = subprocess.run(
            self.command(*argv), capture_output=True, text=True, check=False, timeout=600
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def stop(self) -> None:
        self._unshare.kill()
        self._unshare.communicate()


class Network:
    """The client and its hosts `10.9.0.2`, …; a context manager that ends all their processes."""

    def __init__(self, directory: Path, count: int = 3) -> None:
        self.client = Namespace(("--net", "--mount"), _CLIENT)
        self.hosts: dict[str, Namespace] = {}
        for number in range(2, count + 2):
            root = directory / f"host{number}"
            root.mkdir(parents=True)
            host = Namespace(("--net", "--mount"), _HOST, str(root))
            address = f"10.9.0.{number}"
            self.hosts[address] = host
            cable = f"ip link add name v{number} type veth peer name eth0 netns {host.pid}"
            net = ["nsenter", "--target", str(self.client.pid), "--net", "sh", "-ec"]
            self._check([*net, f"{cable}; ip link set v{number} master lan0 up"])
            net[2] = str(host.pid)
            up = "ip link set lo up; ip link set eth0 up"
            self._check([*net, f"{up}; ip addr add {address}/24 dev eth0"])

    @staticmethod
    def _check(command: Sequence[str]) -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for namespace in (*self.hosts.values(), self.client):
            namespace.stop()
