"""From the name of a device to where a release goes there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.value import Value
from buildtool.deploy.contents import DataFile, Deployment, Site, deployment, known_file
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.facts import CDSP, of_domain
from buildtool.project.model import BUILT_IN_TARGET, Project, find_target
from buildtool.release.slices import Release

if TYPE_CHECKING:
    from buildtool.device.emulated.socs import Soc
    from buildtool.device.facts import Facts
    from buildtool.device.sharing import DeviceLock


class CallRecording(Value):
    """How the calls of a program are recorded: in `file` here, only those of `methods`, each the
    file name of a skel and the number of a method, or "messages"; only the `first` ones, while the
    file is not larger than `limit` bytes; 0 for no limit."""

    file: Path
    methods: tuple[str, ...] = ()
    first: int = 0
    limit: int = 0


class DeviceChoice(Value):
    """The options of a command line about a device: the target, by default the device's; the SoC
    that the emulated device imitates; whether the files there are verified; whether the release is
    brought there although it does not fit; a build type in place of the target's; `strict-isa` in
    addition to the target's; the number of seconds to wait for another user of the device; and
    whether the device is used although another user has its lock.

    For the emulated device only: `strict` is "back" or "front" if memory that skels see ends or
    begins at an unmapped page; with `sanitize` skels stop at undefined behaviour;
    with `debug` its DSP process waits for a debugger.  With `profile` its skels are profiled, on
    other devices the program.  With `expect_dsp` calls of the DSP are counted, and a program that
    makes none has failed; with `trace` it is recorded when they were, with `record` what they
    contain.  `domain` is the DSP that programs use, "" for the device's; other commands leave it
    alone.  With `signed` its process is a signed one."""

    target: str = ""
    soc: str = ""
    verify: bool = False
    force: bool = False
    build_type: str = ""
    strict_isa: bool = False
    sanitize: bool = False
    strict: str = ""
    debug: bool = False
    profile: bool = False
    wait: float = 0
    share: bool = False
    expect_dsp: bool = False
    trace: bool = False
    record: CallRecording | None = None
    domain: str = CDSP
    signed: bool = False


class Ready:
    """A release, and where it goes on a device: `site`, `deployment`, the device's `soc`, with the
    name of the DSP that programs use unless it is the CDSP, and the `arch` of that: "" if unknown.

    What is known of a device is true until it is booted.  Then `renew` asks it again.
    """

    site: Site
    deployment: Deployment
    soc: str
    arch: str

    def __init__(
        self,
        project: Project,
        device: Device,
        release: Release,
        listener: Listener,
        data: tuple[DataFile, ...] = (),
        *,
        force: bool = False,
    ) -> None:
        """Check that `release` fits the device, and find out where it goes there, with `data`.
        Raises `DeviceError` when the release does not fit, or with `force` certainly does not."""
        self.release = release
        self._project = project
        self._device = device
        self._listener = listener
        self._data = data
        self._force = force
        self._beside = ""
        self._find(refresh=False)

    @property
    def names(self) -> dict[str, Any]:
        """The fields of `ReleaseOnDevice`."""
        return {
            "device": self.site.device.name,
            "target": self.release.target,
            "release": self.release.id,
            "deployment": self.deployment.id,
            "arch": self.deployment.arch,
        }

    def renew(self) -> None:
        """Read the facts about the device again; raises as the constructor does."""
        self._find(refresh=True)

    def hold(self, lock: DeviceLock) -> None:
        """Hold `lock`, and `renew` what is known if the device was booted since."""
        lock.hold()
        if lock.is_other_boot(self.site.boot):
            self.renew()

    def go_beside(self, purpose: str) -> None:
        """Go to the directory PROJECT+PURPOSE on the device, so that `current` stays what it is.

        It is not inside the project's directory, since large files lie beside the directories of
        projects, in one place for all.  No project has a name with "+".
        """
        self._beside = purpose
        directory = f"{self._directory}+{purpose}"
        known = known_file(self._project.state / "state", self.site.device, directory)
        self.site = self.site._replace(project=directory, known=known)

    def _find(self, *, refresh: bool) -> None:
        from buildtool.deploy.fit import check_fits  # noqa: PLC0415 - after a build

        def note(text: str) -> None:
            self._listener(Note(text))

        domain = self._device.domain
        facts = of_domain(read_facts_of(self._device, refresh=refresh), domain)
        if self._device.emulated:
            from buildtool.device.emulated.device import check_libraries  # noqa: PLC0415 - sim only

            check_libraries(self._device.emulated, self.release)
        target = self._project.targets[self.release.target]
        try:
            arch = check_fits(
                *(facts, self.release, target), domain=domain, force=self._force, note=note
            )
        except DeviceError:
            if refresh or self._device.emulated:
                raise
            self._find(refresh=True)  # what was missing can be installed by now
            return
        if target.requires:
            from buildtool.device.card import check_requirements  # noqa: PLC0415 - rare

            check_requirements(self._device, facts, target, force=self._force, note=note)
        self.site = site_on(self._project, self._device, facts, self._listener)
        self._directory = self.site.project
        self.soc, self.arch = facts.soc, facts.arch
        if domain != CDSP or self._device.signed:
            self.soc = f"{facts.soc}-{domain}{'-signed' * self._device.signed}"
        self.deployment = deployment(self.release, arch, self._data)
        if self._beside:
            self.go_beside(self._beside)


def target_on(
    project: Project, name: str, choice: DeviceChoice, device: Device | None = None
) -> str:
    """The target for the device `name`; raises what can be said before a build.

    With a target in `choice`, `device` needs no place in a devices.toml that the project reads."""
    if name == BUILT_IN_TARGET:
        from buildtool.device.emulated.device import check_platform  # noqa: PLC0415 - sim only

        _find_soc(choice)
        if choice.debug and choice.profile:
            raise UsageError(
                "--debug cannot be used with --profile",
                why="a debugger stops at each signal that takes a sample",
                remedy="Omit one of them.",
            )
        if choice.debug:
            from buildtool.device.emulated.device import check_can_debug  # noqa: PLC0415

            check_can_debug(project)
        target = choice.target or project.header.default_target
        check_platform(target, find_target(project, target).platform)
        return target
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
    if not (device and choice.target):
        from buildtool.device.configuration import open_device  # noqa: PLC0415 - not for sim

        device = open_device(name, project)
    target = choice.target or device.target or project.header.default_target
    find_target(project, target)
    return target


def device_for(
    project: Project, name: str, target: str, choice: DeviceChoice, listener: Listener
) -> Device:
    """The device `name`, for releases of `target`; one that is emulated is laid out."""
    if name != BUILT_IN_TARGET:
        from buildtool.device.configuration import open_device  # noqa: PLC0415 - not for sim

        device = open_device(name, project, wait=choice.wait, listener=listener)
        domain = choice.domain or device.domain
        return device._replace(target=target, domain=domain, signed=choice.signed)
    from buildtool.device.emulated.device import open_emulated  # noqa: PLC0415 - sim only
    from buildtool.device.emulated.socs import default_soc  # noqa: PLC0415

    domain = choice.domain or CDSP
    soc = _find_soc(choice) or default_soc(project.targets[target].archs, domain)
    root = project.state / "device" / soc.directory
    device = open_emulated(root, soc, listener, target, project.tool("qemu"))
    return device._replace(domain=domain, signed=choice.signed)


def read_facts_of(device: Device, *, refresh: bool = False) -> Facts:
    """The facts about `device`, to which there is a connection then; see `facts_of`."""
    from buildtool.device.known_facts import facts_of  # noqa: PLC0415 - after a build

    device.transport.connect()
    return facts_of(device, refresh=refresh)


def site_on(project: Project, device: Device, facts: Facts, listener: Listener) -> Site:
    """Where the project's releases are on `device`, which has these `facts`."""
    directory = f"{facts.root}/{project.name}"
    known = known_file(project.state / "state", device, directory)
    unpack = next((tool for tool in ("zstd", "gzip") if tool in facts.tools), "")
    store = facts.links and not facts.hard_links
    return Site(device, directory, known, unpack, listener, store, facts.boot)


def _find_soc(choice: DeviceChoice) -> Soc | None:
    """The SoC of sim that `choice` names; raises `UsageError` for an unknown one."""
    from buildtool.device.emulated.socs import find_soc  # noqa: PLC0415 - sim only

    return find_soc(choice.soc) if choice.soc else None
