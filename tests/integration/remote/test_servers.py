"""The servers that tests of remote devices use work by themselves."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.remote.adbd import AdbServer
from tests.remote.device_root import DeviceRoot
from tests.remote.proxy import Proxy
from tests.remote.sshd import SshServer
from tests.remote.tool_sets import EACH_TOOL_SET, SYSTEM_PATH, Tools

pytestmark = pytest.mark.long

STATUSES = (0, 1, 2, 125, 127, 128, 137, 254, 255)
PROGRAMS = {
    "coreutils": ("dash", "ls"),
    "posix": ("dash", "ls"),
    "busybox": ("busybox", "busybox"),
    "toybox": ("dash", "toybox"),
    "android": ("dash", "toybox"),
}
"""The shell and `ls` of each set of tools."""


def ssh(server: SshServer, *command: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["ssh", server.client.host, *command],
        env=server.client.environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


def adb(server: AdbServer, *command: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["adb", "-s", server.serial, "shell", *command],
        env=server.environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


SHOW = "cat; echo err >&2; for f in /proc/$$/exe $(command -v ls); do stat -Lc %i $f; done; exit 7"


def assert_shown(done: subprocess.CompletedProcess[str], text: str, tools: str) -> None:
    """`SHOW` ran with the standard input `text`, in the shell of `tools`."""
    assert done.returncode == 7
    assert done.stderr == "err\n"
    programs = (shutil.which(name, path=SYSTEM_PATH) or "" for name in PROGRAMS[tools])
    inodes = [str(Path(program).stat().st_ino) for program in programs]
    assert done.stdout == text + "\n".join([*inodes, ""])


@pytest.mark.parametrize("ssh_server", EACH_TOOL_SET, indirect=True)
def test_ssh_runs_commands_with_the_selected_tools(
    ssh_server: SshServer, request: pytest.FixtureRequest
) -> None:
    tools = request.node.callspec.params["ssh_server"]
    assert_shown(ssh(ssh_server, SHOW, text="in\n"), "in\n", tools)


@pytest.mark.parametrize("adb_server", EACH_TOOL_SET, indirect=True)
def test_adb_runs_commands_with_the_selected_tools(
    adb_server: AdbServer, request: pytest.FixtureRequest
) -> None:
    tools = request.node.callspec.params["adb_server"]
    assert_shown(adb(adb_server, "-T", SHOW, text="in\n"), "in\n", tools)


def test_exit_statuses_arrive(ssh_server: SshServer, adb_server: AdbServer) -> None:
    for status in STATUSES:
        assert adb(adb_server, f"exit {status}").returncode == status
    for status in STATUSES[-2:]:
        assert ssh(ssh_server, f"exit {status}").returncode == status


def test_a_device_has_its_own_home_and_data(ssh_server: SshServer, adb_server: AdbServer) -> None:
    for device, done in (
        (ssh_server.device, ssh(ssh_server, "echo $HOME; echo hi >/data/local/tmp/file")),
        (adb_server.device, adb(adb_server, "echo $HOME; echo hi >/data/local/tmp/file")),
    ):
        assert done.stdout == f"{device.home}\n", done
        assert (device.data / "local/tmp/file").read_text() == "hi\n"
    assert not Path("/data/local/tmp/file").exists()


def test_ssh_uses_the_login_shell(tmp_path: Path) -> None:
    fish = Path("/usr/bin/fish")
    if not fish.exists():
        pytest.skip("there is no fish: scripts/setup tests")
    with SshServer(tmp_path / "server", shell=str(fish)) as server:
        done = ssh(server, "set word fish; echo $word (status current-command)")
        assert done.stdout.split()[0] == "fish", done


def test_two_devices_of_one_adb_server(tmp_path: Path) -> None:
    with AdbServer(tmp_path / "server", count=2) as server:
        for serial, port in zip(server.serials, server.ports, strict=True):
            assert server.adb("-s", serial, "shell", "echo $ADBD_PORT").stdout == f"{port}\n"


def test_a_killed_adb_server_can_be_started_again(tmp_path: Path) -> None:
    with AdbServer(tmp_path / "server") as server:
        server.kill_server()
        # The client starts a server, in the network of adbd.
        assert server.adb("-s", server.serial, "get-state").returncode
        server.connect(server.ports[0])
        assert server.adb("shell", "echo hi").stdout == "hi\n"
        server.kill_server()
        server.start_server()
        server.connect(server.ports[0])
        assert server.adb("shell", "echo hi").stdout == "hi\n"


def test_adbd_is_not_in_the_network_of_this_machine(adb_server: AdbServer) -> None:
    port = f":{adb_server.ports[0]:04X} "
    show = "/usr/bin/cat", "/proc/net/tcp", "/proc/net/tcp6"
    for command, listens in ((adb_server.device.command(*show), True), (show, False)):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert (port in done.stdout) == listens


@pytest.mark.parametrize("tools", ["coreutils", "busybox"])
def test_stopping_leaves_no_process(tmp_path: Path, tools: Tools) -> None:
    server = SshServer(tmp_path / "server", tools=tools)
    device: DeviceRoot = server.device
    assert ssh(server, "sleep 1000 >/dev/null 2>&1 </dev/null &").returncode == 0
    assert any("sleep" in line for line in device.processes().values())
    server.stop()
    assert device.processes() == {}


def test_a_proxy_delays_each_round_trip_of_ssh(ssh_server: SshServer, tmp_path: Path) -> None:
    with Proxy(ssh_server.port) as proxy:
        client = ssh_server.make_client(tmp_path / "client", proxy.port)
        control = ["-S", str(tmp_path / "s")]
        master = ["ssh", *control, "-M", "-f", "-N", client.host]
        try:
            subprocess.run(
                master, env=client.environment, check=True, stderr=subprocess.DEVNULL, timeout=20
            )
            for delay in (0, 0.05):
                proxy.set_delay(delay)
                proxy.reset_traffic()
                start = time.monotonic()
                command = ["ssh", *control, client.host, "true"]
                subprocess.run(command, env=client.environment, check=True, timeout=20)
                seconds = time.monotonic() - start
                traffic = proxy.traffic()
                assert 2 <= traffic.round_trips <= 4
                assert seconds >= 2 * 2 * delay  # two round trips or more
                assert traffic.connections == 0
                assert traffic.up > 0 < traffic.down
        finally:
            stop = ["ssh", *control, "-O", "exit", client.host]
            subprocess.run(stop, env=client.environment, check=False, capture_output=True)


def test_a_proxy_delays_each_round_trip_of_adb(tmp_path: Path) -> None:
    with (
        AdbServer(tmp_path / "server") as server,
        Proxy(server.ports[0], delay=0.05, device=server.device) as proxy,
    ):
        serial = server.connect(proxy.port)
        proxy.reset_traffic()
        start = time.monotonic()
        assert server.adb("-s", serial, "shell", "echo hi").stdout == "hi\n"
        assert time.monotonic() - start >= 0.1
        assert 1 <= proxy.traffic().round_trips <= 5  # with acknowledgements


@pytest.mark.parametrize("reset", [True, False])
def test_a_cut_connection_of_ssh_fails(
    ssh_server: SshServer, tmp_path: Path, *, reset: bool
) -> None:
    with Proxy(ssh_server.port) as proxy:
        client = ssh_server.make_client(tmp_path / "client", proxy.port)
        proxy.cut(after=100_000, reset=reset)
        done = subprocess.run(
            ["ssh", client.host, f"cat >{tmp_path}/file"],
            env=client.environment,
            input=b"x" * 1_000_000,
            capture_output=True,
            timeout=20,
            check=False,
        )
        assert done.returncode == 255
        assert proxy.traffic().up == 100_000
        file = tmp_path / "file"
        assert not file.exists() or file.stat().st_size < 100_000
        command = ["ssh", client.host, "exit 3"]  # a new connection
        assert subprocess.run(command, env=client.environment, check=False).returncode == 3


def test_a_cut_connection_of_adb_fails(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * 1_000_000)
    with (
        AdbServer(tmp_path / "server") as server,
        Proxy(server.ports[0], device=server.device) as proxy,
    ):
        serial = server.connect(proxy.port)
        proxy.cut(after=100_000)
        push = "-s", serial, "push", str(source), "/data/local/tmp/file"
        assert server.adb(*push).returncode == 1
        server.connect(proxy.port)
        assert server.adb(*push).returncode == 0
        assert (server.device.data / "local/tmp/file").read_bytes() == source.read_bytes()


def test_a_stalled_connection_goes_on_when_it_is_resumed(
    ssh_server: SshServer, tmp_path: Path
) -> None:
    with Proxy(ssh_server.port) as proxy:
        client = ssh_server.make_client(tmp_path / "client", proxy.port)
        proxy.stall()
        command = ["ssh", client.host, "echo hi"]
        process = subprocess.Popen(command, env=client.environment, stdout=subprocess.PIPE)
        with process:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1)
            proxy.resume()
            assert process.communicate(timeout=20)[0] == b"hi\n"


def test_a_device_can_have_a_small_disk(tmp_path: Path) -> None:
    with SshServer(tmp_path / "server", disk="1m") as server:
        done = ssh(server, "head -c 2000000 /dev/zero >/data/local/tmp/file")
        assert done.returncode == 1
        assert "No space left on device" in done.stderr
        assert (server.device.data / "local/tmp/file").stat().st_size == 1 << 20


@pytest.mark.parametrize("tools", ["coreutils", "busybox"])
def test_a_script_takes_the_place_of_a_tool(tmp_path: Path, tools: Tools) -> None:
    with SshServer(tmp_path / "server", tools=tools) as server:
        server.device.put_tool("ln", 'echo "no link: $*" >&2; exit 1')
        done = ssh(server, "ln a b")
        assert (done.returncode, done.stderr) == (1, "no link: a b\n")


def test_adb_of_the_version_of_adbd_compresses(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(bytes(1_000_000))
    with (
        AdbServer(tmp_path / "server", unpacked_adb=True) as server,
        Proxy(server.ports[0], device=server.device) as proxy,
    ):
        serial = server.connect(proxy.port)
        proxy.reset_traffic()
        assert server.adb("-s", serial, "push", str(source), "/data/file").returncode == 0
        assert (server.device.data / "file").read_bytes() == source.read_bytes()
        assert proxy.traffic().up < 100_000


def test_a_reboot_ends_all_sessions(tmp_path: Path) -> None:
    boot_id = "cat /proc/sys/kernel/random/boot_id"
    leave = "sleep 1000 >/dev/null 2>&1 </dev/null &"
    with SshServer(tmp_path / "ssh") as server:
        before = ssh(server, f"{leave} {boot_id}").stdout
        server.reboot()
        assert ssh(server, boot_id).stdout not in {before, ""}
        assert not any("sleep" in line for line in server.device.processes().values())
    with AdbServer(tmp_path / "adb") as adb_server:
        before = adb(adb_server, f"{leave} {boot_id}").stdout
        adb_server.reboot()
        adb_server.adb("disconnect", adb_server.serial)
        adb_server.connect(adb_server.ports[0])
        assert adb(adb_server, boot_id).stdout not in {before, ""}
        assert not any("sleep" in line for line in adb_server.device.processes().values())
