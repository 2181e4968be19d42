"""From the name of a device to where a release goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.value import Value
from buildtool.deploy.data.files import DataFile
from buildtool.deploy.push.contents import Deployment, deployment
from buildtool.deploy.push.known import known_file
from buildtool.deploy.site import Site
from buildtool.device.device import Device
from buildtool.plan.plan import find_target
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.release.slices import Release

if TYPE_CHECKING:
    from buildtool.device.emulated.device import EmulatedDevice
    from buildtool.device.emulated.socs import Soc
    from buildtool.device.sharing.lock import DeviceLock

EMULATED_ROOT = "opt/buildtool"
"""The install root on the emulated device, below the directory that is its root."""


class DeviceChoice(Value):
    """What a command line says about a device: the target, by default the device's; the SoC that
    the emulated device imitates; whether the files there are verified; whether the release is
    brought there although it does not fit; a build type in place of the target's; `strict-isa` in
    addition to the target's; for how many seconds another user of the device is waited for; and
    whether the device is used although another user has its lock.

    For the emulated device only: `strict` is "back" or "front" if memory that skels see ends or
    begins at an unmapped page; with `sanitize` skels stop at undefined behaviour;
    with `debug` its DSP process waits for a debugger."""

    target: str = ""
    soc: str = ""
    verify: bool = False
    force: bool = False
    build_type: str = ""
    strict_isa: bool = False
    sanitize: bool = False
    strict: str = ""
    debug: bool = False
    wait: float = 0
    share: bool = False


class Selected(Value):
    """A device, and the target that is built for it.  `soc` is the emulated device's."""

    target: str
    device: Device | None
    soc: Soc | None
    force: bool


class Ready:
    """A release, and where it goes on a device: `site`, `deployment`, and `soc`, the SoC of the
    device, "" if unknown.

    What is known of a device is true until it is booted.  Then `renew` asks it again.
    """

    site: Site
    deployment: Deployment
    soc: str

    def __init__(
        self,
        project: Project,
        selected: Selected,
        release: Release,
        listener: Listener,
        data: tuple[DataFile, ...] = (),
    ) -> None:
        """Check that `release` fits the device, and find out where it goes there, with `data`.

        Raises `DeviceError` when the release does not fit.
        """
        self.release = release
        self._project = project
        self._selected = selected
        self._listener = listener
        self._data = data
        self._is_for_tests = False
        self._find(refresh=False)

    def renew(self) -> None:
        """Read the facts about the device again; raises as the constructor does."""
        self._find(refresh=True)

    def hold(self, lock: DeviceLock) -> None:
        """Hold `lock`, and `renew` what is known if the device was booted since."""
        lock.hold()
        if lock.is_other_boot(self.site.boot):
            self.renew()

    def use_test_directory(self) -> None:
        """Go beside the project's directory on the device, so that tests leave `current` alone.

        It is not inside that directory, since large files lie beside the directories of projects,
        in one place for all.  No project has a name with "+".
        """
        self._is_for_tests = True
        directory = f"{self.site.project}+tests"
        known = known_file(self._project.state / "state", self.site.device, directory)
        self.site = self.site._replace(project=directory, known=known)

    def _find(self, *, refresh: bool) -> None:
        from buildtool.deploy.fit import check_fits  # noqa: PLC0415 - after a build
        from buildtool.device.emulated.device import check_libraries  # noqa: PLC0415
        from buildtool.device.facts import facts_of, facts_of_sim  # noqa: PLC0415

        def note(text: str) -> None:
            self._listener(Note(text))

        project, selected, release = self._project, self._selected, self.release
        target = project.targets[selected.target]
        if selected.soc:
            emulated = _emulated(project, selected.soc, self._listener)
            check_libraries(emulated, release)
            known = facts_of_sim(emulated, str(emulated.root / EMULATED_ROOT))
            arch = check_fits(known, release, target, force=selected.force, note=note)
            self.site = _emulated_site(project, emulated, arch, selected.target, self._listener)
            self.soc = selected.soc.name
        else:
            assert selected.device
            selected.device.transport.connect()
            facts = facts_of(selected.device, refresh=refresh)
            arch = check_fits(facts, release, target, force=selected.force, note=note)
            unpack = next((tool for tool in ("zstd", "gzip") if tool in facts.tools), "")
            site = _site(project, selected.device, facts.root, unpack, self._listener)
            store = facts.links and not facts.hard_links
            self.site = site._replace(store=store, boot=facts.boot)
            self.soc = facts.soc
        self.deployment = deployment(release, arch, self._data)
        if self._is_for_tests:
            self.use_test_directory()


def select(project: Project, name: str, choice: DeviceChoice) -> Selected:
    """The device `name`, and the target for it; raises what can be said before a build."""
    if name == BUILT_IN_TARGET:
        from buildtool.device.emulated.device import check_platform  # noqa: PLC0415 - one transport
        from buildtool.device.emulated.socs import default_soc, find_soc  # noqa: PLC0415

        named = find_soc(choice.soc) if choice.soc else None
        if choice.debug:
            from buildtool.device.emulated.debugger import check_can_debug  # noqa: PLC0415

            check_can_debug(project)
        target = choice.target or project.header.default_target
        built = find_target(project, target)
        check_platform(target, built.platform)
        return Selected(target, None, named or default_soc(built.archs), choice.force)
    if choice.soc:
        raise UsageError(
            "--soc is for sim only",
            why=f"{name} has a SoC of its own",
            remedy=f"Omit --soc, or run on the emulated device: sim --soc {choice.soc}",
        )
    options = {
        "--strict": choice.strict == "back",
        "--strict-front": choice.strict == "front",
        "--debug": choice.debug,
        "--sanitize": choice.sanitize,
    }
    if option := next(filter(options.get, options), ""):
        raise UsageError(
            f"{option} is for sim only",
            why=f"{name} runs skels on a DSP, which the emulated device watches instead",
            remedy=f"Omit {option}, or run on the emulated device: buildtool run sim {option}",
        )
    from buildtool.device.configuration import open_device  # noqa: PLC0415 - not for sim

    device = open_device(name, project)
    target = choice.target or device.target or project.header.default_target
    find_target(project, target)
    return Selected(target, device, None, choice.force)


def site_on(
    project: Project, selected: Selected, listener: Listener, *, refresh: bool = False
) -> Site:
    """Where the project's releases are on the device; `refresh` reads the facts about it again."""
    if selected.soc:
        emulated = _emulated(project, selected.soc, listener)
        return _emulated_site(project, emulated, "", selected.target, listener)
    from buildtool.device.facts import facts_of  # noqa: PLC0415 - not for sim

    assert selected.device
    selected.device.transport.connect()
    facts = facts_of(selected.device, refresh=refresh)
    return _site(project, selected.device, facts.root, "", listener)._replace(boot=facts.boot)


def _emulated(project: Project, soc: Soc, listener: Listener) -> EmulatedDevice:
    from buildtool.device.emulated.device import prepare  # noqa: PLC0415 - one transport of several

    root = project.state / "device" / soc.name.lower()
    return prepare(root, soc, listener, project.tool("qemu"))


def _emulated_site(
    project: Project, emulated: EmulatedDevice, arch: str, target: str, listener: Listener
) -> Site:
    from buildtool.device.emulated.device import environment  # noqa: PLC0415
    from buildtool.device.transports.emulated import Emulated  # noqa: PLC0415

    root = str(emulated.root / EMULATED_ROOT)
    transport = Emulated(root, environment(emulated, arch))
    device = Device(BUILT_IN_TARGET, target, root, transport)
    return _site(project, device, root, "", listener)


def _site(project: Project, device: Device, root: str, unpack: str, listener: Listener) -> Site:
    directory = f"{root}/{project.name}"
    known = known_file(project.state / "state", device, directory)
    return Site(device, directory, known, unpack, listener)
