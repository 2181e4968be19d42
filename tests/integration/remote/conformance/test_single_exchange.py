"""A small push and the start of a program in one exchange, on every device."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from buildtool.deploy.contents import deployment
from buildtool.deploy.site import finish_inline_push, inline_push, make_current
from buildtool.device.script import ScriptReport
from buildtool.device.sharing import DeviceLock, holder_of
from buildtool.release.slices import Release
from buildtool.run.program import RunRequest
from buildtool.run.run import start_on_device
from buildtool.run.session import new_run, open_session
from tests.integration.remote.conformance.conftest import (
    ANDROID,
    BUSYBOX,
    EMULATED,
    KINDS,
    TOYBOX,
    short_on,
)
from tests.remote.remote import SHELL, Remote
from tests.remote.streams import redirected


def run_once(
    remote: Remote, release: Release, script: str, session: bool
) -> tuple[ScriptReport, bytes]:
    """Push and start in one exchange, which must be possible, in a session that is open before if
    `session`; returns the report, and what the program wrote."""
    wanted = deployment(release, "")
    site = remote.site()
    push = inline_push(site, wanted)
    assert push
    request = RunRequest((SHELL, script, "it's an\nargument"), input=False)
    with redirected(None) as streams, ExitStack() as stack:
        if session:
            ready = stack.enter_context(open_session(remote.device.transport))
            request = request._replace(session=ready)
        report = start_on_device(site, wanted, request, new_run(), push=push)
        assert not session or ready.taken
    assert finish_inline_push(site, wanted, report)
    return report, streams.stdout


@short_on(EMULATED, TOYBOX, ANDROID)
@pytest.mark.parametrize("session", [False, True])
def test_a_change_is_pushed_and_runs(remote: Remote, tmp_path: Path, session: bool) -> None:
    first = remote.release(tmp_path / "1", {"lib/a": b"one", "lib/b": b"b", "gone": b"x"})
    second = remote.release(tmp_path / "2", {"lib/a": b"two", "lib/b": b"b", "new dir/é": b"n"})
    assert not inline_push(remote.site(), deployment(first, ""))  # nothing is known of the device
    remote.deploy(first)
    assert not inline_push(remote.site(), deployment(first, ""))  # nothing is to be sent
    if remote.device.transport.direct:
        assert not inline_push(remote.site(), deployment(second, ""))
        return
    mask = remote.shell(first, "umask").stdout
    report, output = run_once(
        remote, second, 'cat lib/a; printf %s "$1"; umask; ls gone 2>/dev/null; exit 42', session
    )
    assert report == ScriptReport("exit", "42")
    assert output == b"twoit's an\nargument" + mask
    remote.assert_current(second)
    assert not remote.outside("lock").is_symlink()
    # It is remembered what is there: a run needs no push.
    assert not inline_push(remote.site(), deployment(second, ""))
    assert remote.shell(second, "cat lib/b").stdout == b"b"


@short_on(BUSYBOX, ANDROID, of=KINDS[1:])
@pytest.mark.parametrize("session", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_release_that_is_there_runs_undisturbed(
    remote: Remote, tmp_path: Path, session: bool
) -> None:
    """What is sent for it is not read as signals for the program."""
    if remote.device.transport.direct:
        return
    releases = [
        remote.release(tmp_path / f"{n}", {"n": b"%d" % n, "text": b"INT\nKILL\n" * 2000 * n})
        for n in (1, 2)
    ]
    for release in releases:
        remote.deploy(release)
    remote = remote._replace(unpack="")  # what is sent has lines
    report, output = run_once(remote, releases[0], "sleep 1; cat n; exit 5", session)
    assert (report, output) == (ScriptReport("exit", "5"), b"1")
    remote.assert_current(releases[0])


@short_on(BUSYBOX, ANDROID)
def test_another_release_than_expected(remote: Remote, tmp_path: Path) -> None:
    """Another user has removed the release that is known."""
    releases = [remote.release(tmp_path / f"{n}", {"n": b"%d" % n}) for n in range(3)]
    remote.deploy(releases[0])
    other = remote._replace(state=tmp_path / "other", device=remote.device._replace(keep=1))
    other.deploy(releases[1])
    with DeviceLock(remote.device, "test", lambda _: None) as lock:
        done = remote.shell(releases[2], "cat n; exit 3", input=False, lock=lock)
        if lock.variables:
            assert holder_of(remote.device)  # the second push needed the device for itself
    assert (done.status, done.stdout) == (3, b"2")
    remote.assert_current(releases[2])
    remote.assert_whole(*releases)


@short_on(EMULATED, ANDROID)
def test_each_program_gets_the_arch_of_its_release(remote: Remote, tmp_path: Path) -> None:
    releases = [remote.release(tmp_path / f"{n}", {"n": b"%d" % n}) for n in range(2)]
    request = RunRequest((SHELL, 'echo "$BUILDTOOL_DSP_ARCH"'), input=False)
    for release, arch in ((releases[0], "v68"), (releases[1], "v73"), (releases[0], "v68")):
        deployed = deployment(release, arch)
        make_current(remote.site(), deployed)
        with redirected(None) as streams:
            start_on_device(remote.site(), deployed, request, new_run())
        assert streams.stdout == f"{arch}\n".encode()


@short_on(BUSYBOX, ANDROID)
def test_a_directory_that_is_missing_does_not_lose_the_push(remote: Remote, tmp_path: Path) -> None:
    releases = [remote.release(tmp_path / f"{n}", {"n": b"%d" % n}) for n in range(2)]
    remote.deploy(releases[0])
    with pytest.raises(Exception, match="no working directory"):
        remote.shell(releases[1], "true", input=False, cwd="missing")
    remote.assert_current(releases[1])
    assert remote.shell(releases[1], "cat n", input=False).stdout == b"1"
